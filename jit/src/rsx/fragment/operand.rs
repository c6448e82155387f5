//! Sources and destinations of instructions.

use triglyph_guest::kernel::program::fragment::FragmentInput;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::{
    Compute, FX9, FX12, Input, Modifier, Precision, Register, Scale, Source, Step, Temp,
};
use triglyph_guest::rsx::operand::{Condition, Test};

use super::Lower;
use super::registers::Number;
use crate::lane::F32x4;
use crate::rsx::predicate::Predicate;

impl Lower<'_, '_, '_> {
    /// Component `c` of a source of an instruction.
    pub fn source(&mut self, step: &Step, compute: &Compute, source: &Source, c: usize) -> Number {
        let number = self.magnitude(step, compute, source, c);
        match source.negate {
            true => Number { value: self.quad.e.neg(number.value), exact: false, ..number },
            false => number,
        }
    }

    /// As [`Self::source`], without the negation.
    pub fn magnitude(&mut self, step: &Step, compute: &Compute, source: &Source, c: usize) -> Number {
        let number = self.loaded(step, compute, source, c);
        self.modified(source, number)
    }

    /// Component `c` of a source before its modifiers.
    fn loaded(&mut self, step: &Step, compute: &Compute, source: &Source, c: usize) -> Number {
        let component = source.swizzle.0[c] & 3;
        match source.register {
            Register::None | Register::Unknown => Number::simple(self.quad.e.f(0.0), 0.0),
            Register::Temp(temp) => self.temp(temp, component.into()),
            Register::Constant => match step.constant {
                Some(number) => {
                    let value = self.quad.constant(number, component);
                    Number { exact: true, ..Number::new(value) }
                }
                None => Number::simple(self.quad.e.f(0.0), 0.0),
            },
            Register::Input => match compute.input {
                Input::Register(number) => {
                    let input = self.code.inputs[usize::from(number & 15)];
                    self.input(input, component.into(), compute.linear)
                }
                Input::Relative(displacement) => {
                    Number::new(self.relative_input(displacement, component.into(), compute.linear))
                }
            },
        }
    }

    fn input(&mut self, input: FragmentInput, component: usize, linear: bool) -> Number {
        let value = self.quad.input(input, component, linear);
        let bound = match input {
            FragmentInput::Zero => 0.0,
            FragmentInput::Facing | FragmentInput::Varying { clamp: true, .. } => 1.0,
            FragmentInput::Fog { .. } if component == 1 => 1.0,
            _ => f32::INFINITY,
        };
        Number::new(value).within(bound)
    }

    /// Modifier, then absolute value.
    fn modified(&mut self, source: &Source, number: Number) -> Number {
        let number = match source.modifier {
            Modifier::Full | Modifier::Unknown(_) => number,
            Modifier::Half => self.at_most_half(number),
            Modifier::Fx12 => self.clamped(number, FX12),
            Modifier::Fx9 => self.clamped(number, FX9),
            // Nothing is left to make absolute.
            Modifier::Saturate => return self.clamped(number, [0.0, 1.0]),
        };
        match source.absolute {
            true => Number { value: self.quad.e.abs(number.value), exact: false, ..number },
            false => number,
        }
    }

    /// `v > low ? (v < high ? v : high) : low`
    pub fn clamped(&mut self, number: Number, [low, high]: [f32; 2]) -> Number {
        let value = self.quad.e.clamp(number.value, low, high);
        Number { value, exact: true, half: number.half, bound: f32::INFINITY }
            .within(number.bound)
            .within(low.abs().max(high))
    }

    /// The bits of component x of a source: a NaN has the right ones.
    pub fn source_bits(&mut self, step: &Step, compute: &Compute, source: &Source) -> F32x4 {
        let number = self.loaded(step, compute, source, 0);
        let number = self.exact(number);
        let plain = Source { absolute: false, ..*source };
        let number = self.modified(&plain, number);
        let number = match source.modifier {
            Modifier::Full | Modifier::Unknown(_) => number,
            _ => self.exact(number),
        };
        let value = if source.absolute { self.quad.e.abs(number.value) } else { number.value };
        if source.negate { self.quad.e.neg(value) } else { value }
    }

    /// Lanes in which a test holds for a component of a condition register.
    pub fn test(&mut self, test: Test, register: u8, component: u8) -> Predicate {
        if let Some(constant) = Predicate::constant(test) {
            return constant;
        }
        let value = self.condition_value(register, component);
        Predicate::test(self.quad.e, test, value)
    }

    /// A condition for component `c`.
    pub fn predicate(&mut self, condition: Option<Condition>, register: u8, c: usize) -> Predicate {
        match condition {
            None => Predicate::Always,
            Some(condition) => self.test(condition.test, register, condition.swizzle.0[c] & 3),
        }
    }

    /// Brings components of a result to where they go.
    pub fn finish(&mut self, compute: &Compute, result: [Option<Number>; 4]) {
        // The condition is that from before the instruction.
        let mut predicates = [Predicate::Never; 4];
        let mut known: Vec<(u8, Predicate)> = Vec::new();
        for c in (0..4).filter(|&c| result[c].is_some()) {
            let component = compute.condition.map_or(0, |condition| condition.swizzle.0[c]);
            predicates[c] = match known.iter().find(|(of, _)| *of == component) {
                Some((_, predicate)) => *predicate,
                None => {
                    let predicate = self.predicate(compute.condition, compute.condition_register, c);
                    known.push((component, predicate));
                    predicate
                }
            };
        }
        let mut processed = [None; 4];
        for (c, number) in result.into_iter().enumerate() {
            processed[c] = number.map(|number| self.processed(compute, c, number));
        }
        for (c, number) in processed.into_iter().enumerate() {
            let Some(number) = number else { continue };
            let lanes = match (predicates[c], self.exec) {
                (Predicate::Never, _) => continue,
                (Predicate::Always, exec) => exec,
                (Predicate::Lanes(mask), None) => Some(mask),
                (Predicate::Lanes(mask), Some(exec)) => Some(self.quad.e.and(mask, exec)),
            };
            if let Some(temp) = compute.destination {
                self.write(temp, c, number, lanes);
            }
            if let Some(register) = compute.set_condition {
                let value = match lanes {
                    None => number.value,
                    Some(lanes) => {
                        let old = self.condition_value(register, c as u8);
                        self.quad.e.select(lanes, number.value, old)
                    }
                };
                self.write_condition(register, c as u8, value);
            }
        }
    }

    /// Scale, saturation and precision of component `c`.
    fn processed(&mut self, compute: &Compute, c: usize, mut number: Number) -> Number {
        let e = &mut *self.quad.e;
        if !matches!(compute.scale, Scale::One | Scale::Unknown) {
            let factor = compute.scale.factor();
            let scale = e.f(factor);
            number = Number::new(e.mul(number.value, scale)).within(number.bound * factor);
        }
        if compute.saturate {
            number = self.clamped(number, [0.0, 1.0]);
        }
        match compute.precision {
            Precision::Full | Precision::Half => {}
            Precision::Fx12 => number = self.clamped(number, FX12),
            Precision::Fx9 => number = self.clamped(number, FX9),
        }
        match compute.destination {
            Some(temp @ Temp::Half(_)) => self.half(temp, c, number),
            _ => number,
        }
    }

    /// Whether a MOV keeps the bits of what it reads.
    pub fn keeps_bits(&self, compute: &Compute) -> bool {
        let source = &compute.sources[0];
        let from = matches!(source.register, Register::Temp(Temp::Full(_)) | Register::Constant);
        let is_whole = matches!(source.modifier, Modifier::Full | Modifier::Unknown(_));
        from && !source.absolute && !source.negate && is_whole
    }
}
