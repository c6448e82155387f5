//! The PICA200 in a snapshot. What is derived from it is not: it is derived anew.

use std::sync::Arc;

use triglyph_guest::kernel::vertex::SCREEN;
use triglyph_guest::pica::regs;

use super::draw::geometry_unit::{GeometryUnit, SavedGeometryUnit};
use super::draw::immediate::{Immediate, SavedImmediate};
use super::programs::unit::{SavedUnit, ShaderUnit};
use super::state::light_tables::LightTables;
use super::state::output_map;
use super::state::procedural_tables::ProceduralTables;
use super::{GEOMETRY_WORDS, Limits, Pica, VERTEX_WORDS};
use crate::front_end::registers::{Registers, WRITES};
use crate::front_end::running_list::RunningList;
use crate::front_end::upload::fog_entry;
use triglyph_engine::draw::{Assembler, SavedAssembler};
use triglyph_engine::snapshot::{bits, floats, state};

state! {
    /// See the module's documentation.
    pub(in crate) struct SavedPica {
        registers: Box<[u32; regs::COUNT]>,
        vertex_unit: SavedUnit,
        geometry_unit: SavedUnit,
        fixed_attributes: [[u32; 4]; 16],
        fog: [u32; 128],
        light: Box<[[u32; 256]; 32]>,
        proctex: Box<[[u32; 256]; 16]>,
        gas: [u32; 16],
        assembler: SavedAssembler,
        immediate: SavedImmediate,
        stage: SavedGeometryUnit,
    }
}

impl Pica {
    /// The state between two lists. Vertices that wait stay what they are; nothing is drawn.
    pub(crate) fn save(&self) -> SavedPica {
        // Every field is named, so that a new one is either saved or known not to be state.
        let Pica {
            registers,
            vertex_unit,
            geometry_unit,
            fixed_attributes,
            fog: _,
            fog_raw,
            light_tables,
            procedural_tables,
            gas_table,
            // Stands in its register between lists.
            densest: _,
            assembler,
            immediate,
            stage,
            pixel: _,
            known_states: _,
            vertex: _,
            kernels: _,
            pixel_pools: _,
            lists: _,
            mapped: _,
            limits: _,
            vertices_left: _,
            position: _,
            interrupted: _,
            jump: _,
            // In a section of its own.
            list: _,
            packet_traces: _,
        } = self;
        SavedPica {
            registers: registers.save(),
            vertex_unit: vertex_unit.save(),
            geometry_unit: geometry_unit.save(),
            fixed_attributes: fixed_attributes.map(bits),
            fog: **fog_raw,
            light: Box::new(*light_tables.words()),
            proctex: Box::new(*procedural_tables.words()),
            gas: *gas_table,
            assembler: assembler.save(),
            immediate: immediate.save(),
            stage: stage.save(),
        }
    }

    /// The PICA200 that was saved, with limits of the host's; `None` when there is no such state.
    pub(crate) fn restore(saved: SavedPica, limits: Limits) -> Option<Self> {
        let registers = Registers::new(&WRITES, &saved.registers);
        Some(Pica {
            densest: Pica::shown_densest(&registers),
            registers,
            vertex_unit: ShaderUnit::restore(saved.vertex_unit, VERTEX_WORDS)?,
            geometry_unit: ShaderUnit::restore(saved.geometry_unit, GEOMETRY_WORDS)?,
            fixed_attributes: saved.fixed_attributes.map(floats),
            fog: Arc::new(saved.fog.map(fog_entry)),
            fog_raw: Box::new(saved.fog),
            light_tables: LightTables::new(saved.light),
            procedural_tables: ProceduralTables::new(saved.proctex),
            gas_table: saved.gas,
            assembler: Assembler::restore(&saved.assembler, SCREEN + output_map::SLOTS)?,
            immediate: Immediate::restore(saved.immediate)?,
            stage: GeometryUnit::restore(saved.stage)?,
            limits,
            vertices_left: limits.list_vertices,
            ..Pica::default()
        })
    }

    /// What bounds the work of lists.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }
}

state! {
    /// A command list in progress in a snapshot.
    pub(in crate) struct SavedList {
        buffer: [u32; 2],
        at: u64,
        words_left: u64,
        vertices_left: u64,
        words: u64,
        triangles: u64,
        interrupted: bool,
    }
}

impl Pica {
    /// The list in progress.
    pub(crate) fn save_list(&self) -> Option<SavedList> {
        let RunningList { address, bytes, at, words_left, words, triangles } = self.list?;
        let (vertices_left, interrupted) = (self.vertices_left, self.interrupted);
        Some(SavedList { buffer: [address, bytes], at, words_left, vertices_left, words, triangles, interrupted })
    }

    /// Puts a list in progress back.
    pub(crate) fn restore_list(&mut self, saved: Option<SavedList>) {
        self.list = saved.map(|saved| {
            let SavedList { buffer: [address, bytes], at, words_left, words, triangles, .. } = saved;
            (self.vertices_left, self.interrupted) = (saved.vertices_left, saved.interrupted);
            RunningList { address, bytes, at, words_left, words, triangles }
        });
    }
}
