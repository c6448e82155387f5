//! Results in a file: they are there as soon as a case ends, so that a run which is interrupted continues.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::console::Outcome;

/// The results of one program on one device.
pub struct Results {
    outcomes: HashMap<String, Outcome>,
    file: File,
}

impl Results {
    /// Opens a file or makes it. Its first line is `made_by`; the results of a file with another one are dropped, since
    /// they are those of other programs.
    ///
    /// # Errors
    /// A file that cannot be written, or that another run writes.
    pub fn open(path: &Path, made_by: &str) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(wrong)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(format!("{}: another run writes it", path.display())),
            Err(TryLockError::Error(error)) => return Err(wrong(error)),
            Ok(()) => {}
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(wrong)?;
        // A run that was killed may leave a part of a line.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let of_these = text.lines().next() == Some(made_by);
        if !of_these {
            text = format!("{made_by}\n");
            file.rewind().and_then(|()| file.write_all(text.as_bytes())).map_err(wrong)?;
        }
        file.set_len(text.len() as u64).map_err(wrong)?;
        file.seek(std::io::SeekFrom::End(0)).map_err(wrong)?;
        let outcomes = text.lines().skip(1).filter_map(outcome).collect();
        Ok(Self { outcomes, file })
    }

    /// Keeps the result of a case.
    pub fn keep(&mut self, case: String, outcome: Outcome) -> Result<(), String> {
        let line = format!("{case}\t{}\t{}\n", outcome.result, outcome.detail);
        self.file.write_all(line.as_bytes()).map_err(|error| format!("results cannot be kept: {error}"))?;
        self.outcomes.insert(case, outcome);
        Ok(())
    }

    pub fn of(&self, case: &str) -> Option<&Outcome> {
        self.outcomes.get(case)
    }
}

/// A line of the file.
fn outcome(line: &str) -> Option<(String, Outcome)> {
    let mut columns = line.splitn(3, '\t');
    let (case, result, detail) = (columns.next()?, columns.next()?, columns.next()?);
    Some((case.to_owned(), Outcome::new(result, detail)))
}
