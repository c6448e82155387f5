//! Parts of instructions, and the macro that combines them into operand structures.
//!
//! A part is a value in one or more fields of a word: a register, a source with its sign, a comparison. It reads and
//! writes its fields by their letters in the row's pattern. Forms of one operation leave out fields; what is read then
//! is the plain value.

use super::syntax::{Assembly, Listing};
use crate::table::{Cursor, Encoder, FieldSpec, Fields, TextError};

/// A way to store a value in the fields of a word, and to write it as text.
pub(super) trait Part {
    /// The stored value.
    type Value;
    /// Fewest and most bits of each field.
    const BITS: &'static [(u32, u32)];
    /// Reads the fields with these letters, as many as `BITS` has.
    fn read(fields: Fields<'_>, letters: &[u8]) -> Self::Value;
    /// Stores a value; one that the form cannot hold is an error of the encoder.
    fn write(value: &Self::Value, word: &mut Encoder<'_>, letters: &[u8]);
    /// Appends the text: a suffix with its dot or nothing, or an operand.
    fn print(value: &Self::Value, listing: &Listing<'_>, out: &mut String);
    /// Reads the text.
    fn parse(text: &mut Cursor<'_>, assembly: &Assembly<'_>) -> Result<Self::Value, TextError>;
}

/// The text of a part by functions that print and parse its value alone.
macro_rules! text_by {
    ($print:ident, $parse:ident) => {
        fn print(value: &Self::Value, _: &Listing<'_>, out: &mut String) {
            $print(*value, out);
        }

        fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<Self::Value, TextError> {
            $parse(text)
        }
    };
}

pub(super) use text_by;

/// The letter of a field.
pub(super) const fn letter(name: &str) -> u8 {
    let bytes = name.as_bytes();
    assert!(bytes.len() == 1, "fields are called by one letter");
    bytes[0]
}

/// The requirements of a part on the fields `letters`.
pub(super) const fn specs<const N: usize>(letters: [u8; N], bits: &[(u32, u32)]) -> [FieldSpec; N] {
    assert!(bits.len() == N, "a part has as many letters as fields");
    let mut specs = [FieldSpec::new(b'a', 0); N];
    let mut i = 0;
    while i < N {
        specs[i] = FieldSpec::between(letters[i], bits[i].0, bits[i].1);
        i += 1;
    }
    specs
}

/// Operand structures as one table.
///
/// ```text
/// shapes! {
///     /// A sum.
///     FAdd {
///         flags { ftz f "ftz", sat v "sat" }
///         modifiers { rounding: Rounding[r] }
///         operands { dst: Reg[d], a: Src<Reg> = FloatA[a n m] }
///     }
/// }
/// ```
/// A flag is one bit: name, letter, suffix. Modifiers are suffixes, operands follow them: name, type, part unless the
/// type is its own one, letters. Every structure has the guard. Fields are documented by their names; a doc comment
/// before one says more.
macro_rules! shapes {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident {
            $( flags { $( $(#[doc = $flag_doc:literal])* $flag:ident $flag_letter:ident $suffix:literal ),+ $(,)? } )?
            $( modifiers { $(
                $(#[doc = $modifier_doc:literal])*
                $modifier:ident : $Modifier:ty $(= $ModifierPart:ty)? [ $($modifier_letter:ident)+ ]
            ),+ $(,)? } )?
            $( operands { $(
                $(#[doc = $operand_doc:literal])*
                $operand:ident : $Operand:ty $(= $OperandPart:ty)? [ $($operand_letter:ident)+ ]
            ),+ $(,)? } )?
        }
    )+) => { $(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $Name {
            /// When the instruction has any effect.
            pub guard: $crate::tegra::shader::operand::Guard,
            $($(
                #[doc = concat!("`.", $suffix, "`")]
                $(#[doc = $flag_doc])*
                pub $flag: bool,
            )+)?
            $($(
                #[doc = concat!("`", stringify!($modifier), "`")]
                $(#[doc = $modifier_doc])*
                pub $modifier: $Modifier,
            )+)?
            $($(
                #[doc = concat!("`", stringify!($operand), "`")]
                $(#[doc = $operand_doc])*
                pub $operand: $Operand,
            )+)?
        }

        impl $Name {
            const LISTS: &'static [&'static [$crate::table::FieldSpec]] = &[
                &$crate::tegra::shader::part::specs([b'g'], <$crate::tegra::shader::operand::Guard as Part>::BITS),
                $($( &[$crate::table::FieldSpec::between(
                    $crate::tegra::shader::part::letter(stringify!($flag_letter)), 0, 1,
                )], )+)?
                $($( &$crate::tegra::shader::part::specs(
                    [$($crate::tegra::shader::part::letter(stringify!($modifier_letter))),+],
                    <shapes!(@part $Modifier $(, $ModifierPart)?) as Part>::BITS,
                ), )+)?
                $($( &$crate::tegra::shader::part::specs(
                    [$($crate::tegra::shader::part::letter(stringify!($operand_letter))),+],
                    <shapes!(@part $Operand $(, $OperandPart)?) as Part>::BITS,
                ), )+)?
            ];
        }

        impl $crate::table::Shape for $Name {
            const NAME: &'static str = stringify!($Name);
            const FIELDS: &'static [$crate::table::FieldSpec] =
                &$crate::table::regs::flatten::<_, { $crate::table::regs::total($Name::LISTS) }>($Name::LISTS);

            fn decode(fields: $crate::table::Fields<'_>) -> Self {
                #[allow(unused_imports)]
                use $crate::tegra::shader::part::letter;
                $Name {
                    guard: <$crate::tegra::shader::operand::Guard as Part>::read(fields, b"g"),
                    $($( $flag: fields.flag(const { letter(stringify!($flag_letter)) }), )+)?
                    $($( $modifier: <shapes!(@part $Modifier $(, $ModifierPart)?) as Part>::read(
                        fields, &const { [$(letter(stringify!($modifier_letter))),+] },
                    ), )+)?
                    $($( $operand: <shapes!(@part $Operand $(, $OperandPart)?) as Part>::read(
                        fields, &const { [$(letter(stringify!($operand_letter))),+] },
                    ), )+)?
                }
            }

            fn encode(&self, word: &mut $crate::table::Encoder<'_>) {
                #[allow(unused_imports)]
                use $crate::tegra::shader::part::letter;
                <$crate::tegra::shader::operand::Guard as Part>::write(&self.guard, word, b"g");
                $($( word.put(const { letter(stringify!($flag_letter)) }, self.$flag.into()); )+)?
                $($( <shapes!(@part $Modifier $(, $ModifierPart)?) as Part>::write(
                    &self.$modifier, word, &const { [$(letter(stringify!($modifier_letter))),+] },
                ); )+)?
                $($( <shapes!(@part $Operand $(, $OperandPart)?) as Part>::write(
                    &self.$operand, word, &const { [$(letter(stringify!($operand_letter))),+] },
                ); )+)?
            }
        }

        impl $crate::table::PrintOperands<$crate::tegra::shader::syntax::Listing<'_>> for $Name {
            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn print(
                &self,
                _: &$crate::table::OpInfo,
                listing: &$crate::tegra::shader::syntax::Listing<'_>,
                out: &mut String,
            ) {
                $($( if self.$flag { out.push_str(concat!(".", $suffix)); } )+)?
                $($( <shapes!(@part $Modifier $(, $ModifierPart)?) as Part>::print(&self.$modifier, listing, out); )+)?
                let mut separator = " ";
                $($(
                    out.push_str(separator);
                    separator = ", ";
                    <shapes!(@part $Operand $(, $OperandPart)?) as Part>::print(&self.$operand, listing, out);
                )+)?
            }
        }

        impl $crate::table::ParseOperands<$crate::tegra::shader::syntax::Assembly<'_>> for $Name {
            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn parse(
                _: &$crate::table::OpInfo,
                text: &mut $crate::table::Cursor<'_>,
                assembly: &mut $crate::tegra::shader::syntax::Assembly<'_>,
            ) -> Result<Self, $crate::table::TextError> {
                $($( let $flag = $crate::tegra::shader::syntax::eat_suffix(text, $suffix); )+)?
                $($(
                    let $modifier = <shapes!(@part $Modifier $(, $ModifierPart)?) as Part>::parse(text, assembly)?;
                )+)?
                let mut first = true;
                $($(
                    if !first {
                        text.expect(",")?;
                    }
                    first = false;
                    let $operand = <shapes!(@part $Operand $(, $OperandPart)?) as Part>::parse(text, assembly)?;
                )+)?
                Ok($Name {
                    guard: $crate::tegra::shader::operand::Guard::ALWAYS,
                    $($( $flag, )+)?
                    $($( $modifier, )+)?
                    $($( $operand, )+)?
                })
            }
        }
    )+ };

    (@part $Value:ty) => { $Value };
    (@part $Value:ty, $Part:ty) => { $Part };
}

pub(super) use shapes;

/// Modifiers as enums: one value of a field each.
///
/// ```text
/// modifiers! {
///     /// How results are rounded.
///     Rounding, 2 bits; plain Nearest {
///         Nearest = 0 "rn";
///         /// Towards minus infinity.
///         Down = 1 "rm";
///         ...
///     }
/// }
/// ```
/// The plain value has no suffix. `others` after the bits adds `Unknown(u8)` for values that are not listed; without it
/// the list is complete.
macro_rules! modifiers {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident, $bits:literal bits $(; plain $plain:ident)? $(, $others:ident)? {
            $( $(#[doc = $doc:literal])* $variant:ident = $code:literal $text:literal; )+
        }
    )+) => { $(
        $crate::tegra::shader::part::modifiers!(@enum [$(#[doc = $about])+] $Name $bits $($others)? {
            $( [$(#[doc = $doc])*] $variant = $code $text; )+
        });

        impl $Name {
            const NAMES: &'static [(&'static str, $Name)] = &[$( ($text, $Name::$variant), )+];

            /// The suffix without its dot; empty for values without a name.
            pub fn name(self) -> &'static str {
                Self::NAMES.iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
            }
        }

        impl Part for $Name {
            type Value = $Name;
            const BITS: &'static [(u32, u32)] = &[(0, $bits)];

            fn read(fields: $crate::table::Fields<'_>, letters: &[u8]) -> $Name {
                $(if !fields.has(letters[0]) {
                    return $Name::$plain;
                })?
                $Name::from_bits(fields.byte(letters[0]))
            }

            fn write(value: &$Name, word: &mut $crate::table::Encoder<'_>, letters: &[u8]) {
                $(if !word.has(letters[0]) && *value == $Name::$plain {
                    return;
                })?
                word.put(letters[0], value.bits().into());
            }

            fn print(value: &$Name, _: &$crate::tegra::shader::syntax::Listing<'_>, out: &mut String) {
                $(if *value == $Name::$plain {
                    return;
                })?
                match value.name() {
                    "" => out.push_str(&format!(concat!(".", stringify!($Name), "{}"), value.bits())),
                    name => out.push_str(&format!(".{name}")),
                }
            }

            fn parse(
                text: &mut $crate::table::Cursor<'_>,
                _: &$crate::tegra::shader::syntax::Assembly<'_>,
            ) -> Result<$Name, $crate::table::TextError> {
                let mut ahead = text.clone();
                let name = if ahead.eat(".") { ahead.name() } else { None };
                let known = name.and_then(|name| Self::NAMES.iter().find(|(known, _)| *known == name));
                let numbered = || name?.strip_prefix(stringify!($Name))?.parse().ok();
                let numbered = || numbered().filter(|&bits: &u8| u32::from(bits) < 1 << $bits);
                if let Some(value) = known.map(|(_, value)| *value).or_else(|| numbered().map($Name::from_bits)) {
                    *text = ahead;
                    return Ok(value);
                }
                $crate::tegra::shader::part::modifiers!(@missing $Name text $($plain)?)
            }
        }
    )+ };

    (@enum [$($about:tt)+] $Name:ident $bits:literal {
        $( [$($doc:tt)*] $variant:ident = $code:literal $text:literal; )+
    }) => {
        $($about)+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Name {
            $( $($doc)* #[doc = concat!("`.", $text, "`")] $variant, )+
        }

        const _: () = assert!([$($code),+].len() == 1 << $bits, "the list is not complete");

        impl $Name {
            /// The value of the bits of a field; higher bits do not count.
            pub const fn from_bits(bits: u8) -> $Name {
                match bits & ((1 << $bits) - 1) {
                    $( $code => $Name::$variant, )+
                    _ => $Name::NAMES[0].1,
                }
            }

            /// The bits of the field.
            pub const fn bits(self) -> u8 {
                match self { $( $Name::$variant => $code, )+ }
            }
        }
    };
    (@enum [$($about:tt)+] $Name:ident $bits:literal others {
        $( [$($doc:tt)*] $variant:ident = $code:literal $text:literal; )+
    }) => {
        $($about)+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Name {
            $( $($doc)* #[doc = concat!("`.", $text, "`")] $variant, )+
            /// A value without known meaning.
            Unknown(u8),
        }

        impl $Name {
            /// The value of the bits of a field; higher bits do not count.
            pub const fn from_bits(bits: u8) -> $Name {
                match bits & ((1u16 << $bits) - 1) as u8 {
                    $( $code => $Name::$variant, )+
                    other => $Name::Unknown(other),
                }
            }

            /// The bits of the field.
            pub const fn bits(self) -> u8 {
                match self {
                    $( $Name::$variant => $code, )+
                    $Name::Unknown(bits) => bits,
                }
            }
        }
    };
    (@missing $Name:ident $text:ident $plain:ident) => { Ok($Name::$plain) };
    (@missing $Name:ident $text:ident) => { Err($text.expected(concat!("a modifier: ", stringify!($Name)))) };
}

pub(super) use modifiers;
