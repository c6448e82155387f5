//! Options of a machine.

use std::ffi::{c_char, c_void};

use triglyph::{Accuracy, KeyFile, Machine, Options, Tier};

use super::error::{Failure, guard, numbered, triglyph_status};
use super::executor::{self, triglyph_execute_callback};
use super::pointer::{self, SizedStruct};

/// Which tier serves kernel calls.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_tier {
    /// The interpreter at once, compiled code as soon as there is some.
    Auto = 0,
    /// The interpreter only.
    Interpreter = 1,
    /// Compiled code from the first call on: callers wait for the compiler.
    Jit = 2,
}

/// How near to the console the arithmetic of programs is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_accuracy {
    /// Without what pictures do not show and processors do slowly.
    Fast = 0,
    /// The known behaviour of the hardware; on the PS3 registers, instance memory and channel switching as well.
    Exact = 1,
}

/// The machines, numbered as in captures.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_machine {
    /// Nintendo 3DS.
    N3ds = 1,
    /// PlayStation 3.
    Ps3 = 2,
    /// Tegra X1, the Switch's.
    TegraX1 = 3,
}

/// How a machine is set up. Fill it with `triglyph_options_init` first, then change what is to be different. A null
/// pointer in place of it means the defaults. The library keeps no pointer into it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_options {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_options)`.
    pub size: u32,
    /// A `triglyph_tier`.
    pub tier: u32,
    /// Threads, the caller's included, at most 1024; 0 takes one for each core. With `execute` so many of the host's
    /// work at a time.
    pub threads: u32,
    /// A `triglyph_accuracy`.
    pub accuracy: u32,
    /// How often packets of a push buffer or command list come with the same headers before they are compiled as one
    /// packet trace: 1 for at once, 0 for never.
    pub packet_traces: u32,
    /// 1 to check draws for what makes them invisible or suspicious (`triglyph_set_finding_callback`), which takes many
    /// times as long; 0 not to. No byte depends on it.
    pub validate: u32,
    /// Machine code that may be kept, in bytes.
    pub code_budget: u64,
    /// Path (UTF-8) of a file that remembers which kernels were needed, so that the next start compiles them in the
    /// background; made when it is not there, with its folder. Null for none. Devices and processes may share one.
    pub key_file: *const c_char,
    /// Bytes beyond which the least used keys of that file are forgotten.
    pub key_file_limit: u64,
    /// A job system of the host's that draws instead of threads of the library's, or null.
    pub execute: triglyph_execute_callback,
    /// The argument of `execute`. It has to stay valid until the device is destroyed.
    pub execute_user_data: *mut c_void,
    /// The maximum cost of one submission before the guest counts as running away, in units of fuel (a unit is about a
    /// nanosecond of a core that runs compiled code); what does not fit is not done. Bounded runs do all.
    pub fuel: u64,
}

// SAFETY: numbers and pointers without padding (six words, then eight bytes each), the size first. A
// function's pointer is null or what the host promises.
unsafe impl SizedStruct for triglyph_options {
    const FIRST: usize = 48;
}

impl triglyph_options {
    fn defaults() -> Self {
        let options = Options::default();
        triglyph_options {
            size: size_of::<Self>() as u32,
            tier: triglyph_tier::Auto as u32,
            threads: options.threads as u32,
            accuracy: triglyph_accuracy::Fast as u32,
            packet_traces: options.packet_traces,
            validate: 0,
            code_budget: options.code_budget as u64,
            key_file: std::ptr::null(),
            key_file_limit: KeyFile::LIMIT,
            execute: None,
            execute_user_data: std::ptr::null_mut(),
            fuel: options.fuel,
        }
    }
}

/// The options that a caller passes.
///
/// # Safety
/// `options` is null or points to a structure that begins with its size; the path in it is null or ends with 0.
pub(crate) unsafe fn read(options: *const triglyph_options) -> Result<Options, Failure> {
    if options.is_null() {
        return Ok(Options::default());
    }
    // SAFETY: the caller's promise is the same.
    let given = unsafe { pointer::read_sized(options, triglyph_options::defaults(), "options") }?;
    let tier = numbered(given.tier, &[Tier::Auto, Tier::InterpreterOnly, Tier::JitOnly], "tier")?;
    let mut read = Options::new(tier, given.threads as usize);
    read.accuracy = numbered(given.accuracy, &[Accuracy::Fast, Accuracy::Exact], "accuracy")?;
    read.executor = executor::executor(given.execute, given.execute_user_data, read.threads);
    read.validate = numbered(given.validate, &[false, true], "validate")?;
    read.packet_traces = given.packet_traces;
    read.fuel = given.fuel;
    read.code_budget = usize::try_from(given.code_budget).unwrap_or(usize::MAX);
    // SAFETY: the caller promises that the path ends with 0.
    if let Some(path) = unsafe { pointer::text(given.key_file, "key_file") }? {
        let mut file = KeyFile::new(path);
        file.limit = given.key_file_limit;
        read.key_file = Some(file);
    }
    Ok(read)
}

/// A machine by its number.
pub(crate) fn machine(number: u32) -> Result<Machine, Failure> {
    Machine::from_number(number).ok_or_else(|| Failure::invalid(format!("machine {number}")))
}

/// The number of a machine.
pub(crate) fn number(machine: Machine) -> u32 {
    machine as u32
}

/// Fills options with the defaults. `options->size` is to be set to `sizeof(triglyph_options)` before.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_options_init(options: *mut triglyph_options) -> triglyph_status {
    // SAFETY: the header asks callers for a structure that begins with its size.
    guard(|| unsafe { pointer::write_sized(options, &triglyph_options::defaults(), "options") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_first_version() {
        let mut options = triglyph_options::defaults();
        assert!(size_of::<triglyph_options>() > triglyph_options::FIRST);
        // SAFETY: the structure is whole and has no path.
        let read = |options: &triglyph_options| unsafe { super::read(options) };
        assert_eq!(read(&options).unwrap().tier, Tier::Auto);
        (options.tier, options.threads, options.accuracy) = (1, 3, 1);
        let got = read(&options).unwrap();
        assert_eq!((got.tier, got.threads, got.accuracy), (Tier::InterpreterOnly, 3, Accuracy::Exact));
        options.size = triglyph_options::FIRST as u32;
        assert_eq!(read(&options).unwrap().threads, 3);
        options.tier = 3;
        assert_eq!(read(&options).unwrap_err().status, triglyph_status::InvalidArgument);
    }

    #[test]
    fn machines_have_the_numbers_of_captures() {
        for known in Machine::ALL {
            assert_eq!(machine(number(known)).unwrap(), known);
        }
    }
}
