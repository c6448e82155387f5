//! The commands of the book's guide do what the pages show. A page marks such blocks with `console`: a line that begins
//! with `$ triglyph` is executed, the lines after it are its output. Three dots are any text of a line, or any lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use triglyph::capture::Reader;

/// A command and its output.
#[derive(Debug, Default, PartialEq)]
struct Session {
    command: String,
    output: Vec<String>,
}

/// The commands of a page, in order.
fn sessions(page: &str) -> Vec<Session> {
    let mut found: Vec<Session> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(language) => inside = !inside && language == "console",
            None if !inside => {}
            None => match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push(Session { command: command.to_owned(), output: Vec::new() }),
                (None, Some(session)) => session.output.push(line.to_owned()),
                (None, None) => panic!("a block begins without a command: {line}"),
            },
        }
    }
    found
}

/// Whether a line is as the page has it.
fn line_is(expected: &str, line: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Whether an output is as the page has it.
fn output_is(expected: &[String], output: &[&str]) -> bool {
    match expected {
        [] => output.is_empty(),
        [any, rest @ ..] if any == "..." => (0..=output.len()).any(|at| output_is(rest, &output[at..])),
        [line, rest @ ..] => output.first().is_some_and(|found| line_is(line, found)) && output_is(rest, &output[1..]),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder for the commands of a page, with the files of the repository that they name.
fn folder(name: &str, sessions: &[Session]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let words = sessions.iter().flat_map(|session| session.command.split_whitespace());
    for file in words.filter(|word| word.starts_with("tests/")) {
        let copy = folder.join(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(root().join(file), &copy).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    folder
}

/// The capture in which `wrong-picture.md` plants its bug by Python: one word of a list is another one.
fn plant_bug(folder: &Path) {
    let file = fs::read(root().join("tests/captures/3ds/22-city.tgc")).unwrap();
    let reader = Reader::new(&file).unwrap();
    let records: Vec<_> = reader.raw_records().take(12).map(Result::unwrap).collect();
    let mut payload = records[10].decode(1 << 28).unwrap().into_owned();
    let start = u64::from_le_bytes(payload[..8].try_into().unwrap());
    payload[(16 + 0x2019_9BA8 - start) as usize] = 24;
    let mut bad = file[..records[10].offset as usize].to_vec();
    bad.extend([3, 0].map(u32::to_le_bytes).concat());
    bad.extend((payload.len() as u64).to_le_bytes());
    bad.extend(payload);
    bad.resize(bad.len().next_multiple_of(8), 0);
    bad.extend(&file[records[11].offset as usize..]);
    fs::write(folder.join("bad.tgc"), bad).unwrap();
}

/// What a session does otherwise than the page has it. A difference that the page shows is no failure.
fn difference(session: &Session, folder: &Path) -> Option<String> {
    let mut words = session.command.split_whitespace();
    assert_eq!(words.next(), Some("triglyph"), "{}", session.command);
    let mut command = Command::new(env!("CARGO_BIN_EXE_triglyph"));
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = stdout.lines().collect();
    let shows_difference = output.status.code() == Some(1) && !session.output.is_empty();
    let as_shown = session.output.is_empty() || output_is(&session.output, &lines);
    let good = (output.status.success() || shows_difference) && as_shown;
    (!good).then(|| format!("$ {}\n{}\n{stdout}{stderr}", session.command, output.status))
}

#[test]
fn commands_of_the_guide_do_what_it_shows() {
    let mut executed = 0;
    for entry in fs::read_dir(root().join("docs/guide")).unwrap() {
        let page = entry.unwrap().path();
        let found = sessions(&fs::read_to_string(&page).unwrap());
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = folder(&name, &found);
        if name == "wrong-picture" {
            plant_bug(&folder);
        }
        for session in &found {
            let different = difference(session, &folder);
            assert!(different.is_none(), "{}: {}", page.display(), different.unwrap_or_default());
        }
        executed += found.len();
    }
    assert!(executed >= 20, "{executed} commands are marked");
}

#[test]
fn pictures_of_the_readme_are_those_that_its_command_writes() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let command = readme.split('`').find(|quoted| quoted.starts_with("triglyph replay tests/")).unwrap();
    let session = Session { command: format!("{command} --out pictures"), output: Vec::new() };
    let folder = folder("readme", std::slice::from_ref(&session));
    assert_eq!(difference(&session, &folder), None);
    let pictures = readme.split("(docs/pictures/").skip(1).filter_map(|rest| rest.split(')').next());
    let written: Vec<&str> = pictures.filter(|name| *name != "inspector.png").collect();
    assert_eq!(written.len(), 3);
    for name in written {
        let shown = fs::read(root().join("docs/pictures").join(name)).unwrap();
        assert!(
            fs::read(folder.join("pictures").join(name)).unwrap() == shown,
            "{name}: `{command}` draws another one"
        );
    }
}

#[test]
fn blocks_are_read() {
    let page = "```sh\n$ triglyph no\n```\n\n```console\n$ triglyph a\none\n\n$ triglyph b\n```\n```console\n$ triglyph c\n```\n";
    let session = |command: &str, output: &[&str]| Session {
        command: command.to_owned(),
        output: output.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(
        sessions(page),
        [session("triglyph a", &["one", ""]), session("triglyph b", &[]), session("triglyph c", &[])]
    );
}

#[test]
fn outputs_are_compared() {
    let is = |expected: &[&str], output: &[&str]| {
        output_is(&expected.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(), output)
    };
    assert!(is(&["a ... c ... d", "...", "z"], &["a b c 1 2 d", "x", "y", "z"]));
    assert!(is(&["...", "z", "..."], &["z"]));
    assert!(is(&["a..."], &["a"]));
    for wrong in [&["a ... c", "z"][..], &["a b", "..."], &["a b c 1 2 d", "y"], &["a b c 1 2 d", "...", "x"]] {
        assert!(!is(wrong, &["a b c 1 2 d", "z", "y"]), "{wrong:?}");
    }
    assert!(!is(&["a"], &[]) && !is(&[], &["a"]) && !is(&["ab...b"], &["ab"]));
}

#[test]
fn a_page_that_is_wrong_is_found() {
    let wrong = |command: &str, output: &[&str]| {
        let output = output.iter().map(|line| (*line).to_owned()).collect();
        difference(&Session { command: command.to_owned(), output }, &root()).is_some()
    };
    assert!(!wrong("triglyph --version", &["triglyph ..."]));
    assert!(wrong("triglyph --version", &["triglyph 99.0.0"]));
    assert!(wrong("triglyph explain everything", &[]));
    assert!(wrong("triglyph verify no-such-file.tgc", &["..."]));
}
