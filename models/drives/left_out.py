"""Leave one drive out: each rule chosen on all drives but one, and judged on that one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

from models.drives.rules import RULES, STANDS, DriveRule
from models.drives.timed import TimedRequests, answered
from sim.disc.buffer.arm import mechanism_of
from sim.disc.mechanism import DiscType, Mechanism
from sim.statistics.demerit import demerit

NO_WORSE = 1.01
"""A ratio that counts as equal: a hundredth of a demerit is less than another day's measurement would change."""
LEAST = 1e-6
"""A ratio below counts as that: a model may meet a drive that is itself a model."""
Drives = Mapping[str, tuple[DiscType, TimedRequests]]
Scores = Mapping[str, Mapping[str, float]]
"""By choice and drive: the demerits of reads and of writes, added, over those of the rule as it stands."""
LEGEND = """\
a rule bears on drives whose answers change with it. Chosen on all drives but one, it is judged on
that one: the demerits of its reads and writes, added, over those of the rule as it stands. It
carries over where no drive is the worse for what the others choose."""


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
        return min(self.scores, key=lambda choice: _mean(self.scores[choice], without))

    def ratio(self, drive: str) -> float:
        """The drive's own score under the choice of the others; below 1 they know better."""
        return self.scores[self.chosen(drive)][drive]


def _mean(scores: Mapping[str, float], without: str) -> float:
    logs = [log(max(ratio, LEAST)) for name, ratio in scores.items() if name != without]
    return exp(fsum(logs) / len(logs))


def judged(drives: Drives, rule: DriveRule, base: Mapping[str, float]) -> RuleJudged:
    """*base* is the score of each drive with all rules as they stand."""
    scores: dict[str, dict[str, float]] = {STANDS: dict.fromkeys(drives, 1.0)}
    for choice, make in rule.instead.items():
        scores[choice] = {name: score(make, *of) / base[name] for name, of in drives.items()}
    return RuleJudged(rule, scores)


def score(make: Callable[[DiscType], Mechanism], disc: DiscType, asked: TimedRequests) -> float:
    """The demerits of reads and of writes, each in parts of its mean, added."""
    times = answered(make(disc), asked)
    groups = (asked.reads, ~asked.reads)
    return fsum(demerit(asked.measured[of], times[of]) / float(asked.measured[of].mean()) for of in groups if of.any())


def all_judged(drives: Drives) -> list[RuleJudged]:
    base = {name: score(mechanism_of, *of) for name, of in drives.items()}
    return [judged(drives, rule, base) for rule in RULES]


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
