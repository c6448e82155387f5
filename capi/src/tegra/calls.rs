//! The functions of the table of the driver's calls. `result` is a `triglyph_tegra_result`.

use std::time::Duration;

use triglyph::{ChannelId, EventSlot, NvmapHandle, SpaceId, SyncpointId};
use triglyph_guest::tegra::driver::timeout;
use triglyph_guest::tegra_calls;

use super::channel::triglyph_tegra_wait;
use super::nvmap::{triglyph_tegra_freed, triglyph_tegra_memory};
use super::space::{triglyph_tegra_layout, triglyph_tegra_map_buffer, triglyph_tegra_region, triglyph_tegra_remap};
use super::{triglyph_tegra, triglyph_tegra_fence};
use crate::calls::c_calls;
use crate::error::triglyph_status;
use crate::forward::{Outputs, Take, Tell, answer, export, given, taken};
use crate::handle::with_machine;
use crate::pointer::{Out, copied, required};

macro_rules! functions {
    ($($rows:tt)+) => {
        c_calls!(export [tegra: triglyph_tegra, with_machine, u32] $($rows)+);
    };
}
tegra_calls!(functions);
