//! Traces that a writer of ours makes of captures: the pictures come out as they went in.

use std::path::Path;

use triglyph::capture::{Checks, Event, Meta, Picture, Player, Present, Reader, Record};
use triglyph::n3ds::gsp::{Command, to_physical};
use triglyph::{Options, Tier};
use triglyph_guest::pica::command::{Packets, unpack_f24};
use triglyph_guest::pica::{external, regs};
use triglyph_import::{Imported, ctf, import};

/// How the writer stores register writes, and whether its header has default attributes.
#[derive(Clone, Copy)]
enum Version {
    First,
    Sized,
    Words,
}

/// How many things META says that the capture lacks.
fn lacks(meta: &Meta) -> usize {
    let facts: serde_json::Value = serde_json::from_str(&meta.to_string()).expect("JSON");
    facts["lacks"].as_array().map_or(0, Vec::len)
}

/// What a trace begins with.
#[derive(Default)]
struct Initial {
    gpu: Vec<u32>,
    pica: Vec<u32>,
    attributes: Vec<u32>,
    vertex: [Vec<u32>; 3],
}

/// A trace under construction.
struct Writer {
    version: Version,
    initial: Initial,
    /// Memory that elements load, after the sections.
    data: Vec<u8>,
    elements: Vec<[u32; 5]>,
    /// Address and place in `data` of what was loaded, with its size.
    loaded: Vec<(u64, usize, usize)>,
}

impl Writer {
    fn new(version: Version) -> Self {
        Writer { version, initial: Initial::default(), data: Vec::new(), elements: Vec::new(), loaded: Vec::new() }
    }

    fn memory(&mut self, address: u64, bytes: &[u8]) {
        self.elements.push([0xE2, self.data.len() as u32, bytes.len() as u32, address as u32, 0]);
        self.loaded.push((address, self.data.len(), bytes.len()));
        self.data.extend(bytes);
    }

    /// What was loaded at an address.
    fn loaded(&self, address: u64, size: usize) -> Vec<u8> {
        let holds = |(start, _, length): &&(u64, usize, usize)| {
            address >= *start && address + size as u64 <= start + *length as u64
        };
        let (start, place, _) = self.loaded.iter().rev().find(holds).expect("loaded memory");
        let place = place + (address - start) as usize;
        self.data[place..place + size].to_vec()
    }

    fn register(&mut self, id: usize, value: u32) {
        let address = 0x1040_0000 + id as u32;
        self.elements.push(match self.version {
            Version::Words => [0xE3, address, value, 0, 0],
            _ => [0xE3, address, 0xD3, value, 0],
        });
    }

    /// The registers that a GX command writes, the one that starts it last.
    fn command(&mut self, words: [u32; 8]) {
        let physical = |address: u32| to_physical(address).unwrap() >> 3;
        match Command::from_words(&words).unwrap() {
            Command::ProcessCommandList { address, size, .. } => {
                self.register(external::cmdlist_size0::ID, size >> 3);
                self.register(external::cmdlist_addr0::ID, physical(address));
                self.register(external::cmdlist_go0::ID, 1);
            }
            Command::MemoryFill { units } => {
                for (index, unit) in units.into_iter().enumerate().filter(|(_, unit)| unit.start != 0) {
                    self.register(external::psc_start::IDS[index], physical(unit.start));
                    self.register(external::psc_end::IDS[index], physical(unit.end - 8) + 1);
                    self.register(external::psc_value::IDS[index], unit.value);
                    self.register(external::psc_control::IDS[index], u32::from(unit.control));
                }
            }
            Command::DisplayTransfer { source, target, source_size, target_size, flags } => {
                self.register(external::ppf_in::ID, physical(source));
                self.register(external::ppf_out::ID, physical(target));
                self.register(external::ppf_in_dim::ID, source_size);
                self.register(external::ppf_out_dim::ID, target_size);
                self.register(external::ppf_flags::ID, flags);
                self.register(external::ppf_control::ID, 1);
            }
            Command::TextureCopy { source, target, size, source_lines, target_lines, flags } => {
                self.register(external::ppf_in::ID, physical(source));
                self.register(external::ppf_out::ID, physical(target));
                self.register(external::copy_size::ID, size);
                self.register(external::copy_in::ID, source_lines);
                self.register(external::copy_out::ID, target_lines);
                self.register(external::ppf_flags::ID, flags);
                self.register(external::ppf_control::ID, 1);
            }
            Command::FlushCacheRegions { .. } => {}
            // The emulators copy by themselves: the copy is in the trace when a draw reads it.
            Command::RequestDma { source, target, size, .. } => {
                let [source, target] = [source, target].map(|address| u64::from(to_physical(address).unwrap()));
                let bytes = self.loaded(source, size as usize);
                self.memory(target, &bytes);
            }
        }
    }

