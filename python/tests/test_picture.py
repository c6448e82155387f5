"""Pictures as arrays, files and differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import triglyph
from conftest import capture_path


@pytest.fixture
def picture() -> triglyph.Picture:
    return next(triglyph.open(capture_path("3ds/22-city")).replay())


def test_arrays_are_the_pixels_themselves(picture: triglyph.Picture) -> None:
    array = np.asarray(picture)
    assert array.dtype == np.uint8 and array.shape == (240, 400, 4) == picture.pixels.shape
    assert array.strides == (1600, 4, 1) and np.shares_memory(array, picture.pixels)
    # Types know buffers from Python 3.12 on.
    buffer: Any = picture
    view = memoryview(buffer)
    assert (view.shape, view.format, view.readonly, view.nbytes) == ((240, 400, 4), "B", False, 240 * 400 * 4)
    array[3, 5] = (1, 2, 3, 4)
    assert view[3, 5, 2] == 3 and tuple(picture.pixels[3, 5]) == (1, 2, 3, 4)
    # Whatever is made of it keeps it.
    del picture, buffer
    assert tuple(array[3, 5]) == (1, 2, 3, 4) and view[3, 5, 0] == 1
    assert np.array(triglyph.Picture(array), copy=True).tobytes() == array.tobytes()


def test_files_have_the_pixels(picture: triglyph.Picture, tmp_path: Path) -> None:
    picture.pixels[0, 0, 3] = 9
    picture.save(tmp_path / "opaque.png")
    picture.save(str(tmp_path / "whole.png"), alpha=True)
    opaque, whole = (triglyph.Picture.read(tmp_path / name) for name in ("opaque.png", "whole.png"))
    assert whole.compare(picture).equal and not opaque.compare(picture).equal
    assert opaque.compare(picture, alpha=False).equal and opaque.pixels[0, 0, 3] == 255
    assert picture.to_png() == picture._repr_png_() == (tmp_path / "opaque.png").read_bytes()
    assert picture.to_png(alpha=True) == (tmp_path / "whole.png").read_bytes()
    with pytest.raises(FileNotFoundError, match="missing"):
        triglyph.Picture.read(tmp_path / "missing.png")
    with pytest.raises(OSError):
        picture.save(tmp_path / "no" / "folder.png")
    (tmp_path / "broken.png").write_bytes(b"nothing")
    with pytest.raises(triglyph.Error, match="broken.png"):
        triglyph.Picture.read(tmp_path / "broken.png")


def test_differences_are_counted() -> None:
    pixels = np.full((100, 10, 4), 100, np.uint8)
    ours = triglyph.Picture(pixels, "main")
    pixels[57, 3, 1] = 107
    pixels[57, 4, 2] = 94
    pixels[80, 0, 3] = 0
    theirs = triglyph.Picture(pixels)
    found = ours.compare(theirs, tolerance=6)
    assert (found.same_size, found.pixels, found.unequal, found.over) == (True, 1000, 3, 2)
    assert found.max_difference == 100 and not found.equal
    assert found.first == (3, 57, (100, 100, 100, 100), (100, 107, 100, 100))
    found = ours.compare(theirs, tolerance=7, alpha=False)
    assert (found.unequal, found.over, found.max_difference, found.first) == (2, 0, 7, None)
    shown = ours.difference(theirs, tolerance=6, alpha=False)
    red = (shown.pixels[..., 0] > 0) & (shown.pixels[..., 1] == 0)
    assert [tuple(at) for at in np.argwhere(red)] == [(57, 3)] and shown.pixels[57, 4].min() > 0
    smaller = triglyph.Picture(pixels[:50])
    found = ours.compare(smaller)
    assert not found.same_size and not found.equal and found.over == 1000
    with pytest.raises(ValueError, match="sizes"):
        ours.difference(smaller)


def test_pictures_of_arrays() -> None:
    opaque = triglyph.Picture(np.zeros((2, 3, 3), np.uint8), "x")
    assert (opaque.width, opaque.height, opaque.label) == (3, 2, "x")
    assert opaque.pixels.tolist() == [[[0, 0, 0, 255]] * 3] * 2
    # Any strides.
    turned = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)[::-1]
    copy = triglyph.Picture(turned)
    assert np.array_equal(copy.pixels, turned) and copy.pixels.flags.c_contiguous
    assert triglyph.Picture(np.zeros((0, 0, 4), np.uint8))._repr_png_() is None
    for wrong in (np.zeros((2, 3), np.uint8), np.zeros((2, 3, 4), np.float32), np.zeros((2, 3, 5), np.uint8), "text"):
        with pytest.raises(ValueError):
            triglyph.Picture(wrong)


def test_representations() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    replay = capture.replay()
    picture = next(replay)
    assert repr(picture) == "<Picture 0 of frame 0 on top>"
    assert repr(triglyph.Picture(picture)) == "<Picture: 400x240>"
    assert repr(picture.expectation).startswith("Expectation(ok=True")
    assert repr(capture) == f"<Capture: 3ds, {len(capture.records)} records, 2 frames>"
    assert repr(replay).startswith("<Replay at record ") and repr(triglyph.Device("3ds")) == "<Device: 3ds>"
    assert repr(picture.compare(picture)) == "<Comparison: 0 of 96000 pixels differ, 0 too much, max 0>"
