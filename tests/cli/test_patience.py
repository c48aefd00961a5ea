"""A run whose own code has no answer ends in one line that names it; a long run does not."""

from pathlib import Path
from time import process_time

import pytest

from spindle.cli import patience
from spindle.cli.main import main

POLICY = """\
from spindle.sim.eviction.lru import Lru


class Mine(Lru):
    def choose(self, *given):
        {}
        return super().choose(*given)
"""
RUN = ("run", "sata_ncq", "--requests=1000", "--cache=64K", "--policy=mine.py:Mine")
BRIEF = 0.05


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(patience, "MAX_EVENT_SECONDS", BRIEF)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_own_code_that_has_no_answer_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "mine.py").write_text(POLICY.format("while True: pass"))
    assert main(RUN) == 2
    assert capsys.readouterr() == ("", f"spindle: mine.py, line 6: it has no answer after {BRIEF} s of the CPU\n")


def test_a_sweep_names_the_point_too(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "mine.py").write_text(POLICY.format("while True: pass"))
    assert main(["sweep", *RUN[1:], "--seeds=2"]) == 2
    line = f"spindle: mine.py, line 6: it has no answer after {BRIEF} s of the CPU (at policy=mine.py:Mine, "
    assert capsys.readouterr().err.startswith(line)


@pytest.mark.parametrize("more", ["--precision=0.5", "--warm-up=auto"])
def test_so_do_replications(place: Path, capsys: pytest.CaptureFixture[str], more: str) -> None:
    (place / "mine.py").write_text(POLICY.format("while True: pass"))
    assert main([*RUN, more]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: mine.py, line 6: it has no answer after {BRIEF} s of the CPU")


def test_own_code_that_takes_long_in_many_events_may(place: Path) -> None:
    (place / "mine.py").write_text(POLICY.format("sum(range(20_000))"))
    began = process_time()
    assert main(RUN) == 0
    assert process_time() - began > 4 * BRIEF
