"""Promises of parts by hand: the kind of a part, how a breach is told, and which accesses a drive is asked for."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import promises
from spindle.cli.patience import OutOfPatience
from spindle.cli.promises import _accesses, _kind, _promises, breach, not_promised, serves_by_the_laws
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.measure.laws import LawBroken
from spindle.sim.request import READ, Access, Op

FILE = """
from spindle import Fcfs, Lru
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheets import HP7933
"""


@pytest.mark.parametrize(("text", "kind"), [
    ("lru", "policy"), ("2q(k_in=1)", "policy"), ("sptf(ageing=0.006)", "scheduler"), ("hp7933", "drive"),
    ("theirs(x=1)", "scheduler"), ("mine.yaml", "drive"), ("mine.py:Lru", "policy"), ("mine.py:Fcfs", "scheduler"),
    ("mine.py:HP7933", "drive"), ("mine.py:INTEL_S3700", "drive"),
])  # fmt: skip
def test_a_kind_is_told_by_a_name_or_by_what_the_part_does(
    text: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    monkeypatch.setattr(promises, "installed_parts", lambda kind: ["theirs"] if kind == "scheduler" else [])
    assert _kind(text) == kind


@pytest.mark.parametrize(("text", "says"), [
    ("mine.py", "'mine.py' is a file, and must be given as FILE.py:NAME"),
    ("sttf", "unknown part 'sttf': did you mean sstf"), ("hp7934", "unknown part 'hp7934': did you mean "),
])  # fmt: skip
def test_what_is_no_part_is_refused(text: str, says: str) -> None:
    with pytest.raises(UserError, match=f"^{says}"):
        _kind(text)


def test_breaches_are_of_each_promise_of_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "_kind", {"toy": "policy"}.__getitem__)
    monkeypatch.setattr(promises, "choose", lambda kind, text, known: f"{kind} {text} of {len(known)}")
    monkeypatch.setattr(promises, "_promises", lambda kind, part: {each: each for each in (kind, part)})
    monkeypatch.setattr(promises, "breach", lambda check, part: f"{check}: {part}")
    part = f"policy toy of {len(promises.KNOWN_PARTS['policy'])}"
    assert promises.breaches("toy") == ("policy", {each: f"{each}: {part}" for each in ("policy", part)})


@pytest.mark.parametrize(("error", "words"), [
    (None, ""), (AssertionError("it lies"), "it lies"), (AssertionError(), "an assertion of its own fails"),
    (UserError("it must be 1"), "it must be 1"), (KeyError("a"), "it raises KeyError: 'a'"),
    (OutOfPatience("it has no answer"), "it has no answer"),
])  # fmt: skip
def test_a_breach_is_told_in_words(error: BaseException | None, words: str) -> None:
    def check(part: object) -> None:
        assert part == "it"
        if error is not None:
            raise error

    assert breach(check, "it") == words


def test_a_promise_has_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(promises, "patience", lambda seconds: asked.append(seconds) or nullcontext())
    assert breach(lambda part: None, "it") == ""
    assert asked == [60.0]


def test_what_is_not_promised_is_of_the_kind_of_the_part() -> None:
    assert (not_promised("lru"), not_promised("hp7933"), not_promised("sptf")) == ([], [], [])
    assert [len(not_promised(each)) for each in ("kyber", "mq-deadline")] == [1, 1]
    assert not_promised("kyber")[0] in _promises("scheduler")
    assert [len(_promises(kind)) for kind in ("drive", "policy", "scheduler")] == [1, 9, 4]


def accesses(capacity: int) -> list[Access]:
    """What a drive of so many bytes, in sectors of 512, is asked for."""
    asked: list[Access] = []

    def do(op: Op) -> Callable[[Access], Iterator[None]]:
        def ask(access: Access) -> Iterator[None]:
            assert access.op is op
            asked.append(access)
            yield

        return ask

    drive: Any = SimpleNamespace(mechanism=SimpleNamespace(sector_bytes=512), capacity=capacity, read=do(Op.READ),
                                 write=do(Op.WRITE))  # fmt: skip
    assert len(list(_accesses(drive))) == 1000
    return asked


def test_a_small_drive_is_asked_for_all_of_it_and_no_more() -> None:
    """It has three sectors, and some bytes that are none."""
    asked = accesses(3 * 512 + 100)
    spans = {(access.span.first // 512, access.span.length // 512) for access in asked}
    assert spans == {(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (0, 3)}
    assert 450 < sum(access.op is READ for access in asked) < 550
    assert all(not (access.span.first % 512 or access.span.length % 512) for access in asked)


def test_a_large_drive_is_asked_all_over_for_64_sectors_at_most() -> None:
    asked = accesses(512 * 10**6)
    lengths = {access.span.length // 512 for access in asked}
    assert (min(lengths), max(lengths), len(lengths)) == (1, 64, 64)
    assert max(access.span.first for access in asked) > 0.99 * 512 * 10**6
    assert [(access.op is READ, access.span.first // 512, access.span.length // 512) for access in asked[:2]] == [
        (True, 484241, 54), (False, 16923, 36)], "the same of every check"


def test_the_laws_of_a_drive_are_checked_when_it_has_served(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Any] = []
    monkeypatch.setattr(promises, "DRIVE_ACCESSES", 5)
    monkeypatch.setattr(promises, "check_parts", lambda machine: checked.append(
        [(name, part.reading()["completed"]) for name, part in machine.all_parts()]))  # fmt: skip
    for disc in (HP7933, INTEL_S3700):
        serves_by_the_laws(disc)
    assert checked == [[("drive", 5)]] * 2
    monkeypatch.undo()
    monkeypatch.setattr(promises, "DRIVE_ACCESSES", 5)
    monkeypatch.setattr("spindle.sim.disc.drive.Drive.faults", lambda drive: ["it lies"])
    with pytest.raises(LawBroken, match=r"^drive: it lies$"):
        serves_by_the_laws(HP7933)
