//! The memory of random functions.

use super::choices::Choices;
use super::program::{Area, LOOPS};

/// Items of a loop at most.
pub(super) const ITEMS: usize = 8;
/// Iterations that are done at once at most.
pub(super) const AT_ONCE: usize = 4;
/// Counters that each iteration has for itself.
pub(super) const COUNTERS: usize = 2;
/// Functions that code may call.
pub(super) const FUNCTIONS: usize = 4;
/// Slots of an iteration's storage, 16 bytes each.
pub(super) const SLOTS: usize = 4;
/// Bytes from an iteration's storage to that of the next one at most.
pub(super) const MAX_DISTANCE: usize = 128;

/// What an item is given and what it leaves.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
pub(super) struct Item {
    pub from: [u8; 128],
    pub to: [u8; 256],
}

/// The arguments of a function.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
pub(super) struct Memory {
    /// The items of each loop, a bit for each.
    pub items: [u64; LOOPS],
    /// Addresses of functions.
    pub functions: [u64; FUNCTIONS],
    /// What functions leave.
    pub log: [u64; 2],
    pub shared: [u8; 256],
    pub outside: [u8; 256],
    /// Lanes of 32 bits.
    pub counters: [[[u32; 4]; 2 * AT_ONCE]; COUNTERS],
    pub scratch: [u8; AT_ONCE * MAX_DISTANCE],
    pub list: [Item; ITEMS],
}

/// Offset of a field in [`Memory`].
macro_rules! at {
    ($($field:tt)+) => {
        std::mem::offset_of!(Memory, $($field)+) as i32
    };
}
pub(super) use at;

/// Offsets of what the first item is given and of what it leaves, in [`Memory`].
pub(super) const FROM: i32 = at!(list) + std::mem::offset_of!(Item, from) as i32;
pub(super) const TO: i32 = at!(list) + std::mem::offset_of!(Item, to) as i32;

/// Bytes of a counter of all iterations.
pub(super) const COUNTER: i32 = size_of::<[[u32; 4]; 2 * AT_ONCE]>() as i32;

/// Bytes of an item.
pub(super) const STRIDE: i64 = size_of::<Item>() as i64;

impl Area {
    /// Bytes that an instruction may access.
    pub fn size(self) -> usize {
        match self {
            Area::From => 128,
            Area::Shared | Area::To | Area::Outside => 256,
            Area::Scratch => 16 * SLOTS,
        }
    }
}

impl Memory {
    /// What a seed names. `functions` are what code may call.
    pub fn new(seed: u64, functions: [u64; FUNCTIONS]) -> Box<Memory> {
        let mut choices = Choices::new(seed);
        let mut memory: Box<Memory> = bytemuck::zeroed_box();
        for chunk in bytemuck::bytes_of_mut(&mut *memory).chunks_exact_mut(16) {
            chunk.copy_from_slice(&choices.bytes());
        }
        memory.functions = functions;
        for items in &mut memory.items {
            *items = match choices.below(4) {
                0 => 0xFF,
                1 => u64::from(choices.word() & choices.word() & 0xFF),
                _ => u64::from(choices.word() & 0xFF),
            };
        }
        memory
    }

    /// What must be equal after a function, however many iterations were done at once: their storage holds nothing of
    /// interest, and their counters are added up, of which there may be one in two places.
    pub fn settled(mut self: Box<Self>, has_gaps: bool) -> Box<Self> {
        self.scratch.fill(0);
        for counter in &mut self.counters {
            let of_iterations = counter.iter_mut().step_by(if has_gaps { 2 } else { 1 }).take(AT_ONCE);
            let mut sum = [0u32; 4];
            for lanes in of_iterations {
                sum = std::array::from_fn(|lane| sum[lane].wrapping_add(lanes[lane]));
                *lanes = [0; 4];
            }
            counter[0] = sum;
        }
        self
    }

    pub fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
}
