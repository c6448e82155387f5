//! Address spaces, submissions by addresses and synchronisation objects, as NVK uses them.

use bytemuck::Zeroable;

use super::abi::*;
use super::argument::{Answer, Errno};
use super::tests::{buffer, gpu, make_as, word};
use crate::chip::Chip;
use crate::state::State;

/// The client of these tests.
const CLIENT: u32 = 7;

/// Where the kernel's part of the addresses begins for NVK.
const KERNEL_START: u64 = 1 << 39;

const EINVAL: Answer = Err(Errno(libc::EINVAL));
const ENOENT: Answer = Err(Errno(libc::ENOENT));
const ENOSYS: Answer = Err(Errno(libc::ENOSYS));
const ETIME: Answer = Err(Errno(libc::ETIME));

fn make<T: bytemuck::Pod>(state: &mut State, number: u32, value: &mut T) -> Answer {
    make_as(state, CLIENT, number, value)
}

fn init(state: &mut State) -> Answer {
    make(state, 0x50, &mut VmInit { kept_address: KERNEL_START, kept_size: (1 << 40) - KERNEL_START })
}

/// A GPU whose client has an address space and a channel.
fn gpu_with_space() -> (State, u32) {
    let mut state = gpu(Chip::Gm20b);
    init(&mut state).unwrap();
    let mut channel = ChannelAlloc::zeroed();
    make(&mut state, 0x42, &mut channel).unwrap();
    (state, channel.channel as u32)
}

fn bind(state: &mut State, operations: &[BindOperation]) -> Answer {
    let operation_count = operations.len() as u32;
    let operations = operations.as_ptr().addr() as u64;
    make(state, 0x51, &mut VmBind { operation_count, operations, ..VmBind::zeroed() })
}

fn map(handle: u32, address: u64, offset: u64, size: u64) -> BindOperation {
    BindOperation { handle, address, offset, size, ..BindOperation::zeroed() }
}

fn unmap(address: u64, size: u64) -> BindOperation {
    BindOperation { operation: 1, address, size, ..BindOperation::zeroed() }
}

/// Submits words at an address, and sets and waits for synchronisation objects.
fn exec(state: &mut State, channel: u32, pushes: &[ExecPush], waits: &[Sync], signals: &[Sync]) -> Answer {
    let mut exec = Exec {
        channel,
        push_count: pushes.len() as u32,
        wait_count: waits.len() as u32,
        signal_count: signals.len() as u32,
        waits: waits.as_ptr().addr() as u64,
        signals: signals.as_ptr().addr() as u64,
        pushes: pushes.as_ptr().addr() as u64,
    };
    make(state, 0x52, &mut exec)
}

fn push(address: u64, words: u32) -> ExecPush {
    ExecPush { address, length: 4 * words, flags: 0 }
}

/// Words that release a semaphore at an address: SEMAPHOREA to SEMAPHORED.
fn release(state: &State, words: &BufferInfo, target: u64, payload: u32) {
    let pushed = [1 << 29 | 4 << 16 | 0x10 >> 2, (target >> 32) as u32, target as u32, payload, 1 << 24 | 2];
    for (at, word) in (0..).zip(pushed) {
        state.memory.write_word(words.map_handle + 4 * at, word);
    }
}

fn syncobj(state: &mut State, flags: u32) -> u32 {
    let mut made = SyncobjHandle { handle: 0, flags };
    make(state, 0xBF, &mut made).unwrap();
    made.handle
}

/// Waits for a fence, without time.
fn reached(state: &mut State, handle: u32, flags: u32) -> Answer {
    let handles = [handle];
    let handles = handles.as_ptr().addr() as u64;
    make(state, 0xC3, &mut SyncobjWait { handles, count: 1, flags, ..SyncobjWait::zeroed() })
}

/// Waits for a point, for as long as that takes.
fn wait_for_point(state: &mut State, handle: u32, point: u64) -> Answer {
    let (handles, points) = ([handle], [point]);
    let (handles, points) = (handles.as_ptr().addr() as u64, points.as_ptr().addr() as u64);
    let wait = TimelineWait { handles, points, until: i64::MAX, count: 1, flags: 2, ..TimelineWait::zeroed() };
    make(state, 0xCA, &mut { wait })
}

