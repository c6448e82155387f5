//! Program headers (SPH): 20 words in front of the code of every graphics program.
//!
//! Source: NVIDIA "Shader Program Header". The first five words are [`fields`]; the rest are maps of the attributes
//! that a program reads and writes. In maps of one bit a word the word at attribute address `a` (bytes) is bit `160 + a
//! / 4` of the inputs and bit `400 + a / 4` of the outputs, counted from the start of the header. Pixel programs have
//! two bits for each component of generics, colours and texture coordinates, which say how it is interpolated.

use crate::table::regs::values;

/// Bytes of a header; the code follows.
pub const BYTES: u32 = 0x50;

/// Words of a header.
pub type Words = [u32; 20];

/// Fields that are no maps.
pub mod fields {
    use crate::table::words::word_fields;

    word_fields! {
        /// Layout of the maps: 1 vertex to geometry, 2 pixel.
        SPH_TYPE 0 0:4;
        /// 3.
        VERSION 0 5:9;
        /// Stage.
        SHADER_TYPE 0 10:13;
        /// Pixel: outputs go to their own targets.
        MRT_ENABLE 0 14:14;
        /// Pixel: the program may kill; 0 makes KIL do nothing.
        KILLS_PIXELS 0 15:15;
        /// Writes memory.
        DOES_GLOBAL_STORE 0 16:16;
        /// Version of the instruction set.
        SASS_VERSION 0 17:20;
        /// Accesses memory; a hint.
        DOES_LOAD_OR_STORE 0 26:26;
        /// Uses f64; a hint.
        DOES_FP64 0 27:27;
        /// Geometry: streams that are written.
        STREAM_OUT_MASK 0 28:31;
        /// Bytes of local memory of a thread, positive side.
        SHADER_LOCAL_MEMORY_LOW_SIZE 1 0:23;
        /// Tessellation control: words of a patch.
        PER_PATCH_ATTRIBUTE_COUNT 1 24:31;
        /// Bytes of local memory of a thread, negative side.
        SHADER_LOCAL_MEMORY_HIGH_SIZE 2 0:23;
        /// Tessellation control: threads of a patch. Geometry: invocations.
        THREADS_PER_INPUT_PRIMITIVE 2 24:31;
        /// Bytes of the stack of a warp.
        SHADER_LOCAL_MEMORY_CRS_SIZE 3 0:23;
        /// Geometry: what it emits.
        OUTPUT_TOPOLOGY 3 24:27;
        /// Geometry: vertices at most.
        MAX_OUTPUT_VERTEX_COUNT 4 0:11;
        /// First word of the outputs that the program reads back.
        STORE_REQ_START 4 12:19;
        /// Last word of the outputs that the program reads back.
        STORE_REQ_END 4 24:31;
        /// Geometry: vertices pass unchanged. Source: Ryujinx
        GEOMETRY_PASSTHROUGH 0 24:24;
        /// Pixel: components written, four bits a target.
        TARGET_MASK 18 0:31;
        /// Pixel: the sample mask is written.
        WRITES_SAMPLE_MASK 19 0:0;
        /// Pixel: depth is written.
        WRITES_DEPTH 19 1:1;
    }
}

values! {
    /// Stages, as headers number them.
    ProgramStage {
        Vertex = 1 "VERTEX"; TessellationControl = 2 "TESSELLATION_INIT"; TessellationEvaluation = 3 "TESSELLATION";
        Geometry = 4 "GEOMETRY"; Pixel = 5 "PIXEL";
    }

    /// The topology that a geometry program emits.
    OutputTopology { Points = 1 "POINTLIST"; LineStrip = 6 "LINESTRIP"; TriangleStrip = 7 "TRIANGLESTRIP"; }

    /// How an input of a pixel program is interpolated.
    Interpolation {
        /// Not read.
        Unused = 0 "UNUSED";
        /// That of the provoking vertex.
        Constant = 1 "CONSTANT";
        Perspective = 2 "PERSPECTIVE";
        /// Linear on the screen.
        ScreenLinear = 3 "SCREEN_LINEAR";
    }
}

/// A header. Every bit pattern is one; [`problem`](Self::problem) tells what hardware would not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramHeader(pub [u32; 20]);

