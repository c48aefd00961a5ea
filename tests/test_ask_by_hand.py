"""Python's functions upon little runs and systems: what reaches the run, the sweep and the search, and is shown."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from spindle import UserError, ask, curve, find, replay, simulate, sweep
from spindle.frames import SweepFrame
from spindle.questions.field import ask as field
from spindle.sim.clock import PHASE_COUNT
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.terminal import Transaction
from spindle.studies.sweep import find as searching
from spindle.system import System
from spindle.systems import find_system

TRACE = "time_ms,op,offset,size\n" + "".join(f"{9 * n},R,{n % 11 * 4096},4096\n" for n in range(60))
SCRIPT = """SCRIPT OFFICE
TERMINALS 2
RUN ORDERS
LOOP
  THINK EXPONENTIAL 20
  ENTER "LIST"
END
"""
SHORT: dict[str, Any] = {"terminals": 2, "minutes": "3s", "warm_up": 0}
QUICK: dict[str, Any] = {"workers": 1, "progress": False}


@dataclass(frozen=True)
class Question:
    """A question of three fields."""

    size: int = field(4, "bytes of a block", "bytes", least=1)
    order: str = field("", "which comes first " + "and " * 22 + "so-and-so-on", words=("", "up", "down"))
    trace: str = field("", "not said again")
    name: str = field("", "x" * 120)


def test_a_face_has_the_fields_of_its_question_and_their_help() -> None:
    def face(trace: str, **given: Any) -> None:
        """Says what it does."""

    signed = ask._add_fields(Question)(face)
    assert str(inspect.signature(signed)).startswith("(trace: str, *, size: ")
    kinds = [(each.name, each.kind.name, each.default, each.annotation)
             for each in inspect.signature(signed).parameters.values()]  # fmt: skip
    assert kinds[1:] == [("size", "KEYWORD_ONLY", 4, int), ("order", "KEYWORD_ONLY", "", str),
                         ("name", "KEYWORD_ONLY", "", str)]  # fmt: skip
    assert (signed.__doc__ or "").splitlines() == [
        "Says what it does.", "", "Options::", "", "  size: bytes of a block",
        "  order: which comes first " + "and " * 17 + "and",
        "      and and and and so-and-so-on, one of up, down", "  name:", f"      {'x' * 120}"]  # fmt: skip


def test_a_face_without_words_has_those_of_its_fields() -> None:
    def face(**given: Any) -> None: ...

    assert (ask._add_fields(Question)(face).__doc__ or "").startswith("\n\nOptions::\n\n  size: bytes of a block\n")


def seeded(size: int, seed: int) -> dict[str, float]:
    return {"twice": 2.0 * size, "drawn": float(seed)}


def plain(size: int) -> dict[str, float]:
    return {"twice": 2.0 * size}


def open_ended(**given: Any) -> dict[str, float]:
    return {"names": float(len(given))}


def test_a_run_gets_seeds_if_it_takes_any() -> None:
    frame = sweep(seeded, size=[1, 2], **QUICK)
    assert frame["drawn"].tolist() == [1, 2, 3, 4, 5] * 2
    assert sweep(seeded, size=1, seeds=[7, 9], **QUICK)["drawn"].tolist() == [7, 9]
    assert sweep(seeded, size=1, seeds=(3,), **QUICK)["seed"].tolist() == [3]
    assert sweep(plain, size=[1, 2], **QUICK).to_dict("list") == {"size": [1, 2], "twice": [2, 4]}
    assert sweep(open_ended, size=[1], **QUICK)["names"].tolist() == [2] * 5
    assert frame.attrs["axes"] == ["size"]
    assert set(frame.attrs) == {"axes", "units"}


def test_a_sweep_goes_where_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def sweeping(run: Any, **given: Any) -> pd.DataFrame:
        asked.update(given, run=run)
        return pd.DataFrame({"size": [1], "twice": [2.0]})

    monkeypatch.setattr(ask, "sweeping", sweeping)
    sweep(seeded, size=[1], seeds=2, workers=3, progress=False, out=tmp_path / "t.csv", store=tmp_path / "s")
    assert asked == {"run": seeded, "workers": 3, "progress": False, "out": tmp_path / "t.csv", "lenient": True,
                     "store": tmp_path / "s", "size": [1], "seed": [1, 2]}  # fmt: skip
    sweep(seeded, size=[1])
    assert (asked["workers"], asked["progress"], asked["out"], asked["store"]) == (None, True, None, None)


def test_a_point_that_cannot_be_run_is_one_of_a_table() -> None:
    def run(size: int) -> dict[str, float]:
        if size > 1:
            raise UserError("too large")
        return {"twice": 2.0 * size}

    with pytest.warns(UserWarning, match="too large"):
        assert sweep(run, size=[1, 2], **QUICK)["twice"].tolist() == pytest.approx([2.0, np.nan], nan_ok=True)


def test_a_search_asks_for_what_it_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    real = searching.find

    def finding(*given: Any, **named: Any) -> Any:
        asked.update(named, given=given[1:])
        return real(*given, **named)

    monkeypatch.setattr(ask.searching, "find", finding)
    at_most = ("size", "twice <= 20", (1, 30))
    assert find(seeded, *at_most, seeds=3, most=7, precision=0.5, workers=1).value == 10
    assert asked == {"given": ("size", "twice <= 20", (1, 30)), "seeds": 3, "most": 7, "precision": 0.5, "workers": 1}
    find(seeded, *at_most, workers=1)
    assert (asked["seeds"], asked["most"], asked["precision"]) == (10, 40, 0.05)


@pytest.mark.parametrize(("between", "what"), [("20:200", "'20:200'"), ("ab", "'ab'"), ((1,), "1"), ((1, 2, 3), "3")])
def test_a_search_is_between_two_values(between: Any, what: str) -> None:
    with pytest.raises(UserError, match=f"the low end and the high end, not {what}$"):
        find(seeded, "size", "twice <= 20", between)


@pytest.mark.parametrize("name", ["iops", "threads", "span", "burst", "network_rate", "drives", "bitmap", "flash_size",
                                  "sleep_after", "stall_every"])  # fmt: skip
def test_a_search_does_not_begin_at_a_nought_that_is_no_small_value(name: str) -> None:
    for ends in ((0, 9), (9, 0)):
        with pytest.raises(UserError, match=f"^{name} of 0 is .*, and no small value: search from above 0$"):
            find("load", name, "p95 <= 1s", ends)


def test_a_search_reads_what_is_fixed_and_takes_the_short_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TRACE)
    found = find(path, "speed", "iops <= 150", (1.0, 4.0), cache="4K", drive="intels3700", workers=1)
    assert 1.3 < found.value < 1.4, "a request each 9 ms is 111 a second"
    assert found.runs < 40


def test_a_system_itself_is_run_swept_and_searched() -> None:
    system = find_system("hp3000")
    named, itself = (simulate(each, policy="sieve", seed=3, **SHORT) for each in ("hp3000", system))
    assert named.counters == itself.counters
    assert itself.parameters["policy"] == "sieve"
    frame = sweep(system, policy=["lru", "clock"], seeds=1, **QUICK, **SHORT)
    assert frame["policy"].tolist() == ["lru", "clock"]
    assert (frame.attrs["units"]["minutes"], frame.attrs["units"]["responses"]) == ("min", "1")
    with pytest.raises(UserError, match="terminals from 1 to 2: responses >= 0 holds at both ends"):
        find(system, "terminals", "responses >= 0", (1, 2), seeds=1, workers=1, minutes="1s", warm_up=0)


def test_a_script_is_read_for_a_system_without_a_name(tmp_path: Path) -> None:
    script = tmp_path / "one.tepe"
    script.write_text(SCRIPT)
    named, itself = (simulate(each, script=str(script), minutes="6s", warm_up=0) for each in (
        "hp3000", find_system("hp3000")))  # fmt: skip
    assert named.counters == itself.counters
    assert itself.counters["desk.terminal_seconds"] == 12.0


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


def test_notes_are_of_systems_and_not_of_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a run that simulates nothing, whose ink changes nothing where it is dry."""
    recorder = Recorder()
    recorder.record(Transaction("t", "n", 3.0, 4.0, 4.0, (1.0, *(0.0,) * (PHASE_COUNT - 1))), 1)

    def made(ink: int = 1, wet: bool = False) -> Result:
        return Result("scales", {"ink": ink}, 1, 0.0, 60.0, {}, recorder)

    scales = System("scales", "Scales", made, Nothing(), acts_with={"ink": "wet"})
    monkeypatch.setattr(ask.run_options, "system_called", lambda name: {"scales": scales}[name])
    assert [len(simulate(each, ink=3).notes) for each in ("scales", scales, made)] == [1, 1, 0]
    assert [len(simulate(each, ink=3, wet=True).notes) for each in ("scales", scales, made)] == [0, 0, 0]
    assert simulate(made, ink=3).parameters == {"ink": 3}


