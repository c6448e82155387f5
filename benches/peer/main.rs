//! Scenes of OpenGL on llvmpipe and, through the virtual GPU, on the emulated chips: README.md says more.
//!
//! ```sh
//! apt install gcc libc6-dev libegl-dev libgl-dev libopengl-dev libgl1-mesa-dri
//! cargo bench --bench peer
//! cargo bench --bench peer -- --help
//! ```

mod arguments;
mod configuration;
mod drivers;
mod program;
mod results;
#[path = "../../vgpu/tests/support/library.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

use crate::arguments::Arguments;
use crate::configuration::Configuration;
use crate::drivers::Driver;
use crate::results::{Row, Table, Times};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let arguments = if arguments.test { arguments.shortened() } else { arguments };
    let program = match support::missing().map_or_else(compile, Err) {
        Ok(program) => program,
        Err(why) => {
            println!("peer: skipped: {why}");
            return ExitCode::SUCCESS;
        }
    };
    match run(&arguments, &program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn compile() -> Result<PathBuf, String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peer/scenes");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peer");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    program::compile(&sources, &folder)
}

fn run(arguments: &Arguments, program: &Path) -> Result<(), String> {
    let scenes = scenes(program, &arguments.scenes)?;
    if scenes.is_empty() {
        println!("peer: no scene is named so");
        return Ok(());
    }
    let drivers = drivers(arguments)?;
    let mut tables = Vec::new();
    for configuration in arguments.configurations() {
        println!("{configuration}\n{}", results::header(&drivers));
        let rows = scenes.iter().map(|scene| {
            let row = draw(arguments, program, scene, &drivers, &configuration)?;
            println!("{}", row.shown(&drivers));
            Ok(row)
        });
        let rows: Vec<Row> = rows.collect::<Result<_, String>>()?;
        println!("{}\n", results::means(rows.iter(), &drivers));
        tables.push(Table { configuration, rows });
    }
    if tables.len() > 1 {
        let rows = tables.iter().flat_map(|table| &table.rows);
        println!("all of these\n{}", results::means(rows, &drivers));
    }
    write(arguments.markdown.as_deref(), || results::markdown(&tables, &drivers))?;
    write(arguments.json.as_deref(), || format!("{:#}\n", results::json(&tables, &drivers)))
}

/// The scenes whose names contain one of some words, or all.
fn scenes(program: &Path, words: &[String]) -> Result<Vec<String>, String> {
    let list = Command::new(program).arg("-l").output().map_err(|error| format!("{}: {error}", program.display()))?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    let wanted = |name: &&str| words.is_empty() || words.iter().any(|word| name.contains(word));
    Ok(names.filter(wanted).map(str::to_owned).collect())
}

/// llvmpipe, then each chip, then the same chip of the library to compare with.
fn drivers(arguments: &Arguments) -> Result<Vec<Driver>, String> {
    // Absolute: the loader looks elsewhere for names without a folder.
    let absolute = |path: &PathBuf| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let library = match &arguments.library {
        Some(library) => absolute(library)?,
        None => support::library().to_owned(),
    };
    let against = arguments.against.as_ref().map(absolute).transpose()?;
    let mut drivers = vec![Driver::Llvmpipe];
    for &chip in &arguments.chips {
        drivers.push(Driver::Chip { chip, library: library.clone(), before: false });
        drivers.extend(against.clone().map(|library| Driver::Chip { chip, library, before: true }));
    }
    Ok(drivers)
}

/// A scene in all rounds. Every other round has the drivers in reverse, so that none is always first.
fn draw(
    arguments: &Arguments,
    program: &Path,
    scene: &str,
    drivers: &[Driver],
    how: &Configuration,
) -> Result<Row, String> {
    let mut rounds = vec![Vec::new(); drivers.len()];
    for round in 0..arguments.rounds {
        let mut order: Vec<usize> = (0..drivers.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for index in order {
            rounds[index].extend(drivers[index].measure(program, scene, how, arguments.seconds)?);
        }
    }
    Ok(Row { scene: scene.to_owned(), times: rounds.into_iter().map(Times::new).collect() })
}

/// Writes a file that is asked for.
fn write(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, text()).map_err(|error| format!("{}: {error}", path.display()))
}
