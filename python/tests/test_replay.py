"""Captures and their pictures."""

from __future__ import annotations

import json
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import triglyph
from conftest import CAPTURES, capture_path


def test_what_is_in_a_capture() -> None:
    path = capture_path("3ds/22-city")
    capture = triglyph.open(path)
    assert (capture.machine, capture.big_endian, capture.frames) == ("3ds", False, 2)
    assert [(out.label, out.width, out.height, out.pictures) for out in capture.outputs] == [("top", 400, 240, 2)]
    assert [record.index for record in capture.records] == list(range(len(capture.records)))
    assert capture.records[0].offset == 16
    assert sum(record.kind == "PRESENT" for record in capture.records) == 2
    assert capture.meta == json.loads(capture.payload(0))
    assert capture.to_bytes() == path.read_bytes()


def test_payloads_are_decoded() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    record = next(record for record in capture.records if record.kind == "MEM")
    payload = capture.payload(record.index)
    address, space, zero = struct.unpack_from("<QII", payload)
    assert len(payload) > record.stored and (space, zero) == (0, 0)
    # What is stored at first is what a device has there, until somebody writes it.
    replay = capture.replay(frames=1)
    replay.finish()
    assert replay.read(address, len(payload) - 16).tobytes() == payload[16:]
    with pytest.raises(IndexError):
        capture.payload(len(capture.records))


def test_paths_and_bytes_are_the_same(path: Path) -> None:
    captures = [triglyph.Capture(path), triglyph.open(str(path)), triglyph.Capture(path.read_bytes())]
    assert len({repr(capture) for capture in captures}) == 1
    hashes = set()
    for capture in captures:
        replay = capture.replay()
        replay.finish()
        hashes.add(replay.memory_hash())
    assert len(hashes) == 1


def test_expected_pictures_and_hashes() -> None:
    """All bundled captures: what they expect is found, on compiled code."""
    paths = sorted(CAPTURES.rglob("*.tgc"))
    expected = hashes = 0
    for path in paths:
        replay = triglyph.open(path).replay()
        for picture in replay:
            assert picture.pixels.dtype == np.uint8 and picture.pixels.shape[2] == 4
            if picture.expectation is not None:
                expected += 1
                assert picture.expectation.ok, f"{path.name}: {picture}"
        for found in replay.hashes:
            hashes += 1
            assert found.ok, f"{path.name}: {found}"
    assert len(paths) >= 48 and expected >= 48 and hashes > 0


@pytest.mark.parametrize("accuracy", ["fast", "exact"])
def test_tiers_and_threads_draw_the_same(path: Path, accuracy: Literal["fast", "exact"]) -> None:
    capture = triglyph.open(path)
    found = []
    setups: list[tuple[Literal["auto", "interp", "jit"], int]] = [("interp", 1), ("jit", 1), ("auto", 2)]
    for tier, threads in setups:
        replay = capture.replay(tier=tier, threads=threads, accuracy=accuracy)
        pictures = [picture.pixels for picture in replay]
        found.append((pictures, replay.memory_hash()))
    (first, memory), *others = found
    assert len(first) == sum(out.pictures for out in capture.outputs) > 0
    assert any(len(np.unique(picture)) > 2 for picture in first)
    for pictures, other_memory in others:
        assert other_memory == memory
        assert all(np.array_equal(a, b) for a, b in zip(first, pictures))


def test_frames_are_parts_of_all_pictures() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    everything = list(capture.replay())
    second = list(capture.replay(frames=(1, 2)))
    first = list(capture.replay(frames=1))
    assert [picture.frame for picture in everything] == [0, 1]
    assert [(picture.frame, picture.index) for picture in first + second] == [(0, 0), (1, 1)]
    assert not np.array_equal(everything[0].pixels, everything[1].pixels)
    assert np.array_equal(first[0].pixels, everything[0].pixels)
    assert np.array_equal(second[0].pixels, everything[1].pixels)
    wrongs: list[int | tuple[int, int]] = [0, 3, (1, 1), (2, 3)]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="frames"):
            capture.replay(frames=wrong)


def test_memory_is_what_pictures_are_made_of() -> None:
    capture = triglyph.open(capture_path("3ds/28-render-to-texture"))
    replay = capture.replay()
    replay.finish()
    whole = replay.read(0x1800_0000, 0x1000)
    assert whole.dtype == np.uint8 and len(whole) == 0x1000
    assert np.array_equal(replay.read(0x1800_0010, 16), whole[16:32])
    with pytest.raises(triglyph.Error, match="not mapped"):
        replay.read(0, 4)


def test_errors_say_what_is_wrong(tmp_path: Path) -> None:
    good = capture_path("3ds/22-city").read_bytes()
    with pytest.raises(triglyph.Error, match="not a capture"):
        triglyph.Capture(b"nothing")
    with pytest.raises(triglyph.Error, match=r"record \d+ at file offset"):
        triglyph.Capture(good[: len(good) // 2])
    with pytest.raises(FileNotFoundError, match="missing"):
        triglyph.open(tmp_path / "missing.tgc")
    capture = triglyph.Capture(good)
    with pytest.raises(ValueError, match="tier"):
        capture.replay(tier="fastest")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="accuracy"):
        capture.inspect(accuracy="some")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        triglyph.Capture(3)  # type: ignore[arg-type]
    assert not issubclass(triglyph.Error, OSError)


def test_others_run_while_a_replay_draws() -> None:
    """A thread that counts goes on: the interpreter's lock is free while a frame is drawn."""
    capture = triglyph.open(capture_path("3ds/22-city"))
    interval = sys.getswitchinterval()
    stop = threading.Event()
    stamps: list[float] = []

    def count() -> None:
        while not stop.is_set():
            stamps.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    capture.replay(tier="interp", threads=1).finish()
    end = time.monotonic()
    stop.set()
    thread.join()
    assert interval < 0.1
    during = [stamp for stamp in stamps if start < stamp < end]
    longest = max(b - a for a, b in zip([start, *during], [*during, end]))
    assert end - start > 0.05, "too fast to tell"
    assert longest < (end - start) / 2


def test_threads_may_share_a_capture(path: Path) -> None:
    capture = triglyph.open(path)
    hashes: list[int] = []

    def replay() -> None:
        run = capture.replay(threads=1)
        run.finish()
        hashes.append(run.memory_hash())

    threads = [threading.Thread(target=replay) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashes) == 4 and len(set(hashes)) == 1
