//! Validates vertex and geometry programs of the 3DS.

use super::{InvalidKey, Validate, check, each};
use crate::kernel::geometry::{GeometryInputs, GeometryKey};
use crate::kernel::vertex::{Input, OutputComponent, OutputMap, PicaProgram, Program, VertexKey};

/// Words of code of a unit, which a geometry unit has; those of the others have less.
const CODE: usize = 4096;
/// Operand descriptors of a unit.
const DESCRIPTORS: usize = 128;
/// Registers of a kind: inputs, outputs, fixed attributes, and also vertex arrays.
const REGISTERS: u8 = 16;

impl Validate for VertexKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        self.program.validate()?;
        each(&self.inputs)?;
        self.outputs.validate()
    }
}

impl Validate for GeometryKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        self.program.validate()?;
        if let GeometryInputs::Registers(registers) = &self.inputs {
            check(registers.len() <= usize::from(REGISTERS), "a primitive has more values than there are registers")?;
            check(registers.iter().all(|register| *register < REGISTERS), "an input register does not exist")?;
        }
        self.outputs.validate()
    }
}

impl Validate for Program {
    fn validate(&self) -> Result<(), InvalidKey> {
        let Program::Pica(program) = self;
        program.validate()
    }
}

impl Validate for PicaProgram {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.code.len() <= CODE, "a program is longer than code memory")?;
        check(self.descriptors.len() <= DESCRIPTORS, "a program has too many operand descriptors")
    }
}

impl Validate for Input {
    fn validate(&self) -> Result<(), InvalidKey> {
        match *self {
            Input::Zero => Ok(()),
            Input::Fixed(number) => check(number < REGISTERS, "a fixed attribute does not exist"),
            Input::Array { stream, component: _, count } => {
                check(stream < REGISTERS, "a vertex array does not exist")?;
                check((1..=4).contains(&count), "a vertex array has 1 to 4 components")
            }
        }
    }
}

impl Validate for OutputMap {
    fn validate(&self) -> Result<(), InvalidKey> {
        let slots = self.slots.len();
        check(slots.is_multiple_of(4) && (4..=64).contains(&slots), "slots come in groups of four, 4 to 64 in all")?;
        each(self.slots.iter().flatten())
    }
}

impl Validate for OutputComponent {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.register < REGISTERS && self.component < 4, "an output register's component does not exist")
    }
}
