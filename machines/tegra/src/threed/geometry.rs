//! From shaded vertices to primitives: patches, the geometry program, streams.

use std::borrow::Cow;
use std::time::Duration;

use triglyph_guest::kernel::program::stage::{Emit, Primitives, ShaderJob, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::program::{OutputTopology, attribute, fields};
use triglyph_guest::tegra::methods::threed::{ReportKind, Topology, regs as r};

use super::edges::Hidden;
use super::program::Loaded;
use super::shapes::Shapes;
use super::stage::{GEOMETRY, Linkage, MOST_WORDS, Records, affordable, is_endless, outputs};
use super::{ThreeD, assembly, setup, statistics};
use crate::core::Core;
use crate::registers::Registers;
use crate::report::{Counters, STREAMS};
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::{RESTART, Shape};
use triglyph_engine::frontend::budget::cost;

/// Primitives of one piece of a geometry program's work.
const PIECE: usize = 32;
/// Nanoseconds that an instruction of a primitive takes, roughly.
const COST: u64 = 20;

/// Vertices in drawing order, and numbers of their primitives.
#[derive(Clone, Debug)]
pub(super) struct Assembled {
    /// How they form primitives.
    pub topology: Topology,
    /// Numbers of records, [`RESTART`] between primitives.
    pub order: Vec<u32>,
    /// Numbers of the primitives.
    pub ids: Ids,
}

/// Numbers of primitives.
#[derive(Clone, Debug)]
pub(super) enum Ids {
    /// One more for each.
    From(u32),
    /// Given.
    Each(Vec<u32>),
    /// That of the primitive's last vertex.
    Vertices(Vec<u32>),
}

impl Ids {
    pub(super) fn get(&self, index: usize, last_vertex: u32) -> u32 {
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
    /// Everything behind the vertex programs.
    pub(super) fn draw_vertices(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        topology: Topology,
        records: Records,
        (order, hidden): (Vec<u32>, Hidden),
    ) {
        let (records, assembled) = if topology == Topology::Patches {
            match self.tessellate(core, registers, counters, records, &order) {
                Some(found) => found,
                None => return,
            }
        } else {
            (records, Assembled { topology, order, ids: Ids::From(self.primitive) })
        };
        let (records, streams) = if Self::is_on(registers, GEOMETRY) {
            match self.geometry(core, registers, counters, &records, &assembled) {
                Some((records, streams)) => (records, streams.map(|stream| shapes(registers, &stream, Shapes::new()))),
                None => return,
            }
        } else {
            let mut found = shapes(registers, &assembled, self.rooms.take_shapes());
            hidden.apply(topology, &mut found);
            if let (Ids::From(_), Some((_, last))) = (&assembled.ids, found.last()) {
                self.primitive = last.wrapping_add(1);
            }
            (records, [found, Vec::new(), Vec::new(), Vec::new()])
        };
        let rasterised = r::set_raster_input::stream_select(registers.get(r::set_raster_input::ID)) as usize;
        self.count_output(registers, counters, streams.each_ref().map(|shapes| shapes.len() as u64), rasterised);
        self.feed_back(core, registers, counters, &records, &streams);
        if r::set_raster_enable::v(registers.get(r::set_raster_enable::ID)) {
            self.rasterise(core, registers, counters, records, &streams[rasterised]);
        }
        let [first, ..] = streams;
        self.rooms.keep_shapes(first);
        self.rooms.keep_order(assembled.order);
    }

    /// Runs the geometry program. Of each stream the vertices that were emitted to it.
    fn geometry(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: &Records,
        assembled: &Assembled,
    ) -> Option<(Records, [Assembled; STREAMS])> {
        let program = self.program(core, registers, GEOMETRY)?;
        if fields::GEOMETRY_PASSTHROUGH.is_set(&program.loaded.header.0) {
            let (records, passed) = self.pass_through(core, registers, counters, &program, records, assembled)?;
            let none = || Assembled { topology: Topology::Points, order: Vec::new(), ids: Ids::Each(Vec::new()) };
            return Some((records, [passed, none(), none(), none()]));
        }
        let records = &*completed(records, &program.loaded);
        let header = program.loaded.header;
        let patch = r::set_patch::size(registers.get(r::set_patch::ID));
        let vertices = assembly::vertices(assembled.topology, patch).clamp(1, 32);
        // A vertex is in as many primitives as a primitive has vertices, at most.
        if !affordable(core, assembled.order.len() * vertices as usize, records.set.len()) {
            return None;
        }
        let mut inputs: Vec<u32> = Vec::new();
        let mut ids = Vec::new();
        assembly::groups(assembled.topology, patch, &assembled.order, |group| {
            ids.push(assembled.ids.get(ids.len(), group.last().copied().unwrap_or(0)));
            group.iter().take(32).for_each(|&vertex| inputs.extend_from_slice(records.get(vertex)));
        });
        if let Ids::From(first) = assembled.ids {
            self.primitive = first.wrapping_add(ids.len() as u32);
        }
        let instances = header.threads_per_primitive().min(32);
        let most = header.max_output_vertices().min(1024);
        let runs = ids.len() as u64 * u64::from(instances);
        let work = runs * (program.loaded.instructions + u64::from(most));
        let fuel = runs * (cost::VERTEX + cost::INSTRUCTION * program.loaded.instructions);
        if ids.is_empty() || !core.budget.spend(work / 4) || !core.budget.charge(fuel) {
            return None;
        }
        let set = outputs(&program.loaded);
        let stride = records.set.len() * vertices as usize;
        let mut pieces: Vec<Piece<'_>> = inputs
            .chunks((PIECE * stride).max(1))
            .zip(ids.chunks(PIECE))
            .map(|(inputs, ids)| Piece { inputs, ids, records: Vec::new(), emits: Vec::new() })
            .collect();
        let serial = program.reach.writes;
        let (mut full, mut used, fuel) = (false, 0, core.budget.fuel());
        let instructions = program.loaded.instructions;
        let linkage = Linkage { stage: Stage::Geometry, inputs: records.set, outputs: set };
        self.codes.run(core, &program, linkage, |core, handle, environment| {
            let run = |piece: &mut Piece<'_>| {
                let primitives = Primitives {
                    vertices,
                    inputs: piece.inputs,
                    primitives: piece.ids,
                    instances,
                    most: most.max(1),
                    records: &mut piece.records,
                    emits: &mut piece.emits,
                };
                handle.run(&mut ShaderJob { environment, work: Work::Primitives(primitives) });
            };
            // As many pieces at a time as there is room for whatever they emit.
            let largest = PIECE * instances as usize * most.max(1) as usize * set.len();
            let together = if serial { 1 } else { (MOST_WORDS / largest).clamp(1, pieces.len()) };
            let mut emitted = 0;
            for pieces in pieces.chunks_mut(together) {
                if used > fuel || is_endless(&environment) {
                    break;
                }
                if emitted > MOST_WORDS {
                    full = true;
                    break;
                }
                let cost = Duration::from_nanos((pieces.len() * PIECE) as u64 * instructions * COST);
                core.renderer.scheduler.for_each_item(pieces.iter_mut().collect(), cost, run);
                let words = pieces.iter().map(|piece| piece.records.len()).sum::<usize>();
                let vertices = pieces.iter().map(|piece| piece.emits.len()).sum::<usize>();
                emitted += words;
                used += words as u64 + cost::VERTEX * vertices as u64;
            }
        });
        core.budget.charge(used);
        if full {
            let what = format_args!("a geometry program emits more than {MOST_WORDS} words");
            core.fault(FaultKind::OutOfFuel, GEOMETRY as u64, what);
        }
        statistics::count(registers, counters, ReportKind::GsInvocations, 0, ids.len() as u64 * u64::from(instances));
        let topology = match header.output_topology() {
            Some(OutputTopology::Points) | None => Topology::Points,
            Some(OutputTopology::LineStrip) => Topology::LineStrip,
            Some(OutputTopology::TriangleStrip) => Topology::TriangleStrip,
        };
        Some(join(topology, set, &pieces))
    }
}

/// Records with what a program reads of generics and texture coordinates but the stage before did not write: the fourth
/// component is 1, the others read 0 anyway.
pub(super) fn completed<'r>(records: &'r Records, loaded: &Loaded) -> Cow<'r, Records> {
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

