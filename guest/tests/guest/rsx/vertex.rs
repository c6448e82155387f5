//! RSX vertex programs: words that drivers wrote, text and back, what decoding drops, random programs.

use serde_json::Value;
use triglyph_guest::rsx::operand::{Condition, Mask, Swizzle, Test};
use triglyph_guest::rsx::vertex::random::{self, Options};
use triglyph_guest::rsx::vertex::syntax::{assemble, disassemble};
use triglyph_guest::rsx::vertex::{
    CALL_DEPTH, Instruction, Program, Register, STORE, ScalarOp, Source, Unit, VectorOp, Words, assemble_program,
    disassemble_program, fields,
};
use triglyph_testkit::data::{hex, vectors};
use triglyph_testkit::random::words;

use super::{known, letters, list, meaningful_bits, words_of};
use crate::assert_errors;

/// A source as the vectors write it, with the instruction's one input and constant. Sources that nothing reads are
/// there as well, so this decodes the fields alone.
fn source_text(bits: u32, words: &Words) -> String {
    let (bits, mut out) = ([bits], String::new());
    use fields::source::{NEGATE, SWZ_W, SWZ_X, SWZ_Y, SWZ_Z, TEMP, TYPE};
    out.push_str(if NEGATE.is_set(&bits) { "-" } else { "" });
    let relative = |flag: bool| if flag { "+a" } else { "" };
    out.push_str(&match TYPE.get(&bits) {
        1 => format!("r{}", TEMP.get(&bits)),
        2 => format!("v[{}{}]", fields::INPUT_SRC.get(words), relative(fields::INDEX_INPUT.is_set(words))),
        3 => format!("c[{}{}]", fields::CONST_SRC.get(words), relative(fields::INDEX_CONST.is_set(words))),
        _ => "none".to_owned(),
    });
    out.push('.');
    for field in [SWZ_X, SWZ_Y, SWZ_Z, SWZ_W] {
        out.push_str(&letters(1 << field.get(&bits)));
    }
    out
}

#[test]
fn vectors_decode_as_described() {
    for vector in &vectors("rsx/vectors/vertex_program.json", "vectors", 34) {
        let words = words_of(list(vector, "words"));
        let (decoded, meaning) = (&vector["decoded"], &vector["meaning"]);
        let instruction = Instruction::decode(words).unwrap_or_else(|error| panic!("{meaning}: {error}"));
        let number = |key: &str| decoded[key].as_u64().unwrap_or_else(|| panic!("{meaning}: no {key}")) as u32;
        let text = |key: &str| decoded[key].as_str().unwrap_or_else(|| panic!("{meaning}: no {key}"));

        assert_eq!(instruction.vector.op.info().name.to_uppercase(), text("vec_op"), "{meaning}");
        assert_eq!(instruction.scalar.op.info().name.to_uppercase(), text("sca_op"), "{meaning}");
        let w = &words;
        let sources = [
            fields::SRC0_HIGH.get(w) << 9 | fields::SRC0_LOW.get(w),
            fields::SRC1.get(w),
            fields::SRC2_HIGH.get(w) << 11 | fields::SRC2_LOW.get(w),
        ];
        for (n, bits) in sources.into_iter().enumerate() {
            let told = text(&format!("src{n}"));
            assert_eq!(source_text(bits, w), told, "{meaning}");
            let used = instruction.reads_source(n);
            assert_eq!(instruction.sources[n] == Source::UNUSED, !used, "{meaning}");
            if used {
                let absolute = list(decoded, "abs")[n].as_u64() == Some(1);
                assert_eq!(instruction.sources[n].absolute, absolute, "{meaning}");
            }
        }
        let reversed = |first: u32| Mask::from_reversed((w[3] >> first) as u8 & 15).bits();
        assert_eq!(letters(reversed(13).into()), text("vec_mask"), "{meaning}");
        assert_eq!(letters(reversed(17).into()), text("sca_mask"), "{meaning}");
        if instruction.vector.op != VectorOp::nop {
            assert_eq!(letters(instruction.vector.mask.bits().into()), text("vec_mask"), "{meaning}");
            if !instruction.vector.op.writes_address() {
                let temp = instruction.vector.temp.map_or(63, u32::from);
                assert_eq!(temp, number("vec_dst_temp"), "{meaning}");
            }
        }
        if instruction.scalar.op.has_result() {
            assert_eq!(letters(instruction.scalar.mask.bits().into()), text("sca_mask"), "{meaning}");
            assert_eq!(instruction.scalar.temp.map_or(63, u32::from), number("sca_dst_temp"), "{meaning}");
        }
        let output = if number("vec_result") == 1 { instruction.vector.output } else { instruction.scalar.output };
        let idle = number("vec_result") == 0 && !instruction.scalar.op.has_result();
        assert!(idle || output.map_or(31, u32::from) == number("dst_output"), "{meaning}");
        assert_eq!(instruction.saturate, number("saturate") == 1, "{meaning}");
        assert_eq!(instruction.end, number("end") == 1, "{meaning}");
        assert_eq!(instruction.update.is_some(), number("cond_update") != 0, "{meaning}");
        let condition = instruction.condition.map(|condition| condition.test.bits());
        let tested = number("cond_test") == 1 && number("cond_mask") != 7;
        assert_eq!(condition, tested.then(|| number("cond_mask")), "{meaning}");
        assert_eq!(instruction.relative_constant, number("index_const") == 1, "{meaning}");
        if instruction.relative_constant {
            let address = (instruction.address_register.into(), instruction.address_component.into());
            assert_eq!(address, (number("addr_reg_sel"), number("addr_swz")), "{meaning}");
        }

        let text = disassemble(words);
        assert_eq!(assemble(&text), Ok(words), "{meaning}: {text}");
    }
}

