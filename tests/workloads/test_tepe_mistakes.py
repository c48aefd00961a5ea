"""Tests that a mistake in a terminal script is reported with file, line and column, and shown with a caret."""

import os
from pathlib import Path
from stat import S_IFREG

import pytest

from spindle.sim.error import UserError
from spindle.workloads.programs import Program, Reply
from spindle.workloads.tepe import parse, read
from spindle.workloads.tepe_language.source import MAX_SCRIPT_BYTES, Source, take

FOUND = Reply(2, (("OUT OF STOCK", 25.0), ("HERE", 75.0)))
DESK = Program("DESK", 1, 1, 1, (Reply(1),), {"FIND": (FOUND,), "LIST": (Reply(3),)})
SHOP = Program("SHOP", 1, 1, 1, (Reply(1),), {"FIND": (Reply(2),), "F1": (Reply(2),)})
PROGRAMS = {"DESK": DESK, "SHOP": SHOP}

RUN = "SCRIPT A\nRUN DESK\n"  # two lines, so that what follows begins in line 3
THINK_FORM = "write THINK 8, EXPONENTIAL 8, UNIFORM 5 TO 11 or NORMAL 8 BY 2, with S, MS or MIN behind a time"
SHARE_FORM = "write 40 PERCENT, and steps behind or below it"
TIMELESS = "this LOOP can go round without passing any time: it needs a THINK, RUN or ENTER on every way"
ENDLESS = "never reached: the LOOP before it goes on for ever"
VERBS = (
    "BAUD, BLOCK, BYE, CHOOSE, CLEAR, COUNT, DATA, ELSE, END, ENTER, IF, LOOP, MISTYPE, PRESS, RUN, SCRIPT, START, "
    "STOP, TERMINALS, THINK, TYPING, WAIT"
)
LOOP_FORM = 'write LOOP, LOOP 20 TIMES, LOOP UNTIL REPLY "text" or LOOP UNTIL counter REACHES 20'

