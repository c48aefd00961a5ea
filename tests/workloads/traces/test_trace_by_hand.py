"""Tests a trace of one or several files: formats agree, the first file's clock merges them, units are doubted."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.workloads.traces.batch import NotSimpleError, batch_of, empty
from spindle.workloads.traces.columns import _check
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import Field, integer, time_to_live

HEAD = "time,op,offset,size\n"


def written(path: Path, *lines: str, head: str = HEAD) -> Path:
    path.write_text(head + "".join(f"{line}\n" for line in lines))
    return path


def places(trace: Trace) -> list[tuple[float | None, int]]:
    return [(record.time, record.first) for record in trace]


def test_files_of_one_trace_have_one_format(tmp_path: Path) -> None:
    one = written(tmp_path / "one.csv", "1,R,0,512")
    other = written(tmp_path / "other.csv", '{"timestamp": 1, "key": "a"}', '{"timestamp": 2, "key": "b"}', head="")
    with pytest.raises(UserError, match=r"other\.csv: it looks like .*, and one\.csv like csv"):
        Trace(one, others=[other])
    Trace(one, "csv", others=[other])  # who names the format has said so
    Trace(one, others=[one])


def test_files_are_merged_by_the_clock_of_the_first(tmp_path: Path) -> None:
    """The second began 5 s before; its second request lies between those of the first."""
    lines = [["2023-01-01 00:00:10,R,0,512", "2023-01-01 00:00:20,R,512,512"],
             ["2023-01-01 00:00:05,R,1024,512", "2023-01-01 00:00:15,R,1536,512"]]  # fmt: skip
    one, other = (written(tmp_path / f"{number}.csv", *of) for number, of in enumerate(lines))
    trace = Trace(one, others=[other])
    times = [time for time, _ in places(trace)]
    assert [first for _, first in places(trace)] == [1024, 0, 1536, 512]
    assert [time - (times[0] or 0.0) for time in times if time is not None] == [0.0, 5.0, 10.0, 15.0]


def test_bad_lines_before_the_first_request_of_a_file_are_passed_over_too(tmp_path: Path) -> None:
    one = written(tmp_path / "one.csv", "2,R,0,512", "4,R,512,512")
    other = written(tmp_path / "other.csv", "x,R,7,512", "3,R,1024,512", "5,R,1536,512", "6,R,2048,512")
    trace = Trace(one, limits=TraceLimits(skip_bad=1), others=[other])
    assert [first for _, first in places(trace)] == [0, 1024, 512, 1536, 2048]
    with pytest.raises(UserError, match=r"other\.csv:2"):
        places(Trace(one, others=[other]))


@pytest.mark.parametrize(("times", "is_said"), [
    (("5000000", "5000010"), False), (("0", "2002"), True), (("0", "2000"), False), (("1000000", "1002002"), True),
])  # fmt: skip
def test_the_unit_of_times_is_doubted_where_requests_are_far_apart(
    tmp_path: Path, times: tuple[str, str], is_said: bool
) -> None:
    """More than 1,000 s for each of two requests, wherever the first one is."""
    lines = [f"{time},R,0,512" for time in times]
    trace = Trace(written(tmp_path / "t.csv", *lines, head="time_s,op,offset,size\n"))
    places(trace)
    assert any("s apart on average" in note for note in trace.faults.notes) is is_said


def test_where_lines_hint_at_nothing_the_name_does_behind_its_compression(tmp_path: Path) -> None:
    for name, format in (("x.disksim.gz", "disksim"), ("x.MSR.gz", "msr")):
        path = tmp_path / name
        path.write_bytes(gzip.compress(b"hello world\n"))
        assert Trace(path).format.name == format


# Arrays of requests.

def test_requests_become_arrays_and_come_back() -> None:
    records = [Record(1.0, "a", READ, 0, 512, 0.5, 0.25, 0.125, 7), Record(2.0, "b", READ, 512, 512)]
    assert list(batch_of(records).records()) == records
    assert list(batch_of(records[1:]).records()) == records[1:]
    keyed = [Record(1.0, "", READ, 0, 1, keys=("x", "y")), Record(1.0, "", READ, 0, 1, keys=("y",))]
    batch = batch_of(keyed)
    assert [list(batch.slice(*ends).records()) for ends in ((0, 1), (1, 2), (1, 9))] == [
        keyed[:1], keyed[1:], keyed[1:]]


def test_a_batch_without_requests() -> None:
    none = empty()
    assert (none.requests, list(none.records())) == (0, [])
    assert [len(column) for column in (none.times, none.owners.codes, none.firsts, none.lengths, none.ttls)] == [0] * 5


@pytest.mark.parametrize(("field", "least"), [(integer("offset"), 0), (time_to_live("ttl"), -1)])
def test_numbers_of_columns_are_not_negative_but_for_a_time_to_live(field: Field, least: int) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    _check(field, pyarrow.array([least, 7]))
    for wrong in ([least - 1, 7], [np.inf, 7.0]):
        with pytest.raises(NotSimpleError):
            _check(field, pyarrow.array(wrong))
