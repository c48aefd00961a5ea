"""Tests users' program files: read as written, written as read, and every mistake with its line and column."""

import re
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.streams import Constant, Distribution, Exponential, Normal, Uniform
from spindle.workloads.program_files.reader import add_programs, parse
from spindle.workloads.program_files.text import text_of
from spindle.workloads.programs import (
    Act,
    Compute,
    DataBaseCalls,
    Enter,
    Intrinsic,
    KeyedFile,
    Program,
    ReadFile,
    Reply,
    Subsystem,
    WriteFile,
)
from spindle.workloads.shipped_programs import CATALOGUE

SETS = ("PART", "ORDER", "CONTROL")
SHOP = """\
[SHOP]
code_segments = 3
segment = "12 KiB"
stack = 4096                    # bytes
work_segments = 2
work = "1K"
starting = [{ reply = 20 }]
subsystems.TILL = { code_segments = 1, segment = 512, shared = false }

[SHOP.answers]
SALE = [                        # { not = an act }
  { compute = "exponential 30 ms" }, { compute = 0.5 }, { compute = "normal 20 ms by 5 ms" },
  { call = "DBUNLOCK", on = "CONTROL" },
  { call = "DBGET mode 7", on = "PART", times = "uniform 1 to 4" },
  { enter = "TILL" },
  { read = "{A}", record = 80, times = 3, sequential = false },
  { write = "B", record = "1 KiB" },
  { keyed = "PRICES", times = 2 },
  { reply = 600 },
]
ASK = [{ reply = 9, says = { "YES" = 70, "NO" = 30 } }, { reply = 2, says = "DONE" }]
"""


def test_a_program_is_as_its_file_says() -> None:
    (program,) = parse(SHOP, "shop.toml", SETS).values()
    till = Subsystem("TILL", 1, 512, shared=False)
    assert (program.name, program.code_segments, program.segment_bytes) == ("SHOP", 3, 12 * 1024)
    assert (program.stack_bytes, program.work_segments, program.work_bytes) == (4096, 2, 1024)
    assert program.starting == (Reply(20),)
    assert program.answers == {"SALE": (
        Compute(Exponential(0.03)), Compute(Constant(0.5)), Compute(Normal(0.02, 0.005)),
        DataBaseCalls(Intrinsic.CONTROL, "CONTROL"), DataBaseCalls(Intrinsic.GET_KEYED, "PART", Uniform(1, 4)),
        Enter(till), ReadFile("{A}", 80, Constant(3), sequential=False), WriteFile("B", 1024),
        KeyedFile("PRICES", Constant(2)), Reply(600),
    ), "ASK": (Reply(9, (("YES", 70.0), ("NO", 30.0))), Reply(2, (("DONE", 100.0),)))}  # fmt: skip
    assert program.texts() == ["YES", "NO", "DONE"]


WRITTEN = """\
[SHOP]
code_segments = 3
segment = "12 KiB"
work_segments = 2
work = "1 KiB"
stack = "4 KiB"
# CPU 0 s
starting = [
  { reply = 20 },
]

[SHOP.subsystems."TILL"]
code_segments = 1
segment = "512 B"
shared = false

[SHOP.answers]
# CPU 0.55 s, calls of the data base 3.5, of them for blocks 2.5, records by key 2, records read 3, records written 1
SALE = [
  { compute = "exponential 30 ms" },
  { compute = "0.5 s" },
  { compute = "normal 20 ms by 5 ms" },
  { call = "DBLOCK", on = "CONTROL" },
  { call = "DBGET mode 7", on = "PART", times = "uniform 1 to 4" },
  { enter = "TILL" },
  { read = "{A}", record = 80, times = 3, sequential = false },
  { write = "B", record = 1024 },
  { keyed = "PRICES", times = 2 },
  { reply = 600 },
]
# CPU 0 s
ASK = [
  { reply = 9, says = { "YES" = 70, "NO" = 30 } },
  { reply = 2, says = { "DONE" = 100 } },
]"""


def test_a_program_is_written_with_its_mean_demands() -> None:
    assert text_of(parse(SHOP, "shop.toml", SETS)["SHOP"]) == WRITTEN


SMALL = "[A]\ncode_segments = 1\nsegment = 1\nstack = 1\nanswers.B = [{ reply = 1 }]\n"


