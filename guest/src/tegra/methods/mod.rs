//! The methods of the engine classes: one table per class, looked up by dword address.

mod table;

pub use table::{ADDRESSES, Effect, MethodInfo, MethodTable};
