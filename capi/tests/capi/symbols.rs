//! What the library exports: `symbols.txt`, a line for each function.

use std::path::Path;
use std::process::Command;

use crate::{SOURCES, calls, check_file, folder, texts};

/// The exported functions, in alphabetical order.
pub fn symbols() -> Vec<String> {
    let texts: Vec<String> = SOURCES.iter().flat_map(|(part, _)| texts(part)).collect();
    let mut found: Vec<String> = texts
        .iter()
        .flat_map(|text| text.split("#[unsafe(no_mangle)]\n").skip(1).map(name).collect::<Vec<_>>())
        .chain(calls::functions().iter().map(|function| function.name()))
        .collect();
    found.sort();
    found
}

/// The name of the function that a text begins with.
fn name(text: &str) -> String {
    let (_, name) = text.split_once("extern \"C\" fn ").expect("an exported function");
    name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn symbols_change_on_purpose_only() {
    let symbols = symbols();
    assert!(symbols.iter().all(|symbol| symbol.starts_with("triglyph_")));
    let list: String = symbols.iter().map(|symbol| format!("{symbol}\n")).collect();
    check_file(&folder().join("symbols.txt"), &list);
}

#[test]
fn the_library_exports_these_and_nothing_else() {
    check_exports(&crate::programs::library().shared);
}

/// Checks what a shared library exports: `nm` lists it.
pub fn check_exports(shared: &Path) {
    let Ok(run) = Command::new("nm").args(["-D", "--defined-only"]).arg(shared).output() else {
        return println!("skipped: there is no nm");
    };
    let listed = String::from_utf8(run.stdout).unwrap();
    if cfg!(target_os = "linux") && run.status.success() {
        let mut exported: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
        exported.sort_unstable();
        assert_eq!(exported, symbols());
    } else {
        println!("skipped: nm does not list exports");
    }
}
