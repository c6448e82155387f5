//! Draws an event again after edits of registers and of programs, on both tiers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use triglyph::probe::{CommandFaults, Edit, Effect, KernelKey, Watch};
use triglyph::{Error, GuestAddr, GuestRange, Machine, Tier, new_device};
use triglyph_guest::kernel::program::fragment::FragmentCode;
use triglyph_guest::kernel::program::stage::Stage;
use triglyph_guest::pica::regs;
use triglyph_guest::rsx::methods::curie;
use triglyph_guest::rsx::objects;
use triglyph_guest::tegra::methods::threed::regs as threed;

use crate::names::Names;
use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

/// Edits of one event at most.
pub const MAX_EDITS: usize = 64;

/// Bytes before the instructions of a program of the Tegra X1: its header.
const MAXWELL_HEADER: u64 = 0x50;

/// What is edited before an event is drawn again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// A register of the event's class, by its number in [`Seen::registers`](crate::Seen::registers), and its word.
    Register(u32, u32),
    /// Words of a program: the content hash of its kernel, the offset as [`Line::at`](crate::Line) has it, and the
    /// words as [`Line::words`](crate::Line) has them.
    Program(u128, u32, Vec<u32>),
}

/// What a tier has drawn after the edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redrawn {
    /// The tier.
    pub tier: Tier,
    /// The bytes of the range after the event.
    pub bytes: Vec<u8>,
    /// Faults of the event, also those of edits that are not possible.
    pub faults: Vec<CommandFaults>,
}

impl Edited {
    /// A change as it is in a path of the server: `r-NUMBER-WORD`, or `p-KERNEL-OFFSET-WORD-...`, all of them
    /// hexadecimal. `None` for anything else.
    pub fn parse(text: &str) -> Option<Edited> {
        let mut parts = text.split('-');
        let kind = parts.next()?;
        let word = |text: &str| u32::from_str_radix(text, 16).ok();
        match kind {
            "r" => {
                let change = Edited::Register(word(parts.next()?)?, word(parts.next()?)?);
                parts.next().is_none().then_some(change)
            }
            "p" => {
                let kernel = u128::from_str_radix(parts.next()?, 16).ok()?;
                let at = word(parts.next()?)?;
                let words: Vec<u32> = parts.map(word).collect::<Option<_>>()?;
                (1..=4).contains(&words.len()).then_some(Edited::Program(kernel, at, words))
            }
            _ => None,
        }
    }
}

