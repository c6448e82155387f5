//! Pages that say how to change the sources, done in a copy of some crates: pieces of code after lines of files, and
//! the errors that they promise.
//!
//! The copy has its own workspace but the target folder of this build, so that dependencies are not checked again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::profile::Profile;

/// A piece of code in a page: what goes after which line of which file.
#[derive(Debug)]
pub struct Insertion {
    pub file: String,
    pub after: String,
    pub code: String,
}

/// The contents of a page: its insertions in order, and the errors that it promises before all of them are done.
#[derive(Default)]
pub struct Page {
    pub insertions: Vec<Insertion>,
    pub errors: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Page {
    /// The page of this path.
    pub fn read(path: &str) -> Page {
        let mut page = Page::default();
        // Every other piece is inside of a fence.
        for block in read(&root().join(path)).split("```").skip(1).step_by(2) {
            let (language, code) = block.split_once('\n').expect("a fence ends its line");
            match language {
                "rust" => page.insertions.push(Insertion::new(code)),
                "text" => page.errors.extend(code.lines().map(str::to_owned)),
                "sh" => {}
                other => panic!("a block of {other:?}"),
            }
        }
        page
    }
}

impl Insertion {
    /// Of a block whose first line is a comment with the file and the line.
    fn new(block: &str) -> Insertion {
        let (place, code) = block.split_once('\n').expect("code follows the place");
        let (file, after) = place
            .strip_prefix("// ")
            .and_then(|place| place.strip_suffix('`'))
            .and_then(|place| place.split_once(" after `"))
            .unwrap_or_else(|| panic!("not a place: {place}"));
        Insertion { file: file.to_owned(), after: after.to_owned(), code: code.to_owned() }
    }
}

/// The copy.
pub struct Scratch {
    folder: PathBuf,
    /// `TARGET/tmp` of this build.
    scratch: PathBuf,
}

impl Scratch {
    /// The crates of these folders, `""` for the façade, as they are but for `insertions`; in the folder `copy_name` of
    /// `scratch`, the test's `CARGO_TARGET_TMPDIR`. Files that stay the same are not written again.
    pub fn new(scratch: &str, copy_name: &str, crates: &[&str], insertions: &[&Insertion]) -> Scratch {
        let scratch = PathBuf::from(scratch);
        let copy = Scratch { folder: scratch.join(copy_name), scratch };
        for name in crates {
            if !name.is_empty() {
                let manifest = format!("{name}/Cargo.toml");
                copy.write(&manifest, &without_tests(&read(&root().join(&manifest))));
            }
            copy.copy_folder(Path::new(name).join("src").to_str().expect("a name"), insertions);
        }
        copy.copy("Cargo.lock", insertions);
        if crates.contains(&"") {
            copy.copy("README.md", insertions);
        }
        copy.write("Cargo.toml", &workspace(&read(&root().join("Cargo.toml")), copy_name, crates));
        copy
    }

    fn copy_folder(&self, folder: &str, insertions: &[&Insertion]) {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(root().join(folder)).expect("the folder is there") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("names are UTF-8");
            let path = format!("{folder}/{name}");
            if entry.file_type().expect("a type").is_dir() {
                self.copy_folder(&path, insertions);
            } else {
                self.copy(&path, insertions);
            }
            names.insert(name);
        }
        // Copies of an earlier run whose originals are gone.
        for entry in fs::read_dir(self.folder.join(folder)).expect("it was just made").flatten() {
            if !names.contains(&*entry.file_name().to_string_lossy()) {
                let path = entry.path();
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
        }
    }

    fn copy(&self, path: &str, insertions: &[&Insertion]) {
        let mut text = read(&root().join(path));
        for Insertion { after, code, .. } in insertions.iter().filter(|insertion| insertion.file == path) {
            assert_eq!(text.matches(after).count(), 1, "{path}: {after}");
            text = text.replace(after, &format!("{after}\n{code}"));
        }
        self.write(path, &text);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return;
        }
        fs::create_dir_all(path.parent().expect("a path in the copy")).expect("the folder can be made");
        fs::write(&path, text).expect("the file can be written");
    }

    /// Checks these packages, and those that they use. What the compiler says if there are errors.
    pub fn check(&self, packages: &[&str]) -> Result<(), String> {
        // The scratch folder is TARGET/tmp.
        let target = self.scratch.parent().expect("a target folder");
        let profile = Profile::of_this_test().name;
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["check", "--offline", "--keep-going", "--message-format=short", "--profile", &profile])
            .args(packages.iter().flat_map(|package| ["-p", package]))
            .env("CARGO_TARGET_DIR", target)
            .current_dir(&self.folder)
            .output()
            .expect("cargo runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(text) }
    }
}

/// A crate's manifest without what only its tests need.
fn without_tests(manifest: &str) -> String {
    let mut keeps = true;
    let lines = manifest.lines().filter(|line| {
        if line.starts_with('[') {
            keeps = !["[dev-dependencies]", "[[test]]", "[[bench]]", "[[example]]"].contains(line);
        }
        keeps
    });
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// The workspace's manifest with these crates as members, with its package if the façade is among them. Their versions
/// are those of this copy alone, or Cargo would take what it has built of them for the crates that the test belongs to,
/// or for those of another copy.
fn workspace(manifest: &str, copy: &str, crates: &[&str]) -> String {
    let members: Vec<&&str> = crates.iter().filter(|name| !name.is_empty()).collect();
    let package: &[&str] = if crates.contains(&"") { &["package]", "features]", "dependencies]"] } else { &[] };
    let mut kept = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n");
    let mut keeps = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            keeps = section.starts_with("workspace.") || section.starts_with("profile.") || package.contains(&section);
        }
        if keeps {
            let version = line.strip_prefix("version = \"").and_then(|rest| rest.strip_suffix('"'));
            match version {
                Some(version) => kept.push_str(&format!("version = \"{version}+{copy}\"")),
                None => kept.push_str(line),
            }
            kept.push('\n');
        }
    }
    kept
}

/// The errors of a check without lines and columns: `file: missing: ...`, or what else there is.
pub fn errors(text: &str) -> BTreeSet<String> {
    let error = |line: &str| {
        let (place, message) = line.split_once(": error")?;
        let (_, message) = message.split_once(": ")?;
        let file = place.split(':').next()?;
        match message.strip_prefix("not all trait items implemented, missing: `").and_then(|rest| rest.split_once('`'))
        {
            Some((method, _)) => Some(format!("{file}: missing: `{method}`")),
            None => Some(format!("{file}: {message}")),
        }
    };
    text.lines().filter_map(error).collect()
}
