"""Tests what tools print under other options, releases and names: each gives its requests, by hand."""

from pathlib import Path
from struct import pack

import pytest

from spindle.sim.error import UserError
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

SNOOP = "TIME(s)  COMM  PID  DISK  T SECTOR BYTES "
S3 = 'o bucket [06/Feb/2026:00:00:{} +0000] 192.0.2.3 o 3E57 {} "GET /x HTTP/1.1" {} 7 5 "-" "a b" -\n'
WEB = '127.0.0.1 - {} [26/Nov/2026:10:00:{} +0000] "{} HTTP/1.1" {} "-" "curl/8"\n'
BLOCKS = {
    "biosnoop behind bpftrace's word": (
        "Attaching 4 probes...\n" + SNOOP + "QUE(ms) LAT(ms)\n1.0 my sql 7 sda WS 8 4096 0.01 0.5\n",
        "0.0 W 4096 4096"),
    "biosnoop with patterns": (SNOOP + "PATTERN LAT(ms)\n5.0 a 7 sda R 8 512 RANDOM 0.7\n", "0.0 R 4096 512"),
    "biosnoop of old": (SNOOP.replace("(s)", "") + "LAT(ms)\n5.0 a 7 sda R 8 512 0.7\n", "0.0 R 4096 512"),
    "iosnoop of perf-tools": (
        "Tracing block I/O. Ctrl-C to end.\nSTARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
        "5.25 5.5 dd 18 W 202,1 8 4096 0.62\n5.5 5.6 dd 18 R 202,1 16 512 0.4\n", "0.0 W 4096 4096, 0.25 R 8192 512"),
    "iosnoop of perf-tools with times of completion": (
        "ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n5.5 dd 18 R 202,1 16 512 125\n"
        "5.625 dd 18 W 202,1 8 4096 500\n", "0.0 W 4096 4096, 0.25 R 8192 512"),
    "iosnoop of perf-tools without times": (
        "COMM PID TYPE DEV BLOCK BYTES LATms\ndd 18 W 202,1 8 4096 0.62\n", "None W 4096 4096"),
    "iosnoop of DTrace with times": (
        "STIME(us) TIME(us) DELTA(us) UID PID D BLOCK SIZE COMM PATHNAME\n"
        "500000 500300 300 0 12 R 8 4096 bash /a b\n750000 751000 1000 0 12 W 16 512 dd <none>\n",
        "0.0 R 4096 4096, 0.25 W 8192 512"),
    "iosnoop of DTrace of old": (
        "STIME TIME UID PID D BLOCK SIZE COMM PATHNAME\n500000 500300 0 12 R 8 4096 bash /a\n"
        "750000 751000 0 12 W 16 512 dd <none>\n", "0.0 R 4096 4096, 0.25 W 8192 512"),
    "iosnoop of DTrace with times of completion": (
        "TIME(us) DELTA(us) UID PID D BLOCK SIZE COMM PATHNAME\n500000 125000 0 12 R 8 4096 bash /a\n"
        "750000 125000 0 12 W 16 512 dd <none>\n", "0.0 R 4096 4096, 0.25 W 8192 512"),
    "ftrace from the middle of a request on": (
        "  irq-2 [000] d.h. 97.5: block_rq_complete: 8,0 R () 80 + 8 [0]\n"
        "  fio-9 [003] d... 98.0: block_rq_insert: 8,0 R 512 () 8 + 1 be,0,4 [fio]\n"
        "  fio-9 [003] d... 98.25: block_rq_issue: 8,0 R 512 () 8 + 1 be,0,4 [fio]\n"
        "  fio-9 [003] d... 98.50: block_rq_issue: 8,0 W 1024 () 16 + 2 be,0,4 [fio]\n",
        "0.0 R 4096 512, 0.25 W 8192 1024"),
    "blkparse with an event before the first": (
        "  8,0 1 1 1266874889.459551616 9 C WS 8 + 8 [0]\n  8,0 0 1 0.000000000 9 C R 16 + 1 [0]\n",
        "0.0 W 4096 4096, 0.25 R 8192 512"),
    "ftrace's tracer blk": (
        "# tracer: blk\n#\n  dd-9 [000] d..3 97.5:   8,0    A   R 8 + 1 <- (8,1) 0\n"
        "  dd-9 [000] d..3 98.0:   8,0    Q   R 8 + 1 [dd]\n  dd-9 [000] d..3 98.0:   8,0    G   R 8 + 1 [dd]\n"
        "  dd-9 [000] d..3 98.25:   8,0    D   R 8 + 1 [dd]\n  dd-9 [000] d..3 98.5:   8,0    Q  WS 16 + 2 [dd]\n",
        "0.0 R 4096 512, 0.5 W 8192 1024"),
    "perf script, aligned": (
        "# ========\n#\n  fio 99 [003] 98.25:       block:block_rq_issue: 259,0 RA 512 () 8 + 1 none,0,0 [fio]\n"
        "  fio 99 [003] 98.50:    block:block_rq_complete: 259,0 RA () 8 + 1 [0]\n"
        "  fio 99 [003] 98.75:       block:block_rq_issue: 259,0 W 1024 () 16 + 2 [fio]\n",
        "0.0 R 4096 512, 0.5 W 8192 1024"),
    "xperf with its release": (
        "BeginHeader\nDiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize\nEndHeader\n"
        "OS Version: 10.0.22621, Trace Size: 10KB\n"
        "DiskRead, 1000, a.exe (1), 2, 0xff, 0x0000a000, 0x1000, 500, 0, 0x6, 4, Normal, Original, 0xf, \"C:\\a,b\"\n"
        "DiskFlush, 1300, System ( 4), 9, 0xff, 100, 0, 0x0\n", "0.0 R 40960 4096"),
    "xperf with processors": (
        "BeginHeader\nDiskRead, TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, "
        "ElapsedTime, DiskNum, IrpFlags\nEndHeader\n"
        "DiskRead, 1000, a.exe (1), 2, 1, 0xff, 0x0000a000, 0x1000, 500, 0, 0x6\n"
        "DiskWrite, 501000, a.exe (1), 2, 0, 0xff, 0x00002000, 0x200, 500, 0, 0x6\n",
        "0.0 R 40960 4096, 0.5 W 8192 512"),
    "fio's log with times of issue": (
        "12, 500000, 0, 4096, 8192, 0, 11000000\n12, 100000, 1, 512, 0, 0x4001, 11250000\n",
        "0.0 R 8192 4096, 0.00025 W 0 512"),
    "fio's log of totals with times of issue": ("12, 0, 0, 4096, 8192, 0, 0\n13, 500000, 1, 512, 0, 0, 0\n",
                                                "0.0 R 8192 4096, 0.0005 W 0 512"),
    "SYSTOR without what was asked": (
        "Timestamp,Response,IOType,LUN,Offset,Size\n1456135200.0,0.001,W,0,4096,4096\n1456135200.25,,,0,0,4096\n"
        "1456135200.5,0.001,R,0,8192,512\n", "0.0 W 4096 4096, 0.5 R 8192 512"),
    "MSR in quotes": (
        '"Timestamp","Hostname","DiskNumber","Type","Offset","Size","ResponseTime"\n'
        '"128166372000000000","usr","0","Read","8192","16384","30"\n'
        '"128166372010000000","usr","0","Write","0","512","30"\n', "0.0 R 8192 16384, 1.0 W 0 512"),
    "CSV by other names": ("ts,type,sector,bytes,disk\n5,Read,8,4096,a\n7,Write,0,512,a\n",
                           "0.0 R 4096 4096, 2.0 W 0 512"),
}  # fmt: skip
OBJECTS = {
    "CSV by other names": ("ts,object_id,object_size\n5,a,10\n7,b,20\n", "0.0 R a 10, 2.0 R b 20"),
    "CSV of URLs": ("url;bytes\n/a;10\n/b;20\n", "None R /a 10, None R /b 20"),
    "S3": (S3.format("01", "REST.PUT.OBJECT a.jpg", "200 - - 2000")
           + S3.format("02", "REST.GET.OBJECT a.jpg", "206 - 9 2000")
           + S3.format("03", "REST.GET.OBJECT b", "404 - 9 -") + S3.format("03", "REST.GET.BUCKET -", "200 - 9 -")
           + S3.format("05", "REST.DELETE.OBJECT a.jpg", "204 - - 2000")
           + S3.format("06", "BATCH.DELETE.OBJECT c", "204 - - 9").replace('"GET /x HTTP/1.1"', "-"),
           "0.0 W bucket/a.jpg 2000, 1.0 R bucket/a.jpg 2000, 4.0 D bucket/a.jpg 2000, "
           "5.0 D bucket/c 9"),
    "a web server": (WEB.format("-", "00", "GET /a?b=1", "200 1000") + WEB.format("bob", "01", "GET /c", "404 9")
                     + WEB.format("-", "02", "\\\\x16\\\\x03", "400 9").replace(" HTTP/1.1", "")
                     + WEB.format("-", "02", "GET /d e", "200 7")
                     + WEB.format("-", "03", "GET /a?b=1", "304 0") + WEB.format("-", "04", "HEAD /a", "200 0"),
                     "0.0 R /a?b=1 1000, 2.0 R /d e 7, 3.0 R /a?b=1 1000"),
    "Redis": ('OK\n5.5 [0 127.0.0.1:6] "keys" "*"\n6.0 [0 127.0.0.1:6] "SET" "a \\"b" "6"\n'
              '6.5 [0 unix:/x] "mget" "x" "y"\n7.0 [0 lua] "del" "x"\n7.5 [0 lua] "mset" "a" "1" "b" "2"\n',
              '0.0 W a \\"b 1, 0.5 R x+y 1, 1.0 D x 1, 1.5 W a+b 1'),
    "Redis of old": ('+OK\n+6.0 (db 0) "SET" "a" "6"\n+6.5 [0] "GET" "a"\n+7.0 "GET" "b"\n',
                     "0.0 W a 1, 0.5 R a 1, 1.0 R b 1"),
    "a web server in a container": (
        "nginx_1  | " + WEB.format("-", "00", "GET /a", "200 7") + "nginx_1  | 2026/11/26 10:00:01 [warn] 20#20: *6 x\n"
        + "nginx_1  | " + WEB.format("-", "01", "GET /b", "200 9"),
        "0.0 R /a 7, 1.0 R /b 9"),
    "a web server whose answers took long": (
        WEB.format("-", "30", "GET /b", "200 7") + WEB.format("-", "01", "GET /" + "a" * 8000, "200 1000")
        + WEB.format("-", "59", "GET /b", "200 7"),
        f"0.0 R /{'a' * 8000} 1000, 29.0 R /b 7, 58.0 R /b 7"),
    "memcached": ("OK\nts=1.62500 gid=1 type=item_store key=foo status=stored cmd=set ttl=0 clsid=1 cfd=27 size=65\n"
                  "ts=1.312500 gid=2 type=item_get key=foo status=found clsid=1 cfd=27 size=65\n"
                  "ts=1.750000 gid=3 type=eviction key=foo fetch=yes\n", "0.0 W foo 65, 0.25 R foo 65"),
}  # fmt: skip


