//! Resources that programs use besides their inputs: constants, textures, images, memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32};

use smallvec::SmallVec;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, GlobalMemory, Image};
use triglyph_guest::kernel::program::sampler::Texture;

use super::texture_binding::TextureBinding;
use crate::cache::image::DecodedImage;
use crate::mem::{GuestAddr, GuestRange, Memory};

/// Resources that the programs of a stage use in a draw, as registers declare them.
#[derive(Clone, Debug, Default)]
pub struct DeclaredResources {
    /// Address space.
    pub space: u32,
    /// Constant buffers as they were when the draw came, as far as the program reads them.
    pub constants: [Option<Constants>; CONSTANT_BUFFERS],
    /// Textures, as the key numbers them.
    pub textures: Arc<[Option<TextureBinding>]>,
    /// Images, as the key numbers them.
    pub images: Arc<[Option<ImageBinding>]>,
    /// Handles of textures, then of images.
    pub handles: Arc<[u32]>,
    /// 1 or -1.
    pub y_direction: f32,
    /// Value of the clock registers when a warp begins.
    pub clock: u64,
    /// Whether the program may run long, or without end.
    pub loops: bool,
    /// Whether the program reads memory by address.
    pub loads: bool,
    /// Whether the program reads memory by address, or images.
    pub reads: bool,
    /// Whether the program writes memory or images: then what comes before must be done before, and tiles are drawn in
    /// order.
    pub writes: bool,
}

/// Bytes of a constant buffer, which nothing changes any more.
pub type Constants = Arc<[AtomicU8]>;

/// An image that a program reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct ImageBinding {
    /// Address of its first element.
    pub place: GuestAddr,
    /// Bytes from there on that belong to it.
    pub size: u64,
    /// The image without its memory.
    pub image: Image<'static>,
}

impl ImageBinding {
    fn window<'m>(&self, memory: &'m Memory) -> Window<'m> {
        let window = memory.writable(self.place);
        window.first(usize::try_from(self.size).unwrap_or(usize::MAX))
    }
}

/// Resources whose memory is mapped, for calls of kernels.
#[derive(Debug)]
pub struct MappedResources<'a> {
    constants: [Window<'a>; CONSTANT_BUFFERS],
    textures: SmallVec<[Texture<'a>; 4]>,
    images: SmallVec<[Image<'a>; 1]>,
    handles: &'a [u32],
    y_direction: f32,
    clock: u64,
}

impl DeclaredResources {
    /// Maps the memory of the resources; `decoded` are its textures in the same order.
    pub fn map<'a>(&'a self, decoded: &'a [Option<Arc<DecodedImage>>], memory: &'a Memory) -> MappedResources<'a> {
        let constants = |i: usize| self.constants[i].as_ref().map_or(Window::default(), |bytes| Window::new(bytes));
        let texture =
            |(binding, image): (&Option<TextureBinding>, &'a Option<Arc<DecodedImage>>)| match (binding, image) {
                (Some(binding), Some(image)) => binding.texture(image),
                _ => Texture::default(),
            };
        let image = |binding: &Option<ImageBinding>| {
            binding
                .as_ref()
                .map_or(Image::default(), |binding| Image { window: binding.window(memory), ..binding.image })
        };
        MappedResources {
            constants: std::array::from_fn(constants),
            textures: self.textures.iter().zip(decoded).map(texture).collect(),
            images: self.images.iter().map(image).collect(),
            handles: &self.handles,
            y_direction: self.y_direction,
            clock: self.clock,
        }
    }

    /// The memory of all images.
    pub fn image_windows<'m>(&self, memory: &'m Memory) -> impl Iterator<Item = Window<'m>> {
        self.images.iter().flatten().map(|image| image.window(memory))
    }

    /// The ranges of all images.
    pub fn image_ranges(&self) -> impl Iterator<Item = GuestRange> {
        self.images.iter().flatten().map(|image| image.place.range(image.size))
    }

    /// Notes what a program may have written into images.
    pub fn mark_written(&self, memory: &Memory) {
        for &ImageBinding { place, size, .. } in self.images.iter().flatten().filter(|_| self.writes) {
            let mapped = memory.writable(place).len() as u64;
            memory.mark_written(place.range(mapped.min(size)));
        }
    }
}

impl MappedResources<'_> {
    /// The environment for a call of a kernel. What it counts beyond the words of its code goes nowhere.
    pub fn environment<'e>(
        &'e self,
        memory: &'e dyn GlobalMemory,
        [exhausted, reserve]: [&'e AtomicU32; 2],
    ) -> Environment<'e> {
        Environment {
            constants: &self.constants,
            textures: &self.textures,
            images: &self.images,
            handles: self.handles,
            memory,
            y_direction: self.y_direction,
            clock: self.clock,
            exhausted,
            excess: Environment::NONE.excess,
            reserve,
        }
    }
}