def test_what_is_left_out_has_a_default() -> None:
    text = SMALL.replace("[{ r", "[{ read = 'F', record = 1 }, { enter = 'C' }, { r")
    (program,) = parse(f"{text}subsystems.C = {{ code_segments = 1, segment = 1 }}", "a.toml", ()).values()
    acts = (ReadFile("F", 1, Constant(1.0), True), Enter(Subsystem("C", 1, 1, 0, 0, True)), Reply(1, ()))
    assert program == Program("A", 1, 1, 1, (Reply(1, ()),), {"B": acts}, 0, 0)


def test_the_largest_and_the_least_that_is_allowed() -> None:
    text = SMALL.replace("stack = 1", "stack = '16 MiB'\nwork_segments = 1000\nwork = '16777216'")
    text = text.replace("code_segments = 1", "code_segments = 1000").replace("reply = 1 ", "reply = 1000000 ")
    name, wait, few = "N" * 60, "{ compute = 1000000 }", "{ keyed = 'K', times = 0 }"
    acts = f"[{{ write = '{name}', record = '1 MiB', times = 1000000 }}, {wait}, {few}, {{ reply"
    (program,) = parse(text.replace("[{ reply", acts), "a.toml", ()).values()
    assert (program.code_segments, program.work_segments, program.work_bytes) == (1000, 1000, 16 << 20)
    assert program.stack_bytes == 16 << 20
    assert program.answers["B"] == (
        WriteFile(name, 1 << 20, Constant(1e6)), Compute(Constant(1e6)), KeyedFile("K", Constant(0)), Reply(1_000_000))


@pytest.mark.parametrize(("given", "time"), [
    ("' exponential 15 ms '", Exponential(0.015)), ("'uniform 0 s to 2'", Uniform(0.0, 2.0)), ("2", Constant(2.0)),
    ("'normal 1 min by 0'", Normal(60.0, 0.0)), ("'uniform 3 to 3'", Uniform(3.0, 3.0)), ("'.5'", Constant(0.5)),
])  # fmt: skip
def test_a_time_is_a_number_or_drawn(given: str, time: Distribution) -> None:
    (program,) = parse(SMALL.replace("[{", f"[{{ compute = {given} }}, {{"), "a.toml", ()).values()
    assert program.answers["B"][0] == Compute(time)


@pytest.mark.parametrize(("call", "intrinsic"), [
    ("DBFIND", Intrinsic.FIND), ("DBPUT", Intrinsic.PUT), ("DBUPDATE", Intrinsic.UPDATE),
    ("DBGET mode 2", Intrinsic.GET_SERIAL), ("DBGET mode 4", Intrinsic.GET_DIRECTED),
    ("DBDELETE", Intrinsic.DELETE), ("DBGET mode 5", Intrinsic.GET_CHAINED), ("DBGET mode 7", Intrinsic.GET_KEYED),
    *((f"DB{word}", Intrinsic.CONTROL) for word in ("LOCK", "UNLOCK", "INFO", "BEGIN", "END")),
])  # fmt: skip
def test_each_call_of_the_data_base(call: str, intrinsic: Intrinsic) -> None:
    (program,) = parse(SMALL.replace("[{", f"[{{ call = '{call}', on = 'PART' }}, {{"), "a.toml", SETS).values()
    assert program.answers["B"][0] == DataBaseCalls(intrinsic, "PART", Constant(1.0))


