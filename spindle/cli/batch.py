"""``spindle sweep --part`` and ``--batch``: a sweep as jobs of a batch cluster, and the script that submits them."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from shlex import join, quote

from spindle.cli.arguments import ArgumentParser
from spindle.questions.words import count
from spindle.sim.error import UserError, unknown
from spindle.studies.sweep.part import MAX_PARTS, WHOLE, SweepPart

SLURM = """\
#!/bin/sh
# {runs} runs in {jobs} jobs of SLURM, and one job that puts them together; run it where sbatch is.
set -e
parts=$(sbatch --parsable --job-name=spindle --array=1-{jobs} --cpus-per-task=1 --wrap={part})
sbatch --job-name=spindle-merge --dependency=afterany:"$parts" --wrap={merge}
"""
SCRIPTS = {"slurm": SLURM}


def add_batch(parser: ArgumentParser) -> None:
    parser.add_argument("--part", metavar="N/OF", help="run the points of one of so many parts only, as 3/64, and keep "
                        "them in --store; the same without --part puts all together; default all points")
    parser.add_argument("--batch", metavar="SLURM:N", help="run nothing; print the script that submits N jobs, each a "
                        "part, and one that puts them together; default runs here")


def part_of(options: Namespace) -> SweepPart:
    """Return the part of the sweep that is asked for; UserError where it has no store, or writes a file of all."""
    if options.part is None:
        return WHOLE
    if options.store is None:
        raise UserError("--part needs --store, a folder that all jobs see")
    if options.out is not None or options.plot is not None:
        raise UserError("--part has some of the points: --out and --plot are for the sweep that puts all together")
    return SweepPart.read(options.part)


def batch_script(options: Namespace, arguments: Sequence[str], runs: int) -> str:
    """Return the script for the jobs of the command with *arguments*, which has so many *runs*."""
    kind, colon, jobs = options.batch.partition(":")
    if kind not in SCRIPTS:
        raise unknown("batch system", kind, SCRIPTS)
    if not colon:
        raise UserError(f"--batch takes the number of jobs, as {kind}:64")
    for name in ("part", "cluster", "workers"):
        if getattr(options, name) is not None:
            raise UserError(f"--batch cannot be combined with --{name}")
    if options.store is None:
        raise UserError("--batch needs --store, a folder that all jobs see")
    many = min(count("--batch", jobs, most=MAX_PARTS), runs)
    command = [sys.argv[0] if Path(sys.argv[0]).name == "spindle" else "spindle", "sweep"]
    words = _without("--batch", arguments)
    merge, part = join([*command, *words]), join([*command, *_without("--plot", _without("--out", words))])
    # The number of the part is the shell's of the job.
    return SCRIPTS[kind].format(runs=runs, jobs=many, merge=quote(merge),
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
