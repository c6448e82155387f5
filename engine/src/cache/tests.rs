use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::transfer::{Fill, TransferJob};
use triglyph_guest::kernel::{GeometryKernel, Unsupported, Window, window};

use super::*;

/// A tier whose fills write its own number instead of the value.
#[derive(Default)]
struct Numbered {
    number: u8,
    code: usize,
    refuse_keys: bool,
    refuse_jobs: bool,
    made: AtomicUsize,
}

struct Filler {
    number: u8,
    code: usize,
    refuse: bool,
}

impl Tier for Numbered {
    fn name(&self) -> &'static str {
        "numbered"
    }
    fn vertex(&self, _: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
        Err(Unsupported("fills only"))
    }
    fn geometry(&self, _: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported> {
        Err(Unsupported("fills only"))
    }
    fn pixel(&self, _: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
        Err(Unsupported("fills only"))
    }
    fn transfer(&self, _: &TransferKey) -> Result<Arc<dyn TransferKernel>, Unsupported> {
        self.made.fetch_add(1, Relaxed);
        match self.refuse_keys {
            true => Err(Unsupported("every key")),
            false => Ok(Arc::new(Filler { number: self.number, code: self.code, refuse: self.refuse_jobs })),
        }
    }
}

impl TransferKernel for Filler {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Fill(fill) = job else { return Err(Unsupported("fills only")) };
        if self.refuse {
            return Err(Unsupported("every job"));
        }
        fill.target.write(0, &[self.number]);
        Ok(())
    }
    fn code_bytes(&self) -> usize {
        self.code
    }
}

const REFERENCE: u8 = 1;
const QUICK: u8 = 2;
const HOT: u8 = 3;

fn numbered(number: u8) -> Numbered {
    Numbered { number, code: 100, ..Numbered::default() }
}

fn kernels(mode: TierMode, quick: Numbered, budget: usize) -> Kernels {
    let reference = Numbered { number: REFERENCE, ..Numbered::default() };
    let tiers =
        Tiers { reference: Arc::new(reference), quick: Some(Arc::new(quick)), hot: Some(Arc::new(numbered(HOT))) };
    Kernels::new(tiers, mode, budget)
}

const KEY: TransferKey = TransferKey::Fill { bytes: 4 };

/// Who serves a fill.
fn served_by(handle: &TransferHandle) -> u8 {
    let bytes = window::buffer(&[0]);
    handle.run(&TransferJob::Fill(Fill { target: Window::new(&bytes), value: 0 }));
    bytes[0].load(Relaxed)
}

#[test]
fn each_mode_asks_its_tier() {
    let interpreter = kernels(TierMode::InterpreterOnly, numbered(QUICK), 1000);
    assert_eq!(served_by(&interpreter.transfer(&KEY)), REFERENCE);
    assert_eq!(interpreter.counters().compiled(), 0);

    let jit = kernels(TierMode::JitOnly, numbered(QUICK), 1000);
    assert_eq!(served_by(&jit.transfer(&KEY)), HOT);

    let auto = kernels(TierMode::Auto, numbered(QUICK), 1000);
    let handle = auto.transfer(&KEY);
    auto.wait_for_compiler();
    assert_eq!(served_by(&handle), QUICK);
    assert_eq!(auto.counters().compiled_calls(), 1);
}

#[test]
fn what_is_refused_goes_to_the_reference() {
    let keys = kernels(TierMode::Auto, Numbered { refuse_keys: true, ..numbered(QUICK) }, 1000);
    let handle = keys.transfer(&KEY);
    keys.wait_for_compiler();
    assert_eq!(served_by(&handle), REFERENCE);
    assert_eq!(keys.counters().refused(), 1);

    let jobs = kernels(TierMode::Auto, Numbered { refuse_jobs: true, ..numbered(QUICK) }, 1000);
    let handle = jobs.transfer(&KEY);
    jobs.wait_for_compiler();
    assert_eq!(served_by(&handle), REFERENCE);
    assert_eq!((jobs.counters().compiled_calls(), jobs.counters().reference_calls()), (0, 1));
}

#[test]
fn a_key_is_compiled_once_and_busy_ones_again_with_more_effort() {
    let kernels = kernels(TierMode::Auto, numbered(QUICK), 1000);
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
    assert_eq!(served_by(&handle), HOT);
    assert_eq!(kernels.counters().promoted(), 1);
}

