//! The bytes of a recording.
//!
//! `u32` magic, `u32` version, from version 5 on `u32` 1 for little-endian; then tile states, memory blocks, data of
//! blocks, display buffers, commands, and from version 3 on the registers. The first four are lists of pairs of a `u64`
//! and what it names.
//!
//! | version | from | |
//! |---|---|---|
//! | 1 | 2018-05 | a block is a virtual address, an IO offset (all ones in local memory), an offset to both, a size and its data's `u64`; tiles have 763 bytes |
//! | 2 | 2018-09 | IO offset, offset, size, location, data |
//! | 3 | 2018-09 | registers |
//! | 4 | 2018-11 | offset, location, data; tiles have 432 bytes |
//! | 5 | 2021-06 | sizes of lists have 7 bits a byte, lowest first, instead of 8 bytes |
//! | 6 | 2025-02 | pairs the other way round |
//!
//! Registers are the vertex program (512, later 544 instructions), in files of some days in 2022 its constants, and
//! 0x4000 words: methods of eight subchannels. What is there is known by what is left of the file.

use std::collections::HashMap;

use triglyph::GuestAddr;

use super::super::ImportError;
use super::super::cursor::Cursor;

/// The first bytes up to version 4, and later.
pub const MAGICS: [[u8; 4]; 2] = [*b"\0CRR", *b"RRC\0"];

/// Bytes of the sizes of lists, as they are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Long,
    Short,
}

/// What is in a recording.
pub struct Recording<'a> {
    /// The version.
    pub version: u32,
    /// Memory blocks by what names them.
    pub blocks: HashMap<u64, Block>,
    /// What blocks hold.
    pub data: HashMap<u64, &'a [u8]>,
    /// Display buffers.
    pub displays: HashMap<u64, Display>,
    /// The commands.
    pub commands: Vec<Command>,
    /// The registers at the beginning.
    pub state: Option<State>,
}

/// A place in memory and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Where; `None` in memory that is none here.
    pub place: Option<GuestAddr>,
    /// Its data; 0 for none.
    pub data: u64,
}

/// The buffers that can be shown.
#[derive(Clone, Copy, Debug)]
pub struct Display {
    /// Width, height, bytes of a row, offset in local memory.
    pub buffers: [[u32; 4]; 8],
    /// How many there are.
    pub count: usize,
}

/// A word of data.
#[derive(Clone, Debug)]
pub struct Command {
    /// Where it is in the file.
    pub offset: u64,
    /// The header; of no meaning while a packet goes on.
    pub header: u32,
    /// The word.
    pub value: u32,
    /// Blocks that it needs.
    pub memory: Vec<u64>,
    /// The display buffers from now on; 0 as before.
    pub display: u64,
}

/// What the channel holds at the beginning.
pub struct State {
    /// Words of the vertex program.
    pub program: Vec<u32>,
    /// Words of its constants; mostly none.
    pub constants: Vec<u32>,
    /// Methods of eight subchannels.
    pub registers: Vec<u32>,
}

const REGISTERS: u64 = 0x4000;
const CONSTANTS: u64 = 512 * 4;
const PROGRAMS: [u64; 2] = [512 * 4, 544 * 4];

impl<'a> Recording<'a> {
    /// Takes a file apart.
    pub fn parse(file: &'a [u8]) -> Result<Self, ImportError> {
        let mut at = Cursor::new(file);
        let magic = at.bytes(4, "the header")?;
        let version = at.word("the header")?;
        let known = if magic == MAGICS[0] { 1..=4 } else { 5..=6 };
        if !MAGICS.iter().any(|known| magic == known) || !known.contains(&version) {
            return Err(ImportError::new(0, format!("no RRC of a known version: {magic:02x?}, {version}")));
        }
        if version >= 5 && at.word("the header")? != 1 {
            return Err(ImportError::new(8, "a recording made on a big-endian machine"));
        }
        let lists = Lists { version, sizes: if version >= 5 { Sizes::Short } else { Sizes::Long } };
        let tiles = if version >= 4 { 432 } else { 763 };
        lists.pairs(&mut at, "tiles", |at| at.bytes(tiles, "tiles").map(drop))?;
        let blocks = lists.pairs(&mut at, "memory blocks", |at| block(at, version))?;
        let data = lists.pairs(&mut at, "data of memory blocks", |at| {
            let size = lists.size(at, "data of a memory block")?;
            at.bytes(size, "data of a memory block")
        })?;
        let displays = lists.pairs(&mut at, "display buffers", display)?;
        let commands = lists.list(&mut at, "commands", |at| {
            let offset = at.offset();
            let (header, value) = (at.word("a command")?, at.word("a command")?);
            let memory = lists.list(at, "a command's memory", |at| at.long("a command's memory"))?;
            at.long("a command's tiles")?;
            Ok(Command { offset, header, value, memory, display: at.long("a command's display buffers")? })
        })?;
        let state = if version >= 3 { Some(state(&mut at)?) } else { None };
        Ok(Recording { version, blocks, data, displays, commands, state })
    }
}

