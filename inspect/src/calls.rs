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
        _ => &[],
    };
    recorded_text(calls, call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_guest::table::calls::encode;

    #[test]
    fn calls_have_names_on_each_machine() {
        let register = encode(0, &[0x20_2204, 1]);
        assert_eq!(call_text(Machine::N3ds, &register), "write_register(offset 0x202204, value 0x1)");
        assert_eq!(call_text(Machine::Ps3, &encode(3, &[1, 9])), "vblank(head 0x1, time 0x9)");
        assert_eq!(call_text(Machine::TegraX1, &encode(14, &[1, 2])), "channel_bind(channel 0x1, space 0x2)");
    }
}
