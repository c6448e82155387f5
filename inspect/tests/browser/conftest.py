"""A browser, and pages of `triglyph inspect`, served and as files.

TRIGLYPH is the command, by default that of this checkout's release build; TRIGLYPH_BROWSER a Chromium, by default one
in the PATH; TRIGLYPH_SCREENSHOTS a folder that pictures of all views are kept in. What is missing skips the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
# The capture of each machine with the most events.
CAPTURES = {"3ds": "3ds/22-city", "ps3": "rsx/16-ffp", "tegra-x1": "tegra/24-dynamic"}
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def capture_path(name: str) -> Path:
    return ROOT / "tests" / "captures" / f"{name}.tgc"


@pytest.fixture(scope="session")
def command() -> str:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = os.environ.get("TRIGLYPH") or str(target / "release" / "triglyph")
    if not shutil.which(found):
        pytest.skip(f"no command {found}")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    names = [os.environ["TRIGLYPH_BROWSER"]] if "TRIGLYPH_BROWSER" in os.environ else BROWSERS
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no browser")
    with sync_playwright() as driver:
        # Root has no sandbox of its own in containers; the pages are ours.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("TRIGLYPH_SCREENSHOTS")
    path = Path(folder) if folder else tmp_path_factory.mktemp("screenshots")
    path.mkdir(parents=True, exist_ok=True)
    return path


class Pages:
    """Addresses of pages, each made when it is first asked for."""

    def __init__(self, command: str, folder: Path) -> None:
        self.command = command
        self.folder = folder
        self.found: dict[tuple[str, str], str] = {}
        self.servers: list[subprocess.Popen[str]] = []

    def address(self, name: str, form: str) -> str:
        if (name, form) not in self.found:
            self.found[name, form] = self.served(name) if form == "served" else self.file(name)
        return self.found[name, form]

    def served(self, name: str) -> str:
        arguments = [self.command, "inspect", str(capture_path(name))]
        server = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        self.servers.append(server)
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), address
        return address

    def file(self, name: str) -> str:
        page = self.folder / f"{name.replace('/', '-')}.html"
        arguments = [self.command, "inspect", str(capture_path(name)), "--html", str(page)]
        subprocess.run(arguments, check=True, stdout=subprocess.PIPE)
        return page.as_uri()


@pytest.fixture(scope="session")
def pages(command: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    pages = Pages(command, tmp_path_factory.mktemp("pages"))
    yield pages
    for server in pages.servers:
        server.kill()
        server.wait()


class Tab:
    """A page in the browser, and everything that it complains about."""

    def __init__(self, browser: Any, width: int, theme: str) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("requestfailed", lambda request: self.errors.append(f"failed: {request.url}"))

    def open(self, address: str) -> Any:
        self.page.goto(address)
        self.page.wait_for_selector('[role=option][aria-selected="true"]')
        self.settle()
        return self.page

    def settle(self) -> None:
        """Waits until nothing is loaded any more and the page has been drawn."""
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    opened: list[Tab] = []

    def make(width: int = 1280, theme: str = "light") -> Tab:
        opened.append(Tab(browser, width, theme))
        return opened[-1]

    yield make
    errors = [error for each in opened for error in each.errors]
    for each in opened:
        each.context.close()
    assert not errors, errors
