//! Models of the scheduler's threads, run in many random orders: see [`crate::sync`]. A thread that waits forever is a
//! deadlock, which shuttle reports.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use shuttle::{check_pct, check_random};

use super::worker_pool::WorkerPool;
use super::{BoundedWork, DeviceWorker, Interrupter, Scheduler, Timeline, Worker, WorkerOptions};
use crate::device::{RunEnd, RunLimit};
use crate::sync::atomic::{AtomicBool, AtomicUsize};
use crate::sync::{Mutex, thread};

const LARGE: Duration = Duration::from_secs(1);

/// Orders of each sort that are tried.
const ORDERS: usize = 3000;

/// Tries a model in orders by chance, and in such that few threads are held back for long.
fn explore(model: impl Fn() + Clone + Send + Sync + 'static) {
    check_random(model.clone(), ORDERS);
    check_pct(model, ORDERS, 3);
}

/// A value that pieces of a job borrow, which checks that it is alive.
struct Borrowed {
    there: Arc<AtomicBool>,
    done: Vec<AtomicUsize>,
}

impl Borrowed {
    fn new(count: usize) -> Self {
        let done = (0..count).map(|_| AtomicUsize::new(0)).collect();
        Borrowed { there: Arc::new(AtomicBool::new(true)), done }
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.there.store(false, SeqCst);
    }
}

fn share(pool: &WorkerPool, count: usize) {
    let borrowed = Borrowed::new(count);
    let there = borrowed.there.clone();
    let piece = |i: usize| {
        assert!(there.load(SeqCst), "a piece after the end of its job");
        borrowed.done[i].fetch_add(1, SeqCst);
        assert!(there.load(SeqCst), "the job ended before its piece");
    };
    pool.share(count, &piece, || pool.wake(2));
    assert!(borrowed.done.iter().all(|done| done.load(SeqCst) == 1));
}

/// One worker that sleeps without work and one that spins.
fn start_workers(pool: &Arc<WorkerPool>) -> [thread::JoinHandle<()>; 2] {
    [false, true].map(|spin| {
        let pool = pool.clone();
        thread::spawn(move || pool.run(spin))
    })
}

