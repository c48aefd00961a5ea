"""Breaks the parts, one place at a time, and tells which breaks no test notices: `python -m tests.mutants PATH...`.

Where to break is mutmut's choice; besides, each call that is a statement is left out, and each `if` without an `else`.
A mutant is put into a copy of this process, by giving a function that is there already another code, and tried by the
tests that call that function, fastest first: some twenty times as fast as a pytest of its own for each, and there are
thousands. Left out is what no test could notice: wording of refusals, sources and waits (pyproject.toml), of
assertions, and of what students read, protocols, whether a zip is strict, what the keys of a set made of a dict lead
to, whether the first item is popped by False or None, and the default of a parameter that a function has only because
its protocol has it. Those of tests/equivalents.toml do not count, as long as they survive.
"""

import cProfile
import gc
import inspect
import os
import re
import resource
import signal
import sys
import textwrap
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any

import libcst
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from libcst import matchers
from mutmut.mutation.file_mutation import create_mutations

from tests.durations import TABLE, is_quick, read_durations
from tests.equivalents import Score, equivalents, score, told
from tests.rooms import room_of, rooms

ROOT = Path(__file__).parents[1]
LEAST, LEAST_OF_ALL = 0.97, 0.95
"""The share of mutants that must be noticed: of what is settled in each folder, and of all together."""

MAX_BYTES = 4 << 30
OPTIONS = ("-qq", "--disable-warnings", "--timeout=0", "-p", "no:xdist", "-p", "no:cacheprovider")

CODE = ("sim", "models", "workloads", "spindle")
UNSETTLED = Path(__file__).with_name("unsettled.txt")
"""Files, and folders without those below them, in which fewer are noticed, or of which nobody knows it yet."""

MAX_SECONDS = 2.0
"""A mutant is given up when tests that take as long together have noticed nothing."""
SECONDS_OF = {"workloads/tepe.py": 20.0, "workloads/tepe_language": 20.0, "spindle/cli": 6.0}
"""The same of what begins in every test with what is made once, such as a grammar, and is timed with that; and of
commands, where scores of tests that refuse an option, each soon, come before those that go on."""
MAX_WAIT = 30
"""Seconds by the clock, beyond five times what its tests take, after which a mutant is one that never ends."""

TAUGHT, PROSE = "spindle/course/", re.compile(r"(.* ){3}|.* .*[.?][\"']$")
"""Where texts are questions and hints for students, which tests do not repeat: of four words, or a short sentence."""
STARTS_THREADS = {("process_executor.py", "ProcessPoolExecutor.submit"), ("client.py", "Client.__init__")}
"""Functions of Loky and Dask that leave threads behind, which a fork has not: a test would wait until it is ended."""
STRICT = re.compile(r",\s*(strict=\w+)?\)")
NOTHING = re.compile(r"\] = (None|\"\")$", re.MULTILINE)
ASSERTED = re.compile(r"^( *assert .*), \".*\"$", re.MULTILINE)
OLDEST = re.compile(r"popitem\((last=)?(False|None)\)")


@dataclass(frozen=True)
class Mutant:
    """A function, *name* as in `Class.method`, of the module at *path*, and its source before and after."""

    path: str
    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return told(self.path, self.name, self.before, self.after)


def mutants(path: str) -> Iterator[Mutant]:
    """Yield the mutants of mutmut, and a mutant without each call that is a statement, and without each `if`."""
    module, mutations, _, _ = create_mutations(path, (ROOT / path).read_text("utf-8"))
    names = dict(functions(module))
    for mutation in mutations:
        function, old = mutation.contained_by_top_level_function, mutation.original_node
        if function is None or function not in names or is_idle_default(old, function) or is_prose(path, old):
            continue
        before, after = code(function), code(function.deep_replace(old, mutation.mutated_node))
        if comparable(before) != comparable(after):
            yield Mutant(path, names[function], before, after)
    for function, name in names.items():
        for step in steps(function):
            yield Mutant(path, name, code(function), code(function.deep_replace(step, no_step(step))))


Step = libcst.SimpleStatementLine | libcst.If


def no_step(step: Step) -> libcst.SimpleStatementLine:
    return libcst.SimpleStatementLine([libcst.Pass()], step.leading_lines)


def steps(function: libcst.FunctionDef) -> Iterator[Step]:
    """Yield calls that are statements, and each `if` without an `else`: mutmut leaves them where they are."""
    calls = matchers.findall(function.body, matchers.SimpleStatementLine([matchers.Expr(matchers.Call())]))
    yield from (libcst.ensure_type(each, libcst.SimpleStatementLine) for each in calls)
    branches = [libcst.ensure_type(each, libcst.If) for each in matchers.findall(function.body, matchers.If())]
    others = [each.orelse for each in branches]
    yield from (each for each in branches if each.orelse is None and all(each is not other for other in others))


