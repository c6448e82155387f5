//! Methods of the host itself: semaphores and syncpoints. Caches and scheduling show nothing here, where everything is
//! done in order.

use triglyph_guest::id::ChannelId;
use triglyph_guest::tegra::fifo::host::{
    METHODS, ReductionFormat, ReleaseSize, SemaphoreOperation, SyncpointOperation, Trigger, semaphore_d, syncpoint_b,
};
use triglyph_guest::tegra::methods::Effect;

use super::semaphore::{Form, Join, Release};
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::device::{FaultKind, Waiting};
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::probe::Command;
use triglyph_engine::snapshot::state;

/// What a channel waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// A word in memory: how it is compared, and with what.
    Semaphore {
        /// GPU address.
        address: u64,
        /// Equality, circular order or common bits.
        test: SemaphoreOperation,
        /// The payload.
        payload: u32,
    },
    /// A syncpoint.
    Syncpoint {
        /// Which.
        index: u32,
        /// The value it has to reach.
        threshold: u32,
    },
}

impl Blocked {
    /// The same for hosts, of a channel in an address space.
    pub(crate) fn waiting(&self, channel: ChannelId, space: u32) -> Waiting {
        match *self {
            Blocked::Semaphore { address, payload, .. } => {
                Waiting::Semaphore { channel, place: GuestAddr::new(space, address), value: payload }
            }
            Blocked::Syncpoint { index, threshold } => {
                Waiting::Counter { channel, counter: index.into(), value: threshold }
            }
        }
    }

    /// Whether it is over.
    pub fn is_over(&self, core: &mut Core) -> bool {
        match *self {
            Blocked::Syncpoint { index, threshold } => core.syncpoint_reached(index, threshold),
            Blocked::Semaphore { address, .. } if core.cut_before(address, 4) => false,
            Blocked::Semaphore { address, test, payload } => {
                let word = core.read_word(address, "a semaphore");
                // Who releases it may be the host's processor, and have written more than that.
                core.memory.note_host_writes();
                match test {
                    SemaphoreOperation::AcquireGreaterOrEqual => word.wrapping_sub(payload) as i32 >= 0,
                    SemaphoreOperation::AcquireAnd => word & payload != 0,
                    _ => word == payload,
                }
            }
        }
    }
}

state! {
    /// What a channel waits for in a snapshot: kind, address or syncpoint, test, payload or threshold.
    pub(crate) struct SavedBlocked { kind: u8, place: u64, test: u32, value: u32 }
    /// The host's registers in a snapshot.
    pub(crate) struct SavedHost { address: u64, payload: u32, threshold: u32, reference: u32 }
}

impl Blocked {
    pub(crate) fn save(&self) -> SavedBlocked {
        match *self {
            Blocked::Semaphore { address, test, payload } => {
                SavedBlocked { kind: 0, place: address, test: test.bits(), value: payload }
            }
            Blocked::Syncpoint { index, threshold } => {
                SavedBlocked { kind: 1, place: index.into(), test: 0, value: threshold }
            }
        }
    }

    /// What was saved, if there is something like that.
    pub(crate) fn restore(saved: SavedBlocked) -> Option<Self> {
        let SavedBlocked { kind, place, test, value } = saved;
        match kind {
            0 if place <= ADDRESS_MASK => Some(Blocked::Semaphore {
                address: place,
                test: SemaphoreOperation::from_register(test)?,
                payload: value,
            }),
            1 => Some(Blocked::Syncpoint { index: u32::try_from(place).ok()?, threshold: value }),
            _ => None,
        }
    }
}

/// The registers of the host on a channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    address: u64,
    payload: u32,
    threshold: u32,
    /// What SET_REFERENCE stored.
    pub reference: u32,
}

/// Whether a method of the host lets others see what was drawn before it.
pub(crate) fn shows_drawing(method: u32, datum: u32) -> bool {
    matches!(METHODS.effect(method), Effect::Trigger(trigger) if trigger.shows_drawing(datum))
}

