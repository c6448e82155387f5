//! Recordings that a writer of ours makes of what a console of the test kit was told: the picture comes out as the
//! console has it.

use std::io::Write;

use triglyph::capture::{Checks, Event, Picture, Player, Reader, Record};
use triglyph::{Device, Options, Tier};
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::lv1::handle;
use triglyph_guest::rsx::methods::{curie as m, initialised};
use triglyph_import::{Imported, import};
use triglyph_testkit::rsx::{ARRAYS, COLOR, COLOR_B, Console, EDGE, GREEN, PROGRAM, QUADS, RED, rect};

/// A method that does nothing.
const NO_OPERATION: usize = 0x100;

/// Location bit of array offsets: main memory.
const IN_MAIN: u32 = 1 << 31;

/// Memory that draws read: space, offset, bytes.
const BLOCKS: [(u32, u32, usize); 3] = [(0, PROGRAM, 0x100), (1, ARRAYS, 0x100), (0, COLOR_B, 0x400)];

/// Words that were executed together, and what the blocks held.
struct Batch {
    words: Vec<u32>,
    memory: Vec<Vec<u8>>,
}

/// What a console was told in batches; the first is what makes it one.
struct Session {
    console: Console,
    batches: Vec<Batch>,
    seen: usize,
}

impl Session {
    fn new() -> Self {
        let mut session = Session { console: Console::new(), batches: Vec::new(), seen: 0 };
        session.run();
        session
    }

    fn run(&mut self) {
        self.console.run();
        let words = self.console.executed[self.seen..].to_vec();
        self.seen = self.console.executed.len();
        // Surfaces are read before anything has been drawn: an emulator's memory is older than what its GPU has drawn.
        let memory = BLOCKS.map(|(space, offset, size)| match offset {
            COLOR_B => vec![0x55; size],
            _ => self.console.read(space, offset, size),
        });
        self.batches.push(Batch { words, memory: memory.into() });
    }

    /// Draws to one surface, reads it as a texture, and draws from arrays with another program.
    fn draw(&mut self) {
        let console = &mut self.console;
        console.set(m::set_surface_color_aoffset::ID, COLOR_B);
        clear(console, 0xFF20_4060);
        self.run();
        self.console.push_draw(QUADS, GREEN, &rect([4.0, 4.0, 12.0, 9.0], 0.5));
        self.run();
        let console = &mut self.console;
        console.set(m::set_surface_color_aoffset::ID, COLOR);
        clear(console, 0xFF00_0000);
        self.run();
        let console = &mut self.console;
        // It executes what there is: nothing must not be submitted.
        console.set(NO_OPERATION, 0);
        console.fragment_program("tex r0, f[TC0], tex0  [end]");
        let format = 1 | 2 << 4 | 8 | 1 << 16 | (0x85 | 0x60) << 8;
        let size = EDGE << 16 | EDGE;
        let words = [COLOR_B, format, 0x3_0303, 1 << 31, 0xAAE4, 1 << 16 | 1 << 24 | 0x2000, size, 0];
        console.method(m::set_texture_offset::id(0), &words);
        console.set(m::set_texture_control3::id(0), 1 << 20 | 64);
        console.set(m::set_tex_coord_control::id(0), 1);
        console.begin(QUADS);
        for (corner, [u, v]) in rect([0.0, 0.0, 16.0, 8.0], 0.4).into_iter().zip([[0, 0], [16, 0], [16, 16], [0, 16]]) {
            console.attribute(8, [u as f32, v as f32, 0.0, 1.0]);
            console.attribute(0, corner);
        }
        console.end();
        self.run();
        let console = &mut self.console;
        console.set(NO_OPERATION, 0);
        console.fragment_program("mov r0, f[COL0]  [end]");
        let corners = rect([2.0, 9.0, 13.0, 15.0], 0.3);
        let bytes: Vec<u8> = corners.iter().flatten().flat_map(|value| value.to_be_bytes()).collect();
        console.write_main(ARRAYS, &bytes);
        console.set(m::set_vertex_data_array_offset::id(0), ARRAYS | IN_MAIN);
        console.set(m::set_vertex_data_array_format::id(0), 2 | 4 << 4 | 16 << 8);
        console.attribute(3, RED);
        console.begin(QUADS);
        console.set(m::draw_arrays::ID, 3 << 24);
        console.end();
        self.run();
        assert_eq!(self.console.gpu.faults().first(), []);
    }