fn value(state: &mut State, handle: u32) -> u64 {
    let (handles, mut points) = ([handle], [0u64]);
    let (handles, points_at) = (handles.as_ptr().addr() as u64, points.as_mut_ptr().addr() as u64);
    make(state, 0xCB, &mut TimelineArray { handles, points: points_at, count: 1, flags: 0 }).unwrap();
    points[0]
}

#[test]
fn a_client_has_one_address_space_if_it_begins_with_it() {
    assert_eq!(init(&mut gpu(Chip::Nv47)), ENOSYS);
    let mut state = gpu(Chip::Gm20b);
    assert_eq!(bind(&mut state, &[]), ENOSYS);
    assert_eq!(make(&mut state, 0x50, &mut VmInit { kept_address: KERNEL_START, kept_size: KERNEL_START + 1 }), EINVAL);
    init(&mut state).unwrap();
    assert_eq!(init(&mut state), Err(Errno(libc::EBUSY)));
    // Another client has begun otherwise.
    make_as(&mut state, 3, 0x42, &mut ChannelAlloc::zeroed()).unwrap();
    assert_eq!(make_as(&mut state, 3, 0x50, &mut VmInit::zeroed()), ENOSYS);
    let mut most = Parameter { parameter: 17, value: 0 };
    make(&mut state, 0x40, &mut most).unwrap();
    assert_eq!(most.value, 510);
}

#[test]
fn a_submission_finds_what_is_bound() {
    let (mut state, channel) = gpu_with_space();
    let (words, target) = (buffer(&mut state, 4), buffer(&mut state, 4));
    let (at, far) = (0x1_0000, 0x12_3456_7000);
    bind(&mut state, &[map(words.handle, at, 0, 4096), map(target.handle, far, 0, 4096)]).unwrap();
    let line = syncobj(&mut state, 0);
    for payload in 1..=3 {
        release(&state, &words, far + 0x10, payload);
        let signal = Sync { flags: 1, handle: line, point: payload.into() };
        exec(&mut state, channel, &[push(at, 5)], &[], &[signal]).unwrap();
        wait_for_point(&mut state, line, payload.into()).unwrap();
        assert_eq!((word(&state, target.map_handle + 0x10), value(&mut state, line)), (payload, payload.into()));
    }
    // The binding holds the buffer; another one takes its place at the same address.
    make(&mut state, 0x09, &mut Flink { handle: target.handle, name: 0 }).unwrap();
    let other = buffer(&mut state, 4);
    assert_ne!(other.map_handle, target.map_handle);
    bind(&mut state, &[unmap(far, 4096), map(other.handle, far, 0, 4096)]).unwrap();
    release(&state, &words, far + 0x10, 9);
    exec(&mut state, channel, &[push(at, 5)], &[], &[Sync { flags: 1, handle: line, point: 4 }]).unwrap();
    wait_for_point(&mut state, line, 4).unwrap();
    assert_eq!(word(&state, other.map_handle + 0x10), 9);
    // Memory is given back when there is next something to do with buffers, and cleared.
    buffer(&mut state, 4);
    assert_eq!(word(&state, target.map_handle + 0x10), 0);
    state.end();
}

