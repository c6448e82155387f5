//! A Switch that has one program: it clears a picture, draws a triangle and waits for its fence.
//!
//! The host owns the process's memory, as an emulator does, and makes the calls of the GPU's driver (nvdrv) for the
//! program: handles for memory, an address space that shows them to the GPU, a channel. The program writes methods into
//! a push buffer and submits it as an entry of the GPFIFO. The picture is written as a PNG file.
//!
//! ```sh
//! cargo run --release --example tegra -- picture.png
//! ```

#![allow(unsafe_code, reason = "memory of the host's is mapped")]

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use triglyph::capture::{Picture, Present};
use triglyph::tegra::{Fence, Layout, MapBuffer, MapMemory, PROCESS, Wait, submit_flags};
use triglyph::{Access, Device, Event, GuestAddr, GuestRange, Options, TegraX1};

/// The process's memory by its own addresses: words, which the GPU and the host may both touch at any time.
const MEMORY_AT: u64 = 0x70_0000_0000;
const MEMORY_SIZE: usize = 4 << 20;

/// Offsets in it.
const PUSH: u32 = 0;
const PROGRAMS: u32 = 0x1_0000;
const VERTICES: u32 = 0x2_0000;
const TARGET: u32 = 0x10_0000;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;

/// A vertex program: its header says that it reads two attributes of four words and writes a position and an attribute;
/// its code passes them on. Every fourth word of code schedules the three instructions after it.
const VERTEX_HEADER: [u32; 20] =
    [0x461, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0xF << 12 | 0xF << 16, 0, 0, 0, 0, 0, 0];
const VERTEX_CODE: [u64; 7] = [
    0x001F_8000_FC00_07E0,
    0xEFD9_FF80_0807_FF00, // ald.w4 r0, a[0x80]
    0xEFD9_FF80_0907_FF04, // ald.w4 r4, a[0x90]
    0xEFF1_FF80_0707_FF00, // ast.w4 a[0x70], r0
    0x001F_8000_FC00_07E0,
    0xEFF1_FF80_0807_FF04, // ast.w4 a[0x80], r4
    0xE300_0000_0007_000F, // exit
];

/// A pixel program: one attribute, interpolated with perspective, is the colour of target 0.
const PIXEL_HEADER: [u32; 20] = [0xD462, 0, 0, 0, 0, 1 << 31, 2 * 0x55, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF, 0];
const PIXEL_CODE: [u64; 10] = [
    0x001F_8000_FC00_07E0,
    0xE003_FF87_CFF7_FF04, // ipa.pass r4, a[0x7c]: 1/w
    0x5080_0000_0047_0404, // mufu.rcp r4, r4
    0xE043_FF88_0047_FF00, // ipa.mul r0, a[0x80], r4
    0x001F_8000_FC00_07E0,
    0xE043_FF88_4047_FF01,
    0xE043_FF88_8047_FF02,
    0xE043_FF88_C047_FF03,
    0x001F_8000_FC00_07E0,
    0xE300_0000_0007_000F, // exit
];

