//! Costs of draws before their vertices and pixels, on each machine, and of vertices and pixels of the RSX.
//!
//! ```sh
//! cargo bench --bench draws                 # or with a filter: -- rsx, -- unchanged
//! ```
//!
//! A submission of a thousand draws of one or two triangles, between which nothing changes (*unchanged*), or uniforms
//! alone, or what titles change besides. One triangle of a few pixels comes first, so that there is a scene that others
//! have to look out for; the others give no fragment. Times are of one draw, its words among them:
//!
//! * criterion's times are of everything: the vertices (three, on the RSX six of eight arrays) that are fetched, shaded
//!   and assembled are among it.
//! * What is printed below them are the smallest times of a submission, which is what a machine that does other things
//!   as well shows best: of everything, and of the *front end*, without what the device counts as vertices, setup and
//!   pixels ([`triglyph::Stats::stages`]). That leaves words, registers, state, keys, textures and constants.
//!
//! For instructions instead of times, count what `submit` does and divide by the calls of `draw_order`, `draw_gathered`
//! or `draw_from_arrays`; vertices are in `start_vertices` to `end_vertices`, setup in `ProgramSetup::draw`:
//!
//! ```sh
//! valgrind --tool=callgrind --toggle-collect='*Device*submit*' target/release/deps/draws-* --bench --profile-time 3 rsx/unchanged
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
    let mut least = [Duration::MAX; 2];
    let mut group = criterion.benchmark_group(machine);
    group.throughput(Throughput::Elements(DRAWS.into()));
    group.bench_function(name, |b| {
        let (device, payload) = made.get_or_insert_with(&make);
        let mut one = || {
            let (before, start) = (later_stages(&**device), Instant::now());
            device.submit(payload).expect("a submission");
            let times = [start.elapsed(), later_stages(&**device) - before];
            least = [0, 1].map(|i| least[i].min(times[i]));
            times[0]
        };
        b.iter_custom(|count| std::iter::repeat_with(&mut one).take(count as usize).sum());
    });
    group.finish();
    if made.is_some() {
        let [whole, later] = least.map(|time| time.as_nanos() as f64 / f64::from(DRAWS));
        let front_end = whole - later + STAGES * clock();
        println!("{machine}/{name}: {whole:.0} ns a draw, {front_end:.0} of them in the front end");
    }
}

/// Stages of a draw that are measured by themselves.
const STAGES: f64 = 2.0;

/// Nanoseconds that the clock says a stage takes that does nothing. Each measured stage says so much too much, and most
/// draws of a submission are not measured.
fn clock() -> f64 {
    let mut times = [(); 1001].map(|()| Instant::now().elapsed().as_nanos());
    times.sort_unstable();
    times[times.len() / 2] as f64
}

/// Time of the stages after the front end so far.
fn later_stages(device: &dyn Device) -> Duration {
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
