//! A program of the Switch that draws textured squares: from opening the devices to the value of its fence in memory.
//!
//! The steps are those of the switchbrew wiki's page on the GPU, in its order. An emulator does the host's part (memory
//! of the process, arguments of nvdrv's calls); everything that begins with `methods` or is called a program is in the
//! guest's memory.
//!
//! ```text
//! process memory ─► nvmap handle ─► address space ─► channel ─► push buffer: classes, macro, copy, state, draws, fence
//! ```

use std::time::Duration;

use triglyph::tegra::{Fence, Layout, MapBuffer, MapMemory, PROCESS, Wait, submit_flags};
use triglyph::{Access, ChannelId, Device, GuestAddr, GuestRange, Options, TegraX1, Tier};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::fifo::Stepping::{Each, Never, Once};
use triglyph_guest::tegra::fifo::{Entry, Segment};
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_guest::tegra::{mme, shader};

use triglyph_testkit::tegra::methods;

/// Address, in the process, of its memory for the GPU.
const MEMORY: u64 = 0x7_0000_0000;
const SIZE: u64 = 0x10_0000;

// What is where in it.
const COMMANDS: u64 = 0;
const PROGRAMS: u64 = 0x1_0000;
const CONSTANTS: u64 = 0x2_0000;
const VERTICES: u64 = 0x3_0000;
const TEXELS: u64 = 0x4_0000;
const TEXTURE: u64 = 0x4_1000;
const HEADERS: u64 = 0x5_0000;
const SAMPLERS: u64 = 0x5_1000;
const FENCE: u64 = 0x6_0000;
const TARGET: u64 = 0x8_0000;

/// Subchannels, and the classes that SetObject binds to them.
const THREED: u32 = 0;
const COPY: u32 = 4;
const CLASSES: [(u32, u32); 5] = [(THREED, 0xB197), (1, 0xB1C0), (2, 0xA140), (3, 0x902D), (COPY, 0xB0B5)];

/// Stages as registers number them.
const VERTEX: u32 = 1;
const PIXEL: u32 = 5;
/// The slot in which the console's own driver has texture handles.
const DRIVER_SLOT: u32 = 2;
/// Bytes of each stage's own constant buffer, and of the one with its texture handles.
const BUFFER_SIZE: u32 = 0x100;

/// Pixels of the target's edge, texels of the texture's.
const EDGE: u32 = 64;
const TEXTURE_EDGE: u32 = 8;

/// Position times scale plus offset, which the stage's own constants hold; texture coordinates and colour as they are.
const VERTEX_PROGRAM: &str = "
    ald.w4 r0, [rz+0x80], rz
    ald.w4 r4, [rz+0x90], rz
    ald.w4 r8, [rz+0xa0], rz
    fmul r0, r0, c[1][0x0]
    fmul r1, r1, c[1][0x4]
    fadd r0, r0, c[1][0x8]
    fadd r1, r1, c[1][0xc]
    ast.w4 r0, [rz+0x70], rz
    ast.w4 r4, [rz+0x80], rz
    ast.w4 r8, [rz+0x90], rz
    exit
";

/// The texel of handle 8 times the colour.
const PIXEL_PROGRAM: &str = "
    ipa.pass r4, a[rz+0x7c], rz, rz, pt
    mufu.rcp r4, r4
    ipa.mul r0, a[rz+0x80], r4, rz, pt
    ipa.mul r1, a[rz+0x84], r4, rz, pt
    ipa.mul r12, a[rz+0x90], r4, rz, pt
    ipa.mul r13, a[rz+0x94], r4, rz, pt
    ipa.mul r14, a[rz+0x98], r4, rz, pt
    ipa.mul r15, a[rz+0x9c], r4, rz, pt
    texs.f32.d2 r8, r10, r0, r1, 0x8, 0x4
    fmul r0, r8, r12
    fmul r1, r9, r13
    fmul r2, r10, r14
    fmul r3, r11, r15
    exit
";

