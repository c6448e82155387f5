//! Which vertices a draw has, and in which order.

use triglyph_guest::tegra::methods::threed::{D3dTopology, IndexSize, Topology, regs as r};

use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::{RESTART, Segment, Segments, Sharing};
use triglyph_engine::frontend::budget::cost;

/// What fetching a vertex costs, in nanoseconds of the clock.
const VERTEX: u64 = 16;

/// Vertices that one draw may have.
pub(crate) const MAX_VERTICES: u32 = 1 << 24;

/// Numbers of vertices in drawing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// So many from the first one on. [`RESTART`] is none of them.
    Sequence { first: u32, count: u32 },
    /// Any numbers, and [`RESTART`] between primitives.
    List(Vec<u32>),
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers::List(Vec::new())
    }
}

impl Numbers {
    /// How many there are, [`RESTART`] counted.
    pub(crate) fn len(&self) -> usize {
        match self {
            Numbers::Sequence { count, .. } => *count as usize,
            Numbers::List(list) => list.len(),
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As a list, which is made in `room` if there is none.
    pub(crate) fn into_list(self, room: impl FnOnce() -> Vec<u32>) -> Vec<u32> {
        match self {
            Numbers::Sequence { first, count } => {
                let mut list = room();
                list.extend(first..first + count);
                list
            }
            Numbers::List(list) => list,
        }
    }

    /// Segments of at most so many vertices.
    pub(crate) fn segments(&self, sharing: Sharing, most: usize) -> Segments<'_> {
        match self {
            Numbers::Sequence { count, .. } => Segments::without_restarts(*count as usize, sharing, most),
            Numbers::List(list) => Segments::new(list, sharing, most),
        }
    }

    /// Adds the numbers of a segment to `out`.
    pub(crate) fn copy(&self, segment: &Segment, out: &mut Vec<u32>) {
        match self {
            Numbers::Sequence { first, .. } => out.extend(segment.places().map(|place| first + place as u32)),
            Numbers::List(list) => segment.copy(list, out),
        }
    }
}

/// Bytes of the room for index buffers and streams that are kept from draw to draw.
const MAX_ROOM: usize = 8 << 20;

/// The vertices of a draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    /// Numbers before any base.
    pub numbers: Numbers,
    /// Added to a number for the element of streams.
    pub base: u32,
    /// Added to a number for the number that programs see.
    pub id_offset: u32,
    /// Whether numbers may repeat.
    pub indexed: bool,
}

/// Vertices one after another. `room` gives an empty list.
pub(crate) fn array(
    core: &mut Core,
    registers: &Registers,
    (start, count): (u32, u32),
    room: impl FnOnce() -> Vec<u32>,
) -> Order {
    let count = limited(core, count);
    let restarts =
        r::set_da_primitive_restart_vertex_array::enable(registers.get(r::set_da_primitive_restart_vertex_array::ID));
    // Drivers leave that on; few arrays have a number that restarts.
    let has_restart = restarts && restart_index(registers).is_some_and(|index| index.wrapping_sub(start) < count);
    let numbers = if has_restart || start.checked_add(count).is_none() {
        let mut numbers = room();
        numbers.extend((0..count).map(|i| start.wrapping_add(i)));
        if restarts {
            restart(registers, &mut numbers);
        }
        Numbers::List(numbers)
    } else {
        Numbers::Sequence { first: start, count }
    };
    let includes_start = r::set_da_output::vertex_id_uses_array_start(registers.get(r::set_da_output::ID));
    let id_base = registers.get(r::set_vertex_id_base::ID);
    let id_offset = if includes_start { id_base } else { id_base.wrapping_sub(start) };
    Order { numbers, base: 0, id_offset, indexed: false }
}

/// Numbers as they came, or from an index buffer.
pub(crate) fn indexed(registers: &Registers, mut numbers: Vec<u32>) -> Order {
    restart(registers, &mut numbers);
    Order {
        numbers: Numbers::List(numbers),
        base: registers.get(r::set_global_base_vertex_index::ID),
        id_offset: registers.get(r::set_vertex_id_base::ID),
        indexed: true,
    }
}

/// `count` vertices that all have number 0.
pub(crate) fn zeros(core: &mut Core, registers: &Registers, count: u32) -> Order {
    let count = limited(core, count);
    indexed(registers, vec![0; count as usize])
}

