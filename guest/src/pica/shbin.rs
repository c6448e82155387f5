//! Shader program files (SHBIN): a DVLB header, one DVLP with code and operand descriptors, a DVLE per entry point.
//! Source: 3dbrew "SHBIN". All numbers are little-endian.
//!
//! ```text
//! DVLB  0 magic, 4 number of DVLE, 8 offsets of the DVLE from here; the DVLP follows
//! DVLP  0 magic, 8 offset of the code, C its words, 10 offset of the descriptors, 14 their number (8 bytes each)
//! DVLE  0 magic, 6 type, 8 entry point, C end, 10 inputs, 12 outputs, 14 geometry mode, 15 its first uniform, 16 main
//!       vertices, 17 fixed vertices; then offset and number: 18 constants (20 bytes each), 20 labels (16), 28 outputs
//!       (8), 30 uniforms (8); 38 offset and 3C size of the names
//! ```

use super::asm::{CODE_WORDS, Program};
use super::descriptor::DESCRIPTORS;

/// An error in a program file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShbinError {
    /// The magic of a part is not there.
    #[error("no {part} at offset {offset:#x}")]
    Magic {
        /// Name of the part.
        part: &'static str,
        /// Where it should be, bytes.
        offset: usize,
    },
    /// A part lies beyond the end of the file.
    #[error("{what} at offset {offset:#x} ends beyond the file")]
    Truncated {
        /// What.
        what: &'static str,
        /// Where it begins, bytes.
        offset: usize,
    },
    /// More than a shader unit holds.
    #[error("{count} {what} are more than {max}")]
    TooMany {
        /// What.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many are possible.
        max: usize,
    },
}

/// A program file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shbin {
    /// Code and descriptors, shared by all entry points.
    pub program: Program,
    /// The entry points.
    pub executables: Vec<Executable>,
}

/// Which unit an entry point is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The vertex shader.
    Vertex,
    /// The geometry shader.
    Geometry,
}

/// One entry point with what a program loads for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Its unit.
    pub stage: Stage,
    /// Its first instruction.
    pub main: usize,
    /// Its end.
    pub end: usize,
    /// Which input registers it reads, bit per register.
    pub inputs: u16,
    /// Which output registers it writes, bit per register.
    pub outputs: u16,
    /// Geometry shaders: 0 point, 1 variable, 2 fixed number of vertices.
    pub geometry_mode: u8,
    /// Geometry shaders with a fixed number of vertices: the float uniform that the first one goes to.
    pub first_uniform: u8,
    /// Geometry shaders with a variable number of vertices: how many are whole.
    pub main_vertices: u8,
    /// Geometry shaders with a fixed number of vertices: how many.
    pub fixed_vertices: u8,
    /// Values that uniforms have from the start.
    pub constants: Vec<Constant>,
    /// The meaning of the output registers.
    pub output_map: Vec<Output>,
    /// Names of inputs and uniforms.
    pub uniforms: Vec<UniformName>,
}

/// A uniform with a value from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// Bool uniform `.0`.
    Bool(u16, bool),
    /// Integer uniform `.0`: x, y, z, w.
    Int(u16, [u8; 4]),
    /// Float uniform `.0`: x, y, z, w as 24-bit floats.
    Float(u16, [u32; 4]),
}

/// The meaning of an output register's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// 0 position, 1 quaternion, 2 colour, 3 texcoord0, 4 texcoord0.w, 5 texcoord1, 6 texcoord2, 8 view, 9 nothing.
    pub meaning: u16,
    /// The output register.
    pub register: u16,
    /// Its components, x in bit 0.
    pub mask: u8,
}

/// The name of a run of inputs or uniforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformName {
    /// The name.
    pub name: String,
    /// First register: 0x00 on inputs, 0x10 on c0 to c95, 0x70 on i0 to i3, 0x78 on b0 to b15.
    pub first: u16,
    /// Last register.
    pub last: u16,
}

impl Shbin {
    /// Reads a file.
    pub fn parse(file: &[u8]) -> Result<Shbin, ShbinError> {
        let file = Bytes(file);
        file.magic("DVLB", 0)?;
        let count = file.word(4, "the number of entry points")? as usize;
        let offsets = file.table(8, count, 4, "the table of entry points")?;
        let program = program(file, 8 + offsets.len())?;
        let executables = offsets.chunks_exact(4).map(|offset| executable(file, word(offset) as usize));
        Ok(Shbin { program, executables: executables.collect::<Result<_, _>>()? })
    }
}

