//! RSX fragment programs: words that drivers wrote, text and back, what decoding drops, memory, structure, random
//! programs.

use serde_json::Value;
use triglyph_guest::rsx::fragment::memory::{self, MAX_SLOTS, Order, ReadError};
use triglyph_guest::rsx::fragment::program::{clear_constants, constants};
use triglyph_guest::rsx::fragment::random::{self, Options};
use triglyph_guest::rsx::fragment::syntax::{assemble, disassemble};
use triglyph_guest::rsx::fragment::{
    Compute, Flow, FlowOp, Instruction, Op, Precision, Program, Register, Scale, Source, Temp, Words, assemble_program,
    disassemble_program, fields,
};
use triglyph_testkit::data::{hex, vectors};
use triglyph_testkit::random::words;

use super::{known, letters, list, meaningful_bits, words_of};
use crate::assert_errors;

/// A source as the vectors write it, read or not.
fn source_text(bits: u32, words: &Words) -> String {
    use fields::source::{HALF, NEGATE, REGISTER, SWZ_W, SWZ_X, SWZ_Y, SWZ_Z, TYPE};
    let bits = [bits];
    let register = match TYPE.get(&bits) {
        0 => format!("{}{}", if HALF.is_set(&bits) { "H" } else { "R" }, REGISTER.get(&bits)),
        1 => format!("f[{}]", fields::INPUT_SRC.get(words)),
        2 => "const".to_owned(),
        _ => "unknown".to_owned(),
    };
    let swizzle: String = [SWZ_X, SWZ_Y, SWZ_Z, SWZ_W].iter().map(|field| letters(1 << field.get(&bits))).collect();
    format!("{}{register}.{swizzle}", if NEGATE.is_set(&bits) { "-" } else { "" })
}

fn compute(words: Words) -> Option<Compute> {
    match Instruction::decode(words) {
        Ok(Instruction::Compute(compute)) => Some(compute),
        _ => None,
    }
}

#[test]
fn vectors_decode_as_described() {
    for vector in &vectors("rsx/vectors/fragment_program.json", "vectors", 27) {
        let words = words_of(list(vector, "words_le"));
        let (decoded, meaning) = (&vector["decoded"], &vector["meaning"]);
        let instruction = Instruction::decode(words).unwrap_or_else(|error| panic!("{meaning}: {error}"));
        let name = match instruction {
            Instruction::Compute(compute) => compute.op.info().name.to_uppercase(),
            Instruction::Flow(flow) => flow.op.info().name.to_uppercase(),
        };
        assert_eq!(name, decoded["op"].as_str().expect("an operation"), "{meaning}");

        // The same bytes as on the console.
        let mut bytes = [0; 16];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(list(vector, "ps3_memory_be32")) {
            chunk.copy_from_slice(&hex(word.as_str().expect("a word")).to_be_bytes());
        }
        assert_eq!(memory::words(bytes, Order::Big), words, "{meaning}");
        assert_eq!(memory::bytes(words, Order::Big), bytes, "{meaning}");
        assert_eq!(memory::words(memory::bytes(words, Order::Little), Order::Little), words);

        let constant = list(vector, "inline_constant_le");
        assert_eq!(instruction.has_constant(), !constant.is_empty(), "{meaning}");
        let constant = if constant.is_empty() { [0; 4] } else { words_of(constant) };
        let text = disassemble(words, constant);
        let mut expected = words.to_vec();
        expected.extend(constant.iter().filter(|_| instruction.has_constant()));
        assert_eq!(assemble(&text), Ok(expected), "{meaning}: {text}");

        if let Some(compute) = compute(words) {
            check_compute(&compute, &words, decoded, meaning);
        }
    }
}

