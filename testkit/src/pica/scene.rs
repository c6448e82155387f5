//! Runs a pixel kernel of any tier on a state, some primitives and surfaces.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::format::{DepthFormat, TexelFormat};
use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::pixel::{
    FogTable, PixelBlock, PixelConstants, PixelJob, PixelKey, Primitive, Target, Texture,
};
use triglyph_guest::kernel::procedural::ProceduralData;
use triglyph_guest::kernel::{PixelKernel, Tier, Unsupported, Window, window};
use triglyph_guest::layout::unmorton;

use super::{state, take};

/// Varying slots of the primary colour, as the 3DS numbers them.
pub const COLORS: [u8; 4] = [8, 9, 10, 11];
/// Varying slots of u, v, w.
pub const COORDINATES: [u8; 3] = [12, 13, 16];

/// The texels of a unit.
#[derive(Clone, Debug)]
pub struct TextureData {
    pub format: TexelFormat,
    /// Levels that exist.
    pub levels: u32,
    /// Memory of each face, levels one after another.
    pub faces: Vec<Vec<u8>>,
}

impl Default for TextureData {
    fn default() -> Self {
        TextureData { format: TexelFormat::Rgba8, levels: 1, faces: Vec::new() }
    }
}

/// A state, primitives, and the surfaces before.
#[derive(Clone, Debug)]
pub struct Scene {
    pub key: PixelKey,
    pub constants: PixelConstants,
    pub fog: Option<FogTable>,
    pub procedural: Option<Box<ProceduralData>>,
    pub textures: [TextureData; 3],
    pub primitives: Vec<Primitive>,
    /// Of the key's slots, packed; see [`Scene::set`].
    pub varyings: Vec<[f32; 3]>,
    pub blocks: Vec<PixelBlock>,
    pub width: u32,
    pub rows: u32,
    pub color: Vec<u8>,
    pub depth: Vec<u8>,
}

/// The surfaces afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surfaces {
    pub color: Vec<u8>,
    pub depth: Vec<u8>,
}

impl Default for Scene {
    /// Eight by eight pixels of RGBA8. One primitive covers them all, flat: every value is that of its first vertex.
    /// The primary colour, white, replaces what is there.
    fn default() -> Self {
        Scene {
            key: state(0x1_3F00, COLORS, take(Source::Primary)),
            constants: PixelConstants { depth_scale: -1.0, ..PixelConstants::default() },
            fog: None,
            procedural: None,
            textures: std::array::from_fn(|_| TextureData::default()),
            primitives: vec![Primitive { edge: [1, 0, 0], sum: 1.0, inv_w: [1.0; 3], ..Primitive::default() }],
            varyings: vec![[1.0; 3]; 7],
            blocks: vec![PixelBlock { primitive: 0, x: 0, row: 0, coverage: u64::MAX }],
            width: 8,
            rows: 8,
            color: vec![0; 256],
            depth: vec![0; 256],
        }
    }
}

impl Scene {
    /// Sets the values of a slot at the three vertices.
    pub fn set(&mut self, slot: u8, values: [f32; 3]) {
        let at = self.key.varying(slot).unwrap_or_else(|| panic!("the primitives do not carry slot {slot}"));
        self.varyings[at] = values;
    }

    /// The primary colour everywhere, 0 to 255 a channel.
    pub fn primary(&mut self, color: [u8; 4]) {
        for (slot, channel) in COLORS.into_iter().zip(color) {
            self.set(slot, [f32::from(channel) / 255.0; 3]);
        }
    }

    /// Fills the colour buffer with a colour, cut to its format.
    pub fn background(&mut self, color: [u8; 4]) {
        let format = self.key.color_format.expect("a colour buffer");
        let pixels = (self.width * self.rows) as usize;
        self.color = format.encode(color).to_le_bytes()[..format.bytes() as usize].repeat(pixels);
    }

    /// Fills the depth buffer with a stored word.
    pub fn depth_background(&mut self, word: u32) {
        let bytes = self.key.depth_format.map_or(0, DepthFormat::bytes) as usize;
        self.depth = word.to_le_bytes()[..bytes].repeat((self.width * self.rows) as usize);
    }

    /// Sets up a triangle with corners in pixels, y in the order of the stored rows, and covers what lies inside.
    /// Returns the order in which it takes its vertices.
    pub fn triangle(&mut self, corners: [[f32; 2]; 3]) -> [usize; 3] {
        let (mut primitive, order) = set_up(corners);
        primitive.inv_w = [1.0; 3];
        primitive.first_varying = 0;
        self.blocks.clear();
        for row in (0..self.rows).step_by(8) {
            for x in (0..self.width).step_by(8) {
                let inside = |bit: u32| {
                    let (dx, dy) = unmorton(bit);
                    let at = |k: usize| {
                        let step = i64::from(x + dx) * i64::from(primitive.dx[k]);
                        primitive.edge[k] + step + i64::from(row + dy) * i64::from(primitive.dy[k])
                    };
                    (0..3).all(|k| at(k) >= 0)
                };
                let coverage = (0..64).fold(0, |coverage, bit| coverage | u64::from(inside(bit)) << bit);
                if coverage != 0 {
                    self.blocks.push(PixelBlock { primitive: 0, x: x as u16, row: row as u16, coverage });
                }
            }
        }
        self.primitives = vec![primitive];
        order
    }

