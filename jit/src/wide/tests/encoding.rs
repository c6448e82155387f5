//! Bytes of instructions, as an assembler makes them.

use crate::wide::encode::{Address, Bytes, Operand};
use crate::wide::opcode::{self, Opcode};

fn bytes(opcode: Opcode, wide: bool, reg: u8, second: Option<u8>, rm: Operand, immediate: &[u8]) -> Vec<u8> {
    let mut code = Bytes::default();
    code.inst(opcode, wide, reg, second, rm, immediate);
    code.bytes
}

fn memory(base: u8, index: Option<u8>, shift: u8, offset: i32) -> Operand {
    Operand::Memory(Address { base, index, shift, offset })
}

#[test]
fn vectors() {
    let add = opcode::packed(opcode::ADDP, false);
    // vaddps xmm1, xmm2, xmm3; vaddps ymm9, ymm10, ymm11
    assert_eq!(bytes(add, false, 1, Some(2), Operand::Register(3), &[]), [0xC5, 0xE8, 0x58, 0xCB]);
    assert_eq!(bytes(add, true, 9, Some(10), Operand::Register(11), &[]), [0xC4, 0x41, 0x2C, 0x58, 0xCB]);
    // vfmadd213ps ymm1, ymm2, [rax + 4*r9 + 16]
    let fma = bytes(opcode::FMADD213, true, 1, Some(2), memory(0, Some(9), 2, 16), &[]);
    assert_eq!(fma, [0xC4, 0xA2, 0x6D, 0xA8, 0x4C, 0x88, 0x10]);
    // vextractf128 xmm2, ymm12, 1
    let extract = bytes(opcode::EXTRACTF128, true, 12, None, Operand::Register(2), &[1]);
    assert_eq!(extract, [0xC4, 0x63, 0x7D, 0x19, 0xE2, 0x01]);
    // vpextrq r8, xmm1, 1
    let lane = bytes(opcode::PEXTR[3], false, 1, None, Operand::Register(8), &[1]);
    assert_eq!(lane, [0xC4, 0xC3, 0xF9, 0x16, 0xC8, 0x01]);
}

#[test]
fn general_registers() {
    // mov rax, [rsp + 8]; mov rax, [r12]; mov rax, [rbp]; mov rax, [r13 + 256]
    let load = opcode::LOAD.with_w(true);
    assert_eq!(bytes(load, false, 0, None, memory(4, None, 0, 8), &[]), [0x48, 0x8B, 0x44, 0x24, 0x08]);
    assert_eq!(bytes(load, false, 0, None, memory(12, None, 0, 0), &[]), [0x49, 0x8B, 0x04, 0x24]);
    assert_eq!(bytes(load, false, 0, None, memory(5, None, 0, 0), &[]), [0x48, 0x8B, 0x45, 0x00]);
    let far = bytes(load, false, 0, None, memory(13, None, 0, 256), &[]);
    assert_eq!(far, [0x49, 0x8B, 0x85, 0x00, 0x01, 0x00, 0x00]);
    // mov [rdi], sil; mov [rdi], al
    assert_eq!(bytes(opcode::STORE_8, false, 6, None, memory(7, None, 0, 0), &[]), [0x40, 0x88, 0x37]);
    assert_eq!(bytes(opcode::STORE_8, false, 0, None, memory(7, None, 0, 0), &[]), [0x88, 0x07]);
    // popcnt r9, rax; shlx rax, rcx, rdx
    let count = bytes(opcode::POPCNT.with_w(true), false, 9, None, Operand::Register(0), &[]);
    assert_eq!(count, [0xF3, 0x4C, 0x0F, 0xB8, 0xC8]);
    let shift = bytes(opcode::SHLX.with_w(true), false, 0, Some(2), Operand::Register(1), &[]);
    assert_eq!(shift, [0xC4, 0xE2, 0xE9, 0xF7, 0xC1]);
}

#[test]
fn constants_are_noted_with_the_end_of_the_instruction() {
    let mut code = Bytes::default();
    code.inst(opcode::PSHUFD, true, 0, None, Operand::Constant(3), &[0x1B]);
    let [used] = code.constants[..] else { panic!("{:?}", code.constants) };
    assert_eq!((used.constant, used.at, used.from), (3, 4, 9));
    assert_eq!(code.bytes, [0xC5, 0xFD, 0x70, 0x05, 0, 0, 0, 0, 0x1B]);
}
