"""A working set: the pages that a process, or the system with its cache, has valid at this moment."""

from models.windows_nt.memory.page import Page


class WorkingSet:
    """*pages* in the order in which they came in, each with whether it was used since the trimmer last looked.

    Trimming leaves *minimum* pages, and comes the later and takes the less the higher the *favour*. With a *maximum*,
    a page that comes in pushes the oldest out. *share* is how much of itself the trimmer takes next; when
    *trimmed* pages were last taken it had had *faults_before*.
    """

    def __init__(self, name: str, minimum: int, favour: int, maximum: int | None = None) -> None:
        self.name = name
        self.pages: dict[Page, bool] = {}
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

    def uses(self, page: Page) -> bool:
        """Whether *page* is in the set; if so, it is used now."""
        if page not in self.pages:
            return False
        self.pages[page] = True
        return True

    def oldest(self) -> Page:
        return next(iter(self.pages))
