//! The two chips whose 3D class this is, and every property in which they differ.
//!
//! | property | PlayStation 3 | PC |
//! |---|---|---|
//! | byte order of words in memory | big-endian | little-endian |
//! | bits of a vertex array's address, base added | 28 | 29 |
//! | type 0 of vertex arrays | bytes 0 to 255 in memory order, as type 7 | of four bytes a colour B G R A, `v / 255` |
//! | values of back-end semaphores | bytes 0 and 2 exchanged | as they are |
//! | swizzled texels of 8 and 16 bytes | their words are interleaved | whole texels are |
//! | red, green and blue of textures in B8 | never signed, red alone has gamma | as those of other formats |
//!
//! Everything else is the same. Captures and channels know their byte order and nothing else of the chip, so that the
//! byte order says which one it is: the hypervisor makes big-endian channels only, drivers of a PC little-endian ones.
//!
//! Sources. Type 0: a console drew an array of four bytes as positions of 0 to 255 with x first (elad335/myps3tests,
//! `vertex base type 0`, RPCS3 #5585); nouveau's register database and Mesa's nv30 driver call it B8G8R8A8_UNORM.
//! Addresses: titles add bases that go beyond 28 bits (RPCS3, `get_vertex_offset_from_base`), where the PlayStation 3's
//! memory ends; an NV40 keeps 29 bits of an offset (envytools' hwtest), and the kernel's driver gives 512 MiB of them.
//! Semaphores: RPCS3's `back_end_write_semaphore_release`; the fences of Mesa and nouveau, which come back as they were
//! written. Swizzled texels: RPCS3 #18627, whose proof are skies of three titles; Mesa's nv30 driver stores whole
//! texels. B8: a console's dump of the byte 0 (RPCS3 #18171), which has signed and biased as biased alone; Mesa's nv30
//! driver has R8_SNORM as B8 with signs.

use super::enums::VertexType;
use crate::kernel::program::vertex::Component;

/// A chip with the RSX's classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Chip {
    /// The PlayStation 3's.
    Rsx,
    /// The PC's NV47, a GeForce 7800.
    Nv47,
}

impl Chip {
    /// The chip that has channels of this byte order.
    pub const fn of_byte_order(big_endian: bool) -> Self {
        if big_endian { Chip::Rsx } else { Chip::Nv47 }
    }

    /// Whether words in memory are big-endian.
    pub const fn big_endian(self) -> bool {
        matches!(self, Chip::Rsx)
    }

    /// How vertex arrays of a type with `count` components are read. With less than four components type 0 is that of
    /// the PlayStation 3 on both (on the PC unverified: its drivers have no such format).
    pub const fn component(self, kind: VertexType, count: u8) -> Component {
        match (kind, self, count) {
            (VertexType::D3dColor, Chip::Nv47, 4) => Component::Bgra8,
            (VertexType::D3dColor | VertexType::Uint8, ..) => Component::Uint8,
            (VertexType::Snorm16, ..) => Component::CenteredSnorm16,
            (VertexType::Float32, ..) => Component::F32,
            (VertexType::Float16, ..) => Component::F16,
            (VertexType::Unorm8, ..) => Component::Unorm8,
            (VertexType::Sint16, ..) => Component::Sint16,
            (VertexType::Cmp, ..) => Component::Packed11,
        }
    }

    /// Bits of the address of a vertex array, the sum of its offset and the base.
    pub const fn vertex_address(self, sum: u32) -> u32 {
        match self {
            Chip::Rsx => sum & 0x0FFF_FFFF,
            Chip::Nv47 => sum & 0x1FFF_FFFF,
        }
    }

    /// The value that a release of a back-end semaphore stores: on the PlayStation 3 it goes through the colour packer.
    pub const fn back_end_semaphore(self, value: u32) -> u32 {
        match self {
            Chip::Rsx => value & 0xFF00_FF00 | (value & 0xFF) << 16 | value >> 16 & 0xFF,
            Chip::Nv47 => value,
        }
    }

    /// Whether red, green and blue of textures in B8 are converted as those of other formats.
    pub const fn signs_bytes(self) -> bool {
        matches!(self, Chip::Nv47)
    }

    /// Bytes of what swizzled textures interleave, of texels of so many bytes: texels of 8 and 16 bytes are two and
    /// four words beside each other.
    pub const fn interleaved_bytes(self, texel: u32) -> u32 {
        match self {
            Chip::Rsx if texel > 4 => 4,
            _ => texel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rsx::texel::{TexelKind, TextureFormat};

    #[test]
    fn byte_orders_name_chips() {
        for chip in [Chip::Rsx, Chip::Nv47] {
            assert_eq!(Chip::of_byte_order(chip.big_endian()), chip);
        }
    }

    #[test]
    fn type_0_is_a_colour_on_the_pc_alone() {
        let of = |chip: Chip, count| chip.component(VertexType::D3dColor, count);
        assert_eq!([1, 3, 4].map(|count| of(Chip::Rsx, count)), [Component::Uint8; 3]);
        assert_eq!([3, 4].map(|count| of(Chip::Nv47, count)), [Component::Uint8, Component::Bgra8]);
        for chip in [Chip::Rsx, Chip::Nv47] {
            assert_eq!(chip.component(VertexType::Uint8, 4), Component::Uint8);
            assert_eq!(chip.component(VertexType::Unorm8, 4), Component::Unorm8);
        }
    }

    #[test]
    fn words_of_wide_texels_are_interleaved_on_the_console_alone() {
        let interleaved = |chip: Chip| [1, 2, 4, 8, 16].map(|texel| chip.interleaved_bytes(texel));
        assert_eq!(interleaved(Chip::Rsx), [1, 2, 4, 4, 4]);
        assert_eq!(interleaved(Chip::Nv47), [1, 2, 4, 8, 16]);
    }

    #[test]
    fn bytes_of_textures_are_signed_on_the_pc_alone() {
        let kind = |chip: Chip| TextureFormat::B8.texels(chip).kind;
        assert_eq!(kind(Chip::Rsx), TexelKind::Byte);
        assert_eq!(kind(Chip::Nv47), TexelKind::Color);
    }

    #[test]
    fn semaphores_are_packed_on_the_console_alone() {
        assert_eq!(Chip::Rsx.back_end_semaphore(0x1122_3344), 0x1144_3322);
        assert_eq!(Chip::Nv47.back_end_semaphore(0x1122_3344), 0x1122_3344);
    }
}
