//! Bit patterns, drawn as in the documentation and read while compiling.
//!
//! `"000000 ddddd ii aaaaaaa bbbbb ppppppp"`: most significant bit first; `0` and `1` are fixed, `-` is ignored by the
//! hardware, a letter belongs to the operand field of that name, spaces are for the reader. A field may be
//! interrupted by other bits; its upper part comes first.

/// A bit pattern of one row, as masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The pattern as it was drawn.
    pub text: &'static str,
    /// Number of bits of the word: 1 to 64.
    pub width: u32,
    /// The bits that are fixed.
    pub mask: u64,
    /// The values of the fixed bits; zero elsewhere.
    pub value: u64,
    /// The bits of each field, `a` to `z`.
    fields: [u64; 26],
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Panics
    /// When it holds another character or is wider than 64 bits; in a `const` that is a compile error.
    pub const fn parse(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let mut pattern = Pattern { text, width: 0, mask: 0, value: 0, fields: [0; 26] };
        let mut bit = drawn_bits(bytes);
        pattern.width = bit;
        assert!(bit >= 1 && bit <= 64, "a bit pattern has 1 to 64 bits");
        let mut i = 0;
        while i < bytes.len() {
            let c = bytes[i];
            i += 1;
            if c == b' ' {
                continue;
            }
            bit -= 1;
            let one = 1u64 << bit;
            match c {
                b'0' => pattern.mask |= one,
                b'1' => {
                    pattern.mask |= one;
                    pattern.value |= one;
                }
                b'-' => {}
                b'a'..=b'z' => pattern.fields[(c - b'a') as usize] |= one,
                _ => panic!("a bit pattern holds 0, 1, -, a to z and spaces"),
            }
        }
        pattern
    }

    /// The bits of the field `letter`, zero if the row has no such field.
    #[inline(always)]
    pub const fn field(&self, letter: u8) -> u64 {
        self.fields[(letter - b'a') as usize]
    }

    /// Number of bits of the field `letter`.
    #[inline(always)]
    pub const fn field_width(&self, letter: u8) -> u32 {
        self.field(letter).count_ones()
    }

    /// Whether the fixed bits of `word` are those of the row.
    #[inline(always)]
    pub const fn matches(&self, word: u64) -> bool {
        word & self.mask == self.value
    }

    /// The bits that the hardware ignores.
    pub const fn ignored(&self) -> u64 {
        let mut used = self.mask;
        let mut i = 0;
        while i < 26 {
            used |= self.fields[i];
            i += 1;
        }
        !used & low_bits(self.width)
    }

    /// Whether some word matches both patterns.
    pub const fn overlaps(&self, other: &Pattern) -> bool {
        (self.value ^ other.value) & self.mask & other.mask == 0
    }

    /// Checks that the row's fields are those of its shape, with widths the shape allows.
    ///
    /// # Panics
    /// With `row` as the message when they are not; in a `const` that is a compile error.
    pub const fn check(&self, word_bits: u32, specs: &[FieldSpec], row: &'static str) {
        if self.width != word_bits {
            panic!("{}", row);
        }
        let mut known = 0u32;
        let mut i = 0;
        while i < specs.len() {
            let width = self.field_width(specs[i].letter);
            if width < specs[i].min || width > specs[i].max {
                panic!("{}", row);
            }
            known |= 1 << (specs[i].letter - b'a');
            i += 1;
        }
        let mut letter = 0;
        while letter < 26 {
            if self.fields[letter] != 0 && known & (1 << letter) == 0 {
                panic!("{}", row);
            }
            letter += 1;
        }
    }
}

/// How many bits a pattern draws.
const fn drawn_bits(bytes: &[u8]) -> u32 {
    let mut bits = 0;
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] != b' ' {
            bits += 1;
        }
        i += 1;
    }
    bits
}

/// A mask of the `width` lowest bits, `width` at most 64.
pub(crate) const fn low_bits(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// A field that a shape reads: its letter and the widths it may have. A minimum of zero makes the field optional; it
/// then reads as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// The letter of the field in bit patterns, `a` to `z`.
    pub letter: u8,
    /// Fewest bits.
    pub min: u32,
    /// Most bits.
    pub max: u32,
}

