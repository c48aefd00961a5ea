"""The ensemble as a whole: so many members tried, those that are like the paper's machine kept."""

from functools import partial
from pathlib import Path

import pandas as pd

from models.hp3000.ensemble.bands import bands, cached_claims
from models.hp3000.ensemble.picture import CAPTION, ensemble_strips
from models.hp3000.ensemble.trial import Extent, trial
from sim.claims.claims import Role
from sim.study.system import Ensemble
from sim.sweep.executor import Workers
from sim.sweep.sweep import sweep

SHORT = Extent(warm_up=0.5, fitting=1.0, checking=1.0, precise=1.0, gain=0.5, short=0.5, steps=3, rounds=1, seeds=1)
"""To see that it works; so short that what is kept is chance."""


def tried(members: int, short: bool, workers: Workers, progress: bool, store: Path | None) -> pd.DataFrame:
    """The default machine and so many *members*, one row each, kept or not."""
    extent = SHORT if short else Extent()
    return sweep(partial(trial, extent), workers=workers, progress=progress, store=store,
                 member=list(range(members + 1)))  # fmt: skip


def banded(members: pd.DataFrame) -> pd.DataFrame:
    return bands(members, cached_claims())


def remark(members: pd.DataFrame) -> str:
    """How many were tried and kept, and what each claim is."""
    drawn, found = members[members["member"].gt(0)], banded(members)
    roles = {role: list(found.loc[found["role"].eq(role), "id"]) for role in (Role.PREDICTED, Role.CONSISTENT, "fails")}
    said = "; ".join(f"{role}: {', '.join(ids)}" for role, ids in roles.items() if ids)
    kept = int(drawn["kept"].sum())
    return f"{kept} of {len(drawn)} members tried were kept. {said or 'No claim is judged'}. {CAPTION}"


ENSEMBLE = Ensemble(
    shows="Caching on every machine that is like the paper's without it, whatever is assumed of what nobody published.",
    tried=tried, bands=banded, draw=ensemble_strips, remark=remark,
)  # fmt: skip
