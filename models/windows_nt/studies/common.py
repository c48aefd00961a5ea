"""How long the trials of the studies are, and where their claims are."""

from functools import partial
from pathlib import Path

from sim.claims.claims import printed
from sim.plots.published import with_published
from sim.study.study import StudyWindow, seconds

FIGURE = StudyWindow({"share": 1.0}, {"share": 0.25})
"""Of the trials of figures 6.3 to 6.21, all as long as the parameter trial: averages over a cache that fills depend on
it."""
CLOSE = StudyWindow({"share": 0.3}, {"share": 0.15})
"""Of such a trial the first seconds, looked at four times a second."""
RECORD = seconds(60.0, shorter=2.5)
"""Of tables 6.1 and 6.2, where a random reader has nearly all of its megabyte after 24 s."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
with_paper = partial(with_published, partial(printed, CLAIMS))
"""Above a function that draws: which points of the picture the paper prints."""
