"""Computes hit ratios of requests and bytes by cache size, for objects with sizes, times to live or admission."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError, quote
from spindle.sim.eviction.policy import NeedsCapacity
from spindle.traces.blocks import NO_DROPS, Drops, TraceReferences
from spindle.traces.curve import object_hits
from spindle.traces.curve.fastest import Progress, belady_hits
from spindle.traces.curve.question import BELADY_SIZE, BOUNDS, CURVE_POLICIES
from spindle.traces.curves import policy_of

USUAL_SIZE_COUNT, LARGEST_TO_SMALLEST = 12, 1 << 11
"""Number of cache sizes where the question names none, and the ratio of the largest to the smallest."""


@dataclass(frozen=True)
class ObjectRules:
    """Rules for objects: if caches are sized *in_bytes*, if times to live are *honoured*, and the *admission*."""

    in_bytes: bool = False
    honoured: bool = False
    admission: Callable[[], object_hits.Admission] = object_hits.AdmitAll


class ObjectRow(NamedTuple):
    """Hits and bytes hit of *refs* references to *bytes* bytes, in a cache of *capacity* bytes or objects."""

    policy: str
    capacity: int
    refs: int
    hits: int
    bytes: int
    hit_bytes: int

    @property
    def hit_ratio(self) -> float:
        return self.hits / self.refs if self.refs else 0.0

    @property
    def byte_hit_ratio(self) -> float:
        return self.hit_bytes / self.bytes if self.bytes else 0.0


NO_SIZES = "--bytes needs the sizes of objects, and the trace has none that is known: --columns key=NAME,size=NAME " \
           "names them, in CSV or JSON lines"  # fmt: skip


class ObjectReferences(NamedTuple):
    """References of a trace by key, with sizes; *late* ones come too late; *mortal* if any has a time to live."""

    keys: NDArray[np.int64]
    sizes: NDArray[np.int64]
    late: NDArray[np.bool_]
    mortal: bool
    drops: Drops = NO_DROPS
    unsized: int = 0
    """Requests without a size in the trace."""
    sized: bool = True
    """False if there is no size at all."""


def object_references(string: TraceReferences, block: int, rules: ObjectRules) -> ObjectReferences:
    """Build the references of *string*; blocks of a device have *block* bytes each."""
    sized = not string.unsized or string.unsized < len(string.counts)
    if rules.in_bytes and not sized:
        raise UserError(NO_SIZES)
    count = len(string.blocks)
    sizes = np.repeat(string.sizes, string.counts) if string.keyed else np.full(count, block)
    late = np.zeros(count, dtype=np.bool_)
    if rules.honoured:
        times, ttls = np.repeat(string.times, string.counts), np.repeat(string.ttls, string.counts)
        late = object_hits.mark_expired(string.blocks, times, ttls, np.repeat(string.writes, string.counts),
                                        string.drops.by_reference())  # fmt: skip
    return ObjectReferences(string.blocks, sizes, late, not bool(np.isnan(string.ttls).all()), string.drops,
                            string.unsized, sized)  # fmt: skip


def check_fits_bytes(policy: str) -> None:
    """Raise UserError if the *policy* divides a number of entries, which a cache of bytes does not have."""
    if _divides(policy):
        fit = [name for name in CURVE_POLICIES if name not in BOUNDS and not _divides(name)]
        raise UserError(f"policy {quote(policy)} divides a fixed number of entries, and a cache of --bytes has none: "
                        f"there are {', '.join([*fit, BELADY_SIZE])}")


def _divides(policy: str) -> bool:
    kind = policy_of(policy)
    return isinstance(kind, type) and issubclass(kind, NeedsCapacity)


def working_set_of(string: ObjectReferences, rules: ObjectRules) -> int:
    """Return the bytes of all objects, or their number."""
    _, first = np.unique(string.keys, return_index=True)
    return int(string.sizes[first].sum()) if rules.in_bytes else len(first)


def usual_capacities(string: ObjectReferences, rules: ObjectRules) -> list[int]:
    """Return capacities spread by logarithm, up to one that holds every object."""
    most = working_set_of(string, rules)
    sizes = np.geomspace(max(1, most / LARGEST_TO_SMALLEST), max(1, most), USUAL_SIZE_COUNT)
    return sorted({round(size) for size in sizes})


def object_curves(
    string: ObjectReferences, policies: Sequence[str], capacities: Sequence[int], early: int, rules: ObjectRules,
    progress: Progress = lambda _: None,
) -> list[ObjectRow]:  # fmt: skip
    refs, total = len(string.keys) - early, int(string.sizes[early:].sum())
    rows = []
    for policy in policies:
        hits = _hits(string, policy, capacities, early, rules)
        progress(len(string.keys))
        rows += [ObjectRow(policy, size, refs, hits[size].hits, total, hits[size].bytes) for size in capacities]
    return rows


def _hits(
    string: ObjectReferences, policy: str, capacities: Sequence[int], early: int, rules: ObjectRules
) -> Mapping[int, object_hits.SizedHits]:
    is_bound = policy in (*BOUNDS, BELADY_SIZE)
    keys = object_hits.lives(string.keys, string.late) if is_bound and string.late.any() else string.keys
    if is_bound and rules.admission is not object_hits.AdmitAll:
        raise UserError(f"{policy} chooses itself what it admits; name other policies with --admit")
    if policy == BELADY_SIZE:
        return object_hits.belady_size_hits(keys.tolist(), string.sizes.tolist(), capacities, early)
    if policy in BOUNDS and not rules.in_bytes:
        hits = belady_hits(keys, capacities, early, BOUNDS[policy])
        return {size: object_hits.SizedHits(count, 0) for size, count in hits.items()}
    if policy in BOUNDS:
        raise UserError(f"{policy} is the bound for objects of one size; {BELADY_SIZE} takes sizes into account")
    sized = object_hits.SizedString(keys.tolist(), string.sizes.tolist(), string.late.tolist(),
                                    string.drops.by_reference())
    return object_hits.replay_sized(policy_of(policy), sized, capacities, early, rules.admission, rules.in_bytes)
