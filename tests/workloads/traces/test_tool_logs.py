"""Tests logs of tools, some lines of each in the tool's own form: the format detected, and the requests."""

from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.traces.formats.named import with_columns
from spindle.workloads.traces.reader import FORMATS, Trace
from spindle.workloads.traces.record import Record


def unsized(time: float | None, op: Op, *keys: str, device: str = "", delete: bool = False) -> Record:
    return Record(time, device, op, 0, 1, keys=keys, delete=delete, unsized=True)


SQUID = """\
1700000000.500    500 192.0.2.10 TCP_MISS/200 4512 GET http://a.example/x.png - HIER_DIRECT/192.0.2.99 image/png
1700000002.000      0 192.0.2.11 TCP_REFRESH_UNMODIFIED/304 250 GET http://a.example/x.png - HIER_NONE/- image/png
1700000003.000   5000 192.0.2.12 TCP_TUNNEL/200 39120 CONNECT b.example:443 - HIER_DIRECT/192.0.2.98 -
1700000003.100      1 192.0.2.10 TCP_DENIED/403 4520 GET http://a.example/y.png - HIER_NONE/- text/html
1700000004.000      0 192.0.2.10 TCP_MISS/200 10 PURGE http://a.example/x.png - HIER_NONE/- -
"""
CLOUDFRONT = """\
#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs-uri-query
2024-05-01\t12:00:00\tFRA50\t2390\t192.0.2.1\tGET\td1.cloudfront.example\t/a.js\t200\t-\t-
2024-05-01\t12:00:02\tFRA50\t900\t192.0.2.1\tGET\td1.cloudfront.example\t/a.js\t200\t-\tv=2
2024-05-01\t12:00:03\tFRA50\t700\t192.0.2.1\tGET\td1.cloudfront.example\t/none\t404\t-\t-
"""
NBDKIT = """\
2020-08-06 02:07:23.080712 connection=1 Connect export="" tls=0 size=0x400 write=1 flush=1
2020-08-06 02:07:23.081213 connection=1 Read id=1 offset=0x0 count=0x200 ...
2020-08-06 02:07:23.081320 connection=1 ...Read id=1 return=0 (Success)
2020-08-06 02:07:23.082213 connection=1 Write id=2 offset=0x1000 count=0x1000 fua=0 ...
2020-08-06 02:07:23.083000 connection=1 Trim id=3 offset=0x1000 count=0x1000 fua=0 ...
"""
SETUP = "1100.000{}: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=12, nsid=1, flags=0x0, cmd=(nvme_cmd_{})"
NVME = "\n".join([
    "# tracer: nop",
    "  fio-2104  [003] .....  " + SETUP.format("100", "read slba=2048, len=7, ctrl=0x0, dsmgmt=0, reftag=0"),
    "  <idle>-0  [003] d.h1.  1100.000180: nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=12, res=0x0, retries=0",
    "  fio-2104  [003] .....  " + SETUP.format("300", "write slba=4096, len=15, ctrl=0x0, dsmgmt=0, reftag=0"), ""])
QEMU = """\
812@1700000000.000100:blk_co_preadv blk 0x55d0 bs 0x55e0 offset 4096 bytes 512 flags 0x0
812@1700000000.000120:bdrv_co_preadv_part bs 0x55e0 offset 4096 bytes 512 flags 0x0
812@1700000000.000300:blk_co_pwritev blk 0x55d0 bs 0x55e0 offset 0x2000 bytes 1024 flags 0x0
812@1700000000.000400:qcow2_writev_start_req co 0x5 offset 0x0 bytes 1
"""
FS_USAGE = """\
12:00:00.000100  open              F=3        /etc/hosts              0.000021   cat.1
12:00:00.000200  RdData[A]         D=0x00000010  B=0x1000   /dev/disk1s1   0.000300 W cat.1
12:00:01.000200  WrMeta[A]         D=0x00000020  B=0x200    /dev/disk1s1   0.000300 W kernel.2
"""
AUDIT = "2024-05-01 12:00:0{} INFO FSNamesystem.audit: allowed={}\tugi=a\tip=/1.2.3.4\tcmd={}\tsrc={}\tdst=null\n"
HDFS = "".join(AUDIT.format(*words) for words in (
    ("0,000", "true", "open", "/a"), ("0,500", "true", "delete", "/a"), ("1,000", "true", "listStatus", "/"),
    ("2,000", "false", "open", "/b")))  # fmt: skip
DXT = """\
# darshan log version: 3.41

# DXT, file_id: 16, file_name: /data/one.npz
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_POSIX       0   read        0               0       4096      0.0000      0.0020
# DXT, file_id: 17, file_name: /data/two.npz
 X_MPIIO       0   read        0               0       4096      0.5000      0.5020
 X_POSIX       0   write       0            8192       4096      0.5000      0.5020
"""
KEY = "0x757365723A31"
ROCKSDB = f"{KEY} 0 0 0 1000000\n{KEY} 1 0 100 2000000\n{KEY} 6 0 0 2500000\n{KEY} 2 0 0 3000000\n"
YCSB = "READ usertable user62 [ <all fields>]\nUPDATE usertable user62 [ field1=x y ]\n" \
       "SCAN usertable user62 10 [ <all fields>]\n"  # fmt: skip
