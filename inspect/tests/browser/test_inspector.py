"""The inspector in a browser: all views, by mouse and by keyboard, in light and dark, wide and narrow.

Views are found by their roles, so that new ones are visited, too. Any message on the console, exception or request that
fails is a failure of the test (`tab` in conftest.py).
"""

from __future__ import annotations

import io
import json
import random
import re
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import CAPTURES, Pages, Tab, capture_path

expect = pytest.importorskip("playwright.sync_api", reason="no playwright").expect

SELECTED = '[role=option][aria-selected="true"]'


def tabs_of(page: Any) -> list[Any]:
    """The tabs that choose between sections: those of narrow windows."""
    return [tab for tab in page.locator("[role=tab]:not(main [role=tab])").all() if tab.is_visible()]


def check_layout(page: Any) -> None:
    """Nothing is wider than the window."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window, f"the page has {width} pixels of {window}"


def panels_of(page: Any) -> list[Any]:
    """The tabs inside of sections."""
    return page.locator("main [role=tab]:visible").all()


def use_controls(page: Any, area: str = "main") -> None:
    """Everything that can be pressed or chosen and is seen in a part of the page, each twice, so that it is as before;
    but for the list, and for events in tables."""
    for button in page.locator(f"{area} button:visible:not([role=tab]):not(td button):not(.save)").all()[:40]:
        for _ in range(2):
            if button.is_visible() and button.is_enabled():
                button.click()
    for box in page.locator(f"{area} input[type=checkbox]:visible").all():
        box.click()
        box.click()
    for slider in page.locator(f"{area} input[type=range]:visible").all():
        slider.press("ArrowRight")
        slider.press("ArrowLeft")
    for choice in page.locator(f"{area} select:visible").all():
        for value in choice.locator("option").evaluate_all("(all) => all.map((one) => one.value)")[:12][::-1]:
            choice.select_option(value)


def light(page: Any) -> float:
    """How light the background is, 0 to 255."""
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    channels = [float(word) for word in re.findall(r"[\d.]+", color)[:3]]
    return sum(channels) / 3


# What controls do does not depend on the theme, nor do files on anything but where pictures come from: in two of the
# four looks controls are used, and files are opened.
USED = [(1280, "light"), (390, "dark")]
FORMS = [("served", width, theme) for width in (1280, 390) for theme in ("light", "dark")]
FORMS += [("file", *look) for look in USED]


@pytest.mark.parametrize("form, width, theme", FORMS)
@pytest.mark.parametrize("machine", CAPTURES)
def test_all_views(
    pages: Pages, tab: Any, screenshots: Path, machine: str, form: str, width: int, theme: str
) -> None:
    opened: Tab = tab(width, theme)
    page = opened.open(pages.address(CAPTURES[machine], form))
    assert (light(page) > 128) == (theme == "light")
    shown = set()
    for number in range(max(len(tabs_of(page)), 1)):
        name = "all"
        if tabs := tabs_of(page):
            name = tabs[number].inner_text()
            tabs[number].click()
            assert tabs[number].get_attribute("aria-selected") == "true"
        opened.settle()
        check_layout(page)
        parts = page.locator("main > section:visible")
        texts = parts.all_inner_texts()
        assert texts and any(text.strip() for text in texts)
        shown.update(parts.evaluate_all("(all) => all.map((one) => one.id)"))
        stem = f"{machine}-{form}-{width}-{theme}-{number}-{name.lower()}"
        page.screenshot(path=screenshots / f"{stem}.png")
        for panel in panels_of(page):
            panel.click()
            assert panel.get_attribute("aria-selected") == "true"
            opened.settle()
            check_layout(page)
            if (width, theme) in USED:
                use_controls(page, ".panel")
            page.screenshot(path=screenshots / f"{stem}-{panel.inner_text().lower().replace(' ', '-')}.png")
        if (width, theme) in USED:
            use_controls(page)
            opened.settle()
            check_layout(page)
    # Programs take the place of the other sections until they are closed.
    programs = page.locator("#programs-open")
    programs.click()
    opened.settle()
    check_layout(page)
    shown.update(page.locator("main > section:visible").evaluate_all("(all) => all.map((one) => one.id)"))
    page.screenshot(path=screenshots / f"{machine}-{form}-{width}-{theme}-programs.png")
    programs.click()
    everything = set(page.locator("main > section").evaluate_all("(all) => all.map((one) => one.id)"))
    assert shown == everything, f"never seen: {everything - shown}"


@pytest.mark.parametrize("machine", CAPTURES)
def test_pictures_are_drawn(pages: Pages, tab: Any, machine: str) -> None:
    """The picture of a late draw has more than one colour, and is another one than that of the first."""
    opened: Tab = tab()
    address = pages.address(CAPTURES[machine], "served")
    page = opened.open(address)
    draws = page.evaluate("data.events.flatMap((event, at) => event.kind === 'draw' ? [at] : [])")
    found = []
    for event in (draws[0], draws[len(draws) * 7 // 8]):
        page = opened.open(f"{address}#{event}")
        page.reload()
        opened.settle()
        assert page.locator(SELECTED).get_attribute("id") == f"event-{event}"
        found.append(page.evaluate(PIXELS))
    assert len(set(found[1])) > 1
    assert found[0] != found[1]


# The words of the picture that is shown.
PIXELS = """() => {
  const canvas = document.getElementById("picture");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [...new Uint32Array(data.buffer)];
}"""


@pytest.mark.parametrize("form", ["served", "file"])
def test_the_keyboard_does_everything(pages: Pages, tab: Any, form: str) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address(CAPTURES["3ds"], form))
    keys = page.keyboard

    def selected() -> int:
        return int(page.locator(SELECTED).get_attribute("id").split("-")[-1])

    start = selected()
    keys.press("j")
    keys.press("ArrowDown")
    assert selected() == start + 2 and page.url.endswith(f"#{start + 2}")
    keys.press("k")
    keys.press("ArrowUp")
    assert selected() == start
    keys.press("d")
    following = selected()
    assert following > start
    keys.press("Shift+D")
    assert selected() == start
    view = page.locator("[data-view][aria-pressed=true]").inner_text()
    keys.press("b")
    assert page.locator("[data-view][aria-pressed=true]").inner_text() != view
    before = light(page)
    keys.press("t")
    assert (light(page) > 128) != (before > 128)
    keys.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    keys.type("draw")
    rows = page.locator("[role=option]:visible")
    assert 0 < rows.count() < page.locator("[role=option]").count()
    assert all("draw" in text.lower() for text in rows.all_inner_texts()[:20])
    # Keys are words there, and commands again after Escape.
    assert selected() == start
    keys.press("Escape")
    keys.press("d")
    assert selected() == following
    opened.settle()
    # All controls can be reached by Tab.
    reached = set()
    for _ in range(60):
        keys.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.slice(0, 20)"))
    assert {"search", "canvas", "theme"} <= reached


@pytest.mark.parametrize("name", ["3ds/26-ribbons", "rsx/16-ffp", "rsx/10-stencil", "tegra/05-blend"])
def test_histories_are_those_of_whole_surfaces(pages: Pages, tab: Any, name: str) -> None:
    """Clicks on random pixels against the pictures before and after every event."""
    opened: Tab = tab()
    address = pages.address(name, "served")
    page = opened.open(address)
    canvas = page.evaluate(MOST_SHOWN)
    page.locator("#canvas").select_option(str(canvas))
    # As it is stored, so that places are those of the files.
    page.evaluate("turns.set(canvas, 0), drawPicture()")
    opened.settle()
    chance = random.Random(3)
    picture = page.locator("#picture")
    width, height = picture.evaluate("(canvas) => [canvas.width, canvas.height]")
    picture.scroll_into_view_if_needed()
    clicked = []
    for _ in range(200):
        x, y = chance.randrange(width), chance.randrange(height)
        scale = picture.bounding_box()["width"] / width
        page.evaluate("document.getElementById('pixel').textContent = ''")
        picture.click(position={"x": (x + 0.5) * scale, "y": (y + 0.5) * scale}, force=True)
        # The page allows no script that is a string, as waiting for a function would need.
        expect(page.locator("#pixel")).to_contain_text("Pixel (")
        found = re.search(r"\((\d+), (\d+)\)", page.locator("#pixel").inner_text())
        # Browsers round where a click is, and pictures need not begin at a whole pixel of the screen.
        place = [int(number) for number in found.groups()]
        assert abs(place[0] - x) <= 1 and abs(place[1] - y) <= 1
        clicked.append((place, page.locator("#history tbody tr").evaluate_all(ROWS)))
    # What the page shows there of each event that may have written the surface, before and after it.
    events = pictures_at(page, address, canvas, [place for place, _ in clicked])
    assert len(events) > 2
    concerned = 0
    for number, (place, rows) in enumerate(clicked):
        shown = {event: (before[number], after[number]) for event, before, after in events}
        wanted = {event: colors for event, colors in shown.items() if colors[0] != colors[1]}
        listed = {event: (before, after) for event, before, after in rows}
        for event, colors in wanted.items():
            assert event in listed, f"event {event} changed {place} and is not listed"
            assert listed[event] == tuple(color & 0xFFFFFF for color in colors)
        concerned += len(wanted)
    assert concerned > 100


def pictures_at(page: Any, address: str, canvas: int, places: list[Any]) -> list[Any]:
    """[event, colours before, colours after] at some places, of the events of the page that show a canvas, from the
    files that are served: browsers round colours that are not opaque."""
    image = pytest.importorskip("PIL.Image", reason="no Pillow")

    def colors(path: str) -> list[int]:
        with urllib.request.urlopen(address + path) as answer:
            pixels = image.open(io.BytesIO(answer.read())).convert("RGBA")
        return [int.from_bytes(bytes(pixels.getpixel(tuple(place))), "little") for place in places]

    shows = page.evaluate(SHOWS, canvas)
    return [[event, colors(before), colors(after)] for event, before, after in shows]


# The colours that most events show.
MOST_SHOWN = """() => {
  const colours = [...data.canvases.keys()].filter((at) => data.canvases[at].name.startsWith("colour"));
  const count = (at) => data.events.filter((event) => event.shows.some((show) => show.canvas === at)).length;
  return colours.reduce((best, at) => count(at) > count(best) ? at : best);
}"""

# [event, paths before, after] of the events of the page that show a canvas.
SHOWS = """(canvas) => data.events.flatMap((event, number) => {
  const show = event.shows.find((show) => show.canvas === canvas);
  return show ? [[number, show.before, show.after]] : [];
})"""

# [event, colour before, colour after] of the rows of a history, by the colours of the swatches.
ROWS = """(rows) => rows.map((row) => {
  const colors = [...row.querySelectorAll(".swatch")].map((swatch) => {
    const [r, g, b] = getComputedStyle(swatch).backgroundColor.match(/\\d+/g).map(Number);
    return r | g << 8 | b << 16;
  });
  return [Number(row.querySelector("button").textContent), colors[0], colors[1]];
})"""


@pytest.mark.parametrize("form", ["served", "file"])
def test_the_drawing_order_is_told_and_sorted(pages: Pages, tab: Any, form: str) -> None:
    """Draws in their order, sorted by what passed, and the event that is clicked; sums as those of the heat map."""
    opened: Tab = tab()
    page = opened.open(pages.address("rsx/10-stencil", form))
    draws = page.evaluate("data.events.flatMap((event, at) => event.kind === 'draw' ? [at] : [])")
    page.locator("#list").evaluate("(list, last) => document.getElementById('event-' + last).click()", draws[-1])
    page.locator("[data-panel=order]").click()
    page.locator("#panel-order select").nth(1).select_option("all")
    table = page.locator("#panel-order table").first
    expect(table).not_to_contain_text("?", timeout=60_000)
    opened.settle()
    heads = [text.split(" \u25b4")[0] for text in table.locator("th").all_inner_texts()]
    rows = [row.split("\t") for row in table.locator("tbody tr:not(.group)").all_inner_texts()]
    assert [int(row[0]) for row in rows] == draws
    passed = [int(row[heads.index("Passed")]) for row in rows]
    failed = [int(row[heads.index("Failed")]) for row in rows]
    assert sum(passed) > 1000 and sum(failed) > 1000
    assert any("stencil" in row[heads.index("Failed by")] for row in rows)
    for direction in ("ascending", "descending"):
        table.locator("th button", has_text="Passed").click()
        table = page.locator("#panel-order table").first
        assert table.locator("th").nth(heads.index("Passed")).get_attribute("aria-sort") == direction
        found = [int(row.split("\t")[heads.index("Passed")]) for row in table.locator("tbody tr").all_inner_texts()]
        assert found == sorted(passed, reverse=direction == "descending")
    assert page.locator("#panel-order h3").inner_text().startswith(f"Primitives of event {draws[-1]}")
    table.locator("td button").first.click()
    opened.settle()
    chosen = int(page.locator(SELECTED).get_attribute("id").split("-")[-1])
    assert passed[draws.index(chosen)] == max(passed)
    # The heat map of all events has the same sums.
    page.locator("#list").evaluate("(list, last) => document.getElementById('event-' + last).click()", draws[-1])
    page.locator("[data-panel=heat]").click()
    page.locator("#panel-heat select").nth(2).select_option("all")
    for what, expected in (("passed", sum(passed)), ("failed", sum(failed)), ("stencil", sum(failed))):
        page.locator("#panel-heat select").nth(1).select_option(what)
        opened.settle()
        expect(page.locator("#panel-heat .legend")).to_contain_text(f"; {expected} in all")


def test_passes_fold(pages: Pages, tab: Any) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address(CAPTURES["3ds"], "served"))
    rows = page.locator("[role=option]:visible")
    count = rows.count()
    heading = page.locator("#list .pass", has_text="400 draws").first
    assert "primitives" in heading.inner_text() and " ms" in heading.inner_text()
    page.keyboard.press("c")
    assert "folded" in heading.get_attribute("class") and rows.count() < count - 399
    # What is looked for is found in it.
    page.keyboard.press("/")
    page.keyboard.type("0x18300000")
    assert rows.count() > 800
    page.locator("#search").fill("")
    page.keyboard.press("Escape")
    heading.click()
    assert rows.count() == count


@pytest.mark.parametrize("width", [390, 1280])
def test_programs_stand_alone(pages: Pages, tab: Any, width: int) -> None:
    """Programs take the place of what was open, and a tab closes them."""
    opened: Tab = tab(width)
    page = opened.open(pages.address(CAPTURES["3ds"], "served"))
    sections = page.locator("main > section:visible")
    for part in tabs_of(page) or [None]:
        if part:
            part.click()
        page.locator("#programs-open").click()
        ids = sections.evaluate_all("(all) => all.map((one) => one.id)")
        assert ids == (["programs"] if width == 390 else ["events", "programs"])
        assert page.locator("#tabs [aria-selected=true]").count() == 0
        page.locator("#programs-open").click()
        assert "programs" not in sections.evaluate_all("(all) => all.map((one) => one.id)")
        if part:
            assert part.get_attribute("aria-selected") == "true"


def test_a_page_of_some_events(command: str, tab: Any, tmp_path: Path) -> None:
    """A part of a capture as a file, and an address that names an event."""
    page_file = tmp_path / "part.html"
    capture = capture_path("rsx/03-cubes")
    subprocess.run([command, "inspect", capture, "--html", page_file, "--events", "2..9"], check=True)
    opened: Tab = tab()
    page = opened.open(f"{page_file.as_uri()}#3")
    assert page.locator("[role=option]").count() == 7
    # Events have the numbers of the capture.
    assert page.locator("[role=option]").first.get_attribute("id") == "event-2"
    assert page.locator(SELECTED).get_attribute("id") == "event-3"


def choose(opened: Tab, event: int) -> None:
    """Selects an event, wherever it is in the list."""
    opened.page.evaluate("(number) => document.getElementById(`event-${number}`).click()", event)
    opened.settle()


def edited(page: str, edit: Callable[[dict[str, Any]], None]) -> str:
    """A page with other data."""
    before, data = page.split('id="data">')
    data, after = data.split("</script>", 1)
    values = json.loads(data)
    edit(values)
    return f"{before}id=\"data\">{json.dumps(values).replace('<', chr(92) + 'u003c')}</script>{after}"


def picture_size(page: Any) -> list[int]:
    return page.locator("#picture").evaluate("(canvas) => [canvas.width, canvas.height]")


# What panels say of events that limits have left out.
CUT = re.compile("left out of this page|are not in this file")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_that_is_cut_says_so(command: str, tab: Any, screenshots: Path, tmp_path: Path, width: int) -> None:
    """Events that limits leave nothing but a line in the list have no pictures of others."""
    page_file = tmp_path / "cut.html"
    arguments = [command, "inspect", capture_path("3ds/22-city"), "--html", page_file, "--size-limit", "1"]
    subprocess.run(arguments, check=True, stdout=subprocess.PIPE)
    opened: Tab = tab(width)
    page = opened.open(page_file.as_uri())
    complete, count = page.evaluate("[data.complete, data.events.length]")
    assert 2 < complete < count - 1
    text = f"of events from {complete} on are left out"
    assert text in page.locator("#left-out").text_content()
    last = page.evaluate("data.events.findLastIndex((event) => event.kind === 'draw')")
    for event in (complete - 1, complete, last):
        choose(opened, event)
        size = picture_size(page)
        assert (size[0] > 0 and size[1] > 0) == (event < complete), f"event {event}: {size}"
        assert (f"Pictures {text}" in page.locator("#form").text_content()) == (event >= complete)
        assert (f"Registers {text}" in page.locator("#details").text_content()) == (event >= complete)
        assert (page.locator("#words tbody tr").count() > 0) == (event < complete)
        page.locator("#programs-open").click()
        about = page.locator("#program-hash").inner_text()
        assert ("kernel" in about) == (event < complete)
        assert (f"Programs {text}" in about) == (event >= complete)
        page.screenshot(path=screenshots / f"cut-{width}-{event - complete}-programs.png")
        page.locator("#programs-open").click()
        if tabs := tabs_of(page):
            tabs[1].click()
        for panel in ("heat", "order", "pictures"):
            page.locator(f"[data-panel={panel}]").click()
            opened.settle()
            check_layout(page)
            if event >= complete:
                expect(page.locator(f"#panel-{panel}")).to_contain_text(CUT)
            elif panel != "order":
                # The pass of the last whole event goes on behind it.
                assert not CUT.search(page.locator(f"#panel-{panel}").inner_text()), panel
            page.screenshot(path=screenshots / f"cut-{width}-{event - complete}-{panel}.png")
    # Rows of the drawing order do not say that nothing changed.
    page.locator("[data-panel=order]").click()
    opened.settle()
    heads = page.locator("#panel-order table").first.locator("th").all_inner_texts()
    heads = [head.split(" \u25b4")[0] for head in heads]
    row = page.locator("#panel-order tbody tr.here").first.inner_text().split("\t")
    assert row[heads.index("Changed registers")] == "?" and row[heads.index("Time")] == "?"
    # A history is that of the events whose pictures are there.
    page.locator("[data-panel=pictures]").click()
    choose(opened, complete - 1)
    page.locator("#picture").click(position={"x": 5, "y": 5})
    expect(page.locator("#pixel")).to_contain_text(f"Pictures {text}")


@pytest.mark.parametrize("form", ["served", "file"])
def test_pictures_that_are_left_out_are_not_those_of_before(
    pages: Pages, tab: Any, tmp_path: Path, form: str
) -> None:
    """An event that may write a canvas and does not show it: a file has no picture of it, who serves is asked."""
    address = pages.address("rsx/10-stencil", form)
    with urllib.request.urlopen(address) as answer:
        text = answer.read().decode()
    found: list[int] = []

    def hide(values: dict[str, Any]) -> None:
        shows = [
            (number, show)
            for number, event in enumerate(values["events"])
            for show in event["shows"]
            if show["canvas"] == 0
        ]
        middle = len(shows) // 2
        number, show = shows[middle]
        values["events"][number]["shows"].remove(show)
        values["events"][number]["unshown"].append(0)
        found.extend([shows[middle - 1][0], number, shows[middle + 1][0]])

    page_text = edited(text, hide)
    opened: Tab = tab()
    if form == "served":
        # With the headers of the server, which allow nothing else either.
        is_page = re.compile(re.escape(address) + "$")
        opened.page.route(is_page, lambda route: route.fulfill(response=route.fetch(), body=page_text))
        page = opened.open(address)
    else:
        (tmp_path / "page.html").write_text(page_text)
        page = opened.open((tmp_path / "page.html").as_uri())
    for event, is_shown in zip(found, (True, form == "served", True)):
        choose(opened, event)
        page.locator("#canvas").select_option("0")
        opened.settle()
        size = picture_size(page)
        assert (size[0] > 0) == is_shown, f"event {event}: {size}"
        assert ("pictures of it are left out" in page.locator("#form").text_content()) != is_shown
    if form == "served":
        assert page.evaluate("(at) => showOf(at, 0).after", found[1]) == f"picture/{found[1]}/0/after"
    else:
        page.locator("#picture").click(position={"x": 5, "y": 5})
        expect(page.locator("#pixel")).to_contain_text("1 event may have, whose pictures of it are left out")


@pytest.mark.parametrize("status, words", [(503, "stopped at its time limit"), (429, "too many connections")])
def test_refusals_are_shown_where_answers_would_be(
    pages: Pages, tab: Any, screenshots: Path, status: int, words: str
) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address("rsx/10-stencil", "served"))
    draws = page.evaluate("data.events.flatMap((event, at) => event.kind === 'draw' ? [at] : [])")
    kinds = "history|programs|trace|heat|order|primitives|inputs|constants|picture|memory|thumbnail"
    asked = re.compile(f"/(({kinds})/|resources)")
    page.route(asked, lambda route: route.fulfill(status=status))
    text = f"No answer: the server has {words}"
    page.locator("#picture").click(position={"x": 5, "y": 5})
    expect(page.locator("#pixel")).to_contain_text(text)
    assert page.locator("#history tbody tr").count() == 0
    assert "changed" not in page.locator("#pixel").inner_text()
    choose(opened, draws[-1])
    expect(page.locator("#form")).to_contain_text(text)
    assert picture_size(page) == [0, 0]
    page.screenshot(path=screenshots / f"refused-{status}-pictures.png")
    page.locator("#programs-open").click()
    expect(page.locator("#program-hash")).to_contain_text(text)
    page.locator("#run-form button").click()
    expect(page.locator("#run-count")).to_contain_text(text)
    page.screenshot(path=screenshots / f"refused-{status}-programs.png")
    page.locator("#programs-open").click()
    for panel in page.locator("#panels [data-panel]").evaluate_all("(all) => all.map((one) => one.dataset.panel)")[1:]:
        page.locator(f"[data-panel={panel}]").click()
        expect(page.locator(f"#panel-{panel}")).to_contain_text(text)
        page.screenshot(path=screenshots / f"refused-{status}-{panel}.png")
    # What was refused is asked for again.
    page.unroute(asked)
    page.locator("[data-panel=pictures]").click()
    choose(opened, draws[0])
    choose(opened, draws[-1])
    expect(page.locator("#form")).not_to_contain_text(text)
    assert picture_size(page)[0] > 0
    # The browser itself says which requests failed; nothing else went wrong.
    known = re.compile(f"status of {status}|^failed: http.*{asked.pattern}")
    assert all(known.search(error) for error in opened.errors), opened.errors
    opened.errors.clear()


def test_comparisons_say_what_they_leave_out(pages: Pages, tab: Any, tmp_path: Path) -> None:
    with urllib.request.urlopen(pages.address("rsx/10-stencil", "file")) as answer:
        text = answer.read().decode()

    def compare(values: dict[str, Any]) -> None:
        left_out = ["<b>Some</b> memory is not compared."]
        values["comparison"] = {"other": "another", "has_pictures": False, "first": None, "left_out": left_out}

    (tmp_path / "page.html").write_text(edited(text, compare))
    opened: Tab = tab()
    page = opened.open((tmp_path / "page.html").as_uri())
    said = page.locator("#comparison").inner_text()
    assert "no event differs as far as they were compared" in said
    assert "<b>Some</b> memory is not compared." in said


def draw_of(page: Any, part: float) -> int:
    """A draw of the page with primitives, so far from the first to the last."""
    draws = page.evaluate("data.events.flatMap((event, at) => event.draw?.primitives > 0 ? [at] : [])")
    return draws[int(len(draws) * part)]


def test_pictures_are_turned_and_saved(pages: Pages, tab: Any, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="no Pillow")
    opened: Tab = tab()
    page = opened.open(pages.address(CAPTURES["3ds"], "served"))
    page.evaluate(f"select({draw_of(page, 0.4)})")
    opened.settle()
    size = "[document.getElementById('picture').width, document.getElementById('picture').height]"
    # A screen lies on its side in memory.
    assert page.evaluate(size) == [400, 240]
    page.locator("#picture").hover(position={"x": 40, "y": 30})
    expect(page.locator("#under")).to_contain_text("stored at (")
    expect(page.locator("#under")).to_contain_text("[")
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(tmp_path / "picture.png")
    assert image.open(tmp_path / "picture.png").size == (400, 240)
    page.locator("#rotate").click()
    opened.settle()
    assert page.evaluate(size) == [240, 400]
    page.keyboard.press("f")
    opened.settle()
    assert page.locator("#picture").bounding_box()["width"] == 240


@pytest.mark.parametrize("machine", CAPTURES)
def test_overlays_are_painted(pages: Pages, tab: Any, screenshots: Path, machine: str) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address(CAPTURES[machine], "served"))
    page.evaluate(f"select({draw_of(page, 0.6)})")
    opened.settle()
    for number in range(5):
        page.locator("#overlay").select_option(str(number))
        expect(page.locator("#overlay-text")).to_contain_text("pixel", timeout=60_000)
        opened.settle()
        text = page.locator("#overlay-text").inner_text()
        color = page.evaluate(f"OVERLAYS[{number}][2]")
        painted = sum(word & 0xFFFFFF == int.from_bytes(bytes(color), "little") for word in page.evaluate(PIXELS))
        count = int(re.search(r": (\d+) pixel", text).group(1))
        assert count == 0 or painted > 0, text
        assert number > 1 or count > 0, text
    page.locator("#overlay").select_option("1")
    opened.settle()
    page.screenshot(path=screenshots / f"{machine}-overlay.png")


def test_resources_lead_to_memory(pages: Pages, tab: Any) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address("tegra/06-mipmap", "served"))
    page.locator("[data-panel=resources]").click()
    expect(page.locator("#panel-resources")).to_contain_text("resources.")
    page.get_by_label("Kind of resource").select_option("texture")
    row = page.locator("#panel-resources tbody tr").first
    place = row.locator("button").first.inner_text()
    row.locator("button").first.click()
    expect(page.locator("#panel-memory pre")).to_contain_text(place[2:].rjust(8, "0"))
    expect(page.locator("#panel-memory")).to_contain_text("texture")


def test_an_event_is_drawn_again(pages: Pages, tab: Any, screenshots: Path) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address("rsx/03-cubes", "served"))
    page.evaluate(f"select({draw_of(page, 0.5)})")
    page.locator("[data-panel=edit]").click()
    opened.settle()
    choice = page.get_by_label("Register or instruction")
    labels = choice.locator("option").all_inner_texts()
    choice.select_option(label=next(label for label in labels if label.lower() == "set_color_mask"))
    page.get_by_label("New words, hexadecimal").fill("0")
    page.get_by_role("button", name="Add edit").click()
    page.get_by_role("button", name="Draw again").click()
    text = page.locator("#panel-edit [role=status]")
    expect(text).to_contain_text("other than before", timeout=60_000)
    assert "draw the same" in text.inner_text()
    assert int(re.search(r": (\d+) pixel", text.inner_text()).group(1)) > 0
    opened.settle()
    page.screenshot(path=screenshots / "edit.png")


@pytest.mark.parametrize("form", ["served", "file"])
def test_frames_and_thumbnails(pages: Pages, tab: Any, form: str) -> None:
    opened: Tab = tab()
    page = opened.open(pages.address(CAPTURES["3ds"], form))
    frames = page.locator("#list li.frame")
    assert frames.count() == page.evaluate("data.frames.length") > 0
    expect(page.locator("#list canvas[data-made]").first).to_be_visible(timeout=60_000)
    shown = page.locator("[role=option]:visible").count()
    frames.first.click()
    assert page.locator("[role=option]:visible").count() < shown
    frames.first.click()
    assert page.locator("[role=option]:visible").count() == shown
