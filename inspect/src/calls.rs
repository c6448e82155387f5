//! Recorded calls as text.

use triglyph::Machine;
use triglyph_guest::table::calls::{CallInfo, recorded_text};
use triglyph_guest::{gsp, rsx, tegra};

/// A CALL of a machine's capture: its name, and its arguments by name.
pub fn call_text(machine: Machine, call: &[u8]) -> String {
    let calls: &[CallInfo] = match machine {
        Machine::N3ds => gsp::calls::CALLS,
        Machine::Ps3 => rsx::lv1::calls::CALLS,
        Machine::TegraX1 => tegra::driver::calls::CALLS,
    };
    recorded_text(calls, call)
}
