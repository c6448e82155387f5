//! Byte shuffles of two vectors.

use cranelift_codegen::ir::InstructionData;
use regalloc2::VReg;

use super::*;

/// An instruction that does a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Of both operands, the first one as given.
    Two(Machine, Immediate8),
    /// Of both operands, the second one first.
    Swapped(Machine, Immediate8),
    /// Of the first operand alone.
    One(Machine, u8),
}

type Immediate8 = Option<u8>;

impl Selector<'_> {
    pub(super) fn shuffle(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let InstructionData::Shuffle { imm, .. } = *self.data(operation.first) else { return None };
        let mut order: [u8; 16] = self.function.dfg.immediates[imm].as_slice().try_into().ok()?;
        let [a, b] = [0, 1].map(|index| self.argument(operation, index).map(|value| self.root(value)));
        if a == b {
            order.iter_mut().for_each(|byte| *byte &= 15);
        }
        let wide = operation.is_wide();
        let a = self.operand(operation, 0);
        let immediate = |byte: Immediate8| byte.map_or(Immediate::None, Immediate::Byte);
        match find(&order) {
            Some(Order::One(opcode, byte)) => {
                self.emit(opcode, wide, to, None, RegMem::Register(a), Immediate::Byte(byte));
            }
            Some(Order::Two(opcode, byte)) => {
                let b = self.operand(operation, 1);
                self.emit(opcode, wide, to, Some(a), RegMem::Register(b), immediate(byte));
            }
            Some(Order::Swapped(opcode, byte)) => {
                let b = self.operand(operation, 1);
                self.emit(opcode, wide, to, Some(b), RegMem::Register(a), immediate(byte));
            }
            None => self.shuffle_bytes(operation, (to, a), order),
        }
        Some(())
    }

    /// Any order: each operand's bytes to their places, others zero.
    fn shuffle_bytes(&mut self, operation: Operation, (to, a): (VReg, VReg), order: [u8; 16]) {
        let wide = operation.is_wide();
        let of_first = order.map(|byte| if byte < 16 { byte } else { 0x80 });
        let of_second = order.map(|byte| if byte < 16 { 0x80 } else { byte & 15 });
        let [first, second] = [of_first, of_second].map(|bytes| RegMem::Constant(self.constant(bytes)));
        if order.iter().all(|&byte| byte < 16) {
            self.emit(opcode::PSHUFB, wide, to, Some(a), first, Immediate::None);
            return;
        }
        let b = self.operand(operation, 1);
        let [from_a, from_b] = [self.new_vector(), self.new_vector()];
        self.emit(opcode::PSHUFB, wide, from_a, Some(a), first, Immediate::None);
        self.emit(opcode::PSHUFB, wide, from_b, Some(b), second, Immediate::None);
        self.emit(opcode::POR, wide, to, Some(from_a), RegMem::Register(from_b), Immediate::None);
    }
}

/// The instruction that puts bytes into an order, if there is one.
fn find(order: &[u8; 16]) -> Option<Order> {
    if let Some(words) = lanes::<4, 4>(order) {
        return find_words(words);
    }
    if let Some(halves) = lanes::<8, 2>(order) {
        for (lane, unpack) in [(0, opcode::PUNPCKL[1]), (4, opcode::PUNPCKH[1])] {
            if halves == std::array::from_fn(|n| lane + (n / 2) as u8 + 8 * (n % 2) as u8) {
                return Some(Order::Two(unpack, None));
            }
        }
        let from = |n: usize| halves[n] / 8;
        if (0..8).all(|n| usize::from(halves[n] % 8) == n) {
            let mask = (0..8).map(|n| from(n) << n).sum();
            return Some(Order::Two(opcode::PBLENDW, Some(mask)));
        }
    }
    // Consecutive bytes of both.
    let first = order[0];
    let is_consecutive = order.iter().zip(first..).all(|(&byte, expected)| byte == expected);
    is_consecutive.then_some(Order::Swapped(opcode::PALIGNR, Some(first)))
}

/// The order of four words.
fn find_words(words: [u8; 4]) -> Option<Order> {
    let [a, b, c, d] = words;
    let immediate = (0..4).map(|n| (words[n] & 3) << (2 * n)).sum();
    let double = |byte| Some(Order::Two(opcode::packed(byte, true), None));
    let single = |byte| Some(Order::Two(opcode::packed(byte, false), None));
    match words {
        [0, 4, 1, 5] => single(opcode::UNPCKLP),
        [2, 6, 3, 7] => single(opcode::UNPCKHP),
        [0, 1, 4, 5] => double(opcode::UNPCKLP),
        [2, 3, 6, 7] => double(opcode::UNPCKHP),
        _ if words.iter().all(|&word| word < 4) => Some(Order::One(opcode::PSHUFD, immediate)),
        _ if a < 4 && b < 4 && c >= 4 && d >= 4 => Some(Order::Two(opcode::SHUFPS, Some(immediate))),
        _ if a >= 4 && b >= 4 && c < 4 && d < 4 => Some(Order::Swapped(opcode::SHUFPS, Some(immediate))),
        _ => None,
    }
}

/// An order of bytes as one of `N` lanes of `BYTES` each.
fn lanes<const N: usize, const BYTES: usize>(order: &[u8; 16]) -> Option<[u8; N]> {
    let mut lanes = [0; N];
    for (lane, bytes) in lanes.iter_mut().zip(order.chunks_exact(BYTES)) {
        let first = bytes[0];
        let is_whole = usize::from(first) % BYTES == 0 && bytes.iter().zip(first..).all(|(&byte, next)| byte == next);
        if !is_whole {
            return None;
        }
        *lane = first / BYTES as u8;
    }
    Some(lanes)
}
