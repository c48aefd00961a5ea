"""Tests options of commands by hand: what their help says, and that each that is given counts."""

from contextvars import copy_context
from pathlib import Path

import pytest

from spindle.cli.fields import help_of
from spindle.cli.named_files import outputs
from spindle.output.files import write_whole
from spindle.questions.field import Asked
from spindle.questions.settings import AnySetting, PartSetting, Setting
from spindle.sim.error import UserError


@pytest.mark.parametrize(("setting", "default", "says"), [
    (PartSetting("drive", {"a": 1, "b": 2}), "a", "a | b | FILE.yaml | FILE.py:NAME; default a"),
    (PartSetting("policy", {"a": 1}), None, "a | FILE.py:NAME"), (PartSetting("write", {"a": 1}), "a", "a; default a"),
    (Setting(float, "s", Asked("so long")), 0.005, "so long; default 5 ms"),
    (Setting(float, "1", Asked("a share, 5% by default")), 0.05, "a share, 5%% by default"),
    (Setting(str, "1", Asked("how", words=("", "x", "y"))), "", "how; x | y; default none"),
    (Setting(int, "1", Asked("one", first="1")), 1, "one"), (Setting(str, "1", Asked("how")), "5%", "how; default 5%%"),
    (Setting(int, "1", Asked("one", required=True)), 1, "one"),
])  # fmt: skip
def test_the_help_of_an_option_has_its_words_its_files_and_its_default(
    setting: AnySetting, default: object, says: str
) -> None:
    assert help_of(setting, default) == says
    assert help_of(setting, default, "other").partition(";")[0] == "other"


def test_what_a_command_reads_is_spared_by_all_that_it_writes_later(tmp_path: Path) -> None:
    read = tmp_path / "trace.csv"
    read.write_text("mine")

    def command() -> None:
        assert outputs([read], {"--out": "", "--plot": None}) == {"--out": None, "--plot": None}
        with pytest.raises(UserError, match=r"trace\.csv: it is to be read$"):
            write_whole(read, b"")

    copy_context().run(command)
    assert read.read_text() == "mine"
