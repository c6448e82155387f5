//! Registers, predicates, sources and their fields in an instruction word.
//!
//! Letters that mean the same in all rows: `d` destination, `a` first source, `b` second source at bit 20, `e` second
//! source at bit 39, `c` third source, `s` `w` slot and word of a constant as second source, `t` `u` as third source,
//! `i` immediate, `g` guard, `p` source predicate.

use super::part::{Part, text_by};
use super::syntax::{Assembly, Listing};
use crate::table::{Cursor, Encoder, Fields, TextError};

/// A register, 0 to 254; 255 is RZ, which reads 0 and keeps nothing. Values of 64 bits take two registers from an even
/// one on, lower word first; if the first is RZ all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u8);

impl Reg {
    /// Reads 0.
    pub const RZ: Reg = Reg(255);

    /// Whether it is RZ.
    pub const fn is_zero(self) -> bool {
        self.0 == 255
    }
}

/// A predicate, 0 to 6; 7 is PT, which is true and keeps nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pred(pub u8);

impl Pred {
    /// Always true.
    pub const PT: Pred = Pred(7);
}

/// A predicate that is read, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PredSource {
    /// The predicate.
    pub pred: Pred,
    /// Whether its value is negated.
    pub not: bool,
}

/// The condition that an instruction has any effect at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard(pub PredSource);

impl Guard {
    /// Without condition.
    pub const ALWAYS: Guard = Guard(PredSource { pred: Pred::PT, not: false });
}

/// A word of a constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Slot, 0 to 31; those from 18 on are never bound.
    pub slot: u8,
    /// Byte offset, 0 to 0xFFFC, a multiple of 4.
    pub offset: u16,
}

/// A source that need not be a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant.
    Constant(Constant),
    /// The 32 bits that the unit sees; for f64 the upper word, the lower one being 0.
    Immediate(u32),
}

/// A floating-point source. The absolute value is taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Src<T> {
    /// Where the value is.
    pub value: T,
    /// Whether its sign is changed.
    pub neg: bool,
    /// Whether its sign is dropped.
    pub abs: bool,
}

/// An integer source, or one without absolute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neg<T> {
    /// Where the value is.
    pub value: T,
    /// Whether it is negated.
    pub neg: bool,
}

/// A source of a logic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inv<T> {
    /// Where the value is.
    pub value: T,
    /// Whether its bits are inverted.
    pub invert: bool,
}

pub(super) fn print_reg(reg: Reg, out: &mut String) {
    out.push_str(&if reg.is_zero() { "rz".to_owned() } else { format!("r{}", reg.0) });
}

pub(super) fn parse_reg(text: &mut Cursor<'_>) -> Result<Reg, TextError> {
    let mut ahead = text.clone();
    let name = ahead.name().unwrap_or("");
    let number = name.strip_prefix('r').and_then(|digits| digits.parse().ok()).filter(|&n: &u8| n < 255);
    let reg = match number {
        _ if name == "rz" => Reg::RZ,
        Some(number) => Reg(number),
        None => return Err(text.expected("a register, r0 to r254 or rz")),
    };
    *text = ahead;
    Ok(reg)
}

pub(super) fn print_pred(pred: Pred, out: &mut String) {
    out.push_str(&if pred == Pred::PT { "pt".to_owned() } else { format!("p{}", pred.0) });
}

pub(super) fn parse_pred(text: &mut Cursor<'_>) -> Result<Pred, TextError> {
    let mut ahead = text.clone();
    let name = ahead.name().unwrap_or("");
    let number = name.strip_prefix('p').and_then(|digits| digits.parse().ok()).filter(|&n: &u8| n < 7);
    let pred = match number {
        _ if name == "pt" => Pred::PT,
        Some(number) => Pred(number),
        None => return Err(text.expected("a predicate, p0 to p6 or pt")),
    };
    *text = ahead;
    Ok(pred)
}

pub(super) fn print_constant(constant: Constant, out: &mut String) {
    out.push_str(&format!("c[{}][{:#x}]", constant.slot, constant.offset));
}

/// Parses a constant after its `c[`.
pub(super) fn parse_constant(text: &mut Cursor<'_>) -> Result<Constant, TextError> {
    let slot = text.number("a constant buffer", 31)? as u8;
    text.expect("]")?;
    text.expect("[")?;
    let offset = text.number("a byte offset", 0xFFFF)? as u16;
    text.expect("]")?;
    Ok(Constant { slot, offset })
}

pub(super) fn print_operand(operand: Operand, out: &mut String) {
    match operand {
        Operand::Reg(reg) => print_reg(reg, out),
        Operand::Constant(constant) => print_constant(constant, out),
        Operand::Immediate(value) => out.push_str(&format!("{value:#x}")),
    }
}

pub(super) fn parse_operand(text: &mut Cursor<'_>) -> Result<Operand, TextError> {
    if text.eat("c[") {
        return parse_constant(text).map(Operand::Constant);
    }
    if text.rest().starts_with(|c: char| c.is_ascii_digit()) {
        return text.number("an immediate", u32::MAX.into()).map(|value| Operand::Immediate(value as u32));
    }
    parse_reg(text).map(Operand::Reg)
}

impl Part for Reg {
    type Value = Reg;
    const BITS: &'static [(u32, u32)] = &[(8, 8)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Reg {
        Reg(fields.byte(letters[0]))
    }

    fn write(value: &Reg, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], value.0.into());
    }

    text_by!(print_reg, parse_reg);
}

/// A predicate that forms may leave out; it is PT then.
impl Part for Pred {
    type Value = Pred;
    const BITS: &'static [(u32, u32)] = &[(0, 3)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Pred {
        if fields.has(letters[0]) { Pred(fields.byte(letters[0])) } else { Pred::PT }
    }

    fn write(value: &Pred, word: &mut Encoder<'_>, letters: &[u8]) {
        match word.has(letters[0]) {
            true => word.put(letters[0], value.0.into()),
            false if *value != Pred::PT => word.reject(letters[0], value.0.into()),
            false => {}
        }
    }

    text_by!(print_pred, parse_pred);
}

impl Part for PredSource {
    type Value = PredSource;
    const BITS: &'static [(u32, u32)] = &[(4, 4)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> PredSource {
        let bits = fields.byte(letters[0]);
        PredSource { pred: Pred(bits & 7), not: bits & 8 != 0 }
    }

    fn write(value: &PredSource, word: &mut Encoder<'_>, letters: &[u8]) {
        word.put(letters[0], u64::from(value.pred.0) | u64::from(value.not) << 3);
    }

    fn print(value: &PredSource, _: &Listing<'_>, out: &mut String) {
        if value.not {
            out.push('!');
        }
        print_pred(value.pred, out);
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<PredSource, TextError> {
        let not = text.eat("!");
        Ok(PredSource { pred: parse_pred(text)?, not })
    }
}

/// The guard, which precedes the instruction's name; rows without one always run.
impl Part for Guard {
    type Value = Guard;
    const BITS: &'static [(u32, u32)] = &[(0, 4)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Guard {
        if fields.has(letters[0]) { Guard(PredSource::read(fields, letters)) } else { Guard::ALWAYS }
    }

    fn write(value: &Guard, word: &mut Encoder<'_>, letters: &[u8]) {
        if word.has(letters[0]) {
            PredSource::write(&value.0, word, letters);
        } else if *value != Guard::ALWAYS {
            word.reject(letters[0], value.0.pred.0.into());
        }
    }

    fn print(_: &Guard, _: &Listing<'_>, _: &mut String) {}

    fn parse(_: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<Guard, TextError> {
        Ok(Guard::ALWAYS)
    }
}
