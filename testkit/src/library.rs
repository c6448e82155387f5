//! Libraries for programs that are no tests of Cargo's: examples whose crates are dynamic libraries or archives.
//!
//! Cargo builds examples before it runs all tests of a package, but no libraries that Rust cannot link.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::profile::Profile;

/// The folder of the examples beside the test that runs. It has these files, built from an example of the crate in
/// `folder`: if they are missing or older than the sources, the example is built first.
pub fn built(folder: &str, example: &str, files: &[String]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let profile = Profile::of_this_test();
    let examples = profile.folder.join("examples");
    let sources = newest(root, folder);
    if files.iter().all(|file| changed(&examples.join(file)).is_some_and(|built| built >= sources)) {
        return examples;
    }
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    // The whole workspace: a package alone would choose other features of the crates below it.
    build.args(["build", "--quiet", "--workspace", "--example", example, "--profile", &profile.name]);
    build.arg("--target-dir").arg(profile.target()).current_dir(root);
    let status = build.status().expect("cargo");
    assert!(status.success(), "{build:?}: {status}");
    examples
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// When the newest source of a crate, and of those below it, was changed.
fn newest(root: &Path, folder: &str) -> SystemTime {
    let crates = ["", "guest", "fallback-interp", "jit", "engine", "options", "capture", folder];
    let machines = ["n3ds", "rsx", "tegra"].map(|machine| Path::new("machines").join(machine));
    let mut folders: Vec<PathBuf> =
        crates.iter().map(PathBuf::from).chain(machines).map(|part| root.join(part).join("src")).collect();
    let mut newest = SystemTime::UNIX_EPOCH;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("a source").path();
            match path.is_dir() {
                true => folders.push(path),
                false => newest = newest.max(changed(&path).unwrap_or(newest)),
            }
        }
    }
    newest
}
