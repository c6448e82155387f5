//! Instructions that compute: sources, modifiers of the result, writes.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::program::fragment::FragmentInput;
use triglyph_guest::rsx::fragment::{
    Compute, EffectVisitor, FX9, FX12, FragmentVisitor, Input, Modifier, Op, Precision, QuadVisitor, Register,
    RootPart, Scale, Source, Step, Temp,
};
use triglyph_guest::table::flags;

use super::alu::Alu;
use super::effect::Effect;
use super::lane::{Lane, canonical, half_cut, mantissa_cut};
use super::lanes::{Lanes, members};
use super::texture::QuadUnit;
use super::{Program, Quad};
use crate::program::interpolate::Point;
use crate::program::{Vector, limit};

impl Quad<'_> {
    /// Executes an instruction for the lanes of a set.
    pub(super) fn compute(&mut self, compute: &Compute, step: &Step, lanes: Lanes, points: &[Point<'_>; 4]) {
        if !compute.op.has_result() {
            Effect { quad: self, compute, lanes }.visit(compute.op, [(); 3]);
            return;
        }
        let constant =
            step.constant.and_then(|i| self.resources.constants.get(usize::from(i))).copied().unwrap_or_default();
        let program = self.program;
        // Sources 0 to 2 of each lane.
        let mut sources = [[[0.0; 4]; 4]; 3];
        for i in members(lanes) {
            let read = Reader { lane: &self.lanes[i], program, point: &points[i], compute, constant };
            for (values, source) in sources.iter_mut().zip(&compute.sources) {
                values[i] = read.source(source);
            }
        }
        let results = match (QuadUnit { quad: self, compute, lanes }).visit(compute.op, sources) {
            Some(results) => results,
            None => {
                let [a, b, c] = &sources;
                let mut alu = Alu { accuracy: program.accuracy };
                std::array::from_fn(|i| alu.visit(compute.op, [a[i], b[i], c[i]]).unwrap_or_default())
            }
        };
        let results = match step.root.filter(|_| program.accuracy == Accuracy::Fast) {
            None => results,
            Some(RootPart::Logarithm) => {
                members(lanes).for_each(|i| self.lanes[i].root_operand = sources[0][i][0]);
                results
            }
            Some(RootPart::Exponential) => std::array::from_fn(|i| [1.0 / self.lanes[i].root_operand.sqrt(); 4]),
        };
        for i in members(lanes) {
            write(&mut self.lanes[i], compute, results[i]);
        }
    }
}

/// The inputs of a lane's sources.
struct Reader<'a> {
    lane: &'a Lane,
    program: &'a Program,
    point: &'a Point<'a>,
    compute: &'a Compute,
    constant: Vector,
}

impl Reader<'_> {
    fn source(&self, source: &Source) -> Vector {
        let value = match source.register {
            Register::None => return [0.0; 4],
            Register::Unknown => [0.0; 4],
            Register::Temp(temp) => self.lane.read(temp),
            Register::Input => self.input(),
            Register::Constant => self.constant,
        };
        source.swizzle.0.map(|i| {
            let mut v = modified(source.modifier, self.program.accuracy, value[usize::from(i & 3)]);
            if source.absolute {
                v = v.abs();
            }
            if source.negate { -v } else { v }
        })
    }

    fn input(&self) -> Vector {
        let number = match self.compute.input {
            Input::Register(number) => i32::from(number),
            Input::Relative(displacement) => 4 + i32::from(displacement) + self.lane.index(),
        };
        let input = usize::try_from(number).ok().and_then(|number| self.program.inputs.get(number));
        let input = input.copied().unwrap_or(FragmentInput::Zero);
        self.point.input(input, self.compute.linear).map(canonical)
    }
}

fn modified(modifier: Modifier, accuracy: Accuracy, v: f32) -> f32 {
    match modifier {
        Modifier::Full | Modifier::Unknown(_) => v,
        Modifier::Half if accuracy == Accuracy::Fast => canonical(v),
        Modifier::Half => half_cut(v),
        Modifier::Fx12 => limit(v, FX12[0], FX12[1]),
        Modifier::Fx9 => limit(v, FX9[0], FX9[1]),
        Modifier::Saturate => limit(v, 0.0, 1.0),
    }
}

/// Whether a result goes to its register bit by bit, so that a NaN stays what it is.
fn keeps_bits(compute: &Compute) -> bool {
    let [a, ..] = &compute.sources;
    let whole = matches!(a.register, Register::Temp(Temp::Full(_)) | Register::Constant);
    let plain = matches!(a.modifier, Modifier::Full | Modifier::Unknown(_)) && !a.absolute && !a.negate;
    let copies = compute.op.has(flags::PACKS) || compute.op == Op::mov && whole && plain;
    let unlimited = matches!(compute.precision, Precision::Full | Precision::Half);
    copies && compute.scale.factor() == 1.0 && !compute.saturate && unlimited
}

/// Converts a result before it is written to component `i`. `exact`: its bits are kept.
fn finished(lane: &Lane, compute: &Compute, exact: bool, i: usize, mut r: f32) -> f32 {
    if !matches!(compute.scale, Scale::One | Scale::Unknown) {
        r *= compute.scale.factor();
    }
    if compute.saturate {
        r = limit(r, 0.0, 1.0);
    }
    r = match compute.precision {
        Precision::Full | Precision::Half => r,
        Precision::Fx12 => limit(r, FX12[0], FX12[1]),
        Precision::Fx9 => limit(r, FX9[0], FX9[1]),
    };
    if !exact {
        r = canonical(r);
    }
    match compute.destination {
        Some(Temp::Half(number)) if lane.keeps(number, i) => mantissa_cut(r),
        Some(Temp::Half(_)) => half_cut(r),
        _ => r,
    }
}

fn write(lane: &mut Lane, compute: &Compute, result: Vector) {
    let holds = lane.holds(compute.condition, compute.condition_register);
    let exact = keeps_bits(compute);
    for i in (0..4).filter(|&i| compute.mask.has(i) && holds[i]) {
        let value = finished(lane, compute, exact, i, result[i]);
        if let Some(register) = compute.destination {
            lane.write(register, i, value);
        }
        if let Some(register) = compute.set_condition {
            lane.set_condition(register, i, value);
        }
    }
}
