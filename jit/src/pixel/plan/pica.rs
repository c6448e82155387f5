//! Analysis of a key: which combiner results, attributes, textures and stored values are read at all.

use triglyph_guest::kernel::combine::{Channel, ColorChannel, Function, Source};
use triglyph_guest::kernel::gas::GasKey;
use triglyph_guest::kernel::pixel::{
    BlendEquation, BlendFactor, BlendKey, Compare, Filter, LogicOp, Output, PixelKey, TextureKind,
};

use super::used_channels::UsedChannels;
use crate::pixel::depth_stencil::plan::DepthPlan;

/// The parts of a key that code generation depends on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Whether the colour target is written.
    pub color_write: bool,
    /// Channels written, bit 0 red to bit 3 alpha; only those that the format stores.
    pub color_mask: u8,
    /// Whether blending or the logic operation reads the target.
    pub destination: bool,
    /// What is read of each stage's result.
    pub stages: [UsedChannels; 6],
    /// What is read of the vertex colour.
    pub primary: UsedChannels,
    /// Which units are sampled.
    pub textures: [bool; 3],
    /// What is read of the primary and the secondary colour of fragment lighting.
    pub fragment: [UsedChannels; 2],
    /// What is read of the procedural texture.
    pub procedural: UsedChannels,
    /// What is done with the depth buffer, if there is one.
    pub depth: Option<DepthPlan>,
    /// Packed varyings that are interpolated, by first use.
    pub varyings: Vec<usize>,
    /// Packed varyings whose derivatives are needed.
    pub derivatives: Vec<usize>,
    /// What passes comes back.
    pub tells_survivors: bool,
    /// Quads are made of covered pixels wherever they are: see [`Iteration::picks`](crate::pixel::quads::Iteration).
    pub picks_pixels: bool,
    /// Whether a primary colour that is the same in all of a primitive is taken from there.
    pub has_flat_color: bool,
    /// Whether a colour of the procedural texture that is the same in all of a primitive is taken from there.
    pub has_flat_procedural: bool,
    /// Whether any unit selects levels by level of detail.
    pub has_lod: bool,
    /// Estimated cost of a quad, in guest instructions.
    pub size: u32,
}

/// Operands that a function reads.
pub fn operands(function: Function) -> usize {
    match function {
        Function::Replace => 1,
        Function::Modulate
        | Function::Add
        | Function::AddSigned
        | Function::Subtract
        | Function::Dot3Rgb
        | Function::Dot3Rgba => 2,
        Function::Interpolate | Function::MultiplyAdd | Function::AddMultiply => 3,
    }
}

/// The stage whose result the buffer holds at stage `stage`, when an earlier one has updated it.
pub fn buffer_writer(stage: usize, updates: impl Fn(usize) -> bool) -> Option<usize> {
    (0..stage.saturating_sub(1)).rev().find(|&s| updates(s))
}

impl Plan {
    /// Analyses `key`.
    pub fn new(key: &PixelKey) -> Plan {
        let stored = key.color_format.map_or(0, |f| if f.has_alpha() { 15 } else { 7 });
        let color_mask = key.color_mask & stored;
        let color_write = color_mask != 0 && key.output != Output::Logic(LogicOp::NoOp);
        let mut plan = Plan {
            color_write,
            color_mask,
            destination: color_write && reads_destination(&key.output),
            stages: [UsedChannels::default(); 6],
            primary: UsedChannels::default(),
            textures: [false; 3],
            fragment: [UsedChannels::default(); 2],
            procedural: UsedChannels::default(),
            depth: DepthPlan::of_state(key),
            varyings: Vec::new(),
            derivatives: Vec::new(),
            tells_survivors: key.tells_survivors,
            picks_pixels: false,
            has_flat_color: false,
            has_flat_procedural: false,
            has_lod: false,
            size: 0,
        };
        plan.live_stages(key);
        if let Some(lighting) = &key.lighting {
            for (unit, need) in crate::pixel::shade::pica::lighting::plan::textures(lighting, plan.fragment) {
                plan.read_texture(key, unit, need);
            }
        }
        plan.live_varyings(key);
        plan.picks_pixels = plan.picks_pixels(key);
        // Little is gained for alpha alone.
        plan.has_flat_color = plan.primary.color && !plan.picks_pixels;
        plan.has_flat_procedural = !plan.picks_pixels && plan.may_have_flat_procedural(key);
        plan.has_lod = plan.has_lod(key);
        plan.size = plan.weigh(key);
        plan
    }

