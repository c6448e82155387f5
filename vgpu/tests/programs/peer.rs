//! The program of the bench beside llvmpipe (`benches/peer`): it compiles, draws on both chips, and says what a chip
//! does not have.

#[path = "../../../benches/peer/program.rs"]
mod program;

use std::path::Path;

use crate::{CHIPS, on_chip, support};

#[test]
fn scenes_of_the_bench_are_drawn() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/peer/scenes");
    let folder = tempfile::tempdir().unwrap();
    let program = match support::missing().map_or_else(|| program::compile(&sources, folder.path()), Err) {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    for chip in CHIPS {
        let picture = folder.path().join("picture.png");
        let mut command = on_chip(&program, chip, folder.path());
        let output = command.args(["-s", "64x48", "-n", "2", "-o"]).arg(&picture).arg("cubes").output().unwrap();
        let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.starts_with("NV"), "{chip}: {}\n{said}{why}", output.status);
        assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"), "{chip}");
    }
    let compute = on_chip(&program, "nv47", folder.path()).arg("compute").status().unwrap();
    assert_eq!(compute.code(), Some(program::NOT_OFFERED));
}
