//! Whole programs as a PS3 has them: a context from the hypervisor, a big-endian push buffer in memory that it maps,
//! objects, a clear, a draw, a semaphore, a report, a flip.

use crate::support::*;
use triglyph_engine::Device;
use triglyph_engine::mem::GuestAddr;
use triglyph_guest::rsx::fragment::memory::{Order, bytes as slot_bytes};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::{fragment, vertex};
use triglyph_rsx::lv1::{ContextAllocation, XDR};
use triglyph_rsx::{Event, Rsx, RsxMode};

/// Pixels of the target.
const WIDTH: u32 = 64;
const HEIGHT: u32 = 32;
const PITCH: u32 = 4 * WIDTH;
/// Offsets in local memory.
const COLOR: u32 = 0x10_0000;
const DEPTH: u32 = 0x11_0000;
const PROGRAM: u32 = 0x12_0000;
/// With flag 0x10.
const LOCAL_PUSH: u32 = 0x13_0000;
/// IO offsets.
const VERTICES: u32 = 0x10_0000;
/// Flags of a context.
const PUSH_IN_LOCAL: u64 = 0x10;
const MASKED: u64 = 0x800;

/// A process with a context.
struct Process {
    flags: u64,
    context: ContextAllocation,
    /// Where its local memory is mapped, to which offsets are relative.
    local: u64,
    /// Main memory at IO offset 0.
    main: u64,
    /// Where the push buffer goes on.
    put: u32,
}

impl Process {
    /// Memory, a context, IO memory, a display buffer, an empty push buffer.
    fn new(gpu: &mut Rsx, main: u64, flags: u64) -> Self {
        let memory = gpu.memory_allocate(4 << 20, [0; 4]).unwrap();
        let context = gpu.context_allocate(memory.handle, flags).unwrap();
        gpu.context_iomap(context.handle, 0, main, 4 << 20, 0xF000_0000_0000_0800).unwrap();
        let put = if flags & PUSH_IN_LOCAL == 0 { 0 } else { LOCAL_PUSH };
        let process = Process { flags, context, local: memory.lpar, main, put };
        let size = u64::from(WIDTH) << 32 | u64::from(HEIGHT);
        process.attribute(gpu, 0x104, [1, size, u64::from(PITCH) << 32 | u64::from(COLOR), 0]);
        process.attribute(gpu, 0x001, [put.into(), put.into(), 0, 0]);
        process
    }

    fn attribute(&self, gpu: &mut Rsx, operation: u64, parameters: [u64; 4]) {
        gpu.context_attribute(self.context.handle, operation, parameters).unwrap();
    }

    /// Puts words after those in the push buffer and tells the channel.
    fn kick(&mut self, gpu: &mut Rsx, push: Push) {
        let bytes = push.bytes(true);
        if self.flags & PUSH_IN_LOCAL == 0 {
            gpu.memory().write(GuestAddr::new(XDR, self.main + u64::from(self.put)), &bytes).unwrap();
        } else {
            self.write_local(gpu, self.put, &bytes);
        }
        self.put += bytes.len() as u32;
        set_lpar_word(gpu, self.context.control + 0x40, self.put);
        gpu.run();
    }

    /// GET of the control page.
    fn get(&self, gpu: &mut Rsx) -> u32 {
        lpar_word(gpu, self.context.control + 0x44)
    }

    fn report_word(&self, gpu: &mut Rsx, offset: u64) -> u32 {
        lpar_word(gpu, self.context.reports + offset)
    }

    /// Stores in the local memory that the process sees.
    fn write_local(&self, gpu: &mut Rsx, offset: u32, bytes: &[u8]) {
        let place = gpu.lpar(self.local + u64::from(offset)).unwrap();
        gpu.memory().write(place, bytes).unwrap();
    }

    fn pixel(&self, gpu: &mut Rsx, x: u32, y: u32) -> u32 {
        lpar_word(gpu, self.local + u64::from(COLOR + PITCH * y + 4 * x))
    }

