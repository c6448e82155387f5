//! Operations of the vector and the scalar unit: one method per operation.

use triglyph_guest::num::ops::{Scalar, cos, exp2, log2, sin};
use triglyph_guest::rsx::vertex::{CALL_DEPTH, Instruction, RCC_MAX, RCC_MIN, ScalarVisitor, VectorVisitor};

use super::machine::{Address, Machine, Resources};
use crate::program::sampler::{self, LodSource};
use crate::program::{Vector, comparisons, limit};

/// The result of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum UnitResult {
    /// Nothing is written.
    None,
    /// For a temporary, an output and a condition register.
    Numbers(Vector),
    /// For an address register.
    Address(Address),
}

use UnitResult::Numbers;

/// The vector unit at an instruction.
pub(super) struct VectorUnit<'a> {
    pub(super) machine: &'a Machine,
    pub(super) instruction: &'a Instruction,
    pub(super) resources: &'a Resources<'a>,
}

impl VectorVisitor for VectorUnit<'_> {
    type Source = Vector;
    type Output = UnitResult;

    comparisons!();

    fn nop(&mut self) -> UnitResult {
        UnitResult::None
    }
    fn mov(&mut self, a: Vector) -> UnitResult {
        Numbers(a)
    }
    fn mul(&mut self, a: Vector, b: Vector) -> UnitResult {
        map2(a, b, product)
    }
    fn add(&mut self, a: Vector, c: Vector) -> UnitResult {
        map2(a, c, |a, c| a + c)
    }
    fn mad(&mut self, a: Vector, b: Vector, c: Vector) -> UnitResult {
        Numbers(std::array::from_fn(|i| product(a[i], b[i]) + c[i]))
    }
    fn dp3(&mut self, a: Vector, b: Vector) -> UnitResult {
        same(dot3(a, b))
    }
    fn dph(&mut self, a: Vector, b: Vector) -> UnitResult {
        same(dot3(a, b) + b[3])
    }
    fn dp4(&mut self, a: Vector, b: Vector) -> UnitResult {
        same(dot3(a, b) + a[3] * b[3])
    }
    fn dst(&mut self, a: Vector, b: Vector) -> UnitResult {
        Numbers([1.0, product(a[1], b[1]), a[2], b[3]])
    }
    fn arl(&mut self, a: Vector) -> UnitResult {
        // The conversion saturates, NaN becomes 0.
        UnitResult::Address(a.map(|v| v.floor() as i32))
    }
    fn frc(&mut self, a: Vector) -> UnitResult {
        Numbers(a.map(|a| a - a.floor()))
    }
    fn flr(&mut self, a: Vector) -> UnitResult {
        Numbers(a.map(f32::floor))
    }
    fn sfl(&mut self) -> UnitResult {
        same(0.0)
    }
    fn str(&mut self) -> UnitResult {
        same(1.0)
    }
    fn ssg(&mut self, a: Vector) -> UnitResult {
        Numbers(a.map(sign))
    }
    fn arr(&mut self, a: Vector) -> UnitResult {
        UnitResult::Address(a.map(|v| v.round_ties_even() as i32))
    }
    fn ara(&mut self) -> UnitResult {
        let [x, y, z, w] = self.machine.selected_address(self.instruction);
        let (x, y) = (x.wrapping_add(z), y.wrapping_add(w));
        UnitResult::Address([x, y, x, y])
    }
    fn txl(&mut self, a: Vector) -> UnitResult {
        let number = usize::from(self.instruction.vector.texture & 3);
        let Some(key) = &self.resources.keys[number] else { return same(0.0) };
        let unit = sampler::TextureUnit { key, texture: &self.resources.textures[number] };
        Numbers(unit.sample(a, &LodSource::Level(a[3])))
    }
}

/// The scalar unit at an instruction.
pub(super) struct ScalarUnit<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) instruction: &'a Instruction,
}

impl ScalarVisitor for ScalarUnit<'_> {
    type Source = Vector;
    type Output = UnitResult;

    fn nop(&mut self) -> UnitResult {
        UnitResult::None
    }
    fn mov(&mut self, c: Vector) -> UnitResult {
        Numbers(c)
    }
    fn rcp(&mut self, c: Vector) -> UnitResult {
        same(1.0 / c[0])
    }
    fn rcc(&mut self, c: Vector) -> UnitResult {
        let r = 1.0 / c[0];
        same(r.abs().clamp(RCC_MIN, RCC_MAX).copysign(r))
    }
    fn rsq(&mut self, c: Vector) -> UnitResult {
        same(1.0 / c[0].sqrt())
    }
    fn exp(&mut self, c: Vector) -> UnitResult {
        let s = c[0];
        let whole = s.floor();
        Numbers([exp2(&mut Scalar, whole), s - whole, exp2(&mut Scalar, s), 1.0])
    }
    fn log(&mut self, c: Vector) -> UnitResult {
        let m = c[0].abs();
        let l = log2(&mut Scalar, m);
        let whole = l.floor();
        let mantissa = if l == f32::NEG_INFINITY { 1.0 } else { m / exp2(&mut Scalar, whole) };
        Numbers([whole, mantissa, l, 1.0])
    }
    fn lit(&mut self, c: Vector) -> UnitResult {
        if c[0] <= 0.0 || c[0].is_nan() {
            return Numbers([1.0, 0.0, 0.0, 1.0]);
        }
        let base = if c[1] > 0.0 { c[1] } else { 0.0 };
        let exponent = limit(c[3], -128.0, 128.0);
        let specular = match exponent {
            0.0 => 1.0,
            _ => exp2(&mut Scalar, exponent * log2(&mut Scalar, base)),
        };
        Numbers([1.0, c[0], specular, 1.0])
    }
    fn lg2(&mut self, c: Vector) -> UnitResult {
        same(log2(&mut Scalar, c[0]))
    }
    fn ex2(&mut self, c: Vector) -> UnitResult {
        same(exp2(&mut Scalar, c[0]))
    }
    fn sin(&mut self, c: Vector) -> UnitResult {
        same(sin(&mut Scalar, c[0]))
    }
    fn cos(&mut self, c: Vector) -> UnitResult {
        same(cos(&mut Scalar, c[0]))
    }
    fn psh(&mut self) -> UnitResult {
        let address = self.machine.selected_address(self.instruction);
        if self.machine.stack.len() < CALL_DEPTH {
            self.machine.stack.push(address);
        }
        UnitResult::None
    }
    fn pop(&mut self) -> UnitResult {
        self.machine.stack.pop().map_or(UnitResult::None, UnitResult::Address)
    }
}

fn same(value: f32) -> UnitResult {
    Numbers([value; 4])
}

fn map2(a: Vector, b: Vector, f: impl Fn(f32, f32) -> f32) -> UnitResult {
    Numbers(std::array::from_fn(|i| f(a[i], b[i])))
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

/// 0 times anything is 0, as programs need that take 0 to the power of 0 (piglit's gl-1.0-spot-light; the NV2A, a
/// relative of the RSX, does it). Of the products of a dot product that is not known.
fn product(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

fn dot3(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sign(v: f32) -> f32 {
    if v > 0.0 {
        1.0
    } else if v < 0.0 {
        -1.0
    } else {
        0.0
    }
}
