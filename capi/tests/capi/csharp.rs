//! The binding for C#, `csharp/Triglyph.cs`: made from the same sources and tables as the headers, with the names of C.
//! Compiled and run where there is a C# compiler, and otherwise compared with the library's symbols and layouts.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::calls::wrap;
use crate::cpp::code;
use crate::model::{Function, Interface, Kind, Named, Structure};
use crate::programs::{Link, compile_text, has_compiler, library, succeed};
use crate::{check_file, folder};

const INTRODUCTION: &str = "\
// Triglyph: the GPUs of three consoles as a library. The C interface for C#.
//
// Made from the sources in capi/src and the tables of calls; do not edit. Names and rules are those of triglyph.h.
// Structures, enumerations and pointers are as in C, so nothing is copied or converted; compile with /unsafe. Delegates
// that the library is given have to be kept alive for as long as it may call them.

using System;
using System.Runtime.InteropServices;

namespace Triglyph
{
";

/// The name of a type in C#, in structures.
fn in_structures(kind: &Kind, interface: &Interface) -> String {
    match kind {
        // Delegates have no place in structures that are used as they are.
        Kind::Function => "IntPtr".to_owned(),
        Kind::Named(name) if interface.callbacks.iter().any(|callback| callback.named.name == *name) => {
            "IntPtr".to_owned()
        }
        Kind::Bool => "byte".to_owned(),
        _ => name(kind),
    }
}

/// The name of a type in C#, of parameters and results.
fn name(kind: &Kind) -> String {
    match kind {
        Kind::Number(number) => match *number {
            "u8" => "byte",
            "u16" => "ushort",
            "u32" => "uint",
            "u64" => "ulong",
            "usize" => "UIntPtr",
            "i8" => "sbyte",
            "i16" => "short",
            "i32" => "int",
            "i64" => "long",
            _ => "IntPtr",
        }
        .to_owned(),
        Kind::Bool => "bool".to_owned(),
        Kind::Char => "byte".to_owned(),
        Kind::Void => "void".to_owned(),
        Kind::Function => "IntPtr".to_owned(),
        Kind::Pointer(to) => format!("{}*", name(to)),
        Kind::Array(of, _) => name(of),
        Kind::Named(name) => name.clone(),
    }
}

/// A name in C#, where keywords need a prefix to be names.
fn identifier(name: &str) -> String {
    const KEYWORDS: [&str; 12] =
        ["event", "fixed", "params", "in", "out", "ref", "base", "lock", "object", "string", "checked", "internal"];
    if KEYWORDS.contains(&name) { format!("@{name}") } else { name.to_owned() }
}

/// Documentation, indented.
fn documentation(named: &Named, indent: usize) -> String {
    const COLUMNS: usize = 120;
    let text = named.doc.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let space = " ".repeat(indent);
    let paragraphs: Vec<String> = text
        .split("\n\n")
        .map(|paragraph| wrap(&paragraph.split_whitespace().collect::<Vec<_>>().join(" "), COLUMNS - indent - 4))
        .collect();
    let lines = format!("<summary>\n{}\n</summary>", paragraphs.join("\n\n"));
    lines.lines().map(|line| format!("{space}/// {line}\n").replace("/// \n", "///\n")).collect()
}

fn parameters(function: &Function) -> String {
    let one = |(parameter, kind): &(String, Kind)| match kind {
        Kind::Bool => format!("[MarshalAs(UnmanagedType.U1)] bool {}", identifier(parameter)),
        _ => format!("{} {}", name(kind), identifier(parameter)),
    };
    function.parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn structure(structure: &Structure, interface: &Interface) -> String {
    let Structure { named, fields } = structure;
    let mut text = documentation(named, 4);
    write!(text, "    [StructLayout(LayoutKind.Sequential)]\n    public unsafe struct {}\n    {{\n", named.name)
        .unwrap();
    for (field, kind) in fields {
        text += &documentation(field, 8);
        let (ty, field) = (in_structures(kind, interface), identifier(&field.name));
        match kind {
            Kind::Array(of, count) if matches!(**of, Kind::Number(_)) => {
                writeln!(text, "        public fixed {ty} {field}[{count}];").unwrap();
            }
            Kind::Array(_, count) => {
                let names: Vec<String> = (0..*count).map(|at| format!("{field}{at}")).collect();
                writeln!(text, "        public {ty} {};", names.join(", ")).unwrap();
            }
            _ => writeln!(text, "        public {ty} {field};").unwrap(),
        }
    }
    text + "    }\n\n"
}

fn enumerations(interface: &Interface) -> String {
    let mut text = String::new();
    for enumeration in &interface.enumerations {
        text += &documentation(&enumeration.named, 4);
        let (name, ty) = (&enumeration.named.name, name(&enumeration.ty));
        write!(text, "    public enum {name} : {ty}\n    {{\n").unwrap();
        for (value, number) in &enumeration.values {
            text += &documentation(value, 8);
            writeln!(text, "        {} = {number},", value.name).unwrap();
        }
        text += "    }\n\n";
    }
    text
}

fn constants(interface: &Interface) -> String {
    let mut text = String::new();
    for constant in &interface.constants {
        text += &documentation(&constant.named, 8);
        let (name, ty) = (constant.named.name.trim_start_matches("TRIGLYPH_"), name(&constant.ty));
        write!(text, "        public const {ty} {name} = {};\n\n", constant.value).unwrap();
    }
    text
}

fn result(function: &Function) -> String {
    function.result.as_ref().map_or_else(|| "void".to_owned(), name)
}

/// The whole file.
fn generate(interface: &Interface) -> String {
    let mut text = INTRODUCTION.to_owned();
    text += &enumerations(interface);
    for handle in &interface.handles {
        text += &documentation(handle, 4);
        write!(text, "    public struct {}\n    {{\n    }}\n\n", handle.name).unwrap();
    }
    interface.structures.iter().for_each(|known| text += &structure(known, interface));
    for callback in &interface.callbacks {
        text += &documentation(&callback.named, 4);
        text += "    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]\n";
        let (name, result, parameters) = (&callback.named.name, result(callback), parameters(callback));
        text += &code(4, &format!("public unsafe delegate {result} {name}({parameters});"));
        text.push('\n');
    }
    text +=
        "    /// <summary>\n    /// Constants and functions, without the prefix that C needs.\n    /// </summary>\n";
    text += "    public static unsafe class Native\n    {\n        private const string LIBRARY = \"triglyph\";\n";
    text += "        private const CallingConvention CDECL = CallingConvention.Cdecl;\n\n";
    text += &constants(interface);
    for function in &interface.functions {
        text += &documentation(&function.named, 8);
        let (entry, result) = (&function.named.name, result(function));
        let name = identifier(entry.trim_start_matches("triglyph_"));
        writeln!(text, "        [DllImport(LIBRARY, EntryPoint = \"{entry}\", CallingConvention = CDECL)]").unwrap();
        text += &code(8, &format!("public static extern {result} {name}({});", parameters(function)));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text + "\n    }\n}\n"
}

#[test]
fn the_binding_is_that_of_the_sources() {
    check_file(&folder().join("csharp/Triglyph.cs"), &generate(&Interface::read()));
}

#[test]
fn the_binding_has_every_function() {
    let text = generate(&Interface::read());
    let symbols = crate::symbols::symbols();
    for symbol in &symbols {
        assert!(text.contains(&format!("EntryPoint = \"{symbol}\"")), "{symbol}");
    }
    assert_eq!(text.matches("[DllImport(").count(), symbols.len());
}

/// The layouts of all structures, a line each: name, bytes, where its fields begin.
fn layouts(interface: &Interface) -> String {
    let line = |structure: &Structure| {
        let (size, _) = interface.layout(&Kind::Named(structure.named.name.clone()));
        let offsets: Vec<String> = interface.offsets(structure).iter().map(ToString::to_string).collect();
        format!("{} {size} {}\n", structure.named.name, offsets.join(" "))
    };
    interface.structures.iter().map(line).collect()
}

/// What the binding is made from has the layouts that a C compiler makes of the headers.
#[test]
fn layouts_are_those_of_c() {
    let interface = Interface::read();
    let mut text = "#include <stdio.h>\n#include <stddef.h>\n#include \"triglyph.h\"\nint main(void) {\n".to_owned();
    for structure in &interface.structures {
        let name = &structure.named.name;
        writeln!(text, "    printf(\"{name} %zu\", sizeof({name}));").unwrap();
        for (field, _) in &structure.fields {
            writeln!(text, "    printf(\" %zu\", offsetof({name}, {}));", field.name).unwrap();
        }
        text += "    printf(\"\\n\");\n";
    }
    text += "    return 0;\n}\n";
    let scratch = tempfile::TempDir::new().unwrap();
    let Some(program) = compile_text("layouts.c", &text, Link::Shared, &scratch) else { return };
    let said = succeed(&mut Command::new(program)).stdout;
    assert_eq!(String::from_utf8(said).unwrap(), layouts(&interface));
}

/// A C# compiler of Mono's, and what runs its programs.
fn mono() -> bool {
    has_compiler("mcs") && has_compiler("mono")
}

/// Compiles sources with the binding.
fn compile(sources: &[PathBuf], program: &Path) {
    let mut command = Command::new("mcs");
    command.args(["-unsafe", "-warnaserror", "-nologo"]).arg(format!("-out:{}", program.display()));
    command.arg(folder().join("csharp/Triglyph.cs")).args(sources);
    succeed(&mut command);
}

/// Runs a program with the library of the tests, under the name that bindings know.
fn run(program: &Path, scratch: &Path) -> String {
    let link = scratch.join("libtriglyph.so");
    if !link.exists() {
        std::fs::copy(&library().shared, &link).unwrap();
    }
    let mut command = Command::new("mono");
    let said = succeed(command.arg(program).current_dir(scratch).env("LD_LIBRARY_PATH", scratch)).stdout;
    String::from_utf8(said).unwrap()
}

#[test]
fn layouts_are_those_of_csharp() {
    if !mono() {
        return;
    }
    let interface = Interface::read();
    let mut text = "using System;\nusing System.Runtime.InteropServices;\nusing Triglyph;\n\
                    public static unsafe class Layouts\n{\n    public static void Main()\n    {\n"
        .to_owned();
    for structure in &interface.structures {
        let name = &structure.named.name;
        writeln!(text, "        Console.Write(\"{name} \" + sizeof({name}));").unwrap();
        for (field, kind) in &structure.fields {
            let field = match kind {
                Kind::Array(of, _) if !matches!(**of, Kind::Number(_)) => format!("{}0", field.name),
                _ => field.name.clone(),
            };
            writeln!(text, "        Console.Write(\" \" + Marshal.OffsetOf(typeof({name}), \"{field}\"));").unwrap();
        }
        text += "        Console.WriteLine();\n";
    }
    text += "    }\n}\n";
    let scratch = tempfile::TempDir::new().unwrap();
    let (source, program) = (scratch.path().join("Layouts.cs"), scratch.path().join("layouts.exe"));
    std::fs::write(&source, text).unwrap();
    compile(&[source], &program);
    assert_eq!(run(&program, scratch.path()), layouts(&interface));
}

#[test]
fn the_example_in_csharp_draws() {
    if !mono() || !cfg!(target_os = "linux") {
        return;
    }
    let scratch = tempfile::TempDir::new().unwrap();
    let program = scratch.path().join("example.exe");
    compile(&[folder().join("../examples/csharp/Program.cs")], &program);
    assert_eq!(
        run(&program, scratch.path()),
        "interrupt PSC0\ntop screen: 400 x 240, every pixel #304050ff\nfaults: 0\n"
    );
}