impl FieldSpec {
    /// A field of exactly `width` bits.
    pub const fn new(letter: u8, width: u32) -> Self {
        FieldSpec { letter, min: width, max: width }
    }

    /// A field of `min` to `max` bits.
    pub const fn between(letter: u8, min: u32, max: u32) -> Self {
        FieldSpec { letter, min, max }
    }
}

/// The operands of an instruction: a plain structure read from the fields of a row.
pub trait Shape: Sized {
    /// The shape's name, for listings.
    const NAME: &'static str;
    /// The fields that a row of this shape must have. Rows are checked against it while compiling.
    const FIELDS: &'static [FieldSpec];
    /// Reads the operands of a word. Any word gives operands.
    fn decode(fields: Fields<'_>) -> Self;
    /// Puts the operands into a word.
    fn encode(&self, word: &mut Encoder<'_>);
}

/// A word seen through the pattern of its row.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    word: u64,
    pattern: &'a Pattern,
}

impl<'a> Fields<'a> {
    /// `word` through `pattern`; the fixed bits are ignored.
    #[inline(always)]
    pub const fn new(word: u64, pattern: &'a Pattern) -> Self {
        Fields { word, pattern }
    }

    /// The value of the field `letter`; zero if the row does not have it.
    #[inline(always)]
    pub const fn get(&self, letter: u8) -> u64 {
        gather(self.word, self.pattern.field(letter))
    }

    /// Whether the row has the field `letter`.
    #[inline(always)]
    pub const fn has(&self, letter: u8) -> bool {
        self.pattern.field(letter) != 0
    }

    /// Number of bits of the field `letter`.
    #[inline(always)]
    pub const fn width(&self, letter: u8) -> u32 {
        self.pattern.field_width(letter)
    }

    /// The low byte of the field `letter`.
    #[inline(always)]
    pub const fn byte(&self, letter: u8) -> u8 {
        self.get(letter) as u8
    }

    /// The value of the field `letter`, its highest bit being the sign; zero if the row does not have it.
    #[inline(always)]
    pub const fn signed(&self, letter: u8) -> i64 {
        let unused = (64 - self.pattern.field_width(letter)) & 63;
        (self.get(letter) << unused) as i64 >> unused
    }

    /// Whether the field `letter` is not zero.
    #[inline(always)]
    pub const fn flag(&self, letter: u8) -> bool {
        self.get(letter) != 0
    }
}

/// Builds a word from the values of its fields, starting from the row's fixed bits.
#[derive(Clone, Debug)]
pub struct Encoder<'a> {
    word: u64,
    pattern: &'a Pattern,
    error: Option<DoesNotFit>,
}

impl<'a> Encoder<'a> {
    /// A word of the row with all fields zero.
    pub const fn new(pattern: &'a Pattern) -> Self {
        Encoder { word: pattern.value, pattern, error: None }
    }

    /// Stores `value` in the field `letter`. A value that the field cannot hold is reported by
    /// [`finish`](Self::finish).
    pub fn put(&mut self, letter: u8, value: u64) {
        let bits = self.pattern.field_width(letter);
        if value > low_bits(bits) || (bits == 0 && value != 0) {
            self.error.get_or_insert(DoesNotFit { field: letter as char, value, bits });
        }
        let mask = self.pattern.field(letter);
        self.word = (self.word & !mask) | scatter(value, mask);
    }

    /// Stores `value` in the field `letter`, whose highest bit is the sign. A value that the field cannot hold is
    /// reported by [`finish`](Self::finish).
    pub fn put_signed(&mut self, letter: u8, value: i64) {
        let bits = self.pattern.field_width(letter);
        let limit = 1i64.checked_shl(bits.wrapping_sub(1)).unwrap_or(0);
        if bits == 64 || (-limit..limit).contains(&value) {
            self.put(letter, value as u64 & low_bits(bits));
        } else if value != 0 {
            self.error.get_or_insert(DoesNotFit { field: letter as char, value: value as u64, bits });
        }
    }

    /// Whether the row has the field `letter`.
    pub const fn has(&self, letter: u8) -> bool {
        self.pattern.field(letter) != 0
    }

    /// Number of bits of the field `letter`.
    pub const fn width(&self, letter: u8) -> u32 {
        self.pattern.field_width(letter)
    }

