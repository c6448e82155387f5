//! Launch descriptors (QMD): program, size and resources of a compute grid.
//!
//! Source: NVIDIA clb1c0qmd.h. Drivers leave both version fields 0, so no descriptor is refused for them.

pub mod fields;

use crate::table::WordField;
use crate::tegra::methods::values::{ReductionFormat, ReductionOp, StructSize};

/// Bytes of a descriptor, and what its address is a multiple of.
pub const BYTES: u32 = 256;

/// Words of a descriptor.
pub type Words = [u32; 64];

/// Constant buffers of a descriptor.
pub const CONSTANT_BUFFERS: usize = 8;

/// Threads of a block at most.
pub const MAX_THREADS: u32 = 1024;

/// A constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConstantBuffer {
    /// GPU virtual address, 40 bits.
    pub address: u64,
    /// Bytes, 0 to 131071.
    pub size: u32,
}

/// A semaphore that is released when the grid has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Release {
    /// GPU virtual address, 40 bits.
    pub address: u64,
    /// The payload.
    pub payload: u32,
    /// Four words or one.
    pub size: StructSize,
    /// How memory and payload are joined; `None` stores the payload.
    pub reduction: Option<(ReductionOp, ReductionFormat)>,
}

/// A grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Where the code begins, bytes from the program region; there is no header.
    pub program_offset: u32,
    /// Blocks x, y, z. With 0 in any of them nothing runs.
    pub grid: [u32; 3],
    /// Threads of a block x, y, z, 0 to 65535 each; at most 1024 in all in valid descriptors.
    pub block: [u32; 3],
    /// Bytes of shared memory of a block, 0 to 262143.
    pub shared_memory: u32,
    /// Bytes of local memory of a thread.
    pub local_memory: u32,
    /// Barriers of a block.
    pub barriers: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// The constant buffers that are there.
    pub constant_buffers: [Option<ConstantBuffer>; CONSTANT_BUFFERS],
    /// Whether a sampler's index is its header's.
    pub sampler_via_header: bool,
    /// Releases that happen.
    pub releases: [Option<Release>; 2],
}

impl Launch {
    /// Reads a descriptor.
    pub fn decode(words: &Words) -> Launch {
        use fields::*;
        let get = |field: WordField| field.get(words);
        Launch {
            program_offset: get(PROGRAM_OFFSET),
            grid: [CTA_RASTER_WIDTH, CTA_RASTER_HEIGHT, CTA_RASTER_DEPTH].map(get),
            block: [CTA_THREAD_DIMENSION0, CTA_THREAD_DIMENSION1, CTA_THREAD_DIMENSION2].map(get),
            shared_memory: get(SHARED_MEMORY_SIZE),
            local_memory: get(SHADER_LOCAL_MEMORY_LOW_SIZE) + get(SHADER_LOCAL_MEMORY_HIGH_SIZE),
            barriers: get(BARRIER_COUNT),
            registers: get(REGISTER_COUNT),
            constant_buffers: std::array::from_fn(|index| constant_buffer(words, index)),
            sampler_via_header: SAMPLER_INDEX.is_set(words),
            releases: [release(words, 0), release(words, 1)],
        }
    }

    /// Threads of a block.
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|&n| u64::from(n)).product()
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u128 {
        self.grid.iter().map(|&n| u128::from(n)).product()
    }
}

/// `field`, `words` words further on.
const fn further(field: WordField, words: usize) -> WordField {
    WordField { word: field.word + words, ..field }
}

fn constant_buffer(words: &Words, index: usize) -> Option<ConstantBuffer> {
    use fields::*;
    let valid = words[CONSTANT_BUFFER_VALID.word] >> (CONSTANT_BUFFER_VALID.lo as usize + index) & 1 != 0;
    let get = |field| further(field, 2 * index).get(words);
    let (high, low) = (get(CONSTANT_BUFFER_ADDR_UPPER), get(CONSTANT_BUFFER_ADDR_LOWER));
    let address = u64::from(high) << 32 | u64::from(low);
    valid.then(|| ConstantBuffer { address, size: get(CONSTANT_BUFFER_SIZE) })
}

fn release(words: &Words, index: usize) -> Option<Release> {
    use fields::*;
    let enabled = [SEMAPHORE_RELEASE_ENABLE0, SEMAPHORE_RELEASE_ENABLE1][index & 1].is_set(words);
    let get = |field| further(field, 3 * (index & 1)).get(words);
    let (high, low) = (get(RELEASE0_ADDRESS_UPPER), get(RELEASE0_ADDRESS_LOWER));
    let op = ReductionOp::from_register(get(RELEASE0_REDUCTION_OP)).unwrap_or(ReductionOp::Add);
    let format = ReductionFormat::from_register(get(RELEASE0_REDUCTION_FORMAT)).unwrap_or(ReductionFormat::Unsigned32);
    enabled.then(|| Release {
        address: u64::from(high) << 32 | u64::from(low),
        payload: get(RELEASE0_PAYLOAD),
        size: StructSize::from_register(get(RELEASE0_STRUCTURE_SIZE)).unwrap_or(StructSize::FourWords),
        reduction: (get(RELEASE0_REDUCTION_ENABLE) != 0).then_some((op, format)),
    })
}