/// The macro at 0xE24. Parameters: the stage, its first register (type and switch), and for a stage that is on the
/// program's offset and the two words of its constants' address. Sets the stage's registers and binds its own constant
/// buffer.
const BIND_PROGRAM: &str = "
    addi.fetch r3, r0, 0
    insert r2, r0, r1, 0, 8, 4
    addi.addr r4, r2, 0x1800
    addi.send r0, r3, 0
    bz.annul r3, done
    addi.fetch r5, r0, 0
    addi.send r0, r5, 0
    addi.fetch r6, r0, 0
    addi.fetch r7, r0, 0
    addi.addr r4, r0, 0x18e0
    addi.send r0, r0, 0x100
    addi.send r0, r6, 0
    addi.send r0, r7, 0
    insert r2, r0, r1, 0, 8, 3
    addi.addr r4, r2, 0x8fc
    addi.send r0, r0, 0x11
done:
    addi.exit r0, r0, 0
    addi r0, r0, 0
";

/// A program's client: the machine, its channel, and where the GPU sees the process's memory.
struct Client {
    gpu: TegraX1,
    channel: ChannelId,
    base: u64,
}

impl Client {
    /// Memory is mapped in the process, given to a handle of nvmap, and shown in an address space that a channel is
    /// bound to.
    fn new(tier: Tier, threads: usize) -> Client {
        let options = Options::new(tier, threads);
        let mut gpu = TegraX1::new(&options).expect("a machine");
        // svcSetMemoryAttribute has nothing to do here: what the process writes is what the GPU sees.
        gpu.with_memory(|memory| memory.map(GuestRange::new(PROCESS, MEMORY, SIZE), Access::READ_WRITE))
            .expect("room in the process");

        // /dev/nvmap: NVMAP_IOC_CREATE and NVMAP_IOC_ALLOC.
        let handle = gpu.nvmap_create(SIZE as u32).expect("a handle");
        let memory = MapMemory { address: MEMORY, align: 0x1000, heap: 1, flags: 0, kind: 0xFE };
        gpu.nvmap_alloc(handle, memory).expect("memory of the process");

        // /dev/nvhost-as-gpu: NVGPU_AS_IOCTL_INITIALIZE_EX and NVGPU_AS_IOCTL_MAP_BUFFER_EX.
        let space = gpu.space_open().expect("an address space");
        gpu.space_initialize(space, Layout { big_page: 0x1_0000, ..Layout::default() }).expect("a layout");
        let base = gpu.space_map_buffer(space, MapBuffer { handle, ..MapBuffer::default() }).expect("room").offset;

        // /dev/nvhost-gpu: opened, and NVGPU_AS_IOCTL_BIND_CHANNEL.
        let channel = gpu.channel_open().expect("a channel");
        gpu.channel_bind(channel, space).expect("an address space without a channel");
        Client { gpu, channel, base }
    }

    /// What the GPU calls a place in memory, as two words.
    fn address(&self, offset: u64) -> [u32; 2] {
        let address = self.base + offset;
        [(address >> 32) as u32, address as u32]
    }

    /// The process writes its memory.
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.gpu.write(GuestAddr::new(PROCESS, MEMORY + offset), bytes).expect("mapped memory");
    }

    fn write_words(&mut self, offset: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(offset, &bytes);
    }

    fn read_word(&mut self, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        self.gpu.read(GuestAddr::new(PROCESS, MEMORY + offset), &mut bytes).expect("mapped memory");
        u32::from_le_bytes(bytes)
    }

    /// NVGPU_IOCTL_CHANNEL_SUBMIT_GPFIFO: one entry, whose command list is in memory.
    fn submit(&mut self, words: &[u32]) -> Fence {
        self.write_words(COMMANDS, words);
        let segment = Segment {
            address: self.base + COMMANDS,
            words: words.len() as u32,
            sync: false,
            subroutine: false,
            conditional: false,
        };
        let entry = Entry::Segment(segment).encode();
        let submitted = self.gpu.channel_submit(self.channel, &[entry], submit_flags::FENCE_GET, Fence::default());
        submitted.expect("a channel with an address space")
    }
}

/// A register and a datum: a run of one method.
fn set(register: usize, datum: u32) -> Vec<u32> {
    methods(THREED, register as u32, Each, &[datum])
}

/// Consecutive registers from this one on.
fn fill(register: usize, data: &[u32]) -> Vec<u32> {
    methods(THREED, register as u32, Each, data)
}

