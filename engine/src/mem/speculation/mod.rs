//! Speculative memory accesses of a grid's parts, which run at the same time before it is known whether they are
//! independent.
//!
//! ```text
//! Speculation ──► ChunkMemory, one for each part ──► what was loaded and stored ──► independent: reductions are joined
//!      └─ what was there before the first store                               └──► otherwise: that is put back
//! ```
//! Memory is identified by its address on the host. Reductions go to memory of their own and make no part depend on
//! another one. The old content of memory is copied only if it may be needed: where what blocks do does not depend on
//! it, and all of them end, they store the same again when they are run in order.

mod gathered;
mod kept;
mod ranges;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::environment::{GlobalMemory, Span, Usage};
use triglyph_guest::kernel::program::reduction::Reduction;

use super::global::{Missing, UnmappedAccesses, at};
use super::{GuestRange, Memory};
use gathered::{Gathered, GatheredPiece};
pub use kept::KeptRoom;
use kept::{PIECE, SavedMemory, pieces};
use ranges::{LoadsAndStores, independent, overlaps};

/// How often a block may go on to other memory, on average: programs that go back and forth are faster in order.
const CHANGES_PER_BLOCK: usize = 8;

/// How often any part may.
const MIN_CHANGES: usize = 256;

/// A grid that runs in parts, before it is known whether they are independent.
#[derive(Debug)]
pub struct Speculation<'m> {
    memory: &'m Memory,
    space: u32,
    /// The memory of the program's images.
    images: Vec<Window<'m>>,
    /// Whether the old content is copied.
    keeps: bool,
    kept: Mutex<SavedMemory<'m>>,
    room: &'m KeptRoom,
    /// Reductions, one for each part that runs at the same time.
    gathered: Mutex<Vec<Gathered<'m>>>,
    done: Mutex<Vec<PartAccesses>>,
    failed: AtomicBool,
}

/// Memory as one part reaches it.
#[derive(Debug)]
pub struct ChunkMemory<'s, 'm> {
    of: &'s Speculation<'m>,
    gathered: Gathered<'m>,
    used: Mutex<PartAccesses>,
    /// Where the memory begins that was handed out last for stores, and how often another one still may be.
    last: AtomicU64,
    changes: AtomicUsize,
    unread: Missing,
    dropped: Missing,
}

