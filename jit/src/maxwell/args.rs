//! What code is called with.

use std::mem::size_of;

use triglyph_guest::kernel::Refused;
use triglyph_guest::kernel::maxwell::{CONSTANT_BUFFERS, Environment};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::tegra::shader::operand::Constant;

use super::geometry::Emitted;
use super::{Needs, Units};
use crate::program::args::TextureArgs;

/// Vectors that a call of a function takes and gives.
pub const VECTORS: usize = 24;

/// What programs of all stages need. Pointers are valid while the code runs.
#[repr(C, align(64))]
pub struct Context {
    /// Words of constant buffers, four times each, as [`Needs::constants`] says.
    pub table: *const [u32; 4],
    /// Those of the textures that are read, in order.
    pub textures: *const TextureArgs,
    /// What lanes keep between blocks.
    pub storage: *mut [u32; 4],
    /// For functions that are called.
    pub environment: *const Environment<'static>,
    /// Local memory of the four lanes, one after the other.
    pub local: *mut u8,
    /// That of all lanes of a warp.
    pub all_local: *mut u8,
    /// Shared memory of a block of threads.
    pub shared: *mut u8,
    pub shared_bytes: u64,
    /// What lanes emit, in geometry programs.
    pub emitted: *mut Emitted,
    /// Bytes of storage of a part of a warp.
    pub part_bytes: u64,
    /// Bytes of local memory of a lane.
    pub local_bytes: u32,
    /// Instructions that the lanes have executed together.
    pub count: u32,
    /// Warps that ran out of fuel.
    pub exhausted: u32,
    /// Bits of the environment's direction.
    pub y_direction: u32,
    /// Sources and results of functions.
    pub vectors: [[u32; 4]; VECTORS],
}

/// What stays the same during a job.
pub struct Prepared {
    table: Vec<[u32; 4]>,
    textures: Vec<TextureArgs>,
    storage: Vec<[u32; 4]>,
    local: Vec<u8>,
}

impl Prepared {
    /// Reads constants and textures of a job.
    pub fn new(
        needs: &Needs,
        textures: &[Option<TextureKey>],
        local_bytes: u32,
        environment: &Environment<'_>,
    ) -> Result<Prepared, Refused> {
        let table = needs.constants.iter().map(|constant| [word(environment, *constant); 4]).collect();
        if environment.textures.len() < textures.len() {
            return Err(Refused("textures that are not there"));
        }
        let key = |n: usize| textures.get(n).and_then(Option::as_ref);
        let textures = needs
            .textures
            .iter()
            .map(|&n| TextureArgs::new(key(n).ok_or(Refused("a texture without a key"))?, &environment.textures[n]))
            .collect::<Result<_, _>>()?;
        let local = if needs.local { 4 * local_bytes as usize } else { 0 };
        Ok(Prepared { table, textures, storage: vec![[0; 4]; needs.slots.max(1)], local: vec![0; local] })
    }

    /// What code gets. `self` and `environment` have to live while it runs.
    pub fn context(&mut self, local_bytes: u32, environment: &Environment<'_>) -> Context {
        Context {
            table: self.table.as_ptr(),
            textures: self.textures.as_ptr(),
            storage: self.storage.as_mut_ptr(),
            environment: std::ptr::from_ref(environment).cast(),
            local: self.local.as_mut_ptr(),
            all_local: self.local.as_mut_ptr(),
            shared: std::ptr::NonNull::dangling().as_ptr(),
            shared_bytes: 0,
            emitted: std::ptr::null_mut(),
            part_bytes: 0,
            local_bytes: if self.local.is_empty() { 0 } else { local_bytes },
            count: 0,
            exhausted: 0,
            y_direction: environment.y_direction.to_bits(),
            vectors: [[0; 4]; VECTORS],
        }
    }
}

/// A word of a constant buffer.
fn word(environment: &Environment<'_>, constant: Constant) -> u32 {
    let slot = usize::from(constant.slot);
    if slot < CONSTANT_BUFFERS { environment.constants[slot].read_word(constant.offset.into(), 4) } else { 0 }
}

/// Offset of the arguments of the texture that is number `index` of those read.
pub const fn texture_at(index: usize) -> i32 {
    (index * size_of::<TextureArgs>()) as i32
}

impl<'k> Units<'k> {
    /// The key of a texture.
    pub fn texture(&self, index: u8) -> Option<&'k TextureKey> {
        self.textures.get(usize::from(index))?.as_ref()
    }
}
