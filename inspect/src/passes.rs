//! Passes: runs of events that draw to the same surfaces.

use std::ops::Range;

use triglyph::probe::{Effect, Surface};

use crate::events::{Event, is_clear};
use crate::surfaces::is_same;

/// Events of one record that follow each other and concern the same surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The events, by number.
    pub events: Range<usize>,
    /// What it draws to, or clears, the first 16; nothing for transfers, and for events that concern no surface.
    pub surfaces: Vec<Surface>,
}

/// All passes, in order: every event is in one of them.
///
/// A pass goes on until a draw has other surfaces, something is transferred, or something is cleared after draws.
/// Clears before the first draw belong to it if it has their surfaces. Other commands belong to the pass before.
pub fn passes_of(events: &[Event], known: &[Surface]) -> Vec<Pass> {
    let mut passes = Vec::new();
    each_pass(events, known, |pass| passes.push(pass));
    passes
}

/// Calls `each` with these passes.
pub(crate) fn each_pass(events: &[Event], known: &[Surface], mut each: impl FnMut(Pass)) {
    // The pass in the making, its record, and what it has done so far.
    let mut making: Option<Pass> = None;
    let (mut record, mut state) = (None, State::Other);
    for event in events {
        let does = Does::of(event, known);
        let joined = making.take_if(|pass| record == Some(event.record) && does.joins(pass, state));
        state = does.state(if joined.is_some() { state } else { State::Other });
        let (start, surfaces) = match joined {
            Some(pass) => (pass.events.start, does.merged(&pass.surfaces)),
            None => {
                making.take().into_iter().for_each(&mut each);
                (event.number, does.merged(&[]))
            }
        };
        making = Some(Pass { events: start..event.number + 1, surfaces });
        record = Some(event.record);
    }
    making.into_iter().for_each(each);
}

/// Surfaces of a pass: a command can draw to any number.
const MAX_SURFACES: usize = 16;

/// What a pass has done so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Draws,
    Clears,
    Transfers,
    Other,
}

/// What an event does to surfaces.
enum Does {
    Draw(Vec<Surface>),
    Clear(Vec<Surface>),
    Transfer,
    Other,
}

impl Does {
    fn of(event: &Event, known: &[Surface]) -> Self {
        let mut drawn: Vec<Surface> = Vec::new();
        for surface in event.surfaces() {
            if drawn.len() < MAX_SURFACES && !drawn.iter().any(|known| is_same(known, surface)) {
                drawn.push(*surface);
            }
        }
        if event.draws().next().is_some() {
            return Does::Draw(drawn);
        }
        let mut transfers = event.effects.iter().filter_map(|effect| match effect {
            Effect::Transfer(transfer) => Some(transfer),
            _ => None,
        });
        let Some(first) = transfers.next() else { return Does::Other };
        let Some(target) = first.target.filter(|_| is_clear(first.kind)) else { return Does::Transfer };
        let cleared = known.iter().filter(|surface| target.overlaps(surface.range()));
        Does::Clear(cleared.take(MAX_SURFACES).copied().collect())
    }

    /// Whether the event belongs to the pass before it, which is in a state.
    fn joins(&self, pass: &Pass, state: State) -> bool {
        let has = |of: &[Surface], surface: &Surface| of.iter().any(|known| is_same(known, surface));
        match (self, state) {
            (Does::Other, _) => true,
            (Does::Draw(drawn), State::Draws) => {
                drawn.len() == pass.surfaces.len() && drawn.iter().all(|surface| has(&pass.surfaces, surface))
            }
            (Does::Draw(drawn), State::Clears) => pass.surfaces.iter().all(|surface| has(drawn, surface)),
            (Does::Draw(_), State::Other) => pass.surfaces.is_empty(),
            (Does::Clear(_), State::Clears | State::Other) => true,
            (Does::Transfer, State::Transfers | State::Other) => true,
            _ => false,
        }
    }

    fn state(&self, before: State) -> State {
        match self {
            Does::Draw(_) => State::Draws,
            Does::Clear(_) => State::Clears,
            Does::Transfer => State::Transfers,
            Does::Other => before,
        }
    }

