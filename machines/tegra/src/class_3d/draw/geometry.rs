//! From shaded vertices to primitives: patches, the geometry program, streams.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use triglyph_guest::kernel::program::stage::{Emit, Primitives, ShaderJob, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::program::{OutputTopology, attribute, fields};
use triglyph_guest::tegra::methods::threed::{ReportKind, Topology, regs as r};

use super::edge_flags::Hidden;
use super::shapes::Shapes;
use super::{assembly, statistics};
use crate::class_3d::ThreeD;
use crate::class_3d::programs::codes::{Linkage, Program};
use crate::class_3d::programs::program::Loaded;
use crate::class_3d::programs::stage::{Records, outputs};
use crate::class_3d::programs::stage_numbers::GEOMETRY;
use crate::class_3d::state::setup;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::{Counters, STREAMS};
use triglyph_engine::draw::program::{RESTART, Shape, Split};
use triglyph_engine::frontend::budget::cost;

/// Primitives of one piece of a geometry program's work.
const PIECE: usize = 32;
/// Runs of one piece, if they may be long.
const LONG_RUNS: usize = 16;
/// Words that a geometry program may emit before they are drawn: 32 MiB. One primitive may emit as much.
const MAX_EMITTED: usize = 1 << 23;
/// Nanoseconds that an instruction of a primitive takes, roughly.
const COST: u64 = 20;

/// Vertices in drawing order, and numbers of their primitives.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    /// How they form primitives.
    pub topology: Topology,
    /// Where the run of vertices is split, if the order is a segment of another one.
    pub split: Split,
    /// Numbers of records, [`RESTART`] between primitives.
    pub order: Vec<u32>,
    /// Numbers of the primitives.
    pub ids: Ids,
}

/// Numbers of primitives.
#[derive(Clone, Debug)]
pub(crate) enum Ids {
    /// One more for each.
    From(u32),
    /// Given.
    Each(Vec<u32>),
    /// That of the primitive's last vertex.
    Vertices(Vec<u32>),
}

impl Ids {
    pub(crate) fn get(&self, index: usize, last_vertex: u32) -> u32 {
        match self {
            Ids::From(first) => first.wrapping_add(index as u32),
            Ids::Each(ids) => ids.get(index).copied().unwrap_or(0),
            Ids::Vertices(ids) => ids.get(last_vertex as usize).copied().unwrap_or(0),
        }
    }
}

/// A vertex of a shape that is its last one.
fn last_vertex(shape: &Shape) -> u32 {
    match *shape {
        Shape::Point(vertex) => vertex,
        Shape::Line { ends, .. } => ends[1],
        Shape::Triangle { corners, .. } => corners[2],
    }
}

impl ThreeD {
    /// Everything after the vertex programs, of a segment of a draw.
    pub(crate) fn draw_vertices(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: Records,
        assembled: Assembled,
        hidden: &Hidden,
    ) {
        if assembled.topology == Topology::Patches {
            self.tessellate(core, registers, counters, &records, &assembled.order);
            self.vertex_buffers.release_outputs(records.words);
            self.vertex_buffers.release_order(assembled.order);
        } else {
            self.draw_assembled(core, registers, counters, records, assembled, hidden);
        }
    }

    /// Everything after the stages whose primitives are patches.
    pub(crate) fn draw_assembled(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: Records,
        assembled: Assembled,
        hidden: &Hidden,
    ) {
        if Self::is_on(registers, GEOMETRY) {
            self.geometry(core, registers, counters, &records, &assembled);
        } else {
            let room = self.vertex_buffers.acquire_shapes();
            let found = match hidden.counts(assembled.topology) {
                true => shapes_without(hidden, registers, &assembled, room),
                false => shapes(registers, &assembled, room),
            };
            if let (Ids::From(_), Some((_, last))) = (&assembled.ids, found.last()) {
                self.primitive = last.wrapping_add(1);
            }
            self.draw_streams(core, registers, counters, records, [found, Vec::new(), Vec::new(), Vec::new()]);
        }
        self.vertex_buffers.release_order(assembled.order);
    }

