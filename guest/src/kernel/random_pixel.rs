//! Random pixel jobs: the states and scenes with which tiers are compared.
//!
//! Everything comes from one stream of random words, so that a seed names a case. The primitives are set up as the
//! engine does it; numbers are mostly sensible and sometimes extreme.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32};

use super::combine::{AlphaOperand, Channel, ColorChannel, ColorOperand, Combiners, Function, Source, Stage};
use super::divided::Survivors;
use super::gas::{DensityWrite, GasConstants, GasKey, GasLight};
use super::known_alpha::Opaque;
use super::pixel::{
    BlendEquation, BlendFactor, BlendKey, CONSTANT_W, Compare, FLAT_COLOR, Filter, FogKey, FogTable, LogicOp, Output,
    PixelBlock, PixelConstants, PixelJob, PixelKey, Primitive, ShadowWrite, StencilKey, StencilOp, Target, Texture,
    TextureConstants, TextureKey, TextureKind, WIDE_EDGES, Wrap, is_flat,
};
use super::procedural::ProceduralData;
use super::random::Random;
use super::random_fragment::{self, LightingData};
use super::tier::PixelKernel;
use super::unsupported::Unsupported;
use super::window::{Window, buffer};
use crate::format::{DepthFormat, PixelFormat, TexelFormat};
use crate::layout::{Block, unmorton};

/// The texels of one unit.
#[derive(Clone, Debug)]
struct RandomTexture {
    format: TexelFormat,
    levels: u32,
    /// Memory of each face; empty when the unit is off.
    faces: Vec<Vec<u8>>,
}

/// A state, a scene and the memory they work on.
#[derive(Clone, Debug)]
pub struct RandomPixel {
    /// The state.
    pub key: PixelKey,
    /// The values that go with it.
    pub constants: PixelConstants,
    fog: Option<Box<FogTable>>,
    lighting: Option<LightingData>,
    procedural: Option<Box<ProceduralData>>,
    textures: [RandomTexture; 3],
    /// The scene.
    pub primitives: Vec<Primitive>,
    varyings: Vec<[f32; 3]>,
    /// Blocks in submission order.
    pub blocks: Vec<PixelBlock>,
    width: u32,
    rows: u32,
    color: Vec<u8>,
    depth: Vec<u8>,
}

/// The targets after a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surfaces {
    /// The colour buffer.
    pub color: Vec<u8>,
    /// The depth buffer.
    pub depth: Vec<u8>,
    /// The largest density that was reported.
    pub densest: u32,
    /// The pixels of each block that passed all tests, of kernels that tell them.
    pub survivors: Vec<u64>,
}

/// A copy of the targets.
struct Targets {
    color: Vec<AtomicU8>,
    depth: Vec<AtomicU8>,
    densest: AtomicU32,
}

impl Targets {
    fn of(case: &RandomPixel) -> Targets {
        Targets { color: buffer(&case.color), depth: buffer(&case.depth), densest: AtomicU32::new(0) }
    }

    fn surfaces(self, survivors: Vec<u64>) -> Surfaces {
        let plain = |bytes: Vec<AtomicU8>| bytes.into_iter().map(AtomicU8::into_inner).collect();
        Surfaces { color: plain(self.color), depth: plain(self.depth), densest: self.densest.into_inner(), survivors }
    }
}

impl RandomPixel {
    /// A random case.
    pub fn new(word: &mut impl FnMut() -> u32) -> Self {
        let key = key(&mut Random { word: &mut *word });
        Self::of(word, key)
    }

