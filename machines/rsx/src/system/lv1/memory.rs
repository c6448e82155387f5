//! `lv1_gpu_memory_allocate`, `lv1_gpu_memory_free`, and local memory that has to be there.

use triglyph_guest::rsx::lv1::{Status, memory as limits};

use super::{Allocation, Lv1, MEMORY_HANDLE};
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestRange, Memory};

/// Most tiles that a call may ask for: Lv-2 is seen to ask for 15 and for 16 (RPCS3), the wiki's limit is 15.
const TILES: u64 = limits::P3 + 1;

impl Lv1 {
    /// Allocates local memory after what is allocated already.
    pub(super) fn allocate(&mut self, size: u64, parameters: [u64; 4]) -> Result<Allocation, Status> {
        // The upper bits are flags that are ignored (wiki).
        let size = size & 0xFFFF_FFFF;
        let [p1, p2, p3, p4] = parameters;
        let sizes = size.is_multiple_of(limits::UNIT) && size <= limits::MAX_SIZE;
        if !sizes || p1 > limits::P1 || p2 > limits::P2 || p3 > TILES || p4 > limits::P4 {
            return Err(Status::IllegalParameterValue);
        }
        let start = self.allocations.iter().map(|other| other.start + other.size).max().unwrap_or(0);
        if start + size > limits::MAX_SIZE || self.allocations.len() == MAX_ALLOCATIONS {
            return Err(Status::ResourceShortage);
        }
        let free = |handle: &u32| self.allocations.iter().all(|other| other.handle != *handle);
        let handle = (1..).map(|number| number ^ MEMORY_HANDLE).find(free).ok_or(Status::ResourceShortage)?;
        let allocation = Allocation { handle, start, size, parameters };
        self.allocations.push(allocation);
        Ok(allocation)
    }

    /// Frees an allocation that no context works on.
    pub(super) fn free(&mut self, handle: u32) -> Result<(), Status> {
        let at = self.allocations.iter().position(|other| other.handle == handle).ok_or(Status::NoEntry)?;
        if self.contexts.iter().flatten().any(|context| context.memory == handle) {
            return Err(Status::Busy);
        }
        self.allocations.remove(at);
        Ok(())
    }

    /// An allocation, by its handle.
    pub(super) fn allocation(&self, handle: u32) -> Result<Allocation, Status> {
        self.allocations.iter().find(|other| other.handle == handle).copied().ok_or(Status::IllegalParameterValue)
    }
}

/// Allocations of no bytes cost a handle all the same.
const MAX_ALLOCATIONS: usize = 256;

/// Maps what is not mapped of a range.
pub(super) fn fill_holes(memory: &mut Memory, range: GuestRange) -> Result<(), Status> {
    let there: Vec<GuestRange> = memory.ranges().filter(|there| there.overlaps(range)).collect();
    let (mut at, end) = (range.start, range.start.after(range.size));
    for next in there.into_iter().chain([end.range(0)]) {
        if next.start > at {
            let mapped = memory.map(at.range(next.start.address - at.address), Access::READ_WRITE);
            mapped.map_err(|_| Status::ResourceShortage)?;
        }
        at = at.max(next.start.after(next.size));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_engine::mem::GuestAddr;

    #[test]
    fn allocations_stand_one_behind_the_other() {
        let mut lv1 = Lv1::default();
        let first = lv1.allocate(64 << 20, [0; 4]).unwrap();
        let second = lv1.allocate(1 << 63 | 0x0BC0_0000, [8, 0x30_0000, 15, 8]).unwrap();
        assert_eq!((first.handle, first.start, second.start, second.size), (0x5A5A_5A5B, 0, 64 << 20, 188 << 20));
        assert_eq!(lv1.allocate(1 << 20, [0; 4]), Err(Status::ResourceShortage));
        lv1.free(second.handle).unwrap();
        assert_eq!(lv1.free(second.handle), Err(Status::NoEntry));
        assert_eq!(lv1.allocate(1 << 20, [0; 4]).map(|third| third.start), Ok(64 << 20));
    }

    #[test]
    fn parameters_have_limits() {
        let mut lv1 = Lv1::default();
        for (size, parameters) in [
            (1, [0; 4]),
            (253 << 20, [0; 4]),
            (0, [limits::P1 + 1, 0, 0, 0]),
            (0, [0, limits::P2 + 1, 0, 0]),
            (0, [0, 0, 17, 0]),
            (0, [0, 0, 0, 9]),
        ] {
            assert_eq!(lv1.allocate(size, parameters), Err(Status::IllegalParameterValue));
        }
        assert!(lv1.allocate(0, [limits::P1, limits::P2, 16, 8]).is_ok());
    }

    #[test]
    fn only_holes_are_mapped() {
        let mut memory = Memory::default();
        memory.map(GuestRange::new(0, 0x2000, 0x1000), Access::READ_WRITE).unwrap();
        memory.write(GuestAddr::new(0, 0x2000), &[7]).unwrap();
        fill_holes(&mut memory, GuestRange::new(0, 0x1000, 0x4000)).unwrap();
        fill_holes(&mut memory, GuestRange::new(0, 0x1000, 0x4000)).unwrap();
        let mut bytes = [1; 0x4000];
        memory.read(GuestAddr::new(0, 0x1000), &mut bytes).unwrap();
        assert_eq!(bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>(), 7);
        assert!(memory.read(GuestAddr::new(0, 0x5000), &mut bytes[..1]).is_err());
    }
}
