"""A replay farm: checks folders of captures on many workers.

    python farm.py PATH... --out FOLDER [--workers N | --scheduler ADDRESS] [--limit SECONDS]

Writes results.jsonl (a line as soon as a capture is checked), results.parquet and report.html. Exit status 1 if a
capture is not good.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Iterable, Optional

import pyarrow
import pyarrow.parquet
from distributed import Client, LocalCluster, as_completed, get_worker

from check import FIELDS, checked
from report import page

COLUMNS = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
SCHEMA = pyarrow.schema([(name, COLUMNS[kind]) for name, kind in FIELDS.items()])


def captures(paths: Iterable[str]) -> list[str]:
    """Files as they are, folders as the captures in and below them, by name."""
    found: list[str] = []
    for path in paths:
        inside = sorted(map(str, Path(path).rglob("*.tgc"))) if Path(path).is_dir() else [path]
        found.extend(inside)
    return found


def on_worker(path: str, limit: float, command: Optional[list[str]]) -> dict[str, Any]:
    """What a worker does with a capture."""
    return {**checked(path, limit, command), "worker": str(get_worker().name)}


def run(client: Client, paths: list[str], limit: float, out: Path, command: Optional[list[str]] = None) -> list[Any]:
    """Checks captures on the workers of a cluster and writes their results."""
    out.mkdir(parents=True, exist_ok=True)
    # Captures that are named twice are checked twice; one that kills its worker is not tried on all the others.
    futures = client.map(on_worker, paths, limit=limit, command=command, pure=False, retries=0)
    numbers = {future.key: number for number, future in enumerate(futures)}
    results: list[Any] = [None] * len(paths)
    with open(out / "results.jsonl", "w") as lines:
        for future, result in as_completed(futures, with_results=True, raise_errors=False):
            number = numbers[future.key]
            # A worker that was killed, or a cluster that has none of its packages.
            if future.status != "finished":
                result = {name: kind() for name, kind in FIELDS.items()}
                result.update(path=paths[number], status="crashed", text=f"no result: {future.status}")
            results[number] = result
            # What is lost with a worker later would be checked again.
            future.release()
            print(json.dumps({name: value for name, value in result.items() if name != "png"}), file=lines, flush=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(results, schema=SCHEMA), out / "results.parquet")
    (out / "report.html").write_text(page(results), encoding="utf-8")
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks folders of captures on many workers.")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="captures, and folders of captures")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for results and report")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes on this machine")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a cluster that is there already, instead of those")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="for each capture")
    given = parser.parse_args()
    paths = captures(given.paths)
    if not paths:
        parser.error("no captures there")
    if given.scheduler:
        client = Client(given.scheduler)
        # The workers need not have this folder.
        client.upload_file(str(Path(__file__).with_name("check.py")))
    else:
        # A thread each: a capture takes a core.
        client = Client(LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None))
    with client:
        results = run(client, [str(Path(path).resolve()) for path in paths], given.limit, given.out)
        if not given.scheduler:
            client.cluster.close()
    bad = [result for result in results if result["status"] != "good"]
    for result in bad:
        print(f"{result['status']:<10} {result['path']}: {result['text']}")
    print(f"{len(results)} captures: {len(results) - len(bad)} good, {len(bad)} not; {given.out / 'report.html'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
