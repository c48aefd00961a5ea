"""Tests the file of an operator's commands (a shift): its lines, mistakes with their place, and hostile files."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.cli.main import main
from spindle.models.hp3000.operator import (
    MAX_COMMANDS,
    CacheControl,
    OperatorCommand,
    PlacedCommand,
    ShowCache,
    StartCache,
    StopCache,
    read_shift,
)
from spindle.models.hp3000.run import run
from spindle.sim.error import UserError

HOUR = 3600.0
EXAMPLE = Path(__file__).parents[3] / "examples" / "operator_shift.txt"
LOAD: dict[str, Any] = {"terminals": 14, "clerks": 10, "minutes": 2.0, "warm_up": 0.0, "discs": 2}


def shift_of(folder: Path, text: str, end: float = HOUR) -> list[tuple[float, OperatorCommand]]:
    path = folder / "ops.txt"
    path.write_text(text, "utf-8")
    return [(minute, each.command) for minute, each in read_shift(path, end) if isinstance(each, PlacedCommand)]


def test_a_line_is_a_time_and_a_command(tmp_path: Path) -> None:
    text = "* morning\n\t * or later\n0 stopcache 2\n 7.25\tSTARTCACHE 2 ! again\r\n7:30 StopCache 1\n"
    shift = shift_of(tmp_path, text)
    assert shift == [(0.0, StopCache(2)), (7.25, StartCache(2)), (7.5, StopCache(1))]


def test_settings_stand_in_any_order_and_what_is_not_named_stays(tmp_path: Path) -> None:
    (one,), (other,) = (
        shift_of(tmp_path, f"1 CACHECONTROL {words}")
        for words in ("random=4; BLOCKONWRITE=yes", "FLUSH=NO,SEQUENTIAL=96 SERIALWRITEQUEUE=NO;")
    )
    assert one == (1.0, CacheControl(random=4, block_on_write=True))
    assert other == (1.0, CacheControl(sequential=96, serial_write_queue=False, flush=False))


def test_showcache_goes_to_the_console_with_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ((_, command),) = shift_of(tmp_path, "0:30 SHOWCACHE")
    assert isinstance(command, ShowCache)
    command.show("the table")
    assert capsys.readouterr() == ("", "0:30 SHOWCACHE\nthe table\n")


def test_the_example_does_what_it_says() -> None:
    commands = [(minute, each.command) for minute, each in read_shift(EXAMPLE, 600.0)
                if isinstance(each, PlacedCommand) and not isinstance(each.command, ShowCache)]
    assert commands == [
        (2.5, CacheControl(4, 32)), (4.0, CacheControl(16, 96, block_on_write=True)),
        (6.0, CacheControl(block_on_write=False, serial_write_queue=True)), (6.5, StopCache(1)), (8.25, StartCache(1)),
    ]  # fmt: skip


MISTAKES = [
    ("1 STOPCASH 2", "1:3: unknown command 'STOPCASH': did you mean"),
    ("1 SHOW", "1:3: unknown command 'SHOW': did you mean SHOWCACHE?"),
    ("* so\n1", "2:2: there is no command behind the time"),
    ("STOPCACHE 2", "1:1: a line begins with minutes, such as 7.5 or 7:30, not with 'STOPCACHE'"),
    ("-1 STOPCACHE 2", "1:1: a line begins with minutes"),
    ("1e3 STOPCACHE 2", "1:1: a line begins with minutes"),
    ("nan STOPCACHE 2", "1:1: a line begins with minutes"),
    ("9999999 STOPCACHE 2", "1:1: a line begins with minutes"),
    ("7:60 STOPCACHE 2", "1:1: a line begins with minutes"),
    ("\u0667 STOPCACHE 2", "1:1: a line begins with minutes"),
    ("60 STOPCACHE 2", "1:1: minute 60 does not come before the end of the run, at minute 60"),
    ("7:30 STOPCACHE 2\n7 STARTCACHE 2", "2:1: minute 7 lies before that of the command above, 7.5"),
    ("1 STOPCACHE", "1:12: STOPCACHE needs the number of an LDEV"),
    ("1 STOPCACHE two", "1:13: an LDEV must be a whole number from 1 to 999, not 'two'"),
    ("1 STOPCACHE 0", "1:13: an LDEV must be a whole number from 1 to 999, not '0'"),
    ("1 STOPCACHE 2 3", "1:15: one word too many: '3'"),
    ("1 SHOWCACHE 2", "1:13: one word too many: '2'"),
    ("1 CACHECONTROL", "1:15: CACHECONTROL needs what to set: RANDOM, SEQUENTIAL, BLOCKONWRITE"),
    ("1 CACHECONTROL ON", "1:16: CACHECONTROL takes NAME=VALUE, such as RANDOM=16, not 'ON'"),
    ("1 CACHECONTROL RANDOM=", "1:16: CACHECONTROL takes NAME=VALUE"),
    ("1 CACHECONTROL RANDON=4", "1:16: unknown setting 'RANDON': did you mean RANDOM"),
    ("1 CACHECONTROL RANDOM=97", "1:23: RANDOM, in sectors, must be a whole number from 1 to 96, not '97'"),
    ("1 CACHECONTROL RANDOM=4;RANDOM=5", "1:25: RANDOM is given twice"),
    ("1 CACHECONTROL BLOCKONWRITE=YE", "1:29: unknown value of BLOCKONWRITE 'YE': did you mean YES?"),
    ("1 SHOWCACHE\x00", "1:12: not a text file: character 0x00 cannot stand in a script"),
    (f"1 {'x' * 20_000}", "1:10001: a line may have 10,000 characters"),
]


@pytest.mark.parametrize(("text", "says"), MISTAKES, ids=[text[:30] for text, _ in MISTAKES])
def test_a_mistake_has_its_place_and_the_nearest_right_word(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        shift_of(tmp_path, text)
    first, line, caret = str(refused.value).splitlines()
    assert first.startswith(f"{tmp_path / 'ops.txt'}:{says}")
    assert (len(line) < 80, caret.strip()) == (True, "^")


def test_what_is_no_such_file_or_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b" " * 10_000_001)
    for name, says in (("", "this is a directory"), ("none", "No such file"), ("large", "may have 10 MB")):
        with pytest.raises(UserError, match=says):
            read_shift(tmp_path / name, HOUR)
    assert shift_of(tmp_path, "1 SHOWCACHE\n" * MAX_COMMANDS)
    with pytest.raises(UserError, match=r"ops\.txt:1001:1: a shift may have 1,000 commands"):
        shift_of(tmp_path, "1 SHOWCACHE\n" * (MAX_COMMANDS + 1))


@given(st.lists(st.tuples(st.integers(0, 58), st.integers(0, 59), st.integers(1, 999)), max_size=5))
def test_every_shift_that_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, each: Any) -> None:
    lines = sorted(each)
    text = "".join(f"{minute}:{second:02} STOPCACHE {ldev}\n" for minute, second, ldev in lines)
    shift = shift_of(tmp_path_factory.mktemp("shift"), text)
    assert [command for _, command in shift] == [StopCache(ldev) for *_, ldev in lines]
    assert [minute * 60 for minute, _ in shift] == pytest.approx([60 * minute + second for minute, second, _ in lines])


# In runs ------------------------------------------------------------------------------------------


def test_a_shift_does_what_the_same_commands_do(tmp_path: Path) -> None:
    path = tmp_path / "ops.txt"
    path.write_text("0:30 STOPCACHE 1\n1 CACHECONTROL RANDOM=2; BLOCKONWRITE=YES\n")
    told = run(operator=((0.5, StopCache(1)), (1.0, CacheControl(random=2, block_on_write=True))), **LOAD)
    read = run(shift=path, **LOAD)
    assert read.counters == told.counters != run(**LOAD).counters
    assert read.parameters["shift"] == str(path)


def test_what_the_machine_does_not_have_is_refused_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "ops.txt"
    path.write_text("0:30 SHOWCACHE\n1  STOPCACHE 3\n")
    with pytest.raises(UserError) as refused:
        run(shift=path, **{**LOAD, "minutes": 1e5})
    assert str(refused.value).startswith(f"{path}:2:14: STOPCACHE: there is no LDEV 3; there are 1 to 2\n")
    with pytest.raises(UserError, match="commands are about disc caching, which this machine does not have"):
        run(shift=path, caching=False, **LOAD)


def test_the_command_line_takes_one_and_keeps_its_page_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ops.txt"
    path.write_text("0:30 SHOWCACHE\n")
    arguments = ["run", "hp3000", "--terminals=3", "--minutes=1", "--warm-up=0", "--json"]
    assert main([*arguments, f"--shift={path}"]) == 0
    page, console = capsys.readouterr()
    assert page.startswith("{\n")
    assert console.startswith("0:30 SHOWCACHE\n  DISC     CACHE")
    assert main([*arguments, f"--shift={tmp_path / 'none'}"]) == 2
    assert "shift must name a file that exists" in capsys.readouterr().err
