//! Blend programs.

use triglyph_guest::kernel::program::blend_program::{
    BlendOperand, BlendOperation, BlendProgram, BlendRoute, BlendStep,
};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4};

/// Longest supported program; known equations have a third of these steps.
pub const MAX_COMPILED_STEPS: usize = 64;

/// State of a blend program. Components r, g, b, a.
struct State<'p> {
    program: &'p BlendProgram,
    source: [F32x4; 4],
    destination: [F32x4; 4],
    registers: [[F32x4; 4]; 3],
    last: [F32x4; 4],
    /// Of r, g, b.
    conditions: [F32x4; 3],
}

/// The program's r, g, b, a.
pub fn run(e: &mut Emit<'_>, program: &BlendProgram, source: [F32x4; 4], destination: [F32x4; 4]) -> [F32x4; 4] {
    let zero = e.f(0.0);
    let (registers, last, conditions) = ([[zero; 4]; 3], [zero; 4], [zero; 3]);
    let mut state = State { program, source, destination, registers, last, conditions };
    for step in &program.steps {
        state.step(e, step);
    }
    state.registers[0]
}

impl State<'_> {
    /// Executes a step: the components that it may write, and their sources.
    fn step(&mut self, e: &mut Emit<'_>, step: &BlendStep) {
        let from = match step.route {
            BlendRoute::Rgb => [0, 1, 2],
            BlendRoute::Gbr => [1, 2, 0],
            BlendRoute::Red => [0; 3],
            BlendRoute::Green => [1; 3],
            BlendRoute::Blue => [2; 3],
            BlendRoute::RedToAlpha => {
                let value = self.result(e, step, 0);
                self.write(e, step, (3, 0), value);
                return;
            }
        };
        // All results are computed before anything is written.
        let mut results = [None; 3];
        for component in (0..3).filter(|component| step.mask >> component & 1 != 0) {
            let of = from[component];
            if results[of].is_none() {
                results[of] = Some(self.result(e, step, of));
            }
        }
        for component in (0..3).filter(|component| step.mask >> component & 1 != 0) {
            if let Some(value) = results[from[component]] {
                self.write(e, step, (component, component), value);
            }
        }
    }

    /// Writes a component where the condition of another one, or its own, passes.
    fn write(&mut self, e: &mut Emit<'_>, step: &BlendStep, (component, tested): (usize, usize), value: F32x4) {
        let zero = e.f(0.0);
        let passes = e.compare_floats(step.test, self.conditions[tested], zero);
        let mut set = |place: &mut F32x4| {
            *place = match passes {
                Some(passes) => e.select(passes, value, *place),
                None => value,
            };
        };
        set(&mut self.last[component]);
        if let Some(register) = step.output.and_then(|number| self.registers.get_mut(usize::from(number))) {
            set(&mut register[component]);
        }
        if step.sets && component < 3 {
            set(&mut self.conditions[component]);
        }
    }

    /// Component `component` of the operation's result.
    fn result(&self, e: &mut Emit<'_>, step: &BlendStep, component: usize) -> F32x4 {
        let operand = |e: &mut Emit<'_>, n: usize| self.operand(e, step.operands[n], step.constant, component);
        let product = |e: &mut Emit<'_>, first: usize| {
            if step.operands[first + 1] == BlendOperand::Nothing {
                return e.f(0.0);
            }
            let (a, b) = (operand(e, first), operand(e, first + 1));
            e.mul(a, b)
        };
        match step.operation {
            BlendOperation::AddProducts => {
                let (ab, cd) = (product(e, 0), product(e, 2));
                e.add(ab, cd)
            }
            BlendOperation::SubtractProducts => {
                let (ab, cd) = (product(e, 0), product(e, 2));
                e.sub(ab, cd)
            }
            BlendOperation::Minimum => {
                let (a, b) = (operand(e, 0), operand(e, 1));
                e.min(a, b)
            }
            BlendOperation::Maximum => {
                let (a, b) = (operand(e, 0), operand(e, 1));
                e.max(a, b)
            }
            BlendOperation::Reciprocal => {
                let (one, a) = (e.f(1.0), operand(e, 0));
                e.div(one, a)
            }
            BlendOperation::Add => {
                let (b, d) = (operand(e, 1), operand(e, 3));
                e.add(b, d)
            }
            BlendOperation::Subtract => {
                let (b, d) = (operand(e, 1), operand(e, 3));
                e.sub(b, d)
            }
        }
    }

    fn operand(&self, e: &mut Emit<'_>, operand: BlendOperand, constant: u8, component: usize) -> F32x4 {
        let inverse = |e: &mut Emit<'_>, value: F32x4| {
            let one = e.f(1.0);
            e.sub(one, value)
        };
        match operand {
            BlendOperand::Nothing | BlendOperand::Zero => e.f(0.0),
            BlendOperand::One => e.f(1.0),
            BlendOperand::Source => self.source[component],
            BlendOperand::SourceAlpha => self.source[3],
            BlendOperand::InverseSourceAlpha => inverse(e, self.source[3]),
            BlendOperand::Destination => self.destination[component],
            BlendOperand::DestinationAlpha => self.destination[3],
            BlendOperand::InverseDestinationAlpha => inverse(e, self.destination[3]),
            BlendOperand::Register(number) => match self.registers.get(usize::from(number)) {
                Some(register) => register[component],
                None => e.f(0.0),
            },
            BlendOperand::Last => self.last[component],
            BlendOperand::Constant => e.f(f32::from_bits(self.program.constants[usize::from(constant & 7)][component])),
        }
    }
}
