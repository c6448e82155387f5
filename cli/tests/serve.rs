//! The server of `triglyph inspect`, its clients, and clients that do not behave.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How soon a good client has the page at last, whatever others do: longer than any limit of the server's.
const PATIENCE: Duration = Duration::from_secs(120);

struct Served {
    process: Child,
    host: String,
    /// The token, with a slash after it.
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Served {
    fn new() -> Self {
        let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/captures/rsx/03-cubes.tgc");
        let mut command = Command::new(env!("CARGO_BIN_EXE_triglyph"));
        let mut process = command.arg("inspect").arg(capture).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (host, token) = line.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        Served { process, host: host.to_owned(), token: token.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// What is answered to these bytes until the server closes the connection.
    fn answer(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        rest(&mut stream)
    }

    /// A client that behaves gets the page.
    #[track_caller]
    fn serves(&mut self) {
        let page = self.answer(&format!("GET /{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", self.token));
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("</html>\n"), "{}", &page[..page.len().min(80)]);
        assert!(self.process.try_wait().unwrap().is_none());
    }

    #[cfg(target_os = "linux")]
    fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.process.id())).unwrap().count()
    }
}

/// What comes until a connection is closed.
fn rest(stream: &mut TcpStream) -> String {
    let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => all.extend_from_slice(&bytes[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted) => break,
            Err(error) => panic!("{error}"),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn pages_are_served_to_those_who_know_the_token() {
    let served = Served::new();
    let get = |path: &str| {
        served.answer(&format!("GET /{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", served.host))
    };
    let path = &served.token;
    let page = get(path);
    assert!(served.host.starts_with("127.0.0.1:") && path.len() == 33, "{} {path}", served.host);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Content-Security-Policy: default-src 'none'"));
    assert!(get(&format!("{path}picture/3/0/after")).contains("Content-Type: image/png"));
    for wrong in ["", "x/", &format!("{path}picture/99999/0/after"), &format!("0{path}")] {
        assert!(get(wrong).starts_with("HTTP/1.1 404"), "{wrong}");
    }
}

#[test]
fn nothing_is_allocated_for_a_body() {
    let mut served = Served::new();
    for size in [1u64 << 32, 1 << 45, (1 << 63) - 1] {
        let answer = served.answer(&format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 404"), "{size}: {answer}");
        served.serves();
    }
}

#[test]
fn a_body_that_never_comes_keeps_nobody_waiting() {
    let mut served = Served::new();
    let path = served.token.clone();
    for (start, code) in [("POST /", 404), (&format!("POST /{path}"), 404), (&format!("GET /{path}"), 413)] {
        for body in ["Content-Length: 100", "Transfer-Encoding: chunked", "Content-Length: 9\r\nExpect: 100-continue"] {
            let mut stream = served.connect();
            write!(stream, "{start} HTTP/1.1\r\nHost: x\r\n{body}\r\n\r\n").unwrap();
            served.serves();
            let answer = rest(&mut stream);
            assert!(answer.starts_with(&format!("HTTP/1.1 {code}")), "{start}, {body}: {answer}");
        }
    }
}

#[test]
fn events_are_drawn_again_by_post_alone() {
    let mut served = Served::new();
    let path = format!("{}redraw/3/0/r-40-0", served.token);
    let ask = |served: &Served, method: &str, path: &str, more: &str| {
        served.answer(&format!("{method} /{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{more}\r\n"))
    };
    let drawn = ask(&served, "POST", &path, "");
    assert!(drawn.starts_with("HTTP/1.1 200") && drawn.contains("\"agree\":"), "{drawn}");
    assert!(ask(&served, "GET", &path, "").starts_with("HTTP/1.1 404"));
    assert!(ask(&served, "POST", &path[1..], "").starts_with("HTTP/1.1 404"));
    assert!(ask(&served, "POST", &path, "Content-Length: 9\r\n").starts_with("HTTP/1.1 413"));
    assert!(ask(&served, "POST", &format!("{path}-1"), "").starts_with("HTTP/1.1 404"));
    served.serves();
}

#[test]
fn idle_connections_keep_nobody_out() {
    let mut served = Served::new();
    #[cfg(target_os = "linux")]
    let before = served.threads();
    let mut idle: Vec<TcpStream> = (0..200).map(|_| served.connect()).collect();
    // Some say a little.
    idle.iter_mut().step_by(3).for_each(|stream| stream.write_all(b"GET /").unwrap_or_default());
    served.serves();
    #[cfg(target_os = "linux")]
    assert!(served.threads() <= before, "{} threads", served.threads());
    // The oldest ones are closed.
    idle[..100].iter_mut().for_each(|stream| assert_eq!(rest(stream), ""));
    served.serves();
}

#[test]
fn slow_headers_are_not_waited_for() {
    let mut served = Served::new();
    let (start, mut slow) = (Instant::now(), served.connect());
    slow.write_all(b"GET / HTTP/1.1\r\nHost: x").unwrap();
    // A byte comes now and then, but the header never ends.
    let mut byte = [0];
    slow.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    loop {
        match slow.read(&mut byte) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        assert!(start.elapsed() < PATIENCE);
        let _ = slow.write_all(b"x");
        served.serves();
    }
}

/// That such a client is given up is tested where limits can be chosen (`http/tests.rs`).
#[test]
fn a_client_that_takes_no_answers_keeps_nobody_waiting() {
    let mut served = Served::new();
    let request = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", served.token).repeat(1000);
    let mut stream = served.connect();
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    // What does not fit into buffers is not sent.
    let _ = stream.write_all(request.as_bytes());
    served.serves();
}

#[test]
fn headers_have_a_size() {
    let mut served = Served::new();
    let path = served.token.clone();
    let request = |size: usize| {
        format!("GET /{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: {}\r\n\r\n", "x".repeat(size))
    };
    assert!(served.answer(&request(16 << 10)).starts_with("HTTP/1.1 200"));
    let mut stream = served.connect();
    // It is not read to its end.
    let _ = stream.write_all(request(8 << 20).as_bytes());
    let answer = rest(&mut stream);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{}", &answer[..answer.len().min(80)]);
    served.serves();
}

#[test]
fn the_token_comes_first() {
    let mut served = Served::new();
    let (host, token) = (served.host.clone(), served.token.clone());
    let other = format!("{}{}", if token.starts_with('0') { '1' } else { '0' }, &token[1..]);
    for path in ["", "x/", "picture/3/0/after", token.trim_end_matches('/'), &other] {
        // The server closes the connection, although the request does not ask for it.
        let answer = served.answer(&format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("Connection: close"), "{path}: {answer}");
    }
    for request in ["x\r\n\r\n", "GET", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\0\0\0\0\r\n\r\n"] {
        let mut stream = served.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(!rest(&mut stream).starts_with("HTTP/1.1 2"), "{request}");
    }
    served.serves();
}
