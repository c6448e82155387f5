//! Scenes on both chips beside the same ones on llvmpipe.

use std::path::Path;
use std::process::Command;

use crate::{CHIPS, on_chip, program};

/// Of a channel: what filters and blending may round otherwise.
const NEAR: u8 = 8;

/// One in so many pixels may be another one: edges that lie on the middle of a pixel.
const FEW: usize = 200;

fn pixels(command: &mut Command, scene: &str, file: &Path) -> (String, Vec<u8>) {
    let output = command.arg(scene).arg(file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    (said, std::fs::read(file).unwrap())
}

#[test]
fn scenes_look_as_on_llvmpipe() {
    let Some(program) = program("scenes") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pixels");
    let list = Command::new(&program).output().unwrap().stdout;
    let list = String::from_utf8(list).unwrap();
    assert!(list.lines().count() > 5);
    for scene in list.lines() {
        let mut software = Command::new(&program);
        software.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "llvmpipe").env_remove("LD_PRELOAD");
        let (renderer, expected) = pixels(&mut software, scene, &file);
        if !renderer.starts_with("llvmpipe") {
            println!("skipped: no llvmpipe, but {renderer}");
            return;
        }
        for chip in CHIPS {
            let (renderer, found) = pixels(&mut on_chip(&program, chip, folder.path()), scene, &file);
            assert!(renderer.starts_with("NV"), "{renderer}");
            let far = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > NEAR);
            let pairs = expected.as_chunks().0.iter().zip(found.as_chunks().0);
            let (different, all) = (pairs.clone().filter(far).count(), pairs.len());
            assert!(different <= all / FEW, "{scene} on {chip}: {different} of {all} pixels are others");
        }
    }
}
