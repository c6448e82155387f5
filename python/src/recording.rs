//! Recordings of devices.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::capture::Capture;
use crate::device::Device;
use crate::error::raise;
use crate::gpu::recorded;

/// A recording of a device's calls into a .tgc file. As a context manager it stops at the end of the block.
#[pyclass(frozen, module = "triglyph")]
pub struct Recording {
    device: Py<Device>,
    path: PathBuf,
}

impl Recording {
    /// A recording that a device has begun.
    pub fn new(device: Py<Device>, path: PathBuf) -> Self {
        Recording { device, path }
    }
}

#[pymethods]
impl Recording {
    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Has the capture expect that a range of memory hashes to what it does now.
    #[pyo3(signature = (address, size, space = 0))]
    fn hash(&self, py: Python<'_>, address: u64, size: u64, space: u32) -> PyResult<()> {
        let range = crate::state::range(space, address, size)?;
        let gpu = self.device.get();
        gpu.call(py, |state| recorded!(&mut state.gpu, device => device.hash(range)).map_err(raise))
    }

    /// Whether the limit is reached: nothing more is recorded then.
    #[getter]
    fn full(&self, py: Python<'_>) -> PyResult<bool> {
        self.device.get().call(py, |state| Ok(recorded!(&mut state.gpu, device => device.is_full())))
    }

    /// Ends it and closes the file; nothing if it has ended. OSError for what the file has refused so far.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        self.device.get().stop_recording(py, &self.path)
    }

    /// Ends it and opens the file.
    fn capture(&self, py: Python<'_>) -> PyResult<Capture> {
        self.stop(py)?;
        Capture::open(py, &self.path)
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.stop(py)
    }

    fn __repr__(&self) -> String {
        format!("<Recording into {}>", self.path.display())
    }
}

/// Facts for the META record of a recording.
///
/// # Errors
/// What JSON cannot have.
pub fn meta_of(facts: Option<&Bound<'_, PyDict>>) -> PyResult<triglyph::capture::Meta> {
    let Some(facts) = facts else { return Ok(Default::default()) };
    let text = crate::entry::to_json(facts)?;
    triglyph::capture::Meta::from_json(&text).map_err(pyo3::exceptions::PyValueError::new_err)
}
