"""``spindle curve`` by hand: what a trace of six references hits in caches of two and three blocks, in every form."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spindle.cli.curve import _text
from spindle.cli.main import main
from spindle.studies.plots.terminal import TextLine
from spindle.traces import pictures
from tests.traces.conftest import trace_of

Said = Callable[..., str]
STEPS = """\
lru, 2 frames: 1 hit, 5 misses, of 6
       reference            evicted  frames
    1          0  miss                0
    2          1  miss                0 1
    3          2  miss            0   2 1
    4          0  miss            1   2 0
    5          1  miss            2   1 0
    6          0  hit                 1 0"""
"""Of 0 1 2 0 1 0, the oldest goes each time."""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs the command on the trace; what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    blocks = (0, 1, 2, 0, 1, 0)
    (tmp_path / "t.csv").write_text(trace_of(*((time, "R", 8 * block, 8) for time, block in enumerate(blocks))))

    def run(*options: str, status: int = 0, sizes: str = "2,3") -> str:
        assert main(["curve", "t.csv", *([f"--sizes={sizes}"] if sizes else []), *options]) == status
        out, err = capsys.readouterr()
        assert err.count("\n") == (status > 0)
        return err or out

    return run


def test_the_page_and_what_each_reference_did(said: Said) -> None:
    page = said("--policy=lru")
    assert page.startswith("t.csv, csv\n6 references to blocks of 4 KiB\n\nhit ratio ")
    assert re.search(r"^ +2 +0\.007812 +16\.67%", page, re.MULTILINE)
    steps = said("--policy=lru", "--steps").removeprefix(page.rstrip("\n")).split("\n\n")
    assert steps[1] == STEPS
    assert steps[2].startswith("lru, 3 frames: 3 hits, 3 misses, of 6\n")
    assert len(steps) == 3


def test_the_same_as_json(said: Said) -> None:
    found = json.loads(said("--policy=lru", "--json"))
    assert found == {"version": 1, "trace": "t.csv", "format": "csv", "bad_lines": 0, "notes": [], "rows": [
        {"policy": "lru", "cache_blocks": 2, "refs": 6, "hits": 1, "hit_ratio": pytest.approx(1 / 6)},
        {"policy": "lru", "cache_blocks": 3, "refs": 6, "hits": 3, "hit_ratio": 0.5}],
        "warm_up_references": 0, "lru": {
            "most_hits": 0.5, "enough": 3, "knee": 3, "working_sets": [{"references": 1, "size": 1.0}],
            "causes": [{"size": 2, "hits": 1 / 6, "compulsory": 0.5, "capacity": 0.0, "policy": 2 / 6},
                       {"size": 3, "hits": 0.5, "compulsory": 0.5, "capacity": 0.0, "policy": 0.0}]}}
    more = json.loads(said("--policy=fifo", "--json", "--over-time", "--by-device", "--tiers=8K:1us,4K:2us"))
    assert {name: len(more[name]) for name in ("over_time", "by_device", "tiers")} == {
        "over_time": 12, "by_device": 2, "tiers": 3}
    steps = json.loads(said("--policy=lru,opt,2q", "--json", "--steps"))["steps"]
    assert list(steps) == [f"{policy}, {size} frames" for policy in ("lru", "opt", "2q") for size in (2, 3)]
    hits = [sum(step["hit"] for step in each) for each in steps.values()]
    assert hits[:4] == [1, 3, 2, 3], "the bound knows what comes"
    assert steps["lru, 2 frames"][2] == {"reference": "2", "hit": False, "evicted": "0", "frames": ["2", "1"]}


def test_the_table_has_policies_if_there_are_several(said: Said, tmp_path: Path) -> None:
    said("--policy=lru", "--out=one.csv")
    said("--policy=lru,opt", "--out=two.csv")
    said("--policy=lru", "--out=size.csv", sizes="2")
    assert (tmp_path / "size.csv").read_text() == "cache_blocks,refs,hits,hit_ratio\n2,6,1,0.166667\n"
    assert (tmp_path / "one.csv").read_text() == "cache_blocks,refs,hits,hit_ratio\n2,6,1,0.166667\n3,6,3,0.5\n"
    assert (tmp_path / "two.csv").read_text() == (
        "policy,cache_blocks,refs,hits,hit_ratio\nlru,2,6,1,0.166667\nlru,3,6,3,0.5\nopt,2,6,2,0.333333\nopt,3,6,3,0.5\n")


def test_times_of_policies_stand_below_and_bounds_have_none(said: Said) -> None:
    page = said("--policy=lru,fifo,opt", "--cpu", sizes="1,2,3")
    rows = page[page.index("processor time"):].splitlines()
    assert rows[0] == f"{'processor time of a reference at 2':<44}{'':>12}{'of the least':>14}"
    assert [row[:44].rstrip() for row in rows[1:]] == ["lru", "fifo"]
    assert min(float(row[56:]) for row in rows[1:]) == 1.0
    units = {row.split()[2] for row in rows[1:]}
    assert len(units) == 1
    times = json.loads(said("--policy=lru,opt", "--cpu", "--json"))["cpu"]
    assert list(times) == ["lru"]
    assert 1e-9 < times["lru"] < 1e-2
    assert "all that are asked for are bounds" in said("--policy=opt", "--cpu", status=2)


def test_a_page_and_a_picture_as_files(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    picture = pictures.curve_picture
    monkeypatch.setattr(pictures, "curve_picture", lambda *told: titles.append(told[-1]) or picture(*told))
    page = said("--policy=lru", "--html=a.html", "--plot=a.svg")
    assert page.endswith("\n\na.svg: a picture of the curves\n")
    drawn = {name: (tmp_path / name).read_text() for name in ("a.html", "a.svg")}
    assert "<svg" in drawn["a.svg"]
    assert "t.csv, csv" in drawn["a.html"]
    assert "6 references to blocks of 4 KiB" in drawn["a.html"]
    assert "<title>t.csv" in drawn["a.html"]
    assert titles == ["t.csv", "t.csv"]


def test_a_key_that_is_no_text_is_replaced_in_a_page(said: Said, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('{"page": "\\ud800"}\n{"page": "b"}\n')
    said("--keys=page", "--policy=lru", "--steps", "--html=a.html", sizes="2")
    assert "    1          ?  miss" in (tmp_path / "a.html").read_text("utf-8")


def test_the_picture_in_the_terminal(said: Said) -> None:
    lines = said("--policy=lru", "--plot=-", sizes="2,1000").splitlines()
    first = lines.index("hit ratio")
    assert lines[first - 1] == ""
    assert lines[first + 1].startswith("  0.5")
    assert lines[-1].split() == ["2", "blocks", "in", "the", "cache", "1,000"]
    assert max(map(len, lines[first:])) == 99


@pytest.mark.parametrize(("points", "every"), [(1, 1), (11, 1), (25, 2)])
def test_a_curve_in_the_terminal_has_a_mark_at_each_twelfth_of_its_points(
    points: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.studies.plots.terminal.drawn_lines", lambda *told: [repr(told)])
    rows = [{"policy": policy, "cache_blocks": 1000 * size, "hit_ratio": ratio} for policy, ratio in
            (("lru", 0.5), ("opt", 0.75)) for size in range(1, points + 1)]
    lines = [TextLine(policy, [(1000 * size, ratio) for size in range(1, points + 1)], every) for policy, ratio in
             (("lru", 0.5), ("opt", 0.75))]
    ends = ("1,000", f"{points},000")
    assert _text(rows, 60) == f"hit ratio\n{(lines, 60, ends, 'blocks in the cache', '1', 'policy')!r}"


@pytest.mark.parametrize(("options", "sizes"), [
    (["--steps"], ""), (["--steps", "--sample=0.5"], "2"), (["--steps", "--bytes"], "64K"),
    (["--steps", "--tiers=64K,128K"], ""),
])  # fmt: skip
def test_steps_are_shown_of_blocks_alike_alone(options: list[str], sizes: str, said: Said) -> None:
    assert said(*options, status=2, sizes=sizes).startswith("spindle: --steps shows a cache of blocks or objects that")


def test_times_are_measured_of_blocks_alike_alone(said: Said) -> None:
    for option in ("--sample=0.5", "--bytes"):
        told = said("--cpu", option, status=2, sizes="64K")
        assert told.startswith("spindle: --cpu measures caches of blocks or objects that are all alike")