    /// A fragment program, and the four corners of a rectangle: places in pixels, then a colour as bytes.
    fn load(&self, gpu: &mut Rsx, [x0, y0, x1, y1]: [f32; 4], rgba: [u8; 4]) {
        let code = fragment::assemble_program("mov r0, f[COL0]  [end]").unwrap();
        let stored: Vec<u8> = code.as_chunks().0.iter().flat_map(|slot| slot_bytes(*slot, Order::Big)).collect();
        self.write_local(gpu, PROGRAM, &stored);
        let corner = |(x, y): (f32, f32)| [x, y, 0.5f32].into_iter().flat_map(f32::to_be_bytes).chain(rgba);
        let vertices: Vec<u8> = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].into_iter().flat_map(corner).collect();
        gpu.memory().write(GuestAddr::new(XDR, self.main + u64::from(VERTICES)), &vertices).unwrap();
    }

    /// Objects for all subchannels, and everything that a draw looks at.
    fn start(&self) -> Push {
        let objects = [0x3133_7000, 0x3133_7303, 0x3137_C0DE, 0x3133_71C3, 0x3133_7A73, 0x3133_7808, 0x3137_AF00];
        let (local, main) = (0xFEED_0000, 0xFEED_0001);
        let mut push = Push::new();
        for (subchannel, object) in objects.into_iter().enumerate() {
            push = push.bind(subchannel as u32, object);
        }
        let float = |v: f32| v.to_bits();
        let dma = [0x6660_4200, local, main, local, 0, local, local, local, main, 0x6660_6660, 0x6662_6660];
        push = push
            .bind(7, 0xCAFE_BABE)
            .methods(0, m::set_context_dma_notifies::ID as u32, &dma)
            .methods(0, m::set_surface_clip_horizontal::ID as u32, &[WIDTH << 16, HEIGHT << 16, 8 | 2 << 5 | 1 << 8])
            .methods(0, m::set_surface_pitch_a::ID as u32, &[PITCH, COLOR, DEPTH])
            .methods(0, m::set_surface_pitch_z::ID as u32, &[PITCH])
            .methods(0, m::set_surface_color_target::ID as u32, &[1])
            .methods(0, m::set_color_mask::ID as u32, &[0x0101_0101])
            .methods(0, m::set_window_clip_horizontal::ID as u32, &[0x0FFF_0000; 16])
            .methods(0, m::set_scissor_horizontal::ID as u32, &[0x1000_0000; 2])
            .methods(0, m::set_viewport_horizontal::ID as u32, &[0x1000_0000; 2])
            .methods(0, m::set_viewport_offset::ID as u32, &[0; 4])
            .methods(0, m::set_viewport_scale::ID as u32, &[float(1.0); 4])
            .methods(0, m::set_clip_min::ID as u32, &[0, float(1.0)])
            .methods(0, m::set_zmin_max_control::ID as u32, &[1])
            .methods(0, m::set_shade_mode::ID as u32, &[0x1D01])
            .methods(0, m::set_depth_func::ID as u32, &[0x201, 1, 1])
            .methods(0, m::set_vertex_attrib_input_mask::ID as u32, &[1 | 1 << 3, 1])
            .methods(0, m::set_transform_timeout::ID as u32, &[0x20_FFFF])
            .methods(0, m::set_render_enable::ID as u32, &[0x0100_0000])
            .methods(0, m::set_shader_program::ID as u32, &[PROGRAM | 1])
            .methods(0, m::set_shader_control::ID as u32, &[0x0200_0040])
            .methods(0, m::set_transform_program_load::ID as u32, &[0, 0]);
        let (_, code) = vertex::assemble_program("mov o[HPOS], v[0]\n mov o[COL0], v[3]  [end]").unwrap();
        for words in code {
            push = push.methods(0, m::set_transform_program::ID as u32, &words);
        }
        // Three floats, four bytes as colour.
        let in_main = 1 << 31 | VERTICES;
        push.methods(0, m::set_vertex_data_array_offset::id(0) as u32, &[in_main])
            .methods(0, m::set_vertex_data_array_offset::id(3) as u32, &[in_main + 12])
            .methods(0, m::set_vertex_data_array_format::id(0) as u32, &[2 | 3 << 4 | 16 << 8])
            .methods(0, m::set_vertex_data_array_format::id(3) as u32, &[4 | 4 << 4 | 16 << 8])
    }
}

