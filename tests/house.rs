//! The house keeps its shape: which crate may use which, which machine may be named where, how long files may be.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const MEMBERS: [(&str, &str); 5] = [
    ("guest", "triglyph-guest"),
    ("fallback-interp", "triglyph-interp"),
    ("jit", "triglyph-jit"),
    ("engine", "triglyph-engine"),
    ("cli", "triglyph-cli"),
];

/// Which of our crates a crate may depend on. Tests of the compiler may compare with the reference.
fn allowed(member: &str, section: &str) -> &'static [&'static str] {
    match (member, section) {
        ("guest", _) => &[],
        ("fallback-interp" | "jit" | "engine", "dependencies") => &["triglyph-guest"],
        ("jit" | "engine", "dev-dependencies") => &["triglyph-guest", "triglyph-interp"],
        ("fallback-interp", "dev-dependencies") => &["triglyph-guest"],
        ("cli", _) => &["triglyph"],
        _ => &[],
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every Rust file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Our crates in each dependency section of a manifest.
fn dependencies(manifest: &str) -> BTreeMap<String, Vec<String>> {
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in manifest.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_string();
        }
        let name: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
        if section.ends_with("dependencies") && name.starts_with("triglyph") {
            sections.entry(section.clone()).or_default().push(name);
        }
    }
    sections
}

#[test]
fn crates_depend_only_downwards() {
    for (folder, name) in MEMBERS {
        let manifest = read(root().join(folder).join("Cargo.toml"));
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{folder} is not {name}");
        for (section, names) in dependencies(&manifest) {
            for dependency in names {
                assert!(
                    allowed(folder, &section).contains(&dependency.as_str()),
                    "{name} must not depend on {dependency} ({section})"
                );
            }
        }
    }
}

#[test]
fn only_the_machines_own_rooms_name_a_machine() {
    let engine = root().join("engine/src");
    let rooms = ["n3ds", "rsx", "tegra"];
    for path in sources(&engine) {
        let inside = path.strip_prefix(&engine).unwrap().components().next().unwrap();
        let room = inside.as_os_str().to_str().unwrap();
        for line in read(&path).lines().filter(|line| line.trim_start().starts_with("use ")) {
            for other in rooms.iter().filter(|other| **other != room) {
                assert!(!line.contains(&format!("crate::{other}::")), "{}: {line}", path.display());
            }
            let pica = line.contains("triglyph_guest::pica") && room != "n3ds";
            assert!(!pica, "{}: {line}", path.display());
        }
    }
}

#[test]
fn threads_and_pointers_stay_where_they_belong() {
    for (folder, _) in MEMBERS {
        for path in sources(&root().join(folder).join("src")) {
            let (text, shown) = (read(&path), path.display());
            let scheduler = path.to_str().unwrap().contains("engine/src/sched");
            assert!(scheduler || !text.contains("thread::spawn") && !text.contains("thread::Builder"), "{shown}");
            let tier_or_front = ["guest", "fallback-interp", "cli"].contains(&folder);
            assert!(!tier_or_front || !text.contains("allow(unsafe_code)"), "{shown} must not allow unsafe code");
        }
    }
    for folder in ["guest/src/lib.rs", "fallback-interp/src/lib.rs", "cli/src/main.rs"] {
        assert!(read(root().join(folder)).contains("#![forbid(unsafe_code)]"), "{folder}");
    }
}

/// Longer files hold more than one subject; tables are exempt.
const LINES: usize = 1000;

#[test]
fn files_are_short() {
    let mut folders: Vec<PathBuf> = MEMBERS.iter().map(|(folder, _)| root().join(folder)).collect();
    folders.extend(["src", "tests", "benches"].map(|folder| root().join(folder)));
    for path in folders.iter().flat_map(|folder| sources(folder)) {
        let lines = read(&path).lines().count();
        assert!(lines <= LINES, "{}: {lines} lines", path.display());
    }
}

/// The names of all tests.
fn tests() -> BTreeSet<String> {
    let folders = MEMBERS.iter().map(|(folder, _)| *folder).chain(["tests"]);
    let files = folders.flat_map(|folder| sources(&root().join(folder)));
    let name = |test: &str| Some(test.split_once("fn ")?.1.split('(').next()?.to_string());
    files.flat_map(|path| read(path).split("#[test]\n").skip(1).filter_map(name).collect::<Vec<_>>()).collect()
}

#[test]
fn tests_that_the_3ds_page_names_exist() {
    let page = read(root().join("docs/3ds.md"));
    let letter = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    let names = page.split('`').skip(1).step_by(2).filter(|word| word.contains('_') && word.chars().all(letter));
    let (names, tests): (BTreeSet<&str>, _) = (names.collect(), tests());
    assert!(names.len() > 100, "the page names its tests in another way");
    let missing: Vec<_> = names.into_iter().filter(|name| !tests.contains(*name)).collect();
    assert!(missing.is_empty(), "docs/3ds.md names tests that are not there: {missing:?}");
}

#[test]
fn the_project_speaks_of_itself_alone() {
    for path in MEMBERS.iter().flat_map(|(folder, _)| sources(&root().join(folder))) {
        let text = read(&path);
        // Split so that this file does not find itself.
        for word in [concat!("../", "shared"), concat!("/wo", "rk/")] {
            assert!(!text.contains(word), "{} mentions {word}", path.display());
        }
    }
}
