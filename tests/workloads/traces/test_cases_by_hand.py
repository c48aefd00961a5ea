"""Tests small files as tools and people write them: each gets the right answer, a guess that is said, or help.

Right answers are worked out by hand; a file is a few lines, written where its case is.
"""

import re
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.span import Op
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.batch import NotSimpleError
from spindle.workloads.traces.faults import Checks
from spindle.workloads.traces.formats.plain import PlainLines, better_column, unit_notes
from spindle.workloads.traces.operations import PassedWords
from spindle.workloads.traces.record import Record, TraceLimits
from tests.workloads.traces.ways import by_columns


def read(folder: Path, lines: str, name: str = "t.csv", **options: str) -> tuple[list[Record], list[str]]:
    """The requests in a file of *lines*, read one by one and in blocks, and what is said of it."""
    path = folder / name
    path.write_text(lines)
    trace = TraceOptions(**options).open(path)
    found = list(trace)
    assert list(by_columns(trace)) == list(by_columns(trace, 16)) == found
    return found, trace.faults.sentences


def blocks(found: list[Record]) -> list[tuple[float | None, str, int, int]]:
    return [(record.time, record.device, record.first, record.length) for record in found]


@pytest.mark.parametrize(("lines", "requests"), [
    ("time_s;op;offset;size\n0,5;R;1,048,576;4,096\n2;W;0;512,0\n", [(0.5, "", 1048576, 4096), (2.0, "", 0, 512)]),
    ("time\top\toffset\tsize\n0\tR\t8,000\t512\n1,5\tW\t4096\t8\n", [(0.0, "", 8000, 512), (1.5, "", 4096, 8)]),
    ("time_s;offset;size\n1,500;8,000;8\n2,5;0;8\n", [(1.5, "", 8000, 8), (2.5, "", 0, 8)]),
    ("time_s;device;offset;size\n0,5;8,0;0;8\n1;8,16;8;8\n", [(0.5, "8,0", 0, 8), (1.0, "8,16", 8, 8)]),
])  # fmt: skip
def test_commas_are_decimal_or_between_thousands_or_in_a_name(
    tmp_path: Path, lines: str, requests: list[tuple[float, str, int, int]]
) -> None:
    assert blocks(read(tmp_path, lines)[0]) == requests


@pytest.mark.parametrize("late", ["8;8,0;8,000;8", "8;8;8,000;8", "8,5;a,b;8000;8"])
def test_blocks_of_lines_have_the_same_commas(tmp_path: Path, late: str) -> None:
    rows = "".join(f"{n},25;8;{n * 8};8\n" for n in range(8))
    found, _ = read(tmp_path, f"time_s;device;offset;size\n{rows}{late}\n")
    assert blocks(found)[:2] == [(0.25, "8", 0, 8), (1.25, "8", 8, 8)]
    assert (found[-1].first, found[-1].device) == (8000, late.split(";")[1])


def test_a_block_with_decimal_commas_is_read_by_columns() -> None:
    pytest.importorskip("pyarrow")
    lines = PlainLines()
    assert lines.parse("time_s;offset;size") is None
    batch = lines.batch(b"0,5;8;8\n1,25;16;8\n", Checks(TraceLimits()))
    assert (batch.times.tolist(), batch.firsts.tolist()) == ([0.5, 1.25], [8, 16])
    for other in (b"0,5;8,000;8\n", b"0,5;8;1,024\n"):
        with pytest.raises(NotSimpleError):
            lines.batch(other, Checks(TraceLimits()))


def test_keys_have_commas_beside_decimal_ones(tmp_path: Path) -> None:
    found, _ = read(tmp_path, "time;key;size;ttl\n0,5;a,b;10;1,5\n2,75;a.b;1,000;\n")
    assert [(record.time, record.keys, record.length, record.ttl) for record in found] == [
        (0.0, ("a,b",), 10, 1.5), (2.25, ("a.b",), 1000, None)]  # fmt: skip


