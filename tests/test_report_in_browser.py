"""The report in a real Chromium: it asks for nothing, complains of nothing, and fits a phone, a screen and paper.

What it looks like is kept in results/quick/screenshots.
"""

import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest

from spindle.output.files import write_whole
from spindle.sim.parameter import Described
from spindle.studies.claims.claims import Claim, Role
from spindle.studies.claims.verdicts import SeedCount, replicate, score
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.plots.curves import curve
from spindle.studies.plots.files import svg
from spindle.studies.report.report import Panel, SystemSection, write_report
from spindle.studies.run_book import RunBook
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "results" / "quick" / "screenshots"
MADE = sorted([*ROOT.glob("results/report*.html"), *ROOT.glob("results/quick/report*.html")])
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
PHONE, TABLET, SCREEN, PAPER = 390, 800, 1400, 673
"""Pixels; paper is what A4 has between its margins."""
LONG = "a sentence of a paper, long enough to be broken, with a_name_that_no_browser_will_break in its middle"
BOUNDS = ((0.5, 1.5), (2.0, 3.0), (0.99, 3.0))
"""Within which what is simulated, 1, holds, fails, and is undecided."""

TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
STICKING_OUT = """[...document.querySelectorAll('body *')]
    .filter(each => !each.parentElement.closest('.box, svg') && each.checkVisibility())
    .filter(each => each.getBoundingClientRect().right > innerWidth + 0.5 || each.getBoundingClientRect().left < -0.5)
    .map(each => `${each.tagName} ${each.className}: ${each.textContent.trim().slice(0, 60)}`)"""
CUT = """[...document.querySelectorAll('.box')]
    .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent.trim().slice(0, 60))"""
FOLDED = "[...document.querySelectorAll('details td')].filter(each => !each.checkVisibility()).length"

ASTRAY = """[...document.querySelectorAll('a[href^="#"]')].map(each => each.hash)
    .filter(hash => !document.getElementById(hash.slice(1))?.checkVisibility())"""
PLAY = "[...document.querySelectorAll('a.play')].map(each => each.href)"
NAMELESS = """[...document.querySelectorAll('table, figure svg')]
    .filter(each => !each.closest('[aria-label]') || !each.matches('svg[role=img], :has(thead th[scope=col])'))
    .map(each => each.outerHTML.slice(0, 60))"""


TOO_SMALL = """[...document.querySelectorAll('body *')].filter(each => each.checkVisibility())
    .filter(each => [...each.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
    .map(each => [each, parseFloat(getComputedStyle(each).fontSize)
        * (each.closest('svg') ? Math.hypot(each.getScreenCTM().a, each.getScreenCTM().b) : 1)])
    .filter(([each, size]) => size < 8.995)
    .map(([each, size]) => `${size.toFixed(1)}: ${each.textContent.trim().slice(0, 60)}`)"""