#[test]
fn eviction_keeps_to_the_budget_and_spares_what_is_held() {
    let kernels = kernels(TierMode::JitOnly, numbered(QUICK), 250);
    let held = kernels.transfer(&KEY);
    for bytes in 0..40 {
        served_by(&kernels.transfer(&TransferKey::Fill { bytes }));
    }
    assert!(kernels.counters().evicted() > 0);
    assert!(kernels.counters().code_bytes() <= 250 + 200, "{}", kernels.counters().code_bytes());
    assert_eq!(served_by(&held), HOT);
    drop(held);
}

#[test]
fn dropping_an_engine_in_the_middle_of_compiling_does_not_hang() {
    for _ in 0..50 {
        let kernels = kernels(TierMode::Auto, numbered(QUICK), 1000);
        let handles: Vec<_> = (0..20).map(|bytes| kernels.transfer(&TransferKey::Fill { bytes })).collect();
        drop(kernels);
        // A handle outlives its table.
        assert_ne!(served_by(&handles[0]), 0);
    }
}

fn remembering(mode: TierMode, store: &KeyStore) -> (Kernels, WarmStart) {
    let reference = Numbered { number: REFERENCE, ..Numbered::default() };
    let tiers = Tiers {
        reference: Arc::new(reference),
        quick: Some(Arc::new(numbered(QUICK))),
        hot: Some(Arc::new(numbered(HOT))),
    };
    Kernels::remembering(tiers, mode, 1 << 20, store.clone(), 1 << 20)
}

#[test]
fn a_second_start_compiles_what_the_first_one_needed() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let (first, start) = remembering(TierMode::Auto, &store);
    assert_eq!((start.keys, start.error.is_none()), (0, true));
    for bytes in 0..10 {
        let handle = first.transfer(&TransferKey::Fill { bytes });
        (0..=bytes).for_each(|_| assert_ne!(served_by(&handle), 0));
    }
    let busy = first.transfer(&TransferKey::Fill { bytes: 4 });
    (0..3000).for_each(|_| assert_ne!(served_by(&busy), 0));
    first.wait_for_compiler();
    drop(first);

    let (second, start) = remembering(TierMode::Auto, &store);
    assert_eq!((start.keys, start.damage.len(), start.undecodable), (10, 0, 0));
    second.wait_for_compiler();
    assert_eq!(second.counters().compiled(), 10);
    assert_eq!(served_by(&second.transfer(&TransferKey::Fill { bytes: 4 })), HOT, "much used: compiled well at once");
    assert_eq!(served_by(&second.transfer(&TransferKey::Fill { bytes: 5 })), QUICK);
    second.wait_for_compiler();
    assert_eq!(second.counters().compiled(), 10, "nothing twice");
    drop(second);

    let (third, start) = remembering(TierMode::JitOnly, &store);
    assert_eq!(start.keys, 10);
    assert_eq!(served_by(&third.transfer(&TransferKey::Fill { bytes: 5 })), HOT);
    assert_eq!(store.read().unwrap().keys[0].uses, 3000 + 5 + 1);
    let (interpreter, start) = remembering(TierMode::InterpreterOnly, &store);
    assert_eq!((start.keys, interpreter.len()), (0, 0));
}

#[test]
fn a_file_that_cannot_serve_is_reported_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("notes.txt"));
    std::fs::write(store.path(), "not keys").unwrap();
    let (kernels, start) = remembering(TierMode::Auto, &store);
    assert!(start.error.is_some());
    kernels.transfer(&KEY);
    kernels.wait_for_compiler();
    assert_eq!(kernels.counters().compiled(), 1);
    drop(kernels);
    assert_eq!(std::fs::read(store.path()).unwrap(), b"not keys");
}

#[test]
fn records_that_are_no_keys_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("keys"));
    let keys: Vec<_> = KeyKind::ALL.into_iter().map(|kind| (kind, vec![0xEE; 3])).collect();
    store.append(&keys, &[]).unwrap();
    let (kernels, start) = remembering(TierMode::Auto, &store);
    assert_eq!((start.keys, start.undecodable, kernels.len()), (0, keys.len(), 0));
}
