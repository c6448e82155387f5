//! The functions of the table of the hypervisor's and the host's calls. `result` is what the guest finds in r3.

use std::time::Duration;

use triglyph::{ChannelId, ContextHandle, MemoryHandle};
use triglyph_guest::rsx_calls;

use super::lv1::triglyph_rsx_context;
use super::triglyph_rsx;
use crate::calls::c_calls;
use crate::error::triglyph_status;
use crate::forward::{Outputs, Tell, answer, export, given, registers};
use crate::handle::with_machine;
use crate::pointer::{Out, array};

macro_rules! functions {
    ($($rows:tt)+) => {
        c_calls!(export [rsx: triglyph_rsx, with_machine, i64] $($rows)+);
    };
}
rsx_calls!(functions);
