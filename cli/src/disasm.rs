//! `triglyph disasm`: programs as text, those of captures and of 3DS shader binaries, and programs from text.
//!
//! The text of a program assembles to the same code. What a binary says besides (entry points, constants, names)
//! is in it as comments; an assembled binary has one entry point, a vertex shader that begins at the label `main`
//! or else at the first instruction.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use triglyph_guest::pica::asm::Program;
use triglyph_guest::pica::disassemble_program;
use triglyph_guest::pica::shbin::{Constant, Executable, Shbin, Stage};

use crate::capture_file::{self, Named, expand_to, write};
use crate::exit::{Exit, Failure, is_closed_pipe};
use crate::isa::Isa;
use crate::output::Output;
use crate::programs::{self, Listed};

/// Arguments of `disasm`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Captures, 3DS shader binaries (`.shbin`), and folders of them; one text with `--assemble`.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Turn the text of one program into a binary; without `--out` its words are listed.
    #[arg(long)]
    assemble: bool,
    /// Instruction set of the text.
    #[arg(long, value_enum, default_value_t, requires = "assemble", value_name = "SET")]
    isa: Isa,
    /// File for the result instead of standard output. An assembled 3DS program is a shader binary, others are their
    /// bytes as the console stores them.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// One way or the other. A file that cannot be read does not keep the others from being shown.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    if arguments.assemble {
        let [file] = arguments.paths.as_slice() else {
            return Err(Failure::usage("--assemble takes one text").into());
        };
        return Ok(match assemble(file, arguments, output) {
            Err(error) if !is_closed_pipe(&error) => output.error(Some(file), &error),
            other => other.map(|()| Exit::Good)?,
        });
    }
    let files = expand_to(&arguments.paths, &["shbin", "tgc"], "captures and shader binaries")?;
    let mut exit = Exit::Good;
    let mut all = String::new();
    for file in &files {
        match disassemble(file, output) {
            Ok(text) => match arguments.out {
                Some(_) => all += &text,
                None => output.lines(text.trim_end())?,
            },
            Err(error) if is_closed_pipe(&error) => return Err(error),
            Err(error) => exit = exit.max(output.error(Some(file), &error)),
        }
    }
    if let Some(path) = &arguments.out {
        write(path, all.as_bytes())?;
    }
    Ok(exit)
}

/// The text of a file's programs.
fn disassemble(file: &Path, output: &Output) -> anyhow::Result<String> {
    let bytes = Named::open(file).bytes?;
    // What is called a capture is read as one, so that errors speak of what is wrong with it.
    if !bytes.starts_with(&capture_file::MAGIC) && file.extension().is_none_or(|extension| extension != "tgc") {
        return shader_binary(file, &bytes, output);
    }
    let mut text = format!("; {}\n", file.display());
    for program in programs::of_capture(file)? {
        let Listed { kind, isa, words, text: listing, keys } = &program;
        let plural = if *keys == 1 { "" } else { "s" };
        text += &format!("\n; {kind} program, {keys} kernel{plural}\n{listing}");
        output.object(&json!({
            "event": "program",
            "file": file,
            "kind": kind,
            "isa": isa,
            "keys": keys,
            "text": listing,
            "words": words,
        }))?;
    }
    Ok(text)
}

fn shader_binary(file: &Path, bytes: &[u8], output: &Output) -> anyhow::Result<String> {
    let shbin = Shbin::parse(bytes).map_err(|error| Failure::file(format!("not a shader binary: {error}")))?;
    let text = listing(&shbin);
    let Program { code, descriptors, .. } = &shbin.program;
    output.object(&json!({
        "event": "disassembled",
        "file": file,
        "entries": shbin.executables.len(),
        "code": code,
        "descriptors": descriptors,
        "text": text,
    }))?;
    Ok(text)
}

fn assemble(file: &Path, arguments: &Arguments, output: &Output) -> anyhow::Result<()> {
    let (isa, out) = (arguments.isa, arguments.out.as_deref());
    let bytes = Named::open(file).bytes?;
    let text = std::str::from_utf8(&bytes).map_err(|error| Failure::file(error.to_string()))?;
    if isa == Isa::Pica {
        return assemble_pica(file, text, out, output);
    }
    let words = isa.assemble(text).map_err(|error| Failure::file(error.to_string()))?;
    match out {
        Some(path) => write(path, &isa.bytes(&words))?,
        None => {
            for (at, word) in words.iter().enumerate() {
                output.line(format_args!("{at:03x}  {word:0digits$x}", digits = isa.digits()))?;
            }
        }
    }
    Ok(output.object(&json!({ "event": "assembled", "file": file, "isa": isa, "code": words }))?)
}

