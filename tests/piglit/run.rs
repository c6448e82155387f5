//! Runs a test.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::known::KnownResult;
use crate::list::Listed;
use crate::support::library;

/// How long a test may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Runs a test and compares its result with what is expected.
pub fn check(test: &Listed, folder: &Path) -> Result<(), Failed> {
    let (result, said) = run(test, folder).map_err(|error| format!("{}: {error}", test.command))?;
    match &test.known {
        None if result == "pass" => Ok(()),
        None => Err(format!("{result}: {}\n{said}", test.command).into()),
        Some(known) if known.is(&result) => Ok(()),
        Some(KnownResult { result: known, reason, .. }) if result == "pass" => {
            let list = format!("{}-fails.txt", test.chip);
            Err(format!("passes, but {list} has it as {known} ({reason}): take it out of there").into())
        }
        Some(KnownResult { result: known, reason, .. }) => {
            Err(format!("{result}, not {known} ({reason}): {}\n{said}", test.command).into())
        }
    }
}

/// The result that piglit has for a test, `crash` or `timeout`, and what the program said.
fn run(test: &Listed, folder: &Path) -> std::io::Result<(String, String)> {
    let mut words = words(&test.command).into_iter();
    let mut command = Command::new(folder.join(words.next().unwrap_or_default()));
    command.args(words).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs([("PIGLIT_PLATFORM", "gbm"), ("WAFFLE_GBM_DEVICE", "/dev/dri/renderD128")]);
    command.envs([("LD_PRELOAD", library().as_os_str()), ("PIGLIT_SOURCE_DIR", folder.as_os_str())]);
    command.envs([("TRIGLYPH_GPU_CHIP", test.chip), ("TRIGLYPH_GPU_THREADS", "1"), ("TRIGLYPH_GPU_STATS", "1")]);
    command.envs([("MESA_SHADER_CACHE_DISABLE", "true"), ("XDG_RUNTIME_DIR", "/tmp")]);
    for name in ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE", "DISPLAY"] {
        command.env_remove(name);
    }
    let mut program = command.spawn()?;
    let (out, err) = (reader(program.stdout.take()), reader(program.stderr.take()));
    let status = wait(&mut program)?;
    let said = [out, err].map(|text| text.join().unwrap_or_default()).concat();
    let result = match (status, result(&said)) {
        (None, _) => "timeout",
        (Some(_), Some(result)) => result,
        (Some(_), None) => "crash",
    };
    Ok((result.to_owned(), said))
}

/// The words of a command; what is between single quotes is one.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for letter in command.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("one at least").push(letter),
        }
    }
    words
}

/// Everything that a program says, read on a thread so that it never waits.
fn reader(from: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut said = Vec::new();
        // A program that is ended may leave something half said.
        let _ = from.map(|mut from| from.read_to_end(&mut said));
        String::from_utf8_lossy(&said).into_owned()
    })
}

/// Waits for a program, and ends it when its time is over: then there is no status.
fn wait(program: &mut Child) -> std::io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if let Some(status) = program.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(5));
    }
    program.kill()?;
    program.wait()?;
    Ok(None)
}

/// The last result among what a program said, as `PIGLIT: {"result": "pass" }`.
fn result(said: &str) -> Option<&str> {
    let after = said.rsplit_once("PIGLIT: {\"result\": \"")?.1;
    Some(after.split_once('"')?.0)
}
