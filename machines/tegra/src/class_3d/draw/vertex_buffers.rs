//! Memory for the vertices of draws.

use triglyph_engine::draw::VertexReuse;
use triglyph_engine::draw::program::Segment;

use super::indices::Numbers;
use super::shapes::Shapes;

/// Memory for vertices, kept from draw to draw for the allocations.
#[derive(Debug, Default)]
pub(crate) struct VertexBufferPool {
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    list: Vec<u32>,
    segment: Vec<u32>,
    numbers: Vec<u32>,
    order: Vec<u32>,
    shapes: Shapes,
    /// Without its lists between draws.
    reuse: VertexReuse,
}

impl VertexBufferPool {
    /// Largest room that is kept, in bytes: that of a segment of a draw.
    const MAX_KEPT_BYTES: usize = 8 << 20;

    /// So many zeros, for the records that a vertex program reads.
    pub(crate) fn acquire_inputs(&mut self, words: usize) -> Vec<u32> {
        zeros(&mut self.inputs, words)
    }

    /// So many zeros, for the records that it writes.
    pub(crate) fn acquire_outputs(&mut self, words: usize) -> Vec<u32> {
        zeros(&mut self.outputs, words)
    }

    /// An empty list, for the numbers of a draw.
    pub(crate) fn acquire_list(&mut self) -> Vec<u32> {
        empty(&mut self.list)
    }

    /// An empty list, for the numbers of a segment.
    pub(crate) fn acquire_segment(&mut self) -> Vec<u32> {
        empty(&mut self.segment)
    }

    /// The numbers of the vertices to shade of a segment of a draw with these numbers, each once if they are to be
    /// `distinct`, and for each vertex of the segment its position among them.
    pub(crate) fn find_vertices(
        &mut self,
        numbers: &Numbers,
        segment: &Segment,
        distinct: bool,
    ) -> (Vec<u32>, Vec<u32>) {
        self.reuse.order = empty(&mut self.order);
        let mut all = empty(if distinct { &mut self.segment } else { &mut self.numbers });
        let whole = match numbers {
            Numbers::List(list) if segment.is_all_of(list.len()) => Some(list),
            _ => None,
        };
        if !distinct || whole.is_none() {
            numbers.copy(segment, &mut all);
        }
        if distinct {
            self.reuse.vertices = empty(&mut self.numbers);
            self.reuse.find(whole.unwrap_or(&all));
            self.segment = all;
        } else {
            self.reuse.each_once(&mut all);
        }
        (std::mem::take(&mut self.reuse.vertices), std::mem::take(&mut self.reuse.order))
    }

    /// How many vertices there are to shade of a draw with these numbers: each once, if they are to be `distinct`.
    pub(crate) fn count_vertices(&mut self, numbers: &Numbers, distinct: bool) -> usize {
        match numbers {
            Numbers::List(list) if distinct => self.reuse.count(list),
            _ => numbers.len(),
        }
    }

    /// An empty list, for shapes.
    pub(crate) fn acquire_shapes(&mut self) -> Shapes {
        empty(&mut self.shapes)
    }

    pub(crate) fn release_list(&mut self, list: Vec<u32>) {
        keep(&mut self.list, list);
    }

    pub(crate) fn release_segment(&mut self, segment: Vec<u32>) {
        keep(&mut self.segment, segment);
    }

    pub(crate) fn release_numbers(&mut self, numbers: Vec<u32>) {
        keep(&mut self.numbers, numbers);
    }

    pub(crate) fn release_order(&mut self, order: Vec<u32>) {
        keep(&mut self.order, order);
    }

    pub(crate) fn release_shapes(&mut self, shapes: Shapes) {
        keep(&mut self.shapes, shapes);
    }

    pub(crate) fn release_inputs(&mut self, words: Vec<u32>) {
        keep(&mut self.inputs, words);
    }

    pub(crate) fn release_outputs(&mut self, words: Vec<u32>) {
        keep(&mut self.outputs, words);
    }
}

fn empty<T>(room: &mut Vec<T>) -> Vec<T> {
    let mut list = std::mem::take(room);
    list.clear();
    list
}

fn zeros(room: &mut Vec<u32>, words: usize) -> Vec<u32> {
    let mut zeros = empty(room);
    zeros.resize(words, 0);
    zeros
}

fn keep<T>(room: &mut Vec<T>, list: Vec<T>) {
    if size_of::<T>() * list.capacity() <= VertexBufferPool::MAX_KEPT_BYTES {
        *room = list;
    }
}
