//! Fragment instructions as text.
//!
//! ```text
//! mad r3.xyz, f[TC0].xyzz, {0.5, 0.5, 1, 0}, -|fx12(h4.wzyx)|     one input, one constant at most
//! tex h0, r1.xyxx, tex3  [bx2]        txl r0, f[TC1], r2.x, tex0
//! mov r0, f[aL - 3]  [linear]         an input relative to texture coordinate 0 and the loop's index
//! lg2 r2.x, |r1.x|  [/2, sat, fp16]   scale, clamp, precision
//! slt _.x, r0, r1  [set cc1]          a condition register alone
//! kil  [if lt.xyzz, cc1]              nop  [const {1, 2, 3, 4}]
//! ife 16, 32  [if gt.x]               else part and end, in words
//! loop 5, 0, 1, 48                    count, first index, step, end
//! rep 3, 48           cal 64          brk  [if eq.x]           ret  [end]
//! mov r0, r1  [^w2:0x1]               bits that mean nothing, as the writer left them
//! ```
//! Numbers of constants are decimal, or the bits in hexadecimal where that says more.

use super::instruction::{Compute, Flow, Instruction, Words};
use super::operand::{Input, Modifier, Precision, Register, Scale, Source, Temp};
use super::ops::{FlowOp, Op};
use crate::rsx::asm::{Labels, parse_target};
use crate::rsx::operand::{Condition, Mask, Swizzle, parse_difference, print_difference, with_difference};
use crate::table::{Cursor, TextError};

/// Names of the inputs; the last one is unknown.
pub const INPUTS: [&str; 16] = [
    "WPOS", "COL0", "COL1", "FOGC", "TC0", "TC1", "TC2", "TC3", "TC4", "TC5", "TC6", "TC7", "TC8", "TC9", "SSA", "X15",
];

const PRECISIONS: [(Precision, &str); 3] =
    [(Precision::Half, "fp16"), (Precision::Fx12, "fx12"), (Precision::Fx9, "fx9")];
const SCALES: [(Scale, &str); 7] = [
    (Scale::Two, "*2"),
    (Scale::Four, "*4"),
    (Scale::Eight, "*8"),
    (Scale::Unknown, "*?"),
    (Scale::Half, "/2"),
    (Scale::Quarter, "/4"),
    (Scale::Eighth, "/8"),
];
const MODIFIERS: [(Modifier, &str); 7] = [
    (Modifier::Half, "fp16("),
    (Modifier::Fx12, "fx12("),
    (Modifier::Fx9, "fx9("),
    (Modifier::Saturate, "sat("),
    (Modifier::Unknown(5), "mod5("),
    (Modifier::Unknown(6), "mod6("),
    (Modifier::Unknown(7), "mod7("),
];

/// The text of an instruction with targets in words, as [`assemble`] reads it. `constant` counts if the instruction has
/// one. Words of no known instruction are a `.word` line.
pub fn disassemble(words: Words, constant: Words) -> String {
    print(words, constant, &|target| target.to_string()).unwrap_or_else(|| word_line(words))
}

pub(super) fn word_line([a, b, c, d]: Words) -> String {
    format!(".word {a:#010x}, {b:#010x}, {c:#010x}, {d:#010x}")
}

/// Reads an instruction of text without labels: four words, or eight with its constant.
///
/// # Errors
/// The error.
pub fn assemble(text: &str) -> Result<Vec<u32>, TextError> {
    parse(text, &|_| None)
}

/// The text of an instruction, targets named by `target`; `None` for words of no known instruction.
pub(super) fn print(words: Words, constant: Words, target: &dyn Fn(u32) -> String) -> Option<String> {
    let instruction = Instruction::decode(words).ok()?;
    let (mut out, mut flags) = match &instruction {
        Instruction::Compute(compute) => print_compute(compute, &print_constant(constant)),
        Instruction::Flow(flow) => print_flow(flow, target),
    };
    if instruction.ends() {
        flags.push("end".to_owned());
    }
    flags.extend(print_difference(&words, &instruction.encode()));
    if !flags.is_empty() {
        out.push_str(&format!("  [{}]", flags.join(", ")));
    }
    Some(out)
}

fn print_constant(words: Words) -> String {
    let numbers = words.map(|bits| {
        let value = f32::from_bits(bits);
        let text = format!("{value:?}");
        match value.is_finite() {
            true => text.strip_suffix(".0").unwrap_or(&text).to_owned(),
            false => format!("{bits:#010x}"),
        }
    });
    format!("{{{}}}", numbers.join(", "))
}

