"""``import spindle``: the public names of ``sim`` under the name of the command, and the version that it prints."""

import subprocess
import sys

import pytest

import spindle
import spindle.sim
from spindle.cli.main import main


def test_every_public_name_is_the_same_under_both() -> None:
    assert set(spindle.__all__) == {*spindle.sim.__all__, "__version__"}
    assert all(getattr(spindle, name) is getattr(sim, name) for name in spindle.sim.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(spindle, "nothing")  # noqa: B009


def test_it_costs_no_more_than_what_is_used() -> None:
    code = "import sys, spindle; sys.exit(any(each in sys.modules for each in ('numpy', 'pandas', 'matplotlib')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_command_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"Spindle {spindle.__version__}, commit ")
