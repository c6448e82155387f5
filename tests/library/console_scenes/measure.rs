//! Measurements in pictures.
//!
//! | measure | gives |
//! |---|---|
//! | `row y, x0 to x1` | runs of pixels that are not the background, first column and length of each |
//! | `column x, y0 to y1` | the same downwards |
//! | `count x0,y0 to x1,y1` | how many pixels of a rectangle are not the background |
//! | `box x0,y0 to x1,y1` | the rectangle around them |
//! | `color x,y` | red, green and blue |
//!
//! Ends are exclusive.

/// What `text` measures in a picture of rows of `width` pixels.
pub fn measure(pixels: &[u32], width: u32, background: u32, text: &str) -> String {
    let (what, rest) = text.split_once(' ').unwrap_or_else(|| panic!("no measure: {text}"));
    let numbers: Vec<u32> = rest
        .split([' ', ','])
        .filter(|part| !part.is_empty() && *part != "to")
        .map(|part| part.parse().unwrap_or_else(|_| panic!("no number `{part}`: {text}")))
        .collect();
    let at = |x: u32, y: u32| pixels[(y * width + x) as usize] & 0xFF_FFFF;
    let is_drawn = |x: u32, y: u32| at(x, y) != background & 0xFF_FFFF;
    let drawn_in = |[x0, y0, x1, y1]: [u32; 4]| -> Vec<(u32, u32)> {
        (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))).filter(|&(x, y)| is_drawn(x, y)).collect()
    };
    match (what, &numbers[..]) {
        ("row", &[y, x0, x1]) => runs((x0..x1).filter(|&x| is_drawn(x, y))),
        ("column", &[x, y0, y1]) => runs((y0..y1).filter(|&y| is_drawn(x, y))),
        ("count", &[x0, y0, x1, y1]) => drawn_in([x0, y0, x1, y1]).len().to_string(),
        ("box", &[x0, y0, x1, y1]) => {
            let drawn = drawn_in([x0, y0, x1, y1]);
            let ends = |of: fn(&(u32, u32)) -> u32| {
                let (low, high) = (drawn.iter().map(of).min(), drawn.iter().map(of).max());
                (low.unwrap_or(0), high.map_or(0, |high| high + 1))
            };
            let ((left, right), (top, bottom)) = (ends(|at| at.0), ends(|at| at.1));
            format!("{left},{top} to {right},{bottom}")
        }
        ("color", &[x, y]) => {
            let [_, red, green, blue] = at(x, y).to_be_bytes();
            format!("{red} {green} {blue}")
        }
        _ => panic!("no measure: {text}"),
    }
}

/// Runs of neighbours, `first+length` each.
fn runs(places: impl Iterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for place in places {
        match runs.last_mut() {
            Some((first, length)) if *first + *length == place => *length += 1,
            _ => runs.push((place, 1)),
        }
    }
    runs.iter().map(|(first, length)| format!("{first}+{length}")).collect::<Vec<_>>().join(" ")
}

/// Whether two results are the same; of colours, the same but for some steps.
pub fn agree(console: &str, ours: &str, steps: u32) -> bool {
    let color = |text: &str| -> Option<[u32; 3]> {
        let channels: Vec<u32> = text.split(' ').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        channels.try_into().ok()
    };
    match (color(console), color(ours)) {
        (Some(console), Some(ours)) => console.iter().zip(ours).all(|(&a, b)| a.abs_diff(b) <= steps),
        _ => console == ours,
    }
}