def test_a_run_has_the_parts_that_were_exchanged_and_notes_of_what_changes_nothing() -> None:
    given: dict[str, Any] = {"terminals": 1, "minutes": "0.1s", "warm_up": 0, "drive": "intels3700"}
    machine = find_system("machine")
    for each in ("machine", machine):
        result = simulate(each, scheduler="sptf", policy=None, **given)
        assert result.parameters == {"terminals": 1, "scheduler": "sptf", "drive": "intels3700"}
        assert ["scheduler sptf" in note for note in result.notes] == [True]
    assert list(simulate(machine.run, scheduler="sptf", **given).notes) == []
    assert list(simulate("machine", **given).notes) == []


def test_what_changes_nothing_is_a_warning_of_a_table() -> None:
    idle: dict[str, Any] = {"terminals": 1, "minutes": "1s", "warm_up": 0, "scheduler": "sptf", "drive": "intels3700"}
    system, fixed = find_system("machine"), {name: value for name, value in idle.items() if name != "terminals"}
    for each in ("machine", system):
        with pytest.warns(UserWarning, match="scheduler sptf"):
            sweep(each, seeds=1, **QUICK, **idle)
        with pytest.warns(UserWarning, match="scheduler sptf"), pytest.raises(UserError, match="holds at both ends"):
            find(each, "terminals", "responses >= 0", (1, 2), seeds=1, workers=1, **fixed)