fn check_compute(compute: &Compute, words: &Words, decoded: &Value, meaning: &Value) {
    let number = |key: &str| decoded[key].as_u64().unwrap_or_else(|| panic!("{meaning}: no {key}")) as u32;
    let text = |key: &str| decoded[key].as_str().unwrap_or_else(|| panic!("{meaning}: no {key}"));
    let fields = [fields::SRC0, fields::SRC1, fields::SRC2];
    for (n, field) in fields.into_iter().enumerate() {
        let told = text(&format!("src{n}"));
        if !told.contains("const") {
            assert_eq!(source_text(field.get(words), words), told, "{meaning}");
        }
        let absolute = number(&format!("src{n}_abs")) == 1;
        assert_eq!(compute.sources[n].absolute, absolute && compute.reads_source(n), "{meaning}");
        assert_eq!(compute.reads_source(n), compute.op.reads(n), "{meaning}");
    }
    assert_eq!(compute.end, number("end") == 1, "{meaning}");
    assert_eq!(compute.set_condition.is_some(), number("set_cond") == 1, "{meaning}");
    let test = compute.condition.map_or(7, |condition| condition.test.bits());
    let names = ["LT", "EQ", "GT"].iter().enumerate().filter(|(i, _)| test >> i & 1 != 0).map(|(_, name)| *name);
    assert!(compute.op == Op::nop || names.collect::<Vec<_>>().join(" ") == text("exec"), "{meaning}");
    if compute.op.has_result() {
        assert_eq!(letters(compute.mask.bits().into()), text("mask"), "{meaning}");
        let destination = compute.destination.map(|temp| match temp {
            Temp::Full(number) => format!("R{number}"),
            Temp::Half(number) => format!("H{number}"),
        });
        assert_eq!(compute.destination.is_none(), number("no_dest") == 1, "{meaning}");
        assert!(destination.is_none_or(|destination| destination == text("dst")), "{meaning}");
        assert_eq!(compute.precision as u32, number("precision"), "{meaning}");
        assert_eq!(compute.scale, Scale::ALL[number("scale") as usize], "{meaning}");
        assert_eq!(compute.saturate, number("saturate") == 1, "{meaning}");
    }
    if compute.op.is_texture() {
        assert_eq!(u32::from(compute.texture), number("tex_unit"), "{meaning}");
    }
}

#[test]
fn vectors_print_as_one_would_write_them() {
    let constant = [0.5f32, 0.5, 0.5, 1.0].map(f32::to_bits);
    for (words, text) in [
        ([0x1700_9E00, 0x1C9D_C801, 0x0001_C800, 0x3FE1_C800], "tex r0, f[TC0], tex0"),
        ([0x1800_9000, 0x1C9D_C801, 0x0001_C800, 0x3FE1_C800], "txp r0.w, f[TC0], tex0"),
        ([0x0140_1E81, 0x1C9D_FE00, 0x0001_C800, 0x0001_C800], "mov h0, r0.w  [fp16, end]"),
        ([0x0100_3E00, 0x1C9D_C801, 0x0001_C800, 0x0001_C800], "mov r0, f[COL0]"),
        ([0x8400_1E06, 0x1C9D_C800, 0x0001_C804, 0x0001_C808], "mad r3, r0, r1, r2  [sat]"),
        ([0x0540_0284, 0x1C9D_C900, 0x0001_C904, 0x0001_C800], "dp3 h2.x, h0, h1  [fp16]"),
        ([0x0200_1E00, 0x1C9D_C804, 0x0001_C802, 0x0001_C800], "mul r0, r1, {0.5, 0.5, 0.5, 1}"),
        ([0x0100_1E00, 0x1C9D_C800, 0x5001_C800, 0x0001_C800], "mov r0, r0  [/2]"),
        ([0x1200_0000, 0x0005_C800, 0x0001_C800, 0x0001_C800], "kil  [if lt.x]"),
        ([0x1B00_0208, 0x3C9C_AA0C, 0x0001_C800, 0x0001_C800], "rsq r4.x, |r3.y|"),
        ([0x0600_9E00, 0x1C9D_C804, 0x0001_C801, 0x0001_C800], "dp4 r0, r1, f[TC0]  [^w3:0x3fe00000]"),
        ([0x0400_0000, 0x1C9D_C800, 0x8000_0014, 0x0000_0018], "rep 5, 24"),
        ([0x0200_0000, 0x1C91_C800, 0x8000_0010, 0x0000_0020], "ife 16, 32  [if gt.x, ^w1:0x1c800000]"),
        ([0x0000_0001, 0x1C9D_C800, 0x0001_C800, 0x0001_C800], "nop  [end]"),
    ] {
        assert_eq!(disassemble(words, constant), text);
    }
}

