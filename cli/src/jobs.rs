//! Several files at once, their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;

/// Does `work` for each item on `jobs` threads and hands the results to `done` on this one, in the order of the items.
/// After an error of `done` no more work is begun.
///
/// These are threads of their own and no pool of rayon's: a thread of a pool that waits for the pool of a device would
/// begin the next file on the same stack meanwhile.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(&T, R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let worker = |sender: mpsc::Sender<(usize, R)>| {
        while !stopped.load(Relaxed) {
            let at = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(at) else { return };
            // Nobody receives any more after an error.
            let _ = sender.send((at, work(item)));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            let sender = sender.clone();
            scope.spawn(|| worker(sender));
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            let found = loop {
                if let Some(found) = waiting.remove(&at) {
                    break found;
                }
                // Without a sender a worker has panicked, which goes on when the scope ends.
                let Ok((at, found)) = receiver.recv() else { return Ok(()) };
                waiting.insert(at, found);
            };
            let result = done(item, found);
            if result.is_err() {
                stopped.store(true, Relaxed);
                return result;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let items: Vec<u32> = (0..100).collect();
        for jobs in [1, 3, 200] {
            let mut seen = Vec::new();
            let collect = |_: &u32, result| {
                seen.push(result);
                Ok(())
            };
            in_order(&items, jobs, |item| item * 2, collect).unwrap();
            assert_eq!(seen, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_it() {
        let mut seen = 0;
        let fail = |_: &u32, _| {
            seen += 1;
            if seen == 3 { Err(anyhow::anyhow!("enough")) } else { Ok(()) }
        };
        assert!(in_order(&[1, 2, 3, 4, 5], 2, |item| *item, fail).is_err());
        assert_eq!(seen, 3);
    }
}
