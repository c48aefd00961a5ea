"""Tests lines of tracing tools, and tables, archives and pipes, by hand: each gives its requests."""

import io
import os
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import files_of, members
from tests.samples import sample

CORPUS = Path(__file__).parents[2] / "corpus" / "trace"

def unsized(time: float | None, op: Op, key: str) -> Record:
    return Record(time, "", op, 0, 1, keys=(key,), unsized=True)


FOUND = {
    "biosnoop": [Record(0.0, "sda", WRITE, 4096 * 512, 8192, 0.0015),
                 Record(0.00075, "sda", READ, 2048 * 512, 4096, 0.00025),
                 Record(0.00125, "sdb", READ, 8192 * 512, 4096, 0.00075)],
    "ftrace": [Record(0.0, "8,0", READ, 2048 * 512, 4096), Record(0.0009, "8,0", WRITE, 4096 * 512, 8192)],
    "xperf": [Record(0.0, "0", READ, 4096, 4096, 0.00025), Record(0.00135, "0", WRITE, 16384, 8192, 0.0004)],
    "iosnoop": [Record(None, "", READ, 1024 * 512, 4096), Record(None, "", WRITE, 2048 * 512, 8192)],
    "diskmon": [Record(0.0, "0", READ, 64 * 512, 4096, 0.0002), Record(0.2499, "0", WRITE, 128 * 512, 8192, 0.0003)],
    "fiu": [Record(0.0, "8,1", READ, 800 * 512, 4096), Record(4e-6, "8,1", WRITE, 1600 * 512, 8192)],
    "ibm-cos": [Record(0.0, "", WRITE, 0, 1056, keys=("0a1b",)), Record(0.25, "", READ, 0, 1056, keys=("0a1b",)),
                Record(0.3, "", READ, 0, 0, keys=("0a1b",), delete=True),
                Record(0.8, "", READ, 0, 1056, keys=("0a1b",))],
    "s3-log": [Record(0.0, "", READ, 0, 2000, keys=("awsexamplebucket1/photos/2019/a.jpg",)),
               Record(2.0, "", WRITE, 0, 500, keys=("awsexamplebucket1/b.jpg",)),
               Record(3.0, "", READ, 0, 500, keys=("awsexamplebucket1/b.jpg",), delete=True)],
    "web-log": [Record(0.0, "", READ, 0, 1000, keys=("/a.png",)), Record(1.0, "", READ, 0, 2000, keys=("/b.png?x=1",)),
                Record(3.0, "", READ, 0, 1000, keys=("/a.png",))],
    "redis": [unsized(0.0, WRITE, "x"), unsized(6.085987, READ, "x"),
              unsized(8.943495, READ, "x")._replace(delete=True), unsized(10.124656, READ, "x")],
    "memcached": [Record(0.0, "", READ, 0, 65, keys=("foo",)), Record(0.1, "", WRITE, 0, 65, keys=("foo",)),
                  unsized(0.2, READ, "bar")],
    "jsonl-blocks": [Record(0.0, "8,0", READ, 4096, 512), Record(0.00012, "8,0", WRITE, 8192, 4096)],
    "fio-log": [Record(0.0, "", READ, 167206912, 4096, 0.011386125), Record(0.011506286, "", WRITE, 96239616, 4096,
                                                                            0.024879839)],
    "tencent-photo": [Record(0.0, "", READ, 0, 12903, 0.001, keys=("085abb02a0.5.m",)),
                      Record(16.0, "", READ, 0, 903, 0.0, keys=("085abb02a0.5.l",))],
    "lmcache": [unsized(None, READ, key) for key in
                ("vllm@meta-llama/Llama-3.1-8B@2@0@5a1f", "meta-llama/Llama-3.1-8B@2@1@-6b2e@bfloat16")],
    "systor17": [Record(0.0, "0", WRITE, 1193713664, 8192, 0.000212), Record(0.001, "0", READ, 0, 4096),
                 Record(1.462861, "1", READ, 4096, 4096, 0.001)],
    "wikimedia": [Record(0.0, "", READ, 0, 17880, keys=("833946053",)),
                  Record(0.0, "", READ, 0, 14112, keys=("-1311088613",)),
                  Record(1.0, "", READ, 0, 17880, keys=("833946053",))],
    "vscsi-text": [Record(0.0, "", WRITE, 2048 * 512, 4096), Record(0.25, "", READ, 4096 * 512, 4608)],
    "mqsim": [Record(0.0, "", WRITE, 2048 * 512, 8192), Record(0.1, "", READ, 4096 * 512, 4096),
              Record(0.25, "", WRITE, 8192 * 512, 16384)],
}  # fmt: skip
BASE = "time_s,op,offset,size\n0,R,0,4096\n1,W,8192,4096\n2,R,0,4096\n"
REQUESTS = [Record(0.0, "", READ, 0, 4096), Record(1.0, "", WRITE, 8192, 4096), Record(2.0, "", READ, 0, 4096)]


