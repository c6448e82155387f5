//! Memory of a program that makes and drops contexts, programs, buffers and textures, round after round.

use crate::{CHIPS, on_chip, program};

/// KiB by which memory may grow from the first of these rounds to the last: half of what the textures of one take.
const BOUND: u64 = 16 << 10;
const ROUNDS: [usize; 2] = [3, 8];

#[test]
fn what_is_dropped_is_given_back() {
    let Some(program) = program("rounds") else { return };
    for chip in CHIPS {
        let folder = tempfile::tempdir().unwrap();
        let output = on_chip(&program, chip, folder.path()).output().unwrap();
        let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{chip}: {}\n{said}{why}", output.status);
        let resident: Vec<u64> = said.lines().map(|line| line.parse().unwrap()).collect();
        let [early, late] = ROUNDS.map(|round| resident[round - 1]);
        assert!(late < early + BOUND, "{chip}: KiB after each round: {resident:?}");
    }
}
