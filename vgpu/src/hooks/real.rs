//! The C library's own functions.

use std::ffi::CStr;

use libc::c_void;

/// The next definition of a function after this library's.
pub fn next(name: &CStr) -> *mut c_void {
    // SAFETY: a name that is terminated.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!found.is_null(), "the C library has no {}", name.to_string_lossy());
    found
}

/// Calls the C library's function of a name.
macro_rules! real {
    ($name:literal as $ty:ty, $($argument:expr),*) => {{
        static FOUND: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        let found = *FOUND.get_or_init(|| $crate::hooks::real::next($name) as usize);
        // SAFETY: the C library's function of that name is of this type, and the caller has promised what it asks for.
        unsafe { std::mem::transmute::<usize, $ty>(found)($($argument),*) }
    }};
}
pub(super) use real;
