//! Test data and small things that several test files need.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod scene;

use std::path::PathBuf;

use serde_json::Value;

/// A file of the 3DS test data.
pub fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/3ds").join(name)
}

/// A JSON file of the 3DS test data.
pub fn json(name: &str) -> Value {
    let path = file(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The elements of an array.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// A whole number, also when written as hexadecimal text.
pub fn number(value: &Value) -> i64 {
    match value {
        Value::String(text) => i64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a hexadecimal number"),
        other => other.as_i64().unwrap_or_else(|| panic!("no number: {other}")),
    }
}

/// Bytes written as hexadecimal text.
pub fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap_or_else(|| panic!("no text: {value}")).as_bytes();
    let digit = |c: u8| (c as char).to_digit(16).expect("a hexadecimal digit") as u8;
    text.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// An array of `N` whole numbers.
pub fn numbers<const N: usize>(value: &Value) -> [i64; N] {
    std::array::from_fn(|i| number(&items(value)[i]))
}

/// A colour, r, g, b, a.
pub fn color(value: &Value) -> [u8; 4] {
    numbers::<4>(value).map(|channel| channel as u8)
}

/// A vector of floats.
pub fn vector(value: &Value) -> [f32; 4] {
    std::array::from_fn(|i| items(value)[i].as_f64().expect("a float") as f32)
}

/// A stream of arbitrary numbers, the same in every run.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }
}
