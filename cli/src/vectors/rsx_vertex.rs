//! Vertex programs of the RSX: operands are constants 0 to 2, the result is R0, written to the position.

use std::sync::Arc;

use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::program::vertex::{
    Input, RSX_CONSTANTS, RsxVertexCode, Stream, VertexCode, VertexJob, VertexKey,
};
use triglyph_guest::rsx::vertex::{ScalarOp, VectorOp, assemble_program};
use triglyph_guest::table::OpcodeInfo;

use super::table::{Block, words_of};
use super::values::{FEW_SINGLES, SINGLES, rows};
use super::{Tiers, block};

/// Every operation of both units that writes a temporary, then a MOV with every modifier.
pub fn blocks(tiers: &Tiers) -> anyhow::Result<Vec<Block>> {
    let vector = VectorOp::ALL.iter().filter(|op| op.has_result() && !op.is_texture()).map(|op| op.info());
    let scalar = ScalarOp::ALL.iter().filter(|op| op.has_result()).map(|op| op.info());
    let modified =
        ["mov r0, -r1", "mov r0, |r1|", "mov r0, -|r1|", "mov r0, r1  [sat]"].map(|text| (text.to_owned(), 1));
    let operations = vector.chain(scalar).map(instruction);
    let mut blocks: Vec<Block> = Vec::new();
    for (text, count) in operations.chain(modified) {
        // Both units can move.
        if blocks.iter().all(|block| block.text != text) {
            blocks.push(one(tiers, &text, count)?);
        }
    }
    Ok(blocks)
}

/// Text of an operation, and number of its operands.
fn instruction(info: &OpcodeInfo) -> (String, usize) {
    let count = (0..3).filter(|&n| info.reads(n)).count();
    let sources: String = (1..=count).map(|n| format!(", r{n}")).collect();
    (format!("{} r0{sources}", info.name), count)
}

fn one(tiers: &Tiers, text: &str, count: usize) -> anyhow::Result<Block> {
    let loads: String = (1..=count).map(|n| format!("mov r{n}, c[{}]\n", n - 1)).collect();
    let program = format!("{loads}{text}\nmov o[HPOS], r0  [end]");
    let (first, code) = assemble_program(&program).map_err(|error| anyhow::anyhow!("{text}: {error}"))?;
    let words = code.iter().flatten().copied().collect();
    let key = VertexKey {
        code: VertexCode::Rsx(Arc::new(RsxVertexCode { code, start: first as u16, branch_bits: 0 })),
        inputs: [Input::Fixed; 16],
        big_endian: true,
        outputs: 1,
        clamped: 0,
        textures: [None; 4],
    };
    let kernel = tiers.kernel(|tier| tier.program_vertex(&key))?;
    let reference = tiers.reference.program_vertex(&key).map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut constants = vec![[0.0; 4]; RSX_CONSTANTS];
    block(text, words, rows(count, &SINGLES, &FEW_SINGLES), |operands| {
        for (constant, words) in constants.iter_mut().zip(operands) {
            *constant = words.map(|word| f32::from_bits(word.unwrap_or(0)));
        }
        let mut records = vec![0.0; key.stride()];
        let mut job = VertexJob {
            streams: &[Stream::default(); 16],
            fixed: &[[0.0; 4]; 16],
            constants: &constants,
            textures: &[Texture::default(); 4],
            vertices: &[0],
            last_vertex: 0,
            fuel: 65_536,
            free: u32::MAX,
            records: &mut records,
            exhausted: 0,
            excess: 0,
        };
        if kernel.shade(&mut job, 0) == 0 {
            tiers.note_fallback();
            reference.shade(&mut job, 0);
        }
        Ok(words_of(&records))
    })
}
