//! The programs that the draws of a capture run, as the machine decodes them.
//!
//! The capture is replayed with a file of kernel keys, and the programs are taken out of the keys: so they are those
//! that were executed, whichever way they came into the machine. A program that the compiler does not support has no
//! key and is not found.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use triglyph::capture::{Checks, Player, Reader};
use triglyph_engine::cache::kinds;
use triglyph_engine::cache::store::{KeyStore, StoredKey};
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::fragment::FragmentCode;
use triglyph_guest::kernel::program::vertex::{RsxVertexCode, VertexCode};
use triglyph_guest::kernel::vertex::{PicaProgram, Program};
use triglyph_guest::{pica, rsx, tegra};

use crate::capture_file::Named;
use crate::exit::Failure;
use crate::isa::{Isa, wide};
use crate::machine::{AccuracyChoice, Setup, TierChoice};

/// A program.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Listed {
    /// Machine and stage.
    pub kind: String,
    /// Its instruction set.
    pub isa: Isa,
    /// Its words.
    pub words: Vec<u64>,
    /// Text that assembles to its code; further facts are comments in it.
    pub text: String,
    /// Keys of kernels that have it: the states it was drawn with.
    pub keys: usize,
}

/// The programs of a capture, each once, ordered by kind and text.
pub fn of_capture(path: &Path) -> anyhow::Result<Vec<Listed>> {
    let folder = tempfile::tempdir()?;
    let keys = folder.path().join("keys");
    let bytes = Named::open(path).bytes?;
    let reader = Reader::new(&bytes)?;
    let setup = Setup {
        tier: TierChoice::Jit,
        threads: Some(1),
        accuracy: AccuracyChoice::Fast,
        packet_traces: Default::default(),
        hidden_surfaces: Default::default(),
    };
    let mut device = setup.device_with_keys(reader.header().machine, Some(&keys))?;
    Player::new(&reader, Checks::NONE).run(&mut *device)?;
    // Keys are in the file when the device is gone.
    drop(device);
    let contents = KeyStore::new(&keys).read().map_err(|error| Failure::file(error.to_string()))?;
    let mut programs = BTreeMap::<(String, String), Listed>::new();
    for (kind, isa, text, words) in contents.keys.iter().filter_map(program) {
        let listed = programs.entry((kind.clone(), text.clone())).or_insert(Listed { kind, isa, words, text, keys: 0 });
        listed.keys += 1;
    }
    Ok(programs.into_values().collect())
}

/// Kind, instruction set, text and words of the program of a key, if it has one.
fn program(key: &StoredKey) -> Option<(String, Isa, String, Vec<u64>)> {
    let named = |kind: &str, isa, (text, words)| Some((kind.to_owned(), isa, text, words));
    if let Some(key) = key.decode::<kinds::Vertex>() {
        let Program::Pica(program) = &key.program;
        return named("PICA vertex", Isa::Pica, of_pica(program));
    }
    if let Some(key) = key.decode::<kinds::Geometry>() {
        let Program::Pica(program) = &key.program;
        return named("PICA geometry", Isa::Pica, of_pica(program));
    }
    if let Some(key) = key.decode::<kinds::ProgramVertex>() {
        let VertexCode::Rsx(code) = &key.code;
        return named("RSX vertex", Isa::RsxVertex, of_rsx_vertex(code));
    }
    if let Some(key) = key.decode::<kinds::Fragment>() {
        return match &key.code {
            FragmentCode::Rsx(code) => {
                let text = rsx::fragment::disassemble_program(&code.code);
                let text = format!("; constants are 0 here: games patch them\n{text}");
                named("RSX fragment", Isa::RsxFragment, (text, wide(&code.code)))
            }
            FragmentCode::Maxwell(pixel) => named("Maxwell pixel", Isa::Maxwell, of_maxwell(&pixel.code)),
        };
    }
    if let Some(key) = key.decode::<kinds::Shader>() {
        return named(&format!("Maxwell {:?}", key.stage), Isa::Maxwell, of_maxwell(&key.code));
    }
    let key = key.decode::<kinds::Macro>()?;
    let text = tegra::mme::disassemble_program(&key.code);
    named("MME macro", Isa::Mme, (format!("; entry {}\n{text}", key.entry), wide(&key.code)))
}

fn of_pica(program: &PicaProgram) -> (String, Vec<u64>) {
    let PicaProgram { code, descriptors, entry, bools, .. } = program;
    let text = pica::disassemble_program(code, descriptors);
    (format!("; entry {entry}, boolean uniforms {bools:#06x}\n{text}"), wide(code))
}

/// Without what fills the program store up to where the program was loaded.
fn of_rsx_vertex(program: &RsxVertexCode) -> (String, Vec<u64>) {
    let RsxVertexCode { code, start, .. } = program;
    let before = &code[..code.len().min((*start).into())];
    let filling = before.iter().take_while(|words| Some(*words) == before.first()).count();
    let code = &code[filling..];
    let text = rsx::vertex::disassemble_program(code, filling);
    (format!("; entry {start}\n{text}"), wide(code.as_flattened()))
}

fn of_maxwell(code: &Code) -> (String, Vec<u64>) {
    (tegra::shader::disassemble_program(&code.words), code.words.clone())
}