@pytest.mark.parametrize(("acts", "written"), [
    ((Reply(1, (("\N{GRINNING FACE}", 100.0 / 3.0), ('"', 200.0 / 3.0))),),
     """{ reply = 1, says = { "\N{GRINNING FACE}" = 33.3333333333333, "\\"" = 66.6666666666667 } }"""),
    ((WriteFile('"A\\', 1, sequential=False), Reply(1)), """{ write = "\\"A\\\\", record = 1, sequential = false }"""),
    ((KeyedFile("'"), Reply(1)), """{ keyed = "'" }"""),
    ((Compute(Uniform(0.123456, 1.234567)), Reply(1)), '{ compute = "uniform 0.123456 s to 1.234567 s" }'),
    ((Compute(Exponential(0.123456)), Reply(1)), '{ compute = "exponential 0.123456 s" }'),
    ((Compute(Normal(0.123456, 0.0123456)), Reply(1)), '{ compute = "normal 0.123456 s by 12.3456 ms" }'),
    ((Compute(Constant(0.123456)), Reply(1)), '{ compute = "0.123456 s" }'),
    ((KeyedFile("A", Exponential(2.0)), Reply(1)), '{ keyed = "A", times = "exponential 2" }'),
    ((Enter(Subsystem("TILL 2", 1, 1, 2, 1234567)), Reply(1)), '{ enter = "TILL 2" }'),
])  # fmt: skip
def test_what_is_hard_to_write_is_read_as_it_was(acts: tuple[Act, ...], written: str) -> None:
    """Quotes, letters beyond the first 65536, thirds of percents, times of many digits, names with dots and blanks."""
    program = Program("A.B-C", 1, 1234567, 1, (Reply(1),), {'Q"?': acts, "R_1": (Reply(1),)})
    text = text_of(program)
    assert text.startswith('["A.B-C"]\ncode_segments = 1\nsegment = "1.234567 MB"\nstack = "1 B"\n')
    assert f"  {written},\n" in text
    assert '\n"Q\\"?" = [\n' in text
    assert "\nR_1 = [\n" in text
    (read,) = parse(text, "a.toml", SETS).values()
    assert text_of(read) == text
    assert (read.name, read.segment_bytes, len(read.answers)) == ("A.B-C", 1234567, 2)


@pytest.mark.parametrize(("old", "new", "line", "column"), [
    ("answers.B = [{ reply = 1 }]", "'answers' . \"B\" = [\n# {\n'{', { reply = 0 }]", 5, 1),
    ("answers.B = [{ reply = 1 }]", "[A.answers]\n'B' = [\n# {\n\n{ keyed = '{ {' }, { reply = 0 }]", 9, 22),
    ("answers.B = [{ reply = 1 }]", "[ A . answers ]\nB = [{ reply = 1 }, { reply = 2, says = 1 }]", 6, 34),
    ("answers.B = [{ reply = 1 }]", "answers.B = [{ says = \"reply =\", reply = 0 }]", 5, 34),
    ("answers.B = [{ reply = 1 }]", "answers.B = [\n  { reply = 1 },\n  { reply = 0 }]", 7, 5),
    ("answers.B = [{ reply = 1 }]", "answers = { C = 1 }", 5, 1),
    ("{ reply = 1 }", "{reply = 0}", 5, 15),
    (SMALL, "[A.answers]\nB = [{ reply = 0 }]\n[A]\nstack = 1\nsegment = 1\ncode_segments = 1\n", 2, 8),
    ("stack", "A.stack", 1, 2),
    ("[A]\n", "B = 1\n[A]\n", 1, 1),
])  # fmt: skip
def test_the_place_of_a_value_is_its_key(old: str, new: str, line: int, column: int) -> None:
    with pytest.raises(UserError) as caught:
        parse(SMALL.replace(old, new), "a.toml", ())
    assert str(caught.value).startswith(f"a.toml:{line}:{column}: ")


