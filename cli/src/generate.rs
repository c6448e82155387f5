//! `triglyph completions` and `triglyph man`: what packages install beside the command, made from its arguments.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::capture_file::make_folder;
use crate::exit::Exit;
use crate::output::Output;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Folder for the pages of all commands, made when missing.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub fn completions(arguments: &Completions, output: &Output) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "triglyph", &mut script);
    print(&script, "completions", output)
}

/// Prints a text, as the member of an object in JSON.
fn print(text: &[u8], event: &str, output: &Output) -> anyhow::Result<Exit> {
    let text = String::from_utf8_lossy(text);
    output.lines(text.trim_end())?;
    output.object(&serde_json::json!({ "event": event, "text": text }))?;
    Ok(Exit::Good)
}

/// Prints the page of the whole command, or writes all pages.
pub fn man(arguments: &Man, output: &Output) -> anyhow::Result<Exit> {
    let command = crate::Arguments::command();
    let Some(folder) = &arguments.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return print(&page, "manual", output);
    };
    make_folder(folder)?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    output.line(format_args!("{}", folder.display()))?;
    output.object(&serde_json::json!({ "event": "manual", "folder": folder }))?;
    Ok(Exit::Good)
}
