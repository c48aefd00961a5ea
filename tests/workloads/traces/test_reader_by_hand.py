"""Tests a trace of a format that is made for the test: what it is asked for, which one is chosen, and what is noted."""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from struct import pack

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.workloads.traces import order, reader
from spindle.workloads.traces.batch import Batch, Stretch, batch_of, empty
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.format import Format
from spindle.workloads.traces.formats import jsonl, plain
from spindle.workloads.traces.formats.oracle import ORACLE_GENERAL
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.text import HEAD_LINES, TextFormat


def at(*times: float | None) -> list[Record]:
    return [Record(time, "", READ, 0, 512) for time in times]


@dataclass(frozen=True)
class Made:
    """A format whose files have *parts*, and one is valid of so many *good* and *bad* lines."""

    given: Sequence[Stretch] = ()
    name: str = "made"
    began: float | None = None
    good: int = 0
    bad: int = 0
    says: str = ""
    suffixes: tuple[str, ...] = ()
    needs: str = "it needs more"
    passed: Mapping[str, Meaning | None] = field(default_factory=dict)
    alternatives: Sequence[Format] = ()

    def variant(self, head: bytes, name: str) -> Format:
        return self

    def stretches(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Stretch]:
        assert b"".join(pieces)
        faults.began = self.began
        for word, kind in self.passed.items():
            faults.passed.add(word, kind)
        yield from self.given

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        if self.says:
            raise UserError(f"{where}: {self.says}")
        faults.others += self.good
        faults.bad += self.bad
        for part in self.given:
            yield from part.records() if isinstance(part, Batch) else part


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "trace"
    path.write_text("x")
    return path


Detected = Callable[[Format], list[object]]


@pytest.fixture
def detected(monkeypatch: pytest.MonkeyPatch) -> Detected:
    """Have a format detected; return what is asked for it."""
    def have(format: Format) -> list[object]:
        asked: list[object] = []

        def detect(*given: object) -> Format:
            asked.extend(given)
            return format

        monkeypatch.setattr(reader, "detect", detect)
        return asked

    monkeypatch.setattr(reader, "looks_like", lambda *_: None)
    return have


def test_a_format_is_detected_by_the_words_and_limits_that_are_given(path: Path, detected: Detected) -> None:
    words, limits = {"zap": Meaning.WRITE}, TraceLimits(skip_bad=3)
    asked = detected(Made())
    with pytest.raises(UserError, match="--ops gives words a meaning, and made has codes in binary"):
        Trace(path, limits=limits, ops=words)
    assert asked == [path, limits, words]
    assert Trace(path, Made(), limits).faults.most == 3


