"""Tests lines of servers' and tools' logs one by one: the event that each becomes, cell by cell, or none."""

from dataclasses import replace
from typing import Any

import pytest

from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS, US
from spindle.workloads.traces.formats import server_logs
from spindle.workloads.traces.formats.events import Event, EventLines, Reading
from spindle.workloads.traces.formats.server_logs import memcached_watch, redis_monitor, s3_log, web_log
from spindle.workloads.traces.formats.tool_logs import (
    MAX_BLOCKS,
    arc,
    darshan_dxt,
    fs_usage,
    hdfs_audit,
    nbdkit,
    nvme,
    qemu,
    rocksdb,
    squid,
    w3c_log,
    ycsb,
)
from spindle.workloads.traces.record import Record


def is_wrong(read: Reading, line: str) -> bool:
    try:
        read(line)
    except (ValueError, LookupError):
        return True
    return False


def keyed(op: str, key: str, length: str = "", time: str = "", **more: Any) -> Event:
    return Event(op, more.pop("device", ""), "0", length, time, keys=(key,), **more)


# S3: object size, else bytes sent, else none.

S3 = ("79a5 bucket [06/Feb/2019:00:00:{second:02d} +0000] 192.0.2.3 arn:x 3E57 {op} {key} \"GET /x HTTP/1.1\" {status} "
      "- {sent} {size} 70 10 \"-\" \"S3Console/0.4\" -")  # fmt: skip


def s3(op: str = "REST.GET.OBJECT", key: str = "a.jpg", status: str = "200", sent: str = "2", size: str = "3",
       second: int = 0) -> str:  # fmt: skip
    return S3.format(op=op, key=key, status=status, sent=sent, size=size, second=second)


@pytest.mark.parametrize(("line", "event"), [
    (s3(), keyed("REST.GET.OBJECT", "bucket/a.jpg", "3", "1549411200")),
    (s3(size="-", second=7), keyed("REST.GET.OBJECT", "bucket/a.jpg", "2", "1549411207")),
    (s3(size="-", sent="-"), keyed("REST.GET.OBJECT", "bucket/a.jpg", "", "1549411200")),
    (s3("REST.GET.ACL"), keyed("REST.GET.ACL", "bucket/a.jpg", "3", "1549411200", skip=True)),
    (s3(key="-"), None), (s3(status="404"), keyed("404", "bucket/a.jpg", "3", "1549411200", skip=True)),
    (s3(status="500"), keyed("500", "bucket/a.jpg", "3", "1549411200", skip=True)),
    (s3(status="304"), keyed("REST.GET.OBJECT", "bucket/a.jpg", "3", "1549411200")),
])  # fmt: skip
def test_a_line_of_s3(line: str, event: Event | None) -> None:
    assert s3_log(line) == event
    assert is_wrong(s3_log, line[:40])


# Web servers.

WEB = '192.0.2.1 - - [10/Oct/2000:13:55:{second:02d} -0700] "{asked}" {status} {size} "-" "curl"'


def web(asked: str = "GET /a HTTP/1.0", status: int = 200, size: str = "99", second: int = 36) -> str:
    return WEB.format(asked=asked, status=status, size=size, second=second)


@pytest.mark.parametrize(("line", "event"), [
    (web(), keyed("get", "/a", "99", "971211336")), (web(size="-"), keyed("get", "/a", "", "971211336")),
    (web("PUT /b HTTP/1.1"), keyed("put", "/b", "99", "971211336")),
    (web("DELETE /b"), keyed("delete", "/b", "99", "971211336")),
    (web("PURGE /b"), keyed("delete", "/b", "99", "971211336")),
    (web("POST /b"), keyed("POST", "/b", "99", "971211336", skip=True)),
    (web(status=404), keyed("404", "/a", "99", "971211336", skip=True)),
    (web(status=404, size="-"), keyed("404", "/a", "", "971211336", skip=True)),
    (web(status=502), keyed("502", "/a", "99", "971211336", skip=True)), (web("-"), None), (web(r"\x16\x03"), None),
    (web(status=304, size="-"), keyed("get", "/a", "", "971211336")),
    ("2024/05/01 12:00:00 [error] 7#7: *1 open() failed", None), ("/docker-entrypoint.sh: Launching", None),
])  # fmt: skip
def test_a_line_of_a_web_server(line: str, event: Event | None) -> None:
    assert web_log()(line) == event
    assert is_wrong(web_log(), "what is this")