    /// Captures the shapes of all streams, and draws those of one.
    fn draw_streams(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: Records,
        streams: [Shapes; STREAMS],
    ) {
        let rasterised = r::set_raster_input::stream_select(registers.get(r::set_raster_input::ID)) as usize;
        self.count_output(registers, counters, streams.each_ref().map(|shapes| shapes.len() as u64), rasterised);
        self.feed_back(core, registers, counters, &records, &streams);
        if r::set_raster_enable::v(registers.get(r::set_raster_enable::ID)) {
            self.rasterise(core, registers, counters, records, &streams[rasterised]);
        }
        let [first, ..] = streams;
        self.vertex_buffers.release_shapes(first);
    }

    /// Runs the geometry program, and draws what it emits.
    fn geometry(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: &Records,
        assembled: &Assembled,
    ) -> Option<()> {
        let program = self.program(core, registers, GEOMETRY)?;
        if fields::GEOMETRY_PASSTHROUGH.is_set(&program.loaded.header.0) {
            let (records, passed) = self.pass_through(core, registers, counters, &program, records, assembled)?;
            let passed = shapes(registers, &passed, Shapes::new());
            self.draw_streams(core, registers, counters, records, [passed, Vec::new(), Vec::new(), Vec::new()]);
            return Some(());
        }
        let records = &*completed(records, &program.loaded);
        let header = program.loaded.header;
        let patch = r::set_patch::size(registers.get(r::set_patch::ID));
        let stage = GeometryStage {
            linkage: Linkage { stage: Stage::Geometry, inputs: records.set, outputs: outputs(&program.loaded) },
            vertices: assembly::vertices(assembled.topology, patch).clamp(1, 32),
            instances: header.threads_per_primitive().min(32),
            most: header.max_output_vertices().min(1024),
            max_words: MAX_EMITTED.min(core.max_part),
            program,
        };
        let (inputs, ids) = self.gather_primitives(records, assembled, patch);
        let runs = ids.len() as u64 * u64::from(stage.instances);
        let time = self.progress.time_of(GEOMETRY, stage.work(runs));
        if ids.is_empty() || !core.budget.spend(time) || !core.budget.charge(stage.fuel(runs)) {
            return None;
        }
        statistics::count(registers, counters, ReportKind::GsInvocations, 0, runs);
        let topology = match header.output_topology() {
            Some(OutputTopology::Points) | None => Topology::Points,
            Some(OutputTopology::LineStrip) => Topology::LineStrip,
            Some(OutputTopology::TriangleStrip) => Topology::TriangleStrip,
        };
        let mut pieces = stage.pieces(&inputs, &ids);
        let (mut rest, is_last) = (&mut pieces[..], self.progress.is_last);
        loop {
            let count = self.emit(core, &stage, rest);
            let (done, later) = std::mem::take(&mut rest).split_at_mut(count);
            rest = later;
            self.progress.is_last = is_last && rest.is_empty();
            let (records, streams) = join(topology, stage.linkage.outputs, done);
            let streams = streams.map(|stream| shapes(registers, &stream, Shapes::new()));
            self.draw_streams(core, registers, counters, records, streams);
            if rest.is_empty() || !self.begins_part(core) {
                return Some(());
            }
        }
    }

