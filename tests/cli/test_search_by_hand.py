"""A search by hand: its range, its pilots, its lines of progress, what it says where it fails, and its table."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import find, search
from spindle.cli.find_question import FindQuestion
from spindle.cli.main import main
from spindle.cli.run_options import SystemOptions
from spindle.cli.search import ProbeLines, _answer, _pilot, _range, _text, _theory, answer_find, answer_table
from spindle.cli.workers import WorkerOptions
from spindle.questions.settings import Setting
from spindle.sim.error import UserError
from spindle.studies.confidence import Interval
from spindle.studies.settings import settings_of
from spindle.studies.sweep.find import Condition, FindAnswer, NotPartedError, SearchProbe, SearchStopped
from spindle.system import System
from spindle.systems import find_system
from tests.output.test_progress import Terminal

USERS, BYTES, SECONDS = Setting(int, "1"), Setting(int, "bytes"), Setting(float, "s")
FAST = Condition.read("response_mean <= 2")


def of_run(run: Callable[..., Any]) -> System:
    system: Any = SimpleNamespace(run=run)
    return system


def usual_is(value: object, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.setattr(search, "usual", lambda *_: value)
    return of_run(dict)


@pytest.mark.parametrize(("usual", "text", "ends"), [
    (64, "", (8, 512)), (3, "", (1, 24)), (0.4, "", (0.05, 3.2)), (64, "2:5", (2, 5)), (None, "2:5", (2, 5)),
])  # fmt: skip
def test_the_range_is_eight_times_the_usual_value_to_either_side(
    usual: object, text: str, ends: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _range(usual_is(usual, monkeypatch), "users", USERS, text)
    assert found == pytest.approx(ends)
    assert isinstance(found[0], int) is isinstance(ends[0], int)
    with pytest.raises(UserError, match=r"^--between takes LOW:HIGH"):
        _range(of_run(dict), "users", USERS, "3")


@pytest.mark.parametrize("usual", [None, 0, "auto"])
def test_without_a_usual_value_there_is_no_range(usual: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="users has no usual value to search around; give --between LOW:HIGH"):
        _range(usual_is(usual, monkeypatch), "users", USERS, "")


def failing(error: BaseException) -> Callable[..., FindAnswer]:
    def fail(**fixed: Any) -> FindAnswer:
        assert fixed == {"seed": 7}
        raise error

    return fail


def answered(error: BaseException, said: str) -> FindAnswer:
    return _answer(failing(error), "memory", BYTES, (1024.0, 65536.0), said, {"seed": 7})


@pytest.mark.parametrize(("error", "said", "says"), [
    (UserError("odd"), "", "odd"), (UserError("odd"), "1K:64K", "odd"),
    (UserError("memory=5 is odd"), "1K:64K", "memory=5 is odd"),
    (UserError("memory=5 is odd"), "", "memory=5 is odd; without --between memory is searched from 1 KiB to 64 KiB"),
    (NotPartedError("memory", (1024, 65536), FAST, True, {}), "1K:64K", "memory from 1 KiB to 64 KiB: "),
])  # fmt: skip
def test_a_mistake_tells_of_a_range_that_nobody_gave(error: UserError, said: str, says: str) -> None:
    with pytest.raises(UserError) as told:
        answered(error, said)
    assert str(told.value) == says or (says.endswith(": ") and str(told.value).startswith(says))
    assert ("without --between" in str(told.value)) is ("without --between" in says)


def test_ends_that_are_alike_and_a_stop_are_told_in_the_unit_of_the_argument() -> None:
    with pytest.raises(UserError, match=r"holds at both ends.*; without --between memory is searched from 1 KiB to 64"):
        answered(NotPartedError("memory", (1024, 65536), FAST, True, {}), "")
    with pytest.raises(KeyboardInterrupt) as stop:
        answered(SearchStopped("memory", FAST, (1024.0, 2048.0), 5), "")
    assert str(stop.value) == "interrupted after 5 runs: response_mean <= 2 s ends between memory 1 KiB and 2 KiB"


def test_a_pilot_is_an_eighth_as_long() -> None:
    def run(users: int = 1, minutes: float = 20.0, warm_up: float = 5, requests: int = 1000) -> None: ...

    short = _pilot(of_run(run), "minutes", dict)
    assert short is not None
    assert short(users=3) == {"users": 3, "warm_up": 2, "requests": 125}
    assert short(warm_up=1, requests=7) == {"warm_up": 1, "requests": 1}
    of_minutes = _pilot(of_run(run), "users", dict)
    assert of_minutes is not None
    assert of_minutes(minutes=4) == {"minutes": 0.5, "warm_up": 2, "requests": 125}
    assert _pilot(of_run(lambda users: None), "users", dict) is None
    assert _pilot(of_run(lambda minutes=None: None), "users", dict) is None


def test_the_guess_is_the_most_users_that_theory_lets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each user took a hundredth of a second: 2 s hold 200, and from 5 to 405 each second one is tried."""
    def theory(frame: pd.DataFrame, users: str) -> pd.DataFrame:
        assert frame[users].is_monotonic_increasing
        return frame.assign(mva=frame[users] * frame["each"])

    monkeypatch.setattr(search, "add_theory", theory)
    assert _theory("users", FAST, (5, 405))({"each": 0.01, "users": 7}) == 199
    assert _theory("users", FAST, (195, 394))({"each": 0.01}) == 200, "199 of them, each is tried"
    assert _theory("users", FAST, (5, 200))({"each": 0.01}) == 200
    assert _theory("users", FAST, (5, 100))({"each": 0.01}) == 100
    assert _theory("users", FAST, (5, 100))({"each": 9.0}) == 5


