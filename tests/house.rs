//! Rules for the sources: dependencies of crates and of files, where machines may be named, lengths of files and lines,
//! words of comments.

#[path = "house/imports.rs"]
mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Our crates by folder, each only with dependencies that are listed before it, except for the façade: those of the
/// crate, and the additional ones of its tests.
const CRATES: [Crate; 17] = [
    Crate { folder: "guest", name: "triglyph-guest", uses: &[], tests_use: &["testkit"] },
    Crate { folder: "fallback-interp", name: "triglyph-interp", uses: &["guest"], tests_use: &["testkit"] },
    Crate { folder: "jit", name: "triglyph-jit", uses: &["guest"], tests_use: &["interp", "testkit"] },
    Crate { folder: "engine", name: "triglyph-engine", uses: &["guest"], tests_use: &["interp", "testkit"] },
    Crate { folder: "options", name: "triglyph-options", uses: OPTIONS, tests_use: &[] },
    Crate { folder: "machines/n3ds", name: "triglyph-n3ds", uses: MACHINE, tests_use: MACHINE_TESTS },
    Crate { folder: "machines/rsx", name: "triglyph-rsx", uses: MACHINE, tests_use: MACHINE_TESTS },
    Crate { folder: "machines/tegra", name: "triglyph-tegra", uses: MACHINE, tests_use: MACHINE_TESTS },
    Crate { folder: "capture", name: "triglyph-capture", uses: &["guest", "engine"], tests_use: &[] },
    Crate { folder: "inspect", name: "triglyph-inspect", uses: INSPECT, tests_use: &["testkit"] },
    Crate { folder: "fuzz", name: "triglyph-fuzz", uses: FUZZ, tests_use: &[] },
    Crate { folder: "import", name: "triglyph-import", uses: &["", "guest"], tests_use: &["testkit"] },
    Crate { folder: "capi", name: "triglyph-capi", uses: &["", "guest"], tests_use: &["testkit"] },
    Crate { folder: "cli", name: "triglyph-cli", uses: CLI, tests_use: &["testkit"] },
    Crate { folder: "python", name: "triglyph-py", uses: &["", "inspect"], tests_use: &[] },
    Crate { folder: "vgpu", name: "triglyph-vgpu", uses: &[""], tests_use: &["testkit"] },
    Crate { folder: "testkit", name: "triglyph-testkit", uses: TESTKIT, tests_use: &[] },
];

/// Crates for machines, which never use each other.
const MACHINE: &[&str] = &["guest", "engine", "options"];
const MACHINE_TESTS: &[&str] = &["interp", "capture", "testkit"];

/// Crates for options: the tiers and the engine that runs their kernels.
const OPTIONS: &[&str] = &["guest", "interp", "jit", "engine"];

/// Crates for inspection of captures: the façade, and the names of registers.
const INSPECT: &[&str] = &["", "guest", "interp"];

/// Crates for mutants: the façade, tables of instructions and registers, tiers.
const FUZZ: &[&str] = &["", "guest", "engine", "options"];

/// Crates for the command: the façade, and those for its tools (tables, key files, compiled code, tiers, mutants, other
/// emulators' captures).
const CLI: &[&str] = &["", "guest", "engine", "jit", "options", "inspect", "fuzz", "import"];

/// Crates for testkit, each as a feature.
const TESTKIT: &[&str] = &["guest", "interp", "jit", "engine", "options", "n3ds", "rsx", "tegra"];

struct Crate {
    folder: &'static str,
    name: &'static str,
    /// Names without `triglyph-`; the empty one is the façade.
    uses: &'static [&'static str],
    tests_use: &'static [&'static str],
}

impl Crate {
    fn may_use(&self, section: &str, dependency: &str) -> bool {
        let short = dependency.trim_start_matches("triglyph").trim_start_matches('-');
        // A crate may ask for features of itself in its tests.
        let in_tests = self.tests_use.contains(&short) || dependency == self.name;
        self.uses.contains(&short) || section == "dev-dependencies" && in_tests
    }