/// Puts the pieces together: records of all streams, and the order of each.
fn join(topology: Topology, set: WordSet, pieces: &[Piece<'_>]) -> (Records, [Assembled; STREAMS]) {
    let mut records = Records { words: Vec::new(), set };
    let mut orders: [Vec<u32>; STREAMS] = Default::default();
    let mut ids = Vec::new();
    for piece in pieces {
        records.words.extend_from_slice(&piece.records);
        let mut begun = ids.len();
        for emit in &piece.emits {
            match *emit {
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
    let streams = orders.map(|order| Assembled { topology, order, ids: Ids::Vertices(ids.clone()) });
    (records, streams)
}

/// The shapes of vertices in order, in the empty list `found`. The triangles of a quad or a polygon have one number.
fn shapes(registers: &Registers, assembled: &Assembled, mut found: Shapes) -> Shapes {
    found.reserve(assembled.order.len());
    let mut begun = 0;
    assembly::shapes(assembled.topology, setup::provoking(registers), &assembled.order, |shape| {
        begun += usize::from(begins(&shape));
        let id = assembled.ids.get(begun.saturating_sub(1), last_vertex(&shape));
        found.push((shape, id));
    });
    found
}

/// Whether a shape is the first one of its primitive: of those that polygons are cut into it alone has the edge between
/// their first two vertices.
fn begins(shape: &Shape) -> bool {
    !matches!(shape, Shape::Triangle { edges, .. } if edges & 1 == 0)
}

/// The words of the system values that choose viewport and layer.
pub(super) const LAYER: u8 = (attribute::LAYER / 4) as u8;
pub(super) const VIEWPORT: u8 = (attribute::VIEWPORT / 4) as u8;
pub(super) const VIEWPORT_MASK: u8 = (attribute::VIEWPORT_MASK / 4) as u8;