impl Session<'_> {
    /// The number of a register of an event's class by its name, as [`Names::name`] has it, in any case.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is none; otherwise as [`Self::show`].
    pub fn register_by_name(&mut self, event: usize, name: &str) -> Result<u32, Error> {
        let count = self.registers_at(event)?.len();
        let (names, class) = (Names(self.machine()), self.events()[event].command.class);
        let fits = |&register: &usize| {
            let found = names.find(class, names.method_of(register));
            found.is_some_and(|(found, _)| found.eq_ignore_ascii_case(name))
        };
        let found = (0..count).find(fits).map(|register| register as u32);
        found.ok_or_else(|| Error::InvalidArgument(format!("class {} has no register {name}", names.class(class))))
    }

    /// Draws an event after edits, on the interpreter and with compiled code, and reads a range of memory after it.
    /// The capture and the session stay as they are.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for events, registers and programs that there are not, and for more than
    /// [`MAX_EDITS`]; [`Error::Unsupported`] for what cannot be edited, and for a tier that this host does not have.
    pub fn redraw(&mut self, event: usize, changes: &[Edited], range: GuestRange) -> Result<[Redrawn; 2], Error> {
        if changes.len() > MAX_EDITS {
            return Err(Error::InvalidArgument(format!("{} edits of an event, which has {MAX_EDITS}", changes.len())));
        }
        let edits = self.edits_of(event, changes)?;
        let interpreted = self.redraw_on(Tier::InterpreterOnly, event, &edits, range)?;
        Ok([interpreted, self.redraw_on(Tier::JitOnly, event, &edits, range)?])
    }

    fn redraw_on(&mut self, tier: Tier, event: usize, edits: &[Edit], range: GuestRange) -> Result<Redrawn, Error> {
        let &crate::Event { order, .. } = &self.events()[event];
        let mut options = self.options.clone();
        options.tier = tier;
        let mut device = new_device(self.machine(), &options)?;
        device.set_observer(Some(Box::new(self.watch.clone())));
        let found = Arc::new(Mutex::new(After::default()));
        let tour = Redraw { order, range, edits: edits.to_vec(), after: found.clone() };
        // The device with the other tier takes the place of the session's for this replay alone.
        std::mem::swap(&mut self.device, &mut device);
        let drawn = self.tour(event, event, Box::new(tour));
        std::mem::swap(&mut self.device, &mut device);
        drawn?;
        let After { bytes, faults } = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        let bytes = bytes.ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))?;
        Ok(Redrawn { tier, bytes, faults })
    }

    fn registers_at(&mut self, event: usize) -> Result<Vec<u32>, Error> {
        Ok(self.show(event, Moment::Before, Ask { registers: true, ranges: Vec::new() })?.registers)
    }

    /// What changes mean for the machine.
    fn edits_of(&mut self, event: usize, changes: &[Edited]) -> Result<Vec<Edit>, Error> {
        let registers = self.registers_at(event)?;
        let class = self.events()[event].command.class;
        let is_editable = match self.machine() {
            Machine::N3ds => class == 0,
            Machine::Ps3 => class == objects::class::CURIE,
            Machine::TegraX1 => class != 0,
            _ => false,
        };
        if !is_editable {
            let class = Names(self.machine()).class(class);
            return Err(Error::Unsupported(format!("edits before commands of the class {class}")));
        }
        let mut edits = Vec::new();
        for change in changes {
            match change {
                &Edited::Register(register, word) if (register as usize) < registers.len() => {
                    edits.push(Edit::Register { register, word });
                }
                Edited::Register(register, _) => {
                    return Err(Error::InvalidArgument(format!("no register {register:#x}")));
                }
                Edited::Program(kernel, at, words) => {
                    edits.extend(self.program_edits(event, &registers, (*kernel, *at, words))?);
                }
            }
        }
        Ok(edits)
    }

    fn program_edits(
        &mut self,
        event: usize,
        registers: &[u32],
        (kernel, at, words): (u128, u32, &[u32]),
    ) -> Result<Vec<Edit>, Error> {
        let watched = self.watch(event, Watch::default())?;
        let found = watched.keys.iter().find(|(hash, _)| hash.0 == kernel).map(|(_, key)| key);
        let key = found.ok_or_else(|| Error::InvalidArgument(format!("event {event} has no kernel {kernel:032x}")))?;
        let refused = |what: &str| Error::Unsupported(format!("edits of {what}"));
        let expect = |count: usize| match words.len() == count {
            true => Ok(()),
            false => Err(Error::InvalidArgument(format!("{} words for an instruction of {count}", words.len()))),
        };
        let get = |register: usize| registers.get(register).copied().unwrap_or(0);
        let through = |index: usize, value: u32, port: &[(usize, u32)]| {
            // The pointer is as it was afterwards.
            let ports = port.iter().copied();
            let all = [(index, value)].into_iter().chain(ports).chain([(index, get(index))]);
            all.map(|(register, word)| Edit::Register { register: register as u32, word }).collect::<Vec<_>>()
        };
        match key {
            KernelKey::Vertex(_) | KernelKey::Geometry(_) => {
                expect(1)?;
                let (index, port) = match key {
                    KernelKey::Vertex(_) => (regs::vsh_code_index::ID, regs::vsh_code_data::ID),
                    _ => (regs::gsh_code_index::ID, regs::gsh_code_data::ID),
                };
                Ok(through(index, at / 4, &[(port, words[0])]))
            }
            KernelKey::ProgramVertex(_) => {
                expect(4)?;
                let port = curie::set_transform_program::ID / 4;
                let ports: Vec<_> = words.iter().enumerate().map(|(i, &word)| (port + i, word)).collect();
                Ok(through(curie::set_transform_program_load::ID / 4, at / 16, &ports))
            }
            KernelKey::Shader(key) => {
                let stage = match key.stage {
                    Stage::Vertex => 1,
                    Stage::TessControl => 2,
                    Stage::TessEvaluation => 3,
                    Stage::Geometry => 4,
                    Stage::Compute => return Err(refused("programs of grids")),
                };
                self.maxwell_edit(event, get, (stage, at), words)
            }
            KernelKey::Fragment(key) if matches!(key.code, FragmentCode::Maxwell(_)) => {
                self.maxwell_edit(event, get, (5, at), words)
            }
            KernelKey::Fragment(_) => Err(refused("fragment programs of the PS3")),
            KernelKey::Macro(_) => Err(refused("macros")),
            _ => Err(refused("what is no program")),
        }
    }

    /// An instruction of a program of the Tegra X1: 64 bits, the high word first as it is shown.
    fn maxwell_edit(
        &self,
        event: usize,
        get: impl Fn(usize) -> u32,
        (stage, at): (usize, u32),
        words: &[u32],
    ) -> Result<Vec<Edit>, Error> {
        let &[high, low] = words else {
            return Err(Error::InvalidArgument(format!("{} words for an instruction of 2", words.len())));
        };
        let space = self.events()[event].surfaces().next().map(|surface| surface.start.space);
        let space =
            space.ok_or_else(|| Error::Unsupported("edits of programs of draws without surfaces".to_owned()))?;
        let region = threed::set_program_region_a::ID;
        let base = u64::from(get(region) & 0xFF) << 32 | u64::from(get(region + 1));
        let address = base + u64::from(get(threed::set_pipeline_program::id(stage))) + MAXWELL_HEADER + u64::from(at);
        let bytes = (u64::from(high) << 32 | u64::from(low)).to_le_bytes().to_vec();
        Ok(vec![Edit::Memory { at: GuestAddr::new(space, address), bytes }])
    }
}