def code(node: libcst.CSTNode) -> str:
    return libcst.Module([]).code_for_node(node)


def comparable(source: str) -> str:
    source = ASSERTED.sub(r"\1", source)
    return NOTHING.sub("]", STRICT.sub(")", OLDEST.sub("popitem(0)", source)))


def is_idle_default(node: libcst.CSTNode, function: libcst.FunctionDef) -> bool:
    """Whether *node* is the default of a parameter that *function* never looks at."""
    body, parameters = code(function.body), function.params.params
    return any(each.default is node and not re.search(rf"\b{each.name.value}\b", body) for each in parameters)


def is_prose(path: str, node: libcst.CSTNode) -> bool:
    """Whether *node* is wording for students of the course."""
    return path.startswith(TAUGHT) and isinstance(node, libcst.SimpleString) and PROSE.match(node.value) is not None


def functions(module: libcst.Module) -> Iterator[tuple[libcst.FunctionDef, str]]:
    for statement in module.body:
        if isinstance(statement, libcst.FunctionDef):
            yield statement, statement.name.value
        elif isinstance(statement, libcst.ClassDef):
            if any(code(base.value) == "Protocol" for base in statement.bases):
                continue
            for each in statement.body.body:
                if isinstance(each, libcst.FunctionDef):
                    yield each, f"{statement.name.value}.{each.name.value}"


def module_of(path: str) -> str:
    """Return the name of the module at *path*; folders of a checkout lie below the package."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"spindle.{name}" if path.split("/")[0] in ("sim", "models", "workloads") else name


def install(mutant: Mutant) -> None:
    """Give the function the code and the defaults of the mutant; whoever has imported it has it too."""
    names = vars(sys.modules[module_of(mutant.path)])
    kind, _, name = mutant.name.rpartition(".")
    body = f"class {kind}:\n{textwrap.indent(mutant.after, '    ')}" if kind else mutant.after
    changed = dict(names)
    exec(compile(f"from __future__ import annotations\n{body}", mutant.path, "exec"), changed)
    old, new = (undecorated((vars(each[kind]) if kind else each)[name]) for each in (names, changed))
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def undecorated(function: Any) -> Any:
    """Return what @classmethod, @property, @cached_property, @contextmanager or @cache made *function* of."""
    for name in ("__func__", "fget", "func"):
        function = getattr(function, name, function)
    return inspect.unwrap(function)


def empty_caches(package: str) -> None:
    """Forget what functions of *package* have made before a test, which hides whom it calls, and what is broken."""
    for module in [each for name, each in sys.modules.items() if name.partition(".")[0] == package]:
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


def leaves_threads(called: Iterable[tuple[str, str]]) -> bool:
    return any((os.path.basename(path), name) in STARTS_THREADS for path, name in called)


class Attack:
    """A plugin of pytest that runs each test once, and then some of them upon every mutant of *paths*."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._package = module_of(paths[0]).partition(".")[0]
        self._seconds: dict[str, float] = {}
        self._tests: dict[tuple[str, str], list[pytest.Item]] = {}
        self._survivors: list[str] = []
        self.totals: Counter[str] = Counter()

    def pytest_collection(self) -> None:
        plain = settings.get_profile("repeatable")
        settings.register_profile("mutants", parent=plain, phases=(Phase.explicit, Phase.generate))  # nothing is shrunk
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        """Leave out what would never be reached: tests that take longer than a mutant may."""
        most = max(seconds_of(path) for path in self._paths)
        slow = {name: each for name, each in read_durations(TABLE.read_text("utf-8")).items() if each > most}
        items[:] = [item for item in items if is_quick(item, slow)]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        called = {item: self._watch(item) for item in session.items}
        for item in sorted(session.items, key=lambda item: self._seconds[item.nodeid]):
            for function in () if leaves_threads(called[item]) else called[item]:
                self._tests.setdefault(function, []).append(item)
        gc.freeze()
        known = equivalents(self._paths)
        for path in self._paths:
            try:
                import_module(module_of(path))
            except ImportError as error:  # it is of numba alone, which is hidden
                print(f"{path} is not broken: {error}", flush=True)
                continue
            for mutant in mutants(path):
                self.totals[path] += 1
                if self._survives(mutant):
                    self._survivors.append(str(mutant))
                    if str(mutant) not in known:
                        print(mutant, flush=True)
        return True

    def score(self, path: str) -> Score:
        """Return how many of the mutants of *path* were noticed."""
        survivors = [each for each in self._survivors if each.split()[0] == path]
        return score(self.totals[path], survivors, equivalents([path]))

    def _watch(self, item: pytest.Item) -> set[tuple[str, str]]:
        """The functions that *item* calls, as (path, name)."""
        empty_caches(self._package)
        profile = cProfile.Profile(builtins=False)
        start = time.process_time()
        profile.enable()
        passed = passes(item)
        profile.disable()
        self._seconds[item.nodeid] = time.process_time() - start
        if not passed:
            print(f"{item.nodeid} fails without a mutant, and is left out", flush=True)
            return set()
        codes = [entry.code for entry in profile.getstats() if not isinstance(entry.code, str)]
        return {(os.path.relpath(code.co_filename, ROOT), code.co_qualname.split(".<")[0]) for code in codes}

    def _survives(self, mutant: Mutant) -> bool:
        all_tests = self._tests.get((mutant.path, mutant.name), [])
        until = list(accumulate(self._seconds[test.nodeid] for test in all_tests))
        tests = all_tests[: bisect_left(until, seconds_of(mutant.path)) + 1]
        child = os.fork()
        if not child:
            self._be(mutant, tests)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) == 0  # else a test has failed, or the mutant was ended

    def _be(self, mutant: Mutant, tests: Sequence[pytest.Item]) -> None:
        """Try *mutant* in this process, which ends by that."""
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            seconds = sum(self._seconds[test.nodeid] for test in tests)
            signal.alarm(int(MAX_WAIT + 5 * seconds))
            limit = int(time.process_time() + 3 + 5 * seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
            install(mutant)
            empty_caches(self._package)
            survived = all(passes(test) for test in tests)
        except BaseException:  # whatever it is: a session ended, memory used up
            survived = False
        os._exit(not survived)


def seconds_of(path: str) -> float:
    return next((most for place, most in SECONDS_OF.items() if PurePosixPath(path).is_relative_to(place)), MAX_SECONDS)


def passes(item: pytest.Item) -> bool:
    reports: list[Any] = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports)


