//! Programs in guest memory.
//!
//! A program is a row of slots of 16 bytes: instructions, each followed by its inline constant if it has one. The unit
//! of storage is the 16-bit half: a word is its low half, then its high half, each in the byte order of the channel. So
//! on a little-endian host the words are ordinary ones, on the console they have their halves exchanged (RPCS3, Mesa).

use super::fields as f;
use super::instruction::{Flow, Instruction, Words, has_constant};

/// Slots that a program may have. The console's limit is unknown; compilers stay below 1024.
pub const MAX_SLOTS: usize = 4096;

/// Slots of most programs, for which room is made at once.
pub const USUAL_SLOTS: usize = 64;

/// The order of a word's bytes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Little-endian halves: ordinary little-endian words.
    Little,
    /// Big-endian halves, the low one first.
    Big,
}

/// Why a program could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Memory ends before the program does.
    #[error("the fragment program's slot {slot} is not in memory")]
    Memory {
        /// The slot that could not be read.
        slot: usize,
    },
    /// There is no end among the first [`MAX_SLOTS`].
    #[error("the fragment program does not end within {MAX_SLOTS} slots")]
    NoEnd,
}

/// The words of a slot, in logical order.
pub fn words(bytes: [u8; 16], order: Order) -> Words {
    let word = |i: usize| {
        let [a, b, c, d] = [bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]];
        match order {
            Order::Little => u32::from_le_bytes([a, b, c, d]),
            Order::Big => u32::from_be_bytes([c, d, a, b]),
        }
    };
    [word(0), word(1), word(2), word(3)]
}

/// The bytes of a slot; the other way of [`words`].
pub fn bytes(words: Words, order: Order) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (chunk, word) in bytes.chunks_exact_mut(4).zip(words) {
        chunk.copy_from_slice(&match order {
            Order::Little => word.to_le_bytes(),
            Order::Big => word.rotate_left(16).to_be_bytes(),
        });
    }
    bytes
}

/// Reads a program: all slots up to the end of the main program and of the routines after it that it calls. `slot`
/// gives the bytes of a slot, `None` where there is no memory. The words replace what is in `code`.
///
/// # Errors
/// Memory or [`MAX_SLOTS`] end before the program does. Instructions without a row are no error here.
pub fn read(
    order: Order,
    mut slot: impl FnMut(usize) -> Option<[u8; 16]>,
    code: &mut Vec<u32>,
) -> Result<(), ReadError> {
    code.clear();
    code.reserve(4 * USUAL_SLOTS);
    let mut fetch = |code: &mut Vec<u32>| {
        let at = code.len() / 4;
        if at == MAX_SLOTS {
            return Err(ReadError::NoEnd);
        }
        let words = words(slot(at).ok_or(ReadError::Memory { slot: at })?, order);
        code.extend(words);
        Ok(words)
    };
    // The furthest routine that is called, and whether the main program is over.
    let (mut furthest, mut over) = (0, false);
    loop {
        let words = fetch(code)?;
        if has_constant(&words) {
            fetch(code)?;
        }
        let instruction = Instruction::decode(words).ok();
        if let Some(Instruction::Flow(Flow { op, target, .. })) = instruction
            && op.is_call()
        {
            furthest = furthest.max(target as usize);
        }
        let returns = matches!(instruction, Some(Instruction::Flow(Flow { op, condition: None, .. })) if op.returns());
        let ends = f::END.is_set(&words);
        over |= ends;
        if furthest < code.len() && (ends || over && returns) {
            return Ok(());
        }
    }
}
