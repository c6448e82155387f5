//! `isa!`: an instruction set as one table.
//!
//! ```text
//! isa! {
//!     word u32, 6 top bits;
//!     listing Listing<'_>;
//!     assembly Assembly<'_>;
//!
//!     /// Float and flow instructions.
//!     family Visitor {
//!         /// d = a + b. Source: the manual
//!         add "000000 ddddd ii aaaaaaa bbbbb ppppppp" Arith2: PARTIAL;
//!     }
//! }
//! ```
//! It makes, in the module where it stands: a visitor trait per family (one method per row; a missing one is a compile
//! error), `Op`, `ALL`, `decode`, `visit`, `canonical`, `print_instruction`, `parse_instruction`, `random_word`. The
//! top bits are the index of the lookup table; they need not decide alone. The listing and assembly types are what
//! [`PrintOperands`](super::PrintOperands) and [`ParseOperands`](super::ParseOperands) of the shapes are given.

macro_rules! isa {
    (
        word $Word:ident, $top:literal top bits;
        listing $Listing:ty;
        assembly $Assembly:ty;
        $(
            $(#[doc = $family_doc:literal])*
            family $Family:ident {
                $(
                    $(#[doc = $doc:literal])*
                    $name:ident $pattern:literal $Shape:ident $(: $($flag:ident)|+)?;
                )+
            }
        )+
    ) => {
        $(
            $(#[doc = $family_doc])*
            pub trait $Family {
                /// What executing or translating one instruction yields.
                type Output;
                $(
                    $(#[doc = $doc])*
                    fn $name(&mut self, i: $Shape) -> Self::Output;
                )+
            }
        )+

        /// The operations, in the order of the table.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op {
            $($(
                $(#[doc = $doc])*
                $name,
            )+)+
        }

        /// The bit pattern of each row.
        #[allow(non_upper_case_globals)]
        mod patterns {
            use $crate::table::Pattern;
            $($( pub(super) const $name: Pattern = Pattern::parse($pattern); )+)+
        }

        $($(
            const _: () = patterns::$name.check(
                <$Word>::BITS,
                <$Shape as $crate::table::Shape>::FIELDS,
                concat!(stringify!($name), ": the pattern's width or fields are not those of ", stringify!($Shape)),
            );
        )+)+

        /// All rows, in the order of the table.
        pub const ALL: &[$crate::table::OpInfo] = &[
            $($(
                $crate::table::OpInfo {
                    name: $crate::table::info::mnemonic(stringify!($name)),
                    doc: concat!($($doc, "\n"),*),
                    pattern: patterns::$name,
                    shape: <$Shape as $crate::table::Shape>::NAME,
                    family: stringify!($Family),
                    flags: 0 $($(| $crate::table::flags::$flag)+)?,
                },
            )+)+
        ];

        const OPS: &[Op] = &[$($( Op::$name, )+)+];
        const BUCKETS: usize = 1 << $top;
        const ENTRIES: usize = $crate::table::decoder::entry_count(ALL, <$Word>::BITS, BUCKETS);
        static DECODER: $crate::table::Decoder<BUCKETS, ENTRIES> =
            $crate::table::Decoder::new(ALL, <$Word>::BITS);

        impl Op {
            /// All operations, in the order of the table.
            pub fn all() -> impl ExactSizeIterator<Item = Op> + Clone {
                OPS.iter().copied()
            }

            /// The row of this operation.
            #[inline]
            pub const fn info(self) -> &'static $crate::table::OpInfo {
                &ALL[self as usize]
            }

            /// The operation of a mnemonic.
            pub fn named(mnemonic: &str) -> Option<Op> {
                OPS.iter().copied().find(|op| op.info().name == mnemonic)
            }
        }

        /// The operation of a word; `None` if no row has its bits.
        #[inline]
        pub fn decode(word: $Word) -> Option<Op> {
            DECODER.find(u64::from(word)).map(|row| OPS[row])
        }

        /// Decodes a word and calls the visitor's method of its row; `None` for an unknown word.
        #[inline]
        pub fn visit<R, V: $($Family<Output = R> +)+ ?Sized>(word: $Word, visitor: &mut V) -> Option<R> {
            use $crate::table::{Fields, Shape};
            let word = u64::from(word);
            Some(match OPS[DECODER.find(word)?] {
                $($(
                    Op::$name => visitor.$name(<$Shape as Shape>::decode(Fields::new(word, &patterns::$name))),
                )+)+
            })
        }

        /// The word with every bit that its operands do not carry set to zero; `None` for an unknown word.
        pub fn canonical(word: $Word) -> Option<$Word> {
            use $crate::table::{Encoder, Fields, Shape};
            let word = u64::from(word);
            let encoded = match OPS[DECODER.find(word)?] {
                $($(
                    Op::$name => {
                        let mut encoder = Encoder::new(&patterns::$name);
                        <$Shape as Shape>::decode(Fields::new(word, &patterns::$name)).encode(&mut encoder);
                        encoder.finish()
                    }
                )+)+
            };
            encoded.ok().map(|word| word as $Word)
        }

        /// The text of one instruction; `None` for an unknown word.
        pub fn print_instruction(word: $Word, listing: &$Listing) -> Option<String> {
            use $crate::table::{Fields, PrintOperands, Shape};
            let word = u64::from(word);
            let op = OPS[DECODER.find(word)?];
            let mut out = String::from(op.info().name);
            match op {
                $($(
                    Op::$name => <$Shape as Shape>::decode(Fields::new(word, &patterns::$name))
                        .print(op.info(), listing, &mut out),
                )+)+
            }
            Some(out)
        }

        /// Reads one instruction, mnemonic first.
        pub fn parse_instruction(
            text: &str,
            assembly: &mut $Assembly,
        ) -> Result<$Word, $crate::table::TextError> {
            use $crate::table::{Cursor, Encoder, ParseOperands, Shape, TextError};
            let mut cursor = Cursor::new(text);
            let mnemonic = cursor.name().ok_or_else(|| cursor.expected("an instruction"))?;
            let op = Op::named(mnemonic).ok_or_else(|| TextError::UnknownInstruction(mnemonic.to_owned()))?;
            let mut encoder = Encoder::new(&op.info().pattern);
            match op {
                $($(
                    Op::$name => <$Shape as ParseOperands<_>>::parse(op.info(), &mut cursor, assembly)?
                        .encode(&mut encoder),
                )+)+
            }
            cursor.finish()?;
            Ok(encoder.finish()? as $Word)
        }

        /// A word of `op` with random operands and random ignored bits.
        pub fn random_word(op: Op, rng: &mut (impl FnMut() -> u32 + ?Sized)) -> $Word {
            loop {
                let word = op.info().random(rng) as $Word;
                if decode(word) == Some(op) {
                    return word;
                }
            }
        }
    };
}

pub(crate) use isa;

#[cfg(test)]
mod tests {
    use crate::table::{Cursor, Encoder, FieldSpec, Fields, OpInfo, ParseOperands, PrintOperands, Shape, TextError};

    /// One number, in one piece or two.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Number(u64);

    impl Shape for Number {
        const NAME: &'static str = "Number";
        const FIELDS: &'static [FieldSpec] = &[FieldSpec::between(b'n', 0, 40)];
        fn decode(fields: Fields<'_>) -> Self {
            Number(fields.get(b'n'))
        }
        fn encode(&self, word: &mut Encoder<'_>) {
            word.put(b'n', self.0);
        }
    }

    impl PrintOperands<()> for Number {
        fn print(&self, _: &OpInfo, _: &(), out: &mut String) {
            out.push_str(&format!(" {}", self.0));
        }
    }

    impl ParseOperands<()> for Number {
        fn parse(_: &OpInfo, text: &mut Cursor<'_>, _: &mut ()) -> Result<Self, TextError> {
            text.number("a number", u64::MAX).map(Number)
        }
    }

    /// Two families of 64-bit words; `zero` is a special case of `load`, and the top bits do not decide alone.
    mod wide {
        use super::Number;

        super::super::isa! {
            word u64, 4 top bits;
            listing ();
            assembly ();

            /// Arithmetic.
            family Arithmetic {
                /// Adds.
                add "0101 nnnnnnnn 0--- -------- -------- -------- -------- -------- ---- nnnn" Number;
                /// Subtracts.
                sub_ "0101 nnnnnnnn 1--- -------- -------- -------- -------- -------- ---- nnnn" Number;
            }
            /// Memory.
            family Memory {
                /// Loads.
                load "1--- ---- nnnnnnnn -------- -------- -------- -------- -------- ---- ---1" Number: LOADS;
                /// Loads nothing.
                zero "1011 ---- 00000000 -------- -------- -------- -------- -------- ---- ---1" Number;
            }
        }

        /// Names the family and the operand.
        pub struct Name;

        impl Arithmetic for Name {
            type Output = (&'static str, u64);
            fn add(&mut self, i: Number) -> Self::Output {
                ("add", i.0)
            }
            fn sub_(&mut self, i: Number) -> Self::Output {
                ("sub", i.0)
            }
        }

        impl Memory for Name {
            type Output = (&'static str, u64);
            fn load(&mut self, i: Number) -> Self::Output {
                ("load", i.0)
            }
            fn zero(&mut self, i: Number) -> Self::Output {
                ("zero", i.0)
            }
        }
    }

    #[test]
    fn families_of_64_bit_words_decode_most_specific_first() {
        let visit = |word| wide::visit(word, &mut wide::Name);
        assert_eq!(visit(0x5120_0000_0000_0003), Some(("add", 0x123)));
        assert_eq!(visit(0x5128_0000_0000_0003), Some(("sub", 0x123)));
        assert_eq!(visit(0xB000_0000_0000_0001), Some(("zero", 0)));
        assert_eq!(visit(0xB001_0000_0000_0001), Some(("load", 1)));
        assert_eq!(visit(0xA000_0000_0000_0001), Some(("load", 0)));
        assert_eq!(visit(0xB000_0000_0000_0000), None);
        assert_eq!(visit(0), None);
    }

    #[test]
    fn rows_tell_their_family_and_mnemonic() {
        let told: Vec<_> = wide::ALL.iter().map(|row| (row.name, row.family, row.shape, row.flags)).collect();
        let loads = crate::table::flags::LOADS;
        let expected =
            [("add", "Arithmetic", 0), ("sub", "Arithmetic", 0), ("load", "Memory", loads), ("zero", "Memory", 0)];
        assert_eq!(told, expected.map(|(name, family, flags)| (name, family, "Number", flags)));
        assert_eq!(wide::Op::sub_.info().doc.trim(), "Subtracts.");
    }

    #[test]
    fn words_go_through_text() {
        let mut state = 1u32;
        let mut rng = || {
            state = state.wrapping_mul(0x9E37_79B9) ^ 0x5851_F42D ^ (state >> 13);
            state
        };
        for op in wide::Op::all() {
            for _ in 0..100 {
                let word = wide::random_word(op, &mut rng);
                assert_eq!(wide::decode(word), Some(op));
                let text = wide::print_instruction(word, &()).expect("the row is known");
                assert_eq!(
                    Some(wide::parse_instruction(&text, &mut ()).expect("it reads back")),
                    wide::canonical(word)
                );
            }
        }
        assert_eq!(
            wide::parse_instruction("add 4096", &mut ()).expect_err("twelve bits").to_string(),
            "operand value 4096 does not fit field 'n' of 12 bits"
        );
    }
}
