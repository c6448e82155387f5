//! Validates keys of macros and packet traces.

use super::{InvalidKey, Validate, check};
use crate::kernel::mme::MmeKey;
use crate::kernel::packet_trace::PacketTraceKey;

/// Words of a macro: more than the expander's memory has.
const MACRO: usize = 4096;

impl Validate for MmeKey {
    /// An entry may be anywhere: what lies outside of the code ends the macro.
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.code.len() <= MACRO, "a macro is longer than the expander's memory")
    }
}

impl Validate for PacketTraceKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.is_sound(), "a packet names words or registers that are not there")
    }
}
