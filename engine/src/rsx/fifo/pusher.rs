//! The pusher: headers, jumps, calls, runs of data words.

use triglyph_guest::rsx::fifo::{Command, PusherError};

use super::{Channel, Fetch, Method, Puller, Stop};
use crate::device::FaultKind;

/// What a word of a push buffer costs, in units of fuel.
const WORD: u64 = 1;
/// What a jump costs: a loop of jumps does no work and must end all the same.
const JUMP: u64 = 64;

/// Executes words of a channel from GET on, until there is a reason to stop.
///
/// The channel can be stopped between any two words; what is left of a packet stands in its state.
pub fn run(channel: &mut Channel, fetch: &mut Fetch, puller: &mut Puller<'_>) -> Stop {
    if channel.error.is_some() {
        return Stop::Error;
    }
    fetch.begin(puller.core, channel);
    while channel.get != channel.put {
        let Some(words) = fetch.words(puller.core, channel) else {
            return fail(channel, puller, PusherError::MemoryFault);
        };
        let count = (channel.packet.count as usize).min(words.len());
        let stop = match count {
            0 => command(channel, puller, words[0]),
            _ => data(channel, puller, &words[..count]),
        };
        if let Some(stop) = stop {
            return stop;
        }
    }
    Stop::Idle
}

/// Data words of a packet: to the puller, as many as it takes.
#[inline]
fn data(channel: &mut Channel, puller: &mut Puller<'_>, words: &[u32]) -> Option<Stop> {
    let packet = channel.packet;
    let method = Method { subchannel: packet.subchannel, method: packet.method, increasing: packet.increasing };
    let fuel = puller.core.spend(WORD * words.len() as u64);
    let (taken, stop) = puller.methods(channel, method, words);
    let taken = taken as u32;
    channel.get = channel.get.wrapping_add(4 * taken);
    channel.packet.count -= taken;
    channel.fetched += taken;
    if packet.increasing {
        channel.packet.method = (packet.method + 4 * taken) & 0x1FFC;
    }
    if fuel { stop } else { out_of_fuel(channel, puller) }
}

/// A word where a header is expected.
#[inline]
fn command(channel: &mut Channel, puller: &mut Puller<'_>, word: u32) -> Option<Stop> {
    let at = channel.get;
    puller.core.position = u64::from(at);
    let next = at.wrapping_add(4);
    match Command::decode(word) {
        Command::Methods(packet) => {
            channel.packet = packet;
            channel.fetched = 0;
            channel.get = next;
            return if puller.core.spend(WORD) { None } else { out_of_fuel(channel, puller) };
        }
        Command::Jump(target) if target == at => return Some(Stop::Parked),
        Command::Jump(target) => channel.get = target,
        Command::Call(target) => match channel.subroutine {
            Some(_) => return Some(fail(channel, puller, PusherError::CallActive)),
            None => {
                channel.subroutine = Some(next);
                channel.get = target;
            }
        },
        Command::Return => match channel.subroutine.take() {
            Some(target) => channel.get = target,
            None => return Some(fail(channel, puller, PusherError::ReturnInactive)),
        },
        Command::Invalid => return Some(fail(channel, puller, PusherError::InvalidCommand)),
    }
    if puller.core.spend(JUMP) { None } else { out_of_fuel(channel, puller) }
}

/// Stops the channel with an error.
#[cold]
fn fail(channel: &mut Channel, puller: &mut Puller<'_>, error: PusherError) -> Stop {
    channel.error = Some(error);
    let (kind, what) = match error {
        PusherError::MemoryFault => (FaultKind::UnmappedRead, "a push buffer outside of memory"),
        PusherError::CallActive => (FaultKind::BadCommand, "a call inside of a call"),
        PusherError::ReturnInactive => (FaultKind::BadCommand, "a return without a call"),
        PusherError::InvalidMethod => (FaultKind::BadMethod, "a method that the puller does not take"),
        PusherError::InvalidCommand => (FaultKind::BadCommand, "a word that is no header"),
    };
    puller.core.position = u64::from(channel.get);
    puller.core.fault(kind, u64::from(channel.get), format_args!("{what}"));
    puller.outside.pusher_error(puller.id, error);
    Stop::Error
}

#[cold]
fn out_of_fuel(channel: &Channel, puller: &mut Puller<'_>) -> Option<Stop> {
    let what = format_args!("a push buffer that does not end");
    puller.core.fault(FaultKind::OutOfFuel, u64::from(channel.get), what);
    Some(Stop::OutOfFuel)
}
