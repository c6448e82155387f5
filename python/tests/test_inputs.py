"""Programs, textures, vertices and constants of events, each against something else that knows it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import triglyph
from conftest import capture_path


def draws_of(session: triglyph.Session) -> list[int]:
    return [event.number for event in session.events if event.draws]


def test_programs_are_those_of_the_draw(path: Path) -> None:
    session = triglyph.open(path).inspect()
    stages = set()
    for number in draws_of(session)[:4]:
        programs = session.programs(number)
        kernels = {program.kernel for program in programs}
        assert all(draw.kernel in kernels for draw in session[number].draws)
        for program in programs:
            stages.add(program.stage)
            assert program.key and len(program.kernel) == 32
            assert program.text.splitlines() == [line.text for line in program.instructions]
            places = [line.at for line in program.instructions]
            assert places == sorted(set(places)) and all(line.text for line in program.instructions)
    assert len(stages) >= 2
    with pytest.raises(IndexError):
        session.programs(len(session))


def test_vertices_are_what_memory_has() -> None:
    """Attributes of 32-bit floats, read from guest memory by their addresses and strides."""
    compared = 0
    for name in ("rsx/03-cubes", "rsx/16-ffp", "3ds/22-city"):
        capture = triglyph.open(capture_path(name))
        session, order = capture.inspect(), ">f4" if capture.big_endian else "<f4"
        for number in draws_of(session)[:3]:
            inputs = session.inputs(number)
            assert inputs.event == number and 0 < len(inputs.vertices) <= inputs.parts
            for part in inputs.vertices:
                assert len(part.elements) == min(part.count, 65536)
                for attribute in part.attributes:
                    assert attribute.values.shape == (len(part.elements), 4) and attribute.name
                    if attribute.address is None or attribute.divisor or "F32" not in attribute.format.upper():
                        continue
                    count = int(attribute.format.split()[0])
                    for row in range(0, len(part.elements), 7):
                        at = attribute.address + attribute.stride * int(part.elements[row])
                        # Arrays of the PS3 are in its local or its main memory.
                        spaces = (0,) if capture.machine == "3ds" else (0, 1)
                        words = [session.memory(number, at, 4 * count, space, "before") for space in spaces]
                        assert list(attribute.values[row, :count]) in [list(word.view(order)) for word in words]
                        compared += 1
    assert compared > 50


def test_meshes_cover_what_is_drawn(path: Path) -> None:
    session = triglyph.open(path).inspect()
    seen = 0
    for number in draws_of(session)[:6]:
        for mesh in session.inputs(number).meshes:
            assert mesh.positions.shape == (min(mesh.count, 65536), 4) and mesh.positions.dtype == np.float32
            assert mesh.edges.shape[1] == 2 and mesh.edges.dtype == np.uint32
            assert mesh.edges.size == 0 or mesh.edges.max() < len(mesh.positions)
            seen += len(mesh.edges)
    assert seen > 0


@pytest.mark.parametrize("name", ["3ds/18-texture-formats", "rsx/06-mipmap", "tegra/06-mipmap"])
def test_textures_have_pictures(name: str) -> None:
    session = triglyph.open(capture_path(name)).inspect()
    (texture, *_) = session.inputs(draws_of(session)[-1]).textures
    assert texture.levels[0] == (texture.width, texture.height, 1) and texture.layers >= 1
    assert texture.address == texture.ranges[0][1] and texture.ranges[0][2] > 0
    assert f"{texture.width}x{texture.height}" in texture.format and texture.words
    assert bool(texture.sampler) == (not name.startswith("3ds"))
    for level, (width, height, _) in enumerate(texture.levels):
        picture = texture.picture(level)
        assert picture is not None and (picture.width, picture.height) == (width, height)
    whole = texture.picture()
    assert whole is not None and len(np.unique(whole.pixels.reshape(-1, 4), axis=0)) > 1
    assert sum(len(bytes) for bytes in texture.stored()) == sum(size for _, _, size in texture.ranges)
    for wrong in ((len(texture.levels), 0, 0), (0, texture.layers, 0), (0, 0, 1)):
        with pytest.raises(IndexError):
            texture.picture(*wrong)


def test_a_texture_is_what_was_rendered() -> None:
    """A draw that reads a surface: its texture is that surface, as it is stored."""
    session = triglyph.open(capture_path("tegra/07-fbo")).inspect()
    found = 0
    for number in draws_of(session):
        for texture in session.inputs(number).textures:
            for surface in session.surfaces:
                same = (surface.address, surface.width, surface.height) == (texture.address, texture.width, texture.height)
                picture = texture.picture() if same and surface.role == "color" else None
                if picture is not None:
                    assert np.array_equal(picture.pixels[..., :3], session.picture(number, surface, "before")[..., :3])
                    found += 1
        if found > 2:
            break
    assert found > 0


def test_constants_are_typed(path: Path) -> None:
    session = triglyph.open(path).inspect()
    kinds = set()
    for number in draws_of(session)[:3]:
        for constants in session.inputs(number).constants:
            kinds.add(constants.kind)
            words, values = constants.words, constants.values
            assert words.dtype == np.uint32 and constants.name
            if constants.kind in ("floats", "integers"):
                assert values.shape == (len(words) // 4, 4)
                assert np.array_equal(values.view(np.uint32).ravel(), words[: values.size])
            elif constants.kind == "booleans":
                assert values.dtype == np.bool_ and np.array_equal(values, words != 0)
            else:
                assert np.array_equal(values, words)
            assert constants.range is None or constants.range[2] >= words.nbytes
    assert kinds


def test_events_that_do_not_draw_have_no_inputs() -> None:
    session = triglyph.open(capture_path("tegra/07-fbo")).inspect()
    number = next(event.number for event in session.events if not event.draws)
    inputs = session.inputs(number)
    assert (inputs.vertices, inputs.meshes, inputs.textures, inputs.constants, inputs.parts) == ([], [], [], [], 0)
    with pytest.raises(IndexError):
        session.inputs(len(session))


def test_progress_is_told() -> None:
    capture = triglyph.open(capture_path("3ds/22-city"))
    told: list[tuple[int, int]] = []
    count = len(capture.records)
    session = capture.inspect(progress=lambda *at: told.append(at))
    assert told[0][0] < count and told[-1] == (count, count) and len(told) >= 2
    told.clear()
    capture.replay(progress=lambda *at: told.append(at)).finish()
    assert told[-1] == (count, count) and [done for done, _ in told] == sorted(done for done, _ in told)
    told.clear()
    assert triglyph.compare(session, capture.inspect(tier="interp"), progress=lambda *at: told.append(at)) is None
    assert told[-1] == (len(session), len(session))
    told.clear()
    session.history(session.surfaces[0], 10, 10, progress=lambda *at: told.append(at))
    assert told and all(done <= total == count for done, total in told)
