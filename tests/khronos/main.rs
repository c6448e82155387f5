//! Runs Khronos' tests of OpenGL ES and Vulkan (dEQP, part of VK-GL-CTS) with the virtual GPU, and what fails there on
//! llvmpipe or lavapipe of the same Mesa.
//!
//! ```sh
//! export TRIGLYPH_DEQP=~/VK-GL-CTS/build        # where `modules/gles2/deqp-gles2` and its like are, or they alone
//! cargo test --release --workspace --test khronos                            # a part of each list
//! TRIGLYPH_DEQP_STRIDE=1 cargo test --release --workspace --test khronos     # all of them: hours
//! cargo test --release --workspace --test khronos -- gm20b/gles3             # of one chip and one interface
//! ```
//!
//! | variable | value | without it |
//! |---|---|---|
//! | `TRIGLYPH_DEQP` | folder of programs that VK-GL-CTS's build has made | nothing is run, and a line says so |
//! | `TRIGLYPH_DEQP_LISTS` | folder of `gles2-main.txt`, `gles3-main.txt`, `gles31-main.txt`, `vk-default.txt` | the lists of the sources that the programs are built from |
//! | `TRIGLYPH_DEQP_STRIDE` | one in so many cases of each list is run | 47 |
//!
//! `--test-threads` is how many dEQP processes run at a time, without it one for each core. Results are kept in the
//! target directory as they come, so that an interrupted run continues; they are dropped when the library, its
//! settings, the programs or Mesa's driver change. A case that ends its process or takes too long has the result
//! `Crash` or `Timeout`, and another process continues after it.
//!
//! `nv47.txt` and `gm20b.txt` have the cases that are known to fail, in columns as those of `tests/piglit`: the case,
//! where `*` is anything; the result; whose limit it is; why. A failure that is not in there is one of the run, unless
//! the case fails in software as well. So is a case that passes and is listed: those lists can only get shorter.

mod binaries;
mod cases;
mod checks;
mod console;
#[path = "../piglit/known.rs"]
mod known;
mod program;
mod results;
mod slices;
#[path = "../../vgpu/tests/support/library.rs"]
mod support;
mod verdict;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;

use binaries::{Api, Binary};
use cases::Case;
use libtest_mimic::{Arguments, Failed, Trial};
use program::{Device, Programs};
use results::Results;
use verdict::Verdict;

/// Where results are kept.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/khronos");

/// The chips, and what their drivers can draw with.
const CHIPS: [(&str, &[Api]); 2] = [("nv47", &[Api::Gles2]), ("gm20b", &Api::ALL)];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let cores = available_parallelism().map_or(1, usize::from);
    let processes = arguments.test_threads.replace(1).unwrap_or(cores);
    let summaries: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut trials = checks::trials();
    match runs(processes) {
        Ok(runs) => trials.extend(runs.into_iter().map(|run| {
            let summaries = Arc::clone(&summaries);
            Trial::test(run.name(), move || run.check(&summaries))
        })),
        Err(Unable::Skipped(why)) => println!("khronos: skipped: {why}"),
        Err(Unable::Wrong(why)) => trials.push(Trial::test("settings", move || Err(why.into()))),
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    summaries.lock().expect("no test panics with it").iter().for_each(|summary| println!("khronos: {summary}"));
    conclusion.exit_code()
}

/// Why nothing can be run.
enum Unable {
    Skipped(String),
    Wrong(String),
}

/// The cases of an interface on a chip.
struct Run {
    chip: &'static str,
    binary: Binary,
    processes: usize,
    stride: usize,
}

/// What is to be run, by the environment.
fn runs(processes: usize) -> Result<Vec<Run>, Unable> {
    let Some(folder) = std::env::var_os("TRIGLYPH_DEQP") else {
        let why = "TRIGLYPH_DEQP does not name a folder with the dEQP programs of VK-GL-CTS, built by its instructions";
        return Err(Unable::Skipped(why.into()));
    };
    if let Some(why) = support::missing() {
        return Err(Unable::Skipped(why));
    }
    let stride = cases::stride().map_err(Unable::Wrong)?;
    let lists = std::env::var_os("TRIGLYPH_DEQP_LISTS").map(PathBuf::from);
    let mut runs = Vec::new();
    for (chip, apis) in CHIPS {
        for api in apis {
            let found = binaries::find(folder.as_ref(), lists.as_deref(), *api);
            match found.and_then(|binary| program::missing(*api).map_or(Ok(binary), Err)) {
                Ok(binary) => runs.push(Run { chip, binary, processes, stride }),
                Err(why) => println!("khronos: {chip}/{} skipped: {why}", api.name()),
            }
        }
    }
    match runs.is_empty() {
        true => Err(Unable::Wrong(format!("TRIGLYPH_DEQP: nothing in {} can be run", folder.display()))),
        false => Ok(runs),
    }
}

impl Run {
    fn name(&self) -> String {
        format!("{}/{}", self.chip, self.binary.api.name())
    }

    /// Runs the cases on the chip, those that fail in software, and compares both with the list.
    fn check(&self, summaries: &Mutex<Vec<String>>) -> Result<(), Failed> {
        let known = known::read(&format!("tests/khronos/{}.txt", self.chip))?;
        let all = cases::read(&self.binary.list)?;
        let cases = cases::with_known(all, known, self.binary.api, known::mesa())?;
        let cases: Vec<Case> = cases.into_iter().step_by(self.stride).collect();
        let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
        let on_chip = self.results(Device::Chip(self.chip), &names)?;
        let failing: Vec<String> =
            cases.iter().filter(|case| verdict::needs_software(case, &on_chip)).map(|case| case.name.clone()).collect();
        let software = self.results(Device::Software, &failing)?;
        let verdict = Verdict::of(&cases, &on_chip, &software);
        summaries.lock().expect("no test panics with it").push(format!("{}: {}", self.name(), verdict.summary()));
        match verdict.wrong.is_empty() {
            true => Ok(()),
            false => Err(verdict.wrong.join("\n").into()),
        }
    }

    fn results(&self, device: Device, cases: &[String]) -> Result<Results, String> {
        slices::results(&Programs::new(&self.binary, device, FOLDER.as_ref())?, cases, self.processes)
    }
}
