"""A table of a sweep by hand: its lines, units and foot, and the line that says if seeds give the same runs."""

import json
from dataclasses import dataclass, replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.cli.sweep_table import _foot, _mean, _same_runs, as_json, columns_of, screen_table
from spindle.sim.error import UserError
from spindle.system import System

SAME = ["all seeds give the same runs: one is enough"]
NO_RUN = "the cache is too small (at seed={})"


def point(means: list[float], responses: list[float], refused: list[str | None] | None = None) -> pd.DataFrame:
    """Make the rows of a point for seeds 1, 2 ..., each with its mean response and number of responses."""
    rows = {"seed": range(1, len(means) + 1), "response_mean": means, "responses": responses}
    return pd.DataFrame(rows | ({} if refused is None else {"refused": refused}))


def test_points_whose_seeds_give_the_same_numbers_are_told_as_such() -> None:
    assert _same_runs([point([2.0, 2.0], [5, 5])]) == SAME
    assert _same_runs([point([2.0, 2.0], [5, 5]), point([3.0, 3.0], [5, 5])]) == SAME
    assert _same_runs([point([2.0, 2.0], [5, 5]), point([3.0, 4.0], [5, 5])]) == []
    assert _same_runs([point([2.0], [5])]) == []


def test_points_without_a_response_tell_nothing_of_seeds() -> None:
    nothing, one_of_two = point([nan, nan], [0, 0]), point([nan, 2.0], [0, 1])
    assert _same_runs([nothing]) == []
    assert _same_runs([nothing, point([2.0, 2.0], [5, 5])]) == SAME
    assert _same_runs([one_of_two, point([2.0, 2.0], [5, 5])]) == []


@pytest.mark.parametrize("why", [[NO_RUN.format(1), NO_RUN.format(2)], [NO_RUN, NO_RUN]])
def test_points_that_cannot_be_run_tell_nothing_of_seeds(why: list[str | None]) -> None:
    """Reasons differ by the seed that they name, or do not."""
    refused = point([nan, nan], [nan, nan], why)
    assert _same_runs([refused]) == []
    assert _same_runs([refused, point([2.0, 2.0], [5, 5], [None, None])]) == SAME
    assert _same_runs([refused, point([2.0, 3.0], [5, 5], [None, None])]) == []
    assert _same_runs([point([nan, 2.0], [nan, 5], [why[0], None])]) == []


