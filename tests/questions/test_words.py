"""Words of a user, read: what is empty, and ranges of seeds."""

from argparse import Namespace

import pytest

from spindle.cli.fields import SETTING_PREFIX, read_fields
from spindle.questions import words
from spindle.questions.settings import Setting
from spindle.sim.error import UserError
from spindle.sim.units import Bytes
from spindle.traces.curve.question import CurveQuestion


@pytest.mark.parametrize(("option", "said"), [
    ("--policy", "--policy must have a value, not ''"), ("--sample", "--sample must be a number, not ''"),
])  # fmt: skip
def test_what_is_empty_is_named_for_what_it_should_be(option: str, said: str) -> None:
    asked = Namespace(**{SETTING_PREFIX + option.removeprefix("--"): ""})
    with pytest.raises(UserError) as caught:
        read_fields(CurveQuestion, asked)
    assert str(caught.value) == said


@pytest.mark.parametrize("kind", [int, Bytes])
def test_what_counts_is_whole(kind: type) -> None:
    assert Setting(kind).check("block", 2.0) == 2.0
    with pytest.raises(UserError, match=r"block must be a whole number, not 1\.5"):
        Setting(kind).check("block", 1.5)
    assert Setting(float).check("block", 1.5) == 1.5


def test_a_range_of_seeds_goes_up_and_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MAX_SEEDS", 3)
    assert words.seeds("7,4-6,5..5") == [7, 4, 5, 6, 5]
    for wrong in ("4-7", "5-4"):
        with pytest.raises(UserError, match=f"--seed {wrong} is no range of 1 to 3 seeds"):
            words.seeds(wrong)
