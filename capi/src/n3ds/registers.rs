//! External registers as GSP's clients and the processor reach them.

use triglyph::n3ds::gsp::{Gsp, Hardware, ResultCode, Session};

use super::{session, triglyph_n3ds, triglyph_n3ds_executed, with_gsp};
use crate::error::{Failure, triglyph_status};
use crate::pointer::{Out, put, required, slice, slice_mut};

/// Reads a register, by its offset in bytes from physical address 0x10000000: the GPU's begin at 0x400000, those that
/// cover the screens are 0x202204 and 0x202A04.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_read_register(
    n3ds: Option<&triglyph_n3ds>,
    offset: u32,
    value: Out<'_, u32>,
) -> triglyph_status {
    with_gsp(n3ds, |_, hardware| {
        required(value, "value")?.write(hardware.read_register(offset));
        Ok(())
    })
}

/// Writes a register with all effects, by its offset as in `triglyph_n3ds_read_register`. What finishes because of it
/// is in `executed`, which may be null; no interrupt is queued. Its result is always 0.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_write_register(
    n3ds: Option<&triglyph_n3ds>,
    offset: u32,
    value: u32,
    executed: Out<'_, triglyph_n3ds_executed>,
) -> triglyph_status {
    with_gsp(n3ds, |_, hardware| {
        let event = hardware.write_register(offset, value);
        put(executed, triglyph::n3ds::Executed { result: ResultCode::SUCCESS, event }.into());
        Ok(())
    })
}

/// WriteHWRegs: `count` consecutive registers, from an offset as in `triglyph_n3ds_read_register`. `result` is the
/// result code; what finishes is queued for delivery.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_write_registers(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    offset: u32,
    words: *const u32,
    count: usize,
    result: Out<'_, u32>,
) -> triglyph_status {
    // SAFETY: the header asks callers for that many words.
    let words = unsafe { slice(words, count, "words") };
    register_call(n3ds, session, result, |gsp, hardware, session| {
        Ok(gsp.write_registers(hardware, session, offset, words?))
    })
}

/// WriteHWRegsWithMask: as before, but only the bits that are set in `masks`, which has `count` words, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_write_registers_with_mask(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    offset: u32,
    words: *const u32,
    masks: *const u32,
    count: usize,
    result: Out<'_, u32>,
) -> triglyph_status {
    // SAFETY: the header asks callers for that many words.
    let (words, masks) = unsafe { (slice(words, count, "words"), slice(masks, count, "masks")) };
    register_call(n3ds, session, result, |gsp, hardware, session| {
        Ok(gsp.write_registers_with_mask(hardware, session, offset, words?, masks?))
    })
}

/// WriteHWRegRepeat: all words into one register.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_write_register_repeat(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    offset: u32,
    words: *const u32,
    count: usize,
    result: Out<'_, u32>,
) -> triglyph_status {
    // SAFETY: the header asks callers for that many words.
    let words = unsafe { slice(words, count, "words") };
    register_call(n3ds, session, result, |gsp, hardware, session| {
        Ok(gsp.write_register_repeat(hardware, session, offset, words?))
    })
}

/// ReadHWRegs: `count` consecutive registers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_read_registers(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    offset: u32,
    words: *mut u32,
    count: usize,
    result: Out<'_, u32>,
) -> triglyph_status {
    // SAFETY: the header asks callers for room for that many words.
    let words = unsafe { slice_mut(words, count, "words") };
    register_call(n3ds, session, result, |gsp, hardware, session| {
        Ok(gsp.read_registers(hardware, session, offset, words?))
    })
}

/// A call of GSP's that answers a session with its result code.
fn register_call(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    result: Out<'_, u32>,
    call: impl FnOnce(&mut Gsp, &mut dyn Hardware, Session) -> Result<Result<(), ResultCode>, Failure>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        let done = call(gsp, hardware, self::session(session))?;
        put(result, done.err().unwrap_or(ResultCode::SUCCESS).0);
        Ok(())
    })
}