@pytest.mark.parametrize(("before", "key"), [
    ("h.example:80 192.0.2.1 - -", "h.example/a"), ("h.example 192.0.2.1 - -", "h.example/a"),
    ("h:443 192.0.2.1 - ann", "h/a"), ("192.0.2.1 - -", "/a"), ("192.0.2.9 192.0.2.1 - -", "/a"),
    ("web-1  | 192.0.2.1 - -", "/a"), ("web 192.0.2.1 - -", "/a"), ("2001:db8::1 - -", "/a"),
])  # fmt: skip
def test_a_host_before_the_line_of_a_web_server_is_part_of_the_key(before: str, key: str) -> None:
    for prefix in (before, f'"{before}'):
        assert web_log()(web().replace("192.0.2.1 - -", prefix)) == keyed("get", key, "99", "971211336")


def test_what_has_not_changed_has_the_last_size_of_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    read = web_log()
    for size in ("99", "77"):
        read(web(size=size))
    read(web("PUT /a", size="5"))
    assert read(web(status=304, size="0")) == keyed("get", "/a", "77", "971211336")
    monkeypatch.setattr(server_logs, "MAX_SIZES", 2)
    read = web_log()
    for path in ("/a", "/b", "/c"):
        read(web(f"GET {path}"))
    lengths = [found.length for path in ("/a", "/b", "/c") if (found := read(web(f"GET {path}", 304))) is not None]
    assert lengths == ["", "99", "99"]


# Redis and memcached.

@pytest.mark.parametrize(("line", "event"), [
    ('1339518083.107412 [0 127.0.0.1:60866] "get" "x"', keyed("get", "x", "", "1339518083.107412")),
    ('+1.5 (db 0) "SET" "a b" "1"', keyed("set", "a b", "", "1.5")),
    ('1.5 [2 127.0.0.1:1] "get" "x"', keyed("get", "2:x", "", "1.5")),
    ('1.5 (db 3) "get" "x"', keyed("get", "3:x", "", "1.5")),
    ('1.5 "mget" "x" "y"', Event("get", "", "0", "", "1.5", keys=("x", "y"))),
    ('1.5 [0 lua] "mset" "x" "1" "y" "2"', Event("set", "", "0", "", "1.5", keys=("x", "y"))),
    ('1.5 [0 lua] "unlink" "x" "y"', Event("delete", "", "0", "", "1.5", keys=("x", "y"))),
    ('1.5 [0 lua] "keys" "*"', Event("keys", "", "0", "", "1.5", keys=("",), skip=True)),
    ('1.5 [0 lua] "GET"', Event("get", "", "0", "", "1.5", keys=("",), skip=True)),
    ("OK", None), (" +OK ", None),
])  # fmt: skip
def test_a_line_of_redis(line: str, event: Event | None) -> None:
    assert redis_monitor(line) == event
    assert is_wrong(redis_monitor, "ok")
    assert is_wrong(redis_monitor, '1.5 "get')


@pytest.mark.parametrize(("line", "event"), [
    ("ts=7.5 gid=1 type=item_get key=foo status=found clsid=1 cfd=2 size=65", keyed("get", "foo", "65", "7.000005")),
    ("ts=7.123456 gid=1 type=item_get key=foo status=not_found size=65", keyed("get", "foo", "", "7.123456")),
    ("ts=7.5 gid=1 type=item_store key=foo status=stored cmd=set size=7", keyed("set", "foo", "7", "7.000005")),
    ("ts=7.5 gid=1 type=item_store key=foo status=not_stored cmd=add size=7", None),
    ("ts=7.5 gid=1 type=deleted key=foo cmd=delete", keyed("delete", "foo", "", "7.000005")),
    ("ts=7.5 gid=1 type=eviction key=foo fetch=no size=9", None), ("ts=7.5 gid=1 type=item_get", None), ("OK", None),
    ("+OK", None),
])  # fmt: skip
def test_a_line_of_memcached(line: str, event: Event | None) -> None:
    assert memcached_watch(line) == event
    assert is_wrong(memcached_watch, "ts=7 gid=1 type=item_get key=foo")


# Squid and CloudFront.

SQUID = "{time} {took:>6} 192.0.2.10 TCP_MISS/{status} {size} {method} http://a/x - HIER_DIRECT/192.0.2.99 image/png"


def squid_line(status: int = 200, size: int = 45, method: str = "GET", took: int = 500, time: str = "7.5") -> str:
    return SQUID.format(status=status, size=size, method=method, took=took, time=time)