    /// The target as people see it.
    fn picture(&mut self) -> Vec<[u8; 3]> {
        let pixels = (0..EDGE * EDGE).map(|at| self.console.pixel(at % EDGE, at / EDGE));
        pixels.map(|pixel| [pixel >> 16, pixel >> 8, pixel].map(|byte| byte as u8)).collect()
    }
}

/// Clears colour and depth, without executing it.
fn clear(console: &mut Console, color: u32) {
    console.set(m::set_zstencil_clear_value::ID, 0xFFFF_FF00);
    console.set(m::set_color_clear_value::ID, color);
    console.set(m::clear_surface::ID, 0xF3);
}

/// What the writer may leave out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// All words are commands; a flip ends them.
    Plain,
    /// The first batch is in the registers; nothing is shown.
    Registers,
}

/// Bytes of a recording.
struct Writer {
    version: u32,
    bytes: Vec<u8>,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    fn long(&mut self, long: u64) {
        self.bytes.extend(long.to_le_bytes());
    }

    fn size(&mut self, mut size: usize) {
        if self.version < 5 {
            return self.long(size as u64);
        }
        while size >= 0x80 {
            self.bytes.push(size as u8 | 0x80);
            size >>= 7;
        }
        self.bytes.push(size as u8);
    }

    /// A list of pairs.
    fn pairs<T>(&mut self, pairs: &[(u64, T)], mut write: impl FnMut(&mut Self, &T)) {
        self.size(pairs.len());
        for (number, named) in pairs {
            if self.version < 6 {
                self.long(*number);
            }
            write(self, named);
            if self.version >= 6 {
                self.long(*number);
            }
        }
    }

    fn block(&mut self, (space, offset, size): (u32, u32, usize), data: u64) {
        let io = if space == 1 { offset } else { u32::MAX };
        let words = match self.version {
            1 => vec![if space == 0 { 0xC000_0000 + offset } else { 0x3000_0000 + offset }, io, 0, size as u32],
            2 | 3 => vec![offset, 0, size as u32, space],
            _ => vec![offset, 0xFEED_0000 + space],
        };
        words.into_iter().for_each(|word| self.word(word));
        self.long(data);
    }
}

/// A command: header, value, whether it ends a primitive.
type Command = (u32, u32, bool);

/// The commands of words as RPCS3 records them: each word of data with a header of its own, but for those of ports.
fn commands(words: &[u32]) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let packet = Methods::decode(words[at]).unwrap();
        for index in 0..packet.count {
            let value = words[at + 1 + index as usize];
            let left = packet.after(index);
            let is_port = |first: usize| (first..first + 128).contains(&(packet.method as usize));
            let in_port = is_port(m::set_transform_program::id(0)) || is_port(m::set_transform_constant::id(0));
            let header = match (in_port, index) {
                (false, _) => Methods { count: 1, increasing: true, ..left }.encode(),
                (true, 0) => packet.encode(),
                (true, _) => 0,
            };
            let ends = (packet.subchannel, left.method, value) == (0, m::set_begin_end::ID as u32, 0);
            commands.push((header, value, ends));
        }
        at += 1 + packet.count as usize;
    }
    commands
}