fn clear(push: Push, color: u32) -> Push {
    push.methods(0, m::set_zstencil_clear_value::ID as u32, &[0xFFFF_FF00, color]).methods(
        0,
        m::clear_surface::ID as u32,
        &[0xF3],
    )
}

/// The rectangle.
fn draw(push: Push) -> Push {
    push.methods(0, m::set_begin_end::ID as u32, &[8]).same(0, m::draw_arrays::ID as u32, &[3 << 24]).methods(
        0,
        m::set_begin_end::ID as u32,
        &[0],
    )
}

/// A word for the back end's semaphore, which exchanges bytes 0 and 2.
fn exchanged(word: u32) -> u32 {
    word & 0xFF00_FF00 | (word & 0xFF) << 16 | word >> 16 & 0xFF
}

#[test]
fn a_frame_is_drawn_reported_and_shown() {
    for mode in MODES {
        let mut gpu = lv1_machine(mode);
        let mut process = Process::new(&mut gpu, XDR_AT, 0x20);
        process.load(&mut gpu, [16.0, 8.0, 48.0, 24.0], [0x20, 0x40, 0x60, 0x80]);
        gpu.take_events();
        let push = clear(process.start(), 0xFF11_2233).methods(0, m::clear_report_value::ID as u32, &[1, 1]);
        let push = draw(push)
            .methods(0, m::get_report::ID as u32, &[1 << 24 | 0x20])
            .methods(0, m::set_semaphore_offset::ID as u32, &[0x50, exchanged(0xCAFE_0001)])
            .methods(0, m::set_semaphore_offset::ID as u32, &[0x60])
            .methods(0, m::texture_read_semaphore_release::ID as u32, &[0xBEEF_0002])
            .methods(0, m::notify::ID as u32, &[0])
            .methods(0, m::no_operation::ID as u32, &[0]);
        // Label 1 is cleared by the flip, for which the next frame waits.
        let push = push
            .methods(7, 0x940, &[1])
            .methods(0, 0x60, &[0x6660_6660, 0x10])
            .methods(0, 0x6C, &[1])
            .methods(7, 0x920, &[0x8000_0101])
            .methods(0, 0x68, &[0]);
        process.kick(&mut gpu, clear(push, 0xFF00_00FF));

        // The picture, before the next frame's clear.
        for (x, y) in [(0, 0), (15, 8), (16, 7), (48, 23), (47, 24), (63, 31)] {
            assert_eq!(process.pixel(&mut gpu, x, y), 0xFF11_2233, "{mode:?} {x} {y}");
        }
        for (x, y) in [(16, 8), (47, 8), (30, 15), (16, 23), (47, 23)] {
            assert_eq!(process.pixel(&mut gpu, x, y), 0x8020_4060, "{mode:?} {x} {y}");
        }
        // Depth: 0.5 of 24 bits, rounded to even, where something was drawn.
        let depth =
            |gpu: &mut Rsx, x: u32, y: u32| lpar_word(gpu, process.local + u64::from(DEPTH + PITCH * y + 4 * x));
        assert_eq!([depth(&mut gpu, 0, 0), depth(&mut gpu, 20, 10)], [0xFFFF_FF00, 0x8000_0000]);
        // The report: a time, 32x16 samples, a zero.
        let report: [u32; 4] = std::array::from_fn(|i| process.report_word(&mut gpu, 0x1420 + 4 * i as u64));
        assert!(report[1] > 0 && report[2..] == [512, 0], "{report:x?}");
        assert_eq!([0x50, 0x60].map(|label| process.report_word(&mut gpu, label)), [0xCAFE_0001, 0xBEEF_0002]);
        let notifier: [u32; 4] = std::array::from_fn(|i| process.report_word(&mut gpu, 0x1000 + 4 * i as u64));
        assert!(notifier[1] >= report[1] && notifier[2..] == [0, 0], "{notifier:x?}");
        // The flip waits for the display, the channel for the flip.
        let (context, head) = (process.context.handle, 0);
        assert_eq!(gpu.take_events(), [Event::Queue { context, head, buffer: 1 }]);
        assert_eq!(process.report_word(&mut gpu, 0x10), 1);
        assert!(process.get(&mut gpu) < process.put);

        gpu.vblank(0, 1234);
        gpu.run();
        let flip = Event::Flip { context, head, buffer: 1, offset: COLOR };
        assert_eq!(gpu.take_events(), [flip, Event::Vblank { context, head }]);
        assert_eq!(process.report_word(&mut gpu, 0x10), 0);
        assert_eq!(process.get(&mut gpu), process.put);
        assert_eq!(process.pixel(&mut gpu, 30, 15), 0xFF00_00FF);
        assert_eq!(faults(&gpu), [], "{:?}", gpu.faults());
    }
}