def is_settled(path: str) -> bool:
    return not {path, str(PurePosixPath(path).parent)} & set(UNSETTLED.read_text("utf-8").split())


def attack(folder: str, paths: Sequence[str]) -> dict[str, Score]:
    """Break the files at *paths*, which lie in *folder*, and return the score of each in which a place was found."""
    plugin, start = Attack(paths), time.time()
    if pytest.main([*OPTIONS, *room_of(folder, ROOT)], [plugin]):
        sys.exit(f"{folder}: the tests did not run")
    scores = {path: plugin.score(path) for path in paths if plugin.totals[path]}
    for path, each in scores.items():
        print(f"{path}: {each}")
        for mutant in each.disproved:
            print(f"tests/equivalents.toml explains what does not survive: {mutant}")
    print(f"{folder}: {sum(scores.values(), Score(0, 0))}, in {time.time() - start:.0f} s", flush=True)
    return scores


def check_paths(paths: Iterable[str]) -> None:
    for path in paths:
        if PurePosixPath(path).parts[:1] not in [(top,) for top in CODE] or not (ROOT / path).exists():
            sys.exit(f"{path}: there is no such file or folder in {', '.join(CODE)}")


def run(paths: Iterable[str]) -> bool:
    """Break the files at *paths* and tell whether enough is noticed: in what is settled of each folder, and in all."""
    found = {folder: attack(folder, there) for folder, there in rooms(paths, ROOT).items() if room_of(folder, ROOT)}
    settled = {folder: sum((each for path, each in scores.items() if is_settled(path)), Score(0, 0))
               for folder, scores in found.items()}  # fmt: skip
    short = [folder for folder, each in settled.items() if each.noticed < LEAST * each.total]
    for folder in short:
        print(f"{folder}: at least {LEAST:.0%} are asked for where it is settled")
    every = sum((each for scores in found.values() for each in scores.values()), Score(0, 0))
    print(f"all: {every}, at least {LEAST_OF_ALL:.0%} are asked for")
    return not short and every.noticed >= LEAST_OF_ALL * every.total and not every.disproved


if __name__ == "__main__":
    sys.modules["numba"] = None  # type: ignore[assignment]  # what is compiled takes no other code
    check_paths(sys.argv[1:])
    sys.exit(not run(sys.argv[1:] or CODE))
