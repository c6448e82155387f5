//! Opening the page in the browser that the system knows.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the system's command has to say that there is no browser; one that takes longer has found one.
const PATIENCE: Duration = Duration::from_secs(1);

/// Opens an address.
///
/// # Errors
/// Why it could not be opened, in words.
pub fn open(address: &str) -> Result<(), String> {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| format!("no browser was opened: {program}: {error}"))?;
    wait(child).map_err(|why| format!("no browser was opened: {program} {why}"))
}

fn wait(mut child: Child) -> Result<(), String> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("ended with {status}")),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
