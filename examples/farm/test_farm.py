"""The farm on two workers: what is wrong with one capture does not stop the others, and is in the report.

    pytest examples/farm
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("triglyph")
parquet = pytest.importorskip("pyarrow.parquet")
distributed = pytest.importorskip("distributed")

FOLDER = Path(__file__).parent
CAPTURES = FOLDER.parents[1] / "tests" / "captures"

# A replacement for check.py: captures that never end, and processes that die.
CHECK = """
import os, runpy, sys, time
name = os.path.basename(sys.argv[1])
if name.startswith("slow"):
    time.sleep(600)
if name.startswith("dead"):
    os.kill(os.getpid(), 9)
runpy.run_path({check!r}, run_name="__main__")
"""


@pytest.fixture(scope="module")
def client():  # type: ignore[no-untyped-def]
    sys.path.insert(0, str(FOLDER))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_all_bundled_captures_are_good(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "farm.py"), str(CAPTURES), "--out", str(tmp_path), "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    table = parquet.read_table(tmp_path / "results.parquet").to_pylist()
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    count = len(list(CAPTURES.rglob("*.tgc")))
    assert len(table) == len(lines) == count >= 48
    assert {row["status"] for row in table} == {"good"}
    assert len({row["worker"] for row in table}) == 2
    assert sum(row["expected"] for row in table) >= 48 and min(row["pictures"] for row in table) >= 1
    # Both say the same, whatever order they were done in.
    by_path = {line["path"]: line for line in lines}
    assert all({**row, "png": None} == {**by_path[row["path"]], "png": None} for row in table)
    page = (tmp_path / "report.html").read_text()
    assert page.count("<tr>") == count + 1 and f"{count} good" in page
    assert "src=" not in page.replace('src="data:image/png;base64,', "") and "href=" not in page


def test_one_that_fails_does_not_stop_the_others(tmp_path: Path, client: distributed.Client) -> None:
    import farm

    small = CAPTURES / "rsx" / "01-triangle.tgc"
    whole = small.read_bytes()
    files = {
        "good-1": whole,
        "broken": whole[: len(whole) // 2],
        "slow": whole,
        "empty": b"",
        "dead": whole,
        "good-2": whole,
        "different": bytes(other_picture(bytearray(whole))),
    }
    paths = []
    for name, content in files.items():
        path = tmp_path / f"{name}.tgc"
        path.write_bytes(content)
        paths.append(str(path))
    paths.append(str(tmp_path / "missing.tgc"))
    script = tmp_path / "check_with_faults.py"
    script.write_text(CHECK.replace("{check!r}", repr(str(FOLDER / "check.py"))))
    results = farm.run(client, paths, 8, tmp_path / "out", [sys.executable, str(script)])
    found = {Path(result["path"]).stem: result for result in results}
    assert {name: result["status"] for name, result in found.items()} == {
        "good-1": "good",
        "broken": "broken",
        "slow": "timeout",
        "empty": "broken",
        "dead": "crashed",
        "good-2": "good",
        "different": "different",
        "missing": "broken",
    }
    assert "record" in found["broken"]["text"] and "not a capture" in found["empty"]["text"]
    assert "8 s" in found["slow"]["text"] and "-9" in found["dead"]["text"]
    assert found["good-1"]["memory_hash"] == found["good-2"]["memory_hash"] == found["different"]["memory_hash"]
    assert found["different"]["unexpected"] == 1
    assert Counter(row["status"] for row in parquet.read_table(tmp_path / "out/results.parquet").to_pylist()) == Counter(
        result["status"] for result in results
    )
    page = (tmp_path / "out/report.html").read_text()
    for name, result in found.items():
        assert f"{name}<" in page and f">{result['status']}<" in page
    # What is not good comes first.
    assert page.index("slow<") < page.index("good-1<")


def other_picture(file: bytearray) -> bytearray:
    """A capture whose first PRESENT shows its picture from some rows later, so that it is not the expected one."""
    at = 16
    while at < len(file):
        kind = int.from_bytes(file[at : at + 4], "little")
        length = int.from_bytes(file[at + 8 : at + 16], "little")
        if kind == 6:
            address = int.from_bytes(file[at + 16 : at + 24], "little")
            pitch = int.from_bytes(file[at + 40 : at + 44], "little")
            file[at + 16 : at + 24] = (address + 8 * pitch).to_bytes(8, "little")
            return file
        at += 16 + -(-length // 8) * 8
    raise AssertionError("no PRESENT")


def test_a_slurm_array_verifies_every_capture_once(tmp_path: Path) -> None:
    """The script as Slurm would run it, with a command that writes down what it is asked."""
    command = tmp_path / "triglyph"
    command.write_text('#!/bin/sh\necho "$@" >> "$ASKED"\n')
    command.chmod(0o755)
    asked = tmp_path / "asked"
    for task in range(5, 8):
        environment = {
            "PATH": "/usr/bin:/bin",
            "TRIGLYPH": str(command),
            "ASKED": str(asked),
            "SLURM_ARRAY_TASK_ID": str(task),
            "SLURM_ARRAY_TASK_MIN": "5",
            "SLURM_ARRAY_TASK_COUNT": "3",
        }
        script = [str(FOLDER / "slurm.sh"), "captures", str(tmp_path / "results")]
        subprocess.run(script, env=environment, check=True)
    lines = asked.read_text().splitlines()
    assert [line.split()[:4] for line in lines] == [["verify", "captures", "--shard", f"{k}/3"] for k in (1, 2, 3)]
    assert all(f"shard-{k}.xml" in line for k, line in enumerate(lines, 1))