    /// A random scene for a key.
    pub fn of(word: &mut impl FnMut() -> u32, key: PixelKey) -> Self {
        let r = &mut Random { word };
        let block = key.block.edge();
        let (width, rows) = (block * (1 + r.below(64 / block)), block * (1 + r.below(64 / block)));
        let fog = key.fog.map(|_| fog_table(r));
        let lighting = key.lighting.is_some().then(|| random_fragment::lighting_data(r));
        let procedural = key.procedural.map(|_| random_fragment::procedural_data(r));
        let mut constants = constants(r);
        let textures = [0, 1, 2].map(|unit| texture(r, &key.textures[unit], &mut constants.texture[unit]));
        let bytes = |r: &mut Random<'_, _>, size: u32| {
            let flat = r.one_in(2).then(|| r.word().to_le_bytes());
            let pixel = |i: u32, r: &mut Random<'_, _>| flat.map_or_else(|| r.word() as u8, |f| f[i as usize % 4]);
            (0..width * rows * size).map(|i| pixel(i, r)).collect::<Vec<u8>>()
        };
        let color = bytes(r, key.color_format.map_or(0, PixelFormat::bytes));
        let depth = bytes(r, key.depth_format.map_or(0, DepthFormat::bytes));
        let empty = (Vec::new(), Vec::new(), Vec::new());
        let (primitives, varyings, blocks) = empty;
        let mut case = RandomPixel {
            key,
            constants,
            fog,
            lighting,
            procedural,
            textures,
            primitives,
            varyings,
            blocks,
            width,
            rows,
            color,
            depth,
        };
        for _ in 0..1 + r.below(4) {
            case.add_primitive(r);
        }
        case
    }

    /// Sets a triangle up and adds its blocks.
    fn add_primitive<R: FnMut() -> u32>(&mut self, r: &mut Random<'_, R>) {
        let index = self.primitives.len() as u32;
        let (width, rows) = (self.width as i32 * 16, self.rows as i32 * 16);
        let reach = r.pick(&[0, 0, 0, 64, 4000]);
        let mut axis = |size: i32| r.below((size + 2 * reach) as u32) as i32 - reach;
        let points = [(); 3].map(|()| [i64::from(axis(width)), i64::from(axis(rows))]);
        let Some(mut primitive) = set_up(points) else { return };
        let affine = r.one_in(3);
        primitive.inv_w = [(); 3].map(|()| if affine { 1.0 } else { 1.0 / r.float(0.05, 8.0) });
        primitive.z = [(); 3].map(|()| r.float(-1.0, 0.0));
        primitive.first_varying = self.varyings.len() as u32;
        for _ in 0..self.key.varyings() {
            let scale = r.pick(&[1.0, 1.0, 1.0, 3.0, 40.0]);
            let iw = primitive.inv_w;
            self.varyings.push([0, 1, 2].map(|k| r.float(-0.2 * scale, scale) * iw[k]));
        }
        // Most titles draw with an alpha of 1.
        let alpha = self.key.varying(self.key.color_slots[3]).filter(|_| r.one_in(2));
        if let Some(alpha) = alpha {
            let iw = primitive.inv_w;
            let values = [0, 1, 2].map(|k| if r.one_in(4) { r.float(0.999, 2.0) * iw[k] } else { iw[k] });
            self.varyings[primitive.first_varying as usize + alpha] = values;
        }
        if r.one_in(2) {
            self.flatten_procedural(&primitive, r);
        }
        let has_flat_color = r.one_in(3) && self.flatten_color(&primitive, r);
        let mut is_inside = true;
        for row in (0..self.rows).step_by(8) {
            for x in (0..self.width).step_by(8) {
                let mut coverage = covered(&primitive, x, row);
                if r.one_in(16) {
                    coverage &= u64::from(r.word()) << 32 | u64::from(r.word());
                }
                // Kernels do as they are told, also outside of the primitive.
                if r.one_in(64) && fits(&primitive, x, row) {
                    coverage = u64::MAX;
                    is_inside &= covered(&primitive, x, row) == coverage;
                }
                if coverage != 0 || r.one_in(64) {
                    self.blocks.push(PixelBlock { primitive: index, x: x as u16, row: row as u16, coverage });
                }
            }
        }
        if !fits(&primitive, 0, 0) || !fits(&primitive, self.width, self.rows) {
            primitive.flags |= WIDE_EDGES;
        }
        if has_flat_color && is_inside {
            primitive.flags |= FLAT_COLOR;
        }
        if primitive.has_usual_w() && primitive.has_constant_w() && is_inside {
            primitive.flags |= CONSTANT_W;
        }
        self.primitives.push(primitive);
    }

    /// Gives the vertices of a primitive the same coordinates in the procedural texture.
    fn flatten_procedural<R: FnMut() -> u32>(&mut self, primitive: &Primitive, r: &mut Random<'_, R>) {
        let Some(procedural) = self.key.procedural else { return };
        for number in procedural.coordinates.into_iter().filter_map(|slot| self.key.varying(slot)) {
            // Some where an entry of a map begins.
            let value = if r.one_in(3) { r.below(160) as f32 / 128.0 } else { r.float(-1.2, 1.2) };
            let values = primitive.inv_w.map(|inv_w| value * inv_w);
            self.varyings[primitive.first_varying as usize + number] = values;
        }
    }

    /// Gives the vertices of a primitive one colour. Returns whether all of its pixels have it.
    fn flatten_color<R: FnMut() -> u32>(&mut self, primitive: &Primitive, r: &mut Random<'_, R>) -> bool {
        let slots = self.key.color_slots.map(|slot| self.key.varying(slot));
        let mut colors = [1.0; 24];
        for number in slots.into_iter().flatten() {
            colors[number] = if r.one_in(2) { r.below(256) as f32 / 255.0 } else { r.float(-0.1, 1.5) };
            let values = primitive.inv_w.map(|inv_w| colors[number] * inv_w);
            self.varyings[primitive.first_varying as usize + number] = values;
        }
        primitive.has_usual_w() && slots.into_iter().flatten().all(|number| is_flat([colors[number]; 3]))
    }

    /// The key without what a known alpha decides, if that is anything.
    pub fn with_known_alpha(&self) -> Option<PixelKey> {
        let opaque = |unit: usize| {
            let (texture, size) = (&self.textures[unit], &self.constants.texture[unit]);
            !texture.format.has_alpha() && size.width.min(size.height) >> (texture.levels.max(1) - 1) > 0
        };
        let opaque = Opaque { textures: [0, 1, 2].map(opaque), primary: self.is_primary_opaque() };
        self.key.with_known_alpha(&self.constants, opaque)
    }

    fn is_primary_opaque(&self) -> bool {
        let is_opaque = |primitive: &Primitive| match self.key.varying(self.key.color_slots[3]) {
            Some(at) => self
                .varyings
                .get(primitive.first_varying as usize + at)
                .is_some_and(|alpha| primitive.has_opaque(alpha)),
            // It is 1 then.
            None => true,
        };
        // Blocks may have pixels outside of their primitive.
        let is_inside = |block: &PixelBlock| {
            let primitive = self.primitives.get(block.primitive as usize);
            primitive.is_some_and(|p| block.coverage & !covered(p, block.x.into(), block.row.into()) == 0)
        };
        self.primitives.iter().all(is_opaque) && self.blocks.iter().all(is_inside)
    }

    /// Runs `kernel` on a fresh copy of the memory.
    ///
    /// # Errors
    /// The kernel refuses the job.
    pub fn run(&self, kernel: &dyn PixelKernel) -> Result<Surfaces, Unsupported> {
        let targets = Targets::of(self);
        let survivors = self.shade(kernel, &targets, &self.blocks)?;
        Ok(targets.surfaces(if self.key.tells_survivors { survivors } else { Vec::new() }))
    }

    /// Runs the kernels of a divided key, one after the other, on a fresh copy of the memory.
    ///
    /// # Errors
    /// A kernel refuses its job.
    pub fn run_divided(
        &self,
        tests: Option<&dyn PixelKernel>,
        shading: Option<&dyn PixelKernel>,
    ) -> Result<Surfaces, Unsupported> {
        let targets = Targets::of(self);
        let mut blocks = self.blocks.clone();
        if let Some(tests) = tests {
            let survivors = self.shade(tests, &targets, &blocks)?;
            blocks.iter_mut().zip(survivors).for_each(|(block, survivors)| block.coverage = survivors);
        }
        if let Some(shading) = shading {
            self.shade(shading, &targets, &blocks)?;
        }
        Ok(targets.surfaces(Vec::new()))
    }

    /// Runs `kernel` and returns what it tells of survivors.
    fn shade(
        &self,
        kernel: &dyn PixelKernel,
        targets: &Targets,
        blocks: &[PixelBlock],
    ) -> Result<Vec<u64>, Unsupported> {
        let memory: Vec<Vec<Vec<AtomicU8>>> =
            self.textures.iter().map(|t| t.faces.iter().map(|face| buffer(face)).collect()).collect();
        let decoded = [0, 1, 2].map(|unit| self.decode(kernel, unit, &memory[unit]));
        let textures = [0, 1, 2].map(|unit| {
            let mut faces = [Window::default(); 6];
            for (window, face) in faces.iter_mut().zip(&memory[unit]) {
                *window = Window::new(face);
            }
            let (words, face_words) = &decoded[unit];
            Texture { format: self.textures[unit].format, faces, decoded: words, face_words: *face_words }
        });
        let survivors: Vec<Survivors> = blocks.iter().map(|_| Survivors::default()).collect();
        kernel.shade(&PixelJob {
            survivors: &survivors,
            densest: Some(&targets.densest),
            lighting: self.lighting.as_deref().map(|(constants, tables)| (constants, tables)),
            procedural: self.procedural.as_deref(),
            target: Target {
                color: Window::new(&targets.color),
                depth: Window::new(&targets.depth),
                width: self.width,
                rows: self.rows,
            },
            textures: &textures,
            constants: &self.constants,
            fog: self.fog.as_deref(),
            primitives: &self.primitives,
            varyings: &self.varyings,
            blocks,
        })?;
        Ok(survivors.iter().map(Survivors::coverage).collect())
    }

    /// A unit's texels as `kernel` wants them, and the words of a face.
    fn decode(&self, kernel: &dyn PixelKernel, unit: usize, faces: &[Vec<AtomicU8>]) -> (Vec<u32>, usize) {
        let Some(decoder) = kernel.texture_decoder().filter(|_| !faces.is_empty()) else { return (Vec::new(), 0) };
        let texture = &self.textures[unit];
        let (width, height) = (self.constants.texture[unit].width, self.constants.texture[unit].height);
        let mut words = Vec::new();
        let mut face_words = 0;
        for face in faces {
            let bytes: Vec<u8> = face.iter().map(|byte| byte.load(Relaxed)).collect();
            let mut source = &bytes[..];
            for level in 0..texture.levels {
                let (w, h) = (width >> level, height >> level);
                let start = words.len();
                words.resize(start + (w * h) as usize, 0);
                decoder.decode(texture.format, w, h, source, &mut words[start..]);
                source = source.get(texture.format.size(w, h) as usize..).unwrap_or_default();
            }
            if face_words == 0 {
                face_words = words.len();
            }
        }
        words.extend([0; 4]);
        (words, face_words)
    }

    /// Where two results differ, side by side; `None` when they are equal.
    pub fn compare(&self, names: [&str; 2], results: [&Surfaces; 2]) -> Option<String> {
        if results[0] == results[1] {
            return None;
        }
        let mut report = format!("{:#?}\n{:#?}\n", self.key, self.constants);
        if results[0].densest != results[1].densest {
            let _ = writeln!(report, "densest {} and {}", results[0].densest, results[1].densest);
        }
        let told = results[0].survivors.iter().zip(&results[1].survivors).enumerate();
        for (block, (a, b)) in told.filter(|(_, (a, b))| a != b).take(4) {
            let _ = writeln!(report, "survivors of block {block}: {a:016x} and {b:016x}");
        }
        let [first, second] = names;
        let mut shown = 0;
        for (number, block) in self.blocks.iter().enumerate() {
            for bit in 0..64 {
                let (x, y) = unmorton(bit);
                let (x, row) = (u32::from(block.x) + x, u32::from(block.row) + y);
                let index = self.key.block.index(x, row, self.width) as usize;
                let color = self.key.color_format.map_or(0, PixelFormat::bytes);
                let depth = self.key.depth_format.map_or(0, DepthFormat::bytes);
                let [a, b] = results.map(|s| (word(&s.color, index, color), word(&s.depth, index, depth)));
                if a != b && shown < 16 {
                    shown += 1;
                    let before = (word(&self.color, index, color), word(&self.depth, index, depth));
                    let covered = block.coverage >> bit & 1;
                    let _ = writeln!(
                        report,
                        "({x:3}, {row:3}) block {number} primitive {} covered {covered}: before {:08x} {:08x}, \
                         {first} {:08x} {:08x}, {second} {:08x} {:08x}",
                        block.primitive, before.0, before.1, a.0, a.1, b.0, b.1
                    );
                }
            }
        }
        for block in &self.blocks[..self.blocks.len().min(1)] {
            let _ = writeln!(report, "{:#?}", self.primitives[block.primitive as usize]);
        }
        Some(report)
    }
}

