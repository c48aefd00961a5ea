"""How long the trials of the studies are, and where their claims are."""

from pathlib import Path

from sim.study.window import seconds

FIGURE = seconds(120.0, shorter=4)
"""Of the trials of figures 6.3 to 6.18: a cache has to fill, and averages over that depend on the length."""
CLOSE = seconds(30.0, shorter=2)
"""Of a look at the first seconds of such a trial, four times a second."""
RECORD = seconds(60.0, shorter=2.5)
"""Of tables 6.1 and 6.2, where a random reader has nearly all of his megabyte after 24 s, and of what is varied."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
