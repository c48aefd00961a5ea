"""Answers ``spindle claims``: compares runs with the numbers that papers print, and keeps the verdicts in results/."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from spindle.cli.judged import Judged, effort_of, write_claims
from spindle.cli.named_files import folder
from spindle.cli.paper_questions import ClaimsQuestion
from spindle.cli.printing import paint
from spindle.cli.scoreboard import rows_of, scoreboard
from spindle.output.tables import TableFile
from spindle.sim.error import UserError
from spindle.systems import systems
from spindle.version import VERSION


def judge_claims(asked: ClaimsQuestion) -> int:
    """Judge the claims of one system or of all, print the verdicts, and export them where asked; the exit status."""
    export = TableFile(Path(asked.export)) if asked.export else None
    selection, effort = systems(asked.system), effort_of(asked.effort, asked.runners)
    if asked.system is not None and selection[0].claims is None:
        raise UserError(f"{asked.system} has no paper, and so no claims")
    frames = []
    for judged in [Judged(each, effort, asked.effort.place) for each in selection]:
        print(f"{judged.system.name} claims", flush=True)
        named = {claim.study for claim in judged.claims}
        judged.replicate([study for study in judged.system.studies if study.name in named])
        judged.save()
        frames.append(judged.verdicts())
    frame = _kept_claims(frames, asked)
    if export is not None:
        export.save(add_versions(frame, {each.name: each.models for each in selection}))
    print(paint(f"{rows_of(frame)}\n\n{scoreboard(frame, [each.name for each in selection])}"))
    return 0


def add_versions(claims: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """Add columns to *claims*: the command that judges each, the model numbers of its system, and Spindle's version."""
    commands = "spindle claims " + claims["system"]
    return claims.assign(command=commands, models=claims["system"].map(models), version=VERSION)


def _kept_claims(frames: Sequence[pd.DataFrame], asked: ClaimsQuestion) -> pd.DataFrame:
    """Return all *frames* as one table, and keep it in the results: for one system only where a folder was named."""
    if asked.system is None or asked.effort.results:
        return write_claims(frames, folder("--results", asked.effort.place / (asked.system or "")))
    return pd.concat(frames, ignore_index=True)
