"""What the page writes for a shell and for Python, what it is told of its machines, and how its packages come."""

import json
import sys
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha512
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pytest

from spindle.models.windows_nt.system import ProbeScripts
from spindle.sim.clock import PHASE_COUNT
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.parameter import Rule, assumed, cited
from spindle.sim.part_forms import PolicyForm
from spindle.sim.terminal import Transaction
from spindle.sim.units import KIB, Bytes
from spindle.studies.sweep.executor import Lost
from spindle.system import PlayPage, System, TourStep
from spindle.web.play import first, npm, pages
from spindle.web.play import links as linking
from spindle.web.play.commands import command, file, python
from spindle.web.play.described import by_importance, describe, varied_parameters
from spindle.web.play.links import words_of
from spindle.web.play.npm import PACKAGES, files_of, unpack
from spindle.web.play.request import PlayRequest
from spindle.web.play.worker import digest, in_json, plan, row
from tests.web.play.test_play_pages import archive

TEPE = {"a.tepe": 'SCRIPT OFFICE\nTERMINALS 2\nRUN ORDERS\nLOOP\n  THINK EXPONENTIAL 20\n  ENTER "LIST"\nEND\n'}
PROBE = ProbeScripts().shipped_files()["random_read.scr"]
MACHINE = "from spindle.machine.start import run\n"
HP3000 = ("from spindle.models.hp3000.run import run\nfrom spindle.models.hp3000.machine import MpeOptions\n"
          "from spindle.models.hp3000.system import PARTS\n")  # fmt: skip
SCRIPTED = ("from pathlib import Path\nfrom spindle.models.hp3000.run import run\nfrom spindle.workloads import tepe\n"
            "from spindle.workloads.shipped_programs import CATALOGUE\n\n"
            "scripts = tepe.read(Path('a.tepe'), CATALOGUE)\n")  # fmt: skip
NT = "from pathlib import Path\nfrom spindle.models.windows_nt.run import run\n"


def points(head: str, *rows: str, seeds: int) -> str:
    lines = "".join(f"    dict({row}),\n" for row in rows)
    runs = f"results = [run(**point, seed=seed) for seed in range(1, {seeds + 1}) for point in points]"
    return f"{head}\npoints = [\n{lines}]\n{runs}"


WRITTEN = [
    (PlayRequest("machine"), ["run machine"], f"{MACHINE}\nresult = run(seed=1)"),
    (PlayRequest("machine", {"think": "2 s", "write_back": "yes"}, seeds=2),
     ["run machine --think '2 s' --write-back", "run machine --think '2 s' --write-back --seed 2"],
     points(MACHINE, "think=2.0, write_back=True", seeds=2)),
    (PlayRequest("machine", {"write_back": "no"}, window="0:1s"),
     ["run machine --no-write-back --html moving.html --window 0:1s"],
     f"{MACHINE}\nresult = run(write_back=False, seed=1)"),
    (PlayRequest("machine", {"policy": "arc"}, "drives", ("1", "2"), 3),
     ["sweep machine --policy arc --drives 1,2 --seeds 3"],
     points(MACHINE, "policy='arc', drives=1", "policy='arc', drives=2", seeds=3)),
    (PlayRequest("hp3000", {"scheduler": "sptf", "caching": "false"}, "terminals", ("3", "5")),
     ["sweep hp3000 --scheduler sptf --caching false --terminals 3,5 --seeds 1"],
     points(HP3000, *(f'caching=False, terminals={count}, choices=MpeOptions(scheduler=PARTS["scheduler"]["sptf"])'
                      for count in (3, 5)), seeds=1)),
    (PlayRequest("hp3000", {"scheduler": "sptf", "drive": "hp7925", "near": "0.5"}),
     ["run hp3000 --scheduler sptf --drive hp7925 --near 0.5"],
     f'{HP3000}\nresult = run(near=0.5, choices=MpeOptions(scheduler=PARTS["scheduler"]["sptf"], '
     'drive=PARTS["drive"]["hp7925"]), seed=1)'),
    (PlayRequest("hp3000", {}, "drive", ("hp7925", "hp7935"), 2), ["sweep hp3000 --drive hp7925,hp7935 --seeds 2"],
     points(HP3000, *(f'choices=MpeOptions(drive=PARTS["drive"]["{drive}"])' for drive in ("hp7925", "hp7935")),
            seeds=2)),
    (PlayRequest("hp3000", {"minutes": "30s"}, "terminals", ("3", "5"), 2, files=TEPE),
     [f"run hp3000 --script a.tepe --minutes 30s --terminals {count}{seed}"
      for count in (3, 5) for seed in ("", " --seed 2")],
     points(SCRIPTED, *(f"minutes=0.5, scripts=tepe.with_terminals(scripts, {count})" for count in (3, 5)), seeds=2)),
    (PlayRequest("hp3000", files=TEPE), ["run hp3000 --script a.tepe"],
     f"{SCRIPTED}\nresult = run(scripts=scripts, seed=1)"),
    (PlayRequest("windows_nt", {"seconds": "4s"}, files=PROBE), ["run windows_nt --probe random_read.scr --seconds 4s"],
     f"{NT}\nresult = run(seconds=4.0, probe=Path('random_read.scr'), seed=1)"),
    (PlayRequest("windows_nt", {"probe": "workloads/probe/random_read.scr"}),
     ["run windows_nt --probe workloads/probe/random_read.scr"],
     f"{NT}\nresult = run(probe=Path('workloads/probe/random_read.scr'), seed=1)"),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "lines", "text"), WRITTEN, ids=range(len(WRITTEN)))
