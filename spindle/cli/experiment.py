"""Answers ``spindle experiment``: runs studies of a system, and keeps their tables and pictures in results/."""

from spindle.cli.judged import Judged, effort_of
from spindle.cli.paper_questions import ExperimentQuestion
from spindle.sim.error import UserError, check_known
from spindle.studies.drawing import draw_all
from spindle.systems import find_system


def run_studies(asked: ExperimentQuestion) -> int:
    """Run the named studies, or all, write their CSV and PNG, and print each caption; the exit status."""
    system = find_system(asked.system)
    by_name = {study.name: study for study in system.studies if study.figure is not None}
    if not by_name:
        raise UserError(f"{asked.system} has no studies; spindle run and sweep take it")
    check_known("study", by_name, *asked.name)
    studies = [by_name[name] for name in asked.name] or list(by_name.values())
    judged = Judged(system, effort_of(asked.effort, asked.runners), asked.effort.place)
    judged.replicate(studies)
    judged.save()
    sketches = judged.sketches(studies)
    for panel in judged.show(studies, sketches, draw_all(sketches, judged.effort.workers)):
        print(f"\n{panel.name}: {panel.caption}")
    return 0
