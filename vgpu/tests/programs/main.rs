//! Programs in C with the virtual GPU: scenes look as on llvmpipe, processes have GPUs of their own and leave nothing
//! behind, and what a program drops is given back. Compiled where there are a C compiler and the headers of EGL and
//! OpenGL ES; where those, or Mesa's driver, are missing, a test says so and is done.

mod game;
mod peer;
mod processes;
mod renderer;
mod rounds;
mod scenes;
#[path = "../support/library.rs"]
mod support;
mod vulkan;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

/// The chips.
const CHIPS: [&str; 2] = ["nv47", "gm20b"];

/// A program of this folder, compiled, or `None` if it cannot be run here, which the output says.
fn program(name: &str) -> Option<PathBuf> {
    static COMPILED: OnceLock<Result<TempDir, String>> = OnceLock::new();
    match COMPILED.get_or_init(compile) {
        Ok(folder) => Some(folder.path().join(name)),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

fn compile() -> Result<TempDir, String> {
    if let Some(why) = support::missing() {
        return Err(why);
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let compiler = std::env::var_os("CC").unwrap_or("cc".into());
    let mut headers = Command::new(&compiler);
    headers.args(["-E", "-o"]).arg(folder.path().join("headers")).arg(sources.join("common.h"));
    if !headers.status().is_ok_and(|status| status.success()) {
        return Err("no C compiler, or no headers: Debian's packages gcc, libegl-dev and libgles-dev".into());
    }
    for name in ["scenes", "processes", "sharing", "rounds", "game"] {
        let source = sources.join(name).with_extension("c");
        let mut command = Command::new(&compiler);
        if name == "game" {
            // For another program to load.
            command.args(["-shared", "-fPIC"]);
        }
        command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(folder.path().join(name));
        let output =
            command.arg(source).args(["-lEGL", "-lGLESv2", "-lm"]).output().map_err(|error| error.to_string())?;
        assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(folder)
}

/// A program with the virtual GPU of a chip, whose private files are in a folder.
fn on_chip(program: &Path, chip: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LD_PRELOAD", support::library()).env("TRIGLYPH_GPU_CHIP", chip).env("TMPDIR", folder);
    command.env("MESA_SHADER_CACHE_DISABLE", "true");
    for name in ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE"] {
        command.env_remove(name);
    }
    command
}
