//! An RSX with little memory, and methods of the 3D class for it.
//!
//! The target is 16x16 pixels of A8R8G8B8 with a depth buffer; clip space covers it with y downwards, so that
//! x = -1 is its left edge and y = -1 its first row.

use triglyph_engine::cache::TierMode;
use triglyph_engine::device::{Access, Device, FaultKind, ObjectEntry};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::rsx::fragment::memory::{Order, bytes};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::{fragment, objects::class, vertex};
use triglyph_options::Options;
use triglyph_rsx::Rsx;

/// Bytes of local and of main memory.
pub const SIZE: u64 = 0x10_0000;
/// Edge of the target.
pub const EDGE: u32 = 16;
/// Offsets in local memory.
pub const COLOR: u32 = 0;
pub const COLOR_B: u32 = 0x1000;
pub const DEPTH: u32 = 0x4000;
pub const PROGRAM: u32 = 0x8000;
pub const TEXTURE: u32 = 0x1_0000;
/// Offsets in main memory.
pub const PUSH: u32 = 0;
pub const ARRAYS: u32 = 0x4_0000;
pub const REPORTS: u32 = 0x8_0000;

pub const LOCAL: u32 = 0xFEED_0000;
pub const MAIN: u32 = 0xFEED_0001;
pub const REPORT: u32 = 0x6662_6660;
const OBJECT: u32 = 0x3133_7000;

/// A primitive's number.
pub const POINTS: u32 = 1;
pub const LINES: u32 = 2;
pub const LINE_LOOP: u32 = 3;
pub const LINE_STRIP: u32 = 4;
pub const TRIANGLES: u32 = 5;
pub const TRIANGLE_STRIP: u32 = 6;
pub const TRIANGLE_FAN: u32 = 7;
pub const QUADS: u32 = 8;

/// Position from v0, colours from v3 and v4, two texture coordinates from v8 and v9.
pub const VERTEX: &str = "mov o[HPOS], v[0]\n mov o[COL0], v[3]\n mov o[COL1], v[4]\n mov o[BFC0], v[5]\n\
    mov o[FOGC], v[6]\n mov o[PSIZ], v[7]\n mov o[TC0], v[8]\n mov o[TC1], v[9]  [end]";
/// The colour.
pub const FRAGMENT: &str = "mov r0, f[COL0]  [end]";

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
pub const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
pub const WHITE: [f32; 4] = [1.0; 4];

/// Memory of a console, and its target.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Bytes of local and of main memory.
    pub memory: u64,
    /// Pixels of the target, across and down.
    pub pixels: [u32; 2],
    /// Offsets of the depth buffer and the fragment program in local memory. The colour buffer is at its beginning.
    pub depth: u32,
    pub program: u32,
}

impl Layout {
    const SMALL: Layout = Layout { memory: SIZE, pixels: [EDGE; 2], depth: DEPTH, program: PROGRAM };

    /// Bytes from one row of the target to the next.
    const fn pitch(&self) -> u32 {
        4 * self.pixels[0]
    }
}

pub struct Console<D = Rsx> {
    pub gpu: D,
    pub big_endian: bool,
    layout: Layout,
    words: Vec<u32>,
    /// All words that were executed.
    pub executed: Vec<u32>,
}

impl Console {
    /// Memory, objects, and a state that draws colours.
    #[expect(clippy::new_without_default, reason = "a console is nothing to begin with quietly")]
    pub fn new() -> Self {
        Self::of_order(true)
    }

    pub fn of_order(big_endian: bool) -> Self {
        Self::of(TierMode::InterpreterOnly, big_endian)
    }

    pub fn of(tier: TierMode, big_endian: bool) -> Self {
        let gpu = Rsx::new(&Options::new(tier, 1)).expect("an RSX");
        Self::with(gpu, big_endian, Layout::SMALL)
    }

    pub fn exact(tier: TierMode, big_endian: bool) -> Self {
        let mut options = Options::new(tier, 1);
        options.accuracy = triglyph_options::Accuracy::Exact;
        Self::with(Rsx::new(&options).expect("an RSX"), big_endian, Layout::SMALL)
    }
}