def test_a_request_is_written_for_a_shell_and_for_python(request_: PlayRequest, lines: list[str], text: str) -> None:
    assert command(request_).splitlines() == [f"spindle {line}" for line in lines]
    assert python(request_) == text
    compile(text, "page", "exec")


def test_a_file_has_the_settings_and_the_command_the_rest() -> None:
    written = file(PlayRequest("machine", {"terminals": "3"}, "drives", ("1", "2"), 2))
    assert written is not None
    assert (written["name"], written["command"]) == (
        "machine.py", "spindle sweep machine.py --drives 1,2 --seeds 2")
    assert "terminals: int = 3, cores" in written["text"]
    assert file(PlayRequest("hp3000")) is None


@dataclass(frozen=True)
class Weights:
    mass: float = assumed(2.0, "of a pan", "kg", Rule(0.0))
    room: int = cited(4 * KIB, "of a note", "bytes", Rule(1))
    share: float = assumed(0.5, "of salt", rule=Rule(0.0, 1.0))


def weigh(pans: int = 2, wait: float | None = None, wet: bool = False, policy: PolicyForm = "lru",
          ink: Bytes = Bytes(2048)) -> None: ...  # fmt: skip


class Language:
    option = "script"

    def shipped_files(self) -> dict[str, dict[str, str]]:
        return {"one": {"one.txt": "x"}}


PAGE = PlayPage(
    {"pans": [str(each) for each in range(1, 13)], "wait": ["1s"], "wet": (), "policy": (), "ink": ["1KiB"]},
    {"pans": "3"}, "pans", ["1", "2"], ["response_mean", "throughput"], "0s:1s",
    [TourStep("Are two better?", "pans", ["1", "2"], {"wet": "true"})], ["wet"])  # fmt: skip
SAYS = {"pans": "pans in use", "wait": "until it settles", "wet": "whether it rains", "policy": "who goes",
        "ink": "of a line"}  # fmt: skip
SCALES = System("scales", "Scales", weigh, Weights(), paper="P", question="Q?", says=SAYS, play=PAGE,
                parts={"spring": {"soft": 1, "hard": 2}}, language=Language())  # type: ignore[arg-type]  # fmt: skip


