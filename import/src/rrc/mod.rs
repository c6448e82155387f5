//! RSX captures of RPCS3: a frame of commands for the PlayStation 3's GPU.
//!
//! Sources: `rpcs3/Emu/RSX/Capture/rsx_replay.h`, `rsx_replay.cpp` and `rsx_capture.cpp` of RPCS3 from the first
//! version (2018-05-13) to that of 2026-08; what serialises them: cereal's binary archives, later
//! `rpcs3/util/serialization.hpp` and `rpcs3/Emu/RSX/RSXThread.cpp`; what records commands:
//! `rpcs3/Emu/RSX/RSXFIFO.cpp`.
//!
//! A recording is the registers at its beginning and commands, one with each word of data, some of which need memory to
//! hold something before they are executed. Here it becomes a push buffer that writes the registers, then pieces of one
//! with the commands, MEM between them, and a PRESENT where a buffer is shown. Objects and their handles are those that
//! GCM makes, which a capture without OBJECT records has.

mod format;
mod setup;

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Read;

use triglyph::capture::{Compression, Header, Map, Present, Writer};
use triglyph::{Access, GuestAddr, GuestRange, Machine};
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::methods::{curie, software};

use super::stored::Stored;
use super::{ImportError, Imported, assemble, meta};
use format::{Command, Display, Recording};

/// Local memory, and main memory as the GPU sees it, below the push buffer.
const LOCAL: GuestRange = GuestRange::new(0, 0, 256 << 20);
const MAIN_BYTES: u64 = 256 << 20;
/// Most bytes that a compressed file may expand to.
const MAX_BYTES: u64 = 1 << 30;
const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Whether a file may be a recording.
pub fn is_one(file: &[u8]) -> bool {
    file.starts_with(&GZIP) || file.starts_with(&ZSTD) || format::MAGICS.iter().any(|magic| file.starts_with(magic))
}

/// Makes a capture of a recording, compressed by gzip or zstd or not.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn import(name: &str, file: &[u8]) -> Result<Imported, ImportError> {
    let file = expand(file)?;
    let recording = Recording::parse(&file)?;
    let mut translation = Translation::new(&recording)?;
    let memory = memory_by_command(&recording.commands);
    for (command, memory) in recording.commands.iter().zip(&memory) {
        translation.command(command, memory)?;
    }
    translation.end()?;
    let lacks = translation.lacks();
    let format = format!("RSX capture of RPCS3, version {}", recording.version);
    let header = Header { machine: Machine::Ps3, big_endian: true };
    let pictures = translation.pictures;
    let capture = assemble(header, &meta(name, &format, &lacks), translation.records)?;
    Ok(Imported { capture, format, lacks, pictures })
}

/// The bytes of a file, out of gzip or zstd if they are in it.
fn expand(file: &[u8]) -> Result<Cow<'_, [u8]>, ImportError> {
    let broken = |error: std::io::Error| ImportError::new(0, format!("broken compression: {error}"));
    let mut bytes = Vec::new();
    if file.starts_with(&GZIP) {
        let expanded = flate2::read::GzDecoder::new(file);
        expanded.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(broken)?;
    } else if file.starts_with(&ZSTD) {
        let expanded = zstd::stream::read::Decoder::with_buffer(file).map_err(broken)?;
        expanded.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(broken)?;
    } else {
        return Ok(file.into());
    }
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(ImportError::new(0, format!("more than {MAX_BYTES} bytes when expanded"))),
        false => Ok(bytes.into()),
    }
}

/// What memory each command needs. RPCS3 draws at the end of a primitive and records there what the draw needs; here it
/// goes to the beginning, as indices may be read when they are named.
fn memory_by_command(commands: &[Command]) -> Vec<Vec<u64>> {
    let mut needed: Vec<Vec<u64>> = commands.iter().map(|command| command.memory.clone()).collect();
    let mut begin = None;
    for (index, command) in commands.iter().enumerate() {
        let is_begin_end = Methods::decode(command.header)
            .is_some_and(|packet| (packet.subchannel, packet.method) == (0, curie::set_begin_end::ID as u32));
        match (is_begin_end, command.value) {
            (true, 0) => {
                if let Some(begin) = begin.take() {
                    let memory = std::mem::take(&mut needed[index]);
                    let list: &mut Vec<u64> = &mut needed[begin];
                    list.extend(memory);
                }
            }
            (true, _) => begin = Some(index),
            (false, _) => {}
        }
    }
    needed
}

