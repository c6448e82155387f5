//! Vulkan on the GM20B through NVK, beside lavapipe, which is llvmpipe for Vulkan. A machine without NVK, without a
//! compiler for SPIR-V or without the headers of Vulkan skips the test, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use triglyph::capture::decode_png;

use crate::{on_chip, support};

/// Of a channel: what filters and blending may round otherwise.
const NEAR: u8 = 8;

/// One in so many pixels may be another one.
const FEW: usize = 200;

/// What a program ends with that the driver does not offer what it needs.
const NOT_OFFERED: i32 = 77;

/// Where the loader of Vulkan finds drivers.
const DRIVERS: &str = "/usr/share/vulkan/icd.d";

/// The file that describes a driver, whose name begins so.
pub fn driver(name: &str) -> Option<PathBuf> {
    let files = std::fs::read_dir(DRIVERS).into_iter().flatten().flatten().map(|entry| entry.path());
    files.into_iter().find(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)))
}

/// The programs, compiled in a folder, or why that is not possible here.
fn compile(folder: &Path) -> Result<(), String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    for stage in ["vert", "frag", "comp"] {
        let mut compiler = Command::new("glslangValidator");
        compiler.args(["-V", "-x", "-o"]).arg(folder.join(format!("vulkan.{stage}.inc")));
        let output = compiler.arg(sources.join(format!("vulkan.{stage}"))).output();
        let output = output.map_err(|_| "no glslangValidator: Debian's package glslang-tools".to_owned())?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let compiler = std::env::var_os("CC").unwrap_or("cc".into());
    let mut headers = Command::new(&compiler);
    headers.args(["-E", "-include", "vulkan/vulkan.h", "-xc", "/dev/null", "-o"]).arg(folder.join("headers"));
    if !headers.output().is_ok_and(|output| output.status.success()) {
        return Err("no C compiler, or no headers: Debian's packages gcc and libvulkan-dev".into());
    }
    for name in ["vulkan", "vulkan_sharing", "vulkan_display"] {
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(folder).arg("-o");
        command.arg(folder.join(name)).arg(sources.join(name).with_extension("c")).arg("-lvulkan");
        let output = command.output().map_err(|error| error.to_string())?;
        assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// A folder with the programs, and NVK, or nothing where that is not possible, which the output says.
fn programs() -> Option<(TempDir, PathBuf)> {
    let Some(chip) = driver("nouveau_icd") else {
        println!("skipped: no NVK in {DRIVERS}: mesa-vulkan-drivers of Debian 13 has it");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    match support::missing().map_or_else(|| compile(folder.path()), Err) {
        Ok(()) => Some((folder, chip)),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

/// A program of Vulkan on the chip.
fn on_nvk(folder: &Path, name: &str, driver: &Path) -> Command {
    let mut command = on_chip(&folder.join(name), "gm20b", folder);
    // The chip is none of those that NVK is known to be right on.
    command.env("NVK_I_WANT_A_BROKEN_VULKAN_DRIVER", "1").env("TRIGLYPH_GPU_REQUIRED", "1");
    command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver).env("XDG_RUNTIME_DIR", "/tmp");
    command
}

fn pixels(mut command: Command, driver: &Path, file: &Path) -> (String, Vec<u8>) {
    command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver).env("XDG_RUNTIME_DIR", "/tmp").arg(file);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    (said, std::fs::read(file).unwrap())
}

#[test]
fn vulkan_computes_and_draws_as_on_lavapipe() {
    let Some(software) = driver("lvp_icd") else {
        println!("skipped: no lavapipe in {DRIVERS}");
        return;
    };
    let Some((folder, chip)) = programs() else { return };
    let file = folder.path().join("pixels");
    let (renderer, expected) = pixels(Command::new(folder.path().join("vulkan")), &software, &file);
    assert!(renderer.starts_with("llvmpipe"), "{renderer}");
    for tier in ["interp", "jit", "auto"] {
        let mut command = on_nvk(folder.path(), "vulkan", &chip);
        command.env("TRIGLYPH_GPU_TIER", tier);
        let (renderer, found) = pixels(command, &chip, &file);
        assert!(renderer.contains("GM20B"), "{renderer}");
        let far = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > NEAR);
        let pairs = expected.as_chunks().0.iter().zip(found.as_chunks().0);
        let (different, all) = (pairs.clone().filter(far).count(), pairs.len());
        assert!(different <= all / FEW, "{tier}: {different} of {all} pixels are others");
    }
}

#[test]
fn processes_share_semaphores() {
    let Some((folder, chip)) = programs() else { return };
    let output = on_nvk(folder.path(), "vulkan_sharing", &chip).output().unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_swapchain_shows_its_frames_on_the_display() {
    /// The last ones may not be shown any more when the program ends.
    const FRAMES: [usize; 2] = [6, 9];
    let Some((folder, chip)) = programs() else { return };
    let [shown, drawn] = FRAMES;
    let frames = folder.path().join("frames");
    std::fs::create_dir(&frames).unwrap();
    let mut command = on_nvk(folder.path(), "vulkan_display", &chip);
    let output = command.arg(drawn.to_string()).env("TRIGLYPH_GPU_FRAMES", &frames).output().unwrap();
    if output.status.code() == Some(NOT_OFFERED) {
        println!("skipped: this NVK has no swapchains on a chip without memory of its own");
        return;
    }
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    for frame in 0..shown {
        let file = std::fs::read(frames.join(format!("frame-{:05}.png", frame + 1))).unwrap();
        let (picture, _) = decode_png(&file).unwrap();
        assert_eq!((picture.width, picture.height), (800, 600));
        let red = 20 * frame as u8;
        let pixels: &[[u8; 4]] = picture.rgba.as_chunks().0;
        assert!(pixels.iter().all(|pixel| pixel[..3] == [red, 255, 255 - red]), "frame {frame}: {:?}", pixels[0]);
    }
}