def test_a_machine_is_described_for_the_page() -> None:
    described = describe([SCALES], {"scales": ["share"]})
    assert described["seeds"] == 3
    assert described["student"] == pytest.approx(
        [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262], abs=1e-3)
    (name, told), = described["machines"].items()
    rows = {each["name"]: each for each in told.pop("settings")}
    assert (name, told) == ("scales", {
        "title": "Scales", "paper": "P", "question": "Q?", "begin": {"pans": "3"}, "vary": "pans",
        "values": ["1", "2"], "curves": ["response_mean", "throughput"], "window": "0s:1s",
        "labels": {"response_mean": "mean response", "throughput": "throughput"},
        "scripts": {"option": "script", "shipped": {"one": {"one.txt": "x"}}},
        "tour": [{"says": "Are two better?", "words": "scales?pans=3&wet=true&vary=pans&values=1,2"}]})  # fmt: skip
    assert list(rows) == ["pans", "wait", "wet", "policy", "ink", "spring", "share", "mass", "room"]
    pans = [str(each) for each in range(1, 13)]
    assert rows["pans"] == {"name": "pans", "group": "run", "usual": "2", "places": pans, "words": [], "kind": "",
                            "note": "pans in use", "unit": "", "spread": ["1", "3", "5", "8", "10", "12"]}  # fmt: skip
    assert (rows["wait"]["usual"], rows["ink"]["usual"]) == ("", "2KiB")
    assert (rows["wet"]["usual"], rows["wet"]["words"], rows["wet"]["group"]) == ("false", ["true", "false"], "part")
    assert (rows["policy"]["usual"], rows["policy"]["words"][0]) == ("lru", "lru")
    assert rows["spring"] == {"name": "spring", "group": "part", "usual": "", "places": [], "words": ["soft", "hard"],
                              "kind": "", "note": "a part that may be exchanged", "unit": "",
                              "spread": ["soft", "hard"]}  # fmt: skip
    assert {**rows["mass"], "places": [], "spread": []} == {
        "name": "mass", "group": "first", "usual": "2", "places": [], "words": [], "kind": "assumed",
        "note": "of a pan", "unit": "kg", "spread": []}  # fmt: skip
    assert (rows["room"]["kind"], rows["room"]["unit"], rows["share"]["unit"]) == ("cited", "bytes", "")
    assert describe([replace(SCALES, language=None)], {})["machines"]["scales"]["scripts"] is None


def test_parameters_beyond_the_first_ten_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.web.play.described.PARAMETERS_SHOWN", 2)
    rows = describe([SCALES], {})["machines"]["scales"]["settings"]
    assert [(row["name"], row["group"]) for row in rows[-3:]] == [
        ("mass", "first"), ("room", "first"), ("share", "other")]


def test_parameters_that_most_studies_vary_come_first() -> None:
    def study(*grids: dict[str, Any]) -> Any:
        return SimpleNamespace(runs=[SimpleNamespace(grid=grid) for grid in grids])

    system = replace(SCALES, studies=[
        study({"share": [0.1, 0.2], "mass": [1, 2], "room": [1], "pans": [1, 2]}, {"share": [0.3, 0.4]}),
        study({"mass": [1, 2], "room": "12", "share": 0.5}), study({"room": [1, 2]})])  # fmt: skip
    assert varied_parameters(system) == ["mass", "share", "room"]
    assert varied_parameters(SCALES) == []


def test_what_changes_a_verdict_is_most_important() -> None:
    table = pd.DataFrame({"parameter": ["a", "b", "c", "b"], "flips": [True, False, True, True],
                          "change": [-0.2, 0.9, 0.3, -1.5]})  # fmt: skip
    assert by_importance(table) == ["b", "c", "a"]


# Links from a figure of the report.

@pytest.mark.parametrize(("settings", "words"), [
    ({"terminals": [3, 5], "drive": ["hp7925"], "other": [1]}, "hp3000?drive=hp7925&vary=terminals&values=3,5"),
    ({"terminals": [3], "near": [0.5], "caching": [True]}, "hp3000?terminals=3&near=0.5&caching=true"),
    ({"terminals": [3, 5], "near": [0.1, 0.2, 0.3]}, "hp3000?terminals=5&vary=near&values=0.1,0.2,0.3"),
    ({"terminals": [*range(1, 42)]}, "hp3000?vary=terminals&values=1,9,17,25,33,41"),
    ({"terminals": [*range(1, 41)]}, f"hp3000?vary=terminals&values={','.join(map(str, range(1, 41)))}"),
    ({"terminals": [True], "drive": [3], "near": ["x"]}, "hp3000"),
    ({"near": [7.0]}, "hp3000"), ({}, "hp3000"),
])  # fmt: skip
def test_runs_of_a_study_are_a_request(settings: dict[str, Sequence[object]], words: str) -> None:
    runs: Any = SimpleNamespace(settings=lambda: settings)
    assert words_of(linking._request("hp3000", runs)) == words


def test_a_value_that_the_page_cannot_have_has_no_text() -> None:
    found = [linking._text(SCALES, *each) for each in (
        ("pans", True), ("wet", True), ("wet", False), ("pans", 3), ("pans", "3"), ("spring", "soft"), ("spring", "x"),
        ("policy", "lru"), ("wait", 0.002))]  # fmt: skip
    assert found == [None, "true", "false", "3", None, "soft", None, "lru", "0.002"]


def test_a_link_is_to_the_runs_that_say_most() -> None:
    runs = [SimpleNamespace(settings=lambda each=each: each) for each in (
        {"terminals": [3]}, {"terminals": [3, 5], "near": [0.5]}, {"near": [0.5, 0.6]})]  # fmt: skip
    study: Any = SimpleNamespace(runs=runs)
    assert linking.link_of(replace(SCALES, name="hp3000"), study) == "hp3000?near=0.5&vary=terminals&values=3,5"
    assert linking.link_of(SCALES, study) == ""


