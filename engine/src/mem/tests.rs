//! Mapping, views and accesses, together.

use super::*;
use crate::error::Error;
use crate::mem::rights::Access;

/// An address of a space.
pub(super) const fn at(space: u32, address: u64) -> GuestAddr {
    GuestAddr::new(space, address)
}

/// A range of a space.
pub(super) const fn range(space: u32, address: u64, size: u64) -> GuestRange {
    GuestRange::new(space, address, size)
}

fn memory() -> Memory {
    let mut memory = Memory::default();
    memory.map(range(0, 0x1000, 0x1000), Access::READ_WRITE).unwrap();
    memory.map(range(0, 0x2000, 0x1000), Access::READ).unwrap();
    memory
}

#[test]
fn reads_what_was_written_across_ranges() {
    let memory = memory();
    let bytes: Vec<u8> = (0..=255).collect();
    memory.write(at(0, 0x1F80), &bytes).unwrap();
    let mut back = vec![0; 256];
    memory.read(at(0, 0x1F80), &mut back).unwrap();
    assert_eq!(back, bytes);
}

#[test]
fn holes_are_errors_and_nothing_is_stored() {
    let memory = memory();
    assert!(matches!(memory.write(at(0, 0x2FFF), &[1, 2]), Err(Error::Unmapped { .. })));
    let mut byte = [9];
    memory.read(at(0, 0x2FFF), &mut byte).unwrap();
    assert_eq!(byte, [0]);
    assert!(memory.read(at(1, 0x1000), &mut byte).is_err());
}

#[test]
fn windows_respect_access() {
    let memory = memory();
    assert_eq!(memory.writable(at(0, 0x1800)).len(), 0x800);
    assert!(memory.writable(at(0, 0x2000)).is_empty());
    assert_eq!(memory.readable(at(0, 0x2000)).len(), 0x1000);
    assert!(memory.readable(at(0, 0x3000)).is_empty());
    assert!(memory.readable(at(0, 0xFFF)).is_empty());
}

#[test]
fn aliases_are_the_same_memory() {
    let mut memory = memory();
    memory.alias(at(1, 0x8000), range(0, 0x1800, 0x1000), Access::READ_WRITE).unwrap();
    memory.write(at(1, 0x8000), &[1, 2, 3]).unwrap();
    let mut bytes = [0; 3];
    memory.read(at(0, 0x1800), &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2, 3]);
    assert_eq!(memory.writable(at(1, 0x8800)).len(), 0x800);
    assert!(memory.alias(at(1, 0), range(0, 0x2800, 0x1000), Access::READ).is_err());
    assert_eq!(memory.mappings().filter(|mapping| mapping.range.start.space == 1).count(), 0);
    assert_eq!(memory.ranges().filter(|range| range.start.space == 1).count(), 2);
}

#[test]
fn mapping_over_a_range_replaces_that_part_only() {
    let mut memory = memory();
    memory.write(at(0, 0x1000), &[7; 0x1000]).unwrap();
    memory.map(range(0, 0x1400, 0x400), Access::READ_WRITE).unwrap();
    let mut all = vec![1; 0x1000];
    memory.read(at(0, 0x1000), &mut all).unwrap();
    assert!(all[..0x400].iter().all(|&b| b == 7));
    assert!(all[0x400..0x800].iter().all(|&b| b == 0));
    assert!(all[0x800..].iter().all(|&b| b == 7));
}

#[test]
fn pieces_leave_holes_out() {
    let mut memory = memory();
    memory.map(range(0, 0x4000, 0x10), Access::READ_WRITE).unwrap();
    memory.write(at(0, 0x2FFE), &[5, 6]).unwrap();
    memory.write(at(0, 0x4000), &[7]).unwrap();
    let mut out = vec![9; 0x1010];
    assert_eq!(memory.read_pieces(at(0, 0x2FFE), &mut out), 0x1000);
    assert_eq!((&out[..4], &out[0x1000..0x1004]), (&[5, 6, 0, 0][..], &[0, 0, 7, 0][..]));
    // The second range may not be written.
    assert_eq!(memory.write_pieces(at(0, 0x1FF0), &[1; 0x2030]), 0x2010);
    assert_eq!(memory.take_written().iter().map(|range| range.size).sum::<u64>(), 0x20);
    assert_eq!(memory.read_pieces(at(1, 0), &mut out[..8]), 8);
    assert_eq!(memory.read_pieces(at(0, u64::MAX), &mut out[..8]), 8);
}

