//! Loops over items, of which several may be done at once.

use super::*;
use crate::interleave::Body;
use crate::lane::Pairs;
use crate::promote::Slots;
use crate::wide::random::memory::{AT_ONCE, COUNTER, COUNTERS, FROM, SLOTS, STRIDE};
use crate::wide::random::program::{AtOnce, Loop, Storage};
use cranelift_codegen::ir::Block;

/// What an iteration begins with.
#[derive(Clone)]
struct Start {
    number: Value,
    /// Items that are left.
    rest: Value,
    /// The item's address, if it is computed before the body.
    address: Option<Value>,
    given: Vec<Value>,
    storage: Option<Value>,
}

/// The blocks of a loop.
#[derive(Clone, Copy)]
struct Blocks {
    head: Block,
    one: Block,
    done: Block,
}

impl Emitter<'_, '_> {
    /// Emits a loop over the items that memory names.
    pub(super) fn items(&mut self, number: usize, body: &Loop) {
        let storage = self.storage(body.storage);
        let (head, some, end) = (self.e.block(&[I64]), self.e.block(&[]), self.e.block(&[]));
        let blocks = Blocks { head, one: self.e.block(&[]), done: self.e.block(&[]) };
        let items = self.e.load_i64(self.e.args, at!(items) + 8 * number as i32);
        self.e.jump(head, &[items]);
        self.e.switch_to(head);
        let items = self.e.parameter(head, 0);
        self.e.branch(items, (some, &[]), (end, &[]));
        self.e.switch_to(some);
        let first = self.start(body, items, storage.map(|all| all[0]));
        if self.e.caps.pairs == Pairs::Never {
            self.e.jump(blocks.one, &[]);
        } else {
            self.several(body, &first, storage, blocks);
        }
        self.e.switch_to(blocks.one);
        let outer = self.scope.clone();
        self.body(body, &first, blocks.one);
        self.scope = outer;
        self.e.jump(blocks.done, &[]);
        self.e.switch_to(blocks.done);
        self.e.jump(head, &[first.rest]);
        self.e.switch_to(end);
    }

    /// The addresses of iterations' storage.
    fn storage(&mut self, storage: Storage) -> Option<[Value; AT_ONCE]> {
        let (Storage::Memory { distance } | Storage::Slots { distance }) = storage else { return None };
        let distance = 16 * (SLOTS as i64 + i64::from(distance % 5));
        let args = self.e.args;
        let start = i64::from(at!(scratch));
        Some(std::array::from_fn(|n| self.e.b.ins().iadd_imm_u(args, start + distance * n as i64)))
    }

    /// Takes an item out of those that are left.
    fn start(&mut self, body: &Loop, items: Value, storage: Option<Value>) -> Start {
        let less = self.e.b.ins().iadd_imm_s(items, -1);
        let number = self.e.b.ins().ctz(items);
        let rest = self.e.b.ins().band(items, less);
        let address = (body.has_address || !body.given.is_empty()).then(|| self.item(number));
        let mut load = |ty: Type, at: u8| {
            let offset = FROM + i32::from(at) % (Area::From.size() as i32 - 15);
            address.map(|address| self.e.b.ins().load(ty, flags(), address, offset))
        };
        let given = body.given.iter().filter_map(|&(_, ty, at)| load(ty, at)).collect();
        Start { number, rest, address: address.filter(|_| body.has_address), given, storage }
    }

    /// The address of an item, but for the offset of the list.
    fn item(&mut self, number: Value) -> Value {
        let offset = self.e.b.ins().imul_imm_u(number, STRIDE);
        self.e.b.ins().iadd(self.e.args, offset)
    }

    /// Goes where as many items are done at once as are left.
    fn several(&mut self, body: &Loop, first: &Start, storage: Option<[Value; AT_ONCE]>, blocks: Blocks) {
        let counts: &[usize] = match body.at_once {
            AtOnce::Two => &[2],
            AtOnce::Four => &[4],
            AtOnce::FourOrTwo => &[4, 2],
        };
        for &count in counts {
            let fewer = self.e.block(&[]);
            let mut others: Vec<Start> = Vec::new();
            for n in 1..count {
                let rest = others.last().unwrap_or(first).rest;
                let more = self.e.block(&[]);
                self.e.branch(rest, (more, &[]), (fewer, &[]));
                self.e.switch_to(more);
                others.push(self.start(body, rest, storage.map(|all| all[n])));
            }
            let (before, drawn) = (self.e.block(&[]), self.e.block(&[]));
            self.e.jump(before, &[]);
            self.e.switch_to(before);
            self.e.jump(drawn, &[]);
            self.e.switch_to(drawn);
            self.e.jump(blocks.head, &[others[count - 2].rest]);
            self.push_body(body, first, &others, before, blocks);
            self.e.switch_to(fewer);
        }
        self.e.jump(blocks.one, &[]);
    }

    fn push_body(&mut self, body: &Loop, first: &Start, others: &[Start], before: Block, blocks: Blocks) {
        let all = |value: &dyn Fn(&Start) -> Option<Value>| {
            Some((value(first)?, others.iter().map(value).collect::<Option<Vec<Value>>>()?))
        };
        let mut values: Vec<(Value, Vec<Value>)> = Vec::new();
        values.extend(all(&|start| Some(start.number)));
        values.extend(all(&|start| start.address));
        values.extend(all(&|start| start.storage));
        values.extend((0..first.given.len()).filter_map(|index| all(&|start| start.given.get(index).copied())));
        let counter = size_of::<[u32; 4]>() as i32;
        let counters = at!(counters)..at!(counters) + COUNTERS as i32 * COUNTER;
        let own = (0..COUNTERS as i32).map(|n| at!(counters) + n * COUNTER);
        let distance = if self.has_gaps { 2 * counter } else { counter };
        self.e.bodies.push(Body {
            entry: blocks.one,
            exit: blocks.done,
            others: values,
            before,
            own: own.map(|start| (start..start + counter, distance)).collect(),
            counters,
            storage: first.storage,
            is_repeatable: body.is_repeatable,
        });
    }

    fn body(&mut self, body: &Loop, first: &Start, one: Block) {
        let item = first.address.unwrap_or_else(|| self.item(first.number));
        let reads_back = !body.is_repeatable;
        self.iteration = Some(Iteration { item, storage: first.storage, reads_back });
        self.has_called = false;
        for (&(id, ..), &value) in body.given.iter().zip(&first.given) {
            self.know(id, value, true, false);
        }
        if let (Storage::Slots { .. }, Some(base)) = (body.storage, first.storage) {
            self.e.slots.push(Slots { base, start: one });
        }
        self.clear_storage();
        self.steps(&body.body);
        self.iteration = None;
    }
}
