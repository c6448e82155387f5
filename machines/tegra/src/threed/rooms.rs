//! Memory for the vertices of draws.

use triglyph_engine::draw::VertexReuse;

use super::shapes::Shapes;

/// Memory for vertices, kept from draw to draw for the allocations.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    numbers: Vec<u32>,
    order: Vec<u32>,
    shapes: Shapes,
    /// Without its lists between draws.
    reuse: VertexReuse,
}

impl Rooms {
    /// Largest room that is kept, in bytes.
    const MOST: usize = 4 << 20;

    /// So many zeros, for the records that a vertex program reads.
    pub(super) fn take_inputs(&mut self, words: usize) -> Vec<u32> {
        zeros(&mut self.inputs, words)
    }

    /// So many zeros, for the records that it writes.
    pub(super) fn take_outputs(&mut self, words: usize) -> Vec<u32> {
        zeros(&mut self.outputs, words)
    }

    /// An empty list, for the numbers of vertices.
    pub(super) fn take_numbers(&mut self) -> Vec<u32> {
        empty(&mut self.numbers)
    }

    /// The numbers of the vertices to shade of a draw with these numbers, each once if they are to be `distinct`, and
    /// for each vertex of the draw its position among them.
    pub(super) fn find_vertices(&mut self, numbers: &mut Vec<u32>, distinct: bool) -> (Vec<u32>, Vec<u32>) {
        self.reuse.order = empty(&mut self.order);
        if distinct {
            self.reuse.vertices = empty(&mut self.numbers);
            self.reuse.find(numbers);
        } else {
            self.reuse.each_once(numbers);
        }
        (std::mem::take(&mut self.reuse.vertices), std::mem::take(&mut self.reuse.order))
    }

    /// An empty list, for shapes.
    pub(super) fn take_shapes(&mut self) -> Shapes {
        empty(&mut self.shapes)
    }

    pub(super) fn keep_numbers(&mut self, numbers: Vec<u32>) {
        keep(&mut self.numbers, numbers);
    }

    pub(super) fn keep_order(&mut self, order: Vec<u32>) {
        keep(&mut self.order, order);
    }

    pub(super) fn keep_shapes(&mut self, shapes: Shapes) {
        keep(&mut self.shapes, shapes);
    }

    pub(super) fn keep_inputs(&mut self, words: Vec<u32>) {
        keep(&mut self.inputs, words);
    }

    pub(super) fn keep_outputs(&mut self, words: Vec<u32>) {
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
    if size_of::<T>() * list.capacity() <= Rooms::MOST {
        *room = list;
    }
}
