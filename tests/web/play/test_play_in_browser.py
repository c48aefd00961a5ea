"""The page in a real Chromium: its runs equal native ones, and it can be stopped, shared, mistaken, and used by all.

What it looks like is kept in results/quick/screenshots.
"""

import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest

from spindle.models.hp3000.system import TepeScripts
from spindle.output.files import write_whole
from spindle.sim.error import UserError
from spindle.systems import PLAYED, find_system
from spindle.web.play.described import describe
from spindle.web.play.first import first_results
from spindle.web.play.npm import NpmPackage, files_of
from spindle.web.play.pages import write_packages, write_pages
from spindle.web.play.server import address, server
from spindle.web.play.worker import compute, film
from tests.models.one_run import RUNS
from tests.test_report_in_browser import (
    KEPT,
    PHONE,
    SCREEN,
    STICKING_OUT,
    TABLET,
    TOO_SMALL,
    TOO_WIDE,
    chromium,
    skip_loudly,
)
from tests.web.play.test_play_first import SHORTER

__all__ = ["chromium"]
AXE = NpmPackage(
    "axe-core", "4.14.1",
    "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==", "MPL-2.0",
    {"axe.min.js": "axe.min.js"},
)  # fmt: skip
GENEROUS = 90.0
"""Seconds that anything may take on a machine that does much else."""
SHORT = "minutes=30s&warm_up=0"
FOUR = f"hp3000?{SHORT}&vary=terminals&values=2,4&seeds=2"
ENDLESS_FILM = {"system": "hp3000", "given": {"minutes": "900000"}, "window": "900000s:1s"}
RESTLESS = """\
SCRIPT RESTLESS
TERMINALS 9
TYPING 4 CPS
BAUD 9600
RUN ORDERS
LOOP
  THINK 0.00001
END
"""
WATCHED = f"{FOUR}&watch=4&window=10s:5s"
BUILT = "machine?terminals=4&drives=2&minutes=30s&warm_up=6s&window=10s:5s"
ONE = "unix_stdio?seconds=1s&program=w03"
WINDOWS = {"hp3000": "60s:1s", "max_iv": "90s:2s", "windows_nt": "2s:2s", "unix_stdio": "0:0.05", "sata_ncq": "0:0.05"}
OTHERS = [
    ("hp3000", {"terminals": "40", "clerks": "30", "caching": "false", "minutes": "1", "warm_up": "0"}),
    ("max_iv", {"users": "6", "minutes": "2", "warm_up": "0", "code": "write-back", "rules": "marks-cached"}),
    ("windows_nt", {"probe": "workloads/probe/sequential_update.scr", "seconds": "4", "beside": "server"}),
    ("unix_stdio", {"program": "w06", "machine": "virtual-2026"}),
    ("sata_ncq", {"requests": "1000", "cache": "256KiB", "policy": "lecar"}),
    ("sata_ncq", {"requests": "500", "load": "smalldiskmon", "timed": "true"}),
    ("hp3000", {"terminals": "9", "scheduler": "sptf", "hit_cpu": "2ms", "minutes": "1", "warm_up": "0"}),
]
SERIOUS = "axe.run().then(found => found.violations.filter(each => ['serious', 'critical'].includes(each.impact)))"


