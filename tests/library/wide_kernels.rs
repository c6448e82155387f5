//! Which kernels of the bundled captures have vectors of 256 bits. On hosts with AVX2 most pixels are drawn by such
//! code: an instruction that it does not have would halve the speed of a kernel, and no picture would show it.

use std::collections::BTreeMap;

use triglyph::capture::{CaptureFile, Checks, Player, Reader};
use triglyph::{KeyFile, Options, Tier, new_device};
use triglyph_engine::cache::kinds::{self, KernelKind};
use triglyph_engine::cache::store::{KeyKind, KeyStore, StoredKey};
use triglyph_guest::kernel::Vectors;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::data::captures;

/// What is expected of the kernels of vertices, pixels and programs in the captures of each machine.
struct Share {
    folder: &'static str,
    /// With vectors of 256 bits. They only grow; some of those of pixels are made in parts when that has taken less
    /// time, so that a few more or less are found.
    wide: u32,
    /// With 128 although they have loops that do two iterations at a time elsewhere. They only shrink.
    others: u32,
    /// Without such loops: geometry programs, whose lanes are primitives. They only shrink.
    single: u32,
}

const SHARES: [Share; 3] = [
    Share { folder: "3ds", wide: 310, others: 0, single: 0 },
    Share { folder: "rsx", wide: 43, others: 0, single: 0 },
    Share { folder: "tegra", wide: 90, others: 0, single: 1 },
];

/// The vectors of a key's optimized code; `None` where it is compiled in no other way than for one iteration.
fn vectors(jit: &Jit, key: &StoredKey) -> Option<Vectors> {
    fn of<K: KernelKind>(jit: &Jit, key: &StoredKey) -> Option<Vectors> {
        let kernel = K::make(jit, &key.decode::<K>().expect("a key of this version")).ok()?;
        Some(K::code(&kernel).vectors)
    }
    match key.kind {
        KeyKind::Vertex => of::<kinds::Vertex>(jit, key),
        KeyKind::Pixel => of::<kinds::Pixel>(jit, key),
        KeyKind::ProgramVertex => of::<kinds::ProgramVertex>(jit, key),
        KeyKind::Fragment => of::<kinds::Fragment>(jit, key),
        KeyKind::Shader => of::<kinds::Shader>(jit, key),
        KeyKind::Geometry | KeyKind::Transfer | KeyKind::Macro | KeyKind::PacketTrace => None,
    }
}

/// The keys that the captures of a folder need.
fn keys(folder: &str) -> Vec<StoredKey> {
    let path = std::env::temp_dir().join(format!("triglyph-wide-{folder}-{}.keys", std::process::id()));
    for capture in captures(folder) {
        let file = CaptureFile::open(&capture).expect("a capture");
        let reader = Reader::new(&file).expect("a capture");
        let mut options = Options::new(Tier::JitOnly, 1);
        options.key_file = Some(KeyFile::new(&path));
        let mut device = new_device(reader.header().machine, &options).expect("a machine");
        Player::new(&reader, Checks::NONE).run(&mut *device).expect("a capture that plays");
    }
    let keys = KeyStore::new(&path).read().expect("a file of keys").keys;
    std::fs::remove_file(&path).expect("a file of keys");
    keys
}

#[test]
fn hot_kernels_have_vectors_of_256_bits() {
    let jit = Jit::with_effort(Effort::Optimized).expect("a code generator");
    if !jit.has_wide_vectors() {
        println!("skipped: the processor has no AVX2, FMA and BMI2");
        return;
    }
    for expected in SHARES {
        let folder = expected.folder;
        let (mut wide, mut others, mut single) = (0, 0, 0);
        let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
        for key in keys(folder) {
            match vectors(&jit, &key) {
                Some(Vectors::Wide) => wide += 1,
                Some(Vectors::NotWidened(why)) => {
                    others += 1;
                    *reasons.entry(why.to_string()).or_default() += 1;
                }
                Some(Vectors::Narrow) => single += 1,
                None => {}
            }
        }
        let found = format!("{folder}: {wide} kernels with 256 bits, {others} without: {reasons:?}; {single} single");
        println!("{found}");
        let is_expected = wide >= expected.wide && others <= expected.others && single <= expected.single;
        assert!(is_expected, "{found}");
    }
}
