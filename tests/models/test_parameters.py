"""The parameters of every system: each says where it comes from, and takes nothing that is no number."""

from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

import models
from sim.claims.claims import read_claims
from sim.error import UserError
from sim.parameter import changed, describe

FOLDER = Path(models.__file__).parent
DESCRIBED = {path.parent.name: import_module(f"models.{path.parent.name}.parameters").Parameters
             for path in sorted(FOLDER.glob("*/parameters.py"))}


def fitted_to(system: str) -> list[str]:
    """The claims that the parameters of *system* are fitted to: the first word of each note."""
    return [row.note.split(":")[0] for row in describe(DESCRIBED[system]()) if row.kind == "fitted"]


@pytest.mark.parametrize("system", DESCRIBED)
def test_every_parameter_says_where_it_comes_from(system: str) -> None:
    described = list(describe(DESCRIBED[system]()))
    assert len(described) == len(fields(DESCRIBED[system])) > 0
    for row in described:
        assert row.kind in ("cited", "assumed", "fitted"), row.name
        assert len(row.note) > 10, row.name
        assert row.unit, row.name
    assert {"cited", "assumed"} <= {row.kind for row in described}


@pytest.mark.parametrize("system", DESCRIBED)
def test_a_fitted_parameter_names_the_one_claim_that_it_was_fitted_to(system: str) -> None:
    claims = {claim.id for claim in read_claims(FOLDER / system / "claims.toml")}
    assert set(fitted_to(system)) <= claims


@pytest.mark.parametrize("system", DESCRIBED)
def test_at_most_one_parameter_is_fitted_to_a_claim(system: str) -> None:
    claims = fitted_to(system)
    assert len(claims) == len(set(claims))


@pytest.mark.parametrize("system", DESCRIBED)
def test_no_parameter_takes_what_is_no_finite_number(system: str) -> None:
    defaults = DESCRIBED[system]()
    for name in (each.name for each in fields(defaults)):
        for value in (float("nan"), float("inf"), -float("inf"), -1, True, "8", None):
            with pytest.raises(UserError, match=name):
                changed(defaults, **{name: value})
