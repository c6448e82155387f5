//! Results of atomic operations.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::half;
use triglyph_guest::num::ops::Scalar;
use triglyph_guest::tegra::shader::isa::{AtomicOp, AtomicType};

use super::access::{Access, Action};
use crate::lane::Emit;

/// An operation on a word that compiled code does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOperation {
    /// Of integers. Increment and decrement are those of unsigned ones.
    Atomic {
        op: AtomicOp,
        signed: bool,
    },
    CompareExchange,
}

impl WordOperation {
    /// The operation of an access; `None` if only [`changed`] does it.
    pub fn of(access: Access) -> Option<WordOperation> {
        use AtomicOp::{Add, And, Dec, Exchange, Inc, Max, Min, Or, Xor};
        if access.bytes != 4 {
            return None;
        }
        if access.action == Action::Cas {
            return Some(WordOperation::CompareExchange);
        }
        let op = AtomicOp::from_bits(access.op);
        let signed = match AtomicType::from_bits(access.ty) {
            AtomicType::U32 => false,
            AtomicType::S32 => true,
            _ => return None,
        };
        let known = match op {
            Add | Min | Max | And | Or | Xor | Exchange => true,
            Inc | Dec => !signed,
            _ => false,
        };
        known.then_some(WordOperation::Atomic { op, signed })
    }

    /// Emits what is stored in place of `old`: for the operand of an atomic, which is the first one, or for the
    /// compared value and the new one.
    pub fn result(self, e: &mut Emit<'_>, old: Value, [value, replacement]: [Value; 2]) -> Value {
        let ins = e.b.ins();
        let (op, signed) = match self {
            WordOperation::Atomic { op, signed } => (op, signed),
            WordOperation::CompareExchange => {
                let equal = ins.icmp(IntCC::Equal, old, value);
                return e.b.ins().select(equal, replacement, old);
            }
        };
        match op {
            AtomicOp::Add => ins.iadd(old, value),
            AtomicOp::Min if signed => ins.smin(old, value),
            AtomicOp::Max if signed => ins.smax(old, value),
            AtomicOp::Min => ins.umin(old, value),
            AtomicOp::Max => ins.umax(old, value),
            AtomicOp::And => ins.band(old, value),
            AtomicOp::Or => ins.bor(old, value),
            AtomicOp::Xor => ins.bxor(old, value),
            AtomicOp::Inc => {
                let wraps = ins.icmp(IntCC::UnsignedGreaterThanOrEqual, old, value);
                let zero = e.i32(0);
                let next = e.b.ins().iadd_imm_u(old, 1);
                e.b.ins().select(wraps, zero, next)
            }
            AtomicOp::Dec => {
                // One below 0 is more than any value.
                let next = ins.iadd_imm_s(old, -1);
                let wraps = e.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, next, value);
                e.b.ins().select(wraps, value, next)
            }
            // The others have no `WordOperation`; an exchange stores its operand.
            AtomicOp::Exchange | AtomicOp::SafeAdd | AtomicOp::Unknown(_) => value,
        }
    }
}

