use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::time::Duration;

use super::*;

/// Few of them in Rust's interpreter.
const ROUNDS: usize = if cfg!(miri) { 5 } else { 300 };

/// Worth any number of threads.
const LARGE: Duration = Duration::from_secs(1);

fn schedulers() -> Vec<Scheduler> {
    let pool = |threads| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let mut all: Vec<Scheduler> = [1, 2, 4].map(|threads| Scheduler::new(threads).unwrap()).into();
    all.extend([1, 3].map(|threads| Scheduler::with_executor(pool(threads))));
    all
}

#[test]
fn numbers_of_threads_have_a_limit() {
    let error = Scheduler::new(100_000_000).unwrap_err();
    assert!(error.to_string().ends_with("100000000 threads: at most 1024"), "{error}");
    assert!(Scheduler::new(Scheduler::MAX_THREADS + 1).is_err());
}

#[test]
fn every_piece_is_done_once() {
    for scheduler in schedulers() {
        for count in [0, 1, 2, 63] {
            for cost in [Duration::ZERO, LARGE] {
                let seen: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
                scheduler.for_each(count, cost, |i| {
                    seen[i].fetch_add(1, Relaxed);
                });
                assert!(seen.iter().all(|n| n.load(Relaxed) == 1));
            }
        }
    }
}

#[test]
fn burst_after_burst_with_pauses() {
    for scheduler in schedulers() {
        for round in 0..ROUNDS {
            let sum = AtomicUsize::new(0);
            let count = 2 + round % 7;
            scheduler.for_each(count, LARGE, |i| {
                // Long enough now and then that callers and helpers go to sleep.
                if round % 50 == 0 {
                    std::thread::sleep(Duration::from_micros(300));
                }
                sum.fetch_add(i + 1, Relaxed);
            });
            assert_eq!(sum.into_inner(), count * (count + 1) / 2);
        }
    }
}

#[test]
fn helpers_do_take_part() {
    for scheduler in schedulers().into_iter().filter(|scheduler| scheduler.threads() > 1) {
        let caller = std::thread::current().id();
        let others = AtomicUsize::new(0);
        // The first to come waits for a second one: without helpers this would not end.
        let inside = std::sync::Barrier::new(2);
        scheduler.for_each(2, LARGE, |_| {
            inside.wait();
            others.fetch_add(usize::from(std::thread::current().id() != caller), Relaxed);
        });
        assert_eq!(others.into_inner(), 1);
    }
}

#[test]
fn work_inside_of_work_is_the_callers() {
    for scheduler in schedulers() {
        let sum = AtomicUsize::new(0);
        scheduler.for_each(4, LARGE, |_| {
            let thread = std::thread::current().id();
            scheduler.for_each(8, LARGE, |_| {
                assert_eq!(std::thread::current().id(), thread);
                sum.fetch_add(1, Relaxed);
            });
        });
        assert_eq!(sum.into_inner(), 32);
    }
}

#[test]
fn panics_reach_the_caller_and_harm_nobody_else() {
    for scheduler in schedulers() {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            scheduler.for_each(16, LARGE, |i| assert!(i != 5, "piece five"));
        }));
        assert!(result.is_err());
        let done = AtomicUsize::new(0);
        scheduler.for_each(16, LARGE, |_| {
            done.fetch_add(1, Relaxed);
        });
        assert_eq!(done.into_inner(), 16);
    }
}

#[test]
fn cheap_work_stays_with_the_caller() {
    let thread = std::thread::current().id();
    for scheduler in schedulers() {
        scheduler.for_each(16, Duration::from_nanos(100), |_| assert_eq!(std::thread::current().id(), thread));
    }
}

#[test]
fn items_are_moved_into_the_work() {
    let scheduler = Scheduler::new(3).unwrap();
    let mut numbers = vec![0u32; 100];
    scheduler.for_each_item(numbers.iter_mut().enumerate().collect(), LARGE, |(i, n)| *n = i as u32);
    assert!(numbers.iter().enumerate().all(|(i, &n)| n == i as u32));
}

#[test]
fn workers_do_in_the_background_what_the_caller_leaves() {
    for scheduler in schedulers() {
        let Some(workers) = scheduler.background_workers() else {
            assert_eq!(scheduler.threads(), 1);
            continue;
        };
        let caller = std::thread::current().id();
        let (left, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |leave: &dyn Fn() -> bool| {
            assert_ne!(std::thread::current().id(), caller);
            while !leave() {
                if left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_err() {
                    return false;
                }
                done.fetch_add(1, SeqCst);
            }
            true
        };
        let mut expected = 0;
        workers.run(&work, || {
            for round in 1..=ROUNDS.min(50) {
                left.store(round, SeqCst);
                expected += round;
                workers.want();
                // Jobs of the caller come between.
                let sum = AtomicUsize::new(0);
                scheduler.for_each(7, LARGE, |i| {
                    sum.fetch_add(i, SeqCst);
                });
                assert_eq!(sum.into_inner(), 21);
                while left.load(SeqCst) != 0 {
                    std::thread::yield_now();
                }
                workers.clear();
                assert_eq!(done.load(SeqCst), expected);
            }
        });
    }
}

#[test]
fn a_panic_waits_for_the_background() {
    for scheduler in schedulers() {
        let Some(workers) = scheduler.background_workers() else { continue };
        let inside = AtomicUsize::new(0);
        let work = |_: &dyn Fn() -> bool| {
            inside.fetch_add(1, SeqCst);
            std::thread::sleep(Duration::from_millis(1));
            inside.fetch_sub(1, SeqCst);
            false
        };
        let main = || {
            workers.want();
            panic!("the caller");
        };
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| workers.run(&work, main)));
        assert!(result.is_err());
        assert_eq!(inside.into_inner(), 0);
    }
}
