//! `triglyph cache`: files of remembered kernel keys.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use triglyph::{Stats, WarmStart};
use triglyph_engine::cache::kinds;
use triglyph_engine::cache::store::{Contents, KeyKind, KeyStore};
use triglyph_jit::{Effort, Jit};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Arguments of `cache`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List every key: kind, uses, bytes, hash.
    List {
        /// The file.
        file: PathBuf,
    },
    /// Show what kernels compile to: the compiler's intermediate code and the host's instructions.
    Code {
        /// The file.
        file: PathBuf,
        /// The first digits of the key's hash; without it all vertex, pixel and shader kernels are shown.
        #[arg(default_value = "")]
        hash: String,
    },
    /// Check every record; the exit code is 1 when something had to be skipped.
    Verify {
        /// The file.
        file: PathBuf,
    },
    /// Drop damage, repetitions and the least used keys.
    Prune {
        /// The file.
        file: PathBuf,
        /// Largest size to leave, in bytes.
        #[arg(long, value_name = "BYTES", default_value_t = triglyph::KeyFile::LIMIT)]
        limit: u64,
    },
}

#[derive(Serialize)]
struct KeyLine {
    event: &'static str,
    kind: &'static str,
    uses: u64,
    bytes: usize,
    hash: String,
}

#[derive(Serialize)]
struct CodeLine {
    event: &'static str,
    kind: &'static str,
    hash: String,
    code: String,
}

#[derive(Serialize)]
struct Summary {
    event: &'static str,
    keys: usize,
    bytes: u64,
    damage: Vec<String>,
}

#[derive(Serialize)]
struct PruneLine {
    event: &'static str,
    kept: usize,
    dropped: usize,
    before: u64,
    after: u64,
}

/// Runs the command.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::List { file } => list(&read(file)?, output),
        Command::Code { file, hash } => code(&read(file)?, hash, output),
        Command::Verify { file } => verify(&read(file)?, output),
        Command::Prune { file, limit } => {
            must_exist(file)?;
            let pruned = KeyStore::new(file).prune(*limit).map_err(|error| Failure::file(error.to_string()))?;
            let [before, after] = pruned.bytes;
            output.line(format_args!(
                "{} keys kept, {} dropped, {before} -> {after} bytes",
                pruned.kept, pruned.dropped
            ))?;
            output.object(&PruneLine { event: "prune", kept: pruned.kept, dropped: pruned.dropped, before, after })?;
            Ok(Exit::Good)
        }
    }
}

/// A file that is not there is a mistake here; an engine would make it.
fn must_exist(file: &Path) -> Result<(), Failure> {
    match file.exists() {
        true => Ok(()),
        false => Err(Failure::file(format!("{}: there is no such file", file.display()))),
    }
}

fn read(file: &Path) -> anyhow::Result<Contents> {
    must_exist(file)?;
    Ok(KeyStore::new(file).read().map_err(|error| Failure::file(error.to_string()))?)
}

fn list(contents: &Contents, output: &Output) -> anyhow::Result<Exit> {
    output.line(format_args!("{:<14} {:>10} {:>8}  hash", "kind", "uses", "bytes"))?;
    for key in &contents.keys {
        let (kind, uses, bytes) = (key.kind.name(), key.uses, key.bytes.len());
        output.line(format_args!("{kind:<14} {uses:>10} {bytes:>8}  {:032x}", key.hash))?;
        output.object(&KeyLine { event: "key", kind, uses, bytes, hash: format!("{:032x}", key.hash) })?;
    }
    Ok(Exit::Good)
}

fn code(contents: &Contents, hash: &str, output: &Output) -> anyhow::Result<Exit> {
    let jit = Jit::with_effort(Effort::Optimized).map_err(|unsupported| anyhow::anyhow!("{unsupported}"))?;
    for key in &contents.keys {
        let name = format!("{:032x}", key.hash);
        if !name.starts_with(hash) {
            continue;
        }
        let code = match key.kind {
            KeyKind::Vertex => key.decode::<kinds::Vertex>().map(|key| jit.dump_vertex(&key)),
            KeyKind::Pixel => key.decode::<kinds::Pixel>().map(|key| jit.dump_pixel(&key)),
            KeyKind::ProgramVertex => key.decode::<kinds::ProgramVertex>().map(|key| jit.dump_program_vertex(&key)),
            KeyKind::Fragment => key.decode::<kinds::Fragment>().map(|key| jit.dump_fragment(&key)),
            KeyKind::Shader => key.decode::<kinds::Shader>().map(|key| jit.dump_shader(&key)),
            KeyKind::Geometry | KeyKind::Transfer | KeyKind::Macro | KeyKind::PacketTrace => continue,
        };
        let Some(code) = code else { continue };
        let kind = key.kind.name();
        output.line(format_args!("{kind} {name}"))?;
        output.lines(&code)?;
        output.object(&CodeLine { event: "code", kind, hash: name, code })?;
    }
    Ok(Exit::Good)
}

fn verify(contents: &Contents, output: &Output) -> anyhow::Result<Exit> {
    for kind in KeyKind::ALL {
        let count = contents.keys.iter().filter(|key| key.kind == kind).count();
        if count != 0 {
            output.line(format_args!("{count:>6} {}", kind.name()))?;
        }
    }
    let bad = contents.keys.iter().filter_map(|key| Some((key, key.check().err()?)));
    let bad = bad.map(|(key, why)| format!("{} key {:032x}: {why}", key.kind.name(), key.hash));
    let damage: Vec<String> = contents.damage.iter().map(ToString::to_string).chain(bad).collect();
    output.line(format_args!("{:>6} keys in {} bytes", contents.keys.len(), contents.bytes))?;
    for damage in &damage {
        output.line(format_args!("skipped: {damage}"))?;
    }
    let exit = if damage.is_empty() { Exit::Good } else { Exit::Difference };
    output.object(&Summary { event: "verify", keys: contents.keys.len(), bytes: contents.bytes, damage })?;
    Ok(exit)
}

/// Says what of a file of keys had to be skipped when a device was made.
///
/// # Errors
/// When the file cannot be used.
pub fn check_keys(start: Option<&WarmStart>, output: &Output) -> anyhow::Result<()> {
    let Some(start) = start else { return Ok(()) };
    if let Some(error) = &start.error {
        return Err(Failure::file(error.to_string()).into());
    }
    for damage in &start.damage {
        output.warning("keys", format_args!("skipped: {damage}"))?;
    }
    if start.undecodable != 0 {
        output.warning("keys", format_args!("{} records are no keys", start.undecodable))?;
    }
    Ok(())
}

/// After a run with a file of keys: whether it took them all.
///
/// # Errors
/// When a write has failed.
pub fn check_written(file: Option<&Path>, stats: &Stats) -> Result<(), Failure> {
    match file {
        Some(file) if stats.key_file_errors != 0 => {
            Err(Failure::file(format!("{}: {} writes of keys have failed", file.display(), stats.key_file_errors)))
        }
        _ => Ok(()),
    }
}
