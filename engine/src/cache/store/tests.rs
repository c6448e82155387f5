use std::collections::HashSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::read::{decode, identity};
use super::record::{FILE_HEADER, MAGIC, file_header, push};
use super::*;

fn store() -> (tempfile::TempDir, KeyStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(folder.path().join("title").join("keys"));
    (folder, store)
}

fn sample(n: u8) -> (KeyKind, Vec<u8>) {
    (KeyKind::ALL[usize::from(n) % KeyKind::ALL.len()], (0..n.wrapping_mul(37)).map(|i| i ^ n).collect())
}

#[test]
fn what_is_appended_is_read_once_most_used_first() {
    let (_folder, store) = store();
    assert_eq!(store.read().unwrap(), Contents::default());
    let keys: Vec<_> = (1..9).map(sample).collect();
    store.append(&keys[..5], &[]).unwrap();
    let used = identity(keys[6].0, &keys[6].1);
    store.append(&keys[3..], &[(used, 7)]).unwrap();
    store.append(&[], &[(used, 3), (identity(keys[2].0, &keys[2].1), 9), (1, 1)]).unwrap();
    let contents = store.read().unwrap();
    assert_eq!(contents.damage, []);
    let order: Vec<_> = contents.keys.iter().map(|key| (key.kind, key.bytes.clone())).collect();
    let expected: Vec<_> = [6, 2, 0, 1, 3, 4, 5, 7].iter().map(|&i: &usize| keys[i].clone()).collect();
    assert_eq!(order, expected);
    assert_eq!((contents.keys[0].uses, contents.keys[1].uses, contents.keys[2].uses), (10, 9, 0));
}