@cache
def axe() -> str:
    return files_of(AXE)["axe.min.js"].decode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page, which is made and served."""
    folder = tmp_path_factory.mktemp("play")
    try:
        write_packages(folder)
        described = describe([SHORTER, *(find_system(name) for name in PLAYED if name != SHORTER.name)], {})
        write_pages(folder, {**described, "first": {"hp3000": first_results(folder, SHORTER)}})
    except UserError as error:
        skip_loudly(str(error))
    with server(folder, folder, 0) as serving:
        Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        yield address(serving)
        serving.shutdown()


class Playing:
    """The page at *place* in a window, what it *asked* for and what it *complained* of."""

    def __init__(self, browser: Any, place: str, words: str) -> None:
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.place = place
        self.page = browser.new_page(viewport={"width": SCREEN, "height": 900})
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(f"{place}#{words}")
        self.until(lambda: self.page.evaluate("typeof page === 'object'"))

    def text(self, name: str) -> str:
        return str(self.page.text_content(f"#{name}"))

    def until(self, met: Callable[[], object]) -> None:
        """Waits in Python: the page lets nobody evaluate words, not even a test."""
        end = time.monotonic() + GENEROUS
        while not met():
            assert time.monotonic() < end, (self.text("status"), self.text("trouble"), self.complaints)
            self.page.wait_for_timeout(30)

    def open(self, words: str) -> None:
        """The same page with other words behind # in its address; nothing of before is left."""
        self.page.evaluate("words => { history.replaceState(null, '', `#${words}`); page.open(location.hash) }", words)

    def compute(self, words: str, runs: int) -> None:
        """What was computed before may have ended with the same words, but its runs are gone."""
        self.open(words)
        self.until(lambda: self.count() == runs and self.text("status") == f"{runs} of {runs} runs: done.")

    def watch(self, words: str) -> None:
        self.open(words)
        self.until(lambda: self.page.evaluate("page.watch.picture !== null"))

    def count(self) -> int:
        """Runs that are done and drawn."""
        return int(self.page.evaluate("page.runs.flatMap(each => each.points).flat().length"))


@pytest.fixture(scope="module")
def playing(chromium: Any, place: str) -> Iterator[Playing]:
    each = Playing(chromium, place, FOUR)
    yield each
    each.page.close()


def test_curves_grow_and_nothing_is_asked_of_another_host(playing: Playing) -> None:
    playing.open(FOUR)
    playing.until(lambda: playing.count() >= 1)
    playing.until(lambda: playing.count() == 4 and playing.text("status") == "4 of 4 runs: done.")
    assert playing.page.evaluate("page.runs[0].points.map(rows => rows.map(row => row.seed).sort())") == [[1, 2]] * 2
    assert playing.page.locator("#curve-0 canvas").count() == 1
    assert playing.page.locator("#bars tbody tr").count() == 2
    assert playing.text("command") == ("spindle sweep hp3000 --minutes 30s --warm-up 0 --terminals 2,4 "
                                       "--seeds 2")  # fmt: skip
    assert [url for url in playing.asked if not url.startswith((playing.place, "data:", "blob:"))] == []
    assert playing.complaints == []


@pytest.mark.always
def test_stored_results_are_shown_at_once_and_a_run_takes_their_place(chromium: Any, place: str) -> None:
    playing = Playing(chromium, place, "")
    assert playing.count() == 6
    assert playing.text("stored").startswith(f"Stored results, computed by the same Python when this page was made "
                                             f"(models {SHORTER.models})")  # fmt: skip
    assert playing.page.locator("#curve-0 canvas").count() == 1
    assert playing.text("command").startswith("spindle sweep hp3000 --minutes 30s")
    assert playing.page.locator("#measure-0 option").first.text_content() != "response_mean"
    playing.page.select_option("#seeds", "1")
    playing.page.fill("#values", "2, 4")
    playing.page.fill("#set-minutes", "30s")
    playing.page.fill("#set-warm_up", "0")
    playing.page.click("#go")
    playing.until(lambda: playing.text("status") == "2 of 2 runs: done.")
    assert playing.count() == 2
    assert not playing.page.is_visible("#stored")
    assert playing.complaints == []
    playing.page.close()


def test_a_run_stands_beside_the_one_before(playing: Playing) -> None:
    playing.compute(FOUR, 4)
    playing.page.uncheck("#set-caching")
    playing.page.click("#go")
    playing.until(lambda: playing.count() == 8)
    assert playing.page.locator("#legend li").all_text_contents() == ["caching true", "caching false"]


