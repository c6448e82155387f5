"""The pages of the book in a browser: nothing is wider than the window, and tables fit.

The tests need what `.ci/book` makes in `target/book`, or in the folder of TRIGLYPH_BOOK, and a Chromium; without them
they say that they are skipped.
"""

import os
import shutil
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).resolve().parents[2]
BOOK = Path(os.environ.get("TRIGLYPH_BOOK", ROOT / "target/book"))
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PAGES = [page for page in sorted(BOOK.rglob("*.html")) if page.name not in ("print.html", "toc.html")]

# Pixels by which the page is wider than the window, and by which the widest table is wider than its place.
WIDER = """() => {
    const beyond = [...document.querySelectorAll(".table-wrapper")].map(table => table.scrollWidth - table.clientWidth);
    return [document.documentElement.scrollWidth - innerWidth, Math.max(0, ...beyond)];
}"""


@pytest.fixture(scope="module")
def browser():
    if not PAGES:
        pytest.skip(f"no book in {BOOK}")
    if not BROWSER:
        pytest.skip("no Chromium")
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width, most", [(1280, 0), (390, 260)])
def test_pages_fit(browser, width, most):
    window = browser.new_page(viewport={"width": width, "height": 900})
    wide = []
    for page in PAGES:
        window.goto(page.as_uri())
        of_page, of_tables = window.evaluate(WIDER)
        # The journal has tables of measurements with many columns.
        in_journal = page.parent.name == "journal"
        if of_page > 0 or of_tables > most and not in_journal:
            wide.append(f"{page.relative_to(BOOK)}: {of_page} pixels, tables {of_tables}")
    window.close()
    assert not wide, "\n".join(wide)
