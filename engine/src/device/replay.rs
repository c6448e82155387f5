//! Calls that captures make on a device before they submit, on the machines that support them.

use super::Device;
use crate::error::Error;

/// An entry of a channel's object table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectEntry {
    /// The name by which methods bind it.
    pub handle: u32,
    /// Class number; class 0x30 with handle 0 is the null object.
    pub class: u32,
    /// Address space of `base`.
    pub space: u32,
    /// First byte, an address in `space`; 0 for an engine object.
    pub base: u64,
    /// Offset of the last byte from `base`; 0 for an engine object.
    pub limit: u64,
}

/// The calls that captures make on a device: see [`Device::as_replay`]. A host that drives a machine itself has no use
/// for them.
pub trait Replay: Device {
    /// Sets whether the words in guest memory are big-endian: command words, vertices, textures, surfaces. Called
    /// before anything is submitted. Little-endian until then.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the machine knows only the other order.
    fn set_big_endian(&mut self, big_endian: bool) -> Result<(), Error> {
        match big_endian {
            false => Ok(()),
            true => Err(Error::Unsupported(format!("big-endian memory on the {}", self.machine()))),
        }
    }

    /// Makes a call of the machine's own that was recorded.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for numbers and words that are no call of this machine.
    fn replay_call(&mut self, call: &[u8]) -> Result<(), Error> {
        Err(Error::InvalidArgument(format!("a call of {} bytes on the {}", call.len(), self.machine())))
    }

    /// Enters an object into the channel's table.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on machines without objects.
    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        let _ = object;
        Err(Error::Unsupported(format!("objects on the {}", self.machine())))
    }
}
