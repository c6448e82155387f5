//! Program headers (SPH) from descriptions, and what headers cannot say.
//!
//! ```
//! use triglyph_guest::tegra::header::program::{Interpolation, ProgramStage, attribute};
//! use triglyph_guest::tegra::header::HeaderBuilder;
//!
//! // Reads two generic attributes of four words, writes the position and one generic attribute.
//! let vertex = HeaderBuilder::new(ProgramStage::Vertex)
//!     .reads(attribute::GENERIC, 8)
//!     .writes(attribute::POSITION, 4)
//!     .writes(attribute::GENERIC, 4)
//!     .build()?;
//! assert!(vertex.reads(0x9C) && !vertex.reads(0xA0) && vertex.writes(0x70));
//!
//! // Interpolates that attribute with perspective and writes all components of target 0.
//! let pixel = HeaderBuilder::new(ProgramStage::Pixel)
//!     .interpolates(attribute::GENERIC, 4, Interpolation::Perspective)
//!     .reads(attribute::POSITION + 12, 1)
//!     .target(0, 0xF)
//!     .build()?;
//! assert_eq!(pixel.interpolation(0x8C), Interpolation::Perspective);
//! assert_eq!(pixel.problem(ProgramStage::Pixel), None);
//! # Ok::<(), triglyph_guest::tegra::header::HeaderError>(())
//! ```

use super::program::{INPUTS, OUTPUTS};
use super::program::{Interpolation, OutputTopology, ProgramHeader, ProgramStage, Words, attribute, fields};

/// What a header cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// A number out of range.
    #[error("{what} {value} is not {min} to {max}")]
    Range {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        value: i64,
        /// The smallest possible.
        min: i64,
        /// The largest possible.
        max: i64,
    },
    /// An address or a distance that is not aligned.
    #[error("{what} {value:#x} is not a multiple of {multiple:#x}")]
    Alignment {
        /// What it is.
        what: &'static str,
        /// The value.
        value: u64,
        /// What it has to be a multiple of.
        multiple: u64,
    },
    /// An anisotropy without a code.
    #[error("an anisotropy is 1, 2, 4, 6, 8, 10, 12 or 16, not {0}")]
    Anisotropy(u32),
    /// Something that every header has.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// An attribute that programs of this stage do not have there, or not in this way.
    #[error("the attribute at {address:#x} cannot be {how}")]
    Attribute {
        /// The attribute's address, bytes.
        address: u32,
        /// What the program would do with it.
        how: &'static str,
    },
}

/// `value` if it is in range.
pub(super) fn limited(what: &'static str, value: i64, min: i64, max: i64) -> Result<u32, HeaderError> {
    match (min..=max).contains(&value) {
        true => Ok(value as u32),
        false => Err(HeaderError::Range { what, value, min, max }),
    }
}

/// `value` if a signed field of `bits` bits can hold it.
pub(super) fn signed(what: &'static str, value: i32, bits: u32) -> Result<u32, HeaderError> {
    let end = 1i64 << (bits - 1);
    limited(what, value.into(), -end, end - 1)
}

/// The header of a program in the making. Inputs and outputs are words at attribute addresses, which
/// [`attribute`] names. A mistake is remembered, and [`build`](HeaderBuilder::build) reports
/// the first one.
#[derive(Clone, Copy, Debug)]
pub struct HeaderBuilder {
    words: Words,
    stage: ProgramStage,
    error: Option<HeaderError>,
}

impl HeaderBuilder {
    /// Of a program that reads and writes nothing and has no local memory. Pixel programs may kill, and their targets
    /// are their own.
    pub fn new(stage: ProgramStage) -> Self {
        let mut words = [0; 20];
        let is_pixel = stage == ProgramStage::Pixel;
        fields::SPH_TYPE.put(&mut words, if is_pixel { 2 } else { 1 });
        fields::VERSION.put(&mut words, 3);
        fields::SHADER_TYPE.put(&mut words, stage.bits());
        fields::MRT_ENABLE.put(&mut words, is_pixel.into());
        fields::KILLS_PIXELS.put(&mut words, is_pixel.into());
        HeaderBuilder { words, stage, error: None }
    }

    fn fail(mut self, error: HeaderError) -> Self {
        self.error.get_or_insert(error);
        self
    }

    fn set(&mut self, bit: u32, count: u32, value: u32) {
        let mask = u32::MAX >> (32 - count) << (bit % 32);
        let word = &mut self.words[bit as usize / 32];
        *word = *word & !mask | value << (bit % 32);
    }

    fn checked(&self, address: u32, words: u32, how: &'static str) -> Result<(), HeaderError> {
        let end = address.checked_add(words.saturating_mul(4)).filter(|end| *end <= 0x3C0);
        match (address.is_multiple_of(4), end) {
            (true, Some(_)) => Ok(()),
            _ => Err(HeaderError::Attribute { address, how }),
        }
    }

