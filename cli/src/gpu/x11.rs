//! An X11 display for a program with the virtual GPU: the compositor cage without a screen, which starts Xwayland. The
//! compositor draws on the chip as well, so that its clients have DRI3.

use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::exit::Failure;

/// The compositor, for one program that has the whole display.
const COMPOSITOR: &str = "cage";
/// The X server that it starts.
const SERVER: &str = "Xwayland";

/// The command that runs a program with a display.
pub fn command(program: &[OsString]) -> anyhow::Result<Command> {
    let user = std::fs::metadata("/proc/self").context("the user of this process")?.uid();
    if user == 0 {
        return Err(Failure::usage(format!("{COMPOSITOR} refuses to run as root: use --x11 as another user")).into());
    }
    for name in [COMPOSITOR, SERVER] {
        if !is_installed(name) {
            let packages = "Debian's packages cage and xwayland have what --x11 needs";
            return Err(Failure::file(format!("{name}: there is no such program; {packages}")).into());
        }
    }
    let mut command = Command::new(COMPOSITOR);
    command.arg("--").args(program);
    command.envs([("WLR_BACKENDS", "headless"), ("WLR_LIBINPUT_NO_DEVICES", "1")]);
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", runtime_folder(user)?);
    }
    Ok(command)
}

fn is_installed(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

/// A folder for the compositor's socket, for users who have not logged in: one for each user, which others cannot read.
fn runtime_folder(user: u32) -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("triglyph-{user}"));
    let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
    let found = folder.symlink_metadata().with_context(|| folder.display().to_string())?;
    if made.is_err() && !(found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0) {
        let what = format!("{}: not a folder of this user's alone; set XDG_RUNTIME_DIR", folder.display());
        return Err(Failure::file(what).into());
    }
    Ok(folder)
}