def skip_loudly(reason: str) -> NoReturn:
    warnings.warn(f"THE REPORT WAS NOT OPENED IN A BROWSER: {reason}", stacklevel=2)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip_loudly("playwright is missing; install it: .venv/bin/pip install -r requirements-dev.txt")
    found = os.environ.get("SPINDLE_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        skip_loudly("there is no Chromium; install it (Debian: sudo apt install chromium) or name it: SPINDLE_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])  # root has no sandbox
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with one of everything, and with words longer than a column is wide."""
    load = pd.DataFrame({"x": [1, 2, 3], "y": [1.0, 2.0, 4.0], "y_low": [0.9, 1.8, 3.0], "y_high": [1.1, 2.2, 5.0]})
    bars = pd.DataFrame({"run": ["cached", "not"], "cpu": [1.0, 1.0], "disc": [1.0, 3.0]})
    line = Panel(svg(curve(load, "x", "y", x_label="terminals", title="A curve in its band")), LONG)
    parts = Panel(svg(stacked_bars(bars, "run", {"cpu": "CPU", "disc": "disc"}, x_label="time, s")), "Discs wait.",
                  name="one/parts", made="spindle experiment one parts", play="hp3000?terminals=3")  # fmt: skip
    roles = [(role, low, high) for role in Role for low, high in BOUNDS]
    claims = [
        Claim("one", f"A{place}", "p", LONG, role, "sectors", 1.0, low, high, "e", "m", LONG)
        for place, (role, low, high) in enumerate(roles)
    ]
    book, study = RunBook(workers=1, progress=False), Study("e", [Runs(measure, UNTIMED)], measures=only, shows=LONG)
    frame = score(claims, [study], book, replicate([study], claims, book, SeedCount(2, 2)))
    sections = [
        SystemSection("one", f"A machine: {LONG}", "A paper", "How quick?", [*[line] * 3, parts], sensitivity=[line]),
        SystemSection("two", "Another machine", "A paper", "Why?"),
    ]
    parameters = {"one": [Described("a_parameter_with_a_long_name", 2097152, "bytes", "assumed", LONG)] * 3}
    path = tmp_path_factory.mktemp("report") / "made_up.html"
    write_report(path, sections, frame, parameters, {"command": "spindle report", "source": "0123456789abcdef" * 8})
    return path


def measure(seed: int) -> dict[str, float]:
    return {"m": 0.9 + 0.1 * seed / 1.5}


def only(rows: SeedRows) -> dict[str, float]:
    return {"m": rows.one()["m"]}


@pytest.fixture(params=["made_up.html", "made_up_one.html", *MADE], ids=lambda path: Path(path).name)
def report(request: pytest.FixtureRequest, made_up: Path) -> Path:
    """The first page and the page of a system, made up, and those that lie in results/."""
    return request.param if isinstance(request.param, Path) else made_up.with_name(request.param)


class Visit:
    """A page as a browser of some *width* shows it, what it *asked* for and what it *complained* of."""

    def __init__(self, browser: Any, path: Path, width: int) -> None:
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": 900})
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri(), wait_until="load")


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[[Path, int], Visit]]:
    visits: list[Visit] = []

    def visit(path: Path, width: int) -> Visit:
        visits.append(Visit(chromium, path, width))
        return visits[-1]

    yield visit
    for each in visits:
        each.page.close()


def kept(report: Path, what: str) -> Path:
    """Where a picture of *report* stays."""
    name = report.relative_to(ROOT / "results") if report.is_relative_to(ROOT) else Path(report.name)
    return KEPT / f"{'_'.join(name.with_suffix('').parts)}_{what}"


@pytest.mark.parametrize("width", [PHONE, TABLET, SCREEN])
def test_it_asks_for_nothing_complains_of_nothing_and_fits(
    report: Path, width: int, visit: Callable[[Path, int], Visit]
) -> None:
    seen = visit(report, width)
    page = seen.page
    write_whole(kept(report, f"{width}.png"), page.screenshot(full_page=True))
    assert (page.evaluate(FOLDED) > 0) == ("_" in report.stem.removeprefix("made_up"))
    assert (page.evaluate(TOO_WIDE), page.evaluate(STICKING_OUT)) == (0, [])
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert page.evaluate(FOLDED) == 0
    assert (page.evaluate(TOO_WIDE), page.evaluate(STICKING_OUT)) == (0, [])
    assert page.evaluate(TOO_SMALL) == []
    assert all(url.startswith("http://127.0.0.1:8047/play/#") for url in page.evaluate(PLAY))
    assert (page.evaluate(ASTRAY), page.evaluate(NAMELESS)) == ([], [])
    assert [url for url in seen.asked if url.partition("#")[0] != report.as_uri() and not url.startswith("data:")] == []
    assert seen.complaints == []


@pytest.mark.always
def test_a_search_leaves_the_figures_that_have_the_words(made_up: Path, visit: Callable[[Path, int], Visit]) -> None:
    page = visit(made_up, SCREEN).page
    page.click('nav a[href="#figures"]')
    figures = page.locator("#figures li")
    assert figures.first.is_visible()
    page.fill("#find", "discs wait")
    assert [each.is_visible() for each in figures.all()] == [True]
    page.fill("#find", "no such word")
    assert [each.is_visible() for each in figures.all()] == [False]
    assert visit(made_up.with_name("made_up_one.html"), SCREEN).page.locator(".insight li").count() == 3


def test_on_paper_everything_is_unfolded_and_nothing_is_cut(report: Path, visit: Callable[[Path, int], Visit]) -> None:
    page = visit(report, PAPER).page
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    write_whole(kept(report, "a4.pdf"), printed)
    assert len(re.findall(rb"/Type /Page\b", printed)) >= 2
    page.emulate_media(media="print")
    assert page.evaluate(FOLDED) == 0
    assert (page.evaluate(TOO_WIDE), page.evaluate(STICKING_OUT), page.evaluate(CUT)) == (0, [], [])


def test_a_page_that_is_none_of_this_is_found_out(tmp_path: Path, visit: Callable[[Path, int], Visit]) -> None:
    path = tmp_path / "bad.html"
    path.write_text(
        "<p style='width: 500px'>wide</p><p style='font-size: 8px'>small</p>"
        "<div class=box style='width: 50px'><table><td>too_long_to_fit</table></div>"
        "<a href='#nowhere'></a><img src='else.png'><script>throw Error('on purpose')</script>"
    )
    seen = visit(path, PHONE)
    assert seen.page.evaluate(TOO_WIDE) > 0
    assert seen.page.evaluate(STICKING_OUT) == ["P : wide"]
    assert seen.page.evaluate(CUT) == ["too_long_to_fit"]
    assert seen.page.evaluate(TOO_SMALL) == ["8.0: small"]
    assert seen.page.evaluate(ASTRAY) == ["#nowhere"]
    assert len(seen.page.evaluate(NAMELESS)) == 1
    assert [url.rpartition("/")[2] for url in seen.asked] == ["bad.html", "else.png"]
    assert any("on purpose" in each for each in seen.complaints)
