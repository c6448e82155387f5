//! Triglyph for Python: the module `triglyph._triglyph`, whose names the package `triglyph` has.
//!
//! ```text
//! Capture ─► replay:  Replay, an iterator ─► Picture: NumPy arrays
//!         ─► inspect: Session ─► Event, registers, surfaces before and after, history of a pixel ─► compare
//!                             ─► Inputs: vertices, textures, constants; Program
//!         ◄─► Entry: what its records say, to be changed
//! Device ─► Picture, Signal, memory
//!        ─► Recording ─► Capture
//! ```
//! Whatever executes work of the guest does so without the interpreter's lock. A device, a session and a replay have a
//! lock of their own: threads that share one wait for each other.

mod capture;
mod compare;
mod device;
mod entry;
mod error;
mod event;
mod finding;
mod gpu;
mod guard;
mod inputs;
mod options;
mod picture;
mod pixels;
mod present;
mod recording;
mod replay;
mod session;
mod signal;
mod state;

use pyo3::prelude::*;

/// The GPUs of three consoles: devices to drive, captures as pictures, events and states.
#[pymodule(gil_used = false)]
fn _triglyph(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<capture::Capture>()?;
    module.add_class::<capture::Record>()?;
    module.add_class::<capture::Output>()?;
    module.add_class::<replay::Replay>()?;
    module.add_class::<replay::CapturePicture>()?;
    module.add_class::<picture::Picture>()?;
    module.add_class::<picture::Comparison>()?;
    module.add_class::<device::Device>()?;
    module.add_class::<recording::Recording>()?;
    module.add_class::<signal::Signal>()?;
    module.add_class::<signal::RunEnd>()?;
    module.add_class::<entry::Entry>()?;
    module.add_class::<inputs::Inputs>()?;
    module.add_class::<inputs::Program>()?;
    module.add_class::<inputs::Instruction>()?;
    module.add_class::<inputs::Texture>()?;
    module.add_class::<inputs::Vertices>()?;
    module.add_class::<inputs::Attribute>()?;
    module.add_class::<inputs::Mesh>()?;
    module.add_class::<inputs::Constants>()?;
    module.add_class::<replay::Expectation>()?;
    module.add_class::<replay::Hash>()?;
    module.add_class::<replay::Fault>()?;
    module.add_class::<finding::Finding>()?;
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
