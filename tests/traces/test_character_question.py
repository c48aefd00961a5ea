"""Tests what is asked of a trace's character: its unit, its limit, its devices, and what was passed over."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.units import Bytes
from spindle.traces.character_question import CharacterQuestion, answer_character
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits

HEAD = "device,op,lba_512,sectors\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(HEAD + "a,R,0,8\na,R,8,8\na,W,0,1\n")
    return path


def test_reuse_is_in_blocks_of_4_kib_unless_told(path: Path) -> None:
    """Of 17 sectors 16 are in two blocks of 4 KiB, or in sixteen of 512 bytes."""
    usual, small = (answer_character(question, path).character
                    for question in (CharacterQuestion(), CharacterQuestion(block=Bytes(512))))  # fmt: skip
    assert [(each.block, each.locality.references, each.locality.blocks) for each in (usual, small)] == [
        (4096, 3, 2), (512, 17, 16)]  # fmt: skip


def test_who_reads_the_records_is_told_the_trace_and_its_limit(path: Path) -> None:
    asked: list[int] = []

    def records(trace: Trace, limit: int) -> Iterable[Record]:
        asked.append(limit)
        return islice(iter(trace), 1)

    question = CharacterQuestion(TraceOptions(limit=2))
    assert answer_character(question, path, records).character.requests == 1
    assert (asked, answer_character(question, path).character.requests) == ([2], 2)


def test_bad_lines_that_are_passed_over_are_counted(path: Path) -> None:
    path.write_text(path.read_text() + "a,R,x,1\n")
    answer = answer_character(CharacterQuestion(TraceOptions(skip_bad=1)), path)
    assert (answer.data()["bad_lines"], answer.data()["requests"]) == (1, 3)
    assert answer.data()["notes"] == answer.trace.faults.sentences


def test_there_may_be_more_devices_than_drives_and_no_objects(path: Path) -> None:
    path.write_text(HEAD + "".join(f"d{number},R,0,1\n" for number in range(TraceLimits.devices + 1)))
    assert len(answer_character(CharacterQuestion(), path).character.devices) == TraceLimits.devices + 1
    path.write_text("key\na\n")
    with pytest.raises(UserError, match="it asks for objects by key, which have no place on a drive"):
        answer_character(CharacterQuestion(), path)