    /// Reads `words` words from an attribute address on. Of pixel programs those whose interpolation the attribute
    /// itself decides: primitive, layer, viewport, position, clip distances, point coordinates, fog.
    pub fn reads(mut self, address: u32, words: u32) -> Self {
        if let Err(error) = self.checked(address, words, "read") {
            return self.fail(error);
        }
        for at in (address..address + 4 * words).step_by(4) {
            let bit = match (self.stage, at) {
                (ProgramStage::Pixel, attribute::PRIMITIVE_ID..attribute::GENERIC) => INPUTS + at / 4,
                (ProgramStage::Pixel, attribute::CLIP_DISTANCE..attribute::TEXTURE_COORDINATE) => {
                    464 + (at - attribute::CLIP_DISTANCE) / 4
                }
                (ProgramStage::Pixel, _) => {
                    return self.fail(HeaderError::Attribute { address: at, how: "read without an interpolation" });
                }
                _ => INPUTS + at / 4,
            };
            self.set(bit, 1, 1);
        }
        self
    }

    /// Reads `words` words from an attribute address on, interpolated so: generic attributes, colours and texture
    /// coordinates of pixel programs.
    pub fn interpolates(mut self, address: u32, words: u32, interpolation: Interpolation) -> Self {
        use attribute::*;
        const HOW: &str = "interpolated";
        if let Err(error) = self.checked(address, words, HOW) {
            return self.fail(error);
        }
        for at in (address..address + 4 * words).step_by(4) {
            let bit = match at {
                GENERIC..FRONT_DIFFUSE => 192 + (at - GENERIC) / 2,
                FRONT_DIFFUSE..BACK_DIFFUSE => 448 + (at - FRONT_DIFFUSE) / 2,
                TEXTURE_COORDINATE..VIEWPORT_MASK => 480 + (at - TEXTURE_COORDINATE) / 2,
                _ => return self.fail(HeaderError::Attribute { address: at, how: HOW }),
            };
            if self.stage != ProgramStage::Pixel {
                return self.fail(HeaderError::Attribute { address: at, how: HOW });
            }
            self.set(bit, 2, interpolation.bits());
        }
        self
    }

    /// Writes `words` words from an attribute address on. Pixel programs write targets instead.
    pub fn writes(mut self, address: u32, words: u32) -> Self {
        const HOW: &str = "written";
        if self.stage == ProgramStage::Pixel {
            return self.fail(HeaderError::Attribute { address, how: HOW });
        }
        if let Err(error) = self.checked(address, words, HOW) {
            return self.fail(error);
        }
        (address..address + 4 * words).step_by(4).for_each(|at| self.set(OUTPUTS + at / 4, 1, 1));
        self
    }

    /// A pixel program writes these components of target 0 to 7, bit 0 being red. They are in four registers each,
    /// those of the first target that is written from r0 on.
    pub fn target(mut self, target: u32, components: u32) -> Self {
        for (what, value, max) in [("target", target, 7), ("target's components", components, 15)] {
            if let Err(error) = limited(what, value.into(), 0, max) {
                return self.fail(error);
            }
        }
        self.words[18] |= components << (4 * target);
        self
    }

    /// A pixel program writes depth, in the second register after those of the targets.
    pub fn writes_depth(mut self) -> Self {
        fields::WRITES_DEPTH.put(&mut self.words, 1);
        self
    }

    /// A pixel program writes its sample mask, in the register after those of the targets.
    pub fn writes_sample_mask(mut self) -> Self {
        fields::WRITES_SAMPLE_MASK.put(&mut self.words, 1);
        self
    }

    /// Bytes of local memory of a thread, a multiple of 16 below 16 MiB.
    pub fn local_memory(mut self, bytes: u32) -> Self {
        if !bytes.is_multiple_of(16) {
            return self.fail(HeaderError::Alignment { what: "local memory", value: bytes.into(), multiple: 16 });
        }
        match limited("local memory", bytes.into(), 0, fields::SHADER_LOCAL_MEMORY_LOW_SIZE.max().into()) {
            Ok(bytes) => fields::SHADER_LOCAL_MEMORY_LOW_SIZE.put(&mut self.words, bytes),
            Err(error) => return self.fail(error),
        }
        self
    }

    /// A geometry program emits so many vertices at most, 1 to 1024, of this topology.
    pub fn emits(mut self, topology: OutputTopology, max_vertices: u32) -> Self {
        match limited("number of vertices", max_vertices.into(), 1, 1024) {
            Ok(vertices) => fields::MAX_OUTPUT_VERTEX_COUNT.put(&mut self.words, vertices),
            Err(error) => return self.fail(error),
        }
        fields::OUTPUT_TOPOLOGY.put(&mut self.words, topology.bits());
        self
    }

    /// Threads of a patch of a tessellation control program, or invocations of a geometry program, 1 to 255.
    pub fn threads(mut self, threads: u32) -> Self {
        match limited("number of threads", threads.into(), 1, 255) {
            Ok(threads) => fields::THREADS_PER_INPUT_PRIMITIVE.put(&mut self.words, threads),
            Err(error) => return self.fail(error),
        }
        self
    }

