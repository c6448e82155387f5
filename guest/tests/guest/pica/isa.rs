//! The PICA200 instruction table: decoding, order of rows, text and back, documented instructions.

use triglyph_guest::pica::descriptor::DescriptorPool;
use triglyph_guest::pica::isa::*;
use triglyph_testkit::data::{hex, text, vectors};
use triglyph_testkit::random::words;

/// What the documentation says the opcode is: the top six bits of a word.
const OPCODES: [Option<&str>; 64] = {
    let mut names = [None; 64];
    let plain = [
        "add", "dp3", "dp4", "dph", "dst", "ex2", "lg2", "litp", "mul", "sge", "slt", "flr", "max", "min", "rcp", "rsq",
    ];
    let flow = [
        "break", "nop", "end", "breakc", "call", "callc", "callu", "ifu", "ifc", "loop", "emit", "setemit", "jmpc",
        "jmpu", "cmp", "cmp",
    ];
    let mut i = 0;
    while i < 16 {
        names[i] = Some(plain[i]);
        names[0x20 + i] = Some(flow[i]);
        names[0x30 + i] = Some(if i < 8 { "madi" } else { "mad" });
        i += 1;
    }
    names[0x12] = Some("mova");
    names[0x13] = Some("mov");
    names[0x18] = Some("dphi");
    names[0x19] = Some("dsti");
    names[0x1A] = Some("sgei");
    names[0x1B] = Some("slti");
    names
};

#[test]
fn every_opcode_decodes_to_its_row_whatever_the_other_bits() {
    let mut rng = words(1);
    for (opcode, name) in OPCODES.iter().enumerate() {
        for low in [0, 0x03FF_FFFF].into_iter().chain((0..200).map(|_| rng() >> 6)) {
            let op = decode((opcode as u32) << 26 | low);
            assert_eq!(op.map(|op| op.info().name), *name, "opcode {opcode:#x}");
        }
    }
}

#[test]
fn every_row_decodes_to_itself() {
    let mut rng = words(2);
    assert_eq!(Op::all().len(), ALL.len());
    for op in Op::all() {
        for _ in 0..1000 {
            let word = op.info().random(&mut rng) as u32;
            assert_eq!(decode(word), Some(op), "{word:#010x}");
        }
        assert_eq!(Op::named(op.info().name), Some(op));
    }
}

#[test]
fn rows_exclude_each_other() {
    for (i, a) in ALL.iter().enumerate() {
        assert!(!a.doc.is_empty());
        for b in &ALL[i + 1..] {
            assert!(!a.pattern.overlaps(&b.pattern), "{} and {}", a.name, b.name);
        }
    }
}

/// Notes which method was called, by its row.
struct Names;

macro_rules! names {
    ($($name:ident $Shape:ident)*) => {
        impl Visitor for Names {
            type Output = Op;
            $( fn $name(&mut self, _: $Shape) -> Op { Op::$name } )*
        }
    };
}

names! {
    add Arith2 dp3 Arith2 dp4 Arith2 dph Arith2 dst Arith2 ex2 Arith1 lg2 Arith1 litp Arith1 mul Arith2 sge Arith2
    slt Arith2 flr Arith1 max Arith2 min Arith2 rcp Arith1 rsq Arith1 mova MovA mov Arith1 dphi Arith2 dsti Arith2
    sgei Arith2 slti Arith2 break_ Flow0 nop Flow0 end Flow0 breakc Branch call Branch callc Branch callu Uniform
    ifu Uniform ifc Branch loop_ Uniform emit Flow0 setemit SetEmit jmpc Branch jmpu Uniform cmp Compare
    madi Arith3 mad Arith3
}

#[test]
fn visit_calls_the_method_of_the_row() {
    let mut rng = words(3);
    for _ in 0..100_000 {
        let word = rng();
        assert_eq!(visit(word, &mut Names), decode(word));
    }
}

#[test]
fn text_assembles_back_to_the_word() {
    let mut rng = words(4);
    for op in Op::all() {
        for _ in 0..500 {
            let word = random_word(op, &mut rng);
            let descriptors: Vec<u32> = (0..128).map(|_| rng()).collect();
            let text = disassemble(word, &descriptors);
            let canonical = canonical(word).expect("the row is known");
            let unused = op.info().pattern.ignored() as u32;
            // Index bits without a constant mean nothing either.
            let meaningless = (word ^ canonical) & !unused;
            assert!(meaningless == 0 || op.info().pattern.field(b'i') != 0, "{text}");
            let index = op.info().pattern.field(b'p');
            let place = match index {
                0 => String::new(),
                mask => format!(" @{}", word & mask as u32),
            };
            let mut pool = DescriptorPool::default();
            let again = assemble(&(text.clone() + &place), &mut pool).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(again, canonical, "{text}");
            assert_eq!(disassemble(again, &pool.words()), text);
            assert_eq!(disassemble(canonical, &descriptors), text);
        }
    }
}

