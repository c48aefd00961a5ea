"""All rules at once: chosen together on all drives but one, and that one's answers held against it beside DiskSim's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.drives import tables
from models.drives.left_out import Choices, RuledScores
from models.drives.rules import RULES, STANDS, DriveRule

WITHIN = 5.0
"""Percent of the mean that was measured."""
LEGEND = f"""\
{tables.PAIRS} The letters are what the other drives choose together, one
change after the other while their geometric mean falls; - is all as it stands."""


@dataclass(frozen=True)
class LeftOut:
    """What all drives but one choose together, and in *figures* how far that one then is; demerits in percent."""

    choices: Choices
    figures: Mapping[str, Any]

    def nearer(self, group: str) -> bool:
        """Whether it is at most as far as DiskSim."""
        of = [self.figures.get(source, {}).get(group) for source in ("predicted", "DiskSim")]
        return None not in of and of[0]["demerit_percent"] <= of[1]["demerit_percent"]


def chosen_together(rules: Sequence[DriveRule], mean: Callable[[Choices], float]) -> Choices:
    """What is best by *mean*: of all single changes the best is made, again and again, until none is better."""
    choices: Choices = {}
    best = mean(choices)
    while True:
        tries = [_changed(choices, rule.name, choice) for rule in rules for choice in (STANDS, *rule.instead)]
        means = [mean(each) for each in tries]
        if min(means) >= best:
            return choices
        best = min(means)
        choices = tries[means.index(best)]


def _changed(choices: Choices, rule: str, choice: str) -> Choices:
    """In one order, so that equal choices come to equal drives."""
    new = {**choices, rule: choice}
    return {each.name: new[each.name] for each in RULES if new.get(each.name, STANDS) != STANDS}


def left_out(known: RuledScores, rules: Sequence[DriveRule] = RULES) -> dict[str, LeftOut]:
    """By drive, how it fares under what the others choose of *rules*."""
    figures = {}
    for name, (_, asked, foretold) in known.drives.items():
        others = [other for other in known.drives if other != name]
        choices = chosen_together(rules, lambda choices, others=others: known.mean(others, choices))  # type: ignore[misc]
        figures[name] = LeftOut(choices, tables.beside(asked, known.answers(name, choices), foretold))
    return figures


def table(drives: Mapping[str, LeftOut]) -> list[str]:
    """A line for each drive, how many are at most as far as DiskSim, and what the letters stand for."""
    chosen = sorted({pair for each in drives.values() for pair in each.choices.items()})
    letters = {pair: chr(ord("a") + number) for number, pair in enumerate(chosen)}
    lines = [f"{tables.HEAD} chosen"]
    for name, each in drives.items():
        of = "".join(letters[pair] for pair in each.choices.items()) or "-"
        lines.append(f"{tables.row(name, each.figures)} {of}")
    if any("DiskSim" in each.figures for each in drives.values()):
        counts = "".join(f"{sum(each.nearer(group) for each in drives.values()):>12}" for group in tables.GROUPS)
        lines.append(f"{'at most DiskSim':<{tables.NAME}}{counts}")
    within = sum(each.figures["predicted"]["all"]["demerit_percent"] <= WITHIN for each in drives.values())
    lines += [f"within {WITHIN:.0f} % of the mean: {within} of {len(drives)}", ""]
    lines += [f"{letter}  {rule}: {choice}" for (rule, choice), letter in letters.items()]
    return [*lines, *([""] if letters else []), LEGEND]
