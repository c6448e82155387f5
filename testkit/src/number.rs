//! Numbers: equality of floats, settings from the environment.

/// Equal to the bit, or both NaN.
pub fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// A number from the environment, decimal or 0x and hexadecimal, or the default.
pub fn setting(name: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return default };
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.unwrap_or_else(|error| panic!("{name}={text}: {error}"))
}
