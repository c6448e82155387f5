//! Compute programs, compiled: threads, memory, barriers, communication of lanes; random ones against the reference.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many random programs.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::stage::{ShaderKey, Stage};
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;
use triglyph_testkit::maxwell::World;
use triglyph_testkit::maxwell::block::{Left, compute_key, run_block, run_block_with};
use triglyph_testkit::maxwell::units::Units;
use triglyph_testkit::random::Random;

fn world() -> World {
    World { constants: Vec::new(), memory: vec![0; 4096], inputs: Vec::new(), count: 0, units: Units::default() }
}

fn key(text: &str) -> ShaderKey {
    let words = assemble_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    compute_key(Code { words, local_bytes: 16, ..Code::default() })
}

fn run(text: &str, threads: [u32; 3], shared: usize) -> Left {
    run_block(&Jit::new().unwrap(), &key(text), &world(), threads, shared).unwrap()
}

#[test]
fn threads_store_what_they_are() {
    let text = "s2r r0, sr_tid_x
        s2r r1, sr_tid_y
        s2r r2, sr_ctaid_y
        s2r r3, sr_laneid
        imad r4, r1, 0xa, r0
        shl r5, r4, 0x4
        stg.b128 r0, [r5+0x0]
        exit";
    let left = run(text, [10, 5, 1], 0);
    for n in 0..50u32 {
        let got: Vec<u32> = (0..4).map(|word| left.word(4 * n as usize + word)).collect();
        assert_eq!(got, [n % 10, n / 10, 2, n % 32]);
    }
    assert_eq!(left.word(200), 0);
}

#[test]
fn barriers_hold_all_warps() {
    // Each thread reads what the one at the other end has stored; and again after another barrier.
    let text = "s2r r0, sr_tid_x
        shl r1, r0, 0x2
        iadd r2, r0, 0x64
        sts.b32 r2, [r1+0x0]
        bar.sync 0x0, 0x0, pt
        mov32i r3, 0x5f, 0xf
        iadd r3, r3, -r0
        shl r4, r3, 0x2
        lds.b32 r5, [r4+0x0]
        bar.sync 0x0, 0x0, pt
        sts.b32 r5, [r1+0x0]
        bar.sync 0x0, 0x0, pt
        lds.b32 r6, [r4+0x0]
        stg.b32 r5, [r1+0x0]
        stg.b32 r6, [r1+0x400]
        exit";
    let left = run(text, [96, 1, 1], 4 * 96);
    for n in 0..96 {
        assert_eq!([left.word(n), left.word(256 + n)], [95 - n as u32 + 100, n as u32 + 100], "{n}");
    }
}

#[test]
fn lanes_of_a_warp() {
    // The sum of all lane numbers by butterflies, a ballot of odd ones, the value of the lane below.
    let mut text = String::from("s2r r0, sr_laneid\nmov r1, r0, 0xf\n");
    for distance in [16, 8, 4, 2, 1] {
        text.push_str(&format!("shfl.bfly r2, pt, r1, {distance:#x}, 0x1f\niadd r1, r1, r2\n"));
    }
    text.push_str(
        "lop.and r3, pt, r0, 0x1
        isetp.ne.and p0, pt, r3, rz, pt
        vote.any r4, p1, p0
        @p0 vote.all r4, p2, p0
        shfl.up r5, p3, r0, 0x1, 0x0
        s2r r6, sr_tid_x
        shl r7, r6, 0x4
        mov r2, r1, 0xf
        mov r3, r4, 0xf
        p2r r4, rz, 0xe, 0x0
        mov r8, r2, 0xf
        mov r9, r3, 0xf
        mov r10, r4, 0xf
        mov r11, r5, 0xf
        stg.b128 r8, [r7+0x0]
        exit",
    );
    let left = run(&text, [64, 1, 1], 0);
    for n in 0..64u32 {
        let lane = n % 32;
        let got: Vec<u32> = (0..4).map(|word| left.word(4 * n as usize + word)).collect();
        let p3 = if lane > 0 { 8 } else { 0 };
        let p2 = if lane % 2 == 1 { 4 } else { 0 };
        assert_eq!(got, [31 * 16, 0xAAAA_AAAA, 2 | p2 | p3, lane.saturating_sub(1)], "{n}");
    }
}

