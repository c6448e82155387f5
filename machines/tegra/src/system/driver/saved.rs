//! The driver in a snapshot. What address spaces show is read off memory itself.

use std::collections::BTreeMap;

use triglyph_guest::tegra::driver::DeviceFile;
use triglyph_guest::tegra::driver::layout::SMALL_PAGE;

use super::file::File;
use super::map::Handle;
use super::queue::{Event, Queues};
use super::space::{AddressSpace, Mapping, Reservation};
use super::{Driver, FIRST_SPACE, Fence, Layout, MapMemory, PROCESS, PROCESS_MASK, SPACES};
use crate::core::{ADDRESS_MASK, SYNCPOINTS};
use crate::front_end::channel::Channel;
use triglyph_engine::device::Access;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory, View};
use triglyph_engine::snapshot::state;

state! {
    /// See the module's documentation.
    pub(in crate) struct SavedDriver {
        maps: Vec<SavedHandle>,
        spaces: Vec<SavedSpace>,
        views: Vec<SavedView>,
        channels: Vec<[u32; 2]>,
        maxima: Vec<u32>,
        events: Vec<SavedEvent>,
        files: Vec<SavedFile>,
    }
    struct SavedHandle { number: u32, wanted: u32, owners: u32, memory: Option<SavedMemory> }
    struct SavedMemory { address: u64, align: u32, heap: u32, flags: u32, kind: u8 }
    struct SavedSpace {
        number: u32,
        big_page: u64,
        range: [u64; 3],
        reservations: Vec<SavedReservation>,
        mappings: Vec<SavedMapping>,
    }
    struct SavedReservation { start: u64, size: u64, page_size: u64, sparse: bool }
    struct SavedMapping { start: u64, size: u64, kind: u8 }
    struct SavedView { space: u32, address: u64, size: u64, process: Option<u64> }
    struct SavedEvent { registered: bool, armed: Option<[u32; 2]> }
    struct SavedFile { number: u32, path: String, object: u32, user_data: u64 }
}

fn save_handle((&number, handle): (&u32, &Handle)) -> SavedHandle {
    let memory = handle.memory.map(|MapMemory { address, align, heap, flags, kind }| SavedMemory {
        address,
        align,
        heap,
        flags,
        kind,
    });
    SavedHandle { number, wanted: handle.wanted, owners: handle.owners, memory }
}

fn restore_handle(saved: SavedHandle) -> Option<(u32, Handle)> {
    let SavedHandle { number, wanted, owners, memory } = saved;
    let memory =
        memory.map(|SavedMemory { address, align, heap, flags, kind }| MapMemory { address, align, heap, flags, kind });
    let mut handle = Handle { size: u64::from(wanted).next_multiple_of(SMALL_PAGE), wanted, owners, memory: None };
    if let Some(memory) = memory {
        handle.attach(memory).ok()?;
    }
    (number != 0 && wanted != 0 && owners != 0).then_some((number, handle))
}

fn save_space((&number, space): (&u32, &AddressSpace)) -> SavedSpace {
    let reservation = |(&start, &Reservation { size, page_size, sparse }): (&u64, &Reservation)| SavedReservation {
        start,
        size,
        page_size,
        sparse,
    };
    let mapping = |(&start, &Mapping { size, kind }): (&u64, &Mapping)| SavedMapping { start, size, kind };
    SavedSpace {
        number,
        big_page: space.big_page,
        range: space.range,
        reservations: space.reservations.iter().map(reservation).collect(),
        mappings: space.mappings.iter().map(mapping).collect(),
    }
}

/// Whether stretches are in order, disjoint, not empty and within an address space.
fn are_sound(stretches: impl Iterator<Item = (u64, u64)>) -> bool {
    let mut last = 0;
    stretches.into_iter().all(|(start, size)| {
        let sound = start >= last && size != 0 && start.checked_add(size).is_some_and(|end| end <= ADDRESS_MASK + 1);
        last = start.saturating_add(size);
        sound
    })
}

fn restore_space(saved: SavedSpace) -> Option<(u32, AddressSpace)> {
    let SavedSpace { number, big_page, range, reservations, mappings } = saved;
    let mut space = AddressSpace::default();
    if big_page != 0 {
        let [start, split, end] = range;
        space.initialize(Layout { big_page, start, split, end }).ok()?;
    }
    let sound = are_sound(reservations.iter().map(|range| (range.start, range.size)))
        && are_sound(mappings.iter().map(|range| (range.start, range.size)))
        && (FIRST_SPACE..FIRST_SPACE + SPACES).contains(&number)
        && range == space.range;
    let reservation =
        |SavedReservation { start, size, page_size, sparse }| (start, Reservation { size, page_size, sparse });
    space.reservations = reservations.into_iter().map(reservation).collect();
    space.mappings =
        mappings.into_iter().map(|SavedMapping { start, size, kind }| (start, Mapping { size, kind })).collect();
    sound.then_some((number, space))
}

