"""Tests each format of traces by hand: the requests in a few lines or records, and the messages for wrong ones."""

from collections.abc import Iterator
from pathlib import Path
from struct import pack

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.formats import issued
from spindle.workloads.traces.reader import FORMATS, Trace
from spindle.workloads.traces.record import Record, TraceLimits
from tests.traces.test_references import FILES as REFERENCES
from tests.workloads.traces.test_events import FOUND
from tests.workloads.traces.test_tool_logs import FOUND as TOOLS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def read(path: Path, content: str | bytes, name: str = "", skip_bad: int = 0) -> list[Record]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    trace = Trace(path, limits=TraceLimits(skip_bad=skip_bad))
    assert trace.format.name == (name or trace.format.name)
    return list(trace)


MSR = """\
128166372003061629,usr,0,Read,7014609920,24576,41286
128166372013061629,usr,0,Write,1317441536,4096,1963
128166372003061639,web,1,Read,0,512,10000000
"""
SPC = "0,20941264,8192,W,0.551706\n 0 , 3436288 ,15872, r ,0.554041\n1,8,512,R,1.25e-1,more,and more\n"
BLKPARSE = """\
Input file sda.blktrace.0 added
  8,0    1        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
  8,0    1        2     0.000001829   697  G   W 223490 + 8 [kjournald]
  8,0    1        3     0.000002197   697  P   N [kjournald]
  8,0    1        4     0.000003000   697  I   W 223490 + 8 [kjournald]
  8,0    1        0     0.000003100     0  m   N cfq697 insert_request
  8,0    1        5     0.000004000   697  D   W 223490 + 8 [kjournald]
  8,16   3        6     0.000500000     0  Q  RA 0 + 1 [a b]
  8,0    1        7     0.000600000   697  Q  FWS [kjournald]
  8,0    1        8     0.000700000   697  Q   D 4096 + 64 [fstrim]
  8,0    1        9     0.000800000   697  Q   R 36 (12 00 00 00 24 00 ..) [scsi_id]
  8,0    3       10     1.000000001     0  C   W 223490 + 8 [0]

CPU1 (sda):
 Reads Queued:           1,        1KiB\t Writes Queued:           1,        4KiB
Throughput (R/W): 1KiB/s / 4KiB/s
"""
FIO_2 = """\
fio version 2 iolog
/dev/sda add
/dev/sda open
/dev/sda write 1024 4096
/dev/sda wait 250 0
/dev/sda sync 0 0
/dev/sda wait 750
/dev/sda read 0 512
/dev/sda close
"""
FIO_3 = """\
fio version 3 iolog
0 a add
0 a open
10 a write 1024 4096
1010 a read 0 512
1010 a trim 0 512
1020 a close
"""
DISKSIM = "0.000000 0 8 8 0\n1.500 3 100 1 1\n  1.75   0 0 2 0x11 \n"
PLAIN = "time_s,lba_512,sectors,op\n0.5,1,2,R\n0.75,8,1,W\n"


def blktrace(order: str, *events: tuple[int, int, int, int, int, bytes]) -> bytes:
    """Events: time, sector, bytes, action, device, and what is carried."""
    return b"".join(
        pack(order + "IIQQIIIIIHH", 0x65617407, 1, time, sector, length, action, 99, device, 0, 0, len(more)) + more
        for time, sector, length, action, device, more in events)


QUEUED_READ, QUEUED_WRITE, DISCARD, ISSUED, MESSAGE = 0x0011_0001, 0x0012_0001, 0x2012_0001, 0x0041_0007, 0x0400_0002
EVENTS = ((5, 0, 0, MESSAGE, 0, b"hello"), (1000, 8, 4096, QUEUED_READ, 8 << 20, b""),
          (1500, 8, 4096, ISSUED, 8 << 20, b""), (2000, 0, 512, QUEUED_WRITE | 0x100, 8 << 20 | 17, b"12345678"),
          (2500, 0, 512, DISCARD, 8 << 20, b""), (2600, 0, 0, QUEUED_WRITE, 8 << 20, b""))  # fmt: skip
VSCSI_1 = b"".join(pack("<IIIHHQQ", 7, length, 1, command, 0x100, block, time) for length, command, block, time in (
    (512, 0x2A, 42, 1_000_000), (36, 0x12, 0, 1_000_001), (65536, 0x88, 1, 1_000_500)))
VSCSI_2 = b"".join(pack("<HHIIIQQQ", command, 0x2FF, 7, length, 1, block, time, took)
                   for length, command, block, time, took in (
    (512, 0x0A, 42, 1_000_000, 250), (65536, 0xA8, 1, 1_000_500, 0)))
