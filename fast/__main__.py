"""``make fast``: compiles the parts by mypyc into build/fast, for the Python that is running.

What is compiled is a copy in which every class lets interpreted ones derive from it, so that parts of one's own work.
"""

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from mypyc.build import mypycify
from setuptools import Distribution

from fast.opened import opened
from fast.parts import PARTS
from sim.compiled_parts import BUILT, NAMES, ROOT, digest
from sim.output.modules import closure, path_of

GROUP = "spindle"
SHARED = f"{GROUP}__mypyc"
"""The module that holds all code; those named as the source refer to it."""


def module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def sources(files: list[str]) -> list[str]:
    """*files* and what they import, whose types their code relies on."""
    reached = set().union(*(closure(module(file)) for file in files))
    paths = [path for name in reached if (path := path_of(name)) is not None]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def build(files: list[str], folder: Path) -> None:
    """Compile *files* into *folder*, where a copy of the source is the working directory of the compiler."""
    copy = folder / "source"
    for file in sources(files):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / file).read_text("utf-8")
        (copy / file).write_text(opened(text) if file in files else text, "utf-8")
        for above in (copy / file).relative_to(copy).parents[:-1]:
            (copy / above / "__init__.py").touch()
    shutil.copy(ROOT / "pyproject.toml", copy)
    os.chdir(copy)
    extensions = mypycify(["--follow-imports=silent", *files], opt_level="1", debug_level="0", group_name=GROUP)
    command = Distribution({"name": GROUP, "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder / "built"), str(folder / "objects")
    command.ensure_finalized()
    command.run()


def main() -> None:
    """Build beside what is there, and take its place at once."""
    files = [f"{each.replace('.', '/')}.py" for each in PARTS]
    names = {"modules": [SHARED, *map(module, files)], "digest": digest(sources(files)), "sources": sources(files)}
    BUILT.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=BUILT.parent) as folder:
        build(files, Path(folder))
        built = Path(folder, "built")
        (built / NAMES).write_text(json.dumps(names, indent=1), "utf-8")
        shutil.rmtree(BUILT, ignore_errors=True)
        built.rename(BUILT)
        os.chdir(ROOT)
    print(f"compiled {len(files)} modules into {BUILT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
