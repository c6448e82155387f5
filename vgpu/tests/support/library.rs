//! The virtual GPU's library for tests of programs that load it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use triglyph_testkit::library::built;

/// The library of `examples/library.rs`.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let file = "libtriglyph_vgpu_for_tests.so";
        built("vgpu", "triglyph_vgpu_for_tests", &[file.into()]).join(file)
    })
}

/// Why programs cannot be run with the virtual GPU here, if they cannot.
pub fn missing() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("the virtual GPU is for Linux".into());
    }
    let driver = Path::new("dri/nouveau_dri.so");
    let libraries = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let there = libraries.chain(["/usr/lib".into(), "/usr/lib64".into()]).any(|folder| folder.join(driver).is_file());
    (!there).then(|| "no nouveau_dri.so was found: Mesa's driver is in Debian's package libgl1-mesa-dri".into())
}
