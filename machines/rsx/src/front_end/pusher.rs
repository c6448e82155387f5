//! The pusher: from GET to PUT, packets that are only stored, others by their headers, runs of data words.

use triglyph_guest::rsx::fifo::PusherError;
use triglyph_guest::rsx::lv1::event::graphics_error;

use super::dma::space;
use super::fetch::Unfetched;
use super::header::{fail, header, out_of_fuel, spend_words, stop, took};
use super::packet_trace::Source;
use super::{Channel, Fetch, Method, Puller, Stop};
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::packet_trace::advance;
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
        let stop = match (fetch.words(puller.core, channel), channel.packet.count) {
            (Ok(words), 0) => command(channel, puller, words),
            (Ok(words), _) => data(channel, puller, words),
            (Err(Unfetched::NotMapped(place)), count) => not_mapped(channel, puller, place, count),
            (Err(Unfetched::Unrecorded), _) => Some(Stop::SliceOver),
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

/// Words from where a header is expected on: packets that are only stored, or recur, then a word that is the header of
/// something else.
fn command(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    let valid = words.len().min((channel.put.wrapping_sub(channel.get) / 4) as usize);
    let done = advance(&mut Source { channel, puller }, &words[..valid]);
    match &words[done..] {
        _ if channel.get == channel.put => None,
        &[word, ref rest @ ..] => header(channel, puller, word, rest),
        [] => None,
    }
}
