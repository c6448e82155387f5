//! Values that are halves of 256-bit vectors.

use std::collections::HashMap;

use cranelift_codegen::ir::{Function, Inst, Opcode, Value};
use regalloc2::VReg;

use crate::interleave::InstPairs;

/// Half of a wide vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half {
    /// Which one.
    pub wide: usize,
    /// Whether it is the second iteration's.
    pub upper: bool,
}

/// The values of two iterations that are one wide vector.
#[derive(Debug, Default)]
pub(super) struct Halves {
    halves: HashMap<Value, Half>,
    /// The registers of wide vectors, where a use needs them.
    registers: Vec<Option<VReg>>,
    /// Whether a use needs both halves of a wide vector together.
    together: Vec<bool>,
    /// Values of the second iteration that are made apart from those of the first, by these.
    apart: HashMap<Value, Value>,
    /// The instructions of the first iteration, by those of the second.
    first: HashMap<Inst, Inst>,
    /// The same of stores of vectors.
    first_stores: HashMap<Inst, Inst>,
}

impl Halves {
    pub fn new(function: &Function, inst_pairs: &InstPairs) -> Halves {
        let mut halves = Halves::default();
        for &[first, second] in &inst_pairs.insts {
            if function.dfg.insts[first].opcode() == Opcode::Store {
                halves.first_stores.insert(second, first);
            }
            let results = [first, second].map(|inst| function.dfg.inst_results(inst).first().copied());
            let [Some(a), Some(b)] = results else { continue };
            if is_wide(function, first) {
                halves.add(a, b);
                halves.first.insert(second, first);
            } else if function.dfg.value_type(a).is_vector() {
                halves.apart.insert(a, b);
            }
        }
        for &[first, second] in &inst_pairs.parameters {
            let ty = function.dfg.value_type(first);
            if ty.is_vector() && ty.bits() == 128 {
                halves.add(first, second);
            }
        }
        halves
    }

    fn add(&mut self, first: Value, second: Value) {
        let wide = self.registers.len();
        self.halves.insert(first, Half { wide, upper: false });
        self.halves.insert(second, Half { wide, upper: true });
        self.registers.push(None);
        self.together.push(false);
    }

    pub fn get(&self, value: Value) -> Option<Half> {
        self.halves.get(&value).copied()
    }

    pub fn register(&self, wide: usize) -> Option<VReg> {
        self.registers[wide]
    }

    pub fn set_register(&mut self, wide: usize, register: VReg) {
        self.registers[wide] = Some(register);
    }

    /// Whether a use needs both halves together.
    pub fn is_together(&self, wide: usize) -> bool {
        self.together[wide]
    }

    pub fn need_together(&mut self, wide: usize) {
        self.together[wide] = true;
    }

    /// Whether the same instruction makes two values, for each iteration apart.
    pub fn are_apart(&self, first: Value, second: Value) -> bool {
        self.apart.get(&first) == Some(&second)
    }

    /// The first iteration's instruction of one that is done for both at once.
    pub fn first_of(&self, second: Inst) -> Option<Inst> {
        self.first.get(&second).copied()
    }

    /// The first iteration's store of one of the second.
    pub fn first_store(&self, second: Inst) -> Option<Inst> {
        self.first_stores.get(&second).copied()
    }
}

/// Whether an instruction is done for two iterations at once: one that makes a vector, but not from single lanes.
pub(super) fn is_wide(function: &Function, inst: Inst) -> bool {
    let Some(&result) = function.dfg.inst_results(inst).first() else { return false };
    let (ty, data) = (function.dfg.value_type(result), &function.dfg.insts[inst]);
    let from_lanes = matches!(
        data.opcode(),
        Opcode::Insertlane | Opcode::ScalarToVector | Opcode::Bitcast | Opcode::Vconst | Opcode::Uload16x4
    );
    ty.is_vector() && ty.bits() == 128 && !from_lanes
}
