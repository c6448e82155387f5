//! Whole shader programs: files, listings, random programs.

use triglyph_guest::pica::isa::{Branch, Compare, Op, Uniform, decode, disassemble};
use triglyph_guest::pica::random::{self, Options};
use triglyph_guest::pica::shbin::{Constant, Shbin, ShbinError, Stage};
use triglyph_guest::pica::{Program, disassemble_program};
use triglyph_guest::table::{Fields, Shape};
use triglyph_testkit::data::file;
use triglyph_testkit::random::words;

/// The listing of a program assembles to the same code, and each instruction means the same.
fn assert_listing_round_trips(program: &Program) {
    let listing = disassemble_program(&program.code, &program.descriptors);
    let again = Program::assemble(&listing).unwrap_or_else(|error| panic!("{error}\n{listing}"));
    assert_eq!(again.code, program.code, "{listing}");
    for &word in &program.code {
        assert_eq!(disassemble(word, &again.descriptors), disassemble(word, &program.descriptors));
    }
}

fn shader_files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(file("data/3ds/shaders"))
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "shbin"))
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path))
        .map(|(name, path)| (name, std::fs::read(path).expect("the file is readable")))
        .collect();
    files.sort();
    files
}

#[test]
fn program_files_read_and_round_trip() {
    let files = shader_files();
    assert_eq!(files.len(), 10);
    for (name, bytes) in files {
        let file = Shbin::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!file.program.code.is_empty() && !file.program.descriptors.is_empty());
        assert!(file.program.code.iter().all(|&word| decode(word).is_some()), "{name}");
        assert!(file.executables.iter().all(|entry| entry.main < file.program.code.len()));
        let listing = disassemble_program(&file.program.code, &file.program.descriptors);
        assert!(!listing.contains(".word"), "{name} is expressible\n{listing}");
        assert_listing_round_trips(&file.program);
    }
}

#[test]
fn program_file_tells_what_a_program_loads() {
    let file = |wanted: &str| {
        let (_, bytes) = shader_files().into_iter().find(|(name, _)| name == wanted).expect("the file is there");
        Shbin::parse(&bytes).expect("the file is valid")
    };
    let fan = file("fan");
    let stages: Vec<_> = fan.executables.iter().map(|entry| (entry.stage, entry.main, entry.outputs)).collect();
    assert_eq!(stages, [(Stage::Vertex, 0, 3), (Stage::Geometry, 3, 3)]);
    assert!(fan.executables[1].constants.contains(&Constant::Int(3, [2, 0, 1, 0])));
    assert!(fan.executables[1].constants.contains(&Constant::Float(95, [0, 0x3F_0000, 0xBF_0000, 0x3E_0000])));

    let nested = file("nested");
    let names: Vec<_> = nested.executables[0].uniforms.iter().map(|u| (u.name.as_str(), u.first, u.last)).collect();
    assert_eq!(names, [("arr", 0x10, 0x1F), ("n", 0x70, 0x70), ("inner", 0x71, 0x71)]);
    let outputs: Vec<_> = nested.executables[0].output_map.iter().map(|o| (o.meaning, o.register, o.mask)).collect();
    assert_eq!(outputs, [(0, 0, 15), (2, 1, 15)]);
}

#[test]
fn broken_program_files_are_errors() {
    assert_eq!(Shbin::parse(b"DVLX"), Err(ShbinError::Magic { part: "DVLB", offset: 0 }));
    assert!(matches!(Shbin::parse(b"DVLB"), Err(ShbinError::Truncated { offset: 4, .. })));
    let mut rng = words(5);
    for (_, bytes) in shader_files() {
        for length in 0..bytes.len() {
            let _ = Shbin::parse(&bytes[..length]);
        }
        for _ in 0..2000 {
            let mut broken = bytes.clone();
            for _ in 0..1 + rng() % 4 {
                let at = rng() as usize % broken.len().min(0x200);
                broken[at] = rng() as u8;
            }
            let _ = Shbin::parse(&broken);
        }
    }
}

/// All kinds of programs that the generator makes.
fn kinds() -> Vec<Options> {
    let base = Options::default();
    vec![
        base,
        Options { length: 1, ..base },
        Options { length: 400, ..base },
        Options { flow: false, relative: false, length: 200, ..base },
        Options { geometry: true, ..base },
        Options { ragged: true, length: 150, ..base },
        Options { garbage: true, ragged: true, geometry: true, ..base },
    ]
}

#[test]
fn random_programs_round_trip_as_text() {
    let mut rng = words(6);
    for options in kinds() {
        for _ in 0..40 {
            assert_listing_round_trips(&random::program(&mut rng, options));
        }
    }
    for _ in 0..20 {
        let code = (0..600).map(|_| rng()).collect();
        let descriptors = (0..128).map(|_| rng()).collect();
        assert_listing_round_trips(&Program { code, descriptors, ..Program::default() });
    }
}