CASES = [
    # files and sections
    ("", 1, 1, "there is no SCRIPT in this file"),
    ("* nothing\n! but comments\n", 1, 1, "there is no SCRIPT in this file"),
    ("SCRIPT A\nBAUD 300\nSCRIPT B\nTHINK 1", 1, 1, "SCRIPT A has no step"),
    ("SCRIPT A\nTHINK 1\nSCRIPT B\nTHINK 1\nSCRIPT a\nTHINK 1", 5, 8, "there is already a SCRIPT A"),
    ("THINK 8", 1, 1, "THINK belongs to no SCRIPT: write SCRIPT name before it"),
    (RUN + "BYE\nTHINK 8", 4, 1, "THINK belongs to no SCRIPT: write SCRIPT name before it"),
    ("SCRIPT A\nBAUD 300\nBAUD 300\nTHINK 1", 3, 1, "BAUD was already said in line 2"),
    (RUN + "BAUD 300", 3, 1, "BAUD must stand before the first step of its SCRIPT"),
    (RUN + "LOOP\nTERMINALS 3\n", 4, 1, "TERMINALS must stand before the first step of its SCRIPT"),
    # verbs
    (RUN + "  THNIK 8", 3, 3, "unknown verb 'THNIK': did you mean THINK?"),
    ("SCRPT A", 1, 1, "unknown verb 'SCRPT': did you mean SCRIPT?"),
    (RUN + "xyzzy", 3, 1, f"unknown verb 'xyzzy': there are {VERBS}"),
    (RUN + "THINK8", 3, 1, "unknown verb 'THINK8': did you mean THINK or TYPING?"),
    (RUN + "Q" * 100, 3, 1, f"unknown verb '{'Q' * 57}...': there are {VERBS}"),
    (RUN + "# 8", 3, 1, "a line begins with a verb, not with #"),
    (RUN + "\t # 8", 3, 3, "a line begins with a verb, not with #"),
    (RUN + '"LIST"', 3, 1, 'a line begins with a verb, not with "LIST"'),
    (RUN + "40 PERCENT", 3, 1, "a line begins with a verb, not with 40; only in CHOOSE it may be a share: 40 PERCENT"),
    # operands
    ("SCRIPT", 1, 7, "SCRIPT is not complete: write SCRIPT name"),
    ("SCRIPT LOOP", 1, 8, "LOOP is a word of the language and cannot be a name"),
    ("SCRIPT 7", 1, 8, "7 does not fit SCRIPT: write SCRIPT name"),
    (RUN + "THINK", 3, 6, f"THINK is not complete: {THINK_FORM}"),
    (RUN + "THINK ! 8", 3, 10, f"THINK is not complete: {THINK_FORM}"),
    (RUN + "THINK UNIFORM 5 TO", 3, 19, f"THINK is not complete: {THINK_FORM}"),
    (RUN + "THINK 8 9", 3, 9, f"surplus 9: {THINK_FORM}"),
    (RUN + "THINK 8 SEC", 3, 9, f"surplus SEC: {THINK_FORM}"),
    (RUN + "THINK 1.2.3", 3, 10, f"surplus .3: {THINK_FORM}"),
    (RUN + 'THINK "8"', 3, 7, f'"8" does not fit THINK: {THINK_FORM}'),
    (RUN + "THINK é", 3, 7, f"é has no meaning here: {THINK_FORM}"),
    (RUN + "THINK 8 * 2", 3, 9, f"* has no meaning here: {THINK_FORM}"),
    (RUN + "RUN", 3, 4, "RUN is not complete: write RUN program"),
    (RUN + 'ENTER "LIST" "LIST"', 3, 14, 'surplus "LIST": write ENTER "text"'),
    (RUN + "ENTER LIST", 3, 7, 'LIST does not fit ENTER: write ENTER "text"'),
    (RUN + "BYE BYE", 3, 5, "surplus BYE: write BYE"),
    (RUN + 'ENTER "LIST', 3, 7, "this quote is never closed"),
    (RUN + 'ENTER "LIST""', 3, 13, "this quote is never closed"),
    ("SCRIPT A\nSTART 5", 2, 7, "5 does not fit START: write START AT 0 EVERY 1.5, or START AT UNIFORM 0 TO 30"),
    (RUN + 'MISTYPE ""', 3, 9, "this MISTYPE says nothing"),
    (RUN + "MISTYPE LSIT", 3, 9, 'LSIT does not fit MISTYPE: write MISTYPE "text"'),
    (RUN + 'LOOP\nMISTYPE "LSIT"\nEND', 3, 1,
     "this LOOP can go round without passing any time: it needs a THINK, RUN or ENTER on every way"),
    # what is long is cut at forty characters
    (RUN + "THINK " + "é" * 41, 3, 7, f"{'é' * 37}... has no meaning here: {THINK_FORM}"),
    (RUN + "THINK " + "é" * 40, 3, 7, f"{'é' * 40} has no meaning here: {THINK_FORM}"),
    (RUN + "é" * 41, 3, 1, f"a line begins with a verb, not with {'é' * 37}..."),
    (RUN + f'"{"L" * 39}"', 3, 1, f'a line begins with a verb, not with "{"L" * 36}...'),
    (RUN + f"THINK 8 {'Z' * 41}", 3, 9, f"surplus {'Z' * 37}...: {THINK_FORM}"),
    (RUN + f"THINK -{'9' * 40}", 3, 7, f"a time in seconds cannot be negative, like -{'9' * 36}..."),
    (RUN + f"THINK {'9' * 41}", 3, 7, f"a time in seconds can be 1,000,000,000 at most, not {'9' * 37}..."),
    (f"SCRIPT A\nBAUD 0.000{'1' * 36}\nTHINK 1", 2, 6, f"the BAUD rate must be at least 0.001, not 0.000{'1' * 32}..."),
    (RUN + f"LOOP 1.{'1' * 39} TIMES\nTHINK 1\nEND", 3, 6,
     f"the TIMES of a LOOP must be a whole number, not 1.{'1' * 35}..."),
    (RUN + f"CLEAR {'N' * 41}\nTHINK 1", 3, 7, f"nothing counts {'N' * 37}...: COUNT {'N' * 37}..."),
    (f"SCRIPT {'A' * 41}\nBAUD 300", 1, 1, f"SCRIPT {'A' * 37}... has no step"),
    (f"SCRIPT {'A' * 41}\nTHINK 1\n" * 2, 3, 8, f"there is already a SCRIPT {'A' * 37}..."),
    (RUN + f"CHOOSE\n1.{'0' * 39} PERCENT\n99 PERCENT THINK 1\nEND", 4, 1, f"nothing to do in 1.{'0' * 35}... PERCENT"),
    (RUN + "RUN DESK NAN", 3, 10, "surplus NAN: write RUN program"),
    # numbers
    (RUN + "THINK -XINF", 3, 7, f"-XINF has no meaning here: {THINK_FORM}"),
    (RUN + "THINK +NAN", 3, 7, "+NAN is not a finite number"),
    ("SCRIPT A\nSTART AT EXPONENTIAL 5\nSTOP AT 0\nTHINK 1", 3, 1, "this STOP comes before anybody starts, at 0 s"),
    (RUN + "THINK -5", 3, 7, "a time in seconds cannot be negative, like -5"),
    (RUN + "THINK UNIFORM -5 TO 5", 3, 15, "a time in seconds cannot be negative, like -5"),
    (RUN + "THINK NaN", 3, 7, "NaN is not a finite number"),
    (RUN + "THINK INF", 3, 7, "INF is not a finite number"),
    (RUN + "THINK -Infinity", 3, 7, "-Infinity is not a finite number"),
    (RUN + "THINK EXPONENTIAL 1E999", 3, 19, "1E999 is not a finite number"),
    (RUN + "THINK -1E999", 3, 7, "-1E999 is not a finite number"),
    (RUN + "THINK " + "9" * 5000, 3, 7, f"{'9' * 37}... is not a finite number"),
    (RUN + "THINK 1000000001", 3, 7, "a time in seconds can be 1,000,000,000 at most, not 1000000001"),
    (RUN + "THINK 2E7 MIN", 3, 7, "a time in seconds can be 1,000,000,000 at most, not 2E7"),
    (RUN + "THINK UNIFORM 11 TO 5", 3, 7, "UNIFORM runs backwards, from 11 to 5 s"),
    ("SCRIPT A\nTERMINALS 0\nTHINK 1", 2, 11, "the number of TERMINALS must be more than zero"),
    ("SCRIPT A\nTERMINALS -3\nTHINK 1", 2, 11, "the number of TERMINALS cannot be negative, like -3"),
    ("SCRIPT A\nTERMINALS 10001\nTHINK 1", 2, 11, "the number of TERMINALS can be 10,000 at most, not 10001"),
    ("SCRIPT A\nTERMINALS 2.5\nTHINK 1", 2, 11, "the number of TERMINALS must be a whole number, not 2.5"),
    ("SCRIPT A\nBAUD 0\nTHINK 1", 2, 6, "the BAUD rate must be more than zero"),
    ("SCRIPT A\nBAUD -300\nTHINK 1", 2, 6, "the BAUD rate cannot be negative, like -300"),
    ("SCRIPT A\nTYPING 0 CPS\nTHINK 1", 2, 8, "the TYPING rate must be more than zero"),
    ("SCRIPT A\nTYPING 1E-999 CPS\nTHINK 1", 2, 8, "the TYPING rate must be more than zero"),
    ("SCRIPT A\nTYPING 1E-320 CPS\nTHINK 1", 2, 8, "the TYPING rate must be at least 0.001, not 1E-320"),
    ("SCRIPT A\nBAUD 0.0009\nTHINK 1", 2, 6, "the BAUD rate must be at least 0.001, not 0.0009"),
    ("SCRIPT A\nSTART AT -1\nTHINK 1", 2, 10, "a time in seconds cannot be negative, like -1"),
    ("SCRIPT A\nSTART AT 0 EVERY -1\nTHINK 1", 2, 18, "a time in seconds cannot be negative, like -1"),
    ("SCRIPT A\nSTART AT 8\nSTOP AT 8\nTHINK 1", 3, 1, "this STOP comes before anybody starts, at 8 s"),
    ("SCRIPT A\nSTOP AT 5\nSTART AT UNIFORM 6 TO 7\nTHINK 1", 2, 1, "this STOP comes before anybody starts, at 6 s"),
    ("SCRIPT A\nSTOP AT 0\nTHINK 1", 2, 1, "this STOP comes before anybody starts, at 0 s"),
    # loops
    (RUN + "LOOP\n  LOOP\nTHINK 8\nEND", 3, 1, "LOOP has no END"),
    (RUN + "LOOP\n  LOOP\nTHINK 8\n", 4, 3, "LOOP has no END"),
    (RUN + "LOOP\nTHINK 8\nBYE", 3, 1, "LOOP has no END before the BYE of line 5"),
    (RUN + "LOOP\nTHINK 8\nSCRIPT B\nTHINK 1", 3, 1, "LOOP has no END before the SCRIPT of line 5"),
    (RUN + "THINK 8\nEND", 4, 1, "END without LOOP, CHOOSE or IF"),
    ("END", 1, 1, "END without LOOP, CHOOSE or IF"),
    (RUN + "LOOP 0 TIMES\nTHINK 8\nEND", 3, 6, "the TIMES of a LOOP must be more than zero"),
    (RUN + "LOOP 1.5 TIMES\nTHINK 8\nEND", 3, 6, "the TIMES of a LOOP must be a whole number, not 1.5"),
    (RUN + "LOOP 5\nTHINK 8\nEND", 3, 7, f"LOOP is not complete: {LOOP_FORM}"),
    (RUN + "LOOP\n! nothing\nEND", 3, 1, "this LOOP is empty"),
    (RUN + "LOOP\nTHINK 0\nEND", 3, 1, TIMELESS),
    (RUN + "LOOP\nTHINK -0\nTHINK EXPONENTIAL 0\nEND", 3, 1, TIMELESS),
    (RUN + "LOOP 9 TIMES\nTHINK UNIFORM 0 TO 0\nEND", 3, 1, TIMELESS),
    (RUN + "LOOP\nTHINK 9E-7\nEND", 3, 1, TIMELESS),
    (RUN + "LOOP\nCHOOSE\n1 PERCENT THINK 1\n99 PERCENT THINK 0\nEND\nEND", 3, 1, TIMELESS),
    (RUN + "LOOP\nTHINK 8\nEND\n  THINK 9", 6, 3, ENDLESS),
    (RUN + "LOOP 2 TIMES\nLOOP\nTHINK 8\nEND\nEND\nTHINK 9", 8, 1, ENDLESS),
    (RUN + "CHOOSE\n100 PERCENT LOOP\nTHINK 8\nEND\nEND\nTHINK 9", 8, 1, ENDLESS),
    (RUN + "LOOP\n" * 51 + "THINK 1\n" + "END\n" * 51, 53, 1, "blocks are nested more than 50 deep"),
    (RUN + "CHOOSE\n100 PERCENT " * 51 + "THINK 1\n" + "END\n" * 51, 53, 13, "blocks are nested more than 50 deep"),
    (RUN + 'IF REPLY "HERE"\n' * 51 + "THINK 1\n" + "END\n" * 51, 53, 1, "blocks are nested more than 50 deep"),
    # choices
    (RUN + "CHOOSE\nEND", 3, 1, "this CHOOSE is empty"),
    (RUN + "CHOOSE\nTHINK 8\nEND", 4, 1, f"THINK in CHOOSE needs its share: {SHARE_FORM}"),
    (RUN + "CHOOSE\n40\nEND", 4, 3, f"PERCENT is not complete: {SHARE_FORM}"),
    (RUN + "CHOOSE\n40 PERCENT THINK 8\n", 3, 1, "CHOOSE has no END"),
    (RUN + "CHOOSE\n40 PERCENT\n60 PERCENT THINK 8\nEND", 4, 1, "nothing to do in 40 PERCENT"),
    (RUN + "CHOOSE\n40 PERCENT THINK\nEND", 4, 17, f"THINK is not complete: {THINK_FORM}"),
    (RUN + "CHOOSE\n40 PERCENT THINK 8\n61 PERCENT THINK 8\nEND", 3, 1, "the shares must sum to 100 PERCENT, not 101"),
    (RUN + "CHOOSE\n0 PERCENT THINK 8\n100 PERCENT THINK 8\nEND", 4, 1, "a share must be more than zero"),
    (RUN + "CHOOSE\n101 PERCENT THINK 8\nEND", 4, 1, "a share can be 100 at most, not 101"),
    # programs and answers
    ('SCRIPT A\nENTER "LIST"', 2, 1, "ENTER before RUN: no program is there to answer"),
    (RUN + "RUN DASK", 3, 5, "unknown program 'DASK': did you mean DESK?"),
    (RUN + "RUN ZZZ", 3, 5, "unknown program 'ZZZ': there are DESK, SHOP"),
    (RUN + 'ENTER "  fnd 12"', 3, 10, "unknown DESK answer 'FND': did you mean FIND?"),
    (RUN + 'ENTER "ZZZ"', 3, 8, "unknown DESK answer 'ZZZ': there are FIND, LIST"),
    (RUN + 'ENTER ""', 3, 7, "this ENTER says nothing; DESK wants a word to go by"),
    (
        RUN + 'CHOOSE\n50 PERCENT RUN SHOP\n50 PERCENT THINK 1\nEND\nENTER "FIND"',
        *(7, 1, "after CHOOSE SHOP or DESK may be running: RUN one before this ENTER"),
    ),
    (
        'SCRIPT A\nCHOOSE\n50 PERCENT RUN SHOP\n50 PERCENT THINK 1\nEND\nENTER "FIND"',
        *(6, 1, "after CHOOSE SHOP or no program may be running: RUN one before this ENTER"),
    ),
    (
        RUN + 'LOOP\nENTER "FIND"\nRUN SHOP\nEND',
        *(4, 1, "DESK answers this ENTER first, SHOP in the LOOP's next turn"),
    ),
    (
        RUN + 'LOOP\nENTER "FIND"\nENTER "LIST"\nRUN SHOP\nEND',
        *(4, 1, "DESK answers this ENTER first, SHOP in the LOOP's next turn"),
    ),
    (
        "SCRIPT A\nRUN SHOP\nLOOP\nPRESS F1\nRUN DESK\nEND",
        *(4, 1, "SHOP answers this ENTER first, DESK in the LOOP's next turn"),
    ),
    (
        RUN + 'LOOP\nLOOP 2 TIMES\nENTER "FIND"\nEND\nRUN SHOP\nEND',
        *(5, 1, "DESK answers this ENTER first, SHOP in the LOOP's next turn"),
    ),
    (
        RUN + 'LOOP\nCHOOSE\n50 PERCENT RUN DESK\n50 PERCENT THINK 1\nEND\nENTER "FIND"\nRUN SHOP\nEND',
        *(8, 1, "DESK answers this ENTER first, SHOP in the LOOP's next turn"),
    ),
    # replies, counters, keys, commands and data
    (RUN + 'IF REPLY "OUT"\nTHINK 1\n', 3, 1, "IF has no END"),
    (RUN + 'IF REPLY ":"\nELSE\nTHINK 1\nEND', 3, 1, "this IF has nothing to do"),
    (RUN + "ELSE\nTHINK 1", 3, 1, "ELSE without IF"),
    (RUN + "IF 3", 3, 4, '3 does not fit IF: write IF REPLY "text" or IF counter REACHES 20'),
    (RUN + 'WAIT FOR "OTU"', 3, 10, "DESK never says 'OTU': replies say 'OUT OF STOCK', 'HERE', ':'"),
    (RUN + 'WAIT FOR ""', 3, 10, "DESK never says '': replies say 'OUT OF STOCK', 'HERE', ':'"),
    ('SCRIPT A\nWAIT FOR "HERE"', 2, 10, "no program never says 'HERE': replies say ':'"),
    (RUN + "IF N REACHES 2\nTHINK 1\nEND", 3, 4, "nothing counts N: COUNT N"),
    (RUN + "COUNT N\nCLEAR M\nTHINK 1", 4, 7, "nothing counts M: COUNT M"),
    (RUN + "COUNT N\nIF N REACHES 0\nTHINK 1\nEND", 4, 14, "what a counter REACHES must be more than zero"),
    (RUN + 'LOOP UNTIL REPLY "HERE"\nTHINK 0\nEND', 3, 1, TIMELESS),
    (RUN + 'LOOP\nIF REPLY "HERE"\nTHINK 1\nEND\nEND', 3, 1, TIMELESS),
    (RUN + "PRESS F9", 3, 7, "unknown function key 'F9': did you mean F8 or F7 or F6?"),
    (RUN + "PRESS F1", 3, 7, "unknown DESK answer 'F1': there are FIND, LIST"),
    (RUN + ":HELO ME.SYS", 3, 2, "unknown MPE command 'HELO': did you mean HELLO?"),
    (RUN + ":", 3, 2, "unknown MPE command '': there are BUILD, BYE, FILE, HELLO, LISTF, PURGE, RENAME, REPORT, RUN, "
                     "SETMSG, SHOWJOB, SHOWTIME, STREAM"),
    (RUN + ":run ! DESK", 3, 5, "RUN is not complete: write :RUN program"),
    (RUN + ":RUN DASK", 3, 6, "unknown program 'DASK': did you mean DESK?"),
    (RUN + ":RUN N N", 3, 6, "unknown program 'N': there are DESK, SHOP"),
    (RUN + ": Run Run", 3, 7, "unknown program 'RUN': there are DESK, SHOP"),
    ('SCRIPT A\nDATA "x"\nTHINK 1', 2, 6, "DATA is read beside the file of a script, and this script is in no file"),
    (RUN + "BLOCK MODE", 3, 1, "BLOCK must stand before the first step of its SCRIPT"),
    # characters and sizes
    (RUN + "THINK\x00", 3, 6, "not a text file: character 0x00 cannot stand in a script"),
    (RUN + "! \x1b[2J", 3, 3, "character 0x1b cannot stand in a script"),
    (RUN + "THINK 8\rTHINK 9", 3, 8, "character 0x0d cannot stand in a script"),
    (RUN + "! " + "x" * 9999, 3, 10_001, "a line may have 10,000 characters"),
    (RUN + "\n" * 99_998 + "THINK\x011", 100_001, 1, "a script may have 100,000 lines"),
]


