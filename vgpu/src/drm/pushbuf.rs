//! GEM_PUSHBUF: buffers are placed, relocations applied, segments submitted to the board.

use std::time::Duration;

use triglyph::GuestRange;

use super::Next;
use super::abi::{Pushbuf, PushbufBuffer, Relocation, Segment};
use super::argument::{Answer, Argument, Errno, read_array, write_array};
use crate::buffers::{Use, Uses};
use crate::chip::{Chip, Domain};
use crate::state::{State, Wait};

/// The bits of a segment's length that are one. The bit above them forbids prefetching; on the GM20B a GPFIFO entry has
/// it, too.
const LENGTH: u64 = 0x7F_FFFF;

/// Most buffers, segments and relocations of a submission, as in the kernel.
const MAX_BUFFERS: u32 = 1024;
const MAX_SEGMENTS: u32 = 512;
const MAX_RELOCATIONS: u32 = 1024;

/// Submits a push buffer. The program waits for what other processes may see: they have GPUs of their own, which know
/// of no commands of this one.
///
/// # Errors
/// Those of [`submit`].
pub fn call(state: &mut State, argument: &mut Argument) -> Answer<Next> {
    let mut seen_by_others = Vec::new();
    argument.update(|asked| {
        seen_by_others = submit(state, asked)?;
        Ok(())
    })?;
    Ok(if seen_by_others.is_empty() { Next::Nothing } else { Next::Wait(seen_by_others) })
}

/// Submits the segments of a push buffer. Returns its last command if a buffer of it is shared with other processes.
///
/// # Errors
/// `EINVAL` for indices, offsets or counts that are too large, `ENOENT` for unknown handles and channels, `ENOMEM` when
/// a buffer cannot be moved, `ENODEV` when the board is gone.
fn submit(state: &mut State, asked: &mut Pushbuf) -> Answer<Vec<Wait>> {
    asked.suffix = [0; 2];
    (asked.vram_available, asked.gart_available) = (state.chip().vram(), state.chip().gart());
    let too_many = asked.buffer_count > MAX_BUFFERS
        || asked.segment_count > MAX_SEGMENTS
        || asked.relocation_count > MAX_RELOCATIONS;
    if too_many {
        return Err(Errno(libc::EINVAL));
    }
    // Without segments the program asks only for what is set above.
    if asked.segment_count == 0 {
        return Ok(Vec::new());
    }
    let client = state.channels.get(&asked.channel).map_or(0, |channel| channel.client);
    if state.spaces.contains_key(&client) {
        // Addresses are the client's: EXEC submits there.
        return Err(Errno(libc::ENOSYS));
    }
    let board = state.board(asked.channel)?;
    let mut buffers: Vec<PushbufBuffer> = read_array(asked.buffers, asked.buffer_count);
    if place(state, &mut buffers)? {
        write_array(asked.buffers, &buffers);
        relocate(state, asked, &buffers)?;
    }
    let payloads = payloads(state, asked, &buffers)?;
    let mut written = written_by_others(state, asked.channel, &buffers)?;
    let objects = state.channels.get_mut(&asked.channel).map(|channel| std::mem::take(&mut channel.new_objects));
    for object in objects.into_iter().flatten() {
        board.object(object)?;
    }
    let (time, mut number) = (state.now(), 0);
    for payload in payloads {
        number = board.submit(payload, time, std::mem::take(&mut written))?;
    }
    state.submissions += 1;
    let last = Use { board: state.board_number(asked.channel), number };
    let mut is_shared = false;
    for buffer in &buffers {
        let known = state.buffers.get_mut(buffer.handle)?;
        known.used.note(last);
        if buffer.write_domains != 0 {
            known.written.note(last);
        }
        is_shared |= known.file.is_some();
    }
    Ok(if is_shared { vec![(board, number)] } else { Vec::new() })
}

/// Moves buffers to domains that the submission allows. Returns whether one is not where the program presumes it.
fn place(state: &mut State, buffers: &mut [PushbufBuffer]) -> Answer<bool> {
    let mut surprised = false;
    for buffer in buffers {
        let known = state.buffers.get(buffer.handle).ok_or(Errno(libc::ENOENT))?;
        let domain = known.place.domain.bit();
        let may_move = state.chip() == Chip::Nv47 && buffer.valid_domains & 6 != 0;
        if may_move && buffer.valid_domains & domain == 0 {
            state.move_buffer(buffer.handle, buffer.valid_domains)?;
        }
        let known = state.buffers.get(buffer.handle).ok_or(Errno(libc::ENOENT))?;
        let (domain, place) = (known.place.domain, known.place.offset);
        let offset = state.chip().address(domain, place);
        let presumed = (buffer.presumed_valid != 0, buffer.presumed_domain, buffer.presumed_offset);
        if presumed != (true, domain.bit(), offset) {
            surprised = true;
            (buffer.presumed_valid, buffer.presumed_domain, buffer.presumed_offset) = (0, domain.bit(), offset);
        }
    }
    Ok(surprised)
}