def test_a_machine_is_built_from_parts_and_saved_as_a_file(playing: Playing) -> None:
    page, short = playing.page, {"terminals": "4", "minutes": "30s", "warm_up": "6s"}
    playing.compute("machine?terminals=4&minutes=30s&warm_up=6s", 1)
    page.fill("#set-drives", "2")
    page.select_option("#set-policy", "s3-fifo")
    page.click("#go")
    playing.until(lambda: playing.count() == 2)
    request = {"system": "machine", "given": {**short, "drives": "2", "policy": "s3-fifo"}}
    built = json.loads(compute(json.dumps(request)))
    assert page.evaluate("page.last.digest") == built["digest"]
    assert page.evaluate("page.last.shown.drive2_busy")
    assert page.locator("#legend li").all_text_contents() == ["drives 1, policy lru", "drives 2, policy s3-fifo"]
    assert playing.text("written-command") == "spindle run machine.py"
    with page.expect_download() as saving:
        page.click("#save-file")
    assert saving.value.suggested_filename == "machine.py"
    assert 'policy: PolicyForm = "s3-fifo"' in Path(saving.value.path()).read_text("utf-8")
    page.fill("#set-drives", "none")
    playing.until(lambda: playing.text("trouble"))
    assert playing.text("trouble") == "drives must be a whole number, not 'none'"
    assert not page.is_visible("#written")
    assert playing.complaints == []


@pytest.mark.parametrize(("words", "width"), [(WATCHED, SCREEN), (WATCHED, PHONE), (BUILT, TABLET), (BUILT, PHONE)])
def test_it_fits_and_everybody_can_use_it(playing: Playing, words: str, width: int) -> None:
    playing.watch(words)
    page = playing.page
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("page.watch.picture.play(false); page.watch.picture.go(12e9)")
    page.evaluate("document.querySelectorAll('.results > details').forEach(each => { each.open = true })")
    playing.until(lambda: page.evaluate(TOO_WIDE) == 0)
    write_whole(KEPT / f"play_{words.partition('?')[0]}_{width}.png", page.screenshot(full_page=True))
    assert (page.evaluate(STICKING_OUT), page.evaluate(TOO_SMALL)) == ([], [])
    page.evaluate(f"{axe()}; 0")
    assert [(each["id"], each["nodes"][0]["html"]) for each in page.evaluate(SERIOUS)] == []
    page.set_viewport_size({"width": SCREEN, "height": 900})


def test_runs_of_every_machine_equal_native_ones_to_the_last_digit(playing: Playing) -> None:
    short = [(name, {key: str(value) for key, value in RUNS[name].items()}) for name in PLAYED]
    requests = [{"system": name, "given": given} for name, given in (*short, *OTHERS)]
    ask = "all => Promise.all(all.map(each => page.pool.ask('compute', each).then(row => row.digest ?? row.error)))"
    native = [json.loads(compute(json.dumps(each)))["digest"] for each in requests]
    assert playing.page.evaluate(ask, requests) == native
    assert len(native) == len(PLAYED) + len(OTHERS)


def test_films_of_every_machine_equal_native_ones(playing: Playing) -> None:
    requests = [{"system": name, "given": {key: str(value) for key, value in RUNS[name].items()}, "window": window}
                for name, window in WINDOWS.items()]  # fmt: skip
    ask = "all => Promise.all(all.map(each => page.pool.ask('film', each)))"
    films = [json.loads(film(json.dumps(each))) for each in requests]
    assert playing.page.evaluate(ask, requests) == films
    assert ["film" in each for each in films] == [True] * len(WINDOWS)


def test_what_is_watched_is_of_the_run_and_is_shared(playing: Playing) -> None:
    playing.watch(WATCHED)
    page = playing.page
    assert page.evaluate("[page.watch.picture.film.begin, page.watch.picture.film.end]") == [10e9, 15e9]
    assert page.evaluate("page.watch.picture.film.people.length") == 4
    assert playing.text("watch-command").endswith("--terminals 4 --html moving.html --window 10s:5s")
    page.click("#share")
    assert page.evaluate("location.hash.slice(1)") == WATCHED
    page.fill("#watch-begin", "4min")
    page.press("#watch-begin", "Enter")
    playing.until(lambda: playing.text("trouble"))
    assert playing.text("trouble") == "the run is over after 30 s, and the moving picture would begin at 240 s"
    page.click("#clear")
    assert not page.is_visible("#watch")
    assert playing.complaints == []


