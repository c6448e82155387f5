//! Handles of the process's memory: `/dev/nvmap`.

use std::collections::BTreeMap;

use triglyph_guest::id::NvmapHandle;
use triglyph_guest::tegra::driver::layout::SMALL_PAGE;
use triglyph_guest::tegra::driver::{Freed, MapMemory, Status, map_param};

use super::PROCESS_MASK;

/// Numbers of handles go up by this, as the system's do (yuzu).
const STEP: u32 = 4;

/// Handles at most.
const MAX_HANDLES: usize = 1 << 16;

/// A handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    /// Bytes, whole pages.
    pub size: u64,
    /// What the creator asked for.
    pub wanted: u32,
    /// How many have it.
    pub owners: u32,
    pub memory: Option<MapMemory>,
}

/// Creates a handle of `size` bytes.
pub(super) fn create(maps: &mut BTreeMap<u32, Handle>, size: u32) -> Result<u32, Status> {
    if size == 0 {
        return Err(Status::BadValue);
    }
    let last = maps.keys().next_back().copied().unwrap_or(0);
    let number = last.checked_add(STEP).filter(|_| maps.len() < MAX_HANDLES).ok_or(Status::InsufficientMemory)?;
    let handle = Handle { size: u64::from(size).next_multiple_of(SMALL_PAGE), wanted: size, owners: 1, memory: None };
    maps.insert(number, handle);
    Ok(number)
}

/// A handle that exists.
pub(super) fn get(maps: &mut BTreeMap<u32, Handle>, handle: NvmapHandle) -> Result<&mut Handle, Status> {
    maps.get_mut(&handle.get()).ok_or(Status::BadValue)
}

impl Handle {
    /// Attaches memory.
    pub fn attach(&mut self, memory: MapMemory) -> Result<(), Status> {
        let align = memory.align.max(SMALL_PAGE as u32);
        if self.memory.is_some() {
            return Err(Status::AlreadyAllocated);
        }
        if !(memory.align == 0 || memory.align.is_power_of_two()) {
            return Err(Status::BadValue);
        }
        if !memory.address.is_multiple_of(SMALL_PAGE) || memory.address > PROCESS_MASK - self.size {
            return Err(Status::InvalidAddress);
        }
        self.memory = Some(MapMemory { align, ..memory });
        Ok(())
    }

    /// Takes an owner away; the handle goes with the last one.
    pub fn free(maps: &mut BTreeMap<u32, Handle>, number: NvmapHandle) -> Result<Freed, Status> {
        let handle = get(maps, number)?;
        handle.owners -= 1;
        let handle = *handle;
        if handle.owners == 0 {
            maps.remove(&number.get());
        }
        let address = handle.memory.map_or(0, |memory| memory.address);
        Ok(Freed { address, size: handle.wanted, in_use: handle.owners != 0 })
    }

    /// What the PARAM call answers.
    pub fn parameter(&self, parameter: u32) -> Result<u32, Status> {
        let memory = self.memory.unwrap_or_default();
        match parameter {
            map_param::SIZE => Ok(self.wanted),
            map_param::ALIGNMENT => Ok(memory.align),
            map_param::HEAP => Ok(memory.heap),
            map_param::KIND => Ok(memory.kind.into()),
            map_param::BASE | map_param::COMPRESSION => Ok(0),
            _ => Err(Status::BadValue),
        }
    }
}
