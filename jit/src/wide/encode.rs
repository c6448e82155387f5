//! Encoding of instructions.

use super::opcode::{Map, Opcode, Prefix};

/// A memory operand whose registers have numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub base: u8,
    pub index: Option<u8>,
    pub shift: u8,
    pub offset: i32,
}

/// The operand of an instruction that may be in memory, with numbers of registers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(u8),
    Memory(Address),
    /// A constant of the function: the place of its distance is noted in [`Bytes::constants`].
    Constant(usize),
}

/// Where code refers to a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstantUse {
    pub constant: usize,
    /// Where the four bytes of the distance are.
    pub at: usize,
    /// What the distance counts from: the end of the instruction.
    pub from: usize,
}

/// Machine code that grows.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    pub bytes: Vec<u8>,
    pub constants: Vec<ConstantUse>,
}

/// Number of the stack pointer, which no index can be.
const RSP: u8 = 4;

impl Bytes {
    /// Appends an instruction. `second` is the operand that only VEX encodings have.
    pub fn inst(&mut self, opcode: Opcode, wide: bool, reg: u8, second: Option<u8>, rm: Operand, immediate: &[u8]) {
        let (base, index) = match rm {
            Operand::Register(register) => (register, 0),
            Operand::Memory(address) => (address.base, address.index.unwrap_or(0)),
            Operand::Constant(_) => (0, 0),
        };
        let extensions = [reg, index, base].map(|register| register >= 8);
        if opcode.vex {
            self.vex(opcode, wide, extensions, second.unwrap_or(0));
        } else {
            self.legacy(opcode, extensions, reg, rm);
        }
        self.bytes.push(opcode.byte);
        let distance = self.operand(reg, rm);
        self.bytes.extend_from_slice(immediate);
        if let (Operand::Constant(constant), Some(at)) = (rm, distance) {
            self.constants.push(ConstantUse { constant, at, from: self.bytes.len() });
        }
    }

    fn vex(&mut self, opcode: Opcode, wide: bool, [r, x, b]: [bool; 3], second: u8) {
        // Register bits are inverted.
        let last = (!second & 15) << 3 | u8::from(wide) << 2 | opcode.prefix as u8;
        if !x && !b && !opcode.w && opcode.map == Map::M0F {
            self.bytes.extend([0xC5, u8::from(!r) << 7 | last]);
        } else {
            let extensions = u8::from(!r) << 7 | u8::from(!x) << 6 | u8::from(!b) << 5;
            self.bytes.extend([0xC4, extensions | opcode.map as u8, u8::from(opcode.w) << 7 | last]);
        }
    }

    fn legacy(&mut self, opcode: Opcode, [r, x, b]: [bool; 3], reg: u8, rm: Operand) {
        match opcode.prefix {
            Prefix::None => {}
            Prefix::P66 => self.bytes.push(0x66),
            Prefix::PF3 => self.bytes.push(0xF3),
            Prefix::PF2 => self.bytes.push(0xF2),
        }
        let rex = u8::from(opcode.w) << 3 | u8::from(r) << 2 | u8::from(x) << 1 | u8::from(b);
        let is_byte = |register: u8| opcode.has_byte_registers() && register >= 4;
        if rex != 0 || is_byte(reg) || matches!(rm, Operand::Register(register) if is_byte(register)) {
            self.bytes.push(0x40 | rex);
        }
        match opcode.map {
            Map::OneByte => {}
            Map::M0F => self.bytes.push(0x0F),
            Map::M0F38 => self.bytes.extend([0x0F, 0x38]),
            Map::M0F3A => self.bytes.extend([0x0F, 0x3A]),
        }
    }

    /// Appends the bytes that say where the operands are. Returns where the distance to a constant belongs.
    fn operand(&mut self, reg: u8, rm: Operand) -> Option<usize> {
        let reg = (reg & 7) << 3;
        match rm {
            Operand::Register(register) => self.bytes.push(0xC0 | reg | register & 7),
            Operand::Memory(address) => self.address(reg, address),
            Operand::Constant(_) => {
                self.bytes.push(reg | 5);
                self.bytes.extend([0; 4]);
                return Some(self.bytes.len() - 4);
            }
        }
        None
    }

    fn address(&mut self, reg: u8, Address { base, index, shift, offset }: Address) {
        debug_assert_ne!(index, Some(RSP));
        let base_bits = base & 7;
        let short = i8::try_from(offset);
        // Without a distance, 5 as a base means something else.
        let mode = match short {
            Ok(0) if base_bits != 5 => 0x00,
            Ok(_) => 0x40,
            Err(_) => 0x80,
        };
        if index.is_none() && base_bits != RSP {
            self.bytes.push(mode | reg | base_bits);
        } else {
            let index_bits = index.unwrap_or(RSP) & 7;
            self.bytes.extend([mode | reg | 4, shift << 6 | index_bits << 3 | base_bits]);
        }
        match (mode, short) {
            (0x00, _) => {}
            (0x40, Ok(short)) => self.bytes.extend(short.to_le_bytes()),
            _ => self.bytes.extend(offset.to_le_bytes()),
        }
    }
}
