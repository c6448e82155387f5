//! The headers are what cbindgen makes of the sources and of the tables of calls: `triglyph_common.h` what all machines
//! have, one for each machine, and `triglyph.h`, which includes them all.

use cbindgen::{Builder, Config, DocumentationStyle, EnumConfig, Language, LineEndingStyle, RenameRule, Style};

use crate::calls::{MACHINES, functions};
use crate::{check_file, folder, texts};

/// The comment at the top of `triglyph.h`.
const INTRODUCTION: &str = "\
// Triglyph: the GPUs of three consoles as a library. The C interface.
//
// Made from the sources in capi/src; do not edit. Programs that use one machine may include its header alone:
// triglyph_n3ds.h, triglyph_rsx.h or triglyph_tegra.h, or triglyph_common.h for what all machines have. On Windows
// programs that link the static library define TRIGLYPH_STATIC before they include any.
//
// What holds for all of it:
//
// * Functions return a triglyph_status. Where it is not TRIGLYPH_STATUS_OK, outputs are unspecified and
//   triglyph_last_error() has the reason as text, for each thread its own. What guests do wrong is no error: faults are
//   counted, and calls of a console's system have the guest's result as an output.
// * Handles belong to the caller of the function that makes them, until the function that destroys them. Any thread may
//   use a device, but one at a time: a call during another one is TRIGLYPH_STATUS_BUSY, and so is a call from one of
//   its callbacks. Timelines, captures, pictures and buffers may be used by many threads at a time.
// * Pointers are null or valid for what the function says, during the call. Input is not changed and output not read
//   meanwhile by others. Outputs may be null where they are not needed, unless that is all that a function does; then
//   null is TRIGLYPH_STATUS_NULL_POINTER.
// * What guests pass may be where guests have it, in memory that is mapped with triglyph_map_host: GX commands, the
//   words of triglyph_n3ds_ipc, register words, arguments of hypervisor calls, buffers of ioctls, GPFIFO and remap
//   entries, the payload of triglyph_submit. They are copied before the call does anything, answers are stored at its
//   end. GSP's shared page may be mapped as well. No other input or output may be in such memory.
// * Structures that begin with a size are of the version that the size says: set it to sizeof, the rest to zero or with
//   the function that fills in the defaults. That holds for outputs as well: the library writes no more than the caller
//   has room for, and of an array the first structure's size is the distance from each to the next. Fields that only
//   the caller knows have to be 0, or are made 0. Structures that a callback gets have the library's size.
// * Numbers of an enumeration are passed as uint32_t, reserved fields are 0.
// * Calls of the consoles' systems and of their hosts are those of docs/reference/calls.md. `result`, where there is
//   one, is what the guest is told: a triglyph_rsx_result, a triglyph_tegra_result, or a result code of the 3DS; other
//   outputs are 0 where it is not 0.
// * A forked process has none of the library's threads. All that it may do with handles from before is to destroy them;
//   a device that a worker had is TRIGLYPH_STATUS_BUSY then, and stays.
// * Nothing throws or unwinds into the caller. After TRIGLYPH_STATUS_PANIC a handle can only be destroyed.
// * Text is UTF-8 and ends with 0.
//
// docs/embedding/overview.md is the guide.
";

/// What every function is declared with.
const EXPORT: &str = "\
// Functions of a DLL are imported, unless TRIGLYPH_STATIC says that the library is in the program.
#if defined(_WIN32) && !defined(TRIGLYPH_STATIC)
#define TRIGLYPH_API __declspec(dllimport)
#else
#define TRIGLYPH_API
#endif";

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
pub fn as_c_has_it(source: &str) -> String {
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
    text + &shown(source)
}

/// Structures of the façade that C sees as they are, `pub use triglyph::…::Name as c_name;`, from where they are
/// defined.
fn shown(source: &str) -> String {
    /// Where such structures are defined.
    const SOURCES: [&str; 1] = ["guest/src/tegra/driver/mod.rs"];
    let mut found = String::new();
    for line in source.lines().filter_map(|line| line.strip_prefix("pub use triglyph::")) {
        let (path, name) = line.trim_end_matches(';').split_once(" as ").expect("a structure with C's name");
        let item = path.rsplit("::").next().unwrap_or(path);
        let text = SOURCES.map(|file| std::fs::read_to_string(folder().join("..").join(file)).unwrap()).concat();
        let (before, after) = text.split_once(&format!("pub struct {item} {{")).expect("its definition");
        let attributes = before.rsplit("\n\n").next().expect("its documentation");
        assert!(attributes.contains("#[repr(C)]"), "{item}");
        let (fields, _) = after.split_once("\n}\n").expect("its end");
        let attributes: String = attributes
            .lines()
            .filter(|line| !line.starts_with("#[derive"))
            .fold(String::new(), |text, line| text + line + "\n");
        found += &format!("\n{attributes}pub struct {name} {{{fields}\n}}\n");
    }
    found
}

