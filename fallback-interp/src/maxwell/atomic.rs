//! Arithmetic of atomics: the new value in memory.

use triglyph_guest::tegra::shader::isa::{AtomicOp, AtomicType, SharedAtomicType};
use triglyph_guest::tegra::shader::modifiers::Rounding;

use super::number::{bits, choose, flush, flush_half, from_half, odd_sum, to_half};

/// The type of a value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    S32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    S64,
    /// A float.
    F32,
    /// Two halves.
    F16x2,
}

impl Kind {
    /// The kind of a type; unknown ones are U32.
    pub fn of(ty: AtomicType) -> Kind {
        match ty {
            AtomicType::U32 | AtomicType::Unknown(_) => Kind::U32,
            AtomicType::S32 => Kind::S32,
            AtomicType::U64 => Kind::U64,
            AtomicType::F32 => Kind::F32,
            AtomicType::F16x2 => Kind::F16x2,
            AtomicType::S64 => Kind::S64,
        }
    }

    /// The kind of a type in images, where floats are exchanged as words.
    pub fn of_image(ty: AtomicType, op: AtomicOp) -> Kind {
        if ty == AtomicType::F32 && op == AtomicOp::Exchange { Kind::U32 } else { Kind::of(ty) }
    }

    /// The kind of a type in shared memory.
    pub fn of_shared(ty: SharedAtomicType) -> Kind {
        match ty {
            SharedAtomicType::U32 => Kind::U32,
            SharedAtomicType::S32 => Kind::S32,
            SharedAtomicType::U64 => Kind::U64,
            SharedAtomicType::S64 => Kind::S64,
        }
    }

    /// Whether it has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::U64 | Kind::S64)
    }
}

/// The stored value for `old` and `value`; `None` if nothing is stored.
pub fn result(kind: Kind, op: AtomicOp, old: u64, value: u64) -> Option<u64> {
    match kind {
        Kind::F32 => float(op, old as u32, value as u32).map(u64::from),
        Kind::F16x2 => halves(op, old as u32, value as u32).map(u64::from),
        Kind::U32 | Kind::S32 | Kind::U64 | Kind::S64 => integer(kind, op, old, value),
    }
}

/// The stored value where `old` is the first one of a pair: the second one.
pub fn compare_exchange(old: u64, (compared, new): (u64, u64)) -> Option<u64> {
    (old == compared).then_some(new)
}

fn integer(kind: Kind, op: AtomicOp, old: u64, value: u64) -> Option<u64> {
    let less = match kind {
        Kind::S32 => (old as i32) < value as i32,
        Kind::S64 => (old as i64) < value as i64,
        _ => old < value,
    };
    let unsigned = kind == Kind::U32;
    if kind == Kind::S64 && !matches!(op, AtomicOp::Min | AtomicOp::Max) {
        return None;
    }
    match op {
        // The caller keeps as many bits as there are.
        AtomicOp::Add => Some(old.wrapping_add(value)),
        AtomicOp::Min => Some(if less { old } else { value }),
        AtomicOp::Max => Some(if less { value } else { old }),
        AtomicOp::Inc => unsigned.then(|| if old >= value { 0 } else { old + 1 }),
        AtomicOp::Dec => unsigned.then(|| if old == 0 || old > value { value } else { old - 1 }),
        AtomicOp::And => Some(old & value),
        AtomicOp::Or => Some(old | value),
        AtomicOp::Xor => Some(old ^ value),
        AtomicOp::Exchange => Some(value),
        AtomicOp::SafeAdd | AtomicOp::Unknown(_) => None,
    }
}

/// Sums are rounded to nearest, denormals being 0.
fn float(op: AtomicOp, old: u32, value: u32) -> Option<u32> {
    let [a, b] = [old, value].map(|bits| flush(f32::from_bits(bits)));
    (op == AtomicOp::Add).then(|| bits(flush(a + b)))
}

fn halves(op: AtomicOp, old: u32, value: u32) -> Option<u32> {
    let act: fn(f64, f64) -> f64 = match op {
        AtomicOp::Add => odd_sum,
        AtomicOp::Min => |a, b| choose(true, a, b),
        AtomicOp::Max => |a, b| choose(false, a, b),
        _ => return None,
    };
    let half = |shift: u32| {
        let [a, b] = [old, value].map(|bits| from_half(flush_half(bits >> shift & 0xFFFF)).into());
        flush_half(to_half(act(a, b), Rounding::Nearest)) << shift
    };
    Some(half(0) | half(16))
}
