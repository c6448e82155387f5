//! State methods of the bundled captures: their push buffers and command lists without what draws, uploads or waits.

use std::collections::HashSet;
use std::path::Path;

use triglyph::capture::{Mem, Prepared, Reader, Record};
use triglyph::{GuestAddr, GuestRange, Machine};
use triglyph_guest::pica::command::Packets;
use triglyph_guest::pica::regs::{self, Effect};
use triglyph_guest::rsx::fifo::Methods;
use triglyph_guest::rsx::methods::CURIE;
use triglyph_guest::tegra::fifo::{Command, Entry};
use triglyph_guest::tegra::methods::{self, threed};

/// Words of a push buffer or command list.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// Headers and data.
    pub words: Vec<u32>,
    /// Data words among them.
    pub methods: u64,
    /// Each header with its data: where it begins, and its methods.
    packets: Vec<(usize, u64)>,
}

impl Stream {
    fn push(&mut self, words: &[u32], methods: usize) {
        self.packets.push((self.words.len(), methods as u64));
        self.words.extend(words);
        self.methods += methods as u64;
    }

    /// How many headers there are.
    pub fn headers(&self) -> u64 {
        self.packets.len() as u64
    }

    /// Packets of at least so many methods, the first of each header.
    fn long(&self, least: u64, machine: Machine) -> impl Iterator<Item = (u32, &[u32], u64)> {
        let ends = self.packets.iter().skip(1).map(|&(start, _)| start).chain([self.words.len()]);
        let packets = self.packets.iter().zip(ends).filter(move |((_, methods), _)| *methods >= least);
        packets.map(move |(&(start, methods), end)| {
            let words = &self.words[start..end];
            (words[usize::from(machine == Machine::N3ds)], words, methods)
        })
    }

    /// How often it has to come to have so many methods.
    pub fn times(&self, methods: u64) -> u64 {
        methods.div_ceil(self.methods.max(1))
    }
}

/// A stream of those packets of others that have at least so many methods: of each header the first packet, again and
/// again, a few hundred words at most.
pub fn long_packets(machine: Machine, streams: &[(String, Stream)], least: u64) -> Stream {
    const MAX_WORDS: usize = 250;
    let mut known = HashSet::new();
    let all = streams.iter().flat_map(|(_, stream)| stream.long(least, machine));
    let packets: Vec<_> = all.filter(|(header, ..)| known.insert(*header)).collect();
    let mut long = Stream::default();
    for (_, words, methods) in packets.iter().cycle().take(MAX_WORDS) {
        if long.words.len() + words.len() <= MAX_WORDS {
            long.push(words, *methods as usize);
        }
    }
    long
}

/// Memory as captures store it.
#[derive(Default)]
struct Memory(Vec<(GuestAddr, Vec<u8>)>);

impl Memory {
    /// The words of a range, if one stored piece has them all.
    fn words(&self, range: GuestRange, big_endian: bool) -> Option<Vec<u32>> {
        let found = self.0.iter().rev().find_map(|(start, stored)| {
            let offset = usize::try_from(range.start.address.checked_sub(start.address)?).ok()?;
            let same_space = start.space == range.start.space;
            if same_space { stored.get(offset..)?.get(..range.size as usize) } else { None }
        })?;
        let word = |&bytes: &[u8; 4]| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        Some(found.as_chunks().0.iter().map(word).collect())
    }
}