@pytest.mark.parametrize("name", FOUND)
def test_the_lines_of_a_tool_are_recognised(name: str) -> None:
    trace = Trace(CORPUS / name)
    assert [record._replace(time=None, response=None) for record in trace] == [
        record._replace(time=None, response=None) for record in FOUND[name]]
    for part in ("time", "response"):
        for record, expected in zip(trace, FOUND[name], strict=True):
            wanted = getattr(expected, part)
            assert getattr(record, part) == (wanted if wanted is None else pytest.approx(wanted, rel=1e-5, abs=3e-7))
    assert trace.format.name == name


@pytest.mark.parametrize(("name", "found"), [
    ("biosnoop.blank", Record(0.0, "sda", WRITE, 30552896 * 512, 4096, pytest.approx(0.00024))),
    ("ftrace.flush", Record(0.0, "8,0", WRITE, 2048 * 512, 4096)),
])  # fmt: skip
def test_flushes_and_what_is_on_no_disk_are_passed_by(name: str, found: Record) -> None:
    assert list(Trace(CORPUS / name)) == [found]


FORMS = {
    r"%5T.%9t, %p, %C, %a, %S, %n, %N\n": ["    0.000000000, 1, dd, Q, 8, 16, 8192",
                                           "    0.500000000, 0, x, C, 8, 16, 8192",
                                           "    1.000000000, 1, dd, Q, 24, 8, 4096"],
    "%D|%T.%t %d %S+%n": ["  8,0  |0.000000000 R 8+16", "  8,0  |1.000000000 R 24+8"],
    "%M %m %z %a %d %S %N": ["8 0 00:59:59.5 Q R 8 8192", "8 0 01:00:00.500000 Q R 24 4096"],
    "%T.%t %a %d %S + %n [%C]": ["0.000000000 D RS 8 + 16 [a b c]", "1.000000000 D RM 24 + 8 [kworker/0:1]"],
}  # fmt: skip
"""Lines of blkparse -f: 16 blocks from the 8th on, and 8 from the 24th a second later."""