fn program(file: Bytes<'_>, dvlp: usize) -> Result<Program, ShbinError> {
    file.magic("DVLP", dvlp)?;
    let code = file.list(dvlp, 0x8, 4, "code", CODE_WORDS)?;
    let descriptors = file.list(dvlp, 0x10, 8, "operand descriptors", DESCRIPTORS)?;
    Ok(Program {
        code: code.chunks_exact(4).map(word).collect(),
        descriptors: descriptors.chunks_exact(8).map(word).collect(),
        ..Program::default()
    })
}

fn executable(file: Bytes<'_>, dvle: usize) -> Result<Executable, ShbinError> {
    const MANY: usize = 0x1_0000;
    file.magic("DVLE", dvle)?;
    let header = file.table(dvle, 0x40, 1, "the header of an entry point")?;
    let names = word(&header[0x38..]) as usize;
    let names = file.table(dvle.saturating_add(names), word(&header[0x3C..]) as usize, 1, "names")?;
    let constants = file.list(dvle, 0x18, 20, "constants", MANY)?;
    let outputs = file.list(dvle, 0x28, 8, "outputs", MANY)?;
    let uniforms = file.list(dvle, 0x30, 8, "uniforms", MANY)?;
    Ok(Executable {
        stage: if header[6] == 0 { Stage::Vertex } else { Stage::Geometry },
        main: word(&header[0x8..]) as usize,
        end: word(&header[0xC..]) as usize,
        inputs: half(&header[0x10..]),
        outputs: half(&header[0x12..]),
        geometry_mode: header[0x14],
        first_uniform: header[0x15],
        main_vertices: header[0x16],
        fixed_vertices: header[0x17],
        constants: constants.chunks_exact(20).filter_map(constant).collect(),
        output_map: outputs
            .chunks_exact(8)
            .map(|row| Output { meaning: half(row), register: half(&row[2..]), mask: row[4] })
            .collect(),
        uniforms: uniforms
            .chunks_exact(8)
            .map(|row| UniformName {
                name: name(names, word(row) as usize),
                first: half(&row[4..]),
                last: half(&row[6..]),
            })
            .collect(),
    })
}

/// A row of the constant table; `None` for an unknown type.
fn constant(row: &[u8]) -> Option<Constant> {
    let register = half(&row[2..]);
    match half(row) {
        0 => Some(Constant::Bool(register, row[4] != 0)),
        1 => Some(Constant::Int(register, [row[4], row[5], row[6], row[7]])),
        2 => Some(Constant::Float(register, [4, 8, 12, 16].map(|at| word(&row[at..]) & 0xFF_FFFF))),
        _ => None,
    }
}

/// The zero-terminated name at `offset`; empty if there is none.
fn name(names: &[u8], offset: usize) -> String {
    let bytes = names.get(offset..).unwrap_or(&[]).split(|&byte| byte == 0).next();
    String::from_utf8_lossy(bytes.unwrap_or(&[])).into_owned()
}

/// The first four bytes as a number; there are four.
fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The first two bytes as a number; there are two.
fn half(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

/// The file, with access that checks its end.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn magic(self, part: &'static str, offset: usize) -> Result<(), ShbinError> {
        match self.0.get(offset..) {
            Some(bytes) if bytes.starts_with(part.as_bytes()) => Ok(()),
            _ => Err(ShbinError::Magic { part, offset }),
        }
    }

    fn word(self, offset: usize, what: &'static str) -> Result<u32, ShbinError> {
        self.table(offset, 4, 1, what).map(word)
    }

    /// `count` rows of `size` bytes at `offset`.
    fn table(self, offset: usize, count: usize, size: usize, what: &'static str) -> Result<&'a [u8], ShbinError> {
        let end = count.checked_mul(size).and_then(|bytes| bytes.checked_add(offset));
        end.and_then(|end| self.0.get(offset..end)).ok_or(ShbinError::Truncated { what, offset })
    }

    /// The rows that a part describes at `field`: their offset from the part, then their number.
    fn list(
        self,
        part: usize,
        field: usize,
        size: usize,
        what: &'static str,
        max: usize,
    ) -> Result<&'a [u8], ShbinError> {
        let offset = self.word(part + field, what)? as usize;
        let count = self.word(part + field + 4, what)? as usize;
        if count > max {
            return Err(ShbinError::TooMany { what, count, max });
        }
        self.table(part.saturating_add(offset), count, size, what)
    }
}