#[test]
fn vectors_print_as_one_would_write_them() {
    for (words, text) in [
        ([0x401F_9C6C, 0x0040_000D, 0x8106_C083, 0x6041_FF80], "mov o[HPOS], v[0]"),
        ([0x401F_9C6C, 0x0040_000D, 0x8106_C083, 0x6041_EF80], "mov o[HPOS], v[0]  [^w3:0x1000]"),
        ([0x401F_9C6C, 0x0080_300D, 0x8286_C0C3, 0x6041_AF9C], "mul o[TC0].xyw, r1, c[3]  [^w3:0x1000]"),
        ([0x0001_9C6C, 0x0100_A10D, 0x8106_C0E3, 0x6121_FFFC], "mad r3, v[1], c[10], -r2"),
        ([0x0022_9C6C, 0x0140_700D, 0x8886_80C3, 0x6041_1FFC], "dp3 r5.x, |r4|, c[7].xyzz"),
        ([0x0000_1C6C, 0x0340_0000, 0x0086_C083, 0x6041_1FFC], "arl a0.x, r0.x"),
        ([0x0004_9C6D, 0x0042_000D, 0x8186_C083, 0x6041_FFFE], "mov r9, c[a0.y + 32]"),
        ([0x0400_1C6C, 0x0086_420D, 0x8106_C0C3, 0x6041_9FFC], "mul r0.xy, v[2], c[100]  [sat]"),
        ([0x009F_9C6C, 0x2000_000D, 0x8106_C080, 0x02A8_00FC], "rsq r1.y, |r5.x|"),
        ([0x0001_1C6C, 0x0880_900D, 0x8086_C143, 0x607F_FFA0], "mul r2, r0, r1 + mov o[TC1], c[9]"),
        ([0x2001_DC6C, 0x0040_000D, 0x8486_C083, 0x6041_FFFC], "mov r3, r2  [set]"),
        ([0x0002_286C, 0x0040_000D, 0x8A86_C083, 0x6041_1FFC], "mov r4.x, r5  [if eq]"),
        ([0x009F_B06C, 0x5800_000D, 0x8106_C080, 0xA040_1FFC], "cli 517  [if gt]"),
        ([0x001F_9C6C, 0x8800_000D, 0x8106_C082, 0x91C0_1FFC], "brb b3, 20"),
        ([0x0001_9C6C, 0x0400_650D, 0x8106_C0C3, 0x6041_FFFD], "seq r3, v[5], c[6]  [end]"),
    ] {
        assert_eq!(disassemble(words), text);
        assert_eq!(assemble(text), Ok(words));
    }
}

