"""The settings of a system of a few lines, what is usual of each, and which of them change nothing beside which."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.questions.settings import FilesSetting, PartSetting, Setting
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.parameter import assumed
from spindle.sim.part_forms import PolicyForm
from spindle.sim.units import Bytes
from spindle.studies.idle import idle_notes
from spindle.studies.settings import OF_SCRIPT, parameters_of, parts_of, settings_of, usual, usual_part
from spindle.system import Scripting, System

DRIVES = {"chips": SAMSUNG_960_PRO, "swing": HP7933}
SCHEDULERS = {"fcfs": 1, "sptf": 2}


@dataclass(frozen=True)
class ToyCosts:
    hit: float = assumed(0.25, "a guess", "s")


@dataclass(frozen=True)
class ToyParts:
    drive: Any = SAMSUNG_960_PRO
    scheduler: Any = 2.0  # equal to that of a name, and not the same


def toy(length: int, cache: Bytes = Bytes(0), write: bool = True, policy: PolicyForm = "lru", **others: object) -> None:
    """A run that nobody makes."""


TOY = System("toy", "A toy", toy, ToyCosts(), parts={"drive": DRIVES, "scheduler": SCHEDULERS}, choose=ToyParts,
             acts_with={"hit": "cache", "policy": "cache", "write": ("not cache", "hit")})  # fmt: skip


def test_settings_are_parts_parameters_and_arguments_and_files_of_scripts_where_they_are_read() -> None:
    parts = parts_of(TOY)
    assert {name: (each.part, each.argument) for name, each in parts.items()} == {
        "drive": ("drive", False), "scheduler": ("scheduler", False), "policy": ("policy", True)}  # fmt: skip
    assert parts["drive"].choices is DRIVES
    assert parameters_of(TOY) == {"hit": Setting(float, "s")}
    found = settings_of(TOY)
    assert [*found] == ["drive", "scheduler", "policy", "hit", "length", "cache", "write"]
    assert isinstance(found["policy"], PartSetting)
    scripted = settings_of(replace(TOY, scripting=Scripting(lambda: (), dict, {})))
    assert [*scripted] == ["drive", "scheduler", "policy", "hit", "script", "program", "length", "cache", "write"]
    assert (scripted["script"], scripted["program"]) == (FilesSetting(), FilesSetting(OF_SCRIPT))


def test_usual_is_the_default_of_an_argument_or_else_the_value_of_a_parameter() -> None:
    assert [usual(TOY, name) for name in ("length", "cache", "write", "hit")] == [None, 0, True, 0.25]
    assert [usual_part(TOY, name) for name in ("drive", "scheduler", "policy")] == ["chips", "sptf", "lru"]


@pytest.mark.parametrize("choices", [
    SimpleNamespace(), SimpleNamespace(drive=None), SimpleNamespace(drive="swing"), SimpleNamespace(drive=3),
])  # fmt: skip
def test_a_part_that_no_choice_is_has_no_usual_name(choices: SimpleNamespace) -> None:
    """One that is a name already is that name."""
    own = replace(TOY, choose=lambda: choices)
    assert usual_part(own, "drive") == ("swing" if getattr(choices, "drive", None) == "swing" else None)


@pytest.mark.parametrize(("axes", "told"), [
    ({"hit": [0.5]}, ["hit changes nothing, as cache is 0 B"]),
    ({"hit": [0.25]}, []),  # as it is without being asked for
    ({"hit": [0.25, 0.5], "cache": [0, 0]}, ["hit changes nothing, as cache is 0 B"]),
    ({"hit": [None]}, []),
    ({"hit": [0.5], "cache": [0, 4]}, []),
    ({"hit": [0.5], "cache": [4]}, []),
    ({"policy": ["arc"]}, ["policy changes nothing, as cache is 0 B"]),
    ({"policy": ["lru"]}, []),
    ({"write": [False]}, []),
    ({"write": [False], "cache": [4, 8]}, ["write changes nothing, as cache is 4 B"]),  # the first is told
    ({"write": [False], "hit": [0]}, ["write changes nothing, as hit is 0 s", "hit changes nothing, as cache is 0 B"]),
    ({"write": [False], "cache": [4], "hit": [0]}, ["write changes nothing, as cache is 4 B"]),  # one is enough
])  # fmt: skip
def test_an_option_changes_nothing_beside_a_switch(axes: dict[str, list[Any]], told: list[str]) -> None:
    assert sorted(idle_notes(TOY, axes)) == sorted(told)


def test_a_part_changes_nothing_only_where_another_one_is_asked_for() -> None:
    own = replace(TOY, acts_with={"drive": "cache"})
    told = ["drive changes nothing, as cache is 0 B"]
    assert [idle_notes(own, {"drive": [drive]}) for drive in ("swing", "chips", None)] == [told, [], []]


NO_ARM = "scheduler sptf goes by the arm, of which Samsung 960 Pro has none: requests are served as they come"


@pytest.mark.parametrize(("axes", "times"), [
    ({"scheduler": ["sptf"]}, 1), ({"scheduler": ["sptf"], "drive": ["swing"]}, 0),
    ({"scheduler": ["sptf"], "drive": ["swing", "chips", None]}, 2),
    ({"scheduler": ["sptf", "fcfs", "sptf"], "drive": [SAMSUNG_960_PRO]}, 2),
    ({"scheduler": ["fcfs"]}, 0), ({"drive": ["chips"]}, 0),
])  # fmt: skip
def test_a_scheduler_by_the_arm_changes_nothing_on_flash(axes: dict[str, list[Any]], times: int) -> None:
    assert idle_notes(TOY, axes) == [NO_ARM] * times
    for left_out in ("drive", "scheduler"):
        fewer = replace(TOY, parts={name: each for name, each in TOY.parts.items() if name != left_out})
        assert idle_notes(fewer, axes) == []
    assert idle_notes(replace(TOY, run=plain), axes) == [NO_ARM] * times  # which has no other part


def plain(length: int) -> None:
    """A run of a length alone."""


def test_a_drive_that_there_is_not_is_refused() -> None:
    with pytest.raises(UserError, match=r"^unknown drive 'chip': did you mean chips"):
        idle_notes(TOY, {"scheduler": ["sptf"], "drive": ["chip"]})
