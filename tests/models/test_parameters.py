"""The parameters of every system: each says where it comes from, and takes nothing that is no number."""

from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import spindle.models
from spindle.sim.error import UserError
from spindle.sim.parameter import change, describe
from spindle.studies.claims.claims import read_claims

FOLDER = Path(spindle.models.__file__).parent
DESCRIBED = {path.parent.name: type(import_module(f"spindle.models.{path.parent.name}.system").SYSTEM.parameters)
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
def test_every_number_has_a_least_and_a_most(system: str) -> None:
    """Within which a run ends; a billion billion of anything is nothing that a machine has."""
    defaults = DESCRIBED[system]()
    for each in fields(defaults):
        if isinstance(value := getattr(defaults, each.name), int | float):
            rule = each.metadata["rule"]
            assert 0 <= rule.low <= value <= rule.high <= 2**50, each.name
            with pytest.raises(UserError, match=f"{each.name} must be .* at most"):
                change(defaults, **{each.name: type(value)(10**18)})


LEAST = [
    ("hp3000", "slice", {"terminals": 5, "minutes": 0.5, "warm_up": 0.0}),
    ("max_iv", "slice", {"users": 2, "minutes": 2.0, "warm_up": 0.0}),
    ("windows_nt", "quantum", {"seconds": 2.0}),
    ("windows_nt", "trim_period", {"seconds": 2.0}),
    ("windows_nt", "lazy_period", {"seconds": 2.0}),
    ("windows_nt", "log_interval", {"seconds": 2.0}),
    ("unix_stdio", "period", {}),
]


@pytest.mark.parametrize(("system", "name", "given"), LEAST, ids=[f"{system} {name}" for system, name, _ in LEAST])
def test_with_the_least_slice_or_period_a_run_ends(system: str, name: str, given: dict[str, Any]) -> None:
    rule = next(each.metadata["rule"] for each in fields(DESCRIBED[system]) if each.name == name)
    assert not rule.positive
    result = import_module(f"spindle.models.{system}.run").run(**given, **{name: rule.low})
    assert result.end > 0
    with pytest.raises(UserError, match=f"{name} must be at least"):
        change(DESCRIBED[system](), **{name: rule.low / 2})


@pytest.mark.parametrize("system", DESCRIBED)
def test_no_parameter_takes_what_is_no_finite_number(system: str) -> None:
    defaults = DESCRIBED[system]()
    for name in (each.name for each in fields(defaults)):
        for value in (float("nan"), float("inf"), -float("inf"), -1, True, "8", None):
            with pytest.raises(UserError, match=name):
                change(defaults, **{name: value})
