//! The geometry stage: vertices of a draw become primitives of a geometry program (3dbrew: GPU/Internal Registers,
//! geometry unit).

use triglyph_guest::kernel::geometry::{GeometryInputs, GeometryJob, GeometryKey, GeometryOutput, GeometryPrimitive};
use triglyph_guest::kernel::vertex::{OutputMap, Program, SCREEN};
use triglyph_guest::pica::regs;

use super::geometry_unit::GeometryUnit;
use crate::class_3d::state::output_map::{attributes, output_map};
use crate::class_3d::state::vertex;
use crate::class_3d::{Host, Pica};
use crate::front_end::registers::Registers;
use triglyph_engine::cache::{Handle, Kernels, kinds};
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::Shaded;
use triglyph_engine::frontend::budget::cost;

/// How vertices are fed to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feed {
    /// Attributes of successive vertices fill so many input registers.
    Point { entries: usize },
    /// An index before the vertices says how many there are; the first ones store all attributes, the others only
    /// the first, from c1 on, c0 is the number.
    Variable { main: usize },
    /// So many vertices store so many attributes each, from a register on.
    Fixed { vertices: usize, attributes: usize, register: u32 },
}

/// Derived for each draw: b15, which is part of the key, may have changed.
#[derive(Debug)]
struct Setup {
    handle: Handle<kinds::Geometry>,
    outputs: OutputMap,
    feed: Feed,
    /// Attributes of each vertex.
    attributes: usize,
}

/// EMITs of one primitive that count. A program of 4096 words has no use for more.
const LIMIT: u32 = 8192;

/// Vertices on their way to a geometry program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feeding<'a> {
    /// Their numbers among the shaded ones.
    pub(crate) order: &'a [u32],
    /// Vertices of each primitive from an index buffer, with [`Feed::Variable`].
    pub(crate) counts: Option<&'a [usize]>,
    /// More may follow that belong to the same primitives.
    pub(crate) goes_on: bool,
}

fn feed(registers: &Registers) -> Option<Feed> {
    let word = registers.get(regs::gsh_misc0::ID);
    let config = registers.get(regs::gsh_input_config::ID);
    match regs::gsh_misc0::mode(word) {
        Some(regs::GeometryInput::Point) => {
            Some(Feed::Point { entries: regs::gsh_input_config::inputs_minus_1(config) as usize + 1 })
        }
        Some(regs::GeometryInput::Variable) => Some(Feed::Variable {
            main: regs::gsh_misc1::main_minus_1(registers.get(regs::gsh_misc1::ID)) as usize + 1,
        }),
        Some(regs::GeometryInput::Fixed) => Some(Feed::Fixed {
            vertices: regs::gsh_misc0::fixed_minus_1(word) as usize + 1,
            attributes: regs::gsh_misc0::stride_minus_1(word) as usize + 1,
            register: regs::gsh_misc0::first_uniform(word),
        }),
        _ => None,
    }
}

impl Setup {
    /// `None` for a mode that does not exist.
    fn new(pica: &mut Pica, kernels: &Kernels, keeps_registers: bool) -> Option<Self> {
        let registers = &pica.registers;
        let feed = feed(registers)?;
        let inputs = match feed {
            Feed::Point { entries } => GeometryInputs::Registers(permutation(registers, entries)),
            _ => GeometryInputs::Uniforms,
        };
        let mask = regs::gsh_outmap_mask::mask(registers.get(regs::gsh_outmap_mask::ID));
        let entry = regs::gsh_entry::offset(registers.get(regs::gsh_entry::ID)) as u16;
        let key = GeometryKey {
            outputs: output_map(registers, mask, Vec::new()),
            user_clip: vertex::user_clip(registers),
            inputs,
            keeps_registers,
            program: Program::Pica(pica.geometry_unit.program(entry)),
        };
        let attributes = attributes(&pica.registers);
        Some(Setup { handle: kernels.geometry(&key), outputs: key.outputs, feed, attributes })
    }
}

/// Input registers of the first `entries` values.
fn permutation(registers: &Registers, entries: usize) -> Vec<u8> {
    let nibbles =
        u64::from(registers.get(regs::gsh_perm_hi::ID)) << 32 | u64::from(registers.get(regs::gsh_perm_lo::ID));
    (0..entries).map(|i| (nibbles >> (4 * i) & 15) as u8).collect()
}

