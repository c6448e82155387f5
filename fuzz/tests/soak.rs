//! A host that goes on for days: programs that change all the time, with room for the code of a few. TRIGLYPH_SOAK says
//! how many programs there are.

use triglyph::{Options, Tier};
use triglyph_engine::cache::SelectedFragment;
use triglyph_fuzz::choices::Choices;
use triglyph_fuzz::oracle::resident;
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

/// Programs from which on the cache remembers as many keys as it may: only then memory can be flat.
const FULL: u64 = 40_000;

#[test]
fn memory_is_bounded_while_programs_change() {
    let programs = std::env::var("TRIGLYPH_SOAK").ok().map_or(1000, |text| text.parse().expect("a number of programs"));
    let mut options = Options::new(Tier::JitOnly, 1);
    options.code_budget = 1 << 20;
    let renderer = options.renderer().expect("a code generator");
    let counters = renderer.kernels.counters();
    let mut choices = Choices::new(1);
    let mut samples = Vec::new();
    for number in 0..programs {
        let case = RandomFragment::new(&mut || choices.word(), random::Options::PLAIN);
        case.run(&Cached(renderer.kernels.fragment(&case.key).select())).expect("every call is served");
        // One kernel may be larger than what is left.
        assert!(counters.code_bytes() <= 2 << 20, "{} bytes of code", counters.code_bytes());
        if number >= FULL && number % 1000 == 0 {
            samples.extend(resident());
        }
    }
    assert!(counters.compiled() >= programs / 2 && counters.evicted() > 0, "{counters:?}");
    let (least, most) = (samples.iter().min(), samples.iter().max());
    println!("{programs} programs, {} kernels remembered, resident {least:?} to {most:?}", renderer.kernels.len());
    if let (Some(least), Some(most)) = (least, most) {
        assert!(most - least <= most / 20, "from {least} to {most} bytes");
    }
}
