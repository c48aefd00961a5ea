"""The scheduler that knows where every sector is: shortest positioning time first (SPTF)."""

from bisect import insort
from collections import deque
from math import inf

from sim.disc.layout import Place
from sim.disc.mechanism import ArmPosition, Mechanism
from sim.disc.order import Order, sole
from sim.mistake import Mistake
from sim.request import Op, Request

_Entry = tuple[int, Place, Op, Request]


class Sptf:
    """Shortest positioning time first: seek and rotation together. Of two as near, the one that was asked for first.

    As near are two that differ by no more than the clock's rounding: sectors at one angle of several tracks.

    With a *depth* only that many of the oldest requests are looked at, as with NCQ, where a drive holds no more
    commands than it has tags. A request that must wait for another to be served takes its place among them.
    """

    def __init__(self, depth: int | None = None) -> None:
        if depth is not None and depth < 1:
            raise Mistake(f"sptf: depth {depth} must be at least 1")
        self._depth = inf if depth is None else depth
        self._mechanism: Mechanism | None = None
        self._ready: list[_Entry] = []
        self._held: dict[Request, _Entry] = {}
        self._unseen: deque[_Entry] = deque()
        self._arrivals = 0
        self._order = Order()

    def attach(self, mechanism: Mechanism) -> None:
        self._mechanism = sole(self._mechanism, mechanism)

    def __len__(self) -> int:
        return len(self._ready) + len(self._held) + len(self._unseen)

    def add(self, request: Request) -> None:
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        place = self._mechanism.locate(request.access.span.first)
        request.cylinder = place.cylinder
        self._arrivals += 1
        entry = (self._arrivals, place, request.access.op, request)
        if len(self._ready) + len(self._held) < self._depth:
            self._see(entry)
        else:
            self._unseen.append(entry)

    def _see(self, entry: _Entry) -> None:
        if self._order.enter(entry[3], self._requests):
            self._ready.append(entry)
        else:
            self._held[entry[3]] = entry

    def _requests(self) -> list[Request]:
        return [entry[3] for entry in self._ready]

    def take(self, arm: ArmPosition, now: float) -> Request:
        index = self._soonest(arm, now) if len(self._ready) > 1 else 0
        _, _, _, request = self._ready.pop(index)
        for freed in self._order.leave(request):
            insort(self._ready, self._held.pop(freed))
        if self._unseen:
            self._see(self._unseen.popleft())
        return request

    def _soonest(self, arm: ArmPosition, now: float) -> int:
        assert self._mechanism is not None, "a scheduler is attached to a mechanism before it is used"
        positioning = self._mechanism.positioning
        chosen, nearer = 0, inf
        rounding = 1e-9 + 1e-15 * now
        for index, (_, place, op, _) in enumerate(self._ready):
            seconds = positioning(arm, now, place, op)
            if seconds < nearer:
                chosen, nearer = index, seconds - rounding
        return chosen
