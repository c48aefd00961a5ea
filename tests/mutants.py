"""Breaks the parts, one place at a time, and tells which breaks no test notices: `python -m tests.mutants PART...`.

Where to break is mutmut's choice. Each mutant is put into a copy of this process, by giving a function that is there
already another code, and tried by the tests that call that function, fastest first: some twenty times as fast as a
pytest of its own for each, and there are thousands. Left out is what no test could notice: wording of refusals,
sources and waits (pyproject.toml), of assertions, and of what students read, protocols, whether a zip is strict, what
the keys of a set made of a dict lead to, whether the first item is popped by False or None, and the default of a
parameter that a function has only because its protocol has it. Those of tests/equivalents.toml do not count, as long as
they survive.
"""

import cProfile
import gc
import os
import re
import resource
import signal
import sys
import textwrap
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any

import libcst
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from mutmut.mutation.file_mutation import create_mutations

from tests.equivalents import Score, equivalents, score, told

ROOT = Path(__file__).parents[1]
LEAST, LEAST_OF_ALL = 0.97, 0.95
"""The share of mutants that must be noticed: of each part that is not UNSETTLED, and of all parts together."""

MAX_BYTES = 4 << 30
OPTIONS = ("-qq", "--disable-warnings", "--timeout=0", "-p", "no:xdist", "-p", "no:cacheprovider")