impl<D: Device> Console<D> {
    /// A device to which nothing has been mapped yet as a console.
    pub fn with(mut gpu: D, big_endian: bool, layout: Layout) -> Self {
        gpu.as_replay().set_big_endian(big_endian).expect("nothing has run");
        for space in 0..2 {
            gpu.map(GuestRange::new(space, 0, layout.memory), Access::READ_WRITE)
                .expect("memory and objects of its own");
        }
        let objects = [(LOCAL, 0, 0), (MAIN, 1, 0), (REPORT, 1, u64::from(REPORTS))];
        for (handle, space, base) in objects {
            let limit = layout.memory - 1 - base;
            gpu.as_replay()
                .object(ObjectEntry { handle, class: class::DMA_IN_MEMORY, space, base, limit })
                .expect("memory and objects of its own");
        }
        gpu.as_replay()
            .object(ObjectEntry { handle: OBJECT, class: class::CURIE, space: 0, base: 0, limit: 0 })
            .expect("memory and objects of its own");
        let mut console = Console { gpu, big_endian, layout, words: Vec::new(), executed: Vec::new() };
        console.method(0, &[OBJECT]);
        console.objects();
        console.target();
        console.state();
        console.vertex_program(VERTEX);
        console.fragment_program(FRAGMENT);
        console
    }

    fn objects(&mut self) {
        for id in [
            m::set_context_dma_a::ID,
            m::set_context_dma_color_a::ID,
            m::set_context_dma_color_b::ID,
            m::set_context_dma_color_c::ID,
            m::set_context_dma_color_d::ID,
            m::set_context_dma_zeta::ID,
            m::set_context_dma_vertex_a::ID,
        ] {
            self.set(id, LOCAL);
        }
        for id in [m::set_context_dma_b::ID, m::set_context_dma_vertex_b::ID] {
            self.set(id, MAIN);
        }
        for id in [m::set_context_dma_report::ID, m::set_context_dma_semaphore::ID, m::set_context_dma_notifies::ID] {
            self.set(id, REPORT);
        }
    }

    fn target(&mut self) {
        // A8R8G8B8, Z24S8, linear.
        self.surface_format(8, 2, 1);
        let extents = self.layout.pixels.map(|pixels| pixels << 16);
        self.method(m::set_surface_clip_horizontal::ID, &extents);
        for id in [m::set_surface_pitch_a::ID, m::set_surface_pitch_b::ID, m::set_surface_pitch_z::ID] {
            self.set(id, self.layout.pitch());
        }
        self.set(m::set_surface_color_aoffset::ID, COLOR);
        self.set(m::set_surface_color_boffset::ID, COLOR_B);
        self.set(m::set_surface_zeta_offset::ID, self.layout.depth);
        self.set(m::set_surface_color_target::ID, 1);
        self.set(m::set_color_mask::ID, 0x0101_0101);
        self.method(m::set_scissor_horizontal::ID, &[0x1000_0000; 2]);
        self.method(m::set_viewport_horizontal::ID, &[0x1000_0000; 2]);
    }

    fn state(&mut self) {
        let [x, y] = self.layout.pixels.map(|pixels| pixels as f32 / 2.0);
        self.floats(m::set_viewport_offset::ID, &[x, y, 0.5, 0.0]);
        self.floats(m::set_viewport_scale::ID, &[x, y, 0.5, 0.0]);
        self.floats(m::set_clip_min::ID, &[0.0, 1.0]);
        self.set(m::set_zmin_max_control::ID, 1);
        self.set(m::set_front_face::ID, 0x901);
        self.set(m::set_shade_mode::ID, 0x1D01);
        self.floats(m::set_point_size::ID, &[1.0]);
        self.set(m::set_line_width::ID, 8);
        self.set(m::set_depth_func::ID, 0x201);
        self.set(m::set_depth_mask::ID, 1);
        self.set(m::set_stencil_mask::ID, 0xFF);
        self.set(m::set_vertex_attrib_input_mask::ID, 0xFFFF);
        // Colours 0 and 1, texture coordinates 0 and 1.
        self.set(m::set_vertex_attrib_output_mask::ID, 0x3 | 3 << 14);
        self.set(m::set_transform_timeout::ID, 0x20_FFFF);
        self.set(m::set_render_enable::ID, 0x0100_0000);
        self.set(m::set_anti_aliasing_control::ID, 0xFFFF_0000);
    }

