//! `triglyph disasm`: 3DS shader binaries as text, and back.
//!
//! The text of a binary assembles to the same code. What a binary says besides (entry points, constants, names)
//! stands in it as comments; an assembled binary has one entry point, a vertex shader that begins at the label `main`
//! or else at the first instruction.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use triglyph_guest::pica::asm::Program;
use triglyph_guest::pica::disassemble_program;
use triglyph_guest::pica::shbin::{Constant, Executable, Shbin, Stage};

use crate::capture_file::{Named, write};
use crate::exit::{Exit, FileError};
use crate::output::Output;

/// Arguments of `disasm`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A shader binary (`.shbin`), or text with `--assemble`.
    file: PathBuf,
    /// Turn text into a binary; without `--out` its words are listed.
    #[arg(long)]
    assemble: bool,
    /// File for the result instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// One way or the other.
pub fn run(arguments: &Arguments, output: &Output) -> anyhow::Result<Exit> {
    let bytes = Named::open(&arguments.file).bytes?;
    let broken = |what: String| FileError(format!("{}: {what}", arguments.file.display()));
    if arguments.assemble {
        let text = std::str::from_utf8(&bytes).map_err(|error| broken(error.to_string()))?;
        let program = Program::assemble(text).map_err(|error| broken(error.to_string()))?;
        assembled(arguments, &program, output)?;
    } else {
        let shbin = Shbin::parse(&bytes).map_err(|error| broken(error.to_string()))?;
        let text = listing(&shbin);
        match &arguments.out {
            Some(path) => write(path, text.as_bytes())?,
            None => output.line(text.trim_end())?,
        }
        let Program { code, descriptors, .. } = &shbin.program;
        let entries = shbin.executables.len();
        output.object(&json!({
            "event": "disassembled",
            "file": arguments.file,
            "entries": entries,
            "code": code,
            "descriptors": descriptors,
            "text": text,
        }))?;
    }
    Ok(Exit::Good)
}

fn assembled(arguments: &Arguments, program: &Program, output: &Output) -> anyhow::Result<()> {
    let Program { code, descriptors, .. } = program;
    match &arguments.out {
        Some(path) => write(path, &binary(program))?,
        None => {
            for (at, word) in code.iter().enumerate() {
                output.line(format_args!("{at:03x}  {word:08x}"))?;
            }
            for (at, word) in descriptors.iter().enumerate() {
                output.line(format_args!("@{at:<3} {word:08x}"))?;
            }
        }
    }
    let file = &arguments.file;
    Ok(output.object(&json!({
        "event": "assembled",
        "file": file,
        "code": code,
        "descriptors": descriptors,
        "labels": program.labels,
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
    // All inputs and outputs may be used; the four tables and the names are empty and stand after the header.
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
