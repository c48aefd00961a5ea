"""README, documentation and examples are true: their Python runs, their commands run, their links lead somewhere."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from shlex import split
from typing import Any

import pandas as pd
import pytest

from spindle.cli import judged as judged_command
from spindle.cli import sensitivity as sensitivity_command
from spindle.cli.main import COMMANDS, main
from spindle.lab.fio import fit as fio_fit
from spindle.lab.fio import flash_reads, flash_writes, nvme
from spindle.lab.fio.flash_answer import drive_answer
from spindle.lab.fit import page as fit_page
from spindle.lab.verify import answer
from spindle.lab.verify.form import EvidenceLayer
from spindle.lab.verify.kinds import LAYER_KINDS, Predict
from spindle.lab.verify.point import EvidencePoint
from spindle.studies.claims import sensitivity
from spindle.studies.claims.sensitivity import scored_claims, variants
from spindle.studies.claims.verdicts import VERDICT_COLUMNS
from spindle.studies.sweep.sweep import sweep
from tests.shorter import shortened

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = [ROOT / "examples" / name for name in ("README.md", "your_own_machine.md")]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *EXAMPLES]
SUFFIXES = (".csv", ".yaml", ".tepe", ".scr", ".py")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMPT = "$ spindle "
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    """The commands that a reader of *page* types, each alone: indented by four, or in back quotes with an example."""
    return re.findall(r"^    spindle (.*)$", page, re.MULTILINE) + re.findall(r"`spindle ([^`]*examples/[^`]*)`", page)


TYPED = list(dict.fromkeys(line for page in PAGES for line in commands(page.read_text("utf-8"))))
CONSOLES = [(page.stem, block.splitlines()) for page in PAGES for block in CONSOLE.findall(page.read_text("utf-8"))]
"""Commands that follow each other."""
SHIFT = "run hp3000 --minutes 8 --warm-up 2 --shift examples/operator_shift.txt"
"""Run by the test of the help of run."""
FIRST = slice(0, 300)
"""Of the requests that a drive is fitted to."""
PREDICTED: dict[object, list[EvidencePoint]] = {}
BLOCKS = [(page.name, block) for page in PAGES
          for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]  # fmt: skip


@pytest.mark.always
def test_python_of_the_readme_prints_what_stands_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    ((block, output),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out == output


@pytest.mark.parametrize(("page", "block"), [each for each in BLOCKS if each[0] != "README.md"])
def test_python_of_a_page_runs(page: str, block: str, elsewhere: Path) -> None:
    assert "result" in run_python(block), page


@pytest.mark.parametrize(("page", "lines"), CONSOLES)
def test_commands_that_follow_each_other_run(
    page: str, lines: list[str], elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in lines:
        assert line.startswith(PROMPT), page
        assert main(split(line.removeprefix(PROMPT))) == 0
        assert capsys.readouterr().out


def test_every_block_is_executed_or_is_no_command() -> None:
    for page in PAGES:
        for kind, content in FENCED.findall(page.read_text("utf-8")):
            assert kind in ("python", "console", "text"), f"{page}: {kind}"
            assert kind != "text" or not re.search(r"^(\$ |spindle |pip |make )", content, re.MULTILINE), page


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a copy of what pages read."""
    for folder in ("workloads", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_python(block: str) -> dict[str, object]:
    """The names that *block* defines, with less simulated time."""
    names: dict[str, object] = {}
    exec(compile(re.sub(r"minutes=\d+", "minutes=0.5, warm_up=0.2", block), "README.md", "exec"), names)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8"))
    assert len(links) >= 6 * (page == ROOT / "README.md")
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_pages_show_the_commands_that_end_by_themselves() -> None:
    """Each but those that open a browser, serve, record a real drive, or take the whole report's time."""
    following = (line.removeprefix(PROMPT) for _, lines in CONSOLES for line in lines)
    shown = {line.split()[0] for line in (*TYPED, *following)}
    assert set(COMMANDS) - shown <= {"play", "serve", "capture", "report", "experiment", "ensemble"}


def test_there_are_commands_for_every_file_of_the_examples() -> None:
    files = {path.name for path in (ROOT / "examples").iterdir() if path.suffix in SUFFIXES}
    named = {Path(word.partition(":")[0]).name for line in TYPED for word in split(line, comments=True)}
    assert files - named == set()


FIRST_OF_COMMAND = {line.split()[0]: line for line in reversed(TYPED)
                    if line != SHIFT and not line.startswith("verify")}  # fmt: skip
"""The first line of the pages for each command that is run always: verify fits drives, and has tests of its own."""


@pytest.mark.parametrize("command", [
    pytest.param(line, marks=[pytest.mark.always] * (line in FIRST_OF_COMMAND.values())) for line in TYPED
    if line != SHIFT
])  # fmt: skip
def test_a_command_of_the_pages_is_understood(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], elsewhere: Path
) -> None:
    """Each one runs as it stands, or with less simulated time where it would take long, in a copy of what it reads."""
    monkeypatch.setattr(judged_command, "replicate", lambda studies, *_: {study.name: 1 for study in studies})
    monkeypatch.setattr(judged_command, "score", unjudged)
    monkeypatch.setattr(sensitivity, "variants", lambda parameters: variants(parameters)[:1])
    monkeypatch.setattr(sensitivity, "scored_claims", lambda system: scored_claims(system)[:1])
    monkeypatch.setitem(sensitivity_command.VARIANT_SEEDS, True, 1)
    fit = fit_page.fit_drive
    monkeypatch.setattr(fit_page, "fit_drive",
                        lambda drive, asked, *rest, **watched: fit(drive, asked.part(FIRST), *rest, **watched))
    cases = EvidenceLayer.cases
    monkeypatch.setattr(EvidenceLayer, "cases", lambda layer: islice(cases(layer), 1))
    monkeypatch.setattr(answer, "LAYER_KINDS", {name: replace(kind, predict=partial(predicted, kind.predict))
                                          for name, kind in LAYER_KINDS.items()})  # fmt: skip
    monkeypatch.setattr(fio_fit, "fit_nvme", nvme._first)  # a search that stays where it begins
    for name in ("NVME_REQUESTS", "JUDGED_REQUESTS"):
        monkeypatch.setattr(fio_fit, name, 500)
    for name in ("MAX_SIMULATED_KINDS", "MAX_SIMULATIONS"):
        monkeypatch.setattr(flash_reads, name, 1)
    for module in (flash_reads, flash_writes):
        monkeypatch.setattr(module, "drive_answer", partial(drive_answer, requests=300))
    words = split(command, comments=True)
    has_minutes = words[1] not in ("curve", "load") and not Path(words[1]).is_file() if len(words) > 1 else False
    if words[0] == "sweep" and has_minutes:
        for name in ("find", "precision"):
            import_module(f"spindle.studies.sweep.{name}")  # with the sweep that stays, which they would take in
        monkeypatch.setattr("spindle.studies.sweep.sweep.sweep", short_sweep)
    assert main(shortened(words)) == 0
    assert capsys.readouterr().out


def predicted(predict: Predict, data: Path, case: str, settings: Mapping[str, Any]) -> list[EvidencePoint]:
    """Predict a case once for all commands."""
    asked = predict, data, case, repr(settings)
    if asked not in PREDICTED:
        PREDICTED[asked] = list(predict(data, case, settings))
    return PREDICTED[asked]


def short_sweep(run: object, **grid: Any) -> pd.DataFrame:
    """A sweep of two values of each argument, and of little simulated time."""
    grid = {name: value[:2] if isinstance(value, list) else value for name, value in grid.items()}
    short = {name: min([0.2, *(minutes / 4 for minutes in grid.get(name, []))]) for name in ("minutes", "warm_up")}
    return sweep(run, **grid | {name: [value] for name, value in short.items()} | {"seed": [1], "progress": False})


def unjudged(*_: object) -> pd.DataFrame:
    return pd.DataFrame([dict.fromkeys(VERDICT_COLUMNS, "")])
