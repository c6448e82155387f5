//! The library as packages install it: `cargo cinstall --destdir` has put it into the folder that TRIGLYPH_INSTALLED
//! names, with the prefix `/usr`. `pkg-config` and a compiler find it there, and nothing of this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder;
use crate::programs::{self, Link, has_compiler, succeed};

/// An installed library.
struct Prefix(PathBuf);

impl Prefix {
    fn library_folder(&self) -> PathBuf {
        self.0.join("usr/lib")
    }

    /// What `pkg-config` says of it.
    fn pkg_config(&self, arguments: &[&str]) -> Vec<String> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_LIBDIR", self.library_folder().join("pkgconfig"));
        command.env("PKG_CONFIG_SYSROOT_DIR", &self.0);
        let run = succeed(command.args(arguments).arg("triglyph"));
        String::from_utf8(run.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    /// What programs are compiled with that load the library when they start.
    fn shared(&self) -> Vec<String> {
        let mut flags = self.pkg_config(&["--cflags", "--libs"]);
        flags.push(format!("-Wl,-rpath,{}", self.library_folder().display()));
        flags
    }

    /// What programs are compiled with that have the library in them.
    fn archive(&self) -> Vec<String> {
        let flags = self.pkg_config(&["--static", "--cflags", "--libs"]);
        // With both kinds in one folder linkers take the shared one.
        flags.into_iter().map(|flag| flag.replace("-ltriglyph", "-l:libtriglyph.a")).collect()
    }
}

/// The name by which programs ask for the shared library, here `libtriglyph.so.0.1`: until there is a version 1, each
/// minor version may be incompatible with the one before.
fn shared_name() -> String {
    format!("libtriglyph.so.{}.{}", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"))
}

/// The files that are there, and how they are named by version.
fn check_files(prefix: &Prefix) {
    let target = |name: &str| std::fs::read_link(prefix.library_folder().join(name)).unwrap();
    let file = format!("libtriglyph.so.{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(target("libtriglyph.so"), Path::new(&file));
    assert_eq!(target(&shared_name()), Path::new(&file));
    for file in ["lib/libtriglyph.a", "lib/pkgconfig/triglyph.pc"] {
        assert!(prefix.0.join("usr").join(file).is_file(), "{file}");
    }
    for file in ["triglyph-config.cmake", "triglyph-config-version.cmake"] {
        assert!(prefix.0.join("usr/share/cmake/triglyph").join(file).is_file(), "{file}");
    }
    for header in std::fs::read_dir(folder().join("include")).unwrap() {
        let name = header.unwrap().file_name();
        assert!(prefix.0.join("usr/include").join(&name).is_file(), "{name:?}");
    }
    assert_eq!(prefix.pkg_config(&["--modversion"]), [env!("CARGO_PKG_VERSION")]);
}

#[test]
fn an_installed_library_is_found_and_draws() {
    let Some(prefix) = std::env::var_os("TRIGLYPH_INSTALLED").map(|path| Prefix(path.into())) else {
        return println!("skipped: nothing is installed (TRIGLYPH_INSTALLED)");
    };
    if !has_compiler("pkg-config") {
        return;
    }
    check_files(&prefix);
    crate::symbols::check_exports(&prefix.library_folder().join("libtriglyph.so"));
    crate::cmake::check(&prefix.0.join("usr"));
    for flags in [prefix.shared(), prefix.archive()] {
        let link = Link::Installed(&flags);
        for (source, picture) in programs::EXAMPLES {
            programs::example(source, link, picture);
        }
        // The pictures of captures are those that the façade in Rust gives.
        programs::replay("tests/programs/replay.c", link);
        programs::replay("tests/programs/replay.cpp", link);
        programs::check_memory("../examples/c/n3ds.c", link);
        programs::check_memory("../examples/cpp/ps3.cpp", link);
    }
    // Programs ask for the version that they were linked with, not for any other.
    let scratch = tempfile::TempDir::new().unwrap();
    let flags = prefix.shared();
    let program = programs::compile("../examples/c/n3ds.c", Link::Installed(&flags), &scratch);
    if let (Some(program), true) = (program, has_compiler("readelf")) {
        let needed = succeed(Command::new("readelf").arg("-d").arg(program)).stdout;
        assert!(String::from_utf8(needed).unwrap().contains(&format!("[{}]", shared_name())));
    }
}
