//! Which interface this is.

use std::ffi::c_char;

/// The version of this header's interface. From 1 on, versions with the same number are compatible: functions and
/// constants are only added, and fields only at the end of structures that begin with their size. 0 promises nothing:
/// it may change with each minor version of the library.
pub const TRIGLYPH_ABI_VERSION: u32 = 0;

/// The interface's version of the library that is linked, to be compared with `TRIGLYPH_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_abi_version() -> u32 {
    TRIGLYPH_ABI_VERSION
}

/// The version of the library, for people: `"0.1.0"`. Valid for good.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
