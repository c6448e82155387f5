//! Tables of measurements on consoles, in `tests/hardware/`: one for each subject, each row a case that runs here.
//!
//! | column | |
//! |---|---|
//! | fact | what the console does |
//! | source | where that was measured |
//! | case | a test file, one of its cases, and one of the case's results, with colons between them |
//! | console | the result there; `open` where the source has no number |
//! | ours | the result here, on every tier that the file names |
//! | agrees | `yes`, `no` or `open` |

use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use triglyph_testkit::data::file;

use crate::parse::{self, File};
use crate::{Engine, results};

/// Every table.
pub fn tables() -> Vec<PathBuf> {
    let folder = file("hardware");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    // Scenes have a test of their own.
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

/// Checks the rows of a table on an engine.
pub fn check(path: &Path, engine: Engine) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let (mut wrong, mut rows) = (String::new(), 0);
    for (i, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')).skip(2) {
        rows += 1;
        if let Err(error) = row(line, engine) {
            wrong += &format!("{}:{}: {error}\n", path.display(), i + 1);
        }
    }
    match wrong.is_empty() {
        true if rows == 0 => Err(format!("{}: no row", path.display()).into()),
        true => Ok(()),
        false => Err(wrong.into()),
    }
}

fn row(line: &str, engine: Engine) -> Result<(), String> {
    let columns: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [_, source, case, console, ours, agrees] = columns[..] else { return Err("six columns".to_owned()) };
    if source.is_empty() {
        return Err("no source".to_owned());
    }
    let mut parts = case.splitn(3, ':').map(|part| part.trim().trim_matches('`'));
    let (Some(name), Some(case), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("a file, a case and a result".to_owned());
    };
    let file = File::read(&file("files").join(name));
    let case = file.cases.iter().find(|other| other.name == case).ok_or_else(|| format!("no case `{case}`"))?;
    let at = case.expectations.iter().position(|item| item.key == key).ok_or_else(|| format!("no result `{key}`"))?;
    // Listings are no results.
    let commands = file.commands.iter().filter(|command| command.name != "disasm");
    for command in commands.filter(|command| command.engines.contains(&engine)) {
        let got = &results(&file, case, &command.name, engine)?[at];
        if !parse::equal(ours, got) {
            return Err(format!("{name}: {}: {key} is {got}, not {ours}", case.name));
        }
    }
    let really = match console {
        "open" => "open",
        console if parse::equal(console, ours) => "yes",
        _ => "no",
    };
    if agrees == really { Ok(()) } else { Err(format!("`{agrees}` should be `{really}`")) }
}
