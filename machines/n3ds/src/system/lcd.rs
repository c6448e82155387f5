//! The LCD controllers: which picture each screen shows.
//!
//! Sources: 3dbrew GPU/External Registers, LCD Registers.

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::transfer::{BitField, PixelFields};
use triglyph_guest::pica::external::pdc_format;

use super::spaces::PHYSICAL;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::snapshot::state;
use triglyph_engine::transfer::{Gamma, ScanLayout, ScanOut, format};

/// Registers of one controller, from its first on (3dbrew: GPU/External Registers).
pub mod offset {
    /// Colour around the picture.
    pub const BORDER: u32 = 0x4C;
    /// Width and height of the picture as the controller scans it.
    pub const DIM: u32 = 0x5C;
    /// Left or only picture, first buffer.
    pub const LEFT_FIRST: u32 = 0x68;
    /// Left or only picture, second buffer.
    pub const LEFT_SECOND: u32 = 0x6C;
    /// Pixel format, interleaving of the eyes, scan doubling.
    pub const FORMAT: u32 = 0x70;
    /// Enables and interrupt masks.
    pub const CONTROL: u32 = 0x74;
    /// Which buffer is shown, interrupt flags.
    pub const SELECT: u32 = 0x78;
    /// Entry of the colour table that is accessed next.
    pub const CLUT_INDEX: u32 = 0x80;
    /// That entry.
    pub const CLUT_DATA: u32 = 0x84;
    /// Bytes from a scanned line to the next.
    pub const STRIDE: u32 = 0x90;
    /// Right picture, first buffer.
    pub const RIGHT_FIRST: u32 = 0x94;
    /// Right picture, second buffer.
    pub const RIGHT_SECOND: u32 = 0x98;
}

/// The two screens, numbered as in GSP's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Screen {
    /// The upper, wide one; it can show a picture for each eye.
    Top = 0,
    /// The lower, touch-sensitive one.
    Bottom = 1,
}

impl Screen {
    /// Both.
    pub const ALL: [Screen; 2] = [Screen::Top, Screen::Bottom];

    /// Offset of its controller in the external register block, in bytes.
    pub const fn base(self) -> u32 {
        match self {
            Screen::Top => 0x400,
            Screen::Bottom => 0x500,
        }
    }
}

/// Whose picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Eye {
    /// The left eye's, or both's.
    Left,
    /// The right eye's.
    Right,
}

/// A picture in memory. Its rows are columns of the screen: pixel (x, y), counted from the top left, is at
/// `address + x * pitch + (height - 1 - y) * format.bytes()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Physical address of the leftmost column's lowest pixel.
    pub address: u32,
    /// Pixel format.
    pub format: PixelFormat,
    /// Columns as a person sees them: 320 or 400, 800 in the wide mode.
    pub width: u32,
    /// Pixels of a column: 240.
    pub height: u32,
    /// Bytes from a column to the next; may be negative, and 0 repeats the first.
    pub pitch: i32,
}

impl Picture {
    /// For [`Device::present`](triglyph_engine::Device::present).
    pub fn scan_out(&self) -> ScanOut {
        let format = match self.format {
            PixelFormat::Rgba8 => format::ABGR8,
            PixelFormat::Rgb8 => format::BGR8,
            PixelFormat::Rgb565 => format::RGB565,
            PixelFormat::Rgb5A1 => format::RGB5A1,
            PixelFormat::Rgba4 => format::RGBA4,
        };
        // Screens have no alpha.
        let format =
            PixelFields { channels: [format.channels[0], format.channels[1], format.channels[2], NONE], ..format };
        let at = GuestAddr::new(PHYSICAL, self.address.into());
        ScanOut {
            at,
            width: self.width,
            height: self.height,
            format,
            layout: ScanLayout::Columns { pitch: self.pitch },
        }
    }
}

/// No channel.
const NONE: BitField = BitField { shift: 0, bits: 0 };

/// Words of one controller's registers.
const WORDS: usize = 0x40;

/// One controller.
#[derive(Clone, Debug)]
pub struct Lcd {
    screen: Screen,
    words: [u32; WORDS],
    /// Gamma table, 0x00BBGGRR.
    table: [u32; 256],
    index: u8,
    /// The colour that replaces the picture: bit 24 enables it (3dbrew: LCD Registers, 0x204 and 0xA04).
    pub fill: u32,
}

/// Bits of [`offset::SELECT`]: the buffer to be shown.
const NEXT: u32 = 1;
/// The buffer that is shown.
const CURRENT: u32 = 1 << 4;
/// HBlank, VBlank and error; writing 1 clears them.
const INTERRUPTS: u32 = 7 << 16;
/// The VBlank one.
const VBLANK: u32 = 1 << 17;

