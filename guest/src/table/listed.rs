//! `listed!`: enums with a list of all variants and, for those with numbers, a conversion from a number.

/// A plain enum, which can be copied, compared, hashed and printed, with `ALL`, its variants in the order of the
/// source. `enum Name: u32` gives every variant a number and the enum `from_number`.
///
/// ```
/// triglyph_guest::listed! {
///     /// Ways to go.
///     pub enum Way: u32 {
///         /// Upwards.
///         Up = 1,
///         /// Downwards.
///         Down = 4,
///     }
/// }
/// assert_eq!(Way::ALL, [Way::Up, Way::Down]);
/// assert_eq!([Way::from_number(4), Way::from_number(2)], [Some(Way::Down), None]);
/// ```
#[macro_export]
macro_rules! listed {
    ($(#[$about:meta])* $vis:vis enum $Name:ident { $($(#[$doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $Name { $($(#[$doc])* $variant),+ }

        impl $Name {
            /// All variants, in the order of the source.
            pub const ALL: [$Name; [$($Name::$variant),+].len()] = [$($Name::$variant),+];
        }
    };
    ($(#[$about:meta])* $vis:vis enum $Name:ident: $Number:ident {
        $($(#[$doc:meta])* $variant:ident = $number:expr),+ $(,)?
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr($Number)]
        $vis enum $Name { $($(#[$doc])* $variant = $number),+ }

        impl $Name {
            /// All variants, in the order of the source.
            pub const ALL: [$Name; [$($Name::$variant),+].len()] = [$($Name::$variant),+];

            /// By number; `None` for numbers without a meaning.
            pub const fn from_number(number: $Number) -> Option<Self> {
                $(if number == $Name::$variant as $Number {
                    return Some($Name::$variant);
                })+
                None
            }
        }
    };
}