    /// The header, whose words precede the code in memory.
    ///
    /// # Errors
    /// The first mistake.
    pub fn build(self) -> Result<ProgramHeader, HeaderError> {
        match self.error {
            None => Ok(ProgramHeader(self.words)),
            Some(error) => Err(error),
        }
    }
}

impl ProgramHeader {
    /// The bytes of the header and the code after it, as the GPU reads them.
    pub fn with_code(&self, code: &[u64]) -> Vec<u8> {
        let header = self.0.iter().flat_map(|word| word.to_le_bytes());
        header.chain(code.iter().flat_map(|word| word.to_le_bytes())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words whose maps say that they are used.
    fn used(of: impl Fn(u32) -> bool) -> Vec<u32> {
        (0..0x3C0).step_by(4).filter(|address| of(*address)).collect()
    }

    #[test]
    fn maps_are_read_as_they_were_written() {
        let stages = [ProgramStage::Vertex, ProgramStage::TessellationEvaluation, ProgramStage::Geometry];
        for stage in stages {
            let header = HeaderBuilder::new(stage).reads(0x80, 3).writes(0x70, 5).reads(0x2F8, 2).build();
            let header = header.expect("a header");
            assert_eq!(header.problem(stage), None);
            assert_eq!(used(|address| header.reads(address)), [0x80, 0x84, 0x88, 0x2F8, 0x2FC]);
            assert_eq!(used(|address| header.writes(address)), [0x70, 0x74, 0x78, 0x7C, 0x80]);
        }
    }

    #[test]
    fn every_input_of_a_pixel_program_has_its_place() {
        use attribute::*;
        let two_bits = [GENERIC..FRONT_DIFFUSE, FRONT_DIFFUSE..BACK_DIFFUSE, TEXTURE_COORDINATE..VIEWPORT_MASK];
        let one_bit = [PRIMITIVE_ID..GENERIC, CLIP_DISTANCE..TESSELLATION_COORDINATE];
        for address in two_bits.into_iter().flatten().step_by(4) {
            for how in [Interpolation::Constant, Interpolation::Perspective, Interpolation::ScreenLinear] {
                let header = HeaderBuilder::new(ProgramStage::Pixel).interpolates(address, 1, how).build();
                let header = header.expect("a header");
                assert_eq!(header.interpolation(address), how, "{address:#x}");
                let others = used(|other| header.interpolation(other) != Interpolation::Unused);
                assert_eq!(others, [address]);
            }
        }
        for address in one_bit.into_iter().flatten().step_by(4) {
            let header = HeaderBuilder::new(ProgramStage::Pixel).reads(address, 1).build().expect("a header");
            assert_eq!(used(|other| header.interpolation(other) != Interpolation::Unused), [address]);
        }
    }

    #[test]
    fn outputs_of_pixel_programs() {
        let pixel = HeaderBuilder::new(ProgramStage::Pixel).target(0, 0xF).target(2, 7).writes_depth();
        let header = pixel.local_memory(64).build().expect("a header");
        assert_eq!([0, 1, 2].map(|target| header.target_components(target)), [0xF, 0, 7]);
        assert_eq!((header.target_register(2), header.depth_register(), header.local_memory()), (Some(4), Some(9), 64));
        let geometry = HeaderBuilder::new(ProgramStage::Geometry).emits(OutputTopology::LineStrip, 12).threads(3);
        let header = geometry.build().expect("a header");
        assert_eq!(header.output_topology(), Some(OutputTopology::LineStrip));
        assert_eq!((header.max_output_vertices(), header.threads_per_primitive()), (12, 3));
    }

    #[test]
    fn the_first_mistake_is_reported() {
        let vertex = HeaderBuilder::new(ProgramStage::Vertex);
        let pixel = HeaderBuilder::new(ProgramStage::Pixel);
        let error = |builder: HeaderBuilder| builder.target(9, 0).build().expect_err("a mistake").to_string();
        assert_eq!(error(vertex.reads(0x3C0, 1)), "the attribute at 0x3c0 cannot be read");
        assert_eq!(error(vertex.writes(0x71, 1)), "the attribute at 0x71 cannot be written");
        assert_eq!(error(pixel.reads(0x80, 1)), "the attribute at 0x80 cannot be read without an interpolation");
        assert_eq!(error(pixel.writes(0x80, 1)), "the attribute at 0x80 cannot be written");
        let interpolated = "the attribute at 0x80 cannot be interpolated";
        assert_eq!(error(vertex.interpolates(0x80, 1, Interpolation::Constant)), interpolated);
        assert_eq!(error(vertex), "target 9 is not 0 to 7");
        assert_eq!(error(vertex.local_memory(8)), "local memory 0x8 is not a multiple of 0x10");
    }
}
