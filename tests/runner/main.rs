//! Runs the test files below `tests/files/`: one test for each file, command and engine.
//!
//! A file is text: a comment that says what it is about, the commands, then sections:
//!
//! ```text
//! ; What a sum is.
//! test disasm
//! test run interp jit
//!
//! [program]                        for `disasm`, `run` and `emit`
//!     add o0, v0, v1
//!     end
//!
//! [case infinities cancel]         any number of cases, each on its own
//! v0 = 1 inf
//! v1 = 2 -inf
//! o0 -> 3 nan 0 0                  what has to come out, to the bit
//! ```
//!
//! | command | what a case does | where to read on |
//! |---|---|---|
//! | `disasm` | the program reads back from its listing | `runner/shader.rs` |
//! | `run` | a vertex program on one vertex | `runner/shader.rs` |
//! | `emit` | a geometry program, which only the reference's machine runs | `runner/shader.rs` |
//! | `combine` | combiner stages on one pixel | `runner/combine.rs` |
//! | `pixel` | a fragment through textures, tests, blending to the stored words | `runner/pixel.rs` |
//! | `transfer` | a command for the transfer engine | `runner/transfer.rs` |
//! | `raster` | a draw by registers, as a picture of characters | `runner/raster.rs` |
//! | `vertex` | an RSX vertex program on one vertex | `runner/rsx_vertex.rs` |
//! | `draw` | a draw of the RSX by methods, as pixels | `runner/rsx_draw.rs` |
//! | `fragment` | an RSX fragment program on four pixels | `runner/rsx_fragment.rs` |
//! | `shader` | a shader program of Tegra X1, of any stage | `runner/maxwell.rs` |
//!
//! Tables of what was measured on consoles name such cases, see `runner/hardware.rs`.
//!
//! `TRIGLYPH_BLESS=1` writes after each arrow what the interpreter computes. Check it before you commit it.

mod combine;
mod hardware;
mod maxwell;
mod maxwell_texture;
mod names;
mod parse;
mod pixel;
mod raster;
mod rsx;
mod rsx_draw;
mod rsx_fragment;
mod rsx_texture;
mod rsx_vertex;
mod shader;
mod transfer;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use parse::{Case, Command, File};
use triglyph_guest::kernel::Tier;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;
use triglyph_testkit::data::file;

/// Who executes a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The reference.
    Interp,
    /// Compiled code.
    Jit,
}

impl Engine {
    fn named(name: &str) -> Result<Self, String> {
        match name {
            "interp" => Ok(Engine::Interp),
            "jit" => Ok(Engine::Jit),
            other => Err(format!("no engine `{other}`")),
        }
    }

    /// Kernels of this engine.
    pub fn tier(self) -> Result<Arc<dyn Tier>, String> {
        match self {
            Engine::Interp => Ok(Arc::new(Interpreter)),
            Engine::Jit => Ok(Arc::new(Jit::new().map_err(|refused| refused.to_string())?)),
        }
    }

    /// Machines of this engine.
    pub fn mode(self) -> triglyph::Tier {
        match self {
            Engine::Interp => triglyph::Tier::InterpreterOnly,
            Engine::Jit => triglyph::Tier::JitOnly,
        }
    }
}