/// How lists are stored.
#[derive(Clone, Copy)]
struct Lists {
    version: u32,
    sizes: Sizes,
}

impl Lists {
    fn size(self, at: &mut Cursor<'_>, what: &str) -> Result<u64, ImportError> {
        if self.sizes == Sizes::Long {
            return at.long(what);
        }
        let mut size = 0;
        for shift in (0..64).step_by(7) {
            let byte = at.byte(what)?;
            size |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(size);
            }
        }
        Err(at.error(format!("the size of {what} has no end")))
    }

    /// Elements one after the other. Each has bytes, so that a size that is too large comes to the end of the file.
    fn list<T, C: FromIterator<T>>(
        self,
        at: &mut Cursor<'_>,
        what: &str,
        mut element: impl FnMut(&mut Cursor<'_>) -> Result<T, ImportError>,
    ) -> Result<C, ImportError> {
        let size = self.size(at, what)?;
        (0..size).map(|_| element(at)).collect()
    }

    /// Pairs of a number and what it names.
    fn pairs<'a, T>(
        self,
        at: &mut Cursor<'a>,
        what: &str,
        mut element: impl FnMut(&mut Cursor<'a>) -> Result<T, ImportError>,
    ) -> Result<HashMap<u64, T>, ImportError> {
        let mut pairs = HashMap::new();
        for _ in 0..self.size(at, what)? {
            let (number, named) = match self.version {
                6.. => {
                    let named = element(at)?;
                    (at.long(what)?, named)
                }
                _ => (at.long(what)?, element(at)?),
            };
            pairs.insert(number, named);
        }
        Ok(pairs)
    }
}

fn block(at: &mut Cursor<'_>, version: u32) -> Result<Block, ImportError> {
    const WHAT: &str = "a memory block";
    /// Where local memory is in the emulator's address space.
    const LOCAL_BASE: u32 = 0xC000_0000;
    let place = match version {
        1 => {
            let [address, io, offset, _] = [at.word(WHAT)?, at.word(WHAT)?, at.word(WHAT)?, at.word(WHAT)?];
            match io {
                u32::MAX => place(0, address.wrapping_add(offset).wrapping_sub(LOCAL_BASE)),
                _ => place(1, io.wrapping_add(offset)),
            }
        }
        2 | 3 => {
            let [io, offset, _, location] = [at.word(WHAT)?, at.word(WHAT)?, at.word(WHAT)?, at.word(WHAT)?];
            place(location, io.wrapping_add(offset))
        }
        _ => {
            let [offset, location] = [at.word(WHAT)?, at.word(WHAT)?];
            place(location, offset)
        }
    };
    Ok(Block { place, data: at.long(WHAT)? })
}

/// The address of an offset in a location: a number of GCM's or the handle of a DMA object.
pub fn place(location: u32, offset: u32) -> Option<GuestAddr> {
    /// Where reports in main memory are.
    const MAIN_REPORTS: u64 = 0x0E00_0000;
    let offset = u64::from(offset);
    match location {
        0 | 0xFEED_0000 => Some(GuestAddr::new(0, offset)),
        1 | 0xFEED_0001 => Some(GuestAddr::new(1, offset)),
        0xBAD6_8000 => Some(GuestAddr::new(1, MAIN_REPORTS + offset)),
        _ => None,
    }
}

fn display(at: &mut Cursor<'_>) -> Result<Display, ImportError> {
    let words = at.words(8 * 4 + 1, "display buffers")?;
    let buffers = std::array::from_fn(|buffer| std::array::from_fn(|word| words[4 * buffer + word]));
    Ok(Display { buffers, count: words[32] as usize })
}

fn state(at: &mut Cursor<'_>) -> Result<State, ImportError> {
    let left = at.left() as u64;
    for program in PROGRAMS {
        for constants in [0, CONSTANTS] {
            if left == 4 * (program + constants + REGISTERS) {
                let program = at.words(program, "the vertex program")?;
                let constants = at.words(constants, "constants")?;
                return Ok(State { program, constants, registers: at.words(REGISTERS, "the registers")? });
            }
        }
    }
    Err(at.error(format!("{left} bytes are left, which are no registers of a known version")))
}
