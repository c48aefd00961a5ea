"""Draws curves of simulation and theory, and captions on where and why they differ most.

Theory is mean value analysis for responses, and Che's approximation for hit ratios of a cache.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.studies.plots.curves import curve, faint_line, groups
from spindle.studies.statistics import summarise
from spindle.studies.theory import with_means


@dataclass(frozen=True)
class Theory:
    """A theory, by *name*, and the *subject* that it predicts.

    The column *beyond* times *scale* is simulation less theory, in *unit*; *causes* are the columns that add up to it,
    each with its description.
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
    """Return a sentence for each curve of *frame*, a table of summarise; *at* is the unit of *x*."""
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
    """Return column *name* with the digits that the interval of the difference leaves certain; empty if there are none.

    Unless it is *sure*, it is also empty if the interval includes 0. A single replication has no interval and
    is written with two digits.
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
    """Return Che's approximation as a theory; it neglects the order of references and the *rules* of the cache."""
    return Theory(
        "Che's approximation", "the hit ratio", "points", "beyond_che", ("higher", "lower"),
        {"beyond_order": "by the order of the references", "beyond_rules": f"by the rules of the cache ({rules})"},
        scale=100.0, finest=1,
    )  # fmt: skip


def load_curve(
    frame: pd.DataFrame, x: str, by: str, names: Mapping[Any, str], *, x_label: str, y_label: str, title: str
) -> Axes:
    """Draw mean responses, from a table of summarise_beside, against *x*: a line for each value of *by*.

    The simulation is solid, the network dashed, both in one colour; the bound is grey.
    """
    axes = curve(frame, x, "response_mean", by, names=names)
    for value, rows in groups(frame, by):
        faint_line(rows, x, "bound", f"{names[value]}, bound", axes)
    networks = {value: f"{name}, MVA" for value, name in names.items()}
    return curve(
        frame, x, "mva", by, names=networks, dashed=True, ax=axes, x_label=x_label, y_label=y_label, title=title
    )


def load_remark(frame: pd.DataFrame, x: str, at: str, by: str, names: Mapping[Any, str]) -> str:
    """Explain the dashed and the grey lines, and where and why the simulation leaves them."""
    least, most = frame["unwaited"].min(), frame["unwaited"].max()
    return (
        "Dashed is mean value analysis of the demands that each run measured, grey is the least response that they "
        f"allow. {remark(frame, x, at, MEAN_VALUE_ANALYSIS, by, names)} "
        f"The {least:.2g} to {most:.2g} s of work for each response that nobody waits for slow the network's stations "
        "down as well."
    )


PLAIN_LABEL = "plain LRU (Che)"
"""Name of the dashed lines, which have the colours of their simulations."""


def summarise_hits(
    frame: pd.DataFrame, by: Sequence[str], values: Sequence[str], means: Sequence[str] = ()
) -> pd.DataFrame:
    """A row a point, as summarise makes it of *values*, with those of ReferenceLog; *means* go without interval."""
    table = summarise(frame, by, [*values, "beyond_che"])
    return with_means(table, frame, by, ["che", "beyond_order", "beyond_rules", *means])


def hit_curve(
    frame: pd.DataFrame, x: str, by: str | None = None, names: Mapping[Any, str] | None = None, *,
    x_label: str, y_label: str, title: str,
) -> Axes:  # fmt: skip
    """Draw hit ratios against *x*, a line for each value of *by*: the simulation solid, Che's approximation dashed."""
    shown = frame if by else frame.assign(simulated="")
    names = names or {"": "simulated"}
    theory = dict.fromkeys(names, PLAIN_LABEL)
    axes = curve(shown, x, "hit_ratio", by or "simulated", names=names)
    return curve(
        shown, x, "che", by or "simulated", names=theory, dashed=True, ax=axes,
        x_label=x_label, y_label=y_label, title=title,
    )  # fmt: skip


def hit_remark(
    frame: pd.DataFrame, x: str, at: str, rules: str, by: str | None = None, names: Mapping[Any, str] | None = None
) -> str:
    """Explain the dashed lines, where and why the simulation leaves them; *rules* tell how the cache is not LRU."""
    return (
        "Dashed is Che's approximation: LRU on the same references, in whatever order they come. "
        f"{remark(frame, x, at, che(rules), by, names)}"
    )
