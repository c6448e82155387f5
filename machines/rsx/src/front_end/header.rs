//! A word where a header is expected: methods, jumps, calls, errors.

use triglyph_guest::rsx::fifo::{Command, Methods, PusherError};
use triglyph_guest::rsx::lv1::event::graphics_error;
use triglyph_guest::rsx::ramfc::dma_subroutine::Subroutine;

use super::{Channel, Method, Puller, Stop};
use crate::core::WORD;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;

/// What a jump takes.
const JUMP: u64 = 64;

/// A word where a header is expected, with the data words after it as far as they are there.
pub(super) fn header(channel: &mut Channel, puller: &mut Puller<'_>, word: u32, rest: &[u32]) -> Option<Stop> {
    puller.core.position = u64::from(channel.get);
    let Some(packet) = Methods::decode(word) else { return branch(channel, puller, word) };
    channel.get = channel.get.wrapping_add(4);
    channel.fetched = 0;
    let words = &rest[..rest.len().min(packet.count as usize).min(puller.core.budget.words_left() - 1)];
    let to = Method::of(packet);
    if words.is_empty() || !puller.is_whole(to, words.len()) {
        channel.packet = packet;
        return if spend_words(puller, 1) { None } else { out_of_fuel(channel, puller) };
    }
    puller.core.words_before = 1;
    let taken = puller.whole(channel, to, words);
    let fuel = spend_words(puller, taken + 1);
    took(channel, packet, taken as u32);
    let stop = (taken < words.len()).then_some(Stop::SliceOver);
    if fuel { stop } else { out_of_fuel(channel, puller) }
}

/// A word that leads elsewhere, or is an error.
fn branch(channel: &mut Channel, puller: &mut Puller<'_>, word: u32) -> Option<Stop> {
    let at = channel.get;
    let next = at.wrapping_add(4);
    match Command::decode(word) {
        Command::Methods(packet) => {
            channel.packet = packet;
            channel.get = next;
        }
        Command::Jump(target) if target == at => return Some(Stop::Parked),
        Command::Jump(target) => channel.get = target,
        // GET is after a call or a return that is an error, and at a word that is illegal (a console's dumps:
        // elad335/myps3tests call stack limit, RET command opcode, unaligned commands).
        Command::Call(_) if channel.subroutine.active => {
            let stop = fail(channel, puller, PusherError::CallActive);
            channel.get = next;
            return Some(stop);
        }
        Command::Call(target) => {
            channel.subroutine = Subroutine { target: next, active: true };
            channel.get = target;
        }
        Command::Return if !channel.subroutine.active => {
            let stop = fail(channel, puller, PusherError::ReturnInactive);
            channel.get = next;
            return Some(stop);
        }
        Command::Return => {
            channel.subroutine.active = false;
            channel.get = channel.subroutine.target;
        }
        Command::Invalid => return Some(fail(channel, puller, PusherError::InvalidCommand)),
    }
    puller.core.budget.charge(cost::JUMP);
    if puller.core.budget.spend_words(1, JUMP) { None } else { out_of_fuel(channel, puller) }
}

/// Stops the channel with an error, which is a fault.
#[cold]
pub(super) fn fail(channel: &mut Channel, puller: &mut Puller<'_>, error: PusherError) -> Stop {
    let (kind, what) = match error {
        PusherError::MemoryFault => (FaultKind::UnmappedRead, "the push buffer is not in mapped memory"),
        PusherError::CallActive => (FaultKind::BadCommand, "a call while another call is active"),
        PusherError::ReturnInactive => (FaultKind::BadCommand, "a return while no call is active"),
        PusherError::InvalidMethod => (FaultKind::BadMethod, "the puller does not take this method"),
        PusherError::InvalidCommand => (FaultKind::BadCommand, "the word is no method header"),
    };
    puller.core.position = u64::from(channel.get);
    puller.core.fault(kind, u64::from(channel.get), format_args!("{what}"));
    stop(channel, puller, error, graphics_error::PUSHER)
}

/// Stops the channel with an error that programs know by `number`.
pub(super) fn stop(channel: &mut Channel, puller: &mut Puller<'_>, error: PusherError, number: u32) -> Stop {
    channel.error = Some(error);
    puller.host_events.pusher_error(puller.core, puller.id, number);
    Stop::Error
}

#[cold]
pub(super) fn out_of_fuel(channel: &Channel, puller: &mut Puller<'_>) -> Option<Stop> {
    let what = format_args!("the push buffer does not end within the budget");
    puller.core.fault(FaultKind::OutOfFuel, u64::from(channel.get), what);
    Some(Stop::OutOfFuel)
}

/// Takes fuel for words of a push buffer that were executed, and lets their time pass.
#[inline(always)]
pub(super) fn spend_words(puller: &mut Puller<'_>, words: usize) -> bool {
    puller.core.words_before = 0;
    puller.core.budget.spend_words(words as u64, WORD * words as u64)
}

/// Moves past data words of a packet.
#[inline(always)]
pub(super) fn took(channel: &mut Channel, packet: Methods, count: u32) {
    channel.get = channel.get.wrapping_add(4 * count);
    channel.packet = packet.after(count);
    channel.fetched += count;
}
