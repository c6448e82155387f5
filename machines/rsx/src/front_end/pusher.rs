//! The pusher: headers, jumps, calls, runs of data words.

use triglyph_guest::rsx::fifo::{Command, Methods, PusherError};
use triglyph_guest::rsx::lv1::event::graphics_error;
use triglyph_guest::rsx::ramfc::dma_subroutine::Subroutine;
use triglyph_guest::rsx::ramht::engine;

use super::dma::space;
use super::fetch::Unfetched;
use super::{Channel, Fetch, Method, Puller, Stop, packet_trace};
use crate::core::WORD;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::mem::GuestAddr;

/// What a jump takes.
const JUMP: u64 = 64;

/// Executes words of a channel from GET on, until there is a reason to stop.
///
/// The channel can be stopped between any two words; what is left of a packet is part of its state.
pub fn run(channel: &mut Channel, fetch: &mut Fetch, puller: &mut Puller<'_>) -> Stop {
    if channel.error.is_some() {
        return Stop::Error;
    }
    fetch.begin(puller.core, channel);
    while channel.get != channel.put {
        let fresh = fetch.take_fresh();
        let words = fetch.words(puller.core, channel);
        if fresh {
            puller.graph.packet_traces.begin_here();
        }
        let stop = match (words, channel.packet.count) {
            (Ok(words), 0) => command(channel, puller, words),
            (Ok(words), _) => data(channel, puller, words),
            (Err(Unfetched::NotMapped(place)), count) => not_mapped(channel, puller, place, count),
            (Err(Unfetched::NoObject), _) => Some(fail(channel, puller, PusherError::MemoryFault)),
        };
        if let Some(stop) = stop {
            return stop;
        }
        if puller.core.budget.is_over() {
            return Stop::SliceOver;
        }
    }
    Stop::Idle
}

/// Data words of a packet: to the puller, as many as there are and as it takes.
#[inline]
fn data(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    let packet = channel.packet;
    let words = &words[..words.len().min(packet.count as usize).min(puller.core.budget.words_left())];
    let (taken, stop) = puller.methods(channel, Method::of(packet), words);
    let fuel = spend_words(puller, taken);
    took(channel, packet, taken as u32);
    if fuel { stop } else { out_of_fuel(channel, puller) }
}

/// A word in memory that is not mapped: it reads as FFFFFFFF, which may be data, and is no header (a console's dumps:
/// elad335/myps3tests iomap overwrite, driver flip, unknown cull face).
#[cold]
fn not_mapped(channel: &mut Channel, puller: &mut Puller<'_>, place: GuestAddr, count: u32) -> Option<Stop> {
    puller.core.position = u64::from(channel.get);
    puller.core.fault_at(FaultKind::UnmappedRead, place, format_args!("the push buffer is not in mapped memory"));
    match count {
        0 => {
            let number = if place.space == space::MAIN { graphics_error::UNMAPPED_IO } else { graphics_error::PUSHER };
            Some(stop(channel, puller, PusherError::InvalidCommand, number))
        }
        _ => data(channel, puller, &[u32::MAX]),
    }
}

/// Takes fuel for words of a push buffer that were executed, and lets their time pass.
#[inline(always)]
pub(super) fn spend_words(puller: &mut Puller<'_>, words: usize) -> bool {
    puller.core.words_before = 0;
    puller.core.budget.spend_words(words as u64, WORD * words as u64)
}

/// Moves past data words of a packet.
#[inline(always)]
fn took(channel: &mut Channel, packet: Methods, count: u32) {
    channel.get = channel.get.wrapping_add(4 * count);
    channel.packet = packet.after(count);
    channel.fetched += count;
}

/// Words from where a header is expected on: packets that are only stored, then a word that is the header of something
/// else.
fn command(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    if puller.core.renderer.packet_traces != 0 {
        return with_packet_traces(channel, puller, words);
    }
    let stored = plain(channel, puller, words);
    match &words[stored..] {
        [_, ..] if channel.get == channel.put => None,
        &[word, ref rest @ ..] => header(channel, puller, word, rest),
        [] => None,
    }
}

/// As [`command`], with code for packets that recur.
fn with_packet_traces(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    let mut at = 0;
    if puller.graph.packet_traces.is_due() {
        let get = channel.get;
        if let Some(stop) = packet_trace::run(channel, puller, words) {
            return Some(stop);
        }
        at = (channel.get.wrapping_sub(get) / 4) as usize;
    }
    let room = puller.graph.packet_traces.room();
    let stored = plain(channel, puller, &words[at..words.len().min(at + room)]);
    puller.graph.packet_traces.passed(stored);
    at += stored;
    let &[word, ref rest @ ..] = &words[at..] else { return None };
    let packet = Methods::decode(word);
    let count = packet.map_or(0, |packet| packet.count as usize);
    if channel.get == channel.put || puller.graph.packet_traces.crosses(1 + count) {
        return None;
    }
    let stop = header(channel, puller, word, rest);
    puller.graph.packet_traces.passed(1 + count);
    if packet.is_none_or(|packet| packet_trace::ends_draw(packet, rest) || !packet_trace::may_be_traced(puller, packet))
    {
        puller.graph.packet_traces.begin_here();
    }
    stop
}

/// Packets that are only stored, as many as there are and as fuel and PUT allow. Returns how many words they have.
#[inline]
fn plain(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> usize {
    let affordable = usize::try_from(puller.core.budget.affordable_words(WORD)).unwrap_or(usize::MAX);
    let valid = (channel.put.wrapping_sub(channel.get) / 4) as usize;
    let (stored, last) = puller.plain(&words[..words.len().min(affordable).min(valid)]);
    if stored != 0 {
        // There was enough.
        let _ = spend_words(puller, stored);
        channel.get = channel.get.wrapping_add(4 * stored as u32);
        puller.core.position = u64::from(channel.get.wrapping_sub(4 * (last.count + 1)));
        channel.packet = last.after(last.count);
        channel.fetched = last.count;
        channel.engine = engine::GRAPH as u8;
    }
    stored
}

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
    puller.graph.packet_traces.begin_here();
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
fn fail(channel: &mut Channel, puller: &mut Puller<'_>, error: PusherError) -> Stop {
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
fn stop(channel: &mut Channel, puller: &mut Puller<'_>, error: PusherError, number: u32) -> Stop {
    channel.error = Some(error);
    puller.host_events.pusher_error(puller.core, puller.id, number);
    Stop::Error
}

#[cold]
fn out_of_fuel(channel: &Channel, puller: &mut Puller<'_>) -> Option<Stop> {
    let what = format_args!("the push buffer does not end within the budget");
    puller.core.fault(FaultKind::OutOfFuel, u64::from(channel.get), what);
    Some(Stop::OutOfFuel)
}
