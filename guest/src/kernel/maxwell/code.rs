//! The code of a Maxwell program as part of a kernel's key.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::kernel::Accuracy;

/// A program: what control flow reaches of it, and what is known of its surroundings before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Code {
    /// Words from the start of the code (after the header), control words included. Words that control flow does not
    /// reach are 0, so that equal programs are equal keys.
    pub words: Vec<u64>,
    /// Byte addresses that computed branches (BRX, JMX, constant targets) may go to, ascending; a lane that goes
    /// elsewhere ends.
    pub targets: Vec<u32>,
    /// The unit of every texture and surface instruction, ascending by address.
    pub units: Vec<UnitUse>,
    /// Constant buffer that holds texture handles.
    pub handle_buffer: u8,
    /// Bytes of local memory of a lane, at most 512 KiB.
    pub local_bytes: u32,
    /// How its numbers are computed.
    pub accuracy: Accuracy,
}

impl Code {
    /// The unit of the instruction at a byte address.
    pub fn unit(&self, address: u32) -> Option<Unit> {
        let found = self.units.binary_search_by_key(&address, |unit| unit.address);
        found.ok().map(|index| self.units[index].unit)
    }
}

/// Which unit an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct UnitUse {
    /// Byte address of the instruction.
    pub address: u32,
    /// The unit.
    pub unit: Unit,
}

/// A texture or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Unit {
    /// Index into the key's textures.
    Texture(u8),
    /// Index into the key's images.
    Image(u8),
    /// Known only when the program runs: the texture or image, as the instruction needs, whose handle it has.
    Dynamic,
}
