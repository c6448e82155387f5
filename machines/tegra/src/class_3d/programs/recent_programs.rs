//! What the last draw with a program had of it: as long as nothing of it has changed, the next one has the same. And
//! which registers have changed since other parts of a draw were derived.
//!
//! ```text
//! registers, bindings ──► Asked ──same?──┐
//! memory: header and code  ──► MemoryDependency ────┼──► Loaded ─► Code
//!         handles, headers, samplers ────┼──► Units  ─► keys of textures      ─┬─► Program
//!         constants of each buffer ──────┴──► copies ───────────────────► DeclaredResources ┘
//! ```
//! Each part is derived anew by itself. Lists that come out as before stay in their place on the host, so that whoever
//! depends on them compares addresses.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use triglyph_guest::tegra::methods::threed::dirty;

use super::program::{Kind, Loaded, Programs};
use super::stage::{Codes, Program, STAGES};
use crate::class_3d::state::bindings::{Buffers, Copies};
use crate::class_3d::state::texture::Pools;
use crate::class_3d::state::units::{UnitPools, Units, units};
use crate::core::Core;
use triglyph_engine::frontend::{MemoryDependency, Recycled};
use triglyph_engine::mem::Epoch;
use triglyph_engine::scene::resources::DeclaredResources;

/// The programs of stages as the last draw had them, as long as nothing has happened at all that might make others of
/// them.
#[derive(Debug, Default)]
pub(crate) struct Unchanged {
    programs: [Option<Arc<Program>>; STAGES],
    /// Time, target of scenes and address space.
    at: (Epoch, u64, u32),
}

impl Unchanged {
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

    /// The program of a stage, if there is nothing to look at.
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

/// What is asked for: all that registers say of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Asked {
    /// Address space.
    pub space: u32,
    /// Where the code segment begins.
    pub segment: u64,
    /// Where its header stands, or its code if it has none.
    pub address: u64,
    pub kind: Kind,
    /// Bytes of local memory of a lane, if its header does not say so.
    pub local_bytes: Option<u32>,
    /// What it reads as Y_DIRECTION.
    pub y_direction: f32,
    pub pools: Pools,
    pub buffers: Buffers,
}

/// What was had of programs last, by stage, address space and address: draws go back and forth between some of them.
#[derive(Debug, Default)]
pub(crate) struct LastPrograms(HashMap<(usize, u32, u64), LastProgram>);

/// Programs that are remembered; when there are more, all go.
const MAX_PROGRAMS: usize = 512;

impl LastPrograms {
    /// What was had of the program that is asked for.
    fn of(&mut self, stage: usize, asked: &Asked) -> &mut LastProgram {
        let key = (stage, asked.space, asked.address);
        if self.0.len() >= MAX_PROGRAMS && !self.0.contains_key(&key) {
            self.0.clear();
        }
        self.0.entry(key).or_default()
    }

    /// The program of a stage with all that it reaches, as registers and memory say now. What will stay so as long as
    /// nothing happens is noted.
    pub(crate) fn refresh(
        &mut self,
        core: &mut Core,
        (stage, asked): (usize, &Asked),
        programs: &mut Programs,
        codes: &mut Codes,
        unchanged: &mut Unchanged,
    ) -> Option<Arc<Program>> {
        let last = self.of(stage, asked);
        let program = last.refresh(core, asked, programs, codes)?;
        if last.right.is_some() {
            unchanged.set(core, stage, &program);
        }
        Some(program)
    }
}

/// A program and what was asked for then.
type Known = (Asked, Arc<Program>);

/// What was had of a program last, and what it was made of.
#[derive(Debug, Default)]
pub(crate) struct LastProgram {
    known: Option<Box<Known>>,
    /// Header and code, tables of branches.
    code: MemoryDependency,
    /// Handles, headers, samplers.
    unit_reads: MemoryDependency,
    units: Units,
    unit_pools: UnitPools,
    constants: Copies,
    programs: Recycled<Program>,
    reaches: Recycled<DeclaredResources>,
    /// When all of this was right, and the target of scenes then; `None` when something was wrong with it, or when
    /// draws to that target may change it.
    right: Option<(Epoch, u64)>,
}

