"""Tests details of text traces one by one: names of columns, quotes, headers, ends of lines, guessed units."""

import gzip
import io
import os
import sys
import tempfile
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.prompts import PromptTrace
from spindle.workloads.traces import source
from spindle.workloads.traces.formats import FORMATS, disksim, events, fio, json_blocks, plain, tool_logs
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.operations import Meaning, operations
from spindle.workloads.traces.prompts import read_prompts
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import PIECE, files_of, is_aside
from spindle.workloads.traces.text import TextFormat


def read(folder: Path, text: str, name: str = "trace.csv", format: str = "csv") -> list[Record]:
    path = folder / name
    path.write_text(text)
    return list(Trace(path, format))


# Columns of CSV.

def test_columns_of_spans_have_the_part_and_the_unit_of_their_names() -> None:
    for name, part, unit in (("latency_us", "response", 1e-6), ("response_ns", "response", 1e-9),
                             ("gap_before_s", "gap", 1.0), ("service_us", "service", 1e-6),
                             ("queue_ns", "queue", 1e-9)):  # fmt: skip
        field = plain.field_of(name)
        assert field is not None
        assert (field.attribute, field.unit) == (part, pytest.approx(unit))


def test_a_cell_in_quotes_may_follow_a_space(tmp_path: Path) -> None:
    (record,) = read(tmp_path, 'key,size\n1, "7"\n')
    assert record.length == 7


def test_a_first_line_without_names_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no names of columns"):
        read(tmp_path, "1,read,5\n2,read,6\n")
    with pytest.raises(UserError, match="column 'what' is not known"):
        read(tmp_path, "what,ever\n1,2\n")


def test_a_header_that_comes_again_is_no_request(tmp_path: Path) -> None:
    lines = "offset,size\n512,512\noffset,size\n1024,512\n"
    assert [record.first for record in read(tmp_path, lines)] == [512, 1024]


