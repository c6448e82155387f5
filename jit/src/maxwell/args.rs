//! Arguments of compiled Maxwell code.

use std::mem::size_of;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::PixelCode;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, ImageKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::stage::ShaderKey;
use triglyph_guest::tegra::shader::operand::Constant;

use super::direct::{Bytes, Mapped, UsedRange};
use super::emitted::Emitted;
use super::image::{self, HandleEntry};
use super::image_direct::{DirectImage, used_image};
use super::vectors::VECTORS;
use super::{Needs, ResourceKeys};
use crate::pixel::sample::programs::args::TextureArgs;

/// Arguments common to programs of all stages. Pointers are valid while the code runs.
#[repr(C, align(64))]
pub struct Context {
    /// Words of constant buffers, four times each, as [`Needs::constants`] says.
    pub table: *const [u32; 4],
    /// Arguments of the textures that are read, in order.
    pub textures: *const TextureArgs,
    /// Constant buffers.
    pub constants: [Bytes; CONSTANT_BUFFERS],
    /// Mapping that each global access found last, one for each instruction.
    pub mapped: *mut Mapped,
    pub mapped_count: u64,
    /// Lane values that are kept between blocks.
    pub storage: *mut [u32; 4],
    /// Keys of the images.
    pub images: *const Option<ImageKey>,
    pub image_count: u64,
    /// The same images for code that finds texels itself.
    pub direct_images: *const DirectImage,
    /// What was used of them, in grids: of each what was loaded and what was stored.
    pub used_images: *mut UsedRange,
    /// Tables from handles to textures and to images.
    pub known: [HandleTable; 2],
    /// The environment, for libcalls.
    pub environment: *const Environment<'static>,
    /// Local memory of the four lanes, one after the other.
    pub local: *mut u8,
    /// Local memory of all lanes of a warp.
    pub all_local: *mut u8,
    /// Shared memory of a block of threads.
    pub shared: *mut u8,
    pub shared_bytes: u64,
    pub shared_direct: Bytes,
    /// Vertices that the lanes emit, in geometry programs.
    pub emitted: *mut Emitted,
    /// Bytes of storage of a warp slice.
    pub slice_bytes: u64,
    /// Bytes of local memory of a lane.
    pub local_bytes: u32,
    /// Instructions that the lanes have executed together.
    pub count: u32,
    /// Whether the warp that runs is out of fuel: 1, else 0.
    pub over: u32,
    /// Warps that ran out of fuel.
    pub exhausted: u32,
    /// Bits of the environment's y direction.
    pub y_direction: u32,
    /// The environment's clock: lower word, upper word.
    pub clock: [u32; 2],
    /// Arguments and results of libcalls.
    pub vectors: [[u32; 4]; VECTORS],
}

/// A table from handles to resources.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HandleTable {
    pub first: *const HandleEntry,
    pub count: u64,
}

/// Of the storage in memory, in bytes: slots of two quads are loaded at once, and should not lie in two cache lines.
const STORAGE_ALIGNMENT: usize = 64;

/// State that does not change during a job.
pub struct Prepared {
    table: Vec<[u32; 4]>,
    textures: Vec<TextureArgs>,
    images: Vec<Option<ImageKey>>,
    direct_images: Vec<DirectImage>,
    used_images: Vec<UsedRange>,
    known: [Vec<HandleEntry>; 2],
    mapped: Vec<Mapped>,
    storage: Vec<[u32; 4]>,
    local: Vec<u8>,
}

impl Prepared {
    /// Reads constants and textures of a job.
    pub fn new(
        needs: &Needs,
        resources: ResourceKeys<'_>,
        local_bytes: u32,
        environment: &Environment<'_>,
    ) -> Result<Prepared, Unsupported> {
        let table = needs.constants.iter().map(|constant| [word(environment, *constant); 4]).collect();
        if environment.textures.len() < resources.textures.len() {
            return Err(Unsupported("textures that are not there"));
        }
        let key = |n: usize| resources.textures.get(n).and_then(Option::as_ref);
        let textures = needs
            .textures
            .iter()
            .map(|&n| TextureArgs::new(key(n).ok_or(Unsupported("a texture without a key"))?, &environment.textures[n]))
            .collect::<Result<_, _>>()?;
        // Loads of lanes that do not load are at the beginning of each lane's.
        let local = if needs.local { 4 * local_bytes as usize + 16 } else { 0 };
        Ok(Prepared {
            table,
            textures,
            images: resources.images.to_vec(),
            direct_images: resources
                .images
                .iter()
                .enumerate()
                .map(|(n, key)| DirectImage::new(key.as_ref(), environment.images.get(n)))
                .collect(),
            used_images: vec![UsedRange::NONE; used_image(resources.images.len(), false)],
            known: [texture_handles(needs, resources, environment), image_handles(needs, resources, environment)],
            mapped: vec![Mapped::none(); needs.mapped as usize],
            storage: storage(needs.slots),
            local: vec![0; local],
        })
    }

