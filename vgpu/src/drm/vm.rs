//! VM_INIT, VM_BIND and EXEC: address spaces that a driver manages itself, and submissions by addresses. NVK, Mesa's
//! driver of Vulkan, has no other way. The GM20B alone: the NV47 has no such addresses.

use triglyph::GuestRange;

use super::Next;
use super::abi::{BindOperation, Exec, ExecPush, Sync, VmBind, VmInit};
use super::argument::{Answer, Argument, Errno, read_array};
use crate::buffers::Use;
use crate::chip::Chip;
use crate::memory::PAGE;
use crate::spaces::{self, Binding, Space};
use crate::state::State;
use crate::syncobjs::{Fence, Progress};

/// Most pieces of a submission, as in the kernel: half of what its ring has room for.
pub const MAX_PUSHES: u32 = 510;

/// Most operations, waits and signals of a call. The kernel has no limit but memory; NVK stays far below.
const MAX_OPERATIONS: u32 = 1 << 16;

/// Bytes of a piece, at most: the bits of a length in the kernel's ring.
const MAX_LENGTH: u32 = 0x7F_FFFF;

/// Gives the client of a descriptor an address space of its own.
///
/// # Errors
/// `ENOSYS` for a chip without them and for a client that has begun otherwise, `EBUSY` for one that has a space,
/// `EINVAL` for addresses that are none.
pub fn init(state: &mut State, client: u32, asked: VmInit) -> Answer {
    let end = asked.kept_address.checked_add(asked.kept_size).filter(|&end| end <= spaces::END);
    let end = end.ok_or(Errno(libc::EINVAL))?;
    let has_channel = state.channels.values().any(|channel| channel.client == client);
    if state.chip() != Chip::Gm20b || client == 0 || has_channel {
        return Err(Errno(libc::ENOSYS));
    }
    if state.spaces.contains_key(&client) {
        return Err(Errno(libc::EBUSY));
    }
    state.spaces.insert(client, Space::new((asked.kept_address, end)));
    Ok(())
}

/// VM_BIND. Operations are done in the order of submissions; those that need not be waited for are no different here.
///
/// # Errors
/// `ENOSYS` without an address space, `EINVAL` for ranges and flags that are none, `ENOENT` for unknown handles.
pub fn bind(state: &mut State, client: u32, argument: &mut Argument) -> Answer {
    const ASYNC: u32 = 1;
    let asked: VmBind = argument.read();
    if !state.spaces.contains_key(&client) {
        return Err(Errno(libc::ENOSYS));
    }
    let is_async = asked.flags & ASYNC != 0;
    let has_syncs = asked.wait_count > 0 || asked.signal_count > 0;
    if asked.flags & !ASYNC != 0 || !is_async && has_syncs || asked.operation_count > MAX_OPERATIONS {
        return Err(Errno(libc::EINVAL));
    }
    let operations: Vec<BindOperation> = read_array(asked.operations, asked.operation_count);
    let operations: Vec<Bound> =
        operations.iter().map(|operation| checked(state, client, operation)).collect::<Answer<_>>()?;
    let signals = signals(state, asked.signals, asked.signal_count)?;
    wait(state, client, asked.waits, asked.wait_count)?;
    operations
        .into_iter()
        .try_for_each(|bound| state.change_space(client, |space, buffers| bound.apply(space, buffers)))?;
    signal(state, client, &signals)
}

/// What an operation of VM_BIND does with a range.
#[derive(Clone, Copy)]
enum Bound {
    Map(u64, Binding),
    Unmap(u64, u64),
    Sparse(u64, u64),
    NotSparse(u64, u64),
}

impl Bound {
    fn apply(self, space: &mut Space, buffers: &mut crate::buffers::Buffers) -> Answer<spaces::Changed> {
        match self {
            Bound::Map(address, binding) => space.bind(address, binding, buffers),
            Bound::Unmap(address, size) => space.unbind(address, size, buffers),
            Bound::Sparse(address, size) => Ok((space.make_sparse(address, size), Vec::new())),
            Bound::NotSparse(address, size) => space.unbind_sparse(address, size, buffers),
        }
    }
}

