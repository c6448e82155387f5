//! The console of the Switch's examples: a process with memory, and a channel whose address space shows it.

use std::error::Error;

use triglyph::capture::{self, Format, Picture, Present};
use triglyph::guest::tegra::PushBuffer;
use triglyph::tegra::{Fence, Layout, MapBuffer, MapMemory, PROCESS, submit_flags};
use triglyph::{Access, ChannelId, Device, GuestAddr, GuestRange, Options, TegraX1};

/// The process's memory by its own addresses.
const MEMORY_AT: u64 = 0x70_0000_0000;
const MEMORY_SIZE: u32 = 8 << 20;

/// The console.
pub struct Console {
    gpu: TegraX1,
    channel: ChannelId,
    /// The GPU address of the process's memory.
    pub memory: u64,
}

impl Console {
    /// Makes the calls of the GPU's driver that a program begins with.
    pub fn open(options: &Options) -> Result<Self, Box<dyn Error>> {
        let mut gpu = TegraX1::new(options)?;
        gpu.set_fault_handler(Some(Box::new(|fault| eprintln!("fault: {}", fault.what))));
        gpu.map(GuestRange::new(PROCESS, MEMORY_AT, MEMORY_SIZE.into()), Access::READ_WRITE)?;
        // /dev/nvmap: a handle for the memory.
        let handle = gpu.nvmap_create(MEMORY_SIZE)?;
        gpu.nvmap_alloc(handle, MapMemory { address: MEMORY_AT, align: 0x1000, heap: 0, flags: 1, kind: 0xFE })?;
        // /dev/nvhost-as-gpu: an address space that shows it.
        let space = gpu.space_open()?;
        gpu.space_initialize(space, Layout::default())?;
        let memory = gpu.space_map_buffer(space, MapBuffer { handle, ..MapBuffer::default() })?.offset;
        // /dev/nvhost-gpu: a channel in that space.
        let channel = gpu.channel_open()?;
        gpu.channel_bind(channel, space)?;
        Ok(Console { gpu, channel, memory })
    }

    /// Stores bytes at an offset of the memory, as the process's processor would.
    pub fn store(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
        Ok(self.gpu.write(GuestAddr::new(PROCESS, MEMORY_AT + offset), bytes)?)
    }

    /// Stores words, which are little-endian.
    pub fn store_words(&mut self, offset: u64, words: &[u32]) -> Result<(), Box<dyn Error>> {
        self.store(offset, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Stores floats.
    pub fn store_floats(&mut self, offset: u64, values: &[f32]) -> Result<(), Box<dyn Error>> {
        self.store_words(offset, &values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
    }

    /// Stores a push buffer, submits it as one entry of the GPFIFO, and waits until it has been executed.
    pub fn run(&mut self, offset: u64, push: PushBuffer) -> Result<(), Box<dyn Error>> {
        let entry = push.entry(self.memory + offset)?;
        self.store_words(offset, &push.finish()?)?;
        self.gpu.channel_submit(self.channel, &[entry], submit_flags::FENCE_GET, Fence::default())?;
        self.gpu.finish();
        Ok(())
    }

    /// The picture at an offset of the memory: rows of red, green, blue, alpha.
    pub fn picture(&mut self, offset: u64, width: u32, height: u32) -> Result<Picture, Box<dyn Error>> {
        let (at, label) = (GuestAddr::new(PROCESS, MEMORY_AT + offset), "display".to_owned());
        let (format, layout) = (Format::A8B8G8R8 as u32, capture::Layout::Linear { bottom_first: false }.number());
        let present = Present { at, format, width, height, pitch: 4 * width, layout, label };
        Ok(Picture::read(&mut self.gpu, &present, false)?)
    }
}
