//! Operands of fragment instructions: registers, inputs, sources, precision.

use super::fields::source as s;
use crate::rsx::operand::Swizzle;

/// A register: four f32 or four halves. Rn shares its storage with H(2n) and H(2n+1): the word Rn.x is H(2n).x in the
/// low and H(2n).y in the high 16 bits, Rn.y is H(2n).zw, Rn.z is H(2n+1).xy, Rn.w is H(2n+1).zw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Temp {
    /// R0 to R63, f32.
    Full(u8),
    /// H0 to H63, half.
    Half(u8),
}

impl Temp {
    /// Number of the R register whose storage it is or is in.
    #[inline]
    pub const fn storage(self) -> u8 {
        match self {
            Temp::Full(n) => n,
            Temp::Half(n) => n / 2,
        }
    }
}

/// A source operand: loaded, swizzled, made absolute, modified, negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Where it is loaded from.
    pub register: Register,
    /// The order of its components.
    pub swizzle: Swizzle,
    /// Clears the signs.
    pub absolute: bool,
    /// Changes the precision, after that.
    pub modifier: Modifier,
    /// Flips the signs, at last.
    pub negate: bool,
}

/// Where a source is loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// The operation does not read this source.
    None,
    /// A register.
    Temp(Temp),
    /// The instruction's input.
    Input,
    /// The inline constant.
    Constant,
    /// Source type 3: (0, 0, 0, 0), unverified.
    Unknown,
}

/// Which input register is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// 0 to 15: position, two colours, fog, ten texture coordinates from 4 on, facing.
    Register(u8),
    /// `4 + n + index` with the index of the innermost LOOP, 0 outside of loops, and `n` from -1024 to 1023. Other
    /// numbers than 0 to 15 read (0, 0, 0, 0). Source: RPCS3, NV_fragment_program2.
    Relative(i16),
}

/// Precision of a result. Halves: [`num::half::round`](crate::num::half::round).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// f32.
    Full,
    /// Half.
    Half,
    /// Fixed point, -2 to 2 - 1/1024: `v > lo ? (v < hi ? v : hi) : lo`, not quantised.
    Fx12,
    /// Fixed point, -1 to 1, clamped the same way, not quantised.
    Fx9,
}

/// The modifiers of a source's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// As it is.
    Full,
    /// As [`Precision::Half`].
    Half,
    /// As [`Precision::Fx12`].
    Fx12,
    /// As [`Precision::Fx9`].
    Fx9,
    /// `v > 0 ? (v < 1 ? v : 1) : 0`
    Saturate,
    /// Codes 5 to 7: as it is; of 5 tests on the console say so (RPCS3), 6 and 7 are unverified.
    Unknown(u8),
}

/// Factor of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// 1
    One,
    /// 2
    Two,
    /// 4
    Four,
    /// 8
    Eight,
    /// Code 4: 1, unverified.
    Unknown,
    /// 1/2
    Half,
    /// 1/4
    Quarter,
    /// 1/8
    Eighth,
}

/// Limits of [`Precision::Fx12`].
pub const FX12: [f32; 2] = [-2.0, 2.0 - 1.0 / 1024.0];
/// Limits of [`Precision::Fx9`]. The upper one may be a step lower on hardware; which one is unknown.
pub const FX9: [f32; 2] = [-1.0, 1.0];

impl Precision {
    /// By their code.
    pub const ALL: [Precision; 4] = [Precision::Full, Precision::Half, Precision::Fx12, Precision::Fx9];
}

impl Scale {
    /// By their code.
    pub const ALL: [Scale; 8] = {
        use Scale::*;
        [One, Two, Four, Eight, Unknown, Half, Quarter, Eighth]
    };

    /// The factor.
    pub const fn factor(self) -> f32 {
        match self {
            Scale::One | Scale::Unknown => 1.0,
            Scale::Two => 2.0,
            Scale::Four => 4.0,
            Scale::Eight => 8.0,
            Scale::Half => 0.5,
            Scale::Quarter => 0.25,
            Scale::Eighth => 0.125,
        }
    }
}

impl Modifier {
    /// The modifier of a code, 0 to 7.
    pub(super) fn from_code(code: u32) -> Self {
        match code {
            0 => Modifier::Full,
            1 => Modifier::Half,
            2 => Modifier::Fx12,
            3 => Modifier::Fx9,
            4 => Modifier::Saturate,
            code => Modifier::Unknown(code as u8),
        }
    }

    pub(super) fn code(self) -> u32 {
        match self {
            Modifier::Full => 0,
            Modifier::Half => 1,
            Modifier::Fx12 => 2,
            Modifier::Fx9 => 3,
            Modifier::Saturate => 4,
            Modifier::Unknown(code) => code.into(),
        }
    }
}

/// The usual encoding of a source that nothing reads: R0, all components in order.
pub(super) const UNUSED_BITS: u32 = 0x1_C800;
/// The same with the type of an input, which Mesa writes.
pub(super) const UNUSED_INPUT_BITS: u32 = 0x1_C801;

impl Source {
    /// A source that the operation does not read.
    pub const UNUSED: Source = Source::new(Register::None);

    /// The whole register as it is.
    pub const fn new(register: Register) -> Self {
        Source { register, swizzle: Swizzle::IDENTITY, absolute: false, modifier: Modifier::Full, negate: false }
    }

    pub(super) fn from_bits(bits: u32, absolute: bool, modifier: u32) -> Self {
        let bits = [bits];
        let number = s::REGISTER.get(&bits) as u8;
        let register = match s::TYPE.get(&bits) {
            0 if s::HALF.is_set(&bits) => Register::Temp(Temp::Half(number)),
            0 => Register::Temp(Temp::Full(number)),
            1 => Register::Input,
            2 => Register::Constant,
            _ => Register::Unknown,
        };
        let swizzle = Swizzle::from_bits(bits[0] >> s::SWZ_X.lo);
        let modifier = Modifier::from_code(modifier);
        Source { register, swizzle, absolute, modifier, negate: s::NEGATE.is_set(&bits) }
    }

    pub(super) fn bits(&self) -> u32 {
        let mut bits = [self.swizzle.bits() << s::SWZ_X.lo];
        let (kind, number, half) = match self.register {
            Register::None => return UNUSED_BITS,
            Register::Temp(Temp::Full(number)) => (0, number, 0),
            Register::Temp(Temp::Half(number)) => (0, number, 1),
            Register::Input => (1, 0, 0),
            Register::Constant => (2, 0, 0),
            Register::Unknown => (3, 0, 0),
        };
        s::TYPE.put(&mut bits, kind);
        s::REGISTER.put(&mut bits, number.into());
        s::HALF.put(&mut bits, half);
        s::NEGATE.put(&mut bits, self.negate.into());
        bits[0]
    }
}
