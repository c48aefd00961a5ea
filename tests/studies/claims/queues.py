"""A made-up system with an ensemble: a queue whose server may cache, which nobody has measured but without."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spindle.sim.error import UserError
from spindle.sim.parameter import assumed
from spindle.studies.ensemble import Between, Ensemble, Extent, Knob
from spindle.studies.study import Runs, SeedRows, Study, StudyWindow
from spindle.system import System

CLAIMS = """
[[claim]]
id = "P1"
paper = "a paper"
says = "a response takes 10 s"
published = 10.0
role = "calibrated"
unit = "s"
study = "plain"
measure = "response"
note = "work was fitted to it"

[[claim]]
id = "P2"
paper = "a paper"
says = "the server is busy for 80 % of the time"
published = 0.80
role = "calibrated"
unit = "1"
study = "plain"
measure = "busy"
note = "rate was fitted to it"

[[claim]]
id = "Q1"
paper = "a paper"
says = "caching gains 80 %"
published = 0.80
role = "predicted"
unit = "1"
study = "cached"
measure = "gain"

[[claim]]
id = "Q2"
paper = "a paper"
says = "caching gains less than 70 % if less than half hit"
role = "shape"
study = "cached"
measure = "marginal"
"""
WINDOW = StudyWindow({"minutes": 60.0}, {"minutes": 6.0})
SHORT = {"minutes": 1.0}


@dataclass(frozen=True)
class Parameters:
    rate: float = assumed(0.5, "nobody says")
    work: float = assumed(1.0, "nobody says")
    hits: float = assumed(0.5, "nobody says")


def queue(caching: bool, minutes: float, seed: int, **parameters: float) -> Mapping[str, float]:
    """Mean response of a queue in equilibrium, whatever the seed; a row says how long its run was."""
    given = Parameters(**parameters)
    if given.hits >= 1.0:
        raise UserError(f"hits must be below 1, not {given.hits!r}")
    work = given.work * (1.0 - given.hits) if caching else given.work
    busy = min(given.rate * work, 0.999)
    return {"response_mean": work / (1.0 - busy), "busy": busy, "length": minutes, "hit_ratio": given.hits}


def plain(rows: SeedRows) -> Mapping[str, float]:
    row = rows.one()
    return {"response": row["response_mean"], "busy": row["busy"], "length": row["length"]}


def cached(rows: SeedRows) -> Mapping[str, float]:
    before, after = rows.one(caching=False), rows.one(caching=True)
    gain, few = 1.0 - after["response_mean"] / before["response_mean"], after["hit_ratio"] < 0.5
    return {"gain": gain, "few": float(few), "marginal": float(few and gain < 0.7)}


def system(folder: Path, **changes: object) -> System:
    """The system, whose claims are written into *folder*, and whose ensemble is *changed*."""
    claims = folder / "queues" / "claims.toml"
    claims.parent.mkdir(exist_ok=True)
    claims.write_text(CLAIMS)
    extent = Extent(fitting=SHORT, checking={"minutes": 2.0}, judging={"minutes": 3.0}, steps=20)
    settings = {
        "shows": "Queues.", "ranges": {"hits": Between(0.1, 0.9, "anything")},
        "met": ["P1", "P2"], "asked": ["Q1", "Q2"], "extent": extent, "quick": extent,
        "knobs": {"pace": Knob(("rate",)), "weight": Knob(("work",))}, "aims": {"P1": 10.0, "P2": 0.8},
        "where": {"Q2": "few"}, "joint": [[["Q1"], ["Q2"]], [["Q1", "Q2"]]],
    }  # fmt: skip
    studies = [
        Study("plain", [Runs(queue, WINDOW, caching=False)], measures=plain),
        Study("cached", [Runs(queue, WINDOW, caching=[False, True])], measures=cached),
    ]
    return System(
        "queues", "Queues", queue, Parameters(), "a paper", "why?", studies, claims, {}, dict,
        ensemble=Ensemble(**{**settings, **changes}),  # type: ignore[arg-type]
    )  # fmt: skip
