//! Vertex programs: of the program store, what one program can reach.

use std::collections::HashMap;
use std::sync::Arc;

use triglyph_guest::kernel::program::vertex::RsxVertexCode;
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::vertex::{Instruction, Register, STORE, Words};

use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;

/// The program store.
pub(in crate::class_3d) type Store = [Words; STORE];

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct VertexProgram {
    /// Its instructions at their places in the store, others zero; up to the last one.
    pub code: Arc<RsxVertexCode>,
    /// The places of its instructions.
    places: Arc<[u16]>,
    /// Inputs that they read.
    pub inputs: u16,
    /// Texture units that they read.
    pub textures: u8,
    /// Instructions that a vertex probably executes.
    pub instructions: u64,
    /// Whether it may execute more than it has.
    pub exceeds: bool,
}

/// How often a loop is thought to go round: the real number is not known in advance.
const PASSES: u64 = 16;

/// Programs that were there, by where they begin and what is there.
#[derive(Debug, Default)]
pub(crate) struct VertexPrograms {
    known: HashMap<(u32, Words, u32), Vec<VertexProgram>>,
    count: usize,
}

/// Programs that are kept; titles have some hundred.
const MAX_PROGRAMS: usize = 1024;

impl VertexPrograms {
    /// The program that the registers name.
    pub(crate) fn get(&mut self, core: &mut Core, registers: &Registers, store: &Store) -> VertexProgram {
        let start = registers.get(m::set_transform_program_start::ID as u32);
        let branch_bits = registers.get(m::set_transform_branch_bits::ID as u32);
        let first = store.get(start as usize).copied().unwrap_or_default();
        let known = self.known.entry((start, first, branch_bits)).or_default();
        if let Some(program) = known.iter().find(|program| program.stands_in(store)) {
            return program.clone();
        }
        let program = read(core, store, start, branch_bits);
        if self.count >= MAX_PROGRAMS {
            self.known.clear();
            self.count = 0;
        }
        self.count += 1;
        self.known.entry((start, first, branch_bits)).or_default().push(program.clone());
        program
    }
}

impl VertexProgram {
    /// Whether all its instructions are still at their places.
    fn stands_in(&self, store: &Store) -> bool {
        let code = &self.code.code;
        self.places.iter().map(|&place| usize::from(place)).all(|place| code.get(place) == store.get(place))
    }
}

fn read(core: &mut Core, store: &Store, start: u32, branch_bits: u32) -> VertexProgram {
    let mut found = Reachable::default();
    found.follow(core, store, start as usize);
    let Reachable { code, places, inputs, textures, backward, calls } = found;
    let start = start.min(STORE as u32) as u16;
    VertexProgram {
        code: Arc::new(RsxVertexCode { code, start, branch_bits }),
        inputs,
        textures,
        instructions: places.len() as u64 * if backward { PASSES } else { 1 },
        exceeds: backward || calls,
        places: places.into(),
    }
}

/// The instructions that one program can reach.
#[derive(Default)]
struct Reachable {
    code: Vec<Words>,
    inputs: u16,
    textures: u8,
    /// Where they are.
    places: Vec<u16>,
    /// Whether one leads back.
    backward: bool,
    /// Whether one is a call.
    calls: bool,
}

impl Reachable {
    fn follow(&mut self, core: &mut Core, store: &Store, start: usize) {
        let mut seen = [false; STORE];
        let mut open = vec![start];
        while let Some(index) = open.pop() {
            let (Some(words), Some(seen)) = (store.get(index), seen.get_mut(index)) else { continue };
            if std::mem::replace(seen, true) {
                continue;
            }
            if self.code.len() <= index {
                self.code.resize(index + 1, [0; 4]);
            }
            self.code[index] = *words;
            let instruction = Instruction::decode(*words).unwrap_or_else(|error| {
                let what = format_args!("vertex program, instruction {index}: {error}");
                core.fault(FaultKind::BadShader, index as u64, what);
                Instruction::NOP
            });
            self.add(index, &instruction);
            let op = instruction.scalar.op;
            let leaves = op.jumps() && instruction.condition.is_none();
            if !instruction.end && !leaves {
                open.push(index + 1);
            }
            if !instruction.end && op.has_target() {
                open.push(instruction.scalar.target.into());
            }
        }
    }

    fn add(&mut self, index: usize, instruction: &Instruction) {
        self.places.push(index as u16);
        self.calls |= instruction.scalar.op.is_call();
        self.backward |= instruction.scalar.op.has_target() && usize::from(instruction.scalar.target) <= index;
        if instruction.reads(Register::Input) {
            self.inputs |= if instruction.relative_input { u16::MAX } else { 1 << instruction.input };
        }
        if instruction.vector.op.is_texture() {
            self.textures |= 1 << (instruction.vector.texture & 3);
        }
    }
}