#[test]
fn clients_have_addresses_of_their_own() {
    let (mut state, channel) = gpu_with_space();
    let (words, target) = (buffer(&mut state, 4), buffer(&mut state, 4));
    bind(&mut state, &[map(words.handle, 0x1000, 0, 4096), map(target.handle, 0x2000, 0, 4096)]).unwrap();
    release(&state, &words, 0x2000, 5);
    let mut other = ChannelAlloc::zeroed();
    make_as(&mut state, 2, 0x50, &mut VmInit { kept_address: KERNEL_START, kept_size: KERNEL_START }).unwrap();
    make_as(&mut state, 2, 0x42, &mut other).unwrap();
    // Not this client's channel.
    assert_eq!(exec(&mut state, other.channel as u32, &[], &[], &[]), ENOENT);
    let done = syncobj(&mut state, 0);
    let fence = Sync { flags: 0, handle: done, point: 0 };
    exec(&mut state, channel, &[push(0x1000, 5)], &[], &[fence]).unwrap();
    // The other client waits for the fence, and its own is reached when nothing is left.
    let (waits, also) = ([fence], syncobj(&mut state, 0));
    let signals = [Sync { handle: also, ..fence }];
    let mut exec = Exec {
        channel: other.channel as u32,
        wait_count: 1,
        signal_count: 1,
        waits: waits.as_ptr().addr() as u64,
        signals: signals.as_ptr().addr() as u64,
        ..Exec::zeroed()
    };
    make_as(&mut state, 2, 0x52, &mut exec).unwrap();
    reached(&mut state, also, 0).unwrap();
    assert_eq!(word(&state, target.map_handle), 5);
    // Submissions with lists of buffers are the other kind's.
    let segments = [Segment { buffer: 0, pad: 0, offset: 0, length: 4 }];
    let segments = segments.as_ptr().addr() as u64;
    assert_eq!(
        make(&mut state, 0x81, &mut Pushbuf { channel, segment_count: 1, segments, ..Pushbuf::zeroed() }),
        ENOSYS
    );
    state.end();
}

#[test]
fn bad_operations_change_nothing() {
    let (mut state, channel) = gpu_with_space();
    let words = buffer(&mut state, 4);
    let good = map(words.handle, 0x1000, 0, 4096);
    for (bad, expected) in [
        (map(99, 0x3000, 0, 4096), ENOENT),
        (map(words.handle, 0x3000, 4096, 4096), EINVAL),
        (map(words.handle, 0x3000, 0, 8192), EINVAL),
        (map(words.handle, 0x3010, 0, 4096), EINVAL),
        (map(words.handle, KERNEL_START, 0, 4096), EINVAL),
        (unmap(0x3000, 0), EINVAL),
        (unmap(!0xFFF, 0x2000), EINVAL),
        (BindOperation { operation: 2, ..good }, EINVAL),
    ] {
        assert_eq!(bind(&mut state, &[good, bad]), expected, "{:#x}", bad.address);
        assert!(state.spaces[&CLIENT].bindings().next().is_none());
    }
    let sync = [Sync { flags: 0, handle: syncobj(&mut state, 0), point: 0 }];
    let signals = sync.as_ptr().addr() as u64;
    assert_eq!(make(&mut state, 0x51, &mut VmBind { signal_count: 1, signals, ..VmBind::zeroed() }), EINVAL);
    make(&mut state, 0x51, &mut VmBind { flags: 1, signal_count: 1, signals, ..VmBind::zeroed() }).unwrap();
    reached(&mut state, sync[0].handle, 0).unwrap();
    // Waits for points that were never submitted, kinds that there are not, pieces that are too many or too long.
    let unset = Sync { handle: syncobj(&mut state, 0), ..sync[0] };
    assert_eq!(exec(&mut state, channel, &[], &[unset], &[]), EINVAL);
    assert_eq!(exec(&mut state, channel, &[], &[], &[Sync { handle: 99, ..unset }]), ENOENT);
    let kind = Sync { flags: 2, ..unset };
    assert_eq!(exec(&mut state, channel, &[], &[], &[kind]), Err(Errno(libc::EOPNOTSUPP)));
    assert_eq!(exec(&mut state, channel, &[push(0x1000, 1); 511], &[], &[]), EINVAL);
    assert_eq!(exec(&mut state, channel, &[push(0x1000, 0x20_0000)], &[], &[]), EINVAL);
    assert_eq!(exec(&mut state, channel, &[push(1 << 40, 1)], &[], &[]), EINVAL);
    state.end();
}

