"""Tests lines of CSV as they come, one by one: the header, marks, quotes, cells of several words, and its messages."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, NotSimpleError
from spindle.workloads.traces.dates import DAYS
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.formats import plain
from spindle.workloads.traces.formats.named import NamedLines, with_columns
from spindle.workloads.traces.formats.plain import PlainLines
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.rows import NO_WORD


def read(lines: PlainLines | NamedLines, text: str) -> list[Record]:
    return [record for line in text.split("\n") if (record := lines.parse(line)) is not None]


def refused(lines: PlainLines | NamedLines, text: str) -> str:
    with pytest.raises(Wrong) as wrong:
        read(lines, text)
    return str(wrong.value)


def placed(*places: tuple[int, int], time: float | None = None) -> list[Record]:
    return [Record(time, "", READ, first, length) for first, length in places]


def of(key: str, length: int = 1) -> Record:
    return Record(None, "", READ, 0, length, keys=(key,), unsized=length == 1)


# The header, and the mark between two columns.

@pytest.mark.parametrize("text", [
    "offset,size\n512,1024", "offset size\n512 1024", "offset  size\n 512   1024", "offset\tsize\n512\t1024",
    "offset;size\n512;1024", "offset|size\n512|1024", "sep=%\noffset%size\n512%1024", "sep=% \noffset%size\n512%1024",
    '"offset","size"\n"512","1024"', "# what it is\noffset,size\n512,1024",
])  # fmt: skip
def test_a_header_says_what_is_between_two_columns(text: str) -> None:
    assert read(PlainLines(), text) == placed((512, 1024))


@pytest.mark.parametrize(("header", "row", "says"), [
    ("offset,lba_512,size", "0,8,512", ["column lba_512 is not read beside offset"]),
    ("lba_512,offset,size", "0,8,512", ["column offset is not read beside lba_512"]),
    ("offset,size,sectors", "0,512,8", ["column sectors is not read beside size"]),
    ("time_ms,time_s,offset,size", "9,1,0,512", ["column time_ms is not read beside time_s"]),
    ("device,disc,offset,size", "a,b,0,512", ["column disc is not read beside device"]),
    ("offset,size,count", "0,512,3", ["column count is not read without a key"]),
    ("offset,size,ttl", "0,512,3", ["column ttl is not read without a key"]),
    ("key,offset,ttl,count", "a,0,9,3", ["column offset is not read beside key"]),
    ("time_s,op,offset,size", "1,R,0,512", []), ("key,size,ttl,count", "a,512,9,3", []),
])  # fmt: skip
def test_columns_that_are_not_read_are_told(header: str, row: str, says: list[str]) -> None:
    lines = PlainLines()
    assert len(read(lines, f"{header}\n{row}")) == 1
    assert lines.notes == says
    numbered = with_columns({name: str(place) for place, name in enumerate(header.split(","), 1)}).parser()
    assert len(read(numbered, row)) == 1
    assert numbered.notes == says


@pytest.mark.parametrize(("header", "told"), [
    ("lba,sectors,measured_ms", True), ("lba,sectors,gap_before_ms", True), ("lba,sectors,op", False),
    ("lba512,sectors,measured_ms", False), ("lba256,sectors,measured_ms", False), ("lba_512,sectors,queue_ms", False),
    ("offset,size,measured_ms", False),
])  # fmt: skip
def test_a_list_that_was_timed_on_a_drive_says_whose_sectors_it_counts(header: str, told: bool) -> None:
    lines = PlainLines()
    assert len(read(lines, f"{header}\n8,512,1" if "op" not in header else f"{header}\n8,512,R")) == 1
    assert lines.notes == [plain.OF_ITS_DRIVE] * told


def test_a_list_for_a_drive_may_say_things_twice() -> None:
    lines = PlainLines(harmless=True)
    assert len(read(lines, "op,lba,offset,sectors,count\nR,0,8,512,1")) == 1
    assert lines.notes == []


def test_a_mark_that_is_given_stands_against_that_of_the_first_line() -> None:
    assert read(PlainLines(mark=";"), "sep=%\noffset;size\n512;1024") == placed((512, 1024))
    assert "column 'offset%size' is not known" in refused(PlainLines(mark=";"), "offset%size")
    assert "column 'SEP=%' is not known" in refused(PlainLines(), "SEP=%")
    assert read(with_columns({"offset": "1", "size": "3"}, "%").parser(), "5%,%7") == placed((5, 7))


@pytest.mark.parametrize(("mark", "time"), [(";", 0.5), ("\t", 0.5)])
def test_a_comma_is_a_point_where_it_is_no_mark(mark: str, time: float) -> None:
    text = mark.join(("time_s", "offset", "size")) + "\n" + mark.join(("0,5", "512", "1024"))
    assert read(PlainLines(), text) == placed((512, 1024), time=time)


@pytest.mark.parametrize("mark", [",", "|"])
def test_a_comma_is_no_point_elsewhere(mark: str) -> None:
    assert "time_s must be" in refused(PlainLines(), f'time_s{mark}offset{mark}size\n"0,5"{mark}512{mark}1024')


def test_a_header_by_number_is_passed_over_again_and_again() -> None:
    lines = PlainLines(columns={"key": "1"})
    assert read(lines, "key\na\nkey\nb") == [of("a"), of("b")]
    assert lines.notes == [plain.HEAD_NOTE]
    assert read(PlainLines(columns={"key": "2"}), "7,key\n8,a") == [of("a")]


def test_a_first_line_by_number_may_be_a_request() -> None:
    lines = PlainLines(columns={"offset": "1", "size": "2"})
    assert read(lines, "512,1024\n512,1024") == placed((512, 1024), (512, 1024))
    assert lines.notes == []


def test_a_first_line_that_fits_nothing_is_a_header_once() -> None:
    lines = PlainLines(columns={"offset": "1", "size": "2"})
    assert read(lines, "x,y\n512,1024") == placed((512, 1024))
    assert refused(lines, "x,y").startswith("offset must be")


@pytest.mark.parametrize(("text", "said"), [
    ("size,op", "there is no column offset or lba_512, nor key"),
    ("offset,op", "there is no column size or sectors, nor key"),
    ("offset,size,offset", "column offset stands there twice"),
    ("offset,size,zzz", f"column 'zzz' is not known; --columns says which to read of {plain.COLUMN_NAMES}"),
    ("aa:bb:cc", f"column 'aa:bb:cc' is not known{plain.SEVERAL_NAMES}; --columns says"),
    ("frobs", "column 'frobs' is not known; --columns says"),
    ("offset,a:b,size", "column 'a:b' is not known; --columns says"),
    ("offset,sizes", "column 'sizes' is not known (is size meant?); --columns says which"),
    ("5.0,read", plain.NAMELESS), ("lba_512,sectors4096", "lba_512 and sectors4096 count in different sectors"),
])  # fmt: skip
def test_what_is_wrong_in_a_header(text: str, said: str) -> None:
    assert refused(PlainLines(), text).startswith(said)


def test_columns_without_a_name_are_not_read() -> None:
    assert read(PlainLines(), ",offset,,size\nx,512,y,1024") == placed((512, 1024))


def test_columns_by_name_are_those_and_no_others() -> None:
    lines = PlainLines(columns={"offset": "a", "size": "b"})
    assert read(lines, "offset,a,b\nx,512,1024") == placed((512, 1024))
    assert refused(PlainLines(columns={"offset": "c", "size": "b"}), "a,b") == "unknown column 'c': there are a, b"


@pytest.mark.parametrize(("head", "known"), [
    ("offset,size\n1,2\n", True), ("\ufeffoffset size\n", True), ('"offset";"size"\n', True), ("offset,what\n", False),
    ("a,b\noffset,size\n1,2\n", False), ("Xoffset,size\n", False),
])  # fmt: skip
def test_a_file_is_known_by_two_names_in_its_first_line(head: str, known: bool) -> None:
    assert plain.knows(head.encode()) == known


def test_bytes_beside_sectors_are_noted_once_by_lines_and_by_blocks() -> None:
    for blocks in (False, True):
        lines = PlainLines()
        read(lines, "lba_512,length\n8,512")
        for row in ("8,1024\n8,8\n8,7\n", "8,9\n"):
            if blocks:
                assert [record.first for record in batch(lines, row).records()] == [4096] * row.count("\n")
            else:
                read(lines, row.strip())
        assert lines.notes == [plain.BESIDE.format(8, "length")]
    lines = PlainLines()
    read(lines, "lba_512,length\n8,512")
    batch(lines, "8,1024\n")
    assert lines.notes == []


# Cells: quotes, several words, what they must be.

@pytest.mark.parametrize(("text", "key"), [
    ('key,size\n"a,b",7', "a,b"), ('key,size\n"b,7', '"b'), ('key size\n"b" 7', '"b"'),
    ('key,size\n"1,500",7', "1,500"), ('key;size\n"1,500.5";7', "1,500.5"),
])  # fmt: skip
def test_quotes_around_a_key(text: str, key: str) -> None:
    assert read(PlainLines(), text) == [of(key, 7)]


def test_lines_that_are_in_quotes_as_a_whole() -> None:
    rows = ('"time_s,device,offset,size"', '"0.5,""8,0"",512,1024"', ' "1,""a"",0,7"')
    assert read(PlainLines(), "\n".join(rows)) == [Record(0.5, "8,0", READ, 512, 1024), Record(1.0, "a", READ, 0, 7)]


def test_a_comma_in_a_name_of_a_column_is_no_point() -> None:
    lines = PlainLines(columns={"offset": "at,bytes", "size": "n"})
    assert read(lines, "x;at,bytes;n\n0;512;1024") == placed((512, 1024))


def test_points_of_a_whole_number_are_noted() -> None:
    lines = PlainLines()
    assert read(lines, "time_s;offset;size\n0;8.000;512\n1;9.000;512") == [*placed((8, 512), time=0.0),
                                                                          *placed((9, 512), time=1.0)]
    assert lines.notes == [plain.POINTED.format("8.000", 8)]


def test_a_comma_between_thousands_is_one_where_a_number_is_whole_or_has_a_point() -> None:
    head = "time_s,offset,size\n"
    assert read(PlainLines(), head + '"1,500.0","1,024","2,048"') == placed((1024, 2048), time=1500.0)
    assert refused(PlainLines(), head + '"1,500",0,1') == \
        "time_s must be a number that is not negative, or empty, not '1,500'"


@pytest.mark.parametrize(("line", "device"), [
    ("sda sql 512 1024", "sda"), ("sda my sql 512 1024", "sda"), ("sda my" + 15 * " x" + " 512 1024", "sda"),
])  # fmt: skip
def test_a_cell_that_is_not_read_may_have_several_words(line: str, device: str) -> None:
    lines = PlainLines(columns={"device": "d", "offset": "o", "size": "s"}, mark=" ")
    assert read(lines, f"d command o s\n{line}") == [Record(None, device, READ, 512, 1024)]


@pytest.mark.parametrize("line", ["sda a" + 16 * " x" + " 512 1024", "sda 512 1024", "sda sql 512 x"])
def test_a_line_of_words_that_does_not_fit(line: str) -> None:
    lines = PlainLines(columns={"device": "d", "offset": "o", "size": "s"}, mark=" ")
    assert "offset" in refused(lines, f"d command o s\n{line}") or "size" in refused(lines, line)


def test_blanks_are_no_marks_where_another_is() -> None:
    assert "offset must be" in refused(PlainLines(), ",offset,size\nx, 5 5, 512, 1024")


def test_a_cell_is_named_by_its_column() -> None:
    assert refused(PlainLines(), "key,size\n,7").startswith("key must be a key of 1 to 4096 characters")
    assert refused(PlainLines(), "offset,size,response_s\n0,1,x").startswith(
        "response_s must be a number that is not negative, or empty")


@pytest.mark.parametrize(("text", "notes"), [
    ("op,offset,size\n,0,8\n,8,8", [NO_WORD]), ("op,offset,size\nread,0,8", []), ("device,offset,size\nsda,0,8", []),
    ("time,offset,size\n2026-11-28,0,8\n2026-11-29,0,8", [DAYS.format("time")]),
    ("time,offset,size\n2026-11-28 10:00,0,8", []),
])  # fmt: skip
def test_what_is_left_empty_is_noted_once(text: str, notes: list[str]) -> None:
    lines = PlainLines()
    assert all(record.op is READ for record in read(lines, text))
    assert lines.notes == notes


def test_a_time_to_live_has_the_unit_of_its_column() -> None:
    assert [record.ttl for record in read(PlainLines(), "key,ttl_ms\na,500\nb,0\nc,")] == [0.5, None, None]


def test_a_list_for_a_drive_has_plain_whole_numbers() -> None:
    def lines() -> PlainLines:
        return PlainLines(harmless=True)

    assert read(lines(), "op,lba_512,sectors\nwrite,2,3") == [Record(None, "", WRITE, 1024, 1536)]
    for row in ("read,2.0,3", "read,2,3.0"):
        assert "must be a whole number" in refused(lines(), f"op,lba_512,sectors\n{row}")
    assert read(plain.plain(4096).parser(), "op,lba,sectors\nread,2,3") == placed((8192, 12288))
    assert refused(lines(), "lba_512,sectors") == "there is no column op"


def test_a_list_for_a_drive_is_in_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes("op,lba_512,sectors,device\nread,0,8,gr\xf6\xdf\n".encode("cp1252"))
    (record,) = Trace(path, "csv")
    assert record.device == "größ"
    with pytest.raises(UserError, match="is not text in UTF-8"):
        list(Trace(path, plain.plain(512)))


def test_clocks_and_words_of_lines_that_nobody_has_prepared() -> None:
    lines = PlainLines()
    assert lines.began is None
    assert [record.time for record in read(lines, "timestamp,op,offset,size\n50,trim,0,1\n51,read,0,1\n53,read,0,1")] \
        == [1.0, 3.0]
    assert (lines.began, lines.passed.idle) == (50, {"trim": 1})
    assert [field.name for field in NamedLines({}, "").shape.fields] == ["op", "lba_512", "sectors"]
    named = NamedLines({"time": "1", "op": "2", "offset": "3", "size": "4"}, "")
    assert [record.time for record in read(named, "50,trim,0,1\n51,read,0,1")] == [1.0]
    assert (named.began, named.passed.idle) == (50, {"trim": 1})


# Other usual names of columns.

@pytest.mark.parametrize(("head", "noted"), [
    ("ts,offset,size", ["ts is taken for time"]), ("time_s,offset,bytes", ["bytes is taken for size"]),
    ("offset,len", ["len is taken for size"]),
    ("object_id,object_size", ["object_id is taken for key", "object_size is taken for size"]),
])  # fmt: skip
def test_other_usual_names(head: str, noted: list[str]) -> None:
    lines = PlainLines(synonyms=True)
    lines.parse(head)
    assert lines.notes == [f"column {each}" for each in noted]


def test_without_a_guess_only_the_usual_names_are_known() -> None:
    assert refused(PlainLines(), "ts,offset,size").startswith("column 'ts' is not known")


@pytest.mark.parametrize(("head", "name"), [
    ("time_s,ts,offset,size", "ts"), ("lba_512,len", "len"), ("sector,len", "len"), ("time,ts,key", "ts"),
    ("offset,bytes,nbytes", "nbytes"), ("object_id,type", "type"), ("object_id,offset,size", "object_id"),
    ("object_id,photo_id,size", "object_id"),
])  # fmt: skip
def test_no_other_name_stands_for_what_is_there_or_may_be_two_things(head: str, name: str) -> None:
    assert refused(PlainLines(synonyms=True), head).startswith(f"column '{name}' is not known")


def test_a_comment_may_give_codes_of_operations() -> None:
    for head in ("offset,size", "key,size"):
        lines = PlainLines()
        assert [record.op for record in read(lines, f"# op [Put:7]\nop,{head}\n7,1,512")] == [WRITE]
        assert lines.notes == []


def test_a_comment_with_the_names_is_the_header_where_no_line_is() -> None:
    lines = PlainLines()
    assert read(lines, "# by x\n#time_s, key, size\n# of me\n1, 7, 100") == [of("7", 100)._replace(time=1.0)]
    assert lines.notes == [plain.IN_COMMENT.format("'time_s, key, size'")]
    for lines in (PlainLines(), PlainLines(columns={"key": "key", "size": "size"})):
        assert read(lines, "#time_s key size\nkey,size\n7,100") == [of("7", 100)]
        assert lines.notes == []
    assert read(PlainLines(synonyms=True), "#TS bytes LBA\n1 512 8") == placed((4096, 512), time=0.0)
    assert read(PlainLines(), "#key size\n7 100") == [of("7", 100)]
    for comment in ("# time of the day, size", "# key"):
        assert "no names of columns" in refused(PlainLines(), f"{comment}\n7")


def test_the_first_comment_between_requests_is_noted() -> None:
    lines = PlainLines()
    assert read(lines, "offset,size\n0,1\n# one\n# other\n2,1") == placed((0, 1), (2, 1))
    assert lines.notes == [plain.COMMENT.format("'# one'")]
    assert read(PlainLines(), "key,size\n#1,7") == [of("#1", 7)]


# A block of lines.

def batch(lines: PlainLines, block: str) -> Batch:
    return lines.batch(block.encode(), Checks(TraceLimits()))


def test_a_block_is_simple_without_the_header_quotes_and_marks_of_a_phase() -> None:
    lines = PlainLines(columns={"key": "key"})
    read(lines, "key\na")
    assert [record.keys for record in batch(lines, "b*\nkeys\nmy key\n").records()] == [("b*",), ("keys",), ("my key",)]
    for block in ("b\nkey\nc\n", "b\nkey  \nc\n", 'b\n"c"\n', "b\n*\nc\n", "b\n \t*\n"):
        with pytest.raises(NotSimpleError):
            batch(lines, block)
    assert read(lines, "*\n * \n*a") == [of("*a")]


def test_a_star_is_a_cell_where_no_columns_are_given() -> None:
    lines = PlainLines()
    read(lines, "key,size\na,1")
    assert [record.keys for record in batch(lines, "*,1\n*b,2\n").records()] == [("*",), ("*b",)]


def test_a_comma_is_a_point_in_a_block_too() -> None:
    lines = PlainLines()
    read(lines, "time_s;offset;size\n0,5;0;1")
    assert list(batch(lines, "1,5;512;1024\n").records()) == placed((512, 1024), time=1.5)


def test_a_clock_begins_in_a_block_where_it_had_none_before() -> None:
    lines = NamedLines({"time": "1", "offset": "2", "size": "3"}, "")
    read(lines, "50,0,1")
    lines.began = None
    assert [record.time for record in batch(lines, "51,0,1\n").records()] == [1.0]
    assert lines.began == 50


# Lines of JSON by the names of fields.

@pytest.mark.parametrize(("columns", "line", "records"), [
    ({"key": "k"}, '{"k": "*"}', [of("*")]), ({"key": "k"}, '{"k": "a,b"}', [of("a,b")]),
    ({"key": "k"}, '{"k": ["a"]}', [of("a")]), ({"key": "k"}, '{"k": []}', []),
    ({"key": "k"}, ' {"k": 1.5}', [of("1.5")]), ({"key": "k"}, '{"k": "a\\"b,"}', [of('a"b,')]),
    ({"offset": "o", "size": "n", "device": "d"}, '{"o": 512, "n": 1024, "d": null}', placed((512, 1024))),
    ({"key": "k", "size": "n"}, '{"k": ["a", "b"], "n": 7}', [of("a", 7)._replace(keys=("a", "b"))]),
    ({"offset": "o", "size": "n"}, '{"o": 512, "n": 1024, "": []}', placed((512, 1024))),
])  # fmt: skip
def test_a_line_of_json(columns: Mapping[str, str], line: str, records: list[Record]) -> None:
    assert read(NamedLines(columns, ""), line) == records


def test_columns_that_a_caller_gives() -> None:
    format = with_columns({"Key": "1"})
    assert (format.name, format.suffixes, format.needs) == ("columns", (), "a request is a line")
    for columns, said in (({"key": "0"}, "column key is the first at least, which is 1, and not 0"),
                          ({"key": "1", "size": "n"}, "columns are known by their numbers or by their names")):
        with pytest.raises(UserError, match=said):
            with_columns(columns)


def test_words_of_a_caller_are_those_of_the_lines() -> None:
    lines = NamedLines({"op": "1", "offset": "2", "size": "3"}, "")
    lines.given = {"zap": Meaning.WRITE}
    assert read(lines, "zap,512,1024") == [Record(None, "", WRITE, 512, 1024)]