ARC = "100 2 0 0\n101 1 0 1\n7 1 0 2\n"
FOUND = {
    "squid": (SQUID, [Record(0.0, "", READ, 0, 4512, 0.5, keys=("http://a.example/x.png",)),
                      Record(2.0, "", READ, 0, 4512, 0.0, keys=("http://a.example/x.png",)),
                      Record(4.0, "", READ, 0, 10, 0.0, keys=("http://a.example/x.png",), delete=True)]),
    "w3c-log": (CLOUDFRONT, [Record(0.0, "", READ, 0, 2390, keys=("d1.cloudfront.example/a.js",)),
                             Record(2.0, "", READ, 0, 900, keys=("d1.cloudfront.example/a.js?v=2",))]),
    "nbdkit": (NBDKIT, [Record(0.0, "", READ, 0, 512), Record(0.001, "", WRITE, 4096, 4096)]),
    "nvme": (NVME, [Record(0.0, "nvme0n1", READ, 2048 * 512, 4096),
                    Record(0.0002, "nvme0n1", WRITE, 4096 * 512, 8192)]),
    "qemu": (QEMU, [Record(0.0, "", READ, 4096, 512), Record(0.0002, "", WRITE, 8192, 1024)]),
    "fs_usage": (FS_USAGE, [Record(0.0, "disk1s1", READ, 8192, 4096), Record(1.0, "disk1s1", WRITE, 16384, 512)]),
    "hdfs-audit": (HDFS, [unsized(0.0, READ, "/a"), unsized(0.5, READ, "/a", delete=True)]),
    "darshan-dxt": (DXT, [Record(0.0, "/data/one.npz", READ, 0, 4096, 0.002),
                          Record(0.5, "/data/two.npz", WRITE, 8192, 4096, 0.002)]),
    "rocksdb": (ROCKSDB, [unsized(0.0, READ, KEY, device="0"), Record(1.0, "0", WRITE, 0, 100, keys=(KEY,)),
                          unsized(2.0, READ, KEY, device="0", delete=True)]),
    "ycsb": (YCSB, [unsized(None, READ, "user62", device="usertable"),
                    unsized(None, WRITE, "user62", device="usertable")]),
    "arc": (ARC, [unsized(None, READ, "100", "101"), unsized(None, READ, "101"), unsized(None, READ, "7")]),
}  # fmt: skip
PASSED = {"w3c-log": "'404' (1)", "squid": "'CONNECT' (1)", "nbdkit": "'Trim' (1)", "hdfs-audit": "'listStatus' (1)",
          "rocksdb": "'seek' (1)", "ycsb": "'SCAN' (1)"}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


@pytest.mark.parametrize("name", FOUND)
def test_the_lines_of_a_tool_are_recognised_and_read(path: Path, name: str) -> None:
    text, records = FOUND[name]
    path.write_text(text)
    trace = Trace(path)
    assert trace.format.name == name
    found = list(trace)
    assert [record._replace(time=None, response=None) for record in found] == [
        record._replace(time=None, response=None) for record in records]  # fmt: skip
    for record, expected in zip(found, records, strict=True):
        assert record.time == (None if expected.time is None else pytest.approx(expected.time, abs=2e-7))
        assert record.response == (None if expected.response is None else pytest.approx(expected.response))
    said = "".join(trace.faults.sentences)
    assert ("passed over" in said) is (name in PASSED)
    assert PASSED.get(name, "") in said


@pytest.mark.parametrize("name", FOUND)
def test_what_is_no_line_of_the_tool_is_a_bad_line(path: Path, name: str) -> None:
    path.write_text(FOUND[name][0] + "what is this\n")
    with pytest.raises(UserError, match="this is no line of that tool: 'what is this'"):
        list(Trace(path, FORMATS[name]))


def test_a_guess_of_a_tool_is_said(path: Path) -> None:
    for name, said in (("arc", "are taken for ARC's"), ("nvme", "blocks are taken for 512 bytes")):
        path.write_text(FOUND[name][0])
        trace = Trace(path)
        list(trace)
        assert said in trace.faults.sentences[0]


def test_addresses_of_memory_are_named(path: Path) -> None:
    path.write_text("==12== Lackey\n L 10,1\n M 20,1\nI  04001000,3\n")
    with pytest.raises(UserError, match="addresses of memory, as valgrind's lackey prints them: sets and lines"):
        Trace(path)


def test_names_in_comments_between_requests_are_said_to_be_left_out(path: Path) -> None:
    path.write_text(DXT)
    trace = Trace(path, with_columns({"op": "3", "offset": "5", "size": "6"}, " "))
    assert len(list(trace)) == 3
    assert "# stand between requests, and what they say is not read, as '# DXT" in trace.faults.sentences[0]


@pytest.mark.parametrize("place", ["", "1"])
def test_thousands_within_quotes_are_one_number(path: Path, place: str) -> None:
    head, given = ("", {"key": "1", "size": "2", "time": "3"}) if place else ("key,size,time_s\n", {})
    path.write_text(head + '"1,024","4,096","1,200.5"\nb,512,1300.5\n')
    found = list(Trace(path, with_columns(given) if given else ""))
    assert [(record.keys, record.length) for record in found] == [(("1,024",), 4096), (("b",), 512)]
    assert (found[1].time or 0.0) - (found[0].time or 0.0) == pytest.approx(100.0)
