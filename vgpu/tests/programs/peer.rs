//! The scenes of the bench beside llvmpipe (`benches/peer`): both chips draw those that their drivers offer, and they
//! look as on llvmpipe.

#[path = "../../../benches/peer/program.rs"]
mod program;

use std::path::Path;
use std::process::Command;

use triglyph::capture::decode_png;

use crate::{CHIPS, on_chip, support};

/// Pictures of this size have few texels whose borders lie on the middle of a pixel, where nearest filters may round
/// otherwise.
const SIZE: &str = "256x256";

/// Of a channel: what filters and blending may round otherwise.
const NEAR: u8 = 8;

/// One in so many pixels may be another one.
const FEW: usize = 400;

/// The same for a scene of which more pixels are others: the NV47 filters no texels of two faces of a cube together.
const MORE: (&str, &str, usize) = ("nv47", "cubemap", 50);

/// How many scenes the drivers of the chips offer: the NV47's has OpenGL 2.1.
const OFFERED: [usize; CHIPS.len()] = [18, 25];

/// What the program says is drawn with, and the pixels of the third frame; or nothing if the driver does not have what
/// the scene needs.
fn drawn(mut command: Command, scene: &str, file: &Path) -> Option<(String, Vec<u8>)> {
    let output = command.args(["-s", SIZE, "-n", "3", "-o"]).arg(file).arg(scene).output().unwrap();
    if output.status.code() == Some(program::NOT_OFFERED) {
        return None;
    }
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}{why}", output.status);
    let (picture, _) = decode_png(&std::fs::read(file).unwrap()).unwrap();
    Some((said.into_owned(), picture.rgba))
}

#[test]
fn scenes_of_the_bench_look_as_on_llvmpipe() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/peer/scenes");
    let folder = tempfile::tempdir().unwrap();
    let program = match support::missing().map_or_else(|| program::compile(&sources, folder.path()), Err) {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    let list = Command::new(&program).arg("-l").output().unwrap().stdout;
    let file = folder.path().join("picture.png");
    let mut offered = [0; CHIPS.len()];
    for scene in String::from_utf8(list).unwrap().lines().filter_map(|line| line.split_whitespace().next()) {
        let mut software = Command::new(&program);
        software.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "llvmpipe").env_remove("LD_PRELOAD");
        let (renderer, expected) = drawn(software, scene, &file).expect("llvmpipe offers all of them");
        if !renderer.starts_with("llvmpipe") {
            println!("skipped: no llvmpipe, but {renderer}");
            return;
        }
        for (chip, offered) in CHIPS.into_iter().zip(&mut offered) {
            let Some((renderer, found)) = drawn(on_chip(&program, chip, folder.path()), scene, &file) else { continue };
            *offered += 1;
            assert!(renderer.starts_with("NV"), "{scene} on {chip}: {renderer}");
            let far = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).any(|i| a[i].abs_diff(b[i]) > NEAR);
            let pairs = expected.as_chunks().0.iter().zip(found.as_chunks().0);
            let (different, all) = (pairs.clone().filter(far).count(), pairs.len());
            let few = if (chip, scene) == (MORE.0, MORE.1) { MORE.2 } else { FEW };
            assert!(different <= all / few, "{scene} on {chip}: {different} of {all} pixels are others");
        }
    }
    assert_eq!(offered, OFFERED);
}
