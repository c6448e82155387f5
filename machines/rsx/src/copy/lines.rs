//! Memory to memory: lines of bytes.

use triglyph_guest::rsx::two_d::memory_to_memory as methods;

use super::pieces;
use crate::core::Core;
use crate::front_end::dma::DmaObject;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::transfer::{Copy, Lines, Request};

/// One side of a copy.
#[derive(Clone, Copy, Debug)]
struct Side {
    memory: DmaObject,
    offset: u32,
    /// Bytes from a line to the next.
    pitch: i32,
    /// Bytes from a byte of a line to the next.
    step: u32,
}

impl Side {
    /// Where line `line` begins. The caller has checked that it lies in the object.
    fn line(&self, line: u32) -> GuestAddr {
        let offset = i64::from(self.offset) + i64::from(line) * i64::from(self.pitch);
        GuestAddr::new(self.memory.space, self.memory.base.wrapping_add_signed(offset))
    }

    /// Whether all lines lie in the object.
    fn fits(&self, lines: u32, length: u32) -> bool {
        let first = i64::from(self.offset);
        let last = first + i64::from(lines - 1) * i64::from(self.pitch);
        let bytes = i64::from(length - 1) * i64::from(self.step) + 1;
        let end = (first.max(last) + bytes) as u64;
        first.min(last) >= 0 && self.memory.range(0, end).is_some()
    }

    /// The side as lines with gaps, when it goes forwards without overlaps.
    fn lines(&self, lines: u32, length: u32) -> Option<Lines> {
        if lines == 1 {
            return Some(Lines::CONTIGUOUS);
        }
        let gap = i64::from(self.pitch) - i64::from(length);
        (gap >= 0).then_some(Lines { line: length.into(), gap: gap as u64 })
    }
}

/// Executes the copy that the registers describe.
///
/// Lines are copied in order, each read before it is written; without gaps on either side they are one. That is what
/// RPCS3 makes of overlaps.
pub(crate) fn copy(core: &mut Core, registers: &Registers) {
    let get = |id: usize| registers.get(id as u32);
    let (length, lines) = (get(methods::line_length_in::ID), methods::line_count::lines(get(methods::line_count::ID)));
    if length == 0 || lines == 0 {
        return;
    }
    let Some(source) = core.dma(get(methods::dma_buffer_in::ID), "source of a copy") else { return };
    let Some(target) = core.dma(get(methods::dma_buffer_out::ID), "target of a copy") else { return };
    let format = get(methods::format::ID);
    let from = Side {
        memory: source,
        offset: get(methods::offset_in::ID),
        pitch: get(methods::pitch_in::ID) as i32,
        step: methods::format::input(format),
    };
    let to = Side {
        memory: target,
        offset: get(methods::offset_out::ID),
        pitch: get(methods::pitch_out::ID) as i32,
        step: methods::format::output(format),
    };
    // The console checks them: with other increments the context is lost (RPCS3's tests).
    if [from.step, to.step].iter().any(|step| !matches!(step, 1..=4)) {
        return core.fault(
            FaultKind::BadMethod,
            format.into(),
            format_args!("FORMAT: a copy does not take the increments {format:#x}"),
        );
    }
    if !source.read || !from.fits(lines, length) {
        let what = format_args!("a copy of {lines} lines of {length:#x} bytes: the source is shorter");
        return core.fault(FaultKind::UnmappedRead, from.offset.into(), what);
    }
    if !target.write || !to.fits(lines, length) {
        let what = format_args!("a copy of {lines} lines of {length:#x} bytes: the target is shorter");
        return core.fault(FaultKind::UnmappedWrite, to.offset.into(), what);
    }
    let bytes = u64::from(lines) * u64::from(length);
    if !core.budget.spend(64 * u64::from(lines) + bytes / 8) {
        return core.fault(
            FaultKind::OutOfFuel,
            to.offset.into(),
            format_args!("a copy of {bytes:#x} bytes exceeds the budget"),
        );
    }
    if from.step != 1 || to.step != 1 {
        return copy_steps(core, &from, &to, lines, length);
    }
    match (from.lines(lines, length), to.lines(lines, length)) {
        (Some(source_lines), Some(target_lines)) => {
            let copy = Copy { source: from.line(0), target: to.line(0), size: bytes, source_lines, target_lines };
            core.transfer("copy", &Request::Copy(copy));
        }
        _ => {
            for line in 0..lines {
                let (source, target) = (from.line(line), to.line(line));
                let (source_lines, target_lines) = (Lines::CONTIGUOUS, Lines::CONTIGUOUS);
                let copy = Copy { source, target, size: length.into(), source_lines, target_lines };
                core.transfer("copy", &Request::Copy(copy));
            }
        }
    }
}

/// Copies every so manieth byte, line by line: rare enough to be plain.
fn copy_steps(core: &mut Core, from: &Side, to: &Side, lines: u32, length: u32) {
    core.flush();
    let span = |side: &Side| ((length - 1) * side.step + 1) as usize;
    if !core.budget.spend(16 * u64::from(lines) * (span(from) + span(to)) as u64) {
        return core.fault(
            FaultKind::OutOfFuel,
            to.offset.into(),
            format_args!("a copy of {lines} lines with increments exceeds the budget"),
        );
    }
    let (mut source, mut target) = (vec![0; span(from)], vec![0; span(to)]);
    for line in 0..lines {
        pieces::gather(core, from.line(line), &mut source, "copy");
        // What lies between the bytes stays.
        pieces::gather(core, to.line(line), &mut target, "copy");
        for i in 0..length as usize {
            target[i * to.step as usize] = source[i * from.step as usize];
        }
        pieces::scatter(core, to.line(line), &target, "copy");
    }
}
