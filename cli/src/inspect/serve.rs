//! Serving the page to browsers of this machine.
//!
//! Only 127.0.0.1 is listened on, and only paths that begin with a random token are answered: other users of the
//! machine and pages of other origins do not know it. The page may load nothing from elsewhere.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;

use serde::Serialize;
use tiny_http::{Header, Method, Request, Response};
use triglyph_inspect::Server;

use crate::exit::{Exit, Failure};
use crate::output::Output;

#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    file: &'a Path,
    address: &'a str,
}

/// What every answer says: pages are not kept, and load nothing but what is served here.
const HEADERS: [(&str, &str); 4] = [
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:",
    ),
];

/// Serves until the process is ended.
pub fn serve(mut server: Server<'_>, port: u16, opens: bool, file: &Path, output: &Output) -> anyhow::Result<Exit> {
    let http = tiny_http::Server::http(("127.0.0.1", port))
        .map_err(|error| Failure::usage(format!("cannot listen on port {port} of 127.0.0.1: {error}")))?;
    let prefix = format!("/{}/", token());
    let port = http.server_addr().to_ip().map_or(port, |address| address.port());
    let address = format!("http://127.0.0.1:{port}{prefix}");
    output.line(&address)?;
    output.object(&Line { event: "serving", file, address: &address })?;
    if opens && let Err(why) = super::open::open(&address) {
        output.line(format_args!("{why}; the address is the line above"))?;
    }
    for request in http.incoming_requests() {
        // A browser that has gone away is no error.
        let _ = answer(&mut server, &prefix, request);
    }
    Ok(Exit::Good)
}

fn answer(server: &mut Server<'_>, prefix: &str, request: Request) -> std::io::Result<()> {
    let path = request.url().strip_prefix(prefix).filter(|_| *request.method() == Method::Get);
    let Some(found) = path.and_then(|path| server.answer(path)) else {
        return request.respond(Response::empty(404));
    };
    let kind = [("Content-Type", found.kind)];
    let headers = kind.iter().chain(&HEADERS).filter_map(|(name, value)| Header::from_bytes(*name, *value).ok());
    request.respond(headers.fold(Response::from_data(found.bytes), Response::with_header))
}

/// 128 random bits. The standard library takes the keys of its hashes from the operating system.
fn token() -> String {
    (0..2).map(|_| format!("{:016x}", RandomState::new().hash_one(std::process::id()))).collect()
}