/// Whether a number is ours as the recorded listings round it.
fn same_number(theirs: &str, ours: &str) -> bool {
    let (Ok(theirs), Ok(ours)) = (theirs.parse::<f32>(), ours.parse::<f32>()) else { return false };
    (theirs - ours).abs() <= 1e-5 * theirs.abs()
}

/// Compares a line of the recorded listings with ours, constants by value.
fn assert_same_text(theirs: &str, ours: &str) {
    let (theirs, end) = theirs.strip_suffix(" END").map_or((theirs, false), |text| (text, true));
    let (op, operands) = theirs.split_once(' ').expect("an instruction has operands");
    let (op, saturate) = op.strip_suffix("_sat").map_or((op, false), |op| (op, true));
    let (op, scale) = op.split_at(op.find(['*', '/']).unwrap_or(op.len()));
    let mut operands = operands.to_owned();
    for letter in ["x", "y", "z", "w"] {
        operands = operands.replace(&format!(".{}", letter.repeat(4)), &format!(".{letter}"));
    }
    let (destination, sources) = operands.split_once(", ").expect("a source");
    let sources = sources.replace('R', "r").replace('H', "h");
    let destination = destination.replace(".xyzw", "").to_lowercase();
    let scale = if scale.is_empty() { None } else { Some(scale) };
    let flags: Vec<&str> = scale.into_iter().chain(saturate.then_some("sat")).chain(end.then_some("end")).collect();
    let flags = if flags.is_empty() { String::new() } else { format!("  [{}]", flags.join(", ")) };
    let expected = format!("{} {destination}, {sources}{flags}", op.to_lowercase());
    let numbers = |text: &str| -> Vec<String> { text.split([' ', ',', '{', '}']).map(str::to_owned).collect() };
    let (expected_parts, parts) = (numbers(&expected), numbers(ours));
    let same = |(a, b): (&String, &String)| a == b || same_number(a, b);
    assert!(expected_parts.len() == parts.len() && expected_parts.iter().zip(&parts).all(same), "{expected} | {ours}");
}

#[test]
fn errors_name_their_line() {
    let idle = "line 1, column 1: this cannot be said in one instruction, or a part of it has no effect";
    assert_errors(
        assemble_program,
        &[
            ("nop\nfrob r0, r1", "line 2, column 1: unknown instruction `frob`"),
            ("\n\ncal there", "line 3, column 5: unknown label `there`"),
            ("mul r0, {1, 0, 0, 0}, {2, 0, 0, 0}", "line 1, column 1: an instruction has one constant"),
            ("mul r0, f[TC0], f[TC1]", "line 1, column 1: an instruction reads one input"),
            ("mov r64, r0", "line 1, column 6: a register 64 is beyond 63"),
            ("mov r0, f[TC10]", "line 1, column 1: there is no input `TC10`"),
            ("mov r0, {1, 2, 3}", "line 1, column 17: expected ,, found `}`"),
            ("mov r0, {1, x, 3, 4}", "line 1, column 13: expected a number, found `x, 3, 4}`"),
            ("loop 256, 0, 1, 0", "line 1, column 6: a count 256 is beyond 255"),
            ("mov r0, r1 [bx2]", idle),
            ("mov _, r1 [sat]", idle),
            ("txl r0, r1, r0, tex2", idle),
            ("mad r0, r1, r2, r3 [const {0, 0, 0, 0}]", idle),
            ("mov r0, r1 [^w0:2]", "line 1, column 1: bits after `^` change what the instruction means"),
        ],
    );
}

