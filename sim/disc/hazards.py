"""HazardTracker keeps requests that overlap in order if one of them writes."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence

from spindle.sim.request import WRITE, Request


class HazardTracker:
    """Holds back requests that must not overtake one they overlap; costs nothing while all are reads."""

    def __init__(self) -> None:
        self._writes = 0
        self._entered = 0
        self._longest = 0
        self._by_address: list[tuple[int, int, Request]] = []
        self._followers: dict[Request, list[Request]] = {}
        self._leaders: dict[Request, int] = {}

    def enter(self, request: Request, queued: Callable[[], Iterable[Request]]) -> bool:
        """Enter *request*, which came after all that are *queued*; True if it need not wait for any of them."""
        writes = request.access.op is WRITE
        if not self._writes:
            if not writes:
                return True
            for earlier in queued():
                self._list(earlier)
        leaders = self._conflicts(request)
        self._list(request)
        self._writes += writes
        for leader in leaders:
            self._followers.setdefault(leader, []).append(request)
        if leaders:
            self._leaders[request] = len(leaders)
        return not leaders

    def leave(self, request: Request) -> Sequence[Request]:
        """Note that *request* is being served; return the requests that now need not wait for any other."""
        if not self._writes:
            return ()
        if request.access.op is WRITE:
            self._writes -= 1
        if self._writes:
            self._unlist(request)
        else:
            self._by_address.clear()
            self._longest = 0
        freed = []
        for follower in self._followers.pop(request, ()):
            self._leaders[follower] -= 1
            if not self._leaders[follower]:
                del self._leaders[follower]
                freed.append(follower)
        return freed

    def _list(self, request: Request) -> None:
        self._entered += 1
        first, length = request.access.span
        if length > self._longest:
            self._longest = length
        insort(self._by_address, (first, self._entered, request))

    def _unlist(self, request: Request) -> None:
        index = bisect_left(self._by_address, (request.access.span.first,))
        while self._by_address[index][2] is not request:
            index += 1
        del self._by_address[index]

    def _conflicts(self, request: Request) -> list[Request]:
        """List the requests that overlap *request*, where either writes."""
        span, writes = request.access.span, request.access.op is WRITE
        end, listed, conflicts = span.end, self._by_address, []
        # No listed request that begins further below than the longest can reach up to this one.
        for index in range(bisect_left(listed, (span.first - self._longest + 1,)), len(listed)):
            first, _, other = listed[index]
            if first >= end:
                break
            if (writes or other.access.op is WRITE) and other.access.span.overlaps(span):
                conflicts.append(other)
        return conflicts
