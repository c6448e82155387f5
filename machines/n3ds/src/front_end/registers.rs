//! The registers of the PICA200 and what writes to them do.

use triglyph_guest::pica::regs::{self, Effect, Trigger};

use triglyph_engine::frontend::{DirtyOnChange, RegisterFile, TRIGGER, WriteEffects};

/// All registers, by their numbers.
pub(crate) type Registers = RegisterFile<{ regs::COUNT }, DirtyOnChange>;

/// What a write to each register does.
pub(crate) static WRITES: WriteEffects<{ regs::COUNT }> = WriteEffects::new(entries());

/// Whether a write to each register changes no memory, and starts and ends nothing.
pub(crate) static UPLOADS: [bool; regs::COUNT] = uploads();

/// The registers at power on.
pub(crate) fn at_reset() -> Registers {
    Registers::new(&WRITES, &regs::RESET)
}

/// A colour register, bits 0:7 R to 24:31 A, as `0xRRGGBBAA`.
pub(crate) fn rgba(word: u32) -> u32 {
    word.swap_bytes()
}

const fn entries() -> [u32; regs::COUNT] {
    let mut entries = [0; regs::COUNT];
    let mut i = 0;
    while i < regs::COUNT {
        let effect = regs::EFFECTS[i];
        entries[i] = effect.groups() | if effect.is_trigger() { TRIGGER } else { 0 };
        i += 1;
    }
    entries
}

const fn uploads() -> [bool; regs::COUNT] {
    use Trigger::*;
    let mut uploads = [true; regs::COUNT];
    let mut i = 0;
    while i < regs::COUNT {
        if let Effect::Trigger(
            Interrupt | Jump0 | Jump1 | DrawArrays | DrawElements | FixedAttributeIndex | FixedAttributeData | GasStart,
        ) = regs::EFFECTS[i]
        {
            uploads[i] = false;
        }
        i += 1;
    }
    uploads
}
