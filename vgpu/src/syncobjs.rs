//! Synchronisation objects: fences that submissions set and programs wait for, one at a time or along a timeline.

use std::collections::BTreeMap;

use crate::buffers::{Use, Uses};
use crate::drm::argument::{Answer, Errno};

/// What a point of a synchronisation object waits for: commands, of which there are none when all is done.
pub type Fence = Uses;

/// How far a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nobody has set a fence for it.
    Unset,
    /// A command is not done.
    Pending(Use),
    Done,
}

/// A synchronisation object. Its points are in the order in which they were set: one is reached when its fence and
/// those before it are. One that is no timeline has a single point, 0.
#[derive(Clone, Debug, Default)]
struct Syncobj(Vec<(u64, Fence)>);

impl Syncobj {
    /// The point that the object has reached; 0 before the first.
    fn reached(&self, is_over: impl Fn(Use) -> bool) -> u64 {
        self.0.iter().take_while(|(_, fence)| fence.iter().all(&is_over)).last().map_or(0, |(point, _)| *point)
    }

    /// The points up to one, and that one; `None` is the last one that was set. Nothing if it was never set.
    fn up_to(&self, point: Option<u64>) -> Option<&[(u64, Fence)]> {
        let at = match point {
            None => self.0.len().checked_sub(1)?,
            Some(point) => self.0.iter().position(|&(set, _)| set >= point)?,
        };
        Some(&self.0[..=at])
    }

    /// Sets a point; those that are reached are forgotten but for the last.
    fn set(&mut self, point: u64, fence: Fence, is_over: impl Fn(Use) -> bool) {
        if point == 0 {
            self.0.clear();
        } else {
            let done = self.0.iter().take_while(|(_, fence)| fence.iter().all(&is_over)).count();
            self.0.drain(..done.saturating_sub(1));
        }
        self.0.push((point, fence));
    }
}

/// All synchronisation objects of a process. Handles are the same for all descriptors of the node.
#[derive(Debug, Default)]
pub struct Syncobjs {
    objects: BTreeMap<u32, Syncobj>,
    last_handle: u32,
}

impl Syncobjs {
    /// Makes an object, reached or without a fence, and returns its handle.
    pub fn create(&mut self, is_reached: bool) -> u32 {
        while self.last_handle == 0 || self.objects.contains_key(&self.last_handle) {
            self.last_handle = self.last_handle.wrapping_add(1);
        }
        let points = if is_reached { vec![(0, Fence::default())] } else { Vec::new() };
        self.objects.insert(self.last_handle, Syncobj(points));
        self.last_handle
    }

    /// Drops an object.
    ///
    /// # Errors
    /// `EINVAL` if there is none.
    pub fn destroy(&mut self, handle: u32) -> Answer {
        self.objects.remove(&handle).map(|_| ()).ok_or(Errno(libc::EINVAL))
    }

    fn get(&self, handle: u32) -> Answer<&Syncobj> {
        self.objects.get(&handle).ok_or(Errno(libc::ENOENT))
    }

    fn get_mut(&mut self, handle: u32) -> Answer<&mut Syncobj> {
        self.objects.get_mut(&handle).ok_or(Errno(libc::ENOENT))
    }

    /// Takes all fences from an object.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn reset(&mut self, handle: u32) -> Answer {
        self.get_mut(handle)?.0.clear();
        Ok(())
    }

    /// Sets the fence of a point; point 0 is that of an object that is no timeline.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn set(&mut self, handle: u32, point: u64, fence: Fence, is_over: impl Fn(Use) -> bool) -> Answer {
        self.get_mut(handle)?.set(point, fence, is_over);
        Ok(())
    }

    /// The point that an object has reached, or the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn value(&self, handle: u32, last_set: bool, is_over: impl Fn(Use) -> bool) -> Answer<u64> {
        let object = self.get(handle)?;
        Ok(if last_set { object.0.last().map_or(0, |(point, _)| *point) } else { object.reached(is_over) })
    }

    /// How far a point is; `None` is the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn progress(&self, handle: u32, point: Option<u64>, is_over: impl Fn(Use) -> bool) -> Answer<Progress> {
        let Some(points) = self.get(handle)?.up_to(point) else { return Ok(Progress::Unset) };
        let mut commands = points.iter().flat_map(|(_, fence)| fence.iter());
        Ok(commands.find(|&command| !is_over(command)).map_or(Progress::Done, Progress::Pending))
    }

    /// Everything that a point waits for, or nothing if it was never set; `None` is the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn fence(&self, handle: u32, point: Option<u64>) -> Answer<Option<Fence>> {
        let points = self.get(handle)?.up_to(point);
        Ok(points.map(|points| points.iter().flat_map(|(_, fence)| fence.iter()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(number: u64) -> Fence {
        [Use { board: 1, number }].into_iter().collect()
    }

    #[test]
    fn a_timeline_is_reached_in_order() {
        let mut all = Syncobjs::default();
        let line = all.create(false);
        assert_eq!(all.progress(line, Some(1), |_| true), Ok(Progress::Unset));
        all.set(line, 5, command(10), |_| false).unwrap();
        all.set(line, 7, command(11), |_| false).unwrap();
        // The second is done; the first is not.
        let later = |last: Use| last.number == 11;
        assert_eq!(all.value(line, false, later), Ok(0));
        assert_eq!(all.value(line, true, later), Ok(7));
        let pending = Ok(Progress::Pending(Use { board: 1, number: 10 }));
        assert_eq!((all.progress(line, Some(7), later), all.progress(line, Some(2), later)), (pending, pending));
        assert_eq!(all.value(line, false, |_| true), Ok(7));
        assert_eq!(all.progress(line, Some(6), |_| true), Ok(Progress::Done));
        assert_eq!(all.progress(line, Some(8), |_| true), Ok(Progress::Unset));
        assert_eq!(
            all.fence(line, Some(7)).unwrap().unwrap().iter().collect::<Vec<_>>(),
            [Use { board: 1, number: 11 }]
        );
        // What is reached does not pile up.
        (8..100).for_each(|point| all.set(line, point, command(point), |_| true).unwrap());
        assert!(all.objects[&line].0.len() <= 2);
        assert_eq!(all.value(line, false, |_| true), Ok(99));
    }

    #[test]
    fn a_single_fence_is_replaced_and_taken_away() {
        let mut all = Syncobjs::default();
        let (made, reached) = (all.create(false), all.create(true));
        assert_eq!(all.progress(made, None, |_| true), Ok(Progress::Unset));
        assert_eq!(all.progress(reached, None, |_| true), Ok(Progress::Done));
        all.set(reached, 0, command(3), |_| false).unwrap();
        assert_eq!(all.progress(reached, None, |_| false), Ok(Progress::Pending(Use { board: 1, number: 3 })));
        all.reset(reached).unwrap();
        assert_eq!(all.progress(reached, None, |_| true), Ok(Progress::Unset));
        all.destroy(made).unwrap();
        assert_eq!((all.destroy(made), all.reset(made)), (Err(Errno(libc::EINVAL)), Err(Errno(libc::ENOENT))));
    }
}