# Packages, by a client of npm that is none.

def client(folder: Path, body: str) -> Path:
    path = folder / "npm"
    path.write_text(f"#!{sys.executable} -IS\nimport os, sys\n{body}")
    path.chmod(0o755)
    return path


def test_a_package_is_fetched_and_only_its_files_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive({"package/a.js": b"a", "package/b.js": b"b"})
    (tmp_path / "kept.tgz").write_bytes(content)
    integrity = f"sha512-{b64encode(sha512(content).digest()).decode()}"
    package = replace(PACKAGES[0], integrity=integrity, files={"a.js": "x/a.js"})
    client(tmp_path, f"open({str(tmp_path / 'said')!r}, 'w').write(chr(10).join(sys.argv[1:]))\n"
           f"data = open({str(tmp_path / 'kept.tgz')!r}, 'rb').read()\n"
           "open(os.path.join(sys.argv[-1], 'p.tgz'), 'wb').write(data)")  # fmt: skip
    monkeypatch.setenv("PATH", str(tmp_path))
    assert files_of(package) == {"x/a.js": b"a"}
    *words, flag, folder = (tmp_path / "said").read_text().splitlines()
    assert [*words, flag] == ["pack", str(package), "--ignore-scripts", "--prefer-offline", "--silent",
                              "--pack-destination"]  # fmt: skip
    assert not Path(folder).exists()
    with pytest.raises(UserError, match=f"what npm fetched for {package} is not what was pinned"):
        files_of(replace(package, integrity="sha512-x"))
    monkeypatch.setattr(npm, "MAX_FILE_BYTES", 1)
    assert unpack(package, tmp_path / "kept.tgz") == {"x/a.js": b"a"}
    monkeypatch.setattr(npm, "MAX_FILE_BYTES", 0)
    with pytest.raises(UserError, match=r"a\.js is no file of at most 0 MiB"):
        unpack(package, tmp_path / "kept.tgz")


@pytest.mark.parametrize(("body", "why"), [
    ("sys.stderr.write(' no\\n  network ')\nsys.exit(3)", "no network$"), ("sys.exit(3)", "exit status 3; is the net"),
    ("", "exit status 0; is the network there"), ("sys.stderr.write('x' * 300)", ": x{200}$"),
    ("[open(os.path.join(sys.argv[-1], name), 'w') for name in ('a.tgz', 'b.tgz')]", "exit status 0"),
    ("open(os.path.join(sys.argv[-1], 'a.tgz'), 'w')\nsys.exit(1)", "exit status 1"),
    ("import time\ntime.sleep(9)", "npm has not fetched pyodide@.* within 0.3 s"),
])  # fmt: skip
def test_a_client_that_fails_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, why: str
) -> None:
    client(tmp_path, body)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(npm, "FETCH_SECONDS", 0.3 if "sleep" in body else 60.0)
    with pytest.raises(UserError, match=why):
        files_of(PACKAGES[0])


def test_packages_and_pages_lie_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "files_of", lambda package: {
        name: package.name.encode() for name in package.files.values()})  # fmt: skip
    pages.write_packages(tmp_path)
    kept = json.loads((tmp_path / "packages.json").read_text())
    assert kept == {package.name: package.integrity for package in PACKAGES}
    assert (tmp_path / next(iter(PACKAGES[1].files.values()))).read_bytes() == b"uplot"
    (tmp_path / "packages.json").write_text("{")
    assert pages._stamp(tmp_path) is None
    pages.write_pages(tmp_path, {"machines": 7})
    assert json.loads((tmp_path / "machines.json").read_text()) == {"machines": 7}
    for path in pages.PLAY_FOLDER.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert {path.name for path in (tmp_path / "moving").iterdir()} == {*pages.SHARED}
    assert (tmp_path / "moving" / "draw.js").read_bytes() == (pages.PAGE_FOLDER / "draw.js").read_bytes()
    lines = (tmp_path / "LICENCES.txt").read_text("utf-8").splitlines()
    assert lines[:2] == ["This page carries, beside Spindle (MIT):", ""]
    assert lines[2] == f"{PACKAGES[0]}, MPL-2.0: https://www.npmjs.com/package/pyodide"
    assert [line.split()[0] for line in lines if ", MIT: https://pypi" in line] == ["simpy", "lark", "PyYAML"]
    assert sum("Permission is hereby granted" in line for line in lines) == 3
    assert lines[-1].startswith("The Mozilla Public License 2.0 is at https://mozilla.org/MPL/2.0/; Pyodide's source "
                                "at https://github.com/pyodide/pyodide; that of Python")  # fmt: skip
    assert lines[-1].endswith(" https://www.python.org.")
    names = ZipFile(BytesIO((tmp_path / "spindle.zip").read_bytes())).namelist()
    assert names == sorted(names)
    assert {"spindle/__init__.pyi", "spindle/measures.toml", "spindle/models/hp3000/system.toml"} <= {*names}
    assert [name for name in names if name.endswith((".so", ".pyc", ".html", ".js"))] == []
    assert {name.split("/")[0] for name in names} == {"spindle", "simpy", "lark", "yaml"}


