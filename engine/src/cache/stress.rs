//! Tiers under load: threads that ask for kernels, call them, hold them as scenes do and let go of them, while the
//! worker compiles and tiers up and a budget for a fraction of them evicts them again.
//!
//! Kernels here know whether they are alive and whose they are, and are counted: none may be called after its end, none
//! may be left over.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use triglyph_guest::kernel::mme::MmeKey;
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::fragment::{FragmentJob, FragmentKey};
use triglyph_guest::kernel::program::random_fragment::RandomFragment;
use triglyph_guest::kernel::transfer::{Fill, TransferJob};
use triglyph_guest::kernel::{MachineCode, Tier, TransferKernel, Unsupported, Window, window};
use triglyph_interp::Interpreter;

use super::eviction::MAX_KEYS;
use super::kinds::KeyKind;
use super::shared::Shared;
use super::store::KeyStore;
use super::test_tiers::{FILLS_ONLY, FillTier, Fills, numbered_key};
use super::*;

/// How many kernels there are and were.
#[derive(Debug, Default)]
pub(super) struct Census {
    pub(super) alive: AtomicI64,
    made: AtomicU64,
}

/// A tier whose fills write its number and that of their key.
struct Counting {
    number: u8,
    code: usize,
    /// Keys from here on are unsupported.
    unsupported_from: u8,
    census: Arc<Census>,
}

struct Living {
    tier: u8,
    key: u8,
    code: usize,
    alive: AtomicBool,
    census: Arc<Census>,
}

impl FillTier for Counting {
    fn fill(&self, key: u8) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        if key >= self.unsupported_from {
            return Err(Unsupported("this key"));
        }
        std::thread::yield_now();
        self.census.alive.fetch_add(1, SeqCst);
        self.census.made.fetch_add(1, SeqCst);
        let (tier, code, census) = (self.number, self.code, self.census.clone());
        Ok(Arc::new(Living { tier, key, code, alive: AtomicBool::new(true), census }))
    }
}

impl TransferKernel for Living {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Fill(fill) = job else { return Err(FILLS_ONLY) };
        assert!(self.alive.load(SeqCst), "called after its end");
        fill.target.write(0, &[self.tier, self.key]);
        assert!(self.alive.load(SeqCst), "ended while it was called");
        Ok(())
    }
    fn code(&self) -> MachineCode {
        MachineCode { bytes: self.code, ..MachineCode::default() }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        assert!(self.alive.swap(false, SeqCst), "ended twice");
        self.census.alive.fetch_sub(1, SeqCst);
    }
}

pub(super) const CODE: usize = 100;
const KEYS: u8 = 96;
pub(super) const UNSUPPORTED_FROM: u8 = 90;

/// A tier of a number, whose kernels have so many bytes of code.
pub(super) fn tier(census: &Arc<Census>, number: u8, code: usize, unsupported_from: u8) -> Arc<dyn Tier> {
    Arc::new(Fills(Counting { number, code, unsupported_from, census: census.clone() }))
}

pub(super) fn tiers(census: &Arc<Census>) -> Tiers {
    Tiers {
        interpreter: tier(census, 1, 0, u8::MAX),
        baseline: Some(tier(census, 2, CODE, UNSUPPORTED_FROM)),
        optimized: Some(tier(census, 3, CODE / 2, UNSUPPORTED_FROM)),
        hot: None,
    }
}

/// Calls a kernel and checks whose it is.
pub(super) fn call(handle: &Handle<kinds::Transfer>, key: u8) -> u8 {
    let bytes = window::buffer(&[0; 2]);
    handle.run(&TransferJob::Fill(Fill { target: Window::new(&bytes), value: 0 }));
    assert_eq!(bytes[1].load(Relaxed), key, "another key's kernel");
    let tier = bytes[0].load(Relaxed);
    assert!(key < UNSUPPORTED_FROM || tier == 1);
    tier
}

/// What a machine's thread does: a few keys a lot, many now and then, the last few held. It goes on until `enough` says
/// that the compiler has had its turn. Returns the number of look-ups.
fn work(kernels: &Kernels, seed: u32, enough: impl Fn() -> bool) -> u64 {
    const ROUNDS: u64 = 3000;
    let mut state = seed | 1;
    let mut random = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let mut held = VecDeque::new();
    for round in 0.. {
        if round >= ROUNDS {
            if enough() {
                return round;
            }
            // On few cores the compiler's thread needs a turn.
            std::thread::sleep(Duration::from_micros(100));
        }
        let busy = random(2) == 0;
        let key = random(if busy { 3 } else { KEYS.into() }) as u8;
        let handle = kernels.transfer(&numbered_key(key));
        (0..if busy { 8 } else { 1 }).for_each(|_| _ = call(&handle, key));
        held.push_back((handle, key));
        if held.len() > 12 {
            let at = random(12) as usize;
            call(&held[at].0, held[at].1);
            held.pop_front();
        }
    }
    unreachable!("an unending loop")
}

