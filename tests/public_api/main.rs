//! The public interface of the façade, as `docs/public-api.txt` keeps it: a change of what hosts see is a change of
//! that file.
//!
//! The listing is read from the sources: everything that `src/lib.rs` shows and does not hide from the documentation,
//! with all features. Items inside of a macro's call are in it; what macros add is not, but for `listed!` and tables of
//! calls. `TRIGLYPH_BLESS=1 cargo test --test public_api` rewrites it.

mod calls;
mod listing;
mod macros;
mod sources;

use std::collections::BTreeSet;
use std::path::Path;

use listing::Listing;
use sources::Sources;

const FILE: &str = "docs/public-api.txt";

#[test]
fn the_public_interface_is_as_it_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = Sources::load(root);
    let lines = Listing::of(&sources, "triglyph").lines;
    if std::env::var_os("TRIGLYPH_BLESS").is_some() {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        return std::fs::write(root.join(FILE), text).expect("a file that can be written");
    }
    let kept = std::fs::read_to_string(root.join(FILE)).unwrap_or_default();
    let kept: BTreeSet<String> = kept.lines().map(str::to_owned).collect();
    let sign = |line: &String| if kept.contains(line) { '-' } else { '+' };
    let difference: String = kept.symmetric_difference(&lines).map(|line| format!("{} {line}\n", sign(line))).collect();
    assert!(difference.is_empty(), "{FILE} is another; if that is meant, run with TRIGLYPH_BLESS=1:\n{difference}");
}

#[test]
fn hosts_can_name_what_they_get() {
    let sources = Sources::load(Path::new(env!("CARGO_MANIFEST_DIR")));
    let unnamed = Listing::of(&sources, "triglyph").unnamed;
    assert!(unnamed.is_empty(), "no path in the façade:\n{}", unnamed.into_iter().collect::<Vec<_>>().join("\n"));
}
