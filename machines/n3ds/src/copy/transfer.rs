//! The transfer engine, PPF: display transfers and texture copies.

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::transfer::{ConvertKey, Layout};
use triglyph_guest::layout::Block;
use triglyph_guest::pica::external::{self, ppf_flags};

use crate::system::external::{CommandProcessor, Event, External, FreezePolicy, perform, physical, timing};
use crate::system::gsp::Interrupt;
use triglyph_engine::device::FaultKind;
use triglyph_engine::transfer::{Convert, Copy, Lines, Request};

const BUSY: u32 = 1;
const FINISHED: u32 = 1 << 8;

/// The flags register.
#[derive(Clone, Copy, Debug)]
struct Flags(u32);

impl Flags {
    /// Layouts of source and target. Leaving tiles as they are wins over converting to tiles (3dbrew; with both flags a
    /// console gives the same as with the former: citra-emu/hwtests, Test_Flags_Bit_5).
    fn layouts(self) -> (Layout, Layout) {
        let tiled = Layout::Tiled(if ppf_flags::block32(self.0) { Block::B32 } else { Block::B8 });
        match (ppf_flags::to_tiled(self.0), ppf_flags::no_convert(self.0)) {
            (_, true) => (tiled, tiled),
            (true, false) => (Layout::Linear, tiled),
            (false, false) => (tiled, Layout::Linear),
        }
    }

    /// What is converted to what; `None` for values that mean nothing.
    fn key(self) -> Option<ConvertKey> {
        let (input_layout, output_layout) = self.layouts();
        Some(ConvertKey {
            input: ppf_flags::input(self.0)?.into(),
            output: ppf_flags::output(self.0)?.into(),
            input_layout,
            output_layout,
            scale: ppf_flags::scale(self.0)?.into(),
        })
    }
}

/// Bytes that a display transfer is about to move, for its time: pixels before scaling, in the format that is read. 0
/// if it does nothing.
pub(crate) fn converted_bytes(flags: u32, in_dim: u32, out_dim: u32) -> u64 {
    let sizes = [in_dim, out_dim].map(|dim| u64::from(dim & 0xFFFF) * u64::from(dim >> 16));
    match Flags(flags).key() {
        Some(key) if sizes[0] != 0 => sizes[1] * u64::from(key.input.bytes()),
        _ => 0,
    }
}

/// Whether a conversion ends on hardware: from tiles RGB8 becomes RGB8 alone, and 16 bits become 16 bits (3dbrew's
/// table of conversions; citra-emu/hwtests has left out what freezes). Of conversions from rows it is not known.
fn ends(key: &ConvertKey) -> bool {
    match key.input {
        _ if key.input_layout == Layout::Linear => true,
        PixelFormat::Rgba8 => true,
        PixelFormat::Rgb8 => key.output == PixelFormat::Rgb8,
        PixelFormat::Rgb565 | PixelFormat::Rgb5A1 | PixelFormat::Rgba4 => key.output.bytes() == 2,
    }
}

/// What a transfer came to.
enum Done {
    /// It completed after moving so many bytes.
    Bytes(u64),
    /// The hardware would freeze.
    Frozen,
}

impl External {
    /// A write to the control register.
    pub(crate) fn transfer_control<C: CommandProcessor + ?Sized>(
        &mut self,
        core: &mut C,
        control: u32,
    ) -> Option<Event> {
        if self.word(external::ppf_control::ID) & BUSY != 0 {
            core.fault(FaultKind::BadCommand, "the transfer engine freezes".into(), external::ppf_control::ID as u64);
            return None;
        }
        *self.word_mut(external::ppf_control::ID) = control;
        if control & BUSY == 0 {
            return None;
        }
        let (source, target) = (
            external::ppf_in::address(self.word(external::ppf_in::ID)) as u32,
            external::ppf_out::address(self.word(external::ppf_out::ID)) as u32,
        );
        let flags = Flags(self.word(ppf_flags::ID));
        let done = match ppf_flags::copy(flags.0) {
            true => self.texture_copy(core, source, target),
            false => self.display_transfer(core, source, target, flags),
        };
        let bytes = match (done, self.freeze_policy) {
            (Done::Bytes(bytes), _) => bytes,
            (Done::Frozen, FreezePolicy::Complete) => 0,
            (Done::Frozen, FreezePolicy::Hang) => return None,
        };
        *self.word_mut(external::ppf_control::ID) = control & !BUSY | FINISHED;
        let ticks = timing::moving(timing::Mover::Gpu, source, target, bytes);
        Some(Event { interrupt: Interrupt::Ppf, ticks })
    }

