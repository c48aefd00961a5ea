"""A disc without an arm that the lecture's law describes: R + size x U, for reads and for writes."""

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition
from sim.request import WRITE, Op, Service, Span

_HOME = ArmPosition(0, 0)
_NOWHERE = SectorPlace(0, 0, 0, 0.0, 1)


class VirtualDisc:
    """Reads and writes each have their R and U, in seconds and seconds a byte. A write is done when it is safe."""

    sector_bytes = 1

    def __init__(self, read: tuple[float, float], write: tuple[float, float], capacity: int) -> None:
        self._read = read
        self._write = write
        self.capacity = capacity

    def locate(self, address: int) -> SectorPlace:
        return _NOWHERE

    def travel(self, arm: ArmPosition, place: SectorPlace) -> float:
        return 0.0

    def positioning(self, arm: ArmPosition, now: float, place: SectorPlace, op: Op) -> float:
        return 0.0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        request, byte = self._write if op is WRITE else self._read
        return Service(queue, request, 0.0, 0.0, byte * span.length, 0.0), _HOME

    def settled(self) -> float:
        return 0.0

    def reading(self) -> dict[str, float]:
        return {}