/// A program with its header, as memory holds it.
fn program(header: [u32; 20], text: &str) -> Vec<u32> {
    let code = shader::assemble_program(text).expect("a program");
    header.into_iter().chain(code.into_iter().flat_map(|word| [word as u32, (word >> 32) as u32])).collect()
}

/// The header of the vertex program: it reads generics 0 to 2 and writes the position and generics 0 and 1.
fn vertex_header() -> [u32; 20] {
    let mut words = [0; 20];
    words[0] = 1 | 3 << 5 | 1 << 10;
    let mut mark = |map: u32, address: u32, count: u32| {
        (0..count).map(|i| map + address / 4 + i).for_each(|bit| words[bit as usize / 32] |= 1 << (bit % 32));
    };
    mark(160, 0x80, 12);
    mark(400, 0x70, 4);
    mark(400, 0x80, 8);
    words
}

/// The header of the pixel program: 1/w, generics 0 and 1 with perspective; four components of target 0.
fn pixel_header() -> [u32; 20] {
    let mut words = [0; 20];
    words[0] = 2 | 3 << 5 | 5 << 10 | 1 << 14;
    words[5] = 1 << 31;
    words[6] = 0xAAAA;
    words[18] = 0xF;
    words
}

/// A texel: red to the right, green downwards.
fn texel(x: u32, y: u32) -> [u8; 4] {
    [(32 * x + 16) as u8, (32 * y + 16) as u8, 0x40, 0xFF]
}

/// Squares of 16 pixels: their first pixel, and the colour of all four vertices.
const SQUARES: [([u32; 2], [u8; 4]); 2] = [([8, 8], [0xFF; 4]), ([36, 20], [0xFF, 0x00, 0xFF, 0xFF])];
const SQUARE: u32 = 16;

/// What the process writes before it submits: programs, vertices, texels, descriptions of the texture and its sampler.
fn prepare(client: &mut Client) {
    client.write_words(PROGRAMS, &program(vertex_header(), VERTEX_PROGRAM));
    client.write_words(PROGRAMS + 0x1000, &program(pixel_header(), PIXEL_PROGRAM));

    let mut vertices: Vec<u8> = Vec::new();
    for ([x, y], color) in SQUARES {
        for [right, down] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let place = [x + right * SQUARE, y + down * SQUARE].map(|v| v as f32);
            let numbers = [place[0], place[1], 0.0, right as f32, down as f32];
            vertices.extend(numbers.iter().flat_map(|v| v.to_le_bytes()).chain(color).chain([0; 4]));
        }
    }
    client.write(VERTICES, &vertices);

    let texels = (0..TEXTURE_EDGE).flat_map(|y| (0..TEXTURE_EDGE).flat_map(move |x| texel(x, y)));
    client.write(TEXELS, &texels.collect::<Vec<u8>>());

    // Number 1 of the texture headers (TIC): A8B8G8R8, unorm, in blocks of one GOB.
    let [upper, lower] = client.address(TEXTURE);
    let types = 2 << 7 | 2 << 10 | 2 << 13 | 2 << 16;
    let sources = 2 << 19 | 3 << 22 | 4 << 25 | 5 << 28;
    let edge = TEXTURE_EDGE - 1;
    let header = [0x08 | types | sources, lower, upper | 3 << 21, 0, edge | 1 << 23, edge | 1 << 31, 0, 0];
    client.write_words(HEADERS + 32, &header);
    // Number 1 of the samplers (TSC): clamped to the edge, no filter.
    client.write_words(SAMPLERS + 32, &[2 | 2 << 3, 1 | 1 << 4 | 1 << 6, 0, 0, 0, 0, 0, 0]);
}

/// The copy engine brings the texels from rows into the texture's block.
fn upload_texture(client: &Client) -> Vec<u32> {
    let ([in_upper, in_lower], [out_upper, out_lower]) = (client.address(TEXELS), client.address(TEXTURE));
    let row = 4 * TEXTURE_EDGE;
    let places = [in_upper, in_lower, out_upper, out_lower, row, 0, row, TEXTURE_EDGE];
    [
        methods(COPY, 0x100, Each, &places),
        // Destination: block of one GOB, row in bytes, rows, slices, slice, origin.
        methods(COPY, 0x1C3, Each, &[0x1000, row, TEXTURE_EDGE, 1, 0, 0]),
        // Not pipelined, from rows, several lines.
        methods(COPY, 0xC0, Each, &[2 | 1 << 7 | 1 << 9]),
    ]
    .concat()
}