def test_what_is_written_is_read_as_it_was() -> None:
    programs = {**CATALOGUE, **parse(SHOP, "shop.toml", SETS)}
    text = "\n".join(map(text_of, programs.values()))
    assert parse(text, "all.toml", ("CUSTOMER", "STOCK", "INVOICE", *SETS)) == programs


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"PART"', '"PARTS"', ":14:28: unknown data set 'PARTS': did you mean PART?"),
        ("DBUNLOCK", "DBUNLOK", ":13:5: unknown call 'DBUNLOK': did you mean DBUNLOCK or DBLOCK or DBINFO?"),
        ('"TILL" }', '"TIL" }', ":15:5: unknown subsystem 'TIL': did you mean TILL?"),
        ("compute = 0.5", "compte = 0.5", ":12:38: unknown act 'compte': did you mean compute?"),
        ("0.5 }", "-1 }", ":12:40: compute must be a time from 0 to 1,000,000 s, not '-1'"),
        ("0.5 }", "nan }", ":12:40: compute must be "),
        ("1 to 4", "4 to 1", ":14:41: uniform runs backwards, from 4 to 1"),
        ("record = 80, ", "", ":16:3: record is missing"),
        ('stack = 4096 ', "", ":1:2: stack is missing"),
        ('"{A}"', '""', ":16:5: read must be a name of at most 60 characters"),
        ("segment = 512", "segmnt = 512", ":8:"),
        ("code_segments = 3", "code_segments = true", ":2:1: code_segments must be a whole number from 1 to 1,000"),
        ('"12 KiB"', '"12 miles"', ":3:1: segment must be bytes, such as 4096"),
        ("{ reply = 600 },", "", ":11:1: SALE has no reply, and would keep its user waiting for ever"),
        ("reply = 600", "reply = 600, keyed = 'A'", ":19:18: reply and keyed are two acts; write two"),
        ("= 30", "= 31", ":21:21: the percents of what a reply says must sum to 100, not 101"),
        ("= 30", "= 0", ":21:21: says must be percents above 0 and up to 100, not '0'"),
        ("SALE", "sale", ":11:1: an answer is one word in capitals, not 'sale'"),
        ("[SHOP.answers]", "[SHOP.answers", ":10:14: "),
        ("[SHOP]", "[shop]", ":1:2: "),
        # each key, in its own words
        ("code_segments = 3", "code_segments = 0", ":2:1: code_segments must be a whole number from 1 to 1,000, not"),
        ("code_segments = 3", "code_segments = 1001", ":2:1: code_segments must be a whole number from 1 to 1,000"),
        ('"12 KiB"', "0", ":3:1: segment must be bytes, such as 4096 or \"12 KiB\", up to 16 MiB, not '0'"),
        ('"12 KiB"', "true", ":3:1: segment must be bytes, such as 4096 or \"12 KiB\", up to 16 MiB, not 'True'"),
        ('"12 KiB"', '"12.5 B"', ":3:1: segment must be bytes"),
        ("stack = 4096 ", "stack = 16777217 ", ":4:1: stack must be bytes"),
        ("work_segments = 2", "work_segments = -1", ":5:1: work_segments must be a whole number from 0 to 1,000"),
        ("work_segments = 2", "work_segments = 1001", ":5:1: work_segments must be a whole number from 0 to 1,000"),
        ('"1K"', "-1", ":6:1: work must be bytes"),
        ("[{ reply = 20 }]", "20", ":7:1: starting must be a list of acts, such as [{ reply = 400 }]"),
        ("[{ reply = 20 }]", "[]", ":7:1: starting has no reply, and would keep its user waiting for ever"),
        ("[{ reply = 20 }]", "[{}]", ":7:13: unknown act '': there are call, compute"),
        ("[{ reply = 20 }]", "[7]", ":7:1: starting must be a list of acts, such as [{ reply = 400 }]"),
        ("[{ reply = 20 }]", "[{ reply = 0 }]", ":7:15: reply must be a whole number from 1 to 1,000,000, not '0'"),
        ("[{ reply = 20 }]", "[{ reply = 1000001 }]", ":7:15: reply must be a whole number from 1 to 1,000,000"),
        ("[{ reply = 20 }]", "[{ reply = 1, sais = 1 }]", ":7:26: unknown key 'sais': did you mean says?"),
        ("[{ reply = 20 }]", "[{ reply = 1, says = 1 }]", ":7:26: says must be a table, not '1'"),
        ("[{ reply = 20 }]", "[{ reply = 1, says = '' }]", ":7:26: says must be a name of at most 60 characters"),
        ("[{ reply = 20 }]", "[{ reply = 1, says = { ' ' = 100 } }]", ":7:26: says must be a name"),
        ("= 30", "= 101", ":21:21: says must be percents above 0 and up to 100, not '101'"),
        ("= 30", "= true", ":21:21: says must be percents above 0 and up to 100, not 'True'"),
        ("= 30", "= 'x'", ":21:21: says must be percents above 0 and up to 100, not 'x'"),
        ("= 30", "= 29.9", ":21:21: the percents of what a reply says must sum to 100, not 99.9"),
        ("shared = false", "shared = 1", ":8:1: shared must be true or false, not '1'"),
        ("segment = 512", "segment = 0", ":8:1: segment must be bytes"),
        ("{ code_segments = 1, segment = 512, shared = false }", "1", ":8:1: TILL must be a table, not '1'"),
        (".TILL = { code_segments = 1, segment = 512, shared = false }", " = 1", ":8:1: subsystems must be a table"),
        (".TILL", ".''", ":8:1: subsystems must be a name"),
        ('on = "CONTROL"', 'on = ""', ":13:24: on must be a name of at most 60 characters"),
        ('on = "CONTROL"', "on = 1", ":13:24: on must be a name of at most 60 characters"),
        ("0.5 }", "'often' }", ":12:40: compute must be such as \"15 ms\" or \"exponential 15 ms\", not 'often'"),
        (', on = "CONTROL"', "", ":13:3: on is missing"),
        ('"uniform 1 to 4"', '"often"', ":14:41: times must be such as 3 or \"uniform 1 to 4\", not 'often'"),
        ('"uniform 1 to 4"', "1000001", ":14:41: times must be a number from 0 to 1,000,000, not '1000001'"),
        ('"uniform 1 to 4"', '"uniform 1 s to 4"', ":14:41: times must be a number from 0 to 1,000,000, not '1 s'"),
        ("0.5 }", "1000001 }", ":12:40: compute must be a time from 0 to 1,000,000 s, not '1000001'"),
        ("0.5 }", "true }", ":12:40: compute must be a time from 0 to 1,000,000 s, not 'True'"),
        ("0.5 }", "[] }", ":12:40: compute must be a time from 0 to 1,000,000 s, not '[]'"),
        ("sequential = false", "sequential = 0", ":16:43: sequential must be true or false, not '0'"),
        ("record = 80", "record = '1.1 MiB'", ":16:19: record must be bytes, such as 4096 or \"12 KiB\", up to 1 MiB"),
        ("record = 80", "record = 0", ":16:19: record must be bytes"),
        ('"PRICES"', f'"{"P" * 61}"', ":18:5: keyed must be a name of at most 60 characters"),
        ('"PRICES"', '"A\\nB"', ":18:5: keyed must be a name of at most 60 characters"),
        ("SALE", '"A B"', ":11:1: an answer is one word in capitals, not 'A B'"),
        ("SALE = [ ", "SALE = 1\nX = [", ":11:1: SALE must be a list of acts"),
        ("SALE", '"A\\u0007"', ":11:1: an answer is one word in capitals"),
        ("[SHOP.answers]", "[SHOP.answer]", ":10:2: unknown key 'answer': did you mean answers?"),
        ("[SHOP.answers]", "answers = 1\n[TILL]", ":10:1: answers must be a table, not '1'"),
        ("stack = 4096  ", "#", ":1:2: stack is missing"),
        ("segment = \"12 KiB\"\nstack = 4096  ", "#", ":1:2: segment and stack are missing"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place(old: str, new: str, says: str) -> None:
    assert old in SHOP
    with pytest.raises(UserError) as caught:
        parse(SHOP.replace(old, new, 1), "shop.toml", SETS)
    said, line, caret = str(caught.value).split("\n")
    assert said.startswith(f"shop.toml{says}")
    assert len(caret) <= len(line) + 1


@pytest.mark.parametrize("text", ["", "# nothing\n", "a = 1\n", "[[A]]\n", "x = " + "[" * 9999])
def test_what_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"^shop\.toml:\d+:\d+: "):
        parse(text, "shop.toml", SETS)


