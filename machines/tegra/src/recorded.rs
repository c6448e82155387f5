//! Methods made of the table of calls: the typed ones, which record themselves, and the way back from a recording.

use std::time::Duration;

use triglyph_engine::calls_of_rows;
use triglyph_engine::device::calls::{CallLog, RecordsCalls};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::id::{ChannelId, EventSlot, NvmapHandle, SpaceId, SyncpointId};
use triglyph_guest::table::calls;
use triglyph_guest::tegra::driver::calls::CALLS;
use triglyph_guest::tegra::driver::{Buffer, Fence, Freed, Layout, MapBuffer, MapMemory, Region, Remap, Status, Wait};
use triglyph_guest::tegra_calls;

use crate::device::TegraX1;

macro_rules! methods {
    ($($row:tt)+) => {
        calls_of_rows!(TegraX1: $($row)+);
    };
}
tegra_calls!(methods);

impl RecordsCalls for TegraX1 {
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget) {
        (&mut self.calls, &self.core.memory, &self.core.budget)
    }

    fn draw_everything(&mut self) {
        self.core.flush();
    }
}

impl TegraX1 {
    /// Makes a call of a recording.
    pub(crate) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("{}, which no Tegra X1 has", calls::recorded_text(CALLS, call)));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        replay(self, number, &arguments).ok_or_else(bad)
    }
}
