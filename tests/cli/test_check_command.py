"""Tests ``spindle check``: promises that parts keep or break, and names that are no part."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.cli.promises import KNOWN_PARTS

HASTY = """
from spindle import DiscType, Fcfs, Lru, PowerSeek, uniform

class Hasty(Lru):
    def choose(self, incoming=None, may_go=None):
        return next(iter(self._order))

class Fair(Fcfs):
    def attach(self, mechanism):
        self._mechanism = mechanism

DISC = DiscType("disc", uniform(10, 2, 10, 512), 3600, PowerSeek.fit(0.001, 0.005, 0.01, 10))
"""


@pytest.mark.parametrize(("part", "promises"), [
    ("2q(k_in=1, k_out=2)", 9), ("fac", 9), ("sptf(ageing=0.006)", 4), ("scan", 4), ("hp7933", 1), ("mine.py:DISC", 1),
])  # fmt: skip
def test_what_is_kept(
    part: str, promises: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(HASTY)
    assert main(["check", part]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith(part)
    assert out[-1] == f"{promises} of {promises} promises are kept"


@pytest.mark.parametrize("part", ["kyber", "kyber(read=0.001)", "mq-deadline"])
def test_a_scheduler_of_linux_promises_no_order_of_what_overlaps(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", part]) == 0
    left_out, count = capsys.readouterr().out.splitlines()[-2:]
    assert left_out == "  not promised, as it says itself: no request passes one that it overlaps if either writes"
    assert count == "3 of 3 promises are kept"


@pytest.mark.parametrize(("part", "lines"), [
    ("mine.py:Hasty", ["of an empty policy none is chosen: it raises StopIteration",
                       "choose ends, with None, where no entry may go: an entry is chosen that may not go",
                       "the only entry that may go is chosen: 'e' is chosen where only 'a' may go",
                       "after any acts only resident entries that may go are chosen"]),
    ("mine.py:Fair", ["it serves one drive and refuses a second: it can be given to two drives"]),
])  # fmt: skip
def test_what_is_broken_is_said_in_words(
    part: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(HASTY)
    assert main(["check", part]) == 1
    broken = [line.removeprefix("  BROKEN  ") for line in capsys.readouterr().out.splitlines() if "BROKEN" in line]
    assert len(broken) == len(lines)
    assert all(line.startswith(begin) for line, begin in zip(broken, lines, strict=True))


def test_what_is_no_part_is_answered_with_the_nearest_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "greedy"]) == 2
    assert capsys.readouterr().err == "spindle: unknown part 'greedy': did you mean greedy-dual?\n"


def test_no_name_is_of_two_kinds() -> None:
    """For what is checked is known by its name alone."""
    names = [name for choices in KNOWN_PARTS.values() for name in choices]
    assert len(names) == len(set(names))


def test_a_part_that_has_no_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.cli.promises.PATIENCE_SECONDS", 0.05)
    endless = "from spindle import Lru\nclass Endless(Lru):\n    def choose(self, *_):\n        while True: pass\n"
    (tmp_path / "mine.py").write_text(endless)
    assert main(["check", "mine.py:Endless"]) == 1
    out = capsys.readouterr().out
    assert "BROKEN  the only entry that may go is chosen: it has no answer after 0.05 s" in out
    assert "  kept    " in out


TWICE = """
from spindle import Lru

class Twice(Lru):
    def insert(self, key, size=1, cost=0.0):
        try:
            while key in self._order:
                pass
        except {error}:
            while True:
                pass
        super().insert(key)
"""


@pytest.mark.parametrize("error", ["ValueError", "Exception", "BaseException"])
def test_nobody_who_catches_errors_hides_that_there_is_no_answer(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.cli.promises.PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr("spindle.cli.patience.REPEAT_SECONDS", 0.05)
    (tmp_path / "mine.py").write_text(TWICE.format(error=error))
    assert main(["check", "mine.py:Twice"]) == 1
    assert "no answer after 0.05 s" in capsys.readouterr().out


def test_a_file_is_told_how_it_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mine.py"]) == 2
    assert capsys.readouterr().err == "spindle: 'mine.py' is a file, and must be given as FILE.py:NAME\n"
