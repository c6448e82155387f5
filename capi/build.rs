//! `TRIGLYPH_SONAME` names the shared library for programs that are linked with it: `libtriglyph.so.0.1`. Archives of
//! releases are built with it; cargo-c names the library by itself. Without a name it is found where it was built.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=TRIGLYPH_SONAME");
    if let Some(name) = std::env::var_os("TRIGLYPH_SONAME").and_then(|name| name.into_string().ok()) {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    }
}
