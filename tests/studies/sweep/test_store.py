"""The folder of a sweep: who may have it, what is set aside, and what is left alone."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial, reduce
from operator import xor
from pathlib import Path
from threading import Thread, Timer
from time import monotonic
from uuid import UUID

import pytest

from spindle.sim.error import PointFailed, UserError
from spindle.studies.sweep import stored_sweep as stored
from spindle.studies.sweep.chunks import Chunk
from spindle.studies.sweep.grid import Grid, Point
from spindle.studies.sweep.journal import NotBelieved, SweepJournal
from spindle.studies.sweep.store import Store, _read_twice, remove_idle
from spindle.studies.sweep.stored_sweep import Write
from spindle.studies.sweep.sweep import sweep

again = partial(sweep, workers=1, progress=False)


def square(point: int) -> dict[str, float]:
    return {"square": point * point}


RAN: list[int] = []


def ran(point: int) -> dict[str, float]:
    RAN.append(point)
    return {"ran": len(RAN)}


@pytest.fixture(autouse=True)
def unedited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spindle may be edited while it is tested."""
    monkeypatch.setattr(stored, "source", lambda: "as it was")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_keeps_points_and_nothing_else(tmp_path: Path) -> None:
    first = again(ran, store=tmp_path, point=range(5))
    assert names(tmp_path) == ["points.sqlite"]
    assert again(ran, store=tmp_path, point=range(5))["ran"].tolist() == first["ran"].tolist() == [1, 2, 3, 4, 5]
    assert again(ran, store=tmp_path, point=[4, 7])["ran"].tolist() == [5, 6]


def test_of_another_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again(square, store=tmp_path, point=[1])
    said = rf"^{re.escape(str(tmp_path))} is no store of sweep \w+ of \S+\.%s: it belongs to sweep \w+ of \S+\.square"
    with pytest.raises(UserError, match=said % r"ran over point \(source as it was\)"):
        again(ran, store=tmp_path, point=[1])
    monkeypatch.setattr(stored, "source", lambda: "edited")
    with pytest.raises(UserError, match=said % r"square over point \(source edited\)"):
        again(square, store=tmp_path, point=[1])
    assert names(tmp_path) == ["points.sqlite"]


def test_two_drivers_at_once(tmp_path: Path) -> None:
    first = Store(tmp_path, "s")
    with pytest.raises(UserError, match="is in use by another sweep, which is still running"):
        Store(tmp_path, "s")
    first.close()
    Store(tmp_path, "s").close()


def test_a_store_that_a_sweep_has_open_is_not_removed_and_an_idle_one_is(tmp_path: Path) -> None:
    place, link = tmp_path / "runs.sweep", tmp_path / "link"
    store, began = Store(place, "s"), monotonic()
    remove_idle(place)
    assert monotonic() - began < 0.9  # nobody is waited for
    assert "points.sqlite" in names(place)
    store.close()
    link.symlink_to(place)
    remove_idle(link)  # which nothing can remove as a folder
    assert names(place) == ["points.sqlite"]
    remove_idle(place)
    assert not place.exists()
    remove_idle(place)  # there is none


def test_a_folder_without_a_store_stays_and_a_broken_store_goes(tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("dear")
    remove_idle(tmp_path)
    assert names(tmp_path) == ["letters"]
    place = tmp_path / "runs.sweep"
    place.mkdir()
    (place / "points.sqlite").write_bytes(b"x" * 5000)
    remove_idle(place)
    assert not place.exists()


@pytest.mark.parametrize("content", [b"somebody's notes", b"x" * 5000], ids=["short", "long"])
def test_a_broken_store_is_set_aside_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "points.sqlite").write_bytes(content)
    with pytest.warns(UserWarning, match=r"points\.sqlite is damaged or .*, and was renamed to set-aside-.*: "):
        frame = again(square, store=tmp_path, point=[3])
    assert frame["square"].tolist() == [9]
    aside, points = sorted(names(tmp_path), reverse=True)
    assert (tmp_path / aside).read_bytes() == content
    assert points == "points.sqlite"


