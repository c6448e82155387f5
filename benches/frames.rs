//! Whole frames of captures: from GX commands to finished pictures in guest memory.
//!
//! `cargo bench --bench frames`, with `TRIGLYPH_CAPTURES` naming a folder of captures for more of them.
//!
//! The steady frames of a capture are played over and over, as a running game draws them; the time is that of one.

mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use triglyph::capture::{CaptureFile, Checks, Player, Prepared, Reader};
use triglyph::{Device, Options, Tier, new_device};

/// Captures that come with the library.
const BUNDLED: [&str; 4] = ["19-texture-combiners", "20-vertex-formats", "21-scaled-transfer", "28-render-to-texture"];
/// Captures of a larger collection.
const MORE: [&str; 2] = ["05-textured-cube-nearest", "13-gpusprites"];

fn main() {
    let mut criterion = support::criterion();
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/3ds");
    for name in BUNDLED {
        capture(&mut criterion, name, &bundled.join(name).with_extension("tgc"));
    }
    if let Some(folder) = std::env::var_os("TRIGLYPH_CAPTURES").map(PathBuf::from) {
        for name in MORE {
            let path = folder.join("3ds").join(name).with_extension("tgc");
            if path.exists() {
                capture(&mut criterion, name, &path);
            }
        }
    }
    criterion.final_summary();
}

fn capture(criterion: &mut Criterion, name: &str, path: &Path) {
    let file = CaptureFile::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let reader = Reader::new(&file).expect("a capture");
    let capture = Prepared::new(&reader).expect("a capture");
    let mut group = criterion.benchmark_group(format!("frame/{name}"));
    group.throughput(Throughput::Elements(1));
    for (tier_name, tier) in [("interp", Tier::InterpreterOnly), ("jit", Tier::JitOnly)] {
        for threads in [1, 2] {
            let options = Options::new(tier, threads);
            let device = match new_device(capture.header().machine, &options) {
                Ok(device) => device,
                Err(error) => {
                    eprintln!("{tier_name}: {error}");
                    continue;
                }
            };
            let mut game = Game::new(&capture, device);
            group.bench_function(format!("{tier_name}/{threads}"), |b| b.iter_custom(|frames| game.play(frames)));
        }
    }
    group.finish();
}

/// A device on which the steady frames of a capture go round.
struct Game<'p, 'a> {
    capture: &'p Prepared<'a>,
    device: Box<dyn Device>,
    frames: Vec<std::ops::Range<usize>>,
    next: usize,
}

impl<'p, 'a> Game<'p, 'a> {
    /// Plays everything once, so that all kernels are there.
    fn new(capture: &'p Prepared<'a>, device: Box<dyn Device>) -> Self {
        let frames = capture.frames();
        let mut game = Game { capture, device, frames: Vec::new(), next: 0 };
        let (first, later) = frames.split_first().expect("a capture that shows something");
        game.records(0..first.end);
        later.iter().for_each(|frame| game.records(frame.clone()));
        game.frames = if later.is_empty() { vec![first.clone()] } else { later.to_vec() };
        game
    }

    fn records(&mut self, records: std::ops::Range<usize>) {
        Player::part(self.capture, records, Checks::NONE).run(&mut *self.device).expect("a capture that plays");
    }

    fn play(&mut self, frames: u64) -> Duration {
        let start = Instant::now();
        for _ in 0..frames {
            let frame = self.frames[self.next].clone();
            self.records(frame);
            self.next = (self.next + 1) % self.frames.len();
        }
        start.elapsed()
    }
}
