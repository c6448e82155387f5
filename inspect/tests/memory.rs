//! A page of few events takes little memory, however many large surfaces the capture has.
#![cfg(target_os = "linux")]
#![allow(missing_docs, reason = "test code, never published")]

#[path = "shared/city.rs"]
mod city;

use triglyph_inspect::{PageOptions, Session, SessionOptions, write_page};

/// MiB that this process has had in memory at most.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() >> 10
}

#[test]
fn memory_does_not_grow_with_surfaces() {
    let capture = city::capture(1, |list| city::with_other_surfaces(list, Some(1024)));
    let mut session = Session::open(&capture, &SessionOptions::default()).unwrap();
    let drawn = session.events().iter().position(|event| event.draws().next().is_some()).unwrap();
    let options = PageOptions { events: Some(drawn..drawn + 20), ..PageOptions::default() };
    let page = write_page(&mut session, &options).unwrap();
    assert!(page.html.contains("1024x1024"));
    // 4 MiB for each of 400 surfaces, and as many for each of their pictures.
    assert!(peak() < 600, "{} MiB", peak());
}
