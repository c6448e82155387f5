use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use triglyph_guest::kernel::random_pixel::RandomPixel;
use triglyph_guest::kernel::transfer::{Fill, TransferJob, TransferKey};
use triglyph_guest::kernel::{MachineCode, TransferKernel, Unsupported, Window, window};

use super::kinds::{self, KeyKind};
use super::store::KeyStore;
use super::test_tiers::{FILLS_ONLY, FillTier, Fills, numbered_key};
use super::*;
use crate::log::LogLevel;

/// A tier whose fills write its own number instead of the value.
#[derive(Default)]
struct Numbered {
    number: u8,
    code: usize,
    no_keys: bool,
    no_jobs: bool,
    panics: bool,
    made: AtomicUsize,
}

struct Filler {
    number: u8,
    code: usize,
    no_jobs: bool,
}

impl FillTier for Numbered {
    fn fill(&self, _: u8) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        self.made.fetch_add(1, Relaxed);
        assert!(!self.panics, "on purpose");
        match self.no_keys {
            true => Err(Unsupported("every key")),
            false => Ok(Arc::new(Filler { number: self.number, code: self.code, no_jobs: self.no_jobs })),
        }
    }
}

impl TransferKernel for Filler {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Fill(fill) = job else { return Err(FILLS_ONLY) };
        if self.no_jobs {
            return Err(Unsupported("every job"));
        }
        fill.target.write(0, &[self.number]);
        Ok(())
    }
    fn code(&self) -> MachineCode {
        MachineCode { bytes: self.code, ..MachineCode::default() }
    }
}

const INTERPRETER: u8 = 1;
const BASELINE: u8 = 2;
const OPTIMIZED: u8 = 3;
const HOT: u8 = 4;

fn numbered(number: u8) -> Numbered {
    Numbered { number, code: 100, ..Numbered::default() }
}

fn tiers(baseline: Numbered) -> Tiers {
    Tiers {
        interpreter: Arc::new(Fills(Numbered { number: INTERPRETER, ..Numbered::default() })),
        baseline: Some(Arc::new(Fills(baseline))),
        optimized: Some(Arc::new(Fills(numbered(OPTIMIZED)))),
        hot: None,
    }
}

fn kernels(mode: TierMode, baseline: Numbered, budget: usize) -> Kernels {
    Kernels::new(tiers(baseline), mode, budget)
}

const KEY: TransferKey = numbered_key(4);

/// The number of the tier that serves a fill.
fn served_by(handle: &Handle<kinds::Transfer>) -> u8 {
    let bytes = window::buffer(&[0]);
    handle.run(&TransferJob::Fill(Fill { target: Window::new(&bytes), value: 0 }));
    bytes[0].load(Relaxed)
}

#[test]
fn each_mode_asks_its_tier() {
    let interpreter = kernels(TierMode::InterpreterOnly, numbered(BASELINE), 1000);
    assert_eq!(served_by(&interpreter.transfer(&KEY)), INTERPRETER);
    assert_eq!(interpreter.counters().compiled(), 0);

    let jit = kernels(TierMode::JitOnly, numbered(BASELINE), 1000);
    assert_eq!(served_by(&jit.transfer(&KEY)), OPTIMIZED);

    let auto = kernels(TierMode::Auto, numbered(BASELINE), 1000);
    let handle = auto.transfer(&KEY);
    auto.wait_for_compiler();
    assert_eq!(served_by(&handle), BASELINE);
    assert_eq!(auto.counters().compiled_calls(), 1);
}

#[test]
fn the_interpreter_serves_when_the_compiler_panics() {
    let kernels = kernels(TierMode::Auto, Numbered { panics: true, ..numbered(BASELINE) }, 1000);
    let handle = kernels.transfer(&KEY);
    kernels.wait_for_compiler();
    assert_eq!((served_by(&handle), kernels.compiler_panics()), (INTERPRETER, 1));
    // Nothing is compiled for the key any more: it counts as ready.
    kernels.transfer(&KEY);
    assert_eq!((kernels.counters().hits(), kernels.compiler_panics()), (1, 1));
}

#[test]
fn the_interpreter_serves_what_the_compiler_does_not_support() {
    let keys = kernels(TierMode::Auto, Numbered { no_keys: true, ..numbered(BASELINE) }, 1000);
    let handle = keys.transfer(&KEY);
    keys.wait_for_compiler();
    assert_eq!(served_by(&handle), INTERPRETER);
    assert_eq!(keys.counters().unsupported(), 1);

    let jobs = kernels(TierMode::Auto, Numbered { no_jobs: true, ..numbered(BASELINE) }, 1000);
    let handle = jobs.transfer(&KEY);
    jobs.wait_for_compiler();
    assert_eq!(served_by(&handle), INTERPRETER);
    assert_eq!((jobs.counters().compiled_calls(), jobs.counters().interpreter_calls()), (0, 1));
}

