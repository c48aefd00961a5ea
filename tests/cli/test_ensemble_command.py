"""Tests the files, the output and the mistakes of ``spindle ensemble``, with machines whose runs take no time."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import ensemble as command
from spindle.cli.main import main
from spindle.output.kept_tables import kept_table
from spindle.sim.error import PointFailed
from spindle.system import System
from spindle.systems import find_system

GIVEN: list[tuple[int, bool, int | None]] = []


def tried(
    system: System, members: int, quick: bool, workers: int | None, progress: bool, store: Path
) -> pd.DataFrame:
    GIVEN.append((members, quick, workers))
    (store / "runs").mkdir(parents=True)
    number = list(range(members + 1))
    gains = {f"transactions.gain_{terminals}": [0.01 * each for each in number] for terminals in (21, 63)}
    return pd.DataFrame({"member": number, "kept": True, "why": "", **gains})


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> System:
    """The HP3000 with an ensemble that is not simulated."""
    subject = find_system("hp3000")
    assert subject.ensemble is not None
    mine = replace(subject, ensemble=replace(subject.ensemble, asked=("B29", "B30"), joint=[[["B29"], ["B30"]]]))
    monkeypatch.setattr(command, "find_system", lambda name: mine if name == "hp3000" else find_system(name))
    monkeypatch.setattr(command, "try_members", tried)
    return mine


def test_writes_members_bands_and_picture(
    cheap: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ensemble", "hp3000", "--quick", "--workers", "1", "--results", str(tmp_path)]) == 0
    assert GIVEN[-1] == (command.QUICK_MEMBERS, True, 1)
    assert len(kept_table(tmp_path / "hp3000" / "ensemble.csv").frame) == command.QUICK_MEMBERS + 1
    assert list(kept_table(tmp_path / "hp3000" / "ensemble_bands.csv").frame["id"]) == ["B29", "B30"]
    assert kept_table(tmp_path / "hp3000" / "ensemble_joint.csv").frame["meet"].tolist() == [0]
    assert (tmp_path / "hp3000" / "ensemble.png").stat().st_size > 0
    out = capsys.readouterr().out
    assert "4 of 4 members tried were kept, and stand here beside the default machine. fails: B29, B30." in out


    assert kept_table(tmp_path / "hp3000" / "ensemble.csv").origin["system"] == "hp3000"
    assert not (tmp_path / "hp3000" / "ensemble.sweep").exists(), "finished runs are kept until all are"


@pytest.mark.parametrize(("words", "members"), [
    (["--members=7"], 7), ([], command.USUAL_MEMBERS), (["--full"], command.FULL_MEMBERS),
    (["--full", "--members=7"], 7),
])  # fmt: skip
def test_so_many_members_as_are_asked_for(
    words: list[str], members: int, cheap: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_write", lambda path, frame, system, bench: GIVEN.append((path, len(frame))))  # type: ignore[arg-type]
    assert main(["ensemble", "hp3000", "--results", str(tmp_path), *words]) == 0
    assert GIVEN[-2:] == [(members, False, None), (tmp_path / "hp3000" / "ensemble", members + 1)]


@pytest.mark.parametrize("pairs", [None, "pairs"])
def test_members_are_kept_drawn_and_told(
    pairs: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ["id", "measure", "published", "band_low", "median", "band_high", "default", "role"]
    frame: Any = "members"
    system: Any = SimpleNamespace(name="toy")
    bench: Any = "bench"
    banded = pd.DataFrame([dict.fromkeys(columns, 1.23456) | {"id": "A", "extra": 7}])
    kept: list[Any] = []
    monkeypatch.setattr(command, "bands", lambda *told: banded if told == (bench, frame) else None)
    monkeypatch.setattr(command, "joint", lambda *told: f"joint of {told}")
    monkeypatch.setattr(command, "ensemble_strips", lambda *told: f"strips of {told}")
    monkeypatch.setattr(command, "ensemble_pairs", lambda *told: pairs and f"pairs of {told}")
    monkeypatch.setattr(command, "remark", lambda *told: f"remark of {told}")
    monkeypatch.setattr(command, "_digest", lambda system: f"digest of {system.name}")
    for name in ("keep_table", "save"):
        monkeypatch.setattr(command, name, lambda *told: kept.append(told))
    command._write(tmp_path / "ensemble", frame, system, bench)
    of, origin = ("bench", "members"), {"system": "toy", "parameters": "digest of toy"}
    assert kept == [
        (frame, tmp_path / "ensemble.csv", origin), (banded, tmp_path / "ensemble_bands.csv", origin),
        (f"joint of {of}", tmp_path / "ensemble_joint.csv", origin), (f"strips of {of}", tmp_path / "ensemble.png"),
        *([(f"pairs of {of}", tmp_path / "ensemble_together.png")] if pairs else [])]
    head, row, last = capsys.readouterr().out.splitlines()
    assert (head.split(), row.split()) == (columns, ["A", *["1.23"] * 7])
    assert last == f"{tmp_path}/ensemble.csv and .png: remark of {of}"


def test_finished_runs_are_kept_beside_the_tables_until_all_are(
    cheap: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    written: list[bool] = []
    store = tmp_path / "hp3000" / "ensemble.sweep"
    monkeypatch.setattr(command, "try_members", lambda *given: told.append(given))
    monkeypatch.setattr(command, "_write", lambda *given: written.append(store.exists()))
    words = ["ensemble", "hp3000", "--workers=2", "--results"]
    assert main([*words, str(tmp_path)]) == 0, "though no run was kept"
    assert told == [(cheap, command.USUAL_MEMBERS, False, 2, True, store)]
    monkeypatch.setattr(command, "try_members", lambda *given: told.append(given) or store.mkdir(parents=True))
    assert main([*words, str(tmp_path), "--quick"]) == 0
    assert (told[-1], store.exists()) == ((cheap, command.QUICK_MEMBERS, True, 2, True, store), False)
    assert written == [False, True]
    (tmp_path / "file").touch()
    assert main([*words, str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.startswith("spindle: --results: cannot make the folder ")
    assert len(told) == 2


def test_a_digest_is_of_the_models_the_parameters_and_the_ensemble() -> None:
    system: Any = SimpleNamespace(models="toy 1", parameters=(1, 2), ensemble="drawn")
    others = [SimpleNamespace(**{**vars(system), name: "other"}) for name in vars(system)]
    digests = [command._digest(each) for each in (system, *others)]
    assert len({*digests}) == 4
    assert command._digest(SimpleNamespace(**vars(system))) == digests[0]  # type: ignore[arg-type]
    assert bytes.fromhex(digests[0])


def test_what_was_recorded_is_found_and_known_to_be_stale(cheap: System, tmp_path: Path) -> None:
    path = tmp_path / "hp3000" / "ensemble.csv"
    assert command.read_members(path, cheap) is None
    main(["ensemble", "hp3000", "--quick", "--results", str(tmp_path)])
    subject = command.read_members(path, cheap)
    assert subject is not None
    assert not subject.stale
    changed = replace(cheap, parameters=replace(cheap.parameters, discs=2))
    subject = command.read_members(path, changed)
    assert subject is not None
    assert subject.stale


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["max_iv"], "max_iv has no ensemble"),
        (["hp3000", "--members", "0"], "--members must be a whole number from 1 to 100000, not 0"),
        (["hp3000", "--members", "many"], "--members must be a whole number"),
        (["hp3000", "--quick", "--full"], "--full and --quick exclude each other"),
    ],
)
def test_refuses_in_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ensemble", *arguments]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("stop", "status"), [(PointFailed("the point a=1 failed: it"), 1), (KeyboardInterrupt("40 points are kept"), 130)]
)
def test_what_breaks_it_off_is_said_in_one_line(
    stop: BaseException,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*given: object) -> None:
        raise stop

    monkeypatch.setattr(command, "try_members", stopped)
    assert main(["ensemble", "hp3000", "--quick", "--results", str(tmp_path)]) == status
    assert capsys.readouterr() == ("", f"spindle: {stop}\n")
