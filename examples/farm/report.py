"""A page with the results of captures: one HTML file that needs nothing else."""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #c33; --good: #283; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem auto; padding: 0 1rem; max-width: 80rem; }
h1 { font-size: 1.4rem; } .wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .3rem .6rem; }
th { text-align: left; cursor: pointer; white-space: nowrap; } td.n { text-align: right; }
td img { max-height: 48px; display: block; image-rendering: pixelated; } .text { font-size: .85em; max-width: 40rem; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
@media (prefers-color-scheme: dark) { :root { --bad: #f88; --good: #8d8; } }
"""

# A click on a heading sorts by it; numbers as numbers.
SCRIPT = """
for (const [column, head] of [...document.querySelectorAll("th")].entries()) {
  head.onclick = () => {
    const body = document.querySelector("tbody");
    const down = head.dataset.down = head.dataset.down === "1" ? "0" : "1";
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => value(a).localeCompare(value(b), undefined, { numeric: true }) * (down === "1" ? 1 : -1);
    body.append(...[...body.rows].sort(order));
  };
}
"""

HEADS = ["", "Capture", "Status", "Machine", "Pictures", "Expected", "Hashes", "Faults", "Interpreter", "Compiled", "Worker"]


def cell(text: str, kind: str = "", value: str = "") -> str:
    extra = f' class="{kind}"' if kind else ""
    extra += f' data-value="{escape(value)}"' if value else ""
    return f"<td{extra}>{text}</td>"


def row(result: dict[str, Any]) -> str:
    path = Path(result["path"])
    image = f'<img alt="" src="data:image/png;base64,{result["png"]}">' if result["png"] else ""
    notes = "; ".join(filter(None, [result["text"], result["first_fault"]]))
    name = escape(f"{path.parent.name}/{path.stem}") + (f'<div class="text">{escape(notes)}</div>' if notes else "")
    status = "good" if result["status"] == "good" else "bad"
    cells = [
        cell(image),
        cell(name),
        cell(escape(result["status"]), status),
        cell(escape(result["machine"])),
        cell(str(result["pictures"]), "n"),
        cell(f"{result['expected'] - result['unexpected']} of {result['expected']}", "n"),
        cell(f"{result['hashes'] - result['wrong_hashes']} of {result['hashes']}", "n"),
        cell(str(result["faults"]), "n"),
        cell(f"{result['interp_seconds']:.2f} s", "n"),
        cell(f"{result['jit_seconds']:.2f} s", "n"),
        cell(escape(result["worker"])),
    ]
    return f"<tr>{''.join(cells)}</tr>"


def page(results: list[dict[str, Any]]) -> str:
    """The page; what is not good comes first."""
    counts = Counter(result["status"] for result in results)
    summary = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    order = sorted(results, key=lambda result: (result["status"] == "good", result["path"]))
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    seconds = sum(result["seconds"] for result in results)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Captures: {summary}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{len(results)} captures: {summary}</h1>
<p>{sum(result["pictures"] for result in results)} pictures on both tiers, {seconds:.0f} s of workers' time.</p>
<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>
{chr(10).join(map(row, order))}
</tbody></table></div>
<script>{SCRIPT}</script>
</body>
</html>
"""
