//! Vertices and meshes as files of other programs.

use std::fmt::Write;

use triglyph::probe::Vertices;

use super::vertices::{MeshAnswer, rows_of};

/// Vertices as CSV (RFC 4180): the number, the element, and each component of each attribute.
pub fn csv(vertices: &Vertices) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let columns = vertices
        .attributes
        .iter()
        .flat_map(|attribute| ["x", "y", "z", "w"].map(|component| quoted(&format!("{}.{component}", attribute.name))));
    let heads: Vec<String> = ["vertex", "element"].map(quoted).into_iter().chain(columns).collect();
    let mut text = heads.join(",") + "\r\n";
    for (number, row) in rows_of(vertices).enumerate() {
        let values = row.values.into_iter().flat_map(|(_, values)| values);
        let cells: Vec<String> = [number.to_string(), row.element.to_string()].into_iter().chain(values).collect();
        text += &cells.join(",");
        text += "\r\n";
    }
    text
}

/// A mesh as Wavefront OBJ: vertices with w, triangles as faces, other edges as lines, and points. Vertices that have
/// no place are at 0, so that numbers stay.
pub fn obj(mesh: &MeshAnswer) -> String {
    let mut text = String::new();
    for [x, y, z, w] in mesh.positions.as_chunks().0 {
        let [x, y, z, w] = [x, y, z, w].map(|value| if value.is_finite() { *value } else { 0.0 });
        let _ = writeln!(text, "v {x} {y} {z} {w}");
    }
    let edges: &[[u32; 2]] = mesh.edges.as_chunks().0;
    let mut rest = edges;
    while let [[a, b], more @ ..] = rest {
        let triangle = match more {
            [[c, d], [e, f], ..] if b == c && d == e && f == a && a != b && b != d => Some(*d),
            _ => None,
        };
        // Numbers begin at 1.
        let (a, b) = (a + 1, b + 1);
        let _ = match triangle {
            Some(c) => writeln!(text, "f {a} {b} {}", c + 1),
            None if a == b => writeln!(text, "p {a}"),
            None => writeln!(text, "l {a} {b}"),
        };
        rest = if triangle.is_some() { &more[2..] } else { more };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_become_faces_lines_and_points() {
        let positions = vec![0.0, 0.0, 0.0, 1.0, 1.0, f32::NAN, 0.5, 2.0, 0.0, 1.0, 0.0, 1.0];
        let edges = vec![0, 1, 1, 2, 2, 0, 0, 2, 1, 1];
        let mesh = MeshAnswer { positions, edges, ..MeshAnswer::default() };
        let wanted = "v 0 0 0 1\nv 1 0 0.5 2\nv 0 1 0 1\nf 1 2 3\nl 1 3\np 2\n";
        assert_eq!(obj(&mesh), wanted);
    }

    #[test]
    fn names_are_quoted() {
        let attribute = triglyph::probe::Attribute {
            name: "a\",b".to_owned(),
            fetch: triglyph::probe::Fetch::Constant([1.0, 2.5, -3.0, 0.0]),
            array: None,
            raw: Vec::new(),
        };
        let vertices = Vertices { count: 2, elements: vec![7, 9], attributes: vec![attribute] };
        let text = csv(&vertices);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], r#""vertex","element","a"",b.x","a"",b.y","a"",b.z","a"",b.w""#);
        assert_eq!(lines[1..], ["0,7,1,2.5,-3,0", "1,9,1,2.5,-3,0"]);
    }
}