PARTS = {
    "users": ("sim/terminal.py sim/script.py sim/streams.py sim/lock.py",
              "tests/sim/test_terminal.py tests/sim/test_line.py tests/sim/test_log_on.py tests/sim/test_script.py "
              "tests/sim/test_streams.py tests/sim/test_lock.py"),
    "machine": ("sim/machine.py sim/computer.py sim/parts.py",
                "tests/sim/test_mach*.py tests/sim/test_comp*.py tests/sim/test_parts.py tests/sim/test_forms.py"),
    "measure": ("sim/measure/*.py", "tests/sim/measure/test_*.py"),
    "basic": ("sim/user_parts.py sim/offers.py sim/forms.py sim/parameter.py sim/quantity.py sim/error.py "
              "sim/named_table.py sim/part_forms.py sim/json_text.py sim/inputs.py",
              "tests/sim/test_user_parts.py tests/sim/test_forms*.py tests/sim/test_parameter.py "
              "tests/sim/test_quantity.py tests/sim/test_error.py tests/sim/test_named_table.py "
              "tests/sim/test_json_text.py tests/sim/test_inputs.py"),
    "clock": ("sim/clock.py", "tests/sim/test_account.py tests/sim/test_clock*.py"),
    "request": ("sim/request.py", "tests/sim/test_request.py tests/sim/disc/test_drive.py"),
    "cpu": ("sim/cpu.py", "tests/sim/test_cpu.py"),
    "memory": ("sim/memory.py", "tests/sim/test_memory*.py tests/sim/cache/test_*.py"),
    "cache": ("sim/cache/*.py", "tests/sim/cache/test_*.py"),
    "eviction": ("sim/eviction/*.py", "tests/sim/eviction/test_*.py"),
    "disc": ("sim/disc/*.py", "tests/sim/disc/test_*.py tests/sim/test_block_device_contract.py"),
    "buffer": ("sim/disc/buffer/*.py", "tests/sim/disc/buffer/test_*.py tests/sim/disc/test_drive.py"),
    "channel": ("sim/disc/channel.py", "tests/sim/disc/test_*.py tests/sim/disc/buffer/test_*.py"),
    "flash": ("sim/disc/flash/*.py", "tests/sim/disc/flash/test_*.py tests/sim/test_block_device_contract.py"),
    "raid": ("sim/disc/raid/*.py", "tests/sim/disc/raid/test_*.py"),
    "hindered": ("sim/disc/hindered.py sim/disc/hindrance.py sim/disc/network.py",
                 "tests/sim/disc/test_hindered.py tests/sim/disc/test_network.py"),
    "blk_mq": ("sim/disc/kyber.py sim/io_engine.py", "tests/sim/disc/test_kyber.py tests/sim/test_io_engine.py"),
    "ml_loader": ("models/ml_loader/*.py", "tests/models/ml_loader/test_*.py"),
    "buffer_pool": ("models/buffer_pool/*.py", "tests/models/buffer_pool/test_*.py"),
    "kv": ("spindle/traces/kv/*.py models/kv_cache/run.py",
           "tests/traces/kv/test_*.py tests/models/kv_cache/test_*.py"),
    "kv_cache": ("models/kv_cache/parameters.py models/kv_cache/studies.py models/kv_cache/system.py",
                 "tests/models/kv_cache/test_*.py"),
    "batching": ("spindle/traces/batching/*.py", "tests/traces/batching/test_*.py"),
    "pipelines": ("models/unix_stdio/pipelines/*.py", "tests/models/unix_stdio/pipelines/test_*.py"),
    "verify": ("spindle/lab/verify/*.py", "tests/lab/verify/test_*.py"),
    "mpe_cache": ("models/hp3000/caching/[adlp]*.py models/hp3000/caching/control.py models/hp3000/caching/costs.py",
                  "tests/models/hp3000/caching/test_hp3000_[adlpvw]*.py "
                  "tests/models/hp3000/caching/test_hp3000_cache.py"),
    "mpe_console": ("models/hp3000/operator.py",
                    "tests/models/hp3000/test_hp3000_operator.py tests/models/hp3000/test_hp3000_shift.py"),
    "mpe_software": ("models/hp3000/software.py models/hp3000/memory.py models/hp3000/files.py",
                     "tests/models/hp3000/software/test_*.py tests/models/hp3000/memory/test_*.py "
                     "tests/models/hp3000/files/test_*.py tests/models/hp3000/test_hp3000_dispatcher.py"),
    "image": ("models/hp3000/image.py models/hp3000/image_log.py models/hp3000/data_sets.py "
              "models/hp3000/control_block.py", "tests/models/hp3000/image/test_*.py"),
    "mpe_load": ("models/hp3000/load.py models/hp3000/load_sheets.py models/hp3000/series.py "
                 "models/hp3000/parameters.py models/hp3000/ensemble.py",
                 "tests/models/hp3000/test_hp3000_load*.py tests/models/hp3000/test_hp3000_series.py "
                 "tests/models/hp3000/test_hp3000_ensemble.py tests/models/hp3000/test_hp3000_machine.py"),
    "mpe_machine": ("models/hp3000/machine.py models/hp3000/discs.py models/hp3000/disc_paths.py models/hp3000/run.py "
                    "models/hp3000/system.py",
                    "tests/models/hp3000/test_hp3000_machine.py tests/models/hp3000/test_hp3000_s[ce]*.py "
                    "tests/models/hp3000/test_hp3000_dispatcher.py tests/models/hp3000/discs/test_*.py "
                    "tests/models/hp3000/runs/test_hp3000_extras.py"),
    "opt": ("models/hp3000/instruments/*.py", "tests/models/hp3000/instruments/test_hp3000_[emos]*.py"),
    "partition": ("models/hp3000/caching/competition.py", "tests/models/hp3000/caching/test_hp3000_competition.py"),
    "page_file": ("models/windows_nt/memory.py", "tests/models/windows_nt/test_nt_memory*.py"),
    "nt_cache": ("models/windows_nt/cache.py models/windows_nt/lazy_writer.py models/windows_nt/read_ahead.py "
                 "models/windows_nt/views.py", "tests/models/windows_nt/test_nt_[cf]*.py"),
    "nt_files": ("models/windows_nt/file_access.py models/windows_nt/disc.py models/windows_nt/caller.py "
                 "models/windows_nt/probe.py",
                 "tests/models/windows_nt/test_nt_[fmrt]*.py"),
    "nt_machine": ("models/windows_nt/machine.py models/windows_nt/processes.py models/windows_nt/beside_probe.py "
                   "models/windows_nt/counters.py", "tests/models/windows_nt/test_nt_[mr]*.py"),
    "nt_pages": ("models/windows_nt/trimming.py models/windows_nt/page_writers.py models/windows_nt/working_set.py "
                 "models/windows_nt/log.py models/windows_nt/run.py models/windows_nt/system.py",
                 "tests/models/windows_nt/test_nt_[cfmpr]*.py"),
    "unix_stdio": ("models/unix_stdio/*.py", "tests/models/unix_stdio/test_*.py"),
    "page_cache": ("models/unix_stdio/page_cache/*.py", "tests/models/unix_stdio/test_*.py"),
    "ncq": ("models/sata_ncq/*.py", "tests/models/sata_ncq/test_*.py"),
    "max_iv": ("models/max_iv/[c-r]*.py models/max_iv/sampler.py models/max_iv/shot.py models/max_iv/turns.py",
               "tests/models/max_iv/test_*.py"),
    "made_up": ("workloads/drivers.py workloads/pc.py workloads/programs.py workloads/prompts.py "
                "workloads/software_tools.py workloads/synthetic.py",
                "tests/workloads/test_drivers.py tests/workloads/test_pc*.py tests/workloads/test_programs.py "
                "tests/workloads/test_prompts.py tests/workloads/test_software_tools.py "
                "tests/workloads/test_synthetic.py"),
    "programs": ("workloads/stdio.py workloads/stdio_files.py workloads/program_files/*.py",
                 "tests/workloads/test_program_files.py tests/workloads/stdio/test_*.py"),
    "terminal_scripts": ("workloads/tepe.py workloads/tepe_language/*.py",
                         "tests/workloads/test_tepe.py tests/workloads/test_tepe_mistakes.py"),
    "probe": ("workloads/probe/*.py", "tests/workloads/probe/test_*.py"),
    "readers": ("workloads/traces/*.py workloads/traces/formats/*.py", "tests/workloads/traces/test_*.py"),
    "fio": ("spindle/lab/fio/*.py", "tests/lab/fio/test_*.py"),
    "drives": ("spindle/lab/drives/errors.py spindle/lab/drives/leave_one_out.py spindle/lab/drives/timed_requests.py "
               "spindle/lab/drives/unknown_host.py", "tests/lab/drives/test_*.py"),
    "output": ("spindle/output/*.py", "tests/output/test_*.py"),
    "command_line": ("spindle/cli/main.py spindle/cli/arguments.py spindle/cli/named_files.py spindle/cli/fields.py "
                     "spindle/cli/printing.py spindle/cli/trace_file.py spindle/cli/listing.py spindle/cli/check.py",
                     "tests/cli/test_listing_by_hand.py tests/cli/test_main_by_hand.py "
                     "tests/cli/test_arguments_by_hand.py tests/cli/test_options_by_hand.py "
                     "tests/cli/test_printing_by_hand.py"),
    "fit": ("spindle/lab/fit/*.py", "tests/lab/fit/test_*.py"),
    "tools": ("models/max_iv/tools.py models/max_iv/variants.py models/max_iv/space.py models/max_iv/volumes.py",
              "tests/models/max_iv/test_max_iv_*.py"),
    "ensemble": ("spindle/studies/claims/ensemble.py spindle/studies/claims/ensemble_bands.py",
                 "tests/studies/claims/test_ensemble*.py"),
    "kept_rows": ("spindle/studies/kept_rows.py", "tests/studies/test_kept*.py"),
    "idle": ("spindle/questions/idle.py spindle/studies/idle.py", "tests/questions/test_idle.py"),
    "questions": ("spindle/questions/*.py", "tests/questions/test_*.py tests/cli/test_values.py"),
    "replay": ("spindle/traces/replay/*.py",
               "tests/traces/test_*replay*.py tests/traces/test_report*.py tests/traces/test_chains.py "
               "tests/traces/test_foretold.py tests/traces/test_timed_tiers.py tests/traces/test_load*.py "
               "tests/traces/test_engines_of_hosts.py "
               "tests/questions/test_words.py"),
    "serve": ("spindle/serve/*.py", "tests/serve/test_*.py"),
    "drive_files": ("sim/disc/sheet_file/section.py sim/disc/sheet_file/sheet.py sim/disc/sheet_file/flash.py",
                    "tests/sim/disc/sheet_file/test_*.py tests/sim/disc/flash/test_flash_sheet_file.py"),
    "layout_files": ("sim/disc/sheet_file/layout.py sim/disc/sheet_file/buffer.py sim/disc/sheet_file/extracted.py "
                     "sim/disc/sheets/*.py",
                     "tests/sim/disc/sheet_file/test_*.py tests/sim/disc/test_sheets.py"),
    "arm_kernel": ("sim/disc/kernel/arm.py sim/disc/kernel/buffer.py", "tests/sim/disc/kernel/test_*.py"),
    "drive_kernel": ("sim/disc/kernel/buffered.py sim/disc/kernel/arrays.py sim/disc/kernel/drives.py",
                     "tests/sim/disc/kernel/test_*.py"),
    "timelines": ("sim/measure/tracing/*.py", "tests/sim/measure/test_*.py"),
    "curves": ("spindle/traces/curve/answer.py spindle/traces/curve/question.py spindle/traces/curve/system.py "
               "spindle/traces/curve/steps.py spindle/traces/curve/tier*.py",
               "tests/traces/curve/test_*.py tests/traces/test_curve*.py"),
    "curve_hits": ("spindle/traces/curve/fastest.py spindle/traces/curve/lru.py spindle/traces/curve/object_hits.py "
                   "spindle/traces/curve/references.py spindle/traces/curve/replay.py spindle/traces/curve/samples.py",
                   "tests/traces/curve/test_*.py tests/traces/test_curve*.py"),
    "flash_fit": ("spindle/lab/flash/*.py", "tests/lab/flash/test_*.py"),
    "stdio_fit": ("spindle/lab/measure/*.py", "tests/lab/measure/test_*.py"),
    "course": ("spindle/course/*.py", "tests/course/test_*.py"),
    "page": ("spindle/web/*/*.py", "tests/web/play/test_play_[flprw]*.py tests/web/moving/test_film*.py"),
    "from_parts": ("spindle/machine/*.py", "tests/machine/test_*.py"),
    "python": ("spindle/__init__.py spindle/ask.py spindle/citation.py spindle/folders.py spindle/frames.py "
               "spindle/measures.py spindle/system.py spindle/systems.py",
               "tests/test_ask*.py tests/test_citation.py tests/test_folders.py tests/test_measure*.py "
               "tests/test_systems.py"),
}
"""Where it is broken, and the tests that should notice."""
UNSETTLED = (
    "clock", "request", "cpu", "memory", "cache", "eviction", "disc", "buffer", "channel", "flash", "tools", "ensemble",
    "idle", "mpe_cache", "mpe_software", "mpe_machine", "opt", "nt_pages", "unix_stdio", "page_cache", "ncq", "max_iv",
    "kv_cache", "terminal_scripts", "probe", "drive_files", "layout_files",
    "arm_kernel", "drive_kernel", "timelines", "curve_hits", "flash_fit", "stdio_fit", "course", "page", "python",
)
"""Parts in which fewer are noticed, or of which nobody knows it by a whole run yet."""

