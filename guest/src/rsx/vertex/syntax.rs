//! Vertex instructions as text.
//!
//! ```text
//! mad o[TC0].xyz, c[466].xyzx, v[1].zzzx, -|r0.xyzx|      one input, one constant at most
//! mul r2, r0, r1 + rcp o[5].x, r2.w                       both units
//! nop + mov r1, c[9]                                      the scalar unit's MOV
//! mov r9, c[a0.x + 16]        arl a1.xy, r0               ara a0, a1        psh a0
//! mov r4/o[HPOS].x, r5  [if eq.xxxx, cc1, set, sat, end]  a condition, its register, an update, clamping
//! bri 40  [if gt]             clb !b3, 20                 txl r0, v[1], tex2
//! mov o[HPOS], v[0]  [^w3:0x1000]                         bits that mean nothing, as the writer left them
//! ```
//! `/` joins two destinations, `_` is none. `set` updates the condition register with the vector unit's result, `set
//! scalar` with the scalar unit's. Targets are labels or indices into the program store.

use super::instruction::{Instruction, Register, Source, Unit, Words};
use super::ops::{ScalarOp, VectorOp};
use crate::rsx::asm::{Labels, parse_target};
use crate::rsx::operand::{COMPONENTS, Condition, Mask, Swizzle, parse_difference, print_difference, with_difference};
use crate::table::{Cursor, TextError, flags};

/// Names of the outputs.
pub const OUTPUTS: [&str; 16] = [
    "HPOS", "COL0", "COL1", "BFC0", "BFC1", "FOGC", "PSIZ", "TC0", "TC1", "TC2", "TC3", "TC4", "TC5", "TC6", "TC7",
    "TC8",
];

/// The text of an instruction with numeric targets, as [`assemble`] reads it. Words of no known instruction are a
/// `.word` line.
pub fn disassemble(words: Words) -> String {
    print(words, &|target| target.to_string()).unwrap_or_else(|| {
        let [a, b, c, d] = words;
        format!(".word {a:#010x}, {b:#010x}, {c:#010x}, {d:#010x}")
    })
}

/// Reads an instruction of text without labels.
///
/// # Errors
/// The error.
pub fn assemble(text: &str) -> Result<Words, TextError> {
    parse(text, &|_| None)
}

/// The text of an instruction, targets named by `target`; `None` for words of no known instruction.
pub(super) fn print(words: Words, target: &dyn Fn(u16) -> String) -> Option<String> {
    let instruction = Instruction::decode(words).ok()?;
    let mut out = String::new();
    let (vector, scalar) = (instruction.vector.op, instruction.scalar.op);
    // `mov` alone is the vector unit's.
    let alone = vector == VectorOp::nop && !matches!(scalar, ScalarOp::nop | ScalarOp::mov);
    if !alone {
        print_vector(&instruction, &mut out);
    }
    if scalar != ScalarOp::nop {
        out.push_str(if alone { "" } else { " + " });
        print_scalar(&instruction, target, &mut out);
    }
    let mut annotations = annotations(&instruction);
    annotations.extend(print_difference(&words, &instruction.encode()));
    if !annotations.is_empty() {
        out.push_str(&format!("  [{}]", annotations.join(", ")));
    }
    Some(out)
}

fn annotations(instruction: &Instruction) -> Vec<String> {
    let mut flags = Vec::new();
    if let Some(condition) = instruction.condition {
        let mut text = String::from("if ");
        condition.print(&mut text);
        flags.push(text);
    }
    let words = [
        (instruction.condition_register != 0, "cc1"),
        (instruction.update == Some(Unit::Vector), "set"),
        (instruction.update == Some(Unit::Scalar), "set scalar"),
        (instruction.saturate, "sat"),
        (instruction.end, "end"),
    ];
    flags.extend(words.iter().filter(|(holds, _)| *holds).map(|(_, word)| (*word).to_owned()));
    flags
}

