"""The tour in docs/guide/wrong-picture.md: its code gives what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
import triglyph

ROOT = Path(__file__).parents[2]


def test_the_tour_finds_its_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "guide" / "wrong-picture.md").read_text(encoding="utf-8")
    plant, compare = re.findall(r"```python\n(.*?)```", page, re.S)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(plant, names)
        exec(compare, names)
    assert f"```text\n{printed.getvalue()}```" in page
    # What the page says of pixels, and of the registers around the event.
    session = triglyph.open("bad.tgc").inspect()
    surface = session.surfaces[0]

    def history(x: int, y: int) -> list[triglyph.Change]:
        return [change for change in session.history(surface, x, y) if change.changed or change.fragments]

    wall, inside = history(150, 200), history(112, 202)
    assert (len(wall), wall[-1].event, len(inside), inside[-1].event) == (11, 675, 8, 694)
    assert [(each.primitive, each.verdict) for each in wall[-1].fragments] == [(0, "passed"), (9, "depth")]
    assert [(each.primitive, each.verdict) for each in inside[-1].fragments] == [(2, "passed")]
    before, at = (session.registers(event) for event in (693, 694))
    changed = {name: word for name, word in at.items() if before[name] != word}
    assert changed == {"NUM_VERTICES": 24, "VSH_FLOAT_DATA[0]": 0x3F4E_CECF}
    assert "`NUM_VERTICES` | 0x00000018" in page and "`VSH_FLOAT_DATA[0]` | 0x3f4ececf" in page
