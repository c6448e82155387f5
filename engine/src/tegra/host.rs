//! Methods of the host itself: semaphores and syncpoints. Caches and scheduling show nothing here, where everything is done in
//! order.

use triglyph_guest::tegra::fifo::host::{
    METHODS, Reduction, ReductionFormat, ReleaseSize, SemaphoreOperation, SyncpointOperation, Trigger, semaphore_d,
    syncpoint_b,
};
use triglyph_guest::tegra::methods::Effect;

use super::core::{ADDRESS_MASK, Core};
use crate::device::FaultKind;

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
    /// Whether it is over.
    pub fn is_over(&self, core: &mut Core) -> bool {
        match *self {
            Blocked::Syncpoint { index, threshold } => core.syncpoint_reached(index, threshold),
            Blocked::Semaphore { address, test, payload } => {
                let mut word = [0];
                core.read_words(address, &mut word, "a semaphore");
                match test {
                    SemaphoreOperation::AcquireGreaterOrEqual => word[0].wrapping_sub(payload) as i32 >= 0,
                    SemaphoreOperation::AcquireAnd => word[0] & payload != 0,
                    _ => word[0] == payload,
                }
            }
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

impl Host {
    /// Does a host method; what the channel has to wait for before it goes on is returned.
    pub fn write(&mut self, core: &mut Core, method: u32, datum: u32) -> Option<Blocked> {
        match (method, METHODS.effect(method)) {
            (_, Effect::Trigger(trigger)) => return self.trigger(core, trigger, datum),
            (0x04, _) => self.address = self.address & 0xFFFF_FFFF | u64::from(datum & 0xFF) << 32,
            (0x05, _) => self.address = self.address & !0xFFFF_FFFF | u64::from(datum & !3),
            (0x06, _) => self.payload = datum,
            (0x1C, _) => self.threshold = datum,
            _ if METHODS.info(method).is_none() => {
                core.fault(FaultKind::BadMethod, method.into(), format_args!("no host method {method:#x}"));
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
                core.flush();
                core.increment_syncpoint(index);
            }
            Trigger::SetReference => self.reference = datum,
            Trigger::Illegal => core.fault(FaultKind::BadMethod, 1, format_args!("the illegal method")),
            // The class of a subchannel is the channel's business; the others concern caches, interrupts of the
            // driver, and who runs next.
            Trigger::SetObject
            | Trigger::Interrupt
            | Trigger::FlushMemory
            | Trigger::MemoryOperation
            | Trigger::WaitForIdle
            | Trigger::Yield => {}
        }
        None
    }

    fn semaphore(&self, core: &mut Core, word: u32) -> Option<Blocked> {
        let address = self.address & ADDRESS_MASK;
        match semaphore_d::operation(word) {
            Some(SemaphoreOperation::Release) => {
                if semaphore_d::release_size(word) == Some(ReleaseSize::FourBytes) {
                    core.write_bytes(address, &self.payload.to_le_bytes(), "a semaphore");
                } else {
                    core.write_report(address, self.payload.into(), "a semaphore");
                }
                None
            }
            Some(SemaphoreOperation::Reduction) => {
                let mut value = [0];
                core.read_words(address, &mut value, "a semaphore");
                let signed = semaphore_d::format(word) == Some(ReductionFormat::Signed);
                match semaphore_d::reduction(word) {
                    Some(how) => {
                        let value = reduce(how, signed, value[0], self.payload);
                        core.write_bytes(address, &value.to_le_bytes(), "a semaphore");
                    }
                    None => core.fault(FaultKind::BadMethod, 7, format_args!("a reduction {word:#010x}")),
                }
                None
            }
            Some(test) => Some(Blocked::Semaphore { address, test, payload: self.payload }),
            None => {
                core.fault(FaultKind::BadMethod, 7, format_args!("a semaphore operation {word:#010x}"));
                None
            }
        }
    }
}

fn reduce(how: Reduction, signed: bool, value: u32, payload: u32) -> u32 {
    let smaller = if signed { (value as i32) < payload as i32 } else { value < payload };
    match how {
        Reduction::Min => {
            if smaller {
                value
            } else {
                payload
            }
        }
        Reduction::Max => {
            if smaller {
                payload
            } else {
                value
            }
        }
        Reduction::Xor => value ^ payload,
        Reduction::And => value & payload,
        Reduction::Or => value | payload,
        Reduction::Add => value.wrapping_add(payload),
        Reduction::Inc => {
            if value >= payload {
                0
            } else {
                value + 1
            }
        }
        Reduction::Dec => {
            if value == 0 || value > payload {
                payload
            } else {
                value - 1
            }
        }
    }
}
