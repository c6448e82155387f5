//! The HTTP server of a page: which requests are answered, and limits of clients.
//!
//! Everything here runs on one thread, which waits for no client and for no answer: answers are made elsewhere. No
//! request has a body that is read. A client is a stranger until a request of it has the token in its path; where
//! strangers have all the connections that they may have, the oldest of these is closed for a new one. So idle clients
//! cannot lock out others.

#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::net;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, yield_now};
use tokio_io_timeout::TimeoutStream;
use triglyph_inspect::Refusal;

/// What clients may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections of clients that have not shown the token, and the same of those that have.
    pub connections: usize,
    /// Bytes of a request's line and header, at least 8192.
    pub header_bytes: usize,
    /// From the beginning of a connection, or the end of an answer, until the next request's header is there.
    pub header_time: Duration,
    /// How long a client may take nothing of an answer.
    pub write_time: Duration,
}

impl Default for Limits {
    /// A browser has at most six connections, and sends the cookies of all servers on this machine.
    fn default() -> Self {
        Limits {
            connections: 64,
            header_bytes: 32 << 10,
            header_time: Duration::from_secs(5),
            write_time: Duration::from_secs(10),
        }
    }
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

/// What paths begin with under which events are drawn again.
const REDRAW: &str = "redraw/";

/// Between two polls of the system for events of connections, so many tasks are run at most: fewer than there are
/// connections of strangers, so that a new one is read from before others can take its place.
const TASKS_BETWEEN_EVENTS: u32 = 8;
/// Until connections are accepted again where the process has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A request for a path, without the token.
pub struct Asked {
    /// The path, with its query if it has one.
    pub path: String,
    /// Where the answer goes. It is closed when the client has gone away.
    pub reply: oneshot::Sender<Result<Reply, Refusal>>,
}

/// An answer. Those who ask for the page at once share its bytes.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its media type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: Bytes,
}

/// Serves a listener's connections on a thread of its own, until the process ends. `prefix`: what the paths of all
/// requests begin with. Requests come out of the receiver, which ends with that thread.
///
/// # Errors
/// What the system says against the listener or a thread.
pub fn serve(listener: net::TcpListener, prefix: String, limits: Limits) -> std::io::Result<mpsc::Receiver<Asked>> {
    listener.set_nonblocking(true)?;
    let runtime = runtime::Builder::new_current_thread().enable_all().event_interval(TASKS_BETWEEN_EVENTS).build()?;
    let listener = {
        let _inside = runtime.enter();
        TcpListener::from_std(listener)?
    };
    let (asked, requests) = mpsc::channel();
    let door = Arc::new(Door { prefix, limits, asked, connections: Mutex::default() });
    std::thread::Builder::new().name("http".to_owned()).spawn(move || runtime.block_on(accept(listener, door)))?;
    Ok(requests)
}

/// Accepts connections, each of which is a task.
async fn accept(listener: TcpListener, door: Arc<Door>) {
    for number in 0u64.. {
        match listener.accept().await {
            Ok((stream, _)) => {
                let place = Place { number, door: door.clone() };
                // A task begins after this one has gone on to wait.
                let task = tokio::spawn(converse(stream, place)).abort_handle();
                door.connections().add(number, task, door.limits.connections);
                yield_now().await;
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Answers the requests of a connection.
async fn converse(stream: TcpStream, place: Place) {
    let limits = place.door.limits;
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_time));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_header_size(limits.header_bytes)
        .max_buf_size(limits.header_bytes)
        .title_case_headers(true);
    let service = service_fn(|request| async { Ok::<_, Infallible>(place.answer(request).await) });
    // What becomes of a client is no error of the server's.
    let _ = http.serve_connection(TokioIo::new(Box::pin(stream)), service).await;
}

/// What all connections share.
struct Door {
    prefix: String,
    limits: Limits,
    asked: mpsc::Sender<Asked>,
    connections: Mutex<Connections>,
}

impl Door {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The part of a request's path after the token; `None` without the token, and for methods other than GET, or POST
    /// for events that are drawn again: links and prefetches cause none of these.
    fn path<'r>(&self, request: &'r Request<Incoming>) -> Option<&'r str> {
        let path = request.uri().path_and_query()?.as_str();
        let path = path.strip_prefix(&self.prefix)?;
        let wanted = if path.starts_with(REDRAW) { Method::POST } else { Method::GET };
        (request.method() == wanted).then_some(path)
    }
}

/// Connections that are open.
#[derive(Default)]
struct Connections {
    /// Strangers, the oldest first.
    strangers: Vec<(u64, AbortHandle)>,
    /// Those that have shown the token.
    known: Vec<u64>,
}

impl Connections {
    /// A stranger comes; if there are too many, the oldest one goes.
    fn add(&mut self, number: u64, task: AbortHandle, most: usize) {
        self.strangers.push((number, task));
        if self.strangers.len() > most {
            self.strangers.remove(0).1.abort();
        }
    }

    /// A connection has shown the token. Returns whether it may stay.
    fn admit(&mut self, number: u64, most: usize) -> bool {
        if self.known.contains(&number) {
            return true;
        }
        if self.known.len() >= most {
            return false;
        }
        self.strangers.retain(|(stranger, _)| *stranger != number);
        self.known.push(number);
        true
    }

    fn remove(&mut self, number: u64) {
        self.strangers.retain(|(stranger, _)| *stranger != number);
        self.known.retain(|known| *known != number);
    }
}

/// A connection's place among the others.
struct Place {
    number: u64,
    door: Arc<Door>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.door.connections().remove(self.number);
    }
}

impl Place {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let door = &self.door;
        let Some(path) = door.path(&request) else { return last(StatusCode::NOT_FOUND) };
        if !request.body().is_end_stream() {
            return last(StatusCode::PAYLOAD_TOO_LARGE);
        }
        if !door.connections().admit(self.number, door.limits.connections) {
            return last(StatusCode::TOO_MANY_REQUESTS);
        }
        let (reply, answer) = oneshot::channel();
        let sent = door.asked.send(Asked { path: path.to_owned(), reply });
        match (sent, answer.await) {
            (Ok(()), Ok(Ok(found))) => found_answer(found),
            (Ok(()), Ok(Err(Refusal::Late))) => empty(StatusCode::SERVICE_UNAVAILABLE),
            _ => empty(StatusCode::NOT_FOUND),
        }
    }
}

fn found_answer(Reply { kind, bytes }: Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        headers.append(name, HeaderValue::from_static(value));
    }
    response
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

/// An answer after which the connection is closed.
fn last(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = empty(status);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