impl Lcd {
    /// As the boot code leaves it: the home menu's framebuffers, 24-bit colour, identity gamma.
    pub fn new(screen: Screen) -> Self {
        let mut lcd =
            Lcd { screen, words: [0; WORDS], table: std::array::from_fn(|i| i as u32 * 0x01_0101), index: 0, fill: 0 };
        let (first, second, right_first, right_second, format, dim) = match screen {
            Screen::Top => (0x181E_6000, 0x1822_C800, 0x1827_3000, 0x182B_9800, 0x8_0341, 0x0190_00F0),
            Screen::Bottom => (0x1848_F000, 0x184C_7800, 0, 0, 0x8_0301, 0x0140_00F0),
        };
        for (register, value) in [
            (offset::LEFT_FIRST, first),
            (offset::LEFT_SECOND, second),
            (offset::RIGHT_FIRST, right_first),
            (offset::RIGHT_SECOND, right_second),
            (offset::FORMAT, format),
            (offset::DIM, dim),
            (offset::STRIDE, 720),
            (offset::CONTROL, 0x1_0501),
        ] {
            lcd.words[register as usize / 4] = value;
        }
        lcd
    }

    /// Which screen this is.
    pub fn screen(&self) -> Screen {
        self.screen
    }

    /// A register without the effect of reading it; `offset` is counted in bytes from the controller's first.
    pub fn peek(&self, offset: u32) -> u32 {
        match offset & 0xFC {
            offset::CLUT_INDEX => u32::from(self.index),
            offset::CLUT_DATA => self.table[usize::from(self.index)],
            other => self.words[other as usize / 4],
        }
    }

    /// Reads a register; the colour table moves on.
    pub fn read(&mut self, offset: u32) -> u32 {
        let value = self.peek(offset);
        match offset & 0xFC {
            // The index can only be written.
            offset::CLUT_INDEX => return 0,
            offset::CLUT_DATA => self.index = self.index.wrapping_add(1),
            _ => (),
        }
        value
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32) {
        match offset & 0xFC {
            offset::CLUT_INDEX => self.index = value as u8,
            offset::CLUT_DATA => {
                self.table[usize::from(self.index)] = value & 0xFF_FFFF;
                self.index = self.index.wrapping_add(1);
            }
            offset::SELECT => {
                let word = &mut self.words[offset::SELECT as usize / 4];
                let kept = *word & CURRENT | *word & INTERRUPTS & !value;
                *word = value & !(CURRENT | INTERRUPTS) | kept;
            }
            other => self.words[other as usize / 4] = value,
        }
    }

    /// The controller has shown a frame: from now on it shows the selected buffer.
    pub fn vblank(&mut self) {
        let word = &mut self.words[offset::SELECT as usize / 4];
        let current = if *word & NEXT != 0 { CURRENT } else { 0 };
        *word = *word & !CURRENT | current | VBLANK;
    }

    /// Red, green and blue after the gamma table.
    pub fn gamma(&self, [r, g, b]: [u8; 3]) -> [u8; 3] {
        let entry = |channel: u8, shift: u32| (self.table[usize::from(channel)] >> shift) as u8;
        [entry(r, 0), entry(g, 8), entry(b, 16)]
    }

    /// The gamma table by channels, red first; `None` while it changes nothing.
    pub fn gamma_tables(&self) -> Option<Gamma> {
        let tables = [0, 8, 16].map(|shift| self.table.map(|entry| (entry >> shift) as u8));
        let identity: [u8; 256] = std::array::from_fn(|i| i as u8);
        tables.iter().any(|table| *table != identity).then_some(tables)
    }

    /// The colour that covers the picture, red first; `None` while the picture is to be seen.
    pub fn fill_color(&self) -> Option<[u8; 3]> {
        let [r, g, b, enable] = self.fill.to_le_bytes();
        (enable & 1 != 0).then_some([r, g, b])
    }

    /// Whether both eyes have pictures of their own.
    pub fn is_stereo(&self) -> bool {
        self.interleave() >= 2
    }

    /// The picture that an eye sees: the selected buffer, whether the frame has begun or not. `None` for the right
    /// eye of a flat picture and for the formats 5 to 7, which GSP refuses.
    pub fn picture(&self, eye: Eye) -> Option<Picture> {
        let right = match (self.interleave(), eye) {
            (0 | 1, Eye::Left) => false,
            (0 | 1, Eye::Right) => return None,
            (2, eye) => eye == Eye::Right,
            (_, eye) => eye == Eye::Left,
        };
        let second = self.peek(offset::SELECT) & NEXT != 0;
        let address = self.peek(match (right, second) {
            (false, false) => offset::LEFT_FIRST,
            (false, true) => offset::LEFT_SECOND,
            (true, false) => offset::RIGHT_FIRST,
            (true, true) => offset::RIGHT_SECOND,
        });
        let (format, dim) = (self.peek(offset::FORMAT), self.peek(offset::DIM));
        Some(Picture {
            address,
            format: pdc_format::format(format)?.into(),
            width: (dim >> 16) << u32::from(self.is_wide()),
            height: dim & 0xFFFF,
            pitch: self.peek(offset::STRIDE) as i32,
        })
    }