    fn show(&mut self, present: &Present) {
        let screen = usize::from(present.label == "bottom");
        self.register(external::pdc_left_addr1::IDS[screen], present.at.address as u32);
        self.register(external::pdc_select::IDS[screen], 1);
        self.register(external::pdc_dim::IDS[screen], present.height | present.width << 16);
        self.register(external::pdc_format::IDS[screen], present.format - 1);
        self.register(external::pdc_stride::IDS[screen], present.pitch);
    }

    fn end_frame(&mut self) {
        self.elements.push([0xE1, 0, 0, 0, 0]);
    }

    fn finish(self) -> Vec<u8> {
        let Initial { gpu, pica, attributes, vertex: [code, descriptors, floats] } = &self.initial;
        let none = Vec::new();
        let mut sections = vec![gpu, &none, pica];
        if !matches!(self.version, Version::First) {
            sections.push(attributes);
        }
        sections.extend([code, descriptors, floats, &none, &none, &none]);
        let header = 4 * (3 + 2 * sections.len() as u32 + 2);
        let mut place = header;
        let mut words = vec![u32::from_le_bytes(*b"CiTr"), 1, header];
        for section in &sections {
            words.extend([place, section.len() as u32]);
            place += 4 * section.len() as u32;
        }
        words.extend([place + self.data.len() as u32, self.elements.len() as u32]);
        sections.into_iter().for_each(|section| words.extend(section));
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut file = bytes(&words);
        file.extend(&self.data);
        for mut element in self.elements {
            if element[0] == 0xE2 {
                element[1] += place;
            }
            file.extend(bytes(&element));
        }
        file
    }
}

fn capture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures/3ds").join(name);
    std::fs::read(path).unwrap()
}