/// The word of `bytes` bytes that is pixel `index` of a surface.
fn word(surface: &[u8], index: usize, bytes: u32) -> u32 {
    let bytes = bytes as usize;
    let mut word = [0; 4];
    for (to, from) in word.iter_mut().zip(surface.iter().skip(index * bytes).take(bytes)) {
        *to = *from;
    }
    u32::from_le_bytes(word)
}

/// Edge functions of a triangle in 1/16 pixels, biased for the fill rule; `None` when it has no area.
fn set_up(mut p: [[i64; 2]; 3]) -> Option<Primitive> {
    let area = |a: [i64; 2], b: [i64; 2], c: [i64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area(p[0], p[1], p[2]) < 0 {
        p.swap(1, 2);
    }
    let mut primitive = Primitive::default();
    for k in 0..3 {
        let (a, b) = (p[(k + 1) % 3], p[(k + 2) % 3]);
        let d = [b[0] - a[0], b[1] - a[1]];
        let included = d[1] < 0 || d[1] == 0 && d[0] > 0;
        primitive.edge[k] = area(a, b, [8, 8]) - i64::from(!included);
        primitive.dx[k] = i32::try_from(-16 * d[1]).ok()?;
        primitive.dy[k] = i32::try_from(16 * d[0]).ok()?;
    }
    let sum: i64 = primitive.edge.iter().sum();
    primitive.sum = sum as f32;
    (sum >= 1).then_some(primitive)
}

/// Edge function `k` at a pixel.
fn edge(primitive: &Primitive, k: usize, x: u32, row: u32) -> i64 {
    primitive.edge[k] + i64::from(x) * i64::from(primitive.dx[k]) + i64::from(row) * i64::from(primitive.dy[k])
}

/// The pixels of a block inside of a primitive.
fn covered(primitive: &Primitive, x: u32, row: u32) -> u64 {
    (0..64).fold(0, |coverage, bit| {
        let (dx, dy) = unmorton(bit);
        let inside = (0..3).all(|k| edge(primitive, k, x + dx, row + dy) >= 0);
        coverage | u64::from(inside) << bit
    })
}

/// Whether 32-bit edge functions do not overflow in a block.
fn fits(primitive: &Primitive, x: u32, row: u32) -> bool {
    let near = |k, dx, dy| i32::try_from(edge(primitive, k, x + dx, row + dy)).is_ok();
    (0..3).all(|k| near(k, 0, 0) && near(k, 7, 0) && near(k, 0, 7) && near(k, 7, 7))
}

fn key<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> PixelKey {
    let mut slots = u64::from(r.word()) & 0xFF_FFFF;
    if r.one_in(2) {
        slots |= u64::from(r.word()) & 0xFF_FFFF;
    }
    let textures = [0, 1, 2].map(|unit| texture_key(r, unit));
    let depth_format = match r.below(5) {
        0 => None,
        1 => Some(DepthFormat::D16),
        2 => Some(DepthFormat::D24),
        _ => Some(DepthFormat::D24S8),
    };
    let stencil = (depth_format == Some(DepthFormat::D24S8) && r.one_in(2)).then(|| StencilKey {
        compare: r.pick(&Compare::ALL),
        fail: r.pick(&StencilOp::ALL),
        depth_fail: r.pick(&StencilOp::ALL),
        pass: r.pick(&StencilOp::ALL),
        write: !r.one_in(4),
    });
    // In half of the states most pixels pass and keep what was shaded: differences early in the pipeline show.
    let calm = r.one_in(2);
    let rare = if calm { 8 } else { 2 };
    let compare = |r: &mut Random<'_, R>| if r.one_in(rare) { r.pick(&Compare::ALL) } else { Compare::Always };
    let mut stages = [(); 6].map(|()| if r.one_in(3) != calm { Stage::PASS } else { stage(r) });
    let lighting = r.one_in(5).then(|| Arc::new(random_fragment::lighting_key(r)));
    let procedural = r.one_in(6).then(|| random_fragment::procedural_key(r));
    let mut sources = Vec::new();
    if lighting.is_some() {
        sources.extend([Source::FragmentPrimary, Source::FragmentSecondary]);
    }
    if procedural.is_some() {
        sources.push(Source::Texture(3));
    }
    random_fragment::look_at(r, &mut stages, &sources);
    let shadow = r.one_in(16).then_some(ShadowWrite);
    let density = r.one_in(12).then(|| DensityWrite { compare: r.pick(&Compare::ALL) });
    let gas = |r: &mut Random<'_, R>| GasKey { by_depth: r.one_in(2), by_light: r.one_in(2) };
    PixelKey {
        lighting,
        procedural,
        shadow,
        slots,
        color_slots: [(); 4].map(|()| r.below(24) as u8),
        w_buffer: r.one_in(3),
        textures,
        combiners: Combiners { stages },
        density,
        fog: r.one_in(3).then(|| FogKey { flip: r.one_in(2), gas: r.one_in(3).then(|| gas(r)) }),
        alpha_test: compare(r),
        stencil,
        depth_test: compare(r),
        depth_write: !r.one_in(3),
        depth_format,
        output: if calm && !r.one_in(3) { Output::Logic(LogicOp::Copy) } else { output(r) },
        color_format: match shadow.is_some() || density.is_some() {
            true => Some(PixelFormat::Rgba8),
            false => (!r.one_in(16)).then(|| r.pick(&PixelFormat::ALL)),
        },
        color_mask: if r.one_in(3) { r.word() as u8 & 15 } else { 15 },
        block: if r.one_in(6) { Block::B32 } else { Block::B8 },
        tells_survivors: r.one_in(6),
    }
}

fn texture_key<R: FnMut() -> u32>(r: &mut Random<'_, R>, unit: usize) -> TextureKey {
    if r.one_in(5) {
        return TextureKey::DISABLED;
    }
    let filter = |r: &mut Random<'_, R>| if r.one_in(2) { Filter::Nearest } else { Filter::Linear };
    let magnify = filter(r);
    let kind = match r.below(8) {
        0 => TextureKind::Null,
        1 | 2 if unit == 0 => TextureKind::Projected,
        3 if unit == 0 => TextureKind::Cube,
        4 if unit == 0 => random_fragment::shadow_kind(r),
        _ => TextureKind::Plain,
    };
    TextureKey {
        kind,
        coordinates: [(); 3].map(|()| r.below(24) as u8),
        wrap: [(); 2].map(|()| r.pick(&Wrap::ALL)),
        magnify,
        minify: if r.one_in(2) { magnify } else { filter(r) },
        mipmap: r.one_in(3).then(|| filter(r)),
        power_of_two: true,
    }
}

fn stage<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> Stage {
    const CHANNELS: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];
    let source = |r: &mut Random<'_, R>| match r.below(16) {
        0 => Source::FragmentPrimary,
        1 => Source::Zero,
        2 => Source::Texture(3),
        3..6 => Source::Primary,
        6..10 => Source::Texture(r.below(3) as u8),
        10 | 11 => Source::Buffer,
        12 => Source::Constant,
        _ => Source::Previous,
    };
    let color = r.pick(&Function::ALL);
    let shift = |r: &mut Random<'_, R>| if r.one_in(3) { r.below(3) as u8 } else { 0 };
    let color_shift = shift(r);
    let alike = r.one_in(2);
    Stage {
        color,
        alpha: if alike { color } else { r.pick(&Function::ALL) },
        color_operands: [(); 3].map(|()| ColorOperand {
            source: source(r),
            channel: match r.below(8) {
                0 => ColorChannel::Zero,
                1..4 => ColorChannel::Splat(r.pick(&CHANNELS)),
                _ => ColorChannel::Rgb,
            },
            invert: r.one_in(4),
        }),
        alpha_operands: [(); 3].map(|()| AlphaOperand {
            source: source(r),
            channel: if r.one_in(3) { r.pick(&CHANNELS) } else { Channel::A },
            invert: r.one_in(4),
        }),
        color_shift,
        alpha_shift: if alike { color_shift } else { shift(r) },
        update_color: r.one_in(3),
        update_alpha: r.one_in(3),
    }
}