    fn sources(&self) -> Vec<PathBuf> {
        sources(&root().join(self.folder))
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
    files_below(folder, "rs")
}

/// Every file below `folder` whose name ends so, but for what is built.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
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
    for krate in &CRATES {
        let (folder, name) = (krate.folder, krate.name);
        let manifest = read(root().join(folder).join("Cargo.toml"));
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{folder} is not {name}");
        for (section, names) in dependencies(&manifest) {
            for dependency in names {
                assert!(krate.may_use(&section, &dependency), "{name} must not depend on {dependency} ({section})");
            }
        }
    }
}

/// Words that name a machine or a part of one.
const MACHINE_WORDS: [&str; 8] = ["n3ds", "pica", "gsp", "rsx", "curie", "lv1", "tegra", "maxwell"];

#[test]
fn the_engine_names_no_machine() {
    for path in sources(&root().join("engine/src")) {
        for line in read(&path).lines().filter(|line| line.trim_start().starts_with("use ")) {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            let named = MACHINE_WORDS.iter().find(|word| words.contains(word));
            assert!(named.is_none(), "{}: {line}", path.display());
        }
    }
}

#[test]
fn threads_and_pointers_stay_where_they_belong() {
    for krate in &CRATES {
        for path in sources(&root().join(krate.folder).join("src")) {
            let (text, shown) = (read(&path), path.display());
            // Work has threads of the scheduler; the server of the inspector has one that waits for connections, the
            // virtual GPU one that tells programs of fences.
            let with_threads = ["engine/src/sched", "cli/src/inspect/http", "vgpu/src/hooks/watcher.rs"];
            let may = with_threads.iter().any(|part| path.to_str().unwrap().contains(part));
            assert!(may || !text.contains("thread::spawn") && !text.contains("thread::Builder"), "{shown}");
        }
    }
    for file in
        ["guest/src/lib.rs", "fallback-interp/src/lib.rs", "options/src/lib.rs", "src/lib.rs", "cli/src/main.rs"]
    {
        assert!(read(root().join(file)).contains("#![forbid(unsafe_code)]"), "{file}");
    }
}

/// Folders with sources that belong to no other crate than the façade.
const WITHOUT_CRATE: [&str; 4] = ["src", "tests", "benches", "examples"];

/// Longer files hold more than one subject; tables are exempt.
const LINES: usize = 1000;

#[test]
fn files_are_short() {
    let mut folders: Vec<PathBuf> = CRATES.iter().map(|krate| root().join(krate.folder)).collect();
    folders.extend(WITHOUT_CRATE.map(|folder| root().join(folder)));
    for path in folders.iter().flat_map(|folder| sources(folder)) {
        let lines = read(&path).lines().count();
        assert!(lines <= LINES, "{}: {lines} lines", path.display());
    }
}

/// Columns of a line. rustfmt keeps code to them; tables and fenced blocks of comments and pages may be wider.
const COLUMNS: usize = 120;

/// The lines of comments or of a page that are too long.
fn long_lines(path: &Path) -> Vec<String> {
    let page = path.extension().is_some_and(|extension| extension == "md");
    let (mut fenced, mut long) = (false, Vec::new());
    for (number, line) in read(path).lines().enumerate() {
        let text = match page {
            true => Some(line),
            false => line.trim_start().strip_prefix("//"),
        };
        let Some(text) = text.map(|text| text.trim_start_matches(['/', '!']).trim_start()) else {
            fenced = false;
            continue;
        };
        fenced ^= text.starts_with("```");
        if !fenced && !text.starts_with('|') && line.chars().count() > COLUMNS {
            long.push(format!("{}:{}", path.display(), number + 1));
        }
    }
    long
}