    /// Draws on fresh copies of the surfaces.
    ///
    /// # Errors
    /// When the tier does not take the key or the job.
    pub fn draw(&self, tier: &dyn Tier) -> Result<Surfaces, Unsupported> {
        let kernel = tier.pixel(&self.key)?;
        let (color, depth) = (window::buffer(&self.color), window::buffer(&self.depth));
        let memory: Vec<Vec<Vec<AtomicU8>>> =
            self.textures.iter().map(|t| t.faces.iter().map(|face| window::buffer(face)).collect()).collect();
        let decoded = [0, 1, 2].map(|unit| self.decode(&*kernel, unit, &memory[unit]));
        let textures = [0, 1, 2].map(|unit| {
            let mut faces = [Window::default(); 6];
            for (window, face) in faces.iter_mut().zip(&memory[unit]) {
                *window = Window::new(face);
            }
            let (words, face_words) = &decoded[unit];
            Texture { format: self.textures[unit].format, faces, decoded: words, face_words: *face_words }
        });
        let (width, rows) = (self.width, self.rows);
        kernel.shade(&PixelJob {
            survivors: &[],
            densest: None,
            target: Target { color: Window::new(&color), depth: Window::new(&depth), width, rows },
            textures: &textures,
            constants: &self.constants,
            fog: self.fog.as_ref(),
            lighting: None,
            procedural: self.procedural.as_deref(),
            primitives: &self.primitives,
            varyings: &self.varyings,
            blocks: &self.blocks,
        })?;
        let plain = |bytes: &[AtomicU8]| bytes.iter().map(|b| b.load(Relaxed)).collect();
        Ok(Surfaces { color: plain(&color), depth: plain(&depth) })
    }

    /// A unit's texels as the kernel wants them, and the words of a face.
    fn decode(&self, kernel: &dyn PixelKernel, unit: usize, faces: &[Vec<AtomicU8>]) -> (Vec<u32>, usize) {
        let Some(decoder) = kernel.texture_decoder().filter(|_| !faces.is_empty()) else { return (Vec::new(), 0) };
        let (texture, size) = (&self.textures[unit], &self.constants.texture[unit]);
        let mut words = Vec::new();
        for face in faces {
            let bytes: Vec<u8> = face.iter().map(|byte| byte.load(Relaxed)).collect();
            let mut source = &bytes[..];
            for level in 0..texture.levels {
                let (width, height) = (size.width >> level, size.height >> level);
                let start = words.len();
                words.resize(start + (width * height) as usize, 0);
                decoder.decode(texture.format, width, height, source, &mut words[start..]);
                source = source.get(texture.format.size(width, height) as usize..).unwrap_or_default();
            }
        }
        let face_words = words.len() / faces.len();
        words.extend([0; 4]);
        (words, face_words)
    }

    /// The stored colour of a pixel, expanded to 8 bits.
    pub fn color_at(&self, surfaces: &Surfaces, x: u32, row: u32) -> [u8; 4] {
        let format = self.key.color_format.expect("a colour buffer");
        format.decode(self.word(&surfaces.color, format.bytes(), x, row))
    }

    /// The stored depth word of a pixel.
    pub fn depth_at(&self, surfaces: &Surfaces, x: u32, row: u32) -> u32 {
        self.word(&surfaces.depth, self.key.depth_format.expect("a depth buffer").bytes(), x, row)
    }

    fn word(&self, memory: &[u8], bytes: u32, x: u32, row: u32) -> u32 {
        let at = (self.key.block.index(x, row, self.width) * bytes) as usize;
        (0..bytes as usize).fold(0, |word, byte| word | u32::from(memory[at + byte]) << (8 * byte))
    }
}

/// Biased edge functions of a triangle in pixels, and the order of its vertices. (The rules are those of
/// `interpolation.json`.)
pub fn set_up(corners: [[f32; 2]; 3]) -> (Primitive, [usize; 3]) {
    let fixed = corners.map(|corner| corner.map(|c| (c * 16.0).round() as i64));
    let area = |a: [i64; 2], b: [i64; 2], c: [i64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let order = if area(fixed[0], fixed[1], fixed[2]) > 0 { [0, 1, 2] } else { [0, 2, 1] };
    let v = order.map(|k| fixed[k]);
    let mut primitive = Primitive { inv_w: [1.0; 3], ..Primitive::default() };
    for k in 0..3 {
        let (a, b) = (v[(k + 1) % 3], v[(k + 2) % 3]);
        let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
        let included = dy < 0 || dy == 0 && dx > 0;
        primitive.edge[k] = area(a, b, [8, 8]) - i64::from(!included);
        primitive.dx[k] = (-16 * dy) as i32;
        primitive.dy[k] = (16 * dx) as i32;
    }
    primitive.sum = primitive.edge.iter().sum::<i64>() as f32;
    (primitive, order)
}