fn print_vector(instruction: &Instruction, out: &mut String) {
    let vector = &instruction.vector;
    out.push_str(vector.op.info().name);
    if vector.is_idle() {
        return;
    }
    if vector.op.writes_address() {
        out.push_str(&format!(" a{}", vector.address));
        vector.mask.print(out);
    } else {
        print_destination(vector.temp, vector.output, vector.mask, out);
    }
    for n in (0..3).filter(|&n| vector.op.reads(n)) {
        out.push_str(", ");
        print_source(instruction, &instruction.sources[n], out);
    }
    if vector.op.is_texture() {
        out.push_str(&format!(", tex{}", vector.texture));
    }
    if vector.op.has(flags::SELECTS_ADDRESS) {
        out.push_str(&format!(", a{}", instruction.address_register));
    }
}

fn print_scalar(instruction: &Instruction, target: &dyn Fn(u16) -> String, out: &mut String) {
    let scalar = &instruction.scalar;
    let op = scalar.op;
    out.push_str(op.info().name);
    if op.has_result() {
        print_destination(scalar.temp, scalar.output, scalar.mask, out);
        out.push_str(", ");
        print_source(instruction, &instruction.sources[2], out);
    }
    if op.selects_address() {
        out.push_str(&format!(" a{}", instruction.address_register));
    }
    if op.writes_address() {
        scalar.mask.print(out);
    }
    if op.tests_branch_bit() {
        let not = if scalar.branch_value { "" } else { "!" };
        out.push_str(&format!(" {not}b{},", scalar.branch_bit));
    }
    if op.has_target() {
        out.push(' ');
        out.push_str(&target(scalar.target));
    }
}

fn print_destination(temp: Option<u8>, output: Option<u8>, mask: Mask, out: &mut String) {
    let temp = temp.map(|temp| format!("r{temp}"));
    let output = output.map(|output| format!("o[{}]", OUTPUTS[usize::from(output) % OUTPUTS.len()]));
    let places: Vec<String> = [temp, output].into_iter().flatten().collect();
    out.push(' ');
    out.push_str(&if places.is_empty() { "_".to_owned() } else { places.join("/") });
    mask.print(out);
}

fn print_source(instruction: &Instruction, source: &Source, out: &mut String) {
    out.push_str(if source.negate { "-" } else { "" });
    out.push_str(if source.absolute { "|" } else { "" });
    let index = |relative: bool| match relative {
        true => {
            let component = COMPONENTS[usize::from(instruction.address_component & 3)];
            format!("a{}.{component} + ", instruction.address_register)
        }
        false => String::new(),
    };
    match source.register {
        Register::None => out.push_str("none"),
        Register::Temp(temp) => out.push_str(&format!("r{temp}")),
        Register::Input => out.push_str(&format!("v[{}{}]", index(instruction.relative_input), instruction.input)),
        Register::Constant => {
            out.push_str(&format!("c[{}{}]", index(instruction.relative_constant), instruction.constant));
        }
    }
    source.swizzle.print(out);
    out.push_str(if source.absolute { "|" } else { "" });
}

/// Reads an instruction.
pub(super) fn parse(text: &str, labels: Labels<'_>) -> Result<Words, TextError> {
    let mut cursor = Cursor::new(text);
    let mut reader = Reader {
        instruction: Instruction::NOP,
        input: None,
        constant: None,
        address_register: None,
        address_component: None,
    };
    let difference = reader.line(&mut cursor, labels)?;
    cursor.finish()?;
    let instruction = reader.instruction;
    with_difference(instruction.encode(), difference, |words| Instruction::decode(words) == Ok(instruction))
}

/// An instruction that is being read, and what its sources have in common so far.
struct Reader {
    instruction: Instruction,
    input: Option<(u64, bool)>,
    constant: Option<(u64, bool)>,
    address_register: Option<u8>,
    address_component: Option<u8>,
}

