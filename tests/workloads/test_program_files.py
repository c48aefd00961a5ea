"""Tests users' program files: read as written, written as read, and every mistake with its line and column."""

from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.streams import Constant, Exponential, Normal, Uniform
from spindle.workloads.program_files.reader import add_programs, parse
from spindle.workloads.program_files.text import text_of
from spindle.workloads.programs import (
    Compute,
    DataBaseCalls,
    Enter,
    Intrinsic,
    KeyedFile,
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
    with pytest.raises(UserError, match="subsystem EDITOR of SHOP is not as that of COBOL"):
        add_programs(CATALOGUE, [file], SETS)
    file.write_text(SHOP.replace("{A}", "WORK").replace("= 80", "= 81"))
    with pytest.raises(UserError, match="record of file WORK of SHOP is not as that of COBOL"):
        add_programs(CATALOGUE, [file], SETS)


def test_a_program_of_ones_own_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "orders.toml"
    file.write_text(SHOP.replace("SHOP", "ORDERS"))
    assert list(add_programs(CATALOGUE, [file], SETS)["ORDERS"].answers) == ["SALE", "ASK"]
