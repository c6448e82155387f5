//! Calls of the Tegra X1 in recordings.
//!
//! | number | call, with its arguments |
//! |---|---|
//! | 0, 1, 2 | `nvmap_create`: size; `nvmap_from_id`, `nvmap_free`: handle |
//! | 3 | `nvmap_alloc`: handle, address, alignment, heap, flags, kind |
//! | 4, 5 | `space_open`; `space_close`: space |
//! | 6 | `space_initialize`: space, big page, three addresses |
//! | 7, 8 | `space_allocate`: space, pages, page size, flags, at; `space_free`: space, offset, pages, page size |
//! | 9 | `space_map_buffer`: space, flags, kind, handle, offset in the buffer, size, offset |
//! | 10 | `space_unmap_buffer`: space, offset |
//! | 11 | `space_remap`: space; kind, handle, its page, page, pages of each entry |
//! | 12, 13, 14 | `channel_open`; `channel_close`: channel; `channel_bind`: channel, space |
//! | 15 | `channel_submit`: channel, flags, syncpoint, value; the entries |
//! | 16, 17 | `increment_syncpoint`: syncpoint; `advance_time`: nanoseconds |
//! | 18, 19 | `run`; `run_for`: words that it did, all ones for until nothing could go on |
//! | 20 | submissions are deferred: whether |
//! | 21 | `set_fuel`: units |

use super::TegraX1;
use super::driver::{Fence, Layout, MapBuffer, MapMemory, Remap};
use triglyph_engine::device::calls::{self, CallKind, CallLog, RecordsCalls};
use triglyph_engine::device::{Device, RunLimit};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::listed;

listed! {
    /// What hosts call.
    pub(super) enum Recorded: u64 {
        NvmapCreate = 0,
        NvmapFromId = 1,
        NvmapFree = 2,
        NvmapAlloc = 3,
        SpaceOpen = 4,
        SpaceClose = 5,
        SpaceInitialize = 6,
        SpaceAllocate = 7,
        SpaceFree = 8,
        SpaceMapBuffer = 9,
        SpaceUnmapBuffer = 10,
        SpaceRemap = 11,
        ChannelOpen = 12,
        ChannelClose = 13,
        ChannelBind = 14,
        ChannelSubmit = 15,
        IncrementSyncpoint = 16,
        AdvanceTime = 17,
        Run = 18,
        RunFor = 19,
        SetDeferred = 20,
        SetFuel = 21,
    }
}

impl From<Recorded> for CallKind {
    fn from(call: Recorded) -> CallKind {
        CallKind {
            number: call as u64,
            work: matches!(call, Recorded::ChannelSubmit | Recorded::IncrementSyncpoint | Recorded::Run),
        }
    }
}

impl RecordsCalls for TegraX1 {
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget) {
        (&mut self.calls, &self.core.memory, &self.core.budget)
    }
}

impl TegraX1 {
    /// Makes a call of a recording. What it answers was the guest's.
    pub(super) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("a call of {} bytes, which no Tegra X1 has", call.len()));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        let low = |word: u64| word as u32;
        match (Recorded::from_number(number).ok_or_else(bad)?, &arguments[..]) {
            (Recorded::NvmapCreate, &[size]) => ignore(self.nvmap_create(low(size))),
            (Recorded::NvmapFromId, &[id]) => ignore(self.nvmap_from_id(low(id))),
            (Recorded::NvmapFree, &[handle]) => ignore(self.nvmap_free(low(handle))),
            (Recorded::NvmapAlloc, &[handle, address, align, heap, flags, kind]) => {
                let (align, heap, flags, kind) = (low(align), low(heap), low(flags), kind as u8);
                ignore(self.nvmap_alloc(low(handle), MapMemory { address, align, heap, flags, kind }));
            }
            (Recorded::SpaceOpen, []) => ignore(self.space_open()),
            (Recorded::SpaceClose, &[space]) => ignore(self.space_close(low(space))),
            (Recorded::SpaceInitialize, &[space, big_page, a, b, c]) => {
                ignore(self.space_initialize(low(space), Layout { big_page, range: [a, b, c] }));
            }
            (Recorded::SpaceAllocate, &[space, pages, page_size, flags, at]) => {
                ignore(self.space_allocate(low(space), low(pages), page_size, low(flags), at));
            }
            (Recorded::SpaceFree, &[space, offset, pages, page_size]) => {
                ignore(self.space_free(low(space), offset, low(pages), page_size));
            }
            (Recorded::SpaceMapBuffer, &[space, flags, kind, handle, buffer_offset, size, offset]) => {
                let (flags, kind, handle) = (low(flags), low(kind), low(handle));
                let call = MapBuffer { flags, kind, handle, buffer_offset, size, offset };
                ignore(self.space_map_buffer(low(space), call));
            }
            (Recorded::SpaceUnmapBuffer, &[space, offset]) => ignore(self.space_unmap_buffer(low(space), offset)),
            (Recorded::SpaceRemap, &[space, ref entries @ ..]) if entries.len() % 5 == 0 => {
                let entry = |&[kind, handle, handle_page, space_page, pages]: &[u64; 5]| Remap {
                    kind: kind as u16,
                    handle: low(handle),
                    handle_page: low(handle_page),
                    space_page: low(space_page),
                    pages: low(pages),
                };
                let entries: Vec<Remap> = entries.as_chunks().0.iter().map(entry).collect();
                ignore(self.space_remap(low(space), &entries));
            }
            (Recorded::ChannelOpen, []) => ignore(self.channel_open()),
            (Recorded::ChannelClose, &[channel]) => ignore(self.channel_close(low(channel))),
            (Recorded::ChannelBind, &[channel, space]) => ignore(self.channel_bind(low(channel), low(space))),
            (Recorded::ChannelSubmit, &[channel, flags, syncpoint, value, ref entries @ ..]) => {
                let fence = Fence { syncpoint: low(syncpoint), value: low(value) };
                ignore(self.channel_submit(low(channel), entries, low(flags), fence));
            }
            (Recorded::IncrementSyncpoint, &[index]) => self.increment_syncpoint(low(index)),
            (Recorded::AdvanceTime, &[nanoseconds]) => self.advance_time(nanoseconds),
            (Recorded::Run, []) => self.run(),
            (Recorded::RunFor, &[words]) => {
                self.run_for(RunLimit::of_words(words));
            }
            (Recorded::SetDeferred, &[deferred]) => self.set_deferred(deferred != 0),
            (Recorded::SetFuel, &[fuel]) => self.set_fuel(fuel),
            _ => return Err(bad()),
        }
        Ok(())
    }
}

/// What a call answers was the guest's.
fn ignore<T>(_answer: T) {}
