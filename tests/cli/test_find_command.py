"""Tests ``spindle find``: its answer with the values tried, as text and as JSON, and mistakes in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.cli import search
from spindle.cli.main import main
from spindle.questions.settings import Setting
from spindle.studies.confidence import Interval
from spindle.studies.sweep.find import SearchProbe

SHORT = ("--set", "minutes=0.5", "--set", "warm_up=0.25", "--seeds", "2", "--most", "2", "--workers", "1")


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["find", *arguments, "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_the_number_of_users_that_a_machine_bears(capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(capsys, "max_iv", "users", "--where", "disc_busy <= 0.3", "--between", "1:8", *SHORT)
    rows = answer["curve"]
    met = [row["users"] for row in rows if row["disc_busy"] <= 0.3]
    assert answer["value"] == max(met)
    assert answer["value"] + 1 in [row["users"] for row in rows]
    assert answer["low"] <= answer["value"] <= answer["high"]
    assert answer["runs"] == sum(row["seeds"] for row in rows)


def test_a_line_of_progress_has_one_unit_the_bracket_and_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 8.0])
    monkeypatch.setattr(search, "monotonic", lambda: next(clock))
    probe = SearchProbe("users", 5, "response_mean", Interval(0.241, 0.1461, 0.3359, 4), (2, 9), 3, False)
    lines = search.ProbeLines(Setting(int))
    lines(probe)
    assert capsys.readouterr().err == "", "it is no terminal, and takes no time yet"
    lines(probe)
    assert capsys.readouterr().err == (
        "users 5: response_mean 0.241 s \u00b1 0.0949 s (4 seeds); between 2 and 9; about 12 s left\n")


def test_users_are_terminals_where_a_system_has_these(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--where", "disc_busy <= 0.3", "--between", "1:8", *SHORT)
    assert found(capsys, "max_iv", "terminals", *asked) == found(capsys, "max_iv", "users", *asked)


@pytest.mark.parametrize(("arguments", "says"), [
    (("sata_ncq", "depth", "--where", "nonsense <= 2", "--requests", "50"), "or response_sd or seed?\n"),
    (("sata_ncq", "depth", "--where", "total_service <= 4", "--seeds", "1"), "--seeds must be a whole number from 2"),
    (("max_iv", "userz", "--where", "x <= 1"), "unknown name of a number 'userz'"),
    (("max_iv", "users", "--where", "x"), "a condition is a measure, <= or >=, and a number"),
    (("max_iv", "users", "--where", "gain >= 1"), "gain needs values to compare with"),
    (("max_iv", "users", "--where", "x >= 1", "--against", "sectors=0"), "--against is for gain, not for x"),
    (("max_iv", "users", "--where", "x >= 1", "--between", "3"), "--between takes LOW:HIGH"),
    (("max_iv", "users", "--where", "x >= 1", "--between", "3:2"), "--between must go up"),
    (("load", "network_rate", "--where", "p95 <= 15ms", "--between", "0:200K"),
     "network_rate of 0 is no limit, and no small value: search from above 0"),
    (("load", "iops", "--where", "p95 <= 15ms", "--between", "0:20"),
     "iops of 0 is as fast as the threads get them done, and no small value"),
    (("max_iv", "users", "--where", "x >= 1", "--set", "sectorz=3"), "unknown name to set 'sectorz'"),
    (("max_iv", "sectors", "--where", "disc_busy >= 0.5", *SHORT),
     "not 4096 (at sectors=4096, seed=1); without --between sectors is searched from 64 to 4096"),
])  # fmt: skip
def test_questions_that_are_none(arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_ends_that_do_not_part_have_their_units(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "sata_ncq", "cache", "--where", "hit_ratio >= 0", "--between", "64K:4M", "--seeds", "2",
                 "--most", "2", "--workers", "1", "--set", "requests=50"]) == 2  # fmt: skip
    assert capsys.readouterr().err == (
        "spindle: cache from 64 KiB to 4 MiB: hit_ratio >= 0 holds at both ends, and at 181 KiB, 512 KiB, 1.414 MiB "
        "between them; search where it holds at one\n"
    )


def test_a_short_name_is_understood_and_a_long_search_tells_where_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.cli.search.SILENT_SECONDS", 0.0)
    assert main(["find", "machine", "terminals", "--where", "p95 <= 1s", "--between", "1:200", *SHORT]) == 0
    out, err = capsys.readouterr()
    assert "with response_p95 <= 1 s" in out
    first, *_, last = err.splitlines()
    assert first.startswith("terminals 1: response_p95 ")
    assert "; between " in last
    assert last.endswith(" left")


def test_a_search_that_is_stopped_says_what_it_knows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(lines: object, probe: SearchProbe) -> None:
        if probe.bracket is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr("spindle.cli.search.ProbeLines.__call__", stop)
    assert main(["find", "max_iv", "users", "--where", "disc_busy <= 0.3", "--between", "1:8", *SHORT]) == 130
    out, err = capsys.readouterr()
    assert (out, err) == ("", "spindle: interrupted after 12 runs: disc_busy <= 0.3 ends between users 1 and 8\n")


def test_json_on_the_screen_leaves_out_no_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("max_iv", "users", "--where", "disc_busy <= 0.3", "--between", "1:8", *SHORT)
    assert found(capsys, *asked, f"--plot={tmp_path}/x.png") == found(capsys, *asked)
    assert (tmp_path / "x.png").exists()
