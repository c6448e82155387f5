//! The C interface as C and C++ see it: headers are those of the sources, symbols change on purpose only, programs of
//! both languages compile, link and get the pictures that the façade gives.

mod calls;
mod cmake;
mod commands;
mod cpp;
mod csharp;
mod header;
mod hosts;
mod installed;
mod model;
mod pages;
mod programs;
mod registers;
mod symbols;

use std::path::Path;

/// The sources of each header, in the order in which it has them.
const SOURCES: [(&str, &[&str]); 4] = [
    (
        "common",
        &[
            "version.rs",
            "error.rs",
            "executor.rs",
            "options.rs",
            "handle.rs",
            "device.rs",
            "range.rs",
            "memory.rs",
            "event.rs",
            "events.rs",
            "faults.rs",
            "findings.rs",
            "log.rs",
            "stats.rs",
            "run.rs",
            "timeline.rs",
            "worker.rs",
            "buffer.rs",
            "snapshot.rs",
            "capture/file.rs",
            "capture/picture.rs",
            "present.rs",
            "capture/player.rs",
            "capture/record.rs",
        ],
    ),
    (
        "n3ds",
        &[
            "n3ds/mod.rs",
            "n3ds/gsp_values.rs",
            "n3ds/gsp.rs",
            "n3ds/queues.rs",
            "n3ds/ipc.rs",
            "n3ds/lcd.rs",
            "n3ds/forecast.rs",
        ],
    ),
    ("rsx", &["rsx/mod.rs", "rsx/lv1.rs", "rsx/registers.rs", "rsx/present.rs"]),
    ("tegra", &["tegra/mod.rs", "tegra/nvdrv.rs", "tegra/nvmap.rs", "tegra/space.rs", "tegra/channel.rs"]),
];

/// Sources that export nothing, or the functions of the tables of calls.
const INTERNAL: [&str; 9] = [
    "lib.rs",
    "callback.rs",
    "calls.rs",
    "forward.rs",
    "pointer.rs",
    "capture/mod.rs",
    "n3ds/calls.rs",
    "rsx/calls.rs",
    "tegra/calls.rs",
];

/// The folder of this crate.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the sources of a header say, in their order.
fn texts(part: &str) -> Vec<String> {
    let (_, sources) = SOURCES.into_iter().find(|(name, _)| *name == part).expect("a header");
    sources.iter().map(|source| std::fs::read_to_string(folder().join("src").join(source)).unwrap()).collect()
}

/// Compares a file with what it should be, or writes it where `TRIGLYPH_BLESS` is set.
fn check_file(path: &Path, expected: &str) {
    if std::env::var_os("TRIGLYPH_BLESS").is_some() {
        std::fs::write(path, expected).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let different = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    let line = different.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
    assert!(
        found == expected,
        "{}:{} is not what the sources say; TRIGLYPH_BLESS=1 writes it\nfile:    {:?}\nsources: {:?}",
        path.display(),
        line + 1,
        found.lines().nth(line),
        expected.lines().nth(line),
    );
}

#[test]
fn all_sources_are_listed() {
    let listed: Vec<&str> = SOURCES.iter().flat_map(|(_, sources)| sources.iter().copied()).chain(INTERNAL).collect();
    let folders = ["", "n3ds", "rsx", "tegra", "capture"];
    for name in folders {
        for entry in std::fs::read_dir(folder().join("src").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            let source = if name.is_empty() { file.to_owned() } else { format!("{name}/{file}") };
            assert!(path.is_dir() || listed.contains(&source.as_str()), "{source} is in no list");
            assert!(!path.is_dir() || folders.contains(&file), "{source} is in no list");
        }
    }
}
