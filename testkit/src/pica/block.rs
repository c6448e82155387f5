//! Runs a pixel kernel on one block of 8x8 pixels and one primitive.

use std::sync::atomic::{AtomicU8, AtomicU32};

use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::lighting::{LightTables, LightingConstants};
use triglyph_guest::kernel::pixel::{
    FogTable, PixelBlock, PixelConstants, PixelJob, PixelKey, Primitive, Target, Texture,
};
use triglyph_guest::kernel::procedural::ProceduralData;
use triglyph_guest::kernel::{Tier, Window, window};
use triglyph_guest::layout::morton;
use triglyph_interp::Interpreter;

use super::{state, take};

/// Texture coordinates are in these varying slots.
pub const COORDINATES: [u8; 3] = [4, 5, 6];
const COLORS: [u8; 4] = [8, 9, 10, 11];
/// The quaternion is in these varying slots.
pub const QUATERNION: [u8; 4] = [12, 13, 14, 15];
/// The view vector is in these varying slots.
pub const VIEW: [u8; 3] = [16, 17, 18];

/// A state, a primitive with varyings, and the surfaces.
pub struct Scene<'t> {
    pub key: PixelKey,
    pub constants: PixelConstants,
    pub fog: Option<FogTable>,
    pub textures: [Texture<'t>; 3],
    pub primitive: Primitive,
    pub lighting: Option<(LightingConstants, Box<LightTables>)>,
    pub procedural: Option<Box<ProceduralData>>,
    /// u, v, w, r, g, b, a, quaternion x, y, z, w and view x, y, z at the three vertices.
    pub varyings: [[f32; 3]; 14],
    pub color: Vec<AtomicU8>,
    pub depth: Vec<AtomicU8>,
    /// The largest density drawn.
    pub densest: AtomicU32,
}

impl Default for Scene<'_> {
    /// The primary colour, white, goes to an RGBA8 target; every value is that of the first vertex.
    fn default() -> Self {
        Scene {
            key: state(0x7_FF70, COLORS, take(Source::Primary)),
            constants: PixelConstants { depth_scale: -1.0, ..PixelConstants::default() },
            fog: None,
            textures: [Texture::default(); 3],
            primitive: Primitive { edge: [1, 0, 0], sum: 1.0, inv_w: [1.0; 3], ..Primitive::default() },
            lighting: None,
            procedural: None,
            varyings: [[1.0; 3]; 14],
            color: window::buffer(&[0; 256]),
            depth: window::buffer(&[0; 256]),
            densest: AtomicU32::new(0),
        }
    }
}

impl Scene<'_> {
    /// The primary colour everywhere, 0 to 255 a channel.
    pub fn primary(&mut self, color: [u8; 4]) {
        for (varying, channel) in self.varyings[3..].iter_mut().zip(color) {
            *varying = [f32::from(channel) / 255.0; 3];
        }
    }

    /// Varyings from `first` on have these values everywhere.
    pub fn vary(&mut self, first: usize, values: &[f32]) {
        for (varying, &value) in self.varyings[first..].iter_mut().zip(values) {
            *varying = [value; 3];
        }
    }

    /// Fills the colour buffer.
    pub fn background(&mut self, color: [u8; 4]) {
        let format = self.key.color_format.expect("a colour buffer");
        let word = format.encode(color).to_le_bytes();
        let bytes: Vec<u8> = word[..format.bytes() as usize].iter().copied().cycle().take(256).collect();
        self.color = window::buffer(&bytes);
    }

    /// Draws the pixels of `coverage`.
    pub fn draw(&self, coverage: u64) {
        let job = PixelJob {
            survivors: &[],
            densest: Some(&self.densest),
            lighting: self.lighting.as_ref().map(|(constants, tables)| (constants, &**tables)),
            procedural: self.procedural.as_deref(),
            target: Target { color: Window::new(&self.color), depth: Window::new(&self.depth), width: 8, rows: 8 },
            textures: &self.textures,
            constants: &self.constants,
            fog: self.fog.as_ref(),
            primitives: &[Primitive::default(), self.primitive],
            varyings: &self.varyings,
            blocks: &[PixelBlock { primitive: 1, x: 0, row: 0, coverage }],
        };
        Interpreter.pixel(&self.key).expect("a kernel").shade(&job).expect("supported");
    }

    /// The stored colour of a pixel.
    pub fn color_at(&self, x: u32, row: u32) -> [u8; 4] {
        let format = self.key.color_format.expect("a colour buffer");
        format.decode(self.word(&self.color, format.bytes(), x, row))
    }

    /// The stored depth word of a pixel.
    pub fn depth_at(&self, x: u32, row: u32) -> u32 {
        self.word(&self.depth, self.key.depth_format.expect("a depth buffer").bytes(), x, row)
    }

    fn word(&self, memory: &[AtomicU8], bytes: u32, x: u32, row: u32) -> u32 {
        Window::new(memory).read_word((morton(x, row) * bytes) as usize, bytes)
    }

    /// Draws the pixel in the corner and gives its colour.
    pub fn pixel(&self) -> [u8; 4] {
        self.draw(1);
        self.color_at(0, 0)
    }
}