#[test]
fn atomics_happen_in_the_order_of_lanes() {
    let text = "s2r r0, sr_tid_x
        mov32i r1, 0x3, 0xf
        atoms.u32.add r2, [rz+0x0], r1
        atom.u32.add r3, [rz+0x0], r0
        shl r4, r0, 0x3
        mov r6, r2, 0xf
        mov r7, r3, 0xf
        stg.b64 r6, [r4+0x100]
        exit";
    let left = run(text, [40, 1, 1], 16);
    let mut sum = 0;
    for n in 0..40 {
        assert_eq!([left.word(64 + 2 * n), left.word(65 + 2 * n)], [3 * n as u32, sum], "{n}");
        sum += n as u32;
    }
    assert_eq!(left.shared[..4], 120u32.to_le_bytes());
}

#[test]
fn stores_happen_in_the_order_of_lanes() {
    // The first lane of each second slice stores where the last lane of the slice before it does.
    let text = "s2r r0, sr_tid_x
        mov32i r3, 0xffffffff, 0xf
        lop.and r1, pt, r0, 0x7
        isetp.eq.and p0, pt, r1, 0x4, pt
        mov r2, r0, 0xf
        @p0 iadd r2, r0, r3
        shl r2, r2, 0x2
        shl r4, r2, 0x2
        mov r8, r0, 0xf
        mov r9, r2, 0xf
        mov r10, r4, 0xf
        mov r11, r0, 0xf
        sts.b32 r0, [r2+0x0]
        stg.b32 r0, [r2+0x0]
        stg.b128 r8, [r4+0x400]
        exit";
    let left = run(text, [64, 1, 1], 256);
    for n in 0..64u32 {
        let wanted = match n % 8 {
            3 => n + 1,
            4 => 0,
            _ => n,
        };
        let at = 4 * n as usize;
        let shared = left.shared[at..at + 4].try_into().map(u32::from_le_bytes).unwrap();
        assert_eq!([left.word(n as usize), shared, left.word(0x100 + at)], [wanted; 3], "{n}");
    }
}

#[test]
fn loops_of_their_own_length() {
    // Each lane counts to its number, with local memory as the counter.
    let text = "s2r r0, sr_tid_x
        ssy join
        pbk done
    top:
        ldl.b32 r1, [rz+0x4]
        isetp.ge.and p0, pt, r1, r0, pt
        @p0 brk
        iadd r1, r1, 0x1
        stl.b32 r1, [rz+0x4]
        iadd r2, r2, 0x3
        bra top
    done:
        sync
    join:
        shl r3, r0, 0x2
        stg.b32 r2, [r3+0x0]
        exit";
    let left = run(text, [45, 1, 1], 0);
    for n in 0..45 {
        assert_eq!(left.word(n), 3 * n as u32);
    }
    assert_eq!(left.exhausted, 0);
}

#[test]
fn warps_run_out_of_fuel_as_a_whole() {
    // Each thread counts its rounds: the last one is that of all 32.
    let text = "s2r r0, sr_tid_x
        shl r1, r0, 0x2
        iadd r2, r2, 0x1
        stg.b32 r2, [r1+0x0]
        bra -0x18
        exit";
    let left = run(text, [32, 1, 1], 0);
    assert_ne!(left.word(0), 0);
    for n in 1..32 {
        assert_eq!(left.word(n), left.word(0), "{n}");
    }
}

#[test]
fn long_warps_take_fuel_from_the_reserve() {
    // Two million instructions in each of two warps, with a barrier in between: 31 units, three of which are their own.
    for between in ["bar.sync 0x0, 0x0, pt", "mov r7, rz, 0xf"] {
        let text = format!(
            "s2r r0, sr_tid_x
            shl r1, r0, 0x2
            mov32i r5, 0xa6040, 0xf
        again:
            iadd r3, r3, 0x1
            isetp.lt.and p0, pt, r3, r5, pt
            @p0 bra again
            {between}
            stg.b32 r3, [r1+0x0]
            exit"
        );
        for (reserve, exhausted, left) in [(56, 0, 0), (54, 2, 0), (100, 0, 100 - 2 * 28), (0, 2, 0)] {
            let key = key(&text);
            let run = |tier: &dyn Tier| run_block_with(tier, &key, &world(), [40, 1, 1], (0, reserve));
            let wanted = run(&Interpreter).expect("the reference runs everything");
            assert_eq!((wanted.exhausted, wanted.reserve), (exhausted, left), "{between}");
            assert!(run(&Jit::new().unwrap()).unwrap() == wanted, "{between}, {reserve}");
        }
    }
}

#[test]
fn random_programs() {
    triglyph_testkit::maxwell::stages::run(Stage::Compute);
}

