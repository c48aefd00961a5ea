"""The same seed gives the same bytes: twice, whatever Python's hash seed, the number of workers, or who looks on."""

import filecmp
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.models import hp3000, max_iv
from spindle.sim.measure.result import Result

ROOT = Path(__file__).parents[1]

SWEEP = ["sweep", "hp3000", "--set=terminals=8,13", "--set=clerks=5", "--set=caching=true,false",
         "--set=minutes=0.5", "--set=warm_up=0.1", "--set=memory=4000000", "--seeds=2"]  # fmt: skip


RUNS_OF_A_MACHINE = [
    ["run", "max_iv", "--users=2", "--minutes=1", "--warm-up=0.5", "--json"],
    ["run", "hp3000", "--terminals=48", "--clerks=40", "--minutes=0.5", "--warm-up=0", "--policy=lfu",
     "--scheduler=sptf", "--write=serial", "--set=memory=4000000", "--json"],
]  # fmt: skip
HERE, OTHER = "here.csv", "other.csv"
HASH_SEED = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
"""Another than that of this process, which is any number where nobody has set it."""


def elsewhere(folder: Path, commands: Sequence[Sequence[str]]) -> str:
    """What *commands* print in *folder*, in a process of its own with another hash seed."""
    environment = {**os.environ, "PYTHONHASHSEED": HASH_SEED, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    code = f"from spindle.cli.main import main\nfor words in {commands!r}:\n    main(words)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, text=True,
                          capture_output=True, check=True, timeout=100)  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Path]]:
    """The pages and the table of two processes, that differ in their hash seed and in the workers of a sweep."""
    folder, page = tmp_path_factory.mktemp("said"), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(page):
        patch.chdir(folder)
        statuses = [main(words) for words in RUNS_OF_A_MACHINE]
        statuses.append(main([*SWEEP, "--workers=1", f"--out={HERE}"]))
    assert statuses == [0, 0, 0]
    other = elsewhere(folder, [*RUNS_OF_A_MACHINE, [*SWEEP, "--workers=2", f"--out={OTHER}"]])
    return [(page.getvalue(), folder / HERE), (other.replace(OTHER, HERE), folder / OTHER)]


def test_runs_print_the_same_whatever_the_hash_seed(said: list[tuple[str, Path]]) -> None:
    pages, again = (pages for pages, _ in said)
    assert pages.count('"system":') == 2
    assert '"responses": 0' not in pages
    assert pages == again


def test_a_sweep_gives_the_same_bytes_whatever_the_hash_seed_and_the_workers(said: list[tuple[str, Path]]) -> None:
    table, again = (table for _, table in said)
    assert table.stat().st_size > 1000
    assert filecmp.cmp(table, again, shallow=False)


def test_a_sweep_in_this_process_gives_the_same_bytes_twice(said: list[tuple[str, Path]], tmp_path: Path) -> None:
    assert main([*SWEEP, "--workers=1", f"--out={tmp_path / 'two'}.csv"]) == 0
    assert filecmp.cmp(said[0][1], tmp_path / "two.csv", shallow=False)


RUNS: dict[str, Callable[..., Result]] = {"hp3000": hp3000.run, "max_iv": max_iv.run}
MODEST: dict[str, dict[str, Any]] = {
    "hp3000": {"terminals": 14, "clerks": 10, "memory": 4_000_000, "minutes": 0.8, "warm_up": 0.2},
    "max_iv": {"users": 2, "minutes": 2.0, "warm_up": 1.0},
}


@pytest.mark.parametrize("system", RUNS)
def test_whoever_looks_on_changes_nothing(system: str) -> None:
    run, modest = RUNS[system], MODEST[system]
    alone = run(**modest)
    seen: list[tuple[float, float]] = []
    watched = run(**modest, watch=lambda now, end: seen.append((now, end)))
    divided = run(**modest, interval=17.0)
    for other in (watched, divided, run(**modest)):
        assert other.transactions == alone.transactions
        assert other.summary() == alone.summary()
        assert other.counters == alone.counters
    assert seen == sorted(seen)
    assert seen[-1] == (alone.end, alone.end)
    assert len(divided.intervals) == -(-alone.seconds // 17)
    for name, value in alone.counters.items():
        assert sum(interval[name] for interval in divided.intervals) == pytest.approx(value, rel=1e-9, abs=1e-6), name


@pytest.mark.parametrize("system", RUNS)
def test_without_rows_the_sums_are_the_same(system: str) -> None:
    run, modest = RUNS[system], MODEST[system]
    with_rows, without = run(**modest), run(**modest, keep_rows=False)
    assert without.transactions == []
    assert len(with_rows.transactions) == with_rows.summary()["responses"] > 0
    of_rows = {"response_median", "response_p95", "response_p99", "response_p999"}
    kept, summed = ({k: v for k, v in each.summary().items() if k not in of_rows} for each in (with_rows, without))
    assert kept == summed
    for name in of_rows:
        assert without.summary()[name] == pytest.approx(with_rows.summary()[name], rel=0.001)


@pytest.mark.parametrize("system", RUNS)
def test_another_seed_gives_another_run(system: str) -> None:
    run, modest = RUNS[system], MODEST[system]
    means = [run(**modest, seed=seed).summary()["response_mean"] for seed in (1, 2, "1", "one")]
    assert means[0] == means[2]  # the command line's seeds are words, the sweep's numbers
    assert len(set(means)) == 3