/// Indices from the index buffer, in the empty list `numbers`; `raw` is room for the buffer. Those beyond its limit are
/// 0.
pub(crate) fn buffer(
    core: &mut Core,
    registers: &Registers,
    (size, first, count): (IndexSize, u32, u32),
    mut numbers: Vec<u32>,
    raw: &mut Vec<u8>,
) -> Order {
    let count = limited(core, count);
    let bytes = match size {
        IndexSize::OneByte => 1,
        IndexSize::TwoBytes => 2,
        IndexSize::FourBytes => 4,
    };
    let start = registers.address(r::set_index_buffer_a::ID);
    let limit = registers.address(r::set_index_buffer_c::ID);
    let address = start.wrapping_add(u64::from(first) * bytes) & ADDRESS_MASK;
    let room = (limit + 1).saturating_sub(address) / bytes;
    let present = u64::from(count).min(room) as usize;
    raw.clear();
    raw.resize(present * bytes as usize, 0);
    core.read_bytes(address, raw, "an index buffer");
    match size {
        IndexSize::OneByte => numbers.extend(raw.iter().map(|&byte| u32::from(byte))),
        IndexSize::TwoBytes => {
            numbers.extend(raw.as_chunks().0.iter().map(|&pair| u32::from(u16::from_le_bytes(pair))))
        }
        IndexSize::FourBytes => numbers.extend(raw.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word))),
    }
    numbers.resize(count as usize, 0);
    if raw.capacity() > MAX_ROOM {
        *raw = Vec::new();
    }
    indexed(registers, numbers)
}

/// How many of `count` vertices a draw has: none if the budget has not enough for them, because the room for their
/// numbers takes time as well.
fn limited(core: &mut Core, count: u32) -> u32 {
    if count > MAX_VERTICES {
        core.fault(
            FaultKind::BadMethod,
            count.into(),
            format_args!("a draw of {count} vertices exceeds {MAX_VERTICES}"),
        );
    }
    let count = count.min(MAX_VERTICES);
    let (time, fuel) = draw_cost(count.into());
    if time + fuel <= core.budget.fuel() {
        return count;
    }
    core.budget.spend_at(time, time + fuel);
    0
}

/// Takes from the budget what vertices cost before they are shaded. Whether it had that.
pub(crate) fn charge(core: &mut Core, order: &Order) -> bool {
    let (time, fuel) = draw_cost(order.numbers.len() as u64);
    core.budget.spend(time) && core.budget.charge(fuel)
}

/// What a draw of so many vertices costs before they are shaded: nanoseconds of the clock, and fuel besides.
fn draw_cost(count: u64) -> (u64, u64) {
    (VERTEX * count, cost::DRAW + cost::VERTEX * count)
}

/// Replaces the index that restarts. Number [`RESTART`] itself is such a large one that no stream has it; it is only
/// taken for a restart if it is one.
fn restart(registers: &Registers, numbers: &mut [u32]) {
    let index = restart_index(registers);
    for number in numbers.iter_mut() {
        if index == Some(*number) {
            *number = RESTART;
        } else if *number == RESTART {
            *number = RESTART - 1;
        }
    }
}

/// The index that restarts, if one does.
fn restart_index(registers: &Registers) -> Option<u32> {
    let enabled = r::set_da_primitive_restart::enable(registers.get(r::set_da_primitive_restart::ID));
    enabled.then(|| registers.get(r::set_da_primitive_restart_index::ID))
}

/// The topology of a draw: that of BEGIN, unless a register says otherwise.
pub(crate) fn topology(registers: &Registers, of_begin: Option<Topology>) -> Option<Topology> {
    if registers.get(r::set_primitive_topology_control::ID) & 1 == 0 {
        return of_begin;
    }
    use D3dTopology as D;
    let word = registers.get(r::set_primitive_topology::ID);
    if word == 0 {
        return of_begin;
    }
    Some(match r::set_primitive_topology::v(word)? {
        D::Points | D::LegacyPoints => Topology::Points,
        D::Lines | D::LegacyIndexedLines | D::LegacyLines | D::LegacyImmediateLines | D::LegacyIndexedLines2 => {
            Topology::Lines
        }
        D::LineStrip | D::LegacyLineStrip | D::LegacyIndexedLineStrip => Topology::LineStrip,
        D::Triangles | D::LegacyIndexedTriangles | D::LegacyTriangles | D::LegacyIndexedTriangles2 => {
            Topology::Triangles
        }
        D::TriangleStrip | D::LegacyTriangleStrip | D::LegacyIndexedTriangleStrip => Topology::TriangleStrip,
        D::LegacyTriangleFan | D::LegacyIndexedTriangleFan | D::LegacyImmediateTriangleFan => Topology::TriangleFan,
        D::LinesAdjacency => Topology::LinesAdjacency,
        D::LineStripAdjacency => Topology::LineStripAdjacency,
        D::TrianglesAdjacency => Topology::TrianglesAdjacency,
        D::TriangleStripAdjacency => Topology::TriangleStripAdjacency,
        D::Patches => Topology::Patches,
    })
}
