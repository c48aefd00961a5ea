"""Requests of the page, their limits and spellings, places of sliders and links, by hand."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from spindle.questions.settings import Setting
from spindle.sim.error import UserError
from spindle.systems import find_system
from spindle.web.play.links import words_of
from spindle.web.play.request import PlayRequest, check_files
from spindle.web.play.sliders import _is_allowed, _places_around
from spindle.web.play.spelling import value_text
from spindle.web.play.worker import mistake, scale, title


def asked(**words: object) -> PlayRequest:
    return PlayRequest.read(json.dumps({"system": "machine", **words}))


def test_a_request_has_what_it_says_and_otherwise_one_run() -> None:
    assert PlayRequest.read("{}") == PlayRequest("")
    assert asked() == PlayRequest("machine", {}, "", (), 1, 1, {}, "")
    whole = {"given": {"think": "2s"}, "vary": "drives", "values": ["1", "2"], "seeds": 10, "seed": 10,
             "files": {"a.tepe": "x"}, "window": "0:1s"}  # fmt: skip
    assert asked(**whole) == PlayRequest("machine", **whole)  # type: ignore[arg-type]


@pytest.mark.parametrize(("words", "why"), [
    ({"system": 1}, "system, vary and window are texts"), ({"vary": 1}, "system, vary and window are texts"),
    ({"window": None}, "system, vary and window are texts"), ({"given": []}, "given and files are texts by name"),
    ({"given": {"a": 1}}, "given and files are texts by name"), ({"files": {"a": None}}, "given and files are texts"),
    ({"values": "ab"}, "values are a list of texts"), ({"values": [1]}, "values are a list of texts"),
    ({"seeds": 0}, "seeds must be a whole number from 1 to 10, not 0"), ({"seeds": 11}, "from 1 to 10, not 11"),
    ({"seeds": 1.5}, "from 1 to 10, not 1.5"), ({"seed": 11}, "seed must be a whole number from 1 to 10, not 11"),
    ({"vary": "drives"}, "drives must take 1 to 40 values, not 0"),
    ({"vary": "drives", "values": ["1"] * 41}, "drives must take 1 to 40 values, not 41"),
    ({"vary": "drives", "values": ["1"], "given": {"drives": "2"}}, "drives is varied, and cannot be given as well"),
    ({"other": 1}, "a request has system, given, vary, values, seeds, seed, files, window, and nothing else"),
])  # fmt: skip
def test_a_request_that_is_wrong_is_refused(words: dict[str, object], why: str) -> None:
    with pytest.raises(UserError, match=why):
        asked(**words)


@pytest.mark.parametrize(("text", "why"), [
    ("[]", "and nothing else"), ("{", "a request is JSON"), ("[" * 100_000, "a request is JSON"),
    (" " * (2**20 + 1), "a request has at most 1048576 characters"),
])  # fmt: skip
def test_what_is_no_request_is_refused(text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        PlayRequest.read(text)


def test_a_request_may_be_as_long_as_it_may_be() -> None:
    assert PlayRequest.read("{}" + " " * (2**20 - 2)) == PlayRequest("")
    assert len(asked(vary="drives", values=["1"] * 40).values) == 40


def test_each_value_is_a_point_with_what_is_given() -> None:
    assert asked(given={"drives": "2"}).points() == [{"drives": "2"}]
    varied = asked(given={"think": "2s"}, vary="drives", values=["1", "2"])
    assert varied.points() == [{"think": "2s", "drives": "1"}, {"think": "2s", "drives": "2"}]
    words = ["pcfat32", "smalldiskmon"]  # of an argument of which a parameter has the name, too
    assert PlayRequest("sata_ncq", {}, "load", words).points() == [{"load": word} for word in words]
    with pytest.raises(UserError, match="drives"):
        asked(vary="drives", values=["1", "x"]).points()
    with pytest.raises(UserError, match="did you mean drives"):
        asked(given={"drive_s": "1"}).points()
    with pytest.raises(UserError, match="did you mean lru"):
        asked(given={"policy": "lruu"}).points()


@pytest.mark.parametrize(("system", "given"), [("hp3000", {"hit_cpu": "-1s"}), ("hp3000", {"near": "2"})])
def test_a_parameter_keeps_its_rule(system: str, given: dict[str, str]) -> None:
    with pytest.raises(UserError, match=next(iter(given))):
        PlayRequest(system, given).points()


def test_parts_are_one_argument_and_others_are_numbers() -> None:
    ready = PlayRequest("hp3000", {"scheduler": "sptf", "terminals": "4", "minutes": "30s"}).arguments({
        "scheduler": "sptf", "terminals": "4", "minutes": "30s"})  # fmt: skip
    assert {name: ready[name] for name in ("terminals", "minutes")} == {"terminals": 4, "minutes": 0.5}
    assert sorted(ready) == ["choices", "minutes", "terminals"]
    assert ready["choices"] == find_system("hp3000").choose(scheduler=find_system("hp3000").parts["scheduler"]["sptf"])
    with pytest.raises(UserError, match="machine takes no scripts"):
        asked(files={"a.tepe": "x"}).points()


@pytest.mark.parametrize(("files", "why"), [
    ({}, "a script has 1 to 20 files, not 0"), ({f"f{number}": "" for number in range(21)}, "1 to 20 files, not 21"),
    ({"../a": ""}, "'../a' is no name of a script's file"), ({"": ""}, "'' is no name"), ({"a" * 62: ""}, "is no name"),
    ({"-a": ""}, "is no name"), ({"a b": ""}, "is no name"), ({"a.tepe": "x" * 65_537}, "a.tepe: .* at most 65536"),
])  # fmt: skip
def test_files_of_scripts_have_plain_names_and_are_short(files: dict[str, str], why: str) -> None:
    with pytest.raises(UserError, match=why):
        check_files(files)


def test_files_of_scripts_may_be_as_many_and_as_long() -> None:
    check_files({f"f{number}": "x" * 65_536 for number in range(19)} | {"a" * 61: ""})


@pytest.mark.parametrize(("request_", "words"), [
    (PlayRequest("machine"), "machine"), (PlayRequest("machine", {"think": "2 s"}), "machine?think=2+s"),
    (PlayRequest("m", {"file": "a/b&c"}, "drives", ("1", "2")), "m?file=a/b%26c&vary=drives&values=1,2"),
    (PlayRequest("m", {}, "drives", ("1",)), "m?vary=drives&values=1"),
])  # fmt: skip
def test_a_request_is_an_address(request_: PlayRequest, words: str) -> None:
    assert words_of(request_) == words


@pytest.mark.parametrize(("value", "kind", "unit", "text"), [
    (4096, int, "bytes", "4KiB"), (16 << 20, int, "bytes", "16MiB"),
    (1536 * 1024, int, "bytes", "1.5MiB"), (1056 << 20, int, "bytes", "1056MiB"), (1000, int, "bytes", "1KB"),
    (1025, int, "bytes", "1.025KB"), (0, int, "bytes", "0B"), (1234567, int, "bytes", "1234567"),
    (0.02, float, "s", "20ms"), (2.5, float, "s", "2.5s"), (1.5, float, "min", "1.5min"), (0.3, float, "1", "0.3"),
    (1 / 3, float, "1", "0.3333333333333333"), (1 / 3, float, "s", "0.3333333333333333"), (12, int, "1", "12"),
    (16, int, "sectors", "16"), (1234567, int, "1", "1234567"), (2.0, float, "bytes/s", "2B"),
])  # fmt: skip
def test_a_value_has_the_shortest_text_that_is_read_as_the_same(value: float, kind: type, unit: str, text: str) -> None:
    setting = Setting(kind, unit=unit)
    assert value_text(value, setting) == text
    assert setting.read("it", text) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("usual", "kind", "unit", "high", "first"), [
    (0.5, float, "1", 1.0, [0.0, 0.05, 0.1, 0.15]), (4096, int, "bytes", 1e9, [512, 768, 1024, 1536, 2048, 3072, 4096]),
    (0, int, "bytes", 1e9, [0, 64, 128, 256]), (100, int, "1", 1e9, [25, 30, 35, 42, 50]),
    (8, int, "1", 1e9, [2, 2, 3, 3, 4, 5, 6, 7, 8]), (64, int, "1", 1e9, [16, 19, 23, 27]),
    (0, int, "1", 1e9, [0, 1, 2, 3]),
    (2.0, float, "s", 1e9, [0.5, 0.59, 0.71, 0.84, 1.0]), (0.0, float, "s", 1e9, [0, 1e-4, 2e-4, 5e-4]),
    (2.0, float, "1", 9.0, [0.5, 0.59]), (0.5, float, "1", 1.5, [0.12, 0.15, 0.18]),
])  # fmt: skip
def test_a_slider_goes_from_a_quarter_to_four_times(
    usual: float, kind: type, unit: str, high: float, first: Sequence[float]
) -> None:
    rule: Any = type("Bounds", (), {"high": high})
    places = list(_places_around(usual, Setting(kind, unit=unit), rule))
    assert places[: len(first)] == first
    ends = {(0.5, 1.0): 1.0, (4096, 1e9): 32768, (0, 1e9): {"bytes": 65536, "1": 8, "s": 10}[unit] if not usual else 0}
    assert places[-1] == ends.get((usual, high), 8 if usual in (8, 64) else 4 * usual)


@pytest.mark.parametrize(("value", "low", "high", "positive", "allowed"), [
    (0.0, 0.0, 1.0, False, True), (0.0, 0.0, 1.0, True, False), (1.0, 0.0, 1.0, True, True),
    (1.1, 0.0, 1.0, False, False), (-0.1, 0.0, 1.0, False, False), (0.5, 0.5, 1.0, True, True),
    (float("inf"), 0.0, float("inf"), False, False),
])  # fmt: skip
def test_a_place_keeps_the_rule(value: float, low: float, high: float, positive: bool, allowed: bool) -> None:
    rule: Any = type("Bounds", (), {"low": low, "high": high, "positive": positive})
    assert _is_allowed(value, rule) is allowed


@pytest.mark.parametrize(("value", "unit", "shown"), [
    (0.02, "s", (1e-3, "ms")), (3.0, "s", (1.0, "s")), (2048.0, "bytes", (1024.0, "KiB")), (5.0, "1", (1.0, "")),
])  # fmt: skip
def test_an_axis_has_the_unit_in_which_its_largest_is_shown(value: float, unit: str, shown: tuple[float, str]) -> None:
    assert scale(value, unit) == pytest.approx(shown)


def test_a_mistake_in_a_script_has_its_place() -> None:
    assert mistake("a.tepe:3:14: no such\nword") == {"error": "no such", "file": "a.tepe", "line": 3, "column": 14}
    assert mistake("at a.tepe:3:14: no") == {"error": "at a.tepe:3:14: no"}


def test_a_film_is_called_by_its_script_settings_and_seed() -> None:
    request = PlayRequest("hp3000", {"a": "1", "b": "x"}, seed=3, files={"s.tepe": ""})
    assert title(request) == "hp3000: s.tepe, a 1, b x, seed 3"
    assert title(PlayRequest("hp3000")) == "hp3000: seed 1"