impl Reader {
    fn line(&mut self, text: &mut Cursor<'_>, labels: Labels<'_>) -> Result<[u32; 4], TextError> {
        let name = text.name().ok_or_else(|| text.expected("an instruction"))?;
        let unknown = || TextError::UnknownInstruction(name.to_owned());
        match VectorOp::named(name) {
            Some(op) => {
                self.vector(op, text)?;
                if text.eat("+") {
                    let name = text.name().ok_or_else(|| text.expected("a scalar instruction"))?;
                    let op = ScalarOp::named(name).ok_or_else(|| TextError::UnknownInstruction(name.to_owned()))?;
                    self.scalar(op, text, labels)?;
                }
            }
            None => self.scalar(ScalarOp::named(name).ok_or_else(unknown)?, text, labels)?,
        }
        let mut difference = [0; 4];
        if text.eat("[") {
            loop {
                self.flag(text, &mut difference)?;
                if !text.eat(",") {
                    break;
                }
            }
            text.expect("]")?;
        }
        Ok(difference)
    }

    fn flag(&mut self, text: &mut Cursor<'_>, difference: &mut [u32; 4]) -> Result<(), TextError> {
        let instruction = &mut self.instruction;
        match () {
            () if text.eat("^") => parse_difference(text, difference)?,
            () if text.eat("if") => instruction.condition = Some(Condition::parse(text)?),
            () if text.eat("cc1") => instruction.condition_register = 1,
            () if text.eat("sat") => instruction.saturate = true,
            () if text.eat("end") => instruction.end = true,
            () if text.eat("set") => {
                instruction.update = Some(if text.eat("scalar") { Unit::Scalar } else { Unit::Vector });
            }
            () => return Err(text.expected("if, cc1, set, sat, end or ^")),
        }
        Ok(())
    }

    fn vector(&mut self, op: VectorOp, text: &mut Cursor<'_>) -> Result<(), TextError> {
        self.instruction.vector.op = op;
        if self.instruction.vector.is_idle() {
            return Ok(());
        }
        if op.writes_address() {
            text.expect("a")?;
            self.instruction.vector.address = text.number("an address register", 1)? as u8;
        } else {
            let (temp, output) = parse_destination(text)?;
            (self.instruction.vector.temp, self.instruction.vector.output) = (temp, output);
        }
        self.instruction.vector.mask = Mask::parse(text)?;
        for n in (0..3).filter(|&n| op.reads(n)) {
            text.expect(",")?;
            self.instruction.sources[n] = self.source(text)?;
        }
        if op.is_texture() {
            text.expect(",")?;
            text.expect("tex")?;
            self.instruction.vector.texture = text.number("a texture unit", 3)? as u8;
        }
        if op.has(flags::SELECTS_ADDRESS) {
            text.expect(",")?;
            self.address_register(text)?;
        }
        Ok(())
    }

    fn scalar(&mut self, op: ScalarOp, text: &mut Cursor<'_>, labels: Labels<'_>) -> Result<(), TextError> {
        self.instruction.scalar.op = op;
        if op.has_result() {
            let (temp, output) = parse_destination(text)?;
            (self.instruction.scalar.temp, self.instruction.scalar.output) = (temp, output);
            self.instruction.scalar.mask = Mask::parse(text)?;
            text.expect(",")?;
            let source = self.source(text)?;
            if self.instruction.vector.op.reads(2) && self.instruction.sources[2] != source {
                return Err(TextError::Rule("both units have the same source 2".to_owned()));
            }
            self.instruction.sources[2] = source;
        }
        if op.selects_address() {
            self.address_register(text)?;
        }
        if op.writes_address() {
            self.instruction.scalar.mask = Mask::parse(text)?;
        }
        if op.tests_branch_bit() {
            self.instruction.scalar.branch_value = !text.eat("!");
            text.expect("b")?;
            self.instruction.scalar.branch_bit = text.number("a branch bit", 31)? as u8;
            text.expect(",")?;
        }
        if op.has_target() {
            let found = text.rest().to_owned();
            let target = parse_target(text, labels, 1023)?;
            self.instruction.scalar.target = target as u16;
            if target > 1023 {
                return Err(TextError::Range { what: "a target", value: target.into(), max: 1023, found });
            }
        }
        Ok(())
    }

