"""Tests spindle convert, and the options of all commands that read a trace: columns, separators, keys of JSON."""

from pathlib import Path
from struct import unpack_from
from typing import Any

import pytest

from spindle.cli import convert
from spindle.cli.convert import LOSSES
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.record import Record
from tests.traces.conftest import Said

MOONCAKE = '{"timestamp": 0, "hash_ids": [1, 2]}\n{"timestamp": 500, "hash_ids": [1]}\n'
TIMED = "timestamp,op,offset,size\n100,R,0,512\n100.25,W,512,1024\n"


def test_a_trace_becomes_another_and_back(said: Said, place: Path) -> None:
    (place / "timed.csv").write_text(TIMED)
    assert said("convert", "timed.csv", "trace.fio", "--to", "fio3").splitlines() == [
        "timed.csv, csv", "trace.fio: 2 requests, fio3"]
    assert "250000 disc write 512 1024" in (place / "trace.fio").read_text()
    assert said("convert", "trace.fio", "again.csv", "--to=csv", "--limit=1").splitlines() == [
        "trace.fio, fio", "again.csv: 1 request, csv"]
    assert (place / "again.csv").read_text() == "time_s,device,op,offset,size\n0.000000000,disc,R,0,512\n"


def test_the_help_names_what_can_be_written(said: Said) -> None:
    words = " ".join(said("convert", "--help").split())
    assert "in another format: fio2, fio3, blktrace, disksim, csv, oracleGeneral. csv has all" in words
    assert "A file whose name ends in .gz, .bz2, .xz, .zst is compressed" in words


def test_a_trace_may_have_more_devices_than_a_replay_takes(said: Said, place: Path) -> None:
    (place / "many.csv").write_text("time_s,device,op,offset,size,response_s\n" + "".join(
        f"{each},d{each},R,0,512,0\n" for each in range(1025)))  # fmt: skip
    assert said("convert", "many.csv", "x", "--to=csv").splitlines()[1:] == [
        "left out in csv: measured responses (1,025)", "x: 1,025 requests, csv"]


