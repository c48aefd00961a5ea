"""Tests writers of traces by hand: the text, that it is read back unchanged, and that the tools can read it."""

import bz2
import gzip
import json
import lzma
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from struct import pack

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces.writer import write_trace
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits, number_of

RECORDS = [Record(0.0, "0", READ, 0, 4096), Record(0.001, "0", WRITE, 8192, 512),
           Record(0.0205, "1", READ, 65536, 8192), Record(0.0206, "0", WRITE, 4096, 4096)]  # fmt: skip
TEXTS = {
    "fio2": "fio version 2 iolog\n0 add\n0 open\n0 wait 0 0\n0 read 0 4096\n0 wait 1 0\n0 write 8192 512\n1 add\n"
            "1 open\n1 wait 20 0\n1 read 65536 8192\n0 wait 21 0\n0 write 4096 4096\n0 close\n1 close\n",
    "fio3": "fio version 3 iolog\n0 0 add\n0 0 open\n0 0 read 0 4096\n1000 0 write 8192 512\n20500 1 add\n"
            "20500 1 open\n20500 1 read 65536 8192\n20600 0 write 4096 4096\n20600 0 close\n20600 1 close\n",
    "csv": "time_s,device,op,offset,size\n0.000000000,0,R,0,4096\n0.001000000,0,W,8192,512\n"
           "0.020500000,1,R,65536,8192\n0.020600000,0,W,4096,4096\n",
    "disksim": "0.000000 0 0 8 1\n1.000000 0 16 1 0\n20.500000 1 128 16 1\n20.600000 0 8 8 0\n",
}  # fmt: skip
RESOLUTION = {"fio2": 1e-3, "fio3": 1e-6, "disksim": 1e-9, "blktrace": 1e-9, "csv": 1e-9}


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_written_by_hand(tmp_path: Path, name: str) -> None:
    write_trace(RECORDS, tmp_path / "trace", name)
    assert (tmp_path / "trace").read_text() == TEXTS[name]
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]


@pytest.mark.parametrize(("end", "opened"), [
    (".gz", gzip.decompress), (".bz2", bz2.decompress), (".xz", lzma.decompress),
    (".zst", lambda content: zstandard.ZstdDecompressor().decompressobj().decompress(content)),
])  # fmt: skip
def test_the_end_of_a_name_says_how_it_is_compressed(
    tmp_path: Path, end: str, opened: Callable[[bytes], bytes]
) -> None:
    for place in (tmp_path / f"one{end}", tmp_path / f"other{end}"):
        write_trace(RECORDS, place, "csv")
    content = (tmp_path / f"one{end}").read_bytes()
    assert opened(content).decode() == TEXTS["csv"]
    assert (tmp_path / f"other{end}").read_bytes() == content
    assert [record.first for record in Trace(tmp_path / f"one{end}", "csv")] == [record.first for record in RECORDS]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written") / "trace"


def requests() -> st.SearchStrategy[list[Record]]:
    """Requests whose times never fall, the first at 0."""
    each = st.tuples(st.floats(0.0, 1e5), st.sampled_from("012"), st.sampled_from([READ, WRITE]),
                     st.integers(0, 1 << 29), st.integers(1, 2048))

    def ascending(drawn: list[tuple[float, str, object, int, int]]) -> list[Record]:
        times = [0.0, *sorted(time for time, *_ in drawn)]
        return [Record(time, device, op, first * 512, length * 512)  # type: ignore[arg-type]
                for time, (_, device, op, first, length) in zip(times, drawn, strict=False)]

    return st.lists(each, min_size=1, max_size=20).map(ascending)


@settings(max_examples=60)
@given(records=requests(), name=st.sampled_from(list(RESOLUTION)))
def test_what_is_written_is_read_again_as_it_was(file: Path, records: list[Record], name: str) -> None:
    write_trace(records, file, name)
    again = list(Trace(file, limits=TraceLimits(slack=0.0)))
    first_seen = list(dict.fromkeys(record.device for record in records))
    for record, read in zip(records, again, strict=True):
        device = f"8,{16 * first_seen.index(record.device)}" if name == "blktrace" else record.device
        assert read[1:] == (device, *record[2:])
        assert read.time == pytest.approx(record.time, rel=1e-15, abs=0.51 * RESOLUTION[name])