/// The accesses of a part.
#[derive(Debug, Default)]
struct PartAccesses {
    /// By host address.
    memory: LoadsAndStores,
    /// Texels of each image, as [`GlobalMemory::note_image`] counts them.
    images: Vec<LoadsAndStores>,
    unmapped: UnmappedAccesses,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Where a window is on the host.
fn place(window: Window<'_>) -> Range<u64> {
    let start = window.as_ptr().addr() as u64;
    start..start + window.len() as u64
}

impl<'m> Speculation<'m> {
    /// A grid whose program has images in these windows. `keeps`: whether its blocks load what they may store to, or
    /// may not end. Then the images are copied if it `stores_images`.
    pub fn new(
        (memory, space): (&'m Memory, u32),
        images: Vec<Window<'m>>,
        (keeps, stores_images): (bool, bool),
        room: &'m KeptRoom,
    ) -> Self {
        let mut kept = SavedMemory::default();
        let all = || images.iter().copied().flat_map(pieces);
        let is_kept = !(keeps && stores_images) || all().all(|piece| kept.keep(piece, room));
        Speculation {
            memory,
            space,
            images,
            keeps,
            kept: Mutex::new(kept),
            room,
            gathered: Mutex::default(),
            done: Mutex::default(),
            failed: AtomicBool::new(!is_kept),
        }
    }

    /// The memory of a part of so many blocks.
    pub fn chunk(&self, blocks: usize) -> ChunkMemory<'_, 'm> {
        let gathered = lock(&self.gathered).pop().unwrap_or_default();
        let images = self.images.iter().map(|_| LoadsAndStores::default()).collect();
        let used = Mutex::new(PartAccesses { images, ..PartAccesses::default() });
        let changes = AtomicUsize::new(CHANGES_PER_BLOCK * blocks + MIN_CHANGES);
        let (unread, dropped) = (Missing::new(), Missing::new());
        ChunkMemory { of: self, gathered, used, last: AtomicU64::new(0), changes, unread, dropped }
    }

    /// Everything has to be done again, in order.
    pub fn fail(&self) {
        self.failed.store(true, Relaxed);
    }

    /// Whether it is no use to go on.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// Ends the grid. If the parts were independent, memory is as if they had run in order, and their unmapped accesses
    /// are returned. Otherwise memory is restored, and the caller runs all blocks in order.
    pub fn finish(self) -> Option<UnmappedAccesses> {
        let mut done = into_inner(self.done);
        let reduced = into_inner(self.gathered);
        let kept = into_inner(self.kept);
        let reduced: Vec<&GatheredPiece<'m>> = reduced.iter().flat_map(|set| set.pieces()).collect();
        if self.failed.into_inner() || !are_independent(&mut done, &self.images, &reduced) {
            let mut stored = LoadsAndStores::default();
            for used in &mut done {
                used.memory.stores.merge().iter().for_each(|range| stored.stores.insert(range.clone()));
                let images = used.images.iter().zip(&self.images).filter(|(image, _)| !image.stores.is_empty());
                images.for_each(|(_, window)| stored.stores.insert(place(*window)));
            }
            kept.put_back(stored.stores.merge());
            kept.give_back(self.room);
            return None;
        }
        kept.give_back(self.room);
        for piece in reduced {
            piece.join(self.memory, self.space);
        }
        Some(done.iter().fold(UnmappedAccesses::default(), |unmapped, used| unmapped.join(used.unmapped)))
    }
}

/// Whether no part has loaded or overwritten what another one has stored.
fn are_independent(done: &mut [PartAccesses], images: &[Window<'_>], reduced: &[&GatheredPiece<'_>]) -> bool {
    let mut memory: Vec<&mut LoadsAndStores> = done.iter_mut().map(|used| &mut used.memory).collect();
    let Some(stores) = independent(&mut memory) else { return false };
    let mut loads = LoadsAndStores::default();
    for used in &mut *done {
        used.memory.loads.merge().iter().for_each(|range| loads.loads.insert(range.clone()));
    }
    let loads = loads.loads.merge();
    // The memory of images that were used, and whether they were written.
    let mut used_images = Vec::new();
    for (n, window) in images.iter().enumerate() {
        let mut texels: Vec<&mut LoadsAndStores> = done.iter_mut().map(|used| &mut used.images[n]).collect();
        let is_loaded = texels.iter().any(|texels| !texels.loads.is_empty());
        let Some(stored) = independent(&mut texels) else { return false };
        if is_loaded || !stored.is_empty() {
            used_images.push((place(*window), !stored.is_empty()));
        }
    }
    let images_are_independent = used_images.iter().enumerate().all(|(n, (image, is_stored))| {
        let others = used_images[..n]
            .iter()
            .all(|(other, stored)| other.end <= image.start || image.end <= other.start || !(*stored || *is_stored));
        others && !overlaps(&stores, image) && !(*is_stored && overlaps(loads, image))
    });
    let reductions_are_independent = reduced.iter().enumerate().all(|(n, piece)| {
        let range = piece.used();
        let touches = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        let others = reduced[..n].iter().all(|other| other.reduction == piece.reduction || !touches(&other.used()));
        let images = used_images.iter().all(|(image, _)| !touches(image));
        others && images && !overlaps(&stores, &range) && !overlaps(loads, &range)
    });
    images_are_independent && reductions_are_independent
}

impl<'m> ChunkMemory<'_, 'm> {
    /// The part is done.
    pub fn finish(self) {
        let mut used = into_inner(self.used);
        used.unmapped = UnmappedAccesses::of(&self.unread, &self.dropped);
        lock(&self.of.gathered).push(self.gathered);
        lock(&self.of.done).push(used);
    }

