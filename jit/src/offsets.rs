//! Offsets of arguments, at which code finds them.

/// Constants of a structure with the offsets of its fields.
macro_rules! offsets {
    ($Args:ident { $($NAME:ident: $field:ident),+ $(,)? }) => {
        impl $Args {
            $(pub const $NAME: i32 = std::mem::offset_of!($Args, $field) as i32;)+
        }
    };
}
pub(crate) use offsets;
