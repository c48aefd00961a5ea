"""Tests errors of users: one line each; an unknown name gets the nearest known ones."""

from os import mkfifo
from pathlib import Path

import pytest

from spindle.cli.find_question import FindQuestion
from spindle.cli.run_options import system_called
from spindle.cli.sweep import SweepQuestion
from spindle.measures import names
from spindle.questions.settings import settings_of_fields
from spindle.sim.disc.registry import SCHEDULERS
from spindle.sim.error import (
    OTHER_WORDS,
    UserError,
    check_known,
    check_regular_file,
    known_choice,
    line_of,
    plain,
    quote,
    unknown,
)
from spindle.sim.eviction.registry import POLICIES
from spindle.studies.settings import settings_of
from spindle.traces.curve.question import BOUNDS
from spindle.traces.replay.load_question import LoadQuestion
from spindle.traces.replay.question import ReplayQuestion


def test_a_mistake_is_a_value_error() -> None:
    assert isinstance(unknown("drive", "x", []), UserError)
    assert issubclass(UserError, ValueError)


def test_the_nearest_names() -> None:
    known = ["lru", "lfu", "clock", "FIFO"]
    assert str(unknown("policy", "lrv", known)) == "unknown policy 'lrv': did you mean lru?"
    assert str(unknown("policy", "fifo2", known)) == "unknown policy 'fifo2': did you mean FIFO?"
    assert str(unknown("policy", "lxu", known)) == "unknown policy 'lxu': did you mean lru or lfu?"
    assert str(unknown("policy", "ab", ["axxx", "abc", "abd", "abe", "abf"])).endswith("mean abf or abe or abd?")
    assert str(unknown("policy", "ab", ["abcdef", "axxx"])).endswith(": did you mean abcdef?")  # half of it is alike


def test_where_nothing_is_near_all_are_shown() -> None:
    assert str(unknown("policy", "zzzz", ["b", "a"])) == "unknown policy 'zzzz': there are a, b"
    assert str(unknown("policy", "zzzz", [])) == "unknown policy 'zzzz': there are none"


def test_a_word_of_others_is_known_by_its_name_here() -> None:
    """It stands alone; where there is nothing of its name here, it is a word as any other."""
    assert str(unknown("option", "--users", ["--terminals", "--user"])).endswith("did you mean --terminals?")
    assert str(unknown("name", "cache-size", ["cache", "a"])).endswith("did you mean cache?")
    assert str(unknown("measure", "iops", ["throughput", "io"])).endswith("did you mean throughput?")
    assert str(unknown("option", "--bs", ["--size", "--block", "--bus"])).endswith("did you mean --size or --block?")
    assert str(unknown("option", "--raid-level", ["--raid", "--rails"])).endswith("did you mean --raid?")
    assert str(unknown("option", "--latency", ["--response-mean"])).endswith("did you mean --response-mean?")
    assert str(unknown("option", "--zz", ["--xxxx", "--zq"])).endswith("did you mean --zq?")
    assert str(unknown("name", "users", ["memory"])) == "unknown name 'users': there are memory"


def test_words_of_others_have_names_here() -> None:
    here = {*settings_of(system_called("hp3000")), *settings_of(system_called("machine")), *names(), "out", "seed",
            *settings_of_fields(ReplayQuestion), *settings_of_fields(LoadQuestion), *settings_of_fields(SweepQuestion),
            *settings_of_fields(FindQuestion),
            *POLICIES, *SCHEDULERS, *BOUNDS}  # fmt: skip
    assert {word for words in OTHER_WORDS.values() for word in words.split()} <= here


def test_a_long_name_is_cut() -> None:
    assert str(unknown("policy", "z" * 99, ["a"])) == f"unknown policy '{'z' * 57}...': there are a"


def raised(error: Exception, cause: BaseException | None = None) -> Exception:
    try:
        raise error from cause
    except Exception as error:
        return error


def test_the_line_that_raised_an_error() -> None:
    line = f"{__file__}, line {raised.__code__.co_firstlineno + 2}"
    first = raised(KeyError("lost"))
    elsewhere = eval("lambda: 1 / 0")
    with pytest.raises(ZeroDivisionError) as caught:
        elsewhere()
    assert line_of(first) == line
    assert line_of(caught.value) == "<string>, line 1"
    again = ZeroDivisionError(*caught.value.args)
    assert line_of(raised(again, caught.value)) == "<string>, line 1"  # as SimPy raises a failure again
    assert line_of(raised(ValueError("so"), caught.value)) == line  # an error of its own, whatever led to it
    assert line_of(raised(KeyError("lost"), KeyError("lost"))) == line  # of which nobody knows where
    assert line_of(raised(first, first)) == line
    assert line_of(KeyError("never raised")) == ""


def test_the_first_name_that_is_not_among_the_choices_is_refused() -> None:
    choices = {"lru": 1, "lfu": 0}
    check_known("policy", choices)
    check_known("policy", choices, "lru", "lfu")
    assert known_choice("policy", choices, "lfu") == 0
    with pytest.raises(UserError, match=r"^unknown policy 'lrv': did you mean lru"):
        check_known("policy", choices, "lru", "lrv", "zzzz")
    with pytest.raises(UserError, match=r"^unknown policy 'zzzz': there are lfu, lru$"):
        known_choice("policy", choices, "zzzz")


@pytest.mark.parametrize(("text", "shown"), [
    ("a name, é", "a name, é"), ("two\nlines", "two\nlines"), ("\x1b[31mred\t", "\\x1b[31mred\\t"),
    ("lost \udc80\n", "lost \\udc80\n"),
])  # fmt: skip
def test_a_message_has_no_control_characters_but_ends_of_lines(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_sixty_characters_are_quoted_and_no_more() -> None:
    assert quote("a\nb") == r"'a\nb'"
    assert quote("z" * 60) == f"'{'z' * 60}'"
    assert quote("z" * 61) == f"'{'z' * 57}...'"


def test_only_a_regular_file_is_read_twice(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    check_regular_file(tmp_path / "a")
    mkfifo(tmp_path / "pipe")
    for path, says in ((tmp_path, "it is a folder"), (tmp_path / "pipe", "it is no regular file"),
                       (tmp_path / "b", "there is no such file")):  # fmt: skip
        with pytest.raises(UserError) as caught:
            check_regular_file(path)
        assert str(caught.value) == f"{path}: {says}"


def test_causes_that_go_in_a_circle_end() -> None:
    """As where two processes wait for each other, and each raises the failure of the other again."""
    first, second, third = (raised(KeyError("lost")) for _ in range(3))
    first.__cause__, second.__cause__, third.__cause__ = second, third, second
    assert line_of(first).startswith(f"{__file__}, line ")