def test_a_first_result_that_was_lost_is_computed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, object] = {}
    pool = SimpleNamespace(run_each=lambda do, tasks: [("a", "of a worker"), ("b", Lost("killed"))])
    monkeypatch.setattr(first, "executor", lambda workers, count: pool if (workers, count) == (None, 2) else None)
    monkeypatch.setattr(first, "compute", lambda task: f"here {task}")
    monkeypatch.setattr(first, "progress_bar", lambda items, **words: shown.update(words) or items)
    assert first._answers(["a", "b"]) == {"a": "of a worker", "b": "here b"}
    assert shown == {"total": 2, "desc": "first results", "unit": "run"}


@pytest.mark.parametrize(("request_", "axis"), [
    ({}, {"places": [0], "unit": "", "labels": ["one run"]}),
    ({"vary": "policy", "values": ["lru", "arc"]}, {"places": [0, 1], "unit": "", "labels": ["lru", "arc"]}),
    ({"vary": "write_back", "values": ["yes", "no"]}, {"places": [0, 1], "unit": "", "labels": ["yes", "no"]}),
    ({"vary": "drives", "values": ["1", "3"]}, {"places": [1.0, 3.0], "unit": "", "labels": None}),
    ({"vary": "memory", "values": ["512KiB", "2MiB"]}, {"places": [0.5, 2.0], "unit": "MiB", "labels": None}),
])  # fmt: skip
def test_an_axis_has_places_of_numbers_and_labels_of_words(request_: dict[str, Any], axis: dict[str, Any]) -> None:
    assert json.loads(plan(json.dumps({"system": "machine", **request_})))["axis"] == axis


def test_a_row_of_the_page_has_all_measures_with_units_and_labels() -> None:
    recorder = Recorder()
    recorder.record(Transaction("t", "n", 3.0, 5.0, 5.0, (1.481, 0.51, 0.009, *(0.0,) * (PHASE_COUNT - 3))), 1)
    result = Result("toy", {}, 1, 0.0, 60.0, {}, recorder, extras={"hit_ratio": 0.25, "made_up": float("nan")})
    told = row(result)
    assert list(told) == ["summary", "shown", "units", "labels", "phases", "digest"]
    assert (told["summary"]["response_mean"], told["shown"]["response_mean"], told["units"]["response_mean"],
            told["labels"]["response_mean"]) == (2.0, "2 s", "s", "mean response")  # fmt: skip
    assert ("hit_ratio" in told["units"], "made_up" in told["shown"], "made_up" in told["labels"]) == (
        False, False, True)
    assert sorted(told["phases"].values()) == [0.51, 1.481]  # from half a percent of the response on
    assert (told["digest"], len(told["digest"])) == (digest(result), 32)


@pytest.mark.parametrize(("error", "said"), [
    (UserError("no\x1bsuch"), {"error": "no\\x1bsuch"}),
    (UserError("a.txt:2:3: no"), {"error": "no", "file": "a.txt", "line": 2, "column": 3}),
    (KeyError("x"), {"error": "the run broke down: KeyError: 'x'"}),
    (MemoryError("a\x1bb"), {"error": "the run broke down: MemoryError: a\\x1bb"}),
])  # fmt: skip
def test_an_error_is_an_answer_in_json(error: Exception, said: dict[str, object]) -> None:
    def fail(number: int, word: str = "") -> dict[str, Any]:
        if word:
            return {"number": number, "word": word}
        raise error

    asked = in_json(fail)
    assert json.loads(asked(3)) == said
    assert asked(3, word="x") == '{"number": 3, "word": "x"}'
    assert asked.__name__ == "fail"
