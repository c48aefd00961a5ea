"""What list, parameters and check print, by hand: of a system with two studies, of two numbers, of three promises."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import listing
from spindle.cli.main import main
from spindle.sim.parameter import Described

Said = pytest.CaptureFixture[str]
ONE = SimpleNamespace(name="one", title="A machine of one disc", question="How fast is it?", machines="The one.",
                      paper="Nobody, 1999.")  # fmt: skip
OWN = SimpleNamespace(name="own", title="Somebody's", question="", machines="", paper="",
                      studies=[SimpleNamespace(name="late", shows="How late.")])  # fmt: skip
SYSTEM = "one         A machine of one disc\n            How fast is it?\n            The one.\n"
STUDIES = "    load\n        Response by load.\n    size\n        Hits by size.\n"
NEXT = "its studies: spindle list NAME; a run: spindle run NAME; one from parts: spindle run machine\n"


@pytest.fixture(autouse=True)
def systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """One system that is shipped, and one that is installed."""
    for name, instead in {
        "system_names": lambda: ("one",), "installed_systems": lambda: ("own",),
        "find_system": {"own": OWN, "alias": OWN}.__getitem__, "read_card": {"one": ONE}.__getitem__,
        "read_studies": {"one": {"load": "Response by load.", "size": "Hits by size."}}.__getitem__,
    }.items():  # fmt: skip
        monkeypatch.setattr(listing, name, instead)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(("words", "page"), [
    ([], f"{SYSTEM}own         Somebody's\n\n{NEXT}"),
    (["one"], f"{SYSTEM}            Nobody, 1999.\n{STUDIES}"),
    (["alias"], "own         Somebody's\n    late\n        How late.\n"),
    (["own"], "own         Somebody's\n    late\n        How late.\n"),
])  # fmt: skip
def test_systems_and_the_studies_of_one(words: list[str], page: str, capsys: Said) -> None:
    assert main(["list", *words]) == 0
    assert capsys.readouterr() == (page, "")


def test_the_help_says_what_a_name_is_for(capsys: Said) -> None:
    assert main(["list", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert " a system, to list its studies; default: all systems, no studies" in words


def described(**others: Any) -> Described:
    return Described(**{**dict.fromkeys(Described._fields, ""), **others})


ROWS = [described(name="memory", value=8 << 20, unit="bytes", kind="cited", note="Page 3."),
        described(name="delay", value=0.0123456789, unit="s", kind="fitted", note="By eye."),
        described(name="order", value="lru", kind="assumed", note="By habit.")]  # fmt: skip


def test_parameters_have_units_kinds_and_sources(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "find_system", lambda name: SimpleNamespace(parameters=name))
    monkeypatch.setattr("spindle.sim.parameter.describe", lambda parameters: ROWS if parameters == "one" else [])
    assert main(["parameters", "one"]) == 0
    assert capsys.readouterr().out == (
        "memory = 8 MiB   [cited]\n    Page 3.\ndelay = 12.3457 ms   [fitted]\n    By eye.\n"
        "order = lru   [assumed]\n    By habit.\n")
    assert main(["parameters", "one", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out) == [row._asdict() for row in ROWS]
    assert out.startswith("[\n  {\n")


@pytest.mark.parametrize(("found", "status", "page"), [
    ({"keeps": "", "ends": ""}, 0, "policy mine.py:Lru\n  kept    keeps\n  kept    ends\n"
                                   "  not promised, as it says itself: flies\n2 of 2 promises are kept\n"),
    ({"keeps": "", "ends": "never"}, 1, "policy mine.py:Lru\n  kept    keeps\n  BROKEN  ends: never\n"
                                        "  not promised, as it says itself: flies\n1 of 2 promises are kept\n"),
])  # fmt: skip
def test_promises_that_are_kept_and_broken(
    found: dict[str, str], status: int, page: str, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.cli.promises.breaches", lambda text: ("policy", found) if text == "mine.py:Lru" else 0)
    monkeypatch.setattr("spindle.cli.promises.not_promised", lambda text: ["flies"] if text == "mine.py:Lru" else [])
    assert main(["check", "mine.py:Lru"]) == status
    assert capsys.readouterr() == (page, "")
