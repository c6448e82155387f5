//! `include/triglyph.h` is what cbindgen makes of the sources.

use cbindgen::{Builder, Config, DocumentationStyle, EnumConfig, Language, LineEndingStyle, RenameRule, Style};

use crate::{check_file, folder, texts};

/// What stands at the top.
const INTRODUCTION: &str = "\
// Triglyph: the GPUs of three consoles as a library. The C interface.
//
// Made from the sources in capi/src; do not edit.
//
// What holds for all of it:
//
// * Functions return a triglyph_status. Where it is not TRIGLYPH_STATUS_OK, outputs are unspecified and
//   triglyph_last_error() has the reason as text, for each thread its own. What guests do wrong is no error: faults are
//   counted, and calls of a console's system have the guest's result as an output.
// * Handles belong to whoever called the function that makes them, and go with the function that destroys them. Any
//   thread may use a device, but one at a time: a call during another one is TRIGLYPH_STATUS_BUSY, and so is a call
//   from one of its callbacks. Timelines, captures, pictures and buffers may be used by many threads at a time.
// * Pointers are null or valid for what the function says, during the call. Input is not changed and output not read
//   meanwhile by others. Outputs may be null where they are not needed, unless that is all that a function does; then
//   null is TRIGLYPH_STATUS_NULL_POINTER. No input or output may be in memory that is mapped with triglyph_map_host.
// * Structures that begin with a size are of the version that the size says: set it to sizeof, the rest to zero or with
//   the function that fills in the defaults. Numbers of an enumeration are passed as uint32_t, reserved fields are 0.
// * A forked process has none of the library's threads. All that it may do with handles from before is to destroy them;
//   a device that a worker had is TRIGLYPH_STATUS_BUSY then, and stays.
// * Nothing throws or unwinds into the caller. After TRIGLYPH_STATUS_PANIC a handle can only be destroyed.
// * Text is UTF-8 and ends with 0.
//
// docs/embedding.md is the guide.
";

/// Handles are references inside of the library; for C they are plain pointers.
const HANDLES: [&str; 12] = [
    "device",
    "n3ds",
    "rsx",
    "tegra",
    "timeline",
    "worker",
    "interrupter",
    "presented",
    "capture",
    "player",
    "picture",
    "buffer",
];

/// A source with the parameters as C has them: outputs, which are references to memory without a value, and handles are
/// pointers.
fn as_c_has_it(source: &str) -> String {
    let mut pieces = source.split("Out<'_, ");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (output, rest) = piece.split_once('>').expect("an output's type");
        text += &format!("*mut {output}{rest}");
    }
    for handle in HANDLES {
        let name = format!("triglyph_{handle}");
        text = text.replace(&format!("Option<&{name}>"), &format!("*mut {name}"));
        text = text.replace(&format!("-> *const {name}"), &format!("-> *mut {name}"));
    }
    text
}

/// Enumerations whose numbers are passed as plain integers, so that no function names them.
fn enumerations() -> Vec<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    texts().iter().flat_map(|text| text.split("\npub enum ").skip(1).map(name).collect::<Vec<String>>()).collect()
}

fn generate() -> String {
    let mut config = Config {
        language: Language::C,
        cpp_compat: true,
        style: Style::Both,
        header: Some(INTRODUCTION.trim_end().to_owned()),
        include_guard: Some("TRIGLYPH_H".to_owned()),
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        no_includes: true,
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Cxx,
        line_endings: LineEndingStyle::LF,
        line_length: 100,
        enumeration: EnumConfig { rename_variants: RenameRule::QualifiedScreamingSnakeCase, ..EnumConfig::default() },
        ..Config::default()
    };
    config.export.include = enumerations();
    let scratch = tempfile::tempdir().unwrap();
    let mut builder = Builder::new().with_config(config);
    for (at, text) in texts().iter().enumerate() {
        let path = scratch.path().join(format!("{at}.rs"));
        std::fs::write(&path, as_c_has_it(text)).unwrap();
        builder = builder.with_src(path);
    }
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    let text = String::from_utf8(text).unwrap();
    text.replace("struct triglyph_", "triglyph_").replace("typedef triglyph_", "typedef struct triglyph_")
}

#[test]
fn the_header_is_that_of_the_sources() {
    check_file(&folder().join("include/triglyph.h"), &generate());
}

#[test]
fn the_header_has_every_function() {
    let header = generate();
    for symbol in crate::symbols::symbols() {
        assert!(header.contains(&format!("{symbol}(")), "{symbol} is not in the header");
    }
}
