//! How the operands of shader instructions are written.
//!
//! ```text
//! add r0.xz, c20[a0.x].wzyx, -r3.y @5    mask, swizzle (the last letter repeats), negation, descriptor 5
//! mova a0.xy, r3          cmp c4, lt, ge, r1          mad r9.xyz, r1, c12[a0.x], -r2
//! breakc !cmp.y           jmpc cmp.x || !cmp.y, 511   jmpu !b4, 9        loop i2, 17
//! call 300..312           callu b15, 64..67           ifc cmp.x, 20..24  setemit 2, prim, inv
//! ```
//! Targets are instruction indices or labels. A range is a called block or the else part, its end exclusive; without an
//! end it is empty. The target of `loop` is the last instruction of the body.

use super::descriptor::{DescriptorPool, IDENTITY, Wanted, select};
use super::isa::Descriptor;
use super::operand::{
    Arith1, Arith2, Arith3, Branch, Compare, Condition, ConditionOp, Dst, Flow0, Index, MovA, SetEmit, Src, Uniform,
};
use crate::table::{Cursor, OpInfo, ParseOperands, PrintOperands, TextError};

/// What a listing knows beyond the word.
pub struct Listing<'a> {
    descriptors: &'a [u32],
    labels: Option<&'a dyn Fn(u16) -> String>,
}

impl<'a> Listing<'a> {
    /// With these descriptors and numeric targets.
    pub fn new(descriptors: &'a [u32]) -> Self {
        Listing { descriptors, labels: None }
    }

    /// With these descriptors and names for targets.
    pub fn with_labels(descriptors: &'a [u32], labels: &'a dyn Fn(u16) -> String) -> Self {
        Listing { descriptors, labels: Some(labels) }
    }

    fn descriptor(&self, index: u8) -> Descriptor {
        Descriptor(self.descriptors.get(index as usize).copied().unwrap_or(0))
    }

    fn target(&self, target: u16) -> String {
        match self.labels {
            Some(name) => name(target),
            None => target.to_string(),
        }
    }

    fn range(&self, target: u16, count: u8, out: &mut String) {
        out.push_str(&self.target(target));
        if count != 0 {
            out.push_str("..");
            out.push_str(&self.target(target + u16::from(count)));
        }
    }
}

/// What an assembler knows beyond the line.
pub struct Assembly<'a> {
    pool: &'a mut DescriptorPool,
    labels: Option<&'a dyn Fn(&str) -> Option<u16>>,
}

impl<'a> Assembly<'a> {
    /// Without labels.
    pub fn new(pool: &'a mut DescriptorPool) -> Self {
        Assembly { pool, labels: None }
    }

    /// With labels.
    pub fn with_labels(pool: &'a mut DescriptorPool, labels: &'a dyn Fn(&str) -> Option<u16>) -> Self {
        Assembly { pool, labels: Some(labels) }
    }

    /// Reads the number of the descriptor if the line gives one and finds it a place.
    fn descriptor(&mut self, op: &OpInfo, text: &mut Cursor<'_>, wanted: Wanted) -> Result<u8, TextError> {
        let reach = 1 << op.pattern.field_width(b'p');
        let placed = if text.eat("@") {
            self.pool.place(text.number("a descriptor number", 127)? as usize, wanted, reach)
        } else {
            self.pool.intern(wanted, reach)
        };
        placed.map_err(|error| TextError::Rule(error.to_string()))
    }

    fn target(&self, text: &mut Cursor<'_>) -> Result<u16, TextError> {
        match text.name() {
            Some(name) => {
                let label = self.labels.and_then(|labels| labels(name));
                label.ok_or_else(|| TextError::UnknownLabel(name.to_owned()))
            }
            None => Ok(text.number("an instruction index", 0x10FF)? as u16),
        }
    }

    fn range(&self, text: &mut Cursor<'_>) -> Result<(u16, u8), TextError> {
        let start = self.target(text)?;
        let end = if text.eat("..") { self.target(text)? } else { start };
        match end.checked_sub(start).map(u8::try_from) {
            Some(Ok(count)) => Ok((start, count)),
            _ => Err(TextError::Rule(format!("a block of {start}..{end} is not 0 to 255 instructions"))),
        }
    }
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];
const COMPARISONS: [&str; 8] = ["eq", "ne", "lt", "le", "gt", "ge", "t6", "t7"];

