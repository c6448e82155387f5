//! `word_fields!`: the fields of instructions that are several 32-bit words long, as one table.
//!
//! ```text
//! word_fields! {
//!     /// Write mask, most significant bit x.
//!     VEC_MASK 3 13:16;
//! }
//! ```
//! A row is: doc, name, word, bits `lo:hi` inclusive. It makes a constant of type [`WordField`] and a line of `FIELDS`.
//! Rows may overlap: which of two fields is meant depends on the operation.

/// Some bits of one word of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordField {
    /// The name, upper case.
    pub name: &'static str,
    /// Which word of the instruction.
    pub word: usize,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit, inclusive.
    pub hi: u32,
}

impl WordField {
    /// The largest value of the field.
    pub const fn max(&self) -> u32 {
        u32::MAX >> (31 - self.hi + self.lo)
    }

    /// The bits of the field in its word.
    pub const fn mask(&self) -> u32 {
        self.max() << self.lo
    }

    /// The value of the field.
    #[inline(always)]
    pub const fn get<const N: usize>(&self, words: &[u32; N]) -> u32 {
        words[self.word] >> self.lo & self.max()
    }

    /// Whether the field is not zero.
    #[inline(always)]
    pub const fn is_set<const N: usize>(&self, words: &[u32; N]) -> bool {
        self.get(words) != 0
    }

    /// Stores the low bits of `value`.
    #[inline(always)]
    pub const fn put<const N: usize>(&self, words: &mut [u32; N], value: u32) {
        let mask = self.mask();
        words[self.word] = words[self.word] & !mask | value << self.lo & mask;
    }
}

macro_rules! word_fields {
    ($( $(#[doc = $doc:literal])+ $name:ident $word:literal $lo:literal : $hi:literal ; )+) => {
        $(
            $(#[doc = $doc])+
            pub const $name: $crate::table::WordField =
                $crate::table::WordField { name: stringify!($name), word: $word, lo: $lo, hi: $hi };
        )+

        /// All fields, in the order of the table.
        pub const FIELDS: &[$crate::table::WordField] = &[$($name),+];
    };
}

pub(crate) use word_fields;

#[cfg(test)]
mod tests {
    word_fields! {
        /// Low byte of the first word.
        BYTE 0 0:7;
        /// The whole second word.
        ALL 1 0:31;
        /// The top bit of the second word.
        TOP 1 31:31;
    }

    #[test]
    fn fields_go_in_and_out_of_their_words() {
        let mut words = [0xFFFF_FF00, 0x8000_0001];
        assert_eq!((BYTE.get(&words), ALL.get(&words), TOP.is_set(&words)), (0, 0x8000_0001, true));
        BYTE.put(&mut words, 0x1AB);
        TOP.put(&mut words, 0);
        assert_eq!(words, [0xFFFF_FFAB, 1]);
        ALL.put(&mut words, u32::MAX);
        assert_eq!((words[1], ALL.max(), TOP.mask()), (u32::MAX, u32::MAX, 1 << 31));
        assert_eq!(FIELDS.iter().map(|field| field.name).collect::<Vec<_>>(), ["BYTE", "ALL", "TOP"]);
    }
}
