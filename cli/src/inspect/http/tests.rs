use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use super::*;

/// Longer than anything takes here, so that what ends has ended for its limit.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server whose every answer has so many bytes.
fn served(limits: Limits, bytes: usize) -> SocketAddr {
    let listener = net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let requests = serve(listener, "/token/".to_owned(), limits).unwrap();
    std::thread::spawn(move || {
        for Asked { reply, .. } in requests {
            let _ = reply.send(Ok(Reply { kind: "text/plain", bytes: vec![b'x'; bytes].into() }));
        }
    });
    address
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Asks for a page, and returns the first bytes of the answer.
fn ask(stream: &mut TcpStream) -> String {
    stream.write_all(b"GET /token/ HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut bytes = [0; 1024];
    let count = stream.read(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

/// Bytes that come until the connection is closed.
fn count_rest(stream: &mut TcpStream) -> usize {
    let (mut all, mut bytes) = (0, [0; 1 << 16]);
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return all,
            Ok(count) => all += count,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return all,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn those_who_know_the_token_have_a_number_of_connections() {
    let address = served(Limits { connections: 2, header_time: PATIENCE, ..Limits::default() }, 10);
    let mut known = [connect(address), connect(address)];
    for number in 0..6 {
        assert!(ask(&mut known[number % 2]).starts_with("HTTP/1.1 200"));
    }
    let mut third = connect(address);
    assert!(ask(&mut third).starts_with("HTTP/1.1 429"));
    assert_eq!(count_rest(&mut third), 0);
    // Strangers have places of their own, and do not take those of others.
    let _strangers: Vec<TcpStream> = (0..10).map(|_| connect(address)).collect();
    assert!(ask(&mut known[0]).starts_with("HTTP/1.1 200"));
    drop(known);
    let start = Instant::now();
    while !ask(&mut connect(address)).starts_with("HTTP/1.1 200") {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn connections_end_when_nothing_comes() {
    // Long enough for this client to ask in time.
    let address = served(Limits { header_time: Duration::from_secs(5), ..Limits::default() }, 10);
    // One that has asked, and one that never does.
    let mut streams = [connect(address), connect(address)];
    assert!(ask(&mut streams[0]).starts_with("HTTP/1.1 200"));
    // Their ends are seen: reading gives up after a longer time.
    streams.iter_mut().for_each(|stream| assert_eq!(count_rest(stream), 0));
}

#[test]
fn answers_that_nobody_takes_are_given_up() {
    const BYTES: usize = 64 << 20;
    let limits = Limits { connections: 1, write_time: Duration::from_secs(5), ..Limits::default() };
    let address = served(limits, BYTES);
    let mut slow = connect(address);
    assert!(ask(&mut slow).starts_with("HTTP/1.1 200"));
    // It has the only place until it is given up.
    let start = Instant::now();
    while ask(&mut connect(address)).starts_with("HTTP/1.1 429") {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    // Buffers of the system have a part of the answer.
    assert!(count_rest(&mut slow) < BYTES);
    // One that takes answers gets all of one.
    let start = Instant::now();
    loop {
        let mut quick = connect(address);
        quick.write_all(b"GET /token/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        if count_rest(&mut quick) > BYTES {
            break;
        }
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
}
