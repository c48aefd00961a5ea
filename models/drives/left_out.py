"""Leave one drive out: each rule chosen on all drives but one, and judged on that one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from typing import NamedTuple

from models.drives.rules import RULES, STANDS, DriveRule, RuledDrive, ruled
from models.drives.timed import TimedRequests, Times, answered
from sim.disc.mechanism import DiscType

NO_WORSE = 1.01
"""A ratio that counts as equal: a hundredth of a demerit is less than another day's measurement would change."""
LEAST = 1e-6
"""A score below counts as that: a model may meet a drive that is itself a model."""
Scores = Mapping[str, Mapping[str, float]]
"""By choice and drive: the demerits of reads and of writes, added, over those of the rule as it stands."""
Choices = Mapping[str, str]
"""By the name of a rule what is chosen; rules that are not named are as they stand."""
LEGEND = """\
a rule bears on drives whose answers change with it. Chosen on all drives but one, it is judged on
that one: the demerits of its reads and writes, added, over those of the rule as it stands. It
carries over where no drive is the worse for what the others choose."""


class MeasuredDrive(NamedTuple):
    """The sheet of a drive, what it was *asked*, and DiskSim's answers to that if they are known."""

    disc: DiscType
    asked: TimedRequests
    foretold: Times | None = None


Drives = Mapping[str, MeasuredDrive]


class RuledScores:
    """How far *drives* are from what was measured under other rules; each is asked once where these come to the same.

    The score is the demerits of reads and of writes, each in parts of its mean, added.
    """

    def __init__(self, drives: Drives) -> None:
        self.drives = drives
        self._known: dict[tuple[str, RuledDrive], float] = {}

    def answers(self, name: str, choices: Choices) -> Times:
        disc, asked, _ = self.drives[name]
        return answered(ruled(disc, choices).mechanism(), asked)

    def score(self, name: str, choices: Choices) -> float:
        key = name, ruled(self.drives[name].disc, choices)
        if key not in self._known:
            apart = self.drives[name].asked.distances(self.answers(name, choices))
            self._known[key] = fsum(each.share for group, each in apart.items() if group != "all")
        return self._known[key]

    def mean(self, names: Sequence[str], choices: Choices) -> float:
        """The geometric mean of the scores of *names*."""
        return geometric_mean([self.score(name, choices) for name in names])


def geometric_mean(scores: Sequence[float]) -> float:
    return exp(fsum(log(max(score, LEAST)) for score in scores) / len(scores))


@dataclass(frozen=True)
class RuleJudged:
    """What a rule is chosen to be without each drive, and how that drive then fares; 1 is as it stands."""

    rule: DriveRule
    scores: Scores

    def bears_on(self) -> list[str]:
        """The drives whose answers it changes."""
        return [name for name in self.scores[STANDS] if any(of[name] != 1.0 for of in self.scores.values())]

    def chosen(self, without: str) -> str:
        """The choice that is best on the geometric mean of the other drives; as it stands where nothing is better."""
        others = [name for name in self.scores[STANDS] if name != without]
        return min(self.scores, key=lambda choice: geometric_mean([self.scores[choice][name] for name in others]))

    def ratio(self, drive: str) -> float:
        """The drive's own score under the choice of the others; below 1 they know better."""
        return self.scores[self.chosen(drive)][drive]


def judged(known: RuledScores, rule: DriveRule) -> RuleJudged:
    base = {name: known.score(name, {}) for name in known.drives}
    scores: dict[str, dict[str, float]] = {STANDS: dict.fromkeys(base, 1.0)}
    for choice in rule.instead:
        scores[choice] = {name: known.score(name, {rule.name: choice}) / base[name] for name in base}
    return RuleJudged(rule, scores)


def all_judged(known: RuledScores) -> list[RuleJudged]:
    return [judged(known, rule) for rule in RULES]


def table(rules: Sequence[RuleJudged]) -> list[str]:
    """A line for each rule and each choice that the others would make for a drive."""
    lines = [f"{'rule':<27}{'chosen without the drive':<26}{'drives':>7}{'better':>7}{'worse':>6}{'worst':>7}"]
    for each in rules:
        drives = each.bears_on()
        choices = [each.chosen(drive) for drive in drives]
        for number, choice in enumerate(dict.fromkeys(choices)):
            ratios = [each.ratio(drive) for drive, of in zip(drives, choices, strict=True) if of == choice]
            better, worse = sum(ratio < 1.0 / NO_WORSE for ratio in ratios), sum(ratio > NO_WORSE for ratio in ratios)
            lines.append(f"{each.rule.name if not number else '':<27}{choice:<26}{len(ratios):>7}{better:>7}{worse:>6}"
                         f"{max(ratios):>7.2f}")
        if not drives:
            lines.append(f"{each.rule.name:<27}{'bears on no drive':<26}")
    return [*lines, "", LEGEND]
