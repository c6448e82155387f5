//! Faults as text.

use triglyph::probe::CommandFaults;

/// Faults of an event as text: the kind, how many, the first one.
pub fn fault_text(faults: &CommandFaults) -> String {
    let CommandFaults { kind, count, what } = faults;
    let what = what.as_ref().map(|what| format!(": {what}")).unwrap_or_default();
    let times = if *count == 1 { String::new() } else { format!(" {count} times") };
    format!("fault {}{times}{what}", kind.name())
}
