//! Recent programs: what earlier draws derived for each program, used again while its registers and memory are
//! unchanged.
//!
//! ```text
//! registers, bindings ────────► ProgramKey ───────┐
//! memory: header and code ────► MemoryDependency ─┼──► Loaded ─► Code ───────────────┐
//!         handles, headers, samplers ─────────────┼──► Units  ─► keys of textures ───┼─► Program
//!         constants of each buffer ───────────────┴──► copies ─► DeclaredResources ──────────────┘
//! ```
//! Each part is derived by itself. A list that is derived again with the same contents keeps its address on the host,
//! so that parts that depend on it compare addresses.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use triglyph_guest::tegra::methods::threed::dirty;

use super::codes::{Codes, Program};
use super::program::{Kind, Loaded, Programs};
use super::stage_numbers::STAGES;
use crate::class_3d::state::bindings::{Buffers, Copies};
use crate::class_3d::state::texture::Pools;
use crate::class_3d::state::units::{UnitPools, Units, units};
use crate::core::Core;
use triglyph_engine::frontend::{MemoryDependency, Recycled};
use triglyph_engine::mem::Epoch;
use triglyph_engine::scene::resources::DeclaredResources;

/// The programs of the last draw, by stage, while no register or memory that they depend on has changed.
#[derive(Debug, Default)]
pub(crate) struct UnchangedPrograms {
    programs: [Option<Arc<Program>>; STAGES],
    /// Time, target of scenes and address space.
    at: (Epoch, u64, u32),
}

impl UnchangedPrograms {
    /// Groups of registers that programs depend on; constant buffers are bound besides.
    pub(crate) const GROUPS: u32 = dirty::PROGRAM | dirty::TEXTURE | dirty::VIEWPORT;

    /// Notes groups that were written.
    pub(crate) fn note(&mut self, groups: u32) {
        if groups & Self::GROUPS != 0 {
            self.forget();
        }
    }

    /// Other constant buffers are bound.
    pub(crate) fn forget(&mut self) {
        self.programs = Default::default();
    }

    /// The program of a stage if it is still valid.
    pub(crate) fn get(&self, core: &Core, stage: usize) -> Option<Arc<Program>> {
        let same = self.at == Self::now(core) && !core.renderer.state_cache_disabled();
        self.programs.get(stage).filter(|_| same)?.clone()
    }

    fn set(&mut self, core: &Core, stage: usize, program: &Arc<Program>) {
        let now = Self::now(core);
        if std::mem::replace(&mut self.at, now) != now {
            self.forget();
        }
        if let Some(place) = self.programs.get_mut(stage) {
            *place = Some(program.clone());
        }
    }

    fn now(core: &Core) -> (Epoch, u64, u32) {
        (core.memory.epoch(), core.renderer.target_number(), core.space)
    }
}

/// Everything that registers say of a program: two draws with equal keys and unchanged memory have the same program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProgramKey {
    /// Address space.
    pub space: u32,
    /// Where the code segment begins.
    pub segment: u64,
    /// Address of its header, or of its code if it has none.
    pub address: u64,
    pub kind: Kind,
    /// Bytes of local memory of a lane, if its header does not say so.
    pub local_bytes: Option<u32>,
    /// What it reads as Y_DIRECTION.
    pub y_direction: f32,
    pub pools: Pools,
    pub buffers: Buffers,
}

/// Recent programs by stage, address space and address: draws alternate between a few of them.
#[derive(Debug, Default)]
pub(crate) struct RecentPrograms(HashMap<(usize, u32, u64), RecentProgram>);

/// Programs that are kept; all are dropped when there are more.
const MAX_PROGRAMS: usize = 512;

impl RecentPrograms {
    /// The entry of a program.
    fn of(&mut self, stage: usize, key: &ProgramKey) -> &mut RecentProgram {
        let slot = (stage, key.space, key.address);
        if self.0.len() >= MAX_PROGRAMS && !self.0.contains_key(&slot) {
            self.0.clear();
        }
        self.0.entry(slot).or_default()
    }

    /// The program of a stage with all that it reaches, as registers and memory say now. A program that cannot change
    /// before registers or memory do is entered into `unchanged`.
    pub(crate) fn refresh(
        &mut self,
        core: &mut Core,
        (stage, key): (usize, &ProgramKey),
        programs: &mut Programs,
        codes: &mut Codes,
        unchanged: &mut UnchangedPrograms,
    ) -> Option<Arc<Program>> {
        let last = self.of(stage, key);
        let program = last.refresh(core, key, programs, codes)?;
        if last.valid_at.is_some() {
            unchanged.set(core, stage, &program);
        }
        Some(program)
    }
}

/// A program and the key that it was derived for.
type KeyedProgram = (ProgramKey, Arc<Program>);

/// A recent program, and what it was derived from.
#[derive(Debug, Default)]
pub(crate) struct RecentProgram {
    known: Option<Box<KeyedProgram>>,
    /// Header and code, tables of branches.
    code: MemoryDependency,
    /// Handles, headers, samplers.
    unit_reads: MemoryDependency,
    units: Units,
    unit_pools: UnitPools,
    constants: Copies,
    programs: Recycled<Program>,
    reaches: Recycled<DeclaredResources>,
    /// The memory epoch and scene target for which all of this is valid; `None` when deriving it reported a fault, or
    /// when draws to that target may change it.
    valid_at: Option<(Epoch, u64)>,
}

