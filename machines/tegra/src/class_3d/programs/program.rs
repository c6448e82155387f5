//! Programs in memory: header, code as far as control flow reaches it, and what instructions refer to.

use std::collections::HashMap;
use std::sync::Arc;

use triglyph_guest::kernel::maxwell::PIXEL_FUEL;
use triglyph_guest::kernel::program::environment::CONSTANT_BUFFERS;
use triglyph_guest::kernel::program::reduction::Reduction;
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::table::{Fields, flags};
use triglyph_guest::tegra::header::ProgramHeader;
use triglyph_guest::tegra::header::program::{self, Interpolation, ProgramStage, attribute};
use triglyph_guest::tegra::shader::isa::{AtomicOp, AtomicType, LdcMode, Op, Reg, form};
use triglyph_guest::tegra::shader::program::{MAX_WORDS, Program};
use triglyph_guest::tegra::shader::special::reads_clock;
use xxhash_rust::xxh3::xxh3_64;

use super::called_code::{Piece, Problem, alone, link};
use super::computed_branches::{JumpTable, jump_tables};
use super::handle::HandleSource;
use super::length::{may_exceed, may_repeat};
use crate::class_3d::state::units::{Use, WantedUnits};
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

/// Local memory of a lane at most, bytes.
const MAX_LOCAL: u32 = 512 << 10;

/// Words that are read at first.
const FIRST_READ: usize = 512;

/// Words of attributes that are in maps: byte addresses up to 0x3BC.
const MAP_WORDS: std::ops::Range<u8> = 0..0xF0;

/// A program as it is in memory.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its header; of a compute program zeros.
    pub header: ProgramHeader,
    /// Attribute words of the input map.
    pub inputs: WordSet,
    /// Attribute words of the output map.
    pub outputs: WordSet,
    /// Words that a pixel program interpolates, and how, but for those of the position.
    pub varyings: Vec<(u8, Interpolation)>,
    /// Words of the code, after it the functions that it calls; those that control flow does not reach are 0.
    pub words: Vec<u64>,
    /// Where computed branches go.
    pub targets: Vec<u32>,
    /// Texture and image instructions.
    pub uses: Vec<Use>,
    /// The units that they need.
    pub wanted: WantedUnits,
    /// Bytes that it reads of each constant buffer at most.
    pub constants: [u32; CONSTANT_BUFFERS],
    /// Instructions that control flow reaches.
    pub instructions: u64,
    /// Whether control flow may come back to where it was, or reaches more instructions than a quad of pixels may
    /// execute.
    pub loops: bool,
    /// Whether a run may execute more instructions than the program has.
    pub exceeds: bool,
    /// Whether it asks for the time.
    pub reads_clock: bool,
    /// Whether it reads global memory.
    pub loads: bool,
    /// Whether it reads global memory or images.
    pub reads: bool,
    /// Whether it writes global memory or images.
    pub writes: bool,
    /// Whether it sees what is in memory that it may write: by loads, loads of images, atomics but for
    /// [reductions](Reduction).
    pub sees_writes: bool,
    /// Whether it writes images.
    pub writes_images: bool,
    /// Words after the header up to the last one that control flow reaches, whether or not it is an instruction.
    reached_words: usize,
    /// Hash of header and reached words as they are in memory.
    hash: u64,
    /// Functions elsewhere that it calls.
    pieces: Vec<Piece>,
    /// Tables of computed branches, and what stood in them.
    tables: Vec<(JumpTable, Vec<u32>)>,
    /// What is wrong with it. Each draw counts that, so that it makes no difference what is remembered.
    problems: Vec<Problem>,
}

impl Loaded {
    /// Whether what it is depends on constant buffers.
    pub(crate) fn has_tables(&self) -> bool {
        !self.tables.is_empty()
    }

    fn report(&self, core: &mut Core) {
        for Problem { address, what } in &self.problems {
            core.fault(FaultKind::BadShader, *address, format_args!("{what}"));
        }
    }

    /// Bytes of local memory of a lane, by the header.
    pub(crate) fn local_bytes(&self) -> u32 {
        self.header.local_memory().min(MAX_LOCAL)
    }
}

/// What a program is: of a stage, or of the compute class, without a header.
pub(crate) type Kind = Option<ProgramStage>;

/// Bytes of a program's header.
fn header_bytes(kind: Kind) -> usize {
    if kind.is_some() { program::BYTES as usize } else { 0 }
}

fn name(kind: Kind) -> &'static str {
    kind.map_or("compute", ProgramStage::name)
}

/// Programs by address space, code segment and address.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    loaded: HashMap<(u32, u64, u64, Kind), Arc<Loaded>>,
}

/// Programs that are kept; when there are more, all go.
const MAX_PROGRAMS: usize = 4096;

