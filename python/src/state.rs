//! What a device consists of, and how its values are told.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use triglyph::capture::Header;
use triglyph::{Error, GuestRange, Machine, Stats};

use crate::error::raise;
use crate::gpu::{Gpu, HostBuffer};

/// What a device consists of. The machine goes before the buffers that it has mapped.
pub struct State {
    pub gpu: Gpu,
    pub buffers: Vec<(GuestRange, HostBuffer)>,
    pub big_endian: bool,
}

impl State {
    /// Gets ready for records of a capture.
    ///
    /// # Errors
    /// `ValueError` for a capture of another machine.
    pub fn take_header(&mut self, header: Header) -> PyResult<()> {
        let machine = self.gpu.device_ref().machine();
        if header.machine != machine {
            let [want, got] = [header.machine, machine].map(Machine::full_name);
            let what = format!("a capture of the {want} on a device of the {got}");
            return Err(PyValueError::new_err(what));
        }
        if header.big_endian != self.big_endian {
            self.gpu.device().as_replay().set_big_endian(header.big_endian).map_err(refused)?;
            self.big_endian = header.big_endian;
        }
        Ok(())
    }

    /// Takes out the buffers of which nothing is mapped any more, as something else is in this range.
    pub fn released(&mut self, range: GuestRange) -> Vec<(GuestRange, HostBuffer)> {
        let end = range.start.after(range.size);
        let inside = |kept: &GuestRange| {
            kept.start.space == range.start.space && range.start <= kept.start && kept.start.after(kept.size) <= end
        };
        let (released, kept) = std::mem::take(&mut self.buffers).into_iter().partition(|(kept, _)| inside(kept));
        self.buffers = kept;
        released
    }
}

/// Counters by name.
pub fn stats_dict<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let counts = [
        ("draws", stats.draws),
        ("vertices", stats.vertices),
        ("triangles", stats.triangles),
        ("pixels_blocks", stats.pixels_blocks),
        ("pixels_hidden", stats.pixels_hidden),
        ("kernel_lookups", stats.kernel_lookups),
        ("kernel_hits", stats.kernel_hits),
        ("kernels_recalled", stats.kernels_recalled),
        ("kernels_compiled", stats.kernels_compiled),
        ("kernels_wide", stats.kernels_wide),
        ("kernels_not_widened", stats.kernels_not_widened),
        ("kernels_tiered_up", stats.kernels_tiered_up),
        ("kernels_unsupported", stats.kernels_unsupported),
        ("kernels_evicted", stats.kernels_evicted),
        ("key_file_errors", stats.key_file_errors),
        ("compiler_panics", stats.compiler_panics),
        ("kernels_cached", stats.kernels_cached),
        ("code_bytes", stats.code_bytes),
        ("interpreter_calls", stats.interpreter_calls),
        ("compiled_calls", stats.compiled_calls),
        ("packet_trace_runs", stats.packet_trace_runs),
        ("packet_trace_words", stats.packet_trace_words),
    ];
    let all = PyDict::new(py);
    for (name, count) in counts {
        all.set_item(name, count)?;
    }
    all.set_item("compile_seconds", stats.compile_time.as_secs_f64())?;
    for (name, time) in stats.stages.named() {
        all.set_item(format!("{}_seconds", name.replace('-', "_")), time.as_secs_f64())?;
    }
    Ok(all)
}

/// A range of guest memory.
///
/// # Errors
/// `ValueError` for one that goes past the last address.
pub fn range(space: u32, address: u64, size: u64) -> PyResult<GuestRange> {
    let wraps = || PyValueError::new_err(format!("{size:#x} bytes at {address:#x}"));
    address.checked_add(size).map(|_| GuestRange::new(space, address, size)).ok_or_else(wraps)
}

/// Arguments that no machine accepts are `ValueError`s here.
pub fn refused(error: Error) -> PyErr {
    match error {
        Error::InvalidArgument(what) => PyValueError::new_err(what),
        error => raise(error),
    }
}
