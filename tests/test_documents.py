"""What documents name exists: each file, module, name, command and option in Markdown pages and in docstrings."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from os.path import normpath
from pathlib import Path
from types import ModuleType

import pytest

from spindle.cli.arguments import ArgumentParser
from spindle.cli.main import COMMANDS
from spindle.systems import CURVE, LOAD, MACHINE, system_names
from tests.test_house import PYTHON_FILES, ROOT, place

HISTORY = {"CHANGELOG.md", "docs/changes.md"}
"""Pages of what was there once."""
NOT_OURS = {".venv", ".pytest_cache", ".hypothesis", "build", "site"}
"""Folders that commands make."""
PAGES = sorted(path for path in ROOT.rglob("*.md") if place(path) not in HISTORY
               and not NOT_OURS & {*path.relative_to(ROOT).parts})  # fmt: skip
ROOMS = ("spindle", "sim", "examples", "docs", "models", "workloads", "results")
"""Folders from which a path may be written, beside those around the page."""
MADE = ("build", "site", "docs/site", "results/report.html", "docs/play/index.html", "docs/hp3000.html")
"""What `make` makes."""
OF_OTHERS = {"quickstart_cachesim.md", "doc/proto.md", "protocol.txt", "HP_C2247A/drive.yaml",
             "digiater.com/openvms/decus/vmslt97a/ntstuff/ntw-to-ntstune.txt", "row_mode", "file_id", "file_name",
             "RdData", "blk_co_preadv", "AboveNormal", "BelowNormal", "TimeCritical",
             "MyPolicy", "value_low", "value_high"}  # fmt: skip
"""Files and names of other projects, and of their logs."""
OF_USERS = {"mine.py", "mine.yaml", "mine.tepe", "t.csv", "file.scp", "file.sct", "opt.txt", "opt.csv", "reads.csv",
            "served.csv", "drives.html", "sample.csv", "run.html", "sectors.csv", "answer.html", "source",
            "verify.toml", "runs.csv", "step_times.csv", "attention_times.csv", "CASE_requests.csv", "host.csv",
            "points.parquet", "errors.png", "points.csv", "workloads.csv", "FOLDER/verify.toml"}  # fmt: skip
"""Files that a reader has, or that a command of the page writes."""
OTHERS_OPTIONS = {
    **dict.fromkeys(("--write_lat_log", "--write_iolog", "--read_iolog", "--replay_no_stall", "--output-format",
                     "--name", "--filename", "--readonly"), "fio"),
    **dict.fromkeys(("--ignore-obj-size", "--warmup-sec", "--use-ttl"), "libCacheSim's cachesim"),
    **dict.fromkeys(("--tls-ca-file", "--tls-cert", "--tls-key"), "Dask's scheduler and workers"),
    "--long": "zstd, and the benchmarks", "--strict": "mypy", "--no-name": "any option that is switched off",
    "--color-background-border": "a variable of a style sheet",
}  # fmt: skip
"""Options of other programs."""
SUFFIXES = "py|toml|md|yaml|csv|tepe|scr|lark|ipynb|js|html|txt|cff|json|css|scp|sct"
FILE = re.compile(rf"(?<![\w/.:~<>*{{}}@-])(?:[\w.-]+/)*(?:[\w-]+\.(?:{SUFFIXES})\b|[\w-]+/)(?![\w/*<{{-])")
NOT_FILES = re.compile(r"<!--.*?-->|https?://\S+|\d/|\bs/|-[gI]/", re.DOTALL)
MODULE = re.compile(r"(?<![\w./-])spindle(?:\.[a-z_]\w*)+(?![\w/-])")
NO_MODULE = re.compile(r"spindle\.(policies|schedulers|drives|systems|formats|name)|.*\.(py|toml|yaml)")
"""Groups of entry points, a name that any may be, and files."""
QUOTED = re.compile(r"(`{1,2})([^`]+)\1")
COMMAND = re.compile(r"(?:`|^ {4}(?:\$ )?|^\$ |^)spindle ([^`\n]+)", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
TREE = re.compile(r"^```\n(sim/.*?)^```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"\b[a-z]+(?:_[a-z\d]+)+\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")


@cache
def docstrings(path: Path) -> tuple[str, ...]:
    """The docstrings of a file, and the strings below its constants and fields."""
    return tuple(
        node.value.value for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )  # fmt: skip


@cache
def documents() -> tuple[tuple[Path, str], ...]:
    """Each text with the file in which it stands."""
    pages = [(page, page.read_text("utf-8")) for page in PAGES]
    return (*pages, *((path, text) for path in PYTHON_FILES for text in docstrings(path)))


@cache
def tree() -> set[str]:
    """Every file and folder of the project, by its path."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=False).stdout.splitlines()  # fmt: skip
    files = [name for name in listed if (ROOT / name).exists()] or [
        place(path) for path in ROOT.rglob("*") if ".venv" not in path.parts]  # fmt: skip
    return {*files, *(str(folder) for name in files for folder in Path(name).parents), *MADE}


@cache
def names() -> set[str]:
    return {Path(name).name for name in tree()}


def is_there(name: str, page: Path) -> bool:
    """Tell if *name* is a path from the folder of *page*, one around it or a room; or a file's name."""
    around = page.relative_to(ROOT).parents
    return name in names() or any(normpath(folder / name) in tree() for folder in (*around, *map(Path, ROOMS)))