def test_a_sweep_that_measures_nothing_does_not_say_that_one_seed_is_enough(
    capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", "kv_cache", "--minutes=0.0001", "--warm-up=0", "--seeds=2", "--workers=1"]) == 0
    assert "the same runs" not in capsys.readouterr().out


def test_a_sweep_of_which_some_points_are_refused_tells_of_those_that_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time,op,offset,size\n0,read,0,4096\n0.1,write,8192,4096\n")
    words = ["sweep", str(trace), "--scheduler=sptf", "--seeds=2", "--workers=1", "--engine=none,spdk"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1:] == SAME
    assert "n/a: --engine spdk has no kernel" in said.err


def toy(users: int = 1, size: int = 1, minutes: float = 1.0, seed: int = 1) -> None: ...


@dataclass(frozen=True)
class Parameters:
    """None."""


TOY = System("toy", "Toy", toy, Parameters())
MEANS = "means of {} seeds \u00b1 half of the 95 % interval; {}--out FILE.csv {} a row for each run"


def shown(rows: list[dict[str, Any]], axes: list[str], measures: list[str], most: int | None = None) -> list[str]:
    return screen_table(TOY, pd.DataFrame(rows), axes, measures, most).splitlines()


def test_a_line_has_what_varies_and_means_in_the_unit_of_their_column() -> None:
    """Half of the interval of two is 12.7 times half of what lies between."""
    rows = [{"users": users, "size": 7, "seed": seed, "response_mean": mean, "events": 3, "other": 0.0}
            for users, means in ((1, (0.002, 0.004)), (2, (2.0, 2.0))) for seed, mean in enumerate(means)]  # fmt: skip
    *lines, gap, foot = shown(rows, ["users", "size", "seed"], ["response_mean"])
    assert [line.split() for line in lines] == [
        ["users", "response_mean"], ["1", "0.003", "s", "\u00b1", "0.013", "s"], ["2", "2", "s", "\u00b1", "0", "s"]]
    assert (gap, foot) == ("", MEANS.format(2, "2 more columns: --columns all, --json, or ", "with"))
    some = shown(rows, ["users", "size", "seed"], ["response_mean"], 1)
    assert (some[1].split()[0], some[2]) == ("1", "... 1 line more")
    assert shown(rows, ["users", "size", "seed"], ["response_mean"], 2)[3] == ""


def test_points_that_differ_by_nothing_are_one_line() -> None:
    rows = [{"seed": seed, "response_mean": 0.5, "refused": None} for seed in (1, 2)]
    assert shown(rows, ["seed"], ["response_mean"]) == [
        "response_mean", "  0.5 s \u00b1 0 s", "", MEANS.format(2, "", "has"), *SAME]
    order = [{"users": users, "seed": seed, "response_mean": mean}
             for users, seed, mean in ((3, 1, nan), (3, 2, 2.0), (1, 1, 4.0), (1, 2, 4.0))]
    assert [line.split()[:2] for line in shown(order, ["users", "seed"], ["response_mean"])[1:3]] == [
        ["3", "2"], ["1", "4"]], "points in the order that is asked for, with means of what there is"
    assert MEANS.format("1 to 2", "", "has") in shown(order[:3], ["users", "seed"], ["response_mean"])
    missing = [{"users": users, "seed": 1, "response_mean": 1.0} for users in (nan, 2.0)]
    assert [line.split()[0] for line in shown(missing, ["users", "seed"], ["response_mean"])[:3]] == [
        "users", "nan", "2"], "a value that is not there is one, too"
    rows = [{"minutes": minutes, "seed": 1, "response_mean": mean} for minutes, mean in ((0.5, 0.004), (2.0, "lost"))]
    assert [line.split() for line in shown(rows, ["minutes", "seed"], ["response_mean"])[1:3]] == [
        ["0.5", "min", "4", "ms"], ["2", "min", "lost"]]


@pytest.mark.parametrize(("wanted", "answers", "columns"), [
    ("", ("response_median", "none", "response_mean"), ["response_mean"]), ("", ("none",), ["p95", "response_mean"]),
    ("p95,hit_ratio", ("hit_ratio",), ["hit_ratio", "p95"]), ("mean", ("none",), ["response_mean"]),
    ("all", ("hit_ratio",), ["p95", "response_mean", "response_median", "hit_ratio"]),
])  # fmt: skip
def test_columns_are_the_answers_of_a_system_and_what_is_asked_for(
    wanted: str, answers: tuple[str, ...], columns: list[str]
) -> None:
    """A run may have a measure that is called as another is for short; one that no run has is no answer."""
    frame = pd.DataFrame([{"users": 1, "seed": 1, "p95": 1.0, "response_mean": 1.0, "response_median": nan,
                           "hit_ratio": 0.5, "refused": None}])  # fmt: skip
    system = replace(TOY, answers=answers)
    assert columns_of(system, frame, ["users", "seed"], wanted) == columns
    with pytest.raises(UserError, match="unknown column 'users'"):
        columns_of(system, frame, ["users", "seed"], "users")


@pytest.mark.parametrize(("samples", "text"), [
    ([0.0025], "0.0025 s"),
    ([0.5], "0.5 s"), ([0.5, 0.5], "0.5 s \u00b1 0 s"), ([0.5, 0.6], "0.55 s \u00b1 0.64 s"), ([inf, 0.5], "inf"),
    ([0.5, inf], "0.5"), (["x", "y"], "x"), ([], "n/a"), ([1, 3], "2 s \u00b1 13 s"),
])  # fmt: skip
def test_a_mean_has_half_of_its_interval(samples: list[Any], text: str) -> None:
    assert _mean("response_mean", samples, "s") == text


@pytest.mark.parametrize(("seeds", "more", "text"), [
    ([1, 1], 0, "one seed; --out FILE.csv has a row for each run"),
    ([2, 2], 0, MEANS.format(2, "", "has")),
    ([3, 1], 1, MEANS.format("1 to 3", "1 more column: --columns all, --json, or ", "with")),
])  # fmt: skip
def test_the_foot_has_the_number_of_seeds_and_of_columns(seeds: list[int], more: int, text: str) -> None:
    assert _foot(seeds, more) == text


def test_all_columns_are_in_json_and_what_is_missing_is_null() -> None:
    text = as_json(TOY, pd.DataFrame({"users": [1, 2], "response_mean": [1 / 3, nan]}))
    assert json.loads(text) == {"system": "toy", "rows": [
        {"users": 1, "response_mean": pytest.approx(1 / 3, rel=1e-14)}, {"users": 2, "response_mean": None}]}
    assert text.startswith('{\n  "system"')
