//! Values of registers, in the forms that have been asked for: floats, integers, floats without denormals.

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;

use super::Lower;
use crate::lane::{F32x4, I32x4, Mask};

/// What is known of NaNs among a value's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nan {
    /// The bits are what they are.
    Any,
    /// There is none but the canonical one.
    Canonical,
    /// A NaN among the floats may have any bits; as an integer it is the canonical one.
    Loose,
}

/// A value in the forms that have been requested so far.
#[derive(Clone, Copy, Debug)]
pub struct LaneValue {
    pub(super) float: Option<F32x4>,
    pub(super) int: Option<I32x4>,
    /// With denormals flushed to zero.
    pub(super) flushed: Option<F32x4>,
    pub(super) nan: Nan,
    /// Lanes whose bits are not zero, where that is known.
    pub(super) truth: Option<Mask>,
}

impl LaneValue {
    /// Bits.
    pub fn int(value: I32x4) -> LaneValue {
        LaneValue { float: None, int: Some(value), flushed: None, nan: Nan::Any, truth: None }
    }

    /// A constant, in all lanes.
    pub fn constant(e: &mut crate::lane::Emit<'_>, value: u32) -> LaneValue {
        let nan = if f32::from_bits(value).is_nan() { Nan::Any } else { Nan::Canonical };
        LaneValue { nan, ..LaneValue::int(e.i(value as i32)) }
    }

    /// Bits that are zero but in these lanes.
    pub fn truth(value: I32x4, lanes: Mask) -> LaneValue {
        LaneValue { truth: Some(lanes), ..LaneValue::int(value) }
    }

    /// A result of arithmetic: any NaN represents the canonical one.
    pub fn float(value: F32x4) -> LaneValue {
        LaneValue { float: Some(value), int: None, nan: Nan::Loose, flushed: None, truth: None }
    }

    /// As [`LaneValue::float`], without denormals.
    pub fn normal(value: F32x4) -> LaneValue {
        LaneValue { flushed: Some(value), ..LaneValue::float(value) }
    }

    /// As [`LaneValue::float`], without NaN.
    pub fn number(value: F32x4) -> LaneValue {
        LaneValue { nan: Nan::Canonical, ..LaneValue::float(value) }
    }

    /// Bits that were loaded as floats.
    pub fn loaded(value: F32x4) -> LaneValue {
        LaneValue { nan: Nan::Any, ..LaneValue::float(value) }
    }

    /// The lanes whose bits are not zero, if they are known without looking.
    pub fn known_truth(&self) -> Option<Mask> {
        self.truth
    }
}

impl Lower<'_, '_> {
    /// `new` in some lanes, `old` in the others.
    pub(super) fn merge(&mut self, mask: Mask, new: LaneValue, old: LaneValue) -> LaneValue {
        let loose = [new, old].iter().any(|value| value.nan == Nan::Loose);
        let exact = [new, old].iter().any(|value| value.nan == Nan::Any);
        // A loose NaN beside exact bits: they can be told apart only as bits.
        let as_floats = if loose { !exact } else { new.float.is_some() && old.float.is_some() };
        if !as_floats {
            let (a, b) = (self.value_int(new), self.value_int(old));
            let nan = if new.nan == Nan::Canonical && old.nan == Nan::Canonical { Nan::Canonical } else { Nan::Any };
            return LaneValue { nan, ..LaneValue::int(self.host.e().iselect(mask, a, b)) };
        }
        let (a, b) = (self.value_float(new), self.value_float(old));
        let float = self.host.e().select(mask, a, b);
        let flushed = match (new.flushed, old.flushed) {
            (Some(x), Some(y)) if x == a && y == b => Some(float),
            _ => None,
        };
        let nan = match (loose, exact) {
            (true, _) => Nan::Loose,
            (false, true) => Nan::Any,
            (false, false) => Nan::Canonical,
        };
        LaneValue { flushed, nan, ..LaneValue::float(float) }
    }

    pub(super) fn value_float(&mut self, number: LaneValue) -> F32x4 {
        match (number.float, number.int) {
            (Some(value), _) => value,
            (None, Some(value)) => self.host.e().float_of_bits(value),
            (None, None) => self.host.e().f(0.0),
        }
    }

    pub(super) fn value_int(&mut self, number: LaneValue) -> I32x4 {
        let e = self.host.e();
        match (number.int, number.float) {
            (Some(value), _) => value,
            (None, Some(value)) if number.nan != Nan::Loose => e.bits(value),
            (None, Some(value)) => canonical(e, value),
            (None, None) => e.i(0),
        }
    }

    pub(super) fn value_flushed(&mut self, number: &mut LaneValue) -> F32x4 {
        if let Some(value) = number.flushed {
            return value;
        }
        let float = self.value_float(*number);
        let value = flush(self.host.e(), float);
        number.float = Some(float);
        number.flushed = Some(value);
        value
    }

    pub(super) fn bits_of(&mut self, number: LaneValue) -> Value {
        match (number.float, number.int) {
            (_, Some(int)) => int.0,
            (Some(float), None) => float.0,
            (None, None) => self.host.e().i(0).0,
        }
    }
}

/// The bits of floats, NaN as the canonical one.
pub fn canonical(e: &mut crate::lane::Emit<'_>, value: F32x4) -> I32x4 {
    let nan = e.unordered(value, value);
    let (bits, only) = (e.bits(value), e.i(0x7FFF_FFFF));
    e.iselect(nan, only, bits)
}

/// Denormals as zeros of the same sign.
pub fn flush(e: &mut crate::lane::Emit<'_>, value: F32x4) -> F32x4 {
    let (magnitude, least) = (e.abs(value), e.f(f32::MIN_POSITIVE));
    let tiny = e.lt(magnitude, least);
    let clear = e.ushr(I32x4(tiny.0), 1);
    let bits = e.bits(value);
    let bits = I32x4(e.b.ins().band_not(bits.0, clear.0));
    e.float_of_bits(bits)
}
