//! Operands of arithmetic instructions: registers, write masks, swizzles, negation.

use super::{Assembly, Listing};
use crate::pica::descriptor::{Descriptor, IDENTITY, Wanted, select};
use crate::pica::operand::{Arith1, Arith2, Arith3, Compare, Dst, Index, MovA, Src};
use crate::table::{Cursor, OpInfo, ParseOperands, PrintOperands, TextError};

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];
const COMPARISONS: [&str; 8] = ["eq", "ne", "lt", "le", "gt", "ge", "t6", "t7"];

/// A source with what the descriptor says about it.
#[derive(Clone, Copy)]
struct Source {
    register: Src,
    negate: bool,
    selector: u8,
}

fn print_mask(mask: [bool; 4], out: &mut String) {
    if mask == [true; 4] {
        return;
    }
    out.push('.');
    if mask == [false; 4] {
        out.push('_');
    }
    out.extend((0..4).filter(|&i| mask[i]).map(|i| LETTERS[i]));
}

fn print_destination(dst: Dst, descriptor: Descriptor, out: &mut String) {
    out.push_str(&match dst {
        Dst::Output(n) => format!(" o{n}"),
        Dst::Temp(n) => format!(" r{n}"),
    });
    print_mask(descriptor.mask(), out);
}

fn print_source(src: Src, descriptor: Descriptor, number: usize, out: &mut String) {
    if descriptor.negate(number) {
        out.push('-');
    }
    out.push_str(&match src {
        Src::Input(n) => format!("v{n}"),
        Src::Temp(n) => format!("r{n}"),
        Src::Const(n, Index::None) => format!("c{n}"),
        Src::Const(n, Index::A0X) => format!("c{n}[a0.x]"),
        Src::Const(n, Index::A0Y) => format!("c{n}[a0.y]"),
        Src::Const(n, Index::AL) => format!("c{n}[aL]"),
    });
    let selector = descriptor.selector(number);
    if selector != IDENTITY {
        out.push('.');
        out.extend((0..4).map(|i| LETTERS[select(selector, i) as usize]));
    }
}

/// Reads the letters after a dot as component numbers; `None` without a dot.
fn parse_components(text: &mut Cursor<'_>) -> Result<Option<Vec<u8>>, TextError> {
    if !text.eat(".") {
        return Ok(None);
    }
    let letters = text.take(|c| LETTERS.contains(&c));
    Ok(Some(letters.chars().map(|c| LETTERS.iter().position(|&l| l == c).unwrap_or(0) as u8).collect()))
}

fn parse_mask(text: &mut Cursor<'_>) -> Result<u8, TextError> {
    let Some(components) = parse_components(text)? else { return Ok(0xF) };
    if components.is_empty() {
        text.expect("_")?;
    }
    let mut mask = 0;
    for component in components {
        let bit = 8 >> component;
        if mask & (bit * 2 - 1) != 0 {
            return Err(TextError::Rule("the components of a write mask come in order, each once".to_owned()));
        }
        mask |= bit;
    }
    Ok(mask)
}

fn parse_destination(text: &mut Cursor<'_>) -> Result<(Dst, u8), TextError> {
    let output = text.eat("o");
    if !output && !text.eat("r") {
        return Err(text.expected("a destination, o0 to o15 or r0 to r15"));
    }
    let number = text.number("a destination register", 15)? as u8;
    let mask = parse_mask(text)?;
    text.expect(",")?;
    Ok((if output { Dst::Output(number) } else { Dst::Temp(number) }, mask))
}

fn parse_index(text: &mut Cursor<'_>) -> Result<Index, TextError> {
    if !text.eat("[") {
        return Ok(Index::None);
    }
    let index = match () {
        () if text.eat("a0.x") => Index::A0X,
        () if text.eat("a0.y") => Index::A0Y,
        () if text.eat("aL") => Index::AL,
        () => return Err(text.expected("an index, a0.x, a0.y or aL")),
    };
    text.expect("]")?;
    Ok(index)
}

fn parse_selector(text: &mut Cursor<'_>) -> Result<u8, TextError> {
    let Some(components) = parse_components(text)? else { return Ok(IDENTITY) };
    let Some(&last) = components.last().filter(|_| components.len() <= 4) else {
        return Err(text.expected("one to four components"));
    };
    let selector = (0..4).map(|i| components.get(i).copied().unwrap_or(last));
    Ok(selector.fold(0, |selector, component| selector << 2 | component))
}

fn parse_source(text: &mut Cursor<'_>) -> Result<Source, TextError> {
    let negate = text.eat("-");
    let register = match () {
        () if text.eat("v") => Src::Input(text.number("an input register", 15)? as u8),
        () if text.eat("r") => Src::Temp(text.number("a temporary register", 15)? as u8),
        () if text.eat("c") => {
            let number = text.number("a constant register", 95)? as u8;
            Src::Const(number, parse_index(text)?)
        }
        () => return Err(text.expected("a source, v0 to v15, r0 to r15 or c0 to c95")),
    };
    Ok(Source { register, negate, selector: parse_selector(text)? })
}