/// What a recording becomes, so far.
struct Translation<'r> {
    recording: &'r Recording<'r>,
    records: Writer<Vec<u8>>,
    /// Words that are not submitted yet, and where they go in main memory.
    words: Vec<u32>,
    place: u64,
    /// What is left of a packet.
    packet: Methods,
    /// Registers of the 3D object.
    registers: Vec<u32>,
    /// Where surfaces begin that were drawn to.
    surfaces: HashSet<GuestAddr>,
    stored: Stored,
    display: Option<Display>,
    pictures: usize,
    /// Loads that are left out: of surfaces, and of memory that is no memory here.
    of_surfaces: usize,
    elsewhere: usize,
}

impl<'r> Translation<'r> {
    fn new(recording: &'r Recording<'r>) -> Result<Self, ImportError> {
        let header = Header { machine: Machine::Ps3, big_endian: true };
        let mut records = Writer::new(Vec::new(), header, Compression::default())?;
        let words = setup::words(recording.state.as_ref());
        // Each command is a header and a word of data at most.
        let push_buffer = 4 * (words.len() + 2 * recording.commands.len()) as u64;
        let main = GuestRange::new(1, 0, MAIN_BYTES + push_buffer.next_multiple_of(1 << 20));
        for range in [LOCAL, main] {
            records.map(&Map { range, access: Access::READ_WRITE })?;
        }
        let mut translation = Translation {
            recording,
            records,
            words,
            place: MAIN_BYTES,
            packet: Methods::default(),
            registers: setup::registers(recording.state.as_ref()),
            surfaces: HashSet::new(),
            stored: Stored::default(),
            display: None,
            pictures: 0,
            of_surfaces: 0,
            elsewhere: 0,
        };
        translation.submit()?;
        Ok(translation)
    }

    /// Submits the words so far.
    fn submit(&mut self) -> Result<(), ImportError> {
        if self.words.is_empty() {
            return Ok(());
        }
        let bytes: Vec<u8> = self.words.drain(..).flat_map(u32::to_be_bytes).collect();
        self.records.mem(GuestAddr::new(1, self.place), &bytes)?;
        let size = bytes.len() as u64;
        let mut payload = Vec::new();
        payload.extend([1u32, 1].map(u32::to_le_bytes).as_flattened());
        payload.extend([self.place, size].map(u64::to_le_bytes).as_flattened());
        self.records.submit(&payload)?;
        self.place += size;
        Ok(())
    }

    fn command(&mut self, command: &Command, memory: &[u64]) -> Result<(), ImportError> {
        if !memory.is_empty() {
            self.submit()?;
            memory.iter().try_for_each(|id| self.store(command, *id))?;
        }
        if let Some(display) = self.recording.displays.get(&command.display) {
            self.display = Some(*display);
        }
        if self.packet.count == 0 {
            let no_header = || ImportError::new(command.offset, format!("{:#x} is no header", command.header));
            self.packet = Methods::decode(command.header).ok_or_else(no_header)?;
            self.words.push(command.header);
        }
        if self.packet.count > 0 {
            self.words.push(command.value);
            let Methods { method, subchannel, .. } = self.packet;
            self.packet = self.packet.after(1);
            self.data(subchannel, method, command.value)?;
        }
        Ok(())
    }