def test_a_changed_row_is_not_believed(tmp_path: Path) -> None:
    again(square, store=tmp_path, point=[1234])
    path = tmp_path / "points.sqlite"
    assert b"1522756" in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(b"1522756", b"1522757"))
    with pytest.warns(UserWarning, match="renamed to set-aside-.*: a row is not what was written$"):
        assert again(square, store=tmp_path, point=[1234])["square"].tolist() == [1522756]


def test_a_broken_and_a_foreign_journal_are_set_aside_and_the_good_one_is_used(tmp_path: Path) -> None:
    store = Store(tmp_path, "s")  # and is killed, so that its run is left
    for name, sweep_id in (("foreign", "another"), ("good", "s"), ("short", "s")):
        with SweepJournal(store.run / f"journal-{name}.sqlite", sweep_id) as journal:
            journal.write(name.encode(), {"x": "y" * 5000})
    short = store.run / "journal-short.sqlite"
    short.write_bytes(short.read_bytes()[:-4096])
    store._points.close()
    cut = store.run / "journal-cut.sqlite"
    cut.touch()
    logs = {end: cut.with_name(cut.name + end) for end in ("-wal", "-shm")}
    for end, log in logs.items():
        log.write_text(end * 999)
    with pytest.warns(UserWarning, match="is damaged or of another sweep, and was renamed to ") as warned:
        again = Store(tmp_path, "s")
    aside = sorted(tmp_path.glob("set-aside-*-journal-cut.sqlite*"), reverse=True)
    assert [path.read_text()[:4] for path in aside] == [*logs, ""]
    for path in aside:
        path.unlink()
    told = [each for each in warned if "journal-cut" not in str(each.message)]
    assert len(warned) == len(told) + 1
    foreign, short = (str(each.message).rpartition(": ")[2] for each in told)
    assert foreign == "it belongs to another"
    assert short != foreign
    assert not store.run.exists()
    assert [again.find(name) is not None for name in (b"foreign", b"good", b"short")] == [False, True, False]
    again.close()
    assert [re.sub("-.{8}-", "-", name) for name in sorted(names(tmp_path), key=lambda name: name[-9:])] == [
        "set-aside-journal-foreign.sqlite", "set-aside-journal-short.sqlite", "points.sqlite"
    ]  # fmt: skip


def test_a_worker_of_an_earlier_run_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.studies.sweep.store.OLD_SECONDS", 0.0)
    store = Store(tmp_path, "s")  # and is killed
    late = SweepJournal(store.run / "journal-late.sqlite", "s")
    late.write(bytes(16), {"x": 1})
    store._points.close()
    Timer(0.2, late.close).start()
    with pytest.warns(UserWarning, match=r"^waiting for a worker of an earlier run, which still writes .*late\."):
        again = Store(tmp_path, "s")
    assert again.find(bytes(16)) is not None
    again.close()


def test_what_others_have_in_the_folder_stays(tmp_path: Path) -> None:
    """Even if it is called as a store calls its own, and through no link."""
    mine, elsewhere, store = tmp_path / f"run-{'0' * 32}", tmp_path / "elsewhere", tmp_path / "store"
    for folder in (store, elsewhere, store / mine.name, store / "run-1"):
        folder.mkdir()
    (store / f"run-{'1' * 32}").symlink_to(elsewhere)
    kept = []
    for folder in (elsewhere, store / mine.name, store / "run-1"):
        for name in (f"begun-{'a' * 32}", "begun-notes", "journal-of-mine.sqlite", "journal-x.sqlite-wal", "notes"):
            kept.append(folder / name)
            kept[-1].write_text("mine")
    before = names(store)
    again(square, store=store, point=[1])
    assert names(store) == sorted(["points.sqlite", *before])
    assert [path.read_text() for path in kept] == ["mine"] * 15