    /// The arguments of the code. `self` and `environment` have to outlive its run.
    pub fn context(&mut self, local_bytes: u32, environment: &Environment<'_>) -> Context {
        let aligned = self.storage.as_ptr().align_offset(STORAGE_ALIGNMENT);
        Context {
            table: self.table.as_ptr(),
            textures: self.textures.as_ptr(),
            constants: environment.constants.each_ref().map(Bytes::of),
            mapped: self.mapped.as_mut_ptr(),
            mapped_count: self.mapped.len() as u64,
            storage: self.storage.as_mut_ptr().wrapping_add(aligned.min(STORAGE_ALIGNMENT / 16)),
            images: self.images.as_ptr(),
            image_count: self.images.len() as u64,
            direct_images: self.direct_images.as_ptr(),
            used_images: self.used_images.as_mut_ptr(),
            known: self.known.each_ref().map(|list| HandleTable { first: list.as_ptr(), count: list.len() as u64 }),
            environment: std::ptr::from_ref(environment).cast(),
            local: self.local.as_mut_ptr(),
            all_local: self.local.as_mut_ptr(),
            shared: std::ptr::NonNull::dangling().as_ptr(),
            shared_bytes: 0,
            shared_direct: Bytes::none(),
            emitted: std::ptr::null_mut(),
            slice_bytes: 0,
            local_bytes: if self.local.is_empty() { 0 } else { local_bytes },
            count: 0,
            over: 0,
            exhausted: 0,
            y_direction: environment.y_direction.to_bits(),
            clock: [environment.clock as u32, (environment.clock >> 32) as u32],
            vectors: [[0; 4]; VECTORS],
        }
    }
}

impl Prepared {
    /// Reports the effects of a job: the memory that it has written, how many warps ran out of fuel.
    pub fn finish(&mut self, context: &Context, environment: &Environment<'_>) {
        self.report_used(environment);
        environment.exhausted.fetch_add(context.exhausted, Relaxed);
    }

    /// Reports which memory was used so far. Mappings stay.
    pub fn report_used(&mut self, environment: &Environment<'_>) {
        self.mapped.iter_mut().for_each(|mapped| mapped.finish(environment));
        for (image, ranges) in self.used_images.chunks_exact_mut(2).enumerate() {
            for (range, stores) in ranges.iter_mut().zip([false, true]) {
                if let Some(texels) = range.take() {
                    environment.memory.note_image(image, texels, stores);
                }
            }
        }
    }
}

/// Storage of so many slots, and as much more as alignment takes.
fn storage(slots: usize) -> Vec<[u32; 4]> {
    if slots == 0 { Vec::new() } else { vec![[0; 4]; slots + STORAGE_ALIGNMENT / 16] }
}

/// The handle table of textures, if the program looks them up by handle. Indices are into the textures that are read.
fn texture_handles(needs: &Needs, resources: ResourceKeys<'_>, environment: &Environment<'_>) -> Vec<HandleEntry> {
    if !needs.any_texture {
        return Vec::new();
    }
    let kinds = resources.texture_kinds();
    let place = |n: usize| needs.textures.iter().position(|&known| known == n);
    let all = resources.textures.iter().zip(environment.handles).enumerate();
    all.map(|(n, (key, &handle))| {
        let kind = key.as_ref().and_then(|key| kinds.iter().position(|kind| *kind == key));
        let found = place(n).zip(kind);
        let (place, kind) = found.map_or((-1, -1), |(place, kind)| (place as i32, kind as i32));
        HandleEntry { handle, index: place, kind }
    })
    .collect()
}

/// As [`texture_handles`]; indices are into the key's images.
fn image_handles(needs: &Needs, resources: ResourceKeys<'_>, environment: &Environment<'_>) -> Vec<HandleEntry> {
    if !needs.any_image {
        return Vec::new();
    }
    let formats = image::formats(resources.images);
    let handles = environment.handles.get(resources.textures.len()..).unwrap_or(&[]);
    let all = resources.images.iter().zip(handles).enumerate();
    all.map(|(n, (key, &handle))| {
        let kind = key.as_ref().and_then(|key| formats.iter().position(|format| *format == key.format));
        let (place, kind) = kind.map_or((-1, -1), |kind| (n as i32, kind as i32));
        HandleEntry { handle, index: place, kind }
    })
    .collect()
}

/// A word of a constant buffer.
fn word(environment: &Environment<'_>, constant: Constant) -> u32 {
    let slot = usize::from(constant.slot);
    if slot < CONSTANT_BUFFERS { environment.constants[slot].read_word(constant.offset.into(), 4) } else { 0 }
}

/// Offset of the arguments of read texture number `index`.
pub const fn texture_at(index: usize) -> i32 {
    (index * size_of::<TextureArgs>()) as i32
}

impl<'k> ResourceKeys<'k> {
    /// The resources of a stage's program.
    pub fn of(key: &'k ShaderKey) -> Self {
        ResourceKeys { textures: &key.textures, images: &key.images }
    }

    /// The resources of a pixel program.
    pub fn of_pixels(code: &'k PixelCode) -> Self {
        ResourceKeys { textures: &code.textures, images: &code.images }
    }

    /// The key of a texture.
    pub fn texture(&self, index: u8) -> Option<&'k TextureKey> {
        self.textures.get(usize::from(index))?.as_ref()
    }

    /// The keys of textures, each once.
    pub fn texture_kinds(&self) -> Vec<&'k TextureKey> {
        let mut kinds = Vec::new();
        for key in self.textures.iter().flatten() {
            if !kinds.contains(&key) {
                kinds.push(key);
            }
        }
        kinds
    }
}
