//! The 3DS as a [`Device`].

use super::core::Core;
use super::external::{CommandProcessor, External};
use crate::device::{Access, Device, Faults, Machine, Stats, WrittenRange};
use crate::error::Error;
use crate::mem::Memory;
use crate::render::{RenderOptions, Renderer};

/// A Nintendo 3DS's GPU: PICA200, transfer engine, LCD registers, GSP.
#[derive(Debug)]
pub struct N3ds {
    core: Core,
    external: External,
}

/// Bytes of a GX command.
const COMMAND: usize = 32;

impl N3ds {
    /// A machine with nothing mapped and every register at its reset value.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(options: &RenderOptions) -> Result<Self, Error> {
        let core = Core {
            memory: Memory::default(),
            renderer: Renderer::new(options)?,
            pica: Default::default(),
            faults: Faults::default(),
        };
        Ok(N3ds { core, external: External::default() })
    }

    /// Guest memory.
    pub fn memory(&self) -> &Memory {
        &self.core.memory
    }

    /// Guest memory, to map ranges of the host's. Everything submitted is done by then.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.core.memory
    }

    /// The renderer: kernels and counters.
    pub fn renderer(&self) -> &Renderer {
        &self.core.renderer
    }

    fn execute(&mut self, words: &[u32; 8]) {
        let (core, external) = (&mut self.core, &mut self.external);
        let pa = |va: u32| match va {
            0x1F00_0000..0x1F60_0000 => va - 0x0700_0000,
            0x1400_0000..0x1C00_0000 => va + 0x0C00_0000,
            0x3000_0000..0x4000_0000 => va - 0x1000_0000,
            _ => 0,
        };
        match words[0] & 0xFF {
            1 => {
                core.run_list(pa(words[1]), words[2]);
            }
            2 => {
                for (unit, base) in [(0, 0x10), (1, 0x20)] {
                    let [start, value, end] = [1, 2, 3].map(|i| words[i + 3 * unit]);
                    if start != 0 {
                        external.write(core, base, pa(start) >> 3);
                        external.write(core, base + 4, pa(end) >> 3);
                        external.write(core, base + 8, value);
                        external.write(core, base + 12, words[7] >> (16 * unit) & 0xFFFF);
                    }
                }
            }
            3 => {
                let values = [
                    (0xC00, pa(words[1]) >> 3),
                    (0xC04, pa(words[2]) >> 3),
                    (0xC0C, words[3]),
                    (0xC08, words[4]),
                    (0xC10, words[5]),
                    (0xC18, 1),
                ];
                values.map(|(at, value)| external.write(core, at, value));
            }
            4 => {
                let values = [
                    (0xC00, pa(words[1]) >> 3),
                    (0xC04, pa(words[2]) >> 3),
                    (0xC20, words[3]),
                    (0xC24, words[4]),
                    (0xC28, words[5]),
                    (0xC10, words[6]),
                    (0xC18, 1),
                ];
                values.map(|(at, value)| external.write(core, at, value));
            }
            0 => {
                let request = crate::transfer::Request::Copy(crate::transfer::Copy {
                    source: crate::transfer::Place { space: 0, address: pa(words[1]).into() },
                    target: crate::transfer::Place { space: 0, address: pa(words[2]).into() },
                    size: words[3].into(),
                    source_lines: crate::transfer::Lines::CONTIGUOUS,
                    target_lines: crate::transfer::Lines::CONTIGUOUS,
                });
                core.transfer(&request);
            }
            _ => {}
        }
    }
}

impl Device for N3ds {
    fn machine(&self) -> Machine {
        Machine::N3ds
    }

    fn map(&mut self, space: u32, address: u64, size: u64, access: Access) -> Result<(), Error> {
        if space != 0 || address.checked_add(size).is_none_or(|end| end > 1 << 32) {
            return Err(Error::InvalidArgument(format!("{size:#x} bytes at {address:#x} in space {space} of a 3DS")));
        }
        self.core.memory.map(space, address, size, access)
    }

    fn write(&mut self, space: u32, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.core.memory.write(space, address, bytes)
    }

    fn read(&mut self, space: u32, address: u64, out: &mut [u8]) -> Result<(), Error> {
        self.core.memory.read(space, address, out)
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        if payload.len() != COMMAND {
            return Err(Error::InvalidArgument(format!(
                "a GX command of {} bytes instead of {COMMAND}",
                payload.len()
            )));
        }
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(payload.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        self.execute(&words);
        Ok(())
    }

    /// Nothing to wait for: every command is complete when [`Self::submit`] returns.
    fn finish(&mut self) {}

    fn faults(&self) -> &Faults {
        &self.core.faults
    }

    fn take_written(&mut self) -> Vec<WrittenRange> {
        self.core.memory.take_written()
    }

    fn stats(&self) -> Stats {
        self.core.renderer.stats()
    }
}