impl Host {
    pub(crate) fn save(&self) -> SavedHost {
        let Host { address, payload, threshold, reference } = *self;
        SavedHost { address, payload, threshold, reference }
    }

    pub(crate) fn restore(saved: SavedHost) -> Self {
        let SavedHost { address, payload, threshold, reference } = saved;
        Host { address, payload, threshold, reference }
    }

    /// Does a host method; what the channel has to wait for before it goes on is returned.
    pub fn write(&mut self, core: &mut Core, method: u32, datum: u32) -> Option<Blocked> {
        if !core.renderer.is_observed() {
            return self.execute(core, method, datum);
        }
        let command = Command { class: 0, method, value: datum, position: core.position };
        core.begin_command(&command, &[]);
        let blocked = self.execute(core, method, datum);
        core.end_command(&command, &[]);
        blocked
    }

    fn execute(&mut self, core: &mut Core, method: u32, datum: u32) -> Option<Blocked> {
        match (method, METHODS.effect(method)) {
            (_, Effect::Trigger(trigger)) => return self.trigger(core, trigger, datum),
            (0x04, _) => self.address = self.address & 0xFFFF_FFFF | u64::from(datum & 0xFF) << 32,
            (0x05, _) => self.address = self.address & !0xFFFF_FFFF | u64::from(datum & !3),
            (0x06, _) => self.payload = datum,
            (0x1C, _) => self.threshold = datum,
            _ if METHODS.info(method).is_none() => {
                core.fault(FaultKind::BadMethod, method.into(), format_args!("host method {method:#x} does not exist"));
            }
            _ => {}
        }
        None
    }

    fn trigger(&mut self, core: &mut Core, trigger: Trigger, datum: u32) -> Option<Blocked> {
        let semaphore = |test, payload| Blocked::Semaphore { address: self.address & ADDRESS_MASK, test, payload };
        match trigger {
            Trigger::Semaphore => return self.semaphore(core, datum),
            Trigger::LegacyAcquire => return Some(semaphore(SemaphoreOperation::Acquire, datum)),
            Trigger::LegacyRelease => core.write_bytes(self.address, &datum.to_le_bytes(), "a semaphore"),
            Trigger::Syncpoint => {
                let index = syncpoint_b::index(datum);
                if syncpoint_b::operation(datum) == Some(SyncpointOperation::Wait) {
                    return Some(Blocked::Syncpoint { index, threshold: self.threshold });
                }
                core.increment_syncpoint(index);
            }
            Trigger::SetReference => self.reference = datum,
            Trigger::Illegal => {
                core.fault(FaultKind::BadMethod, 1, format_args!("the push buffer contains the method ILLEGAL"))
            }
            Trigger::Interrupt => core.interrupt(),
            // The class of a subchannel is the channel's business; the others concern caches and who runs next.
            Trigger::SetObject
            | Trigger::FlushMemory
            | Trigger::MemoryOperation
            | Trigger::WaitForIdle
            | Trigger::Yield => {}
        }
        None
    }

    fn semaphore(&self, core: &mut Core, word: u32) -> Option<Blocked> {
        let (address, payload) = (self.address & ADDRESS_MASK, self.payload);
        let signed = semaphore_d::format(word) == Some(ReductionFormat::Signed);
        let form = match (semaphore_d::operation(word), semaphore_d::reduction(word)) {
            (Some(SemaphoreOperation::Release), _) => match semaphore_d::release_size(word) {
                Some(ReleaseSize::FourBytes) => Form::OneWord,
                _ => Form::FourWords,
            },
            (Some(SemaphoreOperation::Reduction), Some(how)) => Form::Join(Join::from(how), signed),
            (Some(test), _) if test != SemaphoreOperation::Reduction => {
                return Some(Blocked::Semaphore { address, test, payload });
            }
            _ => {
                core.fault(
                    FaultKind::BadMethod,
                    7,
                    format_args!("SEMAPHORED: the operation of {word:#010x} does not exist"),
                );
                return None;
            }
        };
        Release { address, payload, form }.perform(core, "a semaphore");
        None
    }
}
