"""Devices that Python code drives: memory, work, events, registers, pictures, snapshots, recordings."""

from __future__ import annotations

import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import triglyph
from conftest import capture_path

VRAM = 0x1800_0000
VRAM_SIZE = 0x60_0000
# GX command 2: fills the first 64 bytes of VRAM with a word.
FILL = [2, 0x1F00_0000, 0x1122_3344, 0x1F00_0040, 0, 0, 0, 0x0201]
WORD = bytes([0x44, 0x33, 0x22, 0x11])


def presented(capture: triglyph.Capture) -> dict[str, Any]:
    """The arguments of the last PRESENT."""
    return [entry for entry in capture.entries() if entry.kind == "PRESENT"][-1].fields


def test_draws_are_checked_where_it_is_asked_for() -> None:
    # NUM_VERTICES 0, DRAW_ARRAYS, IRQ_REQUEST: a draw without vertices.
    words = struct.pack("<8I", 0, 0x000F_0228, 1, 0x000F_022E, 0x1234_5678, 0x000F_0010, 0, 0)
    for validate in (False, True):
        with triglyph.Device("3ds", threads=1, validate=validate) as gpu:
            gpu.map(0x2000_0000, 0x1000)
            gpu.write(0x2000_0000, words)
            gpu.submit_command([1, 0x3000_0000, len(words), 0, 0, 0, 0, 0])
            found = [finding for finding in gpu.take_findings() if finding.kind == "no-vertices"]
            assert len(found) == validate and gpu.take_findings() == []
            for finding in found:
                assert finding.severity == "invisible" and finding.text and finding.advice
                assert finding.register is not None and finding.register[0] == 0x228


def test_a_command_fills_memory() -> None:
    with triglyph.Device("3ds", threads=1) as gpu:
        gpu.map(VRAM, VRAM_SIZE)
        assert gpu.mappings == [(0, VRAM, VRAM_SIZE, "rw")]
        gpu.take_written()
        gpu.submit_command(FILL)
        filled = gpu.read(VRAM, 68)
        assert filled.dtype == np.uint8 and filled.tobytes() == 16 * WORD + bytes(4)
        (done,) = gpu.take_events()
        assert done.kind == "interrupt" and set(done.values) == {"source", "count", "delay"} and done.values["count"] == 1
        assert gpu.take_events() == []
        (space, address, size), *others = gpu.take_written()
        assert space == 0 and address <= VRAM and address + size >= VRAM + 64 and not others
        # The same as the bytes of a SUBMIT record.
        gpu.write(VRAM, bytes(64))
        gpu.submit(struct.pack("<8I", *FILL))
        assert gpu.read(VRAM, 4).tobytes() == WORD
        assert gpu.faults == [] and gpu.fault_counts == {} and gpu.stats["transfer_seconds"] > 0


