"""Films by hand: what is held of slices and levels, queues of a small drive, windows, and the words of a page."""

from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from types import SimpleNamespace
from typing import Any, cast

import pytest
import simpy

from spindle.machine.start import run
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Scan
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.error import UserError
from spindle.sim.request import READ, access
from spindle.sim.units import MS
from spindle.web.moving.film import PAGE_FOLDER, PAGE_SCRIPTS, FilmEnds, FilmTrace, moving_page
from spindle.web.moving.film_replay import FilmedReplay
from spindle.web.moving.filming import (
    Filmed,
    FilmedStorage,
    check,
    close_film,
    drawn_queue,
    film_queue,
    film_run,
    queue_at,
    read_window,
)

SMALL = DiscType("a small drive", uniform(10, 1, 4, 512), 6000, LinearSeek(2 * MS, 10 * MS, 10))
"""Four sectors on each of ten cylinders; it turns in 10 ms."""


def test_slices_lie_within_each_other_and_have_their_notes() -> None:
    trace = FilmTrace(10, 100)
    outer, inner = trace.track("drive"), trace.track("arm", 1)
    level = trace.counter("queue", "requests", 1)
    assert (outer, inner, level) == (1, 2, 3)
    trace.begin(outer, "request", 20, [("for", "one")])
    trace.begin(outer, "seek", 30)
    trace.end(outer, 40)
    trace.end(outer, 50)
    trace.value(level, 10, 7)
    trace.value(level, 100, 8)
    trace.value(level, 101, 9)
    film = trace.film("title", 100, "a note")
    assert film == {"title": "title", "note": "a note", "begin": 10, "end": 100, "tracks": [
        {"name": "drive", "parent": 0, "rows": [[30, 40, 1, "seek"], [20, 50, 0, "request", {"for": "one"}]]},
        {"name": "arm", "parent": 1, "rows": []},
        {"name": "queue", "parent": 1, "rows": [[10, 7], [100, 8]], "unit": "requests"}]}  # fmt: skip
    plain = FilmTrace(0, 1)
    plain.counter("queue", "requests")
    assert plain.film("", 1)["tracks"] == [{"name": "queue", "parent": 0, "rows": [], "unit": "requests"}]
    assert (plain.film("", 1)["note"], plain.now()) == ("", 0)


def test_a_run_is_ended_at_the_end_of_its_film_and_not_before() -> None:
    trace = FilmTrace(0, 100, stops=True)
    level, now = trace.counter("level", "bytes"), 99
    trace.now = lambda: now
    trace.value(level, 99, 1)
    now = 100
    with pytest.raises(FilmEnds):
        trace.value(level, 100, 2)


@pytest.mark.parametrize(("name", "begin", "end", "held"), [
    ("seek", 0, 10, False), ("move", 0, 10, True), ("seek", 9, 11, True), ("seek", 99, 110, True),
    ("seek", 100, 110, False), ("move", 100, 110, False), ("move", 0, 5, True),
])  # fmt: skip
def test_a_slice_is_held_if_some_of_it_is_shown_and_the_last_move_before(
    name: str, begin: int, end: int, held: bool
) -> None:
    trace = FilmTrace(10, 100)
    track = trace.track("arm")
    trace.begin(track, name, begin)
    trace.end(track, end)
    assert trace.film("", 100)["tracks"][0]["rows"] == ([[begin, end, 0, name]] if held else [])


