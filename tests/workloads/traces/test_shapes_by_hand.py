"""Tests shapes of lines, faults, checks and words of operations by hand, and logs of kernels' tools line by line."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import pytest

from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS, US
from spindle.workloads.traces.faults import KEPT_FAULTS, Checks, Faults, Wrong
from spindle.workloads.traces.formats import events
from spindle.workloads.traces.formats.events import (
    FIO_LOG,
    FIO_RATES,
    NS,
    RATES,
    Event,
    Reading,
    biosnoop,
    diskmon,
    fio_log,
    fiu,
    ftrace,
    ibm_cos,
    iosnoop,
    lmcache,
    tencent_photo,
    xperf,
)
from spindle.workloads.traces.formats.json_blocks import JsonBlocks, _cell, _column, _columns, _unit, has_names
from spindle.workloads.traces.operations import (
    DEVICES,
    OBJECTS,
    Given,
    Meaning,
    Operations,
    PassedWords,
    codes_in,
    failed_status,
    op_field,
    operations,
)
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import (
    ANY,
    COMMA,
    SPACE,
    Header,
    Shape,
    choice,
    clock,
    integer,
    key,
    loose,
    number,
    separated_by,
    time_to_live,
    unread,
    whole_of,
    word,
)


def wrong(act: Callable[..., Any], *given: Any) -> str:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - Wrong and UserError are
        act(*given)
    return str(error.value)


# Shapes.

FIELDS = [integer("at", "first"), word("who", "device"), choice("what", ["R", "W"], "op")]


def test_a_line_fits_or_says_which_field_does_not() -> None:
    shape = Shape(FIELDS, COMMA)
    match = shape.match(" 7 , sda ,R \r\n")
    assert match is not None
    assert match.groups() == ("7", "sda", "R")
    for line, says, column in (
        ("x,sda,R", "at must be a whole number of at most 19 digits, not 'x'", 1),
        ("7,,R", "who must be a name of 1 to 255 characters, not ''", 3),
        ("7, sda , X", "what must be R or W, not 'X'", 10), ("7,sda", "what is missing", 6),
        ("7,sda,R,more", "'more' stands behind what, which is the last", 9),
    ):  # fmt: skip
        assert shape.match(line) is None
        found = shape.wrong(line)
        assert (str(found), found.column) == (says, column)


def test_longer_lines_may_fit() -> None:
    assert Shape(FIELDS, COMMA, longer=True).match("7,sda,R,more,and,more") is not None
    assert Shape(FIELDS, COMMA, longer=True).match("7,sda,Rmore") is None
    spaced = Shape(FIELDS, SPACE, longer=True)
    assert spaced.match("7  sda\tR more") is not None
    assert spaced.match("7 sda Rmore") is None


def test_a_field_without_a_name_is_missing_by_that_of_the_last() -> None:
    assert str(Shape([integer("at"), unread(), word("end")], COMMA).wrong("7")) == "end is missing"


def test_the_column_of_a_part() -> None:
    shape = Shape(FIELDS, COMMA)
    assert [shape.column("77, sda,R", part) for part in ("first", "device", "op", "key")] == [1, 5, 9, 1]


def test_tabs_keep_spaces_within_cells() -> None:
    shape = Shape([key("key", "\t"), integer("n")], separated_by("\t"))
    match = shape.match("a b\t7")
    assert match is not None
    assert match.groups() == ("a b", "7")
    assert separated_by(" ") is SPACE


@pytest.mark.parametrize(("field", "good", "bad"), [
    (integer("x"), ["0", "9" * 19], ["", "-1", "9" * 20, "1.0", "1_0"]),
    (loose("x"), ["0", "4096.0", "0x1F", "7."], ["", "7.5", "0x", "-1"]),
    (number("x"), ["0", "1.5", ".5", "1e-9", "2E+10"], ["", "-1", "1e999", "nan", "."]),
    (clock("x"), ["", "1.5", "2023-11-16 18:17:03"], ["-1", "x"]),
    (time_to_live("x"), ["", "-1", "0", "1.5"], ["-2", "x"]),
    (word("x"), ["a", "a-b.c"], ["", "a b", "a,b", "a" * 256]),
    (key("x"), ["a", "a b", "x" * 4096], ["", "a,b", "x" * 4097]),
    (choice("x", ["get", "set"]), ["get"], ["GET", "getset", ""]),
    (choice("x", ["get", "set"], any_case=True), ["GeT"], ["gets"]), (unread(), ["", "a b"], ["a,b"]),
])  # fmt: skip
def test_what_a_field_may_hold(field: Any, good: list[str], bad: list[str]) -> None:
    shape = Shape([field], COMMA)
    assert [text for text in good if shape.match(text) is None] == []
    assert [text for text in bad if shape.match(text) is not None] == []
    assert field.read is (field.rule != ANY)


@pytest.mark.parametrize(("text", "value"), [("17", 17), ("0x1f", 31), ("0X10", 16), ("4096.0", 4096), ("7.", 7)])
def test_whole_numbers_in_three_forms(text: str, value: int) -> None:
    assert whole_of(text) == value


def test_seconds_are_multiplied_or_divided() -> None:
    assert clock("x", US).seconds(3.0) == 3.0 * US
    assert replace(clock("x", US), ticks=4.0).seconds(3.0) == 0.75


def test_columns_are_found_by_one_of_their_names() -> None:
    header = Header([" a ", "b", "c", "c"])
    assert (header.index("x", "b"), header.index("a", "b"), "b" in header, "d" in header) == (1, 0, True, False)
    assert wrong(header.index, "c") == "column c stands there twice"
    assert wrong(Header(["offset"]).index, "ofset", "lba") == (
        "there is no column ofset or lba; is 'offset' meant for it?")
    assert wrong(header.index, "zzz") == "there is no column zzz"


# Faults and checks.

def test_bad_lines_are_passed_over_up_to_a_most() -> None:
    faults = Faults(most=2)
    faults.add("f:1", "bad")
    faults.add("f:2", "worse")
    assert (faults.bad, faults.kept) == (2, ["f:1: bad", "f:2: worse"])
    assert wrong(faults.add, "f:3", "worst") == "f:3: worst (and 2 bad before it)"
    assert wrong(Faults(most=0).add, "f:3", "worst") == "f:3: worst"
    many = Faults()
    for place in range(KEPT_FAULTS + 5):
        many.add(f"f:{place}", "bad")
    assert (many.bad, len(many.kept)) == (KEPT_FAULTS + 5, KEPT_FAULTS)


def test_notes_are_kept_once_and_not_too_many() -> None:
    faults = Faults()
    for sentence in ("a", "a", *map(str, range(2 * KEPT_FAULTS))):
        faults.note(sentence)
    assert (len(faults.notes), faults.notes[:2]) == (KEPT_FAULTS, ["a", "0"])
    faults.passed.add("trim", Meaning.SKIP, 3)
    assert faults.sentences[-1] == "what neither reads nor writes is passed over: 'trim' (3)"


def record(**changed: Any) -> Record:
    return Record(0.0, "a", READ, 0, 512)._replace(**changed)


LIMITS = TraceLimits(end=10_000, length=4096, latest=100.0, slack=2.0, devices=2)


@pytest.mark.parametrize(("changed", "says", "part"), [
    ({"length": 0}, "a request has from 1 to 4096 bytes, not 0", "length"),
    ({"length": 4097}, "a request has from 1 to 4096 bytes, not 4097", "length"),
    ({"length": 10_001, "keys": ("k",)}, "an object has from 0 to 10000 bytes, not 10001", "length"),
    ({"first": 9489}, "512 bytes from 9489 on go beyond 10000, where no device has any", "first"),
    ({"time": 100.5}, "100.5 s is later than 100 s, which no trace is long", "time"),
    ({"response": 100.5}, "a response time of 100.5 s is beyond 100 s", "response"),
    ({"gap": 100.5}, "a gap time of 100.5 s is beyond 100 s", "gap"),
    ({"service": 100.5}, "a service time of 100.5 s is beyond 100 s", "service"),
])  # fmt: skip
def test_records_have_limits(changed: dict[str, Any], says: str, part: str) -> None:
    with pytest.raises(Wrong) as error:
        Checks(LIMITS)(record(**changed))
    assert (str(error.value), error.value.attribute) == (says, part)


@pytest.mark.parametrize("changed", [
    {"length": 1}, {"length": 4096}, {"length": 0, "keys": ("k",)}, {"length": 10_000, "keys": ("k",)}, {"first": 9488},
    {"time": 100.0}, {"response": 100.0}, {"time": None},
])  # fmt: skip
def test_records_at_their_limits_are_right(changed: dict[str, Any]) -> None:
    Checks(LIMITS)(record(**changed))


def test_times_may_run_back_a_little_from_the_newest() -> None:
    checks = Checks(LIMITS)
    for time in (5.0, 3.0, 4.0, 3.0):
        checks(record(time=time))
    assert wrong(checks, record(time=2.5)) == ("the time runs back from 5 to 2.5 s, by more than 2 s: sort the file "
                                               "by time, or read files of two clocks apart")  # fmt: skip


def test_devices_are_so_many_at_most() -> None:
    checks = Checks(LIMITS)
    for device in "abab":
        checks(record(device=device))
    assert wrong(checks, record(device="c")) == "device 'c' is one more than the 2 that a trace may name"
    Checks(TraceLimits(latest=inf))(record(time=1e300))


# Words of operations.

@pytest.mark.parametrize(("word", "of_device", "of_object"), [
    ("R", Meaning.READ, Meaning.READ), ("", Meaning.READ, Meaning.READ), (" put ", Meaning.WRITE, Meaning.WRITE),
    ("FWFS", Meaning.WRITE, None), ("RA", Meaning.READ, None), ("0x28", Meaning.READ, None),
    ("2A", Meaning.WRITE, Meaning.WRITE), ("0", Meaning.READ, None), ("1", Meaning.WRITE, None),
    ("2", Meaning.SKIP, None), ("delete", None, Meaning.DELETE), ("D", None, None),
    ("trim", Meaning.SKIP, Meaning.SKIP),
    ("N", None, None), ("what", None, None),
])  # fmt: skip
def test_meanings_of_words(word: str, of_device: Meaning | None, of_object: Meaning | None) -> None:
    assert (DEVICES.meaning(word), OBJECTS.meaning(word)) == (of_device, of_object)


def test_given_meanings_come_first() -> None:
    given = {"2": Meaning.DELETE, "": Meaning.SKIP}
    assert [Operations(False, given).meaning(word) for word in ("2", " ", "R")] == [
        Meaning.DELETE, Meaning.SKIP, Meaning.READ]  # fmt: skip
    both = Given({"x": Meaning.WRITE}, DEVICES)
    assert [both.meaning(word) for word in (" X", "r", "y")] == [Meaning.WRITE, Meaning.READ, None]


def test_meanings_are_read_in_pairs() -> None:
    assert operations("2=delete, WSM = Write") == {"2": Meaning.DELETE, "wsm": Meaning.WRITE}
    assert wrong(operations, "2") == "--ops takes WORD=MEANING,..., as 2=delete,WSM=write, not '2'"
    assert wrong(operations, "2=delete,=read") == "--ops takes WORD=MEANING,..., as 2=delete,WSM=write, not '=read'"
    assert wrong(operations, "2=erase").startswith("unknown meaning of an operation 'erase'")
    assert codes_in("op type [Put:0, Get = 1, Other:7]") == {"0": Meaning.WRITE, "1": Meaning.READ}


def test_words_that_were_passed_over_are_told() -> None:
    words = PassedWords()
    assert words.sentences() == []
    words.add(" x ", None)
    words.add("y", None, 1000)
    words.add("z", None)
    words.add("trim", Meaning.SKIP)
    assert words.sentences() == [
        "what neither reads nor writes is passed over: 'trim' (1)",
        "not known, and passed over: op 'y' (1,000), 'x' (1), 'z' (1); --ops says what they mean, as x=read,y=delete"]
    many = PassedWords()
    for place in range(10):
        many.add(str(place), Meaning.SKIP)
    assert many.sentences()[0].endswith("'7' (1) and 2 other words")
    for place in range(9):
        many.add(str(place), None, 10 - place)
    assert "'7' (3) and 1 other word; --ops says what they mean, as 0=read,1=delete" in many.sentences()[1]


def test_the_field_of_an_operation() -> None:
    assert op_field({"http.Method": "GET", "x": 1}) == "http.Method"
    assert op_field({"action": "a", "op": "b"}) == "op"
    assert op_field({"type": "GET"}) == "type"
    assert op_field({"type": "image/png"}) is None
    assert op_field({"type": "GET", "verb": "PUT"}) == "verb"
    assert op_field({"size": 3}) is None


@pytest.mark.parametrize(("entry", "status"), [
    ({"status": 404}, "404"), ({"a.Status_Code": "500"}, "500"), ({"status": 200}, ""), ({"status": "4040"}, ""),
    ({"status": "4\u0660\u0661"}, ""), ({"state": 404}, ""), ({"response_code": 200, "x.status": 503}, "503"),
])  # fmt: skip
def test_the_status_of_a_failure(entry: dict[str, Any], status: str) -> None:
    assert failed_status(entry) == status


# Kernels' tools.

def is_wrong(read: Reading, line: str) -> bool:
    try:
        read(line)
    except (ValueError, LookupError):
        return True
    return False


def test_lines_of_biosnoop_with_and_without_a_header() -> None:
    read = biosnoop()
    line = "0.5 my dd 77 sda W 8 4096 1.25"
    event = Event("W", "sda", "8", "4096", "0.5", "1.25", response_unit=MS, ended=True)
    assert read(line) == event
    assert read("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)") is None
    assert read(line) == event
    assert read("STARTs COMM PID DISK TYPE SECTOR BYTES") is None
    assert read("0.5 dd 77 sda R 8 4096") == Event("R", "sda", "8", "4096", "0.5", "", response_unit=MS)
    assert read("COMM PID DEV T BLOCK BYTES LATms") is None
    assert read("dd 77 sda R 8 4096 2") == Event("R", "sda", "8", "4096", "", "2", response_unit=MS)
    for other in ("", "Attaching 3 probes", "Tracing block I/O"):
        assert read(other) is None
    assert biosnoop()("0.5 kworker 77 R -1 0 0.1") is None
    for bad in ("77 sda W 8 4096 1.25", "0.5 dd x sda W 8 4096 1", "0.5 dd 77 sda X 8 4096 1"):
        assert is_wrong(biosnoop(), bad), bad


FTRACE = "  dd-1 [000] .... 11.5: {}: 8,0 R {}8 + 16 [dd]"


def test_lines_of_ftrace_are_of_the_first_kind() -> None:
    read = ftrace()
    issue = FTRACE.format("block_rq_issue", "8192 () ")
    event = Event("R", "8,0", "8", "16", "11.5", sectors=512)
    assert read("# tracer: nop") is None
    assert read("  dd-1 [000] 11.4: block_plug: [dd]") is None
    assert read(issue) == event
    assert read(FTRACE.format("block_rq_complete", "() ")) is None
    assert read(FTRACE.format("block:block_rq_issue", "4096 () ")) == event
    assert ftrace("block_bio_queue")(issue) is None
    assert ftrace()("  dd-1 [000] 11.5:  8,0  Q   WS 8 + 16 [dd]") == Event("WS", "8,0", "8", "16", "11.5", sectors=512)
    assert is_wrong(ftrace(), "what is this")


def test_the_best_kind_of_events_of_a_file_is_read() -> None:
    head = b"1.0: block_rq_complete: 8,0\n1.0: block_rq_issue: 8,0\n"
    made = events._of_best_events(head, "x")
    parser = made.parser()
    assert parser.parse(FTRACE.format("block_rq_complete", "() ")) is None
    assert parser.parse(FTRACE.format("block_rq_issue", "8192 () ")) == Record(0.0, "8,0", READ, 4096, 8192)
    plain = events._of_best_events(b"nothing", "x").parser()
    assert plain.parse(FTRACE.format("block_rq_complete", "() ")) is not None


def test_lines_of_xperf() -> None:
    read = xperf()
    line = "DiskRead, 1000, dd (7), 9, 0x1, 4096, 512, 250, 3"
    assert read(line) == Event("Read", "3", "4096", "512", "1000", "250", US, US, sector=1, ended=True)
    assert read("DiskRead, TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, "
                "DiskNum") is None  # fmt: skip
    assert read("DiskWrite, 1000, dd (7), 9, 0, 0x1, 4096, 512, 250, 3") == Event(
        "Write", "3", "4096", "512", "1000", "250", US, US, sector=1, ended=True)  # fmt: skip
    for other in ("BeginHeader", "EndHeader", "OS Version: 10", "CSwitch, TimeStamp, x", "CSwitch, 1000, x"):
        assert read(other) is None
    for bad in ("DiskRead, 1000", "what, 1000", "Read, 1000", "CSwitch, x"):
        assert is_wrong(xperf(), bad), bad


def test_lines_of_iosnoop() -> None:
    read = iosnoop()
    assert read("0 7 R 8 4096 dd /x") == Event("R", "", "8", "4096", "", "", US, US, ended=True)
    assert read("STIME(us) DELTA(us) DEVICE MAJ MIN UID PID D BLOCK SIZE COMM PATHNAME") is None
    assert read("1000 25 cmdk0 102 1 0 7 W 8 4096 dd /x") == Event(
        "W", "cmdk0,102,1", "8", "4096", "1000", "25", US, US)  # fmt: skip
    assert read("TIME UID PID D BLOCK SIZE COMM PATHNAME") is None
    assert read("1000 0 7 W 8 4096 dd /x") == Event("W", "", "8", "4096", "1000", "", US, US, ended=True)
    for bad in ("0 7 X 8 4096 dd", "a 7 R 8 4096 dd", "0 7 R 8"):
        assert is_wrong(iosnoop(), bad), bad


def test_lines_of_diskmon_and_of_fiu() -> None:
    assert diskmon("0\t0.5\t0.0002\t3\tWrite\t8\t16\n") == Event(
        "Write", "3", "8", "16", "0.5", "0.0002", sectors=512)  # fmt: skip
    line = "89966000 7 my dd 8 16 W 8 1 " + "0" * 32
    assert fiu(line) == Event("W", "8,1", "8", "16", "89966000", unit=NS, sectors=512)
    for read, bad in ((diskmon, "0\t0.5\t0.0002\t3\tTrim\t8\t16"), (fiu, line[:-1]), (fiu, line.replace(" W ", " X ")),
                      (fiu, "7 dd 8 16 W 8 1 " + "0" * 32)):  # fmt: skip
        assert is_wrong(read, bad), bad


def test_lines_of_object_stores() -> None:
    assert ibm_cos("1000 REST.GET.OBJECT k 512 0 511") == Event("REST.GET.OBJECT", "", "0", "512", "1000", unit=MS,
                                                                 keys=("k",))  # fmt: skip
    assert ibm_cos("1000 REST.DELETE.OBJECT k") == Event("REST.DELETE.OBJECT", "", "0", "0", "1000", unit=MS,
                                                           keys=("k",))  # fmt: skip
    photo = tencent_photo("20160201140000 085abb 5 m 12903 1 PHONE 7")
    assert photo == Event("", "", "0", "12903", "1454335200", "7", response_unit=MS, keys=("085abb.5.m",))
    assert lmcache(" vllm@m/l@2@0@5a1f \n") == Event("", "", "0", "", keys=("vllm@m/l@2@0@5a1f",))
    for read, bad in ((ibm_cos, "1000 REST.GET.BUCKET k 1"), (ibm_cos, "1000 REST.GET.OBJECT " + "k" * 4097),
                      (tencent_photo, "20160201140000 085abb 5 x 12903 1 PHONE 7"),
                      (tencent_photo, "20160201140000 085abb 5 m 12903 2 PHONE 7"),
                      (tencent_photo, "20160201140000 085abb 5 m 12903 1 TV 7"), (lmcache, "m@l@2@0"),
                      (lmcache, "ö@2@0@5a1f")):  # fmt: skip
        assert is_wrong(read, bad), bad


def test_lines_of_fios_logs() -> None:
    read = fio_log()
    for line, op, time in (("12, 3000000, 0, 4096, 8192, 0", "0", "9000000"),
                           ("12, 3000000, 1, 4096, 8192, 1, 77", "1", "77"),
                           ("1, 3000000, 1, 4096, 8192, 0x4, 0", "1", "0")):  # fmt: skip
        assert read(line) == Event(op, "", "8192", "4096", time, "3000000", NS, NS, sector=1)
    assert read("12, 3000, 0, 4096, 8192") == Event("0", "", "8192", "4096", "12", unit=MS, sector=1)
    assert fio_log(False)("12, 3000000, 0, 4096, 8192, 0") == Event("0", "", "8192", "4096", "12", unit=MS, sector=1)
    assert is_wrong(read, "12, 3000, 0, 4096")
    for name, made in (("x_bw.1.log", FIO_RATES), ("x_iops.log", FIO_RATES), ("x_clat.1.log", FIO_LOG),
                       ("bw", FIO_LOG)):  # fmt: skip
        assert events._of_requests_or_rates(b"", name) is made
    assert (FIO_RATES.note, FIO_LOG.note) == (RATES, "")


# JSON with bytes of devices.

def test_fields_become_columns() -> None:
    names = ("offset", "time_ms", "ts_usec", "latency", "timestamp", "time_sec", "time_s")
    assert [*map(_column, names)] == ["offset", "time_ms", "time_us", "", "time", "time_s", "time_s"]
    assert [*map(_column, ("lba_4096", "response_ms"))] == ["lba_4096", "response_ms"]
    assert _columns({"TS": 1, "lba": 2, "len": 3, "size": 4, "x": 5}) == {"TS": "time", "lba": "lba_512", "len": "size"}
    assert wrong(_columns, {"time": 1, "size": 2}) == (
        "requests for bytes of a device have a field called offset, lba or sector, which is not among 'time, size'")
    assert wrong(_columns, {"offset": 1}) == (
        "requests for bytes of a device have a field called size, length or sectors, which is not among 'offset'")
    assert has_names([b'{"offset": 1, "size": 2}', b"x"])
    assert not has_names([b'{"offset": 1}'])
    assert not has_names([b"["])
    assert not has_names([b"x", b'{"offset": 1, "size": 2}'])
    assert has_names([b'{"offset": 1, "size": 2, "note": "\xff"}'])


def test_cells_are_numbers_or_words() -> None:
    assert [_cell("x", value) for value in (None, 7, " a ", "8,0")] == ["", "7", "a", '"8,0"']
    for bad in (True, [1], {"a": 1}, 'a"b', "a\nb"):
        assert wrong(_cell, "x", bad).startswith("x must be a number or a word, not ")


@pytest.mark.parametrize(("times", "lines", "unit"), [
    ([0, 10], 2, "s"), ([0, 11], 2, "ms"), ([0, 100], 2, "ms"), ([0, 101], 2, "us"), ([0, 100_000], 2, "us"),
    ([0, 100_001], 2, "ns"), ([0, 20, 10], 3, "s"), ([5, 15], 2, "s"), ([0], 1, ""), ([0, 10], 3, ""),
])  # fmt: skip
def test_whole_times_are_in_the_unit_of_likely_distances(times: list[int], lines: int, unit: str) -> None:
    assert _unit(times, lines) == unit


def test_lines_of_json_have_the_fields_of_the_first() -> None:
    parser = JsonBlocks({"at": "time_s"})
    first = parser.parse('{"op": "W", "offset": 4096, "size": 512, "note": "x"}')
    assert first == Record(None, "", WRITE, 4096, 512)
    assert parser.parse('{"offset": 1, "size": 2, "note": "y"}') == Record(None, "", READ, 1, 2)
    assert wrong(parser.parse, '{"offset": 1, "size": 2, "device": "y"}') == (
        "the field 'device' is not in the first line, by which lines are read")
    assert parser.parse('{"offset": 1, "size": 2, "what": "y"}') == Record(None, "", READ, 1, 2)