/// Adds the condition and its register to the flags.
fn print_condition(condition: Option<Condition>, register: u8, flags: &mut Vec<String>) {
    if let Some(condition) = condition {
        let mut text = String::from("if ");
        condition.print(&mut text);
        flags.push(text);
    }
    if register != 0 {
        flags.push("cc1".to_owned());
    }
}

fn print_flow(flow: &Flow, target: &dyn Fn(u32) -> String) -> (String, Vec<String>) {
    let mut operands = Vec::new();
    if flow.op.repeats() {
        operands.push(flow.count.to_string());
    }
    if flow.op.has_index() {
        operands.extend([flow.init.to_string(), flow.increment.to_string()]);
    }
    if flow.op.has_target() {
        operands.push(target(flow.target));
    }
    if flow.op.has_end() {
        operands.push(target(flow.end_offset));
    }
    let mut out = flow.op.info().name.to_owned();
    if !operands.is_empty() {
        out.push_str(&format!(" {}", operands.join(", ")));
    }
    let mut flags = Vec::new();
    print_condition(flow.condition, flow.condition_register, &mut flags);
    (out, flags)
}

fn print_compute(compute: &Compute, constant: &str) -> (String, Vec<String>) {
    let mut out = compute.op.info().name.to_owned();
    let mut separator = " ";
    if compute.op.has_result() {
        out.push_str(&match compute.destination {
            Some(Temp::Full(number)) => format!(" r{number}"),
            Some(Temp::Half(number)) => format!(" h{number}"),
            None => " _".to_owned(),
        });
        compute.mask.print(&mut out);
        separator = ", ";
    }
    for n in (0..3).filter(|&n| compute.reads_source(n)) {
        out.push_str(separator);
        separator = ", ";
        print_source(&compute.sources[n], compute.input, constant, &mut out);
    }
    if compute.op.is_texture() {
        out.push_str(&format!(", tex{}", compute.texture));
    }
    (out, compute_flags(compute, constant))
}

fn compute_flags(compute: &Compute, constant: &str) -> Vec<String> {
    let mut flags = Vec::new();
    print_condition(compute.condition, compute.condition_register, &mut flags);
    match compute.set_condition {
        Some(0) => flags.push("set".to_owned()),
        Some(_) => flags.push("set cc1".to_owned()),
        None => {}
    }
    flags.extend(compute.expand.then(|| "bx2".to_owned()));
    flags.extend(SCALES.iter().find(|(scale, _)| *scale == compute.scale).map(|(_, name)| (*name).to_owned()));
    flags.extend(compute.saturate.then(|| "sat".to_owned()));
    let precision = PRECISIONS.iter().find(|(precision, _)| *precision == compute.precision);
    flags.extend(precision.map(|(_, name)| (*name).to_owned()));
    flags.extend(compute.linear.then(|| "linear".to_owned()));
    if compute.has_constant && !compute.reads(Register::Constant) {
        flags.push(format!("const {constant}"));
    }
    flags
}

fn print_source(source: &Source, input: Input, constant: &str, out: &mut String) {
    out.push_str(if source.negate { "-" } else { "" });
    out.push_str(if source.absolute { "|" } else { "" });
    let modifier = MODIFIERS.iter().find(|(modifier, _)| *modifier == source.modifier);
    out.push_str(modifier.map_or("", |(_, name)| name));
    out.push_str(&match (source.register, input) {
        (Register::None, _) => String::new(),
        (Register::Temp(Temp::Full(number)), _) => format!("r{number}"),
        (Register::Temp(Temp::Half(number)), _) => format!("h{number}"),
        (Register::Input, Input::Register(number)) => format!("f[{}]", INPUTS[usize::from(number & 15)]),
        (Register::Input, Input::Relative(n)) if n < 0 => format!("f[aL - {}]", -n),
        (Register::Input, Input::Relative(n)) => format!("f[aL + {n}]"),
        (Register::Constant, _) => constant.to_owned(),
        (Register::Unknown, _) => "unknown".to_owned(),
    });
    source.swizzle.print(out);
    out.push_str(if modifier.is_some() { ")" } else { "" });
    out.push_str(if source.absolute { "|" } else { "" });
}