@pytest.mark.parametrize("name", RESOLUTION)
def test_what_has_no_time_comes_with_the_one_before(tmp_path: Path, name: str) -> None:
    times = [0.0, None, 0.5, 0.25, None]
    write_trace([Record(time, "0", READ, 512, 512) for time in times], tmp_path / "trace", name)
    assert [record.time for record in Trace(tmp_path / "trace")] == [0.0, 0.0, 0.5, 0.5, 0.5]


@pytest.mark.parametrize(("name", "devices", "numbers"), [
    ("disksim", ["7", "usr.0", "0"], None), ("disksim", ["7", "usr.0", "web.1"], ["7", "0", "1"]),
    ("blktrace", ["8,0", "usr.0", "259,1"], ["8,0", "8,16", "259,1"]), ("blktrace", ["usr.0", "8,0"], None),
])  # fmt: skip
def test_devices_keep_the_numbers_that_they_have(
    tmp_path: Path, name: str, devices: list[str], numbers: list[str] | None
) -> None:
    records = [Record(0.0, device, READ, 0, 512) for device in devices]
    if numbers is None:
        with pytest.raises(UserError, match=rf"device '{devices[-1]}' would get number \d+, which another has"):
            write_trace(records, tmp_path / "trace", name)
    else:
        write_trace(records, tmp_path / "trace", name)
        assert [record.device for record in Trace(tmp_path / "trace")] == numbers


KEYED = [Record(None, "", READ, 0, 7, keys=("a", "b")), Record(2.5, "t", WRITE, 0, 9, keys=("a",), ttl=60.5)]


def test_objects_have_a_line_for_each_reference(tmp_path: Path) -> None:
    write_trace(KEYED, tmp_path / "trace", "csv")
    assert (tmp_path / "trace").read_text() == (
        "time_s,device,op,key,size,ttl\n,,R,a,7,\n,,R,b,7,\n2.500000000,t,W,a,9,60.5\n")
    assert list(Trace(tmp_path / "trace")) == [
        KEYED[0]._replace(keys=("a",)), KEYED[0]._replace(keys=("b",)), KEYED[1]]


def test_names_with_commas_are_quoted_and_read_back(tmp_path: Path) -> None:
    block, keyed = Record(0.0, "8,0", READ, 0, 512), Record(None, "t", READ, 0, 7, keys=("a,b",))
    for record in (block, keyed):
        write_trace([record], tmp_path / "trace", "csv")
        assert list(Trace(tmp_path / "trace")) == [record]


def test_oracle_general_knows_who_is_used_again(tmp_path: Path) -> None:
    a, b = number_of("a"), number_of("b")
    write_trace(KEYED, tmp_path / "objects", "oracleGeneral")
    assert (tmp_path / "objects").read_bytes() == (
        pack("<IQIq", 0, a, 7, 2) + pack("<IQIq", 0, b, 7, -1) + pack("<IQIq", 2, a, 9, -1))
    assert Trace(tmp_path / "objects").format.name == "oracleGeneral-objects"
    same = [Record(float(second), "d", READ, 512 * (second % 2), 512) for second in range(3)]
    write_trace(same, tmp_path / "sectors", "oracleGeneral")
    assert list(Trace(tmp_path / "sectors", "oracleGeneral")) == [each._replace(device="") for each in same]


@pytest.mark.parametrize("name", ["fio2", "fio3"])
def test_no_device_leads_fio_to_a_file_elsewhere(tmp_path: Path, name: str) -> None:
    """Who made a trace would else have fio write over any file of who replays it."""
    devices = {"/etc/passwd": "_etc_passwd", "../../x": ".._.._x", "": "disc", "sda": "sda"}
    write_trace([Record(float(time), device, WRITE, 0, 512) for time, device in enumerate(devices)],
                tmp_path / "trace", name)  # fmt: skip
    assert [record.device for record in Trace(tmp_path / "trace")] == list(devices.values())


