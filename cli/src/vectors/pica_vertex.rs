//! Vertex programs of the 3DS in 24-bit floats: operands are v0 to v2, the result is o0. Words are those of singles.

use std::sync::Arc;

use triglyph_guest::kernel::vertex::{
    Input, Numbers, OutputComponent, OutputMap, PicaProgram, Program, SCREEN, Stream, Uniforms, VertexConstants,
    VertexJob, VertexKey,
};
use triglyph_guest::pica::asm;

use super::table::{Block, words_of};
use super::values::{FEW_SHORT, SHORT, rows};
use super::{Tiers, block};

/// Operations with a result, and how many operands they have. The forms with a constant in another place (`dphi` and
/// others) compute the same.
const OPERATIONS: [(&str, usize); 17] = [
    ("mov", 1),
    ("flr", 1),
    ("rcp", 1),
    ("rsq", 1),
    ("ex2", 1),
    ("lg2", 1),
    ("litp", 1),
    ("add", 2),
    ("dp3", 2),
    ("dp4", 2),
    ("dph", 2),
    ("dst", 2),
    ("mul", 2),
    ("sge", 2),
    ("slt", 2),
    ("max", 2),
    ("min", 2),
];

/// How often a row is tried: a compiled kernel gets code for results out of range once it has met many of them.
const TRIALS: usize = 200;

/// Every operation, and a MOV of a negated source.
pub fn blocks(tiers: &Tiers) -> anyhow::Result<Vec<Block>> {
    let operations = OPERATIONS.into_iter().chain([("mad", 3)]).map(|(name, count)| {
        let sources: String = (0..count).map(|n| format!(", r{n}")).collect();
        (format!("{name} r15{sources}"), count)
    });
    operations.chain([("mov r15, -r0".to_owned(), 1)]).map(|(text, count)| one(tiers, &text, count)).collect()
}

fn one(tiers: &Tiers, text: &str, count: usize) -> anyhow::Result<Block> {
    let loads: String = (0..count).map(|n| format!("mov r{n}, v{n}\n")).collect();
    let program = format!("{loads}{text}\nmov o0, r15\nend");
    let program = asm::Program::assemble(&program).map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
    // The words of the program, then its operand descriptors.
    let words = program.code.iter().chain(&program.descriptors).copied().collect();
    let (code, descriptors) = (program.code.clone(), program.descriptors.clone());
    let program = PicaProgram { code, descriptors, numbers: Numbers::F24, ..PicaProgram::default() };
    let slot = |component| Some(OutputComponent { register: 0, component, saturate: false });
    let key = VertexKey {
        program: Program::Pica(Arc::new(program)),
        inputs: std::array::from_fn(|register| Input::Fixed(register as u8)),
        outputs: OutputMap { slots: (0..4).map(slot).collect() },
        user_clip: false,
    };
    let kernel = tiers.kernel(|tier| tier.vertex(&key))?;
    let reference = tiers.reference.vertex(&key).map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut fixed = [[0.0; 4]; 16];
    block(text, words, rows(count, &SHORT, &FEW_SHORT), |operands| {
        for (register, words) in fixed.iter_mut().zip(operands) {
            *register = words.map(|word| f32::from_bits(word.unwrap_or(0)));
        }
        let mut records = vec![0.0; key.outputs.stride()];
        let mut job = VertexJob {
            streams: &[Stream::default(); 16],
            fixed: &fixed,
            uniforms: &Uniforms::default(),
            constants: VertexConstants::default(),
            vertices: &[0],
            last_vertex: 0,
            records: &mut records,
            clip: &mut [0],
            exhausted: 0,
        };
        if (0..TRIALS).all(|_| kernel.shade(&mut job, 0) == 0) {
            tiers.note_fallback();
            reference.shade(&mut job, 0);
        }
        Ok(words_of(&records[SCREEN..]))
    })
}