fn recording(batches: &[Batch], version: u32, style: Style) -> Vec<u8> {
    let magic = if version < 5 { *b"\0CRR" } else { *b"RRC\0" };
    let mut file = Writer { version, bytes: magic.to_vec() };
    file.word(version);
    if version >= 5 {
        file.word(1);
    }
    let tiles = if version < 4 { 763 } else { 432 };
    file.pairs(&[(9, ())], |file, ()| file.bytes.resize(file.bytes.len() + tiles, 0));
    // Each batch's memory by numbers of its own, blocks from 1000 on, data from 5000 on.
    let number = |batch: usize, block: usize| (8 * batch + block) as u64;
    let all: Vec<(usize, usize)> =
        (0..batches.len()).flat_map(|batch| (0..BLOCKS.len()).map(move |block| (batch, block))).collect();
    let blocks: Vec<_> = all.iter().map(|&(batch, block)| (1000 + number(batch, block), (batch, block))).collect();
    file.pairs(&blocks, |file, &(batch, block)| file.block(BLOCKS[block], 5000 + number(batch, block)));
    let data: Vec<_> = all.iter().map(|&(batch, block)| (5000 + number(batch, block), (batch, block))).collect();
    file.pairs(&data, |file, &(batch, block)| {
        let bytes = &batches[batch].memory[block];
        file.size(bytes.len());
        file.bytes.extend(bytes);
    });
    file.pairs(&[(7, ())], |file, ()| {
        let buffer = [EDGE, EDGE, 64, COLOR];
        buffer.into_iter().chain([0; 28]).chain([1]).for_each(|word| file.word(word));
    });
    let first = usize::from(style == Style::Registers);
    // The first command does nothing and has the states.
    let mut list: Vec<(Command, Vec<u64>)> = vec![((0x40, 0, false), vec![])];
    for (batch, Batch { words, .. }) in batches.iter().enumerate().skip(first) {
        for command in commands(words) {
            let memory = (0..BLOCKS.len()).map(|block| 1000 + number(batch, block)).filter(|_| command.2);
            list.push((command, memory.collect()));
        }
    }
    if style == Style::Plain {
        list.push(((Methods { method: 0x920, subchannel: 7, count: 1, increasing: true }.encode(), 0, false), vec![]));
    }
    file.size(list.len());
    for (index, ((header, value, _), memory)) in list.into_iter().enumerate() {
        file.word(header);
        file.word(value);
        file.size(memory.len());
        memory.into_iter().for_each(|number| file.long(number));
        let has_states = index == 0;
        file.long(if has_states { 9 } else { 0 });
        file.long(if has_states { 7 } else { 0 });
    }
    if version >= 3 {
        state(&mut file, if first == 1 { &batches[0].words } else { &[] });
    }
    file.bytes
}

/// The vertex program and the registers that some words leave.
fn state(file: &mut Writer, words: &[u32]) {
    let instructions = if file.version < 6 { 512 } else { 544 };
    let mut program = vec![0; 4 * instructions];
    let mut registers = vec![0; 0x4000];
    for object in handle::ENGINE {
        let first = object.subchannel as usize * 0x800;
        let left = initialised(object.class).map_or_else(|| vec![0; 0x800], |words| words.to_vec());
        registers[first..first + 0x800].copy_from_slice(&left);
    }
    let mut at = 0;
    let mut load = 0;
    while at < words.len() {
        let packet = Methods::decode(words[at]).unwrap();
        for index in 0..packet.count {
            let value = words[at + 1 + index as usize];
            let method = packet.after(index).method as usize;
            let port = m::set_transform_program::id(0);
            if (port..port + 128).contains(&method) {
                program[load] = value;
                load += 1;
            } else if method == m::set_transform_program_load::ID {
                load = 4 * value as usize;
            }
            registers[method / 4] = value;
        }
        at += 1 + packet.count as usize;
    }
    program.into_iter().chain(registers).for_each(|word| file.word(word));
}

