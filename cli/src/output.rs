//! Where results go: lines or JSON lines on standard output, a progress bar and messages on standard error. All of it
//! may have strings of files in it, whose control characters are escaped ([`terminal`]).

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::exit::{self, Exit};
use crate::terminal;

/// The two streams.
pub struct Output {
    json: bool,
    bar: ProgressBar,
}

impl Output {
    /// Text, or JSON lines.
    pub fn new(json: bool) -> Self {
        Output { json, bar: ProgressBar::hidden() }
    }

    /// A line of text; nothing in JSON mode.
    pub fn line(&self, line: impl Display) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let line = line.to_string();
        self.bar.suspend(|| writeln!(io::stdout().lock(), "{}", terminal::line(&line)))
    }

    /// Lines of text, which ends with the last one; nothing in JSON mode.
    pub fn lines(&self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| self.line(line))
    }

    /// An object on a line; nothing in text mode.
    pub fn object(&self, object: &impl Serialize) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let line = serde_json::to_string(object)?;
        self.bar.suspend(|| writeln!(io::stdout().lock(), "{}", terminal::json(&line)))
    }

    /// A message on standard error.
    fn message(&self, message: &str) {
        // Nothing is left to do when the stream is closed.
        let _ = self.bar.suspend(|| writeln!(io::stderr().lock(), "triglyph: {}", terminal::line(message)));
    }

    /// Says something on standard error that is no result.
    pub fn note(&self, what: impl Display) {
        self.message(&what.to_string());
    }

    /// Says that something is not as it should be, which is no error: on standard error, and as an object.
    pub fn warning(&self, about: &str, what: impl Display) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            event: &'static str,
            about: &'a str,
            warning: String,
        }
        let warning = what.to_string();
        self.message(&format!("{about}: {warning}"));
        self.object(&Line { event: "warning", about, warning })
    }

    /// Reports an error, about a file if there is one, and says what it means for the exit code.
    pub fn error(&self, file: Option<&Path>, error: &anyhow::Error) -> Exit {
        let exit = exit::classify(error);
        if exit == Exit::Good {
            return exit;
        }
        let text = message(error);
        // An error of the file itself names it already.
        let prefix = file.map(|file| format!("{}: ", file.display())).filter(|prefix| !text.starts_with(prefix));
        let prefix = prefix.unwrap_or_default();
        self.message(&format!("{prefix}{text}"));
        // Nothing is left to do when the stream is closed.
        let _ = self.error_object(file, text);
        exit
    }

    /// An error as an object; nothing in text mode.
    pub fn error_object(&self, file: Option<&Path>, error: String) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            event: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<&'a Path>,
            error: String,
        }
        self.object(&Line { event: "error", file, error })
    }

    /// The same streams with a progress bar of `length` steps; it shows on a terminal only.
    pub fn with_bar(&self, length: u64) -> Output {
        let bar = ProgressBar::new(length);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
            bar.set_style(style);
        }
        Output { json: self.json, bar }
    }

    /// Says what is being worked on.
    pub fn working_on(&self, what: impl Display) {
        self.bar.set_message(terminal::line(&what.to_string()).into_owned());
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// An error and its causes in one line. A cause that its effect already ends with is not repeated.
pub fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for part in error.chain().map(|part| part.to_string()) {
        if !text.ends_with(&part) {
            text = if text.is_empty() { part } else { format!("{text}: {part}") };
        }
    }
    text
}
