//! Lines for the host's log.

use std::ffi::{c_char, c_void};

use triglyph::{LogHandler, LogLevel};

use super::callback::UserData;
use super::error::{c_string, triglyph_status};
use super::handle::{triglyph_device, with_device};

/// How much a line of the log matters.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_log_level {
    /// A bug of this library that it has recovered from: the compiler panicked on a kernel.
    Error = 0,
    /// A request of the host's was not fulfilled: the key file is not used, is damaged, or was not written.
    Warning = 1,
    /// Work is slower than it could be: the interpreter serves a kernel or calls of it, and why.
    Information = 2,
}

/// Is called with each line for the host's log, with its `triglyph_log_level`. The line has no line break at its end
/// and is valid during the callback. Lines come one at a time, from the thread that makes a call or from the
/// compiler's. The callback must not block for long, not throw or jump out, and make no calls on any handle of the
/// device.
pub type triglyph_log_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, level: u32, line: *const c_char)>;

/// Sets the callback for the log, or removes it with null. What was wrong with the key file when the device was made is
/// told at once; kernels that the interpreter serves, and writes of the key file that fail, from now on. It costs
/// nothing without a callback. `user_data` is handed to each call and has to stay valid until the callback is replaced
/// or the device destroyed; when this function returns, the callback before is called no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_set_log_callback(
    device: Option<&triglyph_device>,
    callback: triglyph_log_callback,
    user_data: *mut c_void,
) -> triglyph_status {
    with_device(device, |state| {
        let user_data = UserData(user_data);
        let handler = callback.map(|callback| -> LogHandler {
            Box::new(move |level: LogLevel, line: &str| {
                let line = c_string(line);
                // SAFETY: the host promises a function of this type that takes its own pointer.
                unsafe { callback(user_data.get(), number(level), line.as_ptr()) }
            })
        });
        state.gpu.device().set_log_handler(handler);
    })
}

fn number(level: LogLevel) -> u32 {
    let number = match level {
        LogLevel::Error => triglyph_log_level::Error,
        LogLevel::Warning => triglyph_log_level::Warning,
        _ => triglyph_log_level::Information,
    };
    number as u32
}
