//! How guest memory is read and written: in place through windows, and as copies.

use std::ops::Range;
use std::sync::Arc;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::access::AccessListener;

use super::region::Region;
use super::{GuestAddr, GuestRange, Memory, copy_in, copy_out};
use crate::error::Error;

impl Memory {
    /// Stores `bytes` for the host, whatever the access of the range.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte is not mapped; nothing is stored then.
    pub fn write(&self, at: GuestAddr, bytes: &[u8]) -> Result<(), Error> {
        let range = at.range(bytes.len() as u64);
        self.for_each_window(range, |window, piece| copy_in(&bytes[piece], window))?;
        self.mark_changed(range);
        Ok(())
    }

    /// Reads bytes for the host, whatever the access of the range.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte is not mapped.
    pub fn read(&self, at: GuestAddr, out: &mut [u8]) -> Result<(), Error> {
        self.for_each_window(at.range(out.len() as u64), |window, piece| copy_out(window, &mut out[piece]))
    }
}

/// Accesses for machines and kernels.
#[doc(hidden)]
impl Memory {
    /// Notifies a tool of each access by a window or a copy from now on.
    pub fn set_access_listener(&mut self, listener: Arc<dyn AccessListener>) {
        self.regions.iter_mut().for_each(|region| region.listener = Some(listener.clone()));
        self.access_listener = Some(listener);
    }

    /// Memory the GPU may read from an address to the end of its mapping; empty when there is none.
    pub fn readable(&self, at: GuestAddr) -> Window<'_> {
        match self.find(at) {
            Some(region) if region.access.read => region.window(at),
            _ => Window::default(),
        }
    }

    /// Memory the GPU may read and write from an address to the end of its mapping; empty when there is none.
    pub fn writable(&self, at: GuestAddr) -> Window<'_> {
        match self.find(at) {
            Some(region) if region.access.write => region.window(at),
            _ => Window::default(),
        }
    }

    /// The mapping that an address lies in, from its first byte on, if the GPU may read it, and with `stores` write it.
    pub fn mapping_at(&self, at: GuestAddr, stores: bool) -> Option<(u64, Window<'_>)> {
        let region = self.find(at)?;
        let allowed = region.access.read && (region.access.write || !stores) && !region.is_sparse();
        if !allowed {
            return None;
        }
        if let Some(journal) = self.journal.as_ref().filter(|_| stores) {
            journal.keep(region);
        }
        Some((region.range.start.address, region.window(region.range.start)))
    }

    /// The next address where a mapping begins or ends; from one to the next all is the same.
    pub fn border_after(&self, at: GuestAddr) -> Option<u64> {
        let region = self.next_region(at)?;
        let start = region.range.start;
        Some(if start > at { start.address } else { region.end().address })
    }

    /// Reads the bytes of a range that the GPU may read; zeros elsewhere. Returns how many bytes were not readable.
    pub fn read_pieces(&self, at: GuestAddr, out: &mut [u8]) -> usize {
        let mut missing = 0;
        self.walk(at.range(out.len() as u64), |region, at, piece| match region {
            Some(region) if region.access.read => copy_out(region.window(at).first(piece.len()), &mut out[piece]),
            other => {
                missing += if other.is_some_and(Region::is_sparse) { 0 } else { piece.len() };
                out[piece].fill(0);
            }
        });
        missing
    }

    /// How many bytes of a range are not there for the GPU to read.
    pub fn count_missing(&self, range: GuestRange) -> u64 {
        let mut missing = 0;
        self.walk(range, |region, _, piece| match region {
            Some(region) if region.access.read || region.is_sparse() => {}
            _ => missing += piece.len() as u64,
        });
        missing
    }

    /// Stores into the bytes of a range that the GPU may write, and marks them. Returns how many bytes were not
    /// writable.
    pub fn write_pieces(&self, at: GuestAddr, bytes: &[u8]) -> usize {
        let mut missing = 0;
        self.walk(at.range(bytes.len() as u64), |region, at, piece| match region {
            Some(region) if region.access.write => {
                if let Some(journal) = &self.journal {
                    journal.keep(region);
                }
                copy_in(&bytes[piece.clone()], region.window(at).first(piece.len()));
                self.mark_written(at.range(piece.len() as u64));
            }
            Some(region) if region.is_sparse() => {}
            _ => missing += piece.len(),
        });
        missing
    }

    /// Whether all of a range is mapped, whatever its access.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when it is not, or when the range ends after the last address.
    pub fn check_mapped(&self, range: GuestRange) -> Result<(), Error> {
        let mut whole = range.start.address.checked_add(range.size).is_some();
        if whole {
            self.walk(range, |region, _, _| whole &= region.is_some_and(|region| !region.is_sparse()));
        }
        if whole { Ok(()) } else { Err(Error::Unmapped(range)) }
    }

    /// The region that an address lies in.
    pub(super) fn find(&self, at: GuestAddr) -> Option<&Region> {
        let after = self.regions.partition_point(|r| r.range.start <= at);
        let region = &self.regions[after.checked_sub(1)?];
        (at < region.end()).then_some(region)
    }

    /// The first region of a space that ends after an address: the address lies in it or before it.
    fn next_region(&self, at: GuestAddr) -> Option<&Region> {
        let next = self.regions.partition_point(|r| r.end() <= at);
        self.regions.get(next).filter(|region| region.range.start.space == at.space)
    }

    /// Calls `f` with each piece of a range that lies in one region, or in none: the region, the start of the piece,
    /// and its bytes of the range.
    pub(super) fn walk<'m>(
        &'m self,
        range: GuestRange,
        mut f: impl FnMut(Option<&'m Region>, GuestAddr, Range<usize>),
    ) {
        let size = usize::try_from(range.size).unwrap_or(usize::MAX);
        let mut done = 0;
        while done < size {
            let at = range.start.after(done as u64);
            let (region, length) = match self.next_region(at) {
                Some(region) if region.range.start <= at => (Some(region), region.end().address - at.address),
                Some(next) => (None, next.range.start.address - at.address),
                None => (None, u64::MAX),
            };
            let length = usize::try_from(length).unwrap_or(usize::MAX).min(size - done);
            f(region, at, done..done + length);
            done += length;
        }
    }

    /// Calls `f` with the memory of each piece of a range, after making sure that there is no hole.
    fn for_each_window(&self, range: GuestRange, mut f: impl FnMut(Window<'_>, Range<usize>)) -> Result<(), Error> {
        // Nearly always it is all in one region.
        if let Some(region) = self.find(range.start).filter(|region| !region.is_sparse())
            && let window = region.window(range.start)
            && window.len() as u64 >= range.size
        {
            let size = range.size as usize;
            f(window.first(size), 0..size);
            return Ok(());
        }
        self.check_mapped(range)?;
        self.walk(range, |region, at, piece| {
            if let Some(region) = region {
                f(region.window(at).first(piece.len()), piece);
            }
        });
        Ok(())
    }
}