def test_what_others_put_into_the_folder_of_a_run_stays(tmp_path: Path) -> None:
    store, elsewhere = Store(tmp_path / "store", "s"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    journal = elsewhere / "journal-far.sqlite"
    with SweepJournal(journal, "s") as far:
        far.write(bytes(16), {"x": 1})
    before = journal.read_bytes()
    (store.run / "journal-link.sqlite").symlink_to(journal)
    (store.run / f"begun-{'b' * 32}").symlink_to(journal)
    (store.run / "begun-notes").write_text("mine")
    (store.run / f"begun-{'a' * 32}").touch()
    store.close()
    assert names(store.run) == [f"begun-{'b' * 32}", "begun-notes", "journal-link.sqlite"]
    assert journal.read_bytes() == before


def test_a_run_whose_folder_has_become_a_link_is_forgotten(tmp_path: Path) -> None:
    store, elsewhere = Store(tmp_path / "store", "s"), tmp_path / "elsewhere"  # and is killed
    store._points.close()
    elsewhere.mkdir()
    (elsewhere / f"begun-{'a' * 32}").touch()
    store.run.rmdir()
    store.run.symlink_to(elsewhere)
    Store(tmp_path / "store", "s").close()
    assert names(elsewhere) == [f"begun-{'a' * 32}"]
    assert store.run.is_symlink()


def test_the_data_base_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "points.sqlite"
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("CREATE TABLE point (x, y)")
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"is no store of s: it is not a journal of Spindle; name another folder, "):
        Store(tmp_path, "s")
    assert path.read_bytes() == before
    assert names(tmp_path) == ["points.sqlite"]


def test_a_run_has_no_folder_before_the_store_is_its_own(tmp_path: Path) -> None:
    """Else the driver who has the store would take it for left behind, and remove it."""
    first, second = Store(tmp_path, "s"), list[Store]()
    waiting = Thread(target=lambda: second.append(Store(tmp_path, "s")))
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    assert [path for path in tmp_path.glob("run-*") if path != first.run] == []
    first.close()
    waiting.join()
    assert [path.name for path in tmp_path.glob("run-*")] == [second[0].run.name]
    second[0].close()


def test_a_store_that_another_sweep_goes_on_with_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Store(tmp_path, "s")
    first.close()
    second = Store(tmp_path, "s")
    with monkeypatch.context() as patch:
        patch.setattr("spindle.studies.sweep.journal.sleep", None)  # nobody is waited for
        first.remove()
    with SweepJournal(second.run / "journal-1.sqlite", "s") as journal:
        journal.write(bytes(16), {"x": 1})
    second.take_over()
    second.close()
    assert names(tmp_path) == ["points.sqlite"]
    second.remove()
    assert not tmp_path.exists()


@pytest.mark.parametrize("error", [NotBelieved("damaged"), OSError("busy"), sqlite3.OperationalError("disk I/O error")])
def test_a_store_that_cannot_be_removed_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(_: SweepJournal) -> None:
        raise error

    store = Store(tmp_path, "s")
    store.close()
    with monkeypatch.context() as patch:
        patch.setattr(SweepJournal, "remove", failing)
        store.remove()
    assert names(tmp_path) == ["points.sqlite"]
    store.remove()
    assert not tmp_path.exists()


def test_a_run_is_recorded_before_its_folder_is_made_and_a_store_that_fails_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the folder of one that is killed in between would never be removed."""
    monkeypatch.setattr("spindle.studies.sweep.store.uuid4", lambda: UUID(int=10))
    (tmp_path / f"run-{10:032x}").mkdir()
    with pytest.raises(UserError, match=r"^cannot keep a sweep in .*: File exists$"):
        Store(tmp_path, "s")
    with SweepJournal(tmp_path / "points.sqlite", "s", wait=0.0) as points:
        assert points.runs() == [f"run-{10:032x}"]


def test_what_is_taken_over_survives_a_loss_of_power(tmp_path: Path) -> None:
    """It is in the file, and no longer in the log beside it."""
    store, log = Store(tmp_path / "store", "s"), tmp_path / "store" / "points.sqlite-wal"
    assert log.stat().st_size == 0
    with SweepJournal(store.run / "journal-1.sqlite", "s") as journal:
        journal.write(bytes(16), {"x": 1})
    store.take_over()
    assert log.stat().st_size == 0
    part = Store(tmp_path / "part", "s")
    with SweepJournal(part.run / "journal-1.sqlite", "s") as journal:
        journal.write(bytes(15) + b"1", {"x": 2})
    part.close()
    store.take_parts([tmp_path / "none", tmp_path / "part"])
    assert log.stat().st_size == 0
    assert store.find(bytes(15) + b"1") is not None
    store.close()


def test_who_still_writes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that the driver believed to be dead, and the job of a part; what they have is left to the next sweep."""
    monkeypatch.setattr("spindle.studies.sweep.store.LOCKED_SECONDS", 0.0)
    store, part = Store(tmp_path / "store", "s"), Store(tmp_path / "part", "s")
    with SweepJournal(store.run / "journal-1.sqlite", "s") as journal:
        journal.write(bytes(16), {"x": 1})
        with pytest.raises(UserError, match=r"journal-1\.sqlite is still being written by a worker that was believed "):
            store.take_over()
        with pytest.raises(UserError, match=r"/part is still being written: wait until its job has ended$"):
            store.take_parts([tmp_path / "part"])
        store.close()
    part.close()
    left = Store(tmp_path / "store", "s")
    assert left.find(bytes(16)) is not None
    assert left._points.runs() == [left.run.name]
    left.close()
    assert names(tmp_path / "store") == ["points.sqlite"]