/// Prints a destination, and sources by their numbers.
fn print_operands(dst: Dst, sources: &[Src], descriptor: Descriptor, out: &mut String) {
    print_destination(dst, descriptor, out);
    for (&source, number) in sources.iter().zip(1..) {
        out.push_str(", ");
        print_source(source, descriptor, number, out);
    }
}

/// Reads a destination, sources that fit the row, and the number of their descriptor.
fn parse_operands<const N: usize>(
    op: &OpInfo,
    text: &mut Cursor<'_>,
    assembly: &mut Assembly<'_>,
) -> Result<(Dst, [Src; N], u8), TextError> {
    let (dst, mask) = parse_destination(text)?;
    let mut sources = [Source { register: Src::Input(0), negate: false, selector: IDENTITY }; N];
    for (number, source) in sources.iter_mut().enumerate() {
        if number > 0 {
            text.expect(",")?;
        }
        *source = parse_source(text)?;
    }
    check_widths(op, &sources)?;
    let desc = assembly.descriptor(op, text, want(Wanted::ANY.mask(mask, 0xF), &sources))?;
    Ok((dst, sources.map(|source| source.register), desc))
}

/// Whether the sources fit the row: only wide fields hold constants.
fn check_widths(op: &OpInfo, sources: &[Source]) -> Result<(), TextError> {
    for (letter, source) in (b'a'..).zip(sources) {
        if op.pattern.field_width(letter) < 7 && matches!(source.register, Src::Const(..)) {
            let number = letter - b'a' + 1;
            return Err(TextError::Rule(format!("source {number} of {} cannot be a constant register", op.name)));
        }
    }
    Ok(())
}

fn want(wanted: Wanted, sources: &[Source]) -> Wanted {
    sources
        .iter()
        .zip(1..)
        .fold(wanted, |wanted, (source, number)| wanted.source(number, source.negate, source.selector))
}

impl PrintOperands<Listing<'_>> for Arith2 {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        print_operands(self.dst, &[self.src1, self.src2], listing.descriptor(self.desc), out);
    }
}

impl ParseOperands<Assembly<'_>> for Arith2 {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (dst, [src1, src2], desc) = parse_operands(op, text, assembly)?;
        Ok(Arith2 { dst, src1, src2, idx: src1.index() | src2.index(), desc })
    }
}

impl PrintOperands<Listing<'_>> for Arith1 {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        print_operands(self.dst, &[self.src1], listing.descriptor(self.desc), out);
    }
}

impl ParseOperands<Assembly<'_>> for Arith1 {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (dst, [src1], desc) = parse_operands(op, text, assembly)?;
        Ok(Arith1 { dst, src1, desc })
    }
}

impl PrintOperands<Listing<'_>> for MovA {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let descriptor = listing.descriptor(self.desc);
        out.push_str(" a0");
        print_mask([descriptor.writes(0), descriptor.writes(1), false, false], out);
        out.push_str(", ");
        print_source(self.src1, descriptor, 1, out);
    }
}

impl ParseOperands<Assembly<'_>> for MovA {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        text.expect("a0")?;
        let mask = parse_mask(text)?;
        text.expect(",")?;
        let source = parse_source(text)?;
        let desc = assembly.descriptor(op, text, want(Wanted::ANY.mask(mask, 0xC), &[source]))?;
        Ok(MovA { src1: source.register, desc })
    }
}

impl PrintOperands<Listing<'_>> for Compare {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let descriptor = listing.descriptor(self.desc);
        out.push(' ');
        print_source(self.src1, descriptor, 1, out);
        let [op_x, op_y] = [self.op_x, self.op_y].map(|op| COMPARISONS[(op & 7) as usize]);
        out.push_str(&format!(", {op_x}, {op_y}, "));
        print_source(self.src2, descriptor, 2, out);
    }
}

fn parse_comparison(text: &mut Cursor<'_>) -> Result<u8, TextError> {
    text.expect(",")?;
    match COMPARISONS.iter().position(|name| text.eat(name)) {
        Some(op) => Ok(op as u8),
        None => Err(text.expected("a comparison, eq ne lt le gt ge t6 or t7")),
    }
}

impl ParseOperands<Assembly<'_>> for Compare {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let first = parse_source(text)?;
        let op_x = parse_comparison(text)?;
        let op_y = parse_comparison(text)?;
        text.expect(",")?;
        let second = parse_source(text)?;
        check_widths(op, &[first, second])?;
        let desc = assembly.descriptor(op, text, want(Wanted::ANY, &[first, second]))?;
        Ok(Compare { src1: first.register, src2: second.register, desc, op_x, op_y })
    }
}

impl PrintOperands<Listing<'_>> for Arith3 {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        print_operands(self.dst, &[self.src1, self.src2, self.src3], listing.descriptor(self.desc), out);
    }
}

impl ParseOperands<Assembly<'_>> for Arith3 {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (dst, [src1, src2, src3], desc) = parse_operands(op, text, assembly)?;
        Ok(Arith3 { dst, src1, src2, src3, desc })
    }
}
