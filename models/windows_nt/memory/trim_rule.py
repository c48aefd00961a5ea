"""Which pages a working set gives up when it is trimmed: a share of it, oldest first, or what was not used of late."""

from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from models.windows_nt.memory.page import Page
from models.windows_nt.memory.working_set import WorkingSet
from models.windows_nt.parameters import NtParameters


class TrimRule(Protocol):
    """Made anew for a run, with its parameters."""

    def __init__(self, parameters: NtParameters) -> None: ...

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        """The pages that *each* loses in this look, at most as many as *wanted* and as it has above its minimum."""


class ByShare:
    """A share of what a set has above its minimum, whether it is in use or not, those first that came in first.

    Where the set has since had half as many page faults as pages were taken from it, the share is halved: it is in
    use. Where it had fewer, the share is doubled again. With each favour it gives half of what it would with one less.
    """

    def __init__(self, parameters: NtParameters) -> None:
        self._parameters = parameters

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        self._judge(each)
        each.trimmed = max(0, min(wanted, self._portion(each, inactive)))
        each.faults_before = each.faults
        return list(islice(each.pages, each.trimmed))

    def _portion(self, each: WorkingSet, inactive: bool) -> int:
        spare = len(each) - each.minimum
        share = each.share if inactive else each.share / 2**each.favour
        return min(spare, max(1, round(share * spare))) if spare > 0 else 0

    def _judge(self, each: WorkingSet) -> None:
        if each.trimmed:
            share = each.share / 2 if (each.faults - each.faults_before) * 2 > each.trimmed else each.share * 2
            each.share = min(max(share, self._parameters.trim_least), self._parameters.trim_share)


class ByReference:
    """What was not used since the trimmer last looked; what was used is looked at anew."""

    def __init__(self, parameters: NtParameters) -> None:
        pass

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        most = max(0, min(wanted, len(each) - each.minimum))
        unused = [page for page, used in each.pages.items() if not used]
        for page in each.pages:
            each.pages[page] = False
        return unused[:most]
