//! The scenes' program, which is in C.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The exit status of the program where a driver does not have the version of OpenGL that a scene needs.
pub const NOT_OFFERED: i32 = 3;

/// A program that compiles where headers and libraries are.
const SMALLEST: &str = "#include <EGL/egl.h>\n#include <GL/gl.h>\n#include <GL/glext.h>\n#include <math.h>\n\
                        int main(void) { return eglGetError() == (int)glGetError(); }\n";

/// Compiles `sources`, the folder `scenes` beside this file, to a program in `folder`. Where it cannot be compiled for
/// want of packages, the error says which.
pub fn compile(sources: &Path, folder: &Path) -> Result<PathBuf, String> {
    let smallest = folder.join("smallest.c");
    std::fs::write(&smallest, SMALLEST).map_err(|error| format!("{}: {error}", smallest.display()))?;
    match compiler(&[smallest], &folder.join("smallest")) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err("no C compiler: Debian's packages gcc and libc6-dev, or another one in CC".into());
        }
        Err(error) => return Err(format!("the C compiler: {error}")),
        Ok(output) if !output.status.success() => {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "no headers or libraries of EGL and OpenGL: Debian's packages libc6-dev, libegl-dev, libgl-dev and \
                 libopengl-dev\n{why}"
            ));
        }
        Ok(_) => {}
    }
    let files = std::fs::read_dir(sources).map_err(|error| format!("{}: {error}", sources.display()))?;
    let files = files.flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect();
    let program = folder.join("scenes");
    let output = compiler(&files, &program).map_err(|error| format!("the C compiler: {error}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(program)
}

fn compiler(files: &[PathBuf], program: &Path) -> std::io::Result<Output> {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    command.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-o"]).arg(program).args(files);
    command.args(["-lEGL", "-lOpenGL", "-lm"]).output()
}
