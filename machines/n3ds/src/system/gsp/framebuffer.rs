//! Framebuffer information: how clients say which picture a screen is to show.
//!
//! Source: 3dbrew GSP Shared Memory, Framebuffer Info.

use super::address::to_physical;
use super::shared::{CLIENTS, SharedPage};
use crate::system::lcd::{Screen, offset};

/// What a screen is to show; also the argument of SetBufferSwap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FramebufferInfo {
    /// Which pair of addresses is set: 0 the first, 1 the second (bit 0).
    pub active: u32,
    /// Virtual address of the left or only picture.
    pub left: u32,
    /// Virtual address of the right eye's picture.
    pub right: u32,
    /// Bytes between columns.
    pub stride: u32,
    /// The controller's format register.
    pub format: u32,
    /// The controller's select register.
    pub select: u32,
    /// Not used by the hardware.
    pub attribute: u32,
}

impl FramebufferInfo {
    /// From its seven words.
    pub const fn from_words(words: [u32; 7]) -> Self {
        let [active, left, right, stride, format, select, attribute] = words;
        FramebufferInfo { active, left, right, stride, format, select, attribute }
    }

    /// As seven words.
    pub const fn words(self) -> [u32; 7] {
        [self.active, self.left, self.right, self.stride, self.format, self.select, self.attribute]
    }

    /// The registers of `screen`'s controller that this sets, as (offset in the external block, value), in order: the
    /// selection comes last. Bad addresses become 0.
    pub fn registers(&self, screen: Screen) -> [(u32, u32); 5] {
        let (left, right) = match self.active & 1 {
            0 => (offset::LEFT_FIRST, offset::RIGHT_FIRST),
            _ => (offset::LEFT_SECOND, offset::RIGHT_SECOND),
        };
        let physical = |address: u32| to_physical(address).unwrap_or(0);
        [
            (left, physical(self.left)),
            (right, physical(self.right)),
            (offset::STRIDE, self.stride),
            (offset::FORMAT, self.format),
            (offset::SELECT, self.select),
        ]
        .map(|(offset, value)| (screen.base() + offset, value))
    }
}

/// Bit 0 of the flags: there is something new.
const NEW: u8 = 1;

/// The framebuffer information of one client and screen in the shared page.
#[derive(Clone, Copy, Debug)]
pub struct FramebufferSlot<'p> {
    page: &'p SharedPage,
    base: usize,
}

impl<'p> FramebufferSlot<'p> {
    /// That of `client`, 0 to 3.
    pub fn new(page: &'p SharedPage, client: usize, screen: Screen) -> Self {
        FramebufferSlot { page, base: 0x200 + client % CLIENTS * 0x80 + screen as usize * 0x40 }
    }

    /// GSP's side: what is new, if anything. The flag is clear afterwards.
    pub fn take(&self) -> Option<FramebufferInfo> {
        let mut new = None;
        self.page.change(self.base, |word| {
            let [index, flags, low, high] = word.to_le_bytes();
            new = None;
            if flags & NEW == 0 {
                return None;
            }
            // Read before the flag goes: from then on the client may change the entry.
            new = Some(self.entry(index));
            Some(u32::from_le_bytes([index, flags & !NEW, low, high]))
        });
        new
    }

    /// What is new, if anything. It is still new afterwards.
    pub(super) fn peek(&self) -> Option<FramebufferInfo> {
        let [index, flags, ..] = self.page.load(self.base).to_le_bytes();
        (flags & NEW != 0).then(|| self.entry(index))
    }

    /// The client's side: sets the entry that is not current and makes it the newest.
    pub fn present(&self, info: &FramebufferInfo) {
        let index = 1 - (self.page.load(self.base) & 1) as u8;
        let entry = self.entry_offset(index);
        info.words().iter().zip((entry..).step_by(4)).for_each(|(&word, offset)| self.page.store(offset, word));
        self.page.store(self.base, u32::from_le_bytes([index, NEW, 0, 0]));
    }

    /// Whether GSP has still to look.
    pub fn is_new(&self) -> bool {
        self.page.load_byte(self.base + 1) & NEW != 0
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        (0..0x40).step_by(4).for_each(|offset| self.page.store(self.base + offset, 0));
    }

    fn entry_offset(&self, index: u8) -> usize {
        self.base + 4 + usize::from(index & 1) * 0x1C
    }

    fn entry(&self, index: u8) -> FramebufferInfo {
        let entry = self.entry_offset(index);
        FramebufferInfo::from_words(std::array::from_fn(|i| self.page.load(entry + i * 4)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_alternate() {
        let page = SharedPage::default();
        let slot = FramebufferSlot::new(&page, 1, Screen::Bottom);
        assert_eq!(slot.take(), None);
        let info = FramebufferInfo { active: 1, left: 0x1F00_0000, format: 0x8_0301, select: 1, ..Default::default() };
        slot.present(&info);
        assert_eq!(page.load(0x2C0), 0x0101);
        assert_eq!(page.load(0x2C0 + 0x20), 1);
        assert!(slot.is_new());
        assert_eq!(slot.take(), Some(info));
        assert_eq!(slot.take(), None);
        slot.present(&info);
        assert_eq!(page.load(0x2C0), 0x0100);
        assert_eq!(page.load(0x2C4), 1);
    }

    #[test]
    fn active_chooses_the_pair_of_addresses() {
        let info = FramebufferInfo { left: 0x1F00_0010, right: 0x1234, stride: 720, ..Default::default() };
        let first = info.registers(Screen::Top);
        assert_eq!(first[..3], [(0x468, 0x1800_0010), (0x494, 0), (0x490, 720)]);
        let second = FramebufferInfo { active: 1, ..info }.registers(Screen::Bottom);
        assert_eq!((second[0].0, second[1].0, second[4].0), (0x56C, 0x598, 0x578));
    }
}
