"""Scripts of terminals in files, with programs of one's own, for a run without its own clerks and programmers."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from models.hp3000.image.data_set import FAMILIES
from sim.script import Script
from workloads import tepe
from workloads.program_files.reader import with_own
from workloads.programs import CATALOGUE
from workloads.programs.program import Program


def catalogue(files: Iterable[str | Path] = ()) -> Mapping[str, Program]:
    """The programs that scripts may run: those that come with Spindle, and one's own in *files* (.toml)."""
    return with_own(CATALOGUE, map(Path, files), FAMILIES)


def scripts(*files: str | Path, programs: Iterable[str | Path] = ()) -> tuple[Script, ...]:
    """The TEPE scripts in *files*, which may run what the files *programs* describe, for ``run(scripts=...)``.

    Those of one name are numbered. UserError with file, line and column for a mistake.
    """
    known = catalogue(programs)
    read = [script for file in files for script in tepe.read(Path(file), known)]
    names = [script.name for script in read]
    return tuple(
        replace(script, name=f"{script.name} ({number})") if names.count(script.name) > 1 else script
        for number, script in enumerate(read, 1)
    )
