//! `gpu run --x11`: a program that wants X11 draws on the chip. Skipped, which the output says, where there is no Mesa
//! driver, compositor, X server or `glxinfo`, and as root without a way to become another user.
#![cfg(target_os = "linux")]
#![allow(missing_docs, reason = "test code, never published")]

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};

use triglyph_testkit::library::built;

const LIBRARY: &str = "libtriglyph_vgpu_for_tests.so";
/// Where X servers have their sockets.
const SOCKETS: &str = "/tmp/.X11-unix";
/// Debian's user without rights.
const OTHER_USER: &str = "65534";

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn is_there(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn missing() -> Option<&'static str> {
    let libraries = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    if !libraries.map(|entry| entry.path()).any(|folder| folder.join("dri/nouveau_dri.so").is_file()) {
        return Some("nouveau_dri.so");
    }
    let programs: &[&str] = if is_root() { &["setpriv"] } else { &[] };
    programs.iter().chain(&["timeout", "cage", "Xwayland", "glxinfo"]).copied().find(|program| !is_there(program))
}

fn run(command: &Path, library: &Path, chip: &str, folder: &Path) -> Output {
    // A compositor that waits for good is a failure as well.
    let mut run = Command::new("timeout");
    run.arg("120");
    if is_root() {
        run.args(["setpriv", "--reuid", OTHER_USER, "--regid", OTHER_USER, "--clear-groups"]);
    }
    run.arg(command);
    run.args(["gpu", "run", "--x11", "--threads", "1", "--chip", chip, "--library"]).arg(library);
    run.args(["--", "glxinfo", "-B"]).env("HOME", folder).env_remove("XDG_RUNTIME_DIR").env("TMPDIR", folder);
    run.output().expect("the command")
}

#[test]
fn programs_for_x11_draw_on_the_chip() {
    if let Some(what) = missing() {
        println!("skipped: no {what}");
        return;
    }
    if is_root() && std::fs::create_dir(SOCKETS).is_ok() {
        // Otherwise the folder would be the other user's, and X servers of others would refuse it.
        std::fs::set_permissions(SOCKETS, Permissions::from_mode(0o1777)).expect("a folder for sockets");
    }
    // Where another user finds them.
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).expect("the folder");
    let [command, library] = ["triglyph", LIBRARY].map(|name| folder.path().join(name));
    std::fs::copy(env!("CARGO_BIN_EXE_triglyph"), &command).expect("the command");
    let examples = built("vgpu", "triglyph_vgpu_for_tests", &[LIBRARY.into()]);
    std::fs::copy(examples.join(LIBRARY), &library).expect("the library");
    for (chip, renderer) in [("nv47", "NV47"), ("gm20b", "NV12B")] {
        let output = run(&command, &library, chip, folder.path());
        let [said, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert!(output.status.success(), "{chip}: {}\n{errors}", output.status);
        assert!(said.contains(&format!("OpenGL renderer string: {renderer}\n")), "{chip}:\n{said}\n{errors}");
    }
}

#[test]
fn root_is_told_to_be_another_user() {
    if !is_root() {
        println!("skipped: not root");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_triglyph"))
        .args(["gpu", "run", "--x11", "--", "true"])
        .output()
        .expect("the command");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("refuses to run as root"), "{said}");
}
