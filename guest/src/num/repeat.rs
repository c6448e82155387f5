//! Expands few bits to eight by repeating them.

/// The eight bits that begin with the low `count` bits of `bits`, 1 to 8, over and over.
pub const fn to_byte(bits: u32, count: u32) -> u32 {
    let (mut byte, mut count) = (bits << (8 - count), count);
    while count < 8 {
        byte |= byte >> count;
        count *= 2;
    }
    byte
}

#[cfg(test)]
mod tests {
    #[test]
    fn bits_repeat_from_the_top() {
        let five = [3, 7, 24, 28, 31].map(|bits| super::to_byte(bits, 5));
        assert_eq!(five, [24, 57, 198, 231, 255]);
        assert_eq!([1, 2, 3, 4, 6, 7, 8].map(|count| super::to_byte(1, count)), [255, 85, 36, 17, 4, 2, 1]);
    }
}