fn checked(state: &State, client: u32, asked: &BindOperation) -> Answer<Bound> {
    const MAP: u32 = 0;
    const UNMAP: u32 = 1;
    const SPARSE: u32 = 1 << 8;
    let &BindOperation { operation, flags, handle, address, offset, size, .. } = asked;
    let space = state.spaces.get(&client).ok_or(Errno(libc::ENOSYS))?;
    let is_aligned = [address, offset, size].iter().all(|number| number.is_multiple_of(PAGE));
    if !is_aligned || !space.is_free_for(address, size) {
        return Err(Errno(libc::EINVAL));
    }
    match (operation, flags & SPARSE != 0) {
        (MAP, true) => Ok(Bound::Sparse(address, size)),
        (UNMAP, true) => Ok(Bound::NotSparse(address, size)),
        (UNMAP, false) => Ok(Bound::Unmap(address, size)),
        (MAP, false) => {
            let buffer = state.buffers.get(handle).ok_or(Errno(libc::ENOENT))?;
            let fits = offset.checked_add(size).is_some_and(|end| end <= buffer.size);
            let bound = Bound::Map(address, Binding { buffer: handle, offset, size });
            if fits { Ok(bound) } else { Err(Errno(libc::EINVAL)) }
        }
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// EXEC. As GEM_PUSHBUF, the program waits for what other processes may see.
///
/// # Errors
/// `ENOSYS` without an address space, `ENOENT` for unknown handles and channels, `EINVAL` for pieces that are too many
/// or too long and for waits for points that were never submitted, `ENODEV` when the board is gone.
pub fn exec(state: &mut State, client: u32, argument: &mut Argument) -> Answer<Next> {
    const NO_PREFETCH: u32 = 1;
    let asked: Exec = argument.read();
    if !state.spaces.contains_key(&client) {
        return Err(Errno(libc::ENOSYS));
    }
    state.channels.get(&asked.channel).filter(|channel| channel.client == client).ok_or(Errno(libc::ENOENT))?;
    if asked.push_count > MAX_PUSHES {
        return Err(Errno(libc::EINVAL));
    }
    let pushes: Vec<ExecPush> = read_array(asked.pushes, asked.push_count);
    if pushes.iter().any(|push| push.length > MAX_LENGTH || push.address >= spaces::END) {
        return Err(Errno(libc::EINVAL));
    }
    let signals = signals(state, asked.signals, asked.signal_count)?;
    wait(state, client, asked.waits, asked.wait_count)?;
    let mut next = Next::Nothing;
    if !pushes.is_empty() {
        let board = state.board(asked.channel)?;
        let mut payload = bytemuck::cast::<[u32; 2], [u8; 8]>([asked.channel, 0]).to_vec();
        for push in &pushes {
            // Bit 23 of a length forbids prefetching, as in GEM_PUSHBUF.
            let length = u64::from(push.length) | u64::from(push.flags & NO_PREFETCH) << 23;
            payload.extend((push.address | length << 40).to_le_bytes());
            state.words += u64::from(push.length) / 4;
        }
        let (written, is_shared) = written_by_others(state, client);
        let number = board.submit(payload, state.now(), written)?;
        state.submissions += 1;
        state.note_command(client, number);
        if is_shared {
            next = Next::Wait(vec![(board, number)]);
        }
    }
    signal(state, client, &signals)?;
    Ok(next)
}

/// Where the program may have written, and whether other processes have some of it: any buffer that was ever mapped,
/// as a submission does not name those that it uses.
fn written_by_others(state: &State, client: u32) -> (Vec<GuestRange>, bool) {
    let (mut written, mut is_shared) = (Vec::new(), false);
    for (address, binding) in state.spaces.get(&client).into_iter().flat_map(Space::bindings) {
        let Some(buffer) = state.buffers.get(binding.buffer).filter(|buffer| buffer.mapped) else { continue };
        is_shared |= buffer.file.is_some();
        written.push(GuestRange::new(0, address, binding.size));
    }
    (written, is_shared)
}

fn syncs(first: u64, count: u32) -> Answer<Vec<Sync>> {
    const TIMELINE: u32 = 1;
    const KIND: u32 = 0xF;
    if count > MAX_OPERATIONS {
        return Err(Errno(libc::EINVAL));
    }
    let mut syncs: Vec<Sync> = read_array(first, count);
    for sync in &mut syncs {
        match sync.flags & KIND {
            0 => sync.point = 0,
            TIMELINE => {}
            _ => return Err(Errno(libc::EOPNOTSUPP)),
        }
    }
    Ok(syncs)
}

/// Waits for what other boards do; this client's own does everything in order.
fn wait(state: &State, client: u32, first: u64, count: u32) -> Answer {
    for sync in syncs(first, count)? {
        let point = (sync.point > 0).then_some(sync.point);
        match state.progress(sync.handle, point)? {
            Progress::Unset => return Err(Errno(libc::EINVAL)),
            Progress::Pending(_) => {
                let mut fence = state.fence(sync.handle, point)?;
                fence.commands = fence.commands.iter().filter(|command| command.board != client).collect();
                state.wait_for_fence(&fence);
            }
            Progress::Done => {}
        }
    }
    Ok(())
}

/// What is to be set, all of which is there.
fn signals(state: &State, first: u64, count: u32) -> Answer<Vec<Sync>> {
    let syncs = syncs(first, count)?;
    syncs.iter().try_for_each(|sync| state.progress(sync.handle, None).map(|_| ()))?;
    Ok(syncs)
}

/// Sets fences: they are reached when everything that this client has submitted is done.
fn signal(state: &mut State, client: u32, syncs: &[Sync]) -> Answer {
    let last = state.spaces.get(&client).map(|space| space.last).filter(|&number| number > 0);
    let commands = last.map(|number| Use { board: client, number }).into_iter().collect();
    let fence = Fence { commands, ..Fence::default() };
    syncs.iter().try_for_each(|sync| state.set_fence(sync.handle, sync.point, fence.clone()))
}
