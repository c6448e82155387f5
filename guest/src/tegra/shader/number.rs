//! Numbers in words that are operands of their own: selectors, masks, offsets, addresses.

use super::operand::{Reg, parse_reg, print_reg};
use super::part::Part;
use super::syntax::{Assembly, Listing};
use crate::table::{Cursor, Encoder, Fields, TextError};

/// An unsigned number of at most 8 bits; forms without its field have 0.
pub(super) struct Small;

impl Part for Small {
    type Value = u8;
    const BITS: &'static [(u32, u32)] = &[(0, 8)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> u8 {
        fields.byte(letters[0])
    }

    fn write(value: &u8, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], (*value).into());
    }

    fn print(value: &u8, _: &Listing<'_>, out: &mut String) {
        out.push_str(&format!("{value:#x}"));
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<u8, TextError> {
        text.number("a number", 0xFF).map(|value| value as u8)
    }
}

/// An unsigned number of at most 32 bits.
pub(super) struct Number;

impl Part for Number {
    type Value = u32;
    const BITS: &'static [(u32, u32)] = &[(0, 32)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> u32 {
        fields.get(letters[0]) as u32
    }

    fn write(value: &u32, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], (*value).into());
    }

    fn print(value: &u32, _: &Listing<'_>, out: &mut String) {
        out.push_str(&format!("{value:#x}"));
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<u32, TextError> {
        text.number("a number", u32::MAX.into()).map(|value| value as u32)
    }
}

/// A mask of components, bit 0 = the first one, at most four.
pub(super) struct Mask;

impl Part for Mask {
    type Value = u8;
    const BITS: &'static [(u32, u32)] = &[(4, 4)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> u8 {
        Small::read(fields, letters)
    }

    fn write(value: &u8, word: &mut Encoder<'_>, letters: &[u8]) {
        Small::write(value, word, letters);
    }

    fn print(value: &u8, listing: &Listing<'_>, out: &mut String) {
        Small::print(value, listing, out);
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<u8, TextError> {
        text.number("a mask of components", 0xF).map(|value| value as u8)
    }
}

/// A register plus a number of bytes. If the register is RZ the number is taken as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The register, or the first of two.
    pub base: Reg,
    /// Bytes, signed.
    pub offset: i32,
}

impl Address {
    /// The offset as it counts in an address field of `bits` bits: without sign if there is no register.
    pub const fn effective_offset(self, bits: u32) -> i64 {
        if self.base.is_zero() && bits < 64 { self.offset as i64 & ((1 << bits) - 1) } else { self.offset as i64 }
    }
}

/// An address whose offset counts units of `UNIT` bytes.
pub(super) struct Offset<const UNIT: i32>;

impl<const UNIT: i32> Part for Offset<UNIT> {
    type Value = Address;
    const BITS: &'static [(u32, u32)] = &[(8, 8), (8, 32)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Address {
        let offset = (fields.signed(letters[1]) as i32).wrapping_mul(UNIT);
        Address { base: Reg(fields.byte(letters[0])), offset }
    }

    fn write(value: &Address, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], value.base.0.into());
        match value.offset % UNIT {
            0 => word.put_signed(letters[1], (value.offset / UNIT).into()),
            _ => word.reject(letters[1], value.offset as u32 as u64),
        }
    }

    fn print(value: &Address, _: &Listing<'_>, out: &mut String) {
        out.push('[');
        print_reg(value.base, out);
        print_offset(value.offset, out);
        out.push(']');
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<Address, TextError> {
        text.expect("[")?;
        let base = parse_reg(text)?;
        let offset = parse_offset(text)?;
        text.expect("]")?;
        Ok(Address { base, offset })
    }
}

/// Appends an offset with its sign, nothing for 0.
pub(super) fn print_offset(offset: i32, out: &mut String) {
    match offset {
        0 => {}
        1.. => out.push_str(&format!("+{offset:#x}")),
        _ => out.push_str(&format!("-{:#x}", offset.unsigned_abs())),
    }
}

/// Reads an offset with its sign; 0 if there is none.
pub(super) fn parse_offset(text: &mut Cursor<'_>) -> Result<i32, TextError> {
    let negative = text.eat("-");
    if !negative && !text.eat("+") {
        return Ok(0);
    }
    let limit = if negative { 1 << 31 } else { (1 << 31) - 1 };
    let value = text.number("an offset in bytes", limit)?;
    Ok(if negative { (value as u32).wrapping_neg() as i32 } else { value as i32 })
}
