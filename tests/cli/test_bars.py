"""Bars that commands draw on a terminal while they compute, by their titles, and in the unit of what they count."""

import re
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import one_run
from spindle.cli.main import main
from spindle.output.progress import progress_bar
from spindle.sim.measure.result import Recorder, Result
from tests.output.test_progress import Terminal

LIST = "op,lba,sectors,gap_before_ms\nR,0,1,0\nR,5,1,3\n"
PROMPTS = '{"timestamp": 0, "input_length": 512, "output_length": 1, "hash_ids": [1]}\n'


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal; not a fixture, for pytest puts its own back before a test."""
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)
    monkeypatch.setattr(sys, "stderr", drawn := Terminal())
    return drawn


@pytest.mark.parametrize(("words", "titles"), [
    ("convert trace.csv out.csv --to csv", ["writing"]), ("characterise trace.csv", ["reading"]),
    ("characterise trace.csv --limit 9", ["reading"]), ("replay trace.csv --drive small.yaml", ["replaying"]),
    ("curve trace.csv --policy lru --sizes 2", ["reading", "replaying"]), ("drive small.yaml list.csv", ["replaying"]),
    ("kv prompts.jsonl --model llama-3.1-8b --gpus 1 --hbm 1G,2G", ["serving"]),
    ("kv prompts.jsonl --model llama-3.1-8b --gpus 1 --hbm 1G", []),
])  # fmt: skip
def test_a_bar_says_what_is_done(words: str, titles: list[str], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "list.csv").write_text(LIST)
    (place / "prompts.jsonl").write_text(PROMPTS)
    shown = terminal(monkeypatch)
    assert main(words.split()) == 0
    drawn = shown.getvalue()
    assert [each.partition(":")[0] for each in drawn.replace("\r", "\n").split("\n") if ":   0%" in each] == titles
    assert drawn.count("00:00, ? left") == len(titles) - ("serving" in titles), "time gone, and time left"


def test_a_run_s_bar_is_of_simulated_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told three times how far the clock is: of 200 s, 0, 50 and 150 are over."""
    shown = terminal(monkeypatch)
    monkeypatch.setattr(one_run, "progress_bar", partial(progress_bar, mininterval=0.0, miniters=0))
    seen: list[tuple[float, float]] = []

    def run(seconds: int, watch: Any) -> Result:
        for now in (0.0, 50.0, 150.0):
            watch.progress(now, 200.0)
        return Result("toy", {}, 1, 0.0, 200.0, {}, Recorder())

    def progress(now: float, end: float) -> None:
        seen.append((now, end))

    film: Any = progress
    system: Any = SimpleNamespace(run=run)
    result = one_run.watch_run(system, {"seconds": 7}, None, film)
    assert (result.system, seen) == ("toy", [(0.0, 200.0), (50.0, 200.0), (150.0, 200.0)])
    assert re.findall(r"(\d*)%?\|[^|]*\| (\d+) simulated s, [^ ]+ left", shown.getvalue()) == [
        ("", "0"), ("0", "0"), ("25", "50"), ("75", "150")]