ORACLE = b"".join(pack("<IQIq", *each) for each in ((9, 3, 512, 3), (9, 5, 4096, -1), (11, 3, 512, (1 << 63) - 1)))

FILES = {
    "msr": (MSR, [Record(0.0, "usr.0", READ, 7014609920, 24576, 0.0041286), Record(1e-6, "web.1", READ, 0, 512, 1.0),
                  Record(1.0, "usr.0", WRITE, 1317441536, 4096, 0.0001963)]),
    "spc": (SPC, [Record(0.125, "1", READ, 4096, 512), Record(0.551706, "0", WRITE, 20941264 * 512, 8192),
                  Record(0.554041, "0", READ, 3436288 * 512, 15872)]),
    "blkparse": (BLKPARSE, [Record(0.0, "8,0", WRITE, 223490 * 512, 4096), Record(0.0005, "8,16", READ, 0, 512)]),
    "fio": (FIO_2, [Record(0.0, "/dev/sda", WRITE, 1024, 4096), Record(0.75, "/dev/sda", READ, 0, 512)]),
    "fio ": (FIO_3, [Record(1e-5, "a", WRITE, 1024, 4096), Record(0.00101, "a", READ, 0, 512)]),
    "disksim": (DISKSIM, [Record(0.0, "0", WRITE, 4096, 4096), Record(0.0015, "3", READ, 51200, 512),
                          Record(0.00175, "0", READ, 0, 1024)]),
    "csv": (PLAIN, [Record(0.5, "", READ, 512, 1024), Record(0.75, "", WRITE, 4096, 512)]),
    "blktrace": (blktrace("<", *EVENTS), [Record(0.0, "8,0", READ, 4096, 4096), Record(1e-6, "8,17", WRITE, 0, 512)]),
    "vscsi1": (VSCSI_1, [Record(0.0, "", WRITE, 42 * 512, 512), Record(0.0005, "", READ, 512, 65536)]),
    "vscsi2": (VSCSI_2, [Record(0.0, "", WRITE, 42 * 512, 512, 0.00025), Record(0.0005, "", READ, 512, 65536, 0.0)]),
    "oracleGeneral": (ORACLE, [Record(0.0, "", READ, 1536, 512), Record(0.0, "", READ, 2560, 4096),
                               Record(2.0, "", READ, 1536, 512)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_and_read(path: Path, name: str) -> None:
    content, records = FILES[name]
    assert read(path, content, name.strip()) == records


@pytest.mark.parametrize("name", FILES)
def test_a_trace_is_read_as_often_as_asked_and_by_name(path: Path, name: str) -> None:
    content, records = FILES[name]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    trace = Trace(path, name.strip())
    assert list(trace) == list(trace) == records


@pytest.mark.parametrize("name", [name for name, (content, _) in FILES.items() if isinstance(content, str)])
def test_what_editors_do_to_a_file_does_not_matter(path: Path, name: str) -> None:
    content, records = FILES[name]
    assert isinstance(content, str)
    assert read(path, "\ufeff" + content.replace("\n", "\r\n").removesuffix("\r\n"), name.strip()) == records
    assert read(path, content + "\n  \n", name.strip()) == records


def test_msr_may_have_a_header(path: Path) -> None:
    assert read(path, "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + MSR, "msr") == FILES["msr"][1]


def test_csv_has_its_columns_in_any_order_and_may_lack_times(path: Path) -> None:
    assert read(path, "op,qlen,device,sectors,lba_512,response_s\nR,?,a,1,2,0.25\n", "csv") == [
        Record(None, "a", READ, 1024, 512, 0.25)]
    assert read(path, "time_s,lba_512,sectors,op\n,1,1,R\n", "csv") == [Record(None, "", READ, 512, 512)]


def test_blktrace_may_come_from_a_machine_that_turns_its_bytes_round(path: Path) -> None:
    assert read(path, blktrace(">", *EVENTS), "blktrace") == FILES["blktrace"][1]


def test_blkparse_has_three_kinds_of_requests(path: Path) -> None:
    path.write_text(BLKPARSE)
    assert [record.time for record in Trace(path, "blkparse-issued")] == [0.000004]
    (done,) = Trace(path, "blkparse-completed")
    assert done == Record(0.000004, "8,0", WRITE, 223490 * 512, 4096, pytest.approx(0.999996001))
    path.write_text("\n".join(line for line in BLKPARSE.split("\n") if " Q " not in line))
    with pytest.raises(UserError, match="no request in it: a request is an event Q, that one was queued"):
        list(Trace(path, "blkparse"))


def test_formats_are_found_by_what_is_in_a_file_and_not_by_its_name(tmp_path: Path) -> None:
    assert read(tmp_path / "trace.spc", MSR, "msr") == FILES["msr"][1]


def test_where_the_content_says_nothing_the_name_hints(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"trace.spc:1:4: LBA must be a whole number of at most 19 digits, not 'x'"):
        read(tmp_path / "trace.spc", "0, x,1\n")
    with pytest.raises(UserError, match="look like no trace format; --columns takes any lines"):
        read(tmp_path / "notes.txt", "This is not a trace.\nIt has two lines.\n")


def test_a_column_of_numbers_is_no_trace_of_disksim_whatever_its_name(tmp_path: Path) -> None:
    """Those of LIRS are published so."""
    with pytest.raises(UserError, match=r"multi1.trace: each of its first lines is a number; spindle curve --columns"):
        read(tmp_path / "multi1.trace", "17\n18\r\n17")
    with pytest.raises(UserError, match=r"odd.trace: its first lines look like no trace format"):
        read(tmp_path / "odd.trace", "1 x 2 3 1\n")


def test_a_misspelt_format_is_told_its_neighbours(path: Path) -> None:
    path.write_text(PLAIN)
    with pytest.raises(UserError, match="unknown trace format 'blkprase': did you mean blkparse"):
        Trace(path, "blkprase")


def lines(bad: str, good: str = MSR) -> str:
    return good + bad + "\n" + good


WRONG = [
    ("msr", lines("128166372003061629,usr,0,Raed,0,512,1"), "4:26: Type must be Read or Write, not 'Raed'"),
    ("msr", lines("128166372003061629,usr,0,Read, -1,512,1"), "4:32: Offset must be a whole number of at most 19"),
    ("msr", lines("128166372003061629,usr,0,Read,0,512"), "4:36: ResponseTime is missing"),
    ("msr", lines("128166372003061629,usr,0,Read,0,512,1,2"), "4:39: '2' stands behind ResponseTime, which"),
    ("msr", lines("128166372003061629,,0,Read,0,512,1"), "4:20: Hostname must be a name of 1 to 255 characters"),
    ("msr", lines("128166372003061629,u\0r,0,Read,0,512,1"), "4:20: Hostname must be a name"),
    ("msr", lines("128166372003061629,usr,0,Read,0," + "9" * 5000 + ",1"), "4:33: Size must be a whole number"),
    ("msr", lines("128166372003061629,usr,0,Read,0,0,1"), "4:33: a request has from 1 to 1073741824 bytes, not 0"),
    ("msr", lines("128166372003061629,usr,0,Read,1152921504606846976,512,1"), "4:31: 512 bytes from 1152921504"),
    ("msr", lines("128166371013061629,usr,0,Read,0,512,1"), "4:1: the time runs back from 1 to -99 s, by more"),
    ("msr", lines("9999999999999999999,usr,0,Read,0,512,1"), "4:1: 987183362800 s is later than 1e+10 s"),
    ("msr", lines("128166372003061629,usr,0,Read,0,512,1000000000000000000"), "4:37: a response time of 100000000000"),
    ("spc", lines("0,1,512,R,nan", SPC), "4:11: Timestamp must be a number that is not negative, not 'nan'"),
    ("spc", lines("0,1,512,R,inf", SPC), "4:11: Timestamp must be a number"),
    ("spc", lines("0,1,512,R,-1", SPC), "4:11: Timestamp must be a number that is not negative, not '-1'"),
    ("spc", lines("0,1,512,R,1e999", SPC), "4:11: Timestamp must be a number"),
    ("spc", lines("0,1_0,512,R,1", SPC), "4:3: LBA must be a whole number of at most 19 digits, not '1_0'"),
    ("spc", lines("0,\N{ARABIC-INDIC DIGIT ONE},512,R,1", SPC), "4:3: LBA must be a whole number"),
    ("csv", "time_s,lba_512,sector,op\n1,2,3,R\n", "1:1: column 'sector' is not known (is sectors meant?)"),
    ("csv", lines("1,2,3,X", PLAIN), "4:7: op must be R or W, not 'X'"),
    ("fio", FIO_3.replace("version 3", "version 4"), "1:1: the first line must be 'fio version 2 iolog' or"),
    ("fio", FIO_3 + "1030 a wait 5\n", "8:8: action must be read or write or trim or add"),
    ("fio", FIO_3 + "1030 a read 0\n", "8:14: length is missing"),
    ("fio", FIO_2 + "a wait x\n", "10:1: wait must be followed by a whole number of milliseconds"),
    ("disksim", lines("1.0 0 8 8 R", DISKSIM), "4:11: flags must be a hexadecimal number, not 'R'"),
    ("blkparse", "8,0 1 1 0.000001000 697 Q W x + 8 [a]\n", "1:29: sector must be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "says"), WRONG)
def test_a_bad_line_is_told_with_line_and_column(path: Path, name: str, content: str, says: str) -> None:
    path.write_text(content)
    with pytest.raises(UserError) as raised:
        list(Trace(path, name))
    told = str(raised.value)
    assert told.startswith(f"{path}:")
    assert says in told
    assert "\n" not in told
    assert len(told) < 300 + len(str(path))


def binaries() -> Iterator[tuple[str, bytes, str]]:
    yield "blktrace", blktrace("<", *EVENTS)[:-1], "record 6 at byte 253: the file ends 47 bytes after it begins"
    yield "blktrace", blktrace("<", *EVENTS[:2]) + b"\0" * 48, "record 3 at byte 101: a record of version 7 begins with"
    yield "blktrace", blktrace("<", EVENTS[1]) + blktrace(">", EVENTS[1]), "record 2 at byte 48: a record of version 7"
    yield "vscsi1", VSCSI_1 + VSCSI_1[:31], "record 4 at byte 96: the file ends 31 bytes after it begins"
    yield "vscsi1", VSCSI_2, "record 1 at byte 0: version 0 must be 1"
    yield "vscsi1", pack(">IIIHHQQ", 7, 512, 1, 0x2A, 0x100, 1, 1), "(the bytes of its numbers stand in the other"
    yield "oracleGeneral", ORACLE + pack("<IQIq", 11, 5, 512, 2), "record 4 at byte 72: the object's next use, 2, must"
    yield "oracleGeneral", ORACLE + pack("<IQIq", 11, 1 << 63, 512, -1), "record 4 at byte 72: 512 bytes from 47223664"


@pytest.mark.parametrize(("name", "content", "says"), list(binaries()))
def test_a_bad_record_is_told_with_its_number_and_place(path: Path, name: str, content: bytes, says: str) -> None:
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        list(Trace(path, name))
    assert says in str(raised.value)


def test_bad_records_of_blktrace_are_passed_over_up_to_the_next(path: Path) -> None:
    content = blktrace("<", EVENTS[1]) + b"tae" * 50 + blktrace("<", *EVENTS)
    path.write_bytes(content)
    trace = Trace(path, "blktrace", TraceLimits(skip_bad=1))
    assert [record.first for record in trace] == [4096, 4096, 0]
    assert trace.faults.bad == 1


ISSUED_AND_DONE = ((0, "D", 8), (1, "C", 16), (2, "D", 16), (4, "C", 8), (5, "D", 16), (7, "C", 16), (8, "D", 24))
"""Seconds, kinds and sectors: 16 is issued again before it was done, what is done at 1 came before, 24 goes on."""


def test_completions_tell_how_long_a_request_took(path: Path) -> None:
    """And without events of issue they are requests that came when they were done."""
    path.write_text("".join(f"8,0 1 1 {at}.000000000 9 {kind} R {sector} + 8 [a]\n"
                            for at, kind, sector in ISSUED_AND_DONE))  # fmt: skip
    expected = [Record(0.0, "8,0", READ, 8 * 512, 4096, 4.0), Record(5.0, "8,0", READ, 16 * 512, 4096, 2.0)]
    assert list(Trace(path, "blkparse-completed")) == expected
    path.write_text("8,0 1 1 1.000000000 9 C R 16 + 8 [a]\n8,0 1 1 4.000000000 9 C R 8 + 8 [a]\n")
    assert [(each.time, each.response) for each in Trace(path, "blkparse-completed")] == [(1.0, None), (4.0, None)]
    actions = {"D": 0x0041_0007, "C": 0x0081_0008}
    path.write_bytes(blktrace("<", *((10**9 * at, sector, 4096, actions[kind], 8 << 20, b"")
                                     for at, kind, sector in ISSUED_AND_DONE)))  # fmt: skip
    assert list(Trace(path, "blktrace-completed")) == expected


def test_of_too_many_under_way_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issued, "MOST_ISSUED", 2)
    known = issued.IssuedRequests()
    assert not known.any
    for first, time in ((8, 1.0), (16, 2.0), (8, 3.0), (24, 4.0)):
        known.begin("a", first, time)
    assert known.any
    assert [known.end("a", first) for first in (16, 8, 24, 8)] == [None, 3.0, 4.0, None]
    assert known.end("b", 8) is None


def test_every_format_is_tried_here() -> None:
    tried = {name.strip() for name in (*FILES, *REFERENCES, *FOUND, *TOOLS)}
    assert set(FORMATS) - tried == {"blkparse-issued", "blkparse-completed", "blktrace-completed"}, (
        "put a few lines of the format, and the records in them by hand, into FILES of this file")
