//! Which vertices an indexed draw needs, each once.

/// The vertices of a draw.
#[derive(Debug, Default)]
pub struct Unique {
    /// Distinct vertex numbers, in order of first use.
    pub vertices: Vec<u32>,
    /// For each index of the draw its position in `vertices`.
    pub order: Vec<u32>,
}

/// Span of vertex numbers up to which a direct table finds duplicates; beyond it, and beyond sixteen times the
/// number of indices, every index is shaded on its own.
const TABLE: usize = 1 << 20;

/// Finds the distinct numbers in `indices`. Vertex programs are pure functions of their inputs, so shading each once
/// changes nothing but the time.
pub fn unique(indices: &[u32]) -> Unique {
    let (Some(&low), Some(&high)) = (indices.iter().min(), indices.iter().max()) else {
        return Unique::default();
    };
    let span = (high - low) as usize + 1;
    if span > TABLE || span > indices.len().saturating_mul(16) {
        return Unique { vertices: indices.to_vec(), order: (0..indices.len() as u32).collect() };
    }
    let mut table = vec![u32::MAX; span];
    let mut vertices = Vec::with_capacity(span.min(indices.len()));
    let order = indices
        .iter()
        .map(|&index| {
            let entry = &mut table[(index - low) as usize];
            if *entry == u32::MAX {
                *entry = vertices.len() as u32;
                vertices.push(index);
            }
            *entry
        })
        .collect();
    Unique { vertices, order }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vertex_once_in_order_of_use() {
        let found = unique(&[7, 5, 7, 6, 5]);
        assert_eq!(found.vertices, [7, 5, 6]);
        assert_eq!(found.order, [0, 1, 0, 2, 1]);
    }

    #[test]
    fn scattered_numbers_are_left_alone() {
        let found = unique(&[0, u32::MAX, 0]);
        assert_eq!(found.vertices, [0, u32::MAX, 0]);
        assert_eq!(found.order, [0, 1, 2]);
        assert!(unique(&[]).vertices.is_empty());
    }
}
