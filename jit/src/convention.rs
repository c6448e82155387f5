//! The calling convention of compiled code, and of the functions that it calls: the host's. With the feature
//! `check-win64` it is that of Windows on other x86-64 systems, too, for tests.

use cranelift_codegen::isa::{CallConv, TargetIsa};
use target_lexicon::Architecture;

/// A function, or the type of one, that compiled code calls or is.
#[cfg(not(feature = "check-win64"))]
macro_rules! host_convention {
    // SAFETY: the function that is declared says what its callers promise.
    ($(#[$attribute:meta])* unsafe fn $($rest:tt)*) => { $(#[$attribute])* unsafe extern "C" fn $($rest)* };
    ($(#[$attribute:meta])* fn $($rest:tt)*) => { $(#[$attribute])* extern "C" fn $($rest)* };
}
#[cfg(feature = "check-win64")]
macro_rules! host_convention {
    // SAFETY: the function that is declared says what its callers promise.
    ($(#[$attribute:meta])* unsafe fn $($rest:tt)*) => { $(#[$attribute])* unsafe extern "win64" fn $($rest)* };
    ($(#[$attribute:meta])* fn $($rest:tt)*) => { $(#[$attribute])* extern "win64" fn $($rest)* };
}
pub(crate) use host_convention;

/// The same for the code generator.
pub(crate) fn convention(isa: &dyn TargetIsa) -> CallConv {
    match isa.triple().architecture {
        Architecture::X86_64 if cfg!(feature = "check-win64") => CallConv::WindowsFastcall,
        _ => isa.default_call_conv(),
    }
}
