"""Rows that travel: believed where model, platform and contents are the same, else computed anew."""

import json
import lzma
from collections.abc import Callable, Mapping
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.studies import kept_runs as kept_module
from spindle.studies.kept_rows import KeptRowFile
from spindle.studies.kept_runs import KeptRuns, Wanted, agree, dump
from spindle.studies.run_book import RunBook, make_together
from spindle.studies.study import Point, Runs
from tests.kept import RESULTS
from tests.studies.toys import LENGTH, counted, read, study

MODEL = "toy 1"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def made(path: Path, log: Path, live: bool = False, anew: bool = False, seeds: int = 2, model: str = MODEL) -> RunBook:
    """A book with two points and *seeds* seeds, from what is kept at *path* and saved there."""
    kept = KeptRuns(path, model)
    book = RunBook(kept, workers=1, progress=False, anew=anew)
    wanted = [(point, seed) for point in points(log) for seed in range(1, seeds + 1)]
    if live:
        book.make([each for each in wanted if each[1] == 1], live=True)
    book.make(wanted)
    save(kept, path, wanted)
    return book


def save(kept: KeptRuns, path: Path, wanted: list[Wanted]) -> None:
    path.mkdir(exist_ok=True)
    kept.save(path, {"growing": wanted})


def file_of(path: Path) -> Path:
    return path / "growing.jsonl.xz"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]


def points(log: Path) -> list[kept_module.Point]:
    return study(runs=[Runs(counted, LENGTH, base=[1, 3], log=str(log))]).points()


