//! End points of colours. (Khronos Data Format Specification, ASTC: endpoint decoding.)

/// The two ends of a partition: red, green, blue, alpha, 0 to 255.
pub(super) type Ends = [[u32; 4]; 2];

/// Values that an end point mode takes: 2, 4, 6 or 8.
pub(super) const fn value_count(mode: u32) -> u32 {
    2 * (mode / 4 + 1)
}

/// The end points that the values `v` encode; `None` for modes of high dynamic range.
pub(super) fn ends(mode: u32, v: [u32; 8]) -> Option<Ends> {
    let grey = |l: u32, a: u32| [l, l, l, a];
    Some(match mode {
        0 => [grey(v[0], 255), grey(v[1], 255)],
        1 => {
            let low = v[0] >> 2 | v[1] & 0xC0;
            [grey(low, 255), grey((low + (v[1] & 0x3F)).min(255), 255)]
        }
        4 => [grey(v[0], v[2]), grey(v[1], v[3])],
        5 => {
            let ([l, dl], [a, da]) = (transfer(v[0], v[1]), transfer(v[2], v[3]));
            [grey(limit(l), limit(a)), grey(limit(l + dl), limit(a + da))]
        }
        6 => scaled(v, [255; 2]),
        8 => direct(v, [255; 2]),
        9 => offset(v, [255, 0]),
        10 => scaled(v, [v[4], v[5]]),
        12 => direct(v, [v[6], v[7]]),
        13 => offset(v, transfer(v[6], v[7])),
        _ => return None,
    })
}

/// A colour, and it in other brightness.
fn scaled(v: [u32; 8], [a0, a1]: [u32; 2]) -> Ends {
    let [r, g, b] = [v[0], v[1], v[2]];
    [[(r * v[3]) >> 8, (g * v[3]) >> 8, (b * v[3]) >> 8, a0], [r, g, b, a1]]
}

/// Two colours; where the second one is darker they are exchanged and their red and green hold half of blue.
fn direct(v: [u32; 8], [a0, a1]: [u32; 2]) -> Ends {
    let (first, second) = ([v[0], v[2], v[4], a0], [v[1], v[3], v[5], a1]);
    let sum = |[r, g, b, _]: [u32; 4]| r + g + b;
    if sum(second) >= sum(first) { [first, second] } else { [contracted(second), contracted(first)] }
}

/// A colour and a difference.
fn offset(v: [u32; 8], [a, da]: [i32; 2]) -> Ends {
    let [[r, dr], [g, dg], [b, db]] = [transfer(v[0], v[1]), transfer(v[2], v[3]), transfer(v[4], v[5])];
    let base = [r, g, b, a];
    let other = [r + dr, g + dg, b + db, a + da];
    if dr + dg + db >= 0 {
        [base.map(limit), other.map(limit)]
    } else {
        [contract(other).map(limit), contract(base).map(limit)]
    }
}

fn contracted(color: [u32; 4]) -> [u32; 4] {
    contract(color.map(|channel| channel as i32)).map(limit)
}

/// Red and green halfway to blue.
fn contract([r, g, b, a]: [i32; 4]) -> [i32; 4] {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

fn limit(value: i32) -> u32 {
    value.clamp(0, 255) as u32
}

/// A value and a difference of six bits, the highest of which is its sign; the difference's highest bit belongs to the
/// value.
fn transfer(value: u32, difference: u32) -> [i32; 2] {
    let step = (difference >> 1 & 0x3F) as i32;
    [(value >> 1 | difference & 0x80) as i32, if step & 0x20 != 0 { step - 0x40 } else { step }]
}
