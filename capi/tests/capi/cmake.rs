//! The package for CMake: `find_package(triglyph)` finds both libraries in a prefix, and programs that are linked with
//! either draw.

use std::path::Path;
use std::process::Command;

use crate::folder;
use crate::programs::{self, has_compiler, library, succeed};

/// Two programs of one source, with each library; the third takes whichever there is.
const PROJECT: &str = "\
cmake_minimum_required(VERSION 3.16)
project(host C)
find_package(triglyph 0.1 CONFIG REQUIRED COMPONENTS shared static)
foreach(kind shared static triglyph)
  add_executable(with_${kind} \"${SOURCE}\")
  set_target_properties(with_${kind} PROPERTIES C_STANDARD 11)
  target_compile_options(with_${kind} PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(with_${kind} PRIVATE triglyph::${kind})
endforeach()
message(STATUS \"version ${triglyph_VERSION}\")
";

/// Configures a project with a prefix.
fn configure(project: &str, prefix: &Path, scratch: &Path) -> Command {
    let source = scratch.join("project");
    std::fs::create_dir_all(&source).unwrap();
    std::fs::write(source.join("CMakeLists.txt"), project).unwrap();
    let mut command = Command::new("cmake");
    command.arg("-S").arg(&source).arg("-B").arg(scratch.join("build"));
    command.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    command.arg(format!("-DSOURCE={}", folder().join("../examples/c/n3ds_triangle.c").display()));
    command
}

/// Builds the programs with the library of a prefix and runs them.
pub fn check(prefix: &Path) {
    if !cfg!(unix) || !has_compiler("cmake") || !has_compiler("cc") {
        return;
    }
    let scratch = tempfile::TempDir::new().unwrap();
    let said = succeed(&mut configure(PROJECT, prefix, scratch.path())).stdout;
    let version = format!("version {}", env!("CARGO_PKG_VERSION"));
    assert!(String::from_utf8_lossy(&said).contains(&version));
    succeed(Command::new("cmake").arg("--build").arg(scratch.path().join("build")));
    for kind in ["shared", "static", "triglyph"] {
        let program = scratch.path().join("build").join(format!("with_{kind}"));
        programs::check_picture(&program, &scratch.path().join("picture.png"), "n3ds_triangle");
    }
}

/// A prefix as `cargo cinstall` makes it.
fn prefix(scratch: &Path) {
    let copy = |from: &Path, to: &str| {
        let to = scratch.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    };
    for (from, to) in [("include", "include"), ("cmake", "share/cmake/triglyph")] {
        for file in std::fs::read_dir(folder().join(from)).unwrap() {
            let file = file.unwrap().path();
            copy(&file, &format!("{to}/{}", file.file_name().unwrap().to_str().unwrap()));
        }
    }
    let extension = std::env::consts::DLL_EXTENSION;
    copy(&library().shared, &format!("lib/libtriglyph.{extension}"));
    copy(&library().archive, "lib/libtriglyph.a");
}

#[test]
fn cmake_finds_both_libraries() {
    let scratch = tempfile::TempDir::new().unwrap();
    prefix(scratch.path());
    check(scratch.path());
}

#[test]
fn cmake_refuses_other_versions() {
    if !cfg!(unix) || !has_compiler("cmake") || !has_compiler("cc") {
        return;
    }
    let scratch = tempfile::TempDir::new().unwrap();
    prefix(scratch.path());
    for (wanted, is_found) in [("0.1", true), ("0.1.0", true), ("0.0", false), ("0.2", false), ("1", false)] {
        let project = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(host C)\nfind_package(triglyph {wanted} CONFIG REQUIRED)\n"
        );
        let folder = tempfile::TempDir::new().unwrap();
        let run = configure(&project, scratch.path(), folder.path()).output().unwrap();
        assert_eq!(run.status.success(), is_found, "{wanted}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn the_package_has_the_version_of_the_library() {
    let text = std::fs::read_to_string(folder().join("cmake/triglyph-config-version.cmake")).unwrap();
    assert!(text.contains(&format!("set(PACKAGE_VERSION {})", env!("CARGO_PKG_VERSION"))));
}
