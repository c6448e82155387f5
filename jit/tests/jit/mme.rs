//! Macros against the reference: random programs and calls, everything equal.

use std::panic::AssertUnwindSafe;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::mme::{CALL, MmeJob, MmeMachine};
use triglyph_guest::kernel::random_mme::case;
use triglyph_guest::tegra::mme::random::Options;
use triglyph_guest::tegra::mme::{assemble_program, disassemble_program};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

/// 32 random bits a call.
fn random(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 ^ (state >> 12) as u32
    }
}

fn compare(seed: u64, cases: u32, options: Options) {
    let jit = Jit::new().expect("a code generator");
    let mut rng = random(seed);
    for number in 0..cases {
        let case = case(&mut rng, options);
        let want =
            case.run(&*Interpreter.mme(&case.key).expect("the reference")).expect("the reference supports everything");
        let got = case.run(&*jit.mme(&case.key).expect("macros are compiled")).expect("calls are taken");
        let listing = || disassemble_program(&case.key.code);
        assert_eq!(got.end, want.end, "case {number} of seed {seed}, entry {}\n{}", case.key.entry, listing());
        assert_eq!(got.sent, want.sent, "case {number} of seed {seed}\n{}", listing());
        assert!(got == want, "case {number} of seed {seed}: registers\n{}", listing());
    }
}

/// How many cases a test runs: `TRIGLYPH_CASES`, or a number that takes a second.
fn cases(usual: u32) -> u32 {
    std::env::var("TRIGLYPH_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn structured_programs() {
    compare(1, cases(500), Options::default());
}

#[test]
fn straight_programs() {
    compare(2, cases(200), Options { length: 200, flow: false, ragged: false });
}

#[test]
fn ragged_programs() {
    compare(3, cases(20), Options { length: 30, flow: true, ragged: true });
}

#[test]
fn branches_beyond_the_program_come_after_their_delay_slots() {
    let jit = Jit::new().expect("a code generator");
    let mut case = case(&mut random(4), Options::default());
    case.key.entry = 0;
    for target in ["+100", "-100"] {
        let text = format!("bz r0, {target}\naddi.addr r0, r1, 5\naddi.exit r2, r0, 1\naddi r2, r0, 2");
        case.key.code = assemble_program(&text).expect("a macro");
        let want = case.run(&*Interpreter.mme(&case.key).expect("the reference")).expect("a call");
        let got = case.run(&*jit.mme(&case.key).expect("a macro that is compiled")).expect("a call");
        assert!(got == want, "{target}: {:?}, not {:?}", got.end, want.end);
    }
}

/// A machine with a mistake.
struct Broken;

impl MmeMachine for Broken {
    fn send(&mut self, method: u32, _: u32) {
        panic!("method {method:#x}");
    }
}

#[test]
fn a_panic_of_the_machine_reaches_the_caller() {
    let jit = Jit::new().expect("a code generator");
    let mut case = case(&mut random(5), Options::default());
    case.key.entry = 0;
    // Sends twice: the machine is not called again after it has panicked.
    let text = "addi.addr r0, r0, 0x123\naddi.send r0, r0, 1\naddi.send r0, r0, 2\naddi.exit r0, r0, 0\naddi r0, r0, 0";
    case.key.code = assemble_program(text).expect("a program");
    case.groups.fill(CALL);
    let kernel = jit.mme(&case.key).expect("macros are compiled");
    let broken = |job: &mut MmeJob<'_>| {
        let MmeJob { parameters, live, shadow, groups, dirty, direct, branches, machine: _ } = *job;
        let mut job = MmeJob { parameters, live, shadow, groups, dirty, direct, branches, machine: &mut Broken };
        kernel.run(&mut job)
    };
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| case.run_with(broken))).expect_err("the machine's panic");
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("method 0x123"));
    // The kernel can be called again after the panic.
    let want = case.run(&*Interpreter.mme(&case.key).expect("the reference")).expect("a sound case");
    assert!(case.run(&*kernel).expect("a sound case") == want && want.sent.len() == 2);
}