/// Values of the primitives of a draw.
#[derive(Debug, Default)]
struct Primitives {
    list: Vec<GeometryPrimitive>,
    values: Vec<[f32; 4]>,
}

impl Primitives {
    /// Primitives of `size` values each.
    fn equal(values: Vec<[f32; 4]>, size: usize, register: u32) -> Primitives {
        let begins = (0..values.len() as u32).step_by(size);
        let list = begins.map(|first| GeometryPrimitive { first, count: size as u32, register }).collect();
        Primitives { list, values }
    }
}

/// What an index buffer means to the geometry stage.
#[derive(Debug)]
pub(crate) struct Indices {
    /// Indices of vertices, in order.
    pub(crate) vertices: Vec<u32>,
    /// Vertices of each primitive, with [`Feed::Variable`].
    pub(crate) counts: Vec<usize>,
}

/// Takes the vertex counts out of an index buffer. A primitive that the buffer ends in does not count.
pub(crate) fn split_counts(indices: &[u32]) -> Indices {
    let mut out = Indices { vertices: Vec::with_capacity(indices.len()), counts: Vec::new() };
    let mut rest = indices;
    while let Some((&count, after)) = rest.split_first() {
        let Some((vertices, next)) = after.split_at_checked(count as usize) else { break };
        out.vertices.extend_from_slice(vertices);
        out.counts.push(vertices.len());
        rest = next;
    }
    out
}

/// Whether the index buffer holds vertex counts.
pub(crate) fn counted(registers: &Registers) -> bool {
    matches!(feed(registers), Some(Feed::Variable { .. }))
}

impl Pica {
    /// Runs the geometry program over shaded vertices. `None` when there is nothing to draw.
    pub(crate) fn run_geometry(
        &mut self,
        host: &mut Host<'_>,
        vertices: &Shaded,
        feeding: Feeding<'_>,
    ) -> Option<(Shaded, GeometryOutput)> {
        let Some(setup) = Setup::new(self, &host.renderer.kernels, feeding.goes_on) else {
            self.fault(
                host,
                FaultKind::BadMethod,
                self.registers.get(regs::gsh_misc0::ID).into(),
                "GSH_MISC0: the geometry mode does not exist",
            );
            return None;
        };
        let mut stage = std::mem::take(&mut self.stage);
        let primitives = primitives(setup.feed, setup.attributes, vertices, feeding, &mut stage);
        let entry = regs::gsh_entry::offset(self.registers.get(regs::gsh_entry::ID)) as u16;
        let run = cost::PRIMITIVE + cost::INSTRUCTION * u64::from(self.geometry_unit.worst_case_steps(entry));
        let count = primitives.list.len();
        if !host.budget.charge(run * count as u64) {
            self.fault(
                host,
                FaultKind::OutOfFuel,
                count as u64,
                format_args!("a geometry program for {count} primitives exceeds the budget of the command list"),
            );
            return None;
        }
        let mut out = stage.begin();
        let kept = out.clip.len() as u32;
        let room = self.vertices_left.min(self.limits.draw_vertices.into()).min(host.budget.fuel() / cost::VERTEX);
        let mut job = GeometryJob {
            uniforms: &mut self.geometry_unit.uniforms,
            constants: vertex::constants(&self.registers),
            primitives: &primitives.list,
            values: &primitives.values,
            state: &mut stage.state,
            limit: LIMIT,
            room: kept + room as u32,
            exhausted: 0,
            out: &mut out,
        };
        setup.handle.run(&mut job);
        let (room, exhausted) = (job.room, job.exhausted);
        if !primitives.list.is_empty() {
            // The next draw's key has another value of b15.
            self.geometry_unit.bools |= 1 << 15;
        }
        let full = out.clip.len() as u32 >= room;
        self.charge(host, (out.clip.len() as u32).saturating_sub(kept), full, exhausted);
        let shaded = Shaded {
            exhausted: 0,
            records: std::mem::take(&mut out.records),
            clip: std::mem::take(&mut out.clip),
            stride: setup.outputs.stride(),
            groups: Shaded::groups_of(&setup.outputs),
        };
        if feeding.goes_on {
            stage.end(&shaded);
            self.stage = stage;
        }
        Some((shaded, out))
    }

