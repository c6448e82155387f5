//! The calls about synchronisation objects, which every DRM device has that renders with fences.

use std::time::Duration;

use super::Next;
use super::abi::{SyncobjArray, SyncobjHandle, SyncobjTransfer, SyncobjWait, TimelineArray, TimelineWait};
use super::argument::{Answer, Argument, Errno, read_array, write_array};
use crate::state::{State, Wait};
use crate::syncobjs::{Fence, Progress};

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
    /// For a command.
    For(Wait),
    /// For a submission.
    ForSubmission,
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
                Progress::Unset => Some(Waited::ForSubmission),
                Progress::Pending(_) if self.flags & flags::SUBMITTED != 0 => None,
                Progress::Pending(command) => state.command(command).map(Waited::For),
                Progress::Done => None,
            };
            match found {
                None => first = first.or(Some(index)),
                // A command is waited for in preference, as its end is known.
                Some(Waited::ForSubmission) if open.is_some() => {}
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
    matches!(number, 0xBF..=0xC5 | 0xCA..=0xCF)
}

/// Answers a call.
///
/// # Errors
/// `ENOENT` for unknown handles, `EINVAL` for no objects, too many and calls that this device does not have: those that
/// share objects by descriptors.
pub fn call(state: &mut State, number: u32, argument: &mut Argument) -> Answer<Next> {
    match number {
        0xBF => argument.update(|asked: &mut SyncobjHandle| {
            const SIGNALED: u32 = 1;
            asked.handle = state.syncobjs.create(asked.flags & SIGNALED != 0);
            Ok(())
        })?,
        0xC0 => state.syncobjs.destroy(argument.read::<SyncobjHandle>().handle)?,
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
        _ => return Err(Errno(libc::EINVAL)),
    }
    Ok(Next::Nothing)
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
    let fence = state.syncobjs.fence(asked.from, point)?.ok_or(Errno(libc::EINVAL))?;
    state.set_fence(asked.to, asked.to_point, fence)
}
