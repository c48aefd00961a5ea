"""Gives sixteen exercises on discs, caches, queues and file systems, each with numbers for one student, and hints."""

from spindle.course.arrays import SmallWrites
from spindle.course.caches import LoopAndScan, SavedWrites, SmallestCache, WaitingReads
from spindle.course.discs import QueueOrder, SeekArithmetic
from spindle.course.exercise import Assignment, Exercise
from spindle.course.files import JournalRecovery, LogSegments
from spindle.course.flash import FlashCleaning, OtherHalf
from spindle.course.laws import ClosedLoop, LittlesLaw, MeanInterval, Tuning
from spindle.course.paging import PageFaults
from spindle.sim.error import check_known

COURSE = (
    Exercise("seek", "1. What an access takes", SeekArithmetic.draw),
    Exercise("queue", "2. The order of a queue", QueueOrder.draw, apart=False),
    Exercise("little", "3. Little's law", LittlesLaw.draw),
    Exercise("read_ahead", "4. Read-ahead", WaitingReads.draw),
    Exercise("scan", "5. LRU against a loop", LoopAndScan.draw, 0.01),
    Exercise("write_back", "6. Write-back, and what it risks", SavedWrites.draw, 0.05),
    Exercise("working_set", "7. Working sets", SmallestCache.draw),
    Exercise("closed_loop", "8. Closed loops and locks", ClosedLoop.draw),
    Exercise("interval", "9. How sure a mean is", MeanInterval.draw),
    Exercise("tuning", "10. Tune the HP3000", Tuning.draw, apart=False),
    Exercise("frames", "11. Page faults, step by step", PageFaults.draw),
    Exercise("small_writes", "12. Small writes to an array", SmallWrites.draw),
    Exercise("cleaning", "13. Cleaning flash", FlashCleaning.draw),
    Exercise("log_segments", "14. A log of segments", LogSegments.draw),
    Exercise("journal", "15. A journal after a crash", JournalRecovery.draw),
    Exercise("other_half", "16. The half that was not measured", OtherHalf.draw, 0.05),
)
"""All exercises: name, title, how the numbers of a student are drawn, tolerance of an answer."""


def exercise(name: str, student: object) -> Assignment:
    """Return the exercise *name* with the numbers of a *student*: a name, or any other seed.

    UserError with the nearest name if it is unknown.
    """
    by_name = {each.name: each for each in COURSE}
    check_known("exercise", by_name, name)
    return by_name[name].task(student)