def told(record: Record) -> str:
    what = "D" if record.delete else record.op.name[0]
    return f"{record.time} {what} {'+'.join(record.keys) or record.first} {record.length}"


@pytest.mark.parametrize(("content", "expected"), [*BLOCKS.values(), *OBJECTS.values()], ids=[*BLOCKS, *OBJECTS])
def test_the_requests_are_those_that_stand_there(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "trace"
    path.write_text(content)
    assert ", ".join(map(told, Trace(path))) == expected


@pytest.mark.parametrize(("size", "format", "said"), [
    (100, "oracleGeneral-objects", "sizes are no whole sectors: each object is taken for one"),
    (4096, "oracleGeneral", "each object is taken for a sector of 512 bytes"),
])  # fmt: skip
def test_objects_of_odd_sizes_are_no_sectors(tmp_path: Path, size: int, format: str, said: str) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"".join(pack("<IQIq", second, second % 3, size, -1) for second in range(5)))
    trace = Trace(path)
    assert len(list(trace)) == 5
    assert trace.format.name == format
    assert trace.faults.notes[0].startswith(said)


def test_a_row_of_xperf_that_is_cut_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text("BeginHeader\nEndHeader\nDiskRead, 1000, a.exe (1), 2, 0xff, 0x0000a000\n")
    with pytest.raises(UserError, match="this is no line of that tool"):
        list(Trace(path, "xperf"))


