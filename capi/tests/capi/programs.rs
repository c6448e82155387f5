//! Programs in C11 and C++17, compiled by the system's compilers and linked with the library: `tests/programs`, and the
//! examples for hosts. Without a compiler a test says so and is done.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;
use triglyph::capture::{CaptureFile, Checks, Event, Player, Reader, decode_png};
use triglyph::{Options, new_device};
use triglyph_testkit::library::built;

use crate::folder;

/// What the library is linked as.
#[derive(Clone, Copy, Debug)]
pub enum Link<'a> {
    Shared,
    Static,
    /// As packages install it: what `pkg-config` says.
    Installed(&'a [String]),
}

/// The files of the library.
pub struct Library {
    pub shared: PathBuf,
    pub archive: PathBuf,
}

/// The library of `examples/library.rs`.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let name = "triglyph_for_tests";
        let shared = format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
        let archive = format!("lib{name}.a");
        let folder = built("capi", name, &[shared.clone(), archive.clone()]);
        Library { shared: folder.join(shared), archive: folder.join(archive) }
    })
}

/// Whether there is a compiler, or another program; if not, the test's output says what is left out.
pub fn has_compiler(compiler: &str) -> bool {
    let there = cfg!(unix) && Command::new(compiler).arg("--version").output().is_ok_and(|run| run.status.success());
    if !there {
        println!("skipped: there is no {compiler}");
    }
    there
}

/// Compiles and links a program of one source. `None` without a compiler.
pub fn compile(source: &str, link: Link<'_>, scratch: &TempDir) -> Option<PathBuf> {
    compile_all(&[folder().join(source)], link, scratch)
}

/// As [`compile`], for a source that a test makes: its name has the language.
pub fn compile_text(name: &str, text: &str, link: Link<'_>, scratch: &TempDir) -> Option<PathBuf> {
    let source = scratch.path().join(name);
    std::fs::write(&source, text).unwrap();
    compile_all(&[source], link, scratch)
}

/// Compiles and links a program; warnings are errors. `None` without a compiler.
pub fn compile_all(sources: &[PathBuf], link: Link<'_>, scratch: &TempDir) -> Option<PathBuf> {
    let (variable, compiler, standard) = match sources[0].extension().unwrap().to_str() {
        Some("c") => ("CC", "cc", "-std=c11"),
        _ => ("CXX", "c++", "-std=c++17"),
    };
    let compiler = &std::env::var(variable).unwrap_or(compiler.into());
    if !has_compiler(compiler) {
        return None;
    }
    let program = scratch.path().join("program");
    let mut command = Command::new(compiler);
    command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    command.args(std::env::var("CFLAGS").unwrap_or_default().split_whitespace());
    command.args(sources).arg("-o").arg(&program);
    if !matches!(link, Link::Installed(_)) {
        command.arg("-I").arg(folder().join("include"));
    }
    match link {
        Link::Shared => {
            let shared = &library().shared;
            let folder = shared.parent().unwrap();
            command.arg(shared).arg(format!("-Wl,-rpath,{}", folder.display())).arg("-lm");
        }
        Link::Static => drop(command.arg(&library().archive).args(["-lpthread", "-ldl", "-lm"])),
        // What examples use by themselves: the one in C++ a thread, cubes sines.
        Link::Installed(flags) => drop(command.args(flags).args(["-lpthread", "-lm"])),
    }
    succeed(&mut command);
    Some(program)
}

