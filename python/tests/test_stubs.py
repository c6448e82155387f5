"""The types that are written down are those of the module."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_stubs_agree_with_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "triglyph", "--concise"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_themselves_have_right_types() -> None:
    pytest.importorskip("mypy")
    folder = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "tests"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
