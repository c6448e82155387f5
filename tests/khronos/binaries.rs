//! The programs of VK-GL-CTS and their lists of cases.

use std::path::{Path, PathBuf};

/// An interface that has a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Api {
    Gles2,
    Gles3,
    Gles31,
    Vulkan,
}

impl Api {
    pub const ALL: [Self; 4] = [Self::Gles2, Self::Gles3, Self::Gles31, Self::Vulkan];

    pub fn name(self) -> &'static str {
        match self {
            Self::Gles2 => "gles2",
            Self::Gles3 => "gles3",
            Self::Gles31 => "gles31",
            Self::Vulkan => "vk",
        }
    }

    /// What the names of its cases begin with.
    pub fn package(self) -> &'static str {
        match self {
            Self::Gles2 => "dEQP-GLES2.",
            Self::Gles3 => "dEQP-GLES3.",
            Self::Gles31 => "dEQP-GLES31.",
            Self::Vulkan => "dEQP-VK.",
        }
    }

    /// The folder of the program in a folder that VK-GL-CTS is built in.
    fn folder(self) -> String {
        match self {
            Self::Vulkan => "external/vulkancts/modules/vulkan".into(),
            _ => format!("modules/{}", self.name()),
        }
    }

    fn list(self) -> String {
        match self {
            Self::Vulkan => "vk-default.txt".into(),
            _ => format!("{}-main.txt", self.name()),
        }
    }

    /// The folder of the list in the sources of VK-GL-CTS.
    fn folder_of_lists(self) -> &'static str {
        match self {
            Self::Vulkan => "external/vulkancts/mustpass/main",
            _ => "external/openglcts/data/gl_cts/data/mustpass/gles/aosp_mustpass/main",
        }
    }
}

/// A program that is there.
pub struct Binary {
    pub api: Api,
    pub path: PathBuf,
    /// The list of the cases that a driver must pass.
    pub list: PathBuf,
}

/// The program of an interface in the folder that the user has named, or why it cannot be run. `lists` is the folder
/// of lists, if one was named.
pub fn find(folder: &Path, lists: Option<&Path>, api: Api) -> Result<Binary, String> {
    let name = format!("deqp-{}", api.name());
    let places = [folder.join(api.folder()).join(&name), folder.join(&name)];
    let there = places.into_iter().find(|path| path.is_file());
    let path = there.ok_or_else(|| format!("there is no {name} in {}", folder.display()))?;
    // Programs are run in their folders.
    let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Binary { api, path, list: list(folder, lists, api)? })
}

/// The list of an interface: in the folder that was named for lists, if one was, otherwise beside the programs or in
/// the sources that they are built from.
fn list(folder: &Path, named: Option<&Path>, api: Api) -> Result<PathBuf, String> {
    let folders = match (named, sources(folder)) {
        (Some(named), _) => vec![named.to_path_buf()],
        (None, None) => vec![folder.to_path_buf()],
        (None, Some(sources)) => vec![folder.to_path_buf(), sources.join(api.folder_of_lists())],
    };
    let list = folders.iter().map(|folder| folder.join(api.list())).find(|list| list.is_file());
    list.ok_or_else(|| {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        format!("there is no {} in {}; TRIGLYPH_DEQP_LISTS names a folder of lists", api.list(), folders.join(", "))
    })
}

/// The sources that a folder was built from, by what CMake keeps there.
fn sources(folder: &Path) -> Option<PathBuf> {
    let cache = std::fs::read_to_string(folder.join("CMakeCache.txt")).ok()?;
    let line = cache.lines().find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="))?;
    Some(line.into())
}
