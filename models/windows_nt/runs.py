"""What the studies run: a workload of the chapter on the laptop, or chapter 4's disc alone, as a row of numbers."""

from collections.abc import Mapping
from typing import Any

from models.windows_nt.bench_disc import read_alone
from models.windows_nt.cache.lazy_writer import Flushing, KeepsPages
from models.windows_nt.log import MAP_HITS
from models.windows_nt.log import logged as lines
from models.windows_nt.machine import NtOptions
from models.windows_nt.memory.trim_rule import ByShare, TrimRule
from models.windows_nt.parameters import NtParameters
from models.windows_nt.run import run
from models.windows_nt.work.beside import BesideProbe, Nobody
from models.windows_nt.workloads import workload
from sim.parameter import changed
from sim.streams import stream
from sim.units import MIB, MS
from workloads.probe.script import PAGE, Mode
from workloads.probe.variant import anywhere, in_mode, in_records, spread_over, widened
from workloads.probe.walk import ProbeWalk

Row = Mapping[str, Any]
MODES = {"unbuffered": Mode.UNBUFFERED, "buffered": Mode.BUFFERED, "mapped": Mode.MAPPED}
AS_BUILT = 0
"""The size in MB that stands for a cache that is a working set, and for a spread as the script has it."""


def logged(
    work: str, seed: object, share: float, interval: float = 1.0, spread_mb: int = AS_BUILT, fixed_mb: int = AS_BUILT,
    trimming: type[TrimRule] = ByShare, flushing: type[Flushing] = KeepsPages, beside: type[BesideProbe] = Nobody,
    **parameters: Any,
) -> Row:  # fmt: skip
    """A *share* of the trial of *work* with Performance Monitor looking on; responses, and lines that ``Log`` reads."""
    seconds = share * changed(NtParameters(), **parameters).trial
    probe = workload(work)
    probe = spread_over(probe, spread_mb * MIB) if spread_mb else probe
    fixed: dict[str, Any] = {"cache": fixed_mb * MIB} if fixed_mb else {}
    choices = NtOptions(trimming=trimming, flushing=flushing, beside=beside)
    result = run(probe, seed, seconds, interval=interval, choices=choices, **fixed, **parameters)
    return {
        **{name: value for name, value in result.extras.items() if name.startswith("response_ms")},
        "map_hits": result.extras[MAP_HITS],
        "missed_writes": result.counters["cache.pin_reads"] - result.counters["cache.pin_reads_hits"],
        "dirty_pages": result.intervals[-1]["cache.dirty_pages"],
        **lines(result),
    }


def cell(row: str, mode: str, seed: object, seconds: float, **parameters: Any) -> Row:
    """One cell of table 6.2, and where its time went."""
    result = run(in_mode(workload(row), MODES[mode]), seed, seconds, **parameters)
    parts = {f"part_{name}": each for name, each in result.breakdown().items()}
    return {"ms": result.extras["response_ms"], **parts}


def settings(seed: object, **parameters: Any) -> Row:
    """What was put in: sizes, and where Probe's records lie."""
    machine = changed(NtParameters(), **parameters)
    probes = (widened(workload(name), machine.spread) for name in ("sequential_read", "large_read"))
    small, large = (probe.processes[0].threads[0].actions[0] for probe in probes)
    reader, sequence = ProbeWalk(large, stream(seed, "spread")), ProbeWalk(small, stream(seed, "sequence"))
    places = sorted(each.first for _ in range(4000) for each in reader.once())
    firsts = [each.first for _ in range(small.records + 1) for each in sequence.once()]
    return {
        "memory_mb": machine.memory / MIB, "trim_below_mb": machine.trim_below / MIB, "record_bytes": small.record,
        "spread_mb": (places[-20] - places[20]) / MIB, "wraps": float(firsts[-1] == 0 and len(set(firsts)) == 256),
    }  # fmt: skip


def same_record(pages: int, seed: object, **parameters: Any) -> Row:
    """One record of so many *pages* read again and again, in which neither chance nor a parameter has a part."""
    seconds = read_alone(in_records(workload("disc_512"), pages * PAGE), 1, 1)["response"]
    return {"read_ms": seconds / MS, "mb_per_second": pages * PAGE / seconds / MIB}


def alone(work: str, seed: object, cycles: int, wide: bool = False, **parameters: Any) -> Row:
    """What the readers of *work* see of chapter 4's disc; records all over the file if *wide*."""
    probe = anywhere(workload(work)) if wide else workload(work)
    return read_alone(probe, seed, cycles)
