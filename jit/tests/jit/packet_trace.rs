//! Packet traces against the reference: random keys, words and registers, everything equal.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey, Store};
use triglyph_guest::kernel::random_packet_trace::case;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

/// How many cases a test runs: `TRIGLYPH_CASES`, or a number that takes a second.
fn cases(usual: u32) -> u32 {
    std::env::var("TRIGLYPH_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_packet_traces() {
    for effort in [Effort::Baseline, Effort::Optimized] {
        let jit = Jit::with_effort(effort).expect("a code generator");
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 ^ (state >> 12) as u32
        };
        let (mut whole, mut calls) = (0, 0);
        for number in 0..cases(400) {
            let case = case(&mut random);
            let want = case.run(&*Interpreter.packet_trace(&case.key).expect("the reference")).expect("a sound case");
            let got =
                case.run(&*jit.packet_trace(&case.key).expect("packet traces are compiled")).expect("a sound case");
            assert_eq!(got, want, "case {number}: {case:#x?}");
            whole += u32::from(want.done as usize == case.key.packets.len());
            calls += want.calls.len();
        }
        assert!(whole > 0 && calls > 0);
    }
}

#[test]
fn keys_that_lead_outside_are_refused() {
    let jit = Jit::new().expect("a code generator");
    let packet = |store| Packet { header: 0, mask: u32::MAX, word: 1, act: Act::Store(vec![store]) };
    let words = |at, register, count| Store::Words { at, register, mask: u32::MAX, groups: vec![1; count] };
    let key =
        |store| PacketTraceKey { words: 4, registers: 8, packets: vec![packet(store)], ..PacketTraceKey::default() };
    assert!(jit.packet_trace(&key(words(1, 5, 3))).is_ok());
    for store in [
        words(1, 6, 3),
        words(2, 0, 3),
        words(u32::MAX, 0, 1),
        words(0, u32::MAX, 1),
        words(1, 1, 0),
        Store::Field { at: 4, shift: 0, bits: 3, register: 0, groups: 0 },
        Store::Field { at: 0, shift: 30, bits: 3, register: 0, groups: 0 },
    ] {
        let key = key(store);
        assert!(jit.packet_trace(&key).is_err(), "{key:?}");
    }
}