fn end_workers(pool: &WorkerPool, workers: [thread::JoinHandle<()>; 2]) {
    pool.stop();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn pieces_are_done_once_while_their_job_is_there() {
    explore(|| {
        let pool = Arc::new(WorkerPool::default());
        let workers = start_workers(&pool);
        for count in [1, 3, 2] {
            share(&pool, count);
        }
        end_workers(&pool, workers);
    });
}

#[test]
fn the_background_ends_before_what_it_borrows() {
    explore(|| {
        let pool = Arc::new(WorkerPool::default());
        let workers = start_workers(&pool);
        for pieces in [1, 3] {
            let borrowed = Borrowed::new(pieces);
            let there = borrowed.there.clone();
            let next = AtomicUsize::new(0);
            let take = || {
                assert!(there.load(SeqCst), "the background after its end");
                let piece = next.fetch_add(1, SeqCst);
                borrowed.done.get(piece).is_some_and(|done| done.fetch_add(1, SeqCst) == 0)
            };
            let work = |leave: &dyn Fn() -> bool| {
                while !leave() {
                    if !take() {
                        return false;
                    }
                }
                true
            };
            pool.with_background(&work, || {
                pool.want(2);
                share(&pool, 2);
                while take() {}
                pool.clear_background();
                assert!(borrowed.done.iter().all(|done| done.load(SeqCst) == 1));
            });
        }
        end_workers(&pool, workers);
    });
}

#[test]
fn two_callers_share_a_pool() {
    explore(|| {
        let pool = Arc::new(WorkerPool::default());
        let [worker, other] = [pool.clone(), pool.clone()];
        let worker = thread::spawn(move || worker.run(false));
        let other = thread::spawn(move || share(&other, 2));
        share(&pool, 2);
        other.join().unwrap();
        pool.stop();
        worker.join().unwrap();
    });
}

#[test]
fn a_scheduler_ends_with_its_threads() {
    explore(|| {
        let scheduler = Scheduler::new(3).unwrap();
        for count in [2, 3] {
            let borrowed = Borrowed::new(count);
            scheduler.for_each(count, LARGE, |i| _ = borrowed.done[i].fetch_add(1, SeqCst));
            assert!(borrowed.done.iter().all(|done| done.load(SeqCst) == 1));
        }
    });
}

#[test]
fn jobs_of_several_threads_are_done_in_order() {
    explore(|| {
        let worker = Arc::new(Worker::default());
        let log = Arc::new(Mutex::new(Vec::new()));
        let senders = [0, 10].map(|first| {
            let (worker, log) = (worker.clone(), log.clone());
            thread::spawn(move || {
                for job in first..first + 2 {
                    let log = log.clone();
                    assert!(worker.spawn(move || log.lock().unwrap().push(job)));
                }
            })
        });
        for sender in senders {
            sender.join().unwrap();
        }
        worker.wait_idle();
        let log = log.lock().unwrap();
        let of = |first: i32| log.iter().copied().filter(|job| job / 10 == first / 10).collect::<Vec<i32>>();
        assert_eq!((of(0), of(10)), (vec![0, 1], vec![10, 11]));
    });
}

#[test]
fn a_worker_ends_in_the_middle_of_its_work() {
    explore(|| {
        let done = Arc::new(AtomicUsize::new(0));
        let worker = Arc::new(Worker::default());
        for later in [false, true, false] {
            // A job may be the last owner of its worker, which then ends on its own thread.
            let (owner, done) = (worker.clone(), done.clone());
            let job = move || {
                done.fetch_add(1, SeqCst);
                drop(owner);
            };
            assert!(if later { worker.spawn_later(job) } else { worker.spawn(job) });
        }
        let other = worker.clone();
        let canceller = thread::spawn(move || other.cancel());
        worker.wait_idle();
        drop(worker);
        canceller.join().unwrap();
        assert!(done.load(SeqCst) <= 3);
    });
}

#[test]
fn who_waits_hears_of_submissions_events_and_fences() {
    explore(|| {
        let timeline = Timeline::default();
        let waiting = [0, 1, 2].map(|what| {
            let timeline = timeline.clone();
            thread::spawn(move || match what {
                0 => assert!(timeline.wait(2, LARGE)),
                1 => assert_eq!(timeline.wait_for_event(0, LARGE), 1),
                _ => assert!(timeline.wait_for_fence(3, 1, LARGE)),
            })
        });
        timeline.submit();
        timeline.note_event();
        timeline.submit();
        timeline.complete();
        timeline.set_fence(3, 1);
        for thread in waiting {
            thread.join().unwrap();
        }
    });
}

/// A device that counts steps down, some in each run.
struct Steps {
    left: usize,
    done: usize,
    interrupter: Interrupter,
    timeline: Timeline,
}

impl BoundedWork for Steps {
    fn set_deferred(&mut self, _deferred: bool) {}

    fn run_for(&mut self, _limit: RunLimit) -> RunEnd {
        for _ in 0..2 {
            if self.left == 0 {
                self.interrupter.take();
                self.timeline.complete();
                return RunEnd::Done;
            }
            if self.interrupter.is_set() {
                self.interrupter.take();
                return RunEnd::Interrupted;
            }
            (self.left, self.done) = (self.left - 1, self.done + 1);
        }
        RunEnd::BudgetUsed
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }
}

#[test]
fn a_device_of_its_own_thread_does_all_that_it_is_given() {
    explore(|| {
        let device = Steps { left: 0, done: 0, interrupter: Interrupter::default(), timeline: Timeline::default() };
        let worker = DeviceWorker::new(device, WorkerOptions { capacity: 1, ..WorkerOptions::default() });
        let worker = Arc::new(worker.unwrap());
        let other = worker.clone();
        let sender = thread::spawn(move || {
            let number = other.send(|device: &mut Steps| device.left += 3).unwrap();
            assert!(other.wait(number, LARGE));
            other.wake();
        });
        let left = worker.call(|device: &mut Steps| {
            device.timeline.submit();
            device.left += 2;
            device.left
        });
        assert!(left.unwrap() >= 2);
        sender.join().unwrap();
        assert_eq!(worker.wait_idle(LARGE), Some(RunEnd::Done));
        assert!(worker.timeline().wait(1, LARGE));
        let device = Arc::into_inner(worker).expect("the only owner").stop().unwrap();
        assert_eq!((device.left, device.done), (0, 5));
    });
}