#[test]
fn operands_are_where_the_documentation_has_them() {
    /// Checks the fields of three instructions.
    struct Check;
    macro_rules! checks {
        ($($name:ident $Shape:ident)*) => { $( fn $name(&mut self, i: $Shape) -> String { format!("{i:?}") } )* };
    }
    impl Visitor for Check {
        type Output = String;
        checks! {
            add Arith2 dp3 Arith2 dp4 Arith2 dph Arith2 dst Arith2 ex2 Arith1 lg2 Arith1 litp Arith1 mul Arith2
            sge Arith2 slt Arith2 flr Arith1 max Arith2 min Arith2 rcp Arith1 rsq Arith1 mova MovA mov Arith1
            dphi Arith2 dsti Arith2 sgei Arith2 slti Arith2 break_ Flow0 nop Flow0 end Flow0 breakc Branch call Branch
            callc Branch callu Uniform ifu Uniform ifc Branch loop_ Uniform emit Flow0 setemit SetEmit jmpc Branch
            jmpu Uniform cmp Compare madi Arith3 mad Arith3
        }
    }
    let shown = |word| visit(word, &mut Check).expect("the word is known");
    assert_eq!(shown(0x022B_4981), "Arith2 { dst: Temp(1), src1: Const(20, A0X), src2: Temp(3), idx: 1, desc: 1 }");
    assert_eq!(
        shown(0xC2C3_2F56),
        "Arith3 { dst: Output(2), src1: Input(1), src2: Temp(2), src3: Const(90, AL), desc: 22 }"
    );
    assert_eq!(
        shown(0x9601_9005),
        "Branch { target: 100, count: 5, cond: Condition { op: Or, ref_x: true, ref_y: false } }"
    );
    assert_eq!(shown(0xB500_2401), "Uniform { target: 9, count: 1, id: 4 }");
    assert_eq!(shown(0xAEC0_0000), "SetEmit { vertex: 2, primitive: true, winding: true }");
    assert_eq!(visit(0x4000_0000, &mut Check), None);
}

/// The text of the documented instructions is that of other tools; this is what the listing has instead.
fn in_our_words(text: &str) -> String {
    let mut out = text.to_lowercase().replace("[al]", "[aL]").replace(".xyzw", "");
    for (flag, name) in [("cmp.x", "cmp.x"), ("cmp.y", "cmp.y")] {
        out = out.replace(&format!("{flag}==1"), name).replace(&format!("{flag}==0"), &format!("!{name}"));
    }
    if let Some((head, block)) = out.split_once(" dst=") {
        let numbers: Vec<u32> = block.split(" num=").map(|n| n.parse().expect("a number")).collect();
        let comma = if head.contains(' ') { "," } else { "" };
        let end = numbers.get(1).map(|count| format!("..{}", numbers[0] + count)).unwrap_or_default();
        out = format!("{head}{comma} {}{end}", numbers[0]);
    }
    if let Some((head, bool)) = out.split_once("b4==") {
        out = format!("{head}{}b4{}", if bool.starts_with('0') { "!" } else { "" }, &bool[1..]);
    }
    if let Some(numbers) = out.strip_prefix("setemit vtx=") {
        out = format!("setemit {}", numbers.replace(" prim=1", ", prim").replace(" winding=1", ", inv"));
        out = out.replace(" prim=0", "").replace(" winding=0", "");
    }
    out
}

#[test]
fn documented_instructions_read_and_write_as_documented() {
    for instruction in &vectors("3ds/vectors/shader.json", "instructions", 43) {
        let word = hex(text(&instruction["word"]));
        let descriptor = hex(text(&instruction["opdesc"]));
        let expected = in_our_words(text(&instruction["text"]));
        assert_eq!(disassemble(word, &[descriptor; 128]), expected);

        let pattern = &decode(word).expect("the word is known").info().pattern;
        let index = word & pattern.field(b'p') as u32;
        let place = if pattern.field(b'p') == 0 { String::new() } else { format!(" @{index}") };
        let mut pool = DescriptorPool::default();
        assert_eq!(assemble(&format!("{expected}{place}"), &mut pool), Ok(word), "{expected}");
    }
}
