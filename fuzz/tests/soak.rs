//! A host that goes on for days: programs that change all the time, with room for the code of a few. TRIGLYPH_SOAK says
//! how many programs there are.

use triglyph::{Machine, Options, Tier};
use triglyph_engine::cache::SelectedFragment;
use triglyph_engine::scene::program::Programs;
use triglyph_engine::validate::{Role, Rules};
use triglyph_fuzz::choices::Choices;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::fragment::FragmentJob;
use triglyph_guest::kernel::program::random_fragment::RandomFragment;
use triglyph_guest::rsx::fragment::random;

/// A kernel of the cache.
struct Cached(SelectedFragment);

impl FragmentKernel for Cached {
    fn shade(&self, job: &FragmentJob<'_>) -> Result<u64, Unsupported> {
        Ok(self.0.shade(job))
    }
}

/// Nothing is drawn, so no rule is asked.
static RULES: Rules = Rules {
    machine: Machine::Ps3,
    role: |_| Role::Other,
    name: |number| number.to_string(),
    index: |number| number as usize,
    remedy: |_| None,
    checks: &[],
};

/// Programs that are repeated. By then those that were first are long forgotten, and are compiled like new ones: what
/// the process has at most must be the same each time.
const ROUND: u64 = 20_000;

/// Forgets the most bytes that the process has had in memory. Whether the system can.
fn forget_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The most bytes that the process has had in memory.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[test]
fn memory_is_bounded_while_programs_change() {
    let programs = std::env::var("TRIGLYPH_SOAK").ok().map_or(1000, |text| text.parse().expect("a number of programs"));
    let mut options = Options::new(Tier::JitOnly, 1);
    options.code_budget = 1 << 20;
    let renderer = options.renderer::<Programs>(&RULES).expect("a code generator");
    let counters = renderer.kernels.counters();
    let mut choices = Choices::new(1);
    let mut peaks = Vec::new();
    for number in 1..=programs {
        let case = RandomFragment::new(&mut || choices.word(), random::Options::PLAIN);
        case.run(&Cached(renderer.kernels.fragment(&case.key).select())).expect("every call is served");
        // One kernel may be larger than what is left.
        assert!(counters.code_bytes() <= 2 << 20, "{} bytes of code", counters.code_bytes());
        if number % ROUND == 0 {
            peaks.extend(peak());
            choices = Choices::new(1);
            if !forget_peak() {
                peaks.clear();
            }
        }
    }
    assert!(counters.compiled() >= programs / 2 && counters.evicted() > 0, "{counters:?}");
    println!("{programs} programs, {} kernels remembered, most bytes in each round {peaks:?}", renderer.kernels.len());
    // The allocator takes a round to have room for all that comes.
    if let Some(&[first, .., last]) = peaks.get(1..) {
        assert!(last <= first + first / 20, "from {first} to {last} bytes");
    }
}