impl RecentProgram {
    /// The program with all that it reaches, as registers and memory say now.
    pub(crate) fn refresh(
        &mut self,
        core: &mut Core,
        key: &ProgramKey,
        programs: &mut Programs,
        codes: &mut Codes,
    ) -> Option<Arc<Program>> {
        let before = self.known.take().filter(|_| !core.renderer.state_cache_disabled());
        if let Some(known) = &before
            && self.valid_at == Some((core.memory.epoch(), core.renderer.target_number()))
            && known.0 == *key
        {
            let program = known.1.clone();
            self.known = before;
            return Some(program);
        }
        let faults = core.faults.raised();
        let program = self.derive(core, key, programs, codes, before.as_deref())?;
        let renderer = &core.renderer;
        let clear = [&self.code, &self.unit_reads].iter().all(|reads| reads.is_clear(renderer));
        let stays = clear && self.constants.are_clear(renderer) && !program.loaded.reads_clock;
        let valid_at = core.faults.raised() == faults && stays;
        self.valid_at = valid_at.then(|| (core.memory.epoch(), renderer.target_number()));
        let known = (*key, program.clone());
        self.known = Some(match before {
            Some(mut place) => {
                *place = known;
                place
            }
            None => Box::new(known),
        });
        Some(program)
    }

    fn derive(
        &mut self,
        core: &mut Core,
        key: &ProgramKey,
        programs: &mut Programs,
        codes: &mut Codes,
        before: Option<&KeyedProgram>,
    ) -> Option<Arc<Program>> {
        let loaded = self.load(core, key, programs, before)?;
        let before = before.filter(|(_, program)| Arc::ptr_eq(&program.loaded, &loaded));
        let (last, before) = before.map(|(last, program)| (last, program)).unzip();
        let slots = loaded.wanted.slots(&key.pools);
        let as_before = |last: &ProgramKey| last.pools == key.pools && last.buffers.agree(&key.buffers, slots);
        let mapped = core.memory.mapped_since(self.units.made);
        let same_units = last.is_some_and(as_before) && !mapped && core.is_valid(&mut self.unit_reads);
        if !same_units {
            let known = before.is_some().then_some(&self.units);
            let (wanted, lists) = (&loaded.wanted, &mut self.unit_pools);
            let make =
                |core: &mut Core| units(core, &key.pools, &key.buffers, &mut codes.textures, wanted, known, lists);
            (self.units, self.unit_reads) = core.tracking_reads(std::mem::take(&mut self.unit_reads), make);
        }
        let changed = self.constants.refresh(core, &key.buffers, &loaded.constants);
        let local_bytes = key.local_bytes.unwrap_or_else(|| loaded.local_bytes());
        let same_code = |before: &&&Arc<Program>| {
            (before.code.handle_buffer, before.code.local_bytes) == (key.pools.handle_buffer, local_bytes)
        };
        let code = match before.as_ref().filter(same_code) {
            Some(before) => before.code.clone(),
            None => codes.code(&loaded, key.pools.handle_buffer, local_bytes, core.renderer.accuracy),
        };
        let Units { textures, images, .. } = &self.units;
        let same_keys = before.filter(|before| {
            let lists = Arc::ptr_eq(&before.textures, textures) && Arc::ptr_eq(&before.images, images);
            Arc::ptr_eq(&before.code, &code) && lists
        });
        let kernel = same_keys.map_or_else(|| Arc::new(OnceLock::new()), |before| before.kernel.clone());
        let same_reach = before.filter(|_| {
            let last = last.is_some_and(|last| (last.space, last.y_direction) == (key.space, key.y_direction));
            same_units && !changed && last && !loaded.reads_clock
        });
        let reach = match same_reach {
            Some(before) => before.reach.clone(),
            None => {
                let reach = DeclaredResources { clock: clock(core, &loaded), ..self.reach(key, &loaded) };
                self.reaches.share(reach)
            }
        };
        let (textures, images) = (textures.clone(), images.clone());
        Some(self.programs.share(Program { loaded, code, textures, images, reach, kernel }))
    }

    /// What is in memory.
    fn load(
        &mut self,
        core: &mut Core,
        key: &ProgramKey,
        programs: &mut Programs,
        before: Option<&KeyedProgram>,
    ) -> Option<Arc<Loaded>> {
        let place = |key: &ProgramKey| (key.space, key.address, key.kind);
        if let Some((last, program)) = before
            && place(last) == place(key)
            && (!program.loaded.has_tables() || last.buffers == key.buffers)
            && core.is_valid(&mut self.code)
        {
            return Some(program.loaded.clone());
        }
        let (loaded, reads) = core.tracking_reads(std::mem::take(&mut self.code), |core| {
            let constant = |core: &mut Core, slot: u8, offset: u32| key.buffers.word(core, slot.into(), offset);
            programs.get(core, key.segment, key.address, key.kind, constant)
        });
        self.code = reads;
        loaded
    }

    fn reach(&self, key: &ProgramKey, loaded: &Loaded) -> DeclaredResources {
        DeclaredResources {
            space: key.space,
            constants: self.constants.constants(),
            textures: self.units.bindings.clone(),
            images: self.units.image_bindings.clone(),
            handles: self.units.handles.clone(),
            y_direction: key.y_direction,
            clock: 0,
            loops: loaded.loops,
            loads: loaded.loads,
            reads: loaded.reads,
            writes: loaded.writes,
        }
    }
}

/// What the program's clock begins with. What was drawn before has taken its time by then, wherever runs are cut.
fn clock(core: &mut Core, loaded: &Loaded) -> u64 {
    if !loaded.reads_clock {
        return 0;
    }
    core.flush();
    core.now()
}