fn output<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> Output {
    if r.one_in(4) {
        return Output::Logic(r.pick(&LogicOp::ALL));
    }
    let equation = |r: &mut Random<'_, R>| {
        if r.one_in(2) { BlendEquation::Add } else { r.pick(&BlendEquation::ALL) }
    };
    let factor = |r: &mut Random<'_, R>| r.pick(&BlendFactor::ALL);
    let (color, color_source, color_destination) = (equation(r), factor(r), factor(r));
    let alike = r.one_in(2);
    Output::Blend(BlendKey {
        color,
        color_source,
        color_destination,
        alpha: if alike { color } else { equation(r) },
        alpha_source: if alike { color_source } else { factor(r) },
        alpha_destination: if alike { color_destination } else { factor(r) },
    })
}

fn constants<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> PixelConstants {
    PixelConstants {
        shadow_constant: r.float(0.0, 2.0),
        shadow_linear: r.float(-1.0, 2.0),
        stage_color: [(); 6].map(|()| r.word()),
        buffer_color: r.word(),
        blend_color: r.word(),
        fog_color: r.word(),
        alpha_reference: r.below(256),
        stencil_reference: r.below(256),
        stencil_input_mask: if r.one_in(2) { 255 } else { r.below(256) },
        stencil_write_mask: if r.one_in(2) { 255 } else { r.below(256) },
        depth_scale: if r.one_in(2) { -1.0 } else { r.float(-2.0, 1.0) },
        depth_offset: if r.one_in(2) { 0.0 } else { r.float(-0.5, 1.0) },
        texture: [TextureConstants::default(); 3],
        gas: gas_constants(r),
    }
}

