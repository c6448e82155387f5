"""Events, states, surfaces, pixels and differences, each against something else that knows it."""

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import triglyph
from conftest import capture_path


def test_events_are_numbered_and_named(path: Path) -> None:
    session = triglyph.open(path).inspect()
    events = session.events
    assert len(events) == len(session) > 10
    assert [event.number for event in events] == list(range(len(events)))
    assert [event.record for event in events] == sorted(event.record for event in events)
    assert repr(session[3]) == repr(events[3]) and session[-1].number == len(events) - 1
    draws = [event for event in events if event.kind == "draw"]
    assert draws and all(event.draws and event.name and "primitives" in event.text for event in draws)
    assert all(draw.vertices > 0 and len(draw.kernel) == 32 for event in draws for draw in event.draws)
    with pytest.raises(IndexError):
        session[len(events)]
    with pytest.raises(IndexError):
        session.registers(len(events))


def test_surfaces_change_by_their_events_alone(path: Path) -> None:
    """A surface after an event is that before the next one that may write it."""
    session = triglyph.open(path).inspect()
    events = session.events
    changed = 0
    for surface in session.surfaces:
        writers = [
            event.number
            for event in events
            if any(space == surface.space and start < surface.address + surface.size and surface.address < start + size
                   for space, start, size in event.written)
        ]
        for event, following in list(zip(writers, writers[1:]))[:6]:
            before = session.stored(event, surface, "before")
            after = session.stored(event, surface)
            assert after.shape == (surface.height, surface.width, surface.bytes)
            changed += not np.array_equal(before, after)
            if events[event].record == events[following].record:
                assert np.array_equal(after, session.stored(following, surface, "before"))
    assert changed > 3


def test_the_last_picture_is_what_replaying_shows() -> None:
    """The surface that is copied to the screen, and the screen."""
    capture = triglyph.open(capture_path("tegra/01-triangle"))
    *_, last = capture.replay()
    session = capture.inspect()
    surface = next(surface for surface in session.surfaces if surface.role == "color")
    picture = session.picture(len(session) - 1, surface)
    assert picture.dtype == np.uint8 and picture.shape == (surface.height, surface.width, 4)
    same = [last.pixels[..., :3], last.pixels[::-1, :, :3]]
    assert any(np.array_equal(picture[: screen.shape[0], : screen.shape[1], :3], screen) for screen in same)


def test_depth_is_what_is_stored(path: Path) -> None:
    session = triglyph.open(path).inspect()
    surfaces = [surface for surface in session.surfaces if surface.role == "depth" and surface.format != "unknown"]
    assert surfaces
    for surface in surfaces:
        event = max(event.number for event in session.events
                    if any(surface in draw.surfaces for draw in event.draws))
        depth, bits = session.depth(event, surface), session.depth_bits(event, surface)
        picture = session.picture(event, surface).astype(np.uint32)
        assert depth.dtype == np.float32 and bits.dtype == np.uint32
        assert depth.shape == bits.shape == (surface.height, surface.width)
        assert len(np.unique(bits)) > 1
        # Pictures have 24 bits of it, decoded by other code.
        shown = picture[..., 0] << 16 | picture[..., 1] << 8 | picture[..., 2]
        assert np.abs(shown / 0xFFFFFF - np.clip(depth, 0, 1).astype(float)).max() < 2**-23
    color = next(surface for surface in session.surfaces if surface.role == "color")
    with pytest.raises(ValueError, match="without depth"):
        session.depth(0, color)


def test_memory_is_the_stored_pixels() -> None:
    session = triglyph.open(capture_path("3ds/17-fragment-operations")).inspect()
    surface = session.surfaces[0]
    event = next(event.number for event in session.events if event.draws)
    memory = session.memory(event, surface.address, surface.size, surface.space)
    stored = session.stored(event, surface)
    # Blocks of 8x8 pixels in Morton order: the first four are a square.
    assert np.array_equal(memory[: 4 * surface.bytes].reshape(2, 2, -1), stored[:2, :2])
    assert np.array_equal(np.sort(memory[: stored.size]), np.sort(stored.ravel()))
    assert not session.memory(event, 0, 16).any()


def test_registers_have_names_and_fields() -> None:
    session = triglyph.open(capture_path("3ds/17-fragment-operations")).inspect()
    draws = [event.number for event in session.events if event.draws]
    first, *others = [session.registers(number) for number in draws]
    assert len(first) > 100
    changes = [{name for name in first if first[name] != other[name]} for other in others]
    assert set() < set().union(*changes) < set(first)
    state = session.state(draws[0])
    assert set(state) < set(first) and "func" in " ".join(state.values())