ASIDE = ("contract.py", "test_measured_drives.py", "test_hplajw.py", "test_disc_reference.py",
         "test_scheduling_reference.py")  # fmt: skip
"""Contracts are tests themselves; the others read much, for the sake of other questions."""

MAX_SECONDS = 2.0
"""A mutant is given up when tests that take as long together have noticed nothing."""
SECONDS_OF = {"terminal_scripts": 20.0}
"""The same of parts whose every test begins with what is made once, such as a grammar, and is timed with that."""
MAX_WAIT = 30
"""Seconds by the clock, beyond five times what its tests take, after which a mutant is one that never ends."""

TAUGHT, PROSE = "spindle/course/", re.compile(r"(.* ){3}|.* .*[.?][\"']$")
"""Where texts are questions and hints for students, which tests do not repeat: of four words, or a short sentence."""
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
    module, mutations, _, _ = create_mutations(path, (ROOT / path).read_text("utf-8"))
    names = dict(functions(module))
    for mutation in mutations:
        function, old = mutation.contained_by_top_level_function, mutation.original_node
        if function is None or function not in names or is_idle_default(old, function) or is_prose(path, old):
            continue
        before, after = code(function), code(function.deep_replace(old, mutation.mutated_node))
        if comparable(before) != comparable(after):
            yield Mutant(path, names[function], before, after)


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
    old, new = ((vars(each[kind]) if kind else each)[name] for each in (names, changed))
    old, new = getattr(old, "__func__", old), getattr(new, "__func__", new)
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def empty_caches(package: str) -> None:
    """Forget what functions of *package* have made before a test, which hides whom it calls, and what is broken."""
    for module in [each for name, each in sys.modules.items() if name.partition(".")[0] == package]:
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