    /// Calls `f` with the memory of each mapped piece of a range.
    fn for_each_window(&self, address: u64, size: u64, mut f: impl FnMut(Window<'m>)) {
        self.of.memory.walk(at(self.of.space, address).range(size), |region, at, piece| {
            if let Some(region) = region.filter(|region| !region.is_sparse()) {
                f(region.window(at).first(piece.len()));
            }
        });
    }

    /// Copies the content of a window. Fails if it is too large: then nothing may be stored.
    fn keep(&self, window: Window<'m>) -> bool {
        let is_kept = lock(&self.of.kept).keep(window, self.of.room);
        if !is_kept {
            self.of.fail();
        }
        is_kept
    }

    /// Memory from `start` on is handed out.
    fn note_change(&self, start: u64) {
        if self.last.swap(start, Relaxed) != start {
            let left = self.changes.load(Relaxed);
            self.changes.store(left.saturating_sub(1), Relaxed);
            if left == 0 {
                self.of.fail();
            }
        }
    }

    fn gather(&self, address: u64, reduction: Reduction) -> Option<&GatheredPiece<'m>> {
        let address = at(self.of.space, address).address;
        self.gathered.find(address, reduction).or_else(|| {
            let free = self.gathered.0.iter().find(|piece| piece.get().is_none())?;
            let piece = GatheredPiece::new(self.of.memory, self.of.space, address, reduction)?;
            free.set(piece).ok()?;
            free.get()
        })
    }
}

impl GlobalMemory for ChunkMemory<'_, '_> {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        if !self.of.keeps {
            // Reductions that cannot be gathered are the only ones that load.
            self.of.fail();
            return bytes.fill(0);
        }
        let at = at(self.of.space, address);
        self.note(at.address, bytes.len() as u64, Usage::Load);
        self.unread.add(self.of.memory.read_pieces(at, bytes), at.address);
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let at = at(self.of.space, address);
        let mut may_store = !self.of.has_failed();
        if self.of.keeps {
            self.for_each_window(at.address, bytes.len() as u64, |window| {
                may_store &= pieces(window).all(|piece| self.keep(piece));
            });
        }
        if may_store {
            self.note(at.address, bytes.len() as u64, Usage::Store);
            self.dropped.add(self.of.memory.write_pieces(at, bytes), at.address);
        }
    }

    fn span(&self, address: u64, usage: Usage) -> Option<Span<'_>> {
        if let Usage::Reduce(reduction) = usage {
            let piece = self.gather(address, reduction)?;
            self.note_change(piece.start);
            return Some(Span { start: piece.start, window: Window::new(&piece.values) });
        }
        let at = at(self.of.space, address);
        let (start, window) = self.of.memory.mapping_at(at, usage == Usage::Store)?;
        if !self.of.keeps || usage == Usage::Load {
            return Some(Span { start, window });
        }
        let offset = usize::try_from(at.address - start).ok()?;
        let first = offset.saturating_sub((window.as_ptr().addr() + offset) % PIECE);
        let piece = pieces(window.from(first)).next()?;
        self.note_change(start + first as u64);
        self.keep(piece).then_some(Span { start: start + first as u64, window: piece })
    }

    fn note(&self, address: u64, size: u64, usage: Usage) {
        if let Usage::Reduce(reduction) = usage {
            if let Some(piece) = self.gathered.find(address, reduction) {
                piece.note(address, size);
            }
            return;
        }
        let mut used = lock(&self.used);
        let LoadsAndStores { loads, stores } = &mut used.memory;
        let ranges = if usage == Usage::Store { stores } else { loads };
        self.for_each_window(address, size, |window| ranges.insert(place(window)));
        if usage == Usage::Store {
            self.of.memory.mark_written(GuestRange::new(self.of.space, address, size));
        }
    }

    fn note_image(&self, image: usize, texels: Range<u64>, stores: bool) {
        if let Some(used) = lock(&self.used).images.get_mut(image) {
            let ranges = if stores { &mut used.stores } else { &mut used.loads };
            ranges.insert(texels);
        }
    }
}
