//! Orders, dominators and cycles of a graph.

/// Nodes reachable from `start`, each before its successors except where a cycle closes.
pub fn reverse_postorder<I: Iterator<Item = usize>>(
    count: usize,
    start: usize,
    successors: impl Fn(usize) -> I,
) -> Vec<usize> {
    let mut seen = vec![false; count];
    seen[start] = true;
    let mut order = Vec::new();
    let mut open = vec![(start, successors(start))];
    while let Some((node, rest)) = open.last_mut() {
        match rest.find(|&to| !std::mem::replace(&mut seen[to], true)) {
            Some(to) => open.push((to, successors(to))),
            None => {
                order.push(*node);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Whether there are cycles.
pub fn is_cyclic<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> bool {
    // Removes nodes without predecessors until none is left, or only cycles are.
    let mut entries = vec![0usize; count];
    for to in (0..count).flat_map(&successors) {
        entries[to] += 1;
    }
    let mut open: Vec<usize> = (0..count).filter(|&node| entries[node] == 0).collect();
    let mut left = count;
    while let Some(node) = open.pop() {
        left -= 1;
        for to in successors(node) {
            entries[to] -= 1;
            if entries[to] == 0 {
                open.push(to);
            }
        }
    }
    left > 0
}

/// The immediate dominator of each node, 0 for the first one. Nodes come after their predecessors, but for edges back,
/// which lead to nodes that dominate where they come from, and so do not matter.
pub fn dominators<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Vec<usize> {
    let mut result: Vec<Option<usize>> = vec![None; count];
    if let Some(first) = result.first_mut() {
        *first = Some(0);
    }
    for i in 0..count {
        if result[i].is_none() {
            continue;
        }
        for to in successors(i).filter(|&to| to > i) {
            result[to] = Some(match result[to] {
                None => i,
                Some(other) => meet(i, other, |a, b| a > b, |at| result[at].unwrap_or(0)),
            });
        }
    }
    result.into_iter().map(|dominator| dominator.unwrap_or(0)).collect()
}

/// The immediate post-dominator of each node; their number represents the end. `successors` has no edges back, and the
/// end where a node leads there.
pub fn post_dominators<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Vec<usize> {
    let mut result = vec![count; count + 1];
    for i in (0..count).rev() {
        let common = successors(i).reduce(|a, b| meet(a, b, |a, b| a < b, |at| result[at]));
        result[i] = common.unwrap_or(count);
    }
    result
}

/// The common ancestor of two nodes of a tree. `below`: the first of two nodes is not above the second one.
fn meet(mut a: usize, mut b: usize, below: impl Fn(usize, usize) -> bool, up: impl Fn(usize) -> usize) -> usize {
    while a != b {
        if below(a, b) {
            a = up(a);
        } else {
            b = up(b);
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diamond whose one side is a loop of one node.
    const EDGES: [&[usize]; 5] = [&[1, 2], &[1, 3], &[3], &[4], &[]];

    fn successors(node: usize) -> impl Iterator<Item = usize> {
        EDGES[node].iter().copied()
    }

    #[test]
    fn orders_dominators_and_cycles() {
        let order = reverse_postorder(5, 0, successors);
        let place = |node: usize| order.iter().position(|&other| other == node);
        assert!(place(0) < place(1) && place(1) < place(3) && place(2) < place(3) && place(3) < place(4));
        assert!(is_cyclic(5, successors));
        assert!(!is_cyclic(5, |node| successors(node).filter(move |&to| to > node)));
        assert_eq!(dominators(5, successors), [0, 0, 0, 0, 3]);
        let forward = |node: usize| {
            let end = (EDGES[node].is_empty()).then_some(5);
            successors(node).filter(move |&to| to > node).chain(end)
        };
        assert_eq!(post_dominators(5, forward), [3, 3, 3, 4, 5, 5]);
    }
}