/// Reads an instruction.
pub(super) fn parse(text: &str, labels: Labels<'_>) -> Result<Vec<u32>, TextError> {
    let mut cursor = Cursor::new(text);
    let name = cursor.name().ok_or_else(|| cursor.expected("an instruction"))?;
    let mut difference = [0; 4];
    let (instruction, constant) = if let Some(op) = Op::named(name) {
        let mut reader = Reader { compute: Compute { op, ..Compute::NOP }, input: None, constant: None };
        reader.operands(&mut cursor)?;
        flags(&mut cursor, &mut difference, |text| reader.flag(text))?;
        reader.compute.has_constant = reader.constant.is_some();
        (Instruction::Compute(reader.compute), reader.constant)
    } else {
        let op = FlowOp::named(name).ok_or_else(|| TextError::UnknownInstruction(name.to_owned()))?;
        let mut flow = parse_flow(op, &mut cursor, labels)?;
        flags(&mut cursor, &mut difference, |text| flow_flag(&mut flow, text))?;
        (Instruction::Flow(flow), None)
    };
    cursor.finish()?;
    let same = |words| Instruction::decode(words) == Ok(instruction);
    let differing = with_difference(instruction.encode(), difference, same)?;
    Ok(differing.into_iter().chain(constant.into_iter().flatten()).collect())
}

