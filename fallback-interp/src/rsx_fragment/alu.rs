//! Operations on the sources of one lane: one method per operation.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::fast;
use triglyph_guest::num::ops::{self, Scalar};
use triglyph_guest::rsx::fragment::FragmentVisitor;

use super::pack;
use crate::program::{Vector, comparisons};

/// A lane that executes an operation on its own sources.
pub(super) struct Alu {
    pub(super) accuracy: Accuracy,
}

impl Alu {
    fn exp2(&self, x: f32) -> f32 {
        if self.accuracy == Accuracy::Fast { fast::exp2(&mut Scalar, x) } else { ops::exp2(&mut Scalar, x) }
    }

    fn log2(&self, x: f32) -> f32 {
        if self.accuracy == Accuracy::Fast { fast::log2(&mut Scalar, x) } else { ops::log2(&mut Scalar, x) }
    }

    /// `base^exponent` by way of logarithms.
    fn power(&self, base: f32, exponent: f32) -> f32 {
        self.exp2(exponent * self.log2(base))
    }

    /// Coefficients of diffuse and specular light.
    fn light(&self, a: Vector) -> Vector {
        let base = if a[1] > 0.0 { a[1] } else { 0.0 };
        let specular = if a[3] == 0.0 { 1.0 } else { self.power(base, a[3]) };
        if a[0] > 0.0 { [1.0, a[0], specular, 1.0] } else { [1.0, 0.0, 0.0, 1.0] }
    }
}

impl FragmentVisitor for Alu {
    type Source = Vector;
    type Output = Vector;

    comparisons!();

    fn mov(&mut self, a: Vector) -> Vector {
        a
    }
    fn mul(&mut self, a: Vector, b: Vector) -> Vector {
        map2(a, b, |a, b| a * b)
    }
    fn add(&mut self, a: Vector, b: Vector) -> Vector {
        map2(a, b, |a, b| a + b)
    }
    fn mad(&mut self, a: Vector, b: Vector, c: Vector) -> Vector {
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }
    fn dp3(&mut self, a: Vector, b: Vector) -> Vector {
        [dot3(a, b); 4]
    }
    fn dp4(&mut self, a: Vector, b: Vector) -> Vector {
        [dot4(a, b); 4]
    }
    fn dst(&mut self, a: Vector, b: Vector) -> Vector {
        [1.0, a[1] * b[1], a[2], b[3]]
    }
    fn frc(&mut self, a: Vector) -> Vector {
        a.map(|a| a - a.floor())
    }
    fn flr(&mut self, a: Vector) -> Vector {
        a.map(f32::floor)
    }
    fn pk4(&mut self, a: Vector) -> Vector {
        [pack::signed_bytes(a); 4]
    }
    fn up4(&mut self, a: Vector) -> Vector {
        pack::unpack_signed_bytes(a[0])
    }
    fn rcp(&mut self, a: Vector) -> Vector {
        [1.0 / a[0]; 4]
    }
    fn rsq(&mut self, a: Vector) -> Vector {
        [1.0 / a[0].abs().sqrt(); 4]
    }
    fn ex2(&mut self, a: Vector) -> Vector {
        [self.exp2(a[0]); 4]
    }
    fn lg2(&mut self, a: Vector) -> Vector {
        [self.log2(a[0]); 4]
    }
    fn lit(&mut self, a: Vector) -> Vector {
        self.light(a)
    }
    fn lrp(&mut self, a: Vector, b: Vector, c: Vector) -> Vector {
        std::array::from_fn(|i| a[i] * b[i] + (1.0 - a[i]) * c[i])
    }
    fn str(&mut self) -> Vector {
        [1.0; 4]
    }
    fn sfl(&mut self) -> Vector {
        [0.0; 4]
    }
    fn cos(&mut self, a: Vector) -> Vector {
        match self.accuracy {
            Accuracy::Exact => [ops::cos(&mut Scalar, a[0]); 4],
            Accuracy::Fast => [fast::cos(&mut Scalar, a[0]); 4],
        }
    }
    fn sin(&mut self, a: Vector) -> Vector {
        match self.accuracy {
            Accuracy::Exact => [ops::sin(&mut Scalar, a[0]); 4],
            Accuracy::Fast => [fast::sin(&mut Scalar, a[0]); 4],
        }
    }
    fn pk2(&mut self, a: Vector) -> Vector {
        [pack::halves(a); 4]
    }
    fn up2(&mut self, a: Vector) -> Vector {
        pack::unpack_halves(a[0])
    }
    fn pow(&mut self, a: Vector, b: Vector) -> Vector {
        [self.power(a[0], b[0]); 4]
    }
    fn pkb(&mut self, a: Vector) -> Vector {
        [pack::bytes(a); 4]
    }
    fn upb(&mut self, a: Vector) -> Vector {
        pack::unpack_bytes(a[0])
    }
    fn pk16(&mut self, a: Vector) -> Vector {
        [pack::shorts(a); 4]
    }
    fn up16(&mut self, a: Vector) -> Vector {
        pack::unpack_shorts(a[0])
    }
    fn bem(&mut self, a: Vector, b: Vector, c: Vector) -> Vector {
        bump(a, b, c)
    }
    fn pkg(&mut self, a: Vector) -> Vector {
        [pack::srgb_bytes(a); 4]
    }
    fn upg(&mut self, a: Vector) -> Vector {
        pack::unpack_srgb_bytes(a[0])
    }
    fn dp2a(&mut self, a: Vector, b: Vector, c: Vector) -> Vector {
        [a[0] * b[0] + a[1] * b[1] + c[0]; 4]
    }
    // Its operation is unknown.
    fn bemlum(&mut self) -> Vector {
        [0.0; 4]
    }
    fn refl(&mut self, a: Vector, b: Vector) -> Vector {
        let twice = 2.0 * dot4(a, b);
        map2(a, b, |a, b| a - twice * b)
    }
    // Its operation is unknown.
    fn timeswtex(&mut self) -> Vector {
        [0.0; 4]
    }
    fn dp2(&mut self, a: Vector, b: Vector) -> Vector {
        [a[0] * b[0] + a[1] * b[1]; 4]
    }
    fn nrm(&mut self, a: Vector) -> Vector {
        let scale = 1.0 / dot3(a, a).sqrt();
        let z = a[2] * scale;
        [a[0] * scale, a[1] * scale, z, z]
    }
    fn div(&mut self, a: Vector, b: Vector) -> Vector {
        a.map(|a| a / b[0])
    }
    fn divsq(&mut self, a: Vector, b: Vector) -> Vector {
        let root = b[0].abs().sqrt();
        a.map(|a| if a == 0.0 { 0.0 } else { a / root })
    }
    fn lif(&mut self, a: Vector) -> Vector {
        [1.0, a[1], if a[1] > 0.0 { self.exp2(a[3]) } else { 0.0 }, 1.0]
    }
}

fn map2(a: Vector, b: Vector, f: impl Fn(f32, f32) -> f32) -> Vector {
    std::array::from_fn(|i| f(a[i], b[i]))
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

fn dot3(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn dot4(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// Coordinates `a` moved by `b` through the matrix `c`.
pub(super) fn bump(a: Vector, b: Vector, c: Vector) -> Vector {
    let x = a[0] + b[0] * c[0] + b[1] * c[1];
    let y = a[1] + b[0] * c[2] + b[1] * c[3];
    [x, y, x, y]
}
