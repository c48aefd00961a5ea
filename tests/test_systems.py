"""Systems by name: what a card gives, and what the page may ask for."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spindle import system as described
from spindle.sim import MODEL
from spindle.sim.error import UserError
from spindle.sim.part_forms import PolicyForm
from spindle.system import SYSTEM_ANSWERS, LazyStudies, PaperCase, System, TourStep, card_fields, with_card
from spindle.systems import PLAYED, find_system, installed_systems, played_system, read_card, system_names, systems

CARD = """
title = "Scales"
paper = ""
question = "How heavy?"

[[cases]]
claims = { weight = "W1" }
arguments = { pans = 2 }

[says]
pans = "pans in use"

[play]
begin = { pans = "1" }
vary = "pans"
values = ["1", "2"]
curves = ["weight", "throughput"]
window = "0s:1s"

[play.places]
pans = "1..4"
spring = ["0.5", "2"]

[[play.tour]]
asks = "Are two better?"
vary = "pans"
values = ["1", "2"]
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(CARD, "utf-8")
    return tmp_path


def test_a_card_has_what_is_no_code(place: Path) -> None:
    fields = card_fields(place)
    assert fields["play"].places == {"pans": ["1", "2", "3", "4"], "spring": ["0.5", "2"]}
    assert fields["play"].tour == [TourStep("Are two better?", "pans", ["1", "2"])]
    assert fields["cases"] == [PaperCase({"weight": "W1"}, {"pans": 2})]
    assert (fields["title"], fields["says"]) == ("Scales", {"pans": "pans in use"})


def test_a_card_adds_to_what_a_system_says(place: Path) -> None:
    machine = find_system("machine")
    both = with_card(machine, place)
    assert (both.says["pans"], both.says["drives"]) == ("pans in use", machine.says["drives"])
    assert both.run is machine.run


def test_a_system_of_a_card_has_what_its_folder_has_and_its_code() -> None:
    def run(seconds: float = 1.0, policy: PolicyForm = "lru") -> None: ...

    made = System.of_card("sata_ncq", 7, run, 5, built_in=["one"])
    shipped = find_system("sata_ncq")
    assert (made.name, made.model, made.run, made.parameters, made.built_in) == ("sata_ncq", 7, run, 5, ["one"])
    assert (made.claims, made.title, made.says) == (shipped.claims, shipped.title, shipped.says)
    assert made.claims is not None
    assert (made.claims.name, made.claims.is_file()) == ("claims.toml", True)
    assert made.models == f"sata_ncq 7, sim {MODEL}"


@dataclass(frozen=True)
class Drawn:
    """A study of a system that is made up."""

    name: str
    shows: str = ""


def test_studies_are_those_of_all_modules_in_the_order_of_their_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "scales"
    (place / "studies").mkdir(parents=True)
    (place / "studies.toml").write_text('third = "Three."\nfirst = "One."\nsecond = "Two."\n', "utf-8")
    (place / "studies" / "late.py").write_text("from tests.test_systems import Drawn\nSTUDIES = [Drawn('second')]\n")
    (place / "studies" / "none.py").write_text("")
    name = "spindle.models.scales.studies"
    first: Any = ModuleType(name)
    first.__path__, first.STUDIES = [str(place / "studies")], [Drawn("first"), Drawn("third")]
    monkeypatch.setitem(sys.modules, name, first)
    monkeypatch.setattr(described, "MODELS_FOLDER", tmp_path)
    studies: Any = LazyStudies("scales")
    assert [*studies] == [Drawn("third", "Three."), Drawn("first", "One."), Drawn("second", "Two.")]
    assert (len(studies), studies[1].name, [each.name for each in studies[1:]]) == (3, "first", ["first", "second"])
    (place / "system.toml").write_text(CARD, "utf-8")
    made = System.of_card("scales", 1, print, None)
    assert (made.studies[0].name, made.claims) == ("third", place / "claims.toml")


def test_menus_are_of_parts_and_of_words_and_numbers_have_none() -> None:
    def run(seconds: float = 1.0, policy: PolicyForm = "lru", order: str = "") -> None: ...

    system = System("scales", "Scales", run, None, parts={"spring": {"soft": 1, "hard": 2}},
                    words={"order": {"up": 3}})  # fmt: skip
    assert system.menu("spring") == {"soft": 1, "hard": 2}
    assert system.menu("order") == {"up": 3}
    assert system.menu("policy")["lru"] == "lru"
    assert system.menu("seconds") == {}


def test_what_is_left_out_of_a_system_is_nothing() -> None:
    bare = System("scales", "Scales", print, None)
    assert (bare.choose(spring="soft"), bare.remark(print), bare.answers) == (None, (), SYSTEM_ANSWERS)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="scales is not on the page"):
        _ = bare.offer


def test_a_card_without_cases_has_none(place: Path) -> None:
    (place / "system.toml").write_text(CARD.replace("[[cases]]", "[none]").replace("claims = {", "claim = {"), "utf-8")
    assert card_fields(place)["cases"] == []


def test_settings_are_those_of_the_page_and_all_parameters() -> None:
    machine = find_system("machine")
    assert [*machine.settings][:2] == [*machine.offer.places][:2]
    assert {"think", "accesses"} <= {*machine.settings} <= {*machine.names}
    assert machine.settings["memory"].unit == "bytes"
    assert [*find_system("hp3000").names][-len(find_system("hp3000").parts):] == [*find_system("hp3000").parts]


def test_a_list_of_systems_is_of_one_or_of_all() -> None:
    assert [each.name for each in systems("machine")] == ["machine"]
    assert [each.name for each in systems(None)] == system_names()
    assert [find_system(name).name for name in ("load", "curve")] == ["load", "curve"]


def test_a_card_is_read_without_its_system() -> None:
    card, system = read_card("hp3000"), find_system("hp3000")
    assert (card.title, card.paper, card.question, card.machines) == (
        system.title, system.paper, system.question, system.machines)
    assert {name: read_card(name).machines for name in ("sata_ncq",)} == {
        "sata_ncq": find_system("sata_ncq").machines}  # fmt: skip


def test_installed_packages_that_offer_systems_are_found(offered: Callable[[str], None]) -> None:
    offered("[spindle.systems]\nshop = shop:SHOP\n")
    assert installed_systems() == ["shop"]
    offered("[spindle.policies]\nshop = shop:SHOP\n")
    assert installed_systems() == []


def test_the_page_asks_for_no_file_of_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("raise SystemExit('loaded')\n", "utf-8")
    with pytest.raises(UserError, match=r"unknown machine 'mine\.py:SHOP'"):
        played_system("mine.py:SHOP")
    assert [played_system(name).name for name in PLAYED] == list(PLAYED)


@pytest.mark.parametrize("name", PLAYED)
def test_all_that_a_card_names_is_an_argument_a_part_or_a_parameter(name: str) -> None:
    system = find_system(name)
    page = system.offer
    assert {*page.begin, page.vary, *page.among_parts, *(step.vary for step in page.tour)} <= {*system.names}
    assert {*page.places} <= {*system.says}
    assert {name for step in page.tour for name in step.given} <= {*system.names}
