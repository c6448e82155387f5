//! What a device tells its host: events, and why a run has ended.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use triglyph::{Event, RunEnd as End, Waiting};

/// Something that concerns the host or the guest's processor: an interrupt, a fence, a frame, a flip.
#[pyclass(frozen, module = "triglyph")]
pub struct Signal {
    /// Its kind: interrupt, fence, vblank, second-vblank, flip, queue, user-command, graphics-error, unmapped-io,
    /// software.
    #[pyo3(get)]
    kind: &'static str,
    values: Vec<(&'static str, u64)>,
}

#[pymethods]
impl Signal {
    /// Its values by name, as numbers: those of an interrupt are source, count and delay (nanoseconds).
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        self.values.iter().try_for_each(|(name, value)| values.set_item(name, value))?;
        Ok(values)
    }

    fn __repr__(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        format!("<Signal {}:{}>", self.kind, values.concat())
    }
}

/// A number of a guest's, as a value.
fn number(value: impl Into<u32>) -> u64 {
    u64::from(value.into())
}

impl From<Event> for Signal {
    fn from(event: Event) -> Self {
        let (kind, values) = match event {
            Event::Interrupt { source, count, delay } => {
                ("interrupt", vec![("source", number(source)), ("count", count), ("delay", delay.as_nanos() as u64)])
            }
            Event::Fence { slot, counter, value } => {
                ("fence", vec![("slot", number(slot)), ("counter", number(counter)), ("value", number(value))])
            }
            Event::Vblank { context, head } => ("vblank", vec![("context", number(context)), ("head", number(head))]),
            Event::SecondVblank { context, head } => {
                ("second-vblank", vec![("context", number(context)), ("head", number(head))])
            }
            Event::Flip { context, head, buffer, offset } => {
                let values = [("head", head), ("buffer", buffer), ("offset", offset)];
                let values = values.map(|(name, value)| (name, number(value)));
                ("flip", [("context", number(context))].into_iter().chain(values).collect())
            }
            Event::Queue { context, head, buffer } => {
                ("queue", vec![("context", number(context)), ("head", number(head)), ("buffer", number(buffer))])
            }
            Event::UserCommand { context, value } => {
                ("user-command", vec![("context", number(context)), ("value", number(value))])
            }
            Event::GraphicsError { channel, error } => {
                ("graphics-error", vec![("channel", number(channel)), ("error", number(error))])
            }
            Event::UnmappedIo { address } => ("unmapped-io", vec![("address", address)]),
            Event::Software(method) => {
                let values = [("subchannel", method.subchannel), ("method", method.method), ("data", method.data)];
                let values = values.map(|(name, value)| (name, number(value)));
                ("software", [("channel", number(method.channel))].into_iter().chain(values).collect())
            }
            _ => ("other", Vec::new()),
        };
        Signal { kind, values }
    }
}

/// Why a bounded run has ended.
#[pyclass(frozen, get_all, module = "triglyph")]
pub struct RunEnd {
    /// "done": nothing is left to do; "waiting": nothing can go on before somebody else acts; "limit": there is more to
    /// do; "interrupted".
    kind: &'static str,
    /// What it waits for, in words; empty for the others.
    waiting: String,
}

#[pymethods]
impl RunEnd {
    fn __repr__(&self) -> String {
        match self.waiting.is_empty() {
            true => format!("<RunEnd: {}>", self.kind),
            false => format!("<RunEnd: {} for {}>", self.kind, self.waiting),
        }
    }
}

impl From<End> for RunEnd {
    fn from(end: End) -> Self {
        let (kind, waiting) = match end {
            End::Done => ("done", String::new()),
            End::Waiting(waiting) => ("waiting", text(waiting)),
            End::BudgetUsed => ("limit", String::new()),
            _ => ("interrupted", String::new()),
        };
        RunEnd { kind, waiting }
    }
}

fn text(waiting: Waiting) -> String {
    match waiting {
        Waiting::Semaphore { channel, place, value } => {
            format!("{value:#x} at {:#x} in space {}, channel {channel}", place.address, place.space)
        }
        Waiting::Counter { channel, counter, value } => format!("{value} of counter {counter}, channel {channel}"),
        Waiting::PushBuffer { channel, offset } => format!("another jump at {offset:#x}, channel {channel}"),
        Waiting::Processor { channel } => format!("the guest's processor, channel {channel}"),
        _ => "something else".to_owned(),
    }
}