def test_memory_of_arrays_is_guest_memory() -> None:
    memory = np.zeros(VRAM_SIZE // 4, np.uint32)
    block = bytearray(4096)
    with triglyph.Device("3ds") as gpu:
        gpu.map(VRAM, memory=memory)
        gpu.submit_command(FILL)
        assert (memory[:16] == 0x1122_3344).all() and memory[16] == 0
        # What Python writes is there at once, without a copy.
        memory[16] = 7
        assert gpu.read(VRAM + 64, 4).view("<u4")[0] == 7
        gpu.map(VRAM, memory=block)
        gpu.submit_command(FILL)
        assert block[:64] == 16 * WORD
        # The GPU has the buffer until it is unmapped.
        with pytest.raises(BufferError):
            block.extend(b"more")
        gpu.unmap(VRAM, 4096)
        block.extend(b"more")
        assert gpu.mappings == [(0, VRAM + 4096, VRAM_SIZE - 4096, "rw")]
        with pytest.raises(ValueError, match="writable"):
            gpu.map(VRAM, memory=bytes(4096))
        with pytest.raises(ValueError, match="4096 bytes for 8192"):
            gpu.map(VRAM, 8192, memory=bytearray(4096))
        with pytest.raises(ValueError, match="neither"):
            gpu.map(VRAM)
    kept = bytearray(4096)
    gpu = triglyph.Device("3ds")
    gpu.map(VRAM, memory=kept)
    gpu.close()
    kept.extend(b"more")


def test_faults_are_no_exceptions() -> None:
    with triglyph.Device("3ds") as gpu:
        gpu.submit_command(FILL)
        assert gpu.fault_counts == {"unmapped-write": sum(gpu.fault_counts.values())}
        assert gpu.faults[0].kind == "unmapped-write" and gpu.faults[0].text


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="machine"):
        triglyph.Device("4ds")  # type: ignore[arg-type]
    with triglyph.Device("3ds") as gpu:
        with pytest.raises(triglyph.UnmappedError, match="not mapped"):
            gpu.read(VRAM, 4)
        with pytest.raises(triglyph.UnmappedError):
            gpu.write(VRAM, b"1234")
        with pytest.raises(ValueError):
            gpu.submit(b"short")
        with pytest.raises(ValueError):
            gpu.map(VRAM, 0)
        with pytest.raises(ValueError, match="access"):
            gpu.map(VRAM, 4096, access="rx")  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            gpu.read(2**64 - 1, 2)
        with pytest.raises(triglyph.UnsupportedError, match="GPFIFO"):
            gpu.submit_entries([0])
        with pytest.raises(triglyph.SnapshotError):
            gpu.restore(b"nothing")
        with pytest.raises(ValueError, match="format"):
            gpu.present(VRAM, 8, 8, format="rgb")  # type: ignore[arg-type]
        with pytest.raises(OSError):
            gpu.record("/nowhere/at/all.tgc")
    with pytest.raises(ValueError, match="closed"):
        gpu.read(VRAM, 4)
    gpu.close()
    assert issubclass(triglyph.UnmappedError, triglyph.Error)


def test_registers() -> None:
    with triglyph.Device("3ds") as gpu:
        # 0x10400010: the memory fill unit's start address, in units of 8 bytes.
        gpu.write_register(0x40_0010, VRAM >> 3)
        assert gpu.read_register(0x40_0010) == VRAM >> 3
    with triglyph.Device("ps3", accuracy="exact") as gpu:
        # PMC_BOOT_0 names the chip; PFIFO_INTR_EN_0 (0x2140) keeps what is written.
        assert gpu.read_register(0) != 0
        gpu.write_register(0x2140, 1)
        assert gpu.read_register(0x2140) == 1
    with triglyph.Device("tegra-x1") as gpu, pytest.raises(triglyph.UnsupportedError, match="registers"):
        gpu.read_register(0)


def test_a_device_plays_captures(path: Path) -> None:
    capture = triglyph.open(path)
    *_, last = capture.replay(tier="interp", threads=1)
    told: list[tuple[int, int]] = []
    with triglyph.Device(capture.machine, tier="jit", threads=2, big_endian=capture.big_endian) as gpu:
        gpu.play(capture, progress=lambda *at: told.append(at))
        assert told[-1] == (len(capture.records),) * 2 and told == sorted(told)
        picture = gpu.present(**presented(capture))
        assert picture.compare(last).equal and picture.label == last.label
        assert gpu.stats["draws"] > 0 and isinstance(gpu.stats["draws"], int)
        with pytest.raises(ValueError, match="records"):
            gpu.play(capture, records=(0, len(capture.records) + 1))
        # A device of another machine.
        other: Any = "tegra-x1" if capture.machine == "3ds" else "3ds"
        name = {"3ds": "Nintendo 3DS", "ps3": "PlayStation 3", "tegra-x1": "Tegra X1"}[capture.machine]
        with triglyph.Device(other) as wrong, pytest.raises(ValueError, match=f"a capture of the {name}"):
            wrong.play(capture)


def submit_by_parts(gpu: triglyph.Device, payload: bytes) -> None:
    """Submits what a SUBMIT record has, by the machine's own form."""
    if gpu.machine == "3ds":
        gpu.submit_command(struct.unpack("<8I", payload))
        return
    channel, space = struct.unpack_from("<II", payload)
    words = struct.unpack(f"<{len(payload) // 8 - 1}Q", payload[8:])
    if gpu.machine == "ps3":
        gpu.submit_segments(list(zip(words[::2], words[1::2])), channel=channel, space=space)
    else:
        gpu.submit_entries(words, channel=channel)


