"""Parts of a fit by hand: choices of a buffer, knobs, commands told from the arm, what the data determine."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.fit import arm_and_commands as arms
from spindle.lab.fit import determined
from spindle.lab.fit.arm_and_commands import COMMAND_NAMES, FEWEST_COMMANDS, arm_and_commands
from spindle.lab.fit.buffer_choices import CHOICES, _flag, caching, read_ahead, without_cache
from spindle.lab.fit.determined import keep_determined
from spindle.lab.fit.fit import BELIEF, FitStage, SheetKnob, electronics, significant
from spindle.lab.fit.geometry import observe
from spindle.lab.fit.seek_curve import SeekFit
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.disc.buffer_sheet import BlocksAhead, Buffer, CylinderEnd, ImmediateReporting, TrackEnd
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.units import MS
from tests.lab.fit.known import BUFFER, KNOWN, LINK, asked

REPORTS = replace(BUFFER, reports=ImmediateReporting())
KINDS_OF = {choice.key: choice.kinds for choice in CHOICES}


def kinds(key: str, buffer: Buffer = BUFFER, sector_bytes: int = 512) -> dict[str, Buffer]:
    return dict(KINDS_OF[key](buffer, sector_bytes))


# Choices.

@pytest.mark.parametrize(("key", "name", "values"), [
    ("zero_latency_read", "starts_anywhere", (False, True)), ("read_ahead_on_full_hit", "goes_on", (False, True)),
    ("prefetch_may_replace_requested_data", "keeps_requested", (True, False)),
    ("keep_sectors_passing_before_request", "keeps_passing", (False, True)),
    ("read_hits_on_written_data", "reads_written", (False, True)),
    ("separate_write_segment", "own_write_segment", (False, True)),
])  # fmt: skip
def test_what_is_so_or_not(key: str, name: str, values: tuple[bool, bool]) -> None:
    no, yes = ({name: value} for value in values)
    assert kinds(key) == {"false": replace(BUFFER, **no), "true": replace(BUFFER, **yes)}  # type: ignore[arg-type]
    one = replace(BUFFER, segments=1)
    assert bool(kinds(key, one)) == (key != "separate_write_segment"), "of one segment none is for writes alone"
    assert _flag("goes_on")(BUFFER, 512) == _flag("goes_on", least=2)(BUFFER, 512) == kinds("read_ahead_on_full_hit")
    assert _flag("goes_on")(one, 512) == {"false": one, "true": replace(one, goes_on=True)}
    inverse = _flag("goes_on", inverse=True)(BUFFER, 512)
    assert inverse == {"false": replace(BUFFER, goes_on=True), "true": BUFFER}


def test_a_choice_knows_its_value_and_says_nothing_where_nothing_is_kept() -> None:
    segments = next(choice for choice in CHOICES if choice.key == "segments")
    assert [segments.value(replace(KNOWN, buffer=replace(BUFFER, segments=count))) for count in (4, 5)] == ["4", ""]
    bare = replace(KNOWN, buffer=without_cache(BUFFER))
    assert (segments.value(bare), [*segments.others(bare)]) == ("", [])
    assert [value for value, _ in CHOICES[0].others(bare)] == ["true"]


def test_how_far_is_read_ahead() -> None:
    ahead = [kind.read_ahead for kind in kinds("prefetch_code").values()]
    assert ahead == [read_ahead(code, 64, 64) for code in range(5)]
    assert [each.blocks for each in (read_ahead(1, 64, 9), read_ahead(2, 64, 9), read_ahead(3, 64, 9))] == [64, 64, 9]
    assert read_ahead(3, 64, 99) == BlocksAhead(64), "as far as there is room"
    kept = kinds("prefetch_code", replace(BUFFER, read_ahead=BlocksAhead(48)))
    assert (kept["1"].read_ahead, kept["2"].read_ahead, kept["3"].read_ahead) == (
        TrackEnd(64), CylinderEnd(64), BlocksAhead(48))  # fmt: skip
    assert kinds("prefetch_code", replace(BUFFER, read_ahead=TrackEnd(32)))["3"].read_ahead == BlocksAhead(64)
    assert kinds("max_read_ahead_sectors") == {
        str(size): replace(BUFFER, read_ahead=BlocksAhead(size)) for size in (32, 48, 64)}  # fmt: skip
    assert kinds("max_read_ahead_sectors", replace(BUFFER, read_ahead=TrackEnd(64))) == {}


def test_how_many_segments_of_how_many_blocks() -> None:
    assert [*kinds("segments")] == ["1", "2", "3", "4", "6", "8", "10", "16"]
    assert min(kinds("segments", replace(BUFFER, own_write_segment=True)), key=int) == "2"
    assert min(kinds("segments", replace(BUFFER, segments=4, write_segments=3)), key=int) == "3"
    assert {count: kind.segments for count, kind in kinds("segments").items()}["6"] == 6
    sizes = kinds("segment_sectors")
    assert (sizes["32"].blocks, sizes["32"].read_ahead, sizes["32"].holds) == (32, BlocksAhead(32), 6)
    assert kinds("segment_sectors", replace(BUFFER, holds=64))["96"].holds == 96, "all of it, as before"


def test_writes_begin_and_are_reported() -> None:
    assert {value: kind.holds for value, kind in kinds("write_low_water_mark").items()} == {"0": 6, "1": 64}
    assert [kinds("write_low_water_mark", BUFFER, size)["0"].holds for size in (520, 1 << 20)] == [5, 1]
    assert (kinds("fast_write_code"), kinds("max_write_segments")) == ({}, {}), "where none is reported early"
    assert {value: kind.reports for value, kind in kinds("fast_write_code", REPORTS).items()} == {
        "1": ImmediateReporting(), "2": ImmediateReporting(True)}  # fmt: skip
    two = replace(REPORTS, reports=ImmediateReporting(True))
    assert kinds("fast_write_code", two) == {"1": REPORTS, "2": two}
    three = replace(REPORTS, segments=3)
    for buffer, counts in ((REPORTS, ["1", "2"]), (three, ["1", "2", "3"])):
        found = kinds("max_write_segments", buffer)
        assert {count: kind.write_segments for count, kind in found.items()} == {count: int(count) for count in counts}


def test_a_cache_may_be_left_out_and_come_back() -> None:
    bare = without_cache(BUFFER)
    assert (bare.segments, bare.overheads, bare.link) == (0, BUFFER.overheads, BUFFER.link)
    assert kinds("enabled") == {"true": BUFFER, "false": bare}
    assert kinds("enabled", bare) == {"true": caching(BUFFER, 512), "false": bare}
    assert kinds("enabled", REPORTS) == {"true": REPORTS}, "early reports need one"
    plain = caching(BUFFER, 1024, reports=True)
    assert (plain.segments, plain.blocks, plain.read_ahead, plain.holds, plain.reads_written, plain.reports) == (
        3, 128, BlocksAhead(128), 3, True, ImmediateReporting())  # fmt: skip
    assert (plain.overheads, plain.link, caching(BUFFER, 1024).reports) == (BUFFER.overheads, BUFFER.link, None)
    for sector_bytes, blocks, holds in ((256, 512, 12), (520, 252, 5), (1 << 20, 1, 1)):
        plain = caching(BUFFER, sector_bytes)
        assert (plain.blocks, plain.holds) == (blocks, holds), "128 KiB, and of these the first 3 KiB, in whole blocks"


# Knobs.

def test_a_knob_reads_what_it_has_turned() -> None:
    reports = replace(KNOWN, buffer=REPORTS)
    for disc, names in ((KNOWN, ["write_miss_after_read", "write_miss_after_write"]),
                        (reports, ["write_hit_after_read", "write_hit_after_write"])):
        knobs = [knob for group in electronics(disc) for knob in group]
        assert [knob.name for knob in knobs] == [
            "read_hit_after_read", "read_hit_after_write", "read_ms_per_sector", "read_miss_after_read",
            "read_miss_after_write", "read_completion", "read_high_water_mark", "head_switch_ms",
            "write_settle_extra_ms", *names, "write_ms_per_sector", "write_completion", "minimum_seek_delay",
        ]  # fmt: skip
        for knob in knobs:
            value = knob.low + (knob.high - knob.low) / 3
            turned = knob.turned(disc, value)
            assert knob.read(turned) == value
            assert [other.name for other in knobs if other.read(turned) != other.read(disc)] == [knob.name]
    values = {knob.name: knob.read(KNOWN) / knob.unit for group in electronics(KNOWN) for knob in group}
    assert (values["read_hit_after_read"], values["read_ms_per_sector"]) == (0.5, LINK / MS)
    bare = [knob.name for group in electronics(replace(KNOWN, buffer=without_cache(BUFFER))) for knob in group]
    assert not {"read_hit_after_read", "read_high_water_mark"} & {*bare}


def test_a_gain_counts_beyond_its_errors() -> None:
    """Of 1 and 3 the mean is 2 and its standard error 1."""
    gains = np.array([1.0, 3.0])
    assert [significant(gains, errors) for errors in (1.9, 2.0, 2.1)] == [True, False, False]
    assert not significant(np.array([1e-10, 1e-10]), 1.0), "that is rounding"
    assert not significant(-gains, 0.0)


# The arm and the commands.

def test_commands_are_told_from_the_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeks of 1 ms are known, and so are commands: 1.5 ms for reads, 2 after writes, 3 and 4 ms for writes.

    Of command and seek only the sum is told; so the first kind is that of a hit, 0.5 ms, and all are 1 ms less.
    """
    seen = observe(KNOWN.layout, asked(KNOWN, 1500))
    period = 10 * MS
    took = {name: seconds * MS for name, seconds in zip(COMMAND_NAMES, (1.5, 2.0, 3.0, 4.0), strict=True)}
    spread = np.linspace(0.0, period, len(seen.reads))[np.random.default_rng(1).permutation(len(seen.reads))]
    command = np.select([seen.reads & seen.after_read, seen.reads & ~seen.after_read, ~seen.reads & seen.after_read],
                        [took[name] for name in COMMAND_NAMES[:3]], took[COMMAND_NAMES[3]])  # fmt: skip
    chosen: list[Any] = []

    curve = SeekFit(TableSeek(((0, 0.0), (1, 1 * MS), (299, 1 * MS))), ())

    def seeks(of: object, where: Any, waited: object, turn: float) -> SeekFit:
        assert (of, turn) == (seen, period)
        chosen.append((where, waited))
        return curve

    monkeypatch.setattr(arms, "found_seeks", seeks)
    waited = command + 1 * MS * (seen.moved > 0) + spread
    first = seen.unbuffered & seen.on_one_track

    def found(reported: bool, data: float = 0.0) -> arms.ArmAndCommands:
        del chosen[:]
        return arm_and_commands(seen, reported, waited, np.full(len(waited), data), period, 0.5 * MS)

    usual = found(False)
    for name, seconds in took.items():
        assert usual.seconds[name] == pytest.approx(seconds - 1 * MS, abs=0.3 * MS)
        low, high = usual.intervals[name]
        assert low - 0.1 * MS <= seconds <= high + 0.1 * MS
    assert usual.seconds[COMMAND_NAMES[0]] == pytest.approx(0.5 * MS)
    assert usual.after_kinds(arms.WRITES) == (usual.seconds[COMMAND_NAMES[2]], usual.seconds[COMMAND_NAMES[3]])
    assert (chosen[0][0] == (first & seen.reads)).all(), "at first all commands are as long as that of a hit"
    assert (chosen[0][1] == waited - 0.5 * MS).all()
    assert (chosen[1][0] == (first & (seen.reads | (seen.moved > 0)))).all()
    assert (len(chosen), usual.seeks) == (arms.TURNS, curve)
    masks = arms._kinds(seen, False)
    assert [*masks] == [*COMMAND_NAMES]
    assert (masks[COMMAND_NAMES[0]] == (first & seen.reads & seen.after_read & (seen.moved > 0))).all()
    for name, mask in masks.items():
        assert chosen[-1][1][mask] == pytest.approx(waited[mask] - usual.seconds[name])
    reported = found(True)
    assert [*reported.intervals] == [*COMMAND_NAMES[:2]]
    assert reported.seconds[COMMAND_NAMES[2]] == 0.0, "a hit, less what reads have of the arm's time"
    assert (chosen[1][0] == (first & seen.reads)).all()
    assert found(False, data=1 * MS).intervals == usual.intervals, "the arm takes as long"
    assert found(False, data=1.1 * MS).intervals == {}, "and here all data come later than it"


