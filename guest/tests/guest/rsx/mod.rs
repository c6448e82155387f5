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

/// The first of the words that `next` gives that decode, and what they are.
fn known<T, E>(mut next: impl FnMut() -> [u32; 4], decode: impl Fn([u32; 4]) -> Result<T, E>) -> ([u32; 4], T) {
    loop {
        let words = next();
        if let Ok(instruction) = decode(words) {
            return (words, instruction);
        }
    }
}

/// The bits that change what some of 20,000 instructions decode to.
fn meaningful_bits<T: PartialEq>(mut next: impl FnMut() -> [u32; 4], decode: impl Fn([u32; 4]) -> T) -> [u32; 4] {
    let mut meant = [0; 4];
    for _ in 0..20_000 {
        let words = next();
        let instruction = decode(words);
        for bit in 0..128 {
            let mut changed = words;
            changed[bit / 32] ^= 1 << (bit % 32);
            if decode(changed) != instruction {
                meant[bit / 32] |= 1 << (bit % 32);
            }
        }
    }
    meant
}
