"""Leave one drive out: each rule chosen on all drives but one, and judged on that one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, fsum, log
from typing import Any, NamedTuple

from spindle.lab.drives import errors as tables
from spindle.lab.drives.timed import TimedRequests, Times, answered
from spindle.sim.disc.buffer_sheet import After, Buffer, ImmediateReporting, TrackByTrack, TrackByTrackAlways
from spindle.sim.disc.buffered_arm import BufferedArm, Electronics, electronics_of, mechanism_of
from spindle.sim.disc.kernel.buffer import ANYWHERE, IN_CYLINDER
from spindle.sim.disc.mechanism import DiscType, Mechanism

# Rules of a drive's electronics that are choices of the model, each with what might be chosen instead.

STANDS = "as it stands"


@dataclass(frozen=True)
class RuledDrive:
    """The *disc* of a sheet, and *kinds* of electronics that each do one thing otherwise; rules change either."""

    disc: DiscType
    kinds: tuple["ElectronicsRule", ...] = ()

    def mechanism(self) -> Mechanism:
        if self.disc.buffer is None:
            return mechanism_of(self.disc)
        electronics = electronics_of(self.disc.buffer)
        for kind in self.kinds:
            electronics = kind(electronics, self.disc.buffer)
        return BufferedArm(self.disc, self.disc.buffer, electronics)


RuleChange = Callable[[RuledDrive], RuledDrive]
ElectronicsRule = Callable[[Electronics, Buffer], Electronics]


@dataclass(frozen=True)
class DriveRule:
    """A rule of the model; STANDS is the present one, *instead* has other ways to treat a drive's sheet, by name."""

    name: str
    instead: Mapping[str, RuleChange]


def ruled(disc: DiscType, choices: Mapping[str, str]) -> RuledDrive:
    """Apply *choices*, by the names of rules, to a drive; the other rules stand."""
    drive = RuledDrive(disc)
    for rule in RULES:
        choice = choices.get(rule.name, STANDS)
        drive = drive if choice == STANDS else rule.instead[choice](drive)
    return drive


def _never_at_rest(electronics: Electronics, buffer: Buffer) -> Electronics:
    return replace(electronics, at_rest=0.0, in_a_row=0.0, miss_at_rest=0.0)


def _always_at_rest(electronics: Electronics, buffer: Buffer) -> Electronics:
    return replace(electronics, in_a_row=electronics.at_rest)


def _miss_as_written(electronics: Electronics, buffer: Buffer) -> Electronics:
    """A miss takes what the sheet gives for it after a read, and after a write."""
    return replace(electronics, miss=buffer.overheads.read_miss)


def _miss_in_a_row(electronics: Electronics, buffer: Buffer) -> Electronics:
    return replace(electronics, miss_at_rest=0.0)


def _anywhere(electronics: Electronics, buffer: Buffer) -> Electronics:
    return replace(electronics, write_again=ANYWHERE)


def _in_cylinder(electronics: Electronics, buffer: Buffer) -> Electronics:
    return electronics if electronics.write_again == ANYWHERE else replace(electronics, write_again=IN_CYLINDER)


def _sooner(electronics: Electronics, buffer: Buffer) -> Electronics:
    return replace(electronics, settles_sooner=True)


def _kind(kind: ElectronicsRule) -> RuleChange:
    return lambda drive: replace(drive, kinds=(*drive.kinds, kind))


def _disc(change: Callable[[DiscType], DiscType]) -> RuleChange:
    return lambda drive: replace(drive, disc=change(drive.disc))


def _buffer(change: Callable[[Buffer], Buffer]) -> RuleChange:
    return _disc(lambda disc: disc if disc.buffer is None else replace(disc, buffer=change(disc.buffer)))


def _holding(blocks: int) -> RuleChange:
    """Those that collect all of a write, because their sheet says so, go on to."""
    return _buffer(lambda buffer: buffer if buffer.holds == buffer.blocks else replace(buffer, holds=blocks))


def _reports(intermixed: bool) -> RuleChange:
    return _buffer(
        lambda buffer: buffer if buffer.reports is None else replace(buffer, reports=ImmediateReporting(intermixed)))


def _alike(name: str, pick: Callable[[After], float]) -> RuleChange:
    """The same overhead after a read and after a write."""

    def change(buffer: Buffer) -> Buffer:
        cost = pick(getattr(buffer.overheads, name))
        alike: dict[str, Any] = {name: After(cost, cost)}
        return replace(buffer, overheads=replace(buffer.overheads, **alike))

    return _buffer(change)


def _any_segment(buffer: Buffer) -> Buffer:
    ahead = buffer.read_ahead
    return replace(buffer, read_ahead=TrackByTrackAlways(ahead.blocks)) if isinstance(ahead, TrackByTrack) else buffer


