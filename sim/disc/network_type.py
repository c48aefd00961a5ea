"""NetworkType describes a network between a host and its drives."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NetworkType:
    """A network on which a request takes *latency* seconds to a drive and back in all.

    Data cross it at *rate* bytes a second each way, which all drives share; 0 is no limit.
    """

    latency: float = 0.0
    rate: float = 0.0