def test_lines_of_squid() -> None:
    read = squid()

    def event(size: str, method: str = "GET") -> Event:
        return Event(method, "", "0", size, "7.5", "500", response_unit=MS, keys=("http://a/x",), ended=True)

    assert read(squid_line(304, 2)) == event("")
    assert read(squid_line()) == event("45")
    assert read(squid_line(304, 2)) == event("45")
    assert read(squid_line(200, 0, "PURGE")) == event("0", "PURGE")
    assert read(squid_line(404)) == replace(event("45", "404"), skip=True)
    assert is_wrong(read, "7.5 500 x")


def test_lines_of_a_w3c_log() -> None:
    read = w3c_log()
    assert read("#Version: 1.0") is None
    assert read("#Fields: date time cs-method cs-uri-stem sc-status sc-bytes") is None
    assert read("#Software: Fields of another") is None
    assert read("2024-05-01 12:00:00 GET /a 200 9") == keyed("GET", "/a", "9", "1714564800")
    assert read("2024-05-01\t12:00:01\tGET\t/a b\t200\t-") == keyed("GET", "/a b", "", "1714564801")
    assert read("2024-05-01 12:00:00 GET /a 503 9") == keyed("503", "/a", "9", "1714564800", skip=True)
    read("#Fields: date time cs-uri-query cs-method cs-uri-stem sc-status")
    assert read("2024-05-01 12:00:00 v=2 PUT /a 200") == keyed("PUT", "/a?v=2", "", "1714564800")
    assert read("2024-05-01 12:00:00 - PUT /a 200") == keyed("PUT", "/a", "", "1714564800")
    read("#Fields: date time cs-host cs-method cs-uri-stem sc-status")
    assert read("2024-05-01 12:00:00 h.example GET /a 200") == keyed("GET", "h.example/a", "", "1714564800")
    assert read("2024-05-01 12:00:00 - GET /a 200") == keyed("GET", "/a", "", "1714564800")
    assert read("#Fields: date time cs-method cs-uri-stem x:y sc-status") is None
    assert read("2024-05-01 12:00:00 GET /a z 200") == keyed("GET", "/a", "", "1714564800")
    for line in ("#no colon", "2024-05-01 12:00:00 GET", "2024-05-01 12:00:00 PUT /a z 200 more"):
        assert is_wrong(read, line)
    assert is_wrong(w3c_log(), "2024-05-01 12:00:00 GET /a 200 9")


# Block devices.

NBD = "2020-08-06 02:07:23.081213 connection=1 {}"


@pytest.mark.parametrize(("line", "event"), [
    (NBD.format("Read id=1 offset=0x200 count=0x400 ... "), Event("Read", "", "0x200", "0x400", "1596679643081213",
                                                                 unit=US, sector=1)),
    (NBD.format("Write id=1 offset=512 count=7 fua=0 ..."), Event("Write", "", "512", "7", "1596679643081213", unit=US,
                                                                  sector=1)),
    (NBD.format("Trim id=3 offset=0x0 count=0x1"), Event("Trim", "", "0x0", "0x1", "1596679643081213", unit=US,
                                                         sector=1, skip=True)),
    (NBD.format("...Read id=1 offset=0x0 count=0x1 return=0"), None), (NBD.format("Flush id=1"), None),
    (NBD.format("Connect offset=0x0 count=0x1"), None), (NBD.format("Read"), None), (NBD.format("Read\r"), None),
])  # fmt: skip
def test_a_line_of_nbdkit(line: str, event: Event | None) -> None:
    assert nbdkit(line) == event
    assert is_wrong(nbdkit, line[3:])


SETUP = "  fio-1 [003] ..... 11.000{}: nvme_setup_cmd: nvme0: {}qid=4, cmdid=1, nsid=1, flags=0x0, meta=0x0, cmd=({})"


@pytest.mark.parametrize(("line", "event"), [
    (SETUP.format(1, "disk=nvme0n1, ", "nvme_cmd_read slba=8, len=7, ctrl=0x0"),
     Event("read", "nvme0n1", "8", "8", "11.0001", sectors=512)),
    (SETUP.format(1, "", "nvme_cmd_write slba=8, len=0, ctrl=0x0"),
     Event("write", "nvme0", "8", "1", "11.0001", sectors=512)),
    (SETUP.format(1, "", "nvme_cmd_compare slba=8, len=0, ctrl=0x0"),
     Event("compare", "nvme0", "8", "1", "11.0001", sectors=512, skip=True)),
    (SETUP.format(1, "", "nvme_cmd_flush nsid=1"), None), (SETUP.format(1, "", "nvme_admin_identify"), None),
    ("  <idle>-0 [003] 11.000180: nvme_complete_rq: nvme0: qid=4, cmd=(nvme_cmd_read slba=8, len=7, x)", None),
    ("# tracer: nop", None),
])  # fmt: skip
def test_a_line_of_nvme(line: str, event: Event | None) -> None:
    assert nvme(line) == event
    assert is_wrong(nvme, line.replace("cmd=", "command=").replace("# ", "").replace("_complete_rq", "_setup_cmd"))