#[test]
fn sparse_ranges_read_zeros_and_swallow_writes() {
    let mut memory = memory();
    memory.write(at(0, 0x1FF0), &[9; 0x20]).unwrap();
    memory.map_sparse(range(0, 0x1800, 0x400)).unwrap();
    memory.map_sparse(range(0, 0x1C00, 0x400)).unwrap();
    assert_eq!(
        memory.ranges().collect::<Vec<_>>(),
        [range(0, 0x1000, 0x800), range(0, 0x1800, 0x800), range(0, 0x2000, 0x1000)]
    );
    let mut out = [1; 0x20];
    assert_eq!(memory.read_pieces(at(0, 0x1FF0), &mut out), 0);
    assert_eq!((out[0xF], out[0x10]), (0, 9));
    assert_eq!(memory.write_pieces(at(0, 0x17FF), &[5; 2]), 0);
    assert_eq!(memory.take_written(), [range(0, 0x17FF, 1)]);
    assert!(memory.write(at(0, 0x17FF), &[5; 2]).is_err() && memory.read(at(0, 0x1800), &mut out).is_err());
    assert!(memory.readable(at(0, 0x1800)).is_empty() && memory.writable(at(0, 0x1800)).is_empty());
    assert!(memory.is_sparse(at(0, 0x1FFF)) && !memory.is_sparse(at(0, 0x2000)) && !memory.is_sparse(at(0, 0x4000)));
    assert!(memory.alias(at(1, 0), range(0, 0x1700, 0x200), Access::READ).is_err());
    assert_eq!(memory.mappings().count(), 2);
    let borders = [0, 0x1000, 0x17FF, 0x1800, 0x2FFF, 0x3000].map(|address| memory.border_after(at(0, address)));
    assert_eq!(borders, [Some(0x1000), Some(0x1800), Some(0x1800), Some(0x2000), Some(0x3000), None]);
}

#[test]
fn aliases_of_the_same_memory_join() {
    let mut memory = memory();
    for part in [0, 2, 1] {
        memory.alias(at(1, 0x100 * part), range(0, 0x1000 + 0x100 * part, 0x100), Access::READ_WRITE).unwrap();
    }
    assert_eq!(memory.writable(at(1, 0)).len(), 0x300);
    memory.alias(at(1, 0x300), range(0, 0x1000, 0x100), Access::READ_WRITE).unwrap();
    assert_eq!((memory.writable(at(1, 0)).len(), memory.writable(at(1, 0x300)).len()), (0x300, 0x100));
    memory.unmap(range(1, 0x180, 0x10));
    assert_eq!((memory.writable(at(1, 0)).len(), memory.writable(at(1, 0x190)).len()), (0x180, 0x170));
}

#[test]
fn aliases_go_with_their_memory() {
    let mut memory = memory();
    memory.alias(at(1, 0), range(0, 0x1000, 0x2000), Access::READ_WRITE).unwrap();
    memory.alias(at(2, 0x800), range(1, 0x800, 0x400), Access::READ_WRITE).unwrap();
    assert!(
        memory.share(range(1, 0x900, 1), range(2, 0x900, 1))
            && memory.share(range(0, 0x1000, 0x900), range(2, 0, 0x801))
    );
    assert!(
        !memory.share(range(0, 0x1000, 0x100), range(2, 0x800, 0x400)) && !memory.share(range(0, 0, 1), range(1, 0, 1))
    );
    assert_eq!([memory.origin(at(2, 0x801)), memory.origin(at(2, 0))], [Some(at(0, 0x1801)), None]);
    memory.map_sparse(range(2, 0x4000, 0x1000)).unwrap();
    let views: Vec<View> = memory.views().collect();
    memory.unmap(range(1, 0, u64::MAX));
    memory.unmap(range(2, 0, u64::MAX));
    views.iter().for_each(|view| memory.restore_view(view).unwrap());
    assert_eq!(memory.views().collect::<Vec<_>>(), views);
    memory.unmap(range(2, 0x4000, 0x1000));
    memory.map(range(0, 0x1900, 0x100), Access::READ_WRITE).unwrap();
    let left = |space| {
        let of_space = memory.ranges().filter(|range| range.start.space == space);
        of_space.map(|range| (range.start.address, range.size)).collect::<Vec<_>>()
    };
    assert_eq!(left(1), [(0, 0x900), (0xA00, 0x600), (0x1000, 0x1000)]);
    assert_eq!(left(2), [(0x800, 0x100), (0xA00, 0x200)]);
    memory.unmap(range(0, 0, u64::MAX));
    assert_eq!(memory.ranges().count(), 0);
}

