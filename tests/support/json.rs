//! Test data in JSON.

pub use serde_json::Value;

/// A JSON file below `tests/data/3ds/`.
pub fn json(name: &str) -> Value {
    let path = super::file("data/3ds").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
