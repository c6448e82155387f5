//! `vertex`: an RSX vertex program on one vertex.
//!
//! | setting | |
//! |---|---|
//! | `v0` to `v15` | input registers |
//! | `c0` to `c467` | constants |
//! | `bits` | the branch bits that are set, by number |
//! | `fuel` | instructions that may be executed |
//! | `texN...` | see `runner/rsx_texture.rs` |
//!
//! A result is an output by name: `HPOS`, `COL0`, `COL1`, `BFC0`, `BFC1`, `FOGC`, `PSIZ`, `TC0` to `TC8`; or
//! `exhausted`, 1 if the program ran out of fuel. The program begins at its first instruction, at the index that `.at`
//! gives.

use std::sync::Arc;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::program::vertex::{
    Input, RSX_CONSTANTS, RsxVertexCode, Stream, VertexCode, VertexJob, VertexKey,
};
use triglyph_guest::rsx::vertex::syntax::OUTPUTS;
use triglyph_guest::rsx::vertex::{assemble_program, disassemble_program};
use triglyph_interp::Interpreter;

use crate::parse::{Case, File, integer, show, vector};
use crate::rsx_texture::Units;
use crate::{Engine, Results};

/// What a case gives to a program.
pub struct Inputs {
    fixed: [[f32; 4]; 16],
    constants: Vec<[f32; 4]>,
    branch_bits: u32,
    fuel: u32,
    textures: Units<4>,
}

/// The program as loaded, and where it begins. Its listing has to read back as the same words.
pub fn assemble(file: &File) -> Result<(Vec<[u32; 4]>, usize), String> {
    let (first, code) = assemble_program(&file.program).map_err(|error| format!("[program] {error}"))?;
    let listing = disassemble_program(&code, first);
    match assemble_program(&listing) {
        Ok(again) if again == (first, code.clone()) => {}
        other => return Err(format!("the listing is another program: {other:?}\n{listing}")),
    }
    let mut store = vec![[0; 4]; first];
    store.extend(code);
    Ok((store, first))
}

impl Default for Inputs {
    fn default() -> Self {
        let constants = vec![[0.0; 4]; RSX_CONSTANTS];
        Inputs { fixed: [[0.0; 4]; 16], constants, branch_bits: 0, fuel: 65_536, textures: Units::default() }
    }
}

fn inputs(case: &Case) -> Result<Inputs, String> {
    let mut read = Inputs::default();
    for item in &case.settings {
        if read.textures.set(&item.key, &item.value)? {
            continue;
        }
        let (kind, number) = item.key.split_at(1);
        match (kind, item.key.as_str()) {
            (_, "bits") => {
                for word in item.value.split_whitespace() {
                    read.branch_bits |= 1 << (integer(word)? & 31);
                }
            }
            (_, "fuel") => read.fuel = integer(&item.value)?,
            ("v", _) => *read.fixed.get_mut(integer(number)? as usize).ok_or("no such input")? = vector(&item.value)?,
            ("c", _) => {
                let constant = read.constants.get_mut(integer(number)? as usize);
                *constant.ok_or("no such constant")? = vector(&item.value)?;
            }
            _ => return Err(format!("no setting `{}`", item.key)),
        }
    }
    Ok(read)
}

/// The key of a program in the store.
pub fn key(given: &Inputs, code: Vec<[u32; 4]>, start: usize) -> VertexKey {
    let code = RsxVertexCode { code, start: start as u16, branch_bits: given.branch_bits };
    VertexKey {
        code: VertexCode::Rsx(Arc::new(code)),
        inputs: [Input::Fixed; 16],
        big_endian: true,
        outputs: 0xFFFF,
        clamped: 0,
        textures: given.textures.keys(),
    }
}

/// One vertex.
pub fn run(file: &File, case: &Case, engine: Engine) -> Results {
    let (code, start) = assemble(file)?;
    let given = inputs(case)?;
    let key = key(&given, code, start);
    let tier = engine.tier()?;
    let kernel = tier.program_vertex(&key).map_err(|refused| refused.to_string())?;
    let mut records = vec![-77.0; key.stride()];
    let exhausted = given.textures.with(|textures| {
        let mut job = VertexJob {
            streams: &[Stream::default(); 16],
            fixed: &given.fixed,
            constants: &given.constants,
            textures,
            vertices: &[0],
            last_vertex: 0,
            fuel: given.fuel,
            free: u32::MAX,
            records: &mut records,
            exhausted: 0,
            excess: 0,
        };
        if kernel.shade(&mut job, 0) == 0 {
            // Left to the reference, as any tier may.
            Interpreter.program_vertex(&key).map(|reference| reference.shade(&mut job, 0)).ok();
        }
        job.exhausted
    });
    let result = |key: &str| match OUTPUTS.iter().position(|name| *name == key) {
        Some(output) => Ok(show(&records[4 * output..][..4])),
        None if key == "exhausted" => Ok(exhausted.to_string()),
        None => Err(format!("no result `{key}`")),
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}