    /// From the last stage backwards: what is read of each result and of each source.
    fn live_stages(&mut self, key: &PixelKey) {
        let alpha_written = self.color_mask & 8 != 0;
        let alpha_blended = matches!(&key.output, Output::Blend(b) if reads_source_alpha(b));
        self.stages[5] = UsedChannels {
            color: self.color_write && self.color_mask & 7 != 0,
            alpha: key.alpha_test != Compare::Always || self.color_write && (alpha_written || alpha_blended),
        };
        if self.gas(key).is_some() {
            self.stages[5].color = false;
            self.stages[5].alpha = key.alpha_test != Compare::Always;
            self.read_texture(key, 0, UsedChannels { color: true, alpha: true });
        }
        if key.shadow.is_some() || key.density.is_some() {
            // Green is the softness of the shadow, red the density of gas.
            self.stages[5] = UsedChannels { color: true, alpha: false };
        }
        for s in (0..6).rev() {
            let need = self.stages[s];
            let stage = &key.combiners.stages[s];
            let dot_alpha = need.alpha && stage.color == Function::Dot3Rgba;
            if need.color || dot_alpha {
                for operand in &stage.color_operands[..operands(stage.color)] {
                    let (color, alpha) = match operand.channel {
                        ColorChannel::Zero => continue,
                        ColorChannel::Splat(Channel::A) => (false, true),
                        ColorChannel::Rgb | ColorChannel::Splat(_) => (true, false),
                    };
                    self.read(key, s, operand.source, UsedChannels { color, alpha });
                }
            }
            if need.alpha && !dot_alpha && !matches!(stage.alpha, Function::Dot3Rgb | Function::Dot3Rgba) {
                for operand in &stage.alpha_operands[..operands(stage.alpha)] {
                    let alpha = operand.channel == Channel::A;
                    self.read(key, s, operand.source, UsedChannels { color: !alpha, alpha });
                }
            }
        }
    }

    /// Notes that stage `stage` reads `need` of `source`.
    fn read(&mut self, key: &PixelKey, stage: usize, source: Source, need: UsedChannels) {
        let add = |to: &mut UsedChannels| {
            to.color |= need.color;
            to.alpha |= need.alpha;
        };
        let stages = &key.combiners.stages;
        match source {
            Source::Primary => add(&mut self.primary),
            Source::Texture(unit) => self.read_texture(key, unit, need),
            Source::FragmentPrimary if key.lighting.is_some() => add(&mut self.fragment[0]),
            Source::FragmentSecondary if key.lighting.is_some() => add(&mut self.fragment[1]),
            Source::Previous if stage > 0 => add(&mut self.stages[stage - 1]),
            Source::Buffer => {
                if let Some(writer) = buffer_writer(stage, |s| stages[s].update_color) {
                    self.stages[writer].color |= need.color;
                }
                if let Some(writer) = buffer_writer(stage, |s| stages[s].update_alpha) {
                    self.stages[writer].alpha |= need.alpha;
                }
            }
            _ => {}
        }
    }

    /// Notes that `need` of texture unit `unit` is read.
    fn read_texture(&mut self, key: &PixelKey, unit: u8, need: UsedChannels) {
        if let Some(texture) = key.textures.get(usize::from(unit)) {
            self.textures[usize::from(unit)] |= !matches!(texture.kind, TextureKind::Disabled | TextureKind::Null);
        } else if key.procedural.is_some() {
            self.procedural.color |= need.color;
            self.procedural.alpha |= need.alpha;
        }
    }

    /// To find pixels one by one takes some fifty instructions a quad: little beside those of lighting.
    fn picks_pixels(&self, key: &PixelKey) -> bool {
        let stores_quads = key.shadow.is_some() || key.density.is_some() || key.tells_survivors;
        self.lighting() && self.gas(key).is_none() && !stores_quads
    }

    fn live_varyings(&mut self, key: &PixelKey) {
        let mut slots = Vec::new();
        let mut lod_slots = Vec::new();
        for (unit, texture) in key.textures.iter().enumerate().filter(|&(unit, _)| self.textures[unit]) {
            debug_assert!(self.textures[unit]);
            let count = if texture.kind == TextureKind::Plain { 2 } else { 3 };
            slots.extend(&texture.coordinates[..count]);
            if texture.needs_lod() {
                lod_slots.extend(&texture.coordinates[..count]);
            }
        }
        if let Some(procedural) = &key.procedural {
            let (used, derived) = crate::pixel::sample::pica::procedural::plan::slots(procedural, self.procedural);
            slots.extend(used);
            lod_slots.extend(derived);
        }
        if let Some(lighting) = key.lighting.as_ref().filter(|_| self.lighting()) {
            slots.extend(lighting.quaternion_slots);
            slots.extend(lighting.view_slots);
        }
        let pack = |slots: Vec<u8>| {
            let mut packed: Vec<usize> = slots.into_iter().filter_map(|slot| key.varying(slot)).collect();
            packed.sort_unstable();
            packed.dedup();
            packed
        };
        if self.primary.color {
            slots.extend(&key.color_slots[..3]);
        }
        if self.primary.alpha {
            slots.push(key.color_slots[3]);
        }
        self.varyings = pack(slots);
        self.derivatives = pack(lod_slots);
    }

