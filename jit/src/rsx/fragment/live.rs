//! Liveness of register components in straight programs.

use triglyph_guest::rsx::fragment::{Compute, Instruction, Program, Register, Temp};
use triglyph_guest::rsx::operand::Test;

use super::flatten::Flat;

/// Halves of the components of all registers, and the components of the condition registers.
#[derive(Clone)]
struct Live {
    halves: [u64; 8],
    conditions: [u8; 2],
}

/// The word that holds a component of a register, and its bits there.
fn place(temp: Temp, component: usize) -> (usize, u64) {
    let (first, bits) = match temp {
        Temp::Full(n) => (8 * usize::from(n & 63) + 2 * component, 3),
        Temp::Half(n) => (4 * usize::from(n & 63) + component, 1),
    };
    (first / 64, bits << (first % 64))
}

impl Live {
    fn read(&mut self, temp: Temp, component: usize) {
        let (word, bits) = place(temp, component);
        self.halves[word] |= bits;
    }

    fn has(&self, temp: Temp, component: usize) -> bool {
        let (word, bits) = place(temp, component);
        self.halves[word] & bits != 0
    }

    fn written(&mut self, temp: Temp, component: usize) {
        let (word, bits) = place(temp, component);
        self.halves[word] &= !bits;
    }
}

/// For each of `steps` the components of its result that matter.
pub fn components(
    program: &Program,
    steps: &[Flat],
    read: &[[bool; 4]; 4],
    exports: &[Temp; 4],
    export_depth: bool,
) -> Vec<[bool; 4]> {
    let mut live = Live { halves: [0; 8], conditions: [0; 2] };
    for (output, components) in read.iter().enumerate() {
        (0..4).filter(|&c| components[c]).for_each(|c| live.read(exports[output], c));
    }
    if export_depth {
        live.read(Temp::Full(1), 2);
    }
    let mut result = vec![[false; 4]; steps.len()];
    // IFEs around the step.
    let mut depth = 0;
    for (needed, &step) in result.iter_mut().zip(steps).rev() {
        match step {
            Flat::Step(step) => {
                if let Instruction::Compute(compute) = &program.code[usize::from(step)].instruction {
                    *needed = before(&mut live, compute, depth == 0);
                }
            }
            Flat::If(step) => {
                depth -= 1;
                if let Instruction::Flow(flow) = &program.code[usize::from(step)].instruction {
                    let component = flow.condition.map_or(0, |condition| condition.swizzle.0[0] & 3);
                    live.conditions[usize::from(flow.condition_register & 1)] |= 1 << component;
                }
            }
            Flat::Else => {}
            Flat::End => depth += 1,
        }
    }
    result
}

/// Goes back over an instruction; what of its result matters. `all`: all lanes execute it.
fn before(live: &mut Live, compute: &Compute, all: bool) -> [bool; 4] {
    let needed = [0, 1, 2, 3].map(|c| {
        let condition = compute.set_condition.is_some_and(|n| live.conditions[usize::from(n & 1)] >> c & 1 != 0);
        compute.mask.has(c) && (condition || compute.destination.is_some_and(|temp| live.has(temp, c)))
    });
    let always = all && compute.condition.is_none();
    for c in (0..4).filter(|&c| compute.mask.has(c) && always) {
        if let Some(temp) = compute.destination {
            live.written(temp, c);
        }
        if let Some(n) = compute.set_condition {
            live.conditions[usize::from(n & 1)] &= !(1 << c);
        }
    }
    let effect = compute.op.discards() || compute.op.is_texture();
    if !needed.contains(&true) && !effect {
        return needed;
    }
    if let Some(condition) = compute.condition.filter(|condition| condition.test != Test::FALSE) {
        for c in condition.swizzle.0 {
            live.conditions[usize::from(compute.condition_register & 1)] |= 1 << (c & 3);
        }
    }
    for source in &compute.sources {
        if let Register::Temp(temp) = source.register {
            (0..4).for_each(|c| live.read(temp, usize::from(source.swizzle.0[c] & 3)));
        }
    }
    needed
}