/// Red above, green to the right, blue to the left: x, y, z, w; red, green, blue, alpha.
const TRIANGLE: [[f32; 8]; 3] = [
    [0.0, 0.8, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
    [0.8, -0.8, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, -0.8, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
];

/// The program's push buffer.
#[derive(Default)]
struct PushBuffer(Vec<u32>);

impl PushBuffer {
    /// Data for a method of the 3D class (subchannel 0) and those after it. Methods are dword addresses.
    fn methods(&mut self, method: u32, data: &[u32]) {
        self.0.push(1 << 29 | (data.len() as u32) << 16 | method);
        self.0.extend(data);
    }

    fn floats(&mut self, method: u32, data: &[f32]) {
        self.methods(method, &data.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
    }

    /// A high and a low word for two methods.
    fn address(&mut self, method: u32, address: u64) {
        self.methods(method, &[(address >> 32) as u32, address as u32]);
    }

    /// Everything, with the memory at a GPU address.
    fn frame(&mut self, memory: u64) {
        let at = |offset: u32| memory + u64::from(offset);
        self.methods(0x000, &[0xB197]); // SET_OBJECT: MAXWELL_B
        self.address(0x200, at(TARGET));
        self.methods(0x202, &[4 * WIDTH, HEIGHT, 0xD5, 1 << 12, 1]); // rows of A8B8G8R8, one layer
        self.methods(0x487, &[1]); // one target
        self.methods(0x3FD, &[WIDTH << 16, HEIGHT << 16]); // surface clip
        self.methods(0x64B, &[1]); // the viewport is given by scale and offset
        self.floats(0x280, &[WIDTH as f32 / 2.0, HEIGHT as f32 / -2.0, 1.0]);
        self.floats(0x283, &[WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0, 0.0]);
        self.methods(0x300, &[WIDTH << 16, HEIGHT << 16]);
        self.floats(0x360, &[0.125, 0.1875, 0.25, 1.0]);
        self.methods(0x674, &[0x3C]); // clears all four channels of target 0

        self.address(0x582, at(PROGRAMS));
        for (stage, offset) in [(1, 0), (5, 0x1000)] {
            self.methods(0x800 + 16 * stage, &[1 | stage << 4, offset]);
        }
        self.methods(0x700, &[32 | 1 << 12]); // vertices of 32 bytes
        self.address(0x701, at(VERTICES));
        self.address(0x7C0, at(VERTICES) + 3 * 32 - 1);
        self.methods(0x458, &[0x01 << 21 | 7 << 27, 16 << 7 | 0x01 << 21 | 7 << 27]); // two of four floats

        self.methods(0x586, &[4]); // BEGIN: triangles
        self.methods(0x35D, &[0, 3]); // from vertex 0 on, three of them
        self.methods(0x585, &[0]); // END
    }
}

/// Stores words, as the process's processor would.
fn store(memory: &[AtomicU32], offset: u32, words: impl IntoIterator<Item = u32>) {
    memory[offset as usize / 4..].iter().zip(words).for_each(|(to, word)| to.store(word.to_le(), Relaxed));
}

fn store_program(memory: &[AtomicU32], offset: u32, header: [u32; 20], code: &[u64]) {
    store(memory, offset, header);
    store(memory, offset + 80, code.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]));
}

/// Runs the program and returns the picture.
fn console() -> Result<Picture, Box<dyn Error>> {
    let memory: Vec<AtomicU32> = (0..MEMORY_SIZE / 4).map(|_| AtomicU32::new(0)).collect();
    let mut gpu = TegraX1::new(&Options::default())?;
    gpu.set_fault_handler(Some(Box::new(|fault| eprintln!("fault: {}", fault.what))));
    let process = GuestRange::new(PROCESS, MEMORY_AT, MEMORY_SIZE as u64);
    // SAFETY: the words are atomic and live until after `gpu`.
    gpu.with_memory(|space| unsafe { space.map_host(process, memory.as_ptr().cast_mut().cast(), Access::READ_WRITE) })?;

    // /dev/nvmap: a handle for the memory. /dev/nvhost-as-gpu: an address space that shows it.
    let handle = gpu.nvmap_create(MEMORY_SIZE as u32)?;
    gpu.nvmap_alloc(handle, MapMemory { address: MEMORY_AT, align: 0x1000, heap: 0, flags: 1, kind: 0xFE })?;
    let space = gpu.space_open()?;
    gpu.space_initialize(space, Layout::default())?;
    let buffer = gpu.space_map_buffer(space, MapBuffer { handle, ..MapBuffer::default() })?;
    // /dev/nvhost-gpu: a channel in that space.
    let channel = gpu.channel_open()?;
    gpu.channel_bind(channel, space)?;

    store_program(&memory, PROGRAMS, VERTEX_HEADER, &VERTEX_CODE);
    store_program(&memory, PROGRAMS + 0x1000, PIXEL_HEADER, &PIXEL_CODE);
    store(&memory, VERTICES, TRIANGLE.as_flattened().iter().map(|value| value.to_bits()));
    let mut push = PushBuffer::default();
    push.frame(buffer.offset);
    let words = push.0.len() as u64;
    store(&memory, PUSH, push.0);
    let entry = (buffer.offset + u64::from(PUSH)) | words << 42;
    let fence = gpu.channel_submit(channel, &[entry], submit_flags::FENCE_GET, Fence::default())?;

    // /dev/nvhost-ctrl: the program waits for the fence; a host that is asked too early delivers the event later.
    match gpu.event_wait(fence, -1, None)? {
        Wait::Reached(value) => println!("syncpoint {} has reached {value}", fence.syncpoint),
        Wait::Armed { slot, .. } => println!("event {slot} will say so"),
    }
    let fences = gpu.take_events().iter().filter(|event| matches!(event, Event::Fence { .. })).count();
    println!("{fences} events, {} faults", gpu.faults().total());

    // The display's service knows the buffer; here it is rows of R, G, B, A in the process's memory.
    let at = GuestAddr::new(PROCESS, MEMORY_AT + u64::from(TARGET));
    let label = "display".to_owned();
    let present = Present { at, format: 7, width: WIDTH, height: HEIGHT, pitch: 4 * WIDTH, layout: 0, label };
    Ok(Picture::read(&mut gpu, &present, false)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "tegra.png".to_owned());
    std::fs::write(&path, console()?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_triangle_is_there() {
        let picture = super::console().unwrap();
        assert_eq!(picture.pixel(1, 1), Some([32, 48, 64, 255]));
        let [r, g, b, _] = picture.pixel(super::WIDTH / 2, 40).unwrap();
        assert!(r > 240 && g < 20 && b < 20, "the top is red: {r} {g} {b}");
        let corner = |x| picture.pixel(x, 320).unwrap();
        assert!(corner(570)[1] > 230 && corner(70)[2] > 230, "{:?} {:?}", corner(570), corner(70));
    }
}
