"""Tests lines of JSON by hand: keys, times, times to live, operations; and blocks of lines, which are as strict."""

import json
from typing import Any

import numpy as np
import pytest

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, NotSimpleError
from spindle.workloads.traces.dates import DAYS
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.formats import jsonl
from spindle.workloads.traces.formats.jsonl import JsonLines, _first, _names_in, _valid, keyed_format
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.record import Record, TraceLimits


def asked(*keys: str, time: float | None = None, size: int = 1, **more: Any) -> Record:
    return Record(time, more.pop("device", ""), more.pop("op", READ), 0, size, keys=keys,
                  unsized=more.pop("unsized", size == 1), **more)  # fmt: skip


@pytest.mark.parametrize(("key", "text"), [
    ("a", "a"), (7, "7"), (7.0, "7"), (-7.0, "-7"), ("7.0", "7.0"), ("k" * 4096, "k" * 4096),
    (2.0**53 - 1, "9007199254740991"),
])  # fmt: skip
def test_a_key_is_text_or_a_whole_number(key: object, text: str) -> None:
    assert JsonLines("key")._key(key) == text


@pytest.mark.parametrize("key", [7.5, True, None, "", [1], 1e30, float("nan"), 2.0**53, "k" * 4097])
def test_what_is_no_key(key: object) -> None:
    with pytest.raises(Wrong, match="a key must be a whole number or"):
        JsonLines("key")._key(key)


def test_the_first_line_of_a_block_is_an_object() -> None:
    assert _first(b'{"a": 1}\n{"a": 2}\n') == _first(b'{"a": 1}') == {"a": 1}
    for block in (b"[1]\n", b"{\n", b"\n"):
        with pytest.raises(NotSimpleError):
            _first(block)


def test_columns_of_times_to_live_and_of_names() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    some = np.array([True, True, True, True, False])
    found = _valid(pyarrow.array([-1.0, 0.0, 0.5, 1.0, 2.0]), some)
    assert found.tolist() == pytest.approx([np.nan, np.nan, 0.5, 1.0], nan_ok=True)
    assert np.isnan(_valid(pyarrow.array([1.0, None, 1.0, 1.0, 1.0]), some)).all()
    assert _names_in(pyarrow.array(["b", "a", "b"])) == ["b", "a"]
    assert _names_in(pyarrow.array(["b", None])) == []


@pytest.mark.parametrize(("line", "record"), [
    ({"k": "a"}, asked("a")), ({"k": ["a", 7]}, asked("a", "7")), ({"k": []}, None),
    ({"k": "a", "size": 7.0, "ttl": 0.5}, asked("a", size=7, ttl=0.5)), ({"k": "a", "ttl": -1}, asked("a")),
    ({"k": "a", "size": 1, "ttl": 0}, asked("a", unsized=False)),
    ({"k": "a", "tenant": "t", "device": "d"}, asked("a", device="t")),
    ({"k": "a", "device": 7}, asked("a", device="7")),
    ({"k": "a", "tenant": "t" * 256}, asked("a", device="t" * 255)), ({"k": "a", "op": "SET"}, asked("a", op=WRITE)),
    ({"k": "a", "http.method": "DELETE"}, asked("a", delete=True)), ({"k": "a", "type": "photo"}, asked("a")),
    ({"k": "a", "op": "trim"}, None), ({"k": "a", "op": "zap"}, None),
    ({"k": "a", "timestamp": 1e25}, asked("a", time=0)),
])  # fmt: skip
def test_the_request_of_a_line(line: dict[str, Any], record: Record | None) -> None:
    assert JsonLines("k").parse(json.dumps(line)) == record