    fn interleave(&self) -> u32 {
        self.peek(offset::FORMAT) >> 4 & 3
    }

    /// The top screen has twice as many columns as pictures usually do: without scan doubling and without a second
    /// eye each shows its own.
    fn is_wide(&self) -> bool {
        self.screen == Screen::Top && self.peek(offset::FORMAT) & 0x70 == 0
    }
}

state! {
    /// A controller in a snapshot.
    pub(crate) struct SavedLcd { words: [u32; WORDS], table: [u32; 256], index: u8, fill: u32 }
}

impl Lcd {
    pub(crate) fn save(&self) -> SavedLcd {
        let Lcd { screen: _, words, table, index, fill } = self;
        SavedLcd { words: *words, table: *table, index: *index, fill: *fill }
    }

    pub(crate) fn restore(screen: Screen, saved: SavedLcd) -> Self {
        let SavedLcd { words, table, index, fill } = saved;
        Lcd { screen, words, table, index, fill }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_pictures() {
        let top = Lcd::new(Screen::Top);
        let expected = Picture { address: 0x181E_6000, format: PixelFormat::Rgb8, width: 400, height: 240, pitch: 720 };
        assert_eq!(top.picture(Eye::Left), Some(expected));
        assert_eq!(top.picture(Eye::Right), None);
        let bottom = Lcd::new(Screen::Bottom).picture(Eye::Left).unwrap();
        assert_eq!((bottom.address, bottom.width, bottom.height), (0x1848_F000, 320, 240));
    }

    #[test]
    fn modes_of_the_top_screen() {
        let mut top = Lcd::new(Screen::Top);
        top.write(offset::FORMAT, 0x8_0301);
        assert_eq!(top.picture(Eye::Left).unwrap().width, 800);
        top.write(offset::FORMAT, 0x8_0321);
        assert!(top.is_stereo());
        assert_eq!(top.picture(Eye::Right).unwrap().address, 0x1827_3000);
        top.write(offset::SELECT, 1);
        assert_eq!(top.picture(Eye::Right).unwrap().address, 0x182B_9800);
        top.write(offset::FORMAT, 0x8_0331);
        assert_eq!(top.picture(Eye::Left).unwrap().address, 0x182B_9800);
        assert_eq!(top.picture(Eye::Left).unwrap().width, 400);
        top.write(offset::FORMAT, 0x8_0345);
        assert_eq!(top.picture(Eye::Left), None);
    }

    #[test]
    fn selection_and_acknowledgement() {
        let mut lcd = Lcd::new(Screen::Bottom);
        lcd.write(offset::SELECT, 1);
        assert_eq!(lcd.peek(offset::SELECT), 1);
        lcd.vblank();
        assert_eq!(lcd.peek(offset::SELECT), 0x2_0011);
        lcd.write(offset::SELECT, 0x2_0000);
        assert_eq!(lcd.peek(offset::SELECT), 0x10);
        lcd.vblank();
        assert_eq!(lcd.peek(offset::SELECT), 0x2_0000);
    }

    #[test]
    fn the_color_table_counts_up() {
        let mut lcd = Lcd::new(Screen::Top);
        assert_eq!(lcd.gamma([1, 128, 255]), [1, 128, 255]);
        lcd.write(offset::CLUT_INDEX, 255);
        lcd.write(offset::CLUT_DATA, 0xFF33_2211);
        lcd.write(offset::CLUT_DATA, 0x0066_5544);
        assert_eq!(lcd.gamma([255, 255, 255]), [0x11, 0x22, 0x33]);
        assert_eq!(lcd.gamma([0, 0, 0]), [0x44, 0x55, 0x66]);
        lcd.write(offset::CLUT_INDEX, 0);
        assert_eq!(lcd.read(offset::CLUT_DATA), 0x66_5544);
        assert_eq!(lcd.read(offset::CLUT_DATA), 0x01_0101);
        assert_eq!(lcd.read(offset::CLUT_INDEX), 0);
    }

    #[test]
    fn a_fill_color_hides_the_picture() {
        let mut lcd = Lcd::new(Screen::Top);
        assert_eq!(lcd.fill_color(), None);
        lcd.fill = 0x0130_2010;
        assert_eq!(lcd.fill_color(), Some([0x10, 0x20, 0x30]));
    }
}
