//! The RSX.

use serde_json::Value;
use triglyph_testkit::data::hex;

mod fragment;
mod tables;
mod vertex;

/// The list `key`, empty if there is none.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Four words from a list of hexadecimal strings.
fn words_of(list: &[Value]) -> [u32; 4] {
    let word = |i: usize| hex(list[i].as_str().expect("a word"));
    [word(0), word(1), word(2), word(3)]
}

/// Letters of a mask, `xw`.
fn letters(mask: u32) -> String {
    "xyzw".chars().enumerate().filter(|(i, _)| mask >> i & 1 != 0).map(|(_, letter)| letter).collect()
}
