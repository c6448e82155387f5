//! Runs programs of piglit, the tests of OpenGL drivers, with the virtual GPU: each test in a process of its own, for
//! 30 seconds at most, one after the other.
//!
//! ```sh
//! apt install piglit libgl1-mesa-dri
//! cargo test --release --test piglit                              # a tenth of the lists
//! TRIGLYPH_PIGLIT=all cargo test --release --test piglit          # all of them: some minutes
//! TRIGLYPH_PIGLIT=all cargo test --release --test piglit -- nv47/spec@arb_texture
//! ```
//!
//! Tests have piglit's names after that of the chip. `nv47.txt` and `gm20b.txt` have the tests of a chip and their
//! commands, which are run in piglit's folder. `nv47-fails.txt` and `gm20b-fails.txt` say what does not pass: the
//! result, whose limit it is and why. A test that fails and is not in there is a failure, and so is one that passes and
//! is: those lists can only get shorter. Some failures are those of newer or of older releases of Mesa.
//!
//! `TRIGLYPH_PIGLIT_FOLDER` is where piglit's programs are, if not where Debian has them. A failure shows what the
//! program said. Without piglit or without Mesa's driver nothing is run, and a line says so.

mod known;
mod list;
mod run;
#[path = "../../vgpu/tests/support/library.rs"]
mod support;

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use list::{CHIPS, Listed};

/// One in so many tests is run unless all are asked for.
const SOME: usize = 10;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Programs have limits of time.
    arguments.test_threads.get_or_insert(1);
    let all = std::env::var_os("TRIGLYPH_PIGLIT").is_some_and(|wanted| wanted == "all");
    let mesa = known::mesa();
    let lists: Vec<Vec<Listed>> =
        CHIPS.into_iter().map(|chip| list::read(chip, mesa).unwrap_or_else(|e| panic!("{e}"))).collect();
    let folder = match (support::missing(), folder()) {
        (None, Some(folder)) => folder,
        (why, _) => {
            println!("piglit: skipped: {}", why.unwrap_or("Debian's package piglit is not installed".into()));
            return ExitCode::SUCCESS;
        }
    };
    let wanted = |index: usize, test: &Listed| all || index.is_multiple_of(SOME) && !test.is_slow();
    let chosen = lists.into_iter().flat_map(|tests| {
        let chosen = tests.into_iter().enumerate().filter(|(index, test)| wanted(*index, test));
        chosen.map(|(_, test)| test).collect::<Vec<_>>()
    });
    let trials = chosen.map(|test| {
        let folder = folder.clone();
        Trial::test(format!("{}/{}", test.chip, test.name), move || run::check(&test, &folder))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Where piglit's programs are.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("TRIGLYPH_PIGLIT_FOLDER") {
        return Some(folder.into());
    }
    let libraries = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let places = libraries.chain(["/usr/lib".into(), "/usr/lib64".into()]).map(|folder| folder.join("piglit"));
    places.into_iter().find(|folder| folder.join("bin").is_dir())
}