    fn may_have_flat_procedural(&self, key: &PixelKey) -> bool {
        let may_be_flat = crate::pixel::sample::pica::procedural::plan::may_be_flat;
        self.procedural.any() && key.procedural.is_some_and(|key| may_be_flat(&key, self.procedural))
    }

    /// Whether the colours of fragment lighting are read.
    pub fn lighting(&self) -> bool {
        self.fragment[0].any() || self.fragment[1].any()
    }

    fn has_lod(&self, key: &PixelKey) -> bool {
        let procedural = self.procedural.any() && key.procedural.is_some_and(|p| p.mipmap.is_some());
        procedural || (0..3).any(|unit| self.textures[unit] && key.textures[unit].needs_lod())
    }

    /// Whether stencil is tested.
    pub fn stencil(&self) -> bool {
        self.depth.is_some_and(|depth| depth.stencil.is_some())
    }

    /// Whether fog changes anything.
    pub fn fog(&self, key: &PixelKey) -> bool {
        key.fog.is_some() && self.gas(key).is_none() && self.stages[5].color
    }

    /// Whether the colour is that of gas.
    pub fn gas(&self, key: &PixelKey) -> Option<GasKey> {
        key.fog.and_then(|fog| fog.gas).filter(|_| self.color_write)
    }

    /// Index of the first of the three vectors of a varying among the planes.
    pub fn varying_plane(&self, packed: usize) -> usize {
        7 + 3 * self.varyings.iter().position(|&v| v == packed).unwrap_or(0)
    }

    /// Index of the derivative vectors (dx, dy) of a varying, or of 1/w for `None`.
    pub fn derivative_plane(&self, packed: Option<usize>) -> usize {
        let index = packed.and_then(|p| self.derivatives.iter().position(|&v| v == p)).map_or(0, |i| i + 1);
        7 + 3 * self.varyings.len() + 2 * index
    }

    /// Vectors kept for a primitive: sum, 1/w, z, varyings, derivatives.
    pub fn planes(&self) -> usize {
        7 + 3 * self.varyings.len() + 2 * (self.derivatives.len() + 1)
    }

    fn weigh(&self, key: &PixelKey) -> u32 {
        let mut size = 10 + 4 * self.varyings.len() as u32;
        for (texture, _) in key.textures.iter().zip(self.textures).filter(|&(_, used)| used) {
            let filter = |f| if f == Filter::Linear { 30 } else { 10 };
            let level = match texture.needs_lod() {
                true => filter(texture.magnify).max(filter(texture.minify)) + 20,
                false => filter(texture.magnify),
            };
            size += if texture.mipmap == Some(Filter::Linear) { 2 * level } else { level };
        }
        if let Some(procedural) = key.procedural.filter(|_| self.procedural.any()) {
            size += crate::pixel::sample::pica::procedural::plan::weigh(&procedural);
        }
        if let Some(lighting) = key.lighting.as_ref().filter(|_| self.lighting()) {
            size += crate::pixel::shade::pica::lighting::plan::weigh(lighting);
        }
        if self.gas(key).is_some() {
            size += 40;
        }
        size += 5 * self.stages.iter().filter(|s| s.any()).count() as u32;
        size + if self.stencil() { 20 } else { 5 } + if self.destination { 15 } else { 5 }
    }
}

/// Whether a value of the target takes part in the result.
fn reads_destination(output: &Output) -> bool {
    match output {
        Output::Logic(op) => {
            !matches!(op, LogicOp::Clear | LogicOp::Copy | LogicOp::Set | LogicOp::CopyInverted | LogicOp::NoOp)
        }
        Output::Blend(b) => {
            !(passes_source(b.color, b.color_source, b.color_destination)
                && passes_source(b.alpha, b.alpha_source, b.alpha_destination))
        }
    }
}

/// Whether an equation gives the source itself.
pub fn passes_source(equation: BlendEquation, source: BlendFactor, destination: BlendFactor) -> bool {
    matches!(equation, BlendEquation::Add | BlendEquation::Subtract)
        && source == BlendFactor::One
        && destination == BlendFactor::Zero
}

/// Whether a factor is made of the source's alpha, or channels of it that may be alpha.
fn reads_source_alpha(b: &BlendKey) -> bool {
    [b.color_source, b.color_destination, b.alpha_source, b.alpha_destination].iter().any(|f| {
        matches!(f, BlendFactor::SourceAlpha | BlendFactor::InverseSourceAlpha | BlendFactor::SourceAlphaSaturate)
    })
}
