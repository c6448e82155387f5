//! Projected vertices: positions in the target's pixels.

/// A vertex in the target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Projected {
    /// 1/256 pixel to the right of the target's left edge.
    pub x: i32,
    /// 1/256 pixel below its first row.
    pub y: i32,
    /// Where it is before that is rounded, with [`Single`](super::Single) positions.
    pub window: [f32; 2],
    /// Window depth.
    pub depth: f64,
    /// 1/w.
    pub inv_w: f64,
    /// Planes it lies outside of, by bit. Everything else holds only when none does.
    pub outside: u16,
    /// Its coordinates are taken with the other sign.
    pub negated: bool,
}

/// Several vertices in the target, side by side as they are computed: the fields of [`Projected`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<const N: usize> {
    pub x: [i32; N],
    pub y: [i32; N],
    pub window: [[f32; N]; 2],
    pub depth: [f64; N],
    pub inv_w: [f64; N],
    pub outside: [u16; N],
    pub negated: [bool; N],
}

impl<const N: usize> Default for Group<N> {
    fn default() -> Self {
        let (x, depth) = ([0; N], [0.0; N]);
        Group { x, y: x, window: [[0.0; N]; 2], depth, inv_w: depth, outside: [0; N], negated: [false; N] }
    }
}

impl<const N: usize> Group<N> {
    /// One of them.
    #[inline]
    pub fn get(&self, lane: usize) -> Projected {
        Projected {
            x: self.x[lane],
            y: self.y[lane],
            window: [self.window[0][lane], self.window[1][lane]],
            depth: self.depth[lane],
            inv_w: self.inv_w[lane],
            outside: self.outside[lane],
            negated: self.negated[lane],
        }
    }
}

/// Vertices that are projected at once.
pub(super) const AT_ONCE: usize = 4;

/// Vertices of a draw in the target, kept for the allocation.
#[derive(Debug, Default)]
pub struct ProjectedVertices {
    /// Those of the draw come first. Its last group may have more lanes.
    groups: Vec<Group<AT_ONCE>>,
    /// Vertices of the draw.
    len: usize,
}

impl ProjectedVertices {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds so many vertices; after a number that is no multiple of [`AT_ONCE`] no others. Returns their groups.
    pub(super) fn add(&mut self, vertices: usize) -> &mut [Group<AT_ONCE>] {
        debug_assert!(self.len.is_multiple_of(AT_ONCE), "{}", self.len);
        let first = self.len / AT_ONCE;
        self.len += vertices;
        let end = self.len.div_ceil(AT_ONCE);
        if self.groups.len() < end {
            self.groups.resize(end, Group::default());
        }
        &mut self.groups[first..end]
    }

    /// The group that a vertex is in, and its lane.
    #[inline]
    pub(super) fn group(&self, vertex: u32) -> (&Group<AT_ONCE>, usize) {
        let vertex = vertex as usize;
        (&self.groups[vertex / AT_ONCE], vertex % AT_ONCE)
    }

    /// One of them.
    #[inline]
    pub(super) fn get(&self, vertex: u32) -> Projected {
        let (group, lane) = self.group(vertex);
        group.get(lane)
    }
}
