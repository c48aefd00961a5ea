"""Reads claims of papers from ``models/<system>/claims.toml``: numbers, with bounds that a simulation must meet."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from pathlib import Path

from spindle.sim.error import UserError, check_known, unknown
from spindle.sim.inputs import read_whole


class Role(StrEnum):
    """The weight of a claim as proof. Only a prediction is evidence: nothing that it states went into the model.

    A ``shape`` is a predicted inequality. A ``seen`` claim was known when the model was made. A ``consistent`` one
    follows from another claim, or from several models. A ``calibrated`` one was fitted to. A ``definition`` was put in,
    or holds for any model. In a ``contradictory`` one the paper contradicts itself. An ``unasked`` one is a guess of
    the paper's, or of what is not modelled.
    """

    DEFINITION = "definition"
    CALIBRATED = "calibrated"
    PREDICTED = "predicted"
    SEEN = "seen"
    CONSISTENT = "consistent"
    SHAPE = "shape"
    CONTRADICTORY = "contradictory"
    UNASKED = "unasked"


UNSCORED = (Role.CONTRADICTORY, Role.UNASKED)


class ClaimPart(StrEnum):
    """The kind of source in which a claim is made.

    It is one of the five ``paper`` texts, the ``rest`` of the book of one of them, what was ``measured`` since, or
    predictions of this project's ``own``.
    """

    PAPER = "paper"
    REST = "rest"
    MEASURED = "measured"
    OWN = "own"


@dataclass(frozen=True)
class Claim:
    """One number of a *paper*, in its own *unit*, and the bounds within which a simulation meets it.

    *study* names the study whose runs decide it, *measure* the number of one seed that is compared. A claim that is not
    scored may lack both. Values that are nearer to a bound than the *resolution* are not told apart from it.
    """

    system: str
    id: str
    paper: str
    says: str
    role: Role
    unit: str
    published: float
    low: float
    high: float
    study: str = ""
    measure: str = ""
    note: str = ""
    page: str = ""
    part: ClaimPart = ClaimPart.PAPER
    resolution: float = 0.0

    @property
    def source(self) -> str:
        """The paper of the claim, without the place in it."""
        return self.paper.partition(", ")[0]

    @property
    def section(self) -> str:
        """The place in the paper: section, table or figure."""
        return self.paper.partition(", ")[2]


OWN_PREDICTION = "a prediction, before any run"
"""The *paper* of a claim that this project worked out by hand, so that no picture calls it published."""
TEXT_KEYS = ("id", "paper", "says", "role", "unit", "study", "measure", "note", "page", "part")
NUMBER_KEYS = ("published", "low", "high")
RESOLUTION = "resolution"
CLAIM_KEYS = (*TEXT_KEYS, *NUMBER_KEYS, RESOLUTION)
ONE_DIGIT, MORE_DIGITS = Decimal("0.2"), Decimal("0.1")
"""The share by which a simulation may differ from a number that is printed with one digit, or with more."""
KEYS_OF_NUMBERS = ("published", "unit")
"""Keys that only a claim with a number has; another claim is 1 if it holds, and 0 if not."""
OPTIONAL_KEYS: Mapping[str, tuple[str, ...]] = {
    Role.CONTRADICTORY: ("study", "measure"), Role.UNASKED: ("study", "measure", *KEYS_OF_NUMBERS),
    **dict.fromkeys((Role.SHAPE, Role.SEEN, Role.CONSISTENT, Role.DEFINITION), KEYS_OF_NUMBERS),
}  # fmt: skip
"""Keys that a claim may lack, by its role."""
ALWAYS_OPTIONAL = ("note", "low", "high", "page", "part", RESOLUTION)


def read_claims(path: Path | None) -> list[Claim]:
    """Read the ``[[claim]]`` tables of *path*, none if there is no file; the folder names the system.

    Bounds that are left out lie 10 % around the published number, or 20 % where it is written with one digit, as
    ``0.9`` is and ``0.90`` and ``40`` are not. A claim without a published number is an inequality that holds (1) or
    does not: its published number and its bounds are 1. UserError for what breaks a rule.
    """
    return [] if path is None else list(_claims_of(path, read_whole(path)))


@lru_cache(maxsize=32)
def _claims_of(path: Path, text: str) -> tuple[Claim, ...]:
    """Return the claims in the *text* of *path*; cached, for each picture and each run beside its paper needs them."""
    system = path.resolve().parent.name
    claims: dict[str, Claim] = {}
    for number, table in enumerate(_tables(path, text), 1):
        name = table.get("id") if isinstance(table, Mapping) else None
        place = f"{path}: claim {name if isinstance(name, str) and name else f'number {number}'}"
        try:
            claim = _claim(system, table)
        except UserError as error:
            raise UserError(f"{place}: {error}") from error
        if claim.id in claims:
            raise UserError(f"{place}: id is used twice")
        claims[claim.id] = claim
    return tuple(claims.values())


def published_by_measure(path: Path, study: str) -> dict[str, float]:
    """Return the published numbers of the claims on *study*, by measure, for its picture."""
    return {
        claim.measure: claim.published for claim in read_claims(path)
        if claim.study == study and claim.role not in UNSCORED
    }  # fmt: skip


def published_by_id(path: Path) -> dict[str, float]:
    """Return the numbers of claims that papers make, by id."""
    return {claim.id: claim.published for claim in read_claims(path) if claim.paper != OWN_PREDICTION}


def predicted_by_id(path: Path) -> dict[str, float]:
    """Return the numbers of claims that no paper makes, by id."""
    return {claim.id: claim.published for claim in read_claims(path) if claim.paper == OWN_PREDICTION}


def _tables(path: Path, text: str) -> list[object]:
    try:
        # Decimal keeps the digits as they were written.
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise UserError(f"{path}: {error}") from error
    for key in document:
        if key != "claim":
            raise UserError(f"{path}: {unknown('key', key, ['claim'])}")
    tables = document.get("claim", [])
    if not isinstance(tables, list):
        raise UserError(f"{path}: claims are written as [[claim]], with two brackets")
    return tables


def _claim(system: str, table: object) -> Claim:
    if not isinstance(table, Mapping):
        raise UserError(f"a claim is a table, not {table!r}")
    check_known("key", CLAIM_KEYS, *table)
    texts = {key: _text(key, table[key]) for key in TEXT_KEYS if key in table}
    numbers = {key: _number(key, table[key]) for key in NUMBER_KEYS if key in table}
    role, part = _role(texts.pop("role", "")), _part(texts)
    optional = {*ALWAYS_OPTIONAL, *OPTIONAL_KEYS.get(role, ())}
    for key in CLAIM_KEYS:
        if key not in table and key not in optional:
            raise UserError(f"{key} is missing")
    if ("study" in texts) != ("measure" in texts):
        raise UserError("study and measure need each other")
    if "note" not in texts:
        _check_needs_no_note(role, numbers)
    published, low, high = _bounds(role, numbers)
    return Claim(system=system, role=role, published=published, low=low, high=high, part=part,
                 resolution=_resolution(table), **{"unit": "1", **texts})  # fmt: skip


def _part(texts: dict[str, str]) -> ClaimPart:
    """Remove the part from *texts* and return it."""
    name = texts.pop("part", ClaimPart.OWN if texts.get("paper") == OWN_PREDICTION else ClaimPart.PAPER)
    check_known("part", [*ClaimPart], name)
    return ClaimPart(name)


def _resolution(table: Mapping[str, object]) -> float:
    if RESOLUTION not in table:
        return 0.0
    value = float(_number(RESOLUTION, table[RESOLUTION]))
    if value <= 0.0:
        raise UserError(f"{RESOLUTION} must be positive, not {value:g}")
    if "note" not in table:
        raise UserError(f"note must say why values are not told apart within a {RESOLUTION}")
    return value


def _role(name: str) -> Role:
    if not name:
        raise UserError("role is missing")
    check_known("role", [*Role], name)
    return Role(name)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{key} must be text, not {value!r}")
    return " ".join(value.split())


def _number(key: str, value: object) -> Decimal:
    # A number that is too large for a float becomes infinite.
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not isfinite(Decimal(value)):
        raise UserError(f"{key} must be a finite number, not {str(value)[:40]}")
    return Decimal(value)


def _bounds(role: Role, numbers: Mapping[str, Decimal]) -> tuple[float, float, float]:
    usual = _usual(role, numbers)
    published, low, high = (float(numbers.get(key, value)) for key, value in zip(NUMBER_KEYS, usual, strict=True))
    if not low <= published <= high:
        raise UserError(f"low and high must lie around published: {low:g}, {published:g}, {high:g}")
    return published, low, high


def _usual(role: Role, numbers: Mapping[str, Decimal]) -> tuple[Decimal, Decimal, Decimal]:
    """Return the published number, and the default bounds."""
    published = numbers.get("published", Decimal(1))
    digits = len(published.as_tuple().digits)
    is_inequality = role is Role.SHAPE or "published" not in numbers
    margin = Decimal(0) if is_inequality else abs(published) * (ONE_DIGIT if digits == 1 else MORE_DIGITS)
    return published, published - margin, published + margin


def _check_needs_no_note(role: Role, numbers: Mapping[str, Decimal]) -> None:
    """Raise UserError if a note is needed: for a contradiction, a fitted parameter, or other than default bounds."""
    if role is Role.CONTRADICTORY:
        raise UserError("note must say how the paper contradicts itself")
    if role is Role.UNASKED:
        raise UserError("note must say why it is not asked")
    if role is Role.CALIBRATED:
        raise UserError("note must name the parameter that was fitted")
    _, low, high = _usual(role, numbers)
    if (numbers.get("low", low), numbers.get("high", high)) != (low, high):
        raise UserError(f"note must argue for bounds that are not the usual ones, {low} and {high}")