/// A source with what the descriptor says about it.
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
        if mask >= bit && mask & (bit * 2 - 1) != 0 {
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

/// Whether the source fits the row: only wide fields hold constants.
fn check_width(op: &OpInfo, sources: &[(u8, &Source)]) -> Result<(), TextError> {
    for (letter, source) in sources {
        if op.pattern.field_width(*letter) < 7 && matches!(source.register, Src::Const(..)) {
            let number = letter - b'a' + 1;
            return Err(TextError::Rule(format!("source {number} of {} cannot be a constant register", op.name)));
        }
    }
    Ok(())
}

fn want(wanted: Wanted, number: usize, source: &Source) -> Wanted {
    wanted.source(number, source.negate, source.selector)
}

impl PrintOperands<Listing<'_>> for Arith2 {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let descriptor = listing.descriptor(self.desc);
        print_destination(self.dst, descriptor, out);
        out.push_str(", ");
        print_source(self.src1, descriptor, 1, out);
        out.push_str(", ");
        print_source(self.src2, descriptor, 2, out);
    }
}

impl ParseOperands<Assembly<'_>> for Arith2 {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (dst, mask) = parse_destination(text)?;
        let first = parse_source(text)?;
        text.expect(",")?;
        let second = parse_source(text)?;
        check_width(op, &[(b'a', &first), (b'b', &second)])?;
        let wanted = want(want(Wanted::ANY.mask(mask, 0xF), 1, &first), 2, &second);
        let desc = assembly.descriptor(op, text, wanted)?;
        let idx = first.register.index() | second.register.index();
        Ok(Arith2 { dst, src1: first.register, src2: second.register, idx, desc })
    }
}

impl PrintOperands<Listing<'_>> for Arith1 {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let descriptor = listing.descriptor(self.desc);
        print_destination(self.dst, descriptor, out);
        out.push_str(", ");
        print_source(self.src1, descriptor, 1, out);
    }
}

impl ParseOperands<Assembly<'_>> for Arith1 {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (dst, mask) = parse_destination(text)?;
        let source = parse_source(text)?;
        let desc = assembly.descriptor(op, text, want(Wanted::ANY.mask(mask, 0xF), 1, &source))?;
        Ok(Arith1 { dst, src1: source.register, desc })
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
        let desc = assembly.descriptor(op, text, want(Wanted::ANY.mask(mask, 0xC), 1, &source))?;
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
        check_width(op, &[(b'a', &first), (b'b', &second)])?;
        let desc = assembly.descriptor(op, text, want(want(Wanted::ANY, 1, &first), 2, &second))?;
        Ok(Compare { src1: first.register, src2: second.register, desc, op_x, op_y })
    }
}

impl PrintOperands<Listing<'_>> for Arith3 {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let descriptor = listing.descriptor(self.desc);
        print_destination(self.dst, descriptor, out);
        for (number, src) in [(1, self.src1), (2, self.src2), (3, self.src3)] {
            out.push_str(", ");
            print_source(src, descriptor, number, out);
        }
    }
}

impl ParseOperands<Assembly<'_>> for Arith3 {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (dst, mask) = parse_destination(text)?;
        let first = parse_source(text)?;
        text.expect(",")?;
        let second = parse_source(text)?;
        text.expect(",")?;
        let third = parse_source(text)?;
        check_width(op, &[(b'a', &first), (b'b', &second), (b'c', &third)])?;
        let wanted = want(want(want(Wanted::ANY.mask(mask, 0xF), 1, &first), 2, &second), 3, &third);
        let desc = assembly.descriptor(op, text, wanted)?;
        Ok(Arith3 { dst, src1: first.register, src2: second.register, src3: third.register, desc })
    }
}

impl PrintOperands<Listing<'_>> for Flow0 {
    fn print(&self, _: &OpInfo, _: &Listing<'_>, _: &mut String) {}
}

impl ParseOperands<Assembly<'_>> for Flow0 {
    fn parse(_: &OpInfo, _: &mut Cursor<'_>, _: &mut Assembly<'_>) -> Result<Self, TextError> {
        Ok(Flow0)
    }
}

fn print_condition(cond: Condition, out: &mut String) {
    let x = if cond.ref_x { "cmp.x" } else { "!cmp.x" };
    let y = if cond.ref_y { "cmp.y" } else { "!cmp.y" };
    out.push_str(&match cond.op {
        ConditionOp::Or => format!(" {x} || {y}"),
        ConditionOp::And => format!(" {x} && {y}"),
        ConditionOp::X => format!(" {x}"),
        ConditionOp::Y => format!(" {y}"),
    });
}

