//! The profile that a test was built with.

use std::path::{Path, PathBuf};

/// A profile of Cargo, and the folder of what is built with it.
#[derive(Debug)]
pub struct Profile {
    /// `TARGET/debug` for `dev`, otherwise named like the profile.
    pub folder: PathBuf,
    /// What `--profile` takes.
    pub name: String,
}

impl Profile {
    /// That of the test that runs.
    pub fn of_this_test() -> Self {
        Profile::of(&std::env::current_exe().expect("this test is a file")).expect("the test is in a target folder")
    }

    /// That of a file below the profile's folder. How deep it is depends on Cargo's version; Cargo locks the folder
    /// with a file in it.
    fn of(test: &Path) -> Option<Self> {
        let folder = test.ancestors().find(|folder| folder.join(".cargo-lock").is_file())?;
        let name = match folder.file_name()?.to_str()? {
            "debug" => "dev",
            name => name,
        };
        Some(Profile { folder: folder.to_owned(), name: name.to_owned() })
    }

    /// The target folder, or that of a target's triple in it.
    pub fn target(&self) -> &Path {
        self.folder.parent().expect("TARGET/PROFILE")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_may_be_at_any_depth() {
        let target = tempfile::tempdir().expect("a folder");
        let debug = target.path().join("debug");
        let deep = debug.join("build/crate/hash/out");
        std::fs::create_dir_all(&deep).expect("folders");
        assert!(Profile::of(&deep.join("test")).is_none_or(|profile| !profile.folder.starts_with(target.path())));
        std::fs::write(debug.join(".cargo-lock"), "").expect("a file");
        for test in [debug.join("deps/test"), deep.join("test")] {
            let profile = Profile::of(&test).expect("a profile");
            assert_eq!((profile.folder.as_path(), profile.name.as_str()), (debug.as_path(), "dev"));
            assert_eq!(profile.target(), target.path());
        }
    }
}
