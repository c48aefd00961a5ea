"""Fields of a question by hand: bounds and their words, what needs and excludes what, groups made flat, settings."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pytest

from spindle.questions.array import NO_ARRAY, ArrayOptions, array_words
from spindle.questions.field import (
    ASKED_KEY,
    NOT_ASKED,
    Asked,
    arguments_of,
    ask,
    check_needs,
    description_of,
    flat,
    group,
    is_group,
    option_of,
    spell,
    spell_as_options,
)
from spindle.questions.host import HostOptions
from spindle.questions.runs import WindowOptions
from spindle.questions.settings import (
    FilesSetting,
    PartSetting,
    Setting,
    Words,
    made_of,
    read_one,
    settings_of_fields,
    settings_of_parameters,
    settings_of_run,
)
from spindle.questions.storage import CacheOptions, DriveOptions, LoopOptions, check_one_loop, positive
from spindle.questions.words import count, existing_file, number, seed, seeds, size, value, whole_number
from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.registry import STORES
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.parameter import Rule, assumed
from spindle.sim.part_forms import PolicyForm
from spindle.sim.units import Bytes

NO_BYTES = Bytes(0)


def refusal(act: Any, *given: Any, **named: Any) -> str:
    with pytest.raises(UserError) as error:
        act(*given, **named)
    return str(error.value)


# Bounds and words.

@pytest.mark.parametrize(("asked", "given", "says"), [
    (Asked(least=1), 0, "n must be at least 1, not 0"),
    (Asked(least=0.5), 0.25, "n must be at least 0.5, not 0.25"),
    (Asked(least=1, most=4), 5, "n must be a whole number from 1 to 4, not 5"),
    (Asked(least=0.0, most=1.0), 1.5, "n must be a number from 0 to 1, not 1.5"),
    (Asked(unit="bytes", least=1, most=1 << 30), 0, "n must be bytes from 1 to 1073741824, not 0"),
    (Asked(least=1, most=(1 << 30) + 1), 0, "n must be a whole number from 1 to 1073741825, not 0"),
    (Asked(words=("", "left", "right"), noun="side"), "up", "unknown side 'up': there are left, right"),
    (Asked(words=("left",)), "lft", "unknown n 'lft': did you mean left?"),
])  # fmt: skip
def test_what_is_beyond_the_bounds_is_refused_in_their_words(asked: Asked, given: object, says: str) -> None:
    assert refusal(asked.check, "n", given) == says


@pytest.mark.parametrize("given", [1, 4, 2.5])
def test_bounds_themselves_are_allowed(given: float) -> None:
    Asked(least=1, most=4).check("n", given)
    Asked(words=("", "left")).check("side", "")
    Asked(least=1, words=("left",)).check("side", None)


def test_a_field_keeps_its_default_its_help_and_its_unit() -> None:
    @dataclass(frozen=True)
    class Group:
        wait: float = ask(2.0, "how long", "s", least=0.0)

    (only,) = fields(Group)
    assert only.metadata[ASKED_KEY] == Asked("how long", "s", least=0.0)
    assert ask(1, "how often").metadata[ASKED_KEY] == Asked("how often", "1")
    assert Group().wait == 2.0
    assert ask(0, "most", nought="no limit").metadata[ASKED_KEY] == Asked("most; 0 is no limit", nought="no limit")


@pytest.mark.parametrize(("text", "sweep", "says"), [
    ("1,2", "spindle sweep", "n has one value here, not '1,2': spindle sweep takes several"),
    ("1,2", "", "n must be a whole number"), ("1,x", "spindle sweep", "n must be a whole number"),
])  # fmt: skip
def test_several_values_are_of_a_sweep_if_there_is_one(text: str, sweep: str, says: str) -> None:
    with pytest.raises(UserError) as error:
        read_one(Setting(int), "n", text, sweep)
    assert str(error.value).startswith(says)
    assert read_one(Setting(int), "n", "12", sweep) == 12


@pytest.mark.parametrize(("name", "option"), [
    ("warm_up", "--warm-up"), ("from_", "--from"), ("x", "--x"), ("X", "--X"),
])  # fmt: skip
def test_a_name_is_spelled_as_an_option(name: str, option: str) -> None:
    assert (spell(name), option_of(name)) == (name, option)
    spell_as_options()
    assert spell(name) == option


def test_a_group_keeps_its_default_and_what_it_needs() -> None:
    @dataclass(frozen=True)
    class Whole:
        one: Asked = group(Asked("first"), needs=("x",))
        other: Asked = group(Asked("second"), needs=("y",), because="a {}")

    assert [each.metadata[ASKED_KEY] for each in fields(Whole)] == [
        Asked(needs=("x",), because="{}"), Asked(needs=("y",), because="a {}")]  # fmt: skip
    assert (Whole().one.says, Whole().other.says) == ("first", "second")


# What needs and excludes what.

NOTES = {"cache": Asked(), "policy": Asked(needs=("cache", "tiers"), because="a cache; {} gives its size"),
         "tiers": Asked(excludes=("cache",)), "trace": Asked(metavar="TRACE", first="1"),
         "inside": Asked(excludes=("trace",))}  # fmt: skip


def test_one_of_what_is_needed_is_enough() -> None:
    for given in (["policy", "cache"], ["policy", "tiers"], ["cache"], ["unknown"]):
        check_needs(NOTES, given)
    assert refusal(check_needs, NOTES, ["policy"]) == "policy is for a cache; cache gives its size"


def test_what_excludes_another_names_it_as_the_face_does() -> None:
    assert refusal(check_needs, NOTES, ["cache", "tiers"]) == "tiers and cache exclude each other; choose one"
    assert refusal(check_needs, {"a": Asked(excludes=("b", "c"))}, ["a", "c"]) == (
        "a and c exclude each other; choose one")
    assert refusal(check_needs, NOTES, ["inside", "trace"]) == "inside and TRACE exclude each other; choose one"
    spell_as_options()
    assert refusal(check_needs, NOTES, ["tiers", "cache"]) == "--tiers and --cache exclude each other; choose one"


# Groups made flat.

@dataclass(frozen=True)
class Inner:
    wide: int = ask(3, "how wide", least=1)
    name: str = ask("", "its name", needs=("wide",), because="what has a width")


@dataclass(frozen=True)
class Outer:
    tall: int = ask(5, "how tall")
    inner: Inner = group(Inner(wide=7), needs=("tall",), because="{} alone")


@dataclass(frozen=True)
class Plain:
    at: int = 1


def test_a_group_is_a_dataclass_whose_fields_are_all_asked_for() -> None:
    assert is_group(Inner)
    assert not any(is_group(each) for each in (Plain, int, "Inner", Inner()))


def test_fields_of_groups_are_arguments_by_name_and_by_place() -> None:
    made = flat(Outer)
    assert list(inspect.signature(made).parameters) == ["tall", "wide", "name"]
    assert [each.default for each in inspect.signature(made).parameters.values()] == [5, 7, ""]
    assert made(6, 8) == made(tall=6, wide=8) == Outer(6, Inner(8))
    assert made() == Outer(5, Inner(7))
    assert made(6, name="") == Outer(6, Inner(7, ""))
    with pytest.raises(TypeError, match=r"Outer\(\) takes 3 arguments by place, and 4 were given"):
        made(1, 2, "x", 4)


def test_a_field_is_checked_and_what_its_group_needs_is_needed_by_it() -> None:
    made = flat(Outer)
    assert refusal(made, tall=1, wide=0) == "wide must be at least 1, not 0"
    assert refusal(made, wide=8) == "wide is for tall alone"
    assert refusal(made, tall=1, name="x") == "name is for what has a width"
    assert made(tall=1, wide=2, name="x") == Outer(1, Inner(2, "x"))


def test_a_run_is_flat_too_and_keeps_what_is_by_name_only() -> None:
    def run(first: int, inner: Inner = Inner(), *, seed: int = 1) -> tuple[int, Inner, int]:
        return first, inner, seed

    made = flat(run)
    assert [(name, each.kind.name) for name, each in inspect.signature(made).parameters.items()] == [
        ("first", "POSITIONAL_OR_KEYWORD"), ("wide", "POSITIONAL_OR_KEYWORD"), ("name", "POSITIONAL_OR_KEYWORD"),
        ("seed", "KEYWORD_ONLY")]  # fmt: skip
    assert made(1, 2, seed=3) == (1, Inner(2), 3)
    with pytest.raises(TypeError, match="takes 3 arguments by place, and 4 were given"):
        made(1, 2, "", 3)
    assert list(arguments_of(run)) == ["first", "inner", "seed"]
    assert arguments_of(made)["seed"].default == 1


def test_notes_of_an_argument_are_found_among_others() -> None:
    def run(one: Annotated[int, "other", Asked("help")], two: Annotated[int, "other"], three: float) -> None: ...

    found = [description_of(each) for each in arguments_of(run).values()]
    assert found == [(int, Asked("help")), (int, NOT_ASKED), (float, NOT_ASKED)]
    assert found[1][1] is found[2][1] is NOT_ASKED


def test_annotations_as_text_are_types() -> None:
    def run(one: "int", inner: "Inner" = Inner()) -> None: ...

    assert arguments_of(run)["one"].annotation is int
    assert list(inspect.signature(flat(run)).parameters) == ["one", "wide", "name"]
    assert inspect.signature(flat(run)).parameters["one"].annotation is int


def test_a_class_that_asks_for_nothing_and_further_arguments_stay_as_they_are() -> None:
    class Plain:
        def __init__(self, one: int = 1, **more: int) -> None:
            self.given = one, more

    assert flat(Plain)(2).given == (2, {})
    assert flat(Plain)(other=3).given == (1, {"other": 3})
    assert inspect.signature(flat(Plain)) == inspect.signature(Plain)


def test_an_annotation_that_nothing_can_read_stays_text() -> None:
    def run(one: "OnlyForTypes") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert arguments_of(run)["one"].annotation == "OnlyForTypes"


# Settings.

def test_an_axis_is_split_at_its_commas_unless_it_is_a_whole() -> None:
    assert Setting(int).split("1,2") == ["1", "2"]
    assert Setting(int).split("7,2-4") == ["7", "2", "3", "4"]
    assert Setting(int).split("many,0-1") == ["many", "0", "1"]
    assert refusal(Setting(int).split, "5-2") == "the axis 5-2 is no range of 1 to 1000000 numbers from 0 on"
    assert Setting(float).split("2-4") == ["2-4"]
    assert Setting(int).split("1-3,8") == ["1", "2", "3", "8"]
    assert Setting(float).split("1-3") == Setting(Bytes).split("1-3") == ["1-3"]
    assert Setting(str, asked=Asked(whole=True)).split("1,2") == ["1,2"]
    assert FilesSetting().split("a,b") == ["a", "b"]
    assert PartSetting("policy", POLICIES).split("lru,lru-k(k=2,history=4)") == ["lru", "lru-k(k=2,history=4)"]


@pytest.mark.parametrize(("setting", "given", "says"), [
    (Setting(bool), "yes", "x must be true or false, not 'yes'"),
    (Setting(bool), 1, "x must be true or false, not '1'"),
    (Setting(int), True, "x must be a number, not 'True'"), (Setting(int), "7", "x must be a number, not '7'"),
    (Setting(float), [1], r"x must be a number, not '[1]'"), (Setting(int), 1.5, "x must be a whole number, not 1.5"),
    (Setting(Bytes), np.float64(0.5), "x must be a whole number, not 0.5"),
    (Setting(int, asked=Asked(least=2)), np.int64(1), "x must be at least 2, not 1"),
    (Setting(str), True, "x must be text, not 'True'"), (Setting(str), [1], "x must be text, not '[1]'"),
])  # fmt: skip
def test_a_value_of_another_kind_is_refused(setting: Setting, given: object, says: str) -> None:
    assert refusal(setting.check, "x", given) == says


def test_a_number_of_numpy_becomes_one_of_python() -> None:
    whole = np.int64(3)
    assert type(Setting(int).check("x", whole)) is int
    assert Setting(float).check("x", None) is None
    assert Setting(str).check("x", None) is None
    assert Setting(str).check("x", np.int64(6)) == "6"
    assert Setting(Words).read("x", ["a", "b"]) == ("a", "b")
    assert Setting(bool).check("x", np.True_)
    assert Setting(int, asked=Asked(least=2)).read("x", "2") == 2
    assert refusal(Setting(int, asked=Asked(least=2)).read, "x", "1") == "x must be at least 2, not 1"


@pytest.mark.parametrize(("setting", "given", "shown"), [
    (Setting(float, "s"), 0.0042, "4.2 ms"), (Setting(Bytes, "bytes"), np.int64(6 << 20), "6 MiB"),
    (Setting(bool), True, "true"), (Setting(str), "6", "6"), (Setting(str), 6, "6"),
    (Setting(float), 1.23456789, "1.23457"), (Setting(float), "usual", "usual"),
    (Setting(str), 1234567890, "1234567890"), (Setting(str), "", "none"), (PartSetting("drive", {}), "", "none"),
    (PartSetting("policy", POLICIES), "lru", "lru"),
    (FilesSetting(), 7, "7"),
])  # fmt: skip
def test_a_value_is_shown_with_its_unit(setting: Any, given: object, shown: str) -> None:
    assert setting.text(given) == shown


def test_no_search_begins_where_nought_is_no_small_value() -> None:
    rate = Setting(Bytes, "bytes", Asked(nought="no limit"))
    assert refusal(rate.check_range, "rate", 0) == (
        "rate of 0 is no limit, and no small value: search from above 0")
    assert refusal(rate.check_range, "rate", -1).startswith("rate of 0 is")
    rate.check_range("rate", 1)
    Setting(Bytes, "bytes").check_range("size", 0)


def test_a_part_is_one_of_its_choices() -> None:
    assert PartSetting("policy", POLICIES).read("policy", "lru") == "lru"
    assert refusal(PartSetting("policy", POLICIES).read, "policy", "lfru").startswith("unknown policy 'lfru'")


def run_with_texts(raid: str = "", name: str = "tape") -> None:
    """Arguments without a description."""


def test_none_is_the_empty_text_of_what_may_be_absent() -> None:
    absent, words = Asked(absent=True), Asked(words=("", "HP-IB"))
    for setting in (Setting(str, asked=absent), Setting(str, asked=words), PartSetting("drive", {}, asked=absent)):
        assert setting.read("x", "none") == setting.read("x", setting.text("")) == ""
    assert Setting(str).read("x", "none") == "none"
    of_run = settings_of_run(run_with_texts)
    assert [of_run[name].read(name, "none") for name in of_run] == ["", "none"]
    for text in ("none", ""):
        assert refusal(PartSetting("drive", STORES).read, "drive", text).startswith(f"unknown drive '{text}'")


def test_a_part_that_is_an_object_is_looked_at_where_it_is_a_policy() -> None:
    policies = PartSetting("policy", POLICIES)
    assert [policies.check("policy", given) for given in (None, Lru)] == [None, Lru]
    with pytest.raises(UserError):
        policies.check("policy", object())
    thing = object()
    assert PartSetting("scheduler", {}).check("scheduler", thing) is thing


def test_settings_follow_from_the_arguments_of_a_run() -> None:
    def run(terminals: int, minutes: float = 1.0, memory: Bytes = NO_BYTES, policy: PolicyForm = "lru", seed: int = 1,
            interval: float | None = None, limit: int | None = None, both: int | str = 1, other: object = None,
            tail: Annotated[float, Asked("the rest", "h")] = 1.0) -> None: ...  # fmt: skip

    assert settings_of_run(run) == {
        "terminals": Setting(int), "minutes": Setting(float, "min"), "memory": Setting(Bytes, "bytes"),
        "limit": Setting(int), "tail": Setting(float, "s", Asked("the rest", "h"))}  # fmt: skip
    found = settings_of_fields(run)
    assert list(found) == ["terminals", "minutes", "memory", "policy", "limit", "tail"]
    policy = found["policy"]
    assert policy == PartSetting("policy", POLICIES, argument=True)
    assert policy.asked is NOT_ASKED


def test_a_seed_that_is_asked_for_is_a_setting() -> None:
    @dataclass(frozen=True)
    class Question:
        seed: int = ask(1, "its seed")
        policy: PolicyForm = ask("lru", "its policy")

    found = settings_of_fields(Question)
    assert list(found) == ["seed", "policy"]
    assert [each.asked.says for each in found.values()] == ["its seed", "its policy"]


def test_a_question_is_made_of_texts_lists_and_values() -> None:
    @dataclass(frozen=True)
    class Question:
        sizes: str = ask("", "sizes", whole=True)
        often: int = ask(1, "how often", least=1)

    assert made_of(Question, {"sizes": [4, 1], "often": "2"}) == Question("4,1", 2)
    assert made_of(Question, {"sizes": range(1, 3), "often": None}) == Question("1,2", 1)
    assert made_of(Question, {"sizes": np.array([4, 1]), "often": np.array(3)}) == Question("4,1", 3)
    assert made_of(Question, {"sizes": pd.DataFrame({"sizes": [4, 1]})["sizes"]}) == Question("4,1", 1)
    assert refusal(made_of, Question, {"oftn": 2}) == "unknown name of an argument 'oftn': did you mean often?"
    assert refusal(made_of, Question, {"often": "many"}) == "often must be a whole number, not 'many'"
    assert refusal(made_of, Question, {"often": 0}) == "often must be at least 1, not 0"


def test_parameters_of_a_system_have_the_units_that_they_were_described_with() -> None:
    @dataclass(frozen=True)
    class Parameters:
        memory: int = assumed(4096, "so much", "bytes", Rule(1, 1 << 20))
        slice: float = assumed(0.04, "so long", "s", Rule(0.0, 1.0))

    assert settings_of_parameters(Parameters) == {"memory": Setting(Bytes, "bytes"), "slice": Setting(float, "s")}


# Values from words.

def test_other_digits_than_0_to_9_are_no_number() -> None:
    for read in (whole_number, number, size):
        assert refusal(read, "x", "٣") == "x must be a number of the digits 0 to 9, not '٣'"


@pytest.mark.parametrize(("text", "unit", "found"), [("3", "1", 3), ("2min", "s", 120), ("-4", "1", -4)])
def test_a_whole_number_may_name_its_unit(text: str, unit: str, found: int) -> None:
    assert (whole_number("x", text, unit), type(whole_number("x", text, unit))) == (found, int)
    assert whole_number("x", "3s", "s") == 3
    assert refusal(whole_number, "x", "1e3") == refusal(value, "x", "1e3", int) == (
        "x must be a whole number, not '1e3'")
    assert refusal(whole_number, "x", "3s") == "x must be a whole number, not '3s'"
    assert refusal(whole_number, "x", "1500ms", "s") == "x must be a whole number, not '1500ms'"


def test_a_number_may_be_in_percent_where_it_has_no_unit() -> None:
    assert number("x", "40%") == 0.4
    assert refusal(number, "x", "y%") == "x must be a number, not 'y'"
    assert number("x", "40ms", "s") == 0.04
    assert refusal(number, "x", "4%", "s") == "x must be a number, such as 0.04, 40ms or 2min, not '4%'"
    assert refusal(number, "x", "no", "bytes") == "x must be a number, not 'no'"


def test_bytes_a_second_may_say_so() -> None:
    rate = settings_of_fields(DriveOptions)["network_rate"]
    texts = ("125MB/s", "125MB", "1K /s", " 2K/s ")
    assert [rate.read("x", text) for text in texts] == [125_000_000, 125_000_000, 1024, 2048]
    assert rate.text(125_000_000) == "125 MB/s"
    assert refusal(rate.read, "x", "1MB/min").startswith("x must be bytes")
    assert refusal(settings_of_fields(CacheOptions)["cache"].read, "x", "1MB/s").startswith("x must be bytes")


def test_counts_and_sizes_have_bounds() -> None:
    assert (count("x", "1"), count("x", "9", 9, 9), size("x", "1"), size("x", "0", 0)) == (1, 9, 1, 0)
    assert size("x", str(1 << 50)) == 1 << 50
    assert (size("x", "1.4999K"), value("x", "0", Bytes)) == (1535, 0)
    assert refusal(count, "x", "0") == "x must be a whole number from 1 to 1000000000000000, not 0"
    assert refusal(count, "x", "8", 9, 10) == "x must be a whole number from 9 to 10, not 8"
    assert refusal(size, "x", str((1 << 50) + 1)) == f"x must be at most {1 << 50} bytes, not {(1 << 50) + 1}"
    assert refusal(size, "x", "0") == f"x must be a whole number from 1 to {1 << 50}, not 0"
    for text in ("1500.5", "0.5K5", "0.9B"):
        assert refusal(size, "x", text).startswith("x must be bytes, such as 4096, 64K, 1MiB or 6MB")


def test_seeds_are_numbers_and_ranges() -> None:
    assert (seed("0"), seeds("1-3,9,4:5,7..7")) == (0, [1, 2, 3, 9, 4, 5, 7])
    assert refusal(seed, "1-3") == "a seed is one number, not '1-3': spindle sweep takes 1,2,3 and 1-3"
    assert refusal(seed, "-1").startswith("--seed must be a whole number from 0 to")


def test_a_value_is_read_by_its_kind(tmp_path: Path) -> None:
    for text, truth in (("true", True), ("YES", True), ("on", True), ("False", False), ("no", False), ("off", False)):
        assert value("x", text, bool) is truth
    assert refusal(value, "x", "1", bool) == "x must be true or false, not '1'"
    file = tmp_path / "x.csv"
    file.touch()
    assert value("x", str(file), Path) == existing_file("x", str(file)) == file
    assert refusal(value, "x", str(tmp_path), Path).startswith("x must name a file that exists, not '")
    assert (value("x", "2min", float, "s"), value("x", "2min", int, "s"), value("x", "7", str)) == (120.0, 120, "7")


# Storage, arrays and windows.

def test_two_kinds_of_loop_are_named() -> None:
    for fine in (LoopOptions(), LoopOptions(open=True, chains="5ms"), LoopOptions(closed=2)):
        check_one_loop(fine)
    for loop, one in ((LoopOptions(open=True, closed=2), "open"), (LoopOptions(chains="5ms", closed=2), "chains")):
        assert refusal(check_one_loop, loop) == f"{one} and closed are two kinds of loop; choose one"


def test_a_positive_number_is_neither_missing_nor_nought_nor_endless() -> None:
    assert positive("tiers", "1", 1e17) == 1e17
    assert positive("tiers", "1", 1e-9) == 1e-9
    for wrong in (None, 0.0, -1.0, 1e18, float("nan")):
        assert refusal(positive, "tiers", "oops", wrong) == (
            "tiers takes positive numbers with units, such as 8GB, 2us or 0.5, not 'oops'")


WHOLE = ArrayOptions("6", 6, Bytes(65536), Bytes(1 << 26), True, 1, Bytes(1000), 1e-14)


def test_an_array_has_all_that_was_asked_for() -> None:
    assert WHOLE.array(7) == RaidType("6", 6, 65536, unrecoverable=1e-14, seed=7, bitmap=1 << 26, delayed=True,
                                      failed=1, rebuild=1000)  # fmt: skip
    assert WHOLE.array() == WHOLE.array(1) != WHOLE.array(2)
    assert NO_ARRAY.array() is None


def test_without_a_level_only_what_means_something_alone_may_be_given() -> None:
    assert ArrayOptions(drives=3).array(alone=("drives",)) is None
    assert refusal(ArrayOptions(drives=3).array) == "drives is for an array; raid gives its level"
    assert refusal(ArrayOptions(drives=3, failed=1).array, alone=("drives",)) == (
        "failed is for an array; raid gives its level")
    assert refusal(ArrayOptions("5").array) == "raid 5 needs drives: how many there are in the array"


@pytest.mark.parametrize(("said", "words"), [
    ({}, ""), ({"raid": "", "drives": 4}, ""), ({"raid": "5", "drives": 4, "chunk": 1}, ", raid 5 of 4 drives"),
    ({"raid": "6", "drives": 6, "bitmap": 1, "delayed": True, "failed": 2, "rebuild": 3},
     ", raid 6 of 6 drives, with a bitmap, writes delayed, 2 failed, being rebuilt"),
])  # fmt: skip
def test_an_array_in_words(said: Mapping[str, Any], words: str) -> None:
    assert array_words(said) == words


def test_a_drive_is_hindered_by_what_was_asked_for() -> None:
    asked = DriveOptions(sleep_after=1.0, wake=2.0, stall_every=3, stall=4.0, network_latency=5.0,
                         network_rate=Bytes(6))  # fmt: skip
    assert asked.hindrance() == Hindrance(sleep_after=1.0, wake=2.0, stall_every=3, stall=4.0)
    assert asked.network() == NetworkType(latency=5.0, rate=6.0)
    assert DriveOptions().hindrance() is None
    assert DriveOptions().network() is DriveOptions(stall_every=3, stall=4.0).network() is None
    assert DriveOptions(network_rate=Bytes(6)).network() == NetworkType(rate=6.0)


def test_a_host_is_told_where_it_has_an_engine() -> None:
    assert (HostOptions().text(), HostOptions().settings()) == ("", {})
    assert HostOptions("psync", 2).text() == ", by psync on 2 CPUs"
    assert HostOptions("psync").settings() == {"engine": "psync", "cpus": 1}


def test_a_window_is_in_minutes_and_its_readings_in_seconds() -> None:
    window = WindowOptions(2.0, 1.0).window(30.0)
    assert (window.start, window.end, window.interval) == (60.0, 180.0, 30.0)
    assert WindowOptions().window().interval is None
