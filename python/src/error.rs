//! Errors of the library as exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(
    triglyph,
    Error,
    PyException,
    "What is wrong with a capture, or what the library cannot do with it; the message says what and where."
);

/// An exception: that of the system for files, else [`Error`].
pub fn raise(error: triglyph::Error) -> PyErr {
    match error {
        triglyph::Error::Io { path, source } => {
            let (kind, text) = (source.kind(), format!("{}: {source}", path.display()));
            std::io::Error::new(kind, text).into()
        }
        error => Error::new_err(error.to_string()),
    }
}
