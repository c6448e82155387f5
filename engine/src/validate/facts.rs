//! What is noted of a draw while it is executed.

use std::collections::HashMap;

use triglyph_guest::kernel::ContentHash;
use xxhash_rust::xxh3::Xxh3;

use super::{FindingKind, Found, FragmentResults};
use crate::device::DroppedPrimitives;
use crate::mem::{GuestAddr, GuestRange, Memory, for_each_chunk};
use crate::probe::{BoundTexture, Effect, Fetch, FragmentCounts, Input, Mesh, Role as SurfaceRole, Surface, Vertices};

/// What is noted of a draw while it is executed: of all its instances and parts together.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Vertices that the vertex stage was run for.
    pub vertices: u64,
    /// The attributes that the vertex stage reads, of the first part.
    pub attributes: Vec<AttributeFacts>,
    /// Positions before clipping.
    pub positions: PositionFacts,
    /// Primitives that were set up.
    pub primitives: u64,
    /// Primitives that were not.
    pub dropped: DroppedPrimitives,
    /// Fragments.
    pub fragments: FragmentResults,
    /// Surfaces that are read or written.
    pub surfaces: Vec<Surface>,
    /// Textures whose memory is not mapped: stage and unit.
    pub missing_textures: Vec<(String, u32)>,
    /// What the machine has found in its programs.
    pub notes: Vec<(FindingKind, Found)>,
    /// Faults of the guest in the command.
    pub faults: u64,
    /// Whether any byte of the surfaces has changed.
    pub has_changed: bool,
    /// Content of each surface before the draw.
    before: HashMap<GuestRange, ContentHash>,
    /// Whether a draw was reported as an effect.
    is_draw: bool,
}

/// An attribute of a draw's vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeFacts {
    /// Its name: the register or location that programs read.
    pub name: String,
    /// Where element 0 is, if it has an array in memory.
    pub start: Option<GuestAddr>,
    /// Bytes from one element to the next, if it has an array.
    pub stride: Option<u32>,
    /// Whether all bytes of its elements are 0.
    pub is_zero: bool,
    /// Its value, if it is the same for all vertices because it has no array.
    pub constant: Option<[f32; 4]>,
}

/// Positions of a draw's vertices before clipping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PositionFacts {
    /// How many were looked at.
    pub count: u64,
    /// How many have a component that is infinite or no number.
    pub not_finite: u64,
    /// How many have a w of 0.
    pub zero_w: u64,
    /// The first one.
    pub first: Option<[f32; 4]>,
    /// How many are not the same as the first one.
    pub different: u64,
}

impl PositionFacts {
    fn add(&mut self, mesh: &Mesh) {
        for &position in &mesh.positions {
            let first = *self.first.get_or_insert(position);
            self.count += 1;
            self.not_finite += u64::from(position.iter().any(|value| !value.is_finite()));
            self.zero_w += u64::from(position[3] == 0.0);
            self.different += u64::from(position.map(f32::to_bits) != first.map(f32::to_bits));
        }
    }
}

impl Facts {
    /// Whether anything of a draw was noted.
    pub(super) fn has_draw(&self) -> bool {
        self.is_draw || self.vertices > 0 || self.positions.count > 0
    }

    /// Notes an input of a draw.
    pub(super) fn input(&mut self, input: &Input<'_>) {
        match input {
            Input::Vertices(vertices) => self.vertices_of(vertices),
            Input::Mesh(mesh) => self.positions.add(mesh),
            Input::Texture(texture) => self.texture(texture),
            Input::Constants(_) => {}
        }
    }

    fn vertices_of(&mut self, vertices: &Vertices) {
        self.vertices += vertices.count as u64;
        if !self.attributes.is_empty() {
            return;
        }
        self.attributes.extend(vertices.attributes.iter().map(|attribute| AttributeFacts {
            name: attribute.name.clone(),
            start: attribute.array.as_ref().and_then(|array| array.start),
            stride: attribute.array.as_ref().map(|array| array.stride),
            is_zero: attribute.array.is_some() && attribute.raw.iter().all(|byte| *byte == 0),
            constant: match attribute.fetch {
                Fetch::Constant(value) => Some(value),
                _ => None,
            },
        }));
    }

    fn texture(&mut self, texture: &BoundTexture<'_>) {
        let memory = texture.memory();
        let is_missing = |range: &GuestRange| range.size == 0 || memory.readable(range.start).is_empty();
        if texture.ranges().iter().any(is_missing) {
            self.missing_textures.push((texture.stage.to_owned(), texture.unit));
        }
    }

    /// Notes the fragments of a draw, of which nothing is in memory yet.
    pub(super) fn counts(&mut self, memory: &Memory, counts: &FragmentCounts, is_first: bool) {
        for surface in &counts.surfaces {
            self.before.entry(surface.range()).or_insert_with(|| content(memory, surface.range()));
        }
        let covered: u64 = counts.counts.iter().map(|count| u64::from(*count)).sum();
        let results = &mut self.fragments;
        results.covered += covered;
        let judged = counts.judged.as_ref().filter(|_| is_first || results.are_judged);
        results.are_judged = judged.is_some() || covered == 0 && (is_first || results.are_judged);
        let Some(judged) = judged else { return };
        let colors = |surface: &Surface| matches!(surface.role, SurfaceRole::Color(_)) && surface.is_known();
        let writes_colors = counts.surfaces.iter().any(colors);
        let mut all = [0u64; 6];
        for primitive in &judged.primitives {
            all.iter_mut().zip(primitive.verdicts).for_each(|(all, count)| *all += u64::from(count));
        }
        let [passed, discarded, alpha, bounds, stencil, depth] = all;
        results.discarded += discarded;
        results.alpha_failed += alpha;
        results.bounds_failed += bounds;
        results.stencil_failed += stencil;
        results.depth_failed += depth;
        *(if writes_colors { &mut results.written } else { &mut results.masked }) += passed;
    }

    /// Notes what the command did, everything being drawn.
    pub(super) fn end(&mut self, memory: &Memory, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Draw(draw) => {
                    self.is_draw = true;
                    self.primitives += draw.primitives;
                    self.dropped.add(&draw.dropped);
                    let is_new = |surface: &&Surface| !self.surfaces.contains(surface);
                    let new: Vec<Surface> = draw.surfaces.iter().filter(is_new).copied().collect();
                    self.surfaces.extend(new);
                }
                Effect::Faults(faults) => self.faults += faults.count,
                _ => {}
            }
        }
        self.has_changed = self.before.iter().any(|(range, before)| content(memory, *range) != *before);
    }
}

/// The hash of what is mapped of a range. Its size is the guest's choice, so parts without memory cost nothing.
fn content(memory: &Memory, range: GuestRange) -> ContentHash {
    let mut hasher = Xxh3::new();
    let end = range.start.address.saturating_add(range.size);
    let mut at = range.start;
    while at.address < end {
        let border = memory.border_after(at).unwrap_or(end).min(end);
        let window = memory.readable(at);
        let size = usize::try_from(border - at.address).unwrap_or(usize::MAX).min(window.len());
        for_each_chunk(window.first(size), |bytes| hasher.update(bytes));
        at.address = border;
    }
    ContentHash(hasher.digest128())
}
