//! The 3D class.

use triglyph_guest::tegra::methods::classes::ThreeD;
use triglyph_guest::tegra::methods::threed::{Trigger, regs};

use super::{ClassDispatch, EngineClass};
use crate::class_3d::state::constant;
use crate::front_end::work::Work;

/// The firmware call that writes a register of another unit, and the scratch register in which it says that it is done.
const FIRMWARE_WRITES: u32 = regs::set_falcon::id(4) as u32;
const FIRMWARE_ANSWER: usize = 0xD00;

/// How many methods of the class from this one on load a constant.
pub fn constants_from(method: u32) -> usize {
    use regs::load_constant_buffer as load;
    let end = (load::ID + load::COUNT) as u32;
    if (load::ID as u32..end).contains(&method) { (end - method) as usize } else { 0 }
}

impl EngineClass for ThreeD {
    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Trigger, method: u32, datum: u32) {
        match trigger {
            Trigger::IncrementSyncpoint => {
                dispatch.core.flush();
                dispatch.core.increment_syncpoint(regs::increment_sync_point::index(datum));
            }
            Trigger::ClearReport => dispatch.clear_report(datum),
            Trigger::LoadConstant => constant::load(dispatch.core, dispatch.registers(), &[datum]),
            // The firmware answers at once: without that, macros would wait for ever.
            Trigger::Firmware if method == FIRMWARE_WRITES => dispatch.registers().set(FIRMWARE_ANSWER, 1),
            Trigger::Firmware | Trigger::FlushWrites => {}
            _ => {
                let (enabled, registers) = (dispatch.is_enabled(), dispatch.registers());
                let Work { threed, counters, .. } = &mut *dispatch.work;
                threed.trigger(dispatch.core, registers, counters, trigger, (method, datum), enabled);
            }
        }
    }

    fn stream(dispatch: &mut ClassDispatch<'_>, data: &[u32]) {
        constant::load(dispatch.core, dispatch.registers(), data);
    }
}