def test_points_behind_a_link_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "points.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"^cannot keep a sweep in .*: its points\.sqlite is a link$"):
        Store(tmp_path, "s")
    assert names(tmp_path) == ["points.sqlite"]


def test_a_journal_is_read_again_if_it_is_not_believed_and_an_error_of_the_disc_is_one(tmp_path: Path) -> None:
    calls = []

    def read(path: Path) -> int:
        calls.append(path)
        if len(calls) == 1:
            raise NotBelieved("a page is not what it was")
        return len(calls)

    assert _read_twice(tmp_path / "journal", read) == 2
    calls.clear()
    (tmp_path / "journal-wal").mkdir()  # whose bytes nobody can read
    with pytest.raises(IsADirectoryError):
        _read_twice(tmp_path / "journal", read)
    assert len(calls) == 1


def test_places_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"^cannot keep a sweep in .*/file: File exists$"):
        again(square, store=tmp_path / "file", point=[1])
    with pytest.raises(UserError, match=r"^the worker on .* cannot write into /no/such, as all workers must: "):
        Write(lambda _: {"square": 9}, Path("/no/such"), "s")(Chunk([0], [{"point": 3}], [bytes(16)]))


def test_a_chunk_that_is_begun_again_computes_only_what_nobody_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journals that cannot be read, and links, are passed over, and nobody is waited for."""
    store, computed = Store(tmp_path / "store", "s"), list[object]()

    def compute(point: Point) -> dict[str, object]:
        computed.append(point["point"])
        return {"x": 1}

    keys = [bytes([number]) * 16 for number in range(4)]
    chunk = Chunk(range(4), [{"point": number} for number in range(4)], keys)
    with SweepJournal(tmp_path / "elsewhere.sqlite", "s") as elsewhere:
        elsewhere.write(keys[3], {"x": 1})
    for number, died in enumerate(("bc", "d")):  # folders may be read in either order
        (store.run / f"journal-a{number}.sqlite").symlink_to(tmp_path / "elsewhere.sqlite")
        with SweepJournal(store.run / f"journal-{died}.sqlite", "s") as journal:
            for key in keys[number : number + 2]:
                journal.write(key, {"x": 1})
        (store.run / f"journal-e{number}.sqlite").write_text("no journal at all")
    (store.run / f"begun-{keys[0].hex()}").touch()
    monkeypatch.setattr("spindle.studies.sweep.journal.sleep", None)
    with SweepJournal(store.run / "journal-of-one-who-writes.sqlite", "s"):
        done = Write(compute, store.run, "s")(chunk)
    assert computed == [3]
    for number in range(2):
        (store.run / f"journal-e{number}.sqlite").unlink()
    store.take_over()
    found = [store.find(key) for key in keys]
    assert (done.count, done.digest) == (4, reduce(xor, (each[1] for each in found if each is not None)))
    store.close()
    assert names(store.run) == ["journal-a0.sqlite", "journal-a1.sqlite"]


def test_a_worker_who_writes_elsewhere_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SweepJournal, "write", lambda *_: 5)
    with pytest.raises(UserError, match=r"does not hold what the workers wrote; all must see the same folder$"):
        again(square, store=tmp_path, point=[1])


def test_a_row_that_is_not_the_one_that_was_reported_is_found_out(tmp_path: Path) -> None:
    keeper = stored.StoredSweep(Grid({"point": [1]}), square, square_of, tmp_path)
    chunk = Chunk([0], [{"point": 1}], [keeper.key(0)])
    done = keeper.do(chunk)
    keeper.take(chunk, replace(done, digest=done.digest ^ 1))
    assert len(keeper.pending()) == 0
    with pytest.raises(UserError, match=r"does not hold what the workers wrote; all must see the same folder$"):
        keeper.frame()
    keeper.close()


def square_of(point: Point) -> dict[str, object]:
    return {"square": 1}


def test_runs_that_have_ended_are_forgotten(tmp_path: Path) -> None:
    killed = Store(tmp_path, "s")
    killed._points.close()
    after = Store(tmp_path, "s")
    assert after._points.runs() == [after.run.name]
    after.close()
    with SweepJournal(tmp_path / "points.sqlite", "s") as points:
        assert points.runs() == []


def test_a_link_in_the_place_of_a_journal_is_not_read(tmp_path: Path) -> None:
    store, key = Store(tmp_path / "store", "s"), bytes(16)
    with SweepJournal(tmp_path / "elsewhere.sqlite", "s") as journal:
        journal.write(key, {"x": 9})
    (store.run / "journal-of-another.sqlite").symlink_to(tmp_path / "elsewhere.sqlite")
    (store.run / f"begun-{key.hex()}").touch()
    Write(square_of, store.run, "s")(Chunk([0], [{"point": 1}], [key]))
    store.take_over()
    found = store.find(key)
    store.close()
    assert found is not None
    assert found[0] == '{"square":1}'


@pytest.mark.parametrize(("failing", "more"), [
    ([3], ""), ([3, 5], ", and another did"), ([3, 5, 6], ", and 2 others did"),
])  # fmt: skip
def test_all_points_but_those_that_fail_are_kept(tmp_path: Path, failing: list[int], more: str) -> None:
    def hard(point: int) -> dict[str, int]:
        return {"share": 1 // (point not in failing)}

    with pytest.raises(PointFailed) as failed:
        again(hard, store=tmp_path / "store", point=range(2, 8))
    assert str(failed.value).startswith("the point point=3 failed: ZeroDivisionError")
    assert str(failed.value).endswith(f"{more}; all else is kept in {tmp_path / 'store'}")
    assert ("other" in str(failed.value)) is bool(more)


def test_beside_a_table_points_are_kept_until_it_is_written_and_not_behind_a_link(tmp_path: Path) -> None:
    again(square, out=tmp_path / "a.csv", point=[1, 2])
    assert names(tmp_path) == ["a.csv"]
    again(square, out=tmp_path / "a.csv", store=tmp_path / "store", point=[1, 2])
    assert names(tmp_path) == ["a.csv", "store"]
    (tmp_path / "b.csv.sweep").symlink_to(tmp_path / "store")
    with pytest.raises(UserError, match=r"^cannot keep a sweep in .*b\.csv\.sweep: it is a link$"):
        again(square, out=tmp_path / "b.csv", point=[1])


def test_a_point_with_two_rows_is_no_result(tmp_path: Path) -> None:
    store = Store(tmp_path, "s")
    for number in range(2):
        with SweepJournal(store.run / f"journal-{number}.sqlite", "s") as journal:
            journal.write(bytes(16), {"x": number})
    with pytest.raises(UserError, match=r'two rows of one point, so more than its seed decides: {"x":0} and {"x":1}$'):
        store.take_over()


def test_a_kept_sweep_that_is_interrupted_says_how_to_go_on(tmp_path: Path) -> None:
    def stopped(point: int) -> dict[str, int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as told:
        again(stopped, store=tmp_path / "store", point=[1])
    kept = f"what was finished is kept in {tmp_path / 'store'}"
    assert str(told.value) == f"interrupted; {kept}: do the same again to go on from there"