@pytest.mark.parametrize("form", FORMS)
def test_blkparse_of_any_format_is_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / "trace"
    path.write_text("\n".join([*FORMS[form], "CPU0 (sda):", " Reads Queued:     2", ""]))
    asked = [(record.time, record.op, record.first // 512, record.length // 512) for record in Trace(path, form)]
    assert asked == [(0.0, READ, 8, 16), (pytest.approx(1.0), READ, 24, 8)]


@pytest.mark.parametrize("form", [form for form in FORMS if form.startswith(("%5T", "%T"))])
def test_the_format_of_blkparse_is_told_by_its_lines(tmp_path: Path, form: str) -> None:
    path = tmp_path / "trace"
    path.write_text("\n".join([line.replace("a b c", "abc") for line in FORMS[form]] + [""]))
    assert len(list(Trace(path))) == 2


@pytest.mark.parametrize("form", ["%S", "%T.%t %a", "%S %n %S", "%S %n %y", "%S %n %"])
def test_what_is_no_format_of_blkparse(tmp_path: Path, form: str) -> None:
    with pytest.raises(UserError, match="is no format of blkparse"):
        Trace(tmp_path, form)


def test_a_line_that_is_cut_decides_nothing(tmp_path: Path) -> None:
    """Of the first bytes of a file the last line is not whole: no other kind of event is better for it."""
    line = "  8,0    0  {0:7}     {0}.000000000     1  Q   R {0} + 8 [dd]\n"
    for more in range(0, 60, sample(3, 1)):
        (tmp_path / "trace").write_text("".join(map(line.format, range(2000)))[more:])
        assert Trace(tmp_path / "trace").format.name == "blkparse"


def test_devices_of_iosnoop_are_told_apart(tmp_path: Path) -> None:
    lines = "MAJ MIN UID PID D BLOCK SIZE COMM PATHNAME\n136 8 0 9 R 8 512 a /a\n136 0 0 9 R 8 512 a /a\n"
    (tmp_path / "trace").write_text(lines)
    assert [record.device for record in Trace(tmp_path / "trace")] == ["136,8", "136,0"]


def test_lists_of_blocks_have_several_names(tmp_path: Path) -> None:
    for name in ("hash_ids", "block_hashes", "chunk_hashes"):
        lines = [f'{{"arrival_time": {time}, "{name}": ["a", "{time}"]}}\n' for time in (0.5, 1.25)]
        (tmp_path / "trace").write_text("".join(lines))
        assert [(record.time, record.keys) for record in Trace(tmp_path / "trace")] == [
            (0.0, ("a", "0.5")), (0.75, ("a", "1.25"))]


@pytest.mark.parametrize(("text", "says"), [
    ("Attached 4 probes\nTIME(ms)     DISK ID        COMM             PID    LAT(ms)\n             MAJOR MINOR\n"
     "611          259   0        bash             4179        10\n", "neither sectors nor sizes"),
    ("Tracing block device I/O... Hit Ctrl-C to end.\n     usecs           : count     distribution\n"
     "       0 -> 1        : 0        |          |\n", "this is a histogram"),
    ("Attaching 3 probes...\n@usecs:\n[256, 512)             2 |      |\n[512, 1K)             10 |@     |\n",
     "this is a histogram"),
])  # fmt: skip
def test_what_has_no_requests_is_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "trace").write_text(text)
    with pytest.raises(UserError, match=says):
        Trace(tmp_path / "trace")


def test_five_whole_numbers_in_short_steps_are_disksim(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("0 4 2048 16 0\n5 3 4096 8 1\n9 1 8192 32 0\n")
    assert Trace(tmp_path / "trace").format.name == "disksim"


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2", "a.zip", "a.parquet", "a.arrow"])
def test_what_holds_files_is_opened(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    lines = BASE.splitlines(keepends=True)
    parts = {"one.csv": "".join(lines[:3]), "two.csv": lines[0] + lines[3]}
    if ".tar" in name:
        with tarfile.open(path, f"w:{name.partition('.tar')[2].strip('.')}") as archive:
            for each, text in parts.items():
                info = tarfile.TarInfo(each)
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
    elif name.endswith("zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for each, text in parts.items():
                zipped.writestr(each, text)
    else:
        _write_table(path)
    assert list(Trace(path)) == REQUESTS


def _write_table(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"time_s": [0.0, 1.0, 2.0], "op": pa.array(["R", "W", "R"]).dictionary_encode(),
                      "offset": [0, 8192, 0], "size": [4096] * 3})  # fmt: skip
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
        return
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def test_several_files_go_on(tmp_path: Path) -> None:
    """A folder, a pattern and a list; the clock of a trace is one."""
    for number in range(2):
        rows = [f"{10**17 + 10**7 * (2 * number + each)},usr,0,Read,0,512,1\n" for each in range(2)]
        (tmp_path / f"part{number}.msr").write_text("".join(rows))
    one, two = tmp_path / "part0.msr", tmp_path / "part1.msr"
    for text in (str(tmp_path), str(tmp_path / "part*"), f"{one},{two}"):
        first, *others = files_of(text, TraceLimits())
        trace = Trace(first, others=others)
        assert [record.time for record in trace] == [0.0, 1.0, 2.0, 3.0]
        assert "2 files are read as one trace" in trace.faults.notes[0]
    with pytest.raises(UserError, match="there is no file there"):
        files_of(str(tmp_path / "none*"), TraceLimits())


def test_files_of_one_clock_are_merged_by_time(tmp_path: Path) -> None:
    """Two jobs of fio for a minute each, and the clock of the second begins earlier."""
    for job, first in ((1, 7), (2, 5)):
        rows = [f"{1000 * (first + 10 * each)}, 1000000, 0, 512, {512 * job}, 0\n" for each in range(6)]
        (tmp_path / f"j_lat.{job}.log").write_text("".join(rows))
    first, *others = files_of(str(tmp_path / "j_lat.*.log"), TraceLimits())
    trace = Trace(first, others=others)
    assert [(record.time, record.first // 512) for record in trace][:4] == [(0.0, 2), (2.0, 1), (10.0, 2), (12.0, 1)]
    assert trace.faults.late == 0


def test_two_clocks_in_one_log_are_told(tmp_path: Path) -> None:
    rows = [f"{1000 * second}, 1000000, 0, 512, 0, 0\n" for second in (5, 65, 5)]
    (tmp_path / "trace").write_text("".join(rows))
    with pytest.raises(UserError, match="runs back from 60 to 0 s, by more than 10 s: sort the file by time"):
        list(Trace(tmp_path / "trace"))


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(BASE,))
    writer.start()
    (path,) = files_of(str(pipe), TraceLimits())
    writer.join()
    assert list(Trace(path, "csv")) == REQUESTS


@pytest.mark.parametrize(("content", "says"), [
    (b"PK\x03\x04" + bytes(40), "the archive is damaged"), (b"PAR1" + bytes(40), "the table cannot be read"),
    (b"ARROW1" + bytes(40), "the table cannot be read"), (b"\xff\xfet\x00i", "no trace format"),
])  # fmt: skip
def test_what_is_damaged_is_refused_in_a_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        list(Trace(path))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_bomb_in_an_archive_is_put_out(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1 << 24))
    with pytest.raises(UserError, match="times as long when decompressed"):
        list(members(path, TraceLimits()))
