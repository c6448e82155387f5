//! The console of the PS3's examples: main and local memory, and a context of the hypervisor's.

use std::error::Error;

use triglyph::capture::{Format, Layout, Picture, Present};
use triglyph::rsx::{LOCAL, XDR, flags};
use triglyph::{Access, Device, GuestAddr, GuestRange, Options, Rsx};

/// Main memory by the address that the program passes to the hypervisor. The RSX sees it from IO offset 0 on.
const MAIN_AT: u64 = 0x1000_0000;
/// Bytes of main and of local memory.
const SIZE: u64 = 16 << 20;

/// The console.
pub struct Console {
    gpu: Rsx,
    /// The context's control page.
    control: GuestAddr,
}

impl Console {
    /// Makes the calls of the hypervisor that a program begins with.
    pub fn open(options: &Options) -> Result<Self, Box<dyn Error>> {
        let mut gpu = Rsx::new(options)?;
        gpu.set_fault_handler(Some(Box::new(|fault| eprintln!("fault: {}", fault.what))));
        gpu.map(GuestRange::new(XDR, MAIN_AT, SIZE), Access::READ_WRITE)?;
        gpu.map(GuestRange::new(LOCAL, 0, SIZE), Access::READ_WRITE)?;
        // lv1_gpu_memory_allocate, lv1_gpu_context_allocate, lv1_gpu_context_iomap.
        let memory = gpu.memory_allocate(SIZE, [8, 0x30_0000, 15, 8])?;
        let context = gpu.context_allocate(memory.handle, flags::MAIN_REPORTS)?;
        gpu.context_iomap(context.handle, 0, MAIN_AT, 8 << 20, 3 << 62)?;
        let control = gpu.lpar(context.control).ok_or("a control page")?;
        Ok(Console { gpu, control })
    }

    /// Stores bytes at an offset of main memory.
    pub fn store(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
        Ok(self.gpu.write(GuestAddr::new(XDR, MAIN_AT + u64::from(offset)), bytes)?)
    }

    /// Stores floats there, which are big-endian as all of the PS3's memory.
    pub fn store_floats(&mut self, offset: u32, values: &[f32]) -> Result<(), Box<dyn Error>> {
        self.store(offset, &values.iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<_>>())
    }

    /// Stores bytes at an offset of local memory.
    pub fn store_local(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
        Ok(self.gpu.write(GuestAddr::new(LOCAL, offset.into()), bytes)?)
    }

    /// Stores the words of a push buffer, and runs it.
    pub fn run(&mut self, offset: u32, words: &[u32]) -> Result<(), Box<dyn Error>> {
        let push: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        self.store(offset, &push)?;
        // PUT, in the control page, says where the words end.
        let put = GuestAddr::new(self.control.space, self.control.address + 0x40);
        self.gpu.write(put, &(offset + push.len() as u32).to_be_bytes())?;
        self.gpu.run();
        Ok(())
    }

    /// The picture at an offset of local memory: rows of words.
    pub fn picture(&mut self, offset: u32, width: u32, height: u32) -> Result<Picture, Box<dyn Error>> {
        let (at, label) = (GuestAddr::new(LOCAL, offset.into()), "main".to_owned());
        let (format, layout) = (Format::X8R8G8B8 as u32, Layout::Linear { bottom_first: false }.number());
        let present = Present { at, format, width, height, pitch: 4 * width, layout, label };
        Ok(Picture::read(&mut self.gpu, &present, true)?)
    }
}
