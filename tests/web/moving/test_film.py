"""Tests films: which part of a run they have, where they end, and that the run's numbers do not change."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.models.hp3000.run import run
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.scheduling import CLook, Scan, Sstf
from spindle.sim.error import UserError
from spindle.web.moving.film import FilmEnds, FilmTrace, moving_page
from spindle.web.moving.filming import Filmed, drawn_queue, film_queue, film_run, queue_at


def rows(film: dict[str, Any], name: str) -> list[Any]:
    return next(each["rows"] for each in film["tracks"] if each["name"] == name)


def test_only_what_is_not_over_is_held_and_where_arm_and_level_were_before() -> None:
    trace = FilmTrace(100, 200)
    arm, level = trace.track("arm"), trace.counter("level", "bytes")
    before, after = [("move", 0, 10), ("move", 20, 30), ("seek", 40, 100)], [("seek", 200, 210), ("move", 220, 230)]
    for name, begin, end in [*before, ("seek", 90, 110), *after]:
        trace.begin(arm, name, begin)
        trace.end(arm, end)
    for instant in (0, 50, 150, 250):
        trace.value(level, instant, instant)
    film = trace.film("a film", 200)
    assert (film["begin"], film["end"]) == (100, 200)
    assert rows(film, "arm") == [[20, 30, 0, "move"], [90, 110, 0, "seek"]]
    assert rows(film, "level") == [[100, 50], [150, 150]]


def test_it_ends_the_run_once_and_then_holds_what_is_said() -> None:
    trace, now = FilmTrace(0, 100, stops=True), 50
    trace.now = lambda: now
    track = trace.track("a")
    trace.begin(track, "one", 0)
    trace.end(track, 50)
    now = 120
    trace.begin(track, "two", 60)
    with pytest.raises(FilmEnds):
        trace.end(track, 120)
    trace.begin(track, "three", 70)
    trace.end(track, 120)
    assert [row[3] for row in rows(trace.film("", 100), "a")] == ["one", "two", "three"]


def test_what_would_be_millions_ends_where_it_is_full_and_says_so() -> None:
    watch = Filmed(0.0, 600.0)
    watch.trace.most = 500
    run(21, minutes=1.0, warm_up=0.0, watch=watch)
    film = watch.film("much")
    assert film["note"].startswith("So much happens here that the picture ends after ")
    assert 0 < film["end"] < 60e9
    assert sum(len(each["rows"]) for each in film["tracks"]) < 1500


def test_a_film_is_full_with_the_last_that_it_may_hold() -> None:
    trace = FilmTrace(0, 100, most=2)
    level, now = trace.counter("level", "bytes"), 0
    trace.now = lambda: now
    full = []
    for now in (10, 20, 30):
        trace.value(level, now, now)
        full.append((trace.full, trace.end_at))
    assert full == [(False, 100), (True, 20), (True, 20)]
    assert rows(trace.film("", 20), "level") == [[10, 10], [20, 20]]


def test_the_run_is_the_same_with_it_and_no_longer_than_it_needs() -> None:
    plain, watch = run(5, minutes=1.0, warm_up=0.0), Filmed(10.0, 5.0)
    watched = run(5, minutes=1.0, warm_up=0.0, watch=watch)
    assert (plain.counters, plain.events) == (watched.counters, watched.events)
    assert repr(plain.transactions) == repr(watched.transactions)
    whole = watch.film("of a whole run")
    told: list[float] = []
    short = film_run(lambda each: told.append(run(5, minutes=60.0, watch=each).seconds), "ended", 10.0, 5.0)
    assert told == []
    assert (short["begin"], short["end"]) == (whole["begin"], whole["end"]) == (10_000_000_000, 15_000_000_000)
    bursts = [[each for each in rows(film, "cpu") if each[1] < 14e9] for film in (whole, short)]
    assert bursts[0] == bursts[1] != []


@pytest.mark.parametrize(("begin", "seconds"), [(-1.0, 5.0), (float("nan"), 5.0), (0.0, 0.0), (0.0, 1e9), (1e9, 1.0)])
def test_a_film_of_nothing_or_of_for_ever_is_refused(begin: float, seconds: float) -> None:
    with pytest.raises(UserError, match="a moving picture"):
        Filmed(begin, seconds)


def test_a_film_that_would_begin_after_the_run_is_refused() -> None:
    with pytest.raises(UserError, match="the run is over after 60 s, and the moving picture would begin at 100 s"):
        film_run(lambda watch: run(1, minutes=1.0, warm_up=0.0, watch=watch), "", 100.0)


def test_a_run_that_shows_none_of_its_parts_is_told_in_a_sentence() -> None:
    with pytest.raises(UserError, match="the run shows none of its parts, so that there is nothing to be seen moving"):
        film_run(lambda watch: None, "")


def test_the_orders_serve_the_same_requests() -> None:
    film = film_queue(drawn_queue(requests=12, seed=3))[0]
    served = {name: sorted(row[4]["for"] for row in rows(film, name) if row[2] == 0)
              for name in ("FCFS", "SSTF", "LOOK", "SPTF")}  # fmt: skip
    assert len({json.dumps(each) for each in served.values()}) == 1
    assert len(served["FCFS"]) == 12
    with pytest.raises(UserError, match="requests must be 1 to 500"):
        drawn_queue(requests=0)


@pytest.mark.parametrize(("order", "cylinders", "visited"), [
    (Fcfs, 640, (98, 183, 37, 122, 14, 124, 65, 67)), (Sstf, 236, (65, 67, 37, 14, 98, 122, 124, 183)),
    (Scan, 331, (65, 67, 98, 122, 124, 183, 37, 14)), (CLook, 322, (65, 67, 98, 122, 124, 183, 14, 37))])  # fmt: skip
def test_a_queue_that_is_given_moves_the_arm_as_books_say(
    order: Callable[[], Scheduler], cylinders: int, visited: tuple[int, ...]
) -> None:
    """Silberschatz, Galvin and Gagne, the queue from cylinder 53 of 200; SCAN goes up to the edge first."""
    _, (served,) = film_queue(queue_at([98, 183, 37, 122, 14, 124, 65, 67]), orders={"one": order}, head=53)
    assert (served.cylinders, served.visited) == (cylinders, visited)


def test_a_cylinder_that_is_not_there_is_refused() -> None:
    with pytest.raises(UserError, match="queue: there is no cylinder 200; a drive of 200 cylinders has 0 to 199"):
        queue_at([3, 200])
    with pytest.raises(UserError, match="a queue has at most 500 requests, not 501"):
        queue_at([1] * 501)


def test_a_page_has_all_within_it_and_a_policy_that_lets_nothing_else_in() -> None:
    page = moving_page(film_queue(drawn_queue(requests=1))[0])
    assert "import " not in page.partition("<script type=")[2]
    assert "default-src 'none'; script-src 'sha256-" in page
    assert "{{" not in page


COMMANDS = [
    ["moving", "{}/page.html", "--requests", "5", "--orders", "fcfs,c-look"],
    ["run", "hp3000", "--terminals=2", "--minutes=1", "--warm-up=0", "--html={}/page.html", "--window", "10:20"],
    ["run", "sata_ncq", "--requests=100", "--html={}/page.html"],
    ["replay", "examples/trace.csv", "--drive=hp7933", "--html={}/page.html"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_commands_write_pages(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.format(tmp_path) for word in words]) == 0
    assert "page.html" in capsys.readouterr().out or words[0] == "replay"
    assert "moving" in (tmp_path / "page.html").read_text("utf-8")


def test_the_command_serves_the_queue_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def served(*words: str) -> list[str]:
        assert main(["moving", f"{tmp_path}/page.html", *words]) == 0
        return capsys.readouterr().out.splitlines()[1:]

    (line,) = served("--queue", "98,183,37,122,14,124,65,67", "--head=53", "--orders=fcfs")
    assert line.startswith("FCFS: 640 cylinders, ")
    assert line.endswith("s: 98 183 37 122 14 124 65 67")
    drawn = {words: served("--orders=fcfs", *words) for words in (
        ("--requests=7",), ("--requests=7", "--seed=2"), ("--requests=7", "--drive=hp7933"))}  # fmt: skip
    assert [len(each[0].rpartition(": ")[2].split()) for each in drawn.values()] == [7, 7, 7]
    assert len({str(each) for each in drawn.values()}) == 3
    assert [line.partition(":")[0] for line in served("--requests=1")] == ["FCFS", "SSTF", "LOOK", "SPTF"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["moving", "{}/page.html", "--orders", "fcfs,fcfs"], "--orders names 1 to 8 orders, each once"),
        (["moving", "{}/page.html", "--requests", "9999"], "--requests must be a whole number from 1 to 500, not 9999"),
        (["moving", "{}/page.html", "--drive", "intels3700"], "has no arm that would move"),
        (["run", "hp3000", "--window", "1:2"], "--window is for --html"),
        (["run", "hp3000", "--html={}/p.html", "--window=5"], "--window takes BEGIN:SECONDS, as 2min:30s, not '5'"),
        (["replay", "examples/trace.csv", "--html={}/p.html", "--window=0:0"], "a moving picture lasts more than 0"),
    ],
)  # fmt: skip
def test_mistakes_are_a_line(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(tmp_path) for word in words]) == 2
    shown = capsys.readouterr()
    assert says in shown.err
    assert shown.err.count("\n") == 1
