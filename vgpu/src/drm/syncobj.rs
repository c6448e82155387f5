//! The calls about synchronisation objects, which every DRM device has that renders with fences.

use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

use libc::c_int;

use super::Next;
use super::abi::{
    SyncobjArray, SyncobjDescriptor, SyncobjEvent, SyncobjHandle, SyncobjTransfer, SyncobjWait, TimelineArray,
    TimelineWait,
};
use super::argument::{Answer, Argument, Errno, read_array, write_array};
use crate::memory::kept;
use crate::shared_syncobj::SharedSyncobj;
use crate::state::{Pause, State};
use crate::syncobjs::{Fence, Progress};
use crate::watches::Watch;

/// Most objects of a call. The kernel has no limit but memory.
const MAX_HANDLES: u32 = 1 << 16;

/// Until one or all of some points are reached.
#[derive(Debug)]
pub struct Waiting {
    points: Vec<(u32, Option<u64>)>,
    flags: u32,
    /// On the monotonic clock, in nanoseconds.
    until: i64,
    is_timeline: bool,
}

/// How far a [`Waiting`] is.
pub enum Waited {
    /// Over; the index of the first point that is reached.
    Over(u32),
    /// For a part of a fence.
    For(Pause),
    /// For a submission, which may be another process's.
    ForSubmission { by_others: bool },
}

mod flags {
    pub const ALL: u32 = 1;
    pub const FOR_SUBMISSION: u32 = 2;
    pub const SUBMITTED: u32 = 4;
}

impl Waiting {
    /// How far it is now.
    ///
    /// # Errors
    /// `ENOENT` for an unknown handle, `EINVAL` for a point that was never set, unless that is waited for.
    pub fn look(&self, state: &State) -> Answer<Waited> {
        let (mut first, mut open) = (None, None);
        for (index, &(handle, point)) in (0..).zip(&self.points) {
            let found = match state.progress(handle, point)? {
                Progress::Unset if self.flags & (flags::FOR_SUBMISSION | flags::SUBMITTED) == 0 => {
                    return Err(Errno(libc::EINVAL));
                }
                Progress::Unset => Some(Waited::ForSubmission { by_others: state.syncobjs.is_shared(handle)? }),
                Progress::Pending(_) if self.flags & flags::SUBMITTED != 0 => None,
                Progress::Pending(part) => state.pause(part).map(Waited::For),
                Progress::Done => None,
            };
            match found {
                None => first = first.or(Some(index)),
                // A command is waited for in preference, as its end is known.
                Some(Waited::ForSubmission { by_others: false }) if open.is_some() => {}
                Some(Waited::ForSubmission { .. }) if matches!(open, Some(Waited::For(_))) => {}
                Some(found) => open = Some(found),
            }
        }
        let is_all = self.flags & flags::ALL != 0;
        Ok(match (open, first) {
            (Some(open), None) => open,
            (Some(open), _) if is_all => open,
            (_, first) => Waited::Over(first.unwrap_or_default()),
        })
    }

    /// Whether all of the points have to be reached. Otherwise a command that is waited for need not be the first.
    pub fn is_for_all(&self) -> bool {
        self.flags & flags::ALL != 0
    }

    /// The time that is left.
    pub fn left(&self) -> Duration {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes to a value.
        #[allow(unsafe_code)]
        unsafe {
            libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        }
        let now = now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec);
        Duration::from_nanos(self.until.saturating_sub(now).max(0) as u64)
    }

    /// Says which point was reached first.
    pub fn answer(&self, argument: &mut Argument, first: u32) -> Answer {
        match self.is_timeline {
            true => argument.update(|wait: &mut TimelineWait| {
                wait.first = first;
                Ok(())
            }),
            false => argument.update(|wait: &mut SyncobjWait| {
                wait.first = first;
                Ok(())
            }),
        }
    }
}

/// Whether a call is one of these.
pub const fn is_one(number: u32) -> bool {
    matches!(number, 0xBF..=0xC5 | 0xCA..=0xCD | 0xCF)
}