    fn address_register(&mut self, text: &mut Cursor<'_>) -> Result<(), TextError> {
        text.expect("a")?;
        let register = text.number("an address register", 1)? as u8;
        if *self.address_register.get_or_insert(register) != register {
            return Err(TextError::Rule("an instruction reads one address register".to_owned()));
        }
        self.instruction.address_register = register;
        Ok(())
    }

    fn source(&mut self, text: &mut Cursor<'_>) -> Result<Source, TextError> {
        let negate = text.eat("-");
        let absolute = text.eat("|");
        let register = match () {
            () if text.eat("none") => Register::None,
            () if text.eat("r") => Register::Temp(text.number("a temporary", 63)? as u8),
            () if text.eat("v[") => {
                let (number, relative) = self.index(text, "an input", 15)?;
                if *self.input.get_or_insert((number, relative)) != (number, relative) {
                    return Err(TextError::Rule("an instruction reads one input".to_owned()));
                }
                (self.instruction.input, self.instruction.relative_input) = (number as u8, relative);
                Register::Input
            }
            () if text.eat("c[") => {
                let (number, relative) = self.index(text, "a constant", 1023)?;
                if *self.constant.get_or_insert((number, relative)) != (number, relative) {
                    return Err(TextError::Rule("an instruction reads one constant".to_owned()));
                }
                (self.instruction.constant, self.instruction.relative_constant) = (number as u16, relative);
                Register::Constant
            }
            () => return Err(text.expected("a source, r v[ c[ or none")),
        };
        let swizzle = Swizzle::parse(text)?;
        if absolute {
            text.expect("|")?;
        }
        Ok(Source { register, swizzle, absolute, negate })
    }

    /// Reads `12]` or `a0.x + 12]`; the flag says whether it was relative.
    fn index(&mut self, text: &mut Cursor<'_>, what: &'static str, max: u64) -> Result<(u64, bool), TextError> {
        let relative = text.rest().starts_with('a');
        if relative {
            self.address_register(text)?;
            let swizzle = Swizzle::parse(text)?;
            text.expect("+")?;
            let component = swizzle.0[0];
            if swizzle != Swizzle::all(component) || *self.address_component.get_or_insert(component) != component {
                return Err(TextError::Rule("an instruction reads one component of an address register".to_owned()));
            }
            self.instruction.address_component = component;
        }
        let number = text.number(what, max)?;
        text.expect("]")?;
        Ok((number, relative))
    }
}

/// Reads `r5`, `o[TC0]`, both joined by `/`, or `_`.
fn parse_destination(text: &mut Cursor<'_>) -> Result<(Option<u8>, Option<u8>), TextError> {
    let (mut temp, mut output) = (None, None);
    if text.eat("_") {
        return Ok((temp, output));
    }
    loop {
        if temp.is_none() && text.eat("r") {
            temp = Some(text.number("a temporary", 62)? as u8);
        } else if output.is_none() && text.eat("o[") {
            output = Some(parse_output(text)?);
        } else {
            return Err(text.expected("a destination, r or o["));
        }
        if !text.eat("/") {
            return Ok((temp, output));
        }
    }
}

fn parse_output(text: &mut Cursor<'_>) -> Result<u8, TextError> {
    let mut ahead = text.clone();
    let output = match ahead.name() {
        Some(name) => {
            let place = OUTPUTS.iter().position(|&output| output == name);
            let place = place.ok_or_else(|| text.expected("an output"))? as u8;
            *text = ahead;
            place
        }
        None => text.number("an output", 15)? as u8,
    };
    text.expect("]")?;
    Ok(output)
}