/// Waits until only the caller holds `shared`: a job that was running when the kernels were dropped may hold it
/// longest.
#[track_caller]
fn wait_for_the_end(shared: &Arc<Shared>, census: &Census) {
    let start = Instant::now();
    while Arc::strong_count(shared) != 1 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(Arc::strong_count(shared), 1, "slots are left over");
    let counters = &shared.counters;
    assert_eq!((counters.code_bytes(), counters.slots()), (0, 0));
    // The tiers, in `shared`, hold the census but no kernels.
    assert_eq!(census.alive.load(SeqCst), 0, "kernels are left over");
}

#[test]
fn kernels_come_and_go_while_they_are_used() {
    for mode in [TierMode::Auto, TierMode::JitOnly, TierMode::InterpreterOnly] {
        let census = Arc::new(Census::default());
        let kernels = Kernels::new(tiers(&census), mode, 12 * CODE);
        let (shared, counters) = (kernels.shared.clone(), kernels.counters());
        let compiles = mode != TierMode::InterpreterOnly;
        let enough = || {
            let all = counters.hits() > 0 && counters.unsupported() > 0 && counters.evicted() > 20;
            !compiles || all && (mode == TierMode::JitOnly || counters.tiered_up() > 2)
        };
        let start = Instant::now();
        let enough = || enough() || start.elapsed() > Duration::from_secs(60);
        let lookups: u64 = std::thread::scope(|scope| {
            let kernels = &kernels;
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || work(kernels, 77 + n, enough))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        kernels.wait_for_compiler();
        assert_eq!(counters.lookups(), lookups);
        assert!(counters.hits() > 0 && counters.hits() < lookups);
        assert_eq!(counters.compiled() != 0, compiles);
        assert_eq!(counters.unsupported() != 0, compiles);
        assert_eq!(counters.evicted() != 0, compiles);
        assert_eq!(counters.tiered_up() != 0, mode == TierMode::Auto);
        // One more look-up makes room for itself: the tables keep to the budget now that no kernel is held.
        kernels.transfer(&numbered_key(200));
        assert!(counters.code_bytes() <= 12 * CODE as u64, "{}", counters.code_bytes());
        assert_eq!(counters.slots(), kernels.len() as u64);
        drop(kernels);
        wait_for_the_end(&shared, &census);
    }
}

#[test]
fn code_that_comes_late_has_other_code_leave() {
    let census = Arc::new(Census::default());
    let kernels = Kernels::new(tiers(&census), TierMode::Auto, 12 * CODE);
    let (go, wait) = std::sync::mpsc::channel::<()>();
    kernels.shared.worker.spawn(move || _ = wait.recv());
    // All keys are known before there is any code.
    (0..40).for_each(|bytes| drop(kernels.transfer(&numbered_key(bytes))));
    drop(go);
    kernels.wait_for_compiler();
    assert_eq!(kernels.counters().code_bytes(), 40 * CODE as u64);
    kernels.transfer(&numbered_key(0));
    assert!(kernels.counters().code_bytes() <= 12 * CODE as u64, "{}", kernels.counters().code_bytes());
}

#[test]
fn what_scenes_hold_outlives_its_engine() {
    for round in 0..40 {
        let census = Arc::new(Census::default());
        let kernels = Kernels::new(tiers(&census), TierMode::Auto, 4 * CODE);
        let shared = kernels.shared.clone();
        let mut handles = Vec::new();
        for key in 0..20 {
            handles.push((kernels.transfer(&numbered_key(key)), key));
            (0..round * 60).for_each(|_| _ = call(&handles[0].0, 0));
        }
        // In the middle of compiling, with jobs queued.
        drop(kernels);
        std::thread::scope(|scope| {
            for chunk in handles.chunks(7) {
                scope.spawn(move || chunk.iter().for_each(|(handle, key)| _ = call(handle, *key)));
            }
        });
        drop(handles);
        wait_for_the_end(&shared, &census);
    }
}

/// A gate, closed until it is opened, and who went through.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    passed: Mutex<Vec<u8>>,
}

impl Gate {
    fn wait(&self) {
        drop(self.opened.wait_while(self.open.lock().unwrap(), |open| !*open));
    }

    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

/// A tier that makes nothing until the gate is open.
struct Gated {
    inner: Counting,
    gate: Arc<Gate>,
}

impl FillTier for Gated {
    fn fill(&self, key: u8) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        self.gate.wait();
        self.gate.passed.lock().unwrap().push(key);
        self.inner.fill(key)
    }

    fn fragment(&self, key: &FragmentKey) -> Result<Arc<dyn FragmentKernel>, Unsupported> {
        self.gate.wait();
        Interpreter.fragment(key)
    }
}

/// A selected kernel as a kernel.
struct Selected(SelectedFragment);

impl FragmentKernel for Selected {
    fn shade(&self, job: &FragmentJob<'_>) -> Result<u64, Unsupported> {
        Ok(self.0.shade(job))
    }
}