def test_points_in_a_whole_number_are_said_to_be_decimal(tmp_path: Path) -> None:
    found, said = read(tmp_path, "time_s;op;offset;size\n0,5;R;8.000;4096\n1;R;4.000;4096\n")
    assert [record.first for record in found] == [8, 4]
    assert said == ["8.000 is taken for 8: points are decimal, and do not stand between thousands"]
    assert read(tmp_path, "time_s,op,offset,size\n0.5,R,8.000,4096\n")[1] == []


DAYS = "{} has days without a time of day, so all of a day come at once; --columns date=N,time=N reads two columns"


def test_days_without_a_time_of_day_are_said_to_be_such(tmp_path: Path) -> None:
    found, said = read(tmp_path, "2026-11-28 10:00:00 R 0 8\n2026-11-28 10:00:05 W 0 8\n",
                       columns="time=1,op=3,offset=4,size=5")  # fmt: skip
    assert ([record.time for record in found], said) == ([0.0, 0.0], [DAYS.format("time")])
    assert DAYS.format("time") in read(tmp_path, "date,offset,size\n2026-11-28,0,8\n2026-11-29,0,8\n")[1]
    assert read(tmp_path, "time,offset,size\n2026-11-28 10:00,0,8\n")[1] == []
    found, said = read(tmp_path, '{"time":"2026-11-28","key":"a"}\n{"time":"2026-11-29","key":"a"}\n')
    assert ([record.time for record in found], said) == ([0.0, 86400.0], [DAYS.format("time")])


@pytest.mark.parametrize("lines", [
    "time,offset,size\n{},0,8\n", '{{"time":{},"key":"a"}}\n', '{{"timestamp":{},"offset":0,"size":8}}\n'])  # fmt: skip
@pytest.mark.parametrize("time", ["20261128100059", "20261128100059123", "19991231235959"])
def test_dates_without_marks_are_no_numbers(tmp_path: Path, lines: str, time: str) -> None:
    with pytest.raises(UserError, match=f"{time} may be a date without marks: write it as 2023-11-16 18:17:03"):
        read(tmp_path, lines.format(time))


@pytest.mark.parametrize("time", [
    "20261328100059", "20261128240059", "20261128106059", "202611281000591", "18991231235959"])  # fmt: skip
def test_other_numbers_are_times(tmp_path: Path, time: str) -> None:
    found, said = read(tmp_path, f"time,offset,size\n{time},0,8\n")
    assert (len(found), "milliseconds" in said[0]) == (1, len(time) == 14)


@pytest.mark.parametrize(("lines", "times", "note"), [
    ("sda,R,0,4096,0.5\nsda,W,0,8,1.5\n", [0.0, 1e-6], True), ("0,R,0,8,0\n0,R,0,8,60\n", [0.0, 60e-6], True),
    ("1,R,0,8,1577808144360767\n1,R,0,8,1577808145360767\n", [0.0, 1.0], False),
    ("0,hm,1,Read,0,8,4\n7,hm,1,Read,0,8,4\n", [0.0, 7e-7], True),
    ("128166372003061629,hm,1,Read,0,8,4\n128166372013061629,hm,1,Read,0,8,4\n", [0.0, 1.0], False),
    ("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n7,hm,1,Read,0,8,4\n9,hm,1,Read,0,8,4\n",
     [0.0, 2e-7], True),
])  # fmt: skip
def test_units_of_lines_that_look_like_a_published_trace(
    tmp_path: Path, lines: str, times: list[float], note: bool
) -> None:
    found, said = read(tmp_path, lines)
    assert [record.time for record in found] == pytest.approx(times)
    assert ["its times are no dates, and are taken for" in sentence for sentence in said] == [True] * note


def test_requests_that_are_far_apart_are_doubted_in_every_format(tmp_path: Path) -> None:
    assert "requests are 1,500 s apart on average; time_ms, time_us or time_ns in --columns takes times" in read(
        tmp_path, "0,1,8192,W,0\n0,2,8191,r,3000\n", "t.spc")[1][0]  # fmt: skip


