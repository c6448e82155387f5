//! The PICA200 as command lists see it: registers, shader units, vertex input, draws.
//!
//! ```text
//! front_end/: list ─► packets ─► write_register ─┬─► storage, dirty groups
//!                                                ├─► ports: uniforms, code, tables        (upload.rs)
//!                                                ├─► immediate vertices, draws            (draw/)
//!                                                └─► interrupt, jumps                     (list.rs)
//! draw/: dirty groups ─► vertex key + pixel key + setup (state/) ─► renderer
//! ```

#[cfg(test)]
mod disputed;
pub(crate) mod draw;
pub(crate) mod programs;
mod saved;
pub(crate) mod state;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use triglyph_guest::kernel::pixel::FogTable;
use triglyph_guest::kernel::vertex::{Numbers, VertexKey};
use triglyph_guest::pica::regs::{self, Effect, dirty};

use crate::front_end::registers::Registers;
pub use crate::front_end::running_list::ListEnd;
use crate::front_end::running_list::RunningList;
use draw::geometry_unit::GeometryUnit;
use draw::immediate::Immediate;
use programs::unit::ShaderUnit;
pub(super) use saved::{SavedList, SavedPica};
use state::known_states::KnownStates;
use state::light_tables::LightTables;
use state::pixel::{PixelPools, PixelState};
use state::procedural_tables::ProceduralTables;
use state::vertex::VertexState;
use triglyph_engine::cache::{Handle, Recent, kinds};
use triglyph_engine::device::{FaultKind, FaultLog};
use triglyph_engine::draw::Assembler;
use triglyph_engine::frontend::budget::{Budget, cost};
use triglyph_engine::frontend::packet_trace::PacketTraces;
use triglyph_engine::frontend::{DeriveContext, Derived};
use triglyph_engine::mem::{Epoch, Memory};
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::Fixed;

/// What the PICA200 works on.
pub struct Host<'a> {
    /// Guest memory.
    pub memory: &'a Memory,
    /// The renderer.
    pub renderer: &'a mut Renderer<Fixed>,
    /// Where faults go.
    pub faults: &'a mut FaultLog,
    /// What bounds a run, and time.
    pub budget: &'a mut Budget,
}

impl DeriveContext for Host<'_> {
    #[inline]
    fn state_cache_disabled(&self) -> bool {
        self.renderer.state_cache_disabled()
    }

    /// State of the PICA200 is derived without faults.
    #[inline]
    fn fault_count(&self) -> u64 {
        0
    }
}

/// Work that guest-made numbers may ask for, so that nothing runs without bound.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Words of command lists from one start, jumps included.
    pub list_words: u64,
    /// Vertices of one draw.
    pub draw_vertices: u32,
    /// Vertices from one start of a list.
    pub list_vertices: u64,
}

impl Default for Limits {
    fn default() -> Self {
        // A frame of the largest titles has some hundred thousand words and vertices.
        Limits { list_words: 1 << 26, draw_vertices: 1 << 20, list_vertices: 1 << 22 }
    }
}

/// Words of code that the vertex units hold.
const VERTEX_WORDS: usize = 512;
/// Words of code that the geometry unit holds.
const GEOMETRY_WORDS: usize = 4096;

/// The state of a PICA200.
#[derive(Debug)]
pub struct Pica {
    pub(crate) registers: Registers,
    pub(crate) vertex_unit: ShaderUnit,
    pub(crate) geometry_unit: ShaderUnit,
    pub(crate) fixed_attributes: [[f32; 4]; 16],
    pub(crate) fog: Arc<FogTable>,
    pub(crate) fog_raw: Box<[u32; 128]>,
    pub(crate) light_tables: LightTables,
    pub(crate) procedural_tables: ProceduralTables,
    pub(crate) gas_table: [u32; 16],
    /// The largest density drawn since accumulation began.
    densest: Arc<AtomicU32>,
    pub(crate) assembler: Assembler,
    pub(crate) immediate: Immediate,
    /// The geometry unit between immediate vertices that belong together.
    pub(crate) stage: GeometryUnit,
    pixel: Derived<Arc<PixelState>>,
    pub(crate) known_states: KnownStates,
    vertex: Derived<VertexState>,
    kernels: RecentKernels,
    pixel_pools: PixelPools,
    lists: draw::Lists,
    /// When it was made sure that what is mapped is what it was.
    mapped: Epoch,
    pub(crate) limits: Limits,
    /// Vertices still allowed for the list in progress.
    pub(crate) vertices_left: u64,
    /// Byte offset of the word being executed, for faults.
    pub(crate) position: u64,
    /// Whether the list in progress raised P3D.
    pub(crate) interrupted: bool,
    /// Jump asked for by a write, as (address, bytes).
    pub(crate) jump: Option<(u32, u32)>,
    /// The command list in progress.
    pub(crate) list: Option<RunningList>,
    /// Packets that recur.
    pub(crate) packet_traces: PacketTraces,
}

