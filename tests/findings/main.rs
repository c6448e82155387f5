//! Findings of draws: triangles without one of their register writes.
#![allow(missing_docs, reason = "test code, never published")]

mod n3ds;
mod rsx;
mod tegra;

/// A register write of a triangle, or several that belong together.
pub struct Row {
    pub name: &'static str,
    pub words: Vec<u32>,
}

/// What a triangle without one of its writes led to.
pub struct Outcome {
    pub picture: Vec<u8>,
    pub faults: u64,
}

fn explore(name: &str, rows: &[Row], run: impl Fn(&[u32]) -> Outcome) {
    let all: Vec<u32> = rows.iter().flat_map(|row| row.words.clone()).collect();
    let right = run(&all);
    let background = right.picture[..4].to_vec();
    let drawn = |p: &[u8]| p.chunks(4).filter(|c| **c != *background).count();
    println!("{name}: {} pixels, {} faults", drawn(&right.picture), right.faults);
    for (at, row) in rows.iter().enumerate() {
        let words: Vec<u32> =
            rows.iter().enumerate().filter(|(i, _)| *i != at).flat_map(|(_, row)| row.words.clone()).collect();
        let got = run(&words);
        let differ = got.picture.chunks(4).zip(right.picture.chunks(4)).filter(|(a, b)| a != b).count();
        println!("  {:<32} differ {differ:>6} drawn {:>6} faults {}", row.name, drawn(&got.picture), got.faults);
    }
}