/// An error in a header. Programs run nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderProblem {
    /// The version is not 3.
    #[error("the version of the program header is {0} instead of 3")]
    Version(u32),
    /// The layout is not that of the stage.
    #[error("the program header has type {0}, which is not that of its stage")]
    Type(u32),
    /// The stage is another one.
    #[error("the program header is for stage {0}, another than the one that runs it")]
    Stage(u32),
}

/// Attribute addresses, bytes.
pub mod attribute {
    /// Number of the primitive.
    pub const PRIMITIVE_ID: u32 = 0x060;
    /// Layer of the targets.
    pub const LAYER: u32 = 0x064;
    /// Viewport.
    pub const VIEWPORT: u32 = 0x068;
    /// Size of a point.
    pub const POINT_SIZE: u32 = 0x06C;
    /// Position x, y, z, w; in pixel programs window x, y, z and 1/w.
    pub const POSITION: u32 = 0x070;
    /// Generic attributes 0 to 31, 16 bytes each.
    pub const GENERIC: u32 = 0x080;
    /// Front diffuse colour; in pixel programs that of the side which is seen.
    pub const FRONT_DIFFUSE: u32 = 0x280;
    /// Front specular colour; in pixel programs that of the side which is seen.
    pub const FRONT_SPECULAR: u32 = 0x290;
    /// Back diffuse colour.
    pub const BACK_DIFFUSE: u32 = 0x2A0;
    /// Back specular colour.
    pub const BACK_SPECULAR: u32 = 0x2B0;
    /// Clip distances 0 to 7.
    pub const CLIP_DISTANCE: u32 = 0x2C0;
    /// Generated coordinates of points, s and t.
    pub const POINT_SPRITE: u32 = 0x2E0;
    /// Fog coordinate.
    pub const FOG: u32 = 0x2E8;
    /// Tessellation coordinates u and v.
    pub const TESSELLATION_COORDINATE: u32 = 0x2F0;
    /// Number of the instance.
    pub const INSTANCE_ID: u32 = 0x2F8;
    /// Number of the vertex.
    pub const VERTEX_ID: u32 = 0x2FC;
    /// Texture coordinates 0 to 9 of fixed function, 16 bytes each.
    pub const TEXTURE_COORDINATE: u32 = 0x300;
    /// Viewports that the primitive goes to, one bit each.
    pub const VIEWPORT_MASK: u32 = 0x3A0;
    /// Whether the front is seen.
    pub const FRONT_FACING: u32 = 0x3FC;
    /// End of the space.
    pub const END: u32 = 0x400;
}

pub(super) const INPUTS: u32 = 160;
pub(super) const OUTPUTS: u32 = 400;

impl ProgramHeader {
    fn bits(&self, first: u32, count: u32) -> u32 {
        let word = self.0.get(first as usize / 32).copied().unwrap_or(0);
        word >> (first % 32) & (u32::MAX >> (32 - count))
    }

    /// The stage; `None` for numbers that are none.
    pub fn stage(&self) -> Option<ProgramStage> {
        ProgramStage::from_register(fields::SHADER_TYPE.get(&self.0))
    }

    /// The errors of a header for a program of `stage` which hardware would reject.
    pub fn problem(&self, stage: ProgramStage) -> Option<HeaderProblem> {
        let (version, layout) = (fields::VERSION.get(&self.0), fields::SPH_TYPE.get(&self.0));
        if version != 3 {
            return Some(HeaderProblem::Version(version));
        }
        if layout != if stage == ProgramStage::Pixel { 2 } else { 1 } {
            return Some(HeaderProblem::Type(layout));
        }
        (self.stage() != Some(stage)).then(|| HeaderProblem::Stage(fields::SHADER_TYPE.get(&self.0)))
    }

    /// Bytes of local memory of a thread, a multiple of 16 in valid headers.
    pub fn local_memory(&self) -> u32 {
        fields::SHADER_LOCAL_MEMORY_LOW_SIZE.get(&self.0) + fields::SHADER_LOCAL_MEMORY_HIGH_SIZE.get(&self.0)
    }

