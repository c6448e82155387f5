//! The virtual GPU's library for tests of programs that load it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The library in the profile that this test was built in. Cargo builds no dynamic libraries for tests: this does,
/// once.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let folder = test.ancestors().nth(2).unwrap();
        let profile = match folder.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            name => name,
        };
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        build.args(["build", "--quiet", "--package", "triglyph-vgpu", "--profile", profile, "--target-dir"]);
        let built = build.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
        assert!(built.success(), "{build:?}");
        folder.join("libtriglyph_vgpu.so")
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