    /// Converts an image; about how many bytes are moved is told.
    fn display_transfer<C: CommandProcessor + ?Sized>(
        &mut self,
        core: &mut C,
        source: u32,
        target: u32,
        flags: Flags,
    ) -> Done {
        let Some(key) = flags.key() else {
            let what = format!("display transfer: flags {:#x}", flags.0);
            core.fault(FaultKind::BadMethod, what, ppf_flags::ID as u64);
            return Done::Bytes(0);
        };
        let size = |register: usize| (self.word(register) & 0xFFFF, self.word(register) >> 16);
        let ((in_width, in_height), (out_width, out_height)) =
            (size(external::ppf_in_dim::ID), size(external::ppf_out_dim::ID));
        if [in_width, in_height, out_width, out_height].contains(&0) {
            return Done::Bytes(0);
        }
        if !ends(&key) {
            let what = format!("display transfer: the hardware freezes (flags {:#x})", flags.0);
            core.fault(FaultKind::BadCommand, what, external::ppf_control::ID as u64);
            if self.freeze_policy == FreezePolicy::Hang {
                return Done::Frozen;
            }
        }
        let displaced = match ppf_flags::flip(flags.0) && ppf_flags::crop(flags.0) {
            // The first line is computed from the width of the source (verified with a test program by GPUCode).
            true => in_width.wrapping_sub(out_width).wrapping_mul(out_height - 1).wrapping_mul(key.output.bytes()),
            false => 0,
        };
        // Without the crop flag nothing is skipped at the end of a row of the source (console value: citra-emu/hwtests,
        // RGBA8_To_RGB8_Different_Sizes). Of a linear source, and of a target wider than its source, there is none.
        let source_width = if ppf_flags::crop(flags.0) { in_width } else { in_width.min(out_width) };
        // The size is given before scaling, the stride is that of the scaled image.
        let (shift_x, shift_y) = key.scale.shifts();
        let (width, height) = (out_width >> shift_x, out_height >> shift_y);
        let convert = Convert {
            key,
            source: physical(source),
            target: physical(target.wrapping_add(displaced)),
            source_width,
            target_width: width,
            width,
            height,
            flip: ppf_flags::flip(flags.0),
        };
        perform(core, "display transfer", &Request::Convert(convert));
        let [in_dim, out_dim] = [external::ppf_in_dim::ID, external::ppf_out_dim::ID].map(|id| self.word(id));
        Done::Bytes(converted_bytes(flags.0, in_dim, out_dim))
    }

    /// Copies bytes line by line, in units of 16 bytes: the low four bits of addresses and size do not count
    /// (addresses: Citra #1336; size: Citra #2809).
    fn texture_copy<C: CommandProcessor + ?Sized>(&mut self, core: &mut C, source: u32, target: u32) -> Done {
        let lines = |register: usize| Lines {
            line: u64::from(self.word(register) & 0xFFFF) * 16,
            gap: u64::from(self.word(register) >> 16) * 16,
        };
        let size = u64::from(self.word(external::copy_size::ID) & !15);
        let (source_lines, target_lines) = (lines(external::copy_in::ID), lines(external::copy_out::ID));
        let endless = |lines: Lines| lines.gap != 0 && lines.line == 0;
        if size == 0 || endless(source_lines) || endless(target_lines) {
            let what = format!("texture copy: the hardware freezes (size {size:#x})");
            core.fault(FaultKind::BadCommand, what, external::ppf_control::ID as u64);
            return Done::Frozen;
        }
        let (source, target) = (physical(source & !15), physical(target & !15));
        perform(core, "texture copy", &Request::Copy(Copy { source, target, size, source_lines, target_lines }));
        Done::Bytes(size)
    }
}
