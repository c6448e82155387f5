//! `docs/hosts`: what the walkthroughs for emulators show is right. Blocks in C++ are compiled in their order, with
//! declarations of the emulator's names (`tests/hosts/mocks`); functions that blocks in C# import are exported,
//! with as many arguments.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::folder;
use crate::programs::{has_compiler, succeed};

/// The pages, by name: the folder of walkthroughs is wherever the pages are.
fn pages() -> BTreeMap<String, String> {
    let mut folders = vec![folder().join("../docs")];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if folder.ends_with("hosts") && path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// The blocks of a language, in their order.
fn blocks(page: &str, language: &str) -> String {
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|block| block.split("```").next().unwrap()).collect()
}

#[test]
fn blocks_in_cpp_compile() {
    let compiler = std::env::var("CXX").unwrap_or("c++".into());
    if !has_compiler(&compiler) {
        return;
    }
    let scratch = TempDir::new().unwrap();
    let mut compiled = Vec::new();
    for (name, page) in pages() {
        let code = blocks(&page, "cpp");
        if code.is_empty() {
            continue;
        }
        let mock: PathBuf = folder().join("tests/hosts/mocks").join(&name).with_extension("hpp");
        let source = scratch.path().join(&name).with_extension("cpp");
        std::fs::write(&source, format!("#include \"{}\"\n{code}", mock.display())).unwrap();
        let mut command = Command::new(&compiler);
        command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
        succeed(command.arg("-I").arg(folder().join("include")).arg(&source));
        compiled.push(name);
    }
    assert_eq!(compiled, ["azahar", "panda3ds", "rpcs3"]);
}

/// How many arguments a declaration has, from the text after its opening parenthesis.
fn arguments(text: &str) -> usize {
    let (mut depth, mut count) = (0, 1);
    for c in text.chars() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' if depth == 0 => break,
            ')' | '>' | ']' => depth -= 1,
            ',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    if text.starts_with(')') || text.starts_with("void)") { 0 } else { count }
}

#[test]
fn blocks_in_csharp_import_what_is_exported() {
    let headers: String = ["common", "n3ds", "rsx", "tegra"]
        .map(|part| std::fs::read_to_string(folder().join(format!("include/triglyph_{part}.h"))).unwrap())
        .concat();
    let mut imported = 0;
    for (name, page) in pages() {
        let code = blocks(&page, "csharp");
        for declaration in code.split("static partial ").skip(1).filter(|text| !text.starts_with("class")) {
            let (head, rest) = declaration.split_once('(').unwrap();
            let function = head.split_whitespace().last().unwrap();
            let (_, exported) = headers
                .split_once(&format!(" {function}("))
                .or_else(|| headers.split_once(&format!("*{function}(")))
                .unwrap_or_else(|| panic!("{name}: {function} is not exported"));
            assert_eq!(arguments(rest), arguments(exported), "{name}: {function}");
            imported += 1;
        }
    }
    assert!(imported > 20, "{imported}");
}
