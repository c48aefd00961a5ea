"""The work of ``spindle claims``: the simulation compared with what papers print, kept in results/."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from spindle.cli.arguments import folder
from spindle.cli.judged import Judged, effort_of, write_claims
from spindle.cli.paper_questions import ClaimsQuestion
from spindle.cli.printing import paint
from spindle.cli.scoreboard import rows_of, scoreboard
from spindle.output.tables import TableFile
from spindle.sim.error import UserError
from spindle.systems import systems
from spindle.version import VERSION


def judge_claims(asked: ClaimsQuestion) -> int:
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
    """Return *claims* with the command that judges each, and the versions of what did: a table for others to join."""
    commands = "spindle claims " + claims["system"]
    return claims.assign(command=commands, models=claims["system"].map(models), version=VERSION)


def _kept_claims(frames: Sequence[pd.DataFrame], asked: ClaimsQuestion) -> pd.DataFrame:
    """All claims; those of all systems are kept in the results, those of one only where a folder was named for them."""
    if asked.system is None or asked.effort.results:
        return write_claims(frames, folder("--results", asked.effort.place / (asked.system or "")))
    return pd.concat(frames, ignore_index=True)