@pytest.mark.parametrize(("text", "line", "column", "what"), CASES, ids=[f"{i} {c[3]}" for i, c in enumerate(CASES)])
def test_mistake(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text, "a.tepe", PROGRAMS)
    said, source, caret = str(caught.value).split("\n")
    assert said == f"a.tepe:{line}:{column}: {what}"
    assert caret.strip() == "^"
    assert len(source) <= 78  # what fits on a terminal
    assert len(caret) <= len(source) + 1  # under the line, or just behind it


def message(text: str, name: str = "a.tepe") -> str:
    with pytest.raises(UserError) as caught:
        parse(text, name, PROGRAMS)
    return str(caught.value)


def test_the_line_is_shown_with_a_caret() -> None:
    assert message(RUN + "\tTHINK  -5 S") == (
        "a.tepe:3:9: a time in seconds cannot be negative, like -5\n THINK  -5 S\n        ^"
    )


def test_a_long_line_is_shown_around_the_caret() -> None:
    line = "ENTER " + '"LIST' + "." * 60 + '" 12345 ' + "!" * 300
    said, source, caret = message(RUN + line).split("\n")
    assert said.startswith("a.tepe:3:74: surplus 12345: ")
    assert source == "..." + line[37:109] + "..."
    assert caret.index("^") == source.index("12345") == 3 + 36


