//! The pusher: from GET to PUT, packets that are only stored, others by their headers, runs of data words.

use triglyph_guest::rsx::fifo::{Methods, PusherError};
use triglyph_guest::rsx::lv1::event::graphics_error;
use triglyph_guest::rsx::ramht::engine;

use super::dma::space;
use super::fetch::Unfetched;
use super::header::{fail, header, out_of_fuel, spend_words, stop, took};
use super::{Channel, Fetch, Method, Puller, Stop, packet_trace};
use crate::core::WORD;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

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