#[test]
fn comments_and_pages_keep_to_the_columns() {
    let mut files: Vec<PathBuf> = CRATES.iter().flat_map(|krate| sources(&root().join(krate.folder))).collect();
    files.extend(WITHOUT_CRATE.iter().flat_map(|folder| sources(&root().join(folder))));
    files.extend(["docs", "python", "examples"].iter().flat_map(|folder| files_below(&root().join(folder), "md")));
    files.push(root().join("README.md"));
    let long: Vec<String> = files.iter().flat_map(|path| long_lines(path)).collect();
    assert!(long.is_empty(), "lines of more than {COLUMNS} columns: {long:#?}");
}

/// Words and phrases that read strangely in technical English, with the number of lines that still have them. A change
/// may lower a number, never raise one.
const ODD_WORDS: [(&str, usize); 14] = [
    ("nobody", 41),
    ("somebody", 7),
    ("anybody", 1),
    ("whoever", 7),
    ("anew", 26),
    ("behind", 85),
    ("stand", 32),
    ("stands", 58),
    ("stood", 3),
    ("hear of", 4),
    ("hears of", 8),
    ("come of", 11),
    ("comes of", 5),
    ("came of", 4),
];

/// Whether a line has a phrase as whole words, in any case. Hyphens and underscores join words: a stand-in is none.
fn has_phrase(line: &str, phrase: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains(phrase) && {
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphabetic() && c != '-' && c != '_').filter(|word| !word.is_empty()).collect();
        format!(" {} ", words.join(" ")).contains(&format!(" {phrase} "))
    }
}

/// Every source, test file and page that is written by hand, but for this file. Headers and `calls.md` are generated
/// from the others.
fn written_files() -> Vec<PathBuf> {
    let folders: Vec<&str> = CRATES.iter().map(|krate| krate.folder).chain(WITHOUT_CRATE).chain(["docs"]).collect();
    let mut files = vec![root().join("README.md")];
    for extension in ["rs", "md", "tgt", "c", "cpp", "py"] {
        files.extend(folders.iter().flat_map(|folder| files_below(&root().join(folder), extension)));
    }
    let skipped = [root().join(file!()), root().join("docs/reference/calls.md")];
    files.retain(|path| !skipped.contains(path));
    files
}