def test_a_queue_is_drawn_from_all_sectors_by_its_seed() -> None:
    places = drawn_queue(SMALL, 500, 3)
    assert {place % 512 for place in places} == {0}
    assert {place // 512 for place in places} == set(range(40))
    assert len(drawn_queue()) == 20
    assert drawn_queue()[:4] == [1162240, 107520, 434688, 281088], "a page that was shown is shown again"
    assert drawn_queue() == drawn_queue(seed=1) != drawn_queue(seed=2)
    for requests in (0, 501):
        with pytest.raises(UserError, match=f"requests must be 1 to 500, not {requests}"):
            drawn_queue(SMALL, requests)


def test_cylinders_are_their_first_bytes() -> None:
    assert queue_at([0, 9, 3, 3], SMALL) == [0, 9 * 2048, 3 * 2048, 3 * 2048]
    assert len(queue_at([1] * 500)) == 500


def test_a_queue_in_order_of_arrival_moves_the_arm_from_the_head() -> None:
    """From cylinder 2 to 5, to 1 and back to 5: 3, 4 and 4 cylinders; the film ends with the last."""
    film, (served,) = film_queue(queue_at([5, 1, 5], SMALL), SMALL, {"one": Fcfs}, head=2)
    assert (served.order, served.visited, served.cylinders) == ("one", (5, 1, 5), 11)
    assert (film["title"], film["note"], film["begin"]) == ("3 requests, 1 orders: a small drive", "", 0)
    assert film["end"] == round(served.seconds * 1e9)
    assert {track["rows"][0][0] for track in film["tracks"]} == {0}
    seeks = 3 * 2 + 8 * ((3 - 1) + 2 * (4 - 1)) / 8
    assert seeks < served.seconds * 1e3 < seeks + 3 * (10 + 2.5) + 0.1
    assert film_queue(queue_at([5, 1], SMALL), SMALL, {"one": Fcfs})[1][0].cylinders == 9, "from cylinder 0"
    two = replace(SMALL, layout=uniform(10, 2, 4, 512), head_switch=1 * MS)
    assert film_queue([0], two, {"one": Fcfs})[1][0].seconds == pytest.approx(0.0025), "from head 0, which passes it"
    names = {track["name"] for track in film["tracks"]}
    assert "one" in names
    told = {row[4]["for"] for track in film["tracks"] if track["name"] == "one" for row in track["rows"] if row[2] == 0}
    assert told == {"request 1", "request 2", "request 3"}
    with pytest.raises(UserError, match="there is no cylinder 10"):
        film_queue([0], SMALL, head=10)


@pytest.mark.parametrize(("now", "full", "end", "note"), [
    (60, False, 60, ""), (200, False, 100, ""),
    (100, True, 100, "So much happens here that the picture ends after 9e-08 s: it holds 1,000 slices and values"),
])  # fmt: skip
def test_a_film_ends_with_its_run_its_window_or_its_room(now: int, full: bool, end: int, note: str) -> None:
    trace = FilmTrace(10, 100, most=1000)
    trace.now, trace.full = lambda: now, full
    film = close_film(trace, "title")
    assert (film["title"], film["end"], film["note"]) == ("title", end, note)
    trace.now = lambda: 10
    with pytest.raises(UserError, match="the run is over after 1e-08 s, and the moving picture would begin at 1e-08 s"):
        close_film(trace, "title")


@pytest.mark.parametrize(("begin", "seconds", "why"), [
    (0.0, 3600.0, ""), (1e6, 1e-9, ""), (-1e-9, 1.0, "begins at 0 to 1e[+]06 s, not -1e-09"),
    (1.1e6, 1.0, "begins at 0"),
    (0.0, 0.0, "lasts more than 0 and at most 3600 s, not 0.0"), (0.0, 3601.0, "lasts more than 0"),
])  # fmt: skip
def test_a_window_has_bounds(begin: float, seconds: float, why: str) -> None:
    if why:
        with pytest.raises(UserError, match=why):
            check(begin, seconds)
    else:
        check(begin, seconds)


def test_a_window_is_read() -> None:
    assert read_window("--window", "2min:30s") == read_window("--window", "120:30") == (120.0, 30.0)
    for text in ("5", "5:", ":5", "a:5", "5:a"):
        with pytest.raises(UserError, match=f"--window takes BEGIN:SECONDS, as 2min:30s, not '{text}'"):
            read_window("--window", text)


def test_orders_that_are_compared_and_what_each_goes_through() -> None:
    """LOOK goes up first; SCAN and its like pass the end of the disc, which counts."""
    film, served = film_queue(queue_at([5, 1, 8], SMALL), SMALL, head=4)
    assert [(each.order, each.visited, each.cylinders) for each in served] == [
        ("FCFS", (5, 1, 8), 12), ("SSTF", (5, 8, 1), 11), ("LOOK", (5, 8, 1), 11), ("SPTF", (5, 1, 8), 12)]
    assert film["title"] == "3 requests, 4 orders: a small drive"
    film, served = film_queue(queue_at([1, 9, 2, 8, 3], SMALL), SMALL, head=4)
    assert len({each.seconds for each in served}) > 2
    assert film["end"] == round(max(each.seconds for each in served) * 1e9)
    _, (scanned,) = film_queue(queue_at([5, 1], SMALL), SMALL, {"scan": Scan}, head=4)
    assert (scanned.visited, scanned.cylinders) == ((5, 1), (9 - 4) + (9 - 1))
    with pytest.raises(UserError, match="a queue has at most 500 requests, not 501"):
        queue_at([1] * 501)
    with pytest.raises(UserError, match="queue"):
        queue_at([10], SMALL)


def test_a_film_of_a_run_holds_no_more_than_it_is_told_to() -> None:
    def started(watch: Any) -> Any:
        return run(2, minutes=0.2, warm_up=0.0, think=0.1, watch=watch)

    film, whole = film_run(started, "mine", 1.0, 2.0, most=20), film_run(started, "mine", 1.0, 2.0)
    assert (film["title"], film["begin"], whole["note"]) == ("mine", 1_000_000_000, "")
    assert "it holds 20 slices and values" in film["note"]
    assert film["end"] < whole["end"] == 3_000_000_000
    usual = film_run(started, "mine")
    assert (usual["begin"], usual["end"]) == (0, 12_000_000_000), "20 s, and the run has 12"
    assert film_run(started, "mine", 0.0, 12.0)["end"] == 12_000_000_000, "what is open at the end of both is closed"


def test_a_run_that_fails_before_its_film_is_over_fails() -> None:
    def fail(watch: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        film_run(fail, "title")
    watch = Filmed(2.0, 3.0, most=7)
    assert (watch.trace.begin_at, watch.trace.end_at, watch.trace.most) == (2_000_000_000, 5_000_000_000, 7)
    with pytest.raises(UserError, match="none of its parts"):
        watch.film("title")


def test_the_storage_of_a_film_is_that_of_its_plan() -> None:
    plan: Any = SimpleNamespace(wrap=True, drives=lambda env: {"a": SimpleNamespace(name="a")})
    storage = FilmedStorage(plan, FilmTrace(0, 10))
    assert storage.wrap is True
    with pytest.raises(AttributeError):
        cast(Any, storage).nothing  # noqa: B018
    storage.finish()


def test_the_film_of_a_replay_shows_what_is_under_way_at_its_end() -> None:
    """The arm needs 2 ms and more to the last cylinder, and the replay is over after one."""
    env = simpy.Environment()
    drive = Drive(env, SMALL, Fcfs())
    replay = FilmedReplay(FilmTrace(0, 10**10))
    drives = replay(cast(Any, SimpleNamespace(drives=lambda env: {"a": drive}))).drives(env)
    drives["a"].start(access(READ, 9 * 2048, 512, Account("it")))
    assert drives["a"] is drive
    env.run(until=0.001)
    film = replay.close("title")
    assert (film["title"], film["end"]) == ("title", 1_000_000)
    (whole,) = (row for row in film["tracks"][0]["rows"] if row[2] == 0)
    assert (whole[:4], whole[4]["for"]) == ([0, 1_000_000, 0, "unfinished"], "it")
    assert [track["name"] for track in film["tracks"]] == ["drive", "drive queue", "drive arm"]


def test_a_film_that_is_full_behind_its_end_ends_there() -> None:
    trace = FilmTrace(0, 100, most=1)
    track = trace.track("a")
    trace.begin(track, "one", 50)
    trace.now = lambda: 150
    trace.end(track, 150)
    assert (trace.full, trace.end_at) == (True, 100)


def test_words_of_a_trace_are_no_words_of_the_page() -> None:
    page = moving_page({"title": "</script><b>{{ style }}", "note": 1})
    assert "</script><b>" not in page
    assert r'{"title":"\u003c/script>\u003cb>{{ style }}","note":1}' in page
    assert "\nimport " not in page
    assert "\nexport " not in page
    modules = "".join((PAGE_FOLDER / name).read_text("utf-8") for name in PAGE_SCRIPTS).splitlines()
    assert sum(line.startswith("export ") for line in modules) > 9
    lines = [line.removeprefix("export ") for line in modules if not line.startswith("import ")]
    assert "\n".join(lines) in page, "all of them, one after the other"
    style = (PAGE_FOLDER / "alone.css").read_text("utf-8") + (PAGE_FOLDER / "moving.css").read_text("utf-8")
    assert style in page
    assert f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}" in page