def test_nvme_looks_at_4096_characters() -> None:
    line = SETUP.format(1, "", "nvme_cmd_read slba=8, len=7, ctrl=0x0")
    begin, place = (line[: line.index(end) + len(end)] for end in ("nvme0: ", "len=7,"))
    assert nvme(place.rjust(4096)) == Event("read", "nvme0", "8", "8", "11.0001", sectors=512)
    assert nvme(place.rjust(4097)) is None
    assert nvme(begin.rjust(4096) + "cmd=") is None
    assert is_wrong(nvme, begin.rjust(4097) + "cmd=")


def test_lines_of_qemu_are_of_the_first_layer() -> None:
    read = qemu()
    first = "812@17.0001:{}_co_p{}v blk 0x5 bs 0x5 offset 4096 bytes 0x200 flags 0x0"
    assert read("812@17.0001:qcow2_writev_start_req co 0x5") is None
    assert read(first.format("blk", "read")) == Event("read", "", "4096", "0x200", "17.0001",
                                                      sector=1)  # fmt: skip
    assert read(first.format("bdrv", "read")) is None
    assert read("blk_co_pwritev blk 0x5 offset=1 bytes=2") == Event("write", "", "1", "2", sector=1)
    assert is_wrong(read, "qcow2_writev_start_req co 0x5")
    line, several = "blk_co_preadv {}offset=1 bytes=2", qemu()
    found = [several(line.format(blk)) for blk in ("blk 0x5 ", "blk 0x6 ", "", "blk 0x5 ", "blk 0x6 ")]
    assert [event and event.device for event in found] == ["", "0x6", "", "", "0x6"]
    other = qemu()
    assert other(first.format("bdrv", "write")) == Event("write", "", "4096", "0x200", "17.0001", sector=1)
    assert other("812@17.0001:bdrv_co_preadv_part bs 0x5 offset 4096 bytes 512") is not None
    assert other(first.format("blk", "read")) is None


@pytest.mark.parametrize(("line", "event"), [
    ("12:34:56.5 RdData[A] D=0x10 B=0x1000 /dev/disk1s1 0.0003 W cat.1",
     Event("read", "disk1s1", "0x10", "0x1000", "45296.500000000")),
    ("01:00:00.0 PgOut[A] D=0x10 B=0x1 disk2 0.0003 W x.1", Event("write", "disk2", "0x10", "0x1", "3600.000000000")),
    ("00:01:00.0 PgIn[A] D=0x10 B=0x1 disk2 0.0003 W x.1", Event("read", "disk2", "0x10", "0x1", "60.000000000")),
    ("00:01:00.0 WrMeta[A] D=0x10 B=0x1 disk2 0.0003 W x.1", Event("write", "disk2", "0x10", "0x1", "60.000000000")),
    ("12:00:00.000100 open F=3 /etc/hosts 0.000021 cat.1", None),
    ("12:00:00.000100 Other[A] D=0x10 B=0x1 disk2 0.0003 cat.1", None),
    ("12:00:00.000100 RdData[A] F=3 0.000021 cat.1", None),
])  # fmt: skip
def test_a_line_of_fs_usage(line: str, event: Event | None) -> None:
    assert fs_usage(line) == event
    assert is_wrong(fs_usage, line[2:])


def hdfs(allowed: str = "true", command: str = "open") -> str:
    return (f"2024-05-01 12:00:00,250 INFO FSNamesystem.audit: allowed={allowed}\tugi=a\tip=/1.2.3.4\tcmd={command}\t"
            "src=/a\tdst=null")  # fmt: skip


@pytest.mark.parametrize(("line", "event"), [
    (hdfs(), keyed("read", "/a", "", "1714564800.250")),
    (hdfs(command="create"), keyed("write", "/a", "", "1714564800.250")),
    (hdfs(command="append"), keyed("write", "/a", "", "1714564800.250")),
    (hdfs(command="delete"), keyed("delete", "/a", "", "1714564800.250")),
    (hdfs(command="listStatus"), keyed("listStatus", "/a", "", "1714564800.250", skip=True)), (hdfs("false"), None),
])  # fmt: skip
def test_a_line_of_hdfs(line: str, event: Event | None) -> None:
    assert hdfs_audit(line) == event
    assert is_wrong(hdfs_audit, line[3:])


