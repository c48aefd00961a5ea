"""Tests JSON lines with bytes of devices by hand: what is guessed of units and of operations, and what is noted."""

import json
from typing import Any

import pytest

from spindle.sim.request import READ
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.json_blocks import NO_OP, NOTE, SECTORS_NOTE, JsonBlocks, _with_guessed_units
from spindle.workloads.traces.record import Record


def lines(*rows: dict[str, Any]) -> list[str]:
    return [json.dumps(row) for row in rows]


def place(time: float | None, first: int, length: int) -> Record:
    return Record(time, "", READ, first, length)


@pytest.mark.parametrize(("rows", "note", "records"), [
    ([{"t": 0, "offset": 8, "size": 1}, {"t": 5, "offset": 8, "size": 1}], NOTE.format("t", "seconds"),
     [place(0.0, 8, 1), place(5.0, 8, 1)]),
    ([{"t": 0, "offset": 8, "size": 1}, {"t": 500_000, "offset": 8, "size": 1}], NOTE.format("t", "nanoseconds"),
     [place(0.0, 8, 1), place(0.0005, 8, 1)]),
    ([{"t": 10**9 - 5, "offset": 8, "size": 1}, {"t": 10**9, "offset": 8, "size": 1}], "",
     [place(0.0, 8, 1), place(5.0, 8, 1)]),
    ([{"sector": 8, "size": 512}, {"sector": 16, "size": 1024}], "", [place(None, 4096, 512), place(None, 8192, 1024)]),
    ([{"sector": 8, "size": 512}, {"sector": 16, "size": 8}], SECTORS_NOTE.format("size"),
     [place(None, 4096, 512 * 512), place(None, 8192, 8 * 512)]),
    ([{"sector": 8, "sectors": 1}], "", [place(None, 4096, 512)]),
    ([{"lba": 8, "blocks": 1}], "lba and blocks are taken for sectors of 512 bytes; for 4096: --columns "
                                "lba_4096=lba,sectors_4096=blocks", [place(None, 4096, 512)]),
])  # fmt: skip
def test_units_that_no_name_says(rows: list[dict[str, Any]], note: str, records: list[Record]) -> None:
    format = _with_guessed_units("".join(f"{line}\n" for line in lines(*rows)).encode(), "")
    parser = format.parser()
    assert (format.note, [parser.parse(line) for line in lines(*rows)]) == (note, records)


def test_a_file_of_which_no_line_says_a_unit_has_none() -> None:
    """An editor's mark before the first line is taken away when it is read."""
    assert _with_guessed_units('\ufeff{"t": 5, "offset": 8, "size": 1}\n'.encode(), "").note == ""


def test_fields_that_might_say_what_is_done_are_noted() -> None:
    parser = JsonBlocks()
    parser.parse('{"offset": 8, "size": 1, "dirty": 0, "who": "x"}')
    assert parser.notes == [NO_OP.format("'dirty, who'")]
    for known in ('{"op": "R", "offset": 8, "size": 1, "dirty": 0}', '{"offset": 8, "size": 1}'):
        parser = JsonBlocks()
        parser.parse(known)
        assert parser.notes == []


def test_what_is_wrong_or_no_request_is_named() -> None:
    parser = JsonBlocks()
    with pytest.raises(Wrong, match=r"^op must be a number or a word, not"):
        parser.parse('{"op": ["R"], "offset": 8, "size": 1}')
    assert parser.parse('{"op": "trim", "offset": 8, "size": 1}') is None
    assert parser.passed.idle == {"trim": 1}