def test_work_has_the_form_of_the_machine(path: Path) -> None:
    capture = triglyph.open(path)
    *_, last = capture.replay(threads=1)
    with triglyph.Device(capture.machine, big_endian=capture.big_endian, threads=1) as gpu:
        for number, entry in enumerate(capture.entries()):
            if entry.kind == "SUBMIT":
                submit_by_parts(gpu, entry.payload)
            else:
                gpu.play(capture, records=(number, number + 1))
        assert gpu.present(**presented(capture)).compare(last).equal


def test_what_is_recorded_replays(path: Path, tmp_path: Path) -> None:
    capture = triglyph.open(path)
    file = tmp_path / "recorded.tgc"
    meta = {"name": "a recording", "frames": [1, 2], "ü": None}
    with triglyph.Device(capture.machine, big_endian=capture.big_endian) as gpu:
        assert not gpu.recording
        with gpu.record(file, meta=meta) as recording:
            assert gpu.recording and Path(recording.path) == file and not recording.full
            gpu.play(capture)
            place = presented(capture)
            picture = gpu.present(**place, expect=True)
            recording.hash(place["address"], 4096, place["space"])
        assert not gpu.recording
        recorded = triglyph.open(file)
        recording.stop()
    assert recorded.meta == {**meta, "starts": "reset"}
    replay = recorded.replay(tier="interp", threads=1)
    (found,) = replay
    assert found.expectation is not None and found.expectation.ok and found.compare(picture).equal
    assert found.expected is not None and found.expected.compare(picture, alpha=False).equal
    assert [hashed.ok for hashed in replay.hashes] == [True]


def test_recordings_may_begin_later_and_end_early(tmp_path: Path) -> None:
    with triglyph.Device("3ds") as gpu:
        gpu.map(VRAM, VRAM_SIZE)
        gpu.submit_command(FILL)
        recording = gpu.record(tmp_path / "later.tgc", compression=0)
        gpu.submit_command(FILL[:2] + [5] + FILL[3:])
        recording.hash(VRAM, 64)
        capture = recording.capture()
        assert capture.meta == {"starts": "mid-run"}
        limited = gpu.record(tmp_path / "small.tgc", limit=1)
        assert limited.full
        assert len(limited.capture().records) <= 1
        with pytest.raises(ValueError, match="compression"):
            gpu.record(tmp_path / "later.tgc", compression=23)
        with pytest.raises(TypeError):
            gpu.record(tmp_path / "later.tgc", meta={"name": object()})
    replay = capture.replay()
    replay.finish()
    assert [hashed.ok for hashed in replay.hashes] == [True]
    assert replay.read(VRAM, 4).view("<u4")[0] == 5


def test_closing_a_device_ends_its_recording(tmp_path: Path) -> None:
    gpu = triglyph.Device("3ds")
    gpu.map(VRAM, VRAM_SIZE)
    recording = gpu.record(tmp_path / "closed.tgc")
    gpu.submit_command(FILL)
    gpu.close()
    assert [record.kind for record in recording.capture().records].count("SUBMIT") == 1


@pytest.mark.parametrize("name", ["3ds/22-city", "rsx/16-ffp", "tegra/03-cubes"])
def test_snapshots_go_on_as_the_device(name: str) -> None:
    capture = triglyph.open(capture_path(name))
    count = len(capture.records)
    last = [record.index for record in capture.records if record.kind == "SUBMIT"][-1]

    def device() -> triglyph.Device:
        return triglyph.Device(capture.machine, big_endian=capture.big_endian, threads=1)

    with device() as ours, device() as theirs:
        ours.play(capture, records=(0, last))
        snapshot = ours.snapshot()
        assert len(ours.snapshot(memory=False)) < len(snapshot) < len(ours.snapshot(compressed=False))
        ours.play(capture, records=(last, count))
        theirs.restore(snapshot)
        assert theirs.mappings == ours.mappings
        theirs.play(capture, records=(last, count))
        place = presented(capture)
        assert ours.present(**place).compare(theirs.present(**place)).equal
        for space, address, size, _ in ours.mappings:
            assert np.array_equal(ours.read(address, size, space=space), theirs.read(address, size, space=space))


