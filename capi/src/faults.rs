//! Faults: errors of the guest, counted by kind.

use std::ffi::{CStr, c_char, c_void};

use triglyph::{Fault, FaultHandler, FaultKind};

use super::callback::Callback;
use super::error::{c_string, name_of, numbered, triglyph_status};
use super::handle::{triglyph_device, with_device};
use super::pointer::{Out, SizedStruct, required, store, write_sized};

/// The kinds of trouble a guest can make.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_fault_kind {
    /// A read from memory that is not mapped or not readable; it yields zeros.
    UnmappedRead = 0,
    /// A write to memory that is not mapped or not writable; it is dropped.
    UnmappedWrite = 1,
    /// A command word, header or submission that makes no sense.
    BadCommand = 2,
    /// A register or method that does not exist, or a value that it does not take.
    BadMethod = 3,
    /// A shader instruction that does not exist, or a program that cannot be entered.
    BadShader = 4,
    /// A program, list or macro that ran longer than it may.
    OutOfFuel = 5,
    /// A feature of the hardware that is not emulated yet.
    Unimplemented = 6,
}

/// One thing that the guest got wrong.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_fault {
    /// Bytes of this structure: `sizeof(triglyph_fault)`. A callback gets the library's.
    pub size: u32,
    /// A `triglyph_fault_kind`.
    pub kind: u32,
    /// The guest address, register or method concerned.
    pub address: u64,
    /// Where in the command stream: the byte offset in its list, or the address of the command word.
    pub command: u64,
    /// Description for people; UTF-8. The call that gave the fault says how long it is valid.
    pub what: *const c_char,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_fault {}

/// Is called for each fault as it happens, on the thread that makes the call in which it does. The fault and its text
/// are valid during the callback. It must not block for long and not throw or jump out; calls on the same device return
/// `TRIGLYPH_STATUS_BUSY`.
pub type triglyph_fault_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, fault: *const triglyph_fault)>;

fn fault(fault: &Fault, what: &CStr) -> triglyph_fault {
    let kind = FaultKind::ALL.iter().position(|&kind| kind == fault.kind).unwrap_or_default() as u32;
    let size = size_of::<triglyph_fault>() as u32;
    triglyph_fault { size, kind, address: fault.address, command: fault.command, what: what.as_ptr() }
}

/// Sets the callback for faults, or removes it with null. `user_data` is handed to each call and has to stay valid
/// until the callback is replaced or the device destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_set_fault_callback(
    device: Option<&triglyph_device>,
    callback: triglyph_fault_callback,
    user_data: *mut c_void,
) -> triglyph_status {
    with_device(device, |state| {
        let handler = Callback::new(callback, user_data).map(|callback| -> FaultHandler {
            Box::new(move |found| callback.call(&fault(found, &c_string(&found.what))))
        });
        state.gpu.device().set_fault_handler(handler);
    })
}

/// How many faults of a `triglyph_fault_kind` there were.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_get_fault_count(
    device: Option<&triglyph_device>,
    kind: u32,
    count: Out<'_, u64>,
) -> triglyph_status {
    with_device(device, |state| {
        let kind = numbered(kind, &FaultKind::ALL, "fault kind")?;
        store(count, state.gpu.device_ref().faults().count(kind), "count")
    })
}

/// One of the first 64 faults, which are kept in full, oldest first. `found` says whether there is one of that index.
/// `fault->size` is set before. Its text is valid until the device is destroyed.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_get_fault(
    device: Option<&triglyph_device>,
    index: usize,
    fault: *mut triglyph_fault,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_device(device, |state| {
        let found = required(found, "found")?;
        let first = state.gpu.device_ref().faults().first();
        let known = state.fault_texts.len().min(first.len());
        state.fault_texts.extend(first[known..].iter().map(|fault| c_string(&fault.what)));
        let kept = first.get(index).zip(state.fault_texts.get(index));
        found.write(kept.is_some());
        match kept {
            // SAFETY: the header asks callers for a structure that begins with its size.
            Some((kept, what)) => unsafe { write_sized(fault, &self::fault(kept, what), "fault") },
            None => Ok(()),
        }
    })
}

/// A short name of a `triglyph_fault_kind`, for logs: `"unmapped-read"`. Valid for good.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_fault_kind_name(kind: u32) -> *const c_char {
    const NAMES: [&CStr; 7] = [
        c"unmapped-read",
        c"unmapped-write",
        c"bad-command",
        c"bad-method",
        c"bad-shader",
        c"out-of-fuel",
        c"unimplemented",
    ];
    name_of(kind, &NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_facades_order_and_names() {
        use triglyph_fault_kind as kind;
        let numbers = [
            (kind::UnmappedRead, FaultKind::UnmappedRead),
            (kind::UnmappedWrite, FaultKind::UnmappedWrite),
            (kind::BadCommand, FaultKind::BadCommand),
            (kind::BadMethod, FaultKind::BadMethod),
            (kind::BadShader, FaultKind::BadShader),
            (kind::OutOfFuel, FaultKind::OutOfFuel),
            (kind::Unimplemented, FaultKind::Unimplemented),
        ];
        assert_eq!(numbers.len(), FaultKind::ALL.len());
        for (number, known) in numbers {
            assert_eq!(FaultKind::ALL[number as usize], known);
            // SAFETY: names are static.
            let name = unsafe { CStr::from_ptr(triglyph_fault_kind_name(number as u32)) };
            assert_eq!(name.to_str(), Ok(known.name()));
        }
    }
}
