//! Bytes of instructions, as a disassembler reads them: every opcode with registers of both halves, with all forms of
//! addresses, and with a constant.

use std::collections::HashSet;

use iced_x86::{Code, Decoder, DecoderError, DecoderOptions, Instruction, OpKind, Register};

use crate::wide::encode::{Address, Bytes, Operand};
use crate::wide::opcode::{self, Condition, Opcode};

/// An opcode, the instruction that it is, and its operands in the order of Intel's manual.
///
/// Each operand is a field and what it holds. Fields: `R` the register, `S` the second one, which only VEX encodings
/// have, `M` the one that may be in memory, `I` an immediate. What they hold: `v` a vector of 128 bits, of 256 if the
/// instruction is wide; `x` and `y` one of 128 and 256; `b`, `w`, `d`, `q` a general purpose register of 8, 16, 32, 64
/// bits; `m` memory alone; `8`, `32` bits of an immediate, `r` a register in one.
struct Row {
    name: &'static str,
    opcode: Opcode,
    mnemonic: &'static str,
    operands: &'static str,
    /// What is in the place of a register that the instruction does not have.
    extension: Option<u8>,
}

/// Whether the instruction has vectors of 128 or 256 bits, or both.
fn widths(row: &Row) -> &'static [bool] {
    match row.operands {
        operands if operands.contains('v') => &[false, true],
        operands if operands.contains('y') => &[true],
        _ => &[false],
    }
}

fn row(name: &'static str, opcode: Opcode, mnemonic: &'static str, operands: &'static str) -> Row {
    Row { name, opcode, mnemonic, operands, extension: None }
}

fn extended(extension: u8, row: Row) -> Row {
    Row { extension: Some(extension), ..row }
}

