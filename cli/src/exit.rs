//! What the exit code says.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use triglyph::Error;

/// The end of `--help`.
pub const HELP: &str = "Exit codes: 0 good, 1 a difference was found, 2 wrong usage, 3 a file that cannot be read, \
                        written or replayed, 4 an internal error.";

/// How a command ended. The larger one counts when several files end differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Everything as it should be.
    Good = 0,
    /// Something is not as expected.
    Difference = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A file cannot be read or written, or not be replayed.
    Unreadable = 3,
    /// A bug.
    Internal = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// A mistake on the command line that the argument parser cannot see.
#[derive(Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// A file that is not what it should be, other than a capture.
#[derive(Debug)]
pub struct FileError(pub String);

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FileError {}

/// Which exit code an error means. A reader that has closed our standard output has seen enough: that is no error.
pub fn classify(error: &anyhow::Error) -> Exit {
    if is_closed_pipe(error) {
        return Exit::Good;
    }
    if error.is::<UsageError>() {
        return Exit::Usage;
    }
    match error.downcast_ref::<Error>() {
        Some(Error::InvalidArgument(_)) => Exit::Usage,
        Some(_) => Exit::Unreadable,
        None if error.is::<io::Error>() || error.is::<FileError>() => Exit::Unreadable,
        None => Exit::Internal,
    }
}

/// Whether an error is only that nobody reads our output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// A panic on any thread ends the program with [`Exit::Internal`].
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        // Standard error may be closed too.
        let _ = writeln!(io::stderr(), "triglyph: internal error: {panic}");
        std::process::exit(Exit::Internal as i32);
    }));
}