def test_where_none_is_queued_those_issued_are_the_requests(tmp_path: Path) -> None:
    """Also where the first of the files has completed ones only."""
    for cpu, actions in enumerate(((8, 8), (7, 8), (7,))):
        (tmp_path / f"x.blktrace.{cpu}").write_bytes(b"".join(
            pack("<IIQQIIIIIHH", 0x65617407, 1, 10**9 * (1 + place), 8 * cpu, 4096, 1 << 17 | action, 9, 8 << 20, 0, 0,
                 0)
            for place, action in enumerate(actions)))
    first, *others = sorted(tmp_path.iterdir())
    trace = Trace(first, others=others)
    assert sorted(map(told, trace)) == ["0.0 W 4096 4096", "0.0 W 8192 4096"]
    assert trace.faults.notes[0] == "it has no event that a request was queued: requests are taken from the events " \
                                    "that one was issued"  # fmt: skip


def test_rates_of_fio_are_no_latencies(tmp_path: Path) -> None:
    path = tmp_path / "x_bw.1.log"
    path.write_text("1000, 2000000, 0, 4096, 8192, 0\n1250, 1000000, 1, 512, 0, 0\n")
    trace = Trace(path)
    assert [(record.time, record.response) for record in trace] == [(0.0, None), (0.25, None)]
    assert "a log of fio's rates" in trace.faults.notes[0]


