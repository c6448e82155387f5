//! Drivers, and how long a scene's frames take with one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::ValueEnum;

use crate::configuration::{Configuration, Size};
use crate::program::NOT_OFFERED;

/// A chip, as `TRIGLYPH_GPU_CHIP` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Chip {
    /// The PS3's RSX.
    Nv47,
    /// The Tegra X1's.
    Gm20b,
}

impl Chip {
    pub fn name(self) -> &'static str {
        match self {
            Chip::Nv47 => "nv47",
            Chip::Gm20b => "gm20b",
        }
    }
}

/// What draws a scene.
#[derive(Clone, Debug)]
pub enum Driver {
    Llvmpipe,
    /// A chip of a library of the virtual GPU's: of this build, or of the one to compare with.
    Chip {
        chip: Chip,
        library: PathBuf,
        before: bool,
    },
}

/// What chooses a driver beside what is set here, or makes runs differ.
const OTHERS: [&str; 5] =
    ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE", "LD_PRELOAD", "EGL_PLATFORM"];

impl Driver {
    pub fn name(&self) -> String {
        format!("{}{}", self.chip_name(), if self.is_before() { " before" } else { "" })
    }

    /// The name without that of the build.
    pub fn chip_name(&self) -> &'static str {
        match self {
            Driver::Llvmpipe => "llvmpipe",
            Driver::Chip { chip, .. } => chip.name(),
        }
    }

    /// Whether this is the build to compare with. It follows the other one of the same chip.
    pub fn is_before(&self) -> bool {
        matches!(self, Driver::Chip { before: true, .. })
    }

    /// The name of its renderer begins so.
    fn renderer(&self) -> &'static str {
        match self {
            Driver::Llvmpipe => "llvmpipe",
            Driver::Chip { .. } => "NV",
        }
    }

    fn command(&self, program: &Path, threads: usize) -> Command {
        let mut command = Command::new(program);
        for name in OTHERS {
            command.env_remove(name);
        }
        command.env("MESA_SHADER_CACHE_DISABLE", "true");
        match self {
            Driver::Llvmpipe => {
                command.envs([("LIBGL_ALWAYS_SOFTWARE", "1"), ("GALLIUM_DRIVER", "llvmpipe")]);
                // With 1 it would draw on a thread beside the program's.
                command.env("LP_NUM_THREADS", if threads == 1 { 0 } else { threads }.to_string());
            }
            Driver::Chip { chip, library, .. } => {
                command.env("LD_PRELOAD", library).env("TRIGLYPH_GPU_CHIP", chip.name());
                command.env("TRIGLYPH_GPU_THREADS", threads.to_string());
            }
        }
        command
    }

    /// Milliseconds of a steady frame, or none if the driver does not have what the scene needs.
    pub fn measure(
        &self,
        program: &Path,
        scene: &str,
        how: &Configuration,
        seconds: f64,
    ) -> Result<Option<f64>, String> {
        let Size { width, height } = how.size;
        let mut command = self.command(program, how.threads);
        command.args(["-s", &format!("{width}x{height}"), "-b", &seconds.to_string(), scene]);
        let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
        if output.status.code() == Some(NOT_OFFERED) {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stdout);
        let time =
            said.split_whitespace().skip_while(|word| *word != "tenth").nth(1).and_then(|time| time.parse().ok());
        match time {
            _ if !output.status.success() => Err(format!("{scene} on {} failed: {}", self.name(), whole(&output))),
            Some(time) if said.starts_with(self.renderer()) => Ok(Some(time)),
            _ => Err(format!("{scene} was not drawn by {}: {}", self.name(), whole(&output))),
        }
    }
}

/// How a program ended and everything that it said.
fn whole(output: &Output) -> String {
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{}\n{out}{error}", output.status)
}
