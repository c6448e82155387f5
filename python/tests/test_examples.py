"""The examples of python/README.md and docs/guide/python.md: they run, one after the other as a reader does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import CAPTURES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["python/README.md", "docs/guide/python.md"])
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 4
    folder = tmp_path / "python"
    folder.mkdir()
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (folder / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"__name__": "example"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page}, example {number}", "exec"), names)
    assert CAPTURES.exists()