#[test]
fn recorded_programs_read_as_recorded() {
    for recorded in &vectors("rsx/vectors/recorded_programs.json", "fragment_programs", 10) {
        let capture = &recorded["capture"];
        let lines = list(recorded, "words").iter().map(|line| line.as_str().expect("words"));
        let code: Vec<u32> = lines.flat_map(|line| line.split(' ')).map(|word| hex(&format!("0x{word}"))).collect();
        let listing = disassemble_program(&code);
        assert_eq!(assemble_program(&listing).as_ref(), Ok(&code), "{capture}\n{listing}");

        let program = Program::decode(&code, |at, error| panic!("{capture} {at}: {error}"));
        let all: Vec<Words> = constants(&code).collect();
        assert_eq!(all.len(), usize::from(program.constants));
        let texts = list(recorded, "text");
        assert_eq!(program.code.len(), texts.len());
        for (step, text) in program.code.iter().zip(texts) {
            let constant = step.constant.map_or([0; 4], |index| all[usize::from(index)]);
            // Half the instructions say fp16, which the recorded listings leave out.
            let ours = disassemble(step.instruction.encode(), constant);
            let ours = ours.replace("fp16, ", "").replace("  [fp16]", "").replace(", fp16", "");
            assert_same_text(text.as_str().expect("a line"), &ours);
        }

        let control = hex(recorded["shader_control"].as_str().expect("a register"));
        assert_eq!(u32::from(program.summary.registers).max(2), control >> 24, "{capture}");
        assert_eq!(program.summary.kills, control & 0x80 != 0, "{capture}");
        assert!(!program.summary.flow);
        let slot = |slot: usize| {
            let words = code.get(4 * slot..4 * slot + 4)?;
            Some(memory::bytes([words[0], words[1], words[2], words[3]], Order::Big))
        };
        let mut read = Vec::new();
        assert_eq!(memory::read(Order::Big, slot, &mut read), Ok(()), "{capture}");
        assert_eq!(read, code, "{capture}");
    }
}

/// Random words with an opcode that exists.
fn random_instruction(rng: &mut impl FnMut() -> u32) -> (Words, Instruction) {
    let next = || {
        let mut words = [0; 4].map(|_| rng());
        fields::OPCODE_BIT6.put(&mut words, u32::from(rng() & 7 == 0));
        if fields::OPCODE_BIT6.is_set(&words) {
            fields::OPCODE_LOW6.put(&mut words, rng() % 6);
        }
        words
    };
    known(next, Instruction::decode)
}

#[test]
fn random_words_go_through_text_and_back() {
    let mut rng = words(1);
    for _ in 0..40_000 {
        let (words, instruction) = random_instruction(&mut rng);
        let constant = [0; 4].map(|_| rng());
        let text = disassemble(words, constant);
        let mut expected = words.to_vec();
        expected.extend(constant.iter().filter(|_| instruction.has_constant()));
        assert_eq!(assemble(&text), Ok(expected), "{text}");
        let canonical = instruction.encode();
        assert_eq!(Instruction::decode(canonical), Ok(instruction), "{text}");
        assert!(!disassemble(canonical, constant).contains('^'), "{text}");
    }
}

#[test]
fn every_bit_means_something_somewhere() {
    let mut rng = words(2);
    let meant = meaningful_bits(|| random_instruction(&mut rng).0, Instruction::decode);
    assert_eq!(meant, [u32::MAX; 4]);
}

