"""Tests ``spindle characterise``: text, numbers and table agree, and synthetic requests have the same distributions."""

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import characterise
from spindle.cli.characterise import character_lines
from spindle.sim.error import UserError
from spindle.workloads.traces.reader import Trace
from tests.traces.conftest import Said, some, trace_of

FOUR = trace_of((0, "R", 0, 8), (0.5, "R", 8, 8), (0.75, "W", 0, 16), (2, "R", 0, 8))


def test_a_trace_by_hand(said: Said, place: Path) -> None:
    (place / "four.csv").write_text(FOUR)
    found = json.loads(said("characterise", "four.csv", "--json"))
    assert (found["version"], found["trace"], found["format"]) == (1, "four.csv", "csv")
    assert (found["requests"], found["read_share"], found["seconds"]) == (4, 0.75, 2.0)
    assert json.loads(said("characterise", "four.csv", "--json", "--limit=3"))["requests"] == 3
    assert found["reads"]["size"] == {"mean": 4096, "median": 4096, "p90": 4096, "p99": 4096, "most": 4096}
    assert found["reads"]["run"]["most"] == 2
    assert (found["writes"]["requests"], found["writes"]["bytes"]) == (1, 8192)
    assert found["gap"]["median"] == pytest.approx(0.5)
    assert (found["references"], found["blocks"], found["distance"]["most"]) == (5, 2, 1)
    assert found["hot"]["1"] == 1.0


def test_a_trace_is_described_for_other_commands_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, int]] = []
    monkeypatch.setattr(characterise, "_bar", lambda trace, limit: read.append((str(trace.path), limit)) or trace)
    (place / "four.csv").write_text(FOUR + "junk\n")
    with pytest.raises(UserError, match=r"four\.csv:6:1"):
        character_lines("four.csv")
    (place / "four.csv").write_text(FOUR)
    lines = character_lines("./four.csv")
    assert lines[:2] == ["./four.csv, csv", "4 requests of 1 device in 2 s, 2 a second; 75.0% read"]
    assert read == [("four.csv", 0)] * 2


def test_lines_that_are_passed_over_are_told(said: Said, place: Path) -> None:
    (place / "four.csv").write_text(FOUR + "junk\n")
    assert said("characterise", "four.csv", "--skip-bad=1").splitlines()[1].startswith("1 bad line passed over, the")


def test_a_picture_has_the_name_of_the_file_and_no_folder(
    said: Said, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    module: Any = SimpleNamespace(portrait=lambda character, title: title, save=lambda *told: made.append(told))
    for name in ("spindle.traces.pictures", "spindle.studies.plots.files"):
        monkeypatch.setitem(sys.modules, name, module)
    (place / "of").mkdir()
    (place / "of" / "four.csv").write_text(FOUR)
    found = json.loads(said("characterise", "of/four.csv", "--plot=p.png", "--json", "--format=csv"))
    assert (made, found["trace"], found["format"]) == ([("four.csv", Path("p.png"))], "of/four.csv", "csv")


def test_the_table_has_every_value(said: Said, place: Path) -> None:
    (place / "four.csv").write_text(FOUR)
    said("characterise", "four.csv", "--out", "found.csv")
    with (place / "found.csv").open() as file:
        rows = {(row["distribution"], float(row["value"])): int(row["count"]) for row in csv.DictReader(file)}
    assert rows == {("size of reads", 4096): 3, ("run of reads", 1): 1, ("run of reads", 2): 1,
                    ("size of writes", 8192): 1, ("run of writes", 1): 1, ("gap", 0.25): 1, ("gap", 0.5): 1,
                    ("gap", 1.25): 1, ("reuse distance", 1): 3}  # fmt: skip


def test_the_page_says_so_in_80_columns(said: Said, place: Path) -> None:
    (place / "four.csv").write_text(FOUR)
    page = said("characterise", "four.csv").splitlines()
    assert page[:2] == ["four.csv, csv", "4 requests of 1 device in 2 s, 2 a second; 75.0% read"]
    assert page[4].split() == ["size", "of", "reads,", "KiB", "3", "0.000", "4", "4", "4", "4"]
    assert "                   4 KiB   75.0%  ##########################" in page
    assert "5 references to 2 blocks of 4 KiB, 0.000 GiB" in page
    assert max(map(len, page)) <= 80


def test_without_times_and_reuse_there_is_a_page_and_a_picture(said: Said, place: Path) -> None:
    (place / "one.csv").write_text(trace_of(("W", 0, 8), head="op,lba_512,sectors"))
    page = said("characterise", "one.csv", "--plot", "one.png")
    assert page.splitlines()[1] == "1 request of 1 device; 0.0% read"
    assert "1 reference to 1 block of 4 KiB, 0.000 GiB" in page.splitlines()
    assert (place / "one.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("form", ["fio2", "fio3", "disksim"])
def test_synthetic_requests_have_the_same_marginals(said: Said, place: Path, form: str) -> None:
    """Of 3000, whose shares have a standard error of 0.009. Runs and hot spots are tested beside their maker."""
    (place / "trace.csv").write_text(some(3000))
    like = json.loads(said("characterise", "trace.csv", "--json", "--synthetic", "like.trace", "--as", form))
    made = json.loads(said("characterise", "like.trace", "--json"))
    assert made["format"] == form.rstrip("23")
    assert made["requests"] == like["requests"] == 3000
    assert made["read_share"] == pytest.approx(like["read_share"], abs=0.03)
    assert made["reads"]["size"]["mean"] == pytest.approx(like["reads"]["size"]["mean"], rel=0.05)
    assert made["reads"]["size"]["median"] == like["reads"]["size"]["median"]
    assert made["gap"]["median"] == pytest.approx(like["gap"]["median"], rel=0.1)
    assert made["sequential_share"] == pytest.approx(like["sequential_share"], abs=0.05)


def test_the_seed_says_which_requests(said: Said, place: Path) -> None:
    made = []
    for seed in ("1", "1", "two"):
        words = [] if not made else ["--seed", seed]
        page = said("characterise", "trace.csv", "--synthetic", "like.fio", *words)
        assert page.startswith("trace.csv, csv\n60 requests of 1 device in ")
        assert page.endswith(f"\n\nlike.fio: as many made-up requests with the same distributions, fio3, seed {seed}\n")
        made.append(list(Trace(Path("like.fio"))))
    assert made[0] == made[1] != made[2]


@pytest.mark.parametrize(("options", "says"), [
    (["--as", "fio2"], "--as is for --synthetic"),
    (["--synthetic", "x", "--as", "fio"], "unknown format to write a trace in 'fio': did you mean fio3 or fio2?"),
    *(([option, "trace.csv"], f"{option} would overwrite trace.csv, which is to be read")
      for option in ("--synthetic", "--out")),
    (["--synthetic=x", "--out=./x"], "--synthetic would overwrite x, which is --out"),
    (["--block", "256"], "a block of 256 bytes is too small for a trace: 512 is the least"),
    (["--block", "many"], "--block must be bytes, such as 4096, 64K, 1MiB or 6MB, not 'many'"),
    (["--limit", "1e3"], "--limit must be a whole number, not '1e3'"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused("characterise", "trace.csv", *options)
