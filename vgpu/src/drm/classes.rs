//! Which classes of objects a channel may have. Newer drivers ask for them and take the best ones.
//!
//! Source: the kernel's nouveau (Linux 6.6 and 6.11). A channel has the classes of the engines of its run list, those
//! of the software engine first. Of the NV47's, those that neither the machine nor Mesa's driver has are left out:
//! fills, patterns, raster operations and the decoder of MPEG.

use crate::chip::Chip;

/// The class of DMA objects in memory.
pub const DMA_OBJECT: u32 = 0x3D;

/// Methods that the kernel carries out. Numbers below 0 are no class of the hardware's.
const SOFTWARE_NV10: i32 = -5;
const SOFTWARE_GF100: i32 = -7;

/// DMA objects that are read, written, both; the null object; copies of memory; surfaces of the NV04 and of the NV40;
/// scaled images; swizzled surfaces; 3D.
const NV47: [i32; 11] =
    [SOFTWARE_NV10, 0x02, 0x03, DMA_OBJECT as i32, 0x30, 0x39, 0x62, 0x3062, 0x3089, 0x309E, 0x4097];

/// 2D, inline data, 3D, compute, copies.
const GM20B: [i32; 6] = [SOFTWARE_GF100, 0x902D, 0xA140, 0xB197, 0xB1C0, 0xB0B5];

/// The classes of a chip's channels.
pub const fn of(chip: Chip) -> &'static [i32] {
    match chip {
        Chip::Nv47 => &NV47,
        Chip::Gm20b => &GM20B,
    }
}

/// The class that a driver of the old interface means: numbers of the software engine were its own there.
pub const fn of_old_number(chip: Chip, class: i32) -> i32 {
    match chip {
        Chip::Nv47 if class & 0xFF == 0x6E => SOFTWARE_NV10,
        Chip::Gm20b if class & 0xFF == 0x6E => SOFTWARE_GF100,
        _ => class,
    }
}