/// A line of the recorded listings in our words.
fn in_our_words(text: &str) -> String {
    let (text, end) = text.strip_suffix(" END").map_or((text, false), |text| (text, true));
    let (text, update) = text.strip_suffix(" setcc0/11").map_or((text, false), |text| (text, true));
    let (text, condition) = text.split_once(" (cc0 ").map_or((text, None), |(text, condition)| (text, Some(condition)));
    let (op, operands) = text.split_once(' ').expect("an instruction has operands");
    let mut out = op.to_lowercase();
    for (i, operand) in operands.split(", ").enumerate() {
        let mut operand = operand.replace("PSZ", "PSIZ").replace("FOG", "FOGC");
        if operand.starts_with('.') {
            operand = format!("_{operand}");
        }
        operand = operand.replace(if i == 0 { ".xyzw" } else { "no swizzle" }, "");
        for letter in ["x", "y", "z", "w"] {
            operand = operand.replace(&format!(".{}", letter.repeat(4)), &format!(".{letter}"));
        }
        if let Some((before, number)) = operand.split_once('v') {
            let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            operand = format!("{before}v[{}]{}", &number[..end], &number[end..]);
        }
        out.push_str(if i == 0 { " " } else { ", " });
        out.push_str(&operand);
    }
    let test = condition.map(|condition| if condition.starts_with('6') { "if ge" } else { "if lt" });
    let flags: Vec<&str> = test.into_iter().chain(update.then_some("set")).chain(end.then_some("end")).collect();
    if flags.is_empty() { out } else { format!("{out}  [{}]", flags.join(", ")) }
}

/// The text of an instruction without bits that mean nothing.
fn plain(words: Words) -> String {
    Instruction::decode(words).map_or_else(|error| error.to_string(), |instruction| disassemble(instruction.encode()))
}

#[test]
fn errors_name_their_line() {
    let idle = "line 1, column 1: this cannot be said in one instruction, or a part of it has no effect";
    assert_errors(
        assemble_program,
        &[
            ("nop\nfrob r0, r1", "line 2, column 1: unknown instruction `frob`"),
            ("a: nop\na: nop", "line 2, column 4: label `a` is defined twice"),
            ("\n\nbri there", "line 3, column 5: unknown label `there`"),
            ("nop\n.at 3", "line 2, column 1: `.at` must precede everything else"),
            (".at 2000\nx: bri x", "line 2, column 8: a target 2000 is beyond 1023"),
            ("mad r0, c[1], c[2], r0", "line 1, column 1: an instruction reads one constant"),
            ("mov r63, v[0]", "line 1, column 6: a temporary 63 is beyond 62"),
            ("mov r0, v[0] v[1]", "line 1, column 14: expected the end of the line, found `v[1]`"),
            ("mov r0.yx, v[0]", "line 1, column 1: the components of a write mask come in order, each once"),
            ("add r0, r1, r2 + rcp r3.x, r4.x", "line 1, column 1: both units have the same source 2"),
            (
                "mul r0, c[a0.x + 1], v[a0.y + 2]",
                "line 1, column 1: an instruction reads one component of an address register",
            ),
            ("nop [sat]", idle),
            ("mov o[1], r0 + rcp o[2].x, r1.x", idle),
            ("mov r0, v[0] [^w1:1]", "line 1, column 1: bits after `^` change what the instruction means"),
            (".word 1, 2, 3", "line 1, column 14: expected ,, found ``"),
        ],
    );
}

