//! The replay that fills a page: pictures, registers and programs of its events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use triglyph::probe::{Watch, Watched};
use triglyph::{Error, Machine};

use crate::canvas::Canvas;
use crate::limits::Room;
use crate::names::Names;
use crate::page_data::{PageData, PageShow, PictureKey};
use crate::page_pictures::Pictures;
use crate::programs::program_of;
use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};
use triglyph_guest::table::show_fields;

/// By the order of commands: which event, and which canvases it shows.
pub(crate) type Plan = HashMap<u64, (usize, Vec<usize>)>;

/// Bytes of a register that has changed in a page, about, besides its fields.
const REGISTER_BYTES: usize = 24;

pub(crate) struct PageTour {
    machine: Machine,
    canvases: Pictures,
    plan: Plan,
    /// Whether pictures and programs are part of the page.
    has_pictures: bool,
    filled: Arc<Mutex<Filled>>,
    /// Registers of each class at its event before.
    registers: HashMap<u32, Vec<u32>>,
    /// Which of the page's programs kernels are; `None` if they have no text.
    programs: HashMap<u128, Option<usize>>,
}

/// The page so far.
struct Filled {
    page: PageData,
    room: Room,
    /// Whether it is full: events from [`PageData::complete`] on have nothing but themselves.
    is_full: bool,
}

impl PageTour {
    pub fn new(
        machine: Machine,
        canvases: Vec<Canvas>,
        (plan, has_pictures): (Plan, bool),
        (page, room): (PageData, Room),
    ) -> Self {
        PageTour {
            machine,
            canvases: Pictures::new(canvases),
            plan,
            has_pictures,
            filled: Arc::new(Mutex::new(Filled { page: PageData { complete: 0, ..page }, room, is_full: false })),
            registers: HashMap::new(),
            programs: HashMap::new(),
        }
    }

    /// Fills the page in one replay.
    pub fn go(self, session: &mut Session<'_>, first: usize, last: usize) -> Result<PageData, Error> {
        let filled = self.filled.clone();
        session.tour(first, last, Box::new(self))?;
        let mut filled = filled.lock().unwrap_or_else(PoisonError::into_inner);
        if !session.is_cut() && !filled.is_full {
            filled.page.complete = filled.page.events.len();
        }
        filled.empty_the_rest();
        Ok(std::mem::take(&mut filled.page))
    }

    fn filled(&self) -> MutexGuard<'_, Filled> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Filled {
    /// Leaves nothing of events that are not complete.
    fn empty_the_rest(&mut self) {
        for event in self.page.events.iter_mut().skip(self.page.complete) {
            event.registers.clear();
            event.programs.clear();
            event.time = 0.0;
            if !self.page.served {
                event.shows.clear();
            }
        }
    }
}

impl Tour for PageTour {
    fn is_over(&mut self) -> bool {
        self.filled().is_full
    }

    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let (_, shown) = self.plan.get(&order)?;
        let ranges = shown.iter().map(|&canvas| self.canvases.range(canvas)).collect();
        Some(Ask { registers: moment == Moment::Before, ranges })
    }

    fn time(&mut self, order: u64, time: Duration) {
        let Some((index, _)) = self.plan.get(&order) else { return };
        // Microseconds suffice.
        let milliseconds = (time.as_secs_f64() * 1e6).round() / 1e3;
        self.filled().page.events[*index].time = milliseconds;
    }

    fn watch(&mut self, order: u64) -> Option<Watch> {
        (self.has_pictures && self.plan.contains_key(&order)).then(Watch::default)
    }

    fn watched(&mut self, order: u64, watched: Watched) {
        let Some(&(index, _)) = self.plan.get(&order) else { return };
        let filled = self.filled.clone();
        let mut filled = filled.lock().unwrap_or_else(PoisonError::into_inner);
        let Filled { page, room, is_full } = &mut *filled;
        for (hash, key) in &watched.keys {
            let number = *self.programs.entry(hash.0).or_insert_with(|| {
                let program = program_of(*hash, key)?;
                if !room.take(program.size()) {
                    *is_full = true;
                    return None;
                }
                page.programs.push(program);
                Some(page.programs.len() - 1)
            });
            page.events[index].programs.extend(number);
        }
    }

    fn seen(&mut self, seen: Seen) {
        let Some((index, shown)) = self.plan.get(&seen.order).cloned() else { return };
        let filled = self.filled.clone();
        let mut filled = filled.lock().unwrap_or_else(PoisonError::into_inner);
        if filled.is_full {
            return;
        }
        if seen.moment == Moment::Before {
            filled.is_full = self.note_registers(&mut filled, index, seen.registers).is_none();
        }
        let Filled { page, room, is_full } = &mut *filled;
        for (place, (canvas, bytes)) in shown.into_iter().zip(seen.ranges).enumerate() {
            let Some(number) = self.canvases.note(canvas, &mut page.pictures, room, bytes) else {
                *is_full = true;
                break;
            };
            let number = PictureKey::Number(number);
            let shows = &mut page.events[index].shows;
            match seen.moment {
                Moment::Before => shows.push(PageShow { canvas, before: number.clone(), after: number }),
                Moment::After => {
                    if let Some(show) = shows.get_mut(place) {
                        show.after = number;
                    }
                }
            }
        }
        if seen.moment == Moment::After && !*is_full {
            page.complete = index + 1;
        }
    }
}

impl PageTour {
    /// Notes which registers have changed since the class's event before; `None` if there is no room for them.
    fn note_registers(&mut self, filled: &mut Filled, index: usize, words: Vec<u32>) -> Option<()> {
        let Filled { page, room, .. } = filled;
        let class = page.events[index].class;
        let names = Names(self.machine);
        let entry = page.classes.entry(class).or_default();
        entry.name = names.class(class);
        let before = self.registers.entry(class).or_default();
        before.resize(words.len(), 0);
        for (register, (word, before)) in words.iter().zip(before.iter()).enumerate() {
            if word == before {
                continue;
            }
            let method = names.method_of(register);
            let Some((name, fields)) = names.find(class, method) else { continue };
            entry.registers.entry(register).or_insert(name);
            let fields = show_fields(fields, *word);
            if !room.take(REGISTER_BYTES + fields.len()) {
                return None;
            }
            page.events[index].registers.push((register, *word, fields));
        }
        *before = words;
        Some(())
    }
}