class Attack:
    """A plugin of pytest that runs each test once, and then some of them upon every mutant of *paths*."""

    def __init__(self, paths: Sequence[str], most: float) -> None:
        self._paths = paths
        self._most = most
        self._package = module_of(paths[0]).partition(".")[0]
        self._seconds: dict[str, float] = {}
        self._tests: dict[tuple[str, str], list[pytest.Item]] = {}
        self.verdicts: Counter[str] = Counter()
        self.survivors: list[str] = []

    def pytest_collection(self) -> None:
        plain = settings.get_profile("repeatable")
        settings.register_profile("mutants", parent=plain, phases=(Phase.explicit, Phase.generate))  # nothing is shrunk
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        called = {item: self._watch(item) for item in session.items}
        for item in sorted(session.items, key=lambda item: self._seconds[item.nodeid]):
            for function in called[item]:
                self._tests.setdefault(function, []).append(item)
        gc.freeze()
        known = equivalents(self._paths)
        for path in self._paths:
            import_module(module_of(path))
            for mutant in mutants(path):
                verdict = self._try(mutant)
                self.verdicts[verdict] += 1
                if verdict == "survived":
                    self.survivors.append(str(mutant))
                    if str(mutant) not in known:
                        print(mutant, flush=True)
        return True

    def _watch(self, item: pytest.Item) -> set[tuple[str, str]]:
        """The functions that *item* calls, as (path, name)."""
        empty_caches(self._package)
        profile = cProfile.Profile(builtins=False)
        start = time.process_time()
        profile.enable()
        passed = passes(item)
        profile.disable()
        self._seconds[item.nodeid] = time.process_time() - start
        assert passed, f"{item.nodeid} fails without a mutant"
        codes = [entry.code for entry in profile.getstats() if not isinstance(entry.code, str)]
        return {(os.path.relpath(code.co_filename, ROOT), code.co_qualname.split(".<")[0]) for code in codes}

    def _try(self, mutant: Mutant) -> str:
        all_tests = self._tests.get((mutant.path, mutant.name), [])
        until = list(accumulate(self._seconds[test.nodeid] for test in all_tests))
        tests = all_tests[: bisect_left(until, self._most) + 1]
        child = os.fork()
        if not child:
            self._be(mutant, tests)
        _, status = os.waitpid(child, 0)
        return {0: "survived", 1: "killed"}.get(os.waitstatus_to_exitcode(status), "killed without end")

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


