"""Where simulation and theory part most, and why, as a sentence made of what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

import pandas as pd

from sim.plots.curves import groups


@dataclass(frozen=True)
class Theory:
    """What *name* predicts of a *subject*. Column *beyond* is simulation less theory, *scale* of it a *unit*.

    *causes* are the columns that add up to it, and what each of them is.
    """

    name: str
    subject: str
    unit: str
    beyond: str
    words: tuple[str, str]
    causes: Mapping[str, str]
    scale: float = 1.0
    finest: int = 3


def remark(
    frame: pd.DataFrame, x: str, at: str, theory: Theory, by: str | None = None, names: Mapping[Any, str] | None = None
) -> str:
    """A sentence for each curve of *frame*, which has the means and intervals of summarise; *at* is the unit of *x*."""
    sentences = []
    for value, rows in groups(frame, by):
        whose = f"with {(names or {}).get(value, value)}, " if by else ""
        sentence = f"{whose}{_sentence(rows.to_dict('records'), x, at, theory)}"
        sentences.append(sentence[0].upper() + sentence[1:])
    return " ".join(sentences)


def _sentence(rows: Sequence[Mapping[Any, Any]], x: str, at: str, theory: Theory) -> str:
    parted = [row for row in rows if _digits(row, theory, theory.beyond)]
    if not parted:
        return f"the simulation agrees with {theory.name} at every point, within what it knows."
    row = max(parted, key=lambda row: abs(row[theory.beyond]))
    largest = sorted(theory.causes, key=lambda name: -abs(row[name]))
    amounts = {name: _digits(row, theory, name, sure=True) for name in largest}
    clauses = [_amount(text, theory.unit, ("more", "less"), theory.causes[name])
               for name, text in amounts.items() if text]
    amount = _amount(_digits(row, theory, theory.beyond), theory.unit, theory.words, f"than by {theory.name}")
    return f"{theory.subject} at {row[x]:g} {at} is {amount}: {'; '.join(clauses)}."


def _amount(text: str, unit: str, words: tuple[str, str], what: str) -> str:
    return f"{text.lstrip('-')} {unit} {words[text.startswith('-')]} {what}"


def _digits(row: Mapping[Any, Any], theory: Theory, name: str, sure: bool = False) -> str:
    """Column *name* to the digit that the interval of the difference leaves certain; empty where that is nothing.

    Unless it is *sure*, also where the interval holds 0. A single replication has no interval and gives two digits.
    """
    value, low, high = (theory.scale * row[each] for each in (name, f"{theory.beyond}_low", f"{theory.beyond}_high"))
    if value != value or (not sure and low <= 0.0 <= high):
        return ""
    spread = (high - low) / 2 if high > low else 0.1 * abs(theory.scale * row[theory.beyond])
    digits = min(theory.finest, max(0, -floor(log10(spread)))) if spread > 0.0 else theory.finest
    text = f"{value:.{digits}f}"
    return text if float(text) else ""


MEAN_VALUE_ANALYSIS = Theory(
    "mean value analysis", "the mean response", "s", "beyond_mva", ("longer", "shorter"),
    {
        "beyond_lock": "waiting for the lock",
        "beyond_memory": "waiting for memory",
        "beyond_write_wait": "waiting for writes of others",
        "beyond_cpu_wait": "waiting for the CPU, which does not serve in the order of arrival",
        "beyond_queue": "waiting for the discs, whose services are not exponential",
    },
)  # fmt: skip


def che(rules: str) -> Theory:
    """Che's approximation, which leaves out the order of references and the *rules* of the cache."""
    return Theory(
        "Che's approximation", "the hit ratio", "points", "beyond_che", ("higher", "lower"),
        {"beyond_order": "by the order of the references", "beyond_rules": f"by the rules of the cache ({rules})"},
        scale=100.0, finest=1,
    )  # fmt: skip