def test_one_name_has_one_meaning(tmp_path: Path) -> None:
    """Sessions share what a subsystem and a file of records are called by."""
    file = tmp_path / "shop.toml"
    file.write_text(SHOP.replace("TILL", "EDITOR"))
    with pytest.raises(UserError, match=f"^{re.escape(str(file))}: subsystem EDITOR of SHOP is not as that of COBOL"):
        add_programs(CATALOGUE, [file], SETS)
    file.write_text(SHOP.replace("{A}", "WORK").replace("= 80", "= 81"))
    with pytest.raises(UserError, match="record of file WORK of SHOP is not as that of COBOL"):
        add_programs(CATALOGUE, [file], SETS)
    file.write_text(SMALL + "\n" + SMALL.replace("[A]", "[B]").replace("[{", "[{ enter = 'A' }, {")
                    + "subsystems.A = { code_segments = 2, segment = 1 }\n")
    with pytest.raises(UserError, match="subsystem A of B is not as that of A, which"):
        add_programs({}, [file], SETS)
    file.write_text(SMALL.replace("[{ r", "[{ read = 'F', record = 1 }, { write = 'F', record = 2 }, { r"))
    with pytest.raises(UserError, match="record of file F of A is not as that of A, which"):
        add_programs({}, [file], SETS)


def test_a_program_of_ones_own_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "orders.toml"
    file.write_text(SHOP.replace("SHOP", "ORDERS"))
    programs = add_programs(CATALOGUE, [file, write(tmp_path / "a.toml", SMALL)], SETS)
    assert (list(programs["ORDERS"].answers), list(programs["A"].answers)) == (["SALE", "ASK"], ["B"])
    assert programs.keys() == {*CATALOGUE, "A"}


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
