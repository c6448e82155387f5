//! The programs that a command runs, as text.

use std::sync::Arc;

use serde::Serialize;
use triglyph::Error;
use triglyph::probe::{ContentHash, KernelKey, Watch};
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::program::fragment::{FragmentCode, FragmentKey, RsxFragmentCode};
use triglyph_guest::kernel::program::vertex::{RsxVertexCode, VertexCode};
use triglyph_guest::kernel::vertex::{self, PicaProgram};
use triglyph_guest::tegra::shader::program::is_control;
use triglyph_guest::{pica, rsx, tegra};

use crate::combiner;
use crate::replay::Session;

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The machine and the stage.
    pub stage: String,
    /// The content hash of its kernel's key, in hexadecimal.
    pub kernel: String,
    /// What the kernel is specialised to beside its code.
    pub key: String,
    /// Its instructions.
    pub lines: Vec<Line>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its offset in bytes, as [`Step::at`](triglyph::probe::Step::at) has it; of combiners the number of the stage.
    pub at: u32,
    /// Its words, in hexadecimal; of combiners nothing.
    pub words: String,
    /// Its text.
    pub text: String,
}

impl Program {
    /// Its bytes in JSON, about.
    pub(crate) fn size(&self) -> usize {
        let lines: usize = self.lines.iter().map(|line| 40 + line.words.len() + line.text.len()).sum();
        80 + self.stage.len() + self.key.len() + lines
    }
}

/// The programs that an event runs, in the order in which they are first called: compiled or not, once each.
///
/// # Errors
/// As [`Session::show`].
pub fn programs(session: &mut Session<'_>, event: usize) -> Result<Vec<Program>, Error> {
    let watched = session.watch(event, Watch::default())?;
    Ok(watched.keys.iter().filter_map(|(hash, key)| program_of(*hash, key)).collect())
}

/// The program of a kernel; none for kernels that have none.
pub fn program_of(hash: ContentHash, key: &KernelKey) -> Option<Program> {
    let (lines, key_text) = match key {
        KernelKey::Vertex(key) => {
            let mut rest = (**key).clone();
            let vertex::Program::Pica(program) = &mut rest.program;
            (of_pica(strip_pica(program)), format!("{rest:#?}"))
        }
        KernelKey::Geometry(key) => {
            let mut rest = (**key).clone();
            let vertex::Program::Pica(program) = &mut rest.program;
            (of_pica(strip_pica(program)), format!("{rest:#?}"))
        }
        KernelKey::Pixel(key) => (of_combiners(key), format!("{key:#?}")),
        KernelKey::ProgramVertex(key) => {
            let mut rest = (**key).clone();
            let VertexCode::Rsx(code) = &mut rest.code;
            let start = code.start;
            let words = std::mem::take(&mut Arc::make_mut(code).code);
            (of_rsx_vertex(&RsxVertexCode { code: words, start, branch_bits: 0 }), format!("{rest:#?}"))
        }
        KernelKey::Fragment(key) => of_fragment(key),
        KernelKey::Shader(key) => {
            let mut rest = (**key).clone();
            let code = strip_maxwell(Arc::make_mut(&mut rest.code));
            (of_maxwell(&code), format!("{rest:#?}"))
        }
        KernelKey::Macro(key) => {
            let lines = (0..)
                .zip(&key.code)
                .map(|(number, &word)| line(4 * number, format!("{word:08x}"), tegra::mme::isa::disassemble(word)));
            (lines.collect(), format!("entry {}", key.entry))
        }
        _ => return None,
    };
    Some(Program { stage: stage_of(key), kernel: format!("{:032x}", hash.0), key: key_text, lines })
}

/// Machine and stage.
pub fn stage_of(key: &KernelKey) -> String {
    match key {
        KernelKey::Vertex(_) => "PICA vertex",
        KernelKey::Geometry(_) => "PICA geometry",
        KernelKey::Pixel(_) => "PICA combiners",
        KernelKey::ProgramVertex(_) => "RSX vertex",
        KernelKey::Fragment(key) if key.code.rsx().is_some() => "RSX fragment",
        KernelKey::Fragment(_) => "Maxwell pixel",
        KernelKey::Shader(key) => return format!("Maxwell {:?}", key.stage),
        KernelKey::Macro(_) => "MME macro",
        _ => "transfer",
    }
    .to_owned()
}

fn line(at: u32, words: String, text: String) -> Line {
    Line { at, words, text }
}

/// Takes the code out of a program.
fn strip_pica(program: &mut Arc<PicaProgram>) -> PicaProgram {
    let whole = (**program).clone();
    let rest = Arc::make_mut(program);
    rest.code.clear();
    rest.descriptors.clear();
    whole
}

/// Takes the words out of a program.
fn strip_maxwell(code: &mut Code) -> Code {
    let whole = code.clone();
    code.words.clear();
    whole
}

fn of_pica(program: PicaProgram) -> Vec<Line> {
    let PicaProgram { code, descriptors, .. } = program;
    let text = |word| pica::isa::disassemble(word, &descriptors);
    (0..).zip(&code).map(|(number, &word)| line(4 * number, format!("{word:08x}"), text(word))).collect()
}

fn of_combiners(key: &PixelKey) -> Vec<Line> {
    let stages = (0..).zip(&key.combiners.stages);
    stages.map(|(number, stage)| line(number, String::new(), combiner::text(stage))).collect()
}

/// Words of four, as they are in the program.
fn hex(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
}

fn of_rsx_vertex(program: &RsxVertexCode) -> Vec<Line> {
    // What fills the program store up to where the program was loaded is left out.
    let before = &program.code[..program.code.len().min(program.start.into())];
    let filling = before.iter().take_while(|words| Some(*words) == before.first()).count();
    let code = (0u32..).zip(&program.code).skip(filling);
    code.map(|(number, words)| line(16 * number, hex(words), rsx::vertex::syntax::disassemble(*words))).collect()
}

fn of_fragment(key: &FragmentKey) -> (Vec<Line>, String) {
    let mut rest = key.clone();
    let lines = match &mut rest.code {
        FragmentCode::Rsx(code) => {
            let whole = (**code).clone();
            Arc::make_mut(code).code.clear();
            of_rsx_fragment(&whole)
        }
        FragmentCode::Maxwell(code) => of_maxwell(&strip_maxwell(Arc::make_mut(&mut Arc::make_mut(code).code))),
    };
    (lines, format!("{rest:#?}"))
}

/// Constants are 0 here, as they are no part of the code: games patch them.
fn of_rsx_fragment(program: &RsxFragmentCode) -> Vec<Line> {
    let decoded = rsx::fragment::Program::decode(&program.code, |_, _| {});
    let word = |at: usize| program.code.get(at).copied().unwrap_or(0);
    let steps = decoded.code.iter().map(|step| {
        let at = 4 * usize::from(step.slot);
        let words = [0, 1, 2, 3].map(|i| word(at + i));
        let constant = [4, 5, 6, 7].map(|i| if step.constant.is_some() { word(at + i) } else { 0 });
        line(4 * at as u32, hex(&words), rsx::fragment::syntax::disassemble(words, constant))
    });
    steps.collect()
}

fn of_maxwell(code: &Code) -> Vec<Line> {
    let words = (0u32..).step_by(8).zip(&code.words).filter(|(at, _)| !is_control(*at));
    // A word that control flow does not reach is 0 in the key.
    let reached = words.filter(|(_, word)| **word != 0);
    reached.map(|(at, &word)| line(at, format!("{word:016x}"), tegra::shader::disassemble(word))).collect()
}