def test_what_would_never_end_is_stopped_and_the_next_run_goes_on(playing: Playing) -> None:
    page = playing.page
    playing.open(f"hp3000?minutes=900000&script={quote(json.dumps({'a.tepe': RESTLESS}))}")
    playing.until(lambda: page.evaluate("page.pool.computing") == 1)
    page.evaluate("request => { page.pool.ask('film', request).catch(() => { page.filmed = false }) }", ENDLESS_FILM)
    page.click("#stop")
    assert (playing.text("status"), page.evaluate("page.pool.computing")) == ("Stopped.", 0)
    assert page.evaluate("page.filmed") is False
    playing.compute("unix_stdio?seconds=1s&program=w03&vary=block&values=1,16", 2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("hp30", "There is no machine “hp30”; there are hp3000, buffer_pool, kv_cache"),
        ("hp3000?terminal=3", "unknown setting 'terminal': did you mean"),
        ("hp3000?hit_cpu=40", "hit_cpu must be positive and at most 10, not 40.0"),
        ("hp3000?terminals=0", "terminals must be between 1 and 10000, not 0"),
        ("hp3000?vary=terminals&values=", "terminals must take 1 to 40 values, not 0"),
        ("hp3000?vary=nothing_such&values=1", "unknown setting 'nothing_such': did you mean"),
        ("hp3000?seeds=1000", "seeds must be a whole number from 1 to 10, not 1000."),
        ("hp3000?script={", "The script in the address cannot be read."),
        (f"hp3000?script={quote(json.dumps({'a.tepe': 'DANCE'}))}", "a.tepe, line 1:"),
        (f"{ONE}&window=soon", "the window takes BEGIN:SECONDS, as 2min:30s, not 'soon"),
        (f"{ONE}&window=0:1e9", "a moving picture lasts more than 0 and at most 3600 s, not 1000000000.0"),
        (f"{ONE}&window=2h:1", "the run is over after 36.0013 s, and the moving picture would begin at 7200 s"),
        (f"{ONE}&vary=block&values=1,16&watch=2", "watch must be one of 1, 16, not 2."),
        ("<script>alert(1)</script>", "There is no machine “<script>alert(1)</script>”"),
    ],
)
def test_an_address_that_means_nothing_gets_a_sentence(words: str, says: str, playing: Playing) -> None:
    playing.open(words)
    playing.until(lambda: playing.text("trouble").startswith(says))
    assert playing.complaints == []


def test_a_script_is_checked_while_it_is_written(playing: Playing) -> None:
    playing.open("hp3000?minutes=1&warm_up=0&terminals=2")
    playing.page.select_option("#shipped", "orders_21.tepe")
    playing.until(lambda: playing.text("checked") == "The script is right.")
    lines = TepeScripts().shipped_files()["orders_21.tepe"]["orders_21.tepe"].splitlines()
    playing.page.fill("#text", "\n".join([*lines[:4], "  DANCE", *lines[4:]]))
    playing.until(lambda: playing.text("checked").startswith("orders_21.tepe, line 5, column 3: "))
    assert playing.page.locator("#numbers .wrong").text_content() == "5"


def test_what_is_shared_is_found_again(playing: Playing) -> None:
    playing.open(f"max_iv?{SHORT}&users=1")
    playing.page.fill("#set-sectors", "64")
    playing.page.select_option("#set-policy", "fifo")
    playing.page.click("#share")
    words = playing.page.evaluate("location.hash")
    assert words == "#max_iv?users=1&sectors=64&minutes=30s&warm_up=0&policy=fifo"
    playing.open("hp30")
    playing.until(lambda: playing.text("trouble"))
    playing.compute(words.removeprefix("#"), 1)
    assert playing.page.input_value("#set-sectors") == "64"
    assert playing.text("command") == ("spindle run max_iv --users 1 --sectors 64 --minutes 30s --warm-up 0 "
                                       "--policy fifo")  # fmt: skip


def test_a_browser_without_workers_is_told(chromium: Any, place: str) -> None:
    page = chromium.new_page()
    page.add_init_script("delete window.Worker")
    page.goto(place)
    page.get_by_text("This browser has no workers").wait_for()
    assert "This browser has no workers" in page.text_content("#trouble")
    page.close()


def test_a_page_that_is_opened_as_a_file_says_what_to_type(chromium: Any, place: str) -> None:
    page = chromium.new_page()
    page.goto((Path(__file__).parents[3] / "spindle/web/play/page/index.html").as_uri())
    assert "spindle play" in page.text_content("#trouble")
    page.close()