def test_a_trace_has_no_more_than_a_million_devices(
    place: Path, refused: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert convert.MANY_DEVICES == 1 << 20
    monkeypatch.setattr(convert, "MANY_DEVICES", 2)
    (place / "three.csv").write_text("time_s,device,op,offset,size\n0,a,R,0,512\n1,b,R,0,512\n2,c,R,0,512\n")
    assert refused("convert", "three.csv", "x", "--to=csv").endswith("'c' is one more than the 2 that a trace may name")


def test_a_delete_is_no_write() -> None:
    deleted = Record(0.0, "", WRITE, 0, 1, delete=True, ttl=0.0)
    assert {what for what, has in LOSSES.items() if has(deleted)} == {"deletes", "times to live"}


def test_lines_that_are_passed_over_are_told(said: Said, place: Path) -> None:
    (place / "bad.csv").write_text(TIMED + "junk\n")
    _, passed, done = said("convert", "bad.csv", "x", "--to=csv", "--skip-bad=1").splitlines()
    assert passed.startswith("1 bad line passed over, the first: bad.csv:4:1: ")
    assert done == "x: 2 requests, csv"


def test_devices_stay_apart(said: Said, place: Path) -> None:
    (place / "two.csv").write_text("time_s,device,op,offset,size\n0,a,R,0,512\n1,b,W,512,512\n")
    said("convert", "two.csv", "again.csv", "--to=csv")
    assert [line.split(",")[1] for line in (place / "again.csv").read_text().splitlines()] == ["device", "a", "b"]


def test_objects_go_where_there_are_any(said: Said, refused: Said, place: Path) -> None:
    (place / "kv.jsonl").write_text(MOONCAKE)
    said("convert", "kv.jsonl", "kv.csv", "--to", "csv")
    assert (place / "kv.csv").read_text() == (
        "time_s,device,op,key,size,ttl\n0.000000000,,R,1,,\n0.000000000,,R,2,,\n0.500000000,,R,1,,\n")
    said("convert", "kv.csv", "kv.bin", "--to", "oracleGeneral")
    assert said("characterise", "trace.csv").startswith("trace.csv, csv\n")
    assert "'1' is the key of an object, and fio3 has bytes" in refused("convert", "kv.csv", "x", "--to=fio3")
    for command in ("replay", "characterise"):
        assert refused(command, "kv.bin") == (
            "kv.bin: it asks for objects by key, which have no place on a drive; spindle curve takes them")


def test_what_a_format_has_no_place_for_is_said(said: Said, place: Path) -> None:
    (place / "ttl.csv").write_text("time_s,op,key,ttl\n0,set,a,9\n1,get,a,\n2,delete,a,\n3,get,a,\n4,set,b,9\n")
    (place / "timed.csv").write_text("time_s,op,offset,size,response_s\n0,R,0,512,0.1\n1,R,0,512,\n")
    assert said("convert", "ttl.csv", "x", "--to", "oracleGeneral").splitlines()[1:] == [
        "left out in oracleGeneral: deletes (1), times to live (2), marks of writes (2)",
        "objects have numbers for keys in oracleGeneral", "4 requests without a size: written as of 1 byte",
        "x: 4 requests, oracleGeneral"]
    assert (place / "x").stat().st_size == 4 * 24
    assert "left out" not in said("convert", "ttl.csv", "y", "--to", "csv")
    assert (place / "y").read_text().count("delete,a") == 1
    assert said("convert", "ttl.csv", "y", "--to", "csv").splitlines()[-1] == "y: 5 requests, csv"
    assert said("convert", "timed.csv", "z", "--to", "csv").splitlines()[1] == (
        "left out in csv: measured responses (1)")
    (place / "late.csv").write_text("time_s,op,offset,size\n0,R,0,512\n1.75,R,0,512\n2.0,R,0,512\n")
    assert said("convert", "late.csv", "z", "--to", "oracleGeneral").splitlines()[1] == (
        "times rounded to 1 s in oracleGeneral (1)")


@pytest.mark.parametrize(("format", "lines"), [
    ("csv", []), ("fio2", []), ("fio3", [2]), ("disksim", [2]), ("blktrace", [2]), ("oracleGeneral", [2])])
def test_times_that_a_format_must_have_are_said_to_be_made(
    said: Said, place: Path, format: str, lines: list[int]
) -> None:
    made = "{} requests without a time: written at that of the request before, or at 0"
    (place / "gaps.csv").write_text("op,lba512,sectors,gap_before_ms\nR,0,8,0\nR,8,8,900\n")
    assert said("convert", "gaps.csv", "x", "--to", format).splitlines()[1:-1] == [
        f"left out in {format}: gaps (2)", *map(made.format, lines)]
    (place / "some.csv").write_text("time_s,op,offset,size\n1,R,0,512\n,R,0,512\n,R,0,512\n2,R,0,512\n")
    assert made.format(2) in said("convert", "some.csv", "x", "--to", format)
    (place / "all.csv").write_text("time_s,op,offset,size\n1,R,0,512\n")
    assert said("convert", "all.csv", "x", "--to", format).splitlines()[1:-1] == []


@pytest.mark.parametrize(("format", "says"), [
    ("fio2", ["times rounded to 1 ms in fio2 (2)"]), ("fio3", ["times rounded to 1 \u00b5s in fio3 (1)"]), ("csv", []),
    ("disksim", ["devices have numbers for names in disksim, in this order: b, a"]),
    ("blktrace", ["devices have numbers for names in blktrace, in this order: b, a"]),
])  # fmt: skip
def test_what_a_format_has_otherwise_is_said(said: Said, place: Path, format: str, says: list[str]) -> None:
    (place / "fine.csv").write_text(
        "time_s,device,op,offset,size\n0.25,b,R,0,512\n0.5004,a,R,0,512\n0.7504005,b,R,0,512\n,9,R,0,512\n"
        "5000000.001,b,R,0,512\n")
    made = ["1 request without a time: written at that of the request before, or at 0"]
    assert said("convert", "fine.csv", "x", "--to", format).splitlines()[1:-1] == says + made
    if format == "disksim":
        assert [line.split()[1] for line in (place / "x").read_text().splitlines()] == ["0", "1", "0", "9", "0"]


def test_a_missing_size_is_said_to_be_made_where_one_must_be(said: Said, place: Path) -> None:
    (place / "sizes.csv").write_text("time_s,key,size\n0,a,7\n1,b,\n")
    assert said("convert", "sizes.csv", "x", "--to", "oracleGeneral").splitlines()[1:-1] == [
        "objects have numbers for keys in oracleGeneral", "1 request without a size: written as of 1 byte"]
    assert unpack_from("<I", (place / "x").read_bytes(), 24 + 12) == (1,)
    assert said("convert", "sizes.csv", "y", "--to", "csv").splitlines()[1:-1] == []
    (place / "bytes.csv").write_text("time_s,offset,size\n0,0,512\n")
    assert said("convert", "bytes.csv", "z", "--to", "oracleGeneral").splitlines()[1:-1] == []


def test_of_many_devices_the_first_are_named(said: Said, place: Path) -> None:
    (place / "many.csv").write_text("device,offset,size\n" + "".join(f"d{each},0,512\n" for each in range(10)))
    _, named, *_ = said("convert", "many.csv", "x", "--to=disksim").splitlines()
    assert named.endswith("in this order: d0, d1, d2, d3, d4, d5, d6, d7 and 2 more")


def test_bytes_that_are_no_whole_sectors_are_no_record_of_oraclegeneral(refused: Said, place: Path) -> None:
    for first, length in ((100, 512), (512, 50)):
        (place / "odd.csv").write_text(f"time_s,op,offset,size\n0,R,{first},{length}\n")
        assert refused("convert", "odd.csv", "x", "--to=oracleGeneral") == (
            f"{length} bytes from byte {first} on are no whole sectors of 512 bytes, and the format has no others")


def told(format: str, *records: Record) -> list[str]:
    """What is said of these records, which are counted and passed on as they are."""
    counted = convert._Counted(records, 9999)  # type: ignore[arg-type]
    assert list(counted) == list(records)
    assert counted.requests == len(records)
    return counted.losses(format)


def at(time: float | None, device: str = "0", **more: Any) -> Record:
    return Record(time, device, READ, 0, 1, **more)


@pytest.mark.parametrize(("format", "step", "kept", "rounded"), [
    ("oracleGeneral", "1 s", (0.0, 3.0, 1.0004, 0.9996), (0.5, 1.0006, 2.9994)),
    ("fio2", "1 ms", (0.001, 7.0, 1.0000004), (0.0015, 1.0000006)), ("fio3", "1 \u00b5s", (1e-6, 0.5), (1.5e-6, 2e-7)),
    ("csv", "", (1e-7, 0.3), ()), ("blktrace", "", (1.5e-6, 0.5), ()),
])  # fmt: skip
def test_times_between_the_ticks_of_a_format_are_rounded(
    format: str, step: str, kept: tuple[float, ...], rounded: tuple[float, ...]
) -> None:
    assert told(format, *map(at, kept)) == []
    sentences = [f"times rounded to {step} in {format} ({len(rounded)})"] if rounded else []
    assert told(format, *map(at, (*kept, *rounded))) == sentences
    if rounded:
        assert told(format, *[at(rounded[0])] * 1000) == [f"times rounded to {step} in {format} (1,000)"]


@pytest.mark.parametrize("format", ["blktrace", "disksim", "csv"])
def test_devices_are_numbered_in_their_order_where_names_have_no_place(format: str) -> None:
    begin = f"devices have numbers for names in {format}, in this order: "
    numbered = format != "csv"
    assert told(format, *(at(0.0, name) for name in ("b", "8,0", "a", "b", "7"))) == [f"{begin}b, a"] * numbered
    assert told(format, at(0.0, "8,0"), at(0.0, "")) == []
    names = "abcdefgh"
    assert told(format, *(at(0.0, name) for name in names)) == [begin + ", ".join(names)] * numbered
    more = [f"{begin}{', '.join(names)} and 2 more"] * numbered
    assert told(format, *(at(0.0, name) for name in f"{names}ij")) == more


def test_objects_have_numbers_and_a_byte_at_least_in_one_format() -> None:
    keyed, unsized = at(0.0, keys=("a",)), at(0.0, keys=("a",), unsized=True)
    numbers, byte = "objects have numbers for keys in oracleGeneral", "without a size: written as of 1 byte"
    assert told("oracleGeneral", keyed) == [numbers]
    assert told("oracleGeneral", keyed, unsized, unsized) == [numbers, f"2 requests {byte}"]
    assert told("oracleGeneral", unsized._replace(delete=True)) == ["left out in oracleGeneral: deletes (1)", numbers]
    assert told("oracleGeneral", at(0.0, unsized=True)) == []
    assert told("csv", keyed, unsized) == []
    everything = at(None, "a", keys=("k",), unsized=True, gap=0.0), at(0.5)
    assert told("oracleGeneral", *everything) == [
        "left out in oracleGeneral: gaps (1)", "times rounded to 1 s in oracleGeneral (1)", numbers,
        f"1 request {byte}",
        "1 request without a time: written at that of the request before, or at 0"]


@pytest.mark.parametrize(("content", "options"), [
    ("7;a;R\n8;b;R\n9;a;U\n", ["--columns", "time=1,key=2,op=3"]),
    ("7:a:R\n8:b:R\n7:a:U\n", ["--columns", "key=2", "--separator", ":"]),
    ("7\ta\n8\tb\n7\ta\n", ["--columns", "key=2", "--separator", "tab"]),
    ("id what\n7 a\n8 b\n7 a\n", ["--columns", "key=id"]),
    ('{"page": 7}\n{"page": "8"}\n{"page": [7]}\n', ["--keys", "page"]),
])  # fmt: skip
def test_any_references_make_a_curve(said: Said, place: Path, content: str, options: list[str]) -> None:
    (place / "any.txt").write_text(content)
    said("convert", "any.txt", "objects.csv", "--to", "csv", *options)
    assert said("curve", "objects.csv", "--sizes", "1,2", "--out", "hits.csv")
    assert (place / "hits.csv").read_text().split() == [
        "cache_objects,refs,hits,hit_ratio", "1,3,0,0", "2,3,1,0.333333"]


def test_a_replay_says_how_it_asks_and_why(said: Said, place: Path) -> None:
    (place / "timed.csv").write_text(TIMED)
    (place / "untimed.csv").write_text("op,offset,size\nR,0,512\n")
    for options, says in ((["timed.csv"], "open loop because it has times"),
                          (["untimed.csv"], "closed loop of 1 because it has no times"),
                          (["timed.csv", "--closed=2"], "closed loop of 2 as asked"),
                          (["timed.csv", "--open"], "open loop as asked")):  # fmt: skip
        assert said("replay", *options, "--drive=small.yaml").splitlines()[0].split(", ")[2] == says
    assert '"because it has times"' in said("replay", "timed.csv", "--drive=small.yaml", "--json")


@pytest.mark.parametrize(("options", "says"), [
    ([], "convert: --to must say which format to write, of fio2"),
    (["--to", "fio"], "unknown format to write a trace in 'fio': did you mean fio3 or fio2?"),
    (["--to=csv", "--columns=key=1", "--format=csv"], "--format and --columns both say what the format is"),
    (["--to=csv", "--columns=key"], "--columns takes NAME=N or NAME=HEADING, as key=2, not 'key'"),
    (["--to=csv", "--columns=key=1,key=2"], "--columns names key twice"),
    (["--to=csv", "--columns=time=1,key=1"], "--columns takes two columns from '1'"),
    (["--to=csv", "--columns=key=99999999999"], "takes key from column '99999999999', and a line has 1 to 4096"),
    (["--to=csv", "--columns=key=00"], "--columns takes key from column '00', and a line has 1 to 4096"),
    (["--to=csv", "--columns=key=1,size=9"], "trace.csv:2:16: size is missing"),
    (["--to=csv", "--columns=kee=1"], "unknown column 'kee': did you mean key"),
    (["--to=csv", "--separator=;"], "--separator stands between --columns; name those"),
    (["--to=csv", "--columns=key=1", "--separator=ab"], "--separator must be one character that is in no number"),
    (["--to=csv", "--keys="], "--keys must have a value"),
])  # fmt: skip
def test_what_cannot_be_is_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused("convert", "trace.csv", "out", *options)


def test_a_trace_is_not_written_over(refused: Said) -> None:
    assert "OUT would overwrite trace.csv, which" in refused("convert", "trace.csv", "trace.csv", "--to=csv")
