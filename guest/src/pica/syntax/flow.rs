//! Operands of control flow: conditions, targets, blocks, uniforms; and of `setemit`.

use super::{Assembly, Listing};
use crate::pica::operand::{Branch, Condition, ConditionOp, Flow0, SetEmit, Uniform};
use crate::table::{Cursor, OpInfo, ParseOperands, PrintOperands, TextError};

impl PrintOperands<Listing<'_>> for Flow0 {
    fn print(&self, _: &OpInfo, _: &Listing<'_>, _: &mut String) {}
}

impl ParseOperands<Assembly<'_>> for Flow0 {
    fn parse(_: &OpInfo, _: &mut Cursor<'_>, _: &mut Assembly<'_>) -> Result<Self, TextError> {
        Ok(Flow0)
    }
}

/// Writes a condition. A set reference bit of the unused flag is printed in parentheses.
fn print_condition(cond: Condition, out: &mut String) {
    let x = if cond.ref_x { "cmp.x" } else { "!cmp.x" };
    let y = if cond.ref_y { "cmp.y" } else { "!cmp.y" };
    out.push_str(&match cond.op {
        ConditionOp::Or => format!(" {x} || {y}"),
        ConditionOp::And => format!(" {x} && {y}"),
        ConditionOp::X if cond.ref_y => format!(" {x} (cmp.y)"),
        ConditionOp::Y if cond.ref_x => format!(" {y} (cmp.x)"),
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
        () if is_x => {
            return Ok(Condition { op: ConditionOp::X, ref_x: reference, ref_y: text.eat("(cmp.y)") });
        }
        () => return Ok(Condition { op: ConditionOp::Y, ref_x: text.eat("(cmp.x)"), ref_y: reference }),
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

/// The names of a row's uniforms: `i0` to `i3` or `b0` to `b15`.
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
        let (target, count) = if inverts(op) { (assembly.target(text)?, not.into()) } else { assembly.range(text)? };
        Ok(Uniform { target, count, id })
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
