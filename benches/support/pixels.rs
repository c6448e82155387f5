//! Pixel states, and scenes that draw with them.

use std::sync::Arc;

use triglyph::{Access, GuestAddr, GuestRange, Memory, Options, Tier as Mode};
use triglyph_engine::cache::Kernels;
use triglyph_engine::cache::texture::TextureSource;
use triglyph_engine::draw::{Cull, Setup, Shaded};
use triglyph_engine::mem::copy_out;
use triglyph_engine::scene::{DrawState, Scene, SceneTarget, Scissor};
use triglyph_guest::format::{DepthFormat, TexelFormat};
use triglyph_guest::kernel::combine::{Function, Source};
use triglyph_guest::kernel::pixel::{
    Compare, Filter, LogicOp, Output, PixelBlock, PixelConstants, PixelJob, PixelKey, Primitive, Target, Texture,
    TextureConstants, TextureKey, TextureKind, Wrap,
};
use triglyph_guest::kernel::vertex::VertexConstants;
use triglyph_guest::kernel::{PixelKernel, Window};
use triglyph_guest::layout::unmorton;
use triglyph_testkit::pica::{ALPHA_BLEND, stage, state, take};

use super::Numbers;

/// Texels along an edge of the texture.
pub const TEXTURE: u32 = 256;

const COLOR: u64 = 0x1800_0000;
const DEPTH: u64 = 0x1900_0000;
const TEXELS: u64 = 0x2000_0000;

/// Slots of the colour and of the texture coordinate, as the 3DS numbers them.
const COLOR_SLOTS: [u8; 4] = [8, 9, 10, 11];
const TEXTURE_SLOTS: [u8; 3] = [12, 13, 16];

/// The interpolated vertex colour to an RGBA8 target.
pub fn color() -> PixelKey {
    let slots = COLOR_SLOTS.iter().fold(0, |slots, slot| slots | 1 << slot);
    PixelKey { output: Output::Logic(LogicOp::Copy), ..state(slots, COLOR_SLOTS, take(Source::Primary)) }
}

/// The colour times a repeated texture.
pub fn texture(filter: Filter) -> PixelKey {
    let mut key = color();
    key.slots |= 1 << TEXTURE_SLOTS[0] | 1 << TEXTURE_SLOTS[1];
    key.textures[0] = TextureKey {
        kind: TextureKind::Plain,
        coordinates: TEXTURE_SLOTS,
        wrap: [Wrap::Repeat; 2],
        magnify: filter,
        minify: filter,
        ..TextureKey::DISABLED
    };
    key.combiners.stages[0] = stage(Function::Modulate, Source::Texture(0), Source::Primary);
    key
}

/// A linear texture, three stages, alpha test, depth test and write to D24S8, alpha blending.
pub fn full() -> PixelKey {
    let mut key = texture(Filter::Linear);
    key.combiners.stages[1] = stage(Function::Add, Source::Previous, Source::Constant);
    key.combiners.stages[2] = stage(Function::Modulate, Source::Previous, Source::Constant);
    key.alpha_test = Compare::Greater;
    key.depth_test = Compare::GreaterEqual;
    key.depth_write = true;
    key.depth_format = Some(DepthFormat::D24S8);
    key.output = Output::Blend(ALPHA_BLEND);
    key
}

