//! Serving the page to browsers of this machine.
//!
//! Only 127.0.0.1 is listened on, and only paths that begin with a random token are answered: other users of the
//! machine and pages of other origins do not know it. The page may load nothing from elsewhere. Connections are served
//! by a thread of their own ([`super::http`]), answers are made here, one at a time: there is one device.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::TcpListener;
use std::path::Path;

use hyper::body::Bytes;
use serde::Serialize;
use triglyph_inspect::{Answer, Server};

use super::http::{self, Asked, Limits, Reply};
use crate::exit::{Exit, Failure};
use crate::output::Output;

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    file: &'a Path,
    address: &'a str,
}

/// The media type of the page.
const PAGE: &str = "text/html; charset=utf-8";

/// Serves until the process is ended.
pub fn serve(mut server: Server<'_>, port: u16, opens: bool, file: &Path, output: &Output) -> anyhow::Result<Exit> {
    let prefix = format!("/{}/", token());
    let listen = || {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let port = listener.local_addr()?.port();
        Ok((port, http::serve(listener, prefix.clone(), Limits::default())?))
    };
    let (port, requests) = listen().map_err(|error: std::io::Error| {
        Failure::usage(format!("cannot listen on port {port} of 127.0.0.1: {error}"))
    })?;
    let address = format!("http://127.0.0.1:{port}{prefix}");
    output.line(&address)?;
    output.object(&Line { event: "serving", file, address: &address })?;
    if opens && let Err(why) = super::open::open(&address) {
        output.line(format_args!("{why}; the address is the line above"))?;
    }
    let page = Reply { kind: PAGE, bytes: Bytes::copy_from_slice(server.page().as_bytes()) };
    for Asked { path, reply } in requests {
        // Nothing is made for a browser that has gone away.
        if !reply.is_closed() {
            let _ = reply.send(match &*path {
                "" => Ok(page.clone()),
                path => server.answer(path).map(|Answer { kind, bytes }| Reply { kind, bytes: bytes.into() }),
            });
        }
    }
    Err(Failure::new(Exit::Internal, "the server's thread has ended").into())
}

/// 128 random bits. The standard library takes the keys of its hashes from the operating system.
fn token() -> String {
    (0..2).map(|_| format!("{:016x}", RandomState::new().hash_one(std::process::id()))).collect()
}
