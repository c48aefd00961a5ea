"""Tests correct terminal scripts: what is made of them, and the scripts that come with Spindle."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from spindle.sim.error import UserError
from spindle.sim.script import (
    Call,
    Choose,
    Count,
    Counted,
    Deal,
    Expect,
    If,
    Loop,
    Said,
    Script,
    Step,
    Think,
    Type,
)
from spindle.sim.streams import Constant, Exponential, Normal, Uniform
from spindle.workloads.programs import Answer, Program, Reply
from spindle.workloads.shipped_programs import CATALOGUE, MPE
from spindle.workloads.tepe import SHIPPED, describe, parse, read, with_terminals

DESK = Program("DESK", 1, 1, 1, (Reply(1),), {"ASK": (Reply(2),), "TELL": (Reply(3),)})
OTHER = Program("OTHER", 1, 1, 1, (Reply(4),), {"ASK": (Reply(5),)})
PROGRAMS = {"DESK": DESK, "OTHER": OTHER}

RUN_DESK = (Type(8), Call(Answer(DESK, (Reply(1),)), "RUN DESK"))
RUN_OTHER = (Type(9), Call(Answer(OTHER, (Reply(4),)), "RUN OTHER"))
ASK = Call(Answer(DESK, (Reply(2),)), "ASK")
ASK_OTHER = Call(Answer(OTHER, (Reply(5),)), "ASK")

CLERKS = """\
* Order entry
Script clerks
TERMINALS 21
BAUD 1200      ! slow
TYPING 2.5 CPS
START AT UNIFORM 0 TO 2 MIN EVERY 1.5
STOP AT 3600 S

RUN DESK
THINK 500 MS
LOOP
  think exponential 8
  LOOP 3 TIMES
    ENTER "ask ! # 12"
  END
  CHOOSE
    62.5 PERCENT ENTER "TELL"
    37.5 PERCENT
      THINK UNIFORM 5 TO 11
      THINK 1
  END