#[test]
fn written_ranges_are_merged() {
    let mut memory = memory();
    memory.mark_written(range(0, 0x1100, 0x10));
    memory.mark_written(range(0, 0x1000, 0x100));
    memory.mark_written(range(0, 0x1800, 4));
    memory.mark_written(range(0, 0x1108, 0x20));
    assert_eq!(memory.take_written(), [range(0, 0x1000, 0x128), range(0, 0x1800, 4)]);
    assert!(memory.take_written().is_empty());
}

#[test]
#[cfg_attr(miri, ignore = "copies 16 MiB")]
fn prefaulted_mappings_are_like_others() {
    let (mut memory, work) = Memory::with_prefault_pool();
    let work = work.unwrap();
    // More than the pool has, sizes that are not whole pages, and one that is too large for it.
    let sizes = [0x1000, 0x801, 0x20_0000, 0x20_0000, 0x20_0000, 0x1F_0000, 0x20_0000, 0x1, 0x40_0000];
    let all = |memory: &Memory, space, size| {
        let mut bytes = vec![9; size as usize];
        memory.read(at(space, 0x1000), &mut bytes).unwrap();
        bytes
    };
    for (space, size) in sizes.into_iter().enumerate() {
        let space = space as u32;
        memory.map(range(space, 0x1000, size), Access::READ_WRITE).unwrap();
        assert!(all(&memory, space, size).iter().all(|&byte| byte == 0), "{space}");
        memory.write(at(space, 0x1000), &vec![space as u8 + 1; size as usize]).unwrap();
        assert_eq!(memory.populating(at(space, 0x1000)).is_none(), size <= 0x20_0000 && space != 6, "{space}");
    }
    work();
    memory.populating(at(6, 0x1000)).unwrap()();
    for (space, size) in sizes.into_iter().enumerate() {
        assert!(all(&memory, space as u32, size).iter().all(|&byte| usize::from(byte) == space + 1), "{space}");
    }
    memory.map(range(0, 0x1000, 0x1000), Access::READ_WRITE).unwrap();
    assert!(all(&memory, 0, 0x1000).iter().all(|&byte| byte == 0));
}

#[test]
#[allow(unsafe_code)]
fn more_memory_than_may_be_mapped_is_refused() {
    let most = Memory::MAX_MAPPED;
    let unsupported = |result| matches!(result, Err(Error::Unsupported(_)));
    let mut memory = Memory::default();
    memory.map(range(0, 0, 0x1000), Access::READ_WRITE).unwrap();
    assert!(unsupported(memory.map(range(0, 0x10_0000, 1 << 44), Access::READ)));
    assert!(unsupported(memory.map(range(0, 0x10_0000, most - 0xFFF), Access::READ)));
    let pointer = std::ptr::NonNull::<u8>::dangling().as_ptr();
    // SAFETY: this is refused before anything is read.
    assert!(unsupported(unsafe { memory.map_host(range(0, 0x10_0000, 1 << 44), pointer, Access::READ) }));
    let wanted = [0, 1].map(|space| Mapping { range: range(space, 0, most - 0x1000), access: Access::READ });
    assert!(unsupported(memory.remap(&wanted).map(|_| ())));
    assert_eq!(memory.ranges().collect::<Vec<_>>(), [range(0, 0, 0x1000)], "nothing has changed");
    // What is replaced makes room; what is still mapped in part does not.
    memory.map(range(0, 0, 1 << 30), Access::READ).unwrap();
    memory.unmap(range(0, 0x1000, 1 << 30));
    assert!(unsupported(memory.map(range(1, 0, most - 0x1000), Access::READ)));
    memory.unmap(range(0, 0, 0x1000));
    assert!(!unsupported(memory.check_room(range(1, 0, most))));
}

#[test]
fn sizes_that_wrap_are_refused() {
    let mut memory = Memory::default();
    assert!(memory.map(range(0, u64::MAX, 2), Access::READ).is_err());
    assert!(memory.map(range(0, 0, 0), Access::READ).is_err());
}
