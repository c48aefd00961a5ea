"""Computes, when the page is made, the results that it shows until the browser has loaded its Python."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spindle.output.progress import progress_bar
from spindle.studies.sweep.executor import Lost, executor
from spindle.systems import System
from spindle.web.play.pages import MACHINES_FILE
from spindle.web.play.request import FIRST_SEEDS
from spindle.web.play.worker import compute, plan


def first_results(folder: Path, machine: System) -> dict[str, Any]:
    """Return the results of the question that *machine* opens with, from *folder* if they are there and up to date."""
    page = machine.offer
    asked = {"system": machine.name, "given": dict(page.begin), "vary": page.vary, "values": list(page.values),
             "seeds": FIRST_SEEDS}  # fmt: skip
    wanted = {"models": machine.models, "plan": json.loads(plan(json.dumps(asked)))}
    kept = _last(folder).get(machine.name, {})
    return dict(kept) if wanted.items() <= kept.items() else {**wanted, "points": _rows(machine.name, wanted["plan"])}


def _last(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        return dict(json.loads((folder / MACHINES_FILE).read_text("utf-8"))["first"])
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def _rows(name: str, planned: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    points = [[json.dumps({"system": name, "given": point, "seed": 1 + seed}) for seed in range(FIRST_SEEDS)]
              for point in planned["points"]]  # fmt: skip
    answers = _answers([task for point in points for task in point])
    return [[json.loads(answers[task]) for task in point] for point in points]


def _answers(tasks: Sequence[str]) -> dict[str, str]:
    pool = executor(None, len(tasks))
    answers = dict(progress_bar(pool.run_each(compute, tasks), total=len(tasks), desc="first results", unit="run"))
    return {task: compute(task) if isinstance(answer, Lost) else answer for task, answer in answers.items()}
