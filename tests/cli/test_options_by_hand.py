"""Tests options of commands by hand: what their help says, and that each that is given counts."""

import pytest

from spindle.cli.fields import help_of
from spindle.questions.field import Asked
from spindle.questions.settings import AnySetting, PartSetting, Setting


@pytest.mark.parametrize(("setting", "default", "says"), [
    (PartSetting("drive", {"a": 1, "b": 2}), "a", "a | b | FILE.yaml | FILE.py:NAME; default a"),
    (PartSetting("policy", {"a": 1}), None, "a | FILE.py:NAME"), (PartSetting("write", {"a": 1}), "a", "a; default a"),
    (Setting(float, "s", Asked("so long")), 0.005, "so long; default 5 ms"),
    (Setting(float, "1", Asked("a share, 5% by default")), 0.05, "a share, 5%% by default"),
    (Setting(str, "1", Asked("how", words=("", "x", "y"))), "", "how; x | y; default none"),
    (Setting(int, "1", Asked("one", first="1")), 1, "one"),
    (Setting(int, "1", Asked("one", required=True)), 1, "one"),
])  # fmt: skip
def test_the_help_of_an_option_has_its_words_its_files_and_its_default(
    setting: AnySetting, default: object, says: str
) -> None:
    assert help_of(setting, default) == says
    assert help_of(setting, default, "other").partition(";")[0] == "other"