def test_a_line_of_72_characters_is_shown_whole() -> None:
    line = 'ENTER "LIST' + "." * 55 + '" 9999'
    assert len(line) == 72
    assert message(RUN + line).split("\n")[1:] == [line, " " * 68 + "^"]


def test_what_a_terminal_would_obey_is_not_shown() -> None:
    said, source, caret = message(RUN + "THINK \u202e\u4e2d\uff21e\u0301 8", "a\x1b[2J\n.tepe").split("\n")
    assert said == f"a?[2J?.tepe:3:7: ???e? has no meaning here: {THINK_FORM}"
    assert (source, caret) == ("THINK ???e? 8", "      ^")


def test_as_deep_and_as_large_as_allowed() -> None:
    (script,) = parse(RUN + "LOOP 2 TIMES\n" * 50 + "THINK 1E9\n" + "END\n" * 50, "a.tepe", PROGRAMS)
    assert len(script.steps) == 3
    (script,) = parse("SCRIPT A\nTERMINALS 10000\nBAUD 1E9\nRUN DESK ! " + "x" * 9_989, "a.tepe", PROGRAMS)
    assert script.terminals == 10_000
    (script,) = parse(RUN + "\n" * 99_997 + "THINK 1\n", "a.tepe", PROGRAMS)
    assert len(script.steps) == 3
    assert parse("SCRIPT A\nBAUD 0.001\nTHINK 1", "a.tepe", PROGRAMS)[0].baud == 0.001
    assert message("x" * (MAX_SCRIPT_BYTES + 1)) == "a.tepe: a script may have 10 MB, this file has more"