/// The lines added since [`ODD_WORDS`] was last changed, if git knows.
fn added_lines() -> Option<Vec<String>> {
    let git = |args: &[&str]| {
        let output = Command::new("git").current_dir(root()).args(args).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let commit = git(&["log", "-1", "--format=%H", "--", file!()])?;
    let diff = git(&["diff", "--unified=0", "--no-color", commit.trim()])?;
    Some(diff.lines().filter_map(|line| line.strip_prefix('+')).map(|line| line.trim().to_owned()).collect())
}

#[test]
fn odd_words_become_fewer() {
    let files: Vec<(PathBuf, String)> = written_files().into_iter().map(|path| (path.clone(), read(&path))).collect();
    let mut grown = String::new();
    for (phrase, most) in ODD_WORDS {
        let found: Vec<(String, &str)> = files
            .iter()
            .flat_map(|(path, text)| text.lines().enumerate().map(move |(number, line)| (path, number, line)))
            .filter(|(_, _, line)| has_phrase(line, phrase))
            .map(|(path, number, line)| (format!("{}:{}", path.display(), number + 1), line.trim()))
            .collect();
        if found.len() > most {
            let added = added_lines().unwrap_or_default();
            let mut new: Vec<_> = found.iter().filter(|(_, line)| added.iter().any(|other| other == line)).collect();
            if new.is_empty() {
                new = found.iter().collect();
            }
            grown += &format!("{} lines with `{phrase}` instead of {most}, among them {new:#?}\n", found.len());
        }
    }
    assert!(grown.is_empty(), "say it in plain technical English:\n{grown}");
}

/// The names of functions that come right after `marker` in a source file of the project.
fn functions_after(marker: &str) -> BTreeSet<String> {
    let folders = CRATES.iter().map(|krate| krate.folder).chain(["tests"]);
    let mut names = BTreeSet::new();
    for path in folders.flat_map(|folder| sources(&root().join(folder))) {
        for part in read(path).split(marker).skip(1) {
            let part = part.trim_start().trim_start_matches("fn ");
            names.insert(part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    names
}

/// What a row of a facts page may name as its test: tests, `.tgt` files, bundled captures.
fn checks() -> BTreeSet<String> {
    let mut found = functions_after("#[test]\n");
    for (folder, extension) in [("tests/files", "tgt"), ("tests/captures", "tgc")] {
        let files = files_below(&root().join(folder), extension);
        found.extend(files.iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()));
    }
    found
}

/// The words in backticks of a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows of a page's tables whose last column holds tests.
fn rows_with_tests(page: &str) -> Vec<&str> {
    let (mut rows, mut with_tests) = (Vec::new(), false);
    let lines: Vec<&str> = page.lines().collect();
    for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
        if next.starts_with("|---") {
            with_tests = line.trim_end_matches([' ', '|']).ends_with("test");
        } else if with_tests && line.starts_with('|') && !line.starts_with("|---") {
            rows.push(*line);
        }
    }
    rows
}

#[test]
fn every_row_of_the_facts_pages_names_its_test() {
    let checks = checks();
    for page in ["docs/reference/3ds.md", "docs/reference/rsx.md", "docs/reference/tegra.md"] {
        let text = read(root().join(page));
        let rows = rows_with_tests(&text);
        assert!(rows.len() > 50, "{page} names its tests in another way");
        for row in rows {
            let last = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
            let tested = quoted(last).any(|word| checks.contains(word)) || last.trim_end().ends_with("untested");
            assert!(tested, "{page}: neither a test nor `untested`: {row}");
        }
    }
}

#[test]
fn tests_that_the_facts_pages_name_exist() {
    let functions = functions_after("fn ");
    let letter = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    // What begins with `lv1_` is a call of the console's hypervisor.
    let is_function = |w: &&str| w.contains('_') && w.chars().all(letter) && !w.starts_with("lv1_");
    for page in ["docs/reference/3ds.md", "docs/reference/rsx.md", "docs/reference/tegra.md"] {
        let text = read(root().join(page));
        let names: BTreeSet<&str> = quoted(&text).filter(is_function).collect();
        assert!(names.len() > 100, "{page} names its tests in another way");
        let missing: Vec<_> = names.into_iter().filter(|name| !functions.contains(*name)).collect();
        assert!(missing.is_empty(), "{page} names tests that are not there: {missing:?}");
    }
}

/// Folders and files of the project that the pages name in backticks, by their paths from the root.
#[test]
fn paths_that_the_pages_name_exist() {
    let folders: BTreeSet<&str> =
        CRATES.iter().map(|krate| krate.folder.split('/').next().unwrap()).chain(["docs", "tests"]).collect();
    let (mut named, mut missing) = (0, Vec::new());
    for page in files_below(&root().join("docs"), "md") {
        let text = read(&page);
        for path in text.lines().flat_map(quoted) {
            let parts: Vec<&str> = path.split('/').collect();
            let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if parts.len() > 1 && folders.contains(parts[0]) && plain && !path.contains("NAME") {
                named += 1;
                if !root().join(path).exists() {
                    missing.push(format!("{}: {path}", page.display()));
                }
            }
        }
    }
    assert!(named > 100, "the pages name paths in another way");
    assert!(missing.is_empty(), "pages name what is not there: {missing:#?}");
}

/// The folders that every machine has, and what may be beside them.
#[test]
fn the_machines_have_the_same_folders() {
    let files = ["core.rs", "device.rs", "lib.rs", "observed.rs", "recorded.rs", "snapshot.rs"];
    for machine in ["n3ds", "rsx", "tegra"] {
        let source = root().join("machines").join(machine).join("src");
        for folder in ["system", "front_end", "class_3d/state", "class_3d/draw", "class_3d/programs", "copy"] {
            assert!(source.join(folder).join("mod.rs").exists(), "{machine} has no {folder}");
        }
        for entry in fs::read_dir(&source).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
            let name = entry.file_name().into_string().unwrap();
            assert!(files.contains(&name.as_str()), "machines/{machine}/src/{name} belongs into a folder");
        }
    }
}

#[test]
fn the_project_speaks_of_itself_alone() {
    for path in CRATES.iter().flat_map(Crate::sources) {
        let text = read(&path);
        // Split so that this file does not find itself.
        for word in [concat!("../", "shared"), concat!("/wo", "rk/")] {
            assert!(!text.contains(word), "{} mentions {word}", path.display());
        }
    }
}

/// Every file of the repository that has text, but for what is built.
fn texts() -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::new(), vec![root()]);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            let built = path.join("CACHEDIR.TAG").exists() || path.ends_with(".git");
            if path.is_dir() && !built {
                open.push(path);
            } else if path.is_file()
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.push((path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    found
}

#[test]
fn one_file_names_the_repository_and_its_owner() {
    let manifest = read(root().join("Cargo.toml"));
    let (_, rest) = manifest.split_once("repository = \"https://github.com/").expect("the repository's address");
    let (owner, rest) = rest.split_once('/').expect("an owner");
    assert!(rest.starts_with("triglyph\"\nhomepage = "), "the name of the repository, then the page");
    let naming: Vec<String> =
        texts().into_iter().filter(|(_, text)| text.contains(owner)).map(|(name, _)| name).collect();
    assert_eq!(naming, ["Cargo.toml"], "{owner}");
    assert_eq!(manifest.matches(owner).count(), 2, "the repository and the page");
}

/// Our crates that are published: all but those that say that they are not.
fn published() -> Vec<PathBuf> {
    let folders = CRATES.iter().map(|krate| root().join(krate.folder)).chain([root()]);
    folders.filter(|folder| !read(folder.join("Cargo.toml")).contains("\npublish = false\n")).collect()
}

#[test]
fn every_package_says_where_it_is_from_and_what_is_allowed() {
    let inherited = ["license", "repository", "homepage", "documentation", "keywords", "categories", "rust-version"];
    let published = published();
    assert_eq!(published.len(), 16);
    for folder in &published {
        let (manifest, shown) = (read(folder.join("Cargo.toml")), folder.display());
        for field in inherited {
            assert!(manifest.contains(&format!("\n{field}.workspace = true\n")), "{shown}: {field}");
        }
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = read(folder.join(licence));
            // Links, which Windows may check out as files with the path.
            assert!(text == read(root().join(licence)) || text.trim_end().ends_with(licence), "{shown}: {licence}");
        }
        assert!(read(folder.join("README.md")).starts_with("# "), "{shown}");
    }
}

#[test]
fn pictures_of_pages_in_packages_are_in_them() {
    let manifest = read(root().join("Cargo.toml"));
    let (_, include) = manifest.split_once("\ninclude = [").expect("what is in the package");
    let (include, _) = include.split_once(']').expect("its end");
    for piece in read(root().join("README.md")).split("](").skip(1) {
        let (target, _) = piece.split_once(')').expect("the end of a link");
        if let Some((folder, name)) = target.rsplit_once('/').filter(|(_, name)| name.ends_with(".png")) {
            assert!(include.contains(&format!("\"/{folder}/*.png\"")), "{target}");
            assert!(root().join(folder).join(name).is_file(), "{target}");
        }
    }
    // Sites that show the page of another package would look for the pictures in its folder.
    for folder in published().iter().filter(|folder| **folder != root()) {
        assert!(!read(folder.join("README.md")).contains("!["), "{}", folder.display());
    }
}

#[test]
fn git_ignores_what_replay_writes() {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["check-ignore", "--no-index", "28-render-to-texture-0-top.png"]);
    match git.output() {
        Ok(run) if run.status.code() != Some(128) => assert!(run.status.success(), "{run:?}"),
        _ => println!("skipped: this is no checkout, or there is no git"),
    }
}
