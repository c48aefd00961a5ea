"""Tests rules for what a drive file leaves open: they are chosen on all drives but one, and judged on that one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import log, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from spindle.lab.drives import errors as tables
from spindle.lab.drives.timed_requests import TimedRequests, Times, answer_times
from spindle.sim.disc.buffer_sheet import After, Buffer
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.buffer import FIRST_BYTES
from spindle.sim.disc.sheet_file.extracted import DiscChange, misses_at_rest, settles_no_sooner
from spindle.studies.demerit import Distance


@dataclass(frozen=True)
class DriveRule:
    """A rule for reading a drive file: a *change* of the disc, *about* reads or writes; its *source*, or ''."""

    name: str
    about: str
    source: str
    change: DiscChange


def _with_buffer(change: Callable[[Buffer], Buffer], disc: DiscType) -> DiscType:
    return disc if disc.buffer is None else replace(disc, buffer=change(disc.buffer))


def _holding(disc: DiscType, size: int) -> DiscType:
    """Return *disc* with a buffer that collects *size* bytes before it writes, unless its sheet says to collect all."""
    buffer = disc.buffer
    if buffer is None or buffer.holds == buffer.blocks:
        return disc
    return replace(disc, buffer=replace(buffer, holds=max(1, size // disc.layout.sector_bytes)))


def _report_alike(buffer: Buffer) -> Buffer:
    report = buffer.overheads.report.read
    return replace(buffer, overheads=replace(buffer.overheads, report=After(report, report)))


RULES = (
    DriveRule("a write begins with 3 KB", "writes", "sheet of the C2247A: a low water mark of writes",
              lambda disc: _holding(disc, FIRST_BYTES)),
    DriveRule("no write settles sooner", "writes", "Ruemmler and Wilkes 1994: writes settle longer",
              settles_no_sooner),
    DriveRule("a report as after a read", "writes", "", partial(_with_buffer, _report_alike)),
    DriveRule("a miss finds it at rest", "reads", "Worthington et al. 1995: overheads of commands in a row",
              misses_at_rest),
    DriveRule("bus takes a read at once", "reads", "DiskSim's manual: high water mark",
              partial(_with_buffer, lambda buffer: replace(buffer, high_water=0.0))),
    DriveRule("bus takes a whole read", "reads", "DiskSim's manual: high water mark",
              partial(_with_buffer, lambda buffer: replace(buffer, high_water=1.0))),
    DriveRule("a read begins anywhere", "reads", "DiskSim's manual: immediate read",
              partial(_with_buffer, lambda buffer: replace(buffer, starts_anywhere=True))),
    DriveRule("a read begins at its start", "reads", "DiskSim's manual: immediate read",
              partial(_with_buffer, lambda buffer: replace(buffer, starts_anywhere=False))),
)  # fmt: skip

MIN_CHANGE = 0.01
"""A rule matters to a drive if it changes the demerit by more than this share, as does measuring on another day."""
MIN_JUDGES = 2
"""The least number of drives for a standard error; a rule is judged if it matters to one more, the drive left out."""
RULES_LEGEND = f"""\
A gain is the fall of the demerit of reads or writes from that of the sheets read literally; the error is
its standard error over the drives. A rule holds if drives that did not help to choose it gain more than
one standard error, and a source says why; one that matters to {MIN_JUDGES} drives or fewer is not judged."""
LEFT_OUT_LEGEND = f"""\
{tables.PAIRS_LEGEND} The letters are the rules that the other drives choose, one
after the other while one holds; - is a sheet read literally."""


class MeasuredDrive(NamedTuple):
    """A measured drive: its *disc* by the drive file, the requests *asked* of it, and DiskSim's answers, if known."""

    disc: DiscType
    asked: TimedRequests
    disksim: Times | None = None


Drives = Mapping[str, MeasuredDrive]
Chosen = tuple[DriveRule, ...]
Gains = Mapping[str, float]
"""Logarithm by which the demerit falls, by drive, for drives to which a rule matters."""


class RuledDrives:
    """Answers of *drives* under some of the rules; discs that rules make equal are simulated once."""

    def __init__(self, drives: Drives) -> None:
        self.drives = drives
        self._known: dict[tuple[str, DiscType], Times] = {}

    def answers(self, name: str, rules: Chosen) -> Times:
        drive = self.drives[name]
        disc = drive.disc
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
            gain = log(old.share / max(new.share, MIN_CHANGE * old.share))
            if abs(gain) > MIN_CHANGE:
                found[name] = gain
        return found

    def chosen(self, without: str | None = None) -> Chosen:
        """Return the rules that hold on all drives except *without*: the best, then the next best, until none holds."""
        chosen: Chosen = ()
        while True:
            gains = {rule: self.gains(rule, chosen, without) for rule in RULES if rule not in chosen and rule.source}
            holding = [rule for rule, by_drive in gains.items() if holds(by_drive)]
            if not holding:
                return chosen
            chosen = (*chosen, max(holding, key=lambda rule: fmean(gains[rule].values())))