@pytest.mark.parametrize("name", ["3ds/25-shadow-map", "rsx/18-shadow", "tegra/18-shadow"])
def test_draws_without_colours_have_fragments(name: str) -> None:
    """What passes last is what is stored, also where there is depth alone."""
    session = triglyph.open(capture_path(name)).inspect()
    surface = next(surface for surface in session.surfaces if surface.width == surface.height == 256)
    chance, passed, failed = random.Random(2), 0, 0
    for _ in range(30):
        changes = session.history(surface, chance.randrange(64, 192), chance.randrange(64, 192))
        for change in changes:
            verdicts = [fragment.verdict for fragment in change.fragments]
            stored = [fragment.shaded for fragment in change.fragments if fragment.verdict == "passed"]
            assert set(verdicts) <= {"passed", "depth"} and change.after == [change.before, *stored][-1] or not verdicts
            passed, failed = passed + len(stored), failed + verdicts.count("depth")
    assert passed > 10 and failed > 5
    assert session.depth(len(session) - 1, surface).max() > 0


def test_histories_of_random_pixels(path: Path) -> None:
    """Against whole surfaces before and after every event."""
    session = triglyph.open(path).inspect()
    chance = random.Random(1)
    surface = next(surface for surface in session.surfaces if surface.role == "color")
    places = [(chance.randrange(surface.width), chance.randrange(surface.height)) for _ in range(5)]
    histories = [session.history(surface, x, y) for x, y in places]
    events = sorted({change.event for changes in histories for change in changes})
    assert events
    for number in chance.sample(events, min(len(events), 12)):
        before, after = (session.stored(number, surface, when) for when in ("before", "after"))
        for (x, y), changes in zip(places, histories):
            change = next(change for change in changes if change.event == number)
            assert change.before == before[y, x].tobytes() and change.after == after[y, x].tobytes()
            assert change.changed == (change.before != change.after)
            assert change.rgba[1] == tuple(session.picture(number, surface)[y, x])
    assert any(change.changed for changes in histories for change in changes)
    verdicts = {fragment.verdict for changes in histories for change in changes for fragment in change.fragments}
    assert "passed" in verdicts
    with pytest.raises(triglyph.Error, match="pixel"):
        session.history(surface, surface.width, 0)


def with_word(capture: triglyph.Capture, record: int, address: int, word: int) -> triglyph.Capture:
    """The capture with a word in memory exchanged before a record: one more MEM record (docs/reference/captures.md)."""
    file = capture.to_bytes()
    at = capture.records[record].offset
    payload = struct.pack("<QIII", address, 0, 0, word)
    header = struct.pack("<IIQ", 3, 0, len(payload))
    return triglyph.Capture(file[:at] + header + payload + bytes(-len(payload) % 8) + file[at:])


def place_of(session: triglyph.Session, event: triglyph.Event, word: int) -> int:
    """The address of the last word of this value before an event's, on the Tegra X1."""
    size = 512
    words = session.memory(event.number, event.position - size, size, when="before").view("<u4")
    return event.position - size + 4 * int(np.flatnonzero(words == word)[-1])


def test_a_capture_is_like_itself(path: Path) -> None:
    capture = triglyph.open(path)
    left = capture.inspect(tier="interp", threads=1)
    right = capture.inspect(tier="jit", threads=2)
    assert triglyph.compare(left, left) is None
    assert triglyph.compare(left, right, state=True) is None
    assert triglyph.compare(left, right, bisect=True) is None


