//! The book in `docs/`: its table of contents, links, names of files and tests, length of sentences, dates. The
//! commands of its guide run in `cli/tests/guide.rs`.

mod checker;
mod page;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use page::Page;

/// The part of the book that says what was measured and tried; all others say what is.
const JOURNAL: &str = "docs/journal/";

/// Pages outside of `docs/` whose links and names are checked as well.
const OTHER_PAGES: [&str; 8] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "python/README.md",
    "examples/farm/README.md",
    "benches/peer/README.md",
];

/// What names of other projects begin with that look like ours: Lv-2's calls, a member of RPCS3, Mesa's functions.
const FOREIGN_NAMES: [&str; 4] = ["sys_rsx_", "rsx_event_port", "nvk_", "wsi_"];

/// Files of other projects.
const FOREIGN_FILES: [&str; 1] = ["src/gallium/drivers/nouveau/ci/nouveau-gm206-fails.txt"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the repository by its path, but for what is built.
fn files() -> BTreeSet<String> {
    let (root, mut found) = (root(), BTreeSet::new());
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            let built = path.join("CACHEDIR.TAG").exists() || path.ends_with(".git");
            if path.is_dir() && !built {
                open.push(path);
            } else if path.is_file() {
                found.insert(name);
            }
        }
    }
    found
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Pages of the book, by their paths in `docs/`.
fn book() -> BTreeSet<String> {
    let pages = files().into_iter().filter_map(|file| Some(file.strip_prefix("docs/")?.to_owned()));
    pages.filter(|file| file.ends_with(".md") && file != "SUMMARY.md").collect()
}

/// All pages by their paths in the repository.
fn pages() -> Vec<(String, Page)> {
    let names = book().into_iter().map(|name| format!("docs/{name}")).chain(OTHER_PAGES.map(str::to_owned));
    names.map(|name| (name.clone(), Page::of(&read(&name)))).collect()
}

fn timeless() -> Vec<(String, Page)> {
    pages().into_iter().filter(|(name, _)| name.starts_with("docs/") && !name.starts_with(JOURNAL)).collect()
}

#[track_caller]
fn none(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_contents_list_every_page() {
    none(rules::contents(&read("docs/SUMMARY.md"), &book()));
    assert!(timeless().len() > 40 && pages().iter().any(|(name, _)| name.starts_with(JOURNAL)));
}

#[test]
fn links_lead_somewhere() {
    // Links of the book stay in the book, so that they lead somewhere in its pages for browsers as well.
    let exists = |path: &str| root().join(path).exists();
    let in_the_book = |path: &str| path.starts_with("docs/") && exists(path);
    let anchors = |path: &str| Page::of(&fs::read_to_string(root().join(path)).unwrap_or_default()).anchors;
    none(pages().iter().flat_map(|(name, page)| match name.starts_with("docs/") {
        true => rules::links(name, page, &in_the_book, &anchors),
        false => rules::links(name, page, &exists, &anchors),
    }));
}

#[test]
fn files_that_pages_name_exist() {
    let files = files();
    none(pages().iter().flat_map(|(name, page)| rules::paths(name, page, &files, &FOREIGN_FILES)));
}

/// Every name in the sources.
fn identifiers() -> BTreeSet<String> {
    let sources = ["rs", "h", "hpp", "c", "cpp", "py", "toml", "js", "html"];
    let mut found = BTreeSet::new();
    for file in files() {
        if Path::new(&file).extension().is_some_and(|extension| sources.iter().any(|source| extension == *source)) {
            let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
            let words = text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
            found.extend(words.filter(|word| word.contains('_')).map(str::to_owned));
        }
    }
    found
}

#[test]
fn names_that_pages_quote_exist() {
    let identifiers = identifiers();
    none(timeless().iter().flat_map(|(name, page)| rules::names(name, page, &identifiers, &FOREIGN_NAMES)));
}

/// Tests, benches and examples of all crates, with their kind in front.
fn targets() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let kinds = [("tests", "--test"), ("benches", "--bench"), ("examples", "--example")];
    for file in files() {
        for (folder, kind) in kinds {
            let Some(rest) = file.rsplit_once(&format!("{folder}/")).map(|(_, rest)| rest) else { continue };
            let name = rest.strip_suffix("/main.rs").or_else(|| rest.strip_suffix(".rs"));
            found.extend(name.filter(|name| !name.contains('/')).map(|name| format!("{kind} {name}")));
        }
        if file.ends_with("Cargo.toml") {
            let text = read(&file);
            for section in text.split("\n[[").skip(1) {
                let kind = section.split("]]").next().unwrap_or_default();
                let name = section.split("name = \"").nth(1).and_then(|rest| rest.split('"').next());
                found.extend(name.map(|name| format!("--{kind} {name}")));
            }
        }
    }
    found
}

#[test]
fn tests_and_benches_that_pages_name_exist() {
    let known = targets();
    none(pages().iter().flat_map(|(name, page)| rules::targets(name, page, &known)));
}

/// Blocks of Rust of a page.
fn rust_blocks(text: &str) -> Vec<&str> {
    text.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn code_of_the_tours_is_that_of_the_examples() {
    for (page, example) in [("3ds", "n3ds_triangle"), ("ps3", "ps3_triangle"), ("switch", "switch_triangle")] {
        let (page, source) = (read(&format!("docs/guide/{page}.md")), read(&format!("examples/rust/{example}.rs")));
        let blocks = rust_blocks(&page);
        assert!(!blocks.is_empty(), "{example} is not shown");
        none(
            blocks.iter().filter(|block| !source.contains(**block)).map(|block| format!("{example} has not:\n{block}")),
        );
    }
}

#[test]
fn sentences_are_short() {
    none(timeless().iter().flat_map(|(name, page)| rules::sentences(name, page)));
}

#[test]
fn dates_are_in_the_journal() {
    none(timeless().iter().flat_map(|(name, page)| rules::dates(name, page)));
}

#[test]
fn the_journal_says_what_makes_its_numbers() {
    let journal = book().into_iter().map(|name| format!("docs/{name}")).filter(|name| name.starts_with(JOURNAL));
    none(journal.flat_map(|name| rules::commands(&name, &read(&name))));
}
