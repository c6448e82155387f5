//! Vulkan on the GM20B through NVK, beside lavapipe, which is llvmpipe for Vulkan. A machine without NVK, without a
//! compiler for SPIR-V or without the headers of Vulkan skips the test, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{on_chip, support};

/// Of a channel: what filters and blending may round otherwise.
const NEAR: u8 = 8;

/// One in so many pixels may be another one.
const FEW: usize = 200;

/// Where the loader of Vulkan finds drivers.
const DRIVERS: &str = "/usr/share/vulkan/icd.d";

/// The file that describes a driver, whose name begins so.
pub fn driver(name: &str) -> Option<PathBuf> {
    let files = std::fs::read_dir(DRIVERS).into_iter().flatten().flatten().map(|entry| entry.path());
    files.into_iter().find(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)))
}

/// The program, compiled, or why that is not possible here.
fn compile(folder: &Path) -> Result<PathBuf, String> {
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
    let program = folder.join("vulkan");
    let mut command = Command::new(&compiler);
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"]).arg(folder).arg("-o").arg(&program);
    let output = command.arg(sources.join("vulkan.c")).arg("-lvulkan").output().map_err(|error| error.to_string())?;
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(program)
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
    let (Some(chip), Some(software)) = (driver("nouveau_icd"), driver("lvp_icd")) else {
        println!("skipped: no NVK or no lavapipe in {DRIVERS}: mesa-vulkan-drivers of Debian 13 has them");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = match support::missing().map_or_else(|| compile(folder.path()), Err) {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    let file = folder.path().join("pixels");
    let (renderer, expected) = pixels(Command::new(&program), &software, &file);
    assert!(renderer.starts_with("llvmpipe"), "{renderer}");
    for tier in ["interp", "jit", "auto"] {
        let mut command = on_chip(&program, "gm20b", folder.path());
        // The chip is none of those that NVK is known to be right on.
        command.env("NVK_I_WANT_A_BROKEN_VULKAN_DRIVER", "1").env("TRIGLYPH_GPU_TIER", tier);
        command.env("TRIGLYPH_GPU_REQUIRED", "1");
        let (renderer, found) = pixels(command, &chip, &file);
        assert!(renderer.contains("GM20B"), "{renderer}");
        let far = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > NEAR);
        let pairs = expected.as_chunks().0.iter().zip(found.as_chunks().0);
        let (different, all) = (pairs.clone().filter(far).count(), pairs.len());
        assert!(different <= all / FEW, "{tier}: {different} of {all} pixels are others");
    }
}