    /// Colour format, depth format and layout (1 linear, 2 swizzled) of the target, one sample.
    pub fn surface_format(&mut self, color: u32, depth: u32, layout: u32) {
        self.set(m::set_surface_format::ID, color | depth << 5 | layout << 8 | 4 << 16 | 4 << 24);
    }

    /// Words for a method and those after it.
    pub fn method(&mut self, method: usize, words: &[u32]) {
        for (i, words) in words.chunks(1024).enumerate() {
            self.words.push((words.len() as u32) << 18 | (method + 4096 * i) as u32);
            self.words.extend_from_slice(words);
        }
    }

    /// Words for one method.
    pub fn repeated(&mut self, method: usize, words: &[u32]) {
        for words in words.chunks(1024) {
            self.words.push(0x4000_0000 | (words.len() as u32) << 18 | method as u32);
            self.words.extend_from_slice(words);
        }
    }

    pub fn set(&mut self, method: usize, word: u32) {
        self.method(method, &[word]);
    }

    pub fn floats(&mut self, method: usize, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.method(method, &words);
    }

    /// Executes what was pushed since the last time.
    pub fn run(&mut self) {
        let words = std::mem::take(&mut self.words);
        self.executed.extend(&words);
        let bytes: Vec<u8> = words.iter().flat_map(|&word| self.word_bytes(word)).collect();
        self.gpu.write(GuestAddr::new(1, PUSH.into()), &bytes).expect("memory and objects of its own");
        let mut payload = Vec::new();
        payload.extend(0u32.to_le_bytes());
        payload.extend(1u32.to_le_bytes());
        payload.extend(u64::from(PUSH).to_le_bytes());
        payload.extend((bytes.len() as u64).to_le_bytes());
        self.gpu.submit(&payload).expect("memory and objects of its own");
    }