    /// Notes what a word of data does.
    fn data(&mut self, subchannel: u32, method: u32, value: u32) -> Result<(), ImportError> {
        match (subchannel, method as usize) {
            (0, id) => {
                self.registers[id / 4] = value;
                if id == curie::clear_surface::ID || id == curie::set_begin_end::ID && value != 0 {
                    self.note_surfaces();
                }
            }
            (7, id) if software::driver_flip::id(0) == id || software::flip_command::ID == id => {
                self.submit()?;
                self.present(value as usize & 7)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes which surfaces are drawn to.
    fn note_surfaces(&mut self) {
        const SURFACES: [[usize; 2]; 5] = [
            [curie::set_context_dma_color_a::ID, curie::set_surface_color_aoffset::ID],
            [curie::set_context_dma_color_b::ID, curie::set_surface_color_boffset::ID],
            [curie::set_context_dma_color_c::ID, curie::set_surface_color_coffset::ID],
            [curie::set_context_dma_color_d::ID, curie::set_surface_color_doffset::ID],
            [curie::set_context_dma_zeta::ID, curie::set_surface_zeta_offset::ID],
        ];
        let registers = &self.registers;
        let places = SURFACES.iter().map(|ids| ids.map(|id| registers[id / 4]));
        self.surfaces.extend(places.filter_map(|[location, offset]| format::place(location, offset)));
    }

    /// Stores what a command needs. A block that is there since it was stored last has not been written by the
    /// processors: what the GPU has drawn there meanwhile stays. A block that begins where a surface does is left out
    /// when the surface was drawn to, as the emulator's memory does not have what its GPU has drawn.
    fn store(&mut self, command: &Command, id: u64) -> Result<(), ImportError> {
        let bad = |what: &str| ImportError::new(command.offset, format!("{what} {id:#x} is not in the file"));
        let block = self.recording.blocks.get(&id).ok_or_else(|| bad("memory block"))?;
        if block.data == 0 {
            return Ok(());
        }
        let bytes = *self.recording.data.get(&block.data).ok_or_else(|| bad("data of memory block"))?;
        let Some(at) = block.place else {
            self.elsewhere += 1;
            return Ok(());
        };
        let range = at.range(bytes.len() as u64);
        let memory = if at.space == 0 { LOCAL.size } else { MAIN_BYTES };
        if bytes.is_empty() || at.address.saturating_add(range.size) > memory {
            self.elsewhere += usize::from(!bytes.is_empty());
            return Ok(());
        }
        let too_much = || ImportError::new(command.offset, format!("more than {} bytes of memory", Stored::MAX_BYTES));
        if !self.stored.is_new(range, block.data).ok_or_else(too_much)? {
            return Ok(());
        }
        if self.surfaces.contains(&at) {
            self.of_surfaces += 1;
            return Ok(());
        }
        Ok(self.records.mem(at, bytes)?)
    }

    /// A buffer is shown.
    fn present(&mut self, buffer: usize) -> Result<(), ImportError> {
        let Some(display) = self.display else { return Ok(()) };
        let [width, height, pitch, offset] = display.buffers[buffer];
        let is_picture = (1..=4096).contains(&width) && (1..=4096).contains(&height) && 4 * width <= pitch;
        if buffer < display.count
            && is_picture
            && u64::from(offset) + u64::from(pitch) * u64::from(height) <= LOCAL.size
        {
            let at = GuestAddr::new(0, offset.into());
            // X8R8G8B8 in rows.
            let (format, layout, label) = (9, 0, "main".to_owned());
            self.records.present(&Present { at, format, width, height, pitch, layout, label })?;
            self.pictures += 1;
        }
        Ok(())
    }

    /// The end: without a flip in the commands, what was drawn to last is shown, or else every buffer.
    fn end(&mut self) -> Result<(), ImportError> {
        self.submit()?;
        let Some(display) = self.display.filter(|_| self.pictures == 0) else { return Ok(()) };
        let drawn = self.registers[curie::set_surface_color_aoffset::ID / 4];
        let buffers = 0..display.count.min(display.buffers.len());
        match buffers.clone().find(|&buffer| display.buffers[buffer][3] == drawn) {
            Some(buffer) => self.present(buffer),
            None => buffers.into_iter().try_for_each(|buffer| self.present(buffer)),
        }
    }

    /// What a replay would need and the recording does not have.
    fn lacks(&self) -> Vec<String> {
        let mut lacks = vec![
            "Memory is only what was recorded when a draw or copy read it. What targets held before the frame is zero."
                .to_owned(),
            "Immediate values of vertex attributes from before the frame are as after a reset.".to_owned(),
            "Semaphores that the push buffer waits for or releases by itself (NV406E) were not recorded.".to_owned(),
        ];
        match &self.recording.state {
            None => lacks.push("Versions before 3 have no registers: they are as GCM leaves them.".to_owned()),
            Some(state) if state.constants.is_empty() => {
                lacks.push("Constants of vertex programs from before the frame are zero.".to_owned());
            }
            Some(_) => {}
        }
        if self.of_surfaces > 0 {
            lacks.push(format!(
                "{} loads are left out that begin where the frame has drawn: the emulator's memory may be older.",
                self.of_surfaces
            ));
        }
        if self.elsewhere > 0 {
            lacks.push(format!("{} loads of reports or beyond memory are left out.", self.elsewhere));
        }
        if self.pictures == 0 {
            lacks.push("No buffers to show are known: there are no pictures.".to_owned());
        }
        lacks
    }
}