pub fn succeed(command: &mut Command) -> Output {
    let run = command.output().unwrap();
    assert!(run.status.success(), "{command:?}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr));
    run
}

/// The pixels of all pictures of a capture, as the façade plays it.
fn pixels(capture: &Path) -> Vec<u8> {
    let file = CaptureFile::open(capture).unwrap();
    let reader = Reader::new(&file).unwrap();
    let mut device = new_device(reader.header().machine, &Options::default()).unwrap();
    let mut player = Player::new(&reader, Checks::PICTURES);
    let mut pixels = Vec::new();
    while let Some(event) = player.next(&mut *device).unwrap() {
        if let Event::Picture(finished) = event {
            pixels.extend(finished.picture.unwrap().rgba);
        }
    }
    pixels
}

pub fn replay(source: &str, link: Link<'_>) {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile(source, link, &scratch) else { return };
    for capture in ["3ds/25-shadow-map.tgc", "rsx/01-triangle.tgc", "tegra/01-triangle.tgc"] {
        let capture = folder().join("../tests/captures").join(capture);
        let written = scratch.path().join("pixels");
        succeed(Command::new(&program).arg(&capture).arg(&written));
        let expected = pixels(&capture);
        assert!(!expected.is_empty());
        assert!(std::fs::read(&written).unwrap() == expected, "{source}: other pixels of {}", capture.display());
    }
}

#[test]
fn captures_replay_in_c() {
    replay("tests/programs/replay.c", Link::Shared);
}

#[test]
fn captures_replay_in_cpp() {
    replay("tests/programs/replay.cpp", Link::Static);
}

/// Runs a program that checks what it does itself.
pub fn passes(source: &str, link: Link<'_>) {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile(source, link, &scratch) else { return };
    succeed(&mut Command::new(&program));
}

#[test]
fn wrong_calls_are_statuses() {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile("tests/programs/calls.c", Link::Shared, &scratch) else { return };
    succeed(Command::new(&program).arg(scratch.path().join("recorded.tgc")));
}

#[test]
fn the_interpreter_serves_what_the_compiler_does_not_take_where_panics_abort() {
    passes("tests/programs/fallback.c", Link::Static);
}

#[test]
fn forked_processes_destroy_their_copies() {
    passes("tests/programs/fork.c", Link::Shared);
}

#[test]
fn threads_use_a_device_whose_memory_moves() {
    passes("tests/programs/threads.c", Link::Shared);
}

#[test]
fn drivers_answer_in_cpp() {
    passes("tests/programs/driver.cpp", Link::Static);
}

#[test]
fn findings_come_in_cpp() {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile("tests/programs/findings.cpp", Link::Static, &scratch) else { return };
    succeed(&mut Command::new(&program));
}

#[test]
fn a_job_system_in_cpp_draws() {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile("tests/programs/executor.cpp", Link::Static, &scratch) else { return };
    let capture = folder().join("../tests/captures/3ds/22-city.tgc");
    let written = scratch.path().join("pixels");
    succeed(Command::new(&program).arg(&capture).arg(&written));
    assert!(std::fs::read(&written).unwrap() == pixels(&capture), "other pixels");
}

#[test]
fn three_consoles_loop_stop_and_go_on_elsewhere() {
    let scratch = TempDir::new().unwrap();
    let sources = ["main", "checks", "n3ds", "rsx", "tegra"].map(|part| format!("tests/programs/consoles/{part}.c"));
    let Some(program) = compile_all(&sources.map(|part| folder().join(part)), Link::Static, &scratch) else { return };
    succeed(Command::new(&program).arg(scratch.path()));
}

#[test]
fn the_bench_measures() {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile("benches/embedding.c", Link::Static, &scratch) else { return };
    let run = succeed(Command::new(&program).arg(folder().join("../tests/captures/rsx/07-fbo.tgc")).arg("5"));
    assert!(String::from_utf8_lossy(&run.stdout).contains("interrupt, a capture"));
}

/// Examples in C and C++ with the picture of the guide that each draws, which is that of an example in Rust.
pub const EXAMPLES: [(&str, &str); 8] = [
    ("../examples/c/n3ds_triangle.c", "n3ds_triangle"),
    ("../examples/c/n3ds_cube.c", "n3ds_cube"),
    ("../examples/c/ps3_triangle.c", "ps3_triangle"),
    ("../examples/c/ps3_cube.c", "ps3_cube"),
    ("../examples/c/switch_triangle.c", "switch_triangle"),
    ("../examples/c/switch_cube.c", "switch_cube"),
    ("../examples/c/n3ds.c", "n3ds_triangle"),
    ("../examples/cpp/ps3.cpp", "ps3_triangle"),
];

/// Runs an example and checks its picture.
pub fn example(source: &str, link: Link<'_>, picture: &str) {
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile(source, link, &scratch) else { return };
    check_picture(&program, &scratch.path().join("picture.png"), picture);
}

/// Runs a program that writes a picture, which is to be one of the guide's, to the byte.
pub fn check_picture(program: &Path, path: &Path, picture: &str) {
    let run = succeed(Command::new(program).arg(path));
    assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{} tells of faults", program.display());
    let decoded = |path: &Path| decode_png(&std::fs::read(path).unwrap()).unwrap().0;
    let (drawn, expected) = (decoded(path), decoded(&folder().join(format!("../docs/pictures/{picture}.png"))));
    assert_eq!((drawn.width, drawn.height), (expected.width, expected.height), "{}", program.display());
    assert!(drawn.rgba == expected.rgba, "{} draws another picture than {picture}", program.display());
}

#[test]
fn examples_draw_the_pictures_of_those_in_rust() {
    for (at, (source, picture)) in EXAMPLES.into_iter().enumerate() {
        example(source, [Link::Static, Link::Shared][at % 2], picture);
    }
}

#[test]
fn all_examples_are_listed() {
    for (folder_name, extension) in [("c", "c"), ("cpp", "cpp")] {
        for entry in std::fs::read_dir(folder().join("../examples").join(folder_name)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let source = format!("../examples/{folder_name}/{name}");
            let is_listed = EXAMPLES.iter().any(|(listed, _)| *listed == source);
            assert!(is_listed || path.extension().is_none_or(|found| found != extension), "{source} is in no list");
        }
    }
}

/// Runs an example under valgrind: what it does on the host's side is clean, and nothing is left.
pub fn check_memory(source: &str, link: Link<'_>) {
    if !has_compiler("valgrind") {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let Some(program) = compile(source, link, &scratch) else { return };
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=memcheck", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible"]);
    let suppressions = concat!("--suppressions=", env!("CARGO_MANIFEST_DIR"), "/tests/capi/memcheck.supp");
    valgrind.args([suppressions, "--error-exitcode=9"]);
    succeed(valgrind.arg(&program).arg(scratch.path().join("picture.png")));
}

#[test]
fn memcheck_finds_nothing_in_c() {
    check_memory("../examples/c/n3ds.c", Link::Static);
}

#[test]
fn memcheck_finds_nothing_in_cpp() {
    check_memory("../examples/cpp/ps3.cpp", Link::Static);
}

#[test]
fn examples_are_short() {
    for (example, _) in EXAMPLES {
        let lines = std::fs::read_to_string(folder().join(example)).unwrap().lines().count();
        // As those in Rust; the small consoles play two parts.
        let most = match example.rsplit('/').next() {
            Some("n3ds.c" | "ps3.cpp") => 165,
            _ => 119,
        };
        assert!(lines <= most, "{example}: {lines} lines");
    }
}
