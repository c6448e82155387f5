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
//! A row may tell which components of its sources matter, `dp3 "..." Arith2(xyz xyz)`; else all do.
//! A row with several patterns is one operation in several forms, which differ in where its operands come from: `add
//! "0 aaa bbb" "1 aaa iii" Add2`, and `add "0 aaa bbb", add_wide "1 aaa iii" Add2` if the text tells them apart. All
//! have the same shape; the assembler takes the first form that can hold the operands.
//!
//! It makes, in the module of the invocation: a visitor trait per family (one method per row; a missing one is a
//! compile error), `Op`, `ALL`, `decode`, `visit`, `canonical`, `print_instruction`, `parse_instruction`,
//! `random_word`. The top bits are the index of the lookup table; they need not decide alone. The listing and assembly
//! types are what
//! [`PrintOperands`](super::PrintOperands) and [`ParseOperands`](super::ParseOperands) of the shapes are given.

use super::info::OpInfo;
use super::pattern::{DoesNotFit, Encoder, FieldSpec, Pattern};

/// Checks the fields of all forms of a row.
///
/// # Panics
/// As [`Pattern::check`].
pub const fn check_forms(forms: &[Pattern], word_bits: u32, specs: &[FieldSpec], row: &'static str) {
    let mut i = 0;
    while i < forms.len() {
        forms[i].check(word_bits, specs, row);
        i += 1;
    }
}

/// The first form of each operation, from their numbers of forms; at the end the number of all.
pub const fn first_forms<const N: usize>(counts: &[usize]) -> [u16; N] {
    let mut first = [0; N];
    let mut i = 0;
    while i < counts.len() {
        first[i + 1] = first[i] + counts[i] as u16;
        i += 1;
    }
    first
}

