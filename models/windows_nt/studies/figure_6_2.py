"""Studies the disc's rate by record size, and asynchronous reads, for Blake's figure 6.2, whose values are lost."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.trials import Row, workload
from spindle.sim.units import KIB, MS
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, seconds
from spindle.workloads.probe.script import Mode
from spindle.workloads.probe.variations import computing, in_mode, resize_records

ORDERS = {"in sequence": "sequential_read", "at random": "random_read"}
READ_WAYS = {"synchronous": Mode.BUFFERED, "asynchronous": Mode.ASYNCHRONOUS}


def record(order: str, size: int, seed: object, seconds: float, **parameters: Any) -> Row:
    """Measure the transfer of the laptop's disc in records of *size* bytes without the cache, in one of ORDERS."""
    probe = resize_records(in_mode(workload(ORDERS[order]), Mode.UNBUFFERED), size)
    ms = run(probe, seed, seconds, **parameters).extras["response_ms"]
    return {"ms": ms, "kb_per_second": size / KIB / (ms * MS)}


def overlap(way: str, computing_ms: float, seed: object, seconds: float, **parameters: Any) -> Row:
    """Run a reader at random from a file that is not in the cache, who computes between reads, in one of READ_WAYS."""
    probe = computing(in_mode(workload("overlapped_read"), READ_WAYS[way]), computing_ms * MS)
    result = run(probe, seed, seconds, **parameters)
    kinds = {kind: result.extras[f"Cache: {kind} Copy Reads/sec"] for kind in ("Sync", "Async")}
    return {"ms": result.extras["response_ms"], **{f"{kind.lower()}_reads": rate for kind, rate in kinds.items()}}


RECORD_SIZES = [512 << step for step in range(8)]
COMPUTING = [0.0, 5.0, 10.0, 20.0, 40.0]
"""Milliseconds of computing between two reads."""
OVERLAP_MS = 20.0
"""Milliseconds of computing at which a claim compares synchronous with asynchronous reads."""


def by_record(rows: pd.DataFrame) -> pd.DataFrame:
    return summarise(rows.assign(kb=rows["size"] / KIB), ["order", "kb"], ["ms", "kb_per_second"])


draw_by_record = partial(curve, x="kb", y="kb_per_second", by="order", x_label="record, KB",
                         y_label="uncached, KB a second",
                         title="A record as large as the drive's buffer streams no more", base=2)


def caption_by_record(table: pd.DataFrame) -> str:
    rate = table.set_index(["order", "kb"])["kb_per_second"]
    best, large = float(rate["in sequence"].idxmax()), table["kb"].max()
    return (
        "In the form of the book's figure 6.2, whose values are lost. In sequence "
        f"{rate['in sequence', 4]:.0f} KB a second with 4 KB, at most {rate['in sequence', best]:.0f} with "
        f"{best:g} KB: beyond, the drive's buffer of 32 KB holds no more than the record, and a revolution is lost. At "
        f"random {rate['at random', 4]:.0f} and {rate['at random', large]:.0f} with 4 and {large:g} KB."
    )


by_computing = partial(summarise, by=["way", "computing_ms"], values=["ms", "sync_reads", "async_reads"])

draw_by_computing = partial(curve, x="computing_ms", y="ms", by="way", x_label="computing between two reads, ms",
                            y_label="a cycle, ms", title="What is not waited for is hidden behind computing")


def caption_by_computing(table: pd.DataFrame) -> str:
    ms = table.set_index(["way", "computing_ms"])["ms"]
    each = ", ".join(f"{ms['synchronous', at]:.0f} and {ms['asynchronous', at]:.0f} ms with {at:g}" for at in COMPUTING)
    return f"Reads at random from 10 MB, cold. A cycle takes, read synchronously and asynchronously: {each}."


def measure_overlap(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether a program that does not wait takes less time, and if counters tell the two programs apart."""
    ways = {way: rows.one(way=way, computing_ms=OVERLAP_MS) for way in READ_WAYS}
    waits, goes_on = ways["synchronous"], ways["asynchronous"]
    broken_out = waits["async_reads"] == goes_on["sync_reads"] == 0.0 < min(waits["sync_reads"], goes_on["async_reads"])
    return {"overlaps": float(goes_on["ms"] < waits["ms"]), "broken_out": float(broken_out)}


STUDIES = (
    Study(
        "laptop_disc", [Runs(record, seconds(12.0, shorter=2.0), order=list(ORDERS), size=RECORD_SIZES)],
        Figure(by_record, draw_by_record, caption_by_record), replications=3,
    ),
    Study(
        "asynchronous", [Runs(overlap, seconds(20.0, shorter=2.0), way=list(READ_WAYS), computing_ms=COMPUTING)],
        Figure(by_computing, draw_by_computing, caption_by_computing), measure_overlap, replications=3,
    ),
)  # fmt: skip
