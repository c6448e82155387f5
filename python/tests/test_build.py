"""Captures that are read, changed and written."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
import triglyph
from conftest import CAPTURES, capture_path


def rebuilt(capture: triglyph.Capture, entries: list[triglyph.Entry], **settings: Any) -> triglyph.Capture:
    return triglyph.Capture.build(capture.machine, entries, big_endian=capture.big_endian, **settings)


def test_all_fields_come_back() -> None:
    """Each entry of all bundled captures, made of its fields."""
    kinds = set()
    for path in sorted(CAPTURES.rglob("*.tgc")):
        capture = triglyph.open(path)
        entries = capture.entries()
        assert [entry.kind for entry in entries] == [record.kind for record in capture.records]
        for entry in entries:
            if entry.kind not in kinds or entry.kind in ("MAP", "PRESENT", "HASH", "OBJECT"):
                made = entry.replace()
                assert made == entry or (entry.kind == "META" and made.fields == entry.fields), f"{path}: {entry}"
            kinds.add(entry.kind)
            assert entry.kind == "META" or triglyph.Entry(entry.kind, entry.payload) == entry
    assert kinds >= {"META", "MAP", "MEM", "OBJECT", "SUBMIT", "PRESENT", "EXPECT"}


def test_the_same_records_are_the_same_capture(path: Path, tmp_path: Path) -> None:
    capture = triglyph.open(path)
    entries = capture.entries()
    assert entries[1].payload == capture.payload(1)
    copies = [rebuilt(capture, entries), rebuilt(capture, entries, compression=0)]
    assert len(copies[1].to_bytes()) > len(copies[0].to_bytes())
    hashes = set()
    for copy in [capture, *copies]:
        assert copy.entries() == entries and copy.meta == capture.meta
        replay = copy.replay()
        assert all(picture.expectation is None or picture.expectation.ok for picture in replay)
        hashes.add(replay.memory_hash())
    assert len(hashes) == 1
    copies[0].save(tmp_path / "copy.tgc")
    assert triglyph.open(tmp_path / "copy.tgc").entries() == entries


def test_a_changed_record_changes_the_picture() -> None:
    capture = triglyph.open(capture_path("tegra/07-fbo"))
    entries = capture.entries()
    expect = next(at for at, entry in enumerate(entries) if entry.kind == "EXPECT")
    drawn = next(capture.replay())
    other = drawn.pixels.copy()
    other[10, 20, 0] ^= 64
    png = triglyph.Picture(other).to_png(alpha=True)
    entries[expect] = entries[expect].replace(png=png, tolerance=3, permille=0)
    expectation = next(rebuilt(capture, entries).replay()).expectation
    assert expectation is not None and not expectation.ok
    assert (expectation.over, expectation.tolerance) == (1, 3)


def test_meta_is_a_dict(path: Path) -> None:
    capture = triglyph.open(path)
    assert isinstance(capture.meta, dict) and capture.meta["name"]
    facts = {"name": "ä", "list": [1, None, {"a": 2.5}]}
    other = rebuilt(capture, capture.entries(), meta=facts)
    assert other.meta == facts and len(other.records) == len(capture.records)
    assert triglyph.Capture.build("3ds", []).meta == {}
    with pytest.raises(TypeError):
        rebuilt(capture, [], meta={"name": object()})


def test_a_capture_of_new_records() -> None:
    """A 3DS that fills memory: GX command 2 writes a word 16 times."""
    fill = struct.pack("<8I", 2, 0x1F00_0000, 0xFF00_00FF, 0x1F00_0040, 0, 0, 0, 0x0201)
    entry = triglyph.Entry
    capture = triglyph.Capture.build(
        "3ds",
        [
            entry.map(0x1800_0000, 0x60_0000),
            entry.mem(0x1800_0040, b"\x00\xff\x00\xff"),
            entry.submit(fill),
            entry.present(0x1800_0000, 17, 1, format="rgba8", label="top"),
        ],
        meta={"name": "a fill"},
    )
    assert capture.outputs[0].width == 17
    (picture,) = capture.replay()
    # Bytes are A, B, G, R.
    assert picture.pixels[0, :16].tolist() == [[0xFF, 0, 0, 0xFF]] * 16
    assert picture.pixels[0, 16].tolist() == [0xFF, 0, 0xFF, 0]


def test_fields_have_names() -> None:
    entry = triglyph.Entry
    assert entry.map(16, 32, space=1, access="r").fields == {"address": 16, "size": 32, "space": 1, "access": "r"}
    assert entry.mem(16, b"ab").fields == {"address": 16, "space": 0, "data": b"ab"}
    place = {"address": 4, "space": 0, "width": 64, "height": 32, "format": "a8b8g8r8", "pitch": 256}
    place |= {"layout": "block-linear", "block_height": 16, "label": "main"}
    present = entry.present(4, 64, 32, format="a8b8g8r8", layout="block-linear", block_height=16)
    assert present.fields == place and struct.unpack_from("<I", present.payload, 28)[0] == 3 | 4 << 8
    assert entry.present(4, 30, 20, format="bgr8", layout="columns").fields["pitch"] == 60
    assert entry.hash(1, 2, 3).replace(xxh3=2**64 - 1).fields["xxh3"] == 2**64 - 1
    assert entry.object(1, 0x97, base=7).fields == {"handle": 1, "object_class": 0x97, "space": 0, "base": 7, "limit": 0}
    assert entry.meta({"a": [1]}).fields == {"meta": {"a": [1]}}
    assert entry.call(bytes(8)).kind == "CALL" and entry.snapshot(b"x").kind == "SNAPSHOT"
    unknown = entry(0x8000_0099, b"abc")
    assert (unknown.kind, unknown.payload, unknown.fields) == ("0x80000099", b"abc", {"data": b"abc"})
    assert repr(unknown) == "<Entry 0x80000099: 3 bytes>"
    assert entry("MEM", b"1") != entry("SUBMIT", b"1")


def test_wrong_records_are_named() -> None:
    entry = triglyph.Entry
    for wrong in (
        lambda: entry("NOTHING", b""),
        lambda: entry.map(2**64 - 1, 2),
        lambda: entry.present(0, 4, 4, block_height=3),
        lambda: entry.present(0, 4, 4, block_height=2),
        lambda: entry.present(0, 2**31, 4, format="a8r8g8b8"),
        lambda: entry.present(0, 4, 4, layout="spiral"),  # type: ignore[arg-type]
        lambda: entry("MAP", b"short").fields,
        lambda: entry(0x8000_0099, b"").replace(data=b"1"),
        lambda: triglyph.Capture.build("3ds", [], compression=-1),
        lambda: triglyph.Capture.build("3do", []),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        entry.map(0, 4).replace(color=3)
    with pytest.raises(triglyph.CaptureError, match="record 1 at file offset"):
        triglyph.Capture.build("3ds", [entry.map(0, 4096), entry.submit(b"short")])
    with pytest.raises(triglyph.CaptureError, match="record 0"):
        triglyph.Capture.build("3ds", [entry.object(1, 2)])
