//! Inputs of draws, for observers that ask for them.

use std::sync::Arc;

use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::vertex as program;
use triglyph_guest::kernel::vertex as fixed;

use crate::cache::image::DecodedImage;
use crate::cache::texture::TextureSource;
use crate::cache::texture_cache::{Source, TextureCache};
use crate::mem::{GuestAddr, GuestRange, Memory};
use crate::scene::program::TextureBinding;
use crate::sched::Scheduler;

/// An input of a draw, or an output of one of its stages. Instances of a draw, and parts of it, follow each other.
#[derive(Debug)]
pub enum Input<'a> {
    /// Vertices before the vertex stage.
    Vertices(&'a Vertices),
    /// Outputs of the last stage before rasterization, and the edges of its primitives.
    Mesh(&'a Mesh),
    /// A texture that a stage may read.
    Texture(&'a BoundTexture<'a>),
    /// Constants of a stage.
    Constants(&'a Constants),
}

/// Maximum number of vertices that are recorded; those that follow are left out.
pub const MAX_VERTICES: usize = 1 << 16;
/// Maximum number of edges of a mesh that are recorded: more than the triangles of a regular mesh of so many vertices
/// have.
pub(crate) const MAX_EDGES: usize = 8 * MAX_VERTICES;

/// Vertices before the vertex stage: each once that the stage was run for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// How many the stage was run for.
    pub count: usize,
    /// Numbers of their elements in arrays, the first [`MAX_VERTICES`] of them.
    pub elements: Vec<u32>,
    /// Their format.
    pub attributes: Vec<Attribute>,
}

/// An attribute of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name: the register or location that programs read.
    pub name: String,
    /// How it is read.
    pub fetch: Fetch,
    /// Its array, if it has one.
    pub array: Option<Array>,
    /// The bytes of its elements, [`Array::bytes`] for each vertex; zeros where there is no memory.
    pub raw: Vec<u8>,
}

/// The array of an attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Array {
    /// Where element 0 is; nowhere if vertices come with the commands.
    pub start: Option<GuestAddr>,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Bytes of an element.
    pub bytes: u32,
    /// Vertices or instances that have the same element, if it is not a vertex's own.
    pub divisor: Option<u32>,
}

/// How an attribute is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Fetch {
    /// By a kernel of the PICA pipeline.
    Fixed(fixed::Component, u8),
    /// By a kernel of vertex programs; whether components are big-endian.
    Program(program::Component, u8, bool),
    /// By the machine: the format, and four words for each vertex; whether these are integers.
    Words(String, Vec<[u32; 4]>, bool),
    /// It is the same for all vertices.
    Constant([f32; 4]),
}

/// Outputs of the last stage before rasterization.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Clip coordinates.
    pub positions: Vec<[f32; 4]>,
    /// How many there are; the first [`MAX_VERTICES`] are in the list.
    pub count: usize,
    /// Numbers of vertices at both ends of each edge; of points twice the same.
    pub edges: Vec<[u32; 2]>,
}

impl Mesh {
    /// Adds an edge, if both ends are recorded.
    pub(crate) fn edge(&mut self, a: u32, b: u32) {
        let is_there = |vertex: u32| (vertex as usize) < self.positions.len();
        if self.edges.len() < MAX_EDGES && is_there(a) && is_there(b) {
            self.edges.push([a, b]);
        }
    }

    /// Adds the edges of a triangle.
    pub(crate) fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            self.edge(from, to);
        }
    }
}

/// Constants that a stage may read.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// Their name.
    pub name: String,
    /// Their kind.
    pub kind: ConstantKind,
    /// Where they are in memory, if they are.
    pub range: Option<GuestRange>,
    /// The words: four for each vector.
    pub words: Vec<u32>,
}

/// The kind of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantKind {
    /// Vectors of four floats.
    Floats,
    /// Vectors of four integers.
    Integers,
    /// Bits, as words of 0 or 1.
    Booleans,
    /// Words of any meaning, at their byte offsets.
    Words,
}

impl ConstantKind {
    /// A short name: `floats`.
    pub const fn name(self) -> &'static str {
        match self {
            ConstantKind::Floats => "floats",
            ConstantKind::Integers => "integers",
            ConstantKind::Booleans => "booleans",
            ConstantKind::Words => "words",
        }
    }
}

impl Constants {
    /// Vectors of floats.
    pub fn floats(name: &str, vectors: &[[f32; 4]]) -> Self {
        let words = vectors.as_flattened().iter().map(|value| value.to_bits()).collect();
        Constants { name: name.to_owned(), kind: ConstantKind::Floats, range: None, words }
    }
}

/// A texture that a stage may read.
#[derive(Debug)]
pub struct BoundTexture<'a> {
    /// Which stage.
    pub stage: &'a str,
    /// The unit, or which one of the program's it is.
    pub unit: u32,
    /// The handle that the program names it by, on machines that have handles.
    pub handle: Option<u32>,
    /// Its form.
    pub form: TextureForm<'a>,
    pub(crate) memory: &'a Memory,
    pub(crate) scheduler: &'a Scheduler,
}

/// The form of a texture.
#[derive(Clone, Copy, Debug)]
pub enum TextureForm<'a> {
    /// One of the 3DS, which is sampled in place.
    Tiled(&'a TextureSource),
    /// One of shader pipelines, which is decoded before it is sampled.
    Image(&'a TextureKey, &'a TextureBinding),
}

impl BoundTexture<'_> {
    /// The memory that it is in: of cubes of the 3DS a range for each face.
    pub fn ranges(&self) -> Vec<GuestRange> {
        match self.form {
            TextureForm::Tiled(source) => source.ranges().collect(),
            TextureForm::Image(_, binding) => vec![binding.image.range()],
        }
    }

    /// The image as kernels see it; `None` if it is too large, and for [`TextureForm::Tiled`].
    pub fn decode(&self) -> Option<Arc<DecodedImage>> {
        let TextureForm::Image(_, binding) = self.form else { return None };
        TextureCache::default().get(self.memory, self.scheduler, &binding.image, ())
    }

    /// Bytes of the image that [`Self::decode`] makes.
    pub fn decoded_bytes(&self) -> u64 {
        match self.form {
            TextureForm::Tiled(_) => 0,
            TextureForm::Image(_, binding) => Source::decoded_bytes(&binding.image),
        }
    }

    /// Memory as the draw finds it.
    pub fn memory(&self) -> &Memory {
        self.memory
    }
}
