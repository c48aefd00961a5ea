"""Shared by studies of the HP3000: the length of runs, the paper's load, and the names in pictures."""

from functools import partial
from pathlib import Path

from spindle.models.hp3000.studies.trials import hybrid
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import Numbers, with_published
from spindle.studies.study import Runs, StudyWindow

QUICK = {"minutes": 0.2, "warm_up": 0.15}
"""Too short for all to be logged on: a look at whether it works."""

HEADLINE = StudyWindow({"minutes": 40.0, "warm_up": 10.0}, QUICK)
"""Window of the headline; programmers begin together, and take ten minutes to drift apart."""
MIXED = StudyWindow({"minutes": 6.0, "warm_up": 7.0}, QUICK)
ORDERS = StudyWindow({"minutes": 6.0, "warm_up": 3.0}, QUICK)
"""Clerks by themselves are steady once they are logged on and the caches are filled."""

PAIR = [False, True]
CACHED = {True: "disc caching", False: "no caching"}
RULES = "domains are of any length, and sequential files are fetched further ahead"
RESPONSE = "inquiry to first response, s"
with_paper = partial(with_published, partial(published_by_id, Path(__file__).parents[1] / "claims.toml"))
"""Above a function that draws: which points of the picture the paper prints."""


def published_gain(paper: Numbers) -> float:
    """By how many percent the paper's 101 terminals respond sooner with caching."""
    return 100.0 * (1.0 - paper["B34"] / paper["B33"])


def papers(caching: object, **marks: object) -> Runs:
    """The 101 terminals of the paper, whose answers are the headline numbers."""
    return Runs(hybrid, HEADLINE, marks, terminals=101, caching=caching)
