"""Predicts the times of programs that read, compute and write whole files, on a local or mounted disc.

A folder has host.csv, and perhaps tables of measurements, whose names end in runs. A case of this kind, pagecache, is
``single GB``, ``local PROGRAMS``, ``nfs PROGRAMS``, or ``nighres`` (a program for pictures of brains).
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from spindle.lab.verify.data import DataRow, read_table
from spindle.lab.verify.point import EvidencePoint
from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.run import PipelineTask, TaskTimes, chain, run_pipelines
from spindle.sim.error import UserError
from spindle.sim.parameter import change

GB, MB = 1e9, 1e6
MANY_GB = 3.0
"""Size of each file, in GB, where there are many programs."""
MAX_PROGRAMS = 1000
HOST_ROWS = {"alone_read": "disc_read", "server_read": "nfs_disc_read", "server_write": "nfs_disc_write",
             "network": "network"}  # fmt: skip
"""Parameters of the host and their names in host.csv, where they are in MB/s."""
NIGHRES_STEP = re.compile(r"in (\S+) MB, out (\S+) MB, compute (\S+) s")
NIGHRES_FILES = (("input", "skull"), ("skull", "tissue"), ("tissue", "region"), ("skull", "cortex"))
"""The file that each step of Nighres reads, and the one that it writes."""


def predict_pipelines(data: Path, case: str, settings: Mapping[str, Any]) -> Iterator[EvidencePoint]:
    """Predict the seconds of one *case*: of each operation, or of an average program where there are many."""
    rows = {row.text("name"): row for row in read_table(data / "host.csv") if row.text("group") in _GROUPS}
    stated = {name: rows[said].number("value") * MB for name, said in HOST_ROWS.items() if said in rows}
    host = change(PipelineHost(), **{**stated, **settings})
    experiment, _, text = case.partition(" ")
    if experiment not in EXPERIMENTS:
        raise UserError(f"a case is single GB, local PROGRAMS, nfs PROGRAMS or nighres, not {case!r}")
    size = _size(case, text) if experiment != "nighres" else 0.0
    measured = _runs(data, experiment, size)
    if experiment == "nighres":
        yield from _operations(case, run_pipelines(_nighres(rows), host)[0], measured)
    elif experiment == "single":
        yield from _operations(case, run_pipelines(chain(size * GB, _compute(rows, size)), host)[0], measured)
    else:
        tasks = chain(MANY_GB * GB, _compute(rows, MANY_GB))
        yield from _means(case, experiment, run_pipelines(tasks, host, int(size), experiment == "nfs"), measured)


EXPERIMENTS = ("single", "local", "nfs", "nighres")
QUANTITIES_OF_PIPELINES = (
    "single: operation", "nighres: operation",
    *(f"{experiment}: {quantity}" for experiment in ("local", "nfs") for quantity in ("read", "write", "makespan")),
)  # fmt: skip
_GROUPS = ("measured", "task", "nighres")


def _size(case: str, text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    whole = case.startswith("single") or size == int(size)
    if not 1.0 <= size <= MAX_PROGRAMS or not whole:
        raise UserError(f"a case has a number from 1 to {MAX_PROGRAMS} behind its name, as single 20, not {case!r}")
    return size


def _compute(rows: Mapping[str, DataRow], size: float) -> float:
    name = f"compute_{size:g}gb"
    if name not in rows:
        raise UserError(f"host.csv does not say {name}")
    return rows[name].number("value")


def _nighres(rows: Mapping[str, DataRow]) -> list[PipelineTask]:
    """Return the four steps of Nighres as they are in host.csv."""
    tasks = []
    for number, (source, target) in enumerate(NIGHRES_FILES, start=1):
        text = rows[f"step_{number}"].text("value") if f"step_{number}" in rows else ""
        if (found := NIGHRES_STEP.search(text)) is None:
            raise UserError(f"host.csv does not say step_{number} as: in 295 MB, out 393 MB, compute 137 s")
        read, written, compute = map(float, found.groups())
        tasks.append(PipelineTask(source, read * MB, compute, target, written * MB))
    return tasks


def _runs(data: Path, experiment: str, size: float) -> list[DataRow]:
    """Return the measured rows of an *experiment* of this *size*, from whatever tables there are."""
    column = {"single": "file_gb"}.get(experiment, "concurrent")
    rows = [row for path in sorted(data.glob("*_runs.csv")) for row in read_table(path)]
    return [row for row in rows if row.text("experiment") == experiment
            and (experiment == "nighres" or row.number(column) == size)]  # fmt: skip


def _operations(case: str, times: list[TaskTimes], measured: list[DataRow]) -> Iterator[EvidencePoint]:
    for number, task in enumerate(times, start=1):
        for phase, seconds in (("read", task.read), ("write", task.write)):
            known = [row.number("seconds") for row in measured
                     if row.number("task") == number and row.text("phase") == phase]  # fmt: skip
            yield EvidencePoint(f"{case}, {phase} {number}", f"{case.partition(' ')[0]}: operation", seconds,
                                fmean(known) if known else None)  # fmt: skip


def _means(
    case: str, experiment: str, times: list[list[TaskTimes]], measured: list[DataRow]
) -> Iterator[EvidencePoint]:
    """Yield the seconds of reading, of writing and of all phases of an average program, summed over its tasks.

    A sum has a measured value if all of its phases have.
    """
    programs = len({(row.text("repeat"), row.text("app")) for row in measured})
    there = {row.text("phase") for row in measured}
    for quantity, phases in (("read", ("read",)), ("write", ("write",)), ("makespan", ("read", "compute", "write"))):
        predicted = fmean(sum(getattr(task, phase) for task in tasks for phase in phases) for tasks in times)
        known = sum(row.number("seconds") for row in measured if row.text("phase") in phases)
        yield EvidencePoint(case, f"{experiment}: {quantity}", predicted,
                            known / programs if there.issuperset(phases) else None)  # fmt: skip