def test_an_axis_that_moves_nothing_is_a_warning() -> None:
    with pytest.warns(UserWarning, match="^b changes nothing in these runs$") as told:
        sweep(lambda a, b, seed: {"y": a}, a=[1, 2], b=[1, 2], seeds=2, **QUICK)
    assert len(told) == 1


def test_a_table_of_a_trace_warns_of_guesses(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TRACE + "1,R,0,4096\n")
    with pytest.warns(UserWarning, match=r"t\.csv: "):
        sweep(path, drive="hp7933", **QUICK)
    with pytest.warns(UserWarning, match=r"t\.csv: "), pytest.raises(UserError, match="holds at both ends"):
        find(path, "speed", "iops <= 150", (1, 2), drive="hp7933", workers=1)


def test_a_curve_says_its_page_and_draws_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TRACE)
    frame = curve(path, sizes=[5, 11])
    assert frame.attrs["page"].startswith(str(path))
    assert frame.attrs["notes"] == []
    assert frame.picture().get_title(loc="left").startswith("t.csv")
    assert frame.picture("Mine").get_title(loc="left").startswith("Mine")
    assert type(frame[frame["hits"] > 0]).__name__ == "CurveFrame"


class Place(NamedTuple):
    row: int
    column: int


@pytest.mark.parametrize(("value", "values"), [
    ("ab", ["ab"]), (3, [3]), (None, [None]), ((1, 2), [1, 2]), (range(2), [0, 1]), (np.array([1, 2]), [1, 2]),
    (Place(1, 2), [Place(1, 2)]), (pd.Series([1, 2]), [1, 2]), ([], []),
])  # fmt: skip
def test_an_axis_is_a_list(value: object, values: list[object]) -> None:
    assert ask._list(value) == values