def test_lines_of_darshan_are_of_the_file_above_and_of_the_first_module() -> None:
    read = darshan_dxt()
    line = " X_POSIX 0 read 1 {} 4096 0.5 0.75"
    assert read(line.format(7)) == Event("read", "", "7", "4096", "0.5", "0.250000000", sector=1)
    assert read("# DXT, file_id: 16, file_name: /data/one.npz ") is None
    assert read("# Module Rank") is None
    assert read(" ") is None
    assert read(line.format(8)) == Event("read", "/data/one.npz", "8", "4096", "0.5", "0.250000000", sector=1)
    assert read(line.format(8).replace("0.75", "0.25")) == Event("read", "/data/one.npz", "8", "4096", "0.5",
                                                                 "0.000000000", sector=1)  # fmt: skip
    assert read(line.format(8).replace("POSIX", "MPIIO")) is None
    for wrong in ("POSIX 0 read 1 8 1 0 0", "X_POSIX a read 1 8 1 0 0", "X_POSIX 0 open 1 8 1 0 0", "X_POSIX 0 read",
                  "X_POSIX 0 read - 8 1 0 0"):  # fmt: skip
        assert is_wrong(read, wrong)


# Stores of keys.

def test_lines_of_rocksdb() -> None:
    read = rocksdb
    ops = ["get", "put", "delete", "delete", "range delete", "put", "seek", "seek for previous", "get"]
    for kind, op in enumerate(ops):
        assert read(f"0x7 {kind} 3 9 1000") == Event(
            op, "3", "0", "9", "1000", unit=US, keys=("3:0x7",), skip=op not in ("get", "put", "delete"))  # fmt: skip
    found = read("0x7 0 3 0 1000")
    assert found is not None
    assert found.length == ""
    for wrong in ("7 0 3 9 1000", "0x7 9 3 9 1000", "0x7 a 3 9 1000", "0x7 0 a 9 1000", "0x7 0 3 a 1000", "0x7 0 3 9"):
        assert is_wrong(read, wrong)


@pytest.mark.parametrize(("line", "event"), [
    ("READ usertable user1 [ <all fields>] ", keyed("READ", "user1", device="usertable")),
    ("DELETE t k", keyed("DELETE", "t:k", device="t")),
    ("SCAN t k 10 [ x ]", keyed("SCAN", "t:k", device="t", skip=True)),
])  # fmt: skip
def test_a_line_of_ycsb(line: str, event: Event) -> None:
    assert ycsb(line) == event
    assert is_wrong(ycsb, f" {line}")
    assert is_wrong(ycsb, "MERGE t k")


def test_lines_of_arc() -> None:
    read = arc
    assert read(" 100 3 0 7\n") == Event("", "", "0", "", keys=("100", "101", "102"))
    found = read(f"0 {MAX_BLOCKS} 0 0")
    assert found is not None
    assert (len(found.keys), found.keys[-1]) == (MAX_BLOCKS, str(MAX_BLOCKS - 1))
    for wrong in ("100 0 0 7", f"100 {MAX_BLOCKS + 1} 0 7", "100 3 1 7", "100 3 0"):
        assert is_wrong(read, wrong)


# Records of events.

def records(*events: Event) -> list[Record | None]:
    lines = EventLines(lambda: lambda line: events[int(line)])
    return [lines.parse(str(place)) for place in range(len(events))]


def test_times_count_from_the_first_and_are_those_of_arrival() -> None:
    found = records(Event("read", "a", "8", "512", "1000", "250", unit=US, response_unit=US, ended=True),
                    Event("write", "b", "0x10", "0x2", "3000", unit=US, sector=1, sectors=4096))  # fmt: skip
    assert found == [Record(pytest.approx(-250e-6), "a", READ, 4096, 512, pytest.approx(250e-6)),
                     Record(pytest.approx(2e-3), "b", WRITE, 16, 8192)]  # fmt: skip


def test_what_neither_reads_nor_writes_is_passed_over_and_so_is_a_flush() -> None:
    assert records(Event("x", "a", "0", "512", skip=True), Event("read", "a", "0", "0")) == [None, None]


def test_an_object_without_a_size_has_one_byte_and_says_so() -> None:
    assert records(keyed("delete", "k"), keyed("get", "k", "0"), keyed("set", "k", "7")) == [
        Record(None, "", READ, 0, 1, keys=("k",), delete=True, unsized=True), Record(None, "", READ, 0, 0, keys=("k",)),
        Record(None, "", WRITE, 0, 7, keys=("k",))]  # fmt: skip
