"""Parts of a sweep: together they are all points, each once; the whole takes over what they kept."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.studies.sweep.journal import SweepJournal, digest
from spindle.studies.sweep.part import SweepPart
from spindle.studies.sweep.sweep import sweep
from tests.studies.sweep.points import begun, note


def noted(folder: Path, point: int, unused: int = 0) -> dict[str, int]:
    note(folder, point)
    return {"square": point * point}


@pytest.mark.parametrize(("points", "count"), [(10, 3), (2, 5), (64, 64), (1, 1)])
def test_parts_are_all_points_each_once(points: int, count: int) -> None:
    parts = [SweepPart(number, count).indices(points) for number in range(1, count + 1)]
    assert sorted(index for part in parts for index in part) == list(range(points))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(("text", "says"), [
    ("3", "a part is NUMBER/COUNT, as 3/64, not '3'"), ("0/4", "not 0/4"), ("5/4", "not 5/4"), ("-1/4", "not '-1/4'"),
    ("1/1000000", "100000 at most"), ("\uff11/\uff12", "not '\uff11/\uff12'"), ("1/1234567890", "not '1/1234567890'"),
    ("1/2/3", "not '1/2/3'")])  # fmt: skip
def test_no_part(text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        SweepPart.read(text)
    assert str(SweepPart.read("3/64")) == "3/64"
    assert [SweepPart.read("1/100000"), SweepPart.read("4/4")] == [SweepPart(1, 100_000), SweepPart(4, 4)]


def test_the_whole_takes_over_what_parts_have_run(tmp_path: Path) -> None:
    def run(part: SweepPart = SweepPart()) -> list[int]:  # noqa: B008
        frame = sweep(noted, workers=1, store=tmp_path / "store", part=part, folder=tmp_path, point=range(7))
        return list(frame["square"])

    assert run(SweepPart(1, 3)) == [0, 9, 36]
    assert run(SweepPart(3, 3)) == [4, 25]
    assert begun(tmp_path) == [0, 2, 3, 5, 6]
    assert run() == [0, 1, 4, 9, 16, 25, 36]  # one part was never run
    assert begun(tmp_path) == list(range(7))


def test_a_part_of_another_sweep_is_refused(tmp_path: Path) -> None:
    sweep(noted, workers=1, store=tmp_path / "store", part=SweepPart(1, 2), folder=tmp_path, point=range(3))
    with pytest.raises(UserError, match="part-1-of-2 is no part of this sweep"):
        sweep(noted, workers=1, store=tmp_path / "store", folder=tmp_path, point=range(2), unused=1)
    with pytest.raises(UserError, match="part 1/2 of a sweep needs a store"):
        sweep(noted, workers=1, part=SweepPart(1, 2), folder=tmp_path, point=range(2))


def test_two_parts_that_differ_in_a_row_are_no_result(tmp_path: Path) -> None:
    for number in (1, 2):
        sweep(noted, workers=1, store=tmp_path / "store", part=SweepPart(number, 2), folder=tmp_path, point=range(2))
    kept, other = (tmp_path / "store" / f"part-{number}-of-2" / "points.sqlite" for number in (1, 2))
    with closing(sqlite3.connect(kept)) as one:
        ((key, _, _),) = one.execute("SELECT * FROM point")
    text = '{"square":7}'
    with closing(sqlite3.connect(other, isolation_level=None)) as two:
        two.execute("UPDATE point SET key = ?, row = ?, digest = ?", (key, text, digest(key, text)))
    with pytest.raises(UserError, match=r'part-2-of-2/.*: two rows of one point.*"square":0} and {"square":7}$'):
        sweep(noted, workers=1, store=tmp_path / "store", folder=tmp_path, point=range(2))


def test_a_disc_that_fails_while_parts_are_taken_over_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is closed then, for the next sweep to open it."""
    def failing(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    sweep(noted, workers=1, store=tmp_path / "store", part=SweepPart(1, 2), folder=tmp_path, point=range(2))
    with monkeypatch.context() as patch:
        patch.setattr(SweepJournal, "take_over", failing)
        with pytest.raises(UserError, match=r"cannot keep a sweep in .*store: disk I/O error"):
            sweep(noted, workers=1, store=tmp_path / "store", folder=tmp_path, point=range(2))
    assert list(sweep(noted, workers=1, store=tmp_path / "store", folder=tmp_path, point=range(2))["square"]) == [0, 1]