def passes(item: pytest.Item) -> bool:
    reports: list[Any] = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports)


def files(globs: str) -> list[str]:
    found = [path for glob in globs.split() for path in sorted(ROOT.glob(glob)) if path.name not in ASIDE]
    return [path.relative_to(ROOT).as_posix() for path in found]


def attack(part: str) -> Score:
    paths, tests = (files(globs) for globs in PARTS[part])
    plugin, start = Attack(paths, SECONDS_OF.get(part, MAX_SECONDS)), time.time()
    if pytest.main([*OPTIONS, *tests], [plugin]):
        sys.exit(f"{part}: the tests did not run")
    reached = score(plugin.verdicts.total(), plugin.survivors, equivalents(paths))
    for each in reached.disproved:
        print(f"tests/equivalents.toml explains what does not survive: {each}")
    print(f"{part}: {reached.noticed} of {reached.total} mutants noticed, {reached.noticed / reached.total:.1%}, "
          f"in {time.time() - start:.0f} s", flush=True)  # fmt: skip
    return reached


if __name__ == "__main__":
    os.environ["SPINDLE_PURE"] = "1"  # what is compiled takes no other code
    scores = {part: attack(part) for part in sys.argv[1:] or PARTS}
    share = sum(each.noticed for each in scores.values()) / sum(each.total for each in scores.values())
    print(f"all: {share:.1%}, at least {LEAST_OF_ALL:.0%} are asked for")
    short = [part for part, each in scores.items() if part not in UNSETTLED and each.noticed < LEAST * each.total]
    for part in short:
        print(f"{part}: at least {LEAST:.0%} are asked for")
    sys.exit(share < LEAST_OF_ALL or bool(short) or any(each.disproved for each in scores.values()))
