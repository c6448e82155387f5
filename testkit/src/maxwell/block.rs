//! Maxwell programs as compute programs of one block of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment};
use triglyph_guest::kernel::program::stage::{Blocks, ShaderJob, ShaderKey, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::{Unsupported, Window};

use super::{Memory, World};

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
    let mut windows = [Window::default(); CONSTANT_BUFFERS];
    for (window, bytes) in windows.iter_mut().zip(&world.constants) {
        *window = Window::new(bytes);
    }
    let memory = Memory::new(world.memory.clone());
    let (exhausted, reserve) = (AtomicU32::new(0), AtomicU32::new(reserve));
    let excess = AtomicU64::new(0);
    let (textures, image_memory) = (world.units.job_textures(), world.units.memory());
    let images = world.units.job_images(&image_memory);
    let environment = Environment {
        constants: &windows,
        textures: &textures,
        images: &images,
        handles: &world.units.handles,
        memory: &memory,
        y_direction: 1.0,
        clock: 0xFFFF_FFF0,
        exhausted: &exhausted,
        excess: &excess,
        reserve: &reserve,
    };
    let mut shared = vec![0xAA; shared];
    let work = Work::Blocks(Blocks::new(&[[3, 2, 1]], threads, &mut shared));
    kernel.run(&mut ShaderJob { environment, work })?;
    let [exhausted, reserve] = [exhausted, reserve].map(AtomicU32::into_inner);
    Ok(Left {
        memory: memory.into_bytes(),
        shared,
        images: image_memory.bytes(),
        exhausted,
        excess: excess.into_inner(),
        reserve,
    })
}
