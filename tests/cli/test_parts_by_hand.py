"""``spindle drives``, ``policies``, ``explain`` and ``cite`` by hand: a made-up drive, and every measure."""

import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import parts
from spindle.measures import names
from spindle.sim.disc.flash.sheets import INTEL_S3700
from tests.traces.conftest import Said


def drive(cylinders: int, **buffer: int) -> Any:
    """A drive of 6000 sectors of 512 bytes, whose arm takes a second for each cylinder."""
    return SimpleNamespace(
        name="Small Drive", year=1985, rpm=3600.0, seek=float, buffer=SimpleNamespace(**buffer) if buffer else None,
        layout=SimpleNamespace(sectors=6000, sector_bytes=512, cylinders=cylinders),
        sources={name: SimpleNamespace(kind=kind) for name, kind in (("a", "cited"), ("b", "cited"), ("c", "fitted"))})


def test_a_drive_has_its_bytes_and_the_seek_of_a_third_of_its_cylinders() -> None:
    assert parts._drive("small", drive(60, segments=2, blocks=3)) == {
        "name": "small", "title": "Small Drive", "year": 1985, "cited": 2, "assumed": 0, "fitted": 1, "kind": "disc",
        "capacity": 3_072_000, "rpm": 3600.0, "seek": 20.0, "buffer": 3072}  # fmt: skip
    few = parts._drive("few", drive(2))
    assert (few["seek"], few["buffer"]) == (1.0, None)
    flash = parts._drive("intels3700", INTEL_S3700)
    assert (flash["title"], flash["year"], flash["buffer"]) == ("Intel S3700", 2012, 1 << 20)


def test_drives_are_listed_with_those_that_a_package_offers(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.sim.disc.registry.STORES", {"small": drive(60)})
    offered = {"theirs": SimpleNamespace(dist=SimpleNamespace(name="their-discs"), module="discs"),
               "bare": SimpleNamespace(dist=None, module="mine.discs")}  # fmt: skip
    monkeypatch.setattr(parts, "installed_parts", {"drive": offered}.__getitem__)
    head, row, *others = said("drives").splitlines()
    assert head.split() == ["name", "year", "capacity", "rpm", "average", "seek", "buffer", "sources"]
    assert row.split() == ["small", "1985", "3.07", "MB", "3600", "20", "s", "-", "2", "cited,", "1", "fitted"]
    assert others[:3] == ["theirs  of the package their-discs", "bare  of the package mine.discs", ""]
    text = said("drives", "--json")
    assert (text[:16], [each["name"] for each in json.loads(text)]) == ('[\n  {\n    "name"', ["small"])


def test_policies_have_the_first_sentences_of_their_module_once(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = {"one": "Evicts what\nis old.\n\nMore on it.", "two": None}
    made = {}
    for module, text in documents.items():
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(__doc__=text))
        made[module] = SimpleNamespace(__module__=module)
    known = {"a": made["one"], "c": made["two"], "b": made["one"]}
    monkeypatch.setattr("spindle.sim.eviction.registry.POLICIES", known)
    monkeypatch.setattr(parts, "installed_parts", {"policy": ["theirs"]}.__getitem__)
    lines = said("policies").splitlines()
    assert lines[:2] == ["a, b", "    Evicts what is old."]
    assert lines[2:6] == ["c", "", "theirs", ""], "the other has none"
    assert "--policy 'NAME(argument=value)'" in lines[6]
    assert lines[6].endswith("--policy FILE.py:NAME, which spindle new policy.py begins")


def test_every_measure_is_explained_in_its_order_with_its_unit(said: Said) -> None:
    text = said("explain")
    heads = [line for line in text.splitlines() if not line.startswith(" ")]
    assert [head.partition("   [")[0] for head in heads] == names()
    assert {"hit_ratio", "part_*", "response_p99   [s]"} <= {*heads}, "a pattern has no unit"
    assert "    Mean seconds of a response that went into: NAME. " in text


@pytest.mark.parametrize(("words", "head"), [
    (("part_cpu",), "part_cpu   [s]"), ((" stop", "rate "), "stop_rate   [1/s]"),
    (("Memory: Pages/sec in use",), "Memory: Pages/sec in use"), (("p95",), "response_p95   [s]"),
])  # fmt: skip
def test_a_measure_is_known_by_its_name_and_by_that_on_a_page(words: tuple[str, ...], head: str, said: Said) -> None:
    assert said("explain", *words).splitlines()[0] == head


def test_all_that_is_named_is_cited(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.citation.cite", lambda *named: f"sources of {named}")
    assert said("cite", "lru", "hp3000") == "sources of ('lru', 'hp3000')\n"
    assert said("cite") == "sources of ()\n"
