//! Whether a program that was to draw on the chip did so. Mesa does not report that a driver gives up: it uses
//! another renderer, mostly llvmpipe. With `TRIGLYPH_GPU_REQUIRED`, which `triglyph gpu run` sets, such a program ends
//! with an error.

use std::ffi::CStr;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use libc::{c_char, c_int, c_void, dl_phdr_info, pthread_t, size_t};

use super::real::real;
use super::{end, known};
use crate::settings;

/// The exit code of a program whose renderer is not the chip, as commands that run others have for their own failures.
const EXIT: c_int = 125;

/// How llvmpipe names the threads that draw.
const LLVMPIPE: &[u8] = b"llvmpipe-";

/// Whether the chip is required, which is known when this library is loaded.
static REQUIRED: AtomicBool = AtomicBool::new(false);

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

/// Called when this library is loaded: what is registered here is called after what programs and Mesa register.
#[cfg_attr(test, expect(dead_code, reason = "tests are not loaded before a program"))]
extern "C" fn loaded() {
    if settings::is_chip_required() {
        REQUIRED.store(true, Relaxed);
        // SAFETY: a function of this library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
    }
}

extern "C" fn at_exit() {
    let status = of_end(0);
    if status != 0 {
        leave(status);
    }
}

/// The exit code of a program that ends with one.
pub fn of_end(status: c_int) -> c_int {
    match complaint(has_driver()) {
        None => status,
        Some(complaint) => {
            say(&complaint);
            EXIT
        }
    }
}

/// What to say of the program if the chip is required, Mesa was asked to draw and nothing was submitted.
fn complaint(has_driver: bool) -> Option<String> {
    if !REQUIRED.load(Relaxed) {
        return None;
    }
    let Some(process) = known() else {
        return has_driver.then(|| "this program has not looked for the virtual GPU, and Mesa drew without it".into());
    };
    // A child has no GPU of its own before it looks for one.
    if process.owner != std::process::id() {
        return None;
    }
    // A thread that holds the lock for good is no reason not to end.
    let state = process.state.try_lock().ok()?;
    if state.submissions > 0 || !(has_driver || state.was_tried) {
        return None;
    }
    let chip = state.settings.chip.name();
    Some(format!("this program does not draw on the {chip}: Mesa's driver submitted nothing to it; {}", state.refusals))
}

fn say(complaint: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| eprintln!("triglyph-vgpu: {complaint}"));
}

/// Ends the process after everything that others have registered, with what it has written.
fn leave(status: c_int) -> ! {
    // SAFETY: writes what streams hold; the system call does not return.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        loop {
            libc::syscall(libc::SYS_exit_group, status);
        }
    }
}

/// Whether one of Mesa's drivers is loaded.
fn has_driver() -> bool {
    /// One library; a result that is not 0 ends the list.
    unsafe extern "C" fn is_driver(library: *mut dl_phdr_info, _: size_t, _: *mut c_void) -> c_int {
        // SAFETY: the C library passes a valid list entry, whose name is a string or null.
        let name = unsafe { (*library).dlpi_name };
        if name.is_null() {
            return 0;
        }
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        let file = name.rsplit(|&letter| letter == b'/').next().unwrap_or_default();
        c_int::from(file.starts_with(b"libgallium") || file.ends_with(b"_dri.so"))
    }
    // SAFETY: the function takes what the C library passes.
    unsafe { libc::dl_iterate_phdr(Some(is_driver), std::ptr::null_mut()) != 0 }
}

/// A program that goes on with llvmpipe after the chip's driver has given up need not end soon: it ends here, where
/// llvmpipe begins.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn pthread_setname_np(thread: pthread_t, name: *const c_char) -> c_int {
    // SAFETY: the caller passes a string.
    if !name.is_null() && unsafe { CStr::from_ptr(name) }.to_bytes().starts_with(LLVMPIPE) {
        // The driver alone does not count: a program may use several.
        if let Some(complaint) = complaint(false) {
            say(&complaint);
            end();
            leave(EXIT);
        }
    }
    real!(c"pthread_setname_np" as unsafe extern "C" fn(pthread_t, *const c_char) -> c_int, thread, name)
}
