//! The 2D classes: methods and formats. Numbers of methods are byte addresses in the subchannel.
//!
//! Sources: envytools `nv3_m2mf.xml`, `nv4_surf.xml`, `nv30_surf.xml`, `nv4_sifm.xml`; RPCS3 `nv0039`, `nv308a`,
//! `nv3089` for what the RSX's driver makes of them. Reset values are those after GCM's initialisation.

pub mod format;
pub mod image_from_cpu;
pub mod memory_to_memory;
pub mod scaled_image;
pub mod surface_swizzled;
pub mod surfaces_2d;

use super::objects::class;

/// Bits of an offset that surfaces keep, 2D ones and targets of the 3D class. Others are an error on the hardware, and
/// dropped all the same. (An NV40's, envytools' hwtest.)
pub const SURFACE_OFFSET_BITS: u32 = 0x3FFF_FFC0;
/// Bits of a pitch that they keep.
pub const SURFACE_PITCH_BITS: u32 = 0x1_FFC0;

/// The effects of a write to a method besides storing it.
pub type Effect = crate::table::Effect<Trigger>;

/// Methods at which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// The next operation leaves a record at the notifier.
    Notify,
    /// The operation starts.
    Start,
    /// A new image from the processor begins.
    Begin,
}

/// A row of a method table.
pub type MethodInfo = crate::table::RegInfo<Effect>;

/// The methods of a 2D class; `None` for other classes.
pub const fn methods(class: u32) -> Option<&'static [MethodInfo]> {
    Some(match class {
        class::MEMORY_TO_MEMORY => memory_to_memory::REGISTERS,
        class::SURFACES_2D | class::SURFACES_2D_NV10 => surfaces_2d::REGISTERS,
        class::SURFACE_SWIZZLED => surface_swizzled::REGISTERS,
        class::IMAGE_FROM_CPU => image_from_cpu::REGISTERS,
        class::SCALED_IMAGE => scaled_image::REGISTERS,
        _ => return None,
    })
}

/// A method of a 2D class, by its byte address. The colours of an image from the processor are one row.
pub fn info(class: u32, method: u32) -> Option<&'static MethodInfo> {
    let method = match class {
        class::IMAGE_FROM_CPU if method >= image_from_cpu::COLORS => image_from_cpu::COLORS,
        _ => method,
    };
    methods(class)?.iter().find(|info| info.id == method as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSES: [u32; 6] = [0x0039, 0x3062, 0x0062, 0x309E, 0x308A, 0x3089];

    #[test]
    fn methods_are_words_in_their_subchannel() {
        for info in CLASSES.iter().flat_map(|&class| methods(class).expect("a 2D class")) {
            assert!(info.id % 4 == 0 && (0x100..0x2000).contains(&info.id), "{}", info.name);
        }
    }

    #[test]
    fn methods_have_names() {
        assert_eq!(info(0x0039, 0x328).map(|info| info.name), Some("BUF_NOTIFY"));
        assert_eq!(info(0x3089, 0x40C).map(|info| info.effect), Some(Effect::Trigger(Trigger::Start)));
        assert_eq!(info(0x308A, 0x1FFC).map(|info| info.name), Some("COLOR"));
        assert!(info(0x4097, 0x200).is_none() && info(0x0039, 0x200).is_none());
    }
}
