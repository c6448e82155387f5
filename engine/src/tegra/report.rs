//! Reports and semaphores of the 3D and the compute class.

use triglyph_guest::tegra::methods::threed::regs::set_report_semaphore_d as control;
use triglyph_guest::tegra::methods::threed::{ReportKind, ReportOperation};
use triglyph_guest::tegra::methods::values::StructSize;

use super::core::{ADDRESS_MASK, Core};
use super::registers::Registers;
use crate::device::FaultKind;

/// Does what SET_REPORT_SEMAPHORE_D asks for; address and payload stand at register `first` and behind it.
pub fn report(core: &mut Core, registers: &Registers, first: usize, word: u32) {
    let address = registers.address(first) & ADDRESS_MASK;
    match control::operation(word) {
        Some(ReportOperation::Release | ReportOperation::ReportOnly) => {}
        // Work is done in order, so what is waited for is there, or never will be; a trap asks the driver for nothing.
        _ => return,
    }
    if control::reduction_enable(word) {
        core.fault(FaultKind::Unimplemented, address, format_args!("a reduction of reports"));
        return;
    }
    // Counters are kept nowhere yet and read 0.
    let value = if control::report(word) == Some(ReportKind::None) { registers.get(first + 2) } else { 0 };
    if control::structure_size(word) == Some(StructSize::OneWord) {
        core.write_bytes(address, &value.to_le_bytes(), "a report");
    } else {
        core.write_report(address, value.into(), "a report");
    }
}
