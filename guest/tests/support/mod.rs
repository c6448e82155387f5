//! What the tests share: a random source, data files, the few forms of JSON that the data files have.
#![allow(dead_code)]

use std::path::PathBuf;

/// A random source with a fixed start (SplitMix64).
pub fn rng(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }
}

/// A file or folder of the workspace's test data for this machine.
pub fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/3ds").join(path)
}

/// The text of a data file of another machine.
pub fn text_of(machine: &str, path: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(machine).join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The text of a data file.
pub fn text(path: &str) -> String {
    std::fs::read_to_string(data(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The part of a JSON text that is the list `key`, without its brackets.
pub fn list<'a>(json: &'a str, key: &str) -> &'a str {
    let start = json.find(&format!("\"{key}\": [")).unwrap_or_else(|| panic!("no list {key}"));
    let list = &json[start + key.len() + 5..];
    let mut depth = 1;
    let end = list.find(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth == 0
    });
    &list[..end.expect("the list ends")]
}

/// The objects of a JSON list that hold no objects themselves.
pub fn objects(list: &str) -> impl Iterator<Item = &str> {
    list.split('{').skip(1).map(|object| object.split('}').next().unwrap_or(""))
}

/// The quoted strings of a JSON text, in order.
pub fn strings(json: &str) -> impl Iterator<Item = &str> {
    json.split('"').skip(1).step_by(2)
}

/// The string `key` of a JSON object.
pub fn string<'a>(object: &'a str, key: &str) -> &'a str {
    let mut strings = strings(object);
    strings.find(|&s| s == key).and_then(|_| strings.next()).unwrap_or_else(|| panic!("no {key}"))
}

/// A hexadecimal number, `0x...`.
pub fn hex(text: &str) -> u32 {
    let digits = text.strip_prefix("0x").unwrap_or_else(|| panic!("{text} is not hexadecimal"));
    u32::from_str_radix(digits, 16).unwrap_or_else(|error| panic!("{text}: {error}"))
}