/// The lines of the log while `work` is done.
fn lines(kernels: &Kernels, work: impl FnOnce()) -> Vec<(LogLevel, String)> {
    let (sender, receiver) = std::sync::mpsc::channel();
    kernels.set_log_handler(Some(Box::new(move |level, line| sender.send((level, line.to_owned())).unwrap())));
    work();
    kernels.wait_for_compiler();
    kernels.set_log_handler(None);
    receiver.iter().collect()
}

#[test]
fn the_log_says_what_the_interpreter_serves_and_why() {
    for (baseline, level, line) in [
        (
            Numbered { no_keys: true, ..numbered(BASELINE) },
            LogLevel::Information,
            "the interpreter serves a transfer kernel: every key",
        ),
        (
            Numbered { no_jobs: true, ..numbered(BASELINE) },
            LogLevel::Information,
            "the interpreter serves calls of a transfer kernel that is compiled: every job",
        ),
        (
            Numbered { panics: true, ..numbered(BASELINE) },
            LogLevel::Error,
            "the compiler panicked on a transfer kernel",
        ),
    ] {
        let kernels = kernels(TierMode::Auto, baseline, 1000);
        let heard = lines(&kernels, || {
            let handle = kernels.transfer(&KEY);
            kernels.wait_for_compiler();
            // However often it serves them.
            (0..3).for_each(|_| assert_eq!(served_by(&handle), INTERPRETER));
        });
        assert_eq!(heard, [(level, line.to_owned())]);
    }
}

#[test]
fn a_key_is_compiled_once_and_tiers_up_when_it_is_called_often() {
    let kernels = kernels(TierMode::Auto, numbered(BASELINE), 1000);
    let handle = kernels.transfer(&KEY);
    for _ in 0..10 {
        kernels.transfer(&KEY);
    }
    kernels.wait_for_compiler();
    assert_eq!((kernels.counters().compiled(), kernels.len()), (1, 1));
    for _ in 0..3000 {
        served_by(&handle);
    }
    kernels.wait_for_compiler();
    assert_eq!(served_by(&handle), OPTIMIZED);
    assert_eq!(kernels.counters().tiered_up(), 1);
}

#[test]
fn kernels_that_run_long_tier_up_after_few_calls() {
    let hot = Some(Arc::new(Fills(numbered(HOT))) as Arc<_>);
    let kernels = Kernels::new(Tiers { hot, ..tiers(numbered(BASELINE)) }, TierMode::Auto, 1000);
    let handle = kernels.transfer(&KEY);
    let after = |nanoseconds: u64| {
        handle.slot().note_time(nanoseconds);
        kernels.wait_for_compiler();
        served_by(&handle)
    };
    assert_eq!(after(1_500_000), BASELINE);
    assert_eq!(after(1_500_000), OPTIMIZED);
    assert_eq!(after(20_000_000), OPTIMIZED);
    assert_eq!(after(30_000_000), HOT);
    assert_eq!(after(u64::MAX), HOT);
    assert_eq!(kernels.counters().tiered_up(), 2);
}

#[test]
fn hot_kernels_are_compiled_once_more_unless_that_makes_them_no_better() {
    for refuses in [false, true] {
        for mode in [TierMode::Auto, TierMode::JitOnly] {
            let hot = Arc::new(Fills(Numbered { no_keys: refuses, ..numbered(HOT) }));
            let kernels = Kernels::new(Tiers { hot: Some(hot), ..tiers(numbered(BASELINE)) }, mode, 1000);
            let handle = kernels.transfer(&KEY);
            for calls in [3_000, 20_000] {
                for _ in 0..calls {
                    served_by(&handle);
                }
                kernels.wait_for_compiler();
            }
            assert_eq!(served_by(&handle), if refuses { OPTIMIZED } else { HOT });
            let again = usize::from(mode == TierMode::Auto) + usize::from(!refuses);
            assert_eq!(kernels.counters().tiered_up(), again as u64);
            assert_eq!(kernels.counters().unsupported(), 0);
            assert_eq!(kernels.counters().code_bytes(), 100);
        }
    }
}

#[test]
fn eviction_keeps_to_the_budget_and_leaves_what_is_held() {
    let kernels = kernels(TierMode::JitOnly, numbered(BASELINE), 250);
    let held = kernels.transfer(&KEY);
    for bytes in 0..40 {
        served_by(&kernels.transfer(&numbered_key(bytes)));
    }
    assert!(kernels.counters().evicted() > 0);
    assert!(kernels.counters().code_bytes() <= 250 + 200, "{}", kernels.counters().code_bytes());
    assert_eq!(served_by(&held), OPTIMIZED);
    drop(held);
}

#[test]
fn kernels_that_draw_are_in_use_without_being_looked_up() {
    let kernels = kernels(TierMode::InterpreterOnly, numbered(BASELINE), 1000);
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.rotate_left(16)
    };
    let drawn = kernels.pixel(&RandomPixel::new(&mut random).key);
    let later = kernels.transfer(&KEY);
    let ages = || [drawn.slot().last_used.load(Relaxed), later.slot().last_used.load(Relaxed)];
    assert!(ages().is_sorted());
    drawn.select();
    assert!(!ages().is_sorted());
}