/// All states by name.
pub fn states() -> [(&'static str, PixelKey); 4] {
    [
        ("colour", color()),
        ("nearest texture", texture(Filter::Nearest)),
        ("linear texture", texture(Filter::Linear)),
        ("linear texture, 3 stages, alpha, depth, blend", full()),
    ]
}

/// Kernels of one mode; `None` when this host has no compiler.
pub fn kernels(mode: Mode) -> Option<Kernels> {
    let tiers = triglyph_options::tiers(mode).map_err(|error| eprintln!("{mode:?}: {error}")).ok()?;
    Some(Kernels::new(tiers, mode, Options::default().code_budget))
}

/// Memory with a texture and two surfaces in it, and a scene that covers the target once.
pub struct Canvas {
    /// Guest memory.
    pub memory: Memory,
    /// The scene.
    pub scene: Scene,
    key: PixelKey,
    constants: PixelConstants,
}

impl Canvas {
    /// A target of `size` x `size` pixels under a grid of `cells` x `cells` rectangles, two triangles each, with
    /// perspective.
    pub fn new(key: &PixelKey, kernels: &Kernels, size: u32, cells: u32) -> Self {
        let mut memory = Memory::default();
        let mut map = |address, bytes: u32| {
            memory.map(GuestRange::new(0, address, bytes.into()), Access::READ_WRITE).expect("memory")
        };
        map(COLOR, size * size * 4);
        map(DEPTH, size * size * 4);
        map(TEXELS, TEXTURE * TEXTURE * 4);
        let mut numbers = Numbers::new(7);
        let texels: Vec<u8> = (0..TEXTURE * TEXTURE).flat_map(|_| (numbers.word() | 0x80).to_le_bytes()).collect();
        memory.write(GuestAddr::new(0, TEXELS), &texels).expect("mapped memory");
        let target = SceneTarget {
            space: 0,
            color: key.color_format.map(|_| COLOR),
            depth: key.depth_format.map(|_| DEPTH),
            color_bytes: 4,
            depth_bytes: 4,
            width: size,
            rows: size,
            block: key.block,
        };
        let mut stage_color = [0; 6];
        (stage_color[1], stage_color[2]) = (0x0810_1804, 0xF0E0_D0C0);
        let levels = TextureConstants { width: TEXTURE, height: TEXTURE, ..TextureConstants::default() };
        let constants = PixelConstants {
            stage_color,
            alpha_reference: 1,
            depth_scale: -1.0,
            texture: [levels; 3],
            ..PixelConstants::default()
        };
        let textured = key.textures[0].kind != TextureKind::Disabled;
        let source = TextureSource {
            format: TexelFormat::Rgba8,
            width: TEXTURE,
            height: TEXTURE,
            levels: 1,
            faces: [TEXELS as u32, 0, 0, 0, 0, 0],
            face_count: 1,
        };
        let mut scene = Scene::new(target);
        scene.set_state(Arc::new(DrawState {
            lighting: None,
            light_tables: None,
            procedural: None,
            densest: None,
            kernel: kernels.pixel(key),
            simpler: None,
            constants,
            fog: None,
            textures: [textured.then_some(source), None, None],
            scissor: Scissor::Off,
            feedback: false,
        }));
        grid(key, size, cells, &mut scene);
        Canvas { memory, scene, key: key.clone(), constants }
    }

    /// Colour and depth buffer as they are now.
    pub fn surfaces(&self) -> Vec<u8> {
        let size = (self.scene.target.width * self.scene.target.rows * 4) as usize;
        let mut bytes = vec![0; 2 * size];
        self.memory.read(GuestAddr::new(0, COLOR), &mut bytes[..size]).expect("mapped memory");
        self.memory.read(GuestAddr::new(0, DEPTH), &mut bytes[size..]).expect("mapped memory");
        bytes
    }

    /// The blocks of each tile, as the rasterizer hands them out.
    pub fn tiles(&self) -> Vec<Vec<PixelBlock>> {
        (0..self.scene.bins.len()).map(|tile| self.tile(tile)).collect()
    }

    fn tile(&self, tile: usize) -> Vec<PixelBlock> {
        let area = self.scene.tile(tile);
        let mut blocks = Vec::new();
        for &primitive in &self.scene.bins[tile] {
            for row in (area.y0..=area.y1).step_by(8) {
                for x in (area.x0..=area.x1).step_by(8) {
                    let coverage = covered(&self.scene.primitives[primitive as usize], x, row);
                    if coverage != 0 {
                        blocks.push(PixelBlock { primitive, x: x as u16, row: row as u16, coverage });
                    }
                }
            }
        }
        blocks
    }

    /// The texture as `kernel` wants it.
    pub fn decode(&self, kernel: &dyn PixelKernel) -> Vec<u32> {
        let Some(decoder) = kernel.texture_decoder() else { return Vec::new() };
        let texels = (TEXTURE * TEXTURE) as usize;
        let mut words = vec![0; texels + 4];
        let source = self.memory.readable(GuestAddr::new(0, TEXELS));
        let mut bytes = vec![0; 4 * texels];
        copy_out(source, &mut bytes);
        decoder.decode(TexelFormat::Rgba8, TEXTURE, TEXTURE, &bytes, &mut words[..texels]);
        words
    }

    /// Hands every tile to `kernel`.
    pub fn shade(&self, kernel: &dyn PixelKernel, decoded: &[u32], tiles: &[Vec<PixelBlock>]) {
        let mut textures = [Texture::default(); 3];
        textures[0] = Texture {
            format: TexelFormat::Rgba8,
            faces: [(); 6].map(|()| self.memory.readable(GuestAddr::new(0, TEXELS))),
            decoded,
            face_words: (TEXTURE * TEXTURE) as usize,
        };
        let target = &self.scene.target;
        let surface =
            |address: Option<u64>| address.map_or(Window::default(), |at| self.memory.writable(GuestAddr::new(0, at)));
        for blocks in tiles {
            let job = PixelJob {
                survivors: &[],
                densest: None,
                lighting: None,
                procedural: None,
                target: Target {
                    color: surface(target.color),
                    depth: surface(target.depth),
                    width: target.width,
                    rows: target.rows,
                },
                textures: &textures,
                constants: &self.constants,
                fog: None,
                primitives: &self.scene.primitives,
                varyings: &self.scene.varyings,
                blocks,
            };
            kernel.shade(&job).unwrap_or_else(|refused| panic!("{refused}: {:?}", self.key));
        }
    }
}

/// Puts the triangles of a grid into `scene`.
fn grid(key: &PixelKey, size: u32, cells: u32, scene: &mut Scene) {
    let setup = Setup {
        opaque: None,
        orientation: None,
        colors: None,
        cull: Cull::Off,
        flip: Some(size - 1),
        slots: (0..64).filter(|slot| key.slots & 1 << slot != 0).collect(),
        constants: VertexConstants::default(),
    };
    let mut shaded = Shaded { stride: 4 + 24, groups: u32::MAX, ..Shaded::default() };
    for row in 0..=cells {
        for column in 0..=cells {
            shaded.records.extend(record(column as f32 / cells as f32, row as f32 / cells as f32, size));
            shaded.clip.push(0);
        }
    }
    for row in 0..cells {
        for column in 0..cells {
            let corner = row * (cells + 1) + column;
            let [a, b, c, d] = [corner, corner + 1, corner + cells + 1, corner + cells + 2];
            assert_eq!(setup.triangle(&shaded, [a, b, c], scene) + setup.triangle(&shaded, [b, d, c], scene), 2);
        }
    }
}

/// The vertex at (x, y), both 0 to 1: position, colour, texture coordinate. The plane leans away from the viewer.
fn record(x: f32, y: f32, size: u32) -> [f32; 28] {
    let mut record = [1.0; 28];
    let inverse_w = 1.0 - 0.3 * x - 0.2 * y;
    record[..4].copy_from_slice(&[x * size as f32, y * size as f32, -(0.2 + 0.5 * x + 0.2 * y), inverse_w]);
    let slots = &mut record[4..];
    slots[8..12].copy_from_slice(&[x, y, 1.0 - x, 0.4 + 0.6 * y]);
    slots[12..14].copy_from_slice(&[2.0 * x + 0.1 * y, 2.0 * y - 0.1 * x]);
    record
}

/// The pixels of a block inside of a primitive, bit i the pixel at Morton index i.
fn covered(primitive: &Primitive, x: u32, row: u32) -> u64 {
    (0..64).fold(0, |coverage, bit| {
        let (px, py) = unmorton(bit);
        let inside = (0..3).all(|k| {
            let (dx, dy) = (i64::from(primitive.dx[k]), i64::from(primitive.dy[k]));
            primitive.edge[k] + dx * i64::from(x + px) + dy * i64::from(row + py) >= 0
        });
        coverage | u64::from(inside) << bit
    })
}