def answer(**columns: list[float]) -> FindAnswer:
    return FindAnswer("memory", FAST, 1.0, 1.0, 1.0, True, 3, pd.DataFrame(columns))


def test_the_table_has_bounds_where_there_are_several_seeds() -> None:
    bounds = {"response_mean_low": [0.2, 1.0], "response_mean_high": [0.3, 3.0]}
    several = answer_table(answer(memory=[1024, 2048], response_mean=[0.0025, 2.0], **bounds, seeds=[1, 2]), BYTES)
    assert [line.split() for line in several.splitlines()] == [
        ["memory", "response_mean", "response_mean_low", "response_mean_high", "seeds"],
        ["1", "KiB", "0.0025", "s", "0.2", "s", "0.3", "s", "1"], ["2", "KiB", "2", "s", "1", "s", "3", "s", "2"]]
    one = answer_table(answer(memory=[1024, 2048], response_mean=[0.0025, 0.002], **bounds, seeds=[1, 1]), BYTES)
    assert [line.split() for line in one.splitlines()] == [["memory", "response_mean"], ["1", "KiB", "2.5", "ms"],
                                                          ["2", "KiB", "2", "ms"]]  # fmt: skip


def test_a_value_has_its_unit() -> None:
    values = (BYTES, 65536.0), (BYTES, 1.5e6), (SECONDS, 0.005), (USERS, 63), (Setting(float, "bytes/s"), 1.5e6)
    assert [_text(*each) for each in values] == ["64 KiB", "1.43051 MiB", "5 ms", "63", "1.5 MB/s"]