#[test]
fn two_processes_draw_in_turns() {
    let mut gpu = lv1_machine(RsxMode::Exact);
    let mut first = Process::new(&mut gpu, XDR_AT, 0);
    let mut second = Process::new(&mut gpu, XDR_AT + (8 << 20), 0);
    assert_ne!(first.local, second.local);
    first.load(&mut gpu, [0.0, 0.0, 32.0, 32.0], [0xFF, 0, 0, 0xFF]);
    second.load(&mut gpu, [32.0, 0.0, 64.0, 32.0], [0, 0xFF, 0, 0xFF]);
    // Labels belong to contexts, the device's page is everybody's.
    let label = |push: Push, offset| push.methods(0, 0x60, &[0x5661_6660, offset]);
    let waits = label(clear(first.start(), 0xFF00_0000), 0x40).methods(0, 0x68, &[5]);
    first.kick(&mut gpu, draw(waits).methods(0, 0x6C, &[6]));
    assert_eq!((first.pixel(&mut gpu, 8, 8), first.get(&mut gpu) < first.put), (0xFF00_0000, true));
    let draws = draw(clear(second.start(), 0xFFFF_FFFF));
    let draws = label(draws, 0x40).methods(0, 0x6C, &[5]).methods(0, 0x68, &[6]);
    second.kick(&mut gpu, clear(draws, 0xFF12_3456));
    // The second has released the first, which has drawn, and released the second.
    assert_eq!([8, 40].map(|x| first.pixel(&mut gpu, x, 8)), [0xFFFF_0000, 0xFF00_0000]);
    assert_eq!([8, 40].map(|x| second.pixel(&mut gpu, x, 8)), [0xFF12_3456; 2]);
    assert_eq!([first.get(&mut gpu), second.get(&mut gpu)], [first.put, second.put]);
    // Each channel has the state that it had: no objects are bound, no state is set again.
    first.kick(&mut gpu, clear(Push::new(), 0xFFAA_AAAA));
    second.kick(&mut gpu, draw(Push::new()));
    assert_eq!((first.pixel(&mut gpu, 40, 8), second.pixel(&mut gpu, 40, 8)), (0xFFAA_AAAA, 0xFF00_FF00));
    assert_eq!(faults(&gpu), [], "{:?}", gpu.faults());
}

#[test]
fn contexts_with_every_flag_draw() {
    let all = [0x02, 0x04, 0x08, PUSH_IN_LOCAL, 0x20, 0x400, MASKED];
    let together = all.into_iter().sum();
    for (mode, flags) in MODES.into_iter().flat_map(|mode| all.into_iter().chain([0, together]).map(move |f| (mode, f)))
    {
        let mut gpu = lv1_machine(mode);
        let mut process = Process::new(&mut gpu, XDR_AT, flags);
        process.load(&mut gpu, [4.0, 4.0, 8.0, 8.0], [1, 2, 3, 4]);
        let push = draw(clear(process.start(), 0));
        process.kick(&mut gpu, push);
        assert_eq!([3, 4, 7, 8].map(|x| process.pixel(&mut gpu, x, 6)), [0, 0x0401_0203, 0x0401_0203, 0], "{flags:#x}");
        assert_eq!(process.get(&mut gpu), process.put);
        assert_eq!(lpar_word(&mut gpu, process.context.info + 0x54), flags as u32);
        gpu.vblank(0, 1);
        let kept = if flags & MASKED == 0 { 1 } else { 0 };
        assert_eq!(gpu.context_intr(process.context.handle), Ok(kept), "{flags:#x}");
        assert_eq!(faults(&gpu), [], "{flags:#x}: {:?}", gpu.faults());
    }
}