/// The replay of an event with edits.
struct Redraw {
    order: u64,
    range: GuestRange,
    edits: Vec<Edit>,
    after: Arc<Mutex<After>>,
}

/// The target and the faults after the event.
#[derive(Default)]
struct After {
    bytes: Option<Vec<u8>>,
    faults: Vec<CommandFaults>,
}

impl Redraw {
    fn after(&self) -> MutexGuard<'_, After> {
        self.after.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tour for Redraw {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let wanted = (order, moment) == (self.order, Moment::After);
        wanted.then(|| Ask { registers: false, ranges: vec![self.range] })
    }

    fn edits(&mut self, order: u64) -> Vec<Edit> {
        if order == self.order { std::mem::take(&mut self.edits) } else { Vec::new() }
    }

    fn effects(&mut self, order: u64, effects: &[Effect]) {
        if order == self.order {
            let faults = effects.iter().filter_map(|effect| match effect {
                Effect::Faults(faults) => Some(faults.clone()),
                _ => None,
            });
            self.after().faults.extend(faults);
        }
    }

    fn seen(&mut self, mut seen: Seen) {
        self.after().bytes = seen.ranges.pop();
    }

    fn is_over(&mut self) -> bool {
        self.after().bytes.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_from_paths() {
        assert_eq!(Edited::parse("r-40-1F"), Some(Edited::Register(0x40, 0x1F)));
        assert_eq!(Edited::parse("p-a0-8-1-2"), Some(Edited::Program(0xA0, 8, vec![1, 2])));
        for wrong in ["", "r", "r-1", "r-1-2-3", "r-1-100000000", "p-1-2", "p-1-2-3-4-5-6-7", "q-1-2", "r--1-2"] {
            assert_eq!(Edited::parse(wrong), None, "{wrong}");
        }
    }
}
