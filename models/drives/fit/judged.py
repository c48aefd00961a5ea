"""A fit from beginning to end: on a part of the requests, judged on the part that was held out, with what is known."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from models.drives.fit.beside import contradicted, numbers_of
from models.drives.fit.confidence import ToldNumber, rpm_of_halves, told, told_rotation
from models.drives.fit.fit import STARTS, fit_stages
from models.drives.fit.geometry import DriveGeometry
from models.drives.fit.loss import FitLoss
from models.drives.fit.observed import observed
from models.drives.fit.start import starting_sheets
from models.drives.timed import TimedRequests, answered
from sim.disc.buffer.arm import mechanism_of
from sim.disc.mechanism import DiscType
from sim.error import UserError
from sim.statistics.demerit import Distance

ANSWERS = 900
"""Of the model to all requests, that a fit takes, about."""
LEAST = 150
"""Requests to fit to."""
TIMES, WORSE = 2.0, 0.1
"""A sheet does not hold if what was held out is that many times farther from it than what it was fitted to, and more.
The demerits of nine measured drives are a few percent on either half."""
GROUPS = ("all", "reads", "writes")
AS_FITTED = "as fitted"
LEGEND = """\
* not what the data bear. Of a command and the seek after it they tell the sum better than either:
a sheet may have more of one and less of the other."""
Judgement = Mapping[str, Distance]
"""How far a sheet is from the requests held out: all, reads and writes, those that there are."""


@dataclass(frozen=True)
class FittedDrive:
    """The *disc*, what is known of its *numbers*, and how far the sheet of each step is from what was *held* out.

    *against* are other sheets of the same drive.
    """

    disc: DiscType
    numbers: tuple[ToldNumber, ...]
    judged: Mapping[str, Judgement]
    fitted_to: int
    held: int
    against: Mapping[str, DiscType] = field(default_factory=dict)
    taught: Judgement = field(default_factory=dict)
    """The same of the disc, from what it was fitted to."""

    @property
    def astray(self) -> str:
        """Which requests that were held out are far farther from the sheet than those it was fitted to; or empty."""
        out = self.judged.get(AS_FITTED, {})
        for group in GROUPS[::-1]:
            if group in out and group in self.taught:
                far, near = out[group].share, self.taught[group].share
                if far > WORSE + TIMES * near:
                    return f"the sheet does not hold: {group} held out {far:.1%} off, those fitted to {near:.1%}"
        return ""


def fitted_drive(
    geometry: DriveGeometry, asked: TimedRequests, held_out: float, against: Mapping[str, DiscType],
    watch: Callable[[], object] = lambda: None
) -> FittedDrive:
    """Fitted to the first requests, and judged on the last, a share of *held_out*; *against* what else is judged there.

    *watch* is called for each of about ANSWERS answers of the model. Whatever is asked here of what was held out is
    asked when all of the fit is done.
    """
    count = len(asked) - round(held_out * len(asked))
    taught, rest = asked.part(slice(0, count)), asked.part(slice(count, None))
    if count < LEAST:
        raise UserError(f"{count:,} requests are left to fit to; it takes at least {LEAST}")
    if not taught.reads.any():
        raise UserError("the requests to fit to have no reads; where the medium is cannot be told from writes alone")
    loss = FitLoss(taught, geometry.disc.revolution / 2.0, watch)
    start = starting_sheets(geometry, observed(geometry.disc.layout, taught))
    stages = list(fit_stages(start, loss))
    known = told(stages[-1], start, loss)
    last = replace(stages[-1], disc=known.disc)
    first = min((stage for stage in stages if stage.name in STARTS), key=lambda stage: loss(stage.disc))
    if loss(known.disc) > loss(first.disc):
        known, last = told(first, start, loss), first
    assert known.disc.buffer is not None
    halves = rpm_of_halves(geometry, taught, known.disc.buffer.link.reading) if last.locked else []
    numbers = (*told_rotation(geometry, last, start.rotation, halves), *known.numbers)
    sheets = {**{stage.name: stage.disc for stage in stages if stage.name in STARTS}, AS_FITTED: known.disc, **against}
    judged = {name: rest.distances(answered(mechanism_of(disc), rest)) for name, disc in sheets.items() if len(rest)}
    own = taught.distances(loss.times(known.disc))
    return FittedDrive(known.disc, numbers, judged, count, len(rest), against, own)


def page(drive: FittedDrive) -> Iterator[str]:
    """What a fit gives, as lines of at most 80 columns."""
    yield f"{drive.disc.name}: fitted to the first {drive.fitted_to:,} requests, {drive.held:,} held out"
    if drive.judged:
        yield from ("", f"{'demerit of what was held out, %':<34}{'all':>8}{'reads':>8}{'writes':>8}{'apart, ms':>12}")
    for name, each in drive.judged.items():
        cells = "".join(f"{100.0 * each[group].share:>8.2f}" if group in each else f"{'-':>8}" for group in GROUPS)
        yield f"{name[-33:]:<34}{cells}{1e3 * each['all'].apart:>12.3f}"
    if drive.astray:
        yield from ("", drive.astray)
    others = [numbers_of(disc, drive.disc) for disc in drive.against.values()]
    heads = "".join(f"{name[-12:]:>14}" for name in drive.against)
    yield from ("", f"{'number':<36}{'value':>12}{heads}  {'source':<9}the data also bear")
    for number in drive.numbers:
        cells = "".join(f"{_beside(number, says.get(number.name)):>14}" for says in others)
        yield f"{number.name[:35]:<36}{number.value[:12]:>12}{cells}  {number.source:<9}{number.bears}".rstrip()[:110]
    if others:
        yield from ("", LEGEND)


def _beside(number: ToldNumber, says: str | None) -> str:
    """What another sheet says of a number."""
    return "-" if not says else says[:12] + ("*" if contradicted(number, says) else "")