#[test]
fn random_programs_contain_every_row() {
    let mut rng = words(7);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let options = Options { geometry: true, length: 200, ..Options::default() };
        seen.extend(random::program(&mut rng, options).code.iter().filter_map(|&word| decode(word)));
    }
    // A plain `break` has no condition, so a loop with one would never come round.
    let missing: Vec<_> = Op::all().filter(|op| !seen.contains(op) && *op != Op::break_).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn structured_programs_keep_their_promises() {
    let mut rng = words(8);
    for round in 0..2000 {
        let options = Options { length: 1 + round % 300, ..Options::default() };
        let program = random::program(&mut rng, options);
        assert!(program.code.len() <= 2 * options.length + 400, "{} of {}", program.code.len(), options.length);
        for _ in 0..4 {
            Flow::default().run(&program, &mut rng);
        }
    }
}

/// Control flow alone, with random conditions and uniforms, as the documentation has it; panics where a structured
/// program must not get to. Source: 3dbrew "Shader Instruction Set", control flow.
#[derive(Default)]
struct Flow {
    calls: Vec<(usize, usize)>,
    ifs: Vec<(usize, usize)>,
    loops: Vec<(usize, usize, u32)>,
    flags: [Option<bool>; 2],
}

impl Flow {
    fn run(&mut self, program: &Program, rng: &mut impl FnMut() -> u32) {
        let bools = rng();
        let mut pc = 0;
        for _ in 0..1_000_000 {
            let word = *program.code.get(pc).expect("the program ends before its code does");
            let op = decode(word).expect("no unknown words");
            if op == Op::end {
                assert!(self.calls.is_empty() && self.ifs.is_empty() && self.loops.is_empty());
                return;
            }
            pc = self.step(op, word, pc, bools, rng);
        }
        panic!("the program does not end\n{}", disassemble_program(&program.code, &program.descriptors));
    }

    fn step(&mut self, op: Op, word: u32, pc: usize, bools: u32, rng: &mut impl FnMut() -> u32) -> usize {
        let fields = Fields::new(word.into(), &op.info().pattern);
        let (branch, uniform) = (Branch::decode(fields), Uniform::decode(fields));
        let flags = self.flags.map(|flag| flag.unwrap_or_else(|| rng() & 1 != 0));
        let cond = branch.cond.holds(flags[0], flags[1]);
        let bool = bools >> uniform.id & 1 != 0;
        let (target, end) = (usize::from(branch.target), usize::from(branch.target) + usize::from(branch.count));
        let (mut next, mut leave, mut flow) = (pc + 1, false, true);
        match op {
            Op::jmpc if cond => next = target,
            Op::jmpu if bool != (uniform.count & 1 != 0) => next = target,
            Op::ifc | Op::ifu if (op == Op::ifc && cond) || (op == Op::ifu && bool) => self.ifs.push((target, end)),
            Op::ifc | Op::ifu => next = target,
            Op::call | Op::callc | Op::callu
                if op == Op::call || (op == Op::callc && cond) || (op == Op::callu && bool) =>
            {
                self.calls.push((end, pc + 1));
                next = target;
            }
            Op::loop_ => self.loops.push((pc + 1, target + 1, rng() % 3)),
            Op::breakc => leave = cond,
            Op::cmp => self.flags = known_flags(Compare::decode(fields)),
            Op::litp => self.flags = [None; 2],
            _ => flow = matches!(op, Op::jmpc | Op::jmpu | Op::callc | Op::callu),
        }
        assert!(self.ifs.len() <= 8 && self.loops.len() <= 4 && self.calls.len() <= 4, "a stack is full");
        let here = pc + 1;
        let before = (self.calls.len(), self.ifs.len(), self.loops.len());
        if self.calls.last().is_some_and(|call| call.0 == here) {
            next = self.calls.pop().map_or(next, |call| call.1);
        }
        if self.ifs.last().is_some_and(|scope| scope.0 == here) {
            next = self.ifs.pop().map_or(next, |scope| scope.1);
        }
        let ended = self.loops.last().is_some_and(|body| body.1 == here);
        assert!(!leave || !self.loops.is_empty(), "break outside of a loop");
        if let Some(body) = self.loops.last_mut().filter(|_| ended || leave) {
            if leave || body.2 == 0 {
                next = body.1;
                self.loops.pop();
            } else {
                body.2 -= 1;
                next = body.0;
            }
        }
        let closed = before != (self.calls.len(), self.ifs.len(), self.loops.len()) || ended;
        assert!(!closed || leave || !flow || op == Op::cmp || op == Op::litp, "a scope ends in {op:?} at {pc}");
        next
    }
}

/// The flags after a comparison, where they are certain.
fn known_flags(compare: Compare) -> [Option<bool>; 2] {
    let same = compare.src1 == compare.src2 && compare.desc == 0;
    [compare.op_x, compare.op_y].map(|op| match op {
        6 | 7 => Some(true),
        2 if same => Some(false),
        _ => None,
    })
}
