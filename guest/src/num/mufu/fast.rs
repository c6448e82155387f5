//! MUFU where [`Accuracy::Fast`](crate::kernel::Accuracy::Fast) is enough: division, square root and polynomials, in
//! f32.
//!
//! | function | how | error |
//! |---|---|---|
//! | RCP | `1 / x` | rounded correctly |
//! | RSQ | `1 / sqrt(x)` | 1 unit in the last place |
//! | SQRT | `sqrt(x)` | rounded correctly |
//! | LG2, EX2, SIN, COS | functions of [`crate::num::fast`] | as there |
//! | RCP64H, RSQ64H | as the exact ones | |
//!
//! SIN, COS and EX2 take numbers as RRO finds them: here that copies. Denormals are numbers like others, but for LG2 of
//! one, which is that of 0, and EX2's results, of which none is denormal. A NaN result may have any bits; as a
//! register's value it is 0x7FFFFFFF.

use crate::num::fast::{cos, exp2, log2, sin};
use crate::num::ops::{Ops, Scalar};
use crate::tegra::shader::modifiers::MufuOp;

/// A function of the unit of a number; `None` for those that are the exact ones.
pub fn mufu<O: Ops>(o: &mut O, function: MufuOp, x: O::F) -> Option<O::F> {
    Some(match function {
        MufuOp::Cos => cos(o, x),
        MufuOp::Sin => sin(o, x),
        MufuOp::Ex2 => exp2(o, x),
        MufuOp::Lg2 => log2(o, x),
        MufuOp::Rcp => {
            let one = o.f(1.0);
            o.div(one, x)
        }
        MufuOp::Rsq => {
            let (one, root) = (o.f(1.0), o.sqrt(x));
            o.div(one, root)
        }
        MufuOp::Sqrt => o.sqrt(x),
        MufuOp::Rcp64h | MufuOp::Rsq64h | MufuOp::Unknown(_) => return None,
    })
}

/// [`mufu`] of a plain number.
pub fn scalar(function: MufuOp, x: f32) -> Option<f32> {
    mufu(&mut Scalar, function, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_and_roots() {
        let f = |function, x| scalar(function, x).map(f32::to_bits).unwrap();
        assert_eq!(f(MufuOp::Rcp, -0.0), f32::NEG_INFINITY.to_bits());
        assert_eq!(f(MufuOp::Rcp, 3.0), (1.0f32 / 3.0).to_bits());
        assert_eq!(f(MufuOp::Rsq, -0.0), f32::NEG_INFINITY.to_bits());
        assert_eq!(f(MufuOp::Rsq, 16.0), 0.25f32.to_bits());
        assert_eq!(f(MufuOp::Sqrt, 2.0), 2f32.sqrt().to_bits());
        assert!(f32::from_bits(f(MufuOp::Rsq, -1.0)).is_nan());
        assert!([MufuOp::Rcp64h, MufuOp::Rsq64h].iter().all(|&function| scalar(function, 2.0).is_none()));
    }
}
