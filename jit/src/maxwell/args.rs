//! Arguments of compiled Maxwell code.

use std::cell::RefCell;
use std::mem::size_of;
use std::sync::atomic::Ordering::Relaxed;

use smallvec::SmallVec;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{FUEL, PixelCode};
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, ImageKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::stage::ShaderKey;
use triglyph_guest::tegra::shader::operand::Constant;

use super::direct_args::{Bytes, DirectImage, Mapped, UsedRange, used_image};
use super::emitted::Emitted;
use super::image::{self, HandleEntry};
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
    /// Instructions that warps have counted beyond the words of the code.
    pub excess: u64,
    /// Bytes of storage of two warp slices.
    pub pair_bytes: u64,
    /// Bytes of local memory of a lane.
    pub local_bytes: u32,
    /// Instructions that the lanes have executed together.
    pub count: u32,
    /// Instructions that they may execute: of a warp, or of each quad of the block that is drawn.
    pub limit: u32,
    /// Units of fuel in reserve, without what quads of this call have taken.
    pub reserve: u32,
    /// Whether the warp that runs is out of fuel: 1, else 0. Slices that are executed at once have one each.
    pub over: [u32; 2],
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
    lists: Lists,
    local: Vec<u8>,
}

/// Its lists. Their memory is used again by the thread's next job.
#[derive(Default)]
struct Lists {
    table: Vec<[u32; 4]>,
    textures: Vec<TextureArgs>,
    images: Vec<Option<ImageKey>>,
    direct_images: Vec<DirectImage>,
    used_images: Vec<UsedRange>,
    known: [Vec<HandleEntry>; 2],
    mapped: Vec<Mapped>,
    storage: Vec<[u32; 4]>,
}

/// Lists that a thread keeps: kernels do not call each other.
const MAX_KEPT: usize = 2;

thread_local! {
    static SPARE: RefCell<Vec<Lists>> = const { RefCell::new(Vec::new()) };
}

impl Lists {
    /// Empty lists.
    fn take() -> Lists {
        SPARE.with_borrow_mut(Vec::pop).unwrap_or_default()
    }

    /// Empties the lists and keeps them for the next job.
    fn put_back(mut self) {
        let Lists { table, textures, images, direct_images, used_images, known, mapped, storage } = &mut self;
        table.clear();
        textures.clear();
        images.clear();
        direct_images.clear();
        used_images.clear();
        known.iter_mut().for_each(Vec::clear);
        mapped.clear();
        storage.clear();
        // A thread that ends has none any more.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MAX_KEPT {
                spare.push(self);
            }
        });
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        std::mem::take(&mut self.lists).put_back();
    }
}

impl Prepared {
    /// Reads constants and textures of a job.
    pub fn new(
        needs: &Needs,
        resources: ResourceKeys<'_>,
        local_bytes: u32,
        environment: &Environment<'_>,
    ) -> Result<Prepared, Unsupported> {
        if environment.textures.len() < resources.textures.len() {
            return Err(Unsupported("textures that are not there"));
        }
        let mut lists = Lists::take();
        lists.table.extend(needs.constants.iter().map(|constant| [word(environment, *constant); 4]));
        for &n in &needs.textures {
            let key =
                resources.textures.get(n).and_then(Option::as_ref).ok_or(Unsupported("a texture without a key"))?;
            lists.textures.push(TextureArgs::new(key, &environment.textures[n])?);
        }
        lists.images.extend_from_slice(resources.images);
        let images = resources.images.iter().enumerate();
        lists.direct_images.extend(images.map(|(n, key)| DirectImage::new(key.as_ref(), environment.images.get(n))));
        lists.used_images.resize(used_image(resources.images.len(), false), UsedRange::NONE);
        let [textures, images] = &mut lists.known;
        texture_handles(textures, needs, resources, environment);
        image_handles(images, needs, resources, environment);
        lists.mapped.resize(needs.mapped as usize, Mapped::none());
        if needs.slots > 0 {
            // As much more as alignment takes.
            lists.storage.resize(needs.slots + STORAGE_ALIGNMENT / 16, [0; 4]);
        }
        // Loads of lanes that do not load are at the beginning of each lane's.
        let local = if needs.local { 4 * local_bytes as usize + 16 } else { 0 };
        Ok(Prepared { lists, local: vec![0; local] })
    }