@pytest.mark.parametrize(("name", "value", "said"), [
    ("size", True, "size must be a whole number of bytes"), ("size", "x", "size must be a whole number of bytes"),
    ("size", 7.5, "size must be a whole number of bytes"), ("ttl", True, "ttl must be a number of seconds"),
    ("ttl", "x", "ttl must be a number of seconds"), ("ttl", 1e25, "ttl must be a number of seconds"),
    ("time", True, "time must be a number"), ("time", "x", "time must be a number"),
    ("time", 1.1e25, "time must be a number"), ("k", ["a", "b", "c"], "one line asks for at most 2 keys, not 3"),
])  # fmt: skip
def test_what_a_field_must_be(name: str, value: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_KEYS", 2)
    with pytest.raises(Wrong, match=f"^{said}"):
        JsonLines("k").parse(json.dumps({"k": ["a", "b"], name: value}))
    assert JsonLines("k").parse('{"k": ["a", "b"]}') == asked("a", "b")


def test_the_field_of_keys_is_the_first_that_the_first_line_has() -> None:
    lines = JsonLines("a", "b", "c")
    assert lines.parse('{"b": "x", "c": "y"}') == asked("x")
    with pytest.raises(Wrong, match=r"^unknown field 'b'"):
        lines.parse('{"a": "x", "c": "y"}')


def test_a_field_that_is_missing_is_named_where_another_is_like_it() -> None:
    with pytest.raises(Wrong, match=r"^unknown field 'hash_ids': did you mean hash_id"):
        JsonLines("hash_ids").parse('{"hash_id": 1}')
    with pytest.raises(Wrong, match=r"^there is no field with keys: --keys names one of 'x, y'; requests for bytes"):
        JsonLines("hash_ids").parse('{"x": 1, "y": 2}')


@pytest.mark.parametrize(("times", "seconds", "notes"), [
    ({"timestamp": [1000, 3000]}, [0.0, 2.0], [jsonl.GUESSED.format("timestamp", "milliseconds")]),
    ({"time": [5, 7]}, [0.0, 2.0], []),
    ({"time_us": [5, 7]}, [0.0, 2e-6], []), ({"timestamp": [5.5, 7.5]}, [0.0, 2.0],
                                             ["timestamp is taken for seconds, by how it is written"]),
    ({"timestamp": [5, 7], "chat_id": [1, 1]}, [0.0, 2.0], ["timestamp is taken for seconds, by how it is written"]),
    ({"time": ["05/11/2023 10:00", "05/13/2023 10:00", "05/13/2023 10:01"]}, [0.0, 172_800.0, 172_860.0], []),
    ({"time": ["2026-11-28", "2026-11-29", "2026-11-29"]}, [0.0, 86_400.0, 86_400.0], [DAYS.format("time")]),
    ({"time_ns": ["1700000000000000001", "1700000000000000101"]}, [0.0, pytest.approx(1e-7)], []),
    ({"ts": [10**9, 10**9 + 1]}, [0.0, 1.0], [jsonl.GUESSED.format("ts", "seconds")]),
])  # fmt: skip
def test_times_of_lines(times: dict[str, list[Any]], seconds: list[float], notes: list[str]) -> None:
    lines = JsonLines("k")
    rows = [dict(zip(times, row, strict=True)) for row in zip(*times.values(), strict=True)]
    found = [lines.parse(json.dumps({"k": "a", **row})) for row in rows]
    assert [record and record.time for record in found] == seconds
    assert lines.notes == notes


def test_of_fractions_behind_whole_milliseconds_a_block_is_left_to_its_lines() -> None:
    """As where the first time, 7 or 7.0, is the only one that tells."""
    for first, times, is_simple in ((7, (8, 9), True), (7, (8, 9.5), False), (7.0, (8, 9.5), True)):
        lines = JsonLines("k")
        lines.parse(json.dumps({"k": "a", "timestamp": first}))
        rows = [{"k": "a", "timestamp": time} for time in times]
        if is_simple:
            assert block(lines, *rows).times.tolist() == [
                pytest.approx((time - 7) * (1.0 if isinstance(first, float) else 1e-3)) for time in times]
        else:
            with pytest.raises(NotSimpleError):
                block(lines, *rows)


def test_what_is_no_request_is_counted() -> None:
    lines = JsonLines("k")
    lines.given = {"zip": Meaning.WRITE}
    assert lines.parse('{"k": "a", "op": "zip"}') == asked("a", op=WRITE)
    for word in ("trim", "zap"):
        lines.parse(f'{{"k": "a", "op": "{word}"}}')
    assert (lines.passed.idle, lines.passed.unknown, lines.began) == ({"trim": 1}, {"zap": 1}, None)


def test_a_first_line_is_an_object_which_may_stand_behind_blanks() -> None:
    assert JsonLines("k").parse(' \t{"k": "a"}') == asked("a")
    for line, said in (("[1]", "a line must be an object in braces"), ("k,1", jsonl.NO_JSON)):
        with pytest.raises(Wrong, match=f"^{said}"):
            JsonLines("k").parse(line)


def test_a_format_of_lines_with_a_key() -> None:
    format = keyed_format("a", "b")
    assert (format.name, format.suffixes, format.needs) == ("jsonl", (".jsonl",), "a request is a line with a key")
    assert format.parser().parse('{"b": "x"}') == asked("x")


# Blocks of lines.

def block(lines: JsonLines, *rows: dict[str, Any]) -> Batch:
    pytest.importorskip("pyarrow")
    return lines.batch(b"\n".join(json.dumps(row).encode() for row in rows), Checks(TraceLimits()))


@pytest.mark.parametrize("rows", [
    [{"k": "a"}, {"k": "k" * 300}], [{"k": ["a", "b"]}, {"k": []}, {"k": ["c"]}], [{"k": [7]}, {"k": [8, 9]}],
    [{"k": "a", "op": "get"}, {"k": "b", "op": "SET"}, {"k": "c", "op": "delete"}],
    [{"k": "a", "size": 7, "ttl": 0.5}, {"k": "a", "size": 8, "ttl": -1}],
    [{"k": "a", "time_us": 5}, {"k": "a", "time_us": 7}], [{"k": "a", "tenant": "s"}, {"k": "b", "tenant": "t"}],
    [{"k": "a", "type": "photo"}, {"k": "b", "type": "film"}], [{"k": "a", "time_ns": 0}, {"k": "a", "time_ns": 2**53}],
    [{"k": "a", "tenant": "t" * 256}], [{"k": "k" * 4096}],
])  # fmt: skip
def test_a_block_is_read_as_its_lines_are(rows: list[dict[str, Any]]) -> None:
    batch, lines = block(JsonLines("k"), *rows), JsonLines("k")
    assert list(batch.records()) == [record for row in rows if (record := lines.parse(json.dumps(row)))]
    assert (batch.firsts.dtype, batch.lengths.dtype) == (np.int64, np.int64)
    assert (batch.deletes is None) == ("op" not in rows[0])
    assert batch.unsized is None or batch.unsized.dtype == np.bool_


@pytest.mark.parametrize("rows", [
    [{"k": True}], [{"k": 1.5}], [{"k": []}, {"k": ["a"]}], [{"k": ""}], [{"k": "k" * 4097}], [{"k": ["a", "b", "c"]}],
    [{"x": "a"}], [{"k": "a", "op": "zap"}], [{"k": "a", "op": "trim"}], [{"k": "a"}, {"k": "a", "op": "set"}],
    [{"k": "a", "type": "photo"}, {"k": "a", "type": "set"}], [{"k": "a", "request": {"method": "set"}}],
    [{"k": "a", "timestamp": 5}], [{"k": "a", "time": 5}], [{"k": "a", "ttl": 1e25}], [{"k": "a"}, {"x": "a"}],
    [{"k": "a"}, {"k": "a", "time_s": 5}], [{"k": "a"}, {"k": "a", "tenant": "t"}],
    [{"k": []}, {"k": [7]}], [{"k": "a", "size": None}],
])  # fmt: skip
def test_what_may_be_wrong_in_a_block_is_not_simple(
    rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MAX_KEYS", 2)
    with pytest.raises(NotSimpleError):
        block(JsonLines("k"), *rows)
    assert block(JsonLines("k"), {"k": ["a", "b"]}).requests == 1


def test_each_line_of_a_block_is_an_object() -> None:
    for lines in (b'{"k":\n"a"}\n{"k":"b"}{"k":"c"}', b'{"k": "a"}\n\n{"k": "b"}'):
        with pytest.raises(NotSimpleError):
            JsonLines("k").batch(lines, Checks(TraceLimits()))


@pytest.mark.parametrize(("name", "unit"), [("timestamp", 0.001), ("time", 1.0)])
def test_a_block_has_the_unit_and_the_keys_of_the_lines_before_it(name: str, unit: float) -> None:
    lines = JsonLines("k")
    lines.parse(json.dumps({"k": ["a"], name: 5}))
    assert list(block(lines, {"k": [], name: 6}, {"k": ["b"], name: 7}).records()) == [asked("b", time=2 * unit)]
    assert list(block(lines, {"k": ["c"]}).records()) == [asked("c")]


def test_times_of_all_blocks_count_from_the_first_request() -> None:
    lines = JsonLines("k")
    assert [block(lines, {"k": "a", "time_s": second}).times.tolist() for second in (100, 103, 110)] == [[0], [3], [10]]
    assert lines.began == 100


def test_times_beyond_which_they_are_dates() -> None:
    assert jsonl.unit_of("time", 0.5, 10**9, False) == (0.5, "")
    assert jsonl.unit_of("time", 0.5, 10**9 + 1, False) == (1.0, "time is taken for seconds, by how it is written")
