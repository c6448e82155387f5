//! Packet traces against the reference: random keys, words and registers, everything equal.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::packet_trace::{PacketTraceKey, Store};
use triglyph_guest::kernel::random_packet_trace::case;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::random::{Random, seeds};

#[test]
fn random_packet_traces() {
    for effort in [Effort::Baseline, Effort::Optimized] {
        let jit = Jit::with_effort(effort).expect("a code generator");
        for seed in seeds(400) {
            let mut random = Random::new(seed);
            let case = case(&mut || random.word());
            let [want, got] = [&Interpreter as &dyn Tier, &jit].map(|tier| {
                let kernel = tier.packet_trace(&case.key).expect("packet traces are compiled");
                case.run(&*kernel).expect("a sound case")
            });
            assert_eq!(got, want, "seed {seed}: {case:#x?}");
        }
    }
}

#[test]
fn keys_that_lead_outside_are_refused() {
    let jit = Jit::new().expect("a code generator");
    let words = |at, register, count| Store::words(at, register, vec![1; count]);
    let field = |at, field| Store { field, ..words(at, 0, 1) };
    let is_compiled = |store: &Store| {
        jit.packet_trace(&PacketTraceKey { words: 4, registers: 8, copies: false, stores: vec![store.clone()] }).is_ok()
    };
    assert!(is_compiled(&words(1, 5, 3)) && is_compiled(&field(3, (29, 3))));
    let outside = [words(1, 6, 3), words(2, 0, 3), words(u32::MAX, 0, 1), words(0, u32::MAX, 1), words(1, 1, 0)];
    for store in outside.into_iter().chain([field(4, (0, 3)), field(0, (30, 3)), field(0, (0, 0))]) {
        assert!(!is_compiled(&store), "{store:?}");
    }
}