def test_a_run_by_name_is_made_for_all_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def run_of(name: str, system: Any, axes: Any) -> Any:
        asked.append((name, system.name, axes))
        return lambda **given: {"twice": 2.0}

    monkeypatch.setattr(ask.run_options, "run_of", run_of)
    sweep("hp3000", policy=["lru", "arc"], terminals=2, seeds=1, **QUICK)
    with pytest.raises(UserError, match="must return a Result"):
        simulate("hp3000", policy="lru")
    assert asked == [("hp3000", "hp3000", {"policy": ["lru", "arc"], "terminals": [2]}),
                     ("hp3000", "hp3000", {"policy": ["lru"]})]  # fmt: skip


def test_a_replay_has_one_seed_and_runs_with_chance_have_several(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TRACE)
    assert [ask._usual_seeds(each, 7) for each in ("hp3000", find_system("hp3000"), seeded, path, str(path), "curve")] \
        == [7, 7, 7, 1, 1, 1]  # fmt: skip


def test_a_run_must_give_a_result() -> None:
    with pytest.raises(UserError, match="the run must return a Result, not a dict"):
        simulate(plain, size=1)


@pytest.mark.parametrize("ask_for", [replay, curve, simulate])
def test_a_missing_file_is_said_of_a_path_too(ask_for: Any) -> None:
    with pytest.raises(UserError, match=r"^nowhere\.csv: there is no such file$"):
        ask_for(Path("nowhere.csv"))


def test_a_picture_has_the_texts_of_the_values_and_the_first_measure() -> None:
    frame = sweep("machine", memory=["1MiB", "2MiB"], seeds=1, **QUICK, **SHORT)
    drawn = SweepFrame(frame[["memory", "seed", "responses", "throughput"]])
    drawn.attrs, drawn._texts = {"axes": ["memory"], "units": {}}, frame._texts
    assert drawn.picture().get_ylabel() == "responses"
    assert drawn.picture("throughput").get_ylabel() == "throughput, 1/s"
    assert frame._texts["memory"](1 << 20) == "1 MiB"
    assert set(frame._texts) == {"memory", "terminals", "minutes", "warm_up"}


def test_a_dataset_has_the_axes_and_the_units() -> None:
    pytest.importorskip("xarray", reason="an extra")
    data = sweep(seeded, size=[1, 2], seeds=2, **QUICK).to_xarray()
    assert dict(data.sizes) == {"size": 2, "seed": 2}
    assert data["twice"].attrs["units"] == "1"
    assert data["drawn"].values.tolist() == [[1, 2], [1, 2]]


def test_a_dataset_is_made_of_axes_and_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a library that is none: of each column what it would be indexed by."""
    monkeypatch.setattr("spindle.frames.find_spec", lambda name: name if name == "xarray" else None)
    monkeypatch.setattr(pd.DataFrame, "to_xarray", lambda frame: {
        name: SimpleNamespace(by=frame.index.names, attrs={}) for name in frame.columns})  # fmt: skip
    frame = SweepFrame({"size": [1, 2], "seed": [1, 1], "response_mean": [0.1, 0.2], "hits": [3, 4]})
    frame.attrs = {"axes": ["size"], "units": {"response_mean": "s", "hits": "1", "gone": "s"}}
    data = frame.to_xarray()
    assert {name: (*each.by, each.attrs["units"]) for name, each in data.items()} == {
        "response_mean": ("size", "seed", "s"), "hits": ("size", "seed", "1")}
    assert list(frame[["size", "hits"]].to_xarray()["hits"].by) == ["size"]


def test_a_dataset_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.frames.find_spec", lambda name: None if name == "xarray" else name)
    with pytest.raises(UserError, match="to_xarray needs xarray"):
        sweep(plain, size=[1], **QUICK).to_xarray()
