//! The device's nodes, and the files that programs read before they open one: a small real tree in a private
//! folder, to which paths below `/dev/dri` and of the device in `/sys` lead.
//!
//! A process removes its tree when it ends. One that is killed cannot; the next process that has a tree removes it. Who
//! lives holds a lock.
//!
//! The GM20B is no PCI device. It is shown as one all the same: neither Mesa nor libdrm minds.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::chip::Chip;
use crate::memory;

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// `card0`, with the display.
    Card,
    /// `renderD128`.
    Render,
}

/// The major number of DRM devices.
pub const MAJOR: u32 = 226;

impl Node {
    /// The node of a path.
    pub fn of(path: &CStr) -> Option<Node> {
        match path.to_bytes() {
            b"/dev/dri/card0" => Some(Node::Card),
            b"/dev/dri/renderD128" => Some(Node::Render),
            _ => None,
        }
    }

    /// The minor number.
    pub const fn minor(self) -> u32 {
        match self {
            Node::Card => 0,
            Node::Render => 128,
        }
    }
}

/// The folder of the device in `/sys`.
const DEVICE: &str = "/sys/devices/pci0000:00/0000:01:00.0";

/// Paths that lead to the tree: these and what lies below them.
const ROOTS: [&[u8]; 4] = [b"/dev/dri", b"/sys/dev/char/226:0", b"/sys/dev/char/226:128", b"/sys/class/drm"];

/// What folders of trees are called, before a number.
const PREFIX: &str = "triglyph-vgpu-";

/// The file in a tree that its process has locked.
const LOCK: &str = "lock";

/// The tree of a process.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    _lock: File,
}

impl Tree {
    /// Makes the tree of a chip in a folder of the process's own.
    ///
    /// # Errors
    /// What the file system says.
    pub fn new(chip: Chip) -> io::Result<Tree> {
        Tree::in_folder(chip, &std::env::temp_dir())
    }

    fn in_folder(chip: Chip, folder: &Path) -> io::Result<Tree> {
        remove_left(folder);
        let (root, lock) = locked(folder)?;
        let tree = Tree { root, _lock: lock };
        let device = DEVICE.trim_start_matches('/');
        for folder in ["dev/dri", "sys/dev/char/226:0", "sys/dev/char/226:128", "sys/bus/pci", "sys/class/drm"] {
            fs::create_dir_all(tree.root.join(folder))?;
        }
        for (name, minor) in [("card0", 0), ("renderD128", 128)] {
            let folder = format!("{device}/drm/{name}");
            fs::create_dir_all(tree.root.join(&folder))?;
            let event = format!("MAJOR={MAJOR}\nMINOR={minor}\nDEVNAME=dri/{name}\nDEVTYPE=drm_minor\n");
            tree.put(&format!("{folder}/uevent"), &event)?;
            tree.put(&format!("dev/dri/{name}"), "")?;
            tree.link(device, &format!("sys/dev/char/226:{minor}/device"))?;
            tree.link(&folder, &format!("sys/class/drm/{name}"))?;
            tree.link("sys/class/drm", &format!("{folder}/subsystem"))?;
        }
        tree.link("sys/bus/pci", &format!("{device}/subsystem"))?;
        let number = format!("0x{:04x}\n", chip.pci_device());
        let event = "DRIVER=nouveau\nPCI_CLASS=30000\nPCI_SLOT_NAME=0000:01:00.0\n";
        let files = [
            ("vendor", "0x10de\n"),
            ("device", &number),
            ("subsystem_vendor", "0x10de\n"),
            ("subsystem_device", "0x0001\n"),
            ("revision", "0xa1\n"),
            ("class", "0x030000\n"),
            ("uevent", event),
        ];
        for (name, text) in files {
            tree.put(&format!("{device}/{name}"), text)?;
        }
        Ok(tree)
    }

    fn put(&self, path: &str, text: &str) -> io::Result<()> {
        fs::write(self.root.join(path), text)
    }

    fn link(&self, target: &str, path: &str) -> io::Result<()> {
        symlink(self.root.join(target), self.root.join(path))
    }

    /// Where a path leads to, if it is one of the device's.
    pub fn redirect(&self, path: &CStr) -> Option<CString> {
        is_ours(path).then(|| {
            let relative = path.to_bytes().strip_prefix(b"/").unwrap_or_default();
            let to = self.root.join(Path::new(std::ffi::OsStr::from_bytes(relative)));
            CString::new(to.as_os_str().as_bytes()).ok()
        })?
    }

    /// Removes the tree.
    pub fn remove(&self) {
        // Nothing depends on it any more.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A new folder and its locked file.
fn locked(folder: &Path) -> io::Result<(PathBuf, File)> {
    // There may be one of a process in another container, or of one that was killed and had the same number.
    for n in 0..100 {
        let root = folder.join(format!("{PREFIX}{}.{n}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&root) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        let lock = File::from(memory::moved_up(File::create_new(root.join(LOCK))?.into())?);
        // Another process may have taken it for one that was left, until now.
        if lock.try_lock().is_ok() && root.join(LOCK).exists() {
            return Ok((root, lock));
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes the trees of processes that are gone. Whatever cannot be removed stays.
fn remove_left(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        // A tree without a lock is being made, or older than locks.
        let lock = File::open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a path is one of the device's.
pub fn is_ours(path: &CStr) -> bool {
    let path = path.to_bytes();
    let below = |root: &[u8]| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest[0] == b'/');
    below(DEVICE.as_bytes()) || ROOTS.iter().any(|root| below(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_what_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::in_folder(Chip::Nv47, folder.path()).unwrap();
        let there = |path: &str| {
            let path = CString::new(path).unwrap();
            PathBuf::from(std::ffi::OsStr::from_bytes(tree.redirect(&path).unwrap().as_bytes()))
        };
        assert_eq!(fs::read_to_string(there("/sys/dev/char/226:128/device/device")).unwrap(), "0x0290\n");
        let subsystem = fs::read_link(there("/sys/dev/char/226:0/device/subsystem")).unwrap();
        assert!(subsystem.ends_with("pci"));
        let mut names: Vec<_> = fs::read_dir(there("/dev/dri")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["card0", "renderD128"]);
        assert_eq!(tree.redirect(c"/dev/drive"), None);
        assert_eq!(tree.redirect(c"/sys/dev/char/226:1"), None);
        tree.remove();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn trees_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("triglyph-vgpu-other");
        fs::create_dir(&other).unwrap();
        let lock = File::create_new(other.join(LOCK)).unwrap();
        lock.lock().unwrap();
        let first = Tree::in_folder(Chip::Nv47, folder.path()).unwrap();
        // It is as if this one had the number of a process in another container.
        let second = Tree::in_folder(Chip::Nv47, folder.path()).unwrap();
        assert!(first.root.exists() && other.exists() && first.root != second.root);
        drop((first, lock));
        let third = Tree::in_folder(Chip::Nv47, folder.path()).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.len() == 2 && left.contains(&second.root) && left.contains(&third.root), "{left:?}");
    }
}
