//! Semaphores: what is stored at the end of work, and how words of memory are joined with payloads. Every class has
//! them, each with numbers of its own.

use triglyph_guest::tegra::fifo::host::Reduction;
use triglyph_guest::tegra::methods::copy::SemaphoreReduction;
use triglyph_guest::tegra::methods::values::ReductionOp;

use crate::core::Core;

/// How the word in memory and the payload become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// Bits that are different.
    Xor,
    /// Common bits.
    And,
    /// Bits of either.
    Or,
    /// The sum, modulo 2^32.
    Add,
    /// One more, 0 after the payload.
    Inc,
    /// One less, the payload after 0.
    Dec,
    /// The sum of two floats.
    FloatAdd,
}

impl Join {
    /// The word that replaces `value`. Minimum and maximum are those of signed numbers if `signed` says so.
    pub fn apply(self, signed: bool, value: u32, payload: u32) -> u32 {
        let first_is_smaller = if signed { (value as i32) < payload as i32 } else { value < payload };
        match self {
            Join::Min if first_is_smaller => value,
            Join::Max if !first_is_smaller => value,
            Join::Min | Join::Max => payload,
            Join::Xor => value ^ payload,
            Join::And => value & payload,
            Join::Or => value | payload,
            Join::Add => value.wrapping_add(payload),
            Join::Inc if value >= payload => 0,
            Join::Inc => value + 1,
            Join::Dec if value == 0 || value > payload => payload,
            Join::Dec => value - 1,
            Join::FloatAdd => (f32::from_bits(value) + f32::from_bits(payload)).to_bits(),
        }
    }
}

impl From<Reduction> for Join {
    fn from(how: Reduction) -> Join {
        match how {
            Reduction::Min => Join::Min,
            Reduction::Max => Join::Max,
            Reduction::Xor => Join::Xor,
            Reduction::And => Join::And,
            Reduction::Or => Join::Or,
            Reduction::Add => Join::Add,
            Reduction::Inc => Join::Inc,
            Reduction::Dec => Join::Dec,
        }
    }
}

impl From<ReductionOp> for Join {
    fn from(how: ReductionOp) -> Join {
        match how {
            ReductionOp::Add => Join::Add,
            ReductionOp::Min => Join::Min,
            ReductionOp::Max => Join::Max,
            ReductionOp::Inc => Join::Inc,
            ReductionOp::Dec => Join::Dec,
            ReductionOp::And => Join::And,
            ReductionOp::Or => Join::Or,
            ReductionOp::Xor => Join::Xor,
        }
    }
}

impl From<SemaphoreReduction> for Join {
    fn from(how: SemaphoreReduction) -> Join {
        match how {
            SemaphoreReduction::Min => Join::Min,
            SemaphoreReduction::Max => Join::Max,
            SemaphoreReduction::Xor => Join::Xor,
            SemaphoreReduction::And => Join::And,
            SemaphoreReduction::Or => Join::Or,
            SemaphoreReduction::Add => Join::Add,
            SemaphoreReduction::Inc => Join::Inc,
            SemaphoreReduction::Dec => Join::Dec,
            SemaphoreReduction::FloatAdd => Join::FloatAdd,
        }
    }
}

/// What is done to memory when work has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// GPU address.
    pub address: u64,
    /// What is stored or joined.
    pub payload: u32,
    /// How.
    pub form: Form,
}

/// The form of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The payload.
    OneWord,
    /// Payload, zero, time in nanoseconds.
    FourWords,
    /// The word in memory joined with the payload, as signed numbers or not.
    Join(Join, bool),
}

impl Release {
    /// Does it. `what` is for faults.
    pub fn perform(&self, core: &mut Core, what: &str) {
        match self.form {
            Form::OneWord => core.write_bytes(self.address, &self.payload.to_le_bytes(), what),
            Form::FourWords => core.write_report(self.address, self.payload.into(), what),
            Form::Join(how, signed) => {
                let value = core.read_word(self.address, what);
                let value = how.apply(signed, value, self.payload);
                core.write_bytes(self.address, &value.to_le_bytes(), what);
            }
        }
    }
}