fn word(bytes: &[u8; 16]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn long(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The value that an atomic stores; `None` for undefined combinations, which only load.
pub fn changed(access: Access, old: &[u8; 16], data: &[u8; 16]) -> Option<[u8; 16]> {
    let mut new = [0; 16];
    if access.action == Action::Load {
        return None;
    }
    if access.action == Action::Cas {
        let size = usize::from(access.bytes).min(8);
        let equal = old[..size] == data[..size];
        new[..size].copy_from_slice(&data[size..2 * size]);
        return equal.then_some(new);
    }
    let (op, ty) = (AtomicOp::from_bits(access.op), AtomicType::from_bits(access.ty));
    match ty {
        AtomicType::U64 | AtomicType::S64 => {
            let value = atomic_64(op, ty == AtomicType::S64, long(old), long(data))?;
            new[..8].copy_from_slice(&value.to_le_bytes());
        }
        _ => new[..4].copy_from_slice(&atomic_32(op, ty, word(old), word(data))?.to_le_bytes()),
    }
    Some(new)
}

fn atomic_64(op: AtomicOp, signed: bool, old: u64, value: u64) -> Option<u64> {
    Some(match op {
        AtomicOp::Min if signed => (old as i64).min(value as i64) as u64,
        AtomicOp::Max if signed => (old as i64).max(value as i64) as u64,
        _ if signed => return None,
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Min => old.min(value),
        AtomicOp::Max => old.max(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Exchange => value,
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::SafeAdd | AtomicOp::Unknown(_) => return None,
    })
}

fn atomic_32(op: AtomicOp, ty: AtomicType, old: u32, value: u32) -> Option<u32> {
    let signed = match ty {
        AtomicType::U32 => false,
        AtomicType::S32 => true,
        AtomicType::F32 if op == AtomicOp::Add => return Some(add_flushed(old, value)),
        AtomicType::F16x2 => return halves(op, old, value),
        // Undefined types are words.
        AtomicType::Unknown(_) => false,
        AtomicType::F32 | AtomicType::U64 | AtomicType::S64 => return None,
    };
    Some(match op {
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Min if signed => (old as i32).min(value as i32) as u32,
        AtomicOp::Max if signed => (old as i32).max(value as i32) as u32,
        AtomicOp::Min => old.min(value),
        AtomicOp::Max => old.max(value),
        AtomicOp::Inc if !signed => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec if !signed => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Exchange => value,
        _ => return None,
    })
}

/// Flushes denormals of an f32.
const fn flush(bits: u32) -> u32 {
    if bits & 0x7F80_0000 == 0 { bits & 1 << 31 } else { bits }
}

/// Flushes denormals of an f16.
const fn flush_half(bits: u32) -> u32 {
    if bits & 0x7C00 == 0 { bits & 0x8000 } else { bits }
}

/// An operation of two pairs of halves, denormals flushed.
fn halves(op: AtomicOp, a: u32, b: u32) -> Option<u32> {
    let act: fn(u32, u32) -> u32 = match op {
        AtomicOp::Add => add_half,
        AtomicOp::Min => |a, b| min_max_half(a, b, true),
        AtomicOp::Max => |a, b| min_max_half(a, b, false),
        _ => return None,
    };
    let half = |at: u32| act(flush_half(a >> at & 0xFFFF), flush_half(b >> at & 0xFFFF));
    Some(half(0) | half(16) << 16)
}

/// The sum of two halves. An f32 has more than twice the bits: rounding twice equals rounding once.
fn add_half(a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(|half| half::value(&mut Scalar, half as i32));
    let sum = a + b;
    if sum.is_nan() { 0x7FFF } else { flush_half(half::bits(&mut Scalar, sum) as u32) }
}

/// Minimum or maximum of two halves: of a NaN and a number the number, -0 below +0.
fn min_max_half(a: u32, b: u32, smaller: bool) -> u32 {
    // In the order of the numbers.
    let ordered = |bits: u32| if bits & 0x8000 == 0 { bits as i32 } else { !(bits as i32 & 0x7FFF) };
    let is_nan = |bits: u32| bits & 0x7FFF > 0x7C00;
    match (is_nan(a), is_nan(b)) {
        (true, true) => 0x7FFF,
        (true, false) => b,
        (false, true) => a,
        (false, false) if (ordered(a) < ordered(b)) == smaller => a,
        (false, false) => b,
    }
}

/// The sum of two f32, denormals flushed.
fn add_flushed(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(flush(a)) + f32::from_bits(flush(b));
    if sum.is_nan() { 0x7FFF_FFFF } else { flush(sum.to_bits()) }
}

#[cfg(test)]
mod tests {
    #![allow(unsafe_code)]

    use super::super::access::Space;
    use super::*;
    use crate::code::Compiler;
    use crate::effort::Effort;
    use crate::lane::memory;
    use cranelift_codegen::ir::types::I32;

    /// Old value, operands, result.
    type Words = [u32; 4];

    fn compiled(compiler: &Compiler, operation: WordOperation) -> crate::code::Code<[u32; 4]> {
        let emit = |e: &mut Emit<'_>| {
            let args = e.args;
            let [old, value, replacement] = [0, 4, 8].map(|at| e.b.ins().load(I32, memory(), args, at));
            let new = operation.result(e, old, [value, replacement]);
            e.b.ins().store(memory(), new, args, 12);
            e.succeed();
            Ok(())
        };
        compiler.compile(1, emit).unwrap()
    }

    fn expected(access: Access, [old, value, replacement, _]: Words) -> u32 {
        let mut bytes = [[0; 16]; 2];
        bytes[0][..4].copy_from_slice(&old.to_le_bytes());
        bytes[1][..4].copy_from_slice(&value.to_le_bytes());
        bytes[1][4..8].copy_from_slice(&replacement.to_le_bytes());
        changed(access, &bytes[0], &bytes[1]).map_or(old, |new| word(&new))
    }

    #[test]
    fn compiled_operations_are_those_of_calls() {
        let compiler = Compiler::new(Effort::Baseline).unwrap();
        let cas = Access::new(Space::Global, Action::Cas, 4);
        let atomics = (0..16).flat_map(|op| (0..8).map(move |ty| (op, ty)));
        let atomics = atomics.map(|(op, ty)| Access { op, ty, ..Access::new(Space::Global, Action::Atomic, 4) });
        let mut known = 0;
        for access in atomics.chain([cas]) {
            let Some(operation) = WordOperation::of(access) else { continue };
            known += 1;
            let code = compiled(&compiler, operation);
            let values = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF];
            for (old, value) in values.iter().flat_map(|&old| values.map(|value| (old, value))) {
                let mut words = [old, value, 77, 0];
                // SAFETY: the code reads and writes the words.
                unsafe { code.call(&raw mut words) };
                assert_eq!(words[3], expected(access, words), "{operation:?} of {old:#x} and {value:#x}");
            }
        }
        // Seven operations on both types, increment and decrement of unsigned ones, compare and exchange.
        assert_eq!(known, 17);
    }
}
