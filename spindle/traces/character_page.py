"""Shows the character of a trace (see characterise.py): as text of 80 columns, as numbers for JSON, and as a table."""

from collections.abc import Iterator, Mapping
from typing import Any

from spindle.output.text import plural
from spindle.sim.request import READ, WRITE
from spindle.sim.units import GIB, KIB, MS
from spindle.traces.characterise import GAP_TICK, HOTTEST_SHARES, Characterisation, Histogram

OPERATIONS = {"reads": READ, "writes": WRITE}
SHOWN_SHARES = {"median": 0.5, "p90": 0.9, "p99": 0.99, "most": 1.0}
"""The percentiles of each distribution that are shown, with their shares."""
BAR_WIDTH = 34
"""Characters of a bar of 100 %."""
LISTED_SIZES = 6
"""Number of the most frequent sizes of requests, which are shown one by one."""


def numbers(character: Characterisation) -> dict[str, Any]:
    """Return all numbers, in bytes and seconds; NaN where there is no value."""
    kinds = {name: character.kinds[op] for name, op in OPERATIONS.items() if op in character.kinds}
    locality = character.locality
    return {
        "requests": character.requests, "devices": character.devices, "read_share": character.read_share,
        "sequential_share": character.sequential_share, "seconds": seconds(character),
        **{name: {"requests": kind.sizes.total, "bytes": bytes_of(kind.sizes), "size": spread(kind.sizes),
                  "run": spread(kind.runs)} for name, kind in kinds.items()},
        "gap": spread(character.gaps, GAP_TICK),
        "block": character.block, "references": locality.references, "blocks": locality.blocks,
        "footprint": character.footprint, "first_uses": locality.first_uses, "sample": locality.sample,
        "hot": {f"{share:g}": part for share, part in zip(HOTTEST_SHARES, locality.hot, strict=True)},
        "distance": spread(locality.distances),
    }  # fmt: skip


def spread(histogram: Histogram, unit: float = 1.0) -> dict[str, float]:
    character = {"mean": histogram.mean, **{name: histogram.quantile(share) for name, share in SHOWN_SHARES.items()}}
    return {name: value * unit for name, value in character.items()}


def seconds(character: Characterisation) -> float | None:
    """Return the seconds from the first request to the last; None if there are no times."""
    return character.gaps.mean * character.gaps.total * GAP_TICK if character.gaps.total else None


def bytes_of(sizes: Histogram) -> int:
    return round(sizes.mean * sizes.total)


def table(character: Characterisation) -> Iterator[tuple[str, float, int]]:
    """Yield each value of each distribution with its count: sizes in bytes, gaps in seconds, runs in requests."""
    for name, op in OPERATIONS.items():
        if op in character.kinds:
            yield from _rows(f"size of {name}", character.kinds[op].sizes)
            yield from _rows(f"run of {name}", character.kinds[op].runs)
    yield from _rows("gap", character.gaps, GAP_TICK)
    yield from _rows("reuse distance", character.locality.distances)


def _rows(name: str, histogram: Histogram, unit: float = 1.0) -> Iterator[tuple[str, float, int]]:
    for value, times in zip(histogram.values, histogram.counts, strict=True):
        yield name, value if unit == 1.0 else value * unit, times


def page(character: Characterisation) -> list[str]:
    return [*_head(character), "", *_kinds(character), "", *_sizes(character), "",
            *_gaps(character), *_locality(character)]


def _head(character: Characterisation) -> list[str]:
    lasting = seconds(character)
    untimed = " without times" if character.requests > 1 else ""
    time = untimed if lasting is None else f" in {lasting:,.6g} s"
    rate = f", {character.requests / lasting:,.4g} a second" if lasting else ""
    return [f"{plural(character.requests, 'request')} of {plural(len(character.devices), 'device')}{time}{rate}; "
            f"{character.read_share:.1%} read"]


def _kinds(character: Characterisation) -> list[str]:
    """Reads beside writes."""
    lines = [f"{'':<26}{'requests':>11}{'GiB':>9}{'mean':>8}{'median':>8}{'p90':>8}{'most':>10}"]
    kinds = [(name, character.kinds[op]) for name, op in OPERATIONS.items() if op in character.kinds]
    for name, kind in kinds:
        sizes = spread(kind.sizes, 1 / KIB)
        lines.append(f"{f'size of {name}, KiB':<26}{kind.sizes.total:>11,}{bytes_of(kind.sizes) / GIB:>9.3f}"
                     f"{_cells(sizes)}")
    for name, kind in kinds:
        lines.append(f"{f'run of {name}, requests':<26}{kind.runs.total:>11,}{'':>9}{_cells(spread(kind.runs))}")
    share = character.sequential_share
    return [*lines, f"{share:.1%} of all requests begin where the one before them ended, and are of its kind"]


def _cells(shown: Mapping[str, float]) -> str:
    return "".join(_cell(shown[name], width) for name, width in (("mean", 8), ("median", 8), ("p90", 8), ("most", 10)))


def _cell(value: float, width: int) -> str:
    """Format *value* with at least one space before it."""
    return f" {f'{value:,.0f}' if value >= 1000 else f'{value:.4g}':>{width - 1}}"


def _sizes(character: Characterisation) -> list[str]:
    """Return lines with the most frequent sizes, small sizes first."""
    counts: dict[int, int] = {}
    for kind in character.kinds.values():
        for value, times in zip(kind.sizes.values, kind.sizes.counts, strict=True):
            counts[value] = counts.get(value, 0) + times
    common = sorted(sorted(counts, key=lambda value: (-counts[value], value))[:LISTED_SIZES])
    shares = {f"{_kibibytes(value)} KiB": counts[value] / character.requests for value in common}
    return ["the commonest sizes, and their share of the requests", *_bars(shares)]


def _kibibytes(size: int) -> str:
    return f"{size / KIB:,.0f}" if size >= 100_000 * KIB else f"{size / KIB:,.6g}"


def _bars(shares: Mapping[str, float]) -> list[str]:
    return [f"{name:>24}{share:>8.1%}  {'#' * round(BAR_WIDTH * share)}".rstrip() for name, share in shares.items()]


def _gaps(character: Characterisation) -> list[str]:
    if not character.gaps.total:
        return []
    return [f"{'between requests, ms':<46}{_cells(spread(character.gaps, GAP_TICK / MS))}", ""]


def _locality(character: Characterisation) -> list[str]:
    locality = character.locality
    sampled = f" (of {locality.sample:.3%} of the blocks)" if locality.sample < 1.0 else ""
    hottest = {f"hottest {share:.1%}": part for share, part in zip(HOTTEST_SHARES, locality.hot, strict=True)}
    lines = [
        f"{plural(locality.references, 'reference')} to {plural(locality.blocks, 'block')} "
        f"of {character.block / KIB:g} KiB, {character.footprint / GIB:.3f} GiB{sampled}",
        f"{locality.first_uses:.1%} of them are a block's first", "",
    ]  # fmt: skip
    if locality.distances.total:
        lines += [f"{'blocks used between a use and the next':<46}{_cells(spread(locality.distances))}", ""]
    return [*lines, "where the references go: the hottest blocks, and their share", *_bars(hottest)]
