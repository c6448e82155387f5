//! The functions of the tables of GSP's requests and of the hardware's calls. `result` is a result code.

use triglyph::n3ds::gsp::Session;
use triglyph_guest::{gsp_calls, n3ds_calls};

use super::gsp_values::{triglyph_n3ds_capture_info, triglyph_n3ds_framebuffer, triglyph_n3ds_registration};
use super::{screen, triglyph_n3ds, triglyph_n3ds_executed, with_gsp};
use crate::calls::c_calls;
use crate::error::triglyph_status;
use crate::forward::{Outputs, Take, Tell, answer, export, given};
use crate::handle::with_machine;
use crate::pointer::{Out, copied, required, slice_mut};

macro_rules! requests {
    ($($rows:tt)+) => {
        c_calls!(export [n3ds: triglyph_n3ds, with_gsp, u32, hardware] $($rows)+);
    };
}
gsp_calls!(requests);

macro_rules! functions {
    ($($rows:tt)+) => {
        c_calls!(export [n3ds: triglyph_n3ds, with_machine, u32] $($rows)+);
    };
}
n3ds_calls!(functions);
