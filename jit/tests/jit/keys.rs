//! Keys of files: encodings of random keys of every kind, changed at random. Each is no key, or refused by name, or
//! both tiers make a kernel of it (the compiler may leave it to the interpreter) and call that, without a panic.
//!
//! `TRIGLYPH_SEEDS=first:count` says which cases are run.

use triglyph_guest::kernel::program::fragment::{FragmentCode, FragmentKey};
use triglyph_guest::kernel::program::random_fragment::RandomFragment;
use triglyph_guest::kernel::program::random_vertex;
use triglyph_guest::kernel::program::stage::Stage;
use triglyph_guest::kernel::random_pixel::RandomPixel;
use triglyph_guest::kernel::vertex::Numbers;
use triglyph_guest::kernel::{
    Tier, random_geometry, random_mme, random_packet_trace, random_transfer, random_vertex as pica,
};
use triglyph_guest::pica::random::Options as PicaOptions;
use triglyph_guest::rsx::fragment::random::Options as FragmentOptions;
use triglyph_guest::tegra::mme::random::Options as MacroOptions;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::keys::Mutants;
use triglyph_testkit::maxwell::{fragments, stages};
use triglyph_testkit::random::{Random, seeds};

/// Does something for the keys of many cases, with both tiers. Some mutants have to be valid, and some refused unless
/// there is nothing that could be wrong with such keys.
fn all(usual: u64, refuses: bool, check: impl Fn(&mut Mutants, &mut Random, u64, [&dyn Tier; 2])) {
    let jit = Jit::with_effort(Effort::Baseline).expect("a code generator");
    let mut mutants = Mutants::default();
    for seed in seeds(usual) {
        check(&mut mutants, &mut Random::new(seed), seed, [&Interpreter, &jit]);
    }
    println!("{mutants:?}");
    assert!(mutants.valid > 0 && (mutants.invalid > 0 || !refuses), "{mutants:?}");
}

#[test]
fn vertices() {
    let numbers = [Numbers::F32, Numbers::F24];
    all(1000, true, |mutants, random, _, tiers| {
        let mix = pica::Mix { numbers: random.pick(&numbers), ..pica::Mix::default() };
        let key = pica::key(&mut || random.word(), mix);
        let Some(key) = mutants.of(random, &key) else { return };
        let batch = pica::batch(&mut || random.word(), mix, &key);
        for kernel in tiers.into_iter().filter_map(|tier| tier.vertex(&key).ok()) {
            batch.run(key.outputs.stride(), |job| kernel.shade(job, 0));
        }
    });
}

#[test]
fn geometry() {
    let program = PicaOptions { geometry: true, ..PicaOptions::default() };
    all(1000, true, |mutants, random, _, tiers| {
        let mix = pica::Mix { program, vertices: 9, ..pica::Mix::default() };
        let key = random_geometry::key(&mut || random.word(), mix);
        let Some(key) = mutants.of(random, &key) else { return };
        let job = random_geometry::job(&mut || random.word(), mix, &key);
        for kernel in tiers.into_iter().filter_map(|tier| tier.geometry(&key).ok()) {
            job.run(|job| kernel.run(job, 0));
        }
    });
}

#[test]
fn pixels() {
    all(1500, true, |mutants, random, _, tiers| {
        let case = RandomPixel::new(&mut || random.word());
        let Some(key) = mutants.of(random, &case.key) else { return };
        let case = RandomPixel::of(&mut || random.word(), key);
        for kernel in tiers.into_iter().filter_map(|tier| tier.pixel(&case.key).ok()) {
            let _ = case.run(&*kernel);
        }
    });
}

#[test]
fn transfers() {
    all(4000, true, |mutants, random, _, tiers| {
        let mut case = random_transfer::case(&mut || random.word());
        let Some(key) = mutants.of(random, &case.key) else { return };
        case.key = key;
        for kernel in tiers.into_iter().filter_map(|tier| tier.transfer(&case.key).ok()) {
            let _ = case.run(|job| kernel.run(job));
        }
    });
}

#[test]
fn program_vertices() {
    all(1000, true, |mutants, random, _, tiers| {
        let mix = random_vertex::Mix::default();
        let (key, _) = random_vertex::case(&mut || random.word(), mix);
        let Some(key) = mutants.of(random, &key) else { return };
        let batch = random_vertex::batch_of(&mut || random.word(), mix, &key);
        for kernel in tiers.into_iter().filter_map(|tier| tier.program_vertex(&key).ok()) {
            batch.run(&key, |job| kernel.shade(job, 0));
        }
    });
}

/// Makes kernels of a fragment key and has them draw. Programs of the Tegra X1 find nothing around them.
fn draw(mutants: &mut Mutants, random: &mut Random, key: &FragmentKey, tiers: [&dyn Tier; 2]) {
    let Some(key) = mutants.of(random, key) else { return };
    let runs = matches!(key.code, FragmentCode::Rsx(_));
    let case = RandomFragment::of(&mut || random.word(), key);
    for kernel in tiers.into_iter().filter_map(|tier| tier.fragment(&case.key).ok()).filter(|_| runs) {
        let _ = case.run(&*kernel);
    }
}

#[test]
fn fragments() {
    all(1500, true, |mutants, random, _, tiers| {
        let case = RandomFragment::new(&mut || random.word(), FragmentOptions::default());
        draw(mutants, random, &case.key, tiers);
    });
}

#[test]
fn fragments_of_the_tegra_x1() {
    all(500, true, |mutants, random, seed, tiers| draw(mutants, random, &fragments::key(seed), tiers));
}

#[test]
fn shaders() {
    use Stage::{Compute, Geometry, TessControl, TessEvaluation};
    all(600, true, |mutants, random, seed, tiers| {
        let stage = [TessControl, TessEvaluation, Geometry, Compute][seed as usize % 4];
        let Some(key) = mutants.of(random, &stages::key(seed, stage)) else { return };
        for tier in tiers {
            let _ = stages::try_key(tier, seed, stage, key.clone());
        }
    });
}

#[test]
fn macros() {
    // The only thing that is wrong with any is its length.
    all(1500, false, |mutants, random, _, tiers| {
        let options = MacroOptions { ragged: random.one_in(4), ..MacroOptions::default() };
        let mut case = random_mme::case(&mut || random.word(), options);
        let Some(key) = mutants.of(random, &case.key) else { return };
        case.key = key;
        case.branches = case.branches.min(1 << 16);
        for kernel in tiers.into_iter().filter_map(|tier| tier.mme(&case.key).ok()) {
            let _ = case.run(&*kernel);
        }
    });
}

#[test]
fn packet_traces() {
    all(1500, true, |mutants, random, _, tiers| {
        let mut case = random_packet_trace::case(&mut || random.word());
        let Some(key) = mutants.of(random, &case.key) else { return };
        case.key = key;
        for kernel in tiers.into_iter().filter_map(|tier| tier.packet_trace(&case.key).ok()) {
            let _ = case.run(&*kernel);
        }
    });
}