    /// The vertices of primitives as the geometry program reads them, and the primitives' numbers.
    fn gather_primitives(&mut self, records: &Records, assembled: &Assembled, patch: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut inputs, mut ids) = (Vec::new(), Vec::new());
        assembly::groups(assembled.topology, assembled.split, patch, &assembled.order, |group| {
            ids.push(assembled.ids.get(ids.len(), group.last().copied().unwrap_or(0)));
            group.iter().take(32).for_each(|&vertex| inputs.extend_from_slice(records.get(vertex)));
        });
        if let Ids::From(first) = assembled.ids {
            self.primitive = first.wrapping_add(ids.len() as u32);
        }
        (inputs, ids)
    }

    /// Runs the geometry program for pieces until they have emitted as much as is drawn at once, or until there is no
    /// fuel or too many programs had no end. Returns how many are done, at least one.
    fn emit(&mut self, core: &mut Core, stage: &GeometryStage, pieces: &mut [Piece<'_>]) -> usize {
        let (fuel, together) = (core.budget.fuel(), stage.together());
        let instructions = stage.program.loaded.instructions;
        let (mut done, mut used, mut emitted) = (0, 0, 0);
        self.run_stage(core, (GEOMETRY, 1), (&stage.program, stage.linkage), |core, handle, meter| {
            let environment = meter.environment;
            let run = |piece: &mut Piece<'_>| {
                let primitives = Primitives {
                    vertices: stage.vertices,
                    inputs: piece.inputs,
                    primitives: piece.ids,
                    instances: stage.instances,
                    most: stage.most.max(1),
                    records: &mut piece.records,
                    emits: &mut piece.emits,
                };
                handle.run(&mut ShaderJob { environment, work: Work::Primitives(primitives) });
            };
            let mut rest = pieces;
            while !rest.is_empty() && used <= fuel && emitted <= stage.max_words {
                let count = meter.runs(together * stage.runs()).div_ceil(stage.runs()).min(rest.len());
                if count == 0 {
                    break;
                }
                let (pieces, later) = std::mem::take(&mut rest).split_at_mut(count);
                rest = later;
                let primitives = pieces.iter().map(|piece| piece.ids.len() as u64).sum::<u64>();
                let cost = Duration::from_nanos(primitives * instructions * COST);
                core.renderer.scheduler.for_each_item(pieces.iter_mut().collect(), cost, run);
                let words = pieces.iter().map(|piece| piece.records.len()).sum::<usize>();
                let vertices = pieces.iter().map(|piece| piece.emits.len()).sum::<usize>();
                (done, emitted) = (done + pieces.len(), emitted + words);
                used += words as u64 + cost::VERTEX * vertices as u64;
            }
        });
        core.budget.charge(used);
        done
    }
}

/// A geometry program and how it is run.
struct GeometryStage {
    program: Arc<Program>,
    linkage: Linkage,
    /// Vertices of a primitive.
    vertices: u32,
    instances: u32,
    /// Vertices that a run may emit.
    most: u32,
    /// Words that may be emitted before they are drawn.
    max_words: usize,
}

impl GeometryStage {
    /// Instructions of so many runs, as the clock counts them.
    fn work(&self, runs: u64) -> u64 {
        runs * (self.program.loaded.instructions + u64::from(self.most))
    }

    /// What so many runs cost, but for the vertices that they emit.
    fn fuel(&self, runs: u64) -> u64 {
        runs * (cost::VERTEX + cost::INSTRUCTION * self.program.loaded.instructions)
    }

    /// Words that a primitive emits at most.
    fn max_emitted(&self) -> usize {
        self.instances as usize * self.most.max(1) as usize * self.linkage.outputs.len()
    }

    /// Primitives of a piece: not more than may be drawn at once, and few where a run may be long.
    fn piece(&self) -> usize {
        let most = if self.program.loaded.exceeds { LONG_RUNS / self.instances.max(1) as usize } else { PIECE };
        (self.max_words / self.max_emitted().max(1)).min(most).clamp(1, PIECE)
    }

    /// Runs of a piece.
    fn runs(&self) -> usize {
        self.piece() * self.instances.max(1) as usize
    }

    /// Pieces of primitives whose vertices and numbers these are.
    fn pieces<'a>(&self, inputs: &'a [u32], ids: &'a [u32]) -> Vec<Piece<'a>> {
        let piece = self.piece();
        let words = (piece * self.linkage.inputs.len() * self.vertices as usize).max(1);
        let both = inputs.chunks(words).zip(ids.chunks(piece));
        both.map(|(inputs, ids)| Piece { inputs, ids, records: Vec::new(), emits: Vec::new() }).collect()
    }

    /// Pieces at a time: as many as there is room for whatever they emit.
    fn together(&self) -> usize {
        if self.program.reach.writes {
            return 1;
        }
        (self.max_words / (self.piece() * self.max_emitted()).max(1)).max(1)
    }
}

