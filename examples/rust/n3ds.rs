//! The console of the 3DS's examples: video memory, a heap, and the GX commands around a command list.

use std::error::Error;

use triglyph::capture::{Format, Layout, Picture, Present};
use triglyph::guest::n3ds::external::TransferFormat;
use triglyph::n3ds::gsp::{Command, Header};
use triglyph::{Access, Device, GuestAddr, GuestRange, N3ds, Options};

/// Where memory is: physical addresses, by which the GPU names it, and virtual ones, by which GX commands do.
pub const VRAM: u32 = 0x1800_0000;
pub const VRAM_VIRTUAL: u32 = 0x1F00_0000;
pub const HEAP: u32 = 0x2000_0000;
const HEAP_VIRTUAL: u32 = 0x3000_0000;

/// In the heap: the list, the picture for the screen.
const LIST: u32 = 0x1000;
const SHOWN: u32 = 0x1_0000;

/// The top screen has 400 columns of 240 pixels: for the GPU a picture of 240 x 400, x upwards and y to the left.
pub const WIDTH: u32 = 240;
pub const HEIGHT: u32 = 400;

/// The console.
pub struct Console(N3ds);

impl Console {
    /// A console with memory.
    pub fn open(options: &Options) -> Result<Self, Box<dyn Error>> {
        let mut gpu = N3ds::new(options)?;
        gpu.set_fault_handler(Some(Box::new(|fault| eprintln!("fault: {}", fault.what))));
        gpu.map(GuestRange::new(0, VRAM.into(), 6 << 20), Access::READ_WRITE)?;
        gpu.map(GuestRange::new(0, HEAP.into(), 1 << 20), Access::READ_WRITE)?;
        Ok(Console(gpu))
    }

    /// Stores bytes at an offset of the heap.
    pub fn store(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
        Ok(self.0.write(GuestAddr::new(0, (HEAP + offset).into()), bytes)?)
    }

    /// Stores floats.
    pub fn store_floats(&mut self, offset: u32, values: &[f32]) -> Result<(), Box<dyn Error>> {
        self.store(offset, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Clears the targets, runs a command list, and copies the picture at the beginning of video memory for the screen.
    /// Returns what the screen shows.
    pub fn run(&mut self, clear: Command, list: &[u32]) -> Result<Picture, Box<dyn Error>> {
        self.store(LIST, &list.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())?;
        let shown = HEAP_VIRTUAL + SHOWN;
        for command in [
            clear,
            Command::list(HEAP_VIRTUAL + LIST, 4 * list.len() as u32),
            Command::display(VRAM_VIRTUAL, shown, WIDTH as u16, HEIGHT as u16, TransferFormat::Rgb8),
        ] {
            self.0.execute(&command.to_words(Header::default()));
        }
        // A picture as the screen has it: columns of blue, green, red, from below.
        let at = GuestAddr::new(0, (HEAP + SHOWN).into());
        let label = "top".to_owned();
        let (format, layout) = (Format::Bgr8 as u32, Layout::Lcd.number());
        let present = Present { at, format, width: HEIGHT, height: WIDTH, pitch: 3 * WIDTH, layout, label };
        Ok(Picture::read(&mut self.0, &present, false)?)
    }
}
