"""Shows hit curves of objects as text of 80 columns, and as rows of a table."""

from collections.abc import Sequence
from typing import Any

from spindle.output.text import plural
from spindle.sim.quantity import quantity
from spindle.traces.curve.question import BOUNDS
from spindle.traces.objects import ObjectReferences, ObjectRow, ObjectRules


def object_page(rows: Sequence[ObjectRow], string: ObjectReferences, rules: ObjectRules) -> list[str]:
    """Return the lines of text, of 80 characters: two columns for each policy, and three policies side by side."""
    policies = list(dict.fromkeys(row.policy for row in rows))
    what = f"{plural(rows[0].bytes, 'byte')} of objects" if rows and string.sized else "objects without sizes"
    lines = [f"{plural(rows[0].refs, 'reference')} to {what}" if rows else "no references"]
    if string.unsized and string.sized:
        lines.append(f"{plural(string.unsized, 'request')} of an object without a size in the trace: taken for 1 byte")
    if rules.honoured:
        late = int(string.late.sum())
        lines.append(f"{late:,} come{'s' * (late == 1)} too late: what a cache has is no longer valid"
                     if string.mortal else "none has a time to live: all are valid for ever")
    for begin in range(0, len(policies), 3):
        group = policies[begin : begin + 3]
        lines += ["", f"{'':<14}" + "".join(f"{name:>22}" for name in group),
                  f"{'bytes' if rules.in_bytes else 'objects':>14}" + f"{'requests':>11}{'bytes':>11}" * len(group)]
        for capacity in dict.fromkeys(row.capacity for row in rows):
            size = quantity(capacity, "bytes") if rules.in_bytes else f"{capacity:,}"
            lines.append(f"{size:>14}" + "".join(_ratios(row, string.sized) for row in rows
                                                 if row.capacity == capacity and row.policy in group))
    return lines


def _ratios(row: ObjectRow, sized: bool) -> str:
    in_bytes = sized and row.policy not in BOUNDS
    return f"{row.hit_ratio:>11.2%}" + (f"{row.byte_hit_ratio:>11.2%}" if in_bytes else f"{'-':>11}")


def object_rows(rows: Sequence[ObjectRow], rules: ObjectRules) -> list[dict[str, Any]]:
    """Return a row for each policy and cache size; sizes are bytes or objects."""
    room = "cache_bytes" if rules.in_bytes else "cache_objects"
    return [{"policy": row.policy, room: row.capacity, "refs": row.refs, "hits": row.hits, "hit_ratio": row.hit_ratio,
             "bytes": row.bytes, "hit_bytes": row.hit_bytes, "byte_hit_ratio": row.byte_hit_ratio} for row in rows]
