//! Synchronisation objects: fences that submissions set and programs wait for, one at a time or along a timeline.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::buffers::{Use, Uses};
use crate::drm::argument::{Answer, Errno};
use crate::shared_syncobj::SharedSyncobj;
use crate::sync_file::SyncFile;

/// What a point of a synchronisation object waits for, which is nothing when all is done: commands, and fences of other
/// processes.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    pub commands: Uses,
    pub files: Vec<Arc<SyncFile>>,
}

/// A part of a fence that is not reached.
#[derive(Clone, Debug)]
pub enum Part {
    Command(Use),
    File(Arc<SyncFile>),
}

impl Fence {
    /// A part that is not reached, if there is one.
    pub fn pending(&self, is_over: impl Fn(Use) -> bool) -> Option<Part> {
        let command = self.commands.iter().find(|&command| !is_over(command)).map(Part::Command);
        command.or_else(|| self.files.iter().find(|file| !file.is_reached()).cloned().map(Part::File))
    }

    /// Waits for what another fence waits for, too.
    pub fn add(&mut self, other: &Fence) {
        other.commands.iter().for_each(|command| self.commands.note(command));
        self.files.extend(other.files.iter().cloned());
    }
}

/// How far a point is.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Nobody has set a fence for it.
    Unset,
    Pending(Part),
    Done,
}

/// Points in the order in which they were set: one is reached when its fence and those before it are. An object that is
/// no timeline has a single point, 0.
#[derive(Clone, Debug, Default)]
struct Points(Vec<(u64, Fence)>);

impl Points {
    /// How many of the first points are reached.
    fn done(&self, is_over: impl Fn(Use) -> bool) -> usize {
        self.0.iter().take_while(|(_, fence)| fence.pending(&is_over).is_none()).count()
    }

    /// The point that is reached; 0 before the first.
    fn reached(&self, is_over: impl Fn(Use) -> bool) -> u64 {
        self.done(is_over).checked_sub(1).map_or(0, |last| self.0[last].0)
    }

    /// The last point that was set; 0 before the first.
    fn last(&self) -> u64 {
        self.0.last().map_or(0, |(point, _)| *point)
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
            let done = self.done(is_over);
            self.0.drain(..done.saturating_sub(1));
        }
        self.0.push((point, fence));
    }
}

