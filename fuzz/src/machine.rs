//! A machine of any kind, with functions that tests of all of them need beside the common interface.
#![allow(unsafe_code)]

use triglyph::n3ds::gsp::{ProcessMemory, Session};
use triglyph::n3ds::{Eye, Screen};
use triglyph::{Access, Error, GuestRange, HostRows, Machine, N3ds, Options, Presented, Rsx, Shown, TegraX1};

use super::choices::Choices;
use super::document::{extra, word};
use super::guard::Guarded;
use super::mutate::{driver_call, gsp_call, gx_command, hardware_call, hypervisor_call};

enum Gpu {
    N3ds(Box<N3ds>),
    Rsx(Box<Rsx>),
    TegraX1(Box<TegraX1>),
}

/// A device, and guarded memory that it uses.
pub struct Device {
    // In this order: what is mapped outlives who uses it.
    gpu: Gpu,
    guarded: Vec<Guarded>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("guarded", &self.guarded.len()).finish_non_exhaustive()
    }
}

impl Device {
    /// A new machine.
    ///
    /// # Errors
    /// As [`triglyph::new_device`].
    pub fn new(machine: Machine, options: &Options) -> Result<Self, Error> {
        let gpu = match machine {
            Machine::N3ds => Gpu::N3ds(Box::new(N3ds::new(options)?)),
            Machine::Ps3 => Gpu::Rsx(Box::new(Rsx::new(options)?)),
            Machine::TegraX1 => Gpu::TegraX1(Box::new(TegraX1::new(options)?)),
            other => return Err(Error::Unsupported(format!("fuzzing the {}", other.full_name()))),
        };
        Ok(Device { gpu, guarded: Vec::new() })
    }

    /// The common interface.
    pub fn get(&mut self) -> &mut dyn triglyph::Device {
        match &mut self.gpu {
            Gpu::N3ds(gpu) => &mut **gpu,
            Gpu::Rsx(gpu) => &mut **gpu,
            Gpu::TegraX1(gpu) => &mut **gpu,
        }
    }

    /// Turns caches of derived state on or off.
    pub fn set_state_cache_enabled(&mut self, enabled: bool) {
        match &mut self.gpu {
            Gpu::N3ds(gpu) => gpu.set_state_cache_enabled(enabled),
            Gpu::Rsx(gpu) => gpu.set_state_cache_enabled(enabled),
            Gpu::TegraX1(gpu) => gpu.set_state_cache_enabled(enabled),
        }
    }

    /// Fuel of each submission.
    pub fn fuel(&self) -> u64 {
        match &self.gpu {
            Gpu::N3ds(gpu) => gpu.budget().tank(),
            Gpu::Rsx(gpu) => gpu.core().budget.tank(),
            Gpu::TegraX1(gpu) => gpu.core().budget.tank(),
        }
    }

    /// Sets the fuel of each submission.
    pub fn set_fuel(&mut self, fuel: u64) {
        match &mut self.gpu {
            Gpu::N3ds(gpu) => gpu.set_fuel(fuel),
            Gpu::Rsx(gpu) => gpu.set_fuel(fuel),
            Gpu::TegraX1(gpu) => gpu.set_fuel(fuel),
        }
    }

    /// Replaces the mapping of a range by host memory between guard pages. Memory that is too large stays
    /// as it is.
    ///
    /// # Errors
    /// Those of the mapping.
    pub fn guard(&mut self, range: GuestRange, access: Access) -> Result<(), Error> {
        let Some(mut guarded) = Guarded::new(range.size) else { return Ok(()) };
        let pointer = guarded.pointer();
        self.guarded.push(guarded);
        // SAFETY: the bytes are valid as long as the device, which is dropped first; nothing else accesses them.
        let map = |memory: &mut triglyph::Memory| unsafe { memory.map_host(range, pointer, access) };
        match &mut self.gpu {
            Gpu::N3ds(gpu) => gpu.with_memory(map),
            Gpu::Rsx(gpu) => gpu.with_memory(map),
            Gpu::TegraX1(gpu) => gpu.with_memory(map),
        }
    }

    /// Makes a call of the machine's system, or gives it a command of its own, with arguments of chance.
    pub fn call(&mut self, choices: &mut Choices, places: &[GuestRange]) {
        let call = match self.get().machine() {
            Machine::N3ds => match choices.below(3) {
                0 => return self.ipc(&gsp_call(choices)),
                1 => {
                    let command = gx_command(choices, places);
                    if let Gpu::N3ds(gpu) = &mut self.gpu {
                        gpu.execute(&command);
                    }
                    return;
                }
                _ => hardware_call(choices),
            },
            Machine::Ps3 => hypervisor_call(choices),
            Machine::TegraX1 => driver_call(choices),
            _ => return,
        };
        // A refused request only gives an error.
        let _ = self.get().as_replay().replay_call(&call);
    }

    /// Presents what the machine's display shows, if it has one. Returns whether there was a picture.
    pub fn present_shown(&mut self, choices: &mut Choices, rows: &mut HostRows<'_>, presented: &mut Presented) -> bool {
        match &mut self.gpu {
            Gpu::N3ds(gpu) => {
                let screen = Screen::ALL[choices.below(Screen::ALL.len())];
                let eye = if choices.one_in(2) { Eye::Left } else { Eye::Right };
                gpu.present_screen(screen, eye, rows, presented)
            }
            Gpu::Rsx(gpu) => gpu.present_head(choices.word() % 3, rows, presented),
            Gpu::TegraX1(_) => return false,
        }
        .is_ok_and(|found| found.shown != Shown::Nothing)
    }

    /// Makes a call of GSP's from the payload of an [`extra::IPC`] record. Other machines have none.
    pub fn ipc(&mut self, payload: &[u8]) {
        let Gpu::N3ds(gpu) = &mut self.gpu else { return };
        let session = Session(word(payload, 0));
        let mut words: Vec<u32> = (0..extra::IPC_WORDS).map(|i| word(payload, 4 + 4 * i)).collect();
        let mut process = Process(payload.get(4 + 4 * extra::IPC_WORDS..).unwrap_or(&[]).to_vec());
        gpu.with_gsp(|gsp, hardware| {
            gsp.ipc(hardware, session, &mut words, &mut process);
            gsp.auto_deliver(hardware);
            gsp.take_granted();
        });
    }
}

/// A client's memory: its addresses are offsets.
struct Process(Vec<u8>);

impl ProcessMemory for Process {
    fn read(&self, address: u32, out: &mut [u8]) -> bool {
        let from = self.0.get(address as usize..).and_then(|rest| rest.get(..out.len()));
        from.map(|from| out.copy_from_slice(from)).is_some()
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        let to = self.0.get_mut(address as usize..).and_then(|rest| rest.get_mut(..bytes.len()));
        to.map(|to| to.copy_from_slice(bytes)).is_some()
    }
}
