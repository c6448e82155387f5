//! Blending by a program.

use triglyph_guest::kernel::program::blend_program::{
    BlendOperand, BlendOperation, BlendProgram, BlendRoute, BlendStep,
};

use crate::operations::compare;
use crate::program::Vector;

type Triple = [f32; 3];

/// The operands of a program.
struct State<'p> {
    program: &'p BlendProgram,
    source: Vector,
    destination: Vector,
    registers: [Vector; 3],
    last: Vector,
    condition: Triple,
}

/// The result of a program: r, g, b, a of T0.
pub(super) fn run(program: &BlendProgram, source: Vector, destination: Vector) -> Vector {
    let (registers, last, condition) = ([[0.0; 4]; 3], [0.0; 4], [0.0; 3]);
    let mut state = State { program, source, destination, registers, last, condition };
    program.steps.iter().for_each(|step| state.step(step));
    state.registers[0]
}

impl State<'_> {
    fn operand(&self, operand: BlendOperand, constant: u8) -> Triple {
        let rgb = |[r, g, b, _]: Vector| [r, g, b];
        match operand {
            BlendOperand::Nothing | BlendOperand::Zero => [0.0; 3],
            BlendOperand::One => [1.0; 3],
            BlendOperand::Source => rgb(self.source),
            BlendOperand::SourceAlpha => [self.source[3]; 3],
            BlendOperand::InverseSourceAlpha => [1.0 - self.source[3]; 3],
            BlendOperand::Destination => rgb(self.destination),
            BlendOperand::DestinationAlpha => [self.destination[3]; 3],
            BlendOperand::InverseDestinationAlpha => [1.0 - self.destination[3]; 3],
            BlendOperand::Register(number) => self.registers.get(usize::from(number)).map_or([0.0; 3], |&r| rgb(r)),
            BlendOperand::Last => rgb(self.last),
            BlendOperand::Constant => self.program.constants[usize::from(constant & 7)].map(f32::from_bits),
        }
    }

    fn result(&self, step: &BlendStep) -> Triple {
        let [a, b, c, d] = step.operands.map(|operand| self.operand(operand, step.constant));
        let product = |x: Triple, y: Triple, second: BlendOperand, i: usize| match second {
            BlendOperand::Nothing => 0.0,
            _ => x[i] * y[i],
        };
        std::array::from_fn(|i| {
            let ab = product(a, b, step.operands[1], i);
            let cd = product(c, d, step.operands[3], i);
            match step.operation {
                BlendOperation::AddProducts => ab + cd,
                BlendOperation::SubtractProducts => ab - cd,
                BlendOperation::Minimum if a[i] < b[i] => a[i],
                BlendOperation::Maximum if a[i] > b[i] => a[i],
                BlendOperation::Minimum | BlendOperation::Maximum => b[i],
                BlendOperation::Reciprocal => 1.0 / a[i],
                BlendOperation::Add => b[i] + d[i],
                BlendOperation::Subtract => b[i] - d[i],
            }
        })
    }

    fn step(&mut self, step: &BlendStep) {
        let [r, g, b] = self.result(step);
        let result = match step.route {
            BlendRoute::Rgb => [r, g, b],
            BlendRoute::Gbr => [g, b, r],
            BlendRoute::Red => [r; 3],
            BlendRoute::Green => [g; 3],
            BlendRoute::Blue => [b; 3],
            BlendRoute::RedToAlpha => {
                if compare(step.test, self.condition[0], 0.0) {
                    self.write(step, 3, r);
                }
                return;
            }
        };
        for (i, value) in result.into_iter().enumerate() {
            if step.mask >> i & 1 != 0 && compare(step.test, self.condition[i], 0.0) {
                self.write(step, i, value);
                if step.sets {
                    self.condition[i] = value;
                }
            }
        }
    }

    fn write(&mut self, step: &BlendStep, component: usize, value: f32) {
        self.last[component] = value;
        if let Some(register) = step.output.and_then(|number| self.registers.get_mut(usize::from(number))) {
            register[component] = value;
        }
    }
}
