//! The 3DS front end: decoding command lists, and what a draw costs before any vertex or pixel of it.
//!
//! `cargo bench --bench front_end`
//!
//! Words a second for writes and uploads, draws a second for draws. The triangles drawn lie outside of the clip
//! volume: each costs three vertices and is then dropped.

mod support;

use criterion::{Criterion, Throughput};
use support::list::List;
use triglyph::{Access, Device, Machine, Options, Tier, new_device};
use triglyph_guest::pica::asm;
use triglyph_guest::pica::regs;

/// Where the list stands: physical, and as programs see it.
const LIST: u64 = 0x2000_0000;
const LIST_VA: u32 = 0x1400_0000;
/// Vertices, and the target.
const VERTICES: u32 = 0x2100_0000;
const TARGET: u32 = 0x1800_0000;

/// A 3DS and a list in its memory.
struct Setup {
    device: Box<dyn Device>,
    command: Vec<u8>,
}

impl Setup {
    fn new(list: List) -> Self {
        let tier = if new_device(Machine::N3ds, &Options::new(Tier::JitOnly, 1)).is_ok() {
            Tier::JitOnly
        } else {
            Tier::InterpreterOnly
        };
        let mut device = new_device(Machine::N3ds, &Options::new(tier, 1)).expect("a 3DS");
        device.map(0, TARGET.into(), 0x60_0000, Access::READ_WRITE).expect("VRAM");
        device.map(0, LIST, 0x200_0000, Access::READ_WRITE).expect("FCRAM");
        let positions = [2.0f32, 0.0, -0.5, 1.0, 3.0, 0.0, -0.5, 1.0, 2.0, 1.0, -0.5, 1.0];
        let positions: Vec<u8> = positions.iter().flat_map(|v| v.to_le_bytes()).collect();
        device.write(0, VERTICES.into(), &positions).expect("mapped memory");
        let mut setup = Setup { device, command: Vec::new() };
        setup.load(state());
        setup.run();
        setup.load(list);
        setup.run();
        assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults());
        setup
    }

    fn load(&mut self, list: List) {
        let bytes = list.finish();
        self.device.write(0, LIST, &bytes).expect("mapped memory");
        let command = [1, LIST_VA, bytes.len() as u32, 0, 0, 0, 0, 0];
        self.command = command.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    }

    fn run(&mut self) {
        self.device.submit(&self.command).expect("a GX command");
    }
}

/// A complete state: a program that passes the position on, one attribute array, a 256x256 target.
fn state() -> List {
    let program = asm::Program::assemble("mov o0, v0\nend").expect("a program");
    let f24 = |v: f32| {
        let bits = v.to_bits();
        (bits >> 8 & 0x80_0000) | ((bits >> 23 & 0xFF) - 64) << 16 | bits >> 7 & 0xFFFF
    };
    let mut list = List::default();
    list.write(regs::vsh_code_index::ID, 0)
        .port(regs::vsh_code_data0::ID, &program.code)
        .write(regs::vsh_code_end::ID, 1)
        .write(regs::vsh_opdesc_index::ID, 0)
        .port(regs::vsh_opdesc_data0::ID, &program.descriptors)
        .write(regs::vsh_entry::ID, 0x7FFF_0000)
        .write(regs::vsh_input_config::ID, 0xA000_0000)
        .write(regs::vsh_perm_lo::ID, 0x7654_3210)
        .write(regs::vsh_outmap_mask::ID, 1)
        .write(regs::outmap_total::ID, 1)
        .write(regs::outmap_o0::ID, 0x0302_0100)
        .write(regs::viewport_half_w::ID, f24(128.0))
        .write(regs::viewport_half_h::ID, f24(128.0))
        .write(regs::depthmap_mode::ID, 1)
        .write(regs::attr_base::ID, VERTICES >> 3)
        .writes(regs::attr_format_lo::ID, &[0xF, 0])
        .writes(regs::attrbuf0_offset::ID, &[0, 0, 1 << 28 | 16 << 16])
        .write(regs::color_addr::ID, TARGET >> 3)
        .write(regs::color_format::ID, 2)
        .write(regs::fb_dim::ID, 256 | 255 << 12 | 1 << 24)
        .write(regs::color_write_allow::ID, 15)
        .write(regs::depth_color_mask::ID, 0xF00)
        .write(regs::primitive_config::ID, 0);
    list
}

fn draw(list: &mut List) {
    list.write(regs::num_vertices::ID, 3).write(regs::draw_arrays::ID, 1);
}

/// Sixteen vectors for the vertex program, as four words of f32 each.
fn uniforms(list: &mut List, seed: u32) {
    let words: Vec<u32> = (0..64).map(|i| (1.0 + (seed * 64 + i) as f32 / 1024.0).to_bits()).collect();
    list.write(regs::vsh_float_index::ID, 0x8000_0000).port(regs::vsh_float_data0::ID, &words);
}

fn main() {
    let mut criterion = support::criterion();
    words(&mut criterion);
    draws(&mut criterion);
    criterion.final_summary();
}

fn words(criterion: &mut Criterion) {
    const WORDS: usize = 32 << 10;
    let filled = |step: &dyn Fn(&mut List, u32)| {
        let mut list = List::default();
        for i in 0.. {
            if list.len() >= WORDS {
                break;
            }
            step(&mut list, i);
        }
        list
    };
    // Blend colour and the constants of the combiner stages: state that changes with every write, but starts nothing.
    let single = filled(&|list, i| {
        list.write(regs::blend_color::ID, i);
    });
    let run = filled(&|list, i| {
        list.writes(regs::tev_source::IDS[0], &[0x000F_000F ^ i & 1, 0, 0, i, 0]);
    });
    let upload = filled(&|list, i| uniforms(list, i));
    let mut group = criterion.benchmark_group("front_end/words");
    for (name, list) in [("single writes", single), ("runs of 5 registers", run), ("float uniforms", upload)] {
        group.throughput(Throughput::Elements(list.len() as u64));
        let mut setup = Setup::new(list);
        group.bench_function(name, |b| b.iter(|| setup.run()));
    }
    group.finish();
}

fn draws(criterion: &mut Criterion) {
    const DRAWS: u32 = 256;
    let filled = |step: &dyn Fn(&mut List, u32)| {
        let mut list = List::default();
        for i in 0..DRAWS {
            step(&mut list, i);
            draw(&mut list);
        }
        list
    };
    let unchanged = filled(&|_, _| {});
    let with_uniforms = filled(&uniforms);
    let with_constant = filled(&|list, i| {
        list.write(regs::tev_color::IDS[0], i);
    });
    let with_array = filled(&|list, i| {
        list.write(regs::attrbuf0_offset::ID, i % 2 * 16);
    });
    let mut group = criterion.benchmark_group("front_end/draws");
    group.throughput(Throughput::Elements(DRAWS.into()));
    for (name, list) in [
        ("unchanged", unchanged),
        ("16 new uniforms", with_uniforms),
        ("a new combiner constant", with_constant),
        ("another vertex array", with_array),
    ] {
        let mut setup = Setup::new(list);
        group.bench_function(name, |b| b.iter(|| setup.run()));
    }
    group.finish();
}
