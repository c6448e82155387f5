//! `docs/reference/calls.md` is what the tables of calls say; `TRIGLYPH_BLESS=1` writes it.

use std::fmt::Write;
use std::path::Path;

use triglyph_guest::gsp::ipc::Request;
use triglyph_guest::table::calls::{CallInfo, CallKind};
use triglyph_guest::tegra::driver::DeviceFile;
use triglyph_guest::{gsp, rsx, tegra};

const INTRODUCTION: &str = "\
# Calls

The calls of the consoles' systems and of their hosts, made from the tables; do not edit. In Rust a call is a method of
the machine (of `Gsp` for its requests), in C a function `triglyph_n3ds_NAME`, `triglyph_rsx_NAME` or
`triglyph_tegra_NAME`, in C++ a method of the machine's class. [Embedding](../embedding/overview.md) is the guide for
hosts, [add a call](../internals/add-a-call.md) says how to add one. Numbers are those of recordings
([captures](captures.md)).
";

/// Columns of pages.
const COLUMNS: usize = 120;

/// The tables: a heading, what is said below it, and the rows.
const TABLES: [(&str, &str, &[CallInfo]); 4] = [
    ("3DS: requests to gsp::Gpu", "Headers are those of the command buffer.", gsp::ipc::CALLS),
    ("3DS: what the hardware is told", "By GSP, by commands or by the host.", gsp::calls::CALLS),
    ("PS3: Lv-1 and hosts", "Numbers of the guest's calls are those in r11.", rsx::lv1::calls::CALLS),
    ("Tegra X1: nvdrv and hosts", "Requests are those of Ioctl, Ioctl2 and Ioctl3.", tegra::driver::calls::CALLS),
];

/// What a row's kind means to hosts.
fn kind(call: &CallInfo) -> String {
    let number = call.number.unwrap_or_default();
    match call.kind {
        CallKind::Guest => format!("The guest's call {number}"),
        CallKind::Replay => format!("Only in recordings: {number}"),
        CallKind::Device | CallKind::DeviceWork => format!("Recorded as {number}; of all devices"),
        CallKind::None => "No method".to_owned(),
        _ if call.number.is_some() => format!("Recorded as {number}"),
        CallKind::Inner => "Recorded by what it does".to_owned(),
        _ => "Not recorded".to_owned(),
    }
}

/// What guests make a call with.
fn requests(call: &CallInfo) -> String {
    let request = |name: &str, number: u32| match DeviceFile::ALL.iter().find(|file| format!("{file:?}") == name) {
        Some(device) => format!("`{}` {number:#010x}", device.path()),
        None => format!("{} {number:#010x}", Request::from_number(number).map_or("?", Request::name)),
    };
    call.requests.iter().map(|found| format!("; {}", request(found.name, found.number))).collect()
}

/// Documentation without links, its heading as a word.
fn plain(doc: &str) -> String {
    let mut text = String::new();
    let mut pieces = doc.split("[`");
    text += pieces.next().unwrap_or_default();
    for piece in pieces {
        let (item, rest) = piece.split_once("`]").expect("a link ends");
        let target = rest.strip_prefix('(').and_then(|target| target.split_once(')'));
        write!(text, "`{}`{}", item.trim_start_matches("Self::"), target.map_or(rest, |(_, rest)| rest)).unwrap();
    }
    let lines = text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").replace("# Errors\n", "Errors: ")
}

/// A type as people write it, whatever spaces the compiler has put there.
fn tidy(ty: &str) -> String {
    let is_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut tidy = String::new();
    for word in ty.split_whitespace() {
        if is_name(tidy.chars().last()) && is_name(word.chars().next()) {
            tidy.push(' ');
        }
        tidy += word;
    }
    let tidy = tidy.replace(',', ", ").replace(';', "; ");
    // What has no recording is in parentheses.
    let inner = tidy.strip_prefix("(&").and_then(|ty| ty.strip_suffix(')'));
    inner.map_or(tidy.clone(), |ty| format!("&{ty}"))
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for (heading, about, calls) in TABLES {
        write!(page, "\n## {heading}\n\n{about}\n").unwrap();
        for call in calls {
            let arguments: Vec<_> =
                call.arguments.iter().map(|taken| format!("{}: {}", taken.name, tidy(taken.ty))).collect();
            let answer = if call.answer.is_empty() { String::new() } else { format!(" -> {}", tidy(call.answer)) };
            let arguments = arguments.join(", ");
            let mut signature = format!("{}({arguments}){answer}", call.name);
            if signature.len() > COLUMNS {
                signature = format!("{}({arguments})\n    {}", call.name, answer.trim_start());
            }
            let about = format!("{}{}.", kind(call), requests(call));
            let doc = wrap(&plain(call.doc));
            write!(page, "\n### {}\n\n```rust\n{signature}\n```\n\n{}\n{doc}", call.name, wrap(&about)).unwrap();
        }
    }
    page
}

/// Paragraphs in lines of the house's width.
fn wrap(text: &str) -> String {
    let mut done = String::new();
    for paragraph in text.split("\n\n") {
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 {
                let breaks = column + 1 + length > COLUMNS;
                done.push(if breaks { '\n' } else { ' ' });
                column = if breaks { 0 } else { column + 1 };
            }
            done += word;
            column += length;
        }
        done += "\n\n";
    }
    done.truncate(done.len() - 1);
    done
}

#[test]
fn the_page_of_calls_is_that_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/calls.md");
    let expected = page();
    if std::env::var_os("TRIGLYPH_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let different = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    let page = path.display();
    assert!(found == expected, "{page} is not what the tables say; TRIGLYPH_BLESS=1 writes it: {different:?}");
}

#[test]
fn calls_are_documented_and_have_numbers_of_their_own() {
    for (heading, _, calls) in TABLES {
        let mut numbers: Vec<u64> = calls.iter().filter_map(|call| call.recorded_number()).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]), "{heading}");
        assert!(calls.iter().all(|call| !call.doc.trim().is_empty()), "{heading}");
    }
}