#[test]
fn dropping_an_engine_in_the_middle_of_compiling_does_not_hang() {
    for _ in 0..50 {
        let kernels = kernels(TierMode::Auto, numbered(BASELINE), 1000);
        let handles: Vec<_> = (0..20).map(|bytes| kernels.transfer(&numbered_key(bytes))).collect();
        drop(kernels);
        // A handle outlives its table.
        assert_ne!(served_by(&handles[0]), 0);
    }
}

fn with_key_file(mode: TierMode, store: &KeyStore) -> (Kernels, WarmStart) {
    Kernels::with_key_file(tiers(numbered(BASELINE)), mode, 1 << 20, store.clone(), 1 << 20)
}

#[test]
fn a_second_start_compiles_what_the_first_one_needed() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let (first, start) = with_key_file(TierMode::Auto, &store);
    assert_eq!((start.keys, start.error.is_none()), (0, true));
    for bytes in 0..10 {
        let handle = first.transfer(&numbered_key(bytes));
        (0..=bytes).for_each(|_| assert_ne!(served_by(&handle), 0));
    }
    let busy = first.transfer(&numbered_key(4));
    (0..3000).for_each(|_| assert_ne!(served_by(&busy), 0));
    first.wait_for_compiler();
    drop(first);

    let (second, start) = with_key_file(TierMode::Auto, &store);
    assert_eq!((start.keys, start.damage.len(), start.undecodable), (10, 0, 0));
    second.wait_for_compiler();
    assert_eq!(second.counters().compiled(), 10);
    assert_eq!(served_by(&second.transfer(&numbered_key(4))), OPTIMIZED, "called often: optimized at once");
    assert_eq!(served_by(&second.transfer(&numbered_key(5))), BASELINE);
    second.wait_for_compiler();
    assert_eq!(second.counters().compiled(), 10, "nothing twice");
    drop(second);

    let (third, start) = with_key_file(TierMode::JitOnly, &store);
    assert_eq!(start.keys, 10);
    assert_eq!(served_by(&third.transfer(&numbered_key(5))), OPTIMIZED);
    assert_eq!(store.read().unwrap().keys[0].uses, 3000 + 5 + 1);
    let (interpreter, start) = with_key_file(TierMode::InterpreterOnly, &store);
    assert_eq!((start.keys, interpreter.len()), (0, 0));
}

#[test]
fn a_file_that_cannot_be_used_is_reported_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("notes.txt"));
    std::fs::write(store.path(), "not keys").unwrap();
    let (kernels, start) = with_key_file(TierMode::Auto, &store);
    assert!(start.error.is_some());
    kernels.transfer(&KEY);
    kernels.wait_for_compiler();
    assert_eq!(kernels.counters().compiled(), 1);
    drop(kernels);
    assert_eq!(std::fs::read(store.path()).unwrap(), b"not keys");
}

#[test]
fn a_file_that_cannot_be_written_is_reported_at_the_start_and_counted_later() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let lock = folder.path().join("keys.lock");
    std::fs::create_dir(&lock).unwrap();
    assert!(with_key_file(TierMode::Auto, &store).1.error.is_some());
    assert!(with_key_file(TierMode::InterpreterOnly, &store).1.error.is_none(), "the interpreter writes nothing");
    std::fs::remove_dir(&lock).unwrap();
    let (kernels, start) = with_key_file(TierMode::Auto, &store);
    assert!(start.error.is_none());
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    let heard = lines(&kernels, || drop(kernels.transfer(&KEY)));
    assert_eq!((kernels.counters().compiled(), kernels.key_file_errors()), (1, 1));
    assert!(heard[0].1.starts_with("the key file was not written: ") && heard[0].0 == LogLevel::Warning, "{heard:?}");
}

#[test]
fn records_that_are_not_keys_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let keys: Vec<_> = KeyKind::ALL.into_iter().map(|kind| (kind, vec![0xEE; 3])).collect();
    store.append(&keys, &[]).unwrap();
    let (kernels, start) = with_key_file(TierMode::Auto, &store);
    assert_eq!((start.keys, start.undecodable, kernels.len()), (0, keys.len(), 0));
}

#[test]
fn keys_that_no_machine_makes_are_not_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let key = |bytes| (KeyKind::Transfer, borsh::to_vec(&TransferKey::Fill { bytes }).unwrap());
    store.append(&[key(3), key(77)], &[]).unwrap();
    let (kernels, start) = with_key_file(TierMode::Auto, &store);
    kernels.wait_for_compiler();
    assert_eq!((start.keys, start.undecodable, kernels.len()), (1, 1, 1));
    let answers: Vec<_> =
        store.read().unwrap().keys.iter().map(|key| key.check().map_err(|why| why.to_string())).collect();
    assert_eq!(answers, [Ok(()), Err("a pattern has 2 to 4 bytes".to_owned())]);
}
