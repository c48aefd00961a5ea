"""A working set: the pages that a process, or the system with its cache, has valid at this moment."""

from models.windows_nt.memory.page import Page


class WorkingSet:
    """Pages in the order in which they came in; who must give some up gives the oldest.

    Trimming leaves *minimum* pages, and comes the later and takes the less the higher the *favour*. With a *maximum*,
    a page that comes in pushes the oldest out. *share* is how much of itself the trimmer takes next; when
    *trimmed* pages were last taken it had had *faults_before*.
    """

    def __init__(self, name: str, minimum: int, favour: int, maximum: int | None = None) -> None:
        self.name = name
        self.pages: dict[Page, None] = {}
        self.minimum = minimum
        self.maximum = maximum
        self.favour = favour
        self.active_at = 0.0
        self.faults = 0
        self.soft_faults = 0
        self.share = 0.0
        self.trimmed = 0
        self.faults_before = 0

    def __len__(self) -> int:
        return len(self.pages)

    def oldest(self) -> Page:
        return next(iter(self.pages))
