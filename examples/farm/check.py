"""Checks one capture: both tiers draw the same bytes, which are the expected ones. Prints a JSON object.

    python check.py CAPTURE

A process of its own, so that whatever happens to it happens to no other capture; `checked` runs it.
"""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any, Optional

# All that is said of a capture, with its type; Parquet has these columns.
FIELDS: dict[str, type] = {
    "path": str,  # as it was given
    "status": str,  # good, different, broken, timeout, crashed
    "machine": str,  # 3ds, ps3, tegra-x1
    "frames": int,
    "pictures": int,
    "expected": int,  # pictures that the capture expects something of
    "unexpected": int,  # of these, how many are not as expected
    "hashes": int,
    "wrong_hashes": int,
    "faults": int,  # how often the guest did something wrong
    "first_fault": str,
    "memory_hash": str,  # of all memory at the end, 16 digits
    "interp_seconds": float,
    "jit_seconds": float,
    "seconds": float,  # in all, with the start of the process
    "worker": str,
    "text": str,  # what went wrong
    "png": str,  # the last picture, made small; Base64
}

# Pixels of the longer edge of the picture in the report.
SMALL = 120


def png(pixels: Any) -> bytes:
    """An array (height, width, 4) of bytes as PNG without alpha."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + pixels[y, :, :3].tobytes() for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def replayed(capture: Any, tier: str) -> tuple[list[Any], Any, float]:
    """The pictures of a capture, its finished replay, and seconds."""
    start = time.monotonic()
    replay = capture.replay(tier=tier, threads=1)
    pictures = list(replay)
    return pictures, replay, time.monotonic() - start


def first_difference(capture: Any) -> str:
    """The first event that the tiers do differently, for people."""
    import triglyph

    sessions = [capture.inspect(tier=tier, threads=1) for tier in ("interp", "jit")]
    found = triglyph.compare(*sessions)
    return f"first at {sessions[0][found.event]}" if found else "no event differs"


def check(path: str) -> dict[str, Any]:
    """Checks a capture in this process."""
    import numpy as np
    import triglyph

    result: dict[str, Any] = {"path": path, "status": "good"}
    try:
        capture = triglyph.open(path)
        result.update(machine=capture.machine, frames=capture.frames)
        ours, reference, result["interp_seconds"] = replayed(capture, "interp")
        theirs, compiled, result["jit_seconds"] = replayed(capture, "jit")
    except (triglyph.Error, OSError) as error:
        return {**result, "status": "broken", "text": str(error)}
    checked = [picture.expectation for picture in ours if picture.expectation]
    faults = reference.faults
    result.update(
        pictures=len(ours),
        expected=len(checked),
        unexpected=sum(not expectation.ok for expectation in checked),
        hashes=len(reference.hashes),
        wrong_hashes=sum(not found.ok for found in reference.hashes),
        faults=reference.fault_count,
        first_fault=f"{faults[0].kind}: {faults[0].text}" if faults else "",
        memory_hash=f"{reference.memory_hash():016x}",
    )
    texts = []
    same = len(ours) == len(theirs) and all(np.array_equal(a.pixels, b.pixels) for a, b in zip(ours, theirs))
    if not same or reference.memory_hash() != compiled.memory_hash():
        texts.append(f"the tiers differ: {first_difference(capture)}")
    if result["unexpected"]:
        texts.append(f"{result['unexpected']} pictures are not the expected ones")
    if result["wrong_hashes"]:
        texts.append(f"{result['wrong_hashes']} hashes are wrong")
    if texts:
        result.update(status="different", text="; ".join(texts))
    if ours:
        pixels = ours[-1].pixels
        step = -(-max(pixels.shape[:2]) // SMALL)
        result["png"] = base64.b64encode(png(np.ascontiguousarray(pixels[::step, ::step]))).decode()
    return result


def checked(path: str, limit: float, command: Optional[list[str]] = None) -> dict[str, Any]:
    """Checks a capture in a process of its own, which may take so many seconds. Every field is there."""
    command = command or [sys.executable, str(Path(__file__).resolve())]
    start = time.monotonic()
    try:
        done = subprocess.run([*command, path], capture_output=True, text=True, timeout=limit)
        lines = done.stdout.splitlines()
        if done.returncode == 0 and lines:
            result = json.loads(lines[-1])
        else:
            last = (done.stderr.splitlines() or ["no message"])[-1]
            result = {"status": "crashed", "text": f"exit status {done.returncode}: {last}"}
    except subprocess.TimeoutExpired:
        result = {"status": "timeout", "text": f"more than {limit:g} s"}
    except (OSError, ValueError) as error:
        result = {"status": "crashed", "text": str(error)}
    result.update(path=path, seconds=time.monotonic() - start)
    return {name: result.get(name, kind()) for name, kind in FIELDS.items()}


if __name__ == "__main__":
    print(json.dumps(check(sys.argv[1])))