fn gas_constants<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> GasConstants {
    let light = |r: &mut Random<'_, R>| GasLight {
        min: r.float(0.0, 1.0),
        max: r.float(0.0, 1.0),
        attenuation: r.float(0.0, 1.0),
    };
    GasConstants {
        proportion: r.float(0.0, 300.0),
        scale: r.float(0.0, 1e-4),
        attenuation: r.float(0.0, 1e-4),
        planar: light(r),
        view: light(r),
        effect: r.float(0.0, 1.0),
        colors: [(); 8].map(|()| [(); 3].map(|()| r.float(0.0, 255.0))),
        differences: [(); 8].map(|()| [(); 3].map(|()| r.float(-254.0, 254.0))),
    }
}

fn fog_table<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> Box<FogTable> {
    let value = |r: &mut Random<'_, R>| r.below(2048) as f32 / 2047.0;
    Box::new([(); 128].map(|()| [value(r), value(r) - 0.5]))
}

fn texture<R: FnMut() -> u32>(r: &mut Random<'_, R>, key: &TextureKey, c: &mut TextureConstants) -> RandomTexture {
    let off = matches!(key.kind, TextureKind::Disabled | TextureKind::Null);
    let (width, height) = (8u32 << r.below(4), 8u32 << r.below(4));
    let shadow = key.kind.is_shadow();
    let levels = if key.mipmap.is_some() && !shadow { 1 + r.below((width.min(height) / 8).ilog2() + 1) } else { 1 };
    *c = TextureConstants {
        shadow_bias: if r.one_in(2) { 0 } else { r.word() >> (8 + r.below(16)) },
        border: r.word(),
        width,
        height,
        lod_bias: if r.one_in(2) { 0.0 } else { r.float(-3.0, 3.0) },
        lod_min: if r.one_in(2) { 0.0 } else { r.below(levels) as f32 },
        lod_max: (levels - 1) as f32,
    };
    let format = if shadow { TexelFormat::Rgba8 } else { r.pick(&TexelFormat::ALL) };
    let bytes: u32 = (0..levels).map(|k| format.size(width >> k, height >> k)).sum();
    let faces = if off {
        0
    } else if key.kind.is_cube() {
        6
    } else {
        1
    };
    let faces = (0..faces).map(|_| (0..bytes).map(|_| r.word() as u8).collect()).collect();
    RandomTexture { format, levels, faces }
}
