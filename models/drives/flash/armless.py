"""Whether what fio measured is like a disc with an arm, to which no sheet of flash should be fitted."""

from models.drives.flash.answer import MeasuredFlash
from models.drives.flash.jobs import FioJob
from sim.error import UserError
from sim.request import READ
from sim.units import KIB, MS

ALONE, MANY = FioJob(READ, 4 * KIB, 1), FioJob(READ, 4 * KIB, 32)
SLOW = 1.5 * MS
FEW = 4.0
"""A drive that takes longer than SLOW to read 4 KB, and with 32 under way is not so many times as fast, has an arm."""


def check_armless(drive: MeasuredFlash) -> None:
    """UserError as soon as the answers to the two jobs that tell are like those of an arm."""
    answers = {each.job: each for each in drive.answers}
    if ALONE not in answers or MANY not in answers:
        return
    seconds, faster = answers[ALONE].seconds, answers[MANY].rate / answers[ALONE].rate
    if seconds > SLOW and faster < FEW:
        raise UserError(f"{drive.name} is like a disc with an arm: 4 KB take {seconds / MS:.3g} ms, and with 32 under "
                        f"way come {faster:.2g} times as fast; fit it to fio's latency log: spindle drive fit --help")