#[test]
fn unknown_opcodes_are_errors_with_the_words() {
    for opcode in 0..128u32 {
        let words = [(opcode & 63) << 24, 0x1C9D_C800, (opcode >> 6) << 31, 0];
        let known = Op::from_code(opcode).is_some() || FlowOp::from_code(opcode).is_some();
        let decoded = Instruction::decode(words);
        assert_eq!(decoded.is_ok(), known, "{opcode:#x}");
        if let Err(error) = decoded {
            assert_eq!(error.words, words);
            assert!(error.to_string().contains(&format!("{:08x}", words[0])));
            let code = [words.as_slice(), &[0x0000_0001, 0x1C9D_C800, 0x1_C800, 0x1_C800]].concat();
            assert_eq!(assemble_program(&disassemble_program(&code)), Ok(code.clone()));
            let mut found = Vec::new();
            let program = Program::decode(&code, |at, error| found.push((at, error.words)));
            assert_eq!((program.code.len(), program.code[0].instruction), (2, Instruction::NOP));
            assert_eq!(found, [(0, words)]);
        }
    }
}

#[test]
fn a_constant_follows_sources_that_nothing_reads() {
    let nop = assemble("nop [const {1, 2, 3, 4}]").expect("valid");
    assert_eq!(nop.len(), 8);
    let code = [nop, assemble("mov r0, {5, 6, 7, 8} [end]").expect("valid")].concat();
    let program = Program::decode(&code, |_, error| panic!("{error}"));
    assert_eq!(program.code.iter().map(|step| step.constant).collect::<Vec<_>>(), [Some(0), Some(1)]);
    let values: Vec<_> = constants(&code).map(|words| words.map(f32::from_bits)).collect();
    assert_eq!(values, [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]);
    let mut cleared = code.clone();
    clear_constants(&mut cleared);
    assert_eq!(Program::decode(&cleared, |_, error| panic!("{error}")), program);
    assert!(constants(&cleared).all(|words| words == [0; 4]));
    // A constant that is cut off reads as zero.
    let cut = &code[..13];
    assert_eq!(constants(cut).last(), Some([5.0f32.to_bits(), 0, 0, 0]));
    clear_constants(&mut cut.to_vec());
}

#[test]
fn a_level_of_detail_is_in_source_1_where_that_says_something() {
    let lod = |text: &str| compute(assemble(text).expect("valid")[..4].try_into().expect("four words"));
    let source = |text: &str| lod(text).expect("it computes").sources[1];
    assert_eq!(source("txl r0, f[TC0], tex1"), Source::UNUSED);
    assert_eq!(source("txb r0, f[TC0], r0.x, tex1").register, Register::Temp(Temp::Full(0)));
    assert_eq!(source("txl r0, f[TC0], |r0|, tex1").register, Register::Temp(Temp::Full(0)));
    assert_eq!(source("txl r0, f[TC0], {1, 0, 0, 0}, tex1").register, Register::Constant);
    // Mesa leaves the type of an input there.
    let mut words: Words = assemble("txl r0, r1, tex1").expect("valid").try_into().expect("four words");
    words[2] |= 1;
    assert_eq!(compute(words).expect("it computes").sources[1], Source::UNUSED);
    assert!(!compute(words).expect("it computes").reads(Register::Input));
}

fn read(code: &[u32]) -> Result<Vec<u32>, ReadError> {
    let slot = |slot: usize| {
        let words = code.get(4 * slot..4 * slot + 4)?;
        Some(memory::bytes([words[0], words[1], words[2], words[3]], Order::Little))
    };
    let mut read = vec![0xFFFF_FFFF];
    memory::read(Order::Little, slot, &mut read).map(|()| read)
}

#[test]
fn words_in_memory_have_their_halves_exchanged() {
    let words: Words = [0x1122_3344, 0, 0xFFFF_0001, 0x8000_0000];
    let stored = memory::bytes(words, Order::Big);
    assert_eq!(stored[..8], [0x33, 0x44, 0x11, 0x22, 0, 0, 0, 0]);
    assert_eq!(stored[8..], [0, 1, 0xFF, 0xFF, 0, 0, 0x80, 0]);
    assert_eq!(memory::words(stored, Order::Big), words);
    // The same halves in the order of a PC are ordinary words.
    assert_eq!(memory::bytes(words, Order::Little)[..4], [0x44, 0x33, 0x22, 0x11]);
}

