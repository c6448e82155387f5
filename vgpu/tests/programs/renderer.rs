//! Programs that are to draw on the chip, and what they end with when they do not: `TRIGLYPH_GPU_REQUIRED`, as
//! `triglyph gpu run` sets it.

use std::process::Command;

use crate::{CHIPS, on_chip, program};

/// The exit code of a program whose renderer is not the chip.
const OTHER_RENDERER: i32 = 125;

fn required(mut command: Command) -> (Option<i32>, String) {
    let output = command.env("TRIGLYPH_GPU_REQUIRED", "1").output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_program_that_draws_without_the_chip_ends_with_an_error() {
    let Some(program) = program("scenes") else { return };
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("pixels");
    for chip in CHIPS {
        let scene = || {
            let mut command = on_chip(&program, chip, folder.path());
            command.arg("textures").arg(&picture);
            command
        };
        assert_eq!(required(scene()), (Some(0), String::new()), "{chip}");
        // Software that was asked for all the same.
        for threads in ["0", "1"] {
            let mut software = scene();
            software.envs([("LIBGL_ALWAYS_SOFTWARE", "1"), ("LP_NUM_THREADS", threads)]);
            let (code, said) = required(software);
            assert_eq!(code, Some(OTHER_RENDERER), "{chip}: {said}");
            assert!(said.starts_with("triglyph-vgpu: this program "), "{chip}: {said}");
        }
        // A driver that does not start: the device refuses a call.
        for (call, name) in [("0x40", "GETPARAM 8"), ("0x47", "NVIF NEW of class 0x0080")] {
            let mut refused = scene();
            refused.envs([("TRIGLYPH_GPU_REFUSE", call), ("LP_NUM_THREADS", "0")]);
            let (code, said) = required(refused);
            assert_eq!(code, Some(OTHER_RENDERER), "{chip}: {said}");
            let expected = format!("this program does not draw on the {chip}: ");
            assert!(said.contains(&expected) && said.contains(&format!("{name} (")), "{chip}: {said}");
        }
    }
    // A program that does not draw, whatever it ends with.
    for (code, text) in [(0, "exit 0"), (3, "exit 3")] {
        let mut shell = on_chip("/bin/sh".as_ref(), "gm20b", folder.path());
        shell.args(["-c", text]);
        assert_eq!(required(shell), (Some(code), String::new()));
    }
}

#[test]
fn a_program_ends_when_llvmpipe_begins() {
    let Some(program) = program("processes") else { return };
    let folder = tempfile::tempdir().unwrap();
    for chip in CHIPS {
        // It would draw for good.
        let mut forever = on_chip(&program, chip, folder.path());
        forever.arg("forever").envs([("TRIGLYPH_GPU_REFUSE", "0x47"), ("LP_NUM_THREADS", "1")]);
        let (code, said) = required(forever);
        assert_eq!(code, Some(OTHER_RENDERER), "{chip}: {said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{chip}");
    }
}