    /// The value of the field `letter`.
    pub const fn stored(&self, letter: u8) -> u64 {
        gather(self.word, self.pattern.field(letter))
    }

    /// Reports that the row cannot hold `value`, which was for the field `letter`.
    pub fn reject(&mut self, letter: u8, value: u64) {
        let bits = self.pattern.field_width(letter);
        self.error.get_or_insert(DoesNotFit { field: letter as char, value, bits });
    }

    /// The finished word.
    pub fn finish(self) -> Result<u64, DoesNotFit> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.word),
        }
    }
}

/// An operand needs more bits than its field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operand value {value} does not fit field '{field}' of {bits} bits")]
pub struct DoesNotFit {
    /// The letter of the field.
    pub field: char,
    /// The value.
    pub value: u64,
    /// The width of the field; zero if the row has no such field.
    pub bits: u32,
}

/// The bits of `word` under `mask`, moved together. Constant masks of one run become a shift and an `and`.
#[inline(always)]
const fn gather(word: u64, mask: u64) -> u64 {
    let mut rest = mask;
    let mut out = 0;
    let mut at = 0;
    while rest != 0 {
        let low = rest.trailing_zeros();
        let run = (!(rest >> low)).trailing_zeros();
        out |= ((word >> low) & low_bits(run)) << at;
        at += run;
        rest &= !(low_bits(run) << low);
    }
    out
}

/// The low bits of `value`, spread over the bits of `mask`.
const fn scatter(value: u64, mask: u64) -> u64 {
    let mut rest = mask;
    let mut out = 0;
    let mut taken = 0;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        if (value >> taken) & 1 != 0 {
            out |= bit;
        }
        taken += 1;
        rest &= !bit;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_reads_fixed_bits_fields_and_ignored_bits() {
        const P: Pattern = Pattern::parse("10 aa - b a");
        assert_eq!((P.width, P.mask, P.value), (7, 0x60, 0x40));
        assert_eq!((P.field(b'a'), P.field(b'b'), P.field(b'c')), (0x19, 0x02, 0));
        assert_eq!(P.ignored(), 0x04);
    }

    #[test]
    fn interrupted_field_goes_in_and_out() {
        const P: Pattern = Pattern::parse("10 aa - b a");
        for value in 0..8 {
            let mut word = Encoder::new(&P);
            word.put(b'a', value);
            let word = word.finish().expect("three bits fit");
            assert!(P.matches(word));
            assert_eq!(Fields::new(word, &P).get(b'a'), value);
            assert_eq!(Fields::new(word, &P).get(b'z'), 0);
        }
    }

    #[test]
    fn sixty_four_bits_fit() {
        const P: Pattern = Pattern::parse("1ddddddd dddddddd dddddddd dddddddd dddddddd dddddddd dddddddd ddddddd0");
        assert_eq!((P.width, P.mask, P.field_width(b'd')), (64, 1 << 63 | 1, 62));
        assert_eq!(Fields::new(u64::MAX, &P).get(b'd'), low_bits(62));
    }

    #[test]
    fn signed_values_go_in_and_out() {
        const P: Pattern = Pattern::parse("10 aa - b a");
        for value in -4..4 {
            let mut word = Encoder::new(&P);
            word.put_signed(b'a', value);
            let word = word.finish().expect("three bits fit");
            assert_eq!(Fields::new(word, &P).signed(b'a'), value);
        }
        for value in [-5, 4] {
            let mut word = Encoder::new(&P);
            word.put_signed(b'a', value);
            assert_eq!(word.finish(), Err(DoesNotFit { field: 'a', value: value as u64, bits: 3 }));
        }
        let mut word = Encoder::new(&P);
        word.put_signed(b'q', 0);
        assert!(word.finish().is_ok());
        assert_eq!(Fields::new(!0, &P).signed(b'q'), 0);
    }

    #[test]
    fn value_wider_than_its_field_is_an_error() {
        const P: Pattern = Pattern::parse("10 aa - b a");
        let mut word = Encoder::new(&P);
        word.put(b'b', 2);
        assert_eq!(word.finish(), Err(DoesNotFit { field: 'b', value: 2, bits: 1 }));
        let mut word = Encoder::new(&P);
        word.put(b'q', 1);
        assert!(word.finish().is_err());
    }
}
