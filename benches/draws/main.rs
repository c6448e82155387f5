//! What draws cost before any vertex or pixel of them, on each machine, and what vertices and pixels of the RSX cost.
//!
//! ```sh
//! cargo bench --bench draws                 # or with a filter: -- rsx, -- unchanged, -- "front end"
//! ```
//!
//! A submission of a thousand draws of one or two triangles, between which nothing changes (*unchanged*), or uniforms alone,
//! or what titles change besides. One triangle of a few pixels comes first, so that there is a scene that others have to
//! look out for; the others give no fragment. Times are of one draw, its words among them:
//!
//! * *whole*: all of it, three vertices (the RSX: six, of eight arrays) that are fetched, shaded and assembled among it.
//! * *front end*: without what the device counts as vertices, setup and pixels ([`triglyph::Stats::stages`]): words, state, keys,
//!   textures, constants. Of the clock's own cost, which a draw reads for these counts, about half is in it.
//!
//! The smallest time of a submission is printed besides criterion's estimates: that is what a machine that does other things
//! as well shows best. For instructions instead of times, count what `submit` does and divide by the calls of `draw_order`,
//! `draw_gathered` or `draw_from_arrays`:
//!
//! ```sh
//! valgrind --tool=callgrind --toggle-collect='*Device*submit*' target/release/deps/draws-* --bench --profile-time 3 rsx/unchanged/whole
//! ```

mod n3ds;
mod rsx;
#[path = "../support/mod.rs"]
mod support;
mod tegra;

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use triglyph::Device;

/// Draws of a submission.
const DRAWS: u32 = 1000;

/// Measures a submission of [`DRAWS`] draws to a device; `make` makes both, only when they are asked for.
fn measure(criterion: &mut Criterion, machine: &str, name: &str, make: impl Fn() -> (Box<dyn Device>, Vec<u8>)) {
    let mut made = None;
    let mut group = criterion.benchmark_group(format!("{machine}/{name}"));
    group.throughput(Throughput::Elements(DRAWS.into()));
    for (what, of) in PARTS {
        let mut least = Duration::MAX;
        group.bench_function(what, |b| {
            let (device, payload) = made.get_or_insert_with(&make);
            b.iter_custom(|times| {
                let one = || {
                    let time = of(&mut **device, payload);
                    least = least.min(time);
                    time
                };
                std::iter::repeat_with(one).take(times as usize).sum()
            });
        });
        if least != Duration::MAX {
            println!("{machine}/{name}/{what}: at least {:.0} ns a draw", least.as_nanos() as f64 / f64::from(DRAWS));
        }
    }
    group.finish();
}

/// A part of a submission, and its time.
type Part = (&'static str, fn(&mut dyn Device, &[u8]) -> Duration);

const PARTS: [Part; 2] = [
    ("whole", whole),
    ("front end", |device, payload| {
        let before = behind(device);
        let time = whole(device, payload);
        time.saturating_sub(behind(device) - before)
    }),
];

fn whole(device: &mut dyn Device, payload: &[u8]) -> Duration {
    let start = Instant::now();
    device.submit(payload).expect("a submission");
    start.elapsed()
}

/// What the stages behind the front end have taken so far.
fn behind(device: &dyn Device) -> Duration {
    let stages = device.stats().stages;
    stages.vertex + stages.setup + stages.raster + stages.texture + stages.transfer
}

fn main() {
    let mut criterion = support::criterion();
    n3ds::bench(&mut criterion);
    rsx::bench(&mut criterion);
    tegra::bench(&mut criterion);
    criterion.final_summary();
}