def test_runs_of_other_builds_are_compared_by_their_hashes(tmp_path: Path) -> None:
    capture = triglyph.open(capture_path("tegra/07-fbo"))
    session, file = capture.inspect(), tmp_path / "run.json"
    session.write_hashes(file)
    assert triglyph.compare_hashes(capture.inspect(tier="interp"), file) is None
    clears = [event for event in session.events if event.name.startswith("CLEAR_SURFACE")]
    clear = clears[len(clears) // 2]
    registers = session.registers(clear.number)
    word = next(word for name, word in registers.items() if name.startswith("SET_COLOR_CLEAR_VALUE") and word)
    other = with_word(capture, clear.record, place_of(session, clear, word), word ^ 1 << 22).inspect()
    for difference in [triglyph.compare_hashes(other, file), triglyph.compare(session, other, bisect=True)]:
        assert difference is not None and difference.kind in ("hash", "state")
        # The register is read by this clear, and found by commands of its class before it.
        assert difference.event <= clear.number
        assert session[difference.event].record == clear.record
    last = [record for record in capture.records if record.kind in ("SUBMIT", "CALL")][-1]
    shorter = triglyph.Capture(capture.to_bytes()[: last.offset]).inspect()
    for ends in [triglyph.compare_hashes(shorter, file), triglyph.compare(session, shorter, bisect=True)]:
        assert ends is not None and (ends.event, ends.kind, ends.what) == (len(shorter), "end", [])
    file.write_text("{}")
    with pytest.raises(triglyph.Error, match="run.json: no hashes"):
        triglyph.compare_hashes(session, file)
    with pytest.raises(OSError):
        triglyph.compare_hashes(session, tmp_path / "nowhere")


def test_a_planted_word_is_found_at_its_event() -> None:
    """Another colour to clear to: nothing differs before that clear, and the register says what."""
    capture = triglyph.open(capture_path("tegra/07-fbo"))
    session = capture.inspect()
    clears = [event for event in session.events if event.name.startswith("CLEAR_SURFACE")]
    clear = clears[len(clears) // 2]
    registers = session.registers(clear.number)
    colors = {name: word for name, word in registers.items() if name.startswith("SET_COLOR_CLEAR_VALUE") and word}
    word = next(iter(colors.values()))
    address = place_of(session, clear, word)
    other = with_word(capture, clear.record, address, word ^ 1 << 22).inspect()
    for state, kind in [(False, "memory"), (True, "state")]:
        difference = triglyph.compare(session, other, state=state)
        assert difference is not None
        assert (difference.event, difference.kind) == (clear.number, kind)
        ((name, words),) = difference.registers.items()
        assert name in colors and words == (word, word ^ 1 << 22)
        assert any(f"register {name}: {word:#010x}" in line for line in difference.what)
        memory = difference.memory[0]
        ours, theirs = (each.memory(clear.number, *memory.range, memory.space) for each in (session, other))
        assert memory.bytes == int((ours != theirs).sum())
        assert memory.address == memory.range[0] + int(np.flatnonzero(ours != theirs)[0])
        surface, *_ = difference.surfaces
        assert 0 < surface.pixels <= surface.surface.width * surface.surface.height
        ours, theirs = (each.stored(clear.number, surface.surface) for each in (session, other))
        assert surface.pixels == int((ours != theirs).any(axis=2).sum())
        assert tuple(np.argwhere((ours != theirs).any(axis=2))[0]) == surface.first[::-1]


def test_another_command_is_found() -> None:
    capture = triglyph.open(capture_path("tegra/03-cubes"))
    session = capture.inspect()
    draws = [event for event in session.events if event.draws]
    draw = draws[len(draws) // 2]
    other = with_word(capture, draw.record, draw.position, draw.value ^ 1).inspect()
    difference = triglyph.compare(session, other)
    assert difference is not None and difference.event <= draw.number
    assert difference.kind == "command"


def test_a_capture_that_ends_earlier_is_found(path: Path) -> None:
    capture = triglyph.open(path)
    session = capture.inspect()
    file = capture.to_bytes()
    last = [record for record in capture.records if record.kind in ("SUBMIT", "CALL")][-1]
    shorter = triglyph.Capture(file[: last.offset]).inspect()
    assert len(shorter) < len(session)
    difference = triglyph.compare(session, shorter)
    assert difference is not None
    assert (difference.event, difference.kind) == (len(shorter), "end")


def test_sessions_of_different_machines_have_no_order() -> None:
    sessions = [triglyph.open(capture_path(f"{machine}/10-stencil")).inspect() for machine in ("rsx", "tegra")]
    with pytest.raises(ValueError, match="machines"):
        triglyph.compare(*sessions)


def test_surfaces_of_other_sessions_are_refused() -> None:
    ours, theirs = [triglyph.open(capture_path(name)).inspect() for name in ("rsx/03-cubes", "3ds/22-city")]
    with pytest.raises(ValueError, match="not of this session"):
        ours.picture(0, theirs.surfaces[0])


def test_a_page_is_written(tmp_path: Path) -> None:
    session = triglyph.open(capture_path("rsx/01-triangle")).inspect()
    assert session.write_page(tmp_path / "page.html", title="a triangle", events=(0, 3)) == []
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") and "a triangle" in page
    with pytest.raises(triglyph.Error):
        session.write_page(tmp_path / "page.html", events=(0, len(session) + 1))
    # What limits leave out is returned, and in the page.
    limits: list[dict[str, Any]] = [{"time_limit": 0}, {"size_limit": 2000}]
    for limit in limits:
        left_out = session.write_page(tmp_path / "page.html", **limit)
        assert left_out and left_out[0] in (tmp_path / "page.html").read_text()
    with pytest.raises(ValueError, match="-1 s"):
        session.write_page(tmp_path / "page.html", time_limit=-1)