/// A 3DS program has operand descriptors and labels besides its code.
fn assemble_pica(file: &Path, text: &str, out: Option<&Path>, output: &Output) -> anyhow::Result<()> {
    let program = Program::assemble(text).map_err(|error| Failure::file(error.to_string()))?;
    let Program { code, descriptors, labels } = &program;
    match out {
        Some(path) => write(path, &binary(&program))?,
        None => {
            for (at, word) in code.iter().enumerate() {
                output.line(format_args!("{at:03x}  {word:08x}"))?;
            }
            for (at, word) in descriptors.iter().enumerate() {
                output.line(format_args!("@{at:<3} {word:08x}"))?;
            }
        }
    }
    Ok(output.object(&json!({
        "event": "assembled",
        "file": file,
        "isa": Isa::Pica,
        "code": code,
        "descriptors": descriptors,
        "labels": labels,
    }))?)
}

/// The code, after what the entry points say as comments.
fn listing(shbin: &Shbin) -> String {
    let mut text = String::new();
    for (number, executable) in shbin.executables.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = comment(&mut text, number, executable);
    }
    text + &disassemble_program(&shbin.program.code, &shbin.program.descriptors)
}

fn comment(text: &mut String, number: usize, executable: &Executable) -> std::fmt::Result {
    let stage = match executable.stage {
        Stage::Vertex => "vertex",
        Stage::Geometry => "geometry",
    };
    let Executable { main, end, inputs, outputs, .. } = executable;
    writeln!(text, "; entry {number}: {stage} shader, {main} to {end}, inputs {inputs:#x}, outputs {outputs:#x}")?;
    for output in &executable.output_map {
        writeln!(text, ";   o{} mask {:#x} has meaning {}", output.register, output.mask, output.meaning)?;
    }
    for uniform in &executable.uniforms {
        // A name cannot end the comment.
        let name: String = uniform.name.chars().filter(|c| !c.is_control()).collect();
        writeln!(text, ";   {name}: {:#04x} to {:#04x}", uniform.first, uniform.last)?;
    }
    for constant in &executable.constants {
        match constant {
            Constant::Bool(register, value) => writeln!(text, ";   b{register} = {value}")?,
            Constant::Int(register, value) => writeln!(text, ";   i{register} = {value:?}")?,
            Constant::Float(register, value) => writeln!(text, ";   c{register} = {value:06x?} (24-bit floats)")?,
        }
    }
    Ok(())
}

/// A binary with one entry point, laid out as a header, the code's part and the entry point's part.
fn binary(program: &Program) -> Vec<u8> {
    const HEADER: u32 = 12;
    const CODE_PART: u32 = 0x28;
    let Program { code, descriptors, labels } = program;
    let (code_words, descriptor_count) = (code.len() as u32, descriptors.len() as u32);
    let descriptors_at = CODE_PART + 4 * code_words;
    let code_part_end = descriptors_at + 8 * descriptor_count;
    let main = labels.get("main").copied().unwrap_or(0);
    let magic = |name: [u8; 4]| u32::from_le_bytes(name);
    let mut words = vec![magic(*b"DVLB"), 1, HEADER + code_part_end];
    words.extend([magic(*b"DVLP"), 0, CODE_PART, code_words, descriptors_at, descriptor_count]);
    // No names, twice.
    words.extend([code_part_end, 0, code_part_end, 0]);
    words.extend(code);
    words.extend(descriptors.iter().flat_map(|descriptor| [*descriptor, 0]));
    // All inputs and outputs may be used; the four tables and the names are empty and follow the header.
    words.extend([magic(*b"DVLE"), 0x1002, main.into(), code_words, 0xFFFF_FFFF, 0]);
    words.extend([0x40, 0].repeat(5));
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assembled_binary_can_be_read() {
        let program = Program::assemble("nop\nmain:\nmov r0, c95.x\nend\n").unwrap();
        let file = binary(&program);
        let shbin = Shbin::parse(&file).unwrap();
        assert_eq!((&shbin.program.code, &shbin.program.descriptors), (&program.code, &program.descriptors));
        let [entry] = shbin.executables.as_slice() else { panic!() };
        assert_eq!((entry.stage, entry.main, entry.end), (Stage::Vertex, 1, 3));
        assert!(entry.constants.is_empty() && entry.uniforms.is_empty() && entry.output_map.is_empty());
        let again = Program::assemble(&listing(&shbin)).unwrap();
        assert_eq!(again.code, program.code);
    }
}