    /// The arguments of the code. `self` and `environment` have to outlive its run.
    pub fn context(&mut self, local_bytes: u32, environment: &Environment<'_>) -> Context {
        let lists = &mut self.lists;
        let aligned = lists.storage.as_ptr().align_offset(STORAGE_ALIGNMENT);
        Context {
            table: lists.table.as_ptr(),
            textures: lists.textures.as_ptr(),
            constants: environment.constants.each_ref().map(Bytes::of_constants),
            mapped: lists.mapped.as_mut_ptr(),
            mapped_count: lists.mapped.len() as u64,
            storage: lists.storage.as_mut_ptr().wrapping_add(aligned.min(STORAGE_ALIGNMENT / 16)),
            images: lists.images.as_ptr(),
            image_count: lists.images.len() as u64,
            direct_images: lists.direct_images.as_ptr(),
            used_images: lists.used_images.as_mut_ptr(),
            known: lists.known.each_ref().map(|list| HandleTable { first: list.as_ptr(), count: list.len() as u64 }),
            environment: std::ptr::from_ref(environment).cast(),
            local: self.local.as_mut_ptr(),
            all_local: self.local.as_mut_ptr(),
            shared: std::ptr::NonNull::dangling().as_ptr(),
            shared_bytes: 0,
            shared_direct: Bytes::none(),
            emitted: std::ptr::null_mut(),
            excess: 0,
            pair_bytes: 0,
            local_bytes: if self.local.is_empty() { 0 } else { local_bytes },
            count: 0,
            limit: FUEL,
            reserve: environment.reserve.load(Relaxed),
            over: [0; 2],
            exhausted: 0,
            y_direction: environment.y_direction.to_bits(),
            clock: [environment.clock as u32, (environment.clock >> 32) as u32],
            vectors: [[0; 4]; VECTORS],
        }
    }
}

impl Prepared {
    /// Reports the effects of a job: the memory that it has written, how many warps ran out of fuel, what they counted.
    pub fn finish(&mut self, context: &Context, environment: &Environment<'_>) {
        self.report_used(environment);
        environment.exhausted.fetch_add(context.exhausted, Relaxed);
        environment.excess.fetch_add(context.excess, Relaxed);
    }

    /// Reports which memory was used so far. Mappings stay.
    pub fn report_used(&mut self, environment: &Environment<'_>) {
        self.lists.mapped.iter_mut().for_each(|mapped| mapped.finish(environment));
        for (image, ranges) in self.lists.used_images.chunks_exact_mut(2).enumerate() {
            for (range, stores) in ranges.iter_mut().zip([false, true]) {
                if let Some(texels) = range.take() {
                    environment.memory.note_image(image, texels, stores);
                }
            }
        }
    }
}

/// Fills the handle table of textures, if the program looks them up by handle. Indices are into the textures that are
/// read.
fn texture_handles(
    to: &mut Vec<HandleEntry>,
    needs: &Needs,
    resources: ResourceKeys<'_>,
    environment: &Environment<'_>,
) {
    if !needs.any_texture {
        return;
    }
    let kinds = resources.texture_kinds();
    let place = |n: usize| needs.textures.iter().position(|&known| known == n);
    let all = resources.textures.iter().zip(environment.handles).enumerate();
    to.extend(all.map(|(n, (key, &handle))| {
        let kind = key.as_ref().and_then(|key| kinds.iter().position(|kind| *kind == key));
        let found = place(n).zip(kind);
        let (place, kind) = found.map_or((-1, -1), |(place, kind)| (place as i32, kind as i32));
        HandleEntry { handle, index: place, kind }
    }));
}

/// As [`texture_handles`]; indices are into the key's images.
fn image_handles(to: &mut Vec<HandleEntry>, needs: &Needs, resources: ResourceKeys<'_>, environment: &Environment<'_>) {
    if !needs.any_image {
        return;
    }
    let formats = image::formats(resources.images);
    let handles = environment.handles.get(resources.textures.len()..).unwrap_or(&[]);
    let all = resources.images.iter().zip(handles).enumerate();
    to.extend(all.map(|(n, (key, &handle))| {
        let kind = key.as_ref().and_then(|key| formats.iter().position(|format| *format == key.format));
        let (place, kind) = kind.map_or((-1, -1), |kind| (n as i32, kind as i32));
        HandleEntry { handle, index: place, kind }
    }));
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
    pub fn texture_kinds(&self) -> SmallVec<[&'k TextureKey; 8]> {
        let mut kinds = SmallVec::new();
        for key in self.textures.iter().flatten() {
            if !kinds.contains(&key) {
                kinds.push(key);
            }
        }
        kinds
    }
}