WRONG = [
    ("fio3", KEYED, "'a' is the key of an object, and fio3 has bytes of devices"),
    ("oracleGeneral", RECORDS, "oracleGeneral knows one device, and '1' is another"),
    ("csv", [*KEYED, *RECORDS], "by key, or for bytes of devices, and not for both"),
    ("csv", [KEYED[0]._replace(keys=('a"b',))], "the key 'a\"b' has a quote, a tab"),
    ("fio4", RECORDS, "unknown format to write a trace in 'fio4': did you mean fio3 or fio2?"),
    ("disksim", [Record(0.0, "0", READ, 100, 512)], "512 bytes from byte 100 on are no whole sectors of 512 bytes"),
    ("disksim", [Record(0.0, "0", READ, 1 << 40, 512)], "DiskSim counts 2147483648 blocks of 512 bytes"),
    ("blktrace", [Record(0.0, "0", READ, 0, 100)], "100 bytes from byte 0 on are no whole sectors"),
    ("fio3", [Record(0.0, "a b", READ, 0, 512)], "device 'a b' cannot be a file of fio's"),
    ("fio2", [Record(0.0, "..", READ, 0, 512)], "device '..' cannot be a file of fio's"),
    ("fio3", [Record(0.0, name, READ, 0, 512) for name in ("a_b", "a/b")],
     "device 'a/b' would be the file 'a_b', which another is"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "records", "says"), WRONG)
def test_what_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, name: str, records: Iterable[Record], says: str
) -> None:
    with pytest.raises(UserError) as raised:
        write_trace(records, tmp_path / "trace", name)
    assert says in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*No such file or directory"):
        write_trace(RECORDS, tmp_path / "none" / "trace", "fio3")


# The tools themselves -----------------------------------------------------------------------------

needs_blkparse = pytest.mark.skipif(shutil.which("blkparse") is None, reason="blkparse (package blktrace) is not there")
needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not there")


@needs_blkparse
def test_blkparse_reads_ours_and_we_read_its(tmp_path: Path) -> None:
    write_trace(RECORDS, tmp_path / "ours.blktrace.0", "blktrace")
    command = ["blkparse", "-i", "ours"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (tmp_path / "theirs").write_text(printed)
    trace = Trace(tmp_path / "theirs")
    assert trace.format.name == "blkparse"
    assert list(trace) == list(Trace(tmp_path / "ours.blktrace.0"))
    merged = ["blkparse", "-i", "ours", "-O", "-d", "merged"]
    subprocess.run(merged, cwd=tmp_path, capture_output=True, check=True)
    assert list(Trace(tmp_path / "merged")) == list(trace)


@needs_fio
@pytest.mark.parametrize("name", ["fio2", "fio3", "blktrace"])
def test_fio_replays_ours(tmp_path: Path, name: str) -> None:
    write_trace(RECORDS, tmp_path / "ours", name)
    for disc in ("0", "1"):
        with (tmp_path / disc).open("wb") as sparse:
            sparse.truncate(1 << 20)
    command = ["fio", "--name=ours", "--read_iolog=ours", "--replay_no_stall=1", "--ioengine=psync", "--thread",
               "--output-format=json", *(["--replay_redirect=0"] if name == "blktrace" else [])]  # fmt: skip
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (job,) = json.loads(printed[printed.index("{"):])["jobs"]
    assert job["error"] == 0
    assert (job["read"]["total_ios"], job["read"]["io_bytes"]) == (2, 4096 + 8192)
    assert (job["write"]["total_ios"], job["write"]["io_bytes"]) == (2, 512 + 4096)


@needs_fio
def test_we_read_what_fio_writes(tmp_path: Path) -> None:
    command = ["fio", "--name=theirs", "--filename=disc", "--size=64k", "--bs=4k", "--rw=randrw", "--ioengine=psync",
               "--thread", "--write_iolog=theirs", "--output-format=json"]  # fmt: skip
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (job,) = json.loads(printed[printed.index("{"):])["jobs"]
    records = list(Trace(tmp_path / "theirs"))
    for op, done in ((READ, job["read"]), (WRITE, job["write"])):
        assert sum(record.length for record in records if record.op is op) == done["io_bytes"]
    assert {record.first for record in records} == set(range(0, 65536, 4096))