#[test]
fn barriers_join_predicates() {
    // How many threads are odd, whether all are, whether any is; of two barriers at once.
    let text = "s2r r0, sr_tid_x
        lop.and r1, pt, r0, 0x1
        isetp.ne.and p0, pt, r1, rz, pt
        bar.red 0x3, rz, p0
        b2r.result r4, p1, rz
        bar.red.and 0x3, rz, p0
        b2r.result r5, p2, rz
        lop.and r2, pt, r0, 0x40
        isetp.ne.and p3, pt, r2, rz, pt
        mov r6, 0x5, 0xf
        @p3 mov r6, 0x6, 0xf
        bar.red.or r6, rz, !p3
        b2r.result r6, pt, rz
        p2r r7, rz, 0x6, 0x0
        shl r3, r0, 0x4
        stg.b128 r4, [r3+0x0]
        exit";
    let left = run(text, [96, 1, 1], 0);
    for n in 0..96 {
        let got: Vec<u32> = (0..4).map(|word| left.word(4 * n + word)).collect();
        assert_eq!(got, [48, 0, u32::from(n < 64), 2], "{n}");
    }
}

#[test]
fn stores_reach_mappings_to_their_ends() {
    // Words up to the end of a mapping and beyond it, where another one begins.
    let text = "s2r r0, sr_tid_x
        shl r1, r0, 0x2
        stg.b32 r0, [r1+0x7b0]
        ldg.b32 r2, [r1+0x7b0]
        stg.b32 r2, [r1+0xb00]
        exit";
    let left = run(text, [64, 1, 1], 0);
    for n in 0..64u32 {
        assert_eq!([left.word(0x1EC + n as usize), left.word(0x2C0 + n as usize)], [n, n], "{n}");
    }
}

#[test]
fn threads_access_their_texels() {
    // Images of random layouts, formats and sizes; some threads are outside of some.
    const DIMENSIONS: [&str; 5] = ["d1", "a1d", "d2", "a2d", "d3"];
    const RAW: [&str; 6] = ["u8", "s16", "u16", "b32", "b64", "b128"];
    let jit = Jit::new().unwrap();
    for seed in 0..150 {
        let mut rng = Random::new(seed);
        let mut lines = vec![
            "s2r r0, sr_tid_x\ns2r r1, sr_tid_y\ns2r r2, sr_tid_z".to_owned(),
            "imad r3, r1, 0x8, r0\nmov r8, r0, 0xf\nmov r9, r0, 0xf\nmov r10, r1, 0xf\nmov r11, r0, 0xf".to_owned(),
        ];
        for n in 0..4 {
            lines.push(format!("i2f.signed.f32.b32 r{}, r{}, 0x0", 4 + n, n));
        }
        for _ in 0..6 {
            let dim = DIMENSIONS[rng.below(5) as usize];
            let (bytes, raw) = (["", ".ba"][rng.below(2) as usize], RAW[rng.below(6) as usize]);
            let (register, mask) = (4 * (1 + rng.below(2)), 1 + rng.below(15));
            lines.push(match rng.below(5) {
                0 => format!("suld_p.{dim}.ign r{register}, pt, r0, 0x0, 0xf"),
                1 => format!("suld_d{bytes}.{dim}.{raw}.ign r{register}, pt, r0, 0x0"),
                2 => format!("sust_d{bytes}.{dim}.{raw}.ign r{register}, r0, 0x0"),
                3 => format!("sust_p.{dim}.ign r{register}, r0, 0x0, {mask:#x}"),
                _ => format!("sust_p.{dim}.ign r{register}, r0, 0x0, 0xf"),
            });
        }
        lines.push("imad r12, r2, 0x20, r3\nshl r12, r12, 0x4\nstg.b128 r4, [r12+0x0]".to_owned());
        lines.push("stg.b128 r8, [r12+0x400]\nexit".to_owned());
        let text = lines.join("\n");
        let words = assemble_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let units = Units::new(0, 3, &mut || rng.word());
        let uses = units.uses(&words, &mut || rng.word());
        let mut key = compute_key(Code { words, units: uses, ..Code::default() });
        key.images = units.image_keys();
        let world = World { constants: Vec::new(), memory: vec![0; 4096], inputs: Vec::new(), count: 0, units };
        let [expected, got] =
            [&Interpreter as &dyn Tier, &jit].map(|tier| run_block(tier, &key, &world, [8, 4, 2], 0).unwrap());
        assert_eq!(got, expected, "seed {seed}\n{text}");
    }
}
