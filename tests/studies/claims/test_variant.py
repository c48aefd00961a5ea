"""Assumed parameters halved and doubled, by hand: what is tried, and what a rule leaves of it."""

from dataclasses import dataclass

import pytest

from spindle.models.hp3000.parameters import MpeParameters as Hp3000
from spindle.models.max_iv.parameters import MaxIvParameters as Modcomp
from spindle.sim.parameter import Rule, assumed, change, check, cited, fitted
from spindle.studies.claims.sensitivity import Variant, same_variants, variants


@dataclass(frozen=True)
class Toy:
    share: float = assumed(0.8, "nobody says", rule=Rule(0.0, 1.0))
    least: float = assumed(0.4, "nobody says", rule=Rule(0.3))
    discs: int = assumed(1, "nobody says", rule=Rule(1, 16))
    odd: int = assumed(5, "nobody says", rule=Rule(positive=True))
    one: int = assumed(1, "nobody says", rule=Rule(positive=True))
    nothing: float = assumed(0.0, "nobody says")
    flag: bool = assumed(True, "nobody says")
    text: str = assumed("plain", "nobody says")
    known: float = cited(3.0, "p. 1")
    chosen: float = fitted(4.0, "a claim")

    def __post_init__(self) -> None:
        check(self)


def test_numbers_are_halved_and_doubled_within_their_rules() -> None:
    assert variants(Toy()) == [
        Variant("share", 0.5, 0.8, 0.4), Variant("share", 2.0, 0.8, 1.0),
        Variant("least", 0.5, 0.4, 0.3), Variant("least", 2.0, 0.4, 0.8),
        Variant("discs", 2.0, 1, 2),
        Variant("odd", 0.5, 5, 2), Variant("odd", 2.0, 5, 10),
        Variant("one", 2.0, 1, 2),
    ]  # fmt: skip


def test_what_stays_what_it_is_is_left_out_and_told() -> None:
    found = [(each.parameter, each.factor) for each in same_variants(Toy())]
    assert found == [("discs", 0.5), ("one", 0.5), ("nothing", 0.5), ("nothing", 2.0)]


def test_changes_are_what_a_run_takes() -> None:
    assert Variant("share", 2.0, 0.8, 1.0).changes == {"share": 1.0}


@pytest.mark.parametrize("parameters", [Toy(), Hp3000(), Modcomp()])
def test_every_variant_keeps_to_its_rule_and_type(parameters: object) -> None:
    found = variants(parameters)
    assert len({each.name for each in found}) == len(found)
    for each in found:
        taken = getattr(change(parameters, **each.changes), each.parameter)
        assert (taken, type(taken)) == (each.value, type(each.usual))
