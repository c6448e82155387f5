//! Triglyph for Python: the module `triglyph._triglyph`, whose names the package `triglyph` has.
//!
//! ```text
//! Capture ─► replay:  Replay, an iterator ─► Picture: NumPy arrays
//!         ─► inspect: Session ─► Event, registers, surfaces before and after, history of a pixel ─► compare
//! ```
//! Whatever executes work of the guest does so without the interpreter's lock. A session and a replay have a lock of
//! their own: threads that share one wait for each other.

mod capture;
mod compare;
mod error;
mod event;
mod options;
mod pixels;
mod replay;
mod session;

use pyo3::prelude::*;

/// The GPUs of three consoles: captures as pictures, events and states.
#[pymodule(gil_used = false)]
fn _triglyph(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add_class::<capture::Capture>()?;
    module.add_class::<capture::Record>()?;
    module.add_class::<capture::Output>()?;
    module.add_class::<replay::Replay>()?;
    module.add_class::<replay::Picture>()?;
    module.add_class::<replay::Expectation>()?;
    module.add_class::<replay::Hash>()?;
    module.add_class::<replay::Fault>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<session::Change>()?;
    module.add_class::<session::Fragment>()?;
    module.add_class::<event::Event>()?;
    module.add_class::<event::Draw>()?;
    module.add_class::<event::Surface>()?;
    module.add_class::<compare::Difference>()?;
    module.add_class::<compare::SurfaceDifference>()?;
    module.add_class::<compare::MemoryDifference>()?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_hashes, module)?)
}