def standard_error(gains: Gains) -> float:
    return stdev(gains.values()) / sqrt(len(gains))


def holds(gains: Gains) -> bool:
    return len(gains) >= MIN_JUDGES and fmean(gains.values()) > standard_error(gains)


def gains_by_others(gains: Gains) -> Gains:
    """Compute each drive's gain if the other drives decide whether the rule holds."""
    return {name: gain if holds({other: value for other, value in gains.items() if other != name}) else 0.0
            for name, gain in gains.items()}  # fmt: skip


def verdict(rule: DriveRule, gains: Gains) -> str:
    if not gains:
        return "matters to no drive"
    if len(gains) <= MIN_JUDGES:
        return "not judged"
    if not holds(gains_by_others(gains)):
        return "does not hold"
    return "holds" if rule.source else "has no source"


def rules_table(known: RuledDrives) -> list[str]:
    """Format a line for each rule alone."""
    lines = [f"{'rule, alone':<28}{'about':<8}{'helps':>6}{'hurts':>6}{'gain, %':>9}{'error':>7}  verdict"]
    for rule in RULES:
        gains = known.gains(rule)
        helped = sum(gain > 0.0 for gain in gains.values())
        cells = f"{100 * fmean(gains.values()):>9.1f}" if gains else f"{'-':>9}"
        cells += f"{100 * standard_error(gains):>7.1f}" if len(gains) >= MIN_JUDGES else f"{'-':>7}"
        counts = f"{helped:>6}{len(gains) - helped:>6}"
        lines.append(f"{rule.name:<28}{rule.about:<8}{counts}{cells}  {verdict(rule, gains)}")
    return [*lines, "", RULES_LEGEND]


@dataclass(frozen=True)
class LeftOut:
    """The *rules* chosen on all drives but one, and *figures*: the distances of that one, demerits in percent."""

    rules: Chosen
    figures: Mapping[str, Any]

    def is_nearer(self, group: str) -> bool:
        """True if the model is at most as far off as DiskSim."""
        pair = [self.figures.get(source, {}).get(group) for source in ("predicted", "DiskSim")]
        return None not in pair and pair[0]["demerit_percent"] <= pair[1]["demerit_percent"]


def leave_each_out(known: RuledDrives) -> dict[str, LeftOut]:
    """Judge each drive under the rules that the other drives choose."""
    found = {}
    for name, (_, asked, disksim) in known.drives.items():
        rules = known.chosen(without=name)
        found[name] = LeftOut(rules, tables.distances(asked, known.answers(name, rules), disksim))
    return found


def left_out_table(drives: Mapping[str, LeftOut]) -> list[str]:
    """Return a line for each drive, how many are at most as far off as DiskSim, and the meaning of the letters."""
    letters = {rule: chr(ord("a") + number) for number, rule in
               enumerate(rule for rule in RULES if any(rule in each.rules for each in drives.values()))}  # fmt: skip
    lines = [f"{tables.HEAD} chosen"]
    for name, each in drives.items():
        lines.append(f"{tables.row(name, each.figures)} {''.join(letters[rule] for rule in each.rules) or '-'}")
    if any("DiskSim" in each.figures for each in drives.values()):
        counts = "".join(f"{sum(each.is_nearer(group) for each in drives.values()):>12}" for group in tables.ERROR_ROWS)
        lines.append(f"{'at most DiskSim':<{tables.NAME_WIDTH}}{counts}")
    return [*lines, "", *(f"{letter}  {rule.name}" for rule, letter in letters.items()), *([""] if letters else []),
            LEFT_OUT_LEGEND]  # fmt: skip


def numbers(known: RuledDrives) -> dict[str, Any]:
    """Return the numbers of both tables, for JSON."""
    gains = {rule: known.gains(rule) for rule in RULES}
    alone = {rule.name: {"about": rule.about, "source": rule.source, "gains": by_drive,
                         "unsaid": gains_by_others(by_drive), "verdict": verdict(rule, by_drive)}
             for rule, by_drive in gains.items()}  # fmt: skip
    at_once = {name: {"chosen": [rule.name for rule in each.rules], **each.figures}
               for name, each in leave_each_out(known).items()}  # fmt: skip
    return {"each_alone": alone, "all_at_once": at_once}
