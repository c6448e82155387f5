//! A job system of the host's instead of threads of the library's.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use triglyph::Executor;

use super::callback::UserData;

/// A job for a thread of the host's. It may be called at any time, also after the device is gone, and does not block.
pub type triglyph_job = Option<unsafe extern "C" fn(argument: *mut c_void)>;

/// Calls `job(argument)` once, on one of the host's threads, soon: it takes part in the work of the call that is
/// under way on a device. The call does not wait for jobs to begin, so one that comes late finds nothing to do; one
/// that is never called leaks some memory. It is called on threads that make calls on the device, and by several at a
/// time if devices have it in common. It must not throw or jump out.
pub type triglyph_execute_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, job: triglyph_job, argument: *mut c_void)>;

/// The functions that the host has passed.
struct HostExecutor {
    threads: usize,
    execute: unsafe extern "C" fn(*mut c_void, triglyph_job, *mut c_void),
    user_data: UserData,
}

// SAFETY: the pointer is only handed back to the host, who is told that several threads may do so at a time.
unsafe impl Sync for HostExecutor {}

impl std::fmt::Debug for HostExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostExecutor").field("threads", &self.threads).finish_non_exhaustive()
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Does a job.
///
/// # Safety
/// `argument` comes from [`HostExecutor::execute`] and is used for the first time.
unsafe extern "C" fn run(argument: *mut c_void) {
    // SAFETY: the host promises to call it once with what it was given.
    let job = unsafe { Box::from_raw(argument.cast::<Job>()) };
    // Panics of its work are passed to the caller; other panics cannot be reported here.
    let _ = catch_unwind(AssertUnwindSafe(job));
}

impl Executor for HostExecutor {
    fn threads(&self) -> usize {
        self.threads
    }

    fn execute(&self, job: Job) {
        let argument = Box::into_raw(Box::new(job)).cast::<c_void>();
        // SAFETY: the host promises a function of this type that takes its own pointer.
        unsafe { (self.execute)(self.user_data.get(), Some(run), argument) }
    }
}

/// The host's job system, with `threads` threads at a time besides the caller's; 0 takes as many as there are cores.
pub(crate) fn executor(
    execute: triglyph_execute_callback,
    user_data: *mut c_void,
    threads: usize,
) -> Option<Arc<dyn Executor>> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = if threads == 0 { cores() } else { threads } - 1;
    Some(Arc::new(HostExecutor { threads, execute: execute?, user_data: UserData(user_data) }))
}
