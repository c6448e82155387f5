//! Two lists side by side.

/// A step through two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Elements that belong together.
    Both(usize, usize),
    /// An element that only the left list has.
    Left(usize),
    /// An element that only the right list has.
    Right(usize),
}

/// Cells of the table that the longest common part is looked for in. Lists that differ in more are paired by index.
const MAX_CELLS: usize = 16 << 20;

/// Pairs elements with equal keys, in order, as many as there can be.
pub fn align<K: PartialEq>(left: &[K], right: &[K]) -> Vec<Step> {
    let shorter = left.len().min(right.len());
    let prefix = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let suffix = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count().min(shorter - prefix);
    let mut steps: Vec<Step> = (0..prefix).map(|at| Step::Both(at, at)).collect();
    let (rows, columns) = (left.len() - prefix - suffix, right.len() - prefix - suffix);
    middle(&left[prefix..][..rows], &right[prefix..][..columns], prefix, &mut steps);
    steps.extend((0..suffix).map(|at| Step::Both(prefix + rows + at, prefix + columns + at)));
    steps
}

fn middle<K: PartialEq>(left: &[K], right: &[K], first: usize, steps: &mut Vec<Step>) {
    let (rows, columns) = (left.len(), right.len());
    if (rows + 1).saturating_mul(columns + 1) > MAX_CELLS {
        by_index(left, right, first, steps);
        return;
    }
    // The length of the longest common part of what is left from a row and column on.
    let width = columns + 1;
    let mut common = vec![0u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let at = row * width + column;
            common[at] = match left[row] == right[column] {
                true => common[at + width + 1] + 1,
                false => common[at + width].max(common[at + 1]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows || column < columns {
        let at = row * width + column;
        if row < rows && column < columns && left[row] == right[column] {
            steps.push(Step::Both(first + row, first + column));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && (column == columns || common[at + width] >= common[at + 1]) {
            steps.push(Step::Left(first + row));
            row += 1;
        } else {
            steps.push(Step::Right(first + column));
            column += 1;
        }
    }
}

fn by_index<K: PartialEq>(left: &[K], right: &[K], first: usize, steps: &mut Vec<Step>) {
    for at in 0..left.len().max(right.len()) {
        match (left.get(at), right.get(at)) {
            (Some(a), Some(b)) if a == b => steps.push(Step::Both(first + at, first + at)),
            (a, b) => {
                steps.extend(a.map(|_| Step::Left(first + at)));
                steps.extend(b.map(|_| Step::Right(first + at)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_is_paired() {
        let steps = align(b"abcxdef", b"abydef");
        let both = |a, b| Step::Both(a, b);
        let left = [Step::Left(2), Step::Left(3)];
        assert_eq!(steps[..2], [both(0, 0), both(1, 1)]);
        assert!(left.iter().all(|step| steps.contains(step)) && steps.contains(&Step::Right(2)));
        assert_eq!(steps[steps.len() - 3..], [both(4, 3), both(5, 4), both(6, 5)]);
        assert_eq!(align(b"", b"a"), [Step::Right(0)]);
        assert_eq!(align(b"aa", b"a"), [both(0, 0), Step::Left(1)]);
        assert_eq!(align::<u8>(&[], &[]), []);
    }

    #[test]
    fn lists_that_are_too_long_are_paired_by_index() {
        let left: Vec<u32> = (0..5000).collect();
        let mut right: Vec<u32> = (0..5000).map(|n| n + 5000).collect();
        right[2500] = 2500;
        let steps = align(&left, &right);
        assert_eq!(steps.iter().filter(|step| matches!(step, Step::Both(..))).count(), 1);
        assert_eq!(steps.len(), 2 * 4999 + 1);
    }
}