/// Records with what a program reads of generics and texture coordinates but the stage before did not write: the fourth
/// component is 1, the others read 0 anyway.
pub(crate) fn completed<'r>(records: &'r Records, loaded: &Loaded) -> Cow<'r, Records> {
    let has_fourth = |word: u8| {
        let address = 4 * u32::from(word);
        let ranges =
            [attribute::GENERIC..attribute::FRONT_DIFFUSE, attribute::TEXTURE_COORDINATE..attribute::VIEWPORT_MASK];
        word % 4 == 3 && ranges.iter().any(|range| range.contains(&address))
    };
    let missing: WordSet =
        loaded.inputs.iter().filter(|&word| has_fourth(word) && !records.set.contains(word)).collect();
    if missing.is_empty() {
        return Cow::Borrowed(records);
    }
    let set = records.set.union(&missing);
    let vertices = records.words.len() / records.set.len().max(1);
    let mut words = Vec::with_capacity(vertices * set.len());
    for vertex in 0..vertices as u32 {
        let record = records.get(vertex);
        words.extend(set.iter().map(|word| records.set.index(word).map_or(1f32.to_bits(), |at| record[at])));
    }
    Cow::Owned(Records { words, set })
}

/// A part of the primitives and what came of them.
struct Piece<'a> {
    inputs: &'a [u32],
    ids: &'a [u32],
    records: Vec<u32>,
    emits: Vec<Emit>,
}

/// Puts the pieces together: records of all streams, and the order of each. Leaves nothing in them.
fn join(topology: Topology, set: WordSet, pieces: &mut [Piece<'_>]) -> (Records, [Assembled; STREAMS]) {
    let mut records = Records { words: Vec::new(), set };
    let mut orders: [Vec<u32>; STREAMS] = Default::default();
    let mut ids = Vec::new();
    for piece in pieces {
        records.words.extend_from_slice(&std::mem::take(&mut piece.records));
        let mut begun = ids.len();
        for emit in std::mem::take(&mut piece.emits) {
            match emit {
                Emit::Vertex { stream } => {
                    orders[usize::from(stream) % STREAMS].push(ids.len() as u32);
                    ids.push(0);
                }
                Emit::Cut { stream } => orders[usize::from(stream) % STREAMS].push(RESTART),
                Emit::End { primitive } => {
                    orders.iter_mut().for_each(|order| order.push(RESTART));
                    let id = piece.ids.get(primitive as usize).copied().unwrap_or(0);
                    ids[begun..].fill(id);
                    begun = ids.len();
                }
            }
        }
    }
    let streams =
        orders.map(|order| Assembled { topology, split: Split::NONE, order, ids: Ids::Vertices(ids.clone()) });
    (records, streams)
}

/// The shapes of vertices in order, in the empty list `found`. The triangles of a quad or a polygon have one number.
fn shapes(registers: &Registers, assembled: &Assembled, mut found: Shapes) -> Shapes {
    found.reserve(assembled.order.len());
    let Assembled { topology, split, order, ids } = assembled;
    // Of a polygon that is split the segment before has had the number.
    let continues = u32::from(*topology == Topology::Polygon && split.before);
    let mut begun = 0;
    assembly::shapes(*topology, *split, setup::provoking(registers), order, |shape| {
        begun += usize::from(begins(&shape));
        let id = ids.get(begun.saturating_sub(1), last_vertex(&shape));
        found.push((shape, id.wrapping_sub(continues)));
    });
    found
}

/// The same without edges that are hidden.
fn shapes_without(hidden: &Hidden, registers: &Registers, assembled: &Assembled, room: Shapes) -> Shapes {
    let position = |(position, &vertex): (usize, &u32)| if vertex == RESTART { RESTART } else { position as u32 };
    let order = assembled.order.iter().enumerate().map(position).collect();
    let mut found = shapes(registers, &Assembled { order, ids: assembled.ids.clone(), ..*assembled }, room);
    hidden.apply(&mut found);
    found.iter_mut().for_each(|(shape, _)| *shape = shape.map(|position| assembled.order[position as usize]));
    found
}

/// Whether a shape is the first one of its primitive: of those that polygons are cut into it alone has the edge between
/// their first two vertices.
fn begins(shape: &Shape) -> bool {
    !matches!(shape, Shape::Triangle { edges, .. } if edges & 1 == 0)
}

/// The words of the system values that choose viewport and layer.
pub(crate) const LAYER: u8 = (attribute::LAYER / 4) as u8;
pub(crate) const VIEWPORT: u8 = (attribute::VIEWPORT / 4) as u8;
pub(crate) const VIEWPORT_MASK: u8 = (attribute::VIEWPORT_MASK / 4) as u8;
