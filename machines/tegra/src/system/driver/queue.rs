//! Channels, their syncpoints, fences and events: `/dev/nvhost-gpu`, `/dev/nvhost-ctrl`.

use std::collections::BTreeMap;
use std::time::Duration;

use triglyph_guest::id::EventSlot;
use triglyph_guest::tegra::driver::event::{self, SLOTS};
use triglyph_guest::tegra::driver::{Fence, Status, VBLANK_SYNCPOINTS, Wait, submit_flags};

use crate::core::{Core, SYNCPOINTS};
use crate::front_end::channel::Work;

/// A slot for events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub registered: bool,
    /// What it waits for.
    pub armed: Option<Fence>,
}

/// Syncpoints of channels, and what waits for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Queues {
    /// The syncpoint of each channel that a client has opened.
    pub channels: BTreeMap<u32, u32>,
    /// The values that syncpoints will have when everything submitted is done.
    pub maxima: [u32; SYNCPOINTS],
    pub events: [Event; SLOTS as usize],
}

impl Default for Queues {
    fn default() -> Self {
        let events = [Event::default(); SLOTS as usize];
        Queues { channels: BTreeMap::new(), maxima: [0; SYNCPOINTS], events }
    }
}

impl Queues {
    /// A channel of `free` with the first free syncpoint. Syncpoint 0 says "none".
    pub fn open(&mut self, core: &Core, mut free: impl Iterator<Item = u32>) -> Result<u32, Status> {
        let taken = |index: &u32| VBLANK_SYNCPOINTS.contains(index) || self.channels.values().any(|used| used == index);
        let syncpoint = (1..SYNCPOINTS as u32).find(|index| !taken(index)).ok_or(Status::InsufficientMemory)?;
        let channel = free.find(|channel| !self.channels.contains_key(channel)).ok_or(Status::InsufficientMemory)?;
        self.maxima[syncpoint as usize] = core.syncpoint(syncpoint).unwrap_or(0);
        self.channels.insert(channel, syncpoint);
        Ok(channel)
    }

    /// The syncpoint of a channel.
    pub fn syncpoint(&self, channel: u32) -> Result<u32, Status> {
        self.channels.get(&channel).copied().ok_or(Status::BadParameter)
    }

    /// The value that a syncpoint has when everything submitted is done.
    pub fn maximum(&self, syncpoint: u32) -> Result<u32, Status> {
        self.maxima.get(syncpoint as usize).copied().ok_or(Status::BadParameter)
    }

    /// SUBMIT_GPFIFO: what the channel has to do before and after the entries, and the fence after everything.
    pub fn submit(&mut self, core: &Core, channel: u32, flags: u32, fence: Fence) -> Result<Submission, Status> {
        let syncpoint = self.syncpoint(channel)?;
        let has = |flag| flags & flag != 0;
        let waits = has(submit_flags::FENCE_WAIT);
        let counts = has(submit_flags::INCREMENT_VALUE);
        if waits && (counts || core.syncpoint(fence.syncpoint.get()).is_none()) {
            return Err(Status::BadParameter);
        }
        let own = if counts { fence.value } else { 0 };
        let count = if has(submit_flags::FENCE_GET) { submit_flags::INCREMENTS } else { 0 };
        let maximum = &mut self.maxima[syncpoint as usize];
        *maximum = maximum.wrapping_add(own).wrapping_add(count);
        let open = waits && !core.syncpoint_reached(fence.syncpoint.get(), fence.value);
        Ok(Submission {
            before: open.then_some(Work::Wait { index: fence.syncpoint.get(), threshold: fence.value }),
            behind: (count != 0).then_some(Work::Increment { index: syncpoint, count }),
            fence: Fence { syncpoint: syncpoint.into(), value: *maximum },
        })
    }

    /// EVENT_REGISTER and EVENT_UNREGISTER.
    pub fn register(&mut self, slot: u32, registered: bool) -> Result<(), Status> {
        let event = self.events.get_mut(slot as usize).ok_or(Status::BadParameter)?;
        if !registered && event.armed.is_some() {
            return Err(Status::Busy);
        }
        *event = Event { registered, armed: None };
        Ok(())
    }

    /// EVENT_WAIT, in the form that lets the client choose the slot if `slot` is given.
    pub fn wait(
        &mut self,
        core: &Core,
        fence: Fence,
        timeout: Option<Duration>,
        slot: Option<EventSlot>,
    ) -> Result<Wait, Status> {
        let value = core.syncpoint(fence.syncpoint.get()).ok_or(Status::BadParameter)?;
        if fence.value == 0 || core.syncpoint_reached(fence.syncpoint.get(), fence.value) {
            return Ok(Wait::Reached(value));
        }
        if timeout.is_some_and(|time| time.is_zero()) {
            return Err(Status::Timeout);
        }
        let free = |event: &Event| event.registered && event.armed.is_none();
        let by_client = slot.is_some();
        // Registered ones first; then one that is not registered.
        let find = |wanted: &dyn Fn(&Event) -> bool| self.events.iter().zip(0..).find(|(event, _)| wanted(event));
        let found = || find(&free).or_else(|| find(&|event| !event.registered)).map(|(_, slot)| slot);
        let slot = slot.map(EventSlot::get).or_else(found).ok_or(Status::InsufficientMemory)?;
        let chosen = self.events.get_mut(slot as usize).ok_or(Status::BadParameter)?;
        if chosen.armed.is_some() {
            return Err(Status::Busy);
        }
        *chosen = Event { registered: true, armed: Some(fence) };
        let name = if by_client { event::chosen } else { event::allocated };
        Ok(Wait::Armed { slot: slot.into(), value: name(fence.syncpoint.get(), slot) })
    }

    /// EVENT_SIGNAL: a client gives up waiting.
    pub fn cancel(&mut self, slot: u32) -> Result<(), Status> {
        self.events.get_mut(slot as usize).ok_or(Status::BadParameter)?.armed = None;
        Ok(())
    }

    /// Disarms the slots whose fences have been reached and returns both.
    pub fn take_signalled(&mut self, core: &Core) -> Vec<(EventSlot, Fence)> {
        let mut signalled = Vec::new();
        for (event, slot) in self.events.iter_mut().zip(0..) {
            let reached = |fence: &mut Fence| core.syncpoint_reached(fence.syncpoint.get(), fence.value);
            if let Some(fence) = event.armed.take_if(reached) {
                signalled.push((EventSlot::new(slot), fence));
            }
        }
        signalled
    }
}

/// What a submission adds to its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Submission {
    pub before: Option<Work>,
    pub behind: Option<Work>,
    pub fence: Fence,
}
