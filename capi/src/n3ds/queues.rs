//! The client's side of the shared page: command queue, relay queue, framebuffer information. On the console the guest
//! does this itself; these calls are for hosts that emulate the client, too.

use super::gsp::TRIGLYPH_N3DS_CLIENTS;
use super::gsp_values::triglyph_n3ds_framebuffer;
use super::{screen, triglyph_n3ds};
use crate::error::{Failure, triglyph_status};
use crate::handle::with_machine;
use crate::pointer::{Out, array, put, put_found, required, store};

/// The first word of a command queue.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_queue {
    /// Slot of the next command.
    pub current: u8,
    /// Commands that wait.
    pub count: u8,
    /// 1: processing is halted; 0x80: a command has failed.
    pub status: u8,
    /// 1: the client wants processing to halt.
    pub control: u8,
    /// The result code of the last command that failed.
    pub result: u32,
}

fn client(index: u32) -> Result<usize, Failure> {
    match index < TRIGLYPH_N3DS_CLIENTS {
        true => Ok(index as usize),
        false => Err(Failure::invalid(format!("client {index}"))),
    }
}

/// The word at a byte offset of the shared page, a multiple of 4 below 4096.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_shared_page_load(
    n3ds: Option<&triglyph_n3ds>,
    offset: u32,
    word: Out<'_, u32>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| store(word, n3ds.gsp().page().load(page_offset(offset)?), "word"))
}

/// Stores a word at a byte offset of the shared page, a multiple of 4 below 4096.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_shared_page_store(
    n3ds: Option<&triglyph_n3ds>,
    offset: u32,
    word: u32,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        n3ds.gsp().page().store(page_offset(offset)?, word);
        Ok(())
    })
}

fn page_offset(offset: u32) -> Result<usize, Failure> {
    match offset < 4096 && offset.is_multiple_of(4) {
        true => Ok(offset as usize),
        false => Err(Failure::invalid(format!("offset {offset:#x} of the shared page"))),
    }
}

/// Puts a GX command of eight words at the end of a client's queue. `trigger` says whether the queue was empty, so that
/// GSP is to be triggered; `full` that there was no room and nothing was put.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_queue_submit(
    n3ds: Option<&triglyph_n3ds>,
    client: u32,
    words: *const u32,
    trigger: Out<'_, bool>,
    full: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        // SAFETY: the header asks callers for eight words.
        let words = unsafe { array(words, "words") }?;
        let submitted = n3ds.gsp().command_queue(self::client(client)?).submit(&words);
        put(full, submitted.is_err());
        put(trigger, submitted.unwrap_or(false));
        Ok(())
    })
}

/// The state of a client's command queue.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_queue_state(
    n3ds: Option<&triglyph_n3ds>,
    client: u32,
    queue: Out<'_, triglyph_n3ds_queue>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let found = n3ds.gsp().command_queue(self::client(client)?);
        let (header, result) = (found.header(), found.result().0);
        let (current, count, status, control) = (header.current, header.count, header.status, header.control);
        put(queue, triglyph_n3ds_queue { current, count, status, control, result });
        Ok(())
    })
}

/// Asks GSP to halt before the next command of a client's queue, or takes a halt back.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_queue_halt(n3ds: Option<&triglyph_n3ds>, client: u32, halt: bool) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let queue = n3ds.gsp().command_queue(self::client(client)?);
        match halt {
            true => queue.request_halt(),
            false => queue.resume(),
        }
        Ok(())
    })
}

/// Takes the oldest interrupt out of a client's relay queue; `found` says whether there was one.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_relay_pop(
    n3ds: Option<&triglyph_n3ds>,
    client: u32,
    interrupt: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let popped = n3ds.gsp().relay_queue(self::client(client)?).pop();
        put_found(popped.map(Into::into), interrupt, found);
        Ok(())
    })
}

/// Says whether a client wants VBlanks in its relay queue.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_relay_skip_vblanks(
    n3ds: Option<&triglyph_n3ds>,
    client: u32,
    skip: bool,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        n3ds.gsp().relay_queue(self::client(client)?).skip_vblanks(skip);
        Ok(())
    })
}

/// Puts what a screen is to show into a client's framebuffer information; GSP takes it at the next VBlank or PPF.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_present(
    n3ds: Option<&triglyph_n3ds>,
    client: u32,
    screen: u32,
    framebuffer: Option<&triglyph_n3ds_framebuffer>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let info = (*required(framebuffer, "framebuffer")?).into();
        n3ds.gsp().framebuffer_slot(self::client(client)?, self::screen(screen)?).present(&info);
        Ok(())
    })
}
