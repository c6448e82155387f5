//! Packets of command lists. Source: 3dbrew "GPU/Commands".
//!
//! A packet is the parameter of the first write, a header, the other parameters and one word of padding if those are
//! odd in number, so that packets are multiples of 8 bytes. The byte mask holds for every write of the packet.

/// The header of a packet, its second word.
///
/// | bits | meaning |
/// |---|---|
/// | 0:15 | register of the first write |
/// | 16:19 | byte mask: bit k lets bits 8k to 8k+7 through |
/// | 20:27 | number of extra parameters |
/// | 28:30 | ignored |
/// | 31 | 1 extra parameters go to the following registers, 0 all to the same |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header(pub u32);

impl Header {
    /// The register of the first write, 0 to 0xFFFF; those from 0x300 on do not exist.
    #[inline]
    pub const fn id(self) -> usize {
        (self.0 & 0xFFFF) as usize
    }

    /// The byte mask, 4 bits.
    #[inline]
    pub const fn mask(self) -> u8 {
        (self.0 >> 16 & 0xF) as u8
    }

    /// The byte mask as a mask of bits.
    #[inline]
    pub const fn bit_mask(self) -> u32 {
        let mask = self.mask() as u32;
        // One bit to the bottom of each byte, then each of them times 0xFF.
        ((mask & 1) | (mask & 2) << 7 | (mask & 4) << 14 | (mask & 8) << 21) * 0xFF
    }

    /// Number of parameters after the header, 0 to 255.
    #[inline]
    pub const fn extra(self) -> usize {
        (self.0 >> 20 & 0xFF) as usize
    }

    /// Whether the extra parameters go to the following registers.
    #[inline]
    pub const fn consecutive(self) -> bool {
        self.0 >> 31 != 0
    }

    /// The register that the parameter `index` goes to; 0 is the one before the header.
    #[inline]
    pub const fn register(self, index: usize) -> usize {
        self.id() + if self.consecutive() { index } else { 0 }
    }

    /// Words of the whole packet with its padding.
    #[inline]
    pub const fn packet_words(self) -> usize {
        2 + self.extra() + self.extra() % 2
    }

    /// The value of a register after a write of `value` under the byte mask.
    #[inline]
    pub const fn merge(self, old: u32, value: u32) -> u32 {
        let mask = self.bit_mask();
        old & !mask | value & mask
    }
}

/// One packet of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Index of its first word in the list, in words.
    pub offset: usize,
    /// The parameter of the first write.
    pub parameter: u32,
    /// The header.
    pub header: Header,
    /// The other parameters; fewer than the header says if the list ends before.
    pub extra: &'a [u32],
}

/// One write to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The register, 0 to 0x100FE; those from 0x300 on do not exist.
    pub id: usize,
    /// The whole parameter.
    pub value: u32,
    /// The byte mask, 4 bits.
    pub mask: u8,
}

impl<'a> Packet<'a> {
    /// The writes of the packet, in order.
    pub fn writes(self) -> impl Iterator<Item = Write> + 'a {
        let Packet { parameter, header, extra, .. } = self;
        std::iter::once(parameter).chain(extra.iter().copied()).enumerate().map(move |(index, value)| Write {
            id: header.register(index),
            value,
            mask: header.mask(),
        })
    }
}

/// The packets of a list, jumps not followed.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    list: &'a [u32],
    at: usize,
}

impl<'a> Packets<'a> {
    /// The packets of `list`, which begins at an 8-byte boundary.
    pub const fn new(list: &'a [u32]) -> Self {
        Packets { list, at: 0 }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Packet<'a>;

    fn next(&mut self) -> Option<Packet<'a>> {
        let &[parameter, header, ref rest @ ..] = self.list.get(self.at..)? else { return None };
        let (offset, header) = (self.at, Header(header));
        self.at += header.packet_words();
        Some(Packet { offset, parameter, header, extra: &rest[..header.extra().min(rest.len())] })
    }
}

/// The components x, y, z, w (24-bit floats) of three words: the 96 bits w z y x, most significant first, cut into
/// words. Source: 3dbrew "GPU/Fixed Vertex Attributes".
pub const fn unpack_f24(words: [u32; 3]) -> [u32; 4] {
    let [a, b, c] = words;
    [c & 0xFF_FFFF, (b & 0xFFFF) << 8 | c >> 24, (a & 0xFF) << 16 | b >> 16, a >> 8]
}

/// The three words that ports take for x, y, z, w (24-bit floats); the other way of [`unpack_f24`].
pub const fn pack_f24([x, y, z, w]: [u32; 4]) -> [u32; 3] {
    [w << 8 | z >> 16 & 0xFF, z << 16 | y >> 8 & 0xFFFF, y << 24 | x & 0xFF_FFFF]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_packed_as_they_are_unpacked() {
        let values = [0x12_3456, 0x78_9ABC, 0xDE_F012, 0x34_5678];
        assert_eq!(unpack_f24(pack_f24(values)), values);
        assert_eq!(pack_f24([0xFF_FFFF; 4]), [u32::MAX; 3]);
    }

    #[test]
    fn byte_masks_become_bit_masks() {
        for mask in 0..16u32 {
            let expected = (0..4).filter(|k| mask >> k & 1 != 0).map(|k| 0xFF << (8 * k)).sum::<u32>();
            assert_eq!(Header(mask << 16).bit_mask(), expected);
        }
        assert_eq!(Header(0x0005_0041).merge(0xAABB_CCDD, 0x1122_3344), 0xAA22_CC44);
    }

    #[test]
    fn packets_of_a_cut_list_end_with_it() {
        let list = [1, 0x803F_00C0, 2, 3];
        let packets: Vec<_> = Packets::new(&list).collect();
        assert_eq!(packets.len(), 1);
        assert_eq!(packets[0].extra, [2, 3]);
        assert_eq!(packets[0].header.packet_words(), 6);
        assert_eq!(Packets::new(&[1]).next(), None);
        assert_eq!(Packets::new(&[]).next(), None);
    }
}
