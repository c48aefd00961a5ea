"""Systems by name: what a card gives, and what the page may ask for."""

from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.system import PaperCase, TourStep, card_fields, with_card
from spindle.systems import PLAYED, find_system, played_system

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