/// Where a submission's buffers are that the program may have written, which it may do at any time once they are
/// mapped, or another board, whose work on them is waited for.
fn written_by_others(state: &State, channel: u32, buffers: &[PushbufBuffer]) -> Answer<Vec<GuestRange>> {
    let own = state.board_number(channel);
    let mut ranges = Vec::new();
    for buffer in buffers {
        let known = state.buffers.get(buffer.handle).ok_or(Errno(libc::ENOENT))?;
        let of_others = |uses: &Uses| uses.iter().filter(|last| last.board != own).collect::<Uses>();
        let mut others = of_others(&known.written);
        if known.mapped || others.iter().next().is_some() {
            ranges.push(state.range(known.place, known.size));
        }
        if buffer.write_domains != 0 {
            others = of_others(&known.used);
        }
        for (board, number) in state.waits(&others) {
            board.wait(number, Duration::MAX);
        }
    }
    Ok(ranges)
}

/// Writes addresses into the program's words.
fn relocate(state: &mut State, asked: &Pushbuf, buffers: &[PushbufBuffer]) -> Answer {
    const LOW: u32 = 1;
    const HIGH: u32 = 2;
    const OR: u32 = 4;
    let relocations: Vec<Relocation> = read_array(asked.relocations, asked.relocation_count);
    for relocation in relocations {
        let find = |index: u32| {
            let buffer = buffers.get(index as usize).ok_or(Errno(libc::EINVAL))?;
            state.buffers.get(buffer.handle).ok_or(Errno(libc::ENOENT))
        };
        let (target, changed) = (find(relocation.buffer)?, find(relocation.in_buffer)?);
        if u64::from(relocation.in_offset) + 4 > changed.size {
            return Err(Errno(libc::EINVAL));
        }
        let address = state.chip().address(target.place.domain, target.place.offset) + u64::from(relocation.data);
        let word = match relocation.flags {
            flags if flags & LOW != 0 => address as u32,
            flags if flags & HIGH != 0 => (address >> 32) as u32,
            _ => relocation.data,
        };
        let tag = match target.place.domain {
            _ if relocation.flags & OR == 0 => 0,
            Domain::Vram => relocation.vram_or,
            Domain::Gart => relocation.gart_or,
        };
        // The GPU may still read the words of an earlier submission.
        for (board, number) in state.waits(&changed.used) {
            board.wait(number, Duration::MAX);
        }
        let offset = changed.home.offset + u64::from(relocation.in_offset);
        state.memory.write_word(offset, word | tag);
        state.buffers.note_mapping(offset);
    }
    Ok(())
}

/// The payloads of SUBMIT records for the segments: one on the GM20B, one for each run of segments in the same space on
/// the NV47.
fn payloads(state: &mut State, asked: &Pushbuf, buffers: &[PushbufBuffer]) -> Answer<Vec<Vec<u8>>> {
    let segments: Vec<Segment> = read_array(asked.segments, asked.segment_count);
    let mut payloads: Vec<(u32, Vec<u8>)> = Vec::new();
    for segment in segments {
        let buffer = buffers.get(segment.buffer as usize).ok_or(Errno(libc::EINVAL))?;
        let known = state.buffers.get(buffer.handle).ok_or(Errno(libc::ENOENT))?;
        let length = segment.length & LENGTH;
        if segment.offset.checked_add(length).is_none_or(|end| end > known.size) {
            return Err(Errno(libc::EINVAL));
        }
        let range = state.range(known.place, known.size);
        let (space, address) = (range.start.space, range.start.address + segment.offset);
        state.words += length / 4;
        if payloads.last().is_none_or(|(last, _)| *last != space) {
            // Channels of the NV47 have boards of their own.
            let channel = if state.chip() == Chip::Nv47 { 1 } else { asked.channel };
            payloads.push((space, bytemuck::cast::<[u32; 2], [u8; 8]>([channel, space]).to_vec()));
        }
        let Some((_, payload)) = payloads.last_mut() else { continue };
        match state.chip() {
            Chip::Nv47 => payload.extend([address, length].map(u64::to_le_bytes).as_flattened()),
            Chip::Gm20b => payload.extend((address | segment.length << 40).to_le_bytes()),
        }
    }
    Ok(payloads.into_iter().map(|(_, payload)| payload).collect())
}
