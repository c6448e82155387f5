//! The order in which draws and their primitives reach a surface, with the outcomes of their fragments.

use std::ops::Range;

use serde::Serialize;
use triglyph::Error;
use triglyph::probe::Verdict;

use super::counted::Counted;
use crate::replay::Session;

/// Outcomes of the fragments of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fragments {
    /// The event.
    pub event: usize,
    /// Its fragments before any test: with several samples one for all samples of a pixel. Draws whose area has more
    /// than 2^23 pixels are left out.
    pub all: u64,
    /// Their outcomes, by [`Verdict::ALL`], if these are known of all of its draws: with several samples each of
    /// them counts.
    pub verdicts: Option<[u64; Verdict::ALL.len()]>,
}

/// A primitive, and the outcomes of its fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Primitive {
    /// Which of the event's draws it is of: its instance or part.
    pub part: usize,
    /// Which one of the draw it is, in the order in which they were set up.
    pub primitive: u32,
    /// Stored pixels outside of which it has no fragments: the first of a row, the first row, pixels of a row, rows.
    pub area: [u32; 4],
    /// How many it has, by [`Verdict::ALL`].
    pub verdicts: [u32; Verdict::ALL.len()],
}

/// The primitives of an event in an answer.
#[derive(Debug, Default, Serialize)]
pub struct PrimitivesAnswer {
    /// How many have fragments.
    pub count: usize,
    /// The first of them.
    pub rows: Vec<Primitive>,
}

/// Primitives in an answer at most.
const MAX_PRIMITIVES: usize = 2000;

impl Fragments {
    /// Those that an event has told of.
    pub(super) fn of(counted: &Counted) -> Self {
        let counts = |counts: &Vec<u32>| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        let all = counted.draws.iter().map(|draw| counts(&draw.counts)).sum::<u64>() + counted.left_out_fragments;
        let zero = (counted.left_out == 0).then_some([0; Verdict::ALL.len()]);
        let verdicts = counted.draws.iter().fold(zero, |sum, draw| {
            let (mut sum, judged) = (sum?, draw.judged.as_ref()?);
            sum.iter_mut().zip(&judged.verdicts).for_each(|(sum, verdict)| *sum += counts(verdict));
            Some(sum)
        });
        Fragments { event: counted.event, all, verdicts }
    }
}

impl Session<'_> {
    /// Outcomes of the fragments of the draws of some events, in their order.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub fn drawing_order(&mut self, events: Range<usize>) -> Result<Vec<Fragments>, Error> {
        self.fold_fragments(events, &[], Vec::new(), |all, counted| all.push(Fragments::of(counted)))
    }

    /// The primitives of an event that have fragments, in the order in which they are drawn; none of draws without
    /// known outcomes.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub fn primitives(&mut self, event: usize) -> Result<Vec<Primitive>, Error> {
        let end = event.saturating_add(1);
        self.fold_fragments(event..end, &[], Vec::new(), |all, counted| all.extend(primitives(counted)))
    }
}

fn primitives(counted: &Counted) -> impl Iterator<Item = Primitive> {
    let judged = counted.draws.iter().enumerate().filter_map(|(part, draw)| Some((part, draw.judged.as_ref()?)));
    judged.flat_map(|(part, judged)| {
        judged.primitives.iter().map(move |found| Primitive {
            part,
            primitive: found.primitive,
            area: found.area,
            verdicts: found.verdicts,
        })
    })
}

impl PrimitivesAnswer {
    /// Those of an event that has told of its fragments.
    pub(super) fn of(counted: &Counted) -> Self {
        PrimitivesAnswer {
            count: primitives(counted).count(),
            rows: primitives(counted).take(MAX_PRIMITIVES).collect(),
        }
    }
}