@pytest.mark.parametrize(("column", "name", "better"), [
    ("time", "Start Time (ms)", "time_ms"), ("time_s", "t_us", "time_us"), ("time", "ioTimeMs", "time_ms"),
    ("timestamp", "time [\u00b5s]", "time_us"), ("time_ms", "at_nsec", "time_ns"),
    ("response_s", "LAT(ms)", "response_ms"), ("offset", "offset_kb", "lba_1024"),
    ("size", "Size (KiB)", "sectors_1024"), ("length", "sizeMB", "sectors_1048576"),
    ("lba", "kb", "lba_1024"), ("time_ms", "Start (ms)", ""), ("lba_1024", "offset_kb", ""), ("time", "items", ""),
    ("op", "x_ms", ""), ("size", "ms", ""), ("time", "kb", ""), ("offset", "blob", ""),
])  # fmt: skip
def test_a_unit_in_the_name_of_a_column_is_compared(column: str, name: str, better: str) -> None:
    assert better_column(column, name) == better
    said = f"{name!r} is read as {column}, and its name has another unit: --columns {better}={name}"
    assert unit_notes({column: name}) == [said] * bool(better)


@pytest.mark.parametrize(("lines", "name"), [
    ("time,op,offset_kb,size_kb\n0,R,8,4\n", "t.csv"), ('{"time":0,"op":"R","offset_kb":8,"size_kb":4}\n', "t.jsonl")])
def test_names_with_units_are_noted_and_read_by_their_columns(tmp_path: Path, lines: str, name: str) -> None:
    found, said = read(tmp_path, lines, name, columns="time=time,offset=offset_kb,size=size_kb")
    assert (found[0].first, found[0].length, len(said)) == (8, 4, 2)
    found, said = read(tmp_path, lines, name, columns="time=time,lba_1024=offset_kb,sectors_1024=size_kb")
    assert (found[0].first, found[0].length, said) == (8192, 4096, [])