def test_a_kind_of_few_requests_is_taken_to_be_a_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = observe(KNOWN.layout, asked(KNOWN, 1500))
    monkeypatch.setattr(arms, "found_seeks", lambda *_: SeekFit(TableSeek(((0, 0.0), (1, 1 * MS), (299, 1 * MS))), ()))
    masks = arms._kinds(seen, False)
    most = np.zeros(len(seen.reads))
    later = replace(seen, on_one_track=seen.on_one_track & ~masks[COMMAND_NAMES[0]])
    assert [*arm_and_commands(later, False, most, most, 10 * MS, 0.5 * MS).intervals] == [*COMMAND_NAMES[1:]]
    some = np.flatnonzero(masks[COMMAND_NAMES[0]])
    for count, is_told in ((FEWEST_COMMANDS, True), (FEWEST_COMMANDS - 1, False)):
        few = replace(seen, on_one_track=np.isin(np.arange(len(seen.reads)), some[:count]))
        waited, none = np.full(len(few.reads), 5 * MS), np.zeros(len(few.reads))
        told = arm_and_commands(few, False, waited, none, 10 * MS, 0.5 * MS)
        assert (COMMAND_NAMES[0] in told.intervals) is is_told


# What is determined.

class Bounds:
    """A loss whose times are the disc itself, and that minds numbers beyond bounds: surely, or only by so many errors.
    """

    def __init__(self, knobs: list[SheetKnob], errors: float = inf, **bounds: tuple[float, float]) -> None:
        self._knobs, self._errors, self._bounds = {knob.name: knob for knob in knobs}, errors, bounds

    def times(self, disc: DiscType) -> Any:
        return disc

    def surely_nearer(self, times: DiscType, than: DiscType, errors: float = 2.0) -> bool:
        assert isinstance(times, DiscType)
        beyond = [not low <= self._knobs[name].read(than) <= high for name, (low, high) in self._bounds.items()]
        return errors <= self._errors and any(beyond)