#[test]
fn reading_ends_where_the_program_does() {
    let program = |text: &str| assemble_program(text).expect("valid");
    let main = "mov r0, {1, 2, 3, 4}\n nop [end]\n";
    let garbage = "mov r9, r9\nmov r9, r9 [end]\n";
    assert_eq!(read(&program(&format!("{main}{garbage}"))), Ok(program(main)));
    // Routines after the end belong to it, up to the furthest one's return.
    let called =
        "cal far\ncal near\nnop [end]\nnear: add r0, r0, r0\nret\nfar: mov r1, {1, 0, 0, 0}\nret [if lt.x]\nret\n";
    assert_eq!(read(&program(&format!("{called}{garbage}"))), Ok(program(called)));
    // A return before the end is none.
    let inner = "ife over, over [if fl]\nsub: add r0, r0, r0\nret\nover: cal sub\nnop [end]\n";
    assert_eq!(read(&program(&format!("{inner}{garbage}"))), Ok(program(inner)));

    assert_eq!(read(&program("nop\nmov r0, {1, 2, 3, 4}")[..8]), Err(ReadError::Memory { slot: 2 }));
    assert_eq!(read(&[]), Err(ReadError::Memory { slot: 0 }));
    let nop = assemble("nop").expect("valid");
    assert_eq!(read(&nop.repeat(MAX_SLOTS + 1)), Err(ReadError::NoEnd));
    let mut longest = nop.repeat(MAX_SLOTS - 1);
    longest.extend(assemble("nop [end]").expect("valid"));
    assert_eq!(read(&longest).map(|code| code.len()), Ok(4 * MAX_SLOTS));
    let far = program("cal 0x7fffffff\nnop [end]");
    assert_eq!(read(&far), Err(ReadError::Memory { slot: 2 }));
}

/// What a program's offsets become: target and end of each step.
fn places(text: &str) -> Vec<(u16, u16)> {
    let code = assemble_program(text).expect("valid");
    Program::decode(&code, |_, error| panic!("{error}")).code.iter().map(|step| (step.target, step.end)).collect()
}

#[test]
fn offsets_become_indices() {
    let text = "mov r0, {1, 2, 3, 4}\nife other, over\nmov r0, {0, 0, 0, 0}\nother: nop\nover: rep 3, done\nnop\ndone: cal 0\nnop [end]";
    assert_eq!(places(text), [(0, 0), (3, 4), (0, 0), (0, 0), (0, 6), (0, 0), (0, 0), (0, 0)]);
    // Into a constant: the next instruction.
    assert_eq!(places("cal 5\nmov r0, {1, 2, 3, 4}\nnop\nnop [end]")[0], (2, 0));
    assert_eq!(places("cal 4000\nnop [end]")[0], (2, 0));
}

#[test]
fn offsets_out_of_order_stay_within_what_is_around_them() {
    // After itself, after the end, before the else part, out of a loop.
    assert_eq!(places("nop\nife 0, 0\nnop [end]")[1], (2, 2));
    assert_eq!(places("ife 4000, 5000\nnop [end]")[0], (2, 2));
    assert_eq!(places("ife 12, 4\nnop\nnop\nnop [end]")[0], (3, 3));
    assert_eq!(places("rep 2, 12\nife 8, 400\nnop\nnop [end]"), [(0, 3), (2, 3), (0, 0), (0, 0)]);
    assert_eq!(places("nop\nrep 9, 0\nnop [end]")[1], (0, 2));
    assert_eq!(places("loop 9, 0, 1, 0x10000\nnop [end]")[0], (0, 2));
}