def runs(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_run_is_made_once_and_then_taken(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    first = made(path, log)
    assert (runs(log), first.computed, first.taken) == (4, 4, 0)
    content = file_of(path).read_bytes()
    again = made(path, log)
    assert (runs(log), again.computed, again.taken, again.kept_seeds(points(log), 20)) == (4, 0, 4, 2)
    assert file_of(path).read_bytes() == content
    pd.testing.assert_frame_equal(first.frame(points(log), [1, 2]), again.frame(points(log), [1, 2]))


def test_a_run_that_two_studies_need_is_made_once(tmp_path: Path, log: Path) -> None:
    book = RunBook(workers=1, progress=False)
    book.make((point, 1) for point in [*points(log), *points(log)])
    book.make((point, 1) for point in points(log))
    assert runs(log) == 2


def test_one_seed_is_compared(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log)
    book = made(path, log, live=True)
    assert (runs(log), book.computed, book.equal, book.differing, book.taken) == (6, 2, 2, [], 2)


def test_books_are_made_together_each_with_what_is_kept_of_its_own(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log, seeds=1)
    one, other = points(log)
    kept, bare = RunBook(KeptRuns(path, MODEL), workers=1, progress=False), RunBook(workers=1, progress=False)
    make_together({kept: [(one, 1), (one, 2)], bare: [(one, 1), (other, 1)]})
    assert (runs(log), kept.taken, kept.computed, bare.taken, bare.computed) == (5, 1, 1, 0, 2)
    assert (kept.row(one, 1), bare.row(one, 1)) == (bare.row(one, 1), kept.row(one, 1))


@pytest.mark.parametrize(
    ("other", "agrees"),
    [({"che": 0.7174420985865326}, True), ({"che": 0.71744209}, False), ({"che": "0.7174420985865324"}, False),
     ({"che": 0.7174420985865324, "more": 1}, False), ({}, False)],
)  # fmt: skip
def test_rounding_is_no_difference(other: dict[str, object], agrees: bool) -> None:
    """Vector units of another processor gave the first of these for what this one gave."""
    assert agree({"che": 0.7174420985865324}, other) is agrees


def test_rows_are_compared_value_by_value() -> None:
    row = {"rate": [1.0, nan], "count": 3, "name": "lru", "near": 1e-17}
    assert agree(row, {**row, "rate": [1.0 + 1e-15, nan], "near": 0.0})
    for change in ({"rate": [1.0]}, {"rate": [1.0, 1.0]}, {"count": 4}, {"name": "fifo"}, {"near": 1e-9}):
        assert not agree(row, {**row, **change})


def test_a_run_that_differs_by_rounding_leaves_the_kept_row(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log)
    kept = KeptRuns(path, MODEL)
    point = points(log)[0]
    before = kept.find(point, 1)
    assert before is not None
    rounded = {name: value * (1 + 1e-14) if isinstance(value, float) else value for name, value in before.items()}
    assert rounded != before
    kept.add(point, 1, dump(rounded))
    book = RunBook(kept, workers=1, progress=False, anew=True)
    book.make([(point, 1)])
    assert (book.equal, book.differing) == (1, [])
    assert kept.find(point, 1) == rounded


def test_with_anew_everything_is(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log)
    book = made(path, log, anew=True)
    assert (runs(log), book.computed, book.equal, book.kept_seeds(points(log), 20)) == (8, 4, 4, 0)


def test_another_model_makes_it_anew(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log)
    assert KeptRuns(path, "toy 2").notes == [
        f"{path}: 4 runs are of toy 1, and this is toy 2: they are computed anew"
    ]
    assert made(path, log, model="toy 2").computed == 4
    assert made(path, log, model="toy 2").computed == 0
    save(KeptRuns(path, "toy 3"), path, [(point, 1) for point in points(log)])
    assert list(path.iterdir()) == []  # what another model made is not kept for this one


def test_without_its_input_a_run_is_what_is_kept_of_it_or_nothing(tmp_path: Path) -> None:
    path, given = tmp_path / "runs", tmp_path / "given"
    wanted = [(Point(read, {"path": str(given)}, {"length": 1}), 1)]

    def row() -> Mapping[str, object]:
        kept = KeptRuns(path, MODEL)
        book = RunBook(kept, workers=1, progress=False)
        book.make(wanted, live=True)
        assert not book.differing
        save(kept, path, wanted)
        return book.row(*wanted[0])

    assert row() == {"path": str(given), "seed": 1}
    given.write_text("a trace")
    assert row()["text"] == "a trace"
    given.unlink()
    assert row()["text"] == "a trace"


def test_another_platform_makes_it_anew(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs"
    made(path, log)
    here = kept_module.platform()
    monkeypatch.setattr(kept_module, "platform", lambda: "Plan9 vax")
    assert KeptRuns(path, MODEL).notes == [f"{path}: 4 runs come from {here}: they are computed anew"]
    assert made(path, log).computed == 4


def test_what_somebody_changed_is_made_anew(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    expected = made(path, log).frame(points(log), [1, 2])
    first = lines(file_of(path))[0]
    rewrite(path, lambda line: {**line, "row": line["row"].replace("1", "7")} if line == first else line)
    assert KeptRuns(path, MODEL).notes == [f"{path}: 1 of 4 runs were changed since: they are computed anew"]
    book = made(path, log)
    assert (book.computed, book.taken) == (1, 3)
    pd.testing.assert_frame_equal(book.frame(points(log), [1, 2]), expected)


def test_runs_whose_names_are_numbers_are_made_anew(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log)
    rewrite(path, lambda line: {**line, "key": 1})
    assert KeptRuns(path, MODEL).notes == [f"{path}: 4 of 4 runs were changed since: they are computed anew"]


@pytest.mark.parametrize("damage", [b"PAR1", lzma.compress(b"{"), lzma.compress(b"[]"), lzma.compress(b"{}"),
                                    lzma.compress(b"[" * 10**5), lzma.compress(b"")[:-1]])  # fmt: skip
def test_what_cannot_be_read_is_made_anew(damage: bytes, tmp_path: Path, log: Path) -> None:
    """Whatever good lines are before it."""
    path = tmp_path / "runs"
    made(path, log)
    for content in (damage, file_of(path).read_bytes() + damage):
        file_of(path).write_bytes(content)
        (note,) = KeptRuns(path, MODEL).notes
        assert note.startswith(f"{file_of(path)} cannot be read (")
        assert "\n" not in note
        assert made(path, log).computed == 4
        assert KeptRuns(path, MODEL).notes == []


def test_a_file_is_added_to(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log, seeds=2)
    before = file_of(path).read_bytes()
    assert made(path, log, seeds=3).computed == 2
    after = file_of(path).read_bytes()
    assert after.startswith(before)
    assert lines(file_of(path))[:4] == [json.loads(line) for line in lzma.decompress(before).splitlines()]
    assert [line["seed"] for line in lines(file_of(path))] == [1, 2, 1, 2, 3, 3]
    assert made(path, log, seeds=3).taken == 6


def test_a_row_that_differs_is_added_and_counts(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log)
    before = file_of(path).read_bytes()
    kept, point = KeptRuns(path, MODEL), points(log)[0]
    kept.add(point, 1, '{"result":7}')
    save(kept, path, [(each, seed) for each in points(log) for seed in (1, 2)])
    assert file_of(path).read_bytes().startswith(before)
    assert len(lines(file_of(path))) == 5
    assert KeptRuns(path, MODEL).find(point, 1) == {"result": 7}


def test_a_file_is_written_anew_only_where_most_lines_are_of_no_use(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "runs"
    made(path, log, seeds=4)
    for seeds, kept_lines in ((2, 8), (1, 2)):
        save(KeptRuns(path, MODEL), path, [(point, seed) for point in points(log) for seed in range(1, seeds + 1)])
        assert len(lines(file_of(path))) == kept_lines
    made(path, log, model="toy 2", seeds=1)
    assert [line["model"] for line in lines(file_of(path))] == ["toy 2"] * 2


def test_each_study_has_a_file_and_another_study_leaves_it(tmp_path: Path, log: Path) -> None:
    """What two studies want is kept once, and stays where it is."""
    path, (one, other) = tmp_path / "runs", points(log)
    path.mkdir()
    kept = KeptRuns(path, MODEL)
    for point in (one, other):
        kept.add(point, 1, '{"result":7}')
    kept.save(path, {"second": [(one, 1)]})
    before = (path / "second.jsonl.xz").read_bytes()
    for _ in range(2):
        kept.save(path, {"first": [(one, 1), (other, 1)], "second": [(one, 1)], "third": [(other, 1)]})
        assert [each.name for each in sorted(path.iterdir())] == ["first.jsonl.xz", "second.jsonl.xz"]
        assert [line["key"] for line in lines(path / "first.jsonl.xz")] == [kept_module.key(other, 1)]
        assert (path / "second.jsonl.xz").read_bytes() == before
    kept.save(path, {"third": [(other, 1)]})
    assert [each.name for each in path.iterdir()] == ["third.jsonl.xz"]


def test_the_files_that_travel_are_whole_and_small() -> None:
    """A row more adds at most 50 kB to a history."""
    files = [KeptRowFile(path) for path in RESULTS.glob("*/runs/*")]
    assert len(files) > 100
    assert [file.path for file in files if file.fault or file.edited] == []
    rows = [max((row.line(name) for name, row in file.rows.items()), key=len) for file in files]
    assert max(len(lzma.compress(row.encode())) for row in rows) < 50_000
    assert sum(file.path.stat().st_size for file in files) < 3_000_000


def rewrite(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    changed = [json.dumps(change(line)) for line in lines(file_of(path))]
    file_of(path).write_bytes(lzma.compress("\n".join(changed).encode()))