/// Answers a call.
///
/// # Errors
/// `ENOENT` for unknown handles, `EINVAL` for no objects, too many, unknown flags and descriptors of other files.
pub fn call(state: &mut State, number: u32, argument: &mut Argument) -> Answer<Next> {
    match number {
        0xBF => argument.update(|asked: &mut SyncobjHandle| {
            const SIGNALED: u32 = 1;
            asked.handle = state.syncobjs.create(asked.flags & SIGNALED != 0);
            Ok(())
        })?,
        0xC0 => state.syncobjs.destroy(argument.read::<SyncobjHandle>().handle)?,
        0xC1 => argument.update(|asked| handle_to_descriptor(state, asked))?,
        0xC2 => argument.update(|asked| descriptor_to_handle(state, asked))?,
        0xC3 => {
            let SyncobjWait { handles, until, count, flags, .. } = argument.read();
            let points = self::handles(handles, count)?.into_iter().map(|handle| (handle, None)).collect();
            return Ok(Next::Sync(Waiting { points, flags, until, is_timeline: false }));
        }
        0xC4 => {
            let SyncobjArray { handles, count, .. } = argument.read();
            self::handles(handles, count)?.into_iter().try_for_each(|handle| state.syncobjs.reset(handle))?;
        }
        0xC5 => {
            let SyncobjArray { handles, count, .. } = argument.read();
            let handles = self::handles(handles, count)?;
            handles.into_iter().try_for_each(|handle| state.set_fence(handle, 0, Fence::default()))?;
        }
        0xCA => {
            let TimelineWait { handles, points, until, count, flags, .. } = argument.read();
            let handles = self::handles(handles, count)?;
            let points: Vec<u64> = read_array(points, count);
            // Point 0 is that of an object without a timeline.
            let point = |at: usize| points.get(at).copied().filter(|&point| point > 0);
            let points = handles.into_iter().enumerate().map(|(at, handle)| (handle, point(at))).collect();
            return Ok(Next::Sync(Waiting { points, flags, until, is_timeline: true }));
        }
        0xCB => query(state, argument.read())?,
        0xCC => transfer(state, argument.read())?,
        0xCD => {
            let TimelineArray { handles, points, count, .. } = argument.read();
            let handles = self::handles(handles, count)?;
            let points: Vec<u64> = read_array(points, count);
            handles
                .into_iter()
                .zip(points)
                .try_for_each(|(handle, point)| state.set_fence(handle, point, Fence::default()))?;
        }
        0xCF => watch(state, argument.read())?,
        _ => return Err(Errno(libc::EINVAL)),
    }
    Ok(Next::Nothing)
}

/// What descriptors are of.
mod descriptor_flags {
    /// A fence as it is now, not the object.
    pub const SYNC_FILE: u32 = 1;
    /// The fence of a point.
    pub const TIMELINE: u32 = 2;
}

/// The point of a request, if it is about one; the fence alone has points.
fn asked_point(asked: &SyncobjDescriptor) -> Answer<Option<u64>> {
    use descriptor_flags::{SYNC_FILE, TIMELINE};
    match asked.flags {
        0 | SYNC_FILE if asked.point == 0 => Ok(None),
        flags if flags == SYNC_FILE | TIMELINE => Ok((asked.point > 0).then_some(asked.point)),
        _ => Err(Errno(libc::EINVAL)),
    }
}

fn handle_to_descriptor(state: &mut State, asked: &mut SyncobjDescriptor) -> Answer {
    let point = asked_point(asked)?;
    asked.fd = match asked.flags & descriptor_flags::SYNC_FILE {
        0 => state.share_syncobj(asked.handle)?.hand_out()?,
        _ => {
            let fence = state.fence(asked.handle, point)?;
            state.sync_file(&fence)?.hand_out()?
        }
    };
    Ok(())
}

fn descriptor_to_handle(state: &mut State, asked: &mut SyncobjDescriptor) -> Answer {
    let point = asked_point(asked)?;
    match asked.flags & descriptor_flags::SYNC_FILE {
        0 => asked.handle = state.syncobjs.open(SharedSyncobj::received(asked.fd)?),
        _ => {
            let fence = state.fence_of(asked.fd)?;
            state.set_fence(asked.handle, point.unwrap_or_default(), fence)?;
        }
    }
    Ok(())
}

/// SYNCOBJ_EVENTFD: an event when a point is reached, or set if that is enough.
fn watch(state: &mut State, asked: SyncobjEvent) -> Answer {
    let SyncobjEvent { handle, flags, point, fd, .. } = asked;
    if flags & !flags::SUBMITTED != 0 {
        return Err(Errno(libc::EINVAL));
    }
    state.syncobjs.is_shared(handle)?;
    let event = event_descriptor(fd)?;
    let point = (point > 0).then_some(point);
    state.watches.list.push(Watch { handle, point, is_for_set: flags != 0, event });
    state.tell_watchers();
    Ok(())
}

/// A program's descriptor of an `eventfd`.
///
/// # Errors
/// `EBADF` if it is not open, `EINVAL` if it is of another file.
fn event_descriptor(descriptor: c_int) -> Answer<OwnedFd> {
    let own = kept(descriptor).map_err(|_| Errno(libc::EBADF))?;
    let file = std::fs::read_link(format!("/proc/self/fd/{}", own.as_raw_fd()));
    match file {
        Ok(path) if path.as_os_str() == "anon_inode:[eventfd]" => Ok(own),
        _ => Err(Errno(libc::EINVAL)),
    }
}

fn handles(first: u64, count: u32) -> Answer<Vec<u32>> {
    match count {
        1..=MAX_HANDLES => Ok(read_array(first, count)),
        _ => Err(Errno(libc::EINVAL)),
    }
}

fn query(state: &State, asked: TimelineArray) -> Answer {
    const LAST_SUBMITTED: u32 = 1;
    let handles = handles(asked.handles, asked.count)?;
    let last = asked.flags & LAST_SUBMITTED != 0;
    let values: Vec<u64> = handles.into_iter().map(|handle| state.value(handle, last)).collect::<Answer<_>>()?;
    write_array(asked.points, &values);
    Ok(())
}

/// Gives a point of one object the fence of a point of another.
fn transfer(state: &mut State, asked: SyncobjTransfer) -> Answer {
    let point = (asked.from_point > 0).then_some(asked.from_point);
    let fence = state.fence(asked.from, point)?;
    state.set_fence(asked.to, asked.to_point, fence)
}
