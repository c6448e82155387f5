//! Programs of stages other than the pixel's.
//!
//! Attributes are words, whatever they mean. A record holds the words of a [`WordSet`]; a word that a record does not
//! have reads 0 and drops what is stored. Output records start as 0, word 0x1F (w of the position) as 1.0. ALD without
//! a vertex number reads the stage's own vertex, that of the invocation (tessellation control), else vertex 0; with one
//! that does not exist it reads 0. Addresses are taken modulo 0x400, in a patch's space modulo 0x200; several words
//! follow each other, each modulo likewise. Without tessellation there are no patch words: 0. Word 0x18, the
//! primitive's number, is [`Work`]'s whatever the vertex number. What AL2P gives is the logical address.

use borsh::{BorshDeserialize, BorshSerialize};
use std::sync::Arc;

use super::environment::{Environment, ImageKey};
use super::sampler::TextureKey;
use super::words::WordSet;
use crate::kernel::code::MachineCode;
use crate::kernel::maxwell::code::Code;
use crate::kernel::trace::Tracing;
use crate::kernel::unsupported::Unsupported;

/// The key of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ShaderKey {
    /// Which stage.
    pub stage: Stage,
    /// The program.
    pub code: Arc<Code>,
    /// Words of an input vertex. Of the vertex stage they include instance and vertex number (words 0xBE, 0xBF).
    pub inputs: WordSet,
    /// Words of an output vertex.
    pub outputs: WordSet,
    /// Textures.
    pub textures: Vec<Option<TextureKey>>,
    /// Images.
    pub images: Vec<Option<ImageKey>>,
}

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum Stage {
    /// One invocation a vertex.
    Vertex,
    /// One invocation an output vertex of a patch.
    TessControl,
    /// One invocation a vertex that the tessellator made.
    TessEvaluation,
    /// One invocation a primitive and instance.
    Geometry,
    /// One invocation a thread.
    Compute,
}

/// Words of a patch's own outputs: byte addresses 0 to 0x1FC of the patch's space.
pub const PATCH_WORDS: usize = 128;

/// Work for a kernel.
#[derive(Debug)]
pub struct ShaderJob<'a> {
    /// The environment of the program.
    pub environment: Environment<'a>,
    /// The invocations; of the key's stage.
    pub work: Work<'a>,
}

/// The invocations of a kernel.
#[derive(Debug)]
pub enum Work<'a> {
    /// [`Stage::Vertex`].
    Vertices(Vertices<'a>),
    /// [`Stage::TessControl`].
    Patches(Patches<'a>),
    /// [`Stage::TessEvaluation`].
    Evaluations(Evaluations<'a>),
    /// [`Stage::Geometry`].
    Primitives(Primitives<'a>),
    /// [`Stage::Compute`].
    Blocks(Blocks<'a>),
}

/// Vertices.
#[derive(Debug)]
pub struct Vertices<'a> {
    /// A record for each vertex.
    pub inputs: &'a [u32],
    /// A record for each vertex.
    pub outputs: &'a mut [u32],
    /// Vertices.
    pub count: usize,
}

/// Patches. INVOCATION_ID is the output vertex; INVOCATION_INFO has `vertices` in bits 23:16, PRIM_TYPE in bits 15:8.
///
/// ALD.O reads what the warp has stored so far: the vertex is the selector (a lane number) minus LANEID plus
/// INVOCATION_ID, and that one without a selector. Word addresses with P are the patch's own.
#[derive(Debug)]
pub struct Patches<'a> {
    /// Vertices of an input patch, 1 to 32.
    pub vertices: u32,
    /// Vertices of an output patch, 1 to 32: the lanes of a warp.
    pub threads: u32,
    /// Records of all input vertices, patch after patch.
    pub inputs: &'a [u32],
    /// Records of all output vertices.
    pub outputs: &'a mut [u32],
    /// The patches' own outputs, [`PATCH_WORDS`] each, as they are before: 0 if the machine does not say otherwise.
    pub patches: &'a mut [u32],
    /// Number of each patch.
    pub primitives: &'a [u32],
}

/// Vertices of one patch. Words 0xBC and 0xBD, tessellation coordinates, are read with or without O and whatever the
/// selector; INVOCATION_INFO and PRIM_TYPE as those of [`Patches`].
#[derive(Debug)]
pub struct Evaluations<'a> {
    /// Vertices of the patch.
    pub vertices: u32,
    /// Their records.
    pub inputs: &'a [u32],
    /// The patch's own words, [`PATCH_WORDS`].
    pub patch: &'a [u32],
    /// Number of the patch.
    pub primitive: u32,
    /// u and v of each invocation.
    pub coordinates: &'a [[f32; 2]],
    /// A record for each invocation.
    pub outputs: &'a mut [u32],
}

/// Primitives. INVOCATION_ID is the instance; INVOCATION_INFO has `vertices` in bits 23:16, PRIM_TYPE in bits 15:8. OUT
/// gives Ra back.
///
/// AST stores to the record that the next emit appends; a record keeps its values after that.
/// Emits beyond `most` of one invocation are dropped. The invocation's end cuts.
#[derive(Debug)]
pub struct Primitives<'a> {
    /// Vertices of a primitive, 1 to 32.
    pub vertices: u32,
    /// Records of all vertices, primitive after primitive.
    pub inputs: &'a [u32],
    /// Number of each primitive.
    pub primitives: &'a [u32],
    /// Invocations of each primitive, 1 to 32.
    pub instances: u32,
    /// Vertices that one invocation may emit, 1 to 1024.
    pub most: u32,
    /// Records of emitted vertices, in order: primitive by primitive, instance by instance.
    pub records: &'a mut Vec<u32>,
    /// The events, in order.
    pub emits: &'a mut Vec<Emit>,
}

/// An event of a geometry program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// It appended the next record to a stream.
    Vertex {
        /// Stream 0 to 3.
        stream: u8,
    },
    /// It ended the strip of a stream. The end of an invocation ends that of every stream.
    Cut {
        /// Stream 0 to 3.
        stream: u8,
    },
    /// The invocation ended.
    End {
        /// Its primitive's index in the job.
        primitive: u32,
    },
}

/// Blocks of a grid, one after the other. After one with a warp that runs out of fuel the others are left.
#[derive(Debug)]
pub struct Blocks<'a> {
    /// CTAID of each.
    pub places: &'a [[u32; 3]],
    /// Threads in x, y, z; at most 1024 in all, at least 1 each.
    pub threads: [u32; 3],
    /// Shared memory; the kernel clears it for each block.
    pub shared: &'a mut [u8],
    /// How many blocks were run.
    pub done: usize,
}

impl<'a> Blocks<'a> {
    /// Blocks that are still to be run.
    pub fn new(places: &'a [[u32; 3]], threads: [u32; 3], shared: &'a mut [u8]) -> Self {
        Blocks { places, threads, shared, done: 0 }
    }
}

/// Runs a program.
pub trait ShaderKernel: Send + Sync {
    /// Does the whole job, or refuses it before anything happens.
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Unsupported>;
    /// As [`run`](Self::run), with a tracer.
    ///
    /// # Errors
    /// As there.
    fn run_traced(&self, job: &mut ShaderJob<'_>, tracing: Tracing<'_>) -> Result<(), Unsupported> {
        let _ = tracing;
        self.run(job)
    }
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}