    /// The surfaces of a pass, with those of the event.
    fn merged(&self, before: &[Surface]) -> Vec<Surface> {
        match self {
            Does::Draw(drawn) => drawn.clone(),
            Does::Clear(cleared) => {
                let mut all = before.to_vec();
                let is_new = |surface: &&Surface| !before.iter().any(|known| is_same(known, surface));
                all.extend(cleared.iter().filter(is_new));
                all.truncate(MAX_SURFACES);
                all
            }
            _ => before.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use triglyph::probe::{
        Block, Command, CommandFaults, ContentHash, Draw, Layout, Role, Stored, Transfer, TransferKind,
    };
    use triglyph::{DroppedPrimitives, FaultKind, GuestAddr, GuestRange};

    use super::*;

    fn surface(role: Role, address: u64) -> Surface {
        Surface {
            role,
            start: GuestAddr::new(0, address),
            size: 0x100,
            layout: Layout::Tiled(Block::B8),
            pitch: 8,
            bytes: 4,
            stored: Stored::Unknown,
            width: 8,
            rows: 8,
            samples: [1, 1],
        }
    }

    fn event(number: usize, record: usize, effect: Effect) -> Event {
        Event { number, record, order: number as u64, command: Command::default(), effects: vec![effect] }
    }

    #[test]
    fn passes_end_where_the_target_changes() {
        let (color, depth, other) =
            (surface(Role::Color(0), 0x1000), surface(Role::Depth, 0x2000), surface(Role::Color(0), 0x3000));
        let draw = |surfaces: &[Surface]| {
            Effect::Draw(Draw {
                topology: None,
                vertices: 3,
                primitives: 1,
                dropped: DroppedPrimitives::default(),
                surfaces: surfaces.to_vec(),
                kernel: ContentHash(0),
                textures: Vec::new(),
                fragments: Vec::new(),
            })
        };
        let transfer =
            |kind, target: &Surface| Effect::Transfer(Transfer { kind, source: None, target: Some(target.range()) });
        let effects = [
            (0, transfer(TransferKind::Fill, &color)),
            (0, transfer(TransferKind::Fill, &depth)),
            (0, draw(&[color, depth])),
            (0, Effect::Signal),
            (0, draw(&[color, depth])),
            // After draws: another pass, which the next draw belongs to.
            (0, transfer(TransferKind::FillRect, &depth)),
            (0, draw(&[color, depth])),
            (0, draw(&[other])),
            (0, transfer(TransferKind::Copy, &color)),
            (0, transfer(TransferKind::Convert, &color)),
            (0, draw(&[other])),
            (1, draw(&[other])),
            (1, Effect::Faults(CommandFaults { kind: FaultKind::BadMethod, count: 1, what: None })),
        ];
        let events: Vec<Event> =
            effects.into_iter().enumerate().map(|(number, (record, effect))| event(number, record, effect)).collect();
        let passes = passes_of(&events, &[color, depth, other]);
        let found: Vec<(Range<usize>, usize)> =
            passes.into_iter().map(|pass| (pass.events, pass.surfaces.len())).collect();
        assert_eq!(found, [(0..5, 2), (5..7, 2), (7..8, 1), (8..10, 0), (10..11, 1), (11..13, 1)]);
    }

    #[test]
    fn passes_have_few_surfaces() {
        let surfaces: Vec<Surface> = (0..20).map(|number| surface(Role::Color(0), 0x1000 * number)).collect();
        let draw = Effect::Draw(Draw {
            topology: None,
            vertices: 3,
            primitives: 1,
            dropped: DroppedPrimitives::default(),
            surfaces: surfaces.clone(),
            kernel: ContentHash(0),
            textures: Vec::new(),
            fragments: Vec::new(),
        });
        let target = Some(GuestRange::new(0, 0, 0x10_0000));
        let clear = Effect::Transfer(Transfer { kind: TransferKind::Fill, source: None, target });
        let events: Vec<Event> = [clear, draw.clone(), draw].into_iter().map(|effect| event(0, 0, effect)).collect();
        let passes = passes_of(&events, &surfaces);
        assert_eq!(passes.iter().map(|pass| pass.surfaces.len()).collect::<Vec<_>>(), [16]);
    }
}