impl Programs {
    /// The program whose header, or code if it has none, is at `address`, as it is now. `None` when there is
    /// nothing. `segment` is where absolute targets count from. `constant` reads a word of a constant buffer: slot,
    /// byte.
    pub(crate) fn get(
        &mut self,
        core: &mut Core,
        segment: u64,
        address: u64,
        kind: Kind,
        mut constant: impl FnMut(&mut Core, u8, u32) -> u32,
    ) -> Option<Arc<Loaded>> {
        let key = (core.space, segment, address, kind);
        if let Some(known) = self.loaded.get(&key) {
            let mut bytes = vec![0; header_bytes(kind) + 8 * known.reached_words];
            core.read_code(address, &mut bytes);
            core.note_dependency(address, &bytes);
            let same = |(table, words): &(JumpTable, Vec<u32>)| *words == read_table(core, table, &mut constant);
            let is_same = xxh3_64(&bytes) == known.hash && known.tables.iter().all(same);
            if is_same && known.pieces.iter().all(|piece| piece.is_same(core, segment)) {
                known.report(core);
                return Some(known.clone());
            }
        }
        let loaded = Arc::new(load(core, segment, address, kind, &mut constant)?);
        loaded.report(core);
        if self.loaded.len() >= MAX_PROGRAMS {
            self.loaded.clear();
        }
        self.loaded.insert(key, loaded.clone());
        Some(loaded)
    }
}

fn read_table(core: &mut Core, table: &JumpTable, constant: &mut Reader<'_>) -> Vec<u32> {
    (0..table.count).map(|i| constant(core, table.slot, table.offset.wrapping_add(4 * i))).collect()
}

/// Reads a word of a constant buffer: slot, byte.
type Reader<'r> = dyn FnMut(&mut Core, u8, u32) -> u32 + 'r;

fn load(core: &mut Core, segment: u64, address: u64, kind: Kind, constant: &mut Reader<'_>) -> Option<Loaded> {
    if core.memory.readable(GuestAddr::new(core.space, address)).is_empty() {
        core.fault(
            FaultKind::UnmappedRead,
            address,
            format_args!("the {} program is not in mapped memory", name(kind)),
        );
        return None;
    }
    let header_bytes = header_bytes(kind);
    let mut count = FIRST_READ;
    let (bytes, code, program, tables, targets) = loop {
        let mut bytes = vec![0; header_bytes + 8 * count];
        core.read_code(address, &mut bytes);
        let code: Vec<u64> = bytes[header_bytes..].as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let (program, tables, targets) = reach(core, &alone(&code), constant);
        if program.leaving.is_empty() || count >= MAX_WORDS {
            break (bytes, code, program, tables, targets);
        }
        count *= 4;
    };
    let words = bytes[..header_bytes].as_chunks().0;
    let header =
        ProgramHeader(std::array::from_fn(|i| words.get(i).map_or(0, |&word: &[u8; 4]| u32::from_le_bytes(word))));
    let mut problems = Vec::new();
    if let Some(problem) = kind.and_then(|stage| header.problem(stage)) {
        problems.push(Problem { address, what: format!("{} program: {problem}", name(kind)) });
    }
    if let Some(unknown) = program.unknown.first() {
        problems.push(Problem { address, what: format!("{} program: {unknown}", name(kind)) });
    }
    let own_words = program.words().min(code.len());
    let reached_words = program.reached_words().min(code.len());
    let (mut words, mut linked) = (vec![0; own_words], false);
    for instruction in &program.instructions {
        let at = instruction.address as usize / 8;
        if let (Some(word), Some(&found)) = (words.get_mut(at), code.get(at)) {
            *word = found;
            linked |= found != instruction.word;
        }
    }
    let offset = address.wrapping_add(header_bytes as u64).wrapping_sub(segment) & ADDRESS_MASK;
    let own = Piece::own(offset as u32, own_words);
    let pieces = if linked { link(core, segment, own, &mut words, &mut problems) } else { Vec::new() };
    let program = if linked { Program::reach(&words, &targets) } else { program };
    let mut loaded = Loaded {
        header,
        inputs: MAP_WORDS.filter(|&word| header.reads(4 * u32::from(word))).collect(),
        outputs: MAP_WORDS.filter(|&word| header.writes(4 * u32::from(word))).collect(),
        words,
        targets,
        varyings: varyings(&header),
        uses: Vec::new(),
        wanted: WantedUnits::default(),
        constants: [0; CONSTANT_BUFFERS],
        instructions: program.instructions.len() as u64,
        loops: may_repeat(&program) || 4 * program.instructions.len() > PIXEL_FUEL as usize,
        exceeds: may_exceed(&program),
        reads_clock: false,
        loads: false,
        reads: false,
        writes: false,
        sees_writes: false,
        writes_images: false,
        reached_words,
        hash: 0,
        pieces,
        tables,
        problems,
    };
    (0..program.instructions.len()).for_each(|index| note(&mut loaded, &program, index));
    loaded.wanted = WantedUnits::of(&loaded.uses);
    let bytes = &bytes[..header_bytes + 8 * loaded.reached_words];
    loaded.hash = xxh3_64(bytes);
    core.note_dependency(address, bytes);
    Some(loaded)
}

/// Words that a pixel program interpolates.
fn varyings(header: &ProgramHeader) -> Vec<(u8, Interpolation)> {
    let words = 0..=(attribute::VIEWPORT_MASK / 4) as u8;
    words
        .filter(|word| !(attribute::POSITION..attribute::GENERIC).contains(&(4 * u32::from(*word))))
        .map(|word| (word, header.interpolation(4 * u32::from(word))))
        .filter(|(_, how)| *how != Interpolation::Unused)
        .collect()
}