impl LastProgram {
    /// The program with all that it reaches, as registers and memory say now.
    pub(crate) fn refresh(
        &mut self,
        core: &mut Core,
        asked: &Asked,
        programs: &mut Programs,
        codes: &mut Codes,
    ) -> Option<Arc<Program>> {
        let before = self.known.take().filter(|_| !core.renderer.state_cache_disabled());
        if let Some(known) = &before
            && self.right == Some((core.memory.epoch(), core.renderer.target_number()))
            && known.0 == *asked
        {
            let program = known.1.clone();
            self.known = before;
            return Some(program);
        }
        let faults = core.faults.raised();
        let program = self.derive(core, asked, programs, codes, before.as_deref())?;
        let renderer = &core.renderer;
        let clear = [&self.code, &self.unit_reads].iter().all(|reads| reads.is_clear(renderer));
        let stays = clear && self.constants.are_clear(renderer) && !program.loaded.reads_clock;
        let right = core.faults.raised() == faults && stays;
        self.right = right.then(|| (core.memory.epoch(), renderer.target_number()));
        let known = (*asked, program.clone());
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
        asked: &Asked,
        programs: &mut Programs,
        codes: &mut Codes,
        before: Option<&Known>,
    ) -> Option<Arc<Program>> {
        let loaded = self.load(core, asked, programs, before)?;
        let before = before.filter(|(_, program)| Arc::ptr_eq(&program.loaded, &loaded));
        let (last, before) = before.map(|(last, program)| (last, program)).unzip();
        let slots = loaded.wanted.slots(&asked.pools);
        let as_before = |last: &Asked| last.pools == asked.pools && last.buffers.agree(&asked.buffers, slots);
        let mapped = core.memory.mapped_since(self.units.made);
        let same_units = last.is_some_and(as_before) && !mapped && core.is_valid(&mut self.unit_reads);
        if !same_units {
            let known = before.is_some().then_some(&self.units);
            let (wanted, lists) = (&loaded.wanted, &mut self.unit_pools);
            let make =
                |core: &mut Core| units(core, &asked.pools, &asked.buffers, &mut codes.textures, wanted, known, lists);
            (self.units, self.unit_reads) = core.tracking_reads(std::mem::take(&mut self.unit_reads), make);
        }
        let changed = self.constants.refresh(core, &asked.buffers, &loaded.constants);
        let local_bytes = asked.local_bytes.unwrap_or_else(|| loaded.local_bytes());
        let same_code = |before: &&&Arc<Program>| {
            (before.code.handle_buffer, before.code.local_bytes) == (asked.pools.handle_buffer, local_bytes)
        };
        let code = match before.as_ref().filter(same_code) {
            Some(before) => before.code.clone(),
            None => codes.code(&loaded, asked.pools.handle_buffer, local_bytes, core.renderer.accuracy),
        };
        let Units { textures, images, .. } = &self.units;
        let same_keys = before.filter(|before| {
            let lists = Arc::ptr_eq(&before.textures, textures) && Arc::ptr_eq(&before.images, images);
            Arc::ptr_eq(&before.code, &code) && lists
        });
        let kernel = same_keys.map_or_else(|| Arc::new(OnceLock::new()), |before| before.kernel.clone());
        let same_reach = before.filter(|_| {
            let last = last.is_some_and(|last| (last.space, last.y_direction) == (asked.space, asked.y_direction));
            same_units && !changed && last && !loaded.reads_clock
        });
        let reach = match same_reach {
            Some(before) => before.reach.clone(),
            None => {
                let reach = DeclaredResources { clock: clock(core, &loaded), ..self.reach(asked, &loaded) };
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
        asked: &Asked,
        programs: &mut Programs,
        before: Option<&Known>,
    ) -> Option<Arc<Loaded>> {
        let place = |asked: &Asked| (asked.space, asked.address, asked.kind);
        if let Some((last, program)) = before
            && place(last) == place(asked)
            && (!program.loaded.has_tables() || last.buffers == asked.buffers)
            && core.is_valid(&mut self.code)
        {
            return Some(program.loaded.clone());
        }
        let (loaded, reads) = core.tracking_reads(std::mem::take(&mut self.code), |core| {
            let constant = |core: &mut Core, slot: u8, offset: u32| asked.buffers.word(core, slot.into(), offset);
            programs.get(core, asked.segment, asked.address, asked.kind, constant)
        });
        self.code = reads;
        loaded
    }

    fn reach(&self, asked: &Asked, loaded: &Loaded) -> DeclaredResources {
        DeclaredResources {
            space: asked.space,
            constants: self.constants.constants(),
            textures: self.units.bindings.clone(),
            images: self.units.image_bindings.clone(),
            handles: self.units.handles.clone(),
            y_direction: asked.y_direction,
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
