//! Locks, atomics and threads of the scheduler and the kernel cache: the standard library's, or in models of what their
//! threads may do (`--cfg shuttle`, `.ci/sanitize models`) those of [shuttle](https://docs.rs/shuttle), which decides
//! before each access which thread goes on.
//!
//! Shuttle executes accesses one after the other: it finds what orders of threads can do, not what orders of memory
//! accesses can. Those are looked for by ThreadSanitizer and Miri.

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{Condvar, Mutex, MutexGuard, RwLock, atomic},
    thread, thread_local,
};

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{Condvar, Mutex, MutexGuard, RwLock, atomic},
    thread, thread_local,
};