fn restore_event(SavedEvent { registered, armed }: SavedEvent) -> Event {
    Event { registered, armed: armed.map(|[syncpoint, value]| Fence { syncpoint: syncpoint.into(), value }) }
}

fn save_file((&number, file): (&u32, &File)) -> SavedFile {
    let File { device, object, user_data } = *file;
    SavedFile { number, path: device.path().to_owned(), object, user_data }
}

fn restore_file(SavedFile { number, path, object, user_data }: SavedFile) -> Option<(u32, File)> {
    Some((number, File { device: DeviceFile::of_path(&path)?, object, user_data }))
}

impl Driver {
    /// What a snapshot holds of it, and of what its clients see of `memory`.
    pub(crate) fn save(&self, memory: &Memory) -> SavedDriver {
        let view = |view: View| {
            let GuestRange { start: GuestAddr { space, address }, size } = view.range;
            SavedView { space, address, size, process: view.from.map(|from| from.address) }
        };
        let event = |event: &Event| SavedEvent {
            registered: event.registered,
            armed: event.armed.map(|fence| [fence.syncpoint.get(), fence.value]),
        };
        let ours = memory.views().filter(|view| self.spaces.contains_key(&view.range.start.space));
        SavedDriver {
            maps: self.maps.iter().map(save_handle).collect(),
            spaces: self.spaces.iter().map(save_space).collect(),
            views: ours.map(view).collect(),
            channels: self.queues.channels.iter().map(|(&channel, &syncpoint)| [channel, syncpoint]).collect(),
            maxima: self.queues.maxima.to_vec(),
            events: self.queues.events.iter().map(event).collect(),
            files: self.files.iter().map(save_file).collect(),
        }
    }

    /// What was saved, if it is possible.
    pub(crate) fn restore(saved: SavedDriver) -> Option<(Self, Views)> {
        let spaces: Option<_> = saved.spaces.into_iter().map(restore_space).collect();
        let driver = Driver {
            maps: saved.maps.into_iter().map(restore_handle).collect::<Option<_>>()?,
            spaces: spaces?,
            queues: Queues {
                channels: saved.channels.iter().map(|&[channel, syncpoint]| (channel, syncpoint)).collect(),
                maxima: saved.maxima.try_into().ok()?,
                events: saved.events.into_iter().map(restore_event).collect::<Vec<_>>().try_into().ok()?,
            },
            files: saved.files.into_iter().map(restore_file).collect::<Option<_>>()?,
        };
        let file = |file: &File| match file.device {
            DeviceFile::AsGpu => driver.spaces.contains_key(&file.object),
            DeviceFile::Gpu => driver.queues.channels.contains_key(&file.object),
            DeviceFile::Nvmap | DeviceFile::Ctrl | DeviceFile::CtrlGpu => true,
        };
        let syncpoint = |&syncpoint: &u32| (syncpoint as usize) < SYNCPOINTS;
        let event = |event: &Event| event.armed.is_none_or(|fence| syncpoint(&fence.syncpoint.get()));
        let view = |view: &SavedView| {
            let process = view.process.is_none_or(|address| address <= PROCESS_MASK);
            process && are_sound([(view.address, view.size)].into_iter()) && driver.spaces.contains_key(&view.space)
        };
        let sound = driver.queues.channels.values().all(syncpoint)
            && driver.queues.events.iter().all(event)
            && driver.files.values().all(file)
            && saved.views.iter().all(view);
        sound.then_some((driver, Views(saved.views)))
    }

    /// Whether all channels that clients have opened are there.
    pub(crate) fn has_channels(&self, channels: &BTreeMap<u32, Channel>) -> bool {
        self.queues.channels.keys().all(|channel| channels.contains_key(channel))
    }

    /// Shows nothing any more in any address space.
    pub(crate) fn hide_all(&self, memory: &mut Memory) {
        self.spaces.keys().for_each(|&space| memory.unmap(GuestRange::new(space, 0, u64::MAX)));
    }

    /// Whether clients have this address space.
    pub(crate) fn has_space(&self, space: u32) -> bool {
        self.spaces.contains_key(&space)
    }
}

/// What address spaces showed.
pub(crate) struct Views(Vec<SavedView>);

impl Views {
    /// Shows it again. What the process has not mapped any more cannot be shown.
    pub(crate) fn show(&self, memory: &mut Memory) {
        for &SavedView { space, address, size, process } in &self.0 {
            let range = GuestRange::new(space, address, size);
            let from = process.map(|address| GuestAddr::new(PROCESS, address));
            let _: Result<(), Error> = memory.restore_view(&View { range, access: Access::READ_WRITE, from });
        }
    }
}