def test_words_that_are_given_help_to_detect_a_format(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def looks_like(*given: object) -> Format:
        asked.append(given)
        return Made()

    monkeypatch.setattr(reader, "looks_like", looks_like)
    limits = TraceLimits()
    assert reader.detect(path, limits) == reader.detect(path, limits, {"zap": Meaning.WRITE}) == Made()
    assert asked == [(b"x", limits, ()), (b"x", limits, (("zap", Meaning.WRITE),))]


def test_the_share_of_a_head_that_is_good() -> None:
    limits = TraceLimits()
    assert reader._share(Made([at(0.0)], good=2, bad=2), b"x", limits) == (0.6, 1)
    assert reader._share(Made(), b"x", limits) == (0.0, 0)
    assert reader._share(plain.PLAIN, b"key,size\n" + b"k,1\n" * 200, limits) == (1.0, HEAD_LINES - 1)
    ends = int.from_bytes(b"\n" * 4, "little")
    rows = pack("<IQIq", ends, 5, ends, -1) * 20
    assert reader._share(ORACLE_GENERAL, rows, limits) == (1.0, 20)


@pytest.mark.parametrize(("head", "whole"), [
    (b"offset,size\n1,2\n3,4\n", True), (b"offset,size\nx,y\n1,2\n", False), (b"a,b\n1,2\n", False),
    (b"op,offset,size\nzap,1,2\n", True), (b"op,offset,size\npaz,1,2\n", False),
])  # fmt: skip
def test_what_is_csv_to_its_last_line(head: bytes, whole: bool) -> None:
    assert reader._is_plain(head, TraceLimits(), (("zap", Meaning.WRITE),)) is whole


def test_few_marks_and_the_name_hint_at_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Chosen(Made):
        def variant(self, head: bytes, name: str) -> Format:
            asked.append((head, name))
            return self

    made = Chosen(suffixes=(".made",))
    found = reader._by_hints(Path("x"), b"0.000000100 8,0 Q R 64 + 8\n0.000000200 8,0 Q R 72 + 8\n")
    assert isinstance(found, TextFormat)
    assert found.note == "its lines are taken for those of blkparse -f '%T.%t %D %a %d %S + %n'"
    assert reader._by_hints(Path("x"), b'\n {"x": 1}\n') is jsonl.JSONL
    monkeypatch.setattr(reader, "_formats", lambda: {"made": made})
    assert reader._by_hints(Path("x.MADE.gz"), b"abc") is made
    assert asked == [(b"abc", "x.MADE.gz")]


def test_of_a_format_that_is_detected_the_first_variant_that_reads_is_taken(path: Path, detected: Detected) -> None:
    bad, empty, good = Made(name="bad", says="wrong"), Made(name="empty"), Made([at(0.0)], name="good")
    for first, others, found in ((bad, (empty, good), "good"), (bad, (empty,), "bad"), (good, (empty,), "good"),
                                 (empty, (bad, good), "good"), (empty, (), "empty")):  # fmt: skip
        format = replace(first, alternatives=others)
        detected(format)
        assert Trace(path).format.name == found
        assert Trace(path, format).format is format


def test_other_files_are_compared_where_the_format_was_detected(path: Path, detected: Detected) -> None:
    other = path.with_name("other")
    other.write_text("y")
    for good, bad, alike in ((2, 1, True), (1, 1, False), (0, 1, False)):
        format = Made(good=good, bad=bad)
        detected(format)
        Trace(path, format, others=[other])
        if alike:
            Trace(path, others=[other])
            continue
        with pytest.raises(UserError, match=rf"^{other}: it looks like no trace, and trace like made: the files of"):
            Trace(path, others=[other])


def test_a_file_that_was_compared_is_read_from_its_begin(path: Path, detected: Detected) -> None:
    detected(Made(good=1))
    trace = Trace(path)
    assert list(trace._check_alike("a", iter([b"1", b"2", b"3"]))) == [b"1", b"2", b"3"]
    assert b"".join(trace._check_alike("a", iter([]))) == b""


def test_first_times_are_by_the_clock_of_the_first_file(tmp_path: Path) -> None:
    one, other, bad, none = (tmp_path / name for name in ("one", "other", "bad", "none"))
    one.write_text("time,offset,size\n10,0,8\n20,0,8\n")
    other.write_text("time,offset,size\n5,0,8\n")
    bad.write_text("time,offset,size\n7,0,0\n8,0,8\n")
    with zipfile.ZipFile(none, "w") as archive:
        archive.writestr("a", "")
    trace, faults = Trace(one, "csv"), Faults()
    assert trace._first_times([one, none, other, one], faults) == [0.0, inf, -5.0, 0.0]
    assert faults.began == 10
    with pytest.raises(UserError, match=rf"^{bad}:2:5: a request has from 1"):
        trace._first_times([bad], Faults())
    assert Trace(one, "csv", TraceLimits(skip_bad=1))._first_times([bad], Faults()) == [1.0]


@pytest.mark.parametrize(("record", "firsts"), [
    ({}, [5.0]), ({"time": None}, []), ({"gap": 1.0}, []), ({"number": 1}, []),
])  # fmt: skip
def test_a_list_in_its_own_order_has_no_first_time(path: Path, record: dict[str, float], firsts: list[float]) -> None:
    format = Made([[Record(5.0, "", READ, 0, 512)._replace(**record)]])  # type: ignore[arg-type]
    assert Trace(path, format)._first_times([path], Faults()) == firsts


def test_the_files_of_an_archive_are_one_trace_in_its_order(path: Path, detected: Detected) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in "ab":
            archive.writestr(name, "xyz")
    trace, passed = Trace(path, Made([at(1.0), empty(), batch_of(at(2.0))])), list[int]()
    assert [record.time for record in trace.records(passed.append)] == [1.0, 1.0, 2.0, 2.0]
    assert passed == [3, 3]
    assert trace.faults.notes == ["trace holds several files, which are read as one trace, in its order",
                                  "1 request stands out of order, behind later ones: sorted by time"]
    detected(Made([at(1.0)], bad=2))
    with pytest.raises(UserError, match=rf"^{path}: 'b': it looks like no trace, and trace like made"):
        list(Trace(path))


def test_a_part_of_nothing_is_none(path: Path) -> None:
    assert [batch.requests for batch in Trace(path, Made([empty(), batch_of(at(2.0)), empty()])).batches()] == [1]
    with pytest.raises(UserError, match="there is no request in it"):
        list(Trace(path, Made([empty(), []])))


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have parts of a trace stay as they are."""
    monkeypatch.setattr(order, "WINDOW", 1)


@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize("batches", [False, True])
def test_requests_come_one_by_one_and_in_arrays(path: Path, batches: bool) -> None:
    trace = Trace(path, Made([batch_of(at(0.0, 1.0)) if batches else at(0.0, 1.0)]))
    assert list(trace) == at(0.0, 1.0)
    assert [record for batch in trace.batches() for record in batch.records()] == at(0.0, 1.0)


DOUBT = "requests are {} s apart on average; time_ms, time_us or time_ns {} takes times in another unit"


@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize(("format", "note"), [
    (Made([at(0.0), at(3006.0, 3006.0)]), DOUBT.format("1,002", "in --columns")), (Made([at(0.0, 2000.0)]), ""),
    (Made([at(0.0, 2002.0)], name="csv"), DOUBT.format("1,001", "as the name of the column")),
    (Made([at(0.0, 2002.0)], began=999_999_999.0), DOUBT.format("1,001", "in --columns")),
    (Made([at(0.0, 2002.0)], began=1e9), ""), (Made([at(None, None)]), ""), (Made([at(5.0)]), ""),
    (Made([[*at(0.0)], *[[Record(None, "", READ, 0, 512)]]]), ""),
])  # fmt: skip
def test_the_unit_of_times_is_doubted_where_requests_are_far_apart(path: Path, format: Made, note: str) -> None:
    trace = Trace(path, format)
    list(trace)
    assert trace.faults.notes == [note] * bool(note)


def test_a_trace_without_a_request_says_what_it_needs_and_what_was_passed_over(path: Path) -> None:
    with pytest.raises(UserError) as error:
        list(Trace(path, Made(passed={"trim": Meaning.SKIP, "zap": None})))
    assert str(error.value) == (
        f"{path}: there is no request in it: it needs more; what neither reads nor writes is passed over: 'trim' (1); "
        "not known, and passed over: op 'zap' (1); --ops says what they mean, as zap=read")