/// Reads a flag, `cmp.x` or `cmp.y`, and what it is compared with.
fn parse_flag(text: &mut Cursor<'_>) -> Result<(bool, bool), TextError> {
    let reference = !text.eat("!");
    if text.eat("cmp.x") {
        Ok((true, reference))
    } else if text.eat("cmp.y") {
        Ok((false, reference))
    } else {
        Err(text.expected("a flag, cmp.x or cmp.y"))
    }
}

fn parse_condition(text: &mut Cursor<'_>) -> Result<Condition, TextError> {
    let (is_x, reference) = parse_flag(text)?;
    let op = match () {
        () if text.eat("||") => ConditionOp::Or,
        () if text.eat("&&") => ConditionOp::And,
        () if is_x => return Ok(Condition { op: ConditionOp::X, ref_x: reference, ref_y: false }),
        () => return Ok(Condition { op: ConditionOp::Y, ref_x: false, ref_y: reference }),
    };
    let (other_is_x, other) = parse_flag(text)?;
    if !is_x || other_is_x {
        return Err(TextError::Rule("a condition on both flags names cmp.x first, then cmp.y".to_owned()));
    }
    Ok(Condition { op, ref_x: reference, ref_y: other })
}

impl PrintOperands<Listing<'_>> for Branch {
    fn print(&self, op: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let conditional = op.pattern.field(b'o') != 0;
        if conditional {
            print_condition(self.cond, out);
        }
        if op.pattern.field(b't') != 0 {
            out.push_str(if conditional { ", " } else { " " });
            listing.range(self.target, self.count, out);
        }
    }
}

impl ParseOperands<Assembly<'_>> for Branch {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let mut branch =
            Branch { target: 0, count: 0, cond: Condition { op: ConditionOp::Or, ref_x: false, ref_y: false } };
        let conditional = op.pattern.field(b'o') != 0;
        let targeted = op.pattern.field(b't') != 0;
        if conditional {
            branch.cond = parse_condition(text)?;
        }
        if conditional && targeted {
            text.expect(",")?;
        }
        if targeted {
            (branch.target, branch.count) = assembly.range(text)?;
        }
        Ok(branch)
    }
}

/// Whether the row's number field is a flag: JMPU on a false bool.
fn inverts(op: &OpInfo) -> bool {
    op.pattern.field_width(b'n') == 1
}

/// What the uniforms of a row are called: `i0` to `i3` or `b0` to `b15`.
fn uniform_letter(op: &OpInfo) -> &'static str {
    if op.pattern.field_width(b'i') == 2 { "i" } else { "b" }
}

impl PrintOperands<Listing<'_>> for Uniform {
    fn print(&self, op: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let not = if inverts(op) && self.count & 1 != 0 { "!" } else { "" };
        out.push_str(&format!(" {not}{}{}, ", uniform_letter(op), self.id));
        listing.range(self.target, if inverts(op) { 0 } else { self.count }, out);
    }
}

impl ParseOperands<Assembly<'_>> for Uniform {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let not = inverts(op) && text.eat("!");
        text.expect(uniform_letter(op))?;
        let id = text.number("a uniform", (1 << op.pattern.field_width(b'i')) - 1)? as u8;
        text.expect(",")?;
        let (target, count) = assembly.range(text)?;
        Ok(Uniform { target, count: if inverts(op) { not.into() } else { count }, id })
    }
}

impl PrintOperands<Listing<'_>> for SetEmit {
    fn print(&self, _: &OpInfo, _: &Listing<'_>, out: &mut String) {
        out.push_str(&format!(" {}", self.vertex));
        out.push_str(if self.primitive { ", prim" } else { "" });
        out.push_str(if self.winding { ", inv" } else { "" });
    }
}

impl ParseOperands<Assembly<'_>> for SetEmit {
    fn parse(_: &OpInfo, text: &mut Cursor<'_>, _: &mut Assembly<'_>) -> Result<Self, TextError> {
        let mut emit = SetEmit { vertex: text.number("a vertex slot", 3)? as u8, primitive: false, winding: false };
        while text.eat(",") {
            match () {
                () if text.eat("prim") => emit.primitive = true,
                () if text.eat("inv") => emit.winding = true,
                () => return Err(text.expected("prim or inv")),
            }
        }
        Ok(emit)
    }
}