    fn word_bytes(&self, word: u32) -> [u8; 4] {
        if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() }
    }

    pub fn half_bytes(&self, half: u16) -> [u8; 2] {
        if self.big_endian { half.to_be_bytes() } else { half.to_le_bytes() }
    }

    /// Loads a vertex program at 0 and starts it.
    pub fn vertex_program(&mut self, text: &str) {
        let (first, code) = vertex::assemble_program(text).expect("a vertex program");
        self.set(m::set_transform_program_load::ID, first as u32);
        for words in code {
            self.method(m::set_transform_program::ID, &words);
        }
        self.set(m::set_transform_program_start::ID, first as u32);
    }

    /// Puts a fragment program into local memory; results are R registers.
    pub fn fragment_program(&mut self, text: &str) {
        self.run();
        let code = fragment::assemble_program(text).expect("a fragment program");
        let order = if self.big_endian { Order::Big } else { Order::Little };
        let stored: Vec<u8> = code.as_chunks().0.iter().flat_map(|slot: &[u32; 4]| bytes(*slot, order)).collect();
        self.write_local(self.layout.program, &stored);
        self.set(m::set_shader_program::ID, self.layout.program | 1);
        self.set(m::set_shader_control::ID, 0x0200_0040);
    }

    /// The value of an attribute, immediately.
    pub fn attribute(&mut self, attribute: usize, value: [f32; 4]) {
        self.floats(m::set_vertex_data4f_m::id(attribute), &value);
    }

    pub fn begin(&mut self, primitive: u32) {
        self.set(m::set_begin_end::ID, primitive);
    }

    pub fn end(&mut self) {
        self.begin(0);
    }

    /// Draws immediate vertices of one colour, and executes everything so far.
    pub fn draw(&mut self, primitive: u32, color: [f32; 4], positions: &[[f32; 4]]) {
        self.push_draw(primitive, color, positions);
        self.run();
    }

    pub fn push_draw(&mut self, primitive: u32, color: [f32; 4], positions: &[[f32; 4]]) {
        self.attribute(3, color);
        self.begin(primitive);
        for position in positions {
            self.attribute(0, *position);
        }
        self.end();
    }

    /// Draws a rectangle of pixels `x0..x1`, `y0..y1` at a depth of 0 to 1.
    pub fn rect(&mut self, color: [f32; 4], [x0, y0, x1, y1]: [f32; 4], depth: f32) {
        self.draw(QUADS, color, &rect([x0, y0, x1, y1], depth));
    }

    /// Draws all pixels.
    pub fn fill(&mut self, color: [f32; 4]) {
        self.rect(color, [0.0, 0.0, 16.0, 16.0], 0.5);
    }

    /// Clears colour and depth.
    pub fn clear(&mut self, color: u32) {
        self.set(m::set_zstencil_clear_value::ID, 0xFFFF_FF00);
        self.set(m::set_color_clear_value::ID, color);
        self.set(m::clear_surface::ID, 0xF3);
        self.run();
    }

    pub fn write_local(&mut self, offset: u32, bytes: &[u8]) {
        self.gpu.write(GuestAddr::new(0, offset.into()), bytes).expect("memory and objects of its own");
    }

    pub fn write_main(&mut self, offset: u32, bytes: &[u8]) {
        self.gpu.write(GuestAddr::new(1, offset.into()), bytes).expect("memory and objects of its own");
    }

    pub fn read(&mut self, space: u32, offset: u32, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.gpu.read(GuestAddr::new(space, offset.into()), &mut bytes).expect("memory and objects of its own");
        bytes
    }

    pub fn word(&mut self, space: u32, offset: u32) -> u32 {
        let bytes = self.read(space, offset, 4).try_into().expect("memory and objects of its own");
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    pub fn half(&mut self, space: u32, offset: u32) -> u16 {
        let bytes = self.read(space, offset, 2).try_into().expect("memory and objects of its own");
        if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    /// A pixel of the linear target.
    pub fn pixel(&mut self, x: u32, y: u32) -> u32 {
        self.word(0, COLOR + y * self.layout.pitch() + x * 4)
    }

    /// A pixel of the depth buffer.
    pub fn depth(&mut self, x: u32, y: u32) -> u32 {
        self.word(0, self.layout.depth + y * self.layout.pitch() + x * 4)
    }

    /// The pixels that are not `background`, row by row, `#` and `.`.
    pub fn drawn(&mut self, background: u32) -> Vec<String> {
        (0..EDGE).map(|y| (0..EDGE).map(|x| if self.pixel(x, y) == background { '.' } else { '#' }).collect()).collect()
    }

    /// Number of pixels that are `color`.
    pub fn count(&mut self, color: u32) -> usize {
        (0..EDGE * EDGE).filter(|i| self.pixel(i % EDGE, i / EDGE) == color).count()
    }

    pub fn faults(&self) -> u64 {
        self.gpu.faults().total()
    }

    pub fn faults_of(&self, kind: FaultKind) -> u64 {
        self.gpu.faults().count(kind)
    }
}

/// A pixel position in clip space, at a depth of 0 to 1.
pub fn at(x: f32, y: f32, depth: f32) -> [f32; 4] {
    let half = EDGE as f32 / 2.0;
    [x / half - 1.0, y / half - 1.0, depth * 2.0 - 1.0, 1.0]
}

/// Corners of a rectangle, clockwise as memory shows it.
pub fn rect([x0, y0, x1, y1]: [f32; 4], depth: f32) -> [[f32; 4]; 4] {
    [at(x0, y0, depth), at(x1, y0, depth), at(x1, y1, depth), at(x0, y1, depth)]
}