/// The state methods of all bundled captures of a machine, one stream each, by the captures' names.
pub fn streams(machine: Machine) -> Vec<(String, Stream)> {
    let folder = match machine {
        Machine::N3ds => "3ds",
        Machine::Ps3 => "rsx",
        Machine::TegraX1 => "tegra",
        other => panic!("no captures of the {other}"),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let streams = paths.iter().map(|path| (name(path), stream(machine, &std::fs::read(path).expect("a file"))));
    streams.filter(|(_, stream)| stream.methods != 0).collect()
}

fn stream(machine: Machine, file: &[u8]) -> Stream {
    let capture = Prepared::new(&Reader::new(file).expect("a capture")).expect("a sound capture");
    let (mut memory, mut stream) = (Memory::default(), Stream::default());
    for entry in capture.entries() {
        match &entry.record {
            Record::Mem(Mem { at, bytes }) => memory.0.push((*at, bytes.to_vec())),
            Record::Submit(payload) => match machine {
                Machine::N3ds => list(&memory, payload, &mut stream),
                Machine::Ps3 => segments(&memory, payload, capture.header().big_endian, &mut stream),
                Machine::TegraX1 => entries(&memory, payload, &mut stream),
                other => panic!("no streams of the {other}"),
            },
            _ => {}
        }
    }
    stream
}

fn long(bytes: &[u8]) -> u64 {
    bytes[..8].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn segments(memory: &Memory, payload: &[u8], big_endian: bool, stream: &mut Stream) {
    let effects = CURIE.effects();
    for segment in payload[8..].chunks_exact(16) {
        let words =
            memory.words(GuestRange::new((long(payload) >> 32) as u32, long(segment), long(&segment[8..])), big_endian);
        let words = words.unwrap_or_default();
        let mut at = 0;
        while let Some(&header) = words.get(at) {
            at += 1;
            let Some(packet) = Methods::decode(header) else { continue };
            let end = at + packet.count as usize;
            let first = packet.method as usize / 4;
            let methods = effects.get(first..first + if packet.increasing { end - at } else { 1 });
            let plain = methods.is_some_and(|methods| methods.iter().all(|effect| !effect.is_trigger()));
            // Objects are other machines' business; subchannel 7 is that of Mesa's 3D object.
            if plain && packet.method >= 0x200 && packet.subchannel == 7 && packet.count != 0 && end <= words.len() {
                let header = Methods { subchannel: 0, ..packet }.encode();
                stream.push(&[&[header], &words[at..end]].concat(), end - at);
            }
            at = end;
        }
    }
}

fn entries(memory: &Memory, payload: &[u8], stream: &mut Stream) {
    let plain = |method: u32| {
        threed::METHODS.info(method).is_some()
            && !matches!(threed::METHODS.effect(method), methods::Effect::Common(_) | methods::Effect::Trigger(_))
            && method >= 0x40
    };
    for entry in payload[8..].chunks_exact(8) {
        let Entry::Segment(segment) = Entry::decode(long(entry)) else { continue };
        let words =
            memory.words(GuestRange::new(0, segment.address, 4 * u64::from(segment.words)), false).unwrap_or_default();
        let mut at = 0;
        while let Some(&header) = words.get(at) {
            at += 1;
            match Command::decode(header) {
                Command::Immediate { subchannel: 0, method, .. } if plain(method) => stream.push(&[header], 1),
                Command::Run(run) | Command::Legacy(run) => {
                    let count = run.count as usize;
                    let all = run.count != 0 && (0..run.count).all(|word| plain(run.after(word).method));
                    if all && run.subchannel == 0 && at + count <= words.len() {
                        stream.push(&words[at - 1..at + count], count);
                    }
                    at += count;
                }
                _ => {}
            }
        }
    }
}

fn list(memory: &Memory, payload: &[u8], stream: &mut Stream) {
    let words: [u32; 8] = std::array::from_fn(|i| long(&[&payload[4 * i..4 * i + 4], &[0; 4]].concat()) as u32);
    if words[0] & 0xFF != 1 {
        return;
    }
    let offset = if words[1] >= 0x3000_0000 { 0x1000_0000 } else { 0xF400_0000 };
    let list = GuestRange::new(0, words[1].wrapping_sub(offset).into(), words[2].into());
    let words = memory.words(list, false).unwrap_or_default();
    for packet in Packets::new(&words) {
        let plain = packet
            .writes()
            .all(|write| write.id < regs::COUNT && matches!(regs::EFFECTS[write.id], Effect::None | Effect::Dirty(_)));
        let end = packet.offset + packet.header.packet_words();
        if plain && end <= words.len() {
            stream.push(&words[packet.offset..end], 1 + packet.header.extra());
        }
    }
}
