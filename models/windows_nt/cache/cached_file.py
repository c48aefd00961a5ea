"""An open file as the cache manager knows it: where its reader was, and how far it has been read ahead."""

from models.windows_nt.memory.page import FileSection


class CachedFile:
    """*section* opened; *sequential* where the opener said so.

    *first* and *step* are the history of the last two reads, so that the third that goes on as they did shows a
    pattern; pages before *ahead* have been asked for. *view* is where he is, *trail* the views that he came through.
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
