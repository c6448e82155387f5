//! Exit codes.

use std::fmt;
use std::io;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

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

impl Exit {
    /// The one with this code; [`Exit::Internal`] for a program that ended in no way of ours.
    pub fn of_code(code: Option<i32>) -> Exit {
        let all = [Exit::Good, Exit::Difference, Exit::Usage, Exit::Unreadable];
        all.into_iter().find(|exit| Some(*exit as i32) == code).unwrap_or(Exit::Internal)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// A failure that says itself which exit code it means.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    what: String,
}

impl Failure {
    /// A failure with any exit code.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Failure { exit, what: what.into() }
    }

    /// A mistake on the command line that the argument parser cannot see.
    pub fn usage(what: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, what)
    }

    /// A file that is not what it should be.
    pub fn file(what: impl Into<String>) -> Self {
        Failure::new(Exit::Unreadable, what)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

/// Which exit code an error means. A reader that has closed our standard output has seen enough: that is no error.
pub fn classify(error: &anyhow::Error) -> Exit {
    if is_closed_pipe(error) {
        return Exit::Good;
    }
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.exit;
    }
    match error.downcast_ref::<Error>() {
        Some(Error::InvalidArgument(_)) => Exit::Usage,
        Some(_) => Exit::Unreadable,
        None if error.is::<io::Error>() => Exit::Unreadable,
        None => Exit::Internal,
    }
}

/// Whether an error is only that the reader of our output has closed it.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The last panic in words, for [`catch_panic`].
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Panics are noted and not reported at once: one that is caught, as the compiler's are, is no error of the command.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic.to_string().replace('\n', " "));
    }));
}

/// Runs the command; a panic that reaches its end is an [`Exit::Internal`].
pub fn catch_panic(run: impl FnOnce() -> anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::new(Exit::Internal, format!("internal error: {}", panic.unwrap_or_default())).into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_is_caught_goes_on() {
        install_panic_hook();
        let caught = std::panic::catch_unwind(|| panic!("what a compiler might say"));
        assert!(caught.is_err());
        assert_eq!(catch_panic(|| Ok(Exit::Difference)).unwrap(), Exit::Difference);
        let ended = catch_panic(|| panic!("nobody expected this")).unwrap_err();
        assert_eq!(classify(&ended), Exit::Internal);
        assert!(ended.to_string().contains("nobody expected this"), "{ended}");
    }

    #[test]
    fn codes_of_other_processes_are_ours_or_bugs() {
        let codes = [Some(0), Some(3), Some(101), None];
        assert_eq!(codes.map(Exit::of_code), [Exit::Good, Exit::Unreadable, Exit::Internal, Exit::Internal]);
    }
}
