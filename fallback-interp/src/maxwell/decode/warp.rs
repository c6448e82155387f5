//! Lanes of a warp, barriers.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::CcTest;

use crate::maxwell::lane::{Lane, Reduction, Wait};
use crate::maxwell::program::{Decoder, Flow, Op};
use crate::maxwell::warp::lanes_of;

fn number(lane: &Lane, source: RegOrNumber) -> u32 {
    match source {
        RegOrNumber::Reg(reg) => lane.read(reg),
        RegOrNumber::Number(number) => number.into(),
    }
}

/// The lane that a shuffle reads, if it is in its segment.
fn shuffled(mode: ShflMode, lane: u32, index: u32, mask: u32) -> Option<u32> {
    let (clamp, segment, index) = (mask & 31, mask >> 8 & 31, index & 31);
    let first = lane & segment;
    let last = first | clamp & !segment;
    let (other, inside) = match mode {
        ShflMode::Index => {
            let other = first | index & !segment;
            (other, other <= last)
        }
        ShflMode::Up => {
            let other = lane as i32 - index as i32;
            (other as u32, other >= last as i32)
        }
        ShflMode::Down => (lane + index, lane + index <= last),
        ShflMode::Butterfly => (lane ^ index, lane ^ index <= last),
    };
    inside.then_some(other)
}

impl WarpVisitor for Decoder<'_> {
    type Output = Op;

    nothing! {
        vote_vtg: VoteVtg;
        r2b: RegToBarrier;
        depbar: DependencyBarrier;
        nop: Nothing;
    }

    fn shfl(&mut self, i: Shuffle) -> Op {
        self.warp(i.guard, move |lanes, set, _| {
            // All sources are read before anything is written.
            let mut sources = [0; 32];
            for (source, lane) in sources.iter_mut().zip(lanes.iter()) {
                *source = lane.read(i.a);
            }
            for n in lanes_of(set) {
                let lane = &mut lanes[n];
                let (index, mask) = (number(lane, i.index), number(lane, i.mask));
                let other = shuffled(i.mode, lane.id, index, mask);
                let from = other.map_or(n, |other| other as usize);
                lane.write(i.dst, sources.get(from).copied().unwrap_or(0));
                lane.set_pred(i.pred, other.is_some());
            }
        })
    }

    fn vote(&mut self, i: Vote) -> Op {
        self.warp(i.guard, move |lanes, set, _| {
            let votes = lanes_of(set).filter(|&n| lanes[n].pred(i.source)).fold(0, |votes, n| votes | 1u32 << n);
            let result = match i.mode {
                VoteMode::All | VoteMode::Unknown(_) => votes == set,
                VoteMode::Any => votes != 0,
                VoteMode::Equal => votes == 0 || votes == set,
            };
            for n in lanes_of(set) {
                lanes[n].write(i.dst, votes);
                lanes[n].set_pred(i.pred, result);
            }
        })
    }

    fn bar(&mut self, i: Barrier) -> Op {
        let reduction = match (i.op, i.reduction) {
            (BarOp::Reduce, BarReduction::PopCount | BarReduction::Unknown(_)) => Some(Reduction::Count),
            (BarOp::Reduce, BarReduction::And) => Some(Reduction::All),
            (BarOp::Reduce, BarReduction::Or) => Some(Reduction::Any),
            _ => None,
        };
        let waits = i.op != BarOp::Arrive;
        let wait = move |lane: &Lane| {
            let wait = Wait { number: number(lane, i.number), pred: lane.pred(i.pred), reduction };
            waits.then_some(wait)
        };
        self.flow(i.guard, CcTest::True, Flow::Wait(Box::new(wait)))
    }

    fn b2r(&mut self, i: BarrierToReg) -> Op {
        self.lane(i.guard, move |lane, _| {
            let value = if i.mode == B2rMode::Result { lane.reduced } else { 0 };
            lane.write(i.dst, value);
            lane.set_pred(i.pred, value != 0);
        })
    }

    fn lepc(&mut self, i: ProgramCounter) -> Op {
        let address = self.address;
        self.lane(i.guard, move |lane, _| lane.write(i.dst, address))
    }
}