/// Every structure lies within the one around it.
fn assert_nested(program: &Program) {
    let mut parts = vec![program.code.len()];
    for (index, step) in program.code.iter().enumerate() {
        while parts.len() > 1 && parts.last().is_some_and(|&end| end <= index) {
            parts.pop();
        }
        let limit = *parts.last().expect("the program is around everything");
        let Instruction::Flow(Flow { op, .. }) = step.instruction else { continue };
        let (target, end) = (usize::from(step.target), usize::from(step.end));
        match op {
            FlowOp::ife => {
                assert!(index < target && target <= end && end <= limit, "{index}: {target} {end} in {limit}");
                parts.extend([end, target]);
            }
            FlowOp::loop_ | FlowOp::rep => {
                assert!(index < end && end <= limit, "{index}: {end} in {limit}");
                parts.push(end);
            }
            FlowOp::cal => assert!(target <= program.code.len()),
            FlowOp::brk | FlowOp::ret => {}
        }
    }
}

fn kinds() -> Vec<Options> {
    let base = Options::default();
    vec![
        base,
        Options { length: 1, ..base },
        Options { length: 500, ..base },
        Options { flow: false, halves: false, packing: false, textures: 0, transcendental: false, kill: false, ..base },
        Options { ragged: true, length: 100, ..base },
        Options { garbage: true, ragged: true, ..base },
    ]
}

#[test]
fn random_programs_go_through_text_memory_and_back() {
    let mut rng = words(3);
    for options in kinds().into_iter().cycle().take(360) {
        let code = random::program(&mut rng, options);
        let program = Program::decode(&code, |_, _| assert!(options.garbage));
        assert_nested(&program);
        if !options.garbage {
            let listing = disassemble_program(&code);
            assert_eq!(assemble_program(&listing).as_ref(), Ok(&code), "{listing}");
        }
        if !options.ragged {
            let read = read(&code).expect("it ends");
            // Routines that nothing calls are left out.
            assert_eq!(read[..], code[..read.len()]);
            let whole = Program::decode(&read, |_, error| panic!("{error}"));
            let called = |step: &&triglyph_guest::rsx::fragment::Step| {
                matches!(step.instruction, Instruction::Flow(Flow { op: FlowOp::cal, .. }))
            };
            assert!(whole.code.iter().filter(called).all(|step| usize::from(step.target) < whole.code.len()));
        }
    }
}

#[test]
fn random_programs_contain_everything() {
    let mut rng = words(4);
    let (mut ops, mut flows) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    let (mut halves, mut precise, mut relative, mut conditions, mut roots) = (0, 0, 0, 0, 0);
    for _ in 0..200 {
        let code = random::program(&mut rng, Options { length: 200, ..Options::default() });
        for step in Program::decode(&code, |_, error| panic!("{error}")).code {
            roots += u32::from(step.root.is_some());
            match step.instruction {
                Instruction::Flow(flow) => {
                    flows.insert(flow.op);
                }
                Instruction::Compute(compute) => {
                    ops.insert(compute.op);
                    halves += u32::from(matches!(compute.destination, Some(Temp::Half(_))));
                    precise += u32::from(compute.precision != Precision::Full);
                    relative += u32::from(matches!(compute.input, triglyph_guest::rsx::fragment::Input::Relative(_)));
                    conditions += u32::from(compute.condition.is_some());
                }
            }
        }
    }
    let missing: Vec<_> = Op::ALL.iter().filter(|op| !ops.contains(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(flows.len(), FlowOp::ALL.len());
    assert!(halves > 1000 && precise > 500 && relative > 200 && conditions > 1000 && roots > 200);
}

#[test]
fn broken_programs_are_decoded_whatever_they_hold() {
    let mut rng = words(5);
    for length in 0..400 {
        let code: Vec<u32> = (0..length).map(|_| rng()).collect();
        let mut unknown = 0;
        let program = Program::decode(&code, |_, _| unknown += 1);
        assert!(unknown <= program.code.len() && program.code.len() * 4 <= length);
        assert_nested(&program);
        assert_eq!(constants(&code).count(), usize::from(program.constants));
        let _ = (read(&code), disassemble_program(&code));
    }
}
