"""An open file in the cache manager: the position of its reader, and how far it has been read ahead."""

from models.windows_nt.memory.page import FileSection


class CachedFile:
    """*section* opened; *sequential* where it was opened with that hint.

    *first* and *step* are the history of the last two reads, so that the third that goes on as they did shows a
    pattern; pages before *ahead* have been requested. *view* is the reader's, *trail* the views before it.
    """

    __slots__ = ("section", "sequential", "first", "step", "ahead", "cached", "view", "trail")

    def __init__(self, section: FileSection, sequential: bool = False) -> None:
        self.section = section
        self.sequential = sequential
        self.first = -1
        self.step = 0
        self.ahead = 0
        self.cached = False
        self.view = -1
        self.trail: list[int] = []
