//! Records calls to the hardware: those of GSP and of the host, unless a command makes them.

use super::external::CommandProcessor;
use triglyph_engine::device::RecordedCall;
use triglyph_guest::gsp::calls::call as row;
use triglyph_guest::table::calls::{self, CallInfo};

fn encode(call: &CallInfo, arguments: &[u64]) -> Vec<u8> {
    calls::encode(call.number.unwrap_or_default(), arguments)
}

/// Records a call that is made now, unless a command makes it.
pub(crate) fn call<C: CommandProcessor + ?Sized>(core: &mut C, what: &CallInfo, arguments: &[u32]) {
    if let Some((log, memory)) = core.calls()
        && log.is_recording()
    {
        let arguments: Vec<u64> = arguments.iter().copied().map(u64::from).collect();
        let call = encode(what, &arguments);
        log.begin(memory, false);
        log.end(memory, false, Some(RecordedCall::Call(&call)));
    }
}

/// A GX command begins, or several of them.
pub(crate) fn begin<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.begin(memory, false);
    }
}

/// It has ended. Others may be deferred meanwhile.
pub(crate) fn command<C: CommandProcessor + ?Sized>(core: &mut C, words: &[u32; 8], is_deferred: bool) {
    if let Some((log, memory)) = core.calls() {
        match is_deferred {
            true => log.end(
                memory,
                false,
                Some(RecordedCall::Call(&encode(const { row("execute") }, &words.map(u64::from)))),
            ),
            false => log.end(memory, false, Some(RecordedCall::Submit(words.map(u32::to_le_bytes).as_flattened()))),
        }
    }
}

/// It is left to the host, who does it outside of the device's calls.
pub(crate) fn left<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.end(memory, false, None);
    }
}

/// All commands that waited have ended.
pub(crate) fn finished<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.end(memory, false, Some(RecordedCall::Call(&encode(const { row("finish") }, &[]))));
    }
}

/// A command was found in a queue.
pub(crate) fn queued<C: CommandProcessor + ?Sized>(core: &mut C, words: &[u32; 8]) {
    if let Some((log, _)) = core.calls() {
        log.note(RecordedCall::Call(&encode(const { row("queued") }, &words.map(u64::from))));
    }
}
