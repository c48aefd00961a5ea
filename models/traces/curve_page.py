"""Hit curves as a page for a screen of 80 columns: a line for each size, a column for each policy."""

from collections.abc import Mapping

from models.shown import counted, spaced
from models.traces.curves import CurveRow, Curves
from sim.units import KIB, MIB, MS

LINES = 16
"""Sizes that are shown; a file has all."""
ACROSS = 5
"""Columns that fit beside the size; more go below."""


def page(curves: Curves, block: int | None, responses: Mapping[tuple[str, int], float]) -> list[str]:
    """Ratios in percent; mean responses in a table of their own. *block* is the size of one, None for objects."""
    policies = list(dict.fromkeys(row.policy for row in curves.rows))
    by_place = {(row.policy, row.cache_blocks): row for row in curves.rows}
    shown = spaced(curves.sizes, LINES)
    ratios = {name: {size: _ratio(by_place[name, size]) for size in shown} for name in policies}
    if curves.che:
        ratios["lru, Che"] = {size: f"{curves.che[size]:.2%}" for size in shown}
    what = "objects" if block is None else "blocks"
    lines = [f"{counted(curves.rows[0].refs, 'reference')} to {what}" + (f" of {block / KIB:g} KiB" if block else "")]
    lines += _tables("hit ratio", ratios, shown, block)
    if curves.rows[0].low is not None:
        lines += ["", f"of samples of the {what}, with half of the 95 % interval; samples keep hit ratios, not queues"]
    if responses:
        simulated = sorted({size for _, size in responses})
        times = {name: {size: f"{responses[name, size] / MS:.3f}" for size in simulated}
                 for name in policies if (name, simulated[0]) in responses}
        lines += _tables("mean response, ms", times, simulated, block)
    return lines


def _ratio(row: CurveRow) -> str:
    if row.low is None or row.high is None:
        return f"{row.hit_ratio:.2%}"
    return f"{100 * row.hit_ratio:.1f} ±{50 * (row.high - row.low):.1f}"


def _tables(what: str, cells: Mapping[str, Mapping[int, str]], sizes: list[int], block: int | None) -> list[str]:
    lines = []
    names = list(cells)
    head = f"{'objects':>20}" if block is None else f"{'blocks':>10}{'MiB':>10}"
    for begin in range(0, len(names), ACROSS):
        group = names[begin : begin + ACROSS]
        lines += ["", f"{what:<20}" + "".join(f"{name:>12}" for name in group), head]
        lines += [_size(size, block) + "".join(f"{cells[name][size]:>12}" for name in group) for size in sizes]
    return lines


def _size(size: int, block: int | None) -> str:
    return f"{size:>20}" if block is None else f"{size:>10}{size * block / MIB:>10,.4g}"