def test_deferred_work_waits_for_runs() -> None:
    with triglyph.Device("3ds", deferred=True) as gpu:
        gpu.map(VRAM, VRAM_SIZE)
        gpu.submit_command(FILL)
        assert not gpu.read(VRAM, 64).any()
        end = gpu.run()
        assert (end.kind, end.waiting) == ("done", "") and gpu.read(VRAM, 4).tobytes() == WORD
        assert gpu.run().kind == "done"


def test_bounded_runs_draw_the_same() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    submits = [record.index for record in capture.records if record.kind == "SUBMIT"]
    # A fill, and a command list.
    end = submits[1] + 1
    memory = []
    for words in (None, 500):
        with triglyph.Device("3ds", deferred=words is not None) as gpu:
            gpu.play(capture, records=(0, end))
            runs = 0
            while words and gpu.run(words=words).kind == "limit":
                runs += 1
            assert words is None or runs > 3
            memory.append([gpu.read(address, size).tobytes() for space, address, size, _ in gpu.mappings if space == 0])
    assert memory[0] == memory[1]


def test_the_screens_of_the_3ds() -> None:
    with triglyph.Device("3ds") as gpu:
        gpu.map(VRAM, VRAM_SIZE)
        gpu.write(VRAM, np.arange(400 * 240 * 4, dtype=np.uint32).astype(np.uint8))
        picture = gpu.present(VRAM, 400, 240, layout="columns")
        stored = gpu.read(VRAM, 400 * 240 * 4).reshape(400, 240, 4)
        # Columns from the left, each from its lowest pixel up; bytes are A, B, G, R.
        assert np.array_equal(picture.pixels, np.flip(stored, (1, 2)).transpose(1, 0, 2))
        # The controller of the lower screen: 240 by 320, format 0, at VRAM, 960 bytes a column.
        for offset, value in [(0x5C, 320 << 16 | 240), (0x68, VRAM), (0x70, 0), (0x78, 0), (0x90, 960)]:
            gpu.write_register(0x40_0500 + offset, value)
        shown = gpu.display("bottom")
        assert shown is not None and shown.label == "bottom"
        # Screens have no alpha.
        assert shown.compare(gpu.present(VRAM, 320, 240, layout="columns"), alpha=False).equal
        with pytest.raises(ValueError, match="display"):
            gpu.display("left")
    with triglyph.Device("ps3") as gpu:
        assert gpu.display("0") is None


@pytest.fixture
def python_hears_ctrl_c() -> Iterator[None]:
    """Python ignores SIGINT where the shell does, as in background jobs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("python_hears_ctrl_c")
def test_ctrl_c_ends_long_calls() -> None:
    """A signal while commands are executed and Python's code is not."""
    capture = triglyph.open(capture_path("3ds/22-city"))

    def interrupted(action: Callable[[], object]) -> None:
        timer = threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,))
        end = time.monotonic() + 20
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            while time.monotonic() < end:
                action()
        timer.join()

    interrupted(lambda: capture.replay(tier="interp", threads=1).finish())
    interrupted(lambda: capture.inspect(tier="interp", threads=1))
    session = capture.inspect()
    surface = session.surfaces[0]
    interrupted(lambda: session.history(surface, 100, 100))
    # What was ended leaves the session as it was.
    assert len(session.history(surface, 100, 100)) > 0
    with triglyph.Device("3ds", tier="interp", threads=1, deferred=True) as gpu:
        gpu.play(capture)
        interrupted(lambda: gpu.run())
        assert gpu.run().kind == "done"


def test_callbacks_may_not_use_the_object_of_their_call() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    with triglyph.Device("3ds") as gpu:
        with pytest.raises(RuntimeError, match="callback"):
            gpu.play(capture, progress=lambda *_: gpu.read(VRAM, 4))

        def refuse(*_: int) -> None:
            raise LookupError("enough")

        with pytest.raises(LookupError, match="enough"):
            gpu.play(capture, progress=refuse)
        with pytest.raises(LookupError):
            capture.inspect(progress=refuse)
        with pytest.raises(LookupError):
            capture.replay(progress=refuse).finish()


def test_threads_run_while_a_device_works() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    with triglyph.Device("3ds", tier="interp", threads=1) as gpu:
        counts = 0
        work = threading.Thread(target=gpu.play, args=(capture,))
        work.start()
        while work.is_alive():
            counts += 1
            time.sleep(0.001)
        assert counts > 10
