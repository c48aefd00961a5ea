"""Sources of the numbers of a data sheet: published, assumed for a reason, or fitted to data."""

from spindle.sim.parameter import ParameterSource


def cited(note: str) -> ParameterSource:
    return ParameterSource("cited", note)


def assumed(note: str) -> ParameterSource:
    return ParameterSource("assumed", note)


def fitted(note: str) -> ParameterSource:
    """A source of a fitted number; *note* names the claim or the data."""
    return ParameterSource("fitted", note)