fn picture(capture: &[u8]) -> (Vec<Picture>, u64) {
    let reader = Reader::new(capture).unwrap();
    let mut device = triglyph::new_device(reader.header().machine, &Options::new(Tier::Auto, 2)).unwrap();
    let mut player = Player::new(&reader, Checks::PICTURES);
    let mut pictures = Vec::new();
    while let Some(event) = player.next(&mut *device).unwrap() {
        if let Event::Picture(finished) = event {
            pictures.push(finished.picture.unwrap());
        }
    }
    let faults = device.faults().first().to_vec();
    (pictures, if faults.is_empty() { 0 } else { panic!("{faults:?}") })
}

#[track_caller]
fn expect_picture(imported: &Imported, wanted: &[[u8; 3]]) {
    let (pictures, _) = picture(&imported.capture);
    let [picture] = &pictures[..] else { panic!("{} pictures", pictures.len()) };
    let got: Vec<[u8; 3]> = picture.rgba.as_chunks().0.iter().map(|[r, g, b, _]| [*r, *g, *b]).collect();
    assert_eq!(got, wanted);
}

#[test]
fn the_picture_comes_out_as_the_console_has_it() {
    let mut session = Session::new();
    session.draw();
    let wanted = session.picture();
    // The texture's two colours, the arrays' and the background.
    let mut colors = wanted.clone();
    colors.sort_unstable();
    colors.dedup();
    assert_eq!(colors.len(), 4, "{colors:?}");
    for version in 1..=6 {
        for style in [Style::Plain, Style::Registers] {
            if version < 3 && style == Style::Registers {
                continue;
            }
            let file = recording(&session.batches, version, style);
            let imported = import("scene", &file).unwrap();
            assert!(imported.format.contains(&format!("version {version}")));
            // The surface that was drawn to is newer than what the recording has of it.
            assert!(imported.lacks.iter().any(|lack| lack.contains("loads are left out that begin where")));
            expect_picture(&imported, &wanted);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(&file).unwrap();
            for packed in [packed.finish().unwrap(), zstd::encode_all(&file[..], 1).unwrap()] {
                assert!(import("scene", &packed).unwrap().capture == imported.capture);
            }
        }
    }
}

#[test]
fn broken_recordings_are_errors_with_their_place() {
    let mut session = Session::new();
    session.draw();
    let good = recording(&session.batches, 6, Style::Registers);
    let error = |file: &[u8]| import("x", file).unwrap_err().to_string();
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        error(&file)
    };
    for (found, wanted) in [
        (with(4, &[9]), "at offset 0x0: no RRC of a known version"),
        (with(0, &[0]), "at offset 0x0: neither"),
        (with(8, &[0]), "at offset 0x8: a recording made on a big-endian machine"),
        (with(12, &[0xFF; 10]), "at offset 0x16: the size of tiles has no end"),
        (error(&good[..good.len() - 4]), "bytes are left, which are no registers"),
        (error(&good[..100]), "tiles has 432 bytes"),
        (error(&[0x1F, 0x8B, 8]), "broken compression"),
        (error(&[0x28, 0xB5, 0x2F, 0xFD, 0]), "broken compression"),
    ] {
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn no_bytes_panic() {
    let mut session = Session::new();
    session.draw();
    let files: Vec<Vec<u8>> = [1, 4, 6].map(|version| recording(&session.batches, version, Style::Plain)).into();
    arbtest::arbtest(|choices| {
        let mut file = choices.choose(&files)?.clone();
        for _ in 0..choices.int_in_range(1..=8)? {
            let end = if choices.ratio(1, 4)? { file.len() - 1 } else { file.len().min(24_000) - 1 };
            let at = choices.int_in_range(0..=end)?;
            file[at] = choices.arbitrary()?;
        }
        if choices.ratio(1, 4)? {
            let length = choices.int_in_range(0..=file.len())?;
            file.truncate(length);
        }
        if let Ok(imported) = import("x", &file) {
            let reader = Reader::new(&imported.capture).expect("a capture");
            for entry in reader.records() {
                assert!(!matches!(entry.expect("a sound record").record, Record::Skipped(_)));
            }
        }
        Ok(())
    })
    .budget_ms(3000);
}
