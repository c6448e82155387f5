//! From the addresses that processes use to those that the GPU uses.
//!
//! Sources: 3dbrew Memory layout, GSP Shared Memory; libctru's conversion agrees.

use crate::system::spaces::{PHYSICAL, PROCESS};
use triglyph_engine::mem::GuestAddr;

/// A range of virtual addresses and where it is physically.
struct Region {
    start: u32,
    /// Inclusive.
    last: u32,
    physical: u32,
}

/// What GSP accepts. The QTM memory of the New 3DS passes the check although the GPU is said not to reach it.
const REGIONS: [Region; 4] = [
    Region { start: 0x1400_0000, last: 0x1BFF_FFFF, physical: 0x2000_0000 },
    Region { start: 0x1E80_0000, last: 0x1EBF_FFFF, physical: 0x1F00_0000 },
    Region { start: 0x1F00_0000, last: 0x1F5F_FFFF, physical: 0x1800_0000 },
    Region { start: 0x3000_0000, last: 0x3FFF_FFFF, physical: 0x2000_0000 },
];

/// The physical address of a virtual one in linear heap, QTM memory or VRAM; 0 stays 0, "no address".
pub fn to_physical(address: u32) -> Option<u32> {
    if address == 0 {
        return Some(0);
    }
    let region = REGIONS.iter().find(|region| (region.start..=region.last).contains(&address))?;
    Some(region.physical + (address - region.start))
}

/// Where DMA finds a virtual address of the process whose command it executes: in physical memory, or else in
/// [`PROCESS`].
pub fn dma_place(address: u32) -> GuestAddr {
    match to_physical(address) {
        Some(physical @ 1..) => GuestAddr::new(PHYSICAL, physical.into()),
        _ => GuestAddr::new(PROCESS, address.into()),
    }
}

/// The physical address of an exclusive end, which may be the first address after its region.
pub fn end_to_physical(address: u32) -> Option<u32> {
    Some(to_physical(address.checked_sub(1).filter(|&last| last != 0)?)? + 1)
}

/// A virtual address of a physical one: the older linear heap, as far as it reaches, for main memory.
pub fn to_virtual(address: u32) -> Option<u32> {
    let size = |region: &Region| region.last - region.start;
    let region = REGIONS.iter().find(|region| address.wrapping_sub(region.physical) <= size(region))?;
    Some(region.start + (address - region.physical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_of_the_regions() {
        for (address, physical) in [
            (0, Some(0)),
            (0x13FF_FFFF, None),
            (0x1400_0000, Some(0x2000_0000)),
            (0x1BFF_FFFF, Some(0x27FF_FFFF)),
            (0x1C00_0000, None),
            (0x1E80_0000, Some(0x1F00_0000)),
            (0x1EBF_FFFF, Some(0x1F3F_FFFF)),
            (0x1EC0_0000, None),
            (0x1F00_0000, Some(0x1800_0000)),
            (0x1F5F_FFFF, Some(0x185F_FFFF)),
            (0x1F60_0000, None),
            (0x1FF0_0000, None),
            (0x3000_0000, Some(0x2000_0000)),
            (0x3FFF_FFFF, Some(0x2FFF_FFFF)),
            (0x4000_0000, None),
            (u32::MAX, None),
        ] {
            assert_eq!(to_physical(address), physical, "{address:#x}");
        }
    }

    #[test]
    fn ends_may_stand_behind_their_region() {
        assert_eq!(end_to_physical(0x1F60_0000), Some(0x1860_0000));
        assert_eq!(end_to_physical(0x4000_0000), Some(0x3000_0000));
        assert_eq!(end_to_physical(0x1F00_0000), None);
        assert_eq!(end_to_physical(0), None);
        assert_eq!(end_to_physical(1), None);
    }

    #[test]
    fn back_again() {
        for address in [0x1400_0000, 0x1BFF_FFF8, 0x1F12_3456, 0x1E80_0000] {
            assert_eq!(to_virtual(to_physical(address).unwrap()), Some(address));
        }
        assert_eq!(to_virtual(0x2FFF_FFFF), Some(0x3FFF_FFFF));
        assert_eq!(to_virtual(0x1000), None);
    }
}
