//! Files below `tests/`: vectors, programs, captures, and the forms of JSON that the vectors have.

use std::path::{Path, PathBuf};

pub use serde_json::Value;

/// A file or folder below `tests/`.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("tests").join(name)
}

/// The text of a file below `tests/data/`.
pub fn text_of(name: &str) -> String {
    let path = file("data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The columns of a line of a list, split at commas outside of quotes.
pub fn columns(line: &str) -> Vec<String> {
    let mut columns = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => columns.push(String::new()),
            _ => columns.last_mut().expect("one at least").push(c),
        }
    }
    columns
}

/// The lines of a list below `tests/data/` by columns, without the first one, which names them.
pub fn table(name: &str) -> Vec<Vec<String>> {
    text_of(name).lines().skip(1).map(columns).collect()
}

/// A JSON file below `tests/data/`.
pub fn json(name: &str) -> Value {
    serde_json::from_str(&text_of(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The elements of a list in a JSON file below `tests/data/`, of which there are so many: no vector is lost unnoticed.
pub fn vectors(name: &str, list: &str, count: usize) -> Vec<Value> {
    let vectors = items(&json(name)[list]).to_vec();
    assert_eq!(vectors.len(), count, "{name}: {list}");
    vectors
}

/// Every file with an extension below a folder, by name.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry of a folder").path()) {
        if path.is_dir() {
            files.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The bundled captures in a folder below `tests/captures/`.
pub fn captures(folder: &str) -> Vec<PathBuf> {
    files_below(&file("captures").join(folder), "tgc")
}

/// The bundled captures whose paths contain one of these names, one for each name.
pub fn captures_named(names: &[&str]) -> Vec<PathBuf> {
    let is_named = |path: &PathBuf| names.iter().any(|name| path.to_string_lossy().contains(name));
    let found: Vec<PathBuf> = captures("").into_iter().filter(is_named).collect();
    assert_eq!(found.len(), names.len(), "{names:?}");
    found
}

/// The bytes of the bundled capture whose path contains this name.
pub fn capture(name: &str) -> Vec<u8> {
    let path = captures("").into_iter().find(|path| path.to_string_lossy().contains(name));
    std::fs::read(path.unwrap_or_else(|| panic!("no capture {name}"))).expect("a capture")
}

/// The bundled captures and those of the folder that TRIGLYPH_CAPTURES names, and whether it names one.
pub fn all_captures() -> (Vec<PathBuf>, bool) {
    let further = std::env::var_os("TRIGLYPH_CAPTURES");
    let mut files = captures("");
    files.extend(further.iter().flat_map(|folder| files_below(Path::new(folder), "tgc")));
    (files, further.is_some())
}

/// The elements of an array.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// A text.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// A whole number, also when written as hexadecimal text.
pub fn number(value: &Value) -> i64 {
    match value {
        Value::String(text) => i64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a hexadecimal number"),
        other => other.as_i64().unwrap_or_else(|| panic!("no number: {other}")),
    }
}

/// An array of `N` whole numbers.
pub fn numbers<const N: usize>(value: &Value) -> [i64; N] {
    assert_eq!(items(value).len(), N, "{value}");
    std::array::from_fn(|i| number(&items(value)[i]))
}

/// An array of `N` floats.
pub fn floats<const N: usize>(value: &Value) -> [f32; N] {
    assert_eq!(items(value).len(), N, "{value}");
    std::array::from_fn(|i| items(value)[i].as_f64().expect("a float") as f32)
}

/// A colour, r, g, b, a.
pub fn color(value: &Value) -> [u8; 4] {
    numbers::<4>(value).map(|channel| channel as u8)
}

/// Bytes written as hexadecimal text.
pub fn bytes(value: &Value) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).expect("a hexadecimal digit") as u8;
    text(value).as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// A hexadecimal number, `0x...`.
pub fn hex(text: &str) -> u32 {
    let digits = text.strip_prefix("0x").unwrap_or_else(|| panic!("{text} is not hexadecimal"));
    u32::from_str_radix(digits, 16).unwrap_or_else(|error| panic!("{text}: {error}"))
}
