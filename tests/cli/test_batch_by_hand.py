"""Tests the script of ``spindle sweep --batch``, and the words of ``--part``, against texts written by hand."""

import sys
from shlex import split

import pytest

from spindle.cli.batch import BatchOptions, _without, batch_script
from spindle.sim.error import UserError
from spindle.studies.sweep.part import MAX_PARTS, WHOLE, SweepPart


@pytest.mark.parametrize(("runs", "jobs"), [(10, 3), (2, 2), (3, 3)])
def test_there_are_no_more_jobs_than_runs(monkeypatch: pytest.MonkeyPatch, runs: int, jobs: int) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/spindle"])
    words = ["x.csv", "--batch", "slurm:3", "--out=a b.csv", "--plot", "p.png", "--seeds", "2"]
    lines = batch_script("slurm:3", words, runs).splitlines()
    assert lines[1].startswith(f"# {runs} runs in {jobs} jobs of SLURM")
    job = f'/usr/bin/spindle sweep x.csv --seeds 2 --workers 1 --part "$SLURM_ARRAY_TASK_ID/{jobs}"'
    assert lines[3] == (f"parts=$(sbatch --parsable --job-name=spindle --array=1-{jobs} --cpus-per-task=1 "
                        f"--wrap='{job}')")  # fmt: skip
    assert lines[4].startswith('sbatch --job-name=spindle-merge --dependency=afterany:"$parts" --wrap=')
    merge = split(lines[4])[-1].removeprefix("--wrap=")
    assert split(merge) == ["/usr/bin/spindle", "sweep", "x.csv", "--out=a b.csv", "--plot", "p.png", "--seeds", "2"]
    assert "--batch" not in "".join(lines[2:])


def test_a_command_that_was_started_otherwise_is_called_spindle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/lib/spindle/__main__.py"])
    assert "--wrap='spindle sweep x --workers 1" in batch_script("slurm:3", ["x"], 5)


@pytest.mark.parametrize(("words", "kept"), [
    (["--out", "x", "y"], ["y"]), (["--out=x", "y"], ["y"]), (["y", "--out"], ["y"]),
    (["--outer", "x"], ["--outer", "x"]),
    (["--out", "--plot", "p"], ["p"]), ([], []),
])  # fmt: skip
def test_an_option_leaves_with_its_value(words: list[str], kept: list[str]) -> None:
    assert _without("--out", words) == kept


def test_a_part_is_one_of_so_many_or_the_whole() -> None:
    assert BatchOptions().points() is WHOLE
    assert BatchOptions(part="3/64").points() == SweepPart(3, 64)


@pytest.mark.parametrize(("batch", "says"), [
    ("pbs:3", "unknown batch system 'pbs': there are slurm"), (":3", "unknown batch system '': there are slurm"),
    ("slurm", "--batch takes the number of jobs, as slurm:64"),
    ("slurm:", "--batch must be a whole number, not ''"), ("slurm:3:4", "--batch must be a whole number, not '3:4'"),
])  # fmt: skip
def test_jobs_are_of_a_system_and_a_number(batch: str, says: str) -> None:
    with pytest.raises(UserError, match=f"^{says}"):
        batch_script(batch, ["x"], 5)


def test_jobs_are_as_many_as_parts_may_be() -> None:
    with pytest.raises(UserError, match=f"--batch must be a whole number from 1 to {MAX_PARTS}, not {MAX_PARTS + 1}"):
        batch_script(f"slurm:{MAX_PARTS + 1}", ["x"], 5)
    assert f"{MAX_PARTS} jobs of SLURM" in batch_script(f"slurm:{MAX_PARTS}", ["x"], MAX_PARTS + 1)


def test_points_of_a_part_are_every_so_manieth_from_its_own_on() -> None:
    assert [list(SweepPart(number, 3).indices(7)) for number in (1, 2, 3)] == [[0, 3, 6], [1, 4], [2, 5]]