/// A synchronisation object.
#[derive(Clone, Debug)]
enum Syncobj {
    Own(Points),
    /// Other processes may have it.
    Shared(Arc<SharedSyncobj>),
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
        let points = if is_reached { vec![(0, Fence::default())] } else { Vec::new() };
        self.enter(Syncobj::Own(Points(points)))
    }

    /// A handle of an object that another process may have, too.
    pub fn open(&mut self, shared: SharedSyncobj) -> u32 {
        self.enter(Syncobj::Shared(Arc::new(shared)))
    }

    fn enter(&mut self, object: Syncobj) -> u32 {
        while self.last_handle == 0 || self.objects.contains_key(&self.last_handle) {
            self.last_handle = self.last_handle.wrapping_add(1);
        }
        self.objects.insert(self.last_handle, object);
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
        match self.get_mut(handle)? {
            Syncobj::Own(points) => points.0.clear(),
            Syncobj::Shared(shared) => shared.reset(),
        }
        Ok(())
    }

    /// Whether other processes may have an object: what it is set to has to be reached before.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn is_shared(&self, handle: u32) -> Answer<bool> {
        self.get(handle).map(|object| matches!(object, Syncobj::Shared(_)))
    }

    /// The object as other processes have it. Everything that it waits for is reached.
    ///
    /// # Errors
    /// `ENOENT`, and what the system says.
    pub fn share(&mut self, handle: u32) -> Answer<Arc<SharedSyncobj>> {
        let object = self.get_mut(handle)?;
        let points = match object {
            Syncobj::Own(points) => points,
            Syncobj::Shared(shared) => return Ok(shared.clone()),
        };
        let shared = Arc::new(SharedSyncobj::new()?);
        points.0.iter().for_each(|&(point, _)| shared.set(point));
        *object = Syncobj::Shared(shared.clone());
        Ok(shared)
    }

    /// Sets the fence of a point; point 0 is that of an object that is no timeline.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn set(&mut self, handle: u32, point: u64, fence: Fence, is_over: impl Fn(Use) -> bool) -> Answer {
        match self.get_mut(handle)? {
            Syncobj::Own(points) => points.set(point, fence, is_over),
            Syncobj::Shared(shared) => shared.set(point),
        }
        Ok(())
    }

    /// The point that an object has reached, or the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn value(&self, handle: u32, last_set: bool, is_over: impl Fn(Use) -> bool) -> Answer<u64> {
        Ok(match self.get(handle)? {
            Syncobj::Own(points) if last_set => points.last(),
            Syncobj::Own(points) => points.reached(is_over),
            Syncobj::Shared(shared) => shared.value(),
        })
    }

    /// How far a point is; `None` is the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn progress(&self, handle: u32, point: Option<u64>, is_over: impl Fn(Use) -> bool) -> Answer<Progress> {
        let points = match self.get(handle)? {
            Syncobj::Own(points) => points.up_to(point),
            Syncobj::Shared(shared) => {
                return Ok(if shared.is_reached(point) { Progress::Done } else { Progress::Unset });
            }
        };
        let Some(points) = points else { return Ok(Progress::Unset) };
        let pending = points.iter().find_map(|(_, fence)| fence.pending(&is_over));
        Ok(pending.map_or(Progress::Done, Progress::Pending))
    }

    /// Everything that a point waits for, or nothing if it was never set; `None` is the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn fence(&self, handle: u32, point: Option<u64>) -> Answer<Option<Fence>> {
        let points = match self.get(handle)? {
            Syncobj::Own(points) => points.up_to(point),
            Syncobj::Shared(shared) => return Ok(shared.is_reached(point).then(Fence::default)),
        };
        Ok(points.map(|points| {
            let mut whole = Fence::default();
            points.iter().for_each(|(_, fence)| whole.add(fence));
            whole
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(number: u64) -> Fence {
        Fence { commands: [Use { board: 1, number }].into_iter().collect(), files: Vec::new() }
    }

    /// The command that a point waits for, if it waits for one.
    fn pending(progress: Answer<Progress>) -> Option<u64> {
        match progress.unwrap() {
            Progress::Pending(Part::Command(command)) => Some(command.number),
            _ => None,
        }
    }

    fn is_unset(progress: Answer<Progress>) -> bool {
        matches!(progress, Ok(Progress::Unset))
    }

    fn is_done(progress: Answer<Progress>) -> bool {
        matches!(progress, Ok(Progress::Done))
    }

    #[test]
    fn a_timeline_is_reached_in_order() {
        let mut all = Syncobjs::default();
        let line = all.create(false);
        assert!(is_unset(all.progress(line, Some(1), |_| true)));
        all.set(line, 5, command(10), |_| false).unwrap();
        all.set(line, 7, command(11), |_| false).unwrap();
        // The second is done; the first is not.
        let later = |last: Use| last.number == 11;
        assert_eq!(all.value(line, false, later), Ok(0));
        assert_eq!(all.value(line, true, later), Ok(7));
        assert_eq!([7, 2].map(|point| pending(all.progress(line, Some(point), later))), [Some(10); 2]);
        assert_eq!(all.value(line, false, |_| true), Ok(7));
        assert!(is_done(all.progress(line, Some(6), |_| true)));
        assert!(is_unset(all.progress(line, Some(8), |_| true)));
        assert_eq!(
            all.fence(line, Some(7)).unwrap().unwrap().commands.iter().collect::<Vec<_>>(),
            [Use { board: 1, number: 11 }]
        );
        // What is reached does not pile up.
        (8..100).for_each(|point| all.set(line, point, command(point), |_| true).unwrap());
        assert!(matches!(&all.objects[&line], Syncobj::Own(points) if points.0.len() <= 2));
        assert_eq!(all.value(line, false, |_| true), Ok(99));
    }

    #[test]
    fn a_single_fence_is_replaced_and_taken_away() {
        let mut all = Syncobjs::default();
        let (made, reached) = (all.create(false), all.create(true));
        assert!(is_unset(all.progress(made, None, |_| true)) && is_done(all.progress(reached, None, |_| true)));
        all.set(reached, 0, command(3), |_| false).unwrap();
        assert_eq!(pending(all.progress(reached, None, |_| false)), Some(3));
        all.reset(reached).unwrap();
        assert!(is_unset(all.progress(reached, None, |_| true)));
        all.destroy(made).unwrap();
        assert_eq!((all.destroy(made), all.reset(made)), (Err(Errno(libc::EINVAL)), Err(Errno(libc::ENOENT))));
    }

    #[test]
    fn a_fence_of_another_process_is_waited_for() {
        let mut all = Syncobjs::default();
        let (file, signal) = SyncFile::new().unwrap();
        let made = all.create(false);
        all.set(made, 0, Fence { files: vec![file], ..Fence::default() }, |_| true).unwrap();
        assert!(matches!(all.progress(made, None, |_| true), Ok(Progress::Pending(Part::File(_)))));
        drop(signal);
        assert!(is_done(all.progress(made, None, |_| true)));
    }

    #[test]
    fn a_shared_object_keeps_what_it_was() {
        let (mut all, mut others) = (Syncobjs::default(), Syncobjs::default());
        let line = all.create(false);
        all.set(line, 4, command(1), |_| true).unwrap();
        let descriptor = all.share(line).unwrap().hand_out().unwrap();
        assert!(all.is_shared(line).unwrap());
        let same = others.open(SharedSyncobj::received(descriptor).unwrap());
        assert_eq!(others.value(same, false, |_| true), Ok(4));
        others.set(same, 9, Fence::default(), |_| true).unwrap();
        assert!(is_done(all.progress(line, Some(9), |_| true)) && is_unset(all.progress(line, Some(10), |_| true)));
        others.reset(same).unwrap();
        assert!(is_unset(all.progress(line, None, |_| true)));
    }
}
