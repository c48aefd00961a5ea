"""What is on a disc: the tools, and people's accounts with their files, of which each user has a few in hand."""

from dataclasses import dataclass, field
from random import Random

from models.max_iv.eligibility import SECTOR_BYTES, SECTOR_WORDS
from models.max_iv.file_system import FileSystem, Path
from models.max_iv.parameters import Parameters
from sim.streams import Exponential, pick
from workloads.software_tools.commands import MIX

TOOLS: Path = ("tools", "bin")
LOCAL: Path = ("tools", "local")
LOCAL_TOOLS = 30
PRIVATE_COMMANDS = 5
"""How many names are in the directories that a search path passes before it comes to the tools; assumed."""


@dataclass
class Home:
    """A user's account on disc *unit*: his directory, the *image* of his shell, and the files he has in hand."""

    unit: int
    files: FileSystem
    directory: Path
    image: int
    working: list[Path] = field(default_factory=list)
    temporary: int = 0

    @property
    def search_path(self) -> tuple[Path, ...]:
        return (*self.directory, "bin"), LOCAL, TOOLS

    def new_name(self) -> Path:
        """The name of a temporary file."""
        self.temporary += 1
        return (*self.directory, f"pipe{self.temporary}")


class Volume:
    """A labelled disc with its tools and accounts. *strangers* are all files that somebody may want now and then."""

    def __init__(self, unit: int, files: FileSystem, parameters: Parameters, random: Random) -> None:
        self.unit = unit
        self.files = files
        self._parameters = parameters
        self._random = random
        self.strangers: list[Path] = []
        self._homes: list[Home] = []
        self._settled = 0
        # Room for images is long, so it is taken while the disc is still empty.
        self._images = [self._image() for _ in range(parameters.accounts)]
        for path in (("tools",), TOOLS, LOCAL, ("users",)):
            files.make_directory(path)
        usual = sorted({tool.name for _, command in MIX for tool in command.tools})
        for name in (*usual, *(f"tool{number}" for number in range(len(usual), parameters.tools))):
            self.install((*TOOLS, name))
        for number in range(LOCAL_TOOLS):
            self.install((*LOCAL, f"local{number}"))
        for number in range(parameters.accounts):
            self._homes.append(self._account(f"user{number}"))

    def install(self, path: Path) -> None:
        """Put a TOC file at *path*, unless it is there: a sector-sized LPR and then the core image (Jacobson 3.2)."""
        if self.files.walk(path)[0] is None:
            self.files.create(path, 1 + -(-self._parameters.toc_bytes // SECTOR_BYTES))

    def home(self) -> Home:
        """The account of one more user; beyond the last account a new one."""
        if self._settled == len(self._homes):
            self._homes.append(self._account(f"user{self._settled}"))
        self._settled += 1
        return self._homes[self._settled - 1]

    def _account(self, name: str) -> Home:
        parameters, files = self._parameters, self.files
        directory: Path = ("users", name)
        for path in (directory, (*directory, "bin"), (*directory, "src"), (*directory, "doc")):
            files.make_directory(path)
        for own, sectors in ((":AR", parameters.own_sectors), (":VA", parameters.own_sectors), ("path", 1)):
            files.create((*directory, own), sectors)
        for number in range(PRIVATE_COMMANDS):
            files.create((*directory, "bin", f"own{number}"), 1)
        home = Home(self.unit, files, directory, self._images.pop() if self._images else self._image())
        for number in range(parameters.working_files):
            home.working.append(self._file((*directory, f"work{number}"), parameters.working_sectors))
        for number in range(parameters.account_files):
            folder = "src" if number % 2 else "doc"
            self.strangers.append(self._file((*directory, folder, f"file{number}"), parameters.static_sectors))
        return home

    def _image(self) -> int:
        return self.files.reserve(self._parameters.shell_words // SECTOR_WORDS)

    def _file(self, path: Path, mean: float) -> Path:
        self.files.create(path, whole(mean, self._random))
        return path

    def stranger(self, random: Random) -> Path:
        return self.strangers[pick(random, len(self.strangers))]


def whole(mean: float, random: Random) -> int:
    """A number of sectors, at least 1, about *mean* on the average, and exponential in kind."""
    return 1 + int(Exponential(max(0.0, mean - 0.5)).draw(random)) if mean > 1.0 else 1