    /// Takes emitted vertices, and programs without end, from what a list may do.
    fn charge(&mut self, host: &mut Host<'_>, vertices: u32, full: bool, exhausted: u32) {
        self.vertices_left = self.vertices_left.saturating_sub(vertices.into());
        host.budget.charge(cost::VERTEX * u64::from(vertices));
        if full {
            self.fault(
                host,
                FaultKind::OutOfFuel,
                vertices.into(),
                format_args!("a geometry program stopped after {vertices} emitted vertices, the limit of a draw"),
            );
        }
        self.charge_endless(host, "geometry", exhausted);
    }
}

/// Distributes vertices over primitives.
fn primitives(
    feed: Feed,
    attributes: usize,
    shaded: &Shaded,
    feeding: Feeding<'_>,
    stage: &mut GeometryUnit,
) -> Primitives {
    let values = |vertex: u32, count: usize| {
        let record = &shaded.record(vertex)[SCREEN..];
        (0..count).map(move |k| match record.get(4 * k..4 * k + 4) {
            Some(value) => [value[0], value[1], value[2], value[3]],
            None => [0.0; 4],
        })
    };
    match feed {
        Feed::Point { entries } => {
            let all = feeding.order.iter().flat_map(|&vertex| values(vertex, attributes));
            Primitives::equal(stage.cut(all, entries), entries, 0)
        }
        Feed::Fixed { vertices, attributes: stored, register } => {
            let stored = stored.min(attributes);
            let all = feeding.order.iter().flat_map(|&vertex| values(vertex, stored));
            Primitives::equal(stage.cut(all, vertices * stored), vertices * stored, register)
        }
        Feed::Variable { main } => {
            let (mut out, mut rest) = (Primitives::default(), feeding.order);
            for &count in feeding.counts.unwrap_or_default() {
                let (now, later) = rest.split_at(count.min(rest.len()));
                rest = later;
                let first = out.values.len();
                out.values.push([count as f32; 4]);
                for (i, &vertex) in now.iter().enumerate() {
                    out.values.extend(values(vertex, if i < main { attributes } else { 1 }));
                }
                let count = (out.values.len() - first) as u32;
                out.list.push(GeometryPrimitive { first: first as u32, count, register: 0 });
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaded(vertices: usize, attributes: usize) -> Shaded {
        let mut records = Vec::new();
        for vertex in 0..vertices {
            records.extend([0.0; SCREEN]);
            (0..attributes).for_each(|a| records.extend([(10 * vertex + a) as f32; 4]));
        }
        Shaded { exhausted: 0, records, clip: vec![0; vertices], stride: SCREEN + 4 * attributes, groups: u32::MAX }
    }

    fn first_components(primitives: &Primitives) -> Vec<Vec<f32>> {
        let of = |p: &GeometryPrimitive| &primitives.values[p.first as usize..][..p.count as usize];
        primitives.list.iter().map(|p| of(p).iter().map(|v| v[0]).collect()).collect()
    }

    fn feeding<'a>(order: &'a [u32], counts: Option<&'a [usize]>) -> Feeding<'a> {
        Feeding { order, counts, goes_on: false }
    }

    #[test]
    fn points_fill_registers() {
        let found = primitives(
            Feed::Point { entries: 4 },
            2,
            &shaded(5, 2),
            feeding(&[0, 1, 2, 3, 4], None),
            &mut GeometryUnit::default(),
        );
        assert_eq!(first_components(&found), [[0.0, 1.0, 10.0, 11.0], [20.0, 21.0, 30.0, 31.0]]);
    }

    #[test]
    fn variable_primitives_carry_their_count() {
        let split = split_counts(&[3, 7, 8, 9, 2, 5, 6, 4, 1]);
        assert_eq!(split.vertices, [7, 8, 9, 5, 6]);
        assert_eq!(split.counts, [3, 2]);
        let feeding = feeding(&[0, 1, 2, 3, 4], Some(&split.counts));
        let found = primitives(Feed::Variable { main: 1 }, 2, &shaded(5, 2), feeding, &mut GeometryUnit::default());
        assert_eq!(first_components(&found), [vec![3.0, 0.0, 1.0, 10.0, 20.0], vec![2.0, 30.0, 31.0, 40.0]]);
    }

    #[test]
    fn fixed_primitives_start_at_their_register() {
        let feed = Feed::Fixed { vertices: 2, attributes: 1, register: 67 };
        let found = primitives(feed, 1, &shaded(5, 1), feeding(&[0, 1, 2, 3, 4], None), &mut GeometryUnit::default());
        assert_eq!(first_components(&found), [[0.0, 10.0], [20.0, 30.0]]);
        assert_eq!(found.list[1].register, 67);
    }
}
