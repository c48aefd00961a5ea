"""Finds how fast a drive rotates, and its skews: the values on which the end times of its reads agree best.

A skew is the angle by which a track or a cylinder begins later than the one before. A read is done when its last sector
has passed under the head. So the time between two reads of a zone, in revolutions, is the angle between their last
sectors, plus whole revolutions, plus the skews of the tracks and cylinders between them. A ZoneSpectrum tells how well
the pairs of reads of a zone agree with each track and cylinder skew; its highest value, the peak, is at the right ones.
One zone has few pairs of reads. But all zones have skews of about the same time, since switching heads takes as long
everywhere; so the peak is first searched for in all zones together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from spindle.lab.drives.timed_requests import Mask
from spindle.lab.fit.geometry import IntArray, ObservedRequests, TrackTurn

# How well pairs of reads in a zone agree with each track and cylinder skew: a Fourier transform in two dimensions.

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ZoneSpectrum:
    """The agreement of *pairs* of reads with any skews, in a zone whose tracks have *size* sectors.

    The agreement with given skews is the mean over all pairs of exp(2 pi i (time - angle)), time in revolutions.

    From a track to the same track of the next cylinder there are *heads* - 1 track skews and one cylinder skew; their
    sum is the step of a cylinder. So any two reads are a number of such steps and fewer than *heads* tracks apart. The
    table *sums* has a row for each such number of tracks, and a column for each step of 0 to *size* - 1 sectors. The
    agreement with any skews can be computed from it.
    """

    size: int
    heads: int
    pairs: int
    sums: npt.NDArray[np.complex128]

    def heights(self, tracks: IntArray | None = None) -> FloatArray:
        """Return the agreement with track skews (all, or *tracks*) by rows, cylinder skews by columns; in sectors."""
        every = np.arange(self.size)
        rows = every if tracks is None else tracks
        turns = np.exp(-2j * np.pi / self.size * np.outer(rows, np.arange(1 - self.heads, self.heads)))
        agreed = turns.real @ self.sums.real - turns.imag @ self.sums.imag
        steps = (rows[:, None] * (self.heads - 1) + every) % self.size
        return np.asarray(np.take_along_axis(agreed, steps, axis=1))

    def coarse(self, parts: int) -> FloatArray:
        """Return the agreement with *parts* skews a revolution; of the cylinder skews in a part the highest."""
        at = np.rint(np.arange(parts) * self.size / parts).astype(int) % self.size
        tracks, back = np.unique(at, return_inverse=True)
        highest = np.maximum.reduceat(self.heights(tracks), tracks, axis=1)
        return np.asarray(highest[np.ix_(back, back)])


def zone_spectrum(size: int, heads: int, tracks: IntArray, cylinders: IntArray, phases: FloatArray) -> ZoneSpectrum:
    """Build the spectrum of pairs, which are *tracks*, *cylinders* and *phases* (in revolutions) apart."""
    grid = np.zeros((2 * heads - 1, size), complex)
    np.add.at(grid, (tracks + heads - 1, cylinders % size), np.exp(2j * np.pi * phases))
    sums = np.asarray(np.fft.fft(grid, axis=1) / len(phases), np.complex128)  # NumPy's own types differ by its version
    return ZoneSpectrum(size, heads, len(phases), sums)


MAX_PERIOD_ERROR = 0.015
"""Largest relative error of the nominal period: more than that of any of nine measured drives."""
PAIR_SPANS = (0.15, 0.3, 0.6, 1.2, 2.4)
"""Seconds between the reads of a pair, at most. Longer spans determine the period better, but have more wrong peaks."""
TURN_STEP = 0.06
"""Revolutions by which a step of the tried period moves the later read of the longest pair."""
STEPS_AROUND = 3
"""Steps to each side that are tried with the next, longer span."""
MAX_READS_BACK = 200
"""The number of reads before a read among which it finds others to form pairs with."""
MIN_PAIRS = 12
"""The least number of pairs for the spectrum of a zone."""
SKEW_GRID = 360
"""Parts of a revolution in the coarse search over all zones together."""
READ_SHARES = tuple(np.arange(0.0, 1.01, 0.125).tolist())
"""High-water marks to try: shares of a read after which the transfer to the host may begin."""
MIN_AGREEMENT_GAIN = 1.05
"""Factor by which agreement with a high-water mark must exceed that without, for the mark to be used."""
SKEW_RANGE = 6
"""Sectors to each side of the common skews in which those of a zone are searched for."""
PEAK_ERRORS = 3.0
"""Standard errors within which a place is as high as the peak; more than 2 because pairs share reads."""
MIN_OVER_CHANCE = 1.3
"""Factor by which a peak must exceed the highest that is expected by chance among as many skews."""


class ZonePeak(NamedTuple):
    """The best skews of a zone, *track* and *cylinder*, in whole sectors.

    *height* is the agreement of its *pairs*, 0 to 1, and *chance* that by chance alone. Within *slack* sectors of both
    skews the agreement is about the same.
    """

    track: int
    cylinder: int
    height: float
    chance: float
    pairs: int
    slack: int = 0

    @property
    def is_significant(self) -> bool:
        return self.height > MIN_OVER_CHANCE * self.chance


class SkewAgreement(NamedTuple):
    """The skews on which all zones agree best, in revolutions; *score* is pairs that agree less pairs that do not."""

    score: float
    track: float
    cylinder: float


@dataclass(frozen=True)
class Rotation:
    """The rotation as found: the *period* in seconds, the skews of each zone (*turns*), and *peaks* by zone.

    *high_water* is the share of a read after which its transfer begins. After the last sector a write is reported
    *late* by so many seconds more than a read.
    """

    period: float
    high_water: float
    late: float
    turns: tuple[TrackTurn, ...]
    peaks: Mapping[int, ZonePeak]

    @property
    def is_significant(self) -> bool:
        """True if the angles of any zone agree on skews; otherwise the period is no better than chance either."""
        return any(peak.is_significant for peak in self.peaks.values())


@dataclass(frozen=True)
class ReadPhases:
    """Reads of the medium and the angles at which they were done: those requests *seen* that are *chosen*.

    The transfer takes *link* seconds a sector. It begins when the share *high_water* of a read, and at least a sector,
    has passed under the head, and ends a sector after the last has passed.
    """

    seen: ObservedRequests
    chosen: Mask
    link: float
    high_water: float = 0.0

    def transfer(self, period: float) -> FloatArray:
        """Return the seconds of each read from its first sector under the head until the last is at the host."""
        passing, sectors = period / self.seen.per_track, self.seen.sectors
        first = np.maximum(1, (sectors * self.high_water).astype(int))
        return np.asarray(np.maximum(first * passing + sectors * self.link, sectors * passing + self.link))

    def phases(self, period: float) -> FloatArray:
        """Return revolutions until the first sector of each read passed, less its angle: they differ by skews only."""
        return np.asarray((self.seen.done - self.transfer(period)) / period - self.seen.angle)

    def pairs(self, places: IntArray, span: float) -> tuple[IntArray, IntArray]:
        """Return the earlier and the later read of all pairs of *places* at most *span* seconds apart."""
        early, late = [np.zeros(0, int)], [np.zeros(0, int)]
        for back in range(1, min(MAX_READS_BACK, len(places))):
            near = self.seen.done[places[back:]] - self.seen.done[places[:-back]] < span
            if not near.any():
                break
            early.append(places[:-back][near])
            late.append(places[back:][near])
        return np.concatenate(early), np.concatenate(late)

    def spectra(self, period: float, span: float) -> dict[int, ZoneSpectrum]:
        """Return the spectrum of each zone that has at least MIN_PAIRS pairs."""
        seen, phases, spectra = self.seen, self.phases(period), {}
        for zone in np.unique(seen.zone[self.chosen]).tolist():
            early, late = self.pairs(np.flatnonzero(self.chosen & (seen.zone == zone)), span)
            if len(early) < MIN_PAIRS:
                continue
            heads, cylinders = (of[late] - of[early] for of in (seen.ordinal, seen.cylinders))
            spectra[zone] = zone_spectrum(
                int(seen.per_track[early[0]]), seen.heads, heads, cylinders, phases[late] - phases[early])
        return spectra


def agreement(spectra: Iterable[ZoneSpectrum]) -> SkewAgreement:
    total = np.zeros((SKEW_GRID, SKEW_GRID))
    for spectrum in spectra:
        total += spectrum.pairs * spectrum.coarse(SKEW_GRID)
    best = int(np.argmax(total))
    return SkewAgreement(float(total.flat[best]), best // SKEW_GRID / SKEW_GRID, best % SKEW_GRID / SKEW_GRID)


def rotation_of(reads: ReadPhases, nominal: float, zones: int) -> Rotation:
    """Find the period near the *nominal* one, and the skews of all *zones*."""
    period = _period(_with_high_water(reads, nominal, PAIR_SPANS[0]), nominal)
    reads = _with_high_water(reads, period, PAIR_SPANS[1])
    spectra = reads.spectra(period, PAIR_SPANS[-2])
    common = agreement(spectra.values())
    peaks = {zone: _peak(of.heights(), of.pairs, common) for zone, of in spectra.items()}
    turns = [_turn(peaks.get(zone), reads, zone, common) for zone in range(zones)]
    placed = tuple(TrackTurn(*turn, offset) for turn, offset in zip(turns, _offsets(reads, period, turns), strict=True))
    return Rotation(period, reads.high_water, _write_delay(reads, period, placed), placed, peaks)


def _with_high_water(reads: ReadPhases, period: float, span: float) -> ReadPhases:
    """Return *reads* with the high-water mark for which angles agree best; 0 if they agree about as well without."""
    tried = {share: _score(replace(reads, high_water=share), period, span) for share in READ_SHARES}
    best = max(tried, key=lambda share: tried[share])
    return replace(reads, high_water=best if tried[best] > MIN_AGREEMENT_GAIN * tried[0.0] else 0.0)


def _score(reads: ReadPhases, period: float, span: float) -> float:
    return agreement(reads.spectra(period, span).values()).score


def _period(reads: ReadPhases, nominal: float) -> float:
    best, spread, step = nominal, MAX_PERIOD_ERROR, MAX_PERIOD_ERROR
    for span in (usable := [span for span in PAIR_SPANS if reads.spectra(nominal, span)]):
        step = TURN_STEP * nominal / span
        count = round(spread / step)
        tried = [best * (1.0 + step * number) for number in range(-count, count + 1)]
        best = max(tried, key=lambda period: _score(reads, period, span))
        spread = STEPS_AROUND * step
    if not usable:
        return nominal  # without pairs, all periods agree as well
    answer = minimize_scalar(lambda turn: -_score(reads, best * (1.0 + turn), PAIR_SPANS[-1]), bounds=(-step, step),
                            method="bounded", options={"xatol": step / 100.0})
    return best * (1.0 + float(answer.x))


def _peak(heights: FloatArray, pairs: int, common: SkewAgreement) -> ZonePeak:
    """Return the highest place of all, unless chance explains it; otherwise the highest near the *common* skews."""
    size, spread, best = len(heights), float(heights.std()), int(np.argmax(heights))
    alone = ZonePeak(best // size, best % size, float(heights.flat[best]), spread * sqrt(2 * log(size**2)), pairs,
                     _slack(heights, best, pairs))
    if alone.is_significant:
        return alone
    near = np.arange(-SKEW_RANGE, SKEW_RANGE + 1)
    tracks, cylinders = (np.asarray((round(of * size) + near) % size) for of in (common.track, common.cylinder))
    window = heights[np.ix_(tracks, cylinders)]
    best = int(np.argmax(window))
    track, cylinder = int(tracks[best // len(near)]), int(cylinders[best % len(near)])
    return ZonePeak(track, cylinder, float(window.flat[best]), spread * sqrt(2 * log(window.size)), pairs,
                    _slack(heights, track * size + cylinder, pairs))


def _slack(heights: FloatArray, best: int, pairs: int) -> int:
    """Return how many sectors from the peak the agreement is as high, within the error of a mean of *pairs* cosines."""
    size, peak = len(heights), float(heights.flat[best])
    error = (1.0 - peak**2) / sqrt(2.0 * pairs)
    close = np.argwhere(heights >= peak - PEAK_ERRORS * error) - np.array([best // size, best % size])
    near = np.abs((close + size // 2) % size - size // 2).max(axis=1)
    return int(near[near <= SKEW_RANGE].max())


def _turn(peak: ZonePeak | None, reads: ReadPhases, zone: int, common: SkewAgreement) -> tuple[float, float]:
    if peak is None or not peak.is_significant:
        return common.track, common.cylinder
    size = int(reads.seen.per_track[reads.seen.zone == zone][0])
    return peak.track / size, peak.cylinder / size


def _offsets(reads: ReadPhases, period: float, turns: list[tuple[float, float]]) -> list[float]:
    """Return the angle at which each zone begins, the first at 0: pairs of reads in two zones agree best on these.

    The mean of exp(2 pi i (phase difference)) between each two zones is a Hermitian matrix; the angles of its leading
    eigenvector are the best offsets (Singer, Angular synchronization by eigenvectors, 2011).
    """
    seen = reads.seen
    track, cylinder = np.array(turns)[seen.zone].T
    phases = reads.phases(period) - track * seen.tracks - cylinder * seen.cylinders
    early, late = reads.pairs(np.flatnonzero(reads.chosen), PAIR_SPANS[1])
    between = np.zeros((len(turns), len(turns)), complex)
    np.add.at(between, (seen.zone[late], seen.zone[early]), np.exp(2j * np.pi * (phases[late] - phases[early])))
    between += between.conj().T
    leading = np.linalg.eigh(between)[1][:, -1]
    offsets = np.angle(leading * leading[0].conj()) / (2 * np.pi) if abs(leading[0]) > 0.0 else np.angle(leading)
    return [float(each % 1.0) for each in offsets]


def _write_delay(reads: ReadPhases, period: float, turns: tuple[TrackTurn, ...]) -> float:
    """Return the seconds, up to half a period, by which a write is done later than a read that ends at its angle."""
    seen = reads.seen
    writes = ~seen.reads & seen.unbuffered & seen.on_one_track
    track, cylinder, offset = np.array([(turn.track, turn.cylinder, turn.offset) for turn in turns])[seen.zone].T
    skews = track * seen.tracks + cylinder * seen.cylinders + offset
    phases = np.where(writes, seen.done / period - seen.angle - seen.sectors / seen.per_track, reads.phases(period))
    early, late = reads.pairs(np.flatnonzero(reads.chosen | writes), PAIR_SPANS[0])
    both = writes[late] & ~writes[early]
    if not both.any():
        return 0.0
    turns_apart = (phases - skews)[late[both]] - (phases - skews)[early[both]]
    return float(np.angle(np.exp(2j * np.pi * turns_apart).sum()) / (2 * np.pi) * period)