/// What a case came to: for each of its expectations the lines that it should have.
pub type Results = Result<Vec<String>, String>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let files: Vec<Arc<File>> = found(&file("files")).iter().map(|path| Arc::new(File::read(path))).collect();
    if std::env::var_os("TRIGLYPH_BLESS").is_some() {
        files.iter().for_each(|file| bless(file));
    }
    let compiler = Jit::new().ok();
    let has_compiler = compiler.is_some();
    let mut trials = Vec::new();
    for file in &files {
        let names = file.commands.iter().flat_map(|Command { name, engines }| {
            engines.iter().map(move |engine| (name.clone(), *engine)).collect::<Vec<_>>()
        });
        for (command, engine) in names.filter(|(_, engine)| has_compiler || *engine == Engine::Interp) {
            let (file, shown) = (file.clone(), file.name());
            let name = format!("{shown} {command} {}", format!("{engine:?}").to_lowercase());
            // Shown as ignored where the compiler has no such kernels.
            let ignored = engine == Engine::Jit && compiler.as_ref().is_some_and(|jit| !rsx::takes(jit, &command));
            trials.push(Trial::test(name, move || check(&file, &command, engine)).with_ignored_flag(ignored));
        }
    }
    for table in hardware::tables() {
        let name = table.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for engine in [Engine::Interp, Engine::Jit].into_iter().filter(|e| has_compiler || *e == Engine::Interp) {
            let (name, table) = (format!("hardware {name} {engine:?}").to_lowercase(), table.clone());
            trials.push(Trial::test(name, move || hardware::check(&table, engine)));
        }
    }
    let all = files.clone();
    trials.push(Trial::test("everything has a file", move || names::covered(&all)));
    let all = files.clone();
    trials.push(Trial::test("every shader instruction has a file", move || maxwell::covered(&all)));
    trials.push(Trial::test("everything of the RSX has a file", move || rsx::covered(&files)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every `.tgt` below a folder, in order.
fn found(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths: BTreeSet<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => files.extend(found(&path)),
            false if path.extension().is_some_and(|extension| extension == "tgt") => files.push(path),
            false => {}
        }
    }
    files
}

/// Executes a case.
fn results(file: &File, case: &Case, command: &str, engine: Engine) -> Results {
    match command {
        "run" => shader::run(file, case, engine),
        "emit" => shader::emit(file, case),
        "combine" => combine::run(case, engine),
        "pixel" => pixel::run(case, engine),
        "transfer" => transfer::run(case, engine),
        "raster" => raster::run(case, engine),
        "vertex" => rsx_vertex::run(file, case, engine),
        "draw" => rsx_draw::run(file, case, engine),
        "fragment" => rsx_fragment::run(file, case, engine),
        "shader" => maxwell::run(file, case, engine),
        other => Err(format!("no command `{other}`")),
    }
}

fn check(file: &File, command: &str, engine: Engine) -> Result<(), Failed> {
    if command == "disasm" {
        return shader::disasm(file).map_err(|error| format!("{}: {error}", file.name()).into());
    }
    let mut wrong = String::new();
    for case in &file.cases {
        let place = |line: usize| format!("{}:{line}: [case {}]", file.name(), case.name);
        let got = match results(file, case, command, engine) {
            Ok(got) => got,
            Err(error) => {
                wrong += &format!("{} {error}\n", place(case.line));
                continue;
            }
        };
        for (expectation, got) in case.expectations.iter().zip(got) {
            if !parse::equal(&expectation.value, &got) {
                let (key, want) = (&expectation.key, &expectation.value);
                wrong += &format!("{} {key}\n  want {want}\n  got  {got}\n", place(expectation.line));
            }
        }
    }
    match wrong.is_empty() {
        true if file.cases.is_empty() => Err(format!("{}: no case", file.name()).into()),
        true => Ok(()),
        false => Err(wrong.into()),
    }
}

/// Replaces the text after the arrows by what the interpreter computes.
fn bless(file: &File) {
    let mut lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
    for Command { name, .. } in file.commands.iter().filter(|command| command.name != "disasm") {
        for case in &file.cases {
            let got = results(file, case, name, Engine::Interp).unwrap_or_else(|error| {
                panic!("{}:{}: [case {}] {error}", file.name(), case.line, case.name);
            });
            for (expectation, got) in case.expectations.iter().zip(got) {
                let line = &mut lines[expectation.line - 1];
                let arrow = line.find("->").expect("an arrow");
                *line = format!("{}-> {got}", &line[..arrow]);
            }
        }
    }
    std::fs::write(&file.path, lines.join("\n") + "\n").expect("the file can be written");
}
