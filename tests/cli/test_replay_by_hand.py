"""``spindle replay`` by hand: three requests of a small drive in every form, and who is told of each."""

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import replay
from spindle.cli.main import main
from spindle.sim.error import UserError
from tests.traces.conftest import Said, trace_of

# The drive turns in 10 ms, and a request takes 1 ms before it, and 1 ms for its sector: 10 to come round, 15 to wait.
THREE = trace_of((0, "R", 0, 1), (0.001, "R", 5, 1), (0.1, "W", 0, 1)) + "junk\n"
ASKED = ("replay", "three.csv", "--drive=small.yaml", "--skip-bad=1")


@pytest.fixture
def asked(said: Said, place: Path) -> Said:
    (place / "three.csv").write_text(THREE)
    return lambda *options: said(*ASKED, *options)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_all_that_a_page_may_have_stands_in_its_order(
    asked: Said, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = asked("--by-device", "--steps", "--out=rows.csv", "--plot=-").splitlines()
    assert lines[:4] == [
        "three.csv, csv, open loop because it has times", "Small Drive, fcfs",
        "1 bad line passed over, the first: three.csv:5:1: time_s must be a number that is not negative, or empty, "
        "not 'junk'", ""]
    begins = ("response time, ms", "response by device, ms", "requests by number", "share of requests that take no")
    places = [next(place for place, line in enumerate(lines) if line.startswith(each)) for each in begins]
    assert places == sorted(places)
    assert lines[places[2] + 3].split() == ["2", "R", "2,560", "1.000", "10.000", "3.000", "1.000", "1.000", "15.000"]
    found = rows(place / "rows.csv")
    assert [(row["request"], row["response_ms"], row["rotation_ms"]) for row in found] == [
        ("1", "11.000000", "9.000000"), ("2", "15.000000", "3.000000"), ("3", "11.000000", "9.000000")]


def test_what_is_not_asked_for_is_not_there(asked: Said, place: Path) -> None:
    page = asked("--limit=2", "--out=rows.csv")
    assert "2 simulated" in page
    for other in ("by device", "by number", "take no longer"):
        assert other not in page
    assert [list(row.items())[::4] for row in rows(place / "rows.csv")] == [
        [("request", "1"), ("response_ms", "11.000000")], [("request", "2"), ("response_ms", "15.000000")]]
    assert "steps" not in json.loads(asked("--json"))


def test_as_json_with_a_film_and_a_picture(asked: Said, place: Path) -> None:
    found = json.loads(asked("--json", "--steps", "--by-device", "--html=film.html", "--window=0:1"))
    assert [(step["number"], step["response"]) for step in found["steps"]] == [
        (1, pytest.approx(0.011)), (2, pytest.approx(0.015)), (3, pytest.approx(0.011))]
    assert list(found["measured"]["devices"]) == [""]
    assert "three.csv" in (place / "film.html").read_text()
    cached = json.loads(asked("--json", "--steps", "--cache=512", "--block=512"))["steps"]
    assert sorted(block for step in cached for block in step["evicted"]) == [0, 5], "there is room for one"


def test_a_picture_has_the_title_and_is_told(asked: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    modules: Any = SimpleNamespace(response_picture=lambda *told: told, save=lambda *told: drawn.append(told))
    for name in ("spindle.traces.pictures", "spindle.studies.plots.files"):
        monkeypatch.setitem(sys.modules, name, modules)
    assert asked("--plot=p.svg").splitlines()[-2:] == ["", "p.svg: a picture of response times"]
    assert json.loads(asked("--plot=p.svg", "--json"))["version"] == 2
    ((tally, title), path), _ = drawn
    assert (tally.all_times.count, "three.csv" in title, path) == (3, True, Path("p.svg"))


def test_a_compiled_replay_has_a_bar_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads its trace by itself, in blocks of bytes."""
    told: list[Any] = []

    def answer(question: object, trace: str, watch: Any) -> None:
        told.append(watch.bytes_read)
        raise UserError("enough")

    monkeypatch.setattr("spindle.traces.replay.answer.answer_replay", answer)
    assert main(["replay", "trace.csv", "--drive=small.yaml"]) == 2
    assert told == [replay.reading]
    trace: Any = "trace"
    monkeypatch.setattr(replay, "read_with_bar", lambda *given: given)
    assert replay._records(7, False, trace, None) == ("trace", 7, "replaying")  # type: ignore[comparison-overlap]


def test_several_values_are_for_a_sweep(refused: Said) -> None:
    said = refused("replay", "trace.csv", "--speed=1,2")
    assert said == "--speed has one value here, not '1,2': spindle sweep TRACE takes several"


def test_a_replay_that_fails_leaves_what_was_there(asked: Said, place: Path) -> None:
    (place / "rows.csv").write_text("of old")
    assert main([*ASKED[:-1], "--out=rows.csv"]) == 2
    assert (place / "rows.csv").read_text() == "of old"


@pytest.mark.parametrize("name", ["three.csv", "small.yaml"])
def test_what_is_read_is_not_written_over(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "three.csv").write_text(THREE)
    before = (place / name).read_text()
    for option in ("--out", "--html"):
        assert main([*ASKED, f"{option}={name}"]) == 2
        assert f"{option} would overwrite {name}, which is to be read" in capsys.readouterr().err
    assert (place / name).read_text() == before


def test_each_observer_is_told_of_what_it_is_for() -> None:
    film: Any = lambda plan: ("filmed", plan)  # noqa: E731
    steps: Any = type("Steps", (), {"plan": staticmethod(lambda plan: ("steps", plan))})
    plan: Any = "plan"
    both = replay._storage(steps, film)
    assert both is not None
    assert both(plan) == ("filmed", ("steps", "plan"))
    assert replay._storage(None, film) is film
    assert replay._storage(steps, None) is steps.plan
    assert replay._storage(None, None) is None
    out: Any = "rows"
    devices: Any = type("Devices", (), {"pass_to": staticmethod(lambda rows: ("devices", rows))})
    assert [replay._also(*each) for each in ((None, None), (out, None), (None, devices), (out, devices))] == [
        None, "rows", devices, ("devices", "rows")]
