//! The triangles between two rows of points.

/// A row of points with the places they have along it.
pub struct Row<'a> {
    /// Vertices.
    pub vertices: &'a [u32],
    /// Places, ascending, as many.
    pub places: &'a [f64],
}

/// Fills the strip between two rows that run alongside each other, `right` on the right: counter-clockwise triangles. Symmetric when the rows are:
/// where both could go on the left row does in the first half, the right one in the second.
pub fn stitch(left: &Row<'_>, right: &Row<'_>, indices: &mut Vec<u32>) {
    let (mut l, mut r) = (0, 0);
    let middle = |row: &Row<'_>, at: usize| (row.places[at] + row.places[at + 1]) / 2.0;
    loop {
        let (more_left, more_right) = (l + 1 < left.vertices.len(), r + 1 < right.vertices.len());
        let take_left = match (more_left, more_right) {
            (false, false) => return,
            (true, false) => true,
            (false, true) => false,
            (true, true) => {
                let (a, b) = (middle(left, l), middle(right, r));
                a < b || a == b && a < 0.5
            }
        };
        if take_left {
            indices.extend([left.vertices[l], right.vertices[r], left.vertices[l + 1]]);
            l += 1;
        } else {
            indices.extend([left.vertices[l], right.vertices[r], right.vertices[r + 1]]);
            r += 1;
        }
    }
}