@pytest.mark.parametrize(("probe", "said"), [
    (SearchProbe("memory", 2048, "response_mean", Interval(0.5, 0.4, 0.6, 3), (1024, 4096), 3, False),
     "memory 2 KiB: response_mean 0.5 s \u00b1 0.1 s (3 seeds); between 1 KiB and 4 KiB; about 12 s left"),
    (SearchProbe("memory", 2048, "response_mean", Interval(0.5, 0.4, 0.6, 1), None, 0, True),
     "memory 2 KiB: response_mean 0.5 s (a short run)"),
    (SearchProbe("memory", 2048, "response_mean", Interval(0.005, 0.004, 0.006, 2), (1024, 4096), 0, False),
     "memory 2 KiB: response_mean 5 ms \u00b1 1 ms (2 seeds); between 1 KiB and 4 KiB"),
    (SearchProbe("memory", 2048, "response_mean", Interval(2.0, 2.0, 2.0, 1), None, 0, False),
     "memory 2 KiB: response_mean 2 s (1 seed)"),
])  # fmt: skip
def test_a_line_of_progress_is_printed_at_once_on_a_terminal_and_else_after_some_seconds(
    probe: SearchProbe, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(search, "monotonic", lambda: now[0])
    for stream, printed in ((Terminal(), [4.0, 8.3]), (StringIO(), [8.3])):
        monkeypatch.setattr(sys, "stderr", stream)
        now[0] = 100.0
        lines = ProbeLines(BYTES)
        for seconds in (4.0, 8.3):
            now[0] = 100.0 + seconds
            lines(probe)
        assert stream.getvalue() == f"{said}\n" * len(printed)


# The whole search of a machine, whose runs are made up.


def asked_for(monkeypatch: pytest.MonkeyPatch, name: str, of: str = "max_iv", **options: Any) -> dict[str, Any]:
    """What is searched where the options ask for that."""
    told: dict[str, Any] = {}

    def searching(run: object, name: str, condition: Condition, between: object, **given: Any) -> FindAnswer:
        told.update(given, run=run, name=name, condition=str(condition), between=between)
        return answer()

    monkeypatch.setattr(search, "find", searching)
    asked = FindQuestion(SystemOptions(of), name, **{"where": "mean <= 2", "between": "1:9", **options})
    answer_find(asked, find_system("max_iv"), name, USERS, {"sectors": 64})
    return told


def test_a_search_is_asked_for_what_the_options_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = asked_for(monkeypatch, "users")
    assert (usual["name"], usual["condition"], usual["between"], usual["sectors"]) == (
        "users", "response_mean <= 2 s", (1, 9), 64)
    assert [usual[each] for each in ("seeds", "most", "precision", "workers", "store")] == [10, 40, 0.05, None, None]
    assert (usual["guess"] is None, usual["pilot"] is None, type(usual["probed"])) == (False, False, ProbeLines)
    monkeypatch.setattr(search, "add_theory", lambda frame, users: frame.assign(mva=frame[users] * 0.5))
    assert usual["guess"]({}) == 4, "each of them takes half of a second, and 2 are allowed"
    store = tmp_path / "kept"
    other = asked_for(monkeypatch, "users", where="p95 <= 2", seeds=7, most=3, precision=0.5, store=str(store),
                      runners=WorkerOptions(workers=3))  # fmt: skip
    assert [other[each] for each in ("seeds", "most", "precision", "workers", "store")] == [7, 7, 0.5, 3, store]
    assert (other["guess"], store.is_dir()) == (None, True)
    assert asked_for(monkeypatch, "memory", where="mean <= 2")["guess"] is None
    assert [*asked_for(monkeypatch, "minutes")["pilot"].args[1]] == ["warm_up"], "what is searched is not made shorter"
    monkeypatch.setattr(search, "is_certain", lambda name: name == "max_iv")
    assert asked_for(monkeypatch, "users")["seeds"] == 1


@pytest.mark.parametrize(("between", "says"), [
    ("1:9", "users=5 is odd"), ("", "users=5 is odd; without --between users is searched from 8 to 512"),
])  # fmt: skip
def test_a_search_that_fails_tells_of_its_ends_if_nobody_gave_them(
    between: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise UserError("users=5 is odd")

    monkeypatch.setattr(search, "usual", lambda system, name: {("max_iv", "users"): 64}[system.name, name])
    monkeypatch.setattr(search, "find", fail)
    asked = FindQuestion(SystemOptions("max_iv"), "users", where="mean <= 2", between=between)
    with pytest.raises(UserError) as told:
        answer_find(asked, find_system("max_iv"), "users", USERS, {})
    assert str(told.value) == says


def test_a_gain_is_against_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "run_of", lambda name, system, axes: (name, system.name, axes))
    monkeypatch.setattr(search, "gain", lambda run, against: ("gain", run, against))
    asked = {"where": "gain >= 1.1", "against": ("sectors=0", "users=2")}
    run = ("mine.py:M", "max_iv", {"sectors": [64, 0], "users": [2]})
    found = asked_for(monkeypatch, "users", "mine.py:M", **asked)
    assert found["run"] == ("gain", run, {"sectors": 0, "users": 2})
    assert asked_for(monkeypatch, "users")["run"] == ("max_iv", "max_iv", {"sectors": [64]})
    with pytest.raises(UserError, match=r"^--against is for gain, not for response_mean$"):
        asked_for(monkeypatch, "users", against=("sectors=0",))
    with pytest.raises(UserError, match=r"^--against takes NAME=VALUE, not 'sectors'$"):
        asked_for(monkeypatch, "users", against=("sectors",))
    with pytest.raises(UserError, match=r"^--store must name a folder|^--store: cannot make"):
        asked_for(monkeypatch, "users", store="/dev/null/kept")
    with pytest.raises(UserError, match=r"^gain needs values to compare with, such as --against caching=false$"):
        asked_for(monkeypatch, "users", where="gain >= 1.1")


def test_an_answer_is_a_table_and_a_sentence_or_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[Any] = []
    found = replace(answer(memory=[1024, 2048], response_mean=[0.25, 2.0], seeds=[1, 1]), value=1024.0, low=512.0,
                    high=2048.0, largest=False)  # fmt: skip
    monkeypatch.setattr(search, "answer_find", lambda *given: told.append(given) or found)
    monkeypatch.setattr("spindle.cli.plotting.plot_found", lambda *given: told.append(given) or ["", "a picture"])
    warned: list[Any] = []
    for name in ("warn_of_guesses", "warn_of_idle"):
        monkeypatch.setattr(find, name, lambda of, axes, name=name: warned.append((name, str(of)[:6], axes)))
    words = ("find", "max_iv", "memory", "--where=mean <= 2", "--sectors=64")
    assert main((*words, "--plot=p.png")) == 0
    axes = {"sectors": [64]}
    assert warned == [("warn_of_guesses", "max_iv", axes), ("warn_of_idle", "System", axes)]
    table = answer_table(found, settings_of(find_system("max_iv"))["memory"])
    assert capsys.readouterr().out == f"{table}\n\n{found.text('bytes')}\n\na picture\n"
    (asked, system, name, setting, fixed), (drawn, of, path) = told
    assert (asked.where, system.name, name, setting.unit, fixed) == ("mean <= 2", "max_iv", "memory", "bytes", {
        "sectors": 64})  # fmt: skip
    assert (drawn, of, path) == (found, setting, Path("p.png"))
    assert main((*words, "--json", "--plot=p.png")) == 0
    text = capsys.readouterr().out
    assert text.startswith('{\n  "system"')
    assert json.loads(text) == {
        "system": "max_iv", "name": "memory", "where": "response_mean <= 2 s", "value": 1024.0, "low": 512.0,
        "high": 2048.0, "largest": False, "step": False, "runs": 3,
        "curve": [{"memory": 1024, "response_mean": 0.25, "seeds": 1},
                  {"memory": 2048, "response_mean": 2.0, "seeds": 1}]}  # fmt: skip
    assert len(told) == 4, "a picture is drawn beside it, too"
    for more, says in (("--memory=1M", "memory is searched, and cannot be given as well"),
                       ("--plot=p.gif", "--plot must name a file that ends in")):  # fmt: skip
        assert main((*words, more)) == 2
        assert says in capsys.readouterr().err


@pytest.mark.parametrize(("system", "name", "searched"), [
    ("max_iv", "terminals", "users"), ("hp3000", "clients", "terminals"), ("max_iv", "hash-entries", "hash_entries"),
])  # fmt: skip
def test_users_are_called_as_the_system_calls_them(
    system: str, name: str, searched: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(search, "answer_find", lambda *given: told.append(given[2]) or answer(
        memory=[1], response_mean=[0.25], seeds=[1]))  # fmt: skip
    monkeypatch.setattr("spindle.cli.plotting.plot_found", lambda *_: pytest.fail("nobody asked for a picture"))
    assert main(["find", system, name, "--where=mean <= 2", "--json"]) == 0
    assert (told, json.loads(capsys.readouterr().out)["name"]) == ([searched], searched)
    for of, none in ((system, "scheduler"), (system, "no-such"), ("max_iv", "mix"), ("sata_ncq", "users")):
        assert main(["find", of, none, "--where=mean <= 2"]) == 2
        assert f"unknown name of a number '{none}'" in capsys.readouterr().err
    assert main(["find", "hp3000", "terminals", "--where=mean <= 2", "--log=x.csv"]) == 2
    assert "unknown option '--log'" in capsys.readouterr().err
    monkeypatch.setattr(find, "settings_of", lambda system: {"terminals": USERS, "users": USERS})
    assert main(["find", "max_iv", "users", "--where=mean <= 2"]) == 0
    assert told == [searched, "users"], "and as it is said where a system knows both"