#[test]
fn recorded_programs_read_as_recorded() {
    for recorded in &vectors("rsx/vectors/recorded_programs.json", "vertex_programs", 9) {
        let capture = &recorded["capture"];
        let first = recorded["start"].as_u64().expect("a start") as usize;
        let line = |line: &Value| -> Words {
            let words = line.as_str().expect("words").split(' ');
            let words: Vec<u32> = words.map(|word| hex(&format!("0x{word}"))).collect();
            words.try_into().expect("four words")
        };
        let code: Vec<Words> = list(recorded, "words").iter().map(line).collect();
        let texts = list(recorded, "text");
        assert_eq!(code.len(), texts.len());
        for (&words, text) in code.iter().zip(texts) {
            let expected = in_our_words(text.as_str().expect("a line"));
            assert_eq!(plain(words), expected, "{capture}");
        }
        let listing = disassemble_program(&code, first);
        assert_eq!(assemble_program(&listing), Ok((first, code.clone())), "{capture}\n{listing}");

        let program = Program::decode(&code, 0, |index, error| panic!("{capture} {index}: {error}"));
        assert_eq!(program.code.len(), code.len());
        let mask = |key: &str| hex(recorded[key].as_str().expect("a mask"));
        assert_eq!(u32::from(program.summary.inputs), mask("input_mask"), "{capture}");
        // Texture coordinate n is bit 14 + n of the mask and output 7 + n; the position has no bit.
        let coordinates = u32::from(program.summary.outputs) >> 7 & 0xFF;
        let colors = u32::from(program.summary.outputs) >> 1 & 0xF;
        let fog_and_size = u32::from(program.summary.outputs) >> 5 & 3;
        assert_eq!(coordinates << 14 | colors | fog_and_size << 4, mask("output_mask"), "{capture}");
        assert!(!program.summary.flow && program.summary.outputs & 1 != 0);
    }
}