def test_the_column_that_is_meant_has_the_unit(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'offset_kb' is not known \(is lba_1024 meant\?\)"):
        read(tmp_path, "time,op,offset_kb,size_kb\n0,R,8,4\n")


def test_bytes_beside_a_begin_in_sectors_are_said_once(tmp_path: Path) -> None:
    said = "a length of 8 is taken for bytes, beside a begin in sectors; --columns sectors=length takes it for sectors"
    found, notes = read(tmp_path, "op,lba_512,length\nR,8,512\nR,8,8\nR,8,16\n")
    assert ([record.length for record in found], notes) == ([512, 8, 16], [said])
    assert read(tmp_path, "op,lba_512,length\nR,8,512\nR,8,1024\n")[1] == []
    assert read(tmp_path, "op,offset,size\nR,8,8\n")[1] == read(tmp_path, "op,lba_512,sectors\nR,8,1\n")[1] == []


@pytest.mark.parametrize("head", [
    "time_s,key,size", "\ufefftime_s,key,size", " time_s, key,size ", '"time_s","key","size"'])  # fmt: skip
def test_headers_that_come_again_may_have_more_marks(tmp_path: Path, head: str) -> None:
    found, _ = read(tmp_path, f"time_s,key,size\n0,a,1\n1,b,2\n{head}\r\n2,a,3\n")
    assert [record.keys for record in found] == [("a",), ("b",), ("a",)]
    found, _ = read(tmp_path, "key\na\nb\n\ufeffkey\na\n")
    assert [record.keys for record in found] == [("a",), ("b",), ("a",)]


def test_a_comment_that_names_the_columns_is_the_header(tmp_path: Path) -> None:
    found, said = read(tmp_path, "# by x\n# time, object, size, next_access_vtime\n1, 7, 100, 3\n3, 8, 200, -1\n")
    assert [(record.time, record.keys, record.length) for record in found] == [(0, ("7",), 100), (2, ("8",), 200)]
    assert "the comment 'time, object, size, next_access_vtime' is taken for the header" in said
    found, said = read(tmp_path, "# time size\ntime_s,offset,size\n1,8,8\n")
    assert (len(found), said) == (1, [])
    with pytest.raises(UserError, match="its first line has no names of columns"):
        read(tmp_path, "# time of the day, size\n1,8,8\n")


def test_json_says_by_true_and_false_what_writes(tmp_path: Path) -> None:
    lines = '{{"time_s":0,"{0}":false,"offset":0,"size":8}}\n{{"time_s":1,"{0}":true,"offset":8,"size":8}}\n'
    for name in ("write", "is_write", "isWrite"):
        found, said = read(tmp_path, lines.format(name))
        assert ([record.op for record in found], said) == ([Op.READ, Op.WRITE], [])
    found, said = read(tmp_path, lines.format("dirty"))
    assert [record.op for record in found] == [Op.READ, Op.READ]
    assert said == ["no field says what is done, as op or rw: all are taken for reads; not read are 'dirty'"]
    assert read(tmp_path, '{"time_s":0,"offset":0,"size":8}\n')[1] == []
    with pytest.raises(UserError, match="op must be a number or a word, not 'True'"):
        read(tmp_path, '{"time_s":0,"op":true,"offset":0,"size":8}\n')


@pytest.mark.parametrize(("field", "second", "times", "said"), [
    ("ts", 5, [0.0, 5.0], "ts is taken for seconds, as nothing says its unit: time_s, time_ms, time_us or time_ns"),
    ("timestamp", 5, [0.0, 0.005], "timestamp is taken for milliseconds, as nothing says its unit: time_s, time_ms,"),
    ("time", 5, [0.0, 5.0], ""), ("time_us", 5, [0.0, 5e-6], ""),
    ("ts", 0.5, [0.0, 0.5], "ts is taken for seconds"), ("@timestamp", '"2026-11-28 10:00:05"', [0.0, 5.0], ""),
    ("ts", '"2026-11-28 10:00:05"', [0.0, 5.0], ""),
    ("ts", 1700000000005, [0.0, 5e-3], "ts is taken for milliseconds, by"),
])  # fmt: skip
def test_times_of_objects_in_json(tmp_path: Path, field: str, second: object, times: list[float], said: str) -> None:
    first = '"2026-11-28 10:00:00"' if isinstance(second, str) else 1700000000000 if second == 1700000000005 else 0
    found, notes = read(tmp_path, "".join(f'{{"{field}":{time},"key":"a"}}\n' for time in (first, second)))
    assert [record.time for record in found] == pytest.approx(times)
    assert notes == [] if not said else notes[0].startswith(said)


@pytest.mark.parametrize("field", ["key", "hash_ids"])
def test_whole_times_that_go_on_in_fractions_are_not_taken_for_milliseconds(tmp_path: Path, field: str) -> None:
    """Nor are they refused where the name or the first time says the unit, or where they are dates."""
    key = '"a"' if field == "key" else "[1]"

    def lines(name: str, *times: object) -> str:
        return "".join(f'{{"{name}":{time},"{field}":{key}}}\n' for time in times)

    many = 3
    whole = range(many)
    with pytest.raises(UserError, match=rf":{many + 1}:1: timestamp {many}.5 is a fraction, and those before are whole "
                                        r"and taken for milliseconds: --columns time_s=timestamp or time_ms=timestamp"):
        read(tmp_path, lines("timestamp", *whole, many + 0.5))
    for name, times, last in (
        ("timestamp_ms", (*whole, many + 0.5), (many + 0.5) / 1e3), ("time", (*whole, many + 0.5), many + 0.5),
        ("timestamp", (0.0, *whole, many + 0.5), many + 0.5), ("timestamp", (*whole, float(many)), many / 1e3),
        ("timestamp", (1700000000000, 1700000000000.5), 0.0005),
    ):  # fmt: skip
        assert read(tmp_path, lines(name, *times))[0][-1].time == pytest.approx(last)


def test_prompts_of_mooncake_are_in_milliseconds_without_a_word(tmp_path: Path) -> None:
    found, said = read(tmp_path, '{"timestamp":0,"hash_ids":[1]}\n{"timestamp":500,"hash_ids":[1]}\n')
    assert ([record.time for record in found], said) == ([0.0, 0.5], [])


def test_owners_in_json_have_the_names_of_devices(tmp_path: Path) -> None:
    for name in ("tenant", "device", "volume", "disk_id"):
        found, _ = read(tmp_path, "".join(f'{{"{name}":{owner},"key":"a"}}\n' for owner in ('"x"', 7, '"x"')))
        assert [record.device for record in found] == ["x", "7", "x"]


@pytest.mark.parametrize("field", ["ClientRequestMethod", "cs_method", "requestMethod", "request.method"])
def test_methods_in_json_by_other_names(tmp_path: Path, field: str) -> None:
    found, _ = read(tmp_path, "".join(f'{{"{field}":"{method}","uri":"/a"}}\n' for method in ("GET", "PURGE", "PUT")),
                    keys="uri")  # fmt: skip
    assert [(record.op, record.delete) for record in found] == [(Op.READ, False), (Op.READ, True), (Op.WRITE, False)]


def test_words_of_object_stores_and_words_in_an_open_quote(tmp_path: Path) -> None:
    words = ["GetObject", "PutObject", "DeleteObject", '"GET', "get_object", '"DELETE']
    found, _ = read(tmp_path, "".join(f'{word} a HTTP/1.1"\n' for word in words),
                    columns="op=1,key=2", separator="space")  # fmt: skip
    assert [record.delete for record in found] == [False, False, True, False, False, True]
    assert [record.op for record in found][:2] == [Op.READ, Op.WRITE]


@pytest.mark.parametrize(("word", "kind"), [("BatchDeleteX", "delete"), ("POST", "write"), ("xyz", "read")])
def test_what_is_proposed_for_an_unknown_word(word: str, kind: str) -> None:
    passed = PassedWords()
    passed.add(word, None)
    assert passed.remedy() == f"--ops says what they mean, as {word}={kind}"


VHOST = '{}.example:80 192.0.2.1 - - [10/Oct/2000:13:55:3{} +0000] "GET /a HTTP/1.0" {} 99 "-" "curl"\n'
W3C = "#Fields: date time cs-method cs(Host) cs-uri-stem sc-status sc-bytes\n"


def test_logs_keep_hosts_apart_and_say_what_failed(tmp_path: Path) -> None:
    asked = [("h", 1, 200), ("g", 2, 200), ("h", 3, 404), ("h", 4, 200)]
    found, said = read(tmp_path, "".join(VHOST.format(*each) for each in asked), "access.log")
    assert [record.keys for record in found] == [("h.example/a",), ("g.example/a",), ("h.example/a",)]
    assert said == ["what neither reads nor writes is passed over: '404' (1)"]
    rows = "".join(f"2026-11-28\t10:00:0{time}\tGET\t{host}\t/a\t{status}\t9\n" for host, time, status in asked)
    found, said = read(tmp_path, W3C + rows, "w3c.log")
    assert [record.keys for record in found] == [("h/a",), ("g/a",), ("h/a",)]
    assert said == ["what neither reads nor writes is passed over: '404' (1)"]
    found, _ = read(tmp_path, W3C + rows, "w3c.log", ops="404=read")
    assert len(found) == 4


PASSED = "; --skip-bad 1 passes over one such line"


@pytest.mark.parametrize(("lines", "says"), [
    ("time_s,offset,size\n0,0,8\n1,8,8\n2,81", ":4:5: size is missing" + PASSED),
    ("time_s,offset,size\n0,0,8\nTotal,,8\n",
     ":3:1: time_s must be a number that is not negative, or empty, not 'Total'" + PASSED),
    ("time_s,offset,size\n0,0,8\n1,8,0\n", ":3:5: a request has from 1 to 1073741824 bytes, not 0" + PASSED),
    ("time_s,offset,size\n0,0,x\n", ":2:5: size must be a whole number of at most 19 digits, not 'x'"),
    ("op,offset,size\nR,0,8\nfrob,0,8\n", ":3:1: op must be R or W, not 'frob'; --ops says what other words mean"),
    ("time_s,offset,size\n50,0,8\n1,0,8\n", ":3:1: the time runs back from 50 to 1 s, by more than 10 s: sort the file "
                                             "by time, or read files of two clocks apart"),
])  # fmt: skip
def test_a_bad_line_among_good_ones_may_be_passed_over(tmp_path: Path, lines: str, says: str) -> None:
    with pytest.raises(UserError) as raised:
        read(tmp_path, lines)
    assert str(raised.value) == f"{tmp_path / 't.csv'}{says}"


def test_dates_in_quotes_may_have_a_decimal_comma(tmp_path: Path) -> None:
    found, _ = read(tmp_path, 'time,op,offset,size\n"2026-11-28 10:00:00,123",R,0,8\n"2026-11-28 10:00:00,623",W,0,8\n')
    assert [record.time for record in found] == [0.0, 0.5]
    for entry in ('"key":"a"', '"offset":0,"size":8'):
        found, _ = read(tmp_path, "".join(
            f'{{"time":"2026-11-28 10:00:00,{ms}",{entry}}}\n' for ms in (123, 623)))  # fmt: skip
        assert [record.time for record in found] == [0.0, 0.5]
    with pytest.raises(UserError, match="time must be a number"):
        read(tmp_path, 'time,op,offset,size\n"0,5",R,0,8\n')


KINDS = [
    (" time_s | op\n--------+----\n      0 | R\n(1 row)\n", "psql --csv writes one"),
    ("+--------+----+\n| time_s | op |\n+--------+----+\n", "mysql --batch writes one"),
    ("| time_s | op |\n|---|:--|\n| 0 | R |\n", "a table in Markdown"),
    ('"Time of Day","Process Name","PID"\n"10:00","a","1"\n', "Process Monitor"),
    ("10:00:00.000000 IP 10.0.0.1.5000 > 10.0.0.2.11211: Flags [P.], length 9\n", "as tcpdump prints them"),
    ("<28 new auto-negotiating client connection\n<28 get foo\n>28 END\n", "watch fetchers mutations deletions"),
    ("*   << Request  >> 32770     \n-   Begin          req 32769 rxreq\n", "varnishncsa has a line"),
    ("     0.000 ( 0.012 ms): dd/1234 pread64(fd: 3</dev/sda>, count: 4096) = 4096\n", "as perf trace prints them"),
    ("[OVERALL], RunTime(ms), 10110\n[READ], Operations, 500\n", "YCSB's results"),
    ("4 KiB <<< /dev/sda (block device 100 GiB): request=1 time=150.1 us\n", "as ioping prints them"),
    ("Linux 6.1 (h)  11/28/26  _x86_64_ (8 CPU)\n\n10:00:00 AM  DEV  tps  rkB/s\n", "as sar and vmstat"),
    ("procs -----------memory---------- ---swap--\n r  b   swpd   free\n", "as sar and vmstat"),
    ("2026-11-28 10:00:00.000 UTC [12] LOG:  duration: 0.1 ms\n", "PostgreSQL's log"),
    ('{"requests": [{"time":0,"op":"R","offset":0,"size":4096}]}\n', "jq -c '.NAME\\[\\]'"),
]


@pytest.mark.parametrize(("lines", "says"), KINDS)
def test_what_is_no_trace_is_named(tmp_path: Path, lines: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        read(tmp_path, lines, "t.txt")


ENVOY = '[2026-11-28T10:00:0{}.310Z] "GET /{} HTTP/1.1" 200 - 0 {} 5 4 "-" "Mozilla/5.0 (X11; a, b; c)" "id" "h"\n'
AWS = ("http 2018-07-02T22:23:0{0}.5Z app/lb/50dc 1.2.3.4:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 {2} "
       '"GET http://h:80/{1} HTTP/1.1" "Mozilla/5.0 (X11; a, b; c)" - - arn\n')  # fmt: skip
HAPROXY = ("Feb  6 12:14:1{0} localhost haproxy[143]: 10.0.1.2:33 [06/Feb/2009:12:14:14.655] in st/srv1 10/0/30/69 "
           '200 {2} - - ---- 1/1/1/1/0 0/0 {{1wt.eu}} {{}} "GET /{1} HTTP/1.1"\n')  # fmt: skip


@pytest.mark.parametrize(("line", "sized"), [(ENVOY, True), (AWS, True), (HAPROXY, False)])
def test_the_sentence_on_a_log_has_the_columns_that_read_it(tmp_path: Path, line: str, sized: bool) -> None:
    lines = "".join(line.format(*each) for each in ((1, "a", 100), (2, "b", 200), (3, "a", 100)))
    with pytest.raises(UserError) as raised:
        read(tmp_path, lines, "t.log")
    columns = re.search(r"--columns (\S+) --separator space", str(raised.value))
    assert columns is not None
    found, said = read(tmp_path, lines, "t.log", columns=columns[1], separator="space")
    assert ([record.keys[0][-1] for record in found], said) == (["a", "b", "a"], [])
    assert [record.length for record in found] == ([100, 200, 100] if sized else [1, 1, 1])


def test_keys_are_fields_of_json_alone(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this is no JSON, of which --keys names a field; of other lines --columns"):
        read(tmp_path, "time_s,key\n0,a\n", keys="key")


EMPTY = "the operation is left empty in some lines, which are taken for reads"


def test_an_empty_operation_is_a_read_and_is_said(tmp_path: Path) -> None:
    for lines in ("time_s,op,offset,size\n0,W,0,8\n1,,0,8\n2, ,0,8\n", "op,key\nset,a\n,a\n,b\n"):
        found, said = read(tmp_path, lines)
        assert ([record.op for record in found], said) == ([Op.WRITE, Op.READ, Op.READ], [EMPTY])
    assert read(tmp_path, "time_s,offset,size\n0,0,8\n")[1] == []
    found, said = read(tmp_path, "Timestamp,Response,IOType,LUN,Offset,Size\n1,0.1,R,0,0,8\n2,,,0,8,8\n")
    assert (len(found), EMPTY in said) == (1, False)


def test_times_to_live_have_units(tmp_path: Path) -> None:
    for name, value, seconds in (
            ("ttl_ms", "5000", 5.0), ("ttl_us", "250", 0.00025), ("ttl", "5", 5.0), ("ttl_us", "-1", None)):
        found, said = read(tmp_path, f"time_s,key,{name}\n0,a,{value}\n1,b,\n")
        assert [record.ttl for record in found] == [seconds and pytest.approx(seconds), None]
        assert said == []
    said = read(tmp_path, "key,ttl_ms\na,5\n", columns="key=key,ttl=ttl_ms")[1]
    assert said == ["'ttl_ms' is read as ttl, and its name has another unit: --columns ttl_ms=ttl_ms"]


def test_whole_lines_may_be_in_quotes(tmp_path: Path) -> None:
    found, _ = read(tmp_path, '"time_s;op;offset;size"\n"0;R;0;8"\n"1;W;8;16"\n')
    assert blocks(found) == [(0.0, "", 0, 8), (1.0, "", 8, 16)]
    for head in ("key", '"key"'):
        found, _ = read(tmp_path, f'{head}\n"a,b"\na\n"a,b"\n')
        assert [record.keys for record in found] == [("a,b",), ("a",), ("a,b",)]
    found, _ = read(tmp_path, '"key","size"\n"a,""b""","8"\n')
    assert [(record.keys, record.length) for record in found] == [(('a,"b"',), 8)]


def test_a_header_of_one_name_may_be_several(tmp_path: Path) -> None:
    lines = "time_s:op:offset:size\n0:R:0:8\n"
    with pytest.raises(UserError, match="if it is several, --separator says what stands between --columns"):
        read(tmp_path, lines)
    assert blocks(read(tmp_path, lines, columns="offset=offset,size=size", separator=":")[0]) == [(None, "", 0, 8)]
    with pytest.raises(UserError) as raised:
        read(tmp_path, "frobs\n1\n")
    assert "--separator" not in str(raised.value)


@pytest.mark.parametrize("field", ["status", "sc-status", "EdgeResponseStatus"])
def test_answers_that_failed_are_passed_over_in_json_too(tmp_path: Path, field: str) -> None:
    lines = "".join(f'{{"method":"GET","path":"/a","{field}":{status}}}\n' for status in (404, 200, '"503"', 304))
    found, said = read(tmp_path, lines, keys="path")
    assert (len(found), said) == (2, ["what neither reads nor writes is passed over: '404' (1), '503' (1)"])
    assert len(read(tmp_path, lines, keys="path", ops="404=read")[0]) == 3
    late = '{"method":"GET","path":"/a"}\n' * 3 + f'{{"method":"GET","path":"/a","{field}":404}}\n'
    assert len(read(tmp_path, late, keys="path")[0]) == 3
    nested = "".join(f'{{"method":"GET","path":"/a","answer":{{"status":{status}}}}}\n' for status in (404, 200))
    assert len(read(tmp_path, nested, keys="path")[0]) == 1
    assert len(read(tmp_path, lines.replace('"method"', '"m"'), keys="path")[0]) == 4


def test_numbers_in_json_may_be_text(tmp_path: Path) -> None:
    found, _ = read(tmp_path, '{"time":"0.5","key":"a","size":"10"}\n{"time":"2","key":"b","size":"20"}\n')
    assert [(record.time, record.length) for record in found] == [(0.0, 10), (1.5, 20)]
    for wrong in ('"size":"1.5"', '"size":"ten"', '"time":"soon"'):
        with pytest.raises(UserError, match="must be a"):
            read(tmp_path, f'{{"key":"a",{wrong}}}\n')


@pytest.mark.parametrize("comment", ["operation: 0=get 1=set 2=delete", "get=0, set:1, delete = 2"])
def test_a_comment_explains_codes_in_either_order(tmp_path: Path, comment: str) -> None:
    found, _ = read(tmp_path, f"# {comment}\nop,key\n0,a\n1,a\n2,a\n")
    assert [(record.op, record.delete) for record in found] == [(Op.READ, False), (Op.WRITE, False), (Op.READ, True)]


def test_files_are_read_as_people_count_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("parts")
    folder.mkdir()
    for number in (10, 9, 1, 2):
        (folder / f"part-{number}.csv").write_text(f"key\n{number}\n")
    for name in ("parts", "parts/part-*.csv"):
        assert [record.keys for record in TraceOptions().open(name)] == [("1",), ("2",), ("9",), ("10",)]
    named = TraceOptions().open("parts/part-9.csv,parts/part-1.csv")
    assert [record.keys for record in named] == [("9",), ("1",)]


def keys_of(folder: Path, lines: str, name: str = "t.txt") -> list[str]:
    return [key for record in read(folder, lines, name)[0] for key in record.keys]


def test_keys_of_two_data_bases_tables_or_families_are_two_objects(tmp_path: Path) -> None:
    redis = '1339518090.5 [{} 127.0.0.1:60866] "get" "x"\n'
    assert keys_of(tmp_path, "".join(map(redis.format, (0, 1, 12, 0)))) == ["x", "1:x", "12:x", "x"]
    assert keys_of(tmp_path, '1.5 (db 0) "get" "x"\n1.5 (db 3) "mget" "x" "y"\n') == ["x", "3:x", "3:y"]
    tables = "READ usertable u1 [ <all fields>]\nREAD other u1 [ <all fields>]\n"
    assert keys_of(tmp_path, tables) == ["u1", "other:u1"]
    assert keys_of(tmp_path, "0x66 1 0 100 1000\n0x66 0 7 0 2000\n0x67 0 0 0 3000\n") == ["0x66", "7:0x66", "0x67"]


def test_paths_of_hdfs_have_blanks(tmp_path: Path) -> None:
    line = "2024-05-01 12:00:0{},000 INFO FSNamesystem.audit: allowed=true\tugi=a\tip=/1\tcmd=open\tsrc={}\tdst=null\n"
    assert keys_of(tmp_path, line.format(0, "/a b") + line.format(1, "/a c")) == ["/a b", "/a c"]
    assert keys_of(tmp_path, (line.format(0, "/a b") * 2).replace("\t", " ")) == ["/a b", "/a b"]
    assert keys_of(tmp_path, (line.format(0, "/a") * 2).replace("\tdst=null", "")) == ["/a", "/a"]


def test_two_drives_of_qemu_are_two_devices(tmp_path: Path) -> None:
    line = "812@1700000000.0001:{}_co_preadv {} bs 0x7 offset 4096 bytes 512 flags 0x0\n"
    drives = ["blk 0x55d0", "blk 0x66e0", "blk 0x55d0"]
    found, _ = read(tmp_path, "".join(line.format("blk", drive) for drive in drives), "t.txt")
    assert [record.device for record in found] == ["", "0x66e0", ""]
    found, _ = read(tmp_path, line.format("bdrv", "").replace("  ", " ") * 2, "t.txt")
    assert [record.device for record in found] == ["", ""]