RULES = (
    DriveRule("a read at rest", {"takes no more": _kind(_never_at_rest), "more in a row too": _kind(_always_at_rest)}),
    DriveRule("a miss", {"after each as written": _kind(_miss_as_written), "as in a row": _kind(_miss_in_a_row)}),
    DriveRule("read-ahead, small segment", {"at once": _buffer(_any_segment)}),
    DriveRule("medium begins a write", {
        "with 1 sector": _holding(1), "with 2 KB": _holding(4), "with 4 KB": _holding(8), "with 8 KB": _holding(16),
        "with all": _holding(1 << 20)}),
    DriveRule("a write after a write", {"anywhere": _kind(_anywhere), "in the cylinder": _kind(_in_cylinder)}),
    DriveRule("writes reported", {"in sequence only": _reports(False), "intermixed": _reports(True)}),
    DriveRule("bus takes a read", {"at once": _buffer(lambda buffer: replace(buffer, high_water=0.0)),
                                   "when it is whole": _buffer(lambda buffer: replace(buffer, high_water=1.0))}),
    DriveRule("settling before a write", {
        "as before a read": _disc(lambda disc: replace(disc, write_settle=0.0)), "as written": _kind(_sooner)}),
    DriveRule("report after a write", {"as after a read": _alike("report", lambda after: after.read),
                                       "the longer of both": _alike("report", max)}),
    DriveRule("read begins anywhere", {"never": _buffer(lambda buffer: replace(buffer, starts_anywhere=False)),
                                       "always": _buffer(lambda buffer: replace(buffer, starts_anywhere=True))}),
)  # fmt: skip
"""Rules that are tried; each matters to some drives only."""


NO_WORSE = 1.01
"""A ratio that counts as equal: a hundredth of a demerit is less than another day's measurement would change."""
MIN_SCORE = 1e-6
"""A score below counts as that: a model may meet a drive that is itself a model."""
Scores = Mapping[str, Mapping[str, float]]
"""By choice and drive: the demerits of reads and of writes, added, over those of the rule as it stands."""
Choices = Mapping[str, str]
"""By the name of a rule what is chosen; rules that are not named are as they stand."""
LEFT_OUT_LEGEND = """\
a rule bears on drives whose answers change with it. Chosen on all drives but one, it is judged on
that one: the demerits of its reads and writes, added, over those of the rule as it stands. It
carries over where no drive is the worse for what the others choose."""


class MeasuredDrive(NamedTuple):
    """The sheet of a drive, the requests *asked* of it, and DiskSim's answers to them if they are known."""

    disc: DiscType
    asked: TimedRequests
    foretold: Times | None = None


Drives = Mapping[str, MeasuredDrive]


class RuledScores:
    """Scores of *drives* under other rules; drives that come out equal under different rules are asked once.

    The score is the sum of the demerits of reads and of writes, each in parts of its mean.
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
    return exp(fsum(log(max(score, MIN_SCORE)) for score in scores) / len(scores))


@dataclass(frozen=True)
class RuleJudged:
    """Choices of a rule without each drive, and that drive's score under them; 1 is the score of the present rule."""

    rule: DriveRule
    scores: Scores

    def bears_on(self) -> list[str]:
        """The drives whose answers it changes."""
        return [name for name in self.scores[STANDS] if any(of[name] != 1.0 for of in self.scores.values())]

    def chosen(self, without: str) -> str:
        """Return the choice with the best geometric mean over the other drives; STANDS if none is better."""
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


def left_out_table(rules: Sequence[RuleJudged]) -> list[str]:
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
    return [*lines, "", LEFT_OUT_LEGEND]


# All rules at once: chosen together on all drives but one, and that one's answers held against it beside DiskSim's.

WITHIN = 5.0
"""Percent of the mean that was measured."""
LEGEND = f"""\
{tables.PAIRS} The letters are what the other drives choose together, one
change after the other while their geometric mean falls; - is all as it stands."""


@dataclass(frozen=True)
class LeftOut:
    """The choices of all drives but one, and in *figures* the distances of that one; demerits in percent."""

    choices: Choices
    figures: Mapping[str, Any]

    def nearer(self, group: str) -> bool:
        """True if it is at most as far as DiskSim."""
        of = [self.figures.get(source, {}).get(group) for source in ("predicted", "DiskSim")]
        return None not in of and of[0]["demerit_percent"] <= of[1]["demerit_percent"]


def chosen_together(rules: Sequence[DriveRule], mean: Callable[[Choices], float]) -> Choices:
    """Choose rules by *mean*: make the best of all single changes, again and again, until none is better."""
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
    """Change one choice; in a fixed order, so that equal choices come to equal drives."""
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