/// A table and its words.
type FilledTable = (JumpTable, Vec<u32>);

/// What control flow reaches, also after branches through tables.
fn reach(core: &mut Core, code: &[u64], constant: &mut Reader<'_>) -> (Program, Vec<FilledTable>, Vec<u32>) {
    let mut targets: Vec<u32> = Vec::new();
    loop {
        let program = Program::reach(code, &targets);
        let tables: Vec<FilledTable> = jump_tables(&program)
            .into_iter()
            .map(|table| {
                let words = read_table(core, &table, constant);
                (table, words)
            })
            .collect();
        let mut found: Vec<u32> =
            tables.iter().flat_map(|(table, words)| words.iter().map(|&word| table.target(word))).collect();
        found.sort_unstable();
        found.dedup();
        // Every round finds more, and there are not more than instructions.
        if found.len() <= targets.len() {
            return (program, tables, targets);
        }
        targets = found;
    }
}

/// Where the handle of instruction number `index` is.
fn handle(program: &Program, index: usize, fields: Fields<'_>) -> HandleSource {
    match fields.has(b'h') {
        true => HandleSource::Bound(fields.get(b'h') as u16),
        false => super::handle::trace(program, index),
    }
}

/// Whether the order of such atomics makes no difference to memory.
fn is_reduction(fields: Fields<'_>) -> bool {
    let (ty, op) = (AtomicType::from_bits(fields.byte(b'z')), AtomicOp::from_bits(fields.byte(b'y')));
    Reduction::of(ty, op).is_some()
}

/// Notes what an instruction refers to.
fn note(loaded: &mut Loaded, program: &Program, index: usize) {
    let instruction = &program.instructions[index];
    let Some(form) = form(instruction.word) else { return };
    let fields = Fields::new(instruction.word, &form.pattern);
    match instruction.op {
        Op::tex | Op::texs | Op::tld | Op::tlds | Op::tld4 | Op::tld4s | Op::txd | Op::txq | Op::tmml | Op::txa => {
            let (shape, reference) = super::texture_instructions::shape(instruction.op, fields);
            let handle = handle(program, index, fields);
            let samples = super::texture_instructions::reads_samples(instruction.op);
            loaded.uses.push(Use { address: instruction.address, image: false, handle, shape, reference, samples });
        }
        Op::suld_p | Op::suld_d | Op::sust_p | Op::sust_d | Op::sured_p | Op::sured_d | Op::suatom | Op::suatom_cas => {
            loaded.reads = true;
            let loads = matches!(instruction.op, Op::suld_p | Op::suld_d);
            loaded.writes |= !loads;
            loaded.writes_images |= !loads;
            loaded.sees_writes |= !matches!(instruction.op, Op::sust_p | Op::sust_d);
            let handle = handle(program, index, fields);
            let shape = super::texture_instructions::surface_shape(fields);
            let (address, reference, samples) = (instruction.address, false, false);
            loaded.uses.push(Use { address, image: true, handle, shape, reference, samples });
        }
        Op::s2r | Op::cs2r => loaded.reads_clock |= reads_clock(instruction.word),
        Op::ld | Op::ldg | Op::ldg_p => (loaded.loads, loaded.reads, loaded.sees_writes) = (true, true, true),
        Op::st | Op::stg | Op::atom | Op::atom_cas | Op::red => {
            (loaded.loads, loaded.reads, loaded.writes) = (true, true, true);
            loaded.sees_writes |= match instruction.op {
                Op::st | Op::stg => false,
                Op::red => !is_reduction(fields),
                Op::atom => fields.byte(b'd') != Reg::RZ.0 || !is_reduction(fields),
                _ => true,
            };
        }
        _ => {}
    }
    let mut need = |slot: u8, bytes: u32| {
        if let Some(most) = loaded.constants.get_mut(usize::from(slot)) {
            *most = (*most).max(bytes);
        }
    };
    match instruction.op {
        // The address may change the slot, too.
        Op::ldc if fields.get(b'z') != LdcMode::Plain as u64 => loaded.constants.fill(u32::MAX),
        Op::ldc => {
            // With a register in its address any word may be meant. A register that is always 0 is RZ.
            let offset = fields.signed(b'w');
            let direct = fields.byte(b'a') == 0xFF && offset >= 0;
            need(fields.byte(b's'), if direct { offset as u32 + 16 } else { u32::MAX });
        }
        // 14 bits of a word's number, or 16 bits of an address.
        _ if form.has(flags::BRANCH) && fields.has(b's') => need(fields.byte(b's'), u32::MAX),
        _ => {
            if fields.width(b's') == 5 && fields.width(b'w') == 14 {
                need(fields.byte(b's'), 4 * fields.get(b'w') as u32 + 8);
            }
            if fields.width(b't') == 5 && fields.width(b'u') == 14 {
                need(fields.byte(b't'), 4 * fields.get(b'u') as u32 + 8);
            }
        }
    }
}
