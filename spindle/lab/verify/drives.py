"""Predicts layers of the kind ``fio``: drives that fio measured at several depths, of which half are fitted to.

A case is a table of the folder, or a folder in it with fio's outputs. Only points that the fit did not see are judged.
They are predicted from the measured points beside them; quantities named simulated are from the fitted drive alone.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.lab.verify.point import EvidencePoint
from spindle.sim.error import UserError, unknown

if TYPE_CHECKING:
    from spindle.lab.fio.judged import JudgedPoint

PERCENTILES_OF_DRIVES = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
SIMULATED = ", simulated"
QUANTITIES_OF_DRIVES = tuple(f"{quantity}{how}" for how in ("", SIMULATED)
                             for quantity in ("throughput", *PERCENTILES_OF_DRIVES))  # fmt: skip


def predict_drives(data: Path, case: str, settings: Mapping[str, Any]) -> Iterator[EvidencePoint]:
    """Predict the held-out points of the drive *case*; *settings* may name the host, of all cases or of this."""
    from spindle.lab.fio.fit import FioHost, fio_fit  # and scipy, which no help text needs
    from spindle.lab.fio.points import read_points

    if not (data / case).exists():
        raise UserError(f"{data}: there is no {case}")
    host = settings.get(case, settings).get("host", "")
    if host and host not in [*FioHost]:
        raise unknown("host", host, [*FioHost])
    fit = fio_fit(read_points(data / case), None, None, FioHost(host) if host else None)
    for how, points in (("", fit.judged), (SIMULATED, fit.simulated)):
        for judged in points:
            if not judged.fitted:
                yield from _points(case, judged, how)


def _points(case: str, judged: "JudgedPoint", how: str) -> Iterator[EvidencePoint]:
    point, predicted = judged.point, judged.predicted
    name = f"{case}, {point.pattern}, {point.level} under way"
    yield EvidencePoint(name, f"throughput{how}", predicted.iops, point.iops)
    for quantity, share in PERCENTILES_OF_DRIVES.items():
        if point.quantiles.get(share, 0.0) > 0.0 and share in predicted.quantiles:
            yield EvidencePoint(name, f"{quantity}{how}", predicted.quantiles[share], point.quantiles[share])
