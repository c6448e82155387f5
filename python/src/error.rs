//! Errors of the library as exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyModule;
use triglyph::Error as Failure;

create_exception!(
    triglyph,
    Error,
    PyException,
    "What the library refuses: a capture, a snapshot, an argument, memory that is not mapped. The message says what and \
     where."
);
create_exception!(triglyph, CaptureError, Error, "A capture that is broken, or whose record a device refuses.");
create_exception!(triglyph, SnapshotError, Error, "A snapshot that is broken, of another version or another machine.");
create_exception!(triglyph, UnmappedError, Error, "Guest memory of which a byte is not mapped.");
create_exception!(triglyph, UnsupportedError, Error, "What this machine or this build cannot do.");
create_exception!(triglyph, InternalError, Error, "A bug of the library. The object of the call cannot be used again.");

/// Adds the exceptions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("CaptureError", py.get_type::<CaptureError>())?;
    module.add("SnapshotError", py.get_type::<SnapshotError>())?;
    module.add("UnmappedError", py.get_type::<UnmappedError>())?;
    module.add("UnsupportedError", py.get_type::<UnsupportedError>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// An exception: that of the system for files, else [`Error`] or what is derived from it.
pub fn raise(error: Failure) -> PyErr {
    let text = error.to_string();
    match error {
        Failure::Io { path, source } => {
            let (kind, text) = (source.kind(), format!("{}: {source}", path.display()));
            std::io::Error::new(kind, text).into()
        }
        Failure::Header { .. } | Failure::Capture { .. } | Failure::Record { .. } => CaptureError::new_err(text),
        Failure::Snapshot { .. } => SnapshotError::new_err(text),
        Failure::Unmapped(_) => UnmappedError::new_err(text),
        Failure::Unsupported(_) => UnsupportedError::new_err(text),
        _ => Error::new_err(text),
    }
}
