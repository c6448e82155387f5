//! Models of threads that use the kernels of a key, run in many random orders: see [`crate::sync`]. Kernels check that
//! they are alive ([`super::stress`]).

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use shuttle::{check_pct, check_random};

use super::stress::{CODE, Census, UNSUPPORTED_FROM, call, tier, tiers};
use super::test_tiers::numbered_key;
use super::*;
use crate::sync::thread;

/// Orders of each sort that are tried.
const ORDERS: usize = 2000;

fn explore(model: impl Fn() + Clone + Send + Sync + 'static) {
    check_random(model.clone(), ORDERS);
    check_pct(model, ORDERS, 3);
}

/// Runs `work` on two threads, 0 and 1, at the same time.
fn two_threads(work: impl Fn(u8) + Sync) {
    thread::scope(|scope| {
        let work = &work;
        scope.spawn(move || work(0));
        scope.spawn(move || work(1));
    });
}

/// Nothing is left when all owners are dropped.
fn check_the_end(kernels: Kernels, census: &Census) {
    let shared = kernels.shared.clone();
    kernels.wait_for_compiler();
    let counters = kernels.counters();
    assert_eq!(counters.slots(), kernels.len() as u64);
    drop(kernels);
    assert_eq!((shared.counters.code_bytes(), shared.counters.slots()), (0, 0));
    assert_eq!(census.alive.load(SeqCst), 0, "kernels are left over");
}

/// Two threads call a kernel while it is compiled, promoted, and promoted again.
#[test]
fn a_kernel_gets_better_while_it_is_called() {
    explore(|| {
        let census = Arc::new(Census::default());
        let tiers = Tiers { hot: Some(tier(&census, 4, CODE, u8::MAX)), ..tiers(&census) };
        let kernels = Kernels::new(tiers, TierMode::Auto, 100 * CODE);
        two_threads(|_| {
            let handle = kernels.transfer(&numbered_key(7));
            let mut best = 0;
            for _ in 0..4 {
                // Numbers of tiers are in their order.
                let tier = call(&handle, 7);
                assert!(tier >= best, "{tier} after {best}");
                best = tier;
            }
        });
        kernels.wait_for_compiler();
        // Eight calls: promoted twice, each kernel made once at most.
        assert_eq!(call(&kernels.transfer(&numbered_key(7)), 7), 4);
        assert!(census.alive.load(SeqCst) <= 2, "the interpreter's and the last one");
        let counters = kernels.counters();
        assert!(counters.compiled() <= 3 && counters.tiered_up() == counters.compiled() - 1);
        check_the_end(kernels, &census);
    });
}

/// There is room for the code of one key, and three are called; scenes hold what has been evicted.
#[test]
fn what_is_evicted_serves_who_holds_it() {
    explore(|| {
        let census = Arc::new(Census::default());
        let kernels = Kernels::new(tiers(&census), TierMode::Auto, CODE);
        two_threads(|first| {
            let held = kernels.transfer(&numbered_key(first));
            for bytes in [first + 1, first] {
                let handle = kernels.transfer(&numbered_key(bytes));
                (0..3).for_each(|_| _ = call(&handle, bytes));
            }
            call(&held, first);
        });
        check_the_end(kernels, &census);
    });
}

/// The cache is dropped while its kernels are compiled and called.
#[test]
fn a_cache_ends_before_its_kernels() {
    explore(|| {
        let census = Arc::new(Census::default());
        let kernels = Kernels::new(tiers(&census), TierMode::Auto, 100 * CODE);
        let shared = kernels.shared.clone();
        let handles = [1, UNSUPPORTED_FROM, 2].map(|bytes| (kernels.transfer(&numbered_key(bytes)), bytes));
        thread::scope(|scope| {
            scope.spawn(move || {
                for (handle, bytes) in handles {
                    (0..3).for_each(|_| _ = call(&handle, bytes));
                }
            });
            drop(kernels);
        });
        // The job that ran when the cache went may still be the owner of a kernel.
        shared.worker.wait_idle();
        assert_eq!((shared.counters.code_bytes(), shared.counters.slots()), (0, 0));
        assert_eq!(census.alive.load(SeqCst), 0, "kernels are left over");
    });
}