#[test]
fn sparse_ranges_read_as_zeros() {
    let (mut state, channel) = gpu_with_space();
    let (words, target) = (buffer(&mut state, 4), buffer(&mut state, 4));
    let sparse = BindOperation { flags: 1 << 8, address: 0x10_0000, size: 0x1_0000, ..BindOperation::zeroed() };
    bind(&mut state, &[map(words.handle, 0x1000, 0, 4096), sparse]).unwrap();
    let done = Sync { flags: 0, handle: syncobj(&mut state, 0), point: 0 };
    // Nothing is there, and that is no fault; what is bound then is there; and then nothing again.
    for (bound, payload, expected) in [(false, 1, 0), (true, 2, 2), (false, 3, 2)] {
        let change = if bound { map(target.handle, 0x10_3000, 0, 4096) } else { unmap(0x10_3000, 4096) };
        bind(&mut state, &[change]).unwrap();
        release(&state, &words, 0x10_3000, payload);
        exec(&mut state, channel, &[push(0x1000, 5)], &[], &[done]).unwrap();
        let handles = [done.handle];
        let handles = handles.as_ptr().addr() as u64;
        make(&mut state, 0xC3, &mut SyncobjWait { handles, until: i64::MAX, count: 1, ..SyncobjWait::zeroed() })
            .unwrap();
        assert_eq!(word(&state, target.map_handle), expected);
    }
    assert_eq!(state.faults(), 0);
    state.end();
}

#[test]
fn synchronisation_objects_are_set_and_waited_for() {
    let mut state = gpu(Chip::Nv47);
    for capability in [0x13, 0x14] {
        let mut asked = Capability { capability, value: 0 };
        make(&mut state, 0x0C, &mut asked).unwrap();
        assert_eq!(asked.value, 1);
    }
    let (set, unset) = (syncobj(&mut state, 1), syncobj(&mut state, 0));
    reached(&mut state, set, 0).unwrap();
    // Without a fence a wait is a mistake, unless it is for one.
    assert_eq!((reached(&mut state, unset, 0), reached(&mut state, unset, 2)), (EINVAL, ETIME));
    assert_eq!(reached(&mut state, 99, 0), ENOENT);
    // One of both is enough, and it is the second; all are too many.
    let handles = [unset, set];
    let handles = handles.as_ptr().addr() as u64;
    let mut wait = SyncobjWait { handles, count: 2, flags: 2, ..SyncobjWait::zeroed() };
    make(&mut state, 0xC3, &mut wait).unwrap();
    assert_eq!(wait.first, 1);
    wait.flags = 3;
    assert_eq!(make(&mut state, 0xC3, &mut wait), ETIME);
    let mut both = SyncobjArray { handles, count: 2, pad: 0 };
    make(&mut state, 0xC5, &mut both).unwrap();
    make(&mut state, 0xC3, &mut wait).unwrap();
    make(&mut state, 0xC4, &mut both).unwrap();
    assert_eq!(reached(&mut state, set, 0), EINVAL);
    both.count = 0;
    assert_eq!(make(&mut state, 0xC5, &mut both), EINVAL);
    // A timeline that the program moves, and one that gets a point of it.
    let (line, other) = (syncobj(&mut state, 0), syncobj(&mut state, 0));
    let (handles, points) = ([line], [12u64]);
    let (handles, points) = (handles.as_ptr().addr() as u64, points.as_ptr().addr() as u64);
    make(&mut state, 0xCD, &mut TimelineArray { handles, points, count: 1, flags: 0 }).unwrap();
    wait_for_point(&mut state, line, 11).unwrap();
    assert_eq!((value(&mut state, line), wait_for_point(&mut state, line, 13)), (12, ETIME));
    let transfer = SyncobjTransfer { from: line, to: other, from_point: 12, to_point: 40, ..SyncobjTransfer::zeroed() };
    make(&mut state, 0xCC, &mut { transfer }).unwrap();
    assert_eq!(value(&mut state, other), 40);
    assert_eq!(make(&mut state, 0xCC, &mut SyncobjTransfer { from_point: 13, ..transfer }), EINVAL);
    make(&mut state, 0xC0, &mut SyncobjHandle { handle: line, flags: 0 }).unwrap();
    assert_eq!(make(&mut state, 0xC0, &mut SyncobjHandle { handle: line, flags: 0 }), EINVAL);
}
