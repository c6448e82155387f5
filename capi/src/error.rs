//! Statuses, the last error of a thread, and the guard around every call.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use triglyph::Error;

/// How a call ended. Everything but `TRIGLYPH_STATUS_OK` is an error of the caller, of a file or of this library; what
/// the guest does wrong is a fault, or a result beside the status, never a status.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_status {
    /// Done.
    Ok = 0,
    /// A pointer is null that may not be.
    NullPointer = 1,
    /// An argument that is not accepted: a number without a meaning, text that is not UTF-8, a misaligned pointer.
    InvalidArgument = 2,
    /// The size of a structure is not one of any version, or an array is larger than memory.
    BadSize = 3,
    /// The caller named guest memory that is not all mapped.
    Unmapped = 4,
    /// This machine, this build, this host or this version does not support the request.
    Unsupported = 5,
    /// A snapshot that is broken, of another version or of another machine.
    BadSnapshot = 6,
    /// A file that is no capture, or a record of one that is malformed or was refused.
    BadCapture = 7,
    /// A file could not be read or written.
    Io = 8,
    /// Another call works with the handle: on another thread, or the caller is a callback of it.
    Busy = 9,
    /// An earlier call panicked while it had the handle: it can only be destroyed.
    Poisoned = 10,
    /// This call panicked, which is a bug of this library.
    Panic = 11,
}

/// Why a call did not do what it was asked to.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: triglyph_status,
    pub message: String,
}

impl Failure {
    pub fn new(status: triglyph_status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(triglyph_status::InvalidArgument, message)
    }

    pub fn null(what: &str) -> Self {
        Self::new(triglyph_status::NullPointer, format!("{what} is null"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { status: status_of(&error), message: error.to_string() }
    }
}

/// The status of an error of the façade.
fn status_of(error: &Error) -> triglyph_status {
    match error {
        Error::Header { .. } | Error::Capture { .. } | Error::Record { .. } => triglyph_status::BadCapture,
        Error::Snapshot { .. } => triglyph_status::BadSnapshot,
        Error::Unmapped(_) => triglyph_status::Unmapped,
        Error::InvalidArgument(_) => triglyph_status::InvalidArgument,
        Error::Io { .. } => triglyph_status::Io,
        // Variants that later versions of the façade add are unknown here.
        _ => triglyph_status::Unsupported,
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Text for C: bytes of 0 in it are left out.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// What the body of a call returns: nothing where it cannot fail.
pub(crate) trait Done {
    fn done(self) -> Result<(), Failure>;
}

impl Done for () {
    fn done(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Done for Result<(), Failure> {
    fn done(self) -> Result<(), Failure> {
        self
    }
}

/// Runs a call: nothing unwinds out of it, and its error is the last of this thread.
pub(crate) fn guard<R: Done>(call: impl FnOnce() -> R) -> triglyph_status {
    let failure = match catch_unwind(AssertUnwindSafe(|| call().done())) {
        Ok(Ok(())) => return triglyph_status::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(triglyph_status::Panic, format!("panic: {}", panic_text(&*panic))),
    };
    // While a thread ends its storage may be gone already; the message is lost then, as nothing can ask for it.
    let _ = LAST.try_with(|last| *last.borrow_mut() = c_string(&failure.message));
    failure.status
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// The error text of the last call on this thread that did not return `TRIGLYPH_STATUS_OK`; empty before the first.
/// UTF-8. Valid until the next call of this library on this thread; successful calls leave the text as it is.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// A short name of a status, for logs: `"unmapped"`. Valid for good; `"unknown"` for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_status_name(status: i32) -> *const c_char {
    const NAMES: [&CStr; 12] = [
        c"ok",
        c"null-pointer",
        c"invalid-argument",
        c"bad-size",
        c"unmapped",
        c"unsupported",
        c"bad-snapshot",
        c"bad-capture",
        c"io",
        c"busy",
        c"poisoned",
        c"panic",
    ];
    name_of(status as u32, &NAMES)
}

/// The name of a number, for logs.
pub(crate) fn name_of(number: u32, names: &[&'static CStr]) -> *const c_char {
    names.get(number as usize).unwrap_or(&c"unknown").as_ptr()
}

/// What an enumeration's number means, counted from 0.
pub(crate) fn numbered<T: Copy>(number: u32, values: &[T], what: &str) -> Result<T, Failure> {
    values.get(number as usize).copied().ok_or_else(|| Failure::invalid(format!("{what} {number}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the text is valid until the next call on this thread.
        unsafe { CStr::from_ptr(triglyph_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn panics_and_errors_become_statuses_with_a_message() {
        assert_eq!(guard(|| -> () { panic!("number {}", 7) }), triglyph_status::Panic);
        assert_eq!(last(), "panic: number 7");
        assert_eq!(guard(|| Err(Failure::null("device"))), triglyph_status::NullPointer);
        assert_eq!(guard(|| ()), triglyph_status::Ok);
        assert_eq!(last(), "device is null");
        std::thread::scope(|scope| scope.spawn(|| assert_eq!(last(), "")).join().unwrap());
    }

    #[test]
    fn statuses_have_names() {
        for (status, name) in [(triglyph_status::Ok, "ok"), (triglyph_status::Busy, "busy")] {
            // SAFETY: names are static.
            let found = unsafe { CStr::from_ptr(triglyph_status_name(status as i32)) };
            assert_eq!(found.to_str(), Ok(name));
        }
        // SAFETY: as above.
        assert_eq!(unsafe { CStr::from_ptr(triglyph_status_name(-1)) }, c"unknown");
    }
}
