//! What events use: targets, textures, programs, arrays of vertices, constants, other memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;
use triglyph::probe::{Effect, Input, Vertices, Watch, Watched};
use triglyph::{Error, GuestAddr, GuestRange};

use crate::programs::stage_of;
use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

/// Resources of an answer at most, and the events of each.
const MAX_RESOURCES: usize = 4096;
const MAX_USERS: usize = 1024;

/// What something is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// Colours are drawn to it.
    #[serde(rename = "colour")]
    Color,
    /// Depth and stencil are.
    Depth,
    /// Draws read it as a texture.
    Texture,
    /// Draws read vertices there.
    Vertices,
    /// Stages read constants there.
    Constants,
    /// Transfers read it.
    Source,
    /// Transfers write it.
    Target,
    /// Commands store words there.
    Store,
    /// It is a program.
    Program,
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resource {
    /// What it is used as.
    pub kind: Use,
    /// Its name: of programs the stage and the beginning of the kernel's hash; otherwise of a few more facts.
    pub name: String,
    /// Its address space, first address and bytes, of what is in memory.
    pub range: Option<(u32, u64, u64)>,
    /// The events that use it, in order: the first 1,024.
    pub events: Vec<usize>,
    /// How many more there are.
    pub left_out: usize,
}

/// The resources of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// Sorted by kind and place: at most 4,096.
    pub resources: Vec<Resource>,
    /// How many more there are.
    pub left_out: usize,
    /// How many of the first events were asked about programs, vertices and constants before time was over.
    pub events: usize,
}

/// Kind, place and name of a resource.
type Key = (Use, Option<(u32, u64, u64)>, String);

/// The events that use a resource.
#[derive(Default)]
struct Users {
    /// The first ones.
    events: Vec<usize>,
    /// The last one, whether it is among them or not.
    last: Option<usize>,
    left_out: usize,
}

#[derive(Default)]
struct Found {
    resources: BTreeMap<Key, Users>,
    left_out: usize,
    events: usize,
}

impl Found {
    fn add(&mut self, event: usize, kind: Use, range: Option<GuestRange>, name: &str) {
        if range.is_some_and(|range| range.size == 0) {
            return;
        }
        let range = range.map(|range| (range.start.space, range.start.address, range.size));
        let key = (kind, range, name.to_owned());
        if !self.resources.contains_key(&key) && self.resources.len() >= MAX_RESOURCES {
            self.left_out += 1;
            return;
        }
        let users = self.resources.entry(key).or_default();
        if users.last.replace(event) == Some(event) {
            return;
        }
        if users.events.len() < MAX_USERS {
            users.events.push(event);
        } else {
            users.left_out += 1;
        }
    }

    fn add_effect(&mut self, event: usize, effect: &Effect) {
        match effect {
            Effect::Draw(draw) => {
                for surface in &draw.surfaces {
                    let kind = if surface.role == triglyph::probe::Role::Depth { Use::Depth } else { Use::Color };
                    self.add(event, kind, Some(surface.range()), &format!("{}x{}", surface.width, surface.rows));
                }
                draw.textures.iter().for_each(|&range| self.add(event, Use::Texture, Some(range), ""));
            }
            Effect::Transfer(transfer) => {
                for (kind, range) in [(Use::Source, transfer.source), (Use::Target, transfer.target)] {
                    if range.is_some() {
                        self.add(event, kind, range, &format!("{:?}", transfer.kind).to_lowercase());
                    }
                }
            }
            Effect::Store(range) => self.add(event, Use::Store, Some(*range), ""),
            _ => {}
        }
    }

