//! A capture of ten thousand draws in one submission: any of them is reached by executing few commands.
#![allow(missing_docs, reason = "test code, never published")]

#[path = "shared/city.rs"]
mod city;

use std::time::{Duration, Instant};

use triglyph_inspect::{Ask, Moment, Session, SessionOptions, surfaces_of};
use triglyph_testkit::random::Random;

/// Frames of 400 draws each in the one list.
const FRAMES: usize = 25;

#[test]
fn any_of_ten_thousand_events_is_reached_by_few_commands() {
    let capture = city::capture(FRAMES, <[u8]>::to_vec);
    let options = SessionOptions::default();
    let start = Instant::now();
    let mut session = Session::open(&capture, &options).unwrap();
    let opened = start.elapsed();
    let count = session.events().len();
    assert!(count > 400 * FRAMES, "{count} events");
    // From a checkpoint to the event, and on to the end of the bounded run that it is in. A draw has 37 words.
    let bound = 2 * options.max_commands + options.run_words / 16;
    let surface = surfaces_of(session.events())[0];
    let ask = Ask { registers: true, ranges: vec![surface.range()] };
    let mut random = Random::new(1);
    let (mut most, mut longest, mut inputs) = (0, Duration::ZERO, Duration::ZERO);
    for event in (0..40).map(|_| random.below(count as u32) as usize).chain([0, count - 1]) {
        let start = Instant::now();
        session.show(event, Moment::After, ask.clone()).unwrap();
        longest = longest.max(start.elapsed());
        most = most.max(session.replayed());
        let start = Instant::now();
        let found = session.inputs(event, None).unwrap();
        inputs = inputs.max(start.elapsed());
        most = most.max(session.replayed());
        assert_eq!(found.meshes.is_empty(), session.events()[event].draws().count() == 0);
    }
    let (checkpoints, bytes) = session.checkpoints();
    println!(
        "{count} events, opened in {opened:?}; {checkpoints} checkpoints of {bytes} bytes; a picture at most \
         {longest:?}, what goes into a draw {inputs:?}, {most} commands"
    );
    assert!(most <= bound, "{most} commands of {bound}");
    assert!(bytes <= options.checkpoint_bytes);
}

#[test]
fn large_captures_show_the_same_with_and_without_checkpoints_inside() {
    let capture = city::capture(FRAMES, <[u8]>::to_vec);
    // By no time that it takes are there others than the one at its start.
    let whole = SessionOptions {
        longest_run: Duration::MAX,
        max_commands: u64::MAX,
        checkpoint_worth: 1 << 20,
        ..SessionOptions::default()
    };
    let mut sessions = [SessionOptions::default(), whole].map(|options| Session::open(&capture, &options).unwrap());
    let [inside, outside] = sessions.each_ref().map(|session| session.checkpoints().0);
    assert!(inside > outside + 3, "{inside} and {outside}");
    let surfaces = surfaces_of(sessions[0].events());
    let ask = Ask { registers: true, ranges: surfaces.iter().map(|surface| surface.range()).collect() };
    let event = 7001;
    let [a, b] = sessions.each_mut().map(|session| session.show(event, Moment::After, ask.clone()).unwrap());
    assert!(a == b);
    let [a, b] = sessions.each_mut().map(|session| session.primitives(event).unwrap());
    assert!(a == b && !a.is_empty());
}