def lost_files(page: Path, text: str) -> Iterator[str]:
    """The paths in *text* that lead nowhere; one with a word in capitals is a pattern: models/SYSTEM/run.py."""
    for name in FILE.findall(NOT_FILES.sub(" ", TREE.sub("", text))):
        is_pattern = re.search(r"\b[A-Z]{4,}\b(?!\.(md|cff))", name)
        if name.rstrip("/") not in OF_OTHERS | OF_USERS and not is_pattern and not is_there(name, page):
            yield name


def test_files_that_are_named_are_there() -> None:
    assert [f"{place(page)}: there is no {name}" for page, text in documents() for name in lost_files(page, text)] == []


def resolves(name: str) -> bool:
    """Tell if *name* is a module of Spindle, or something in one."""
    value: object = import_module("spindle")
    for word in name.split(".")[1:]:
        if not hasattr(value, word) and isinstance(value, ModuleType):
            try:
                value = import_module(f"{value.__name__}.{word}")
                continue
            except ImportError:
                return False
        if not hasattr(value, word):
            return False
        value = getattr(value, word)
    return True


def test_modules_that_are_named_are_there() -> None:
    found = {(place(page), name) for page, text in documents() for name in MODULE.findall(text)
             if not NO_MODULE.fullmatch(name)}  # fmt: skip
    assert len(found) > 20
    assert sorted(each for each in found if not resolves(each[1])) == []


@cache
def source_words() -> set[str]:
    """All words of the sources and of the files of data: code, not docstrings."""
    prose = re.compile(r'"""(?:.|\n)*?"""|#.*')
    data = [path for top in ("spindle", "sim", "models", "workloads", "examples") for path in (ROOT / top).rglob("*")
            if path.suffix in (".toml", ".yaml", ".js", ".lark", ".html", ".csv")]  # fmt: skip
    return {*(path.stem for path in PYTHON_FILES),
            *re.findall(r"\w+", "\n".join(prose.sub("", path.read_text("utf-8")) for path in PYTHON_FILES)),
            *re.findall(r"\w+", "\n".join(path.read_text("utf-8") for path in data))}  # fmt: skip


def test_names_in_quotes_are_names_of_the_source() -> None:
    pages = ("README.md", "DESIGN.md", "CONTRIBUTING.md")
    texts = [(page, text) for page, text in documents() if page.suffix == ".py" or page.name in pages]
    quoted = {(place(page), name) for page, text in texts for _, span in QUOTED.findall(re.sub("<!--.*?-->", "", text))
              for name in NAME.findall(span) if "NAME" not in span}  # fmt: skip
    assert len(quoted) > 100
    assert sorted(each for each in quoted if each[1] not in source_words() | OF_OTHERS) == []


class ParserOf(Exception):
    """Ends a command where its parser is complete."""


def options_of(command: str, *arguments: str) -> set[str]:
    """The options of a command; none where it ends before it has a parser."""
    def stop(parser: ArgumentParser) -> None:
        raise ParserOf(parser)

    module, function, _ = COMMANDS[command]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ArgumentParser, "read_first", stop)
        try:
            getattr(import_module(f"spindle.cli.{module}"), function)([*arguments])
        except ParserOf as ended:
            return {name for action in ended.args[0]._actions for name in action.option_strings}
        except (Exception, SystemExit):
            pass
    return set()


@cache
def options() -> dict[str, set[str]]:
    """Every option of each command, of all its own commands and for all systems."""
    words = {name: {*system_names(), MACHINE, LOAD, CURVE}
             for name in ("run", "sweep", "find", "experiment", "claims")}  # fmt: skip
    for _, text in documents():
        for line in COMMAND.findall(text):
            command, *rest = line.split()
            if command in ("drive", "measure", "tepe", "capture", "new"):
                words.setdefault(command, set()).update(rest[:1])
    return {name: options_of(name).union(*(options_of(name, word) for word in sorted(words.get(name, ()))))
            for name in COMMANDS}  # fmt: skip


def wrong_words(text: str) -> Iterator[str]:
    """Commands and options in *text* that there are not."""
    for line in COMMAND.findall(text):
        command = line.split()[0]
        if command in COMMANDS:
            given = OPTION.findall(line.partition("#")[0])
            yield from (f"spindle {command} {name}" for name in given if name not in options()[command])
        elif not re.fullmatch(r"[A-Z]+\W?|--\w+", command):
            yield f"spindle {command}"
    known = set().union(*options().values(), OTHERS_OPTIONS)
    yield from (name for name in OPTION.findall(text) if name not in known)


def test_commands_and_options_that_are_named_are_there() -> None:
    assert sorted({(place(page), words) for page, text in documents() for words in wrong_words(text)}) == []


def places_in(block: str) -> Iterator[str]:
    """The paths that the lines of a tree of folders name; of a line of prose, none."""
    folders: dict[int, str] = {}
    for line in block.splitlines():
        column = len(line) - len(line.lstrip())
        head, gap, rest = line.strip().partition("  ")
        folders = {at: name for at, name in folders.items() if at < column}
        if gap and head.endswith("/"):
            folders[column], line = head, rest
            yield "".join(folders.values())
        items = [item.strip() for item in re.split(r"[,;:]", line) if item.strip()]
        yield from ("".join((*folders.values(), item)) for item in items if re.fullmatch(r"[a-z_]+/?", item))


def test_the_tree_of_the_design_is_the_tree() -> None:
    """Folders end with a stroke, other words that stand alone between commas are modules or folders."""
    (block,) = TREE.findall((ROOT / "DESIGN.md").read_text("utf-8"))
    named = [*places_in(block)]
    assert len(named) > 60
    assert [name for name in named if normpath(name) not in tree() and f"{name}.py" not in tree()] == []