/// Rows of a table of opcodes, one for each size of lanes.
fn lanes<const N: usize>(
    name: &'static str,
    opcodes: [Opcode; N],
    mnemonics: [&'static str; N],
    operands: &'static str,
) -> Vec<Row> {
    opcodes.into_iter().zip(mnemonics).map(|(opcode, mnemonic)| row(name, opcode, mnemonic, operands)).collect()
}

fn floats() -> Vec<Row> {
    let both = |name, byte, [single, double]: [&'static str; 2], operands| {
        lanes(name, [opcode::packed(byte, false), opcode::packed(byte, true)], [single, double], operands)
    };
    let mut rows = Vec::new();
    rows.extend(both("ADDP", opcode::ADDP, ["vaddps", "vaddpd"], "Rv Sv Mv"));
    rows.extend(both("MULP", opcode::MULP, ["vmulps", "vmulpd"], "Rv Sv Mv"));
    rows.extend(both("SUBP", opcode::SUBP, ["vsubps", "vsubpd"], "Rv Sv Mv"));
    rows.extend(both("DIVP", opcode::DIVP, ["vdivps", "vdivpd"], "Rv Sv Mv"));
    rows.extend(both("SQRTP", opcode::SQRTP, ["vsqrtps", "vsqrtpd"], "Rv Mv"));
    rows.extend(both("MINP", opcode::MINP, ["vminps", "vminpd"], "Rv Sv Mv"));
    rows.extend(both("MAXP", opcode::MAXP, ["vmaxps", "vmaxpd"], "Rv Sv Mv"));
    rows.extend(both("CMPP", opcode::CMPP, ["vcmpps", "vcmppd"], "Rv Sv Mv I8"));
    rows.extend(both("XORP", opcode::XORP, ["vxorps", "vxorpd"], "Rv Sv Mv"));
    rows.extend(both("ANDP", opcode::ANDP, ["vandps", "vandpd"], "Rv Sv Mv"));
    rows.extend(both("UNPCKLP", opcode::UNPCKLP, ["vunpcklps", "vunpcklpd"], "Rv Sv Mv"));
    rows.extend(both("UNPCKHP", opcode::UNPCKHP, ["vunpckhps", "vunpckhpd"], "Rv Sv Mv"));
    rows.extend([
        row("SHUFPS", opcode::SHUFPS, "vshufps", "Rv Sv Mv I8"),
        row("ROUNDPS", opcode::ROUNDPS, "vroundps", "Rv Mv I8"),
        row("ROUNDPD", opcode::ROUNDPD, "vroundpd", "Rv Mv I8"),
        row("FMADD213", opcode::FMADD213, "vfmadd213ps", "Rv Sv Mv"),
        row("FMADD213", opcode::FMADD213.with_w(true), "vfmadd213pd", "Rv Sv Mv"),
        row("CVTDQ2PS", opcode::CVTDQ2PS, "vcvtdq2ps", "Rv Mv"),
        row("CVTTPS2DQ", opcode::CVTTPS2DQ, "vcvttps2dq", "Rv Mv"),
        row("CVTPS2PD", opcode::CVTPS2PD, "vcvtps2pd", "Rv Mx"),
        row("CVTDQ2PD", opcode::CVTDQ2PD, "vcvtdq2pd", "Rv Mx"),
        row("CVTPD2PS", opcode::CVTPD2PS, "vcvtpd2ps", "Rx Mv"),
        row("PERMQ", opcode::PERMQ, "vpermq", "Ry My I8"),
        row("BLENDVPS", opcode::BLENDVPS, "vblendvps", "Rv Sv Mv Ir"),
        row("PERMILPS", opcode::PERMILPS, "vpermilps", "Rv Mv I8"),
        row("MOVMSKPS", opcode::MOVMSKPS, "vmovmskps", "Rd Mv/"),
        row("MOVMSKPD", opcode::MOVMSKPD, "vmovmskpd", "Rd Mv/"),
    ]);
    rows
}

fn integers() -> Vec<Row> {
    let mut rows = Vec::new();
    let three = "Rv Sv Mv";
    rows.extend(lanes("PADD", opcode::PADD, ["vpaddb", "vpaddw", "vpaddd", "vpaddq"], three));
    rows.extend(lanes("PSUB", opcode::PSUB, ["vpsubb", "vpsubw", "vpsubd", "vpsubq"], three));
    rows.extend(lanes("PCMPEQ", opcode::PCMPEQ, ["vpcmpeqb", "vpcmpeqw", "vpcmpeqd", "vpcmpeqq"], three));
    rows.extend(lanes("PCMPGT", opcode::PCMPGT, ["vpcmpgtb", "vpcmpgtw", "vpcmpgtd", "vpcmpgtq"], three));
    rows.extend(lanes("PMINS", opcode::PMINS, ["vpminsb", "vpminsw", "vpminsd"], three));
    rows.extend(lanes("PMINU", opcode::PMINU, ["vpminub", "vpminuw", "vpminud"], three));
    rows.extend(lanes("PMAXS", opcode::PMAXS, ["vpmaxsb", "vpmaxsw", "vpmaxsd"], three));
    rows.extend(lanes("PMAXU", opcode::PMAXU, ["vpmaxub", "vpmaxuw", "vpmaxud"], three));
    rows.extend(lanes("PADDUS", opcode::PADDUS, ["vpaddusb", "vpaddusw"], three));
    rows.extend(lanes("PSUBUS", opcode::PSUBUS, ["vpsubusb", "vpsubusw"], three));
    rows.extend(lanes("PADDS", opcode::PADDS, ["vpaddsb", "vpaddsw"], three));
    rows.extend(lanes("PSUBS", opcode::PSUBS, ["vpsubsb", "vpsubsw"], three));
    rows.extend(lanes("PABS", opcode::PABS, ["vpabsb", "vpabsw", "vpabsd"], "Rv Mv"));
    let low = ["vpunpcklbw", "vpunpcklwd", "vpunpckldq", "vpunpcklqdq"];
    rows.extend(lanes("PUNPCKL", opcode::PUNPCKL, low, three));
    let high = ["vpunpckhbw", "vpunpckhwd", "vpunpckhdq", "vpunpckhqdq"];
    rows.extend(lanes("PUNPCKH", opcode::PUNPCKH, high, three));
    for (extension, mnemonics) in
        [(2, ["vpsrlw", "vpsrld", "vpsrlq"]), (6, ["vpsllw", "vpslld", "vpsllq"]), (4, ["vpsraw", "vpsrad", ""])]
    {
        let all = lanes("SHIFT_IMMEDIATE", opcode::SHIFT_IMMEDIATE, mnemonics, "Sv Mv/ I8");
        rows.extend(all.into_iter().filter(|row| !row.mnemonic.is_empty()).map(|row| extended(extension, row)));
    }
    rows.extend(lanes("PSLL", opcode::PSLL, ["vpsllw", "vpslld", "vpsllq"], "Rv Sv Mx"));
    rows.extend(lanes("PSRL", opcode::PSRL, ["vpsrlw", "vpsrld", "vpsrlq"], "Rv Sv Mx"));
    rows.extend(lanes("PSRA", opcode::PSRA, ["vpsraw", "vpsrad"], "Rv Sv Mx"));
    rows.extend(lanes("PAVG", opcode::PAVG, ["vpavgb", "vpavgw"], three));
    rows.extend([
        row("PMULLW", opcode::PMULLW, "vpmullw", three),
        row("PMULHUW", opcode::PMULHUW, "vpmulhuw", three),
        row("PMULLD", opcode::PMULLD, "vpmulld", three),
        row("PMULUDQ", opcode::PMULUDQ, "vpmuludq", three),
        row("PMULDQ", opcode::PMULDQ, "vpmuldq", three),
        row("PMADDWD", opcode::PMADDWD, "vpmaddwd", three),
        row("PHADDW", opcode::PHADDW, "vphaddw", three),
        row("PHADDD", opcode::PHADDD, "vphaddd", three),
        row("PAND", opcode::PAND, "vpand", three),
        row("PANDN", opcode::PANDN, "vpandn", three),
        row("POR", opcode::POR, "vpor", three),
        row("PXOR", opcode::PXOR, "vpxor", three),
        row("PACKSSWB", opcode::PACKSSWB, "vpacksswb", three),
        row("PACKSSDW", opcode::PACKSSDW, "vpackssdw", three),
        row("PACKUSWB", opcode::PACKUSWB, "vpackuswb", three),
        row("PACKUSDW", opcode::PACKUSDW, "vpackusdw", three),
        row("PSHUFB", opcode::PSHUFB, "vpshufb", three),
        row("PSHUFD", opcode::PSHUFD, "vpshufd", "Rv Mv I8"),
        row("PALIGNR", opcode::PALIGNR, "vpalignr", "Rv Sv Mv I8"),
        row("PBLENDW", opcode::PBLENDW, "vpblendw", "Rv Sv Mv I8"),
        row("PTEST", opcode::PTEST, "vptest", "Rv Mv"),
        row("PMOVMSKB", opcode::PMOVMSKB, "vpmovmskb", "Rd Mv/"),
        row("PMOVZXWD", opcode::PMOVZXWD, "vpmovzxwd", "Ry Mx"),
    ]);
    rows
}

fn moves() -> Vec<Row> {
    let mut rows = vec![
        row("MOVUPS_LOAD", opcode::MOVUPS_LOAD, "vmovups", "Rv Mm"),
        row("MOVUPS_STORE", opcode::MOVUPS_STORE, "vmovups", "Mm Rv"),
        row("MOVAPS", opcode::MOVAPS, "vmovaps", "Rv Mv"),
        row("MOVSS_LOAD", opcode::MOVSS_LOAD, "vmovss", "Rx Mm"),
        row("MOVSS_STORE", opcode::MOVSS_STORE, "vmovss", "Mm Rx"),
        row("MOVSD_LOAD", opcode::MOVSD_LOAD, "vmovsd", "Rx Mm"),
        row("MOVSD_STORE", opcode::MOVSD_STORE, "vmovsd", "Mm Rx"),
        row("MOVD_FROM", opcode::MOVD_FROM, "vmovd", "Rx Md"),
        row("MOVD_FROM", opcode::MOVD_FROM.with_w(true), "vmovq", "Rx Mq"),
        row("MOVD_TO", opcode::MOVD_TO, "vmovd", "Md Rx"),
        row("MOVD_TO", opcode::MOVD_TO.with_w(true), "vmovq", "Mq Rx"),
        row("MOVLPS", opcode::MOVLPS, "vmovlps", "Rx Sx Mm"),
        row("MOVHPS", opcode::MOVHPS, "vmovhps", "Rx Sx Mm"),
        row("MOVHPS", opcode::MOVHPS, "vmovlhps", "Rx Sx Mx/"),
        row("MOVHPS_STORE", opcode::MOVHPS_STORE, "vmovhps", "Mm Rx"),
        row("MOVDDUP", opcode::MOVDDUP, "vmovddup", "Rv Mv"),
        row("BROADCASTSS", opcode::BROADCASTSS, "vbroadcastss", "Rv Mx"),
        row("BROADCASTSD", opcode::BROADCASTSD, "vbroadcastsd", "Ry Mx"),
        row("BROADCASTF128", opcode::BROADCASTF128, "vbroadcastf128", "Ry Mm"),
        row("INSERTF128", opcode::INSERTF128, "vinsertf128", "Ry Sy Mx I8"),
        row("EXTRACTF128", opcode::EXTRACTF128, "vextractf128", "Mx Ry I8"),
        row("INSERTPS", opcode::INSERTPS, "vinsertps", "Rx Sx Mx I8"),
    ];
    let broadcasts = ["vpbroadcastb", "vpbroadcastw", "vpbroadcastd", "vpbroadcastq"];
    rows.extend(lanes("PBROADCAST", opcode::PBROADCAST, broadcasts, "Rv Mx"));
    let lane = |name, opcodes: [Opcode; 4], mnemonics: [&'static str; 4], operands: [&'static str; 4]| {
        (0..4).map(move |size| row(name, opcodes[size], mnemonics[size], operands[size]))
    };
    let inserts = ["Rx Sx Md I8", "Rx Sx Md I8", "Rx Sx Md I8", "Rx Sx Mq I8"];
    rows.extend(lane("PINSR", opcode::PINSR, ["vpinsrb", "vpinsrw", "vpinsrd", "vpinsrq"], inserts));
    let extracts = ["Md Rx I8", "Md Rx I8", "Md Rx I8", "Mq Rx I8"];
    rows.extend(lane("PEXTR", opcode::PEXTR, ["vpextrb", "vpextrw", "vpextrd", "vpextrq"], extracts));
    rows
}

/// An instruction with operands of 32 and of 64 bits.
fn sizes(name: &'static str, opcode: Opcode, mnemonic: &'static str, operands: [&'static str; 2]) -> [Row; 2] {
    [row(name, opcode, mnemonic, operands[0]), row(name, opcode.with_w(true), mnemonic, operands[1])]
}

fn general() -> Vec<Row> {
    let two = ["Rd Md", "Rq Mq"];
    let mut rows = Vec::new();
    for (name, opcode, mnemonic) in [
        ("OR", opcode::OR, "or"),
        ("AND", opcode::AND, "and"),
        ("SUB", opcode::SUB, "sub"),
        ("XOR", opcode::XOR, "xor"),
        ("CMP", opcode::CMP, "cmp"),
    ] {
        rows.extend(sizes(name, opcode, mnemonic, two));
        let immediate = sizes("ALU_IMMEDIATE", opcode::ALU_IMMEDIATE, mnemonic, ["Md I32", "Mq I32"]);
        rows.extend(immediate.map(|row| extended(opcode.immediate_extension(), row)));
    }
    rows.extend(sizes("TEST", opcode::TEST, "test", ["Md Rd", "Mq Rq"]));
    rows.push(row("TEST_BYTE", opcode::TEST_BYTE, "test", "Mb Rb"));
    rows.extend(sizes("IMUL", opcode::IMUL, "imul", two));
    rows.extend(sizes("IMUL_IMMEDIATE", opcode::IMUL_IMMEDIATE, "imul", ["Rd Md I32", "Rq Mq I32"]));
    for (extension, mnemonic) in [(4, "shl"), (5, "shr"), (7, "sar")] {
        let shifts = sizes("SHIFT", opcode::SHIFT, mnemonic, ["Md I8", "Mq I8"]);
        rows.extend(shifts.map(|row| extended(extension, row)));
    }
    rows.extend(sizes("UNARY", opcode::UNARY, "test", ["Md I32", "Mq I32"]).map(|row| extended(0, row)));
    for (extension, mnemonic) in [(2, "not"), (3, "neg")] {
        rows.extend(sizes("UNARY", opcode::UNARY, mnemonic, ["Md", "Mq"]).map(|row| extended(extension, row)));
    }
    rows.extend(sizes("LEA", opcode::LEA, "lea", ["Rd Mm", "Rq Mm"]));
    rows.extend(sizes("LOAD", opcode::LOAD, "mov", two));
    rows.extend(sizes("STORE", opcode::STORE, "mov", ["Md Rd", "Mq Rq"]));
    rows.extend([row("STORE_16", opcode::STORE_16, "mov", "Mw Rw"), row("STORE_8", opcode::STORE_8, "mov", "Mb Rb")]);
    rows.extend(sizes("MOVZX_8", opcode::MOVZX_8, "movzx", ["Rd Mb", "Rq Mb"]));
    rows.extend(sizes("MOVZX_16", opcode::MOVZX_16, "movzx", ["Rd Mw", "Rq Mw"]));
    rows.extend(sizes("MOVSX_8", opcode::MOVSX_8, "movsx", ["Rd Mb", "Rq Mb"]));
    rows.extend(sizes("MOVSX_16", opcode::MOVSX_16, "movsx", ["Rd Mw", "Rq Mw"]));
    rows.push(row("MOVSX_32", opcode::MOVSX_32.with_w(true), "movsxd", "Rq Md"));
    rows.extend(sizes("TZCNT", opcode::TZCNT, "tzcnt", two));
    rows.extend(sizes("LZCNT", opcode::LZCNT, "lzcnt", two));
    rows.extend(sizes("POPCNT", opcode::POPCNT, "popcnt", two));
    rows.extend(sizes("ANDN", opcode::ANDN, "andn", ["Rd Sd Md", "Rq Sq Mq"]));
    rows.extend(sizes("SHLX", opcode::SHLX, "shlx", ["Rd Md Sd", "Rq Mq Sq"]));
    rows.extend(sizes("SARX", opcode::SARX, "sarx", ["Rd Md Sd", "Rq Mq Sq"]));
    rows.extend(sizes("SHRX", opcode::SHRX, "shrx", ["Rd Md Sd", "Rq Mq Sq"]));
    for (condition, set, select) in [
        (Condition::Below, "setb", "cmovb"),
        (Condition::AboveOrEqual, "setae", "cmovae"),
        (Condition::Equal, "sete", "cmove"),
        (Condition::NotEqual, "setne", "cmovne"),
        (Condition::BelowOrEqual, "setbe", "cmovbe"),
        (Condition::Above, "seta", "cmova"),
        (Condition::Less, "setl", "cmovl"),
        (Condition::GreaterOrEqual, "setge", "cmovge"),
        (Condition::LessOrEqual, "setle", "cmovle"),
        (Condition::Greater, "setg", "cmovg"),
    ] {
        rows.push(extended(0, row("SETCC", opcode::SETCC.with_condition(condition), set, "Mb")));
        rows.extend(sizes("CMOVCC", opcode::CMOVCC.with_condition(condition), select, two));
    }
    rows
}

fn rows() -> Vec<Row> {
    [floats(), integers(), moves(), general()].into_iter().flatten().collect()
}

/// Registers of an instruction: `R`, `S`, `M`.
const REGISTERS: [[u8; 3]; 5] = [[1, 2, 3], [9, 10, 11], [4, 12, 5], [15, 0, 6], [7, 8, 13]];

/// Addresses: all lengths of distances, bases and indices with meanings of their own.
const ADDRESSES: [Address; 8] = [
    Address { base: 0, index: None, shift: 0, offset: 0 },
    Address { base: 4, index: None, shift: 0, offset: 8 },
    Address { base: 5, index: None, shift: 0, offset: 0 },
    Address { base: 12, index: None, shift: 0, offset: -128 },
    Address { base: 13, index: None, shift: 0, offset: 0 },
    Address { base: 3, index: Some(9), shift: 2, offset: 127 },
    Address { base: 13, index: Some(5), shift: 3, offset: 128 },
    Address { base: 5, index: Some(12), shift: 1, offset: -70_000 },
];

/// What an instruction has as an immediate.
const BYTE: u8 = 0x35;
const WORD: i32 = -0x1234_5678;

/// Checks one form of an instruction.
fn check(row: &Row, wide: bool, registers: [u8; 3], rm: Operand) {
    let [reg, second, _] = registers;
    let fields: Vec<(char, char)> = row
        .operands
        .split(' ')
        .map(|operand| (operand.chars().next().unwrap(), operand.chars().nth(1).unwrap()))
        .collect();
    let has = |field: char| fields.iter().any(|&(found, _)| found == field);
    let immediate: &[u8] = match fields.iter().find(|(field, _)| *field == 'I') {
        Some((_, '8')) => &[BYTE],
        Some((_, 'r')) => &[BYTE & 0xF0],
        Some(_) => &WORD.to_le_bytes(),
        None => &[],
    };
    let mut code = Bytes::default();
    let reg = row.extension.unwrap_or(reg);
    code.inst(row.opcode, wide, reg, has('S').then_some(second), rm, immediate);
    let mut decoder = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE);
    let made = decoder.decode();
    let name = format!("{} {:02X?}: {made}", row.name, code.bytes);
    assert_eq!((decoder.last_error(), made.len()), (DecoderError::None, code.bytes.len()), "{name}");
    assert_ne!(made.code(), Code::INVALID, "{name}");
    assert_eq!(format!("{:?}", made.mnemonic()).to_lowercase(), row.mnemonic, "{name}");
    assert_eq!(made.op_count() as usize, fields.len(), "{name}");
    for (place, (field, holds)) in fields.into_iter().enumerate() {
        let place = place as u32;
        match (field, rm) {
            ('I', _) => check_immediate(&made, (place, holds), &name),
            ('R', _) => check_register(&made, (place, holds), (reg, wide), &name),
            ('S', _) => check_register(&made, (place, holds), (second, wide), &name),
            (_, Operand::Register(number)) => check_register(&made, (place, holds), (number, wide), &name),
            (_, rm) => check_memory(&made, place, (rm, &code), &name),
        }
    }
}

fn check_immediate(made: &Instruction, (place, holds): (u32, char), name: &str) {
    match holds {
        'r' => check_register(made, (place, 'v'), (BYTE >> 4, made.op_register(place).is_ymm()), name),
        '8' => assert_eq!(made.immediate(place), u64::from(BYTE), "{name}"),
        // As many bits as the operation has.
        _ => assert_eq!(made.immediate(place) as i32, WORD, "{name}"),
    }
}

fn check_register(made: &Instruction, (place, holds): (u32, char), (number, wide): (u8, bool), name: &str) {
    assert_eq!(made.op_kind(place), OpKind::Register, "{name}: operand {place}");
    let found = made.op_register(place);
    let fits = match holds {
        'v' if wide => found.is_ymm(),
        'y' => found.is_ymm(),
        'v' | 'x' => found.is_xmm(),
        'b' => found.is_gpr8(),
        'w' => found.is_gpr16(),
        'd' => found.is_gpr32(),
        'q' => found.is_gpr64(),
        _ => false,
    };
    assert!(fits, "{name}: operand {place} is {found:?}");
    assert_eq!(found.full_register().number(), usize::from(number), "{name}: operand {place}");
}

fn check_memory(made: &Instruction, place: u32, (rm, code): (Operand, &Bytes), name: &str) {
    assert_eq!(made.op_kind(place), OpKind::Memory, "{name}: operand {place}");
    match rm {
        Operand::Memory(Address { base, index, shift, offset }) => {
            let found = [made.memory_base(), made.memory_index()];
            assert_eq!(found[0].number(), usize::from(base), "{name}");
            assert_eq!((found[1] != Register::None).then(|| found[1].number()), index.map(usize::from), "{name}");
            assert_eq!(made.memory_index_scale(), 1 << if index.is_some() { shift } else { 0 }, "{name}");
            assert_eq!(made.memory_displacement64() as i64, i64::from(offset), "{name}");
        }
        _ => {
            // The distance is filled in from the end of the instruction on.
            let [used] = code.constants[..] else { panic!("{name}: {:?}", code.constants) };
            assert_eq!(made.memory_base(), Register::RIP, "{name}");
            assert_eq!((used.from, made.memory_displacement64()), (made.len(), made.len() as u64), "{name}");
            assert_eq!(code.bytes[used.at..used.at + 4], [0; 4], "{name}");
        }
    }
}

#[test]
fn every_opcode_in_every_form() {
    for row in rows() {
        let memory = !row.operands.contains('/');
        let register = row.operands.split(' ').all(|operand| operand != "Mm");
        for &wide in widths(&row) {
            for registers in REGISTERS {
                if register {
                    check(&row, wide, registers, Operand::Register(registers[2]));
                }
                if memory {
                    ADDRESSES.into_iter().for_each(|at| check(&row, wide, registers, Operand::Memory(at)));
                    check(&row, wide, registers, Operand::Constant(3));
                }
            }
        }
    }
}

#[test]
fn every_opcode_has_a_row() {
    let named: HashSet<&str> = rows().iter().map(|row| row.name).collect();
    let lines = include_str!("../opcode.rs").lines();
    let constants = lines.filter_map(|line| line.strip_prefix("pub(super) const ")?.split(':').next());
    let missing: Vec<&str> = constants.filter(|name| !name.starts_with("fn ") && !named.contains(name)).collect();
    assert!(missing.is_empty(), "opcodes without a row: {missing:?}");
}
