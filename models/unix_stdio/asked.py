"""The program that somebody asks for by name or file, with what he wants changed in it."""

from pathlib import Path

from sim.error import unknown
from workloads.stdio import StdioProgram, programs
from workloads.stdio.calls import Advice, Flag
from workloads.stdio.file import read

FILE = ".toml"
FLAGS = {flag.value: flag for flag in Flag}
ADVICE = {advice.value.removeprefix("POSIX_FADV_").lower(): advice for advice in Advice}


def asked(
    name: str, block: int | None = None, size: int | None = None, stride: int | None = None, flags: str | None = None,
    advice: str | None = None,
) -> StdioProgram:
    """Program *name* of the lecture or in the file *name*; *flags* are separated by commas, none if empty."""
    if not name.endswith(FILE) and name not in programs():
        raise unknown("program", name, programs())
    program = read(Path(name)) if name.endswith(FILE) else programs()[name]
    changes = {key: value for key, value in (("block", block), ("size", size), ("stride", stride)) if value is not None}
    others: dict[str, object] = {} if flags is None else {"flags": _flags(flags)}
    if advice is not None:
        if advice not in ADVICE:
            raise unknown("advice", advice, ADVICE)
        others["advice"] = ADVICE[advice]
    return program.changed(**changes, **others)


def _flags(text: str) -> frozenset[Flag]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in FLAGS:
            raise unknown("flag", word, FLAGS)
    return frozenset(FLAGS[word] for word in words)
