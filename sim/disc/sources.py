"""Sources of the numbers of a data sheet, each with a note: published, assumed for a reason, or fitted to data."""

from functools import partial

from spindle.sim.parameter import ParameterSource

cited = partial(ParameterSource, "cited")
assumed = partial(ParameterSource, "assumed")
fitted = partial(ParameterSource, "fitted")
"""The note names the claim or the data."""