def file_message(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        read(path, PROGRAMS)
    return str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert file_message(tmp_path / "none.tepe") == f"{tmp_path}/none.tepe: No such file or directory"


def test_a_directory_or_a_device_or_a_pipe(tmp_path: Path) -> None:
    assert file_message(tmp_path) == f"{tmp_path}: this is a directory, not a script"
    os.mkfifo(tmp_path / "pipe")
    assert file_message(tmp_path / "pipe") == f"{tmp_path}/pipe: this is not a regular file"
    assert file_message(Path("/dev/zero")) == "/dev/zero: this is not a regular file"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")  # root, as whom tests may run, would be let in

    path = tmp_path / "secret.tepe"
    path.write_text(RUN)
    monkeypatch.setattr(Path, "open", refuse)
    assert file_message(path) == f"{path}: Permission denied"


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    said = file_message(tmp_path / name)
    assert "\n" not in said
    assert len(said) < 300


def test_a_file_that_has_more_than_it_says_is_not_read_further(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("/proc/self/maps")  # of no bytes, by its directory
    monkeypatch.setattr("spindle.workloads.tepe_language.source.MAX_SCRIPT_BYTES", 10)
    assert file_message(path).endswith("this file has more")


def test_a_file_that_has_grown_is_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no byte by its directory, and sixteen of eight letters, of which no more than ten bytes are taken."""
    (tmp_path / "a.tepe").write_text("é" * 8, "utf-8")
    monkeypatch.setattr("spindle.workloads.tepe_language.source.MAX_SCRIPT_BYTES", 10)
    monkeypatch.setattr(Path, "stat", lambda path: os.stat_result([S_IFREG, *[0] * 9]))
    assert file_message(tmp_path / "a.tepe").endswith("this file has more")


@pytest.mark.parametrize(("column", "begin"), [(37, "abcd"), (38, "...bcd")])
def test_what_is_left_out_before_is_dots_even_of_one_character(column: int, begin: str) -> None:
    shown = str(Source("a", ("abcd" * 20,)).error(1, column, "what")).split("\n")[1]
    assert shown.startswith(begin)


@pytest.mark.parametrize(("text", "lines"), [
    ("a\n", ("a",)), ("a", ("a",)), ("\n", ("",)), ("", ("",)), ("a\n\n", ("a", "")),
])  # fmt: skip
def test_the_end_of_the_last_line_begins_no_other(text: str, lines: tuple[str, ...]) -> None:
    assert take(text, "a").lines == lines


@pytest.mark.parametrize(("index", "place"), [(0, "1:1"), (2, "1:3"), (3, "2:1"), (4, "2:2"), (9, "2:2")])
def test_a_character_of_the_text_has_a_line_and_a_column(index: int, place: str) -> None:
    """The third is the end of the first line; what lies behind the text is at its end."""
    assert str(Source("a", ("ab", "c")).error_at(index, "what")).startswith(f"a:{place}: what\n")


def test_a_file_over_ten_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.tepe"
    with path.open("wb") as file:
        file.truncate(MAX_SCRIPT_BYTES + 1)  # a hole, which takes no room
    assert file_message(path) == f"{path}: a script may have 10 MB, this file has more"
    with path.open("wb") as file:
        file.truncate(MAX_SCRIPT_BYTES)
    assert file_message(path).startswith(f"{path}:1:1: not a text file: character 0x00")


@pytest.mark.parametrize(
    ("data", "line", "column", "what"),
    [
        (b"SCRIPT A\r\nTHINK \xff8\r\n", 2, 7, "not a text file: byte 0xff is neither ASCII nor UTF-8"),
        (b"\xef\xbb\xbfSCRIPT \xc3\xa9\xe9", 1, 9, "not a text file: byte 0xe9 is neither ASCII nor UTF-8"),
        ("SCRIPT A\n".encode("utf-16"), 1, 1, "not a text file: byte 0xff is neither ASCII nor UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00", 1, 1, "character 0x7f cannot stand in a script"),
        (b"SCRIPT A\nTHINK 8\x00\n", 2, 8, "not a text file: character 0x00 cannot stand in a script"),
        (b"", 1, 1, "there is no SCRIPT in this file"),
    ],
)
def test_a_file_that_is_not_text(tmp_path: Path, data: bytes, line: int, column: int, what: str) -> None:
    path = tmp_path / "a.tepe"
    path.write_bytes(data)
    assert file_message(path).split("\n")[0] == f"{path}:{line}:{column}: {what}"