/// Kernels of the last draws.
#[derive(Debug, Default)]
struct RecentKernels {
    vertex: Recent<VertexKey, Handle<kinds::Vertex>>,
    /// A list for a key's slots.
    slots: state::output_map::Slots,
}

impl Default for Pica {
    fn default() -> Self {
        Pica {
            registers: crate::front_end::registers::at_reset(),
            vertex_unit: ShaderUnit::new(VERTEX_WORDS),
            geometry_unit: ShaderUnit::new(GEOMETRY_WORDS),
            // Attribute 15 cannot be stored to; it is what an attribute without any source reads.
            fixed_attributes: {
                let mut fixed = [[0.0; 4]; 16];
                fixed[state::vertex::NO_SOURCE as usize] = [0.0, 0.0, 0.0, 1.0];
                fixed
            },
            fog: Arc::new([[0.0; 2]; 128]),
            fog_raw: Box::new([0; 128]),
            light_tables: LightTables::default(),
            procedural_tables: ProceduralTables::default(),
            gas_table: [0; 16],
            densest: Arc::default(),
            assembler: Assembler::default(),
            immediate: Immediate::default(),
            stage: GeometryUnit::default(),
            known_states: KnownStates::default(),
            pixel: Derived::new(draw::PIXEL_GROUPS),
            vertex: Derived::new(state::vertex::VERTEX_GROUPS),
            kernels: RecentKernels::default(),
            pixel_pools: PixelPools::default(),
            lists: draw::Lists::default(),
            mapped: Epoch::default(),
            limits: Limits::default(),
            vertices_left: Limits::default().list_vertices,
            position: 0,
            interrupted: false,
            jump: None,
            list: None,
            packet_traces: PacketTraces::default(),
        }
    }
}

impl Pica {
    /// Bounds the work of one list.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Chooses what programs compute in.
    pub fn set_numbers(&mut self, numbers: Numbers) {
        self.vertex_unit.set_numbers(numbers);
        self.geometry_unit.set_numbers(numbers);
        self.registers.mark(dirty::ALL);
    }

    /// What programs compute in.
    pub fn numbers(&self) -> Numbers {
        self.vertex_unit.numbers()
    }

    /// The value of register `id`; 0 beyond the register file.
    pub fn register(&self, id: usize) -> u32 {
        if id < regs::COUNT { self.registers.get(id) } else { 0 }
    }

    /// Writes a register as a list or the CPU does: the bits under `mask` are stored, then the effect happens.
    /// Ports take the whole value. Numbers beyond the register file have no effect.
    pub fn write_register(&mut self, host: &mut Host<'_>, id: usize, value: u32, mask: u32) {
        let Some(&effect) = regs::EFFECTS.get(id) else {
            return;
        };
        if !self.immediate.is_empty() && effect != Effect::Trigger(regs::Trigger::FixedAttributeData) {
            // The write may change the state that the waiting vertices are to be drawn with.
            self.draw_immediate(host);
        }
        self.registers.store_word(id, value, mask);
        if let Effect::Trigger(trigger) = effect {
            self.trigger(host, trigger, id, value);
        }
    }

    /// A write by the CPU, outside of any list. Returns whether it raised P3D.
    pub fn write_from_cpu(&mut self, host: &mut Host<'_>, id: usize, value: u32, mask: u32) -> bool {
        self.interrupted = false;
        self.vertices_left = self.limits.list_vertices;
        self.write_register(host, id, value, mask);
        self.jump = None;
        self.interrupted
    }

    /// Draws what is still waiting, so that memory shows everything that was asked for.
    pub fn finish(&mut self, host: &mut Host<'_>) {
        self.draw_immediate(host);
        host.renderer.flush(host.memory);
        self.show_densest();
    }

    /// The same; false when a bounded run was interrupted before everything was drawn.
    pub(crate) fn try_finish(&mut self, host: &mut Host<'_>) -> bool {
        self.draw_immediate(host);
        let is_drawn = host.renderer.draw_all(host.memory);
        if is_drawn {
            self.show_densest();
        }
        is_drawn
    }

    pub(crate) fn fault(&self, host: &mut Host<'_>, kind: FaultKind, address: u64, what: impl std::fmt::Display) {
        host.budget.charge(cost::FAULT);
        host.faults.record(kind, address, self.position, what);
    }
}
