"""The mechanisms of the lecture, switched off one by one: each layer between a program and the disc."""

from typing import Any

from spindle.models.unix_stdio.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, Ablation, ablation
from spindle.studies.study import seconds

MACHINE = AblatedSystem(SYSTEM)
TIME = "us_per_kb"


def _mechanism(name: str, off: str, on: str) -> Ablation:
    return Ablation(name, off, on, TIME, "us a KB")


MECHANISMS = (
    _mechanism("larger blocks, synchronous", "--block 512", "--program w02 --block 64K"),
    _mechanism("past the page cache, synchronous", "--flags O_SYNC",
               "--program w02 --block 64K --flags O_SYNC,O_DIRECT"),
    _mechanism("the page cache, with writing back", "--flags O_SYNC", "--program w04"),
    _mechanism("larger blocks, into the page cache", "--block 1", "--program w04 --block 512"),
    _mechanism("the buffer of stdio, a byte at a time", "--program w03", "--program w05"),
    _mechanism("the buffer of stdio, 64 KiB at a time", "--program w04 --block 64K", "--program w06"),
    _mechanism("the buffer of stdio for reading, a byte at a time", "--program r01", "--program r08 --stride 0"),
    _mechanism("the page cache for reading", "--no-warm", "--program r01 --block 4K --warm"),
    _mechanism("read-ahead in sequence", "--advice random", "--program r01 --block 4K"),
    _mechanism("read-ahead across a stride", "--advice random", "--program r06"),
    _mechanism("a prefetcher that knows the stride", "--prefetcher linux", "--program r06 --prefetcher oracle"),
    _mechanism("stdio across a stride", "--program r06", "--program r08"),
)


def run_with_options(options: str, seed: object, seconds: float, **parameters: Any) -> dict[str, float]:
    rate = MACHINE.summary(options, ("rate",), seed=seed, seconds=seconds, keep_rows=False, **parameters)["rate"]
    return {TIME: 1024e6 / rate}


STUDIES = (ablation("unix_stdio", run_with_options, seconds(100.0), MECHANISMS, replications=1),)
