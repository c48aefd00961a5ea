"""Notebooks as pages for a browser: every cell executed, its output below it, its pictures inside the page."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from markupsafe import Markup
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

from sim.error import UserError

SECONDS = 600
"""A cell may take so long."""


@dataclass(frozen=True)
class Lesson:
    """A notebook in *folder*: its *path* there, its first heading, and its cells as HTML."""

    folder: Path
    path: Path
    title: str
    body: Markup

    @property
    def page(self) -> str:
        """Where it stands in the site."""
        return (Path("notebooks") / self.path.with_suffix(".html")).as_posix()


def lessons(folder: Path, paths: list[Path]) -> Iterator[Lesson]:
    """The notebooks *paths* below *folder*, each as soon as it has run. UserError where a cell fails."""
    exporter = HTMLExporter(template_name="basic", embed_images=True, anchor_link_text="")
    for path in paths:
        notebook = nbformat.read(folder / path, as_version=4)
        client = NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(folder / path.parent)}},
                                extra_arguments=["--log-level=ERROR"])  # fmt: skip
        try:
            client.execute()
        except CellExecutionError as error:
            raise UserError(f"{folder / path}: a cell fails: {str(error).strip().splitlines()[-1]}") from error
        with warnings.catch_warnings(action="ignore"):  # pictures without alternative text: titles are in them
            body, _ = exporter.from_notebook_node(notebook)
        yield Lesson(folder, path, title(notebook), Markup(body))


def title(notebook: nbformat.NotebookNode) -> str:
    """The heading with which a notebook begins."""
    return str(notebook.cells[0].source).splitlines()[0].lstrip("# ")


def every(folder: Path) -> list[Path]:
    """All notebooks below *folder*, those at its top first."""
    paths = [path.relative_to(folder) for path in folder.rglob("*.ipynb") if path.parent.name != ".ipynb_checkpoints"]
    return sorted(paths, key=lambda path: (len(path.parts), path))
