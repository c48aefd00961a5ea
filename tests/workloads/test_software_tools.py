"""Tests the users of Software Tools: their commands and weights, how they type and think, and how many there may be."""

import pytest

from spindle.sim.error import UserError
from spindle.sim.script import Call, Choose, Loop, Think, Type
from spindle.sim.streams import Exponential, Uniform
from spindle.workloads.software_tools import COMPILE, LIST, MIX, SHELL_TOOLS, SORT, WHO, users


def test_a_user_thinks_types_and_calls_a_command_by_its_weight() -> None:
    script = users(7, 12.0, ((3.0, SORT), (1.0, WHO)), 20)
    commands = ((Type(20), Call(SORT, "cat | sort")), (Type(20), Call(WHO, "who")))
    assert script.steps == (Loop((Think(Exponential(12.0)), Choose((3.0, 1.0), commands))),)
    assert (script.name, script.terminals, script.start) == ("user", 7, Uniform(0.0, 12.0))


def test_the_usual_mix_has_every_command_once_and_eighteen_characters() -> None:
    (loop,) = users(1, 5.0).steps
    assert isinstance(loop, Loop)
    choose = loop.steps[1]
    assert isinstance(choose, Choose)
    calls = [step for branch in choose.branches for step in branch if isinstance(step, Call)]
    assert dict(zip([call.name for call in calls], choose.weights, strict=True)) == {
        "ls": 10, "who": 5, "cat": 15, "find": 10, "cat | sort": 20, "translit | sort | uniq": 10, "ed": 15,
        "format | print": 5, "ratfor | fc": 10,
    }  # fmt: skip
    assert {branch[0] for branch in choose.branches} == {Type(18)}
    assert [call.program for call in calls] == list(SHELL_TOOLS.values()) == [pipeline for _, pipeline in MIX]


def test_a_tools_work_is_a_multiple_of_the_usual_one() -> None:
    works = {name: [tool.work for tool in pipeline.tools] for name, pipeline in SHELL_TOOLS.items()}
    assert works == {
        "ls": [0.5], "who": [0.5], "cat": [0.5], "find": [1], "sort": [0.5, 2], "words": [1, 2, 1], "ed": [1],
        "format": [3, 1], "compile": [3, 3],
    }  # fmt: skip
    assert [name for name, pipeline in SHELL_TOOLS.items() if pipeline.output] == ["ed", "compile"]
    assert (LIST.inputs, LIST.characters, LIST.entries, WHO.entries, COMPILE.inputs) == (0.0, 300, 0, 20, 4.0)


@pytest.mark.parametrize("count", [0, -1, 1001])
def test_there_are_one_to_a_thousand_users(count: int) -> None:
    with pytest.raises(UserError, match=f"^users must be between 1 and 1000, not {count}$"):
        users(count, 5.0)
    assert (users(1, 5.0).terminals, users(1000, 5.0).terminals) == (1, 1000)