/// Random words with opcodes that exist.
fn random_instruction(rng: &mut impl FnMut() -> u32) -> (Words, Instruction) {
    let next = || {
        let mut words = [0; 4].map(|_| rng());
        if rng() & 1 == 0 {
            // Opcodes of branches are rare among all.
            fields::SCA_OPCODE.put(&mut words, 8 + rng() % 13);
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
        let text = disassemble(words);
        assert_eq!(assemble(&text), Ok(words), "{text}");
        let canonical = instruction.encode();
        assert_eq!(Instruction::decode(canonical), Ok(instruction), "{text}");
        assert!(!disassemble(canonical).contains('^'), "{text}");
    }
}

#[test]
fn every_bit_means_something_or_is_named_idle() {
    let mut rng = words(2);
    let meant = meaningful_bits(|| random_instruction(&mut rng).0, Instruction::decode);
    // Bit 28 of the first word is unknown, bit 31 is not there.
    assert_eq!(meant, [!(1 << 28 | 1 << 31), u32::MAX, u32::MAX, u32::MAX]);
}

#[test]
fn unknown_opcodes_are_errors_with_the_words() {
    for (vector, scalar) in [(0x1A, 0), (0x1F, 1), (0, 0x15), (1, 0x1F)] {
        let mut words = [0; 4];
        fields::VEC_OPCODE.put(&mut words, vector);
        fields::SCA_OPCODE.put(&mut words, scalar);
        let error = Instruction::decode(words).expect_err("there is no such operation");
        assert_eq!(error.words, words);
        assert!(error.to_string().contains(&format!("{:08x}", words[1])));
        assert_eq!(assemble(&disassemble(words)).ok(), None);
        let listing = disassemble_program(&[words], 3);
        assert_eq!(assemble_program(&listing), Ok((3, vec![words])));
    }
}

#[test]
fn updates_follow_the_two_bits() {
    let update = |text: &str, bits: [u32; 2]| {
        let mut words = assemble(text).expect("a valid line");
        fields::COND_UPDATE0.put(&mut words, bits[0]);
        fields::COND_UPDATE1.put(&mut words, bits[1]);
        Instruction::decode(words).expect("known").update
    };
    let (vector, scalar) = (Some(Unit::Vector), Some(Unit::Scalar));
    for (text, both, first) in [
        ("mov r0, r1", vector, None),
        ("mov _, r1", vector, vector),
        ("mov o[1], r1", vector, None),
        ("rcp r0, r1", scalar, None),
        ("rcp _, r1", scalar, scalar),
        ("mov r0, r1 + rcp _, r2", vector, scalar),
        ("mov _, r1 + rcp r3, r2", vector, vector),
        ("arl a0, r1 + rcp _, r2", None, scalar),
        ("bri 3", None, None),
        ("nop", None, None),
    ] {
        assert_eq!(update(text, [1, 1]), both, "{text}");
        assert_eq!(update(text, [1, 0]), first, "{text}");
        assert_eq!(update(text, [0, 1]), None, "{text}");
    }
}

#[test]
fn a_branch_shares_bits_with_source_2() {
    let words = assemble("mov r0, r1 + bri 0x2AD [if lt]").expect("a valid line");
    let instruction = Instruction::decode(words).expect("known");
    assert_eq!((instruction.scalar.target, instruction.sources[2]), (0x2AD, Source::UNUSED));
    // ADD reads what the target leaves.
    let mut words = words;
    fields::VEC_OPCODE.put(&mut words, VectorOp::add.code());
    let both = Instruction::decode(words).expect("known");
    assert_eq!(both.scalar.target, 0x2AD);
    assert_eq!(both.encode(), words);
    assert_eq!(assemble(&disassemble(words)), Ok(words));
}

#[test]
fn programs_are_the_same_wherever_they_stand() {
    let text = "start: mov r0, v[0]\n bri over [if gt]\n nop\n bri start\n\
                dead: mov r9, v[9]\n\
                over: cli sub\n mov o[HPOS], r0 [end]\n\
                dead2: nop\n\
                sub: add r0, r0, c[4]\n ret\n";
    let (_, code) = assemble_program(text).expect("valid");
    let program = Program::decode(&code, 0, |_, error| panic!("{error}"));
    assert_eq!((program.code.len(), program.entry), (8, 0));
    let targets: Vec<_> = program.code.iter().filter(|i| i.scalar.op.has_target()).map(|i| i.scalar.target).collect();
    assert_eq!(targets, [4, 0, 6]);
    assert_eq!((program.summary.inputs, program.summary.outputs, program.summary.constants), (1, 1, 5));
    assert!(program.summary.flow && program.summary.backward);
    for first in [1, 300, STORE - code.len()] {
        let (_, moved) = assemble_program(&format!(".at {first}\n{text}")).expect("valid");
        let mut store = vec![[u32::MAX; 4]; first];
        store.extend(moved);
        store.resize(STORE, [u32::MAX; 4]);
        assert_eq!(Program::decode(&store, first, |_, error| panic!("{error}")), program);
    }
}

#[test]
fn programs_end_where_the_store_does() {
    let (_, code) = assemble_program("nop\nbri 900\nbri 1 [if lt]\n.word 1, 0x80000000, 0, 0\nnop\n").expect("valid");
    let mut unknown = Vec::new();
    let program = Program::decode(&code, 0, |index, error| unknown.push((index, error.words)));
    assert_eq!(program.code.len(), 2);
    assert_eq!(program.code[1].scalar.target, 2);
    let tail = Program::decode(&code, 2, |index, error| unknown.push((index, error.words)));
    assert_eq!(tail.code.iter().filter(|i| **i == Instruction::NOP).count(), 1);
    assert_eq!(tail.code.len(), 4);
    assert_eq!(unknown, []);
    let bad = [[0, 0x1F << 22, 0, 0], [0; 4]];
    let program = Program::decode(&bad, 0, |index, error| unknown.push((index, error.words)));
    assert_eq!((program.code.len(), unknown), (2, vec![(0, bad[0])]));
    assert_eq!(Program::decode(&code, 77, |_, _| ()), Program::default());
}

fn kinds() -> Vec<Options> {
    let base = Options::default();
    vec![
        base,
        Options { length: 1, ..base },
        Options { length: 300, textures: true, ..base },
        Options { flow: false, relative: false, transcendental: false, length: 100, ..base },
        Options { ragged: true, length: 100, ..base },
        Options { garbage: true, ragged: true, ..base },
    ]
}

#[test]
fn random_programs_go_through_text_and_back() {
    let mut rng = words(3);
    for options in kinds().into_iter().cycle().take(360) {
        let generated = random::program(&mut rng, options);
        assert!(!generated.code.is_empty() && generated.code.len() <= STORE);
        let listing = disassemble_program(&generated.code, 0);
        assert_eq!(assemble_program(&listing), Ok((0, generated.code.clone())), "{listing}");
        let program = Program::decode(&generated.code, generated.start, |_, _| assert!(options.garbage));
        assert!(program.code.len() <= generated.code.len());
    }
}

#[test]
fn random_programs_contain_everything() {
    let mut rng = words(4);
    let (mut vectors, mut scalars) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    let (mut updates, mut tests, mut relative, mut both) = (0, 0, 0, 0);
    for _ in 0..200 {
        let generated = random::program(&mut rng, Options { length: 200, textures: true, ..Options::default() });
        for words in generated.code {
            let instruction = Instruction::decode(words).expect("no unknown words");
            vectors.insert(instruction.vector.op);
            scalars.insert(instruction.scalar.op);
            updates += u32::from(instruction.update == Some(Unit::Scalar));
            tests += u32::from(instruction.condition.is_some());
            relative += u32::from(instruction.relative_constant && instruction.relative_input);
            both += u32::from(instruction.vector.op != VectorOp::nop && instruction.scalar.op.has_result());
        }
    }
    assert_eq!((vectors.len(), scalars.len()), (VectorOp::ALL.len(), ScalarOp::ALL.len()));
    assert!(updates > 100 && tests > 1000 && relative > 10 && both > 1000, "{updates} {tests} {relative} {both}");
}

/// Flow alone, as the documentation has it, with random conditions but for those of loop counters.
fn steps(program: &Program, rng: &mut impl FnMut() -> u32) -> usize {
    let (mut at, mut calls, mut steps) = (usize::from(program.entry), Vec::new(), 0);
    let mut counters = [0u32; 4];
    let mut above = None;
    while let Some(instruction) = program.code.get(at) {
        steps += 1;
        let i = instruction;
        // The counter's own arithmetic: cleared, doubled one, one more, compared.
        if i.vector.temp == Some(62) {
            let component = (0..4).find(|&c| i.vector.mask.has(c)).expect("one component");
            match (i.vector.op, i.sources[0].register) {
                (VectorOp::sfl, _) => counters[component] = 0,
                (_, Register::Temp(61)) => counters[component] = 2,
                _ => counters[component] += 1,
            }
        }
        let counted = i.vector.op == VectorOp::add && i.sources[0].register == Register::Temp(62) && i.update.is_some();
        let last = above.take();
        if counted {
            let limit = if i.sources[2].register == Register::Temp(61) { 1 } else { counters[3] };
            above = Some(limit > counters[usize::from(i.sources[0].swizzle.0[0])]);
        }
        let gate = match i.condition {
            _ if i.scalar.op.tests_branch_bit() => rng() & 1 != 0,
            None => true,
            Some(Condition { test: Test::GREATER, swizzle: Swizzle([0, 0, 0, 0]) }) if last.is_some() => {
                last == Some(true)
            }
            Some(_) => rng() & 1 != 0,
        };
        if i.end {
            break;
        }
        at += 1;
        match i.scalar.op {
            ScalarOp::ret if gate => match calls.pop() {
                Some(back) => at = back,
                None => break,
            },
            op if op.has_target() && gate => {
                if op.is_call() {
                    calls.push(at);
                    assert!(calls.len() <= CALL_DEPTH);
                }
                at = i.scalar.target.into();
            }
            _ => {}
        }
        assert!(steps < 1_000_000, "the program does not end");
    }
    steps
}

#[test]
fn structured_programs_end() {
    let mut rng = words(5);
    let mut most = 0;
    for round in 0..1500 {
        let options = Options { length: 1 + round % 300, ..Options::default() };
        let generated = random::program(&mut rng, options);
        assert!(generated.code.len() <= 2 * options.length + 220, "{} of {}", generated.code.len(), options.length);
        let program = Program::decode(&generated.code, 0, |_, error| panic!("{error}"));
        for _ in 0..3 {
            most = most.max(steps(&program, &mut rng));
        }
    }
    assert!(most > 300, "{most}");
}