fn words(payload: &[u8]) -> Vec<u32> {
    payload.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// A capture as a trace, element by element.
fn trace(file: &[u8], version: Version) -> Vec<u8> {
    let mut writer = Writer::new(version);
    let reader = Reader::new(file).unwrap();
    let mut shown: Vec<String> = Vec::new();
    for entry in reader.records() {
        let record = entry.unwrap().record;
        if let Record::Present(present) = &record {
            if shown.contains(&present.label) {
                writer.end_frame();
                shown.clear();
            }
            shown.push(present.label.clone());
        } else if !shown.is_empty() && matches!(record, Record::Mem(_) | Record::Submit(_)) {
            writer.end_frame();
            shown.clear();
        }
        match record {
            Record::Mem(mem) => writer.memory(mem.at.address, &mem.bytes),
            Record::Submit(payload) => writer.command(words(&payload).try_into().unwrap()),
            Record::Present(present) => writer.show(&present),
            _ => {}
        }
    }
    writer.end_frame();
    writer.finish()
}

/// The pictures of a capture with their labels, by frames whose screens come in no order, and its faults.
fn pictures(file: &[u8]) -> (Vec<(String, Picture)>, u64) {
    let reader = Reader::new(file).unwrap();
    let mut device = triglyph::new_device(reader.header().machine, &Options::new(Tier::Auto, 2)).unwrap();
    let mut player = Player::new(&reader, Checks::PICTURES);
    let mut pictures = Vec::new();
    while let Some(event) = player.next(&mut *device).unwrap() {
        if let Event::Picture(finished) = event {
            pictures.push((finished.present.label, finished.picture.unwrap()));
        }
    }
    (pictures, device.faults().total())
}

#[track_caller]
fn expect_pictures(original: &[u8], imported: &Imported, label: &str) {
    let of = |file: &[u8]| {
        let (pictures, faults) = pictures(file);
        let mut own: Vec<Picture> = pictures.into_iter().filter(|(name, _)| name == label).map(|(_, p)| p).collect();
        // A screen that is not drawn to in a frame is shown in it nevertheless.
        own.dedup();
        (own, faults)
    };
    let (want, got) = (of(original), of(&imported.capture));
    assert!(!want.0.is_empty());
    assert!(want == got, "{} pictures, {} faults / {}, {}", want.0.len(), want.1, got.0.len(), got.1);
}

#[test]
fn pictures_come_out_as_they_went_in() {
    for name in ["28-render-to-texture", "25-shadow-map", "29-transfer-engine", "18-texture-formats", "22-city"] {
        let original = capture(&format!("{name}.tgc"));
        for version in [Version::First, Version::Sized, Version::Words] {
            let imported = import(name, &trace(&original, version)).unwrap();
            for label in ["top", "bottom"] {
                if pictures(&original).0.iter().any(|(found, _)| found == label) {
                    expect_pictures(&original, &imported, label);
                }
            }
            let reader = Reader::new(&imported.capture).unwrap();
            let Some(Ok(first)) = reader.records().next() else { panic!("no records") };
            assert!(matches!(first.record, Record::Meta(meta) if lacks(&meta) >= 6));
        }
    }
}

/// The registers, programs and constants that the first command list leaves go into the trace's beginning, and only
/// what cannot be there stays in the list.
#[test]
fn a_trace_begins_with_its_registers() {
    let original = capture("26-ribbons.tgc");
    let reader = Reader::new(&original).unwrap();
    let records: Vec<Record<'_>> = reader.records().map(|entry| entry.unwrap().record).collect();
    let mut writer = Writer::new(Version::Sized);
    writer.initial.pica = regs::RESET.to_vec();
    writer.initial.attributes = vec![0; 64];
    writer.initial.vertex = [vec![0; 4096], vec![0; 128], vec![0; 384]];
    let mut memory: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut first = true;
    for record in &records {
        match record {
            Record::Mem(mem) => memory.push((mem.at.address, mem.bytes.to_vec())),
            Record::Submit(payload) => {
                let command: [u32; 8] = words(payload).try_into().unwrap();
                if first && command[0] & 0xFF == 1 {
                    first = false;
                    let list = u64::from(to_physical(command[1]).unwrap());
                    let (start, bytes) = memory
                        .iter_mut()
                        .rev()
                        .find(|(start, bytes)| (*start..*start + bytes.len() as u64).contains(&list))
                        .unwrap();
                    let at = (list - *start) as usize;
                    take_state(&mut bytes[at..at + command[2] as usize], &mut writer.initial);
                }
                if !first {
                    memory.drain(..).for_each(|(address, bytes)| writer.memory(address, &bytes));
                }
                writer.command(command);
            }
            Record::Present(present) => writer.show(present),
            _ => {}
        }
    }
    writer.end_frame();
    assert!(writer.initial.vertex[0].iter().any(|word| *word != 0));
    let imported = ctf::import("ribbons", &writer.finish()).unwrap();
    let last = |file: &[u8]| pictures(file).0.into_iter().rfind(|(label, _)| label == "top").unwrap();
    assert!(last(&original) == last(&imported.capture));
}

/// Moves what packets before the first draw leave from a list to the beginning of a trace; they become zero.
fn take_state(list: &mut [u8], initial: &mut Initial) {
    let old = words(list);
    let (mut code, mut descriptor, mut float) = (0, 0, (0, Vec::new()));
    for packet in Packets::new(&old) {
        let writes: Vec<_> = packet.writes().collect();
        if writes.iter().any(|write| write.id == regs::draw_arrays::ID || write.id == regs::draw_elements::ID) {
            break;
        }
        for write in writes {
            let port = |first: usize| (first..first + 8).contains(&write.id);
            let mask = packet.header.bit_mask();
            match write.id {
                regs::vsh_code_index::ID => code = write.value as usize,
                regs::vsh_opdesc_index::ID => descriptor = write.value as usize,
                regs::vsh_float_index::ID => float = (write.value as usize, Vec::new()),
                _ if port(regs::vsh_code_data::id(0)) => {
                    initial.vertex[0][code] = write.value;
                    code += 1;
                }
                _ if port(regs::vsh_opdesc_data::id(0)) => {
                    initial.vertex[1][descriptor] = write.value;
                    descriptor += 1;
                }
                _ if port(regs::vsh_float_data::id(0)) => {
                    float.1.push(write.value);
                    let wide = float.0 >> 31 != 0;
                    let numbers = match (wide, &float.1[..]) {
                        (false, &[a, b, c]) => unpack_f24([a, b, c]),
                        (true, &[w, z, y, x]) => [x, y, z, w].map(to_f24),
                        _ => continue,
                    };
                    let at = 4 * (float.0 & 0xFF);
                    initial.vertex[2][at..at + 4].copy_from_slice(&numbers);
                    float = (float.0 + 1, Vec::new());
                }
                id if id < regs::COUNT && keeps(id) => {
                    let register = &mut initial.pica[id];
                    *register = *register & !mask | write.value & mask;
                }
                // A port of a table, or what only a list can say: the packet stays.
                _ => continue,
            }
            let place = packet.offset;
            if packet.writes().all(|write| can_move(write.id)) {
                list[4 * place..4 * (place + packet.header.packet_words())].fill(0);
            }
        }
    }
}

/// Whether a register's word is all there is to it, for the packets of this test.
fn keeps(id: usize) -> bool {
    id >= 0x40
        && !(0x238..=0x23D).contains(&id)
        && (matches!(regs::EFFECTS[id], regs::Effect::None | regs::Effect::Dirty(_))
            || [0x80, 0x25E, 0x2B0, 0x2B1, 0x2B2, 0x2B3, 0x2B4, 0x2BD].contains(&id))
}

fn can_move(id: usize) -> bool {
    let port = |first: usize| (first..first + 8).contains(&id);
    let ports = [regs::vsh_code_data::id(0), regs::vsh_opdesc_data::id(0), regs::vsh_float_data::id(0)];
    let index = [regs::vsh_code_index::ID, regs::vsh_opdesc_index::ID, regs::vsh_float_index::ID];
    // A table's index goes with the table's data, which stay.
    let table = [0xAF, 0xE6, 0x1C5, 0x123].contains(&id);
    ports.into_iter().any(port) || index.contains(&id) || keeps(id) && !table
}

/// The number that a port makes of a float of 32 bits: 7 bits of exponent, 16 of mantissa.
fn to_f24(bits: u32) -> u32 {
    if bits & 0x7FFF_FFFF == 0 {
        return bits >> 31 << 23;
    }
    let exponent = (bits >> 23 & 0xFF) as i32 - 127 + 63;
    bits >> 31 << 23 | (exponent as u32) << 16 | (bits >> 7 & 0xFFFF)
}

#[test]
fn broken_traces_are_errors_with_their_place() {
    let good = trace(&capture("28-render-to-texture.tgc"), Version::Sized);
    let with = |at: usize, word: u32| {
        let mut file = good.clone();
        file[at..at + 4].copy_from_slice(&word.to_le_bytes());
        import("x", &file).unwrap_err().to_string()
    };
    let stream = u32::from_le_bytes(good[92..96].try_into().unwrap()) as usize;
    for (found, wanted) in [
        (with(4, 2), "at offset 0x4: CiTrace version 2"),
        (with(8, 12), "at offset 0x8: a header of 3 words"),
        (with(92, u32::MAX), "the stream begins at 0xffffffff"),
        (with(96, u32::MAX), "the stream has 4294967295 elements"),
        (with(stream, 7), &format!("at offset {stream:#x}: an element of kind 0x7")),
        (with(stream + 8, u32::MAX), &format!("at offset {stream:#x}: memory has 4294967295 bytes")),
    ] {
        assert!(found.contains(wanted), "{found}");
    }
    // A few bytes may not name so many.
    let mut writer = Writer::new(Version::Words);
    (0..400).for_each(|at| writer.memory(0x2000_0000 + 16 * at, &[]));
    writer.data = vec![1; 4 << 20];
    writer.elements.iter_mut().for_each(|element| element[2] = 4 << 20);
    assert!(import("x", &writer.finish()).unwrap_err().what.contains("bytes of memory"));
    assert!(import("x", b"CiTr").is_err() && import("x", b"").is_err() && import("x", b"TGLC").is_err());
}

#[test]
fn no_bytes_panic() {
    let good = trace(&capture("28-render-to-texture.tgc"), Version::Words);
    arbtest::arbtest(|choices| {
        let mut file = good.clone();
        for _ in 0..choices.int_in_range(1..=8)? {
            let near = choices.ratio(3, 4)?;
            let at = choices.int_in_range(0..=if near { 99 } else { file.len() - 1 })?;
            file[at] = choices.arbitrary()?;
        }
        if choices.ratio(1, 4)? {
            let length = choices.int_in_range(0..=file.len())?;
            file.truncate(length);
        }
        if let Ok(imported) = import("x", &file) {
            let reader = Reader::new(&imported.capture).expect("a capture");
            reader.records().for_each(|entry| drop(entry.expect("a sound record")));
        }
        Ok(())
    })
    .budget_ms(3000);
}