#[test]
fn pruning_keeps_the_most_used_within_the_limit() {
    let (_folder, store) = store();
    let keys: Vec<_> = (0..50).map(|n| (KeyKind::Pixel, vec![n; 100])).collect();
    let uses: Vec<_> = keys.iter().map(|(kind, bytes)| (identity(*kind, bytes), u64::from(bytes[0]))).collect();
    store.append(&keys, &uses).unwrap();
    let pruned = store.prune(2048).unwrap();
    let contents = store.read().unwrap();
    assert!(contents.bytes <= 2048 && pruned.bytes[1] == contents.bytes);
    assert_eq!((pruned.kept, pruned.dropped), (contents.keys.len(), 50 - contents.keys.len()));
    assert!(contents.keys.len() > 8);
    assert_eq!(contents.keys[0].bytes[0], 49);
    assert_eq!(contents.keys[0].uses, 49);
    assert_eq!(store.prune(0).unwrap().kept, 0);
    assert_eq!(store.read().unwrap().keys, []);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    let (folder, _) = store();
    let (pipe, file) = (folder.path().join("pipe"), folder.path().join("keys"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A key file that is a pipe, a device or a folder, and one whose lock file is a pipe.
    fs::rename(&pipe, folder.path().join("keys.lock")).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.as_path(), Path::new("/dev/zero"), folder.path(), &file] {
        let store = KeyStore::new(path);
        let not_regular = |error: StoreError| assert!(matches!(error, StoreError::NotRegular(_)), "{error}");
        not_regular(store.append(&[sample(1)], &[]).unwrap_err());
        not_regular(store.prune(0).unwrap_err());
        not_regular(store.check_writable().unwrap_err());
        match store.read() {
            // Readers need no lock.
            Ok(contents) => assert!(path == file && contents == Contents::default()),
            Err(error) => not_regular(error),
        }
    }
}

#[test]
fn files_that_are_too_large_are_left_alone() {
    let (_folder, store) = store();
    store.append(&[sample(1)], &[]).unwrap();
    let file = fs::OpenOptions::new().write(true).open(store.path()).unwrap();
    file.set_len(MAX_FILE_BYTES + 1).unwrap();
    let too_large = |error: StoreError| assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
    too_large(store.read().unwrap_err());
    too_large(store.append(&[sample(2)], &[]).unwrap_err());
    too_large(store.prune(0).unwrap_err());
    too_large(store.check_writable().unwrap_err());
    assert_eq!(file.metadata().unwrap().len(), MAX_FILE_BYTES + 1);
}

#[test]
fn damaged_records_that_overlap_are_hashed_only_for_a_while() {
    // Every 24 bytes another record of a megabyte begins, and none is whole: hashed each time, 16 TB.
    let mut header = b"KEY\n".to_vec();
    header.extend((1_u32 << 20).to_le_bytes());
    header.resize(24, 0);
    let mut bytes = file_header().to_vec();
    bytes.extend(header.repeat((16 << 20) / 24));
    let contents = decode(&bytes).unwrap();
    let damaged = Damage::Bytes { at: FILE_HEADER as u64, bytes: (bytes.len() - FILE_HEADER) as u64 };
    assert_eq!((contents.keys, contents.damage), (vec![], vec![damaged]));
}

#[test]
fn foreign_files_are_left_alone() {
    let (folder, _) = store();
    for text in [&b"something else entirely"[..], b"short", b"TRIGKEYX"] {
        let path = folder.path().join("other");
        fs::write(&path, text).unwrap();
        let store = KeyStore::new(&path);
        assert!(matches!(store.read(), Err(StoreError::Foreign(_))));
        assert!(matches!(store.append(&[sample(3)], &[]), Err(StoreError::Foreign(_))));
        assert!(matches!(store.prune(0), Err(StoreError::Foreign(_))));
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn another_version_and_a_header_cut_short_are_reported_and_replaced() {
    let (folder, _) = store();
    let path = folder.path().join("keys");
    let mut other = file_header().to_vec();
    other[8] = 0xEE;
    push(&mut other, 1, b"key");
    for bytes in [&other[..], &file_header()[..5], &file_header()[..12]] {
        fs::write(&path, bytes).unwrap();
        let store = KeyStore::new(&path);
        let contents = store.read().unwrap();
        assert_eq!((contents.keys.len(), contents.damage.len()), (0, 1));
        store.append(&[sample(3)], &[]).unwrap();
        let contents = store.read().unwrap();
        assert_eq!((contents.keys.len(), contents.damage.len()), (1, 0));
    }
}

/// A file after a crash in the middle of a write: what was cut is lost, what is appended later is not.
#[test]
fn a_file_cut_anywhere_goes_on() {
    let mut whole = file_header().to_vec();
    for n in 1..4 {
        let (kind, bytes) = sample(n);
        push(&mut whole, kind as u8, &bytes);
    }
    let (folder, _) = store();
    let store = KeyStore::new(folder.path().join("keys"));
    for length in FILE_HEADER..whole.len() {
        fs::write(store.path(), &whole[..length]).unwrap();
        let before = store.read().unwrap().keys.len();
        store.append(&[sample(7)], &[]).unwrap();
        let after = store.read().unwrap();
        // Where only zeros were cut the record is whole again.
        assert!(after.keys.len() > before, "cut at {length}");
        assert!(after.keys.iter().any(|key| (key.kind, key.bytes.clone()) == sample(7)), "cut at {length}");
        assert!(after.damage.len() <= 1);
    }
}

#[test]
fn records_of_unknown_kinds_are_reported() {
    let mut bytes = file_header().to_vec();
    push(&mut bytes, 200, b"from the future");
    push(&mut bytes, 1, b"key");
    let contents = decode(&bytes).unwrap();
    assert_eq!(contents.damage, [Damage::Kind { at: FILE_HEADER as u64, kind: 200 }]);
    assert_eq!(contents.keys.len(), 1);
}

/// What happens to files: 10,000 of them cut, with bits flipped and bytes overwritten, shortened, spliced, with the
/// records of a file of another version among them, and with what is no such file at all inside or in their place.
/// Every key that comes out went in, and what is reported lies within the file.
#[test]
fn damaged_files_give_nothing_that_was_not_stored() {
    let keys: Vec<_> = (0..40).map(|n| sample(n % 23)).collect();
    let mut whole = file_header().to_vec();
    for (kind, bytes) in &keys {
        push(&mut whole, *kind as u8, bytes);
    }
    let known: HashSet<_> = keys.into_iter().collect();
    let mut state = 0x0123_4567_89AB_CDEF_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    let foreign: [Vec<u8>; 4] = [
        include_bytes!("tests.rs").to_vec(),
        (0..9000).map(|_| random(256) as u8).collect(),
        [&file_header()[..8], &[0xEE; 8], &whole[FILE_HEADER..]].concat(),
        vec![0; 4000],
    ];
    let (mut skipped, mut refused, mut others) = (0, 0, 0);
    for _ in 0..10_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(7) {
                0 => bytes.truncate(at.max(FILE_HEADER)),
                1 => bytes[at] ^= 1 << random(8),
                2 => bytes[at] = random(256) as u8,
                3 => drop(bytes.drain(at..(at + random(64)).min(bytes.len()))),
                4 => {
                    let from = random(whole.len());
                    let piece = whole[from..(from + random(200)).min(whole.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
                5 => {
                    let other = &foreign[random(foreign.len())];
                    let from = random(other.len());
                    bytes.splice(at..at, other[from..(from + random(400)).min(other.len())].to_vec());
                }
                _ if random(8) == 0 => bytes = foreign[random(foreign.len())].clone(),
                _ => bytes.truncate(random(bytes.len() + 1)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let Some(contents) = decode(&bytes) else {
            refused += 1;
            assert!(bytes.len() >= FILE_HEADER && !bytes.starts_with(&MAGIC) || bytes.len() < FILE_HEADER);
            continue;
        };
        skipped += contents.damage.len();
        for damage in &contents.damage {
            let end = match *damage {
                Damage::Version(_) => 0,
                Damage::Bytes { at, bytes } => at + bytes,
                Damage::Kind { at, .. } => at,
            };
            others += usize::from(matches!(damage, Damage::Version(_)));
            assert!(end <= bytes.len() as u64);
        }
        for key in contents.keys {
            assert!(known.contains(&(key.kind, key.bytes.clone())), "{key:?}");
        }
    }
    assert!(skipped > 5_000 && refused > 100 && others > 50, "{skipped}, {refused}, {others}");
}

/// What [`child`] is to do with which file; unset for everybody but children.
const CHILD: &str = "TRIGLYPH_TEST_KEY_STORE";

/// This test once more in a process of its own, in which it does as it is told.
fn child_process(store: &KeyStore, work: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "cache::store::tests::child", "--nocapture"]);
    command.env(CHILD, format!("{work}:{}", store.path().display()));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A key that only one process stores.
fn own_key(process: u32, n: u32) -> (KeyKind, Vec<u8>) {
    (KeyKind::Macro, [process, n, 0xAA55_1234].iter().flat_map(|word| word.to_le_bytes()).cycle().take(120).collect())
}

/// Does nothing unless it is a child.
#[test]
fn child() {
    let Ok(work) = std::env::var(CHILD) else { return };
    let (work, path) = work.split_once(':').unwrap();
    let store = KeyStore::new(path);
    let (work, number) = work.split_once('-').unwrap();
    let number: u32 = number.parse().unwrap();
    let append = |n| patiently(|| store.append(&[own_key(number, n)], &[]));
    match work {
        "append" => (0..PER_CHILD).for_each(|n| _ = append(n)),
        "prune" => (0..PER_CHILD / 4).for_each(|_| _ = patiently(|| store.prune(u64::MAX))),
        // Until the parent process ends it.
        _ => (0..u32::MAX).for_each(|n| _ = append(n)),
    }
}

/// The result of work that others may keep from being done: on a busy machine longer than the store waits.
fn patiently<T>(mut work: impl FnMut() -> Result<T, StoreError>) -> T {
    loop {
        match work() {
            Err(StoreError::Busy(_)) => {}
            result => return result.unwrap(),
        }
    }
}

const PER_CHILD: u32 = 200;

#[test]
fn processes_that_append_and_prune_at_once_lose_nothing() {
    let (_folder, store) = store();
    let mut children: Vec<_> = (0..3).map(|n| child_process(&store, &format!("append-{n}"))).collect();
    children.push(child_process(&store, "prune-0"));
    // Another store in this process, between them.
    for n in 0..PER_CHILD {
        patiently(|| store.append(&[own_key(3, n)], &[]));
        assert_eq!(store.read().unwrap().damage, []);
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let contents = store.read().unwrap();
    assert_eq!(contents.damage, []);
    let found: HashSet<_> = contents.keys.into_iter().map(|key| (key.kind, key.bytes)).collect();
    let expected: HashSet<_> = (0..4).flat_map(|process| (0..PER_CHILD).map(move |n| own_key(process, n))).collect();
    assert_eq!(found.len(), expected.len());
    assert!(found == expected);
}

/// Processes that end in the middle of what they do, again and again: what is there stays readable, and others go on.
#[test]
fn a_process_that_is_killed_harms_nobody() {
    let (_folder, store) = store();
    let mut before = HashSet::new();
    for round in 0..12 {
        let mut child = child_process(&store, &format!("forever-{round}"));
        // Until it has written something; then at any moment.
        while !store.read().unwrap().keys.iter().any(|key| key.bytes.starts_with(&u32::to_le_bytes(round))) {
            assert!(child.try_wait().unwrap().is_none(), "it does not write");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(100 * u64::from(round)));
        child.kill().unwrap();
        child.wait().unwrap();
        store.append(&[own_key(1000, round)], &[]).unwrap();
        let contents = store.read().unwrap();
        assert!(contents.damage.len() <= 1 + round as usize);
        let found: HashSet<_> = contents.keys.into_iter().map(|key| (key.kind, key.bytes)).collect();
        assert!(found.is_superset(&before));
        assert!(found.contains(&own_key(1000, round)));
        before = found;
    }
}

#[test]
fn who_holds_the_lock_for_long_is_not_waited_for() {
    let (_folder, store) = store();
    store.append(&[sample(3)], &[]).unwrap();
    let lock = store.lock(true).unwrap();
    assert!(matches!(store.append(&[sample(4)], &[]), Err(StoreError::Busy(_))));
    assert!(matches!(store.prune(0), Err(StoreError::Busy(_))));
    // Reading does not need it.
    assert_eq!(store.read().unwrap().keys.len(), 1);
    drop(lock);
    store.append(&[sample(4)], &[]).unwrap();
    assert_eq!(store.read().unwrap().keys.len(), 2);
}

#[test]
fn threads_that_append_at_once_lose_nothing() {
    let (_folder, store) = store();
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let store = store.clone();
            scope.spawn(move || {
                for n in 0..50 {
                    store.append(&[(KeyKind::Macro, vec![thread, n])], &[]).unwrap();
                }
            });
        }
    });
    let contents = store.read().unwrap();
    assert_eq!(contents.damage, []);
    assert_eq!(contents.keys.len(), 200);
}