def test_what_data_bound_is_kept_and_the_rest_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps from 0.6 ms are of 0.04, 0.08 ... ms: 0.56 is too little, 0.64 is not, and 0.68 is too much."""
    monkeypatch.setattr(determined, "CHOICES", ())
    knobs = [knob for group in electronics(KNOWN) for knob in group]
    switch = next(knob for knob in knobs if knob.name == "head_switch_ms")
    seek = TableSeek(((0, 0.0), (1, 1.5 * MS), (299, 8 * MS)))
    first = replace(KNOWN, head_switch=0.3 * MS, write_settle=1 * MS, seek=seek)
    seeks = {f"seek over {distance} cylinders": (1 * MS, 3 * MS) for distance in (1, 30, 299)}
    start: Any = SimpleNamespace(loose=first, locked=KNOWN, intervals={False: seeks, True: {}})
    loss: Any = Bounds(knobs, head_switch_ms=(0.57 * MS, 0.67 * MS))
    kept = keep_determined(FitStage("last", KNOWN, False), start, loss)
    assert kept.disc.head_switch == KNOWN.head_switch
    assert kept.disc.write_settle == 1 * MS, "nothing tells of it, so it is what it was at first"
    numbers = {number.name: number for number in kept.numbers}
    found = numbers["head_switch_ms"]
    assert (found.value, found.source) == ("0.6", FITTED)
    assert (found.low, found.high) == pytest.approx((0.56, 0.68))
    assert numbers["write_settle_extra_ms"] == SheetNumber("write_settle_extra_ms", "1", ASSUMED, inf, -inf)
    one = numbers["seek over 1 cylinders"]
    assert (one.value, one.source) == ("2", FITTED)
    assert (one.low, one.high) == pytest.approx((1.5, 3.5)), "moved by as much as the curve was"
    assert switch.read(kept.disc) == 0.6 * MS
    for first_switch, low, high in ((0.3, 0.3, inf), (0.9, 0.0, 0.9)):
        other: Any = SimpleNamespace(**{**vars(start), "loose": replace(first, head_switch=first_switch * MS)})
        back: Any = Bounds(knobs, BELIEF, head_switch_ms=(0.5 * MS, 0.7 * MS))
        kept = keep_determined(FitStage("last", KNOWN, False), other, back)
        found = next(number for number in kept.numbers if number.name == "head_switch_ms")
        assert (found.value, found.low, found.high) == ("0.6", pytest.approx(low), pytest.approx(high))
        assert kept.disc.write_settle == 1 * MS
    above: Any = Bounds(knobs, head_switch_ms=(0.57 * MS, inf))
    found = next(number for number in keep_determined(FitStage("last", KNOWN, False), start, above).numbers
                 if number.name == "head_switch_ms")  # fmt: skip
    assert (found.low, found.high) == (pytest.approx(0.56), inf)
    once: Any = Bounds(knobs, head_switch_ms=(0.0, 0.67 * MS))
    found = next(number for number in keep_determined(FitStage("last", KNOWN, False), start, once).numbers
                 if number.name == "head_switch_ms")  # fmt: skip
    assert (found.low, found.high) == pytest.approx((0.0, 0.68)), "no lower than it may be"


def test_choices_that_bear_as_much_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def surely_nearer(times: DiscType, than: DiscType) -> bool:
        assert isinstance(times, DiscType)
        assert than.buffer is not None
        return than.buffer.segments < 2 or than.buffer.goes_on

    loss: Any = SimpleNamespace(times=lambda disc: disc, surely_nearer=surely_nearer)
    named = {number.name: number for number in determined._choices(KNOWN, loss)}
    assert "max_write_segments" not in named, "there is no other"
    assert named["segments"] == SheetNumber("segments", "2", FITTED, others=("3", "4", "6", "8", "10", "16"))
    assert named["read_ahead_on_full_hit"] == SheetNumber("read_ahead_on_full_hit", "false", FITTED)
    assert named["zero_latency_read"] == SheetNumber("zero_latency_read", "false", ASSUMED, others=("true",))
