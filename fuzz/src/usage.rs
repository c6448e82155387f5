//! Resource usage of this process: time of all cores, and memory.

use std::time::{Duration, Instant};

/// Time that this process has used: other processes and a machine that sleeps do not count, threads count together.
#[derive(Debug)]
pub struct CpuTime {
    cores: Option<Duration>,
    clock: Instant,
}

impl CpuTime {
    /// The time now.
    pub fn now() -> Self {
        CpuTime { cores: Self::of_cores(), clock: Instant::now() }
    }

    /// Since then; by the clock where the system does not say.
    pub fn elapsed(&self) -> Duration {
        match (self.cores, Self::of_cores()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.clock.elapsed(),
        }
    }

    /// Linux counts hundredths of seconds, after the name, which is in parentheses.
    fn of_cores() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        let (_, after) = text.rsplit_once(')')?;
        let mut fields = after.split_whitespace().skip(11);
        let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some(Duration::from_millis(10 * (user + system)))
    }
}

/// The most memory that this process has had since then.
#[derive(Debug)]
pub struct PeakMemory {
    before: u64,
}

impl PeakMemory {
    /// Resets the peak to what the process uses now. Where the system cannot do so, only a new peak of the process
    /// counts.
    pub fn start() -> Self {
        // 5 sets the peak to what there is (proc_pid_clear_refs(5)).
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        PeakMemory { before: status("VmHWM:").unwrap_or(0) }
    }

    /// Bytes that there were more of than at the start; 0 where the system does not say.
    pub fn more(&self) -> u64 {
        status("VmHWM:").unwrap_or(0).saturating_sub(self.before)
    }
}

/// A number of bytes that Linux says of this process.
fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_gone_counts() {
        let counts = |size: usize| {
            let peak = PeakMemory::start();
            let filled = std::hint::black_box(vec![1_u8; size]);
            assert_eq!(filled.last(), Some(&1));
            drop(filled);
            peak.more() >= size as u64 - (4 << 20)
        };
        // Other tests of the process may reset the peak in between. Where it cannot be reset, more than the earlier
        // peak is needed.
        assert!((1..8).any(|number| counts(number * (64 << 20))));
    }

    #[test]
    fn what_is_there_is_not_more() {
        let filled = std::hint::black_box(vec![1_u8; 64 << 20]);
        drop(filled);
        let more = (0..8).map(|_| PeakMemory::start().more()).min();
        assert!(more.is_some_and(|more| more < 32 << 20), "{more:?}");
    }
}