    /// Per-patch words of a tessellation control program. Mesa stores them in the fields reserved on this generation as
    /// well.
    pub fn per_patch_words(&self) -> u32 {
        fields::PER_PATCH_ATTRIBUTE_COUNT.get(&self.0)
    }

    /// Threads of a patch, or invocations of a geometry program; 0 counts as 1.
    pub fn threads_per_primitive(&self) -> u32 {
        fields::THREADS_PER_INPUT_PRIMITIVE.get(&self.0).max(1)
    }

    /// The topology that a geometry program emits; `None` for numbers without a meaning.
    pub fn output_topology(&self) -> Option<OutputTopology> {
        OutputTopology::from_register(fields::OUTPUT_TOPOLOGY.get(&self.0))
    }

    /// Vertices that a geometry program emits at most, 0 to 4095; 1024 in valid headers.
    pub fn max_output_vertices(&self) -> u32 {
        fields::MAX_OUTPUT_VERTEX_COUNT.get(&self.0)
    }

    /// Whether the input map of a program that is no pixel program has the word at an attribute address.
    pub fn reads(&self, address: u32) -> bool {
        address < 0x3C0 && self.bits(INPUTS + address / 4, 1) != 0
    }

    /// Whether the output map of a program that is no pixel program has the word at an attribute address.
    pub fn writes(&self, address: u32) -> bool {
        address < 0x3C0 && self.bits(OUTPUTS + address / 4, 1) != 0
    }

    /// How a pixel program's input at an attribute address is interpolated. Words with one bit in the map are constant
    /// (primitive, layer, viewport), perspective (clip distances, fog; unverified) or linear on the screen.
    pub fn interpolation(&self, address: u32) -> Interpolation {
        use attribute::*;
        let two = |first: u32, from: u32| {
            Interpolation::from_register(self.bits(first + (address - from) / 4 * 2, 2))
                .unwrap_or(Interpolation::Unused)
        };
        let one = |bit: u32, interpolation| if self.bits(bit, 1) != 0 { interpolation } else { Interpolation::Unused };
        match address {
            PRIMITIVE_ID..POINT_SIZE => one(INPUTS + address / 4, Interpolation::Constant),
            POINT_SIZE..GENERIC => one(INPUTS + address / 4, Interpolation::ScreenLinear),
            GENERIC..FRONT_DIFFUSE => two(192, GENERIC),
            FRONT_DIFFUSE..BACK_DIFFUSE => two(448, FRONT_DIFFUSE),
            POINT_SPRITE..FOG => one(464 + (address - CLIP_DISTANCE) / 4, Interpolation::ScreenLinear),
            CLIP_DISTANCE..TEXTURE_COORDINATE => one(464 + (address - CLIP_DISTANCE) / 4, Interpolation::Perspective),
            TEXTURE_COORDINATE..VIEWPORT_MASK => two(480, TEXTURE_COORDINATE),
            _ => Interpolation::Unused,
        }
    }

    /// Components r, g, b, a that a pixel program writes to target `target`, bit 0 = r.
    pub fn target_components(&self, target: u32) -> u32 {
        fields::TARGET_MASK.get(&self.0) >> (4 * (target & 7)) & 0xF
    }

    /// The register of a pixel program that target `target` takes its red from; `None` if the target is not written.
    /// Targets that are written take four registers each, whatever their components.
    pub fn target_register(&self, target: u32) -> Option<u32> {
        (self.target_components(target) != 0).then(|| 4 * self.written_targets(target & 7))
    }

    /// The register of a pixel program's sample mask, if it writes one.
    pub fn sample_mask_register(&self) -> Option<u32> {
        fields::WRITES_SAMPLE_MASK.is_set(&self.0).then(|| 4 * self.written_targets(8))
    }

    /// The register of a pixel program's depth, if it writes it: after the sample mask's, which is left out even if
    /// that is not written.
    pub fn depth_register(&self) -> Option<u32> {
        fields::WRITES_DEPTH.is_set(&self.0).then(|| 4 * self.written_targets(8) + 1)
    }

    /// How many of the first `count` targets are written.
    fn written_targets(&self, count: u32) -> u32 {
        (0..count).filter(|&target| self.target_components(target) != 0).count() as u32
    }
}
