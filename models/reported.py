"""A result that has a report beside its page, which ``spindle run`` prints below the page or adds to its JSON."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Reported(Protocol):
    """What a run gives that was asked for a report. A result without this has its page alone."""

    def report_text(self) -> str:
        """For a screen of 80 columns."""
        ...

    def report_rows(self) -> Sequence[Mapping[str, object]]:
        """The same as data: seconds, unrounded, NaN for what there is not."""
        ...
