//! Lists failed calls in words: without one of them, a driver may give up, and Mesa then uses another renderer.

use std::fmt;
use std::io;

use super::abi::nvif_kind as kind;
use super::abi::{Nvif, NvifNew, Parameter};
use super::argument::{Argument, Errno, read_prefix};

/// How many are remembered.
const MAX_REFUSALS: usize = 16;

/// The refused calls of a process, each once.
#[derive(Debug, Default)]
pub struct Refusals(Vec<String>);

impl Refusals {
    /// Notes a call that was answered with an error. Those that only say that something is not done yet are no
    /// refusals.
    pub fn note(&mut self, number: u32, argument: &mut Argument, errno: Errno) {
        if matches!(errno.0, libc::EBUSY | libc::EAGAIN | libc::ETIME) || self.0.len() == MAX_REFUSALS {
            return;
        }
        let what =
            format!("{} ({})", Called { number, bytes: argument.bytes() }, io::Error::from_raw_os_error(errno.0));
        if !self.0.contains(&what) {
            self.0.push(what);
        }
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_empty() {
            true => f.write_str("no call was refused"),
            false => write!(f, "refused: {}", self.0.join(", ")),
        }
    }
}

/// A call, with what tells it from others of its number.
struct Called<'a> {
    number: u32,
    bytes: &'a [u8],
}

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.number {
            0x0D => "SET_CLIENT_CAP",
            0x40 => return write!(f, "GETPARAM {}", read_prefix::<Parameter>(self.bytes).parameter),
            0x42 => "CHANNEL_ALLOC",
            0x44 => "GROBJ_ALLOC",
            0x45 => "NOTIFIEROBJ_ALLOC",
            0x47 => return nvif(f, self.bytes),
            0x48 => "SVM_INIT",
            0x50 => "VM_INIT",
            0x51 => "VM_BIND",
            0x52 => "EXEC",
            0x53 => "GET_ZCULL_INFO",
            0x80 => "GEM_NEW",
            0x81 => "GEM_PUSHBUF",
            0x82 => "GEM_CPU_PREP",
            0x84 => "GEM_INFO",
            number => return write!(f, "call {number:#04x}"),
        };
        f.write_str(name)
    }
}

fn nvif(f: &mut fmt::Formatter<'_>, message: &[u8]) -> fmt::Result {
    let Nvif { kind, .. } = read_prefix(message);
    let name = match kind {
        kind::NOP => "NOP",
        kind::SCLASS => "SCLASS",
        kind::NEW => {
            let NvifNew { class, .. } = read_prefix(message.get(size_of::<Nvif>()..).unwrap_or_default());
            return write!(f, "NVIF NEW of class {class:#06x}");
        }
        kind::DEL => "DEL",
        kind::MTHD => "MTHD",
        kind => return write!(f, "NVIF {kind:#04x}"),
    };
    write!(f, "NVIF {name}")
}
