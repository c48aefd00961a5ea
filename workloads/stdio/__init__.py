"""The programs of a lecture on buffered I/O, as files to be shown and run; independent of any machine."""

from workloads.stdio.file import programs
from workloads.stdio.program import StdioProgram

__all__ = ["StdioProgram", "programs"]
