//! Lines for the host's log: problems with performance or files that are no faults of the guest.
//!
//! | level | lines |
//! |---|---|
//! | error | a bug of this library that it has recovered from: the compiler panicked |
//! | warning | the key file is not used, is damaged, or could not be written |
//! | information | the interpreter serves a kernel or calls of it, and why |

use std::fmt;
use std::sync::{Mutex, MutexGuard};

/// How much a line of the log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// A bug of this library that it has recovered from.
    Error,
    /// A request of the host's was not fulfilled: a file is not used, or not written.
    Warning,
    /// Work is slower than it could be.
    Information,
}

impl LogLevel {
    /// A short name: `warning`.
    pub const fn name(self) -> &'static str {
        match self {
            LogLevel::Error => "error",
            LogLevel::Warning => "warning",
            LogLevel::Information => "information",
        }
    }
}

/// Is called with each line, which has no line break at its end.
pub type LogHandler = Box<dyn FnMut(LogLevel, &str) + Send>;

/// The handler that receives lines, if there is one.
#[derive(Default)]
pub(crate) struct Log(Mutex<Option<LogHandler>>);

impl Log {
    fn lock(&self) -> MutexGuard<'_, Option<LogHandler>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Sets or removes the handler. When this returns, the one before is called no more.
    pub fn set_handler(&self, handler: Option<LogHandler>) {
        let before = std::mem::replace(&mut *self.lock(), handler);
        drop(before);
    }

    /// Tells the handler; the text is only made if there is one. Lines of several threads come one after the other.
    #[cold]
    pub fn line(&self, level: LogLevel, text: impl fmt::Display) {
        if let Some(handler) = &mut *self.lock() {
            handler(level, &text.to_string());
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Log").field(&self.lock().is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_to_the_handler_while_there_is_one() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let log = Log::default();
        log.line(LogLevel::Error, "without a handler");
        log.set_handler(Some(Box::new(move |level, line| sender.send((level, line.to_owned())).unwrap())));
        log.line(LogLevel::Warning, format_args!("{} lines", 1));
        log.set_handler(None);
        log.line(LogLevel::Error, "nor this");
        assert!(receiver.iter().eq([(LogLevel::Warning, "1 lines".to_owned())]));
    }
}
