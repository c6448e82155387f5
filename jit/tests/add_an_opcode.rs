//! Does what `docs/add-an-opcode.md` says, in a copy of the three crates: the rows of the page lead to the errors that
//! it promises and to no other, and with the methods of the page everything compiles.
//!
//! The copy has its own workspace but the target folder of this build, so that dependencies are not checked again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CRATES: [&str; 3] = ["guest", "fallback-interp", "jit"];

/// A piece of code in the page: what goes after which line of which file.
#[derive(Debug)]
struct Insertion {
    file: String,
    after: String,
    code: String,
}

/// The page: its insertions, those of the table's rows first, and the errors that it promises after the rows.
struct Page {
    rows: Vec<Insertion>,
    methods: Vec<Insertion>,
    errors: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Page {
    fn new() -> Page {
        let text = read(&root().join("docs/add-an-opcode.md"));
        let mut page = Page { rows: Vec::new(), methods: Vec::new(), errors: BTreeSet::new() };
        // Every other piece is inside of a fence.
        for block in text.split("```").skip(1).step_by(2) {
            let (language, code) = block.split_once('\n').expect("a fence ends its line");
            match language {
                "rust" => {
                    let insertion = Insertion::new(code);
                    let of = if insertion.file.starts_with("guest/") { &mut page.rows } else { &mut page.methods };
                    of.push(insertion);
                }
                "text" => page.errors.extend(code.lines().map(str::to_owned)),
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
struct Scratch(PathBuf);

impl Scratch {
    /// The crates as they are, changed by `insertions`. Files that stay the same are not written again.
    fn new(insertions: &[&Insertion]) -> Scratch {
        let scratch = Scratch(Path::new(env!("CARGO_TARGET_TMPDIR")).join("add-an-opcode"));
        for name in CRATES {
            let manifest = format!("{name}/Cargo.toml");
            scratch.write(&manifest, &without_tests(&read(&root().join(&manifest))));
            scratch.copy_folder(&format!("{name}/src"), insertions);
        }
        scratch.copy("Cargo.lock", insertions);
        scratch.write("Cargo.toml", &workspace(&read(&root().join("Cargo.toml"))));
        scratch
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
        // What an earlier run copied and is gone.
        for entry in fs::read_dir(self.0.join(folder)).expect("it was just made").flatten() {
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
        let path = self.0.join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return;
        }
        fs::create_dir_all(path.parent().expect("a path in the copy")).expect("the folder can be made");
        fs::write(&path, text).expect("the file can be written");
    }

    /// Checks the interpreter and the compiler. The errors as `file: message`.
    fn check(&self) -> Result<(), String> {
        let (target, profile) = target();
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["check", "--offline", "--keep-going", "--message-format=short", "--profile", &profile])
            .args(["-p", "triglyph-interp", "-p", "triglyph-jit"])
            .env("CARGO_TARGET_DIR", target)
            .current_dir(&self.0)
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
            keeps = !["[dev-dependencies]", "[[test]]"].contains(line);
        }
        keeps
    });
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// The workspace's manifest with the three crates as members: without its package. Their versions are their own, or
/// Cargo would take what it has built of them for the crates that this test belongs to.
fn workspace(manifest: &str) -> String {
    let mut kept = String::from("[workspace]\nresolver = \"3\"\n");
    kept.push_str(&format!("members = {CRATES:?}\n"));
    let mut keeps = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            keeps = section.starts_with("workspace.") || section.starts_with("profile.");
        }
        if keeps {
            let version = line.strip_prefix("version = \"").and_then(|rest| rest.strip_suffix('"'));
            match version {
                Some(version) => kept.push_str(&format!("version = \"{version}+copy\"")),
                None => kept.push_str(line),
            }
            kept.push('\n');
        }
    }
    kept
}

/// The target folder and the profile of this build.
fn target() -> (PathBuf, String) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("tmp is in the target folder").to_owned();
    let test = std::env::current_exe().expect("this test is a file");
    let folder = test.ancestors().nth(2).and_then(Path::file_name).expect("TARGET/PROFILE/deps/TEST");
    let profile = match folder.to_string_lossy() {
        debug if debug == "debug" => "dev".to_owned(),
        profile => profile.into_owned(),
    };
    (target, profile)
}

/// The errors of a check without lines and columns: `file: missing: ...`, or what else there is.
fn errors(text: &str) -> BTreeSet<String> {
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

#[test]
fn the_page_leads_to_an_opcode() {
    let page = Page::new();
    assert_eq!((page.rows.len(), page.methods.len(), page.errors.len()), (3, 6, 6));

    let rows: Vec<_> = page.rows.iter().collect();
    let text = Scratch::new(&rows).check().expect_err("methods are missing");
    assert_eq!(errors(&text), page.errors, "{text}");

    let all: Vec<_> = page.rows.iter().chain(&page.methods).collect();
    if let Err(text) = Scratch::new(&all).check() {
        panic!("with the methods of the page the crates do not compile:\n{text}");
    }
}
