"""Studies which sectors are in Jacobson's cache at the end of a run under Max-IV.

The shares are of sectors by kind of file and by number on the track; and of all search paths, how much is cached.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import pandas as pd
import simpy

from spindle.models.max_iv.cache import Fhl
from spindle.models.max_iv.disc_address import TRACK_BITS, disc_address, track_of, unit_of
from spindle.models.max_iv.files import FileDirectory, FileSystem, Path, StoredFile
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.space import AtTheEdge, reuse_in_turn
from spindle.models.max_iv.studies.shell import Unlogged
from spindle.models.max_iv.studies.trials import MAIN, USERS, bars, minutes
from spindle.models.max_iv.tools import read_mix, tools_users
from spindle.models.max_iv.volumes import HOME_FILES, Home, used_first
from spindle.sim.measure.result import ratio
from spindle.sim.parameter import change
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.workloads.software_tools import MIX, SHELL_TOOLS

# Kinds of sectors in the cache: one that belongs to no file any more was part of a temporary file, now deleted.

MANAGEMENT, OWN, LPR, TEMPORARY, OTHER = "management", "own", "lpr", "temporary", "other"
SHORT_KINDS = (OWN, LPR, TEMPORARY)
""":AR and :VA, the first sectors of TOC files, and pipe files (Jacobson 3.2)."""
NEARLY_ALL = 0.9
"""The share that a sentence means by all, which leaves a tenth to what was just read."""
LOW_BITS = 3
"""Bits of a sector's number on its track that the paper finds in use (Jacobson 3.2)."""

ASSUMED, USED_FIRST, ANY_TRACK = "as assumed", "used tools first", "temporaries on any track"
LAYOUTS = {
    ASSUMED: MaxIvOptions(),
    USED_FIRST: MaxIvOptions(tools_order=used_first),
    ANY_TRACK: MaxIvOptions(placing=AtTheEdge(reuse_in_turn)),
}
"""Layouts of the tools' directory and of tracks that are given back, neither of which the paper describes."""


def contents(
    seed: object, minutes: float, warm_up: float, users: int = USERS, layout: str = ASSUMED, command: str = "",
    **parameters: object,
) -> dict[str, float]:  # fmt: skip
    """Run the main load; return the cache's shares by kind and of ``low`` numbers, and the share of ``path`` cached.

    *layout* is one of LAYOUTS; with a *command* users give no other.
    """
    env, values = simpy.Environment(), change(MaxIvParameters(), **parameters)
    modcomp = Modcomp(env, values, LAYOUTS[layout], SECTORS, seed)
    mix = read_mix(f"{command}=1") if command else MIX
    modcomp.load([tools_users(users, values, mix)]).start(modcomp.machine, seed, Unlogged())
    env.run(60.0 * (warm_up + minutes))
    assert isinstance(modcomp.code, Fhl)
    resident = modcomp.code.cache.resident
    kinds = [kind for unit, files in enumerate(modcomp.discs) for kind in kinds_on(unit, files, resident)]
    wanted = path_sectors(modcomp)
    return {
        **{kind: ratio(kinds.count(kind), len(resident)) for kind in (MANAGEMENT, OWN, LPR, TEMPORARY, OTHER)},
        "low": ratio(sum(sector_of(dpi) < 1 << LOW_BITS for dpi in resident), len(resident)),
        "path": len(wanted & resident) / len(wanted),
    }


def sector_of(dpi: int) -> int:
    """Return the number of a sector on its track."""
    return dpi & (1 << TRACK_BITS) - 1


def kinds_on(unit: int, files: FileSystem, resident: set[int]) -> list[str]:
    """Return the kind of each of the *resident* sectors of disc *unit*."""
    stored = {address(unit, files, sector): kind for path, file in walk_files(files.root)
              for kind, sectors in parts_of(path, file).items() for sector in sectors}
    return [MANAGEMENT if files.region.is_management(track_of(dpi)) else stored.get(dpi, TEMPORARY)
            for dpi in resident if unit_of(dpi) == unit]


def address(unit: int, files: FileSystem, sector: int) -> int:
    return disc_address(unit, *divmod(sector, files.track_sectors))


def walk_files(directory: FileDirectory, path: Path = ()) -> Iterator[tuple[Path, StoredFile]]:
    """Yield every file below *directory*, with its path."""
    for name, node in directory.nodes.items():
        if isinstance(node, FileDirectory):
            yield from walk_files(node, (*path, name))
        else:
            yield (*path, name), node


def parts_of(path: Path, file: StoredFile) -> dict[str, range]:
    """Return the sectors of *file* by kind; the sector with the end-of-file mark follows the data."""
    every = range(file.first, file.first + file.sectors + 1)
    if path[0] == "tools":
        return {LPR: every[:1], OTHER: every[1:]}
    if path[-1].startswith("pipe"):
        return {TEMPORARY: every}
    return {OWN if path[-1] in HOME_FILES else OTHER: every}


def path_sectors(modcomp: Modcomp) -> set[int]:
    """Collect the disc addresses of each user's search path file and of the directories named in it."""
    homes = [home for volume in modcomp.volumes for home in volume.residents()]
    return {dpi for home in homes for dpi in _path_of(home, modcomp.discs)}


def _path_of(home: Home, discs: list[FileSystem]) -> Iterator[int]:
    file, _ = home.files.walk((*home.directory, "path"))
    assert isinstance(file, StoredFile)
    yield from (address(home.unit, home.files, file.first + number) for number in range(file.sectors))
    for unit, path in home.search_path:
        directory, _ = discs[unit].walk(path)
        assert isinstance(directory, FileDirectory)
        yield from (address(unit, discs[unit], sector) for sector in directory.sectors())


def measure_contents(rows: SeedRows) -> Mapping[str, float]:
    """Measure each sentence of the paper in the layout that has no rule for its subject, directory or free tracks."""
    usual, any_track = rows.one(layout=ASSUMED), rows.one(layout=ANY_TRACK)
    return {"low": usual["low"], "path_cached": float(usual["path"] >= NEARLY_ALL),
            "mostly_short": float(sum(any_track[kind] for kind in SHORT_KINDS) > 0.5)}


def tabulate(frame: pd.DataFrame, by: str = "layout") -> pd.DataFrame:
    """Average the shares of ``short`` files in the cache, and of search ``path`` sectors that it holds."""
    short = frame[list(SHORT_KINDS)].sum(axis="columns")
    return summarise(frame.assign(short=short), [by], ["path", "short", "low", *SHORT_KINDS, MANAGEMENT, OTHER])


draw = partial(bars, value="path", names="layout", beside="short", x_label="share",
               called=("of the search paths", "of the cache: short files"), title="What the paper finds in the cache")


def caption(table: pd.DataFrame, by: str = "layout") -> str:
    said = [f"{row[by]}: {row['path']:.0%} and {row['short']:.0%}" for row in table.to_dict("records")]
    return f"Share of the search paths that is in the cache, and of the cache that short files have. {'; '.join(said)}."


BY_COMMAND = Figure(partial(tabulate, by="command"), partial(draw, names="command"), partial(caption, by="command"))

STUDIES = (
    Study(
        "cache_contents",
        [Runs(contents, MAIN, users=USERS, layout=list(LAYOUTS))], Figure(tabulate, draw, caption), measure_contents,
    ),
    Study("contents_by_command", [Runs(contents, minutes(30.0), users=USERS, command=list(SHELL_TOOLS))], BY_COMMAND),
)  # fmt: skip
