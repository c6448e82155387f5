//! A dEQP program on a device.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::binaries::{Api, Binary};
use crate::support::library;

/// How long a process may say nothing: a case takes much less.
const LIMIT: Duration = Duration::from_secs(120);

/// What draws.
#[derive(Clone, Copy)]
pub enum Device {
    Chip(&'static str),
    /// llvmpipe, and lavapipe for Vulkan.
    Software,
}

impl Device {
    fn name(self) -> &'static str {
        match self {
            Self::Chip(chip) => chip,
            Self::Software => "software",
        }
    }
}

/// Variables that choose a driver.
const CHOOSING: [&str; 6] = [
    "DISPLAY",
    "GALLIUM_DRIVER",
    "LD_PRELOAD",
    "LIBGL_ALWAYS_SOFTWARE",
    "MESA_LOADER_DRIVER_OVERRIDE",
    "WAYLAND_DISPLAY",
];

/// Arguments of all programs: no logs, as standard output has the results, and no watchdog, as it ends a process
/// without saying which case it was.
const ARGUMENTS: [&str; 6] = [
    "--deqp-log-filename=/dev/null",
    "--deqp-log-images=disable",
    "--deqp-log-shader-sources=disable",
    "--deqp-watchdog=disable",
    "--deqp-surface-width=256",
    "--deqp-surface-height=256",
];

/// Why programs of an interface cannot be run here, if they cannot: OpenGL's drivers are known to be there.
pub fn missing(api: Api) -> Option<String> {
    let drivers = [vulkan_driver(ON_CHIP), vulkan_driver(IN_SOFTWARE)];
    drivers.into_iter().find_map(Result::err).filter(|_| api == Api::Vulkan)
}

/// Processes of a program on a device.
pub struct Programs<'a> {
    binary: &'a Binary,
    device: Device,
    /// The description of Vulkan's driver.
    vulkan: Option<PathBuf>,
    /// Where results are kept, and what processes read and write.
    folder: PathBuf,
    /// How long a process may say nothing.
    pub limit: Duration,
}

impl<'a> Programs<'a> {
    /// # Errors
    /// A machine without Vulkan's driver, or a folder that cannot be made.
    pub fn new(binary: &'a Binary, device: Device, folder: &Path) -> Result<Self, String> {
        let vulkan = match (binary.api, device) {
            (Api::Vulkan, Device::Chip(_)) => Some(vulkan_driver(ON_CHIP)?),
            (Api::Vulkan, Device::Software) => Some(vulkan_driver(IN_SOFTWARE)?),
            _ => None,
        };
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { binary, device, vulkan, folder: folder.to_path_buf(), limit: LIMIT })
    }

    /// The file of the results.
    pub fn kept(&self) -> PathBuf {
        self.folder.join(format!("{}-{}.txt", self.device.name(), self.binary.api.name()))
    }

    pub fn name(&self) -> String {
        format!("{}/{}", self.device.name(), self.binary.api.name())
    }

    /// The file of a process, by its number, which is not that of a process on another device.
    pub fn file(&self, number: usize, extension: &str) -> PathBuf {
        let name = format!("{}-{}-{number}.{extension}", self.device.name(), self.binary.api.name());
        self.folder.join(name)
    }

    /// Starts a process for the cases of a file.
    pub fn start(&self, cases: &Path, errors: File) -> std::io::Result<Child> {
        let mut command = Command::new(&self.binary.path);
        command.args(ARGUMENTS).arg(option("--deqp-caselist-file=", cases));
        command.current_dir(self.binary.path.parent().unwrap_or(Path::new("/")));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        for name in CHOOSING {
            command.env_remove(name);
        }
        command.envs([("MESA_SHADER_CACHE_DISABLE", "true"), ("XDG_RUNTIME_DIR", "/tmp")]);
        match &self.vulkan {
            Some(driver) => {
                command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
                command.arg("--deqp-shadercache=disable").env("NVK_I_WANT_A_BROKEN_VULKAN_DRIVER", "1");
            }
            None => {
                command.args(["--deqp-surface-type=pbuffer", "--deqp-gl-config-name=rgba8888d24s8ms0"]);
                command.env("EGL_PLATFORM", "surfaceless");
            }
        }
        match self.device {
            Device::Chip(chip) => {
                command.env("LD_PRELOAD", library());
                command.envs([("TRIGLYPH_GPU_CHIP", chip), ("TRIGLYPH_GPU_THREADS", "1")]);
                command.env("TRIGLYPH_GPU_REQUIRED", "1");
            }
            // It draws on the thread that submits: cores have processes of their own.
            Device::Software => {
                command.envs([("LIBGL_ALWAYS_SOFTWARE", "1"), ("GALLIUM_DRIVER", "llvmpipe"), ("LP_NUM_THREADS", "0")]);
            }
        }
        command.spawn()
    }

    /// What the results depend on, as a line: the program, Mesa, the library and what the environment sets for it.
    pub fn made_by(&self) -> Result<String, String> {
        let mut hasher = DefaultHasher::new();
        stamp(&self.binary.path).hash(&mut hasher);
        [driver_of_mesa(), self.vulkan.clone()].map(|path| path.and_then(|path| stamp(&path))).hash(&mut hasher);
        if let Device::Chip(_) = self.device {
            let library = library();
            // It may be built again without a change.
            std::fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?.hash(&mut hasher);
            let settings = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TRIGLYPH_GPU_"));
            settings.collect::<BTreeMap<_, _>>().hash(&mut hasher);
        }
        Ok(format!("# {:016x} {}", hasher.finish(), self.binary.path.display()))
    }
}

fn option(name: &str, value: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(value.as_os_str());
    option
}

/// Length and time of a file, which may be too large to read.
fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// The files in a folder, if there is one.
fn files(folder: impl AsRef<Path>) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The driver of OpenGL. What is beside it changes with it.
fn driver_of_mesa() -> Option<PathBuf> {
    let folders = files("/usr/lib").chain(["/usr/lib".into(), "/usr/lib64".into()]);
    folders.map(|folder| folder.join("dri/nouveau_dri.so")).find(|driver| driver.is_file())
}

/// What the descriptions of Vulkan's drivers begin with: NVK, and lavapipe.
const ON_CHIP: &str = "nouveau_icd";
const IN_SOFTWARE: &str = "lvp_icd";

/// The description of a driver of Vulkan, whose name begins so.
fn vulkan_driver(name: &str) -> Result<PathBuf, String> {
    const FOLDER: &str = "/usr/share/vulkan/icd.d";
    let begins = |file: &OsStr| file.to_string_lossy().starts_with(name);
    files(FOLDER)
        .find(|path| path.file_name().is_some_and(begins))
        .ok_or_else(|| format!("no {name} in {FOLDER}: Debian 13's mesa-vulkan-drivers has it"))
}
