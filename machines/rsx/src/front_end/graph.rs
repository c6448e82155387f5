//! PGRAPH: the engine objects of a channel, and which of them is bound to which subchannel.

use triglyph_guest::rsx::fifo::{METHOD_SPACE, METHODS, SUBCHANNELS};
use triglyph_guest::rsx::objects::class;

use super::registers::Registers;
use super::words::{Object, Run};
use crate::class_2d::{SavedTwoD, TwoD};
use crate::class_3d::{Curie, SavedCurie};
use crate::core::Core;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::packet_trace::PacketTraces;
use triglyph_engine::snapshot::state;

/// What is bound to a subchannel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Nothing, or the null object: methods have no effect.
    #[default]
    Nothing,
    /// 3D.
    Curie,
    /// A 2D object, by its number in the channel.
    TwoD(usize),
    /// An object of the software engine: the processor executes its methods.
    Software,
    /// An object of a class that does not exist.
    Unknown(u32),
}

/// The engine objects of one channel.
#[derive(Debug, Default)]
pub struct Graph {
    bound: [Bound; SUBCHANNELS],
    /// The subchannels that the 3D object is bound to, as a set.
    curie_subchannels: u32,
    /// 3D. All 3D objects of a channel share their state.
    pub curie: Curie,
    two_d: TwoD,
    /// What comes again and again.
    pub(crate) packet_traces: PacketTraces,
}

impl Graph {
    /// Binds the object `name` (as object methods name it) of `class` to a subchannel. Returns whether there is room.
    pub fn bind(&mut self, subchannel: u32, name: u32, class: u32) -> bool {
        let bound = match class {
            class::CURIE => Bound::Curie,
            class::NULL => Bound::Nothing,
            class::SOFTWARE => Bound::Software,
            _ if TwoD::has(class) => match self.two_d.bind(name, class) {
                Some(index) => Bound::TwoD(index),
                None => return false,
            },
            other => Bound::Unknown(other),
        };
        if std::mem::replace(&mut self.bound[subchannel as usize % SUBCHANNELS], bound) != bound {
            self.curie_subchannels = curie_subchannels(&self.bound);
            self.packet_traces.clear();
        }
        true
    }

    /// The subchannels that the 3D object is bound to, as a set.
    #[inline]
    pub fn curie_subchannels(&self) -> u32 {
        self.curie_subchannels
    }

    /// Sets the registers of what is bound to a subchannel, by address / 4.
    pub(crate) fn set_registers(&mut self, subchannel: u32, words: Box<[u32; METHODS]>) {
        match self.bound(subchannel) {
            Bound::Curie => self.curie = Curie::with_registers(&words),
            Bound::TwoD(index) => self.two_d.set_registers(index, &words),
            Bound::Nothing | Bound::Software | Bound::Unknown(_) => {}
        }
    }

    /// The class of what is bound to a subchannel, if it has one.
    pub fn class(&self, subchannel: u32) -> Option<u32> {
        match self.bound(subchannel) {
            Bound::Nothing => None,
            Bound::Curie => Some(class::CURIE),
            Bound::TwoD(index) => self.two_d.class(index),
            Bound::Software => Some(class::SOFTWARE),
            Bound::Unknown(class) => Some(class),
        }
    }

    /// The registers of what is bound to a subchannel, if it has any.
    pub fn registers(&self, subchannel: u32) -> Option<&Registers> {
        match self.bound(subchannel) {
            Bound::Curie => Some(self.curie.registers()),
            Bound::TwoD(index) => self.two_d.registers(index),
            Bound::Nothing | Bound::Software | Bound::Unknown(_) => None,
        }
    }

    /// What is bound to a subchannel.
    pub fn bound(&self, subchannel: u32) -> Bound {
        self.bound[subchannel as usize % SUBCHANNELS]
    }

    /// Gives a run to the object on a subchannel. Returns how many words were taken: less than all when a bounded run
    /// was interrupted.
    #[inline]
    pub fn run(&mut self, core: &mut Core, subchannel: u32, run: Run<'_>) -> usize {
        debug_assert!(!run.increasing || run.method as usize + 4 * run.words.len() <= METHOD_SPACE as usize);
        match self.bound(subchannel) {
            Bound::Curie => return self.curie.run(core, run),
            Bound::TwoD(index) => return self.two_d.run(core, index, run),
            // The puller sends these elsewhere.
            Bound::Software => {}
            Bound::Nothing => run.each_method(|method| {
                let what = format_args!("method {method:#x} of subchannel {subchannel}, which is not bound");
                core.fault(FaultKind::BadMethod, method.into(), what);
            }),
            Bound::Unknown(class) => run.each_method(|method| {
                let what = format_args!("method {method:#x} of class {class:#x}, which does not exist");
                core.fault(FaultKind::BadMethod, method.into(), what);
            }),
        }
        run.words.len()
    }

    /// Brings everything into memory that was drawn so far: before a report, an interrupt, the end of a submission.
    pub fn finish(&mut self, core: &mut Core) {
        self.curie.finish(core);
    }
}

state! {
    /// The engine objects of a channel in a snapshot.
    pub(crate) struct SavedGraph { bound: Vec<SavedBound>, curie: SavedCurie, two_d: SavedTwoD }
    /// What is bound to a subchannel: a kind, and its number or class.
    pub(crate) struct SavedBound { kind: u8, value: u32 }
}

impl Graph {
    pub(crate) fn save(&self) -> SavedGraph {
        let Graph { bound, curie, two_d, .. } = self;
        let save = |bound: &Bound| {
            let (kind, value) = match *bound {
                Bound::Nothing => (0, 0),
                Bound::Curie => (1, 0),
                Bound::TwoD(index) => (2, index as u32),
                Bound::Software => (3, 0),
                Bound::Unknown(class) => (4, class),
            };
            SavedBound { kind, value }
        };
        SavedGraph { bound: bound.iter().map(save).collect(), curie: curie.save(), two_d: two_d.save() }
    }

    /// The objects that were saved; `None` when there are no such.
    pub(crate) fn restore(saved: SavedGraph) -> Option<Self> {
        let two_d = TwoD::restore(saved.two_d)?;
        let restore = |SavedBound { kind, value }| match kind {
            0 => Some(Bound::Nothing),
            1 => Some(Bound::Curie),
            2 => two_d.class(value as usize).map(|_| Bound::TwoD(value as usize)),
            3 => Some(Bound::Software),
            4 => Some(Bound::Unknown(value)),
            _ => None,
        };
        let bound: Option<Vec<Bound>> = saved.bound.into_iter().map(restore).collect();
        let bound: [Bound; SUBCHANNELS] = bound?.try_into().ok()?;
        let curie = Curie::restore(saved.curie)?;
        Some(Graph { bound, curie_subchannels: curie_subchannels(&bound), curie, two_d, ..Graph::default() })
    }
}

fn curie_subchannels(bound: &[Bound; SUBCHANNELS]) -> u32 {
    (0..).zip(bound).filter(|(_, bound)| **bound == Bound::Curie).fold(0, |set, (subchannel, _)| set | 1 << subchannel)
}
