//! Capture files as the command line names them.

use std::path::{Path, PathBuf};

use triglyph::Error;
use triglyph::capture::CaptureFile;

use crate::exit::Failure;

/// The capture that is replayed when none is named, by file name and content.
pub const BUNDLED: (&str, &[u8]) = ("28-render-to-texture.tgc", include_bytes!("../bundled/28-render-to-texture.tgc"));

/// What a capture begins with.
pub const MAGIC: [u8; 4] = *b"TGLC";

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

    /// Opens a file, which may be a capture of another emulator: that is imported. Returns what it lacks, too.
    pub fn open_any(path: &Path) -> anyhow::Result<(CaptureFile, Vec<String>)> {
        let bytes = CaptureFile::open(path)?;
        if !triglyph_import::is_known(&bytes) {
            return Ok((bytes, Vec::new()));
        }
        let imported = triglyph_import::import(&stem(path), &bytes)
            .map_err(|error| Failure::file(format!("{}: {error}", path.display())))?;
        Ok((imported.capture.into(), imported.lacks))
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
pub fn expand(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    expand_to(paths, &["tgc"], "captures")
}

/// Files as they are; folders as the files in and below them that have one of the extensions, by name. `what` says in
/// the error what such files are when there are none.
pub fn expand_to(paths: &[PathBuf], extensions: &[&str], what: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            collect(path, extensions, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() && !paths.is_empty() {
        let folders: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::usage(format!("{}: no {what} there", folders.join(", "))).into());
    }
    Ok(files)
}

fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |error| Error::io(folder, error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A link to a folder above would never end: links to folders are left out.
        entries.push((entry.path(), entry.file_type().map_err(failed)?));
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    for (path, kind) in entries {
        let wanted = path.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension));
        if kind.is_dir() {
            collect(&path, extensions, files)?;
        } else if wanted && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