/// The pattern of row `row`, the first of the operation's rows being `first`. For operations with one form this is
/// known while compiling, and reading a field becomes a shift.
#[inline(always)]
pub fn pick(forms: &'static [Pattern], row: usize, first: u16) -> &'static Pattern {
    if forms.len() == 1 { &forms[0] } else { &forms[row - first as usize] }
}

/// The word of the first form that can hold the operands. If none can, the error is that of the form with the
/// widest field.
pub fn encode_first(
    forms: impl Iterator<Item = &'static OpInfo>,
    encode: impl Fn(&mut Encoder<'_>),
) -> Result<u64, DoesNotFit> {
    let mut problem = DoesNotFit { field: '-', value: 0, bits: 0 };
    for form in forms {
        let mut encoder = Encoder::new(&form.pattern);
        encode(&mut encoder);
        match encoder.finish() {
            Ok(word) => return Ok(word),
            Err(error) if error.bits >= problem.bits => problem = error,
            Err(_) => {}
        }
    }
    Err(problem)
}

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
                    $name:ident $($pattern:literal)+ $(, $alias:ident $($alias_pattern:literal)+)* $Shape:ident
                        $(($($read:ident)+))? $(: $($flag:ident)|+)?;
                )+
            }
        )+
    ) => {
        $(
            $(#[doc = $family_doc])*
            pub trait $Family {
                /// The result of executing or translating one instruction.
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

        /// The bit patterns of each row.
        #[allow(non_upper_case_globals)]
        mod patterns {
            use $crate::table::Pattern;
            $($(
                pub(super) const $name: &[Pattern] =
                    &[$(Pattern::parse($pattern),)+ $($(Pattern::parse($alias_pattern),)+)*];
            )+)+
        }

        /// The documentation of each row.
        #[allow(non_upper_case_globals)]
        mod docs {
            $($( pub(super) const $name: &str = concat!($($doc, "\n"),*); )+)+
        }

        /// The components that each row reads of its sources.
        #[allow(non_upper_case_globals)]
        mod reads {
            $($(
                pub(super) const $name: [u8; 3] =
                    $crate::table::info::component_sets(&[$($(stringify!($read)),+)?]);
            )+)+
        }

        /// The properties of each row.
        #[allow(non_upper_case_globals)]
        mod properties {
            $($( pub(super) const $name: u32 = 0 $($(| $crate::table::flags::$flag)+)?; )+)+
        }

        $($(
            const _: () = $crate::table::isa::check_forms(
                patterns::$name,
                <$Word>::BITS,
                <$Shape as $crate::table::Shape>::FIELDS,
                concat!(stringify!($name), ": the pattern's width or fields are not those of ", stringify!($Shape)),
            );
        )+)+

        /// All rows, in the order of the table; one for each form.
        pub const ALL: &[$crate::table::OpInfo] = &[
            $($(
                $($crate::table::OpInfo {
                    name: $crate::table::info::mnemonic(stringify!($name)),
                    doc: docs::$name,
                    pattern: $crate::table::Pattern::parse($pattern),
                    shape: <$Shape as $crate::table::Shape>::NAME,
                    family: stringify!($Family),
                    reads: reads::$name,
                    flags: properties::$name,
                },)+
                $($($crate::table::OpInfo {
                    name: $crate::table::info::mnemonic(stringify!($alias)),
                    doc: docs::$name,
                    pattern: $crate::table::Pattern::parse($alias_pattern),
                    shape: <$Shape as $crate::table::Shape>::NAME,
                    family: stringify!($Family),
                    reads: reads::$name,
                    flags: properties::$name,
                },)+)*
            )+)+
        ];

        /// The operations, in the order of the table.
        const OPERATIONS: &[Op] = &[$($( Op::$name, )+)+];

        /// The first form of each operation in `ALL`, and the number of all forms at the end.
        const FORMS: [u16; OPERATIONS.len() + 1] =
            $crate::table::isa::first_forms(&[$($( patterns::$name.len(), )+)+]);

        /// The operation of each row of `ALL`.
        const OPS: [Op; ALL.len()] = {
            let mut ops = [OPERATIONS[0]; ALL.len()];
            let mut i = 0;
            while i < OPERATIONS.len() {
                let mut form = FORMS[i] as usize;
                while form < FORMS[i + 1] as usize {
                    ops[form] = OPERATIONS[i];
                    form += 1;
                }
                i += 1;
            }
            ops
        };
        const BUCKETS: usize = 1 << $top;
        const ENTRIES: usize = $crate::table::decoder::entry_count(ALL, <$Word>::BITS, BUCKETS);
        static DECODER: $crate::table::Decoder<BUCKETS, ENTRIES> =
            $crate::table::Decoder::new(ALL, <$Word>::BITS);

        impl Op {
            /// All operations, in the order of the table.
            pub fn all() -> impl ExactSizeIterator<Item = Op> + Clone {
                OPERATIONS.iter().copied()
            }

            /// The row of this operation, the first one if it has several forms.
            #[inline]
            pub const fn info(self) -> &'static $crate::table::OpInfo {
                &ALL[FORMS[self as usize] as usize]
            }

            /// The rows of all forms of this operation.
            pub fn forms(self) -> &'static [$crate::table::OpInfo] {
                &ALL[FORMS[self as usize] as usize..FORMS[self as usize + 1] as usize]
            }

            /// The operation of a mnemonic.
            pub fn named(mnemonic: &str) -> Option<Op> {
                ALL.iter().position(|row| row.name == mnemonic).map(|row| OPS[row])
            }
        }

        /// The row of a word; `None` if no row has its bits.
        #[inline]
        pub fn form(word: $Word) -> Option<&'static $crate::table::OpInfo> {
            DECODER.find(u64::from(word)).map(|row| &ALL[row])
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
            let row = DECODER.find(word)?;
            Some(match OPS[row] {
                $($(
                    Op::$name => {
                        let pattern = $crate::table::isa::pick(patterns::$name, row, FORMS[Op::$name as usize]);
                        visitor.$name(<$Shape as Shape>::decode(Fields::new(word, pattern)))
                    }
                )+)+
            })
        }

        /// The word with every bit that its operands do not carry set to zero; `None` for an unknown word.
        pub fn canonical(word: $Word) -> Option<$Word> {
            use $crate::table::{Encoder, Fields, Shape};
            let word = u64::from(word);
            let row = DECODER.find(word)?;
            let pattern = &ALL[row].pattern;
            let mut encoder = Encoder::new(pattern);
            match OPS[row] {
                $($( Op::$name => <$Shape as Shape>::decode(Fields::new(word, pattern)).encode(&mut encoder), )+)+
            }
            let encoded = encoder.finish();
            encoded.ok().map(|word| word as $Word)
        }

        /// The text of one instruction; `None` for an unknown word.
        pub fn print_instruction(word: $Word, listing: &$Listing) -> Option<String> {
            use $crate::table::{Fields, PrintOperands, Shape};
            let word = u64::from(word);
            let row = DECODER.find(word)?;
            let info = &ALL[row];
            let mut out = String::from(info.name);
            match OPS[row] {
                $($(
                    Op::$name => <$Shape as Shape>::decode(Fields::new(word, &info.pattern))
                        .print(info, listing, &mut out),
                )+)+
            }
            Some(out)
        }

        /// Reads one instruction, mnemonic first.
        pub fn parse_instruction(
            text: &str,
            assembly: &mut $Assembly,
        ) -> Result<$Word, $crate::table::TextError> {
            use $crate::table::{Cursor, ParseOperands, Shape, TextError};
            let mut cursor = Cursor::new(text);
            let mnemonic = cursor.name().ok_or_else(|| cursor.expected("an instruction"))?;
            let row = ALL.iter().position(|row| row.name == mnemonic);
            let row = row.ok_or_else(|| TextError::UnknownInstruction(mnemonic.to_owned()))?;
            let (op, info) = (OPS[row], &ALL[row]);
            let forms = op.forms().iter().filter(|form| form.name == mnemonic);
            let word = match op {
                $($(
                    Op::$name => {
                        let operands = <$Shape as ParseOperands<_>>::parse(info, &mut cursor, assembly)?;
                        cursor.finish()?;
                        $crate::table::isa::encode_first(forms, |word| operands.encode(word))?
                    }
                )+)+
            };
            Ok(word as $Word)
        }

        /// A word of `op` with random operands and random ignored bits.
        pub fn random_word(op: Op, rng: &mut (impl FnMut() -> u32 + ?Sized)) -> $Word {
            loop {
                let forms = op.forms();
                let form = if forms.len() == 1 { &forms[0] } else { &forms[rng() as usize % forms.len()] };
                let word = form.random(rng) as $Word;
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

    // Not every function that the table makes is called here.
    #[allow(dead_code)]
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

    #[allow(dead_code)]
    /// An operation in two forms, one of which has a name of its own, and one that only the number tells apart.
    mod forms {
        use super::Number;

        super::super::isa! {
            word u32, 4 top bits;
            listing ();
            assembly ();

            /// Everything.
            family Visitor {
                /// Adds.
                add "0000 nnnn ---- ---- ---- ---- ---- ----" "0001 nnnn nnnn ---- ---- ---- ---- ----",
                    add_wide "0010 nnnn nnnn nnnn ---- ---- ---- ----" Number;
                /// Stops.
                stop "1111 ---- ---- ---- ---- ---- ---- ----" Number;
            }
        }
    }

    #[test]
    fn the_first_form_that_fits_is_taken() {
        use forms::{Op, canonical, decode, form, parse_instruction, print_instruction};
        let parse = |text| parse_instruction(text, &mut ());
        assert_eq!(
            [parse("add 15"), parse("add 16"), parse("add_wide 1")],
            [Ok(0x0F00_0000), Ok(0x1100_0000), Ok(0x2001_0000)]
        );
        assert_eq!(
            parse("add 256").expect_err("eight bits").to_string(),
            "operand value 256 does not fit field 'n' of 8 bits"
        );
        assert_eq!([0x0F00_0000, 0x1100_0000, 0x2001_0000].map(decode), [Some(Op::add); 3]);
        assert_eq!(form(0x2001_0000).map(|row| row.name), Some("add_wide"));
        assert_eq!(print_instruction(0x1100_0007, &()).as_deref(), Some("add 16"));
        assert_eq!(canonical(0x2001_FFFF), Some(0x2001_0000));
        assert_eq!((Op::named("add_wide"), Op::add.forms().len(), Op::all().len()), (Some(Op::add), 3, 2));
        assert_eq!(Op::stop.info().name, "stop");
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
