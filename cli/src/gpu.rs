//! `triglyph gpu run`: a program with the virtual GPU.

mod x11;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand, ValueEnum};

use crate::exit::{Exit, Failure};
use crate::machine::SetupArguments;
use crate::output::Output;

/// The library that the program loads.
const LIBRARY: &str = "libtriglyph_vgpu.so";

/// Mesa's driver for both chips.
const DRIVER: &str = "nouveau_dri.so";

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run a program that draws with OpenGL on an emulated GPU, through Mesa's driver for it.
    ///
    /// The exit code is the program's, or 125 if it draws with another renderer than the chip.
    Run(Run),
}

/// A chip, as `TRIGLYPH_GPU_CHIP` names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Chip {
    /// The PS3's RSX: OpenGL 2.1, OpenGL ES 2.
    Nv47,
    /// The Tegra X1's: OpenGL 4.3, OpenGL ES 3.2.
    Gm20b,
}

#[derive(Debug, Args)]
struct Run {
    /// The chip that the program finds.
    #[arg(long, value_enum, default_value = "gm20b")]
    chip: Chip,
    #[command(flatten)]
    setup: SetupArguments,
    /// Write a capture of all submissions.
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Write a PNG for each page flip, of programs that have a display.
    #[arg(long, value_name = "DIR")]
    frames: Option<PathBuf>,
    /// A file of kernel keys.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Print counters on standard error when the program ends.
    #[arg(long)]
    stats: bool,
    /// Give the program an X11 display of 1280x720 without a screen, by the compositor cage and Xwayland.
    #[arg(long)]
    x11: bool,
    /// Let programs draw with other renderers, too, for example clients of a compositor.
    #[arg(long)]
    any_renderer: bool,
    /// The library that makes the GPU, if it is neither beside this command nor in lib/ beside its folder.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Becomes the program.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let Action::Run(run) = &arguments.action;
    let mut command = if run.x11 { x11::command(&run.program)? } else { plain_command(&run.program)? };
    let library = library(run.library.as_deref())?;
    if !driver_is_there() {
        output.note(format_args!("no {DRIVER} was found: Mesa's driver is in Debian's package libgl1-mesa-dri"));
    }
    if let Some(folder) = &run.frames {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(format!("{}: {error}", folder.display())))?;
    }
    command.envs(variables(run, &library)?);
    // What would lead to another driver.
    for name in ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE"] {
        command.env_remove(name);
    }
    let error = command.exec();
    Err(Failure::file(format!("{}: {error}", Path::new(command.get_program()).display())).into())
}

fn plain_command(program: &[OsString]) -> anyhow::Result<Command> {
    let (program, arguments) = program.split_first().ok_or_else(|| Failure::usage("no program"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// The environment that the library reads, and that leads programs to the device.
fn variables(run: &Run, library: &Path) -> anyhow::Result<Vec<(&'static str, OsString)>> {
    let SetupArguments { tier, threads, accuracy } = run.setup;
    let chip = match run.chip {
        Chip::Nv47 => "nv47",
        Chip::Gm20b => "gm20b",
    };
    let mut preloaded = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preloaded.push(":");
        preloaded.push(others);
    }
    let mut variables = vec![
        ("LD_PRELOAD", preloaded),
        ("TRIGLYPH_GPU_REQUIRED", if run.any_renderer { "" } else { "1" }.into()),
        ("TRIGLYPH_GPU_CHIP", chip.into()),
        ("TRIGLYPH_GPU_TIER", tier.name().into()),
        ("TRIGLYPH_GPU_ACCURACY", accuracy.name().into()),
    ];
    variables.extend(threads.map(|threads| ("TRIGLYPH_GPU_THREADS", threads.to_string().into())));
    variables.extend(run.stats.then(|| ("TRIGLYPH_GPU_STATS", "1".into())));
    let paths = [
        ("TRIGLYPH_GPU_CAPTURE", &run.capture),
        ("TRIGLYPH_GPU_FRAMES", &run.frames),
        ("TRIGLYPH_GPU_KEYS", &run.keys),
    ];
    for (name, path) in paths {
        if let Some(path) = path {
            // The program may change its folder.
            variables.push((name, std::path::absolute(path)?.into_os_string()));
        }
    }
    // Programs that take the default display find one that needs no window system, unless there is one.
    if !run.x11 && std::env::var_os("EGL_PLATFORM").is_none() {
        variables.push(("EGL_PLATFORM", "surfaceless".into()));
    }
    Ok(variables)
}

/// The library: the given one, or that of this command's build or installation.
fn library(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let places = match given {
        Some(path) => vec![path.to_owned()],
        None => {
            let command = std::env::current_exe()?;
            let folder = command.parent().unwrap_or(Path::new("."));
            vec![folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)]
        }
    };
    let found = places.iter().find(|place| place.is_file());
    let missing = || {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        let how = "cargo build --release -p triglyph-vgpu makes it";
        Failure::file(format!("{}: there is no such file; {how}", places.join(", ")))
    };
    Ok(std::path::absolute(found.ok_or_else(missing)?)?)
}

/// Whether Mesa's driver is in a folder where its loader looks.
fn driver_is_there() -> bool {
    let named = std::env::var_os("LIBGL_DRIVERS_PATH").unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&named).collect();
    let libraries = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let usual = libraries.chain(["/usr/lib".into(), "/usr/lib64".into(), "/usr/local/lib".into()]);
    named.into_iter().chain(usual.map(|folder| folder.join("dri"))).any(|folder| folder.join(DRIVER).is_file())
}