END
BYE
"""
CLERKS_SCRIPT = Script(
    name="CLERKS",
    steps=(
        *RUN_DESK,
        Think(Constant(0.5)),
        Loop(
            (
                Think(Exponential(8.0)),
                Loop((Type(10), ASK), 3),
                Choose(
                    (62.5, 37.5),
                    (
                        (Type(4), Call(Answer(DESK, (Reply(3),)), "TELL")),
                        (Think(Uniform(5.0, 11.0)), Think(Constant(1.0))),
                    ),
                ),
            )
        ),
    ),
    terminals=21,
    baud=1200.0,
    typing=2.5,
    start=Uniform(0.0, 120.0),
    stagger=1.5,
    stop=3600.0,
)


def steps(text: str) -> tuple[Step, ...]:
    (script,) = parse(f"SCRIPT A\n{text}", "a.tepe", PROGRAMS)
    return script.steps


def test_everything_a_script_can_say() -> None:
    assert parse(CLERKS, "clerks.tepe", PROGRAMS) == (CLERKS_SCRIPT,)


@pytest.mark.parametrize(
    "text",
    [
        CLERKS.rstrip("\n"),
        CLERKS.replace("\n", "\r\n"),
        "\ufeff" + CLERKS,
        "\n\n  \t\n" + CLERKS + "\n! end\n\n  * really",
        CLERKS.replace("\n", "\n  * a comment between\n"),
        CLERKS.replace(" ", "\t").replace('"ask\t!\t#\t12"', '"ask ! # 12"'),
        CLERKS.replace("8\n", "8S\n").replace("500 MS", "+.5e3ms").replace(" CPS", ""),
    ],
)
def test_the_same_in_another_form(text: str) -> None:
    assert parse(text, "clerks.tepe", PROGRAMS) == (CLERKS_SCRIPT,)


def test_what_is_left_out_has_a_default() -> None:
    (script,) = parse("SCRIPT A\nTHINK 1", "a.tepe", PROGRAMS)
    assert script == Script("A", (Think(Constant(1.0)),), 1, 9600.0, 4.0, Constant(0.0), 0.0, float("inf"))


def test_a_start_without_every_is_the_same_for_all() -> None:
    (script,) = parse("SCRIPT A\nSTART AT 8\nSTOP AT 8.5\nTHINK 1", "a.tepe", PROGRAMS)
    assert (script.start, script.stagger, script.stop) == (Constant(8.0), 0.0, 8.5)


def test_several_sections_keep_their_order() -> None:
    scripts = parse("SCRIPT B\nTHINK 1\nBYE\nSCRIPT A\nTHINK 2\nSCRIPT C\nTHINK 3\n", "a.tepe", PROGRAMS)
    assert [(script.name, script.steps) for script in scripts] == [
        ("B", (Think(Constant(1.0)),)),
        ("A", (Think(Constant(2.0)),)),
        ("C", (Think(Constant(3.0)),)),
    ]


def test_enter_goes_to_the_program_that_runs() -> None:
    found = steps('RUN DESK\nENTER "ASK"\nRUN OTHER\nLOOP 2 TIMES\nENTER "ASK"\nEND\nENTER "ASK"')
    assert found == (*RUN_DESK, Type(3), ASK, *RUN_OTHER, Loop((Type(3), ASK_OTHER), 2), Type(3), ASK_OTHER)


def test_a_loop_that_begins_with_run_may_end_with_another() -> None:
    found = steps('RUN OTHER\nLOOP\nRUN DESK\nENTER "ASK"\nRUN OTHER\nENTER "ASK"\nEND')
    assert found == (*RUN_OTHER, Loop((*RUN_DESK, Type(3), ASK, *RUN_OTHER, Type(3), ASK_OTHER)))


def test_a_loop_that_begins_with_run_may_leave_another_running_than_it_found() -> None:
    found = steps('RUN OTHER\nLOOP 2 TIMES\nRUN DESK\nENTER "ASK"\nEND\nENTER "ASK"')
    assert found == (*RUN_OTHER, Loop((*RUN_DESK, Type(3), ASK), 2), Type(3), ASK)


def test_a_loop_that_begins_with_run_has_begun_with_it_after_a_loop_inside_it() -> None:
    found = steps('RUN DESK\nLOOP\nRUN DESK\nLOOP 2 TIMES\nTHINK 1\nEND\nENTER "ASK"\nRUN OTHER\nEND')
    inside = (*RUN_DESK, Loop((Think(Constant(1.0)),), 2), Type(3), ASK, *RUN_OTHER)
    assert found == (*RUN_DESK, Loop(inside))


def test_an_endless_branch_does_not_decide_what_runs_afterwards() -> None:
    found = steps('RUN DESK\nCHOOSE\n10 PERCENT RUN OTHER\nLOOP\nTHINK 1\nEND\n90 PERCENT THINK 1\nEND\nENTER "ASK"')
    assert found[-1] == ASK


def test_a_file_is_read_with_byte_order_mark_and_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "clerks.tepe"
    path.write_bytes(b"\xef\xbb\xbf" + CLERKS.replace("\n", "\r\n").encode())
    assert read(path, PROGRAMS) == (CLERKS_SCRIPT,)


def test_text_may_be_any_language(tmp_path: Path) -> None:
    path = tmp_path / "a.tepe"
    path.write_bytes('SCRIPT A\nRUN DESK\nENTER "ASK Müller" ! für ihn'.encode())
    assert read(path, PROGRAMS)[0].steps == (*RUN_DESK, Type(10), ASK)


def test_choose_draws_each_branch_as_often_as_its_weight() -> None:
    branches = tuple((Think(Constant(seconds)),) for seconds in (1.0, 2.0, 3.0))
    choose = Choose((1.0, 2.0, 1.0), branches)

    class Fixed(Random):
        def random(self) -> float:
            return marks.pop(0)

    marks = [0.0, 0.2499, 0.25, 0.7499, 0.75, 0.9999]
    drawn = [choose.draw(Fixed()) for _ in range(6)]
    assert drawn == [branches[index] for index in (0, 0, 1, 1, 2, 2)]


@pytest.mark.parametrize("weights", [(), (1.0,), (1.0, 0.0), (1.0, -1.0), (1.0, float("nan")), (1.0, float("inf"))])
def test_choose_refuses_weights_that_do_not_fit(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        Choose(weights, ((), ()))


def test_a_normal_time_has_a_centre_and_a_deviation() -> None:
    (script,) = parse("SCRIPT A\nRUN DESK\nTHINK NORMAL 9 S BY 500 MS\nTHINK normal 2 by 0\n", "a.tepe", PROGRAMS)
    assert script.steps[-2:] == (Think(Normal(9.0, 0.5)), Think(Normal(2.0, 0.0)))


SHIPPED_TERMINALS = {
    "image_63": {"CLERKS": 63},
    "orders_21": {"CLERKS": 21},
    "orders_42": {"CLERKS": 42},
    "orders_63": {"CLERKS": 63},
    "development_38": {"COBOL": 16, "FORTRAN": 12, "BASIC": 10},
    "hybrid_101": {"CLERKS": 63, "COBOL": 16, "FORTRAN": 12, "BASIC": 10},
}


def shipped(name: str) -> tuple[Script, ...]:
    return read(SHIPPED / f"{name}.tepe", CATALOGUE)


def test_a_typing_error_is_typed_and_taken_back_and_nobody_is_asked() -> None:
    (script,) = parse('SCRIPT A\nRUN DESK\nLOOP\nMISTYPE "AKS"\nENTER "ASK"\nEND', "a.tepe", PROGRAMS)
    assert script.steps == (*RUN_DESK, Loop((Type(6), Type(3), ASK)))
    assert stock('MISTYPE "ITME"', "BLOCK MODE\n") == (Type(8, local=True),)


@pytest.mark.parametrize("body", [
    "THINK 1\nTHINK 0", "THINK 1E-6", "RUN OTHER", ":SHOWTIME", "PRESS F1", 'ENTER "ASK"',
])  # fmt: skip
def test_a_loop_passes_time_by_whatever_takes_some(body: str) -> None:
    desk = replace(DESK, answers={**DESK.answers, "F1": (Reply(1),)})
    (script,) = parse(f"SCRIPT A\nRUN DESK\nLOOP\n{body}\nEND", "a.tepe", {"DESK": desk, "OTHER": OTHER})
    assert isinstance(script.steps[-1], Loop)


def test_a_reply_may_be_of_any_program_that_may_be_running() -> None:
    programs = {"STOCK": STOCK, "OTHER": OTHER}
    text = 'CHOOSE\n50 PERCENT RUN OTHER\n50 PERCENT THINK 1\nEND\nWAIT FOR "HERE"'
    (script,) = parse(f"SCRIPT A\nRUN STOCK\n{text}", "a.tepe", programs)
    assert script.steps[-1] == Expect(Said("HERE"))
    (script,) = parse('SCRIPT A\nRUN OTHER\nLOOP UNTIL REPLY "HERE"\nRUN STOCK\nEND', "a.tepe", programs)
    assert isinstance(script.steps[-1], Loop)


def test_no_time_is_below_nought() -> None:
    (think,) = steps("THINK -0")
    assert isinstance(think, Think)
    assert str(think.time.mean) == "0.0"


def test_no_shipped_script_is_forgotten() -> None:
    assert {path.stem for path in SHIPPED.glob("*.tepe")} == SHIPPED_TERMINALS.keys()


@pytest.mark.parametrize("name", SHIPPED_TERMINALS)
def test_shipped_scripts_have_the_terminals_of_the_paper(name: str) -> None:
    assert {script.name: script.terminals for script in shipped(name)} == SHIPPED_TERMINALS[name]


def test_hybrid_is_orders_and_development() -> None:
    assert shipped("hybrid_101") == shipped("orders_63") + shipped("development_38")


def test_orders_differ_in_their_number_only() -> None:
    assert with_terminals(shipped("orders_21"), 63) == shipped("orders_63")
    assert with_terminals(shipped("orders_42"), 63) == shipped("orders_63")


def test_the_mix_of_orders() -> None:
    (loop,) = (step for step in shipped("orders_63")[0].steps if isinstance(step, Loop))
    (choose,) = (step for step in loop.steps if isinstance(step, Choose))
    names = [step.name for branch in choose.branches for step in branch if isinstance(step, Call)]
    assert dict(zip(names, choose.weights, strict=True)) == {"FIND": 40, "STOCK": 30, "ORDER": 20, "LIST": 10}


def test_the_example_of_the_readme() -> None:
    (example,) = re.findall(r"```\n(.*?)```", (SHIPPED / "README.md").read_text("utf-8"), re.DOTALL)
    (script,) = parse(example, "README.md", CATALOGUE)
    assert (script.name, script.terminals, len(script.steps)) == ("CLERKS", 21, 3)


def test_describe() -> None:
    # A loop: 3 ENTERs and 0.625 of one; a pause of 8 s, and 0.375 of (8 and 1 s), so 11.375 s in 1.75 pauses.
    text = CLERKS + "SCRIPT ONCE\nRUN DESK\nSCRIPT IDLE\nLOOP 2 TIMES\nTHINK 3\nTHINK 4\nEND\n"
    assert describe(parse(text, "a.tepe", PROGRAMS)).splitlines() == [
        "CLERKS: 21 terminals (1200 baud, 2.5 characters a second), 3.625 program calls a loop, mean think time 6.5 s",
        "ONCE: 1 terminal (9600 baud, 4 characters a second), 1 program call in all, no thinking",
        "IDLE: 1 terminal (9600 baud, 4 characters a second), 0 program calls in all, mean think time 3.5 s",
        "together: 23 terminals",
    ]
    assert describe(shipped("orders_21")) == (
        "CLERKS: 21 terminals (9600 baud, 4 characters a second), 1 program call a loop, mean think time 8 s"
    )


def test_a_script_that_no_text_says_is_described_too() -> None:
    """Shares need not make up a hundred: 2 s in a quarter of the rounds, and 6 s in the others."""
    pauses = tuple((Think(Constant(seconds)),) for seconds in (6.0, 2.0))
    assert describe((Script("A", (Choose((3.0, 1.0), pauses),)),)).endswith(", mean think time 5 s")
    twice = Script("A", (Choose((3.0, 1.0), pauses), Think(Constant(2.0))))
    assert describe((twice,)).endswith(", mean think time 3.5 s")
    never_left = tuple(Loop((Think(Constant(seconds)),)) for seconds in (5.0, 9.0))
    assert describe((Script("A", never_left),)).endswith("0 program calls a loop, mean think time 5 s")


def told(text: str, folder: Path | None = None) -> str:
    """What is said of the one script of *text*, behind its terminals."""
    if folder is None:
        return describe(parse(f"SCRIPT A\nRUN STOCK\n{text}", "a.tepe", {"STOCK": STOCK})).partition("), ")[2]
    (folder / "a.tepe").write_text(f'SCRIPT A\nDATA "x.csv"\nRUN STOCK\n{text}')
    return describe(read(folder / "a.tepe", {"STOCK": STOCK})).partition("), ")[2]


@pytest.mark.parametrize(("text", "said"), [
    # of the other nine rounds each has 4 s: 20 + 9 x 4 s in ten pauses
    ("LOOP\nCOUNT N\nIF N REACHES 10\nTHINK 20\nELSE\nTHINK 4\nENTER \"ITEM\"\nEND\nEND",
     "0.9 program calls a loop, mean think time 5.6 s"),
    ('LOOP UNTIL REPLY "HERE"\nENTER "ITEM"\nTHINK 3\nEND', "3 program calls in all, mean think time 3 s"),
    ('LOOP UNTIL N REACHES 5\nENTER "ITEM"\nCOUNT N\nEND\nTHINK 6', "6 program calls in all, mean think time 6 s"),
    ('ENTER "ITEM"\nIF REPLY "OUT"\nTHINK 8\nEND\nTHINK 2', "2 program calls in all, mean think time 4 s"),
    ("LOOP 4 TIMES\nTHINK 1\nPRESS F1\nEND", "5 program calls in all, mean think time 1 s"),
    ("THINK 1\nLOOP 3 TIMES\nTHINK 9\nEND\nLOOP\nTHINK 5\nPRESS F1\nEND", "1 program call a loop, mean think time 5 s"),
])  # fmt: skip
def test_the_average_user_goes_half_of_the_ways(text: str, said: str) -> None:
    """What a reply says is so every other time; a counter that reaches n has done so once in n times."""
    assert told(text) == said


def test_the_average_user_enters_one_record_of_all(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1\n2\n \t\n3\n4\n")
    assert told('LOOP\nENTER "ITEM $1"\nTHINK 2\nEND', tmp_path) == "1 program call a loop, mean think time 2 s"


def test_two_scripts_are_counted_together() -> None:
    said = describe(parse("SCRIPT A\nTHINK 1\nSCRIPT B\nTERMINALS 4\nTHINK 1\n", "a.tepe", PROGRAMS)).splitlines()
    assert [line.partition(" (")[0] for line in said] == ["A: 1 terminal", "B: 4 terminals", "together: 5 terminals"]


def test_with_terminals_changes_the_first_script() -> None:
    changed = with_terminals(shipped("hybrid_101"), 5)
    assert [script.terminals for script in changed] == [5, 16, 12, 10]
    assert changed[1:] == shipped("hybrid_101")[1:]


@pytest.mark.parametrize("total", [1, 10_000])
def test_with_terminals_takes_one_and_ten_thousand(total: int) -> None:
    assert with_terminals(shipped("orders_21"), total)[0].terminals == total


@pytest.mark.parametrize("total", [0, -1, 10_001])
def test_with_terminals_keeps_within_bounds(total: int) -> None:
    with pytest.raises(UserError, match=f"between 1 and 10,000, not be {total}$"):
        with_terminals(shipped("orders_21"), total)


STOCK = Program("STOCK", 1, 1, 1, (Reply(1),), {
    "F1": (Reply(9),), "ITEM": (Reply(2, (("HERE", 90.0), ("OUT", 10.0))),),
})  # fmt: skip


def stock(text: str, settings: str = "") -> tuple[Step, ...]:
    (script,) = parse(f"SCRIPT A\n{settings}RUN STOCK\n{text}", "a.tepe", {"STOCK": STOCK})
    return script.steps[2:]


def test_replies_and_counters_are_looked_at() -> None:
    item = (Type(4), Call(Answer(STOCK, STOCK.answers["ITEM"]), "ITEM"))
    found = stock('LOOP UNTIL n REACHES 3\nENTER "ITEM"\nIF REPLY "OUT"\nTHINK 1\nELSE\nCOUNT n\nEND\nEND\nCLEAR N\n')
    test = If(Said("OUT"), (Think(Constant(1.0)),), (Count("N"),))
    assert found == (Loop((*item, test), None, Counted("N", 3)), Count("N", clear=True))
    assert stock('ENTER "ITEM"\nWAIT FOR "HER"') == (*item, Expect(Said("HER")))


def test_steps_may_follow_a_loop_with_an_end() -> None:
    assert stock('LOOP UNTIL REPLY "HERE"\nENTER "ITEM"\nEND\nTHINK 1')[-1] == Think(Constant(1.0))


def test_keys_and_forms_go_in_one_piece() -> None:
    """A key is one stroke and two characters; in block mode the eight of an ENTER, too, go when they are sent."""
    key = (Type(1, local=True), Call(Answer(STOCK, (Reply(9),)), "F1", 2))
    form = (Type(8, local=True), Call(Answer(STOCK, STOCK.answers["ITEM"]), "ITEM", 8))
    assert stock('PRESS f1\nENTER "ITEM 123"', "BLOCK MODE\n") == (*key, *form)


def test_commands_go_to_mpe_and_run_starts_a_program() -> None:
    hello = (Type(10), Call(Answer(MPE, MPE.answers["HELLO"]), ":HELLO"))
    run = (Type(10), Call(Answer(STOCK, (Reply(1),)), "RUN STOCK"))
    found = stock(':hello A.B ! a user\n:RUN STOCK\n:SHOWTIME\nPRESS F1')
    assert found[:4] == (*hello, *run)
    assert [step.name for step in found if isinstance(step, Call)] == [":HELLO", "RUN STOCK", ":SHOWTIME", "F1"]


def test_an_interpreter_of_ones_own_answers_in_place_of_mpe() -> None:
    own = Program("MPE", 1, 1, 1, (Reply(1),), {"HELLO": (Reply(7, (("READY", 100.0),)),)})
    (script,) = parse('SCRIPT A\n:hello\nWAIT FOR "READ"', "a.tepe", {"MPE": own})
    assert script.steps == (Type(6), Call(Answer(own, own.answers["HELLO"]), ":HELLO"), Expect(Said("READ")))


def test_records_fill_what_is_entered(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("7, blue\n\n1234,red\n")
    script = tmp_path / "a.tepe"
    script.write_text('SCRIPT A\nDATA "items.csv"\nRUN STOCK\nENTER "ITEM $1 $2"\nENTER "ITEM 1"')
    item = Call(Answer(STOCK, STOCK.answers["ITEM"]), "ITEM")
    deal = Deal("items.csv", ((Type(11), item), (Type(13), item)))
    assert read(script, {"STOCK": STOCK})[0].steps[2:] == (deal, Type(6), item)
    one = script.with_name("b.tepe")
    one.write_text(script.read_text().replace("ITEM $1 $2", "ITEM $2"))
    assert read(one, {"STOCK": STOCK})[0].steps[2] == Deal("items.csv", ((Type(9), item), (Type(8), item)))
    script.write_text(script.read_text().replace("$2", "$3"))
    with pytest.raises(UserError, match=r"a.tepe:4:7: there is no \$3: a record of items.csv has 2 fields"):
        read(script, {"STOCK": STOCK})
    (tmp_path / "items.csv").write_text("7, blue, 3\n1234,red\n")
    with pytest.raises(UserError, match=r"a record of items.csv has 2 fields"):
        read(script, {"STOCK": STOCK})
    one.write_text(one.read_text().replace("ITEM $2", "$2 $1"))
    with pytest.raises(UserError, match=r"b.tepe:4:8: unknown STOCK answer 'BLUE'"):
        read(one, {"STOCK": STOCK})
    script.write_text('SCRIPT A\nDATA "items.csv"\nTHINK 1\n')
    (tmp_path / "items.csv").write_text("7\n" * 10_001)
    with pytest.raises(UserError, match=r"a.tepe:2:6: DATA may have 10,000 records, items.csv has 10,001"):
        read(script, {"STOCK": STOCK})
    (tmp_path / "items.csv").write_text("7\n" * 10_000)
    assert read(script, {"STOCK": STOCK})
    (tmp_path / "items.csv").write_text("\n")
    with pytest.raises(UserError, match=r"a.tepe:2:6: there is no record in items.csv"):
        read(script, {"STOCK": STOCK})


def test_a_reply_says_each_text_as_often_as_its_percents() -> None:
    reply, random = STOCK.answers["ITEM"][0], Random("replies")
    assert isinstance(reply, Reply)
    said = [text for _ in range(4000) for text in reply.draw(random)]
    assert len(said) == 4000
    assert 0.08 < said.count("OUT") / 4000 < 0.12
    state = random.getstate()
    assert list(Reply(1, (("HERE", 100.0),)).draw(random)) == ["HERE"]
    assert list(Reply(1).draw(random)) == []
    assert random.getstate() == state


def test_what_an_average_user_does_has_both_ways_of_an_if() -> None:
    """Of ten rounds one has the 20 s; a round has one call and 8 s, so 10 s in 1.1 pauses."""
    text = 'SCRIPT A\nRUN STOCK\nLOOP\nENTER "ITEM"\nCOUNT N\nTHINK 8\nIF N REACHES 10\nTHINK 20\nEND\nEND'
    (line,) = describe(parse(text, "a.tepe", {"STOCK": STOCK})).splitlines()
    assert "1 program call a loop" in line
    assert line.endswith("mean think time 9.09091 s")
