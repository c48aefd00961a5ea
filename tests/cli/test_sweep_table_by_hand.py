"""Tests the line below a table of a sweep that says if seeds give the same runs, on rows by hand."""

from math import nan
from pathlib import Path

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.cli.sweep_table import _same_runs

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
