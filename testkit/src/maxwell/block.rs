//! Maxwell programs as compute programs of one block of threads.

use std::sync::Arc;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::stage::{Blocks, ShaderKey, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;

use super::{Effects, World};

/// The key of a compute program.
pub fn compute_key(code: Code) -> ShaderKey {
    ShaderKey {
        stage: Stage::Compute,
        code: Arc::new(code),
        inputs: WordSet::EMPTY,
        outputs: WordSet::EMPTY,
        textures: Vec::new(),
        images: Vec::new(),
    }
}

/// Effects of a block: global memory, shared memory, images, warps that ran out of fuel, what is left of the reserve.
#[derive(Debug, PartialEq)]
pub struct Left {
    pub memory: Vec<u8>,
    pub shared: Vec<u8>,
    pub images: Vec<Vec<u8>>,
    pub exhausted: u32,
    /// Instructions that warps have counted beyond the words of their code.
    pub excess: u64,
    pub reserve: u32,
}

impl Left {
    /// Word `n` of global memory.
    pub fn word(&self, n: usize) -> u32 {
        u32::from_le_bytes(self.memory[4 * n..4 * n + 4].try_into().unwrap())
    }
}

/// Runs one block.
pub fn run_block(
    tier: &dyn Tier,
    key: &ShaderKey,
    world: &World,
    threads: [u32; 3],
    shared: usize,
) -> Result<Left, Unsupported> {
    run_block_with(tier, key, world, threads, (shared, 0))
}

/// Runs one block with so many bytes of shared memory and so many units of fuel in reserve.
pub fn run_block_with(
    tier: &dyn Tier,
    key: &ShaderKey,
    world: &World,
    threads: [u32; 3],
    (shared, reserve): (usize, u32),
) -> Result<Left, Unsupported> {
    let kernel = tier.shader(key)?;
    let mut shared = vec![0xAA; shared];
    let work = Work::Blocks(Blocks::new(&[[3, 2, 1]], threads, &mut shared));
    let Effects { memory, images, counted: (exhausted, excess), reserve, .. } =
        world.run(&*kernel, work, (1.0, reserve))?;
    Ok(Left { memory, shared, images, exhausted, excess, reserve })
}
