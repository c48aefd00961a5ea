"""Tests programs as data: what their replies say, which acts and texts they have, and the code in which they begin."""

from random import Random

import pytest

from spindle.sim.streams import Constant
from spindle.workloads.programs import Compute, Enter, KeyedFile, Program, Reply, Subsystem
from tests.doubles import Same

THREE = Reply(1, (("A", 50.0), ("B", 30.0), ("C", 20.0)))
PROGRAM = Program("P", 3, 512, 4096, (Reply(1, (("C", 100.0),)),), {"X": (Compute(Constant(1.0)), THREE)}, 2, 64)


@pytest.mark.parametrize(("mark", "text"), [
    (0.0, "A"), (0.49, "A"), (0.5, "B"), (0.79, "B"), (0.8, "C"), (0.999999, "C"),
])  # fmt: skip
def test_a_reply_says_one_of_its_texts(mark: float, text: str) -> None:
    assert list(THREE.draw(Same(mark))) == [text]
    assert list(Reply(1, (("ONLY", 100.0),)).draw(Same(mark))) == ["ONLY"]
    assert list(Reply(1).draw(Same(mark))) == []


def test_a_text_that_is_said_now_and_then_is_not_said_otherwise() -> None:
    assert list(Reply(1, (("A", 30.0), ("B", 30.0))).draw(Same(0.7))) == []
    assert [list(Reply(1, (("A", 30.0),)).draw(Same(mark))) for mark in (0.29, 0.31)] == [["A"], []]


def test_nothing_is_drawn_for_what_is_certain() -> None:
    random = Random(1)
    for says in ((), (("ONLY", 100.0),)):
        list(Reply(1, says).draw(random))
    assert random.random() == Random(1).random()


def test_acts_are_those_of_the_start_and_of_every_answer() -> None:
    assert list(PROGRAM.acts()) == [Reply(1, (("C", 100.0),)), Compute(Constant(1.0)), THREE]
    assert PROGRAM.texts() == ["C", "A", "B"]
    assert PROGRAM.main == Subsystem("P", 3, 512, 2, 64, shared=True)


def test_what_is_not_said_is_once_shared_and_without_data() -> None:
    assert KeyedFile("F").times == Constant(1)
    assert Enter(Subsystem("S", 1, 1)).subsystem == Subsystem("S", 1, 1, 0, 0, True)
    assert (Program("P", 1, 1, 1, (), {}).work_segments, Program("P", 1, 1, 1, (), {}).work_bytes) == (0, 0)
