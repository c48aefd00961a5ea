"""Splits a sweep into jobs of a batch cluster (``spindle sweep --part``), and prints their script (``--batch``)."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import join, quote
from typing import Any

from spindle.questions.field import ask
from spindle.questions.words import count
from spindle.sim.error import UserError, check_known
from spindle.studies.sweep.part import MAX_PARTS, WHOLE, SweepPart

# The shell script that submits a sweep to SLURM, a scheduler of batch jobs.
SLURM_SCRIPT = """\
#!/bin/sh
# {runs} runs in {jobs} jobs of SLURM, and one job that puts them together; run it where sbatch is.
set -e
parts=$(sbatch --parsable --job-name=spindle --array=1-{jobs} --cpus-per-task=1 --wrap={part})
sbatch --job-name=spindle-merge --dependency=afterany:"$parts" --wrap={merge}
"""
SCRIPTS_BY_SYSTEM = {"slurm": SLURM_SCRIPT}
"""The script to submit jobs, by the name of the batch system."""

NEEDS_STORE: Mapping[str, Any] = {"needs": ("store",), "because": "jobs; {} is the folder that all see"}
"""How --part and --batch are asked for: neither is allowed without --store."""


@dataclass(frozen=True)
class BatchOptions:
    """Options that run a part of the points of a sweep, or print the script that submits all of them."""

    part: str = ask("", "run the points of one of so many parts only, as 3/64, and keep them in --store; the same "
                        "without --part puts all together; default all points", metavar="N/OF",
                    excludes=("out", "plot"), why="they are for the sweep that puts all together",
                    **NEEDS_STORE)  # fmt: skip
    batch: str = ask("", "run nothing; print the script that submits N jobs, each a part, and one that puts them "
                         "together; default runs here", metavar="SLURM:N", excludes=("part", "cluster", "workers"),
                     **NEEDS_STORE)  # fmt: skip

    def points(self) -> SweepPart:
        """Return the part of the sweep that is asked for."""
        return SweepPart.read(self.part) if self.part else WHOLE


NO_JOBS = BatchOptions()
"""A sweep that runs here as a whole."""


def batch_script(batch: str, arguments: Sequence[str], runs: int) -> str:
    """Return the script for a sweep of *runs* runs, with *arguments*; *batch* is a system and a number of jobs."""
    kind, colon, jobs = batch.partition(":")
    check_known("batch system", SCRIPTS_BY_SYSTEM, kind)
    if not colon:
        raise UserError(f"--batch takes the number of jobs, as {kind}:64")
    many = min(count("--batch", jobs, most=MAX_PARTS), runs)
    command = [sys.argv[0] if Path(sys.argv[0]).name == "spindle" else "spindle", "sweep"]
    words = _without("--batch", arguments)
    merge, part = join([*command, *words]), join([*command, *_without("--plot", _without("--out", words))])
    # The number of the part is the shell's of the job.
    return SCRIPTS_BY_SYSTEM[kind].format(runs=runs, jobs=many, merge=quote(merge),
                                part=quote(f'{part} --workers 1 --part "$SLURM_ARRAY_TASK_ID/{many}"'))


def _without(option: str, words: Sequence[str]) -> list[str]:
    """Return *words* without *option* and its value."""
    kept, skip = [], False
    for word in words:
        if skip or word.startswith(f"{option}="):
            skip = False
        elif word == option:
            skip = True
        else:
            kept.append(word)
    return kept
