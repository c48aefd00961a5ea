"""Tests options that change nothing: they are told by every face, and they change nothing indeed."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spindle import ask
from spindle.cli.main import main
from spindle.questions.idle import switched_off, without_arm
from spindle.questions.settings import Setting
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.disc.scheduling import Sptf, Sstf
from spindle.sim.disc.sheet_file.sheet import TEMPLATES
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.studies.idle import idle_notes
from spindle.studies.settings import parts_of, settings_of, usual, usual_part
from spindle.system import System
from spindle.systems import PLAYED, find_system
from tests.models.one_run import RUNS
from tests.traces.conftest import trace_of

BY_ARM = ("sstf", "scan", "c-scan", "look", "c-look", "sptf")
OTHERS = ("fcfs", "kyber", "mq-deadline", "reads-first")
FLASH = "samsung960pro"
NO_ARM = "{} goes by the arm, of which Samsung 960 Pro has none: requests are served as they come"
SPTF = NO_ARM.format("--scheduler sptf")
Said = Callable[..., str]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Requests that come at once, for places all over a drive, two for each."""
    path = tmp_path / "t.csv"
    path.write_text(trace_of(*((0.0, "RW"[n % 2], 7919 * (n // 2) % 50_000 * 8, 16) for n in range(300))))
    return str(path)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    def run(*words: str) -> str:
        assert main(words) == 0
        return capsys.readouterr().out

    return run


def test_schedulers_are_known_by_what_they_go_by() -> None:
    assert {*BY_ARM, *OTHERS} == {*SCHEDULERS}
    for name in SCHEDULERS:
        told = [NO_ARM.format(f"scheduler {name}")] if name in BY_ARM else []
        assert [*without_arm(name, SAMSUNG_960_PRO, HP7933)] == told
    assert [*without_arm("sptf", HP7933)] == [*without_arm(None, SAMSUNG_960_PRO)] == []
    for given, name in ((Sstf, "sstf"), (Sptf(0.006), "sptf")):
        assert [*without_arm(given, SAMSUNG_960_PRO)] == [NO_ARM.format(f"scheduler {name}")]
    assert [*without_arm(Fcfs, SAMSUNG_960_PRO), *without_arm(MqDeadline(), SAMSUNG_960_PRO)] == []
    assert len([*without_arm("look", SAMSUNG_960_PRO, SAMSUNG_960_PRO)]) == 2
    for given, name in (("sptf(ageing=0.006)", "sptf(ageing=0.006)"), (type("Mine", (Sptf,), {}), "Mine")):
        assert [*without_arm(given, SAMSUNG_960_PRO)] == [NO_ARM.format(f"scheduler {name}")]


@dataclass
class OnFlash:
    """Parts of a machine of somebody's own."""

    drive: Any = SAMSUNG_960_PRO
    scheduler: Any = Fcfs


def test_of_a_system_the_usual_drive_counts_where_none_is_named(tmp_path: Path) -> None:
    own = System("own", "Own", lambda choices: None, None, parts={"drive": STORES, "scheduler": SCHEDULERS},
                 choose=OnFlash)  # fmt: skip
    sheet = tmp_path / "flash.yaml"
    sheet.write_text(TEMPLATES["flash"].read_text())
    told = NO_ARM.format("scheduler sptf")
    for drives, notes in ((["hp7933"], []), ([None, "hp7933"], [told]), ([SAMSUNG_960_PRO], [told])):
        assert idle_notes(own, {"scheduler": ["sptf"], "drive": drives}) == notes
    assert idle_notes(own, {"scheduler": ["sptf"]}) == [told]
    (of_file,) = idle_notes(own, {"scheduler": ["sptf"], "drive": [str(sheet)]})
    assert of_file != told
    assert idle_notes(own, {"drive": [None]}) == []


@pytest.mark.parametrize("scheduler", BY_ARM)
def test_the_arm_changes_nothing_on_a_drive_without_one(trace: str, scheduler: str) -> None:
    plain, found = (ask.replay(trace, drive=FLASH, scheduler=each) for each in ("fcfs", scheduler))
    assert plain == found
    assert (plain.notes, found.notes) == ([], [NO_ARM.format(f"scheduler {scheduler}")])
    assert ask.replay(trace, drive="hp7933", scheduler=scheduler) != ask.replay(trace, drive="hp7933")


def test_a_replay_and_a_load_tell_it_on_the_page_and_in_json(trace: str, said: Said) -> None:
    for words in (["replay", trace], ["load", "--requests=20"]):
        page = said(*words, f"--drive={FLASH}", "--scheduler=sptf")
        assert page.count(SPTF) == 1
        data = json.loads(said(*words, f"--drive={FLASH}", "--scheduler=sptf", "--json"))
        assert data["question"]["notes"] == [SPTF]
        for others in ([f"--drive={FLASH}", "--scheduler=kyber"], ["--drive=hp7933", "--scheduler=sptf"]):
            assert "goes by the arm" not in said(*words, *others)
    assert ask.sweep("load", drive=FLASH, requests=20, seeds=1, workers=1, progress=False).shape[0] == 1


def test_a_list_of_requests_tells_it(tmp_path: Path, said: Said) -> None:
    asked = tmp_path / "r.csv"
    asked.write_text("arrival_s,op,lba_512,sectors\n0,R,0,8\n0,R,800,8\n0,R,8,8\n")
    words = ["drive", FLASH, str(asked), "--open", "--scheduler=sptf"]
    assert SPTF in said(*words)
    assert json.loads(said(*words, "--json"))["notes"] == [SPTF]
    assert json.loads(said("drive", FLASH, str(asked), "--open", "--json"))["notes"] == []


@pytest.mark.parametrize("command", [
    ["sweep", "{}", "--scheduler=fcfs,sptf", "--workers=1"],
    ["find", "{}", "speed", "--where=response_mean <= 1ms", "--between=1:1000", "--scheduler=sptf", "--workers=1"],
    ["sweep", "max_iv", "--scheduler=sptf", "--minutes=0.01", "--warm-up=0", "--seeds=1", "--workers=1"],
])  # fmt: skip
def test_a_sweep_and_a_search_warn_of_it(
    trace: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*(word.format(trace) for word in command), f"--drive={FLASH}"])
    assert capsys.readouterr().err.count(f"spindle: {SPTF}\n") == 1
    main([*(word.format(trace) for word in command), "--drive=hp7933"])
    assert "goes by the arm" not in capsys.readouterr().err


def test_python_warns_of_it_in_tables_alone(trace: str) -> None:
    told = NO_ARM.format("scheduler sptf")
    with pytest.warns(UserWarning, match=told):
        ask.sweep(trace, drive=[FLASH, "hp7933"], scheduler=["sptf"], workers=1, progress=False)
    with pytest.warns(UserWarning, match=told), pytest.raises(UserError):  # the drive is quick at any speed
        ask.find(trace, "speed", "response_mean <= 1s", (1, 100), drive=FLASH, scheduler="sptf", workers=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask.replay(trace, drive=FLASH, scheduler="sptf")
        run = ask.simulate("max_iv", drive=FLASH, scheduler="sptf", minutes=0.01, warm_up=0)
    assert run.notes == [told]


# Options that need another, by the cards of systems.

ACTS_WITH = [(name, option, words) for name in PLAYED for option, all_words in find_system(name).acts_with.items()
             for words in ([all_words] if isinstance(all_words, str) else all_words)]  # fmt: skip
ON: dict[str, dict[str, Any]] = {
    "kv_cache": {"hbm": "2GiB", "dram": "8GiB"}, "max_iv": {"lines": 8}, "buffer_pool": {"scans": 1},
    "ml_loader": {"checkpoint_every": 5}, "machine": {"writes": 0.5, "write_back": True, "read_ahead": "16KiB"},
}  # fmt: skip
"""What makes parts busy that are absent, or have nothing to do, by default."""
SHORT = {**RUNS, "kv_cache": {"minutes": 2, "warm_up": 0.5}, "max_iv": {"users": 20, "minutes": 0.5, "warm_up": 0.1}}


def other(system: str, option: str) -> Any:
    """Return a value of *option* that is not its default."""
    found = find_system(system)
    if option in parts_of(found):
        return next(name for name in parts_of(found)[option].choices if name != usual_part(found, option))
    value = usual(found, option)
    if isinstance(value, str):
        return next(word for word in found.menu(option) if word != value)
    given = {"line_level": 12, "line_buffer": 2, "checkpoint_state": 4.0}.get(option)
    return not value if isinstance(value, bool) else given or type(value)(value / 2 or 3)


def turned(system: str, words: str) -> dict[str, Any]:
    """Return the switch in *words* with the value for which an option changes nothing."""
    switch = words.removeprefix("not ")
    setting, is_on = settings_of(find_system(system))[switch], switch != words
    return {switch: is_on if isinstance(setting, Setting) and setting.kind is bool else 4000 * is_on}


def run_of(system: str, **given: Any) -> Result:
    return ask.simulate(system, **{**SHORT[system], **ON.get(system, {}), **given})


@cache
def plain_run(system: str, words: str) -> Result:
    return run_of(system, **turned(system, words))


@pytest.mark.parametrize(("system", "option", "words"), ACTS_WITH)
def test_an_option_changes_nothing_where_its_card_says_so(system: str, option: str, words: str) -> None:
    plain = plain_run(system, words)
    changed = run_of(system, **turned(system, words), **{option: other(system, option)})
    assert plain.summary() == pytest.approx(changed.summary(), nan_ok=True, rel=0, abs=0)
    switch = words.removeprefix("not ")
    assert [note for note in changed.notes if note.startswith(f"{option} changes nothing, as {switch} is ")]
    assert not [note for note in plain.notes if note.startswith(f"{option} ") and option not in SHORT[system]
                and option not in ON.get(system, {})]  # fmt: skip


@pytest.mark.parametrize(("system", "option"), [
    ("kv_cache", "drives"), ("sata_ncq", "policy"), ("sata_ncq", "under_way"), ("max_iv", "line_baud"),
    ("hp3000", "fetch_random"), ("buffer_pool", "ring"), ("machine", "write_back"), ("machine", "expiry"),
])  # fmt: skip
def test_an_option_is_not_told_where_it_acts(system: str, option: str) -> None:
    given = {name: value for name, value in ON.get(system, {}).items() if name != option}
    axes = {**{name: [value] for name, value in given.items()}, option: [other(system, option)]}
    assert idle_notes(find_system(system), axes) == []


def test_one_switch_of_several_is_enough_and_the_first_is_told() -> None:
    machine, off = find_system("machine"), "changes nothing, as"
    assert idle_notes(machine, {"write_back": [True]}) == [f"write_back {off} writes is 0"]
    assert idle_notes(machine, {"expiry": [1.0]}) == [f"expiry {off} write_back is false"]
    assert idle_notes(machine, {"expiry": [1.0], "write_back": [True], "writes": [0.0, 0.5]}) == []
    loader = find_system("ml_loader")
    assert idle_notes(loader, {"steps": [9], "records": [4000]}) == [f"steps {off} records is 4000"]
    assert idle_notes(loader, {"steps": [9], "records": [0, 4000]}) == idle_notes(loader, {"steps": [9]}) == []


def test_what_is_left_out_is_told_with_its_value() -> None:
    kv = find_system("kv_cache")
    told = "drives changes nothing, as nvme is 0 B"
    assert switched_off("drives", "nvme", "0 B") == told
    assert idle_notes(kv, {"nvme": [0], "drives": [4]}) == [told]
    assert idle_notes(kv, {"nvme": [0], "drives": [1, 4]}) == [told]
    assert idle_notes(kv, {"object_policy": ["fifo"]}) == ["object_policy changes nothing, as object_store is 0 B"]
    for acts in ({"nvme": [0]}, {"drives": [4]}, {"nvme": [0], "drives": [1]}, {"nvme": [0, 1 << 30], "drives": [4]},
                 {"nvme": [0], "nvme_policy": [None]}, {"nvme": [0], "drive": [FLASH]}):  # fmt: skip
        assert idle_notes(kv, acts) == []


def test_a_run_tells_it_on_the_page_and_in_json(said: Said, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kv_cache", "--nvme=0", "--drives=4", "--minutes=0.5", "--warm-up=0"]
    told = "--drives changes nothing, as --nvme is 0 B"
    assert said("run", *words).count(told) == 1
    assert json.loads(said("run", *words, "--json"))["notes"] == [told]
    assert json.loads(said("run", *words[:2], *words[3:], "--json"))["notes"] == []
    assert said("run", *words, "--precision=0.9").splitlines()[-1] == told
    assert json.loads(said("run", *words, "--precision=0.9", "--json"))["notes"] == [told]
    capsys.readouterr()
    main(["sweep", *words, "--seeds=1", "--workers=1"])
    assert f"spindle: {told}\n" in capsys.readouterr().err


def test_options_of_a_cache_of_no_bytes_are_told(said: Said, trace: str) -> None:
    """Of a load and of a replay; tiers are caches, and a usual value is no option."""
    asked = ("--drive=hp7933", "--cache=0", "--policy=arc", "--write=through")
    told = ["--policy changes nothing, as --cache is 0 B", "--write changes nothing, as --cache is 0 B"]
    for words in (("load", "--requests=3"), ("replay", trace, "--limit=3")):
        assert json.loads(said(*words, *asked, "--json"))["question"]["notes"] == told
        assert [line for line in said(*words, *asked).splitlines() if "changes nothing" in line] == told
        assert json.loads(said(*words, *asked[:2], "--policy=lru", "--json"))["question"]["notes"] == []
        assert json.loads(said(*words, asked[0], "--cache=64K", *asked[2:], "--json"))["question"]["notes"] == []
    tiers = said("replay", trace, "--limit=3", "--drive=hp7933", "--tiers=64K:1us", "--block=512", "--json")
    assert json.loads(tiers)["question"]["notes"] == []


def test_a_load_does_not_wrap(said: Said) -> None:
    words = ("load", "--requests=3", "--drive=hp7933", "--json")
    told = json.loads(said(*words, "--wrap"))["question"]["notes"]
    assert told == ["--wrap changes nothing, as a load stays within its drives"]
    assert json.loads(said(*words))["question"]["notes"] == []