/// The target, the window, and everything that draws depend on but programs and vertices.
fn set_up_target(client: &Client) -> Vec<u32> {
    let half = (EDGE as f32 / 2.0).to_bits();
    let [upper, lower] = client.address(TARGET);
    [
        // Address, width, height, format A8B8G8R8, blocks of two GOBs, one layer.
        fill(r::set_color_target_a::id(0), &[upper, lower, EDGE, EDGE, 0xD5, 1 << 4, 1]),
        set(r::set_ct_select::ID, 1),
        fill(r::set_surface_clip_horizontal::ID, &[EDGE << 16, EDGE << 16]),
        set(r::set_viewport_scale_offset::ID, 1),
        set(r::set_viewport_clip_control::ID, 0x101A),
        // Scale and offset: y of clip space downwards, like rows.
        fill(r::set_viewport_scale_x::id(0), &[half, half, 1f32.to_bits(), half, half, 0]),
        fill(r::set_viewport_clip_horizontal::id(0), &[EDGE << 16, EDGE << 16]),
        // Clear to opaque black.
        fill(r::set_color_clear_value::id(0), &[0, 0, 0, 1f32.to_bits()]),
        set(r::clear_surface::ID, 0x3C),
    ]
    .concat()
}

/// Uploads the macro and calls it for every stage: two are on, the others off.
fn bind_programs(client: &Client) -> Vec<u32> {
    const INDEX: u32 = (0xE24 - 0xE00) / 2;
    let code = mme::assemble_program(BIND_PROGRAM).expect("a macro");
    let mut words = [
        // A pointer into the macros' memory, then instructions; then the start of macro 0x12.
        methods(THREED, 0x45, Once, &[&[0][..], &code].concat()),
        methods(THREED, 0x47, Each, &[INDEX, 0]),
        fill(r::set_program_region_a::ID, &client.address(PROGRAMS)),
    ]
    .concat();
    for stage in 0..6 {
        let [upper, lower] = client.address(CONSTANTS + u64::from(stage * BUFFER_SIZE));
        let offset = if stage == PIXEL { 0x1000 } else { 0 };
        let parameters = [stage, 1 | stage << 4, offset, upper, lower];
        let given = if stage == VERTEX || stage == PIXEL { &parameters[..] } else { &[stage, 0] };
        words.extend(methods(THREED, 0xE24, Once, given));
    }
    words
}

/// Fills constant buffers through the selector: the vertex program's own, and the pixel stage's buffer of texture
/// handles.
fn fill_constants(client: &Client) -> Vec<u32> {
    let select = |offset: u64, at: u32| {
        let [upper, lower] = client.address(CONSTANTS + offset);
        fill(r::set_constant_buffer_selector_a::ID, &[BUFFER_SIZE, upper, lower, at])
    };
    // From pixels to -1..1.
    let scale = 2.0 / EDGE as f32;
    let transform = [scale, scale, -1.0, -1.0].map(f32::to_bits);
    // The buffers with handles follow each other stage by stage; the pixels' is number 4. Handle 8 is at byte 0x20.
    let handles = 0x1000 + 4 * u64::from(BUFFER_SIZE);
    let handle = 1 | 1 << 20;
    [
        select(u64::from(VERTEX * BUFFER_SIZE), 0),
        fill(r::load_constant_buffer::id(0), &transform),
        select(handles, 4 * 8),
        fill(r::load_constant_buffer::id(0), &[handle]),
        set(r::bind_group_constant_buffer::id(4), 1 | DRIVER_SLOT << 4),
        set(r::set_bindless_texture::ID, DRIVER_SLOT),
    ]
    .concat()
}

