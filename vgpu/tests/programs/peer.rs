//! The scenes of the bench beside llvmpipe (`benches/peer`): both chips draw those that their drivers offer, and they
//! look as on llvmpipe.

#[path = "../../../benches/peer/program.rs"]
mod program;

use std::path::{Path, PathBuf};
use std::process::Command;

use triglyph::capture::decode_png;

use crate::{CHIPS, on_chip, support, vulkan};

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

/// Draws all scenes with llvmpipe and otherwise, and compares. Returns how many scenes are offered otherwise, or why
/// nothing can be drawn here.
fn compare(program: &Path, file: &Path, name: &str, otherwise: impl Fn() -> Command) -> Result<usize, String> {
    let list = Command::new(program).arg("-l").output().unwrap().stdout;
    let mut offered = 0;
    for scene in String::from_utf8(list).unwrap().lines().filter_map(|line| line.split_whitespace().next()) {
        let Some((renderer, found)) = drawn(otherwise(), scene, file) else { continue };
        offered += 1;
        assert!(renderer.starts_with("NV") || renderer.contains("GM20B"), "{scene} on {name}: {renderer}");
        let mut software = Command::new(program);
        software.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "llvmpipe").env_remove("LD_PRELOAD");
        let (renderer, expected) = drawn(software, scene, file).expect("llvmpipe offers all of them");
        if !renderer.starts_with("llvmpipe") {
            return Err(format!("no llvmpipe, but {renderer}"));
        }
        let far = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).any(|i| a[i].abs_diff(b[i]) > NEAR);
        let pairs = expected.as_chunks().0.iter().zip(found.as_chunks().0);
        let (different, all) = (pairs.clone().filter(far).count(), pairs.len());
        let few = if (name, scene) == (MORE.0, MORE.1) { MORE.2 } else { FEW };
        assert!(different <= all / few, "{scene} on {name}: {different} of {all} pixels are others");
    }
    Ok(offered)
}

/// The program, compiled in a folder, or nothing if that is not possible here, which the output says.
fn compiled(folder: &Path) -> Option<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/peer/scenes");
    match support::missing().map_or_else(|| program::compile(&sources, folder), Err) {
        Ok(program) => Some(program),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

#[test]
fn scenes_of_the_bench_look_as_on_llvmpipe() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(folder.path()) else { return };
    let file = folder.path().join("picture.png");
    for (chip, expected) in CHIPS.into_iter().zip(OFFERED) {
        match compare(&program, &file, chip, || on_chip(&program, chip, folder.path())) {
            Ok(offered) => assert_eq!(offered, expected, "{chip}"),
            Err(why) => println!("skipped: {why}"),
        }
    }
}

/// OpenGL by Vulkan: Mesa's zink over NVK.
#[test]
fn scenes_of_the_bench_look_as_on_llvmpipe_by_vulkan() {
    let Some(driver) = vulkan::driver("nouveau_icd") else {
        println!("skipped: no NVK");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compiled(folder.path()) else { return };
    let by_vulkan = || {
        let mut command = on_chip(&program, "gm20b", folder.path());
        command.env("MESA_LOADER_DRIVER_OVERRIDE", "zink").env("NVK_I_WANT_A_BROKEN_VULKAN_DRIVER", "1");
        command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
        command
    };
    match compare(&program, &folder.path().join("picture.png"), "gm20b by Vulkan", by_vulkan) {
        Ok(0) => println!("skipped: zink does not start on this NVK"),
        Ok(offered) => assert_eq!(offered, OFFERED[1]),
        Err(why) => println!("skipped: {why}"),
    }
}
