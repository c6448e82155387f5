//! Processes: each has a GPU of its own, and nothing of it stays.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use triglyph::capture::Reader;

use crate::{CHIPS, on_chip, program};

fn files(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
    std::fs::read_dir(folder).unwrap().map(name).collect()
}

#[test]
fn processes_have_gpus_of_their_own() {
    let Some(program) = program("processes") else { return };
    for chip in CHIPS {
        for what in ["alone", "at once", "together", "fork", "exec"] {
            let folder = tempfile::tempdir().unwrap();
            let output = on_chip(&program, chip, folder.path()).arg(what).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{what} on {chip}: {}\n{said}", output.status);
            assert_eq!(files(folder.path()), [""; 0], "{what} on {chip}");
        }
    }
}

#[test]
fn captures_are_whole_however_a_program_ends() {
    let Some(program) = program("processes") else { return };
    for chip in CHIPS {
        for what in ["alone", "at once"] {
            let folder = tempfile::tempdir().unwrap();
            let capture = folder.path().join("capture.tgc");
            let mut command = on_chip(&program, chip, folder.path());
            command.arg(what).env("TRIGLYPH_GPU_CAPTURE", &capture).env("TRIGLYPH_GPU_STATS", "1");
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.contains(" draws, "), "{what} on {chip}: {said}");
            let file = std::fs::read(&capture).unwrap();
            let whole = Reader::new(&file).unwrap().records().all(|record| record.is_ok());
            assert!(whole, "{what} on {chip}");
        }
    }
}

#[test]
fn what_a_killed_program_leaves_goes_with_the_next_one() {
    let Some(program) = program("processes") else { return };
    let folder = tempfile::tempdir().unwrap();
    let forever = || {
        let mut child =
            on_chip(&program, "gm20b", folder.path()).arg("forever").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        assert_eq!(line, "drawn\n");
        // Without a listener the program would end.
        (child, said)
    };
    let ((mut killed, _said), (mut other, _also_said)) = (forever(), forever());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(files(folder.path()).len(), 2);
    assert!(on_chip(&program, "gm20b", folder.path()).arg("alone").status().unwrap().success());
    let left = files(folder.path());
    assert!(left.len() == 1 && left[0].contains(&other.id().to_string()), "{left:?}");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn processes_share_buffers() {
    let Some(program) = program("sharing") else { return };
    for chip in CHIPS {
        let folder = tempfile::tempdir().unwrap();
        let output = on_chip(&program, chip, folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{chip}: {}\n{said}", output.status);
        assert_eq!(files(folder.path()), [""; 0], "{chip}");
    }
}