/// Tables of textures and samplers, and that whatever is remembered of them is old.
fn set_up_textures(client: &Client) -> Vec<u32> {
    let ([upper, lower], [sampler_upper, sampler_lower]) = (client.address(HEADERS), client.address(SAMPLERS));
    [
        fill(r::set_tex_header_pool_a::ID, &[upper, lower, 15]),
        fill(r::set_tex_sampler_pool_a::ID, &[sampler_upper, sampler_lower, 15]),
        fill(r::invalidate_sampler_cache::ID, &[0, 0, 0]),
    ]
    .concat()
}

/// The stream of vertices and its three attributes.
fn set_up_vertices(client: &Client) -> Vec<u32> {
    const STRIDE: u32 = 28;
    let [upper, lower] = client.address(VERTICES);
    let last = client.address(VERTICES + u64::from(STRIDE) * 8 - 1);
    let inactive = [1 << 6; 13];
    [
        fill(r::set_vertex_stream_a_format::id(0), &[STRIDE | 1 << 12, upper, lower]),
        fill(r::set_vertex_stream_limit_a_a::id(0), &last),
        // Three floats, then two floats, then four bytes of unorm; the rest is not there.
        fill(r::set_vertex_attribute_a::id(0), &[0x3840_0000, 0x3880_0600, 0x1140_0A00]),
        fill(r::set_vertex_attribute_a::id(3), &inactive),
    ]
    .concat()
}

/// BEGIN, start and count, END, for each square.
fn draw_squares() -> Vec<u32> {
    let square = |number: u32| {
        [
            set(r::begin::ID, Topology::TriangleStrip.bits()),
            fill(r::set_vertex_array_start::ID, &[4 * number, 4]),
            set(r::end::ID, 0),
        ]
        .concat()
    };
    (0..SQUARES.len() as u32).flat_map(square).collect()
}

/// The fence of official programs: a release after everything, one word.
fn release(client: &Client, value: u32) -> Vec<u32> {
    let [upper, lower] = client.address(FENCE);
    fill(r::set_report_semaphore_a::ID, &[upper, lower, value, 0x1000_F010])
}

/// The pixel that has to be there.
fn expected(x: u32, y: u32) -> [u8; 4] {
    for ([left, top], color) in SQUARES {
        let (right, down) = (x.wrapping_sub(left), y.wrapping_sub(top));
        if right < SQUARE && down < SQUARE {
            let step = SQUARE / TEXTURE_EDGE;
            let texel = texel(right / step, down / step);
            return std::array::from_fn(|i| if color[i] == 0 { 0 } else { texel[i] });
        }
    }
    [0, 0, 0, 0xFF]
}

#[test]
fn a_program_draws_textured_squares() {
    for (tier, threads) in [(Tier::InterpreterOnly, 1), (Tier::Auto, 2)] {
        let mut client = Client::new(tier, threads);
        prepare(&mut client);
        let bind = CLASSES.into_iter().flat_map(|(subchannel, class)| methods(subchannel, 0, Each, &[class]));
        let value = 1;
        let words = [
            bind.collect(),
            upload_texture(&client),
            set_up_target(&client),
            bind_programs(&client),
            fill_constants(&client),
            set_up_textures(&client),
            set_up_vertices(&client),
            draw_squares(),
            release(&client, value),
            // A method that does nothing, as many words as one likes.
            methods(THREED, 0x40, Never, &[0; 3]),
        ];
        assert_eq!(client.read_word(FENCE), 0);
        let fence = client.submit(&words.concat());

        // Official programs poll the word until it is at least the value; others ask the driver for the channel's
        // fence.
        assert!(client.read_word(FENCE) >= value);
        assert!(matches!(client.gpu.event_wait(fence, Some(Duration::ZERO), None), Ok(Wait::Reached(_))), "{fence:?}");
        assert_eq!(client.gpu.faults().total(), 0, "{:?}", client.gpu.faults().first());

        let layout = SurfaceLayout::BlockLinear { log2_gobs: 1 };
        for (x, y) in (0..EDGE).flat_map(|y| (0..EDGE).map(move |x| (x, y))) {
            let offset = layout.offset(x, y, 4, EDGE * 4 / 64);
            let pixel = client.read_word(TARGET + offset).to_le_bytes();
            assert_eq!(pixel, expected(x, y), "pixel {x}, {y} on {tier:?}");
        }
    }
}
