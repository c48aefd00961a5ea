"""Where a number of a data sheet comes from: it was published, assumed for a reason, or fitted to data."""

from sim.parameter import ParameterSource


def cited(note: str) -> ParameterSource:
    return ParameterSource("cited", note)


def assumed(note: str) -> ParameterSource:
    return ParameterSource("assumed", note)


def fitted(note: str) -> ParameterSource:
    """*note* names the claim or the data."""
    return ParameterSource("fitted", note)
