"""``spindle tepe check``: what it says of a script, and of the driver machines that would run it."""

import pytest

from models.__main__ import main
from workloads.tepe import SHIPPED

HYBRID = str(SHIPPED / "hybrid_101.tepe")


def test_it_tells_which_driver_has_which_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tepe", "check", HYBRID]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{HYBRID}: right"
    assert [line for line in lines if line.startswith("driver")] == ["driver 1", "driver 2", "driver 3"]
    assert lines[-1].split() == ["ports", "1", "to", "1", "BASIC", "10", "to", "10", "start", "0", "to", "60", "s"]


def test_so_many_drivers_may_be_too_few(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tepe", "check", "--drivers", "2", HYBRID]) == 2
    assert "drivers must be at least 3" in capsys.readouterr().err
