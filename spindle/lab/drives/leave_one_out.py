"""Leave one drive out: rules that read sheets not at their word, chosen on all drives but one, judged on that one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from spindle.lab.drives import errors as tables
from spindle.lab.drives.timed_requests import TimedRequests, Times, answer_times
from spindle.sim.disc.buffer_sheet import After, Buffer
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.sheet import FIRST_BYTES
from spindle.studies.confidence import Distance

DiscChange = Callable[[DiscType], DiscType]


@dataclass(frozen=True)
class DriveRule:
    """A *change* of a sheet's meaning, *about* reads or writes; *source* says why, and is '' without a source."""

    name: str
    about: str
    source: str
    change: DiscChange


def _buffer(change: Callable[[Buffer], Buffer]) -> DiscChange:
    return lambda disc: disc if disc.buffer is None else replace(disc, buffer=change(disc.buffer))


def _holding(disc: DiscType, size: int) -> DiscType:
    """Collects *size* bytes of a write, unless it collects all because its sheet says so."""
    buffer = disc.buffer
    if buffer is None or buffer.holds == buffer.blocks:
        return disc
    return replace(disc, buffer=replace(buffer, holds=max(1, size // disc.layout.sector_bytes)))


def _miss_at_rest(buffer: Buffer) -> Buffer:
    """The lesser of a sheet's two numbers, and what a hit takes less after a read than after a write."""
    hit = buffer.overheads.read_hit
    miss = min(buffer.overheads.read_miss) + (0.0 if buffer.goes_on else max(0.0, hit.write - hit.read))
    return replace(buffer, overheads=replace(buffer.overheads, read_miss=After(miss, miss)))


def _report_alike(buffer: Buffer) -> Buffer:
    report = buffer.overheads.report.read
    return replace(buffer, overheads=replace(buffer.overheads, report=After(report, report)))


COLLECTS = DriveRule("a write begins with 3 KB", "writes", "sheet of the C2247A: a low water mark of writes",
                     lambda disc: _holding(disc, FIRST_BYTES))  # fmt: skip
"""The only one that stands: reading a sheet from a file applies it."""
RULES = (
    COLLECTS,
    DriveRule("no write settles sooner", "writes", "Ruemmler and Wilkes 1994: writes settle longer",
              lambda disc: replace(disc, write_settle=max(0.0, disc.write_settle))),
    DriveRule("a report as after a read", "writes", "", _buffer(_report_alike)),
    DriveRule("a miss finds it at rest", "reads", "", _buffer(_miss_at_rest)),
    DriveRule("bus takes a read at once", "reads", "DiskSim's manual: high water mark",
              _buffer(lambda buffer: replace(buffer, high_water=0.0))),
    DriveRule("bus takes a whole read", "reads", "DiskSim's manual: high water mark",
              _buffer(lambda buffer: replace(buffer, high_water=1.0))),
    DriveRule("a read begins anywhere", "reads", "DiskSim's manual: immediate read",
              _buffer(lambda buffer: replace(buffer, starts_anywhere=True))),
    DriveRule("a read begins at its start", "reads", "DiskSim's manual: immediate read",
              _buffer(lambda buffer: replace(buffer, starts_anywhere=False))),
)  # fmt: skip

BEARS = 0.01
"""A rule bears on a drive whose demerit it changes by more: another day's measurement would change it as much."""
MIN_SAY = 2
"""Drives that must tell a standard error; so a rule must bear on one more to be judged without that."""
LEGEND = f"""\
Gains are by how much the demerit of the reads or writes falls, from the sheets at their word, and their
standard error over the drives. A rule holds where the drives that had no say gain more than one standard
error, and a source says why; one that matters to {MIN_SAY} drives or fewer is not judged."""
TOGETHER = f"""\
{tables.PAIRS} The letters are what the other drives choose, one after the
other while one holds; - is all at its word."""


class MeasuredDrive(NamedTuple):
    """The sheet of a drive, what it was *asked*, and DiskSim's answers to that if they are known."""

    disc: DiscType
    asked: TimedRequests
    foretold: Times | None = None


Drives = Mapping[str, MeasuredDrive]
Chosen = tuple[DriveRule, ...]
Gains = Mapping[str, float]
"""By drive the logarithm by which a demerit falls, for drives on which a rule bears."""


def without_standing_rule(disc: DiscType) -> DiscType:
    """Without the rule that stands."""
    return _holding(disc, 1)


class RuledDrives:
    """*drives* under some of the rules; each is asked once where they come to the same."""

    def __init__(self, drives: Drives) -> None:
        self.drives = drives
        self._known: dict[tuple[str, DiscType], Times] = {}

    def answers(self, name: str, rules: Chosen) -> Times:
        drive = self.drives[name]
        disc = without_standing_rule(drive.disc)
        for rule in rules:
            disc = rule.change(disc)
        if (name, disc) not in self._known:
            self._known[name, disc] = answer_times(mechanism_of(disc), drive.asked)
        return self._known[name, disc]

    def distances(self, name: str, rules: Chosen) -> dict[str, Distance]:
        return self.drives[name].asked.distances(self.answers(name, rules))

    def gains(self, rule: DriveRule, before: Chosen = (), without: str | None = None) -> Gains:
        """Compute the gain of *rule*, on top of those chosen *before*, for each drive except *without*."""
        found = {}
        for name in self.drives:
            old, new = (self.distances(name, rules).get(rule.about) for rules in (before, (*before, rule)))
            if name == without or old is None or new is None or not old.share:
                continue
            gain = log(old.share / max(new.share, BEARS * old.share))
            if abs(gain) > BEARS:
                found[name] = gain
        return found

    def chosen(self, without: str | None = None) -> Chosen:
        """Return the rules that hold on all drives except *without*: the best, then the next best, until none holds."""
        chosen: Chosen = ()
        while True:
            gains = {rule: self.gains(rule, chosen, without) for rule in RULES if rule not in chosen and rule.source}
            holding = [rule for rule, of in gains.items() if holds(of)]
            if not holding:
                return chosen
            chosen = (*chosen, max(holding, key=lambda rule: fmean(gains[rule].values())))


def standard_error(gains: Gains) -> float:
    return stdev(gains.values()) / sqrt(len(gains))


def holds(gains: Gains) -> bool:
    return len(gains) >= MIN_SAY and fmean(gains.values()) > standard_error(gains)


def gains_by_others(gains: Gains) -> Gains:
    """Compute each drive's gain if the other drives decide whether the rule holds."""
    return {name: gain if holds({each: of for each, of in gains.items() if each != name}) else 0.0
            for name, gain in gains.items()}  # fmt: skip


def verdict(rule: DriveRule, gains: Gains) -> str:
    if not gains:
        return "matters to no drive"
    if len(gains) <= MIN_SAY:
        return "not judged"
    if not holds(gains_by_others(gains)):
        return "does not hold"
    return "holds" if rule.source else "has no source"


def rules_table(known: RuledDrives) -> list[str]:
    """Format a line for each rule alone."""
    lines = [f"{'rule, from the word':<28}{'about':<8}{'helps':>6}{'hurts':>6}{'gain, %':>9}{'error':>7}  verdict"]
    for rule in RULES:
        gains = known.gains(rule)
        helped = sum(gain > 0.0 for gain in gains.values())
        cells = f"{100 * fmean(gains.values()):>9.1f}" if gains else f"{'-':>9}"
        cells += f"{100 * standard_error(gains):>7.1f}" if len(gains) >= MIN_SAY else f"{'-':>7}"
        counts = f"{helped:>6}{len(gains) - helped:>6}"
        lines.append(f"{rule.name:<28}{rule.about:<8}{counts}{cells}  {verdict(rule, gains)}")
    return [*lines, "", LEGEND]


@dataclass(frozen=True)
class LeftOut:
    """The rules chosen on all drives but one, and in *figures* the distances of that one; demerits in percent."""

    rules: Chosen
    figures: Mapping[str, Any]

    def is_nearer(self, group: str) -> bool:
        """True if it is at most as far as DiskSim."""
        of = [self.figures.get(source, {}).get(group) for source in ("predicted", "DiskSim")]
        return None not in of and of[0]["demerit_percent"] <= of[1]["demerit_percent"]


def leave_each_out(known: RuledDrives) -> dict[str, LeftOut]:
    """By drive, how it fares under what the others choose."""
    found = {}
    for name, (_, asked, foretold) in known.drives.items():
        rules = known.chosen(without=name)
        found[name] = LeftOut(rules, tables.distances(asked, known.answers(name, rules), foretold))
    return found


def left_out_table(drives: Mapping[str, LeftOut]) -> list[str]:
    """A line for each drive, how many are at most as far as DiskSim, and what the letters stand for."""
    letters = {rule: chr(ord("a") + number) for number, rule in
               enumerate(rule for rule in RULES if any(rule in each.rules for each in drives.values()))}  # fmt: skip
    lines = [f"{tables.HEAD} chosen"]
    for name, each in drives.items():
        lines.append(f"{tables.row(name, each.figures)} {''.join(letters[rule] for rule in each.rules) or '-'}")
    if any("DiskSim" in each.figures for each in drives.values()):
        counts = "".join(f"{sum(each.is_nearer(group) for each in drives.values()):>12}" for group in tables.GROUPS)
        lines.append(f"{'at most DiskSim':<{tables.NAME}}{counts}")
    return [*lines, "", *(f"{letter}  {rule.name}" for rule, letter in letters.items()), *([""] if letters else []),
            TOGETHER]  # fmt: skip


def numbers(known: RuledDrives) -> dict[str, Any]:
    """All of it, for a program."""
    gains = {rule: known.gains(rule) for rule in RULES}
    alone = {rule.name: {"about": rule.about, "source": rule.source, "gains": of, "unsaid": gains_by_others(of),
                         "verdict": verdict(rule, of)} for rule, of in gains.items()}  # fmt: skip
    at_once = {name: {"chosen": [rule.name for rule in each.rules], **each.figures}
               for name, each in leave_each_out(known).items()}  # fmt: skip
    return {"each_alone": alone, "all_at_once": at_once}