/// Reads flags in brackets, if there are any.
fn flags(
    text: &mut Cursor<'_>,
    difference: &mut [u32; 4],
    mut flag: impl FnMut(&mut Cursor<'_>) -> Result<(), TextError>,
) -> Result<(), TextError> {
    if !text.eat("[") {
        return Ok(());
    }
    loop {
        if text.eat("^") {
            parse_difference(text, difference)?;
        } else {
            flag(text)?;
        }
        if !text.eat(",") {
            return text.expect("]");
        }
    }
}

fn parse_flow(op: FlowOp, text: &mut Cursor<'_>, labels: Labels<'_>) -> Result<Flow, TextError> {
    let mut flow = Flow::new(op);
    let mut separate = false;
    let mut comma =
        |text: &mut Cursor<'_>| if std::mem::replace(&mut separate, true) { text.expect(",") } else { Ok(()) };
    if op.repeats() {
        comma(text)?;
        flow.count = text.number("a count", 255)? as u8;
    }
    if op.has_index() {
        comma(text)?;
        flow.init = text.number("a first index", 255)? as u8;
        comma(text)?;
        let negative = text.eat("-");
        let step = text.number("a step", 127 + u64::from(negative))? as i16;
        flow.increment = if negative { -step } else { step } as i8;
    }
    if op.has_target() {
        comma(text)?;
        flow.target = parse_target(text, labels, u32::MAX >> 1)?;
    }
    if op.has_end() {
        comma(text)?;
        flow.end_offset = parse_target(text, labels, u32::MAX)?;
    }
    Ok(flow)
}

fn flow_flag(flow: &mut Flow, text: &mut Cursor<'_>) -> Result<(), TextError> {
    match () {
        () if text.eat("if") => flow.condition = Some(Condition::parse(text)?),
        () if text.eat("cc1") => flow.condition_register = 1,
        () if text.eat("end") => flow.end = true,
        () => return Err(text.expected("if, cc1, end or ^")),
    }
    Ok(())
}

/// An instruction that is being read, and what its sources have in common so far.
struct Reader {
    compute: Compute,
    input: Option<Input>,
    constant: Option<Words>,
}

impl Reader {
    fn operands(&mut self, text: &mut Cursor<'_>) -> Result<(), TextError> {
        let op = self.compute.op;
        let mut separate = false;
        if op.has_result() {
            self.compute.destination = if text.eat("_") { None } else { Some(parse_temp(text)?) };
            self.compute.mask = Mask::parse(text)?;
            separate = true;
        }
        for n in (0..3).filter(|&n| op.reads(n)) {
            if separate {
                text.expect(",")?;
            }
            separate = true;
            // The level of detail may be missing.
            if n == 1 && op.is_texture() && text.rest().starts_with("tex") {
                return self.texture(text);
            }
            self.compute.sources[n] = self.source(text)?;
        }
        if op.is_texture() {
            text.expect(",")?;
            self.texture(text)?;
        }
        Ok(())
    }

    fn texture(&mut self, text: &mut Cursor<'_>) -> Result<(), TextError> {
        text.expect("tex")?;
        self.compute.texture = text.number("a texture unit", 15)? as u8;
        Ok(())
    }

    fn flag(&mut self, text: &mut Cursor<'_>) -> Result<(), TextError> {
        let compute = &mut self.compute;
        if let Some((scale, _)) = SCALES.iter().find(|(_, name)| text.eat(name)) {
            compute.scale = *scale;
            return Ok(());
        }
        if let Some((precision, _)) = PRECISIONS.iter().find(|(_, name)| text.eat(name)) {
            compute.precision = *precision;
            return Ok(());
        }
        match () {
            () if text.eat("if") => compute.condition = Some(Condition::parse(text)?),
            () if text.eat("cc1") => compute.condition_register = 1,
            () if text.eat("set") => compute.set_condition = Some(u8::from(text.eat("cc1"))),
            () if text.eat("bx2") => compute.expand = true,
            () if text.eat("sat") => compute.saturate = true,
            () if text.eat("linear") => compute.linear = true,
            () if text.eat("const") => {
                text.expect("{")?;
                self.constant(text)?;
            }
            () if text.eat("end") => compute.end = true,
            () => return Err(text.expected("if, cc1, set, bx2, a scale, sat, a precision, linear, const, end or ^")),
        }
        Ok(())
    }

    fn source(&mut self, text: &mut Cursor<'_>) -> Result<Source, TextError> {
        let negate = text.eat("-");
        let absolute = text.eat("|");
        let modifier = MODIFIERS.iter().find(|(_, name)| text.eat(name)).map(|(modifier, _)| *modifier);
        let register = match () {
            () if text.eat("f[") => self.input(text)?,
            () if text.eat("{") => self.constant(text)?,
            () if text.eat("unknown") => Register::Unknown,
            () => Register::Temp(parse_temp(text)?),
        };
        let swizzle = Swizzle::parse(text)?;
        if modifier.is_some() {
            text.expect(")")?;
        }
        if absolute {
            text.expect("|")?;
        }
        Ok(Source { register, swizzle, absolute, modifier: modifier.unwrap_or(Modifier::Full), negate })
    }

    /// Reads an input after its `f[`.
    fn input(&mut self, text: &mut Cursor<'_>) -> Result<Register, TextError> {
        let input = if text.eat("aL") {
            let negative = text.eat("-");
            if !negative {
                text.expect("+")?;
            }
            let distance = text.number("a distance", 1023 + u64::from(negative))? as i16;
            Input::Relative(if negative { -distance } else { distance })
        } else {
            let name = text.name().ok_or_else(|| text.expected("an input"))?;
            let number = INPUTS.iter().position(|&input| input == name);
            Input::Register(number.ok_or_else(|| TextError::Rule(format!("there is no input `{name}`")))? as u8)
        };
        text.expect("]")?;
        if *self.input.get_or_insert(input) != input {
            return Err(TextError::Rule("an instruction reads one input".to_owned()));
        }
        self.compute.input = input;
        Ok(Register::Input)
    }

    /// Reads a constant after its `{`.
    fn constant(&mut self, text: &mut Cursor<'_>) -> Result<Register, TextError> {
        let mut words = [0; 4];
        for (i, word) in words.iter_mut().enumerate() {
            if i > 0 {
                text.expect(",")?;
            }
            *word = parse_float(text)?;
        }
        text.expect("}")?;
        if *self.constant.get_or_insert(words) != words {
            return Err(TextError::Rule("an instruction has one constant".to_owned()));
        }
        Ok(Register::Constant)
    }
}

fn parse_temp(text: &mut Cursor<'_>) -> Result<Temp, TextError> {
    match () {
        () if text.eat("r") => Ok(Temp::Full(text.number("a register", 63)? as u8)),
        () if text.eat("h") => Ok(Temp::Half(text.number("a register", 63)? as u8)),
        () => Err(text.expected("a register, r or h")),
    }
}

/// Reads a number and gives its bits.
fn parse_float(text: &mut Cursor<'_>) -> Result<u32, TextError> {
    if text.rest().starts_with("0x") {
        return Ok(text.number("bits", u32::MAX.into())? as u32);
    }
    let mut ahead = text.clone();
    let number = ahead.take(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let value: f32 = number.parse().map_err(|_| text.expected("a number"))?;
    *text = ahead;
    Ok(value.to_bits())
}
