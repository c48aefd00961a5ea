"""Windows NT on a 386SX laptop: a file cache that is one working set among others, under Response Probe."""

from spindle.models.windows_nt.run import run

__all__ = ["run"]
