"""A machine in a file has the options that its run declares, and a help of its own."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.questions.words import seed, seeds
from spindle.sim.error import UserError
from spindle.sim.quantity import unit_of
from spindle.systems import system_names

SHOP = str(Path(__file__).parents[2] / "examples/machine.py") + ":SHOP"
SHORT = ("--minutes", "0.2", "--warm-up", "0")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_its_help_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "run", SHOP, "--help")
    assert "--parameters" not in shown
    assert "_empty" not in shown
    assert "hp3000" not in shown
    assert f"spindle parameters {SHOP} lists them" in shown.replace("\n", " ")
    assert all(option in shown for option in ("--drive NAME", "--scheduler NAME", "--policy NAME", "default hp7933"))


def test_parts_are_options_and_axes(capsys: pytest.CaptureFixture[str]) -> None:
    once = said(capsys, "run", SHOP, *SHORT, "--drive", "hp7925", "--policy", "s3-fifo", "--scheduler", "sptf")
    assert "drive hp7925" in once
    table = said(capsys, "sweep", SHOP, *SHORT, "--policy", "lru,clock", "--seeds", "1", "--workers", "1")
    assert [line.split()[0] for line in table.splitlines()[1:3]] == ["lru", "clock"]


def test_a_part_that_is_not_there_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", SHOP, "--drive", "hp7934"]) == 2
    assert capsys.readouterr().err.startswith("spindle: unknown drive 'hp7934'")
    assert main(["run", SHOP, "--parameters", "5"]) == 2
    assert "unknown option '--parameters'" in capsys.readouterr().err


def test_a_range_of_seeds_is_several() -> None:
    assert seeds("1-3,7,007") == [1, 2, 3, 7, 7]
    with pytest.raises(UserError, match="a seed is one number, not '1-5'"):
        seed("1-5")
    for text in ("abc", "-1", "1.5", ""):
        with pytest.raises(UserError, match="--seed must be a whole number"):
            seeds(text)
    with pytest.raises(UserError, match="no range"):
        seeds("5-1")


def test_what_the_page_draws_has_a_unit() -> None:
    assert (unit_of("rate"), unit_of("elapsed"), unit_of("hit_ratio")) == ("bytes/s", "s", "1")


def test_every_system_is_run_by_its_package() -> None:
    from importlib import import_module

    assert all(callable(import_module(f"spindle.models.{name}").run) for name in system_names())


def test_claims_of_one_system_are_kept_only_where_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas as pd

    from spindle.cli.claims import _kept_claims
    from spindle.cli.effort import EffortOptions
    from spindle.cli.paper_questions import ClaimsQuestion

    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame([{"id": "one"}])
    _kept_claims([frame], ClaimsQuestion("max_iv"))
    assert list(tmp_path.iterdir()) == []
    _kept_claims([frame], ClaimsQuestion("max_iv", EffortOptions(results="mine")))
    assert (tmp_path / "mine/max_iv/claims.csv").is_file()


def test_a_picture_may_be_named_as_run_and_replay_name_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "orders.html"
    assert said(capsys, "moving", "--html", str(page), "--requests", "3").startswith(str(page))
    assert main(["moving", "hp7933"]) == 2
    assert capsys.readouterr().err == (
        "spindle: 'hp7933' is to be the page, FILE.html, that moving writes; --drive names a drive\n")
    assert main(["moving"]) == 2
    assert "name it" in capsys.readouterr().err


def test_what_a_paper_prints_is_as_wide_as_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from spindle.cli.paper_numbers import PaperNumber, lines

    says = "a sentence of the paper that is longer than forty characters"
    number = PaperNumber("response_mean", 0.4, 0.31, "B34", says)
    monkeypatch.setenv("COLUMNS", "200")
    assert lines([number])[-1].endswith("forty characters")
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, lines([number]))) <= 80


def test_the_only_system_of_a_file_needs_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shop = SHOP.partition(":")[0]
    assert said(capsys, "run", shop, *SHORT) == said(capsys, "run", SHOP, *SHORT)
    Path("none.py").write_text("A = 1\n", "utf-8")
    for name, says in (("none.py", "must be given as FILE.py:NAME"), ("absent.py", "cannot read absent.py")):
        assert main(["run", name]) == 2
        assert says in capsys.readouterr().err
