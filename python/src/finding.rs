//! Findings: what makes draws invisible or suspicious.

use pyo3::prelude::*;
use triglyph::RegisterValue;

/// One reason why a draw changes no pixel, or why its result may not be the intended one.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Finding {
    /// Its kind, by the name that the page of findings has: "no-vertices", "empty-viewport" and so on.
    kind: &'static str,
    /// "invisible": for this reason the draw changes no pixel; "suspicious": it may be as its author wants it.
    severity: &'static str,
    /// The event, as sessions count them: how many commands before had an effect.
    event: u64,
    /// Where the word that drew is: the byte offset in its list, or the address of the command word.
    position: u64,
    /// What was found, in a sentence.
    text: String,
    /// What to do instead, in a sentence.
    advice: String,
    /// The register or method that it is about, if it is about one: number, name, value.
    register: Option<(u32, String, u32)>,
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        format!(
            "Finding(event={}, kind='{}', severity='{}', text='{}')",
            self.event, self.kind, self.severity, self.text
        )
    }
}

impl From<triglyph::Finding> for Finding {
    fn from(found: triglyph::Finding) -> Self {
        let register = |RegisterValue { number, name, value, .. }| (number, name, value);
        Finding {
            kind: found.kind.name(),
            severity: found.severity.name(),
            event: found.event,
            position: found.command.position,
            text: found.what,
            advice: found.advice,
            register: found.register.map(register),
        }
    }
}

/// The findings of a device since the last call.
pub fn findings(device: &mut dyn triglyph::Device) -> Vec<Finding> {
    device.take_findings().into_iter().map(Finding::from).collect()
}
