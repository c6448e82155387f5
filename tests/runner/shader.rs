//! `disasm`, `run`, `emit`: shader programs.
//!
//! | setting | |
//! |---|---|
//! | `v0` to `v15` | input registers |
//! | `c0` to `c95` | float uniforms |
//! | `i0` to `i3` | integer uniforms: iterations - 1, first aL, step |
//! | `bools` | the boolean uniforms that are true, by number |
//! | `numbers` | `f24` for 24-bit floats |
//! | `entry` | the label where the program begins; without, the first instruction |
//!
//! | result | |
//! |---|---|
//! | `o0` to `o15` | output registers |
//! | `triangles` | of `emit`: o0 of the three vertices of each triangle, `inverted` in front of it where it is |

use triglyph_guest::kernel::vertex::{Numbers, Uniforms};
use triglyph_guest::pica::{Program, disassemble_program};
use triglyph_interp::pica_shader::{self, Constants, Ending, Machine, Slots, Unit};

use crate::parse::{Case, File, integer, integers, show, vector};
use crate::{Engine, Results};
use triglyph_testkit::pica::vertex::VertexCase;

/// What a case gives to a program.
struct Inputs {
    entry: u16,
    bools: u16,
    inputs: [[f32; 4]; 16],
    uniforms: Uniforms,
    numbers: Numbers,
}

fn assemble(file: &File) -> Result<Program, String> {
    Program::assemble(&file.program).map_err(|error| format!("[program] {error}"))
}

fn inputs(program: &Program, case: &Case) -> Result<Inputs, String> {
    let mut read =
        Inputs { entry: 0, bools: 0, inputs: [[0.0; 4]; 16], uniforms: Uniforms::default(), numbers: Numbers::F32 };
    for item in &case.settings {
        let (kind, number) = item.key.split_at(1);
        let register = |count: usize| match number.parse::<usize>() {
            Ok(register) if register < count => Ok(register),
            _ => Err(format!("no register `{}`", item.key)),
        };
        match (kind, item.key.as_str()) {
            (_, "bools") => {
                for word in item.value.split_whitespace() {
                    read.bools |= 1 << integer(word)?;
                }
            }
            (_, "entry") => {
                let entry = program.labels.get(&item.value);
                read.entry = *entry.ok_or_else(|| format!("no label `{}`", item.value))?;
            }
            (_, "numbers") if item.value == "f24" => read.numbers = Numbers::F24,
            ("v", _) => read.inputs[register(16)?] = vector(&item.value)?,
            ("c", _) => read.uniforms.floats[register(96)?] = vector(&item.value)?,
            ("i", _) => {
                let [x, y, z] = integers::<3>(&item.value)?.map(|number| number as u8);
                read.uniforms.ints[register(4)?] = [x, y, z, 0];
            }
            _ => return Err(format!("no setting `{}`", item.key)),
        }
    }
    Ok(read)
}

/// The listing of the program reads back as the program.
pub fn disasm(file: &File) -> Result<(), String> {
    let program = assemble(file)?;
    let listing = disassemble_program(&program.code, &program.descriptors);
    let again = Program::assemble(&listing).map_err(|error| format!("{error} in the listing\n{listing}"))?;
    if again.code != program.code {
        return Err(format!("the listing is another program\n{listing}"));
    }
    // Written once more it is the same text: nothing depends on how the source was laid out.
    let twice = disassemble_program(&again.code, &again.descriptors);
    if twice == listing { Ok(()) } else { Err(format!("the listing changes\n{listing}\n{twice}")) }
}

/// One vertex.
pub fn run(file: &File, case: &Case, engine: Engine) -> Results {
    let program = assemble(file)?;
    let given = inputs(&program, case)?;
    let mut vertex = VertexCase::new(&program, given.entry, given.bools).computing_in(given.numbers);
    (vertex.fixed, vertex.uniforms) = (given.inputs, given.uniforms);
    let outputs = vertex.outputs(&*engine.tier()?).map_err(|refused| refused.to_string())?;
    let result = |key: &str| match key.strip_prefix('o').and_then(|number| number.parse::<usize>().ok()) {
        Some(register) if register < 16 => Ok(show(&outputs[register])),
        _ => Err(format!("no result `{key}`")),
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}

/// One run of a geometry program.
pub fn emit(file: &File, case: &Case) -> Results {
    let program = assemble(file)?;
    let given = inputs(&program, case)?;
    let mut machine = Machine::new(Unit::Geometry);
    machine.inputs = given.inputs;
    let decoded = pica_shader::Program::decode(&program.code, &program.descriptors, Unit::Geometry, given.numbers);
    let constants = Constants { uniforms: &given.uniforms, bools: given.bools };
    let mut triangles = Vec::new();
    let mut slots = Slots::default();
    let ending = machine.run(&decoded, &constants, given.entry, &mut |emitted| {
        let Some(triangle) = slots.store(emitted) else { return };
        let inverted = if triangle.inverted { "inverted " } else { "" };
        triangles.push(format!("{inverted}{}", triangle.vertices.map(|outputs| show(&outputs[0])).join(", ")));
    });
    if ending != Ending::Finished {
        return Err("the program does not end".to_owned());
    }
    let result = |key: &str| match key {
        "triangles" => Ok(triangles.join("; ").replace(';', " |")),
        _ => Err(format!("no result `{key}`")),
    };
    case.expectations.iter().map(|item| result(&item.key)).collect()
}
