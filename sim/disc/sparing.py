"""Places spare sectors by DiskSim's eleven schemes: bad sectors are slipped (skipped) or remapped to spare ones."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from spindle.sim.disc.layout import Stretch
from spindle.sim.error import UserError

MAX_GROUPS = 2_000_000
"""Groups of tracks that have spare sectors; a list of more would not fit into memory."""
Sectors = tuple[int, int]
"""Consecutive sectors: the first, and the first after them."""


@dataclass(frozen=True)
class Surface:
    """The tracks of a zone. *slips* are skipped; *moved* has pairs of a bad sector and its replacement (``defects``).

    All count from the first of the zone, in the order of its blocks. *spares* are kept free in each group of tracks;
    *range_cylinders* is the size of a group for sparing by ranges of cylinders.
    """

    cylinders: int
    heads: int
    sectors_per_track: int
    spares: int = 0
    slips: tuple[int, ...] = ()
    moved: tuple[tuple[int, int], ...] = ()
    range_cylinders: int = 1

    @property
    def sectors(self) -> int:
        return self.cylinders * self.heads * self.sectors_per_track


def sectors_of_sector(surface: Surface) -> int:
    return 1


def sectors_of_track(surface: Surface) -> int:
    return surface.sectors_per_track


def sectors_of_cylinder(surface: Surface) -> int:
    return surface.sectors_per_track * surface.heads


def sectors_of_range(surface: Surface) -> int:
    return surface.sectors_per_track * surface.heads * surface.range_cylinders


def keep_last(first: int, end: int, spares: int, slips: list[int]) -> Sectors:
    """Keep the last sectors of a group spare, whatever is slipped before them."""
    return end - spares, end


def keep_first(first: int, end: int, spares: int, slips: list[int]) -> Sectors:
    """Keep the first sectors of a group spare, whatever is slipped after them."""
    return first, first + spares


def keep_last_left(first: int, end: int, spares: int, slips: list[int]) -> Sectors:
    """Keep the last sectors of a group spare, except for one used up by each slip before them."""
    free = end - spares
    for slip in slips:
        free += slip < free
    return free, end


def keep_first_left(first: int, end: int, spares: int, slips: list[int]) -> Sectors:
    """Keep the first sectors of a group spare, except for one used up by each slip after them."""
    free = first + spares
    for slip in reversed(slips):
        free -= slip >= free
    return first, free


@dataclass(frozen=True)
class Sparing:
    """A sparing scheme: bad *unit*s are slipped or remapped, and each *group* keeps spare sectors where *spare* says.

    Without a group, the sectors after the last block of the zone are spare. Where slips *delay*, a track
    begins one sector later for each slip in the groups before its own.
    """

    name: str
    unit: Callable[[Surface], int] = sectors_of_sector
    group: Callable[[Surface], int] | None = None
    spare: Callable[[int, int, int, list[int]], Sectors] = keep_last_left
    delay: bool = False

    def stretches(self, surface: Surface, empty: int, blocks: int) -> tuple[Stretch, ...]:
        """Return the stretches of *blocks* blocks on the *surface*, after its first *empty* usable sectors."""
        unit = self.unit(surface)
        _check(surface, unit)
        slips = sorted(surface.slips)
        holes = sorted([(slip * unit, (slip + 1) * unit) for slip in slips] + list(self._spares(surface, slips)))
        pieces = list(_part(_gaps(holes, surface.sectors), empty, blocks))
        room = sum(end - begin for begin, end in pieces)
        if room < blocks:
            raise UserError(f"{blocks} blocks do not fit on the {room} sectors that are neither empty, bad nor spare")
        if surface.moved:
            pieces = list(_replace(pieces, {bad * unit: instead * unit for bad, instead in surface.moved}, unit))
        if not (self.delay and slips and self.group):
            return tuple(Stretch(begin, end - begin) for begin, end in pieces)
        group = self.group(surface)
        cuts = sorted({(slip // group + 1) * group for slip in slips})
        return tuple(Stretch(begin, end - begin, bisect_left(slips, begin // group * group))
                     for piece in pieces for begin, end in _cut(piece, cuts))

    def _spares(self, surface: Surface, slips: list[int]) -> Iterator[Sectors]:
        if self.group is None or not surface.spares:
            return
        group = self.group(surface)
        if surface.sectors // group > MAX_GROUPS:
            raise UserError(f"spares: {surface.sectors // group} groups with spares of their own are too many; "
                          f"at most {MAX_GROUPS}")
        for begin in range(0, surface.sectors - group + 1, group):
            inside = slips[bisect_left(slips, begin):bisect_left(slips, begin + group)]
            spare = self.spare(begin, begin + group, surface.spares, inside)
            if not begin <= spare[0] <= spare[1] <= begin + group:
                raise UserError(f"spares: {surface.spares} of {group} sectors cannot make up for {len(inside)} slips")
            yield spare


def _check(surface: Surface, unit: int) -> None:
    """UserError unless slips and moves lie in the zone, and no sector is slipped or moved twice."""
    places = surface.sectors // unit
    what = "slips", "defects", "defects"
    bad, instead = [pair[0] for pair in surface.moved], [pair[1] for pair in surface.moved]
    for name, numbers in zip(what, (surface.slips, bad, instead), strict=True):
        for number in numbers:
            if not 0 <= number < places:
                raise UserError(f"{name}: {number} is not in a zone of {places} {'tracks' if unit > 1 else 'sectors'}")
        for before, after in pairwise(sorted(numbers)):
            if before == after:
                raise UserError(f"{name}: {after} must not stand there twice")


def _gaps(holes: Iterable[Sectors], end: int) -> Iterator[Sectors]:
    """Return the sectors up to *end* outside the *holes*, which are in order and may overlap."""
    begin = 0
    for hole, after in holes:
        if begin < hole:
            yield begin, hole
        begin = max(begin, after)
    if begin < end:
        yield begin, end


def _part(pieces: Iterable[Sectors], skip: int, take: int) -> Iterator[Sectors]:
    """Yield the parts of *pieces* that lie in the first *take* sectors after the first *skip*."""
    for begin, end in pieces:
        skipped = min(skip, end - begin)
        size = min(take, end - begin - skipped)
        if size:
            yield begin + skipped, begin + skipped + size
        skip -= skipped
        take -= size


def _replace(pieces: Iterable[Sectors], instead: dict[int, int], unit: int) -> Iterator[Sectors]:
    """Replace in *pieces* the *unit* sectors from each key of *instead* by those from its value."""
    cuts = sorted({cut for bad in instead for cut in (bad, bad + unit)})
    for piece in pieces:
        for begin, end in _cut(piece, cuts):
            bad = begin // unit * unit
            shift = instead.get(bad, bad) - bad
            yield begin + shift, end + shift


def _cut(piece: Sectors, cuts: list[int]) -> Iterator[Sectors]:
    """Divide *piece* at the *cuts*, which are in order."""
    begin, end = piece
    for cut in cuts[bisect_left(cuts, begin + 1):bisect_left(cuts, end)]:
        yield begin, cut
        begin = cut
    yield begin, end


SPARINGS = {
    0: Sparing("none"),
    1: Sparing("tracks at the end of each zone", unit=sectors_of_track),
    2: Sparing("sectors at the end of each cylinder", group=sectors_of_cylinder, delay=True),
    3: Sparing("sectors at the end of each track", group=sectors_of_track, delay=True),
    4: Sparing("sectors at the end of each cylinder, slips carried on", group=sectors_of_cylinder, spare=keep_last,
               delay=True),
    5: Sparing("sectors at the front of each cylinder", group=sectors_of_cylinder, spare=keep_first_left, delay=True),
    6: Sparing("sectors at the front of each cylinder, slips carried on", group=sectors_of_cylinder, spare=keep_first,
               delay=True),
    7: Sparing("sectors at the end of the disc"),
    8: Sparing("sectors at the end of each range of cylinders", group=sectors_of_range),
    9: Sparing("sectors at the end of each zone"),
    10: Sparing("sectors at the end of each zone, slips carried on"),
}  # fmt: skip
"""The schemes by the number that DiskSim 4.0 gives them (its layout_g1 module)."""