@pytest.mark.parametrize("line", ["{}, 1000, 0, 4096, 0\n", "{}, 1000, 0, 4096, 0, 7000000\n"])
def test_a_priority_is_no_offset(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x_lat.1.log"
    path.write_text("".join(map(line.format, (5, 6, 7))))
    with pytest.raises(UserError, match="this is a log of fio without offsets: log_offset=1 adds them"):
        list(Trace(path))


@pytest.mark.parametrize(("content", "said"), [
    ("8 0 R Q 4096 8     0.000000000\n8 0 W Q 512 16     0.000100000\n", "blkparse's output in a format of its own"),
    ("0.000000000 R 8 4096\n0.000100000 WS 16 512\n", "blkparse's output in a format of its own"),
    ("1000, 34657, 1, 0, 0\n2000, 39073, 1, 0, 0\n", "a log of fio's averages"),
    ("1000, 34657, 39073, 1, 0, 0, 0x0000\n2000, 39073, 41000, 1, 0, 0, 0x0000\n", "a log of fio's averages"),
    ('{\n  "fio version" : "fio-3.36",\n', "spindle drive fit takes it"),
    ("Histogram: IO lengths of commands,virtual machine worldGroupID : 1\nmin,512\n", "as vscsiStats prints it"),
    ("Linux 6.8\n\nDevice            r/s     rkB/s\nsda  1.0 2.0\n", "these are rates, as iostat prints them"),
    ('12345 1700000000.1 pread64(3, "..."..., 4096, 8192) = 4096\n', "these are system calls, as strace prints them"),
])  # fmt: skip
def test_what_is_no_trace_is_called_what_it_is(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "trace"
    path.write_text(content)
    with pytest.raises(UserError, match=said):
        Trace(path)