/// Enumerations whose numbers are passed as plain integers, so that no function names them.
fn enumerations(texts: &[String]) -> Vec<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    texts.iter().flat_map(|text| text.split("\npub enum ").skip(1).map(name).collect::<Vec<String>>()).collect()
}

/// The header of a machine, or of what all machines have.
fn generate(part: &str) -> String {
    let is_machine = MACHINES.contains(&part);
    let texts = interface(part);
    let what = match part {
        "n3ds" => "what only the 3DS has",
        "rsx" => "what only the PS3 has",
        "tegra" => "what only the Tegra X1 has",
        _ => "what all machines have",
    };
    let header = format!(
        "// Triglyph: {what}. What holds for all of the interface is in triglyph.h.\n//\n\
         // Made from the sources in capi/src and the tables of calls; do not edit."
    );
    let mut config = Config {
        language: Language::C,
        cpp_compat: true,
        style: Style::Both,
        header: Some(header),
        include_guard: Some(format!("TRIGLYPH_{}_H", part.to_uppercase())),
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        includes: is_machine.then(|| "triglyph_common.h".to_owned()).into_iter().collect(),
        no_includes: true,
        usize_is_size_t: true,
        after_includes: (!is_machine).then(|| format!("\n{EXPORT}")),
        documentation_style: DocumentationStyle::Cxx,
        line_endings: LineEndingStyle::LF,
        line_length: 100,
        enumeration: EnumConfig { rename_variants: RenameRule::QualifiedScreamingSnakeCase, ..EnumConfig::default() },
        ..Config::default()
    };
    config.export.include = enumerations(&texts);
    config.function.prefix = Some("TRIGLYPH_API".to_owned());
    let scratch = tempfile::tempdir().unwrap();
    let mut builder = Builder::new().with_config(config);
    for (at, text) in texts.iter().enumerate() {
        let path = scratch.path().join(format!("{at}.rs"));
        std::fs::write(&path, text).unwrap();
        builder = builder.with_src(path);
    }
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    let text = String::from_utf8(text).unwrap();
    let text = text.replace("struct triglyph_", "triglyph_").replace("typedef triglyph_", "typedef struct triglyph_");
    in_hexadecimal(&text, &texts)
}

/// What C has of a machine, or of all machines, as items of Rust: sources, and functions of the tables.
pub fn interface(part: &str) -> Vec<String> {
    let mut texts = texts(part);
    texts.push(functions().iter().filter(|function| function.machine == part).map(|f| f.declaration()).collect());
    texts.iter().map(|text| as_c_has_it(text)).collect()
}

/// A header whose constants are hexadecimal where the sources have them so: flags and addresses.
fn in_hexadecimal(header: &str, sources: &[String]) -> String {
    let mut text = header.to_owned();
    for line in sources.iter().flat_map(|source| source.lines()) {
        let Some((name, value)) = line.strip_prefix("pub const ").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let Some((_, digits)) = value.trim_end_matches(';').split_once(" = 0x") else { continue };
        let begin = text.find(&format!("#define {name} ")).unwrap_or_else(|| panic!("{name} is not in the header"));
        let end = begin + text[begin..].find('\n').expect("the end of a line");
        text.replace_range(begin..end, &format!("#define {name} 0x{}", digits.replace('_', "")));
    }
    text
}

/// `triglyph.h`.
fn all() -> String {
    let includes = ["common", "n3ds", "rsx", "tegra"].map(|part| format!("#include \"triglyph_{part}.h\"\n")).concat();
    format!("{INTRODUCTION}\n#ifndef TRIGLYPH_H\n#define TRIGLYPH_H\n\n{includes}\n#endif // TRIGLYPH_H\n")
}

#[test]
fn headers_are_those_of_the_sources() {
    for part in ["common", "n3ds", "rsx", "tegra"] {
        check_file(&folder().join(format!("include/triglyph_{part}.h")), &generate(part));
    }
    check_file(&folder().join("include/triglyph.h"), &all());
}

#[test]
fn the_headers_have_every_function() {
    let headers = ["common", "n3ds", "rsx", "tegra"].map(generate).concat();
    let symbols = crate::symbols::symbols();
    for symbol in &symbols {
        assert!(headers.contains(&format!("{symbol}(")), "{symbol} is in no header");
    }
    assert_eq!(headers.matches("\nTRIGLYPH_API").count(), symbols.len(), "each is imported from a DLL");
}

#[test]
fn flags_are_hexadecimal() {
    let headers = ["common", "n3ds", "rsx", "tegra"].map(generate).concat();
    let flags = ["ACCESS", "SNAPSHOT", "CHECK", "RSX_CONTEXT", "RSX_IOMAP", "TEGRA_MAP", "TEGRA_SUBMIT"];
    for flag in flags {
        let prefix = format!("#define TRIGLYPH_{flag}_");
        let lines: Vec<&str> = headers.lines().filter(|line| line.starts_with(&prefix)).collect();
        assert!(!lines.is_empty(), "{flag}");
        assert!(lines.iter().all(|line| line.contains(" 0x")), "{lines:?}");
    }
}