    fn add_vertices(&mut self, event: usize, vertices: &Vertices) {
        let elements = vertices.elements.iter();
        let Some((&first, &last)) = elements.clone().min().zip(elements.max()) else { return };
        for attribute in &vertices.attributes {
            let Some((start, array)) = attribute.array.as_ref().and_then(|array| Some((array.start?, array))) else {
                continue;
            };
            let divisor = array.divisor.unwrap_or(1).max(1);
            let place = |element: u32| u64::from(array.stride) * u64::from(element / divisor);
            let size = place(last) - place(first) + u64::from(array.bytes);
            let at = GuestAddr::new(start.space, start.address.wrapping_add(place(first)));
            self.add(event, Use::Vertices, Some(at.range(size)), &format!("stride {}", array.stride));
        }
    }
}

impl Session<'_> {
    /// What the events of the capture use. Surfaces, textures and transfers are those of all events; programs, arrays
    /// and constants those of the events that are replayed until `deadline`.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub fn resources(&mut self, deadline: Option<Instant>) -> Result<Resources, Error> {
        let mut found = Found::default();
        let events = self.shared_events();
        for event in events.iter() {
            event.effects.iter().for_each(|effect| found.add_effect(event.number, effect));
        }
        let orders: HashMap<u64, usize> = events.iter().map(|event| (event.order, event.number)).collect();
        let found = Arc::new(Mutex::new(found));
        if let Some(last) = events.len().checked_sub(1) {
            let collector = Collector { orders, deadline, last, found: found.clone() };
            self.tour(0, last, Box::new(collector))?;
        }
        let Found { resources, left_out, events } =
            std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        let resource = |((kind, range, name), users): (Key, Users)| {
            let Users { events, left_out, .. } = users;
            Resource { kind, name, range, events, left_out }
        };
        Ok(Resources { resources: resources.into_iter().map(resource).collect(), left_out, events })
    }
}

struct Collector {
    orders: HashMap<u64, usize>,
    deadline: Option<Instant>,
    last: usize,
    found: Arc<Mutex<Found>>,
}

impl Collector {
    fn with(&self, order: u64, add: impl FnOnce(&mut Found, usize)) {
        if let Some(&event) = self.orders.get(&order) {
            add(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner), event);
        }
    }
}

impl Tour for Collector {
    fn is_over(&mut self) -> bool {
        let done = self.found.lock().unwrap_or_else(PoisonError::into_inner).events;
        done > self.last || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        (moment == Moment::After && self.orders.contains_key(&order)).then(Ask::default)
    }

    fn seen(&mut self, seen: Seen) {
        self.with(seen.order, |found, event| found.events = event + 1);
    }

    fn watch(&mut self, order: u64) -> Option<Watch> {
        self.orders.contains_key(&order).then(Watch::default)
    }

    fn watched(&mut self, order: u64, watched: Watched) {
        self.with(order, |found, event| {
            for (hash, key) in &watched.keys {
                let hash = format!("{:032x}", hash.0);
                found.add(event, Use::Program, None, &format!("{} {}", stage_of(key), &hash[..8]));
            }
        });
    }

    fn wants_inputs(&mut self, order: u64) -> bool {
        self.orders.contains_key(&order)
    }

    fn input(&mut self, order: u64, input: &Input<'_>) {
        self.with(order, |found, event| match input {
            Input::Vertices(vertices) => found.add_vertices(event, vertices),
            Input::Constants(constants) if constants.range.is_some() => {
                found.add(event, Use::Constants, constants.range, &constants.name);
            }
            _ => {}
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_short() {
        let mut found = Found::default();
        for event in 0..2 * MAX_USERS {
            found.add(event, Use::Store, Some(GuestRange::new(0, 16, 4)), "");
            // A use in the same event is one use.
            found.add(event, Use::Store, Some(GuestRange::new(0, 16, 4)), "");
        }
        let users = found.resources.values().next().unwrap();
        assert_eq!((users.events.len(), users.left_out), (MAX_USERS, MAX_USERS));
        (0..2 * MAX_RESOURCES as u64).for_each(|at| {
            found.add(0, Use::Target, Some(GuestRange::new(0, 4 * at, 4)), "");
        });
        assert_eq!(found.resources.len(), MAX_RESOURCES);
        assert_eq!(found.left_out, MAX_RESOURCES + 1);
    }
}