#[test]
fn a_fragment_kernel_that_comes_in_the_middle_of_a_scene_serves_the_rest_of_it() {
    let (census, gate) = (Arc::new(Census::default()), Arc::new(Gate::default()));
    let inner = Counting { number: 2, code: CODE, unsupported_from: u8::MAX, census: census.clone() };
    let baseline: Option<Arc<dyn Tier>> = Some(Arc::new(Fills(Gated { inner, gate: gate.clone() })));
    let tiers = Tiers { interpreter: Arc::new(Interpreter), baseline, optimized: None, hot: None };
    let kernels = Kernels::new(tiers, TierMode::Auto, 1 << 20);
    let mut state = 7u32;
    let mut word = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        state ^ state >> 15
    };
    let scene = RandomFragment::new(&mut word, Default::default());
    let selected = Selected(kernels.fragment(&scene.key).select());
    let first = scene.run(&selected).unwrap();
    assert_eq!((kernels.counters().interpreter_calls(), selected.0.is_compiled()), (1, false));

    gate.open();
    kernels.wait_for_compiler();
    let second = scene.run(&selected).unwrap();
    assert!(selected.0.is_compiled());
    assert_eq!((kernels.counters().interpreter_calls(), kernels.counters().compiled_calls()), (1, 1));
    assert!(first == second);
}

/// The first start knows keys 0 to 9, key n used n times but for key 9, which was used a lot. The compiler does nothing
/// before the first frame is over.
#[test]
fn a_first_frame_waits_for_nothing_and_known_keys_come_most_used_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let stored = |bytes| (KeyKind::Transfer, borsh::to_vec(&numbered_key(bytes)).unwrap());
    let keys: Vec<_> = (0..10).map(stored).collect();
    let uses: Vec<_> = keys
        .iter()
        .map(|(kind, bytes)| store::identity(*kind, bytes))
        .zip([0, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 20])
        .collect();
    store.append(&keys, &uses).unwrap();

    let (census, gate) = (Arc::new(Census::default()), Arc::new(Gate::default()));
    let gated = |number| -> Option<Arc<dyn Tier>> {
        let inner = Counting { number, code: CODE, unsupported_from: u8::MAX, census: census.clone() };
        Some(Arc::new(Fills(Gated { inner, gate: gate.clone() })))
    };
    let tiers = Tiers { baseline: gated(2), optimized: gated(3), ..tiers(&census) };
    let (kernels, start) = Kernels::with_key_file(tiers, TierMode::Auto, 1 << 20, store, 1 << 20);
    assert_eq!((start.keys, kernels.counters().recalled()), (10, 10));

    // If any of this waited for the compiler it would not end.
    let frame: Vec<_> = [3, 9, 20].map(|key| (kernels.transfer(&numbered_key(key)), key)).into();
    frame.iter().for_each(|(handle, key)| assert_eq!(call(handle, *key), 1));
    assert_eq!((kernels.counters().lookups(), kernels.counters().hits()), (3, 0));

    gate.open();
    kernels.wait_for_compiler();
    // Key 9 may have been under way when the frame asked for others.
    let mut passed = gate.passed.lock().unwrap().clone();
    if passed[0] == 9 {
        assert_eq!(passed, [9, 3, 20, 8, 7, 6, 5, 4, 2, 1, 0]);
    } else {
        // Asked for before it was under way: quickly, then well.
        assert_eq!(passed.split_off(3), [9, 8, 7, 6, 5, 4, 2, 1, 0]);
        assert_eq!(passed, [3, 9, 20]);
    }
    frame.iter().zip([2, 3, 2]).for_each(|((handle, key), tier)| assert_eq!(call(handle, *key), tier));
    for key in 0..10 {
        kernels.transfer(&numbered_key(key));
    }
    assert_eq!((kernels.counters().lookups(), kernels.counters().hits()), (13, 10));
}

/// A budget for a few kernels: the most used of a file are compiled, the others when they are asked for.
#[test]
fn a_start_compiles_no_more_than_it_may_hold() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let stored = |bytes| (KeyKind::Transfer, borsh::to_vec(&numbered_key(bytes)).unwrap());
    store.append(&(0..40).map(stored).collect::<Vec<_>>(), &[]).unwrap();
    let census = Arc::new(Census::default());
    let (kernels, start) = Kernels::with_key_file(tiers(&census), TierMode::Auto, 10 * CODE, store, 1 << 20);
    kernels.wait_for_compiler();
    assert_eq!(start.keys, 40);
    assert_eq!(kernels.counters().compiled(), 11, "the last one exceeds it");
    let handle = kernels.transfer(&numbered_key(30));
    kernels.wait_for_compiler();
    assert_eq!(call(&handle, 30), 2);
    let shared = kernels.shared.clone();
    drop((kernels, handle));
    wait_for_the_end(&shared, &census);
}

#[test]
fn keys_that_nobody_compiles_are_bounded_as_well() {
    let census = Arc::new(Census::default());
    let kernels = Kernels::new(tiers(&census), TierMode::InterpreterOnly, 1 << 20);
    for n in 0..MAX_KEYS as u32 + 10 {
        let code = vec![n];
        kernels.mme(&MmeKey { code, entry: 0 });
    }
    assert!(kernels.len() <= MAX_KEYS);
    assert!(kernels.counters().evicted() > 0);
}
