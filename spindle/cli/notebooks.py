"""``spindle notebooks``: copies the notebooks, which an installed Spindle carries, to where they may be changed."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import spindle
from spindle.cli.arguments import ArgumentParser, folder
from spindle.cli.printing import finish
from spindle.output.files import write_within
from spindle.sim.error import UserError

EXAMPLES = "  spindle notebooks lessons && jupyter lab lessons"
COPIED, CHECKPOINTS = (".ipynb", ".md"), ".ipynb_checkpoints"
"""Notebooks and what their teachers read; Jupyter's own copies are left out."""
NOTEBOOKS = Path(spindle.__file__).with_name("notebooks")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("notebooks", "Copy the notebooks into a folder, to be opened with jupyter lab.", EXAMPLES)
    parser.add_argument("folder", metavar="DIR", help="made where it is not there; nothing in it is overwritten")
    named = parser.take(arguments).folder
    place = Path(named)
    paths = [path for path in sorted(NOTEBOOKS.rglob("*")) if path.suffix in COPIED and path.parent.name != CHECKPOINTS]
    notebooks = {path.relative_to(NOTEBOOKS): path.read_bytes() for path in paths}
    for name in notebooks:
        if os.path.lexists(place / name):
            raise UserError(f"{place / name} is there already, and is not overwritten; name another folder")
    folder("DIR", named)
    for name, content in notebooks.items():
        write_within(place, name, content)
    return finish("\n".join(f"{place / name}: {_title(name, content)}" for name, content in notebooks.items()))


def _title(name: Path, content: bytes) -> str:
    """The heading with which a notebook or a page begins."""
    is_page = name.suffix == ".md"
    lines = content.decode("utf-8").splitlines(keepends=True) if is_page else json.loads(content)["cells"][0]["source"]
    return "".join(lines).splitlines()[0].lstrip("# ")
