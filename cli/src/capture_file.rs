//! Capture files as the command line names them.

use std::path::{Path, PathBuf};

use triglyph::Error;
use triglyph::capture::CaptureFile;

/// The capture that is replayed when none is named, by file name and content.
pub const BUNDLED: (&str, &[u8]) =
    ("28-render-to-texture.tgc", include_bytes!("../../tests/captures/3ds/28-render-to-texture.tgc"));

/// A capture and the name by which it is spoken of.
pub struct Named {
    /// The path given, or the bundled capture's name.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Result<CaptureFile, Error>,
}

impl Named {
    /// Opens a file.
    pub fn open(path: &Path) -> Self {
        Named { path: path.to_owned(), bytes: CaptureFile::open(path) }
    }

    /// The bundled capture.
    pub fn bundled() -> Self {
        let (name, bytes) = BUNDLED;
        Named { path: name.into(), bytes: Ok(bytes.to_vec().into()) }
    }
}

/// The file's name without folder and extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "capture".into(), |stem| stem.to_string_lossy().into_owned())
}

/// The name of a picture's file: `<capture>-<n>-<label>`, fit for a file system.
pub fn picture_name(capture: &Path, index: usize, label: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let label: String = label.chars().take(40).map(fit).collect();
    let label = if label.is_empty() { "picture" } else { &label };
    format!("{}-{index}-{label}", stem(capture))
}

/// Writes a file, with the path in the error.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    use anyhow::Context;
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> anyhow::Result<()> {
    use anyhow::Context;
    std::fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))
}

/// Files as they are; folders as the captures in and below them, by name.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            collect(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |error| Error::io(folder, error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A link to a folder above would never end: links to folders are left out.
        entries.push((entry.path(), entry.file_type().map_err(failed)?));
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    for (path, kind) in entries {
        if kind.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "tgc") && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
