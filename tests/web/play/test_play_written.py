"""Tests that the commands and the Python that the page shows give the same numbers as the page."""

import json
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.models.hp3000.system import TepeScripts
from spindle.models.windows_nt.system import ProbeScripts
from spindle.web.play.worker import compute, digest, plan

SHORT = {"terminals": "4", "minutes": "30s", "warm_up": "0"}
VARIED = [
    {"system": "hp3000", "given": {**SHORT, "caching": "false", "drive": "hp7925"}, "vary": "hit_cpu",
     "values": ["2ms", "4ms"], "seeds": 2},
    {"system": "sata_ncq", "given": {"requests": "200"}, "vary": "policy", "values": ["lru", "arc"], "seeds": 1},
    {"system": "unix_stdio", "given": {"program": "r08", "seconds": "5s"}, "vary": "warm", "values": ["true", "false"],
     "seeds": 1},
    {"system": "machine", "given": SHORT, "vary": "policy", "values": ["lru", "arc"], "seeds": 1},
]  # fmt: skip
BUILT = {"drives": "2", "drive": "hp7925", "policy": "s3-fifo", "scheduler": "sptf", "memory": "2MiB",
         "read_ahead": "16KiB", "write_back": "true", "writes": "0.2", "sequential": "0.3", "think": "2s",
         "terminals": "4", "minutes": "30s", "warm_up": "6s"}  # fmt: skip
ALONE = [
    {"system": "hp3000", "given": {**SHORT, "caching": "no", "near": "0.5", "scheduler": "sptf"}},
    {"system": "hp3000", "given": {"minutes": "6s", "warm_up": "0"}},
    {"system": "windows_nt", "given": {"probe": "workloads/probe/random_read.scr", "seconds": "4s"}},
    {"system": "max_iv", "given": {"users": "2", "minutes": "30s", "warm_up": "0", "order": "reversed"}},
    {"system": "machine", "given": BUILT},
]  # fmt: skip
SCRIPTED = [
    {"system": "hp3000", "given": {"minutes": "30s", "warm_up": "0"}, "vary": "terminals", "values": ["3", "5"],
     "files": TepeScripts().shipped_files()["orders_21.tepe"], "seeds": 2},
    {"system": "windows_nt", "given": {"seconds": "4s"}, "files": ProbeScripts().shipped_files()["random_read.scr"]},
]  # fmt: skip


def rows(request: dict[str, Any]) -> list[Any]:
    """What the page computes, in the order of its runs."""
    answer = json.loads(plan(json.dumps(request)))
    assert "error" not in answer
    return [json.loads(compute(json.dumps({"system": request["system"], "files": request.get("files", {}),
                                           "given": point, "seed": seed})))
            for seed in range(1, answer["seeds"] + 1) for point in answer["points"]]  # fmt: skip


def typed(request: dict[str, Any]) -> tuple[str, str]:
    answer = json.loads(plan(json.dumps(request)))
    return answer["command"], answer["python"]


def in_python(text: str) -> list[str]:
    names: dict[str, Any] = {}
    exec(text, names)
    return [digest(each) for each in names.get("results", [names.get("result")])]


@pytest.mark.parametrize("request_", VARIED, ids=lambda request: request["system"])
def test_a_sweep_that_is_typed_gives_the_rows_of_the_page(
    request_: dict[str, Any], tmp_path: Path
) -> None:
    command, python = typed(request_)
    expected = rows(request_)
    table = tmp_path / "rows.parquet"
    assert main([*shlex.split(command)[1:], "--workers", "1", "--out", str(table)]) == 0
    means = pd.read_parquet(table)["response_mean"]
    assert sorted(means) == sorted(row["summary"]["response_mean"] for row in expected)
    assert in_python(python) == [row["digest"] for row in expected]


@pytest.mark.parametrize("request_", [*ALONE, *SCRIPTED], ids=lambda request: f"{request['system']}{len(request)}")
def test_runs_that_are_typed_give_the_numbers_of_the_page(
    request_: dict[str, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if request_.get("files"):
        monkeypatch.chdir(tmp_path)
    for name, text in request_.get("files", {}).items():
        Path(name).write_text(text, "utf-8")
    command, python = typed(request_)
    expected = rows(request_)
    means = []
    for line in command.splitlines():
        assert main([*shlex.split(line)[1:], "--json"]) == 0
        means.append(json.loads(capsys.readouterr().out)["summary"]["response_mean"])
    by_point = [row["summary"]["response_mean"] for row in expected]
    assert sorted(means) == sorted(by_point)
    assert sorted(in_python(python)) == sorted(row["digest"] for row in expected)


def test_the_file_of_a_machine_from_parts_gives_the_numbers_of_the_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    request_ = {"system": "machine", "given": BUILT, "seeds": 2}
    file = json.loads(plan(json.dumps(request_)))["file"]
    Path(file["name"]).write_text(file["text"], "utf-8")
    assert file["command"] == "spindle run machine.py\nspindle run machine.py --seed 2"
    for line, row in zip(file["command"].splitlines(), rows(request_), strict=True):
        assert main([*shlex.split(line)[1:], "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)["summary"]
        assert summary == row["summary"]


def test_what_is_varied_is_an_option_of_the_file() -> None:
    request_ = {"system": "machine", "given": {"policy": "arc"}, "vary": "drives", "values": ["1", "2"], "seeds": 3}
    file = json.loads(plan(json.dumps(request_)))["file"]
    assert file["command"] == "spindle sweep machine.py --drives 1,2 --seeds 3"
    assert 'policy: PolicyForm = "arc"' in file["text"]
    assert json.loads(plan(json.dumps({"system": "hp3000"})))["file"] is None