def test_a_first_line_of_numbers_is_a_request_and_so_is_one_like_it(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text("512 512\n512 512\n1024 512\n")
    format = with_columns({"offset": "1", "size": "2"}, " ")
    assert [record.first for record in Trace(path, format)] == [512, 512, 1024]


def test_the_size_beside_a_key_may_have_another_usual_name(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("key,object_size\n7,300\n8,400\n")
    assert [record.length for record in Trace(path, plain.GUESSED)] == [300, 400]


def test_columns_by_hand_may_be_in_an_encoding_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes("gr\xf6\xdfe,5\n".encode("cp1252"))
    (record,) = Trace(path, with_columns({"key": "1", "size": "2"}))
    assert record.keys == ("größe",)


def test_a_key_holds_no_separator(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("key;size\na,b;5\n")
    (record,) = Trace(path, "csv")
    assert (record.keys, record.length) == (("a,b",), 5)


def test_a_response_time_may_be_missing_in_csv_but_not_in_a_list_for_a_drive(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("op,lba_512,sectors,response_s\nread,0,8,\n")
    (record,) = Trace(path, "csv")
    assert record.response is None
    with pytest.raises(UserError, match="response_s"):
        list(Trace(path, plain.plain(512)))


# DiskSim's, or MQSim's: by the times.

def test_whole_times_a_second_apart_or_less_are_milliseconds() -> None:
    assert disksim._of_ms_or_ns(b"0 0 0 8 1\n1000 0 8 8 1\n", "").name == "disksim"
    assert disksim._of_ms_or_ns(b"0 0 0 8 1\n1001 0 8 8 1\n", "").name == "mqsim"


def test_the_distance_of_times_is_their_mean_from_the_first_to_the_last() -> None:
    ten = b"".join(b"%d 0 %d 8 1\n" % (5000 + 500 * place, place) for place in range(3))
    assert disksim._of_ms_or_ns(ten, "").name == "disksim"
    uneven = b"0 0 0 8 1\n1900 0 8 8 1\n2100 0 8 8 1\n"
    assert disksim._of_ms_or_ns(uneven, "").name == "mqsim"
    assert disksim._of_ms_or_ns(b"5000 0 0 8 1\n", "").name == "disksim"
    assert disksim._of_ms_or_ns(b"0 0 0 8 1\n\n1001 0 8 8 1\n", "").name == "mqsim"


def test_blocks_that_all_divide_by_a_sector_may_be_bytes() -> None:
    def note(lines: bytes) -> str:
        return disksim._of_ms_or_ns(lines, "").note

    assert "divide by 4096" in note(b"0.5 0 4096 8192 1\n")
    assert "divide by 512" in note(b"0.5 0 512 8192 1\n")
    assert "may be bytes" not in note(b"0.5 0 4096 8 1\n")
    assert "may be bytes" not in note(b"0.5 0 4096\n0.6 0 x 1 1\n0.7 0 1 1 1\n")


def test_a_device_of_nine_digits_keeps_its_number_in_disksims_format() -> None:
    def line(device: str) -> bytes:
        return b"".join(disksim.encode([Record(0.0, device, READ, 512, 512)]))

    assert line("123456789") == b"0.000000 123456789 1 1 1\n"
    assert line("1234567890") != b"0.000000 1234567890 1 1 1\n"


def test_the_last_block_of_disksims_format() -> None:
    def line(first: int) -> bytes:
        return b"".join(disksim.encode([Record(0.0, "0", READ, first * 512, 512)]))

    assert line(2**31 - 1) == b"0.000000 0 2147483647 1 1\n"
    with pytest.raises(UserError, match="block 2147483648 is beyond them"):
        line(2**31)


# Names of fio's files.

@pytest.mark.parametrize("device", ["a b", "x" * 256, "é" * 128, "a\x07", ".", "..", " a"])
def test_a_device_that_cannot_be_a_file_of_fios(device: str) -> None:
    with pytest.raises(UserError, match="cannot be a file"):
        fio._Files()[device]


@pytest.mark.parametrize(("device", "name"), [("x" * 255, "x" * 255), ("/dev/sda", "_dev_sda"), ("", "disc"),
                                              ("...", "...")])  # fmt: skip
def test_a_device_that_can(device: str, name: str) -> None:
    assert fio._Files()[device] == name


def test_a_sync_of_fios_moves_no_data_and_is_known(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("fio version 2 iolog\na add\na open\na read 0 512\na sync\na datasync 0 0\na close\n")
    trace = Trace(path, "fio")
    assert [record.length for record in trace] == [512]
    assert set(trace.faults.passed.idle) == {"sync", "datasync"}
    assert not trace.faults.passed.unknown


def test_what_follows_the_beginning_in_which_a_wait_is_looked_for_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fio, "LOOKED_AT", 1)
    path, lines = tmp_path / "log", PIECE // 10
    path.write_text("fio version 2 iolog\na add\na open\n" + "a read 0 512\n" * lines + "a close\n")
    assert sum(batch.requests for batch in Trace(path, "fio").batches()) == lines


def test_a_log_of_fios_without_requests_says_what_one_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("fio version 2 iolog\na add\na open\na close\n")
    with pytest.raises(UserError, match="there is no request in it: a request is a line with read or write"):
        list(Trace(path, "fio"))


# Numbers in logs of tools.

def test_a_number_of_a_tool_has_at_most_36_characters_and_is_not_negative() -> None:
    assert (events._number("12"), events._number("1.5")) == (12, 1.5)
    for text in ("x", "-1", "", "1" * 37, "0." + "1" * 35):
        with pytest.raises(ValueError):  # noqa: PT011 - it says nothing
            events._number(text)


def test_what_is_noted_of_a_tool_is_noted_by_its_format() -> None:
    assert tool_logs.NVME_NOTE in {format.note for format in FORMATS.values() if isinstance(format, TextFormat)}


# JSON lines.

def test_a_word_in_json_has_no_end_of_line_and_no_quote() -> None:
    for mark in '"\r\n':
        with pytest.raises(ValueError, match="must be a number or a word"):
            json_blocks._cell("op", f"a{mark}b")
    assert (json_blocks._cell("op", "a,b"), json_blocks._cell("op", "X")) == ('"a,b"', "X")


def test_two_guesses_of_json_lines_are_two_sentences() -> None:
    head = b'{"time": 0, "op": "read", "sector": 8, "size": 700}\n{"time": 5, "op": "read", "sector": 8, "size": 1}\n'
    note = json_blocks._with_guessed_units(head, "").note
    time, size = note.split("; size ")
    assert time.startswith("time is taken for seconds")
    assert size == "is taken for sectors of 512 bytes, of which it is not always a multiple"


def test_a_time_of_json_that_is_the_largest_is_still_one(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        read(tmp_path, '{"timestamp": 1.1e25, "key": 1}\n', "trace.jsonl", "jsonl")


# Words of --ops.

def test_a_meaning_is_what_follows_the_first_sign() -> None:
    with pytest.raises(UserError, match="x=read"):
        operations("a=x=read")


# Prompts.

PROMPT = '{"timestamp": 0, "input_length": 1, "output_length": 0, "hash_ids": [1]}\n'


def prompts(folder: Path, text: str) -> PromptTrace:
    path = folder / "trace.jsonl"
    path.write_bytes(text.encode())
    return read_prompts(path)


def test_a_mark_of_an_encoding_is_taken_from_the_first_line_of_prompts_only(tmp_path: Path) -> None:
    assert len(prompts(tmp_path, "\ufeff" + PROMPT).prompts) == 1
    with pytest.raises(UserError, match=":2:"):
        prompts(tmp_path, PROMPT + "\ufeff" + PROMPT)


def test_the_first_prompt_may_be_indented(tmp_path: Path) -> None:
    assert len(prompts(tmp_path, "  " + PROMPT).prompts) == 1


def test_prompts_whose_unit_is_said_have_no_note(tmp_path: Path) -> None:
    assert prompts(tmp_path, PROMPT.replace("timestamp", "timestamp_s")).note == ""


def test_a_prompt_has_up_to_two_to_the_24_tokens(tmp_path: Path) -> None:
    one = '{"timestamp_s": 0, "input_length": 1, "output_length": %d, "hash_ids": [1]}\n'
    assert prompts(tmp_path, one % (1 << 24)).prompts[0].answer == 1 << 24
    with pytest.raises(UserError):
        prompts(tmp_path, one % ((1 << 24) + 1))


# Files.

def test_what_stands_in_a_folder_of_macs_is_aside() -> None:
    assert is_aside("a/__MACOSX/trace.csv")
    assert is_aside("a/._trace.csv")
    assert not is_aside("__MACOSX.d/trace.csv")
    assert is_aside("a/README.txt")
    assert not is_aside("README/trace.csv")


def test_a_pipe_of_standard_input_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(b"offset,size\n0,512\n")

    monkeypatch.setattr(sys, "stdin", Input)
    (path,) = files_of("-", TraceLimits())
    assert path.name.startswith("spindle-")
    assert path.read_bytes() == b"offset,size\n0,512\n"
    assert str(path) == "standard input"
    assert str(path.parent) == tempfile.gettempdir()


def test_a_named_pipe_keeps_its_name(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as writer:
        writer.submit(pipe.write_bytes, b"offset,size\n0,512\n")
        (path,) = files_of(str(pipe), TraceLimits())
    assert (str(path), path.read_bytes()) == (str(pipe), b"offset,size\n0,512\n")


def test_what_a_pipe_without_a_writer_waits_for_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is told begins to write: nothing else would end the wait."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told = []

    def hear(message: Warning, *_: object, **__: object) -> None:
        told.append(str(message))
        pipe.write_bytes(b"0,512\n")

    monkeypatch.setattr(source, "PATIENCE", 0.01)
    monkeypatch.setattr(warnings, "warn", hear)
    (path,) = files_of(str(pipe), TraceLimits())
    assert path.read_bytes() == b"0,512\n"
    assert told == [f"{pipe}: waiting for something to be written into it"]


def test_lines_that_end_as_on_old_macs_are_lines(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes(b"offset,size\r512,512\r1024,512\r")
    assert [record.first for record in Trace(path, "csv")] == [512, 1024]


def test_text_in_utf_16_is_text(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes("\ufeffoffset,size\n512,512\n".encode("utf-16-le"))
    assert [record.first for record in Trace(path, "csv")] == [512]


def test_words_that_a_caller_gives_a_meaning_help_to_know_a_format(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text("op,offset,size\n" + "zap,512,512\n" * 9)
    trace = Trace(path, ops={"zap": Meaning.WRITE})
    assert [record.op for record in trace] == [WRITE] * 9


def test_a_trace_of_a_named_format_is_not_compared_with_others(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("offset,size\n512,512\n")
    second.write_text("size,offset\n512,1024\n")
    assert [record.first for record in Trace(first, "csv", others=[second])] == [512, 1024]


def test_files_without_times_follow_each_other_and_those_with_are_merged(tmp_path: Path) -> None:
    for times, said in ((True, ", merged by time"), (False, "")):
        paths = [tmp_path / f"{name}{times}.csv" for name in "ab"]
        for place, path in enumerate(paths):
            path.write_text(f"time_s,offset,size\n{place},512,512\n" if times else "offset,size\n512,512\n")
        trace = Trace(paths[0], "csv", others=paths[1:])
        list(trace)
        assert trace.faults.notes[-1] == f"2 files are read as one trace, from {paths[0].name} to {paths[1].name}{said}"


def test_zeros_between_two_compressed_parts_are_no_end(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv.gz"
    header, more = (gzip.compress(text) for text in (b"offset,size\n512,512\n", b"1024,512\n"))
    path.write_bytes(header.ljust(source.FEED, b"\0") + bytes(2 * source.FEED) + more)
    assert [record.first for record in Trace(path, "csv")] == [512, 1024]


def test_an_archive_of_too_many_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_FILES", 1)
    path = tmp_path / "traces.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in "ab":
            archive.writestr(f"{name}.csv", "offset,size\n512,512\n")
    with pytest.raises(UserError) as error:
        list(Trace(path, "csv"))
    assert str(error.value) == f"{path}: more than 1 files"
