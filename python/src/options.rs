//! How devices are set up, by the words that the command uses.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use triglyph::{Accuracy, Machine, Options, Tier};
use triglyph_inspect::Moment;

/// Options from the arguments of a call.
///
/// # Errors
/// `ValueError` for other words than those that there are, and for more than 1,024 threads.
pub fn options(tier: &str, threads: usize, accuracy: &str) -> PyResult<Options> {
    let tier = match tier {
        "auto" => Tier::Auto,
        "interp" => Tier::InterpreterOnly,
        "jit" => Tier::JitOnly,
        other => return Err(PyValueError::new_err(format!("tier {other:?} is none of auto, interp, jit"))),
    };
    let accuracy = match accuracy {
        "fast" => Accuracy::Fast,
        "exact" => Accuracy::Exact,
        other => return Err(PyValueError::new_err(format!("accuracy {other:?} is none of fast, exact"))),
    };
    if threads > 1024 {
        return Err(PyValueError::new_err(format!("{threads} threads are more than 1024")));
    }
    let mut options = Options::new(tier, threads);
    options.accuracy = accuracy;
    Ok(options)
}

/// Before or after an event.
///
/// # Errors
/// `ValueError` for another word.
pub fn moment(when: &str) -> PyResult<Moment> {
    match when {
        "before" => Ok(Moment::Before),
        "after" => Ok(Moment::After),
        other => Err(PyValueError::new_err(format!("when {other:?} is none of before, after"))),
    }
}

/// A machine by its name.
///
/// # Errors
/// `ValueError` for a name that there is not.
pub fn machine(name: &str) -> PyResult<Machine> {
    let found = Machine::ALL.into_iter().find(|machine| machine.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("machine {name:?} is none of 3ds, ps3, tegra-x1")))
}
