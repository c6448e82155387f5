//! Vertex reuse: which vertices an indexed draw needs, each once.

/// In an order of vertices: the primitive that is being formed ends here.
pub const RESTART: u32 = u32::MAX;

/// The vertices of a draw.
#[derive(Debug, Default)]
pub struct VertexReuse {
    /// The numbers of the vertices to shade. Those that were found to be equal occur once, where they are used first.
    pub vertices: Vec<u32>,
    /// For each index of the draw its position in `vertices`, or [`RESTART`].
    pub order: Vec<u32>,
    /// Positions of numbers, from the lowest on.
    table: Vec<u32>,
}

/// Span of vertex numbers up to which a direct table finds duplicates; beyond it, and beyond sixteen times the
/// number of indices, every index is shaded on its own.
const TABLE: usize = 1 << 20;

impl VertexReuse {
    /// Each vertex is used once.
    pub fn none(vertices: Vec<u32>) -> Self {
        let order = (0..vertices.len() as u32).collect();
        VertexReuse { vertices, order, ..VertexReuse::default() }
    }

    /// As [`Self::none`], in the allocations of this one; `vertices` gets what was here.
    pub fn each_once(&mut self, vertices: &mut Vec<u32>) {
        std::mem::swap(&mut self.vertices, vertices);
        self.order.clear();
        self.order.extend(0..self.vertices.len() as u32);
    }

    /// Finds the distinct numbers in `indices`, between which there may be [`RESTART`], in the allocations of this one.
    /// Vertex programs are pure functions of their inputs, so shading each vertex once changes nothing but the time.
    pub fn find(&mut self, indices: &[u32]) {
        let VertexReuse { vertices, order, table } = self;
        vertices.clear();
        order.clear();
        let Some(low) = clear(table, indices) else { return order.extend_from_slice(indices) };
        order.extend(indices.iter().map(|&index| {
            if index == RESTART {
                return RESTART;
            }
            let known = table.get_mut((index - low) as usize);
            if let Some(&mut position) = known
                && position != u32::MAX
            {
                return position;
            }
            let position = vertices.len() as u32;
            vertices.push(index);
            if let Some(entry) = known {
                *entry = position;
            }
            position
        }));
    }

    /// How many vertices [`Self::find`] would find.
    pub fn count(&mut self, indices: &[u32]) -> usize {
        let table = &mut self.table;
        let Some(low) = clear(table, indices) else { return 0 };
        let is_new = |&&index: &&u32| match table.get_mut((index - low) as usize) {
            _ if index == RESTART => false,
            Some(entry) => std::mem::replace(entry, 0) != 0,
            None => true,
        };
        indices.iter().filter(is_new).count()
    }
}

/// Makes a table for numbers without positions, an empty one if it would not pay. Returns the lowest number.
fn clear(table: &mut Vec<u32>, indices: &[u32]) -> Option<u32> {
    let low = indices.iter().copied().min().filter(|&low| low != RESTART)?;
    let high = indices.iter().map(|&index| if index == RESTART { 0 } else { index }).max().unwrap_or(0);
    let span = (high - low) as usize + 1;
    let shares = span <= TABLE && span <= indices.len().saturating_mul(16);
    table.clear();
    table.resize(if shares { span } else { 0 }, u32::MAX);
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(indices: &[u32]) -> VertexReuse {
        let mut found = VertexReuse::none(vec![3, 3]);
        found.find(indices);
        let count = VertexReuse::none(vec![7]).count(indices);
        assert_eq!(count, found.vertices.len());
        found
    }

    #[test]
    fn each_vertex_once_in_order_of_use() {
        let found = find(&[7, 5, 7, 6, 5]);
        assert_eq!(found.vertices, [7, 5, 6]);
        assert_eq!(found.order, [0, 1, 0, 2, 1]);
    }

    #[test]
    fn scattered_numbers_are_left_alone() {
        let found = find(&[0, u32::MAX - 1, 0]);
        assert_eq!(found.vertices, [0, u32::MAX - 1, 0]);
        assert_eq!(found.order, [0, 1, 2]);
        assert!(find(&[]).vertices.is_empty());
    }

    #[test]
    fn restarts_stay_where_they_are() {
        let found = find(&[RESTART, 7, 5, RESTART, RESTART, 7]);
        assert_eq!(found.vertices, [7, 5]);
        assert_eq!(found.order, [RESTART, 0, 1, RESTART, RESTART, 0]);
        let found = find(&[RESTART]);
        assert_eq!((found.vertices, found.order), (vec![], vec![RESTART]));
    }
}
