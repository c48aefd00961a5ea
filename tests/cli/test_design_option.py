"""``spindle sweep --design`` and ``--sample``: points from a file or drawn, and mistakes in one line."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from spindle.cli.designs import DesignOptions
from spindle.cli.main import main
from spindle.studies.sweep.design import latin, sobol
from spindle.systems import find_system

SWEEP = ["sweep", "max_iv", "--set=minutes=1", "--set=warm_up=0", "--workers=1"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.studies.sweep.stored_sweep.source", lambda: "as it was")


def test_points_of_a_file_come_back_as_columns_of_their_types() -> None:
    Path("points.csv").write_text("\ufeffusers, sectors ,scheduler\n1,64,look\n\n3,256,c-look\n")
    assert main([*SWEEP, "--design=points.csv", "--seeds=2", "--out=x.parquet"]) == 0
    frame = pd.read_parquet("x.parquet")
    assert list(frame.columns[:6]) == ["users", "sectors", "scheduler", "minutes", "warm_up", "seed"]
    assert frame[["users", "sectors", "scheduler", "seed"]].values.tolist() == [
        [1, 64, "look", 1], [1, 64, "look", 2], [3, 256, "c-look", 1], [3, 256, "c-look", 2],
    ]  # fmt: skip
    assert frame[["users", "sectors", "seed"]].dtypes.unique().tolist() == ["int64"]


def test_a_design_with_a_column_of_seeds_is_run_as_it_stands() -> None:
    Path("points.csv").write_text("users,seed\n2,7\n1,9\n")
    assert main([*SWEEP, "--design=points.csv", "--out=x.csv"]) == 0
    assert pd.read_csv("x.csv")[["users", "seed"]].values.tolist() == [[2, 7], [1, 9]]


def test_a_latin_sample_of_whole_numbers() -> None:
    sample = ["--sample=4", "--latin", "users=1:4", "sectors=100:499", "--seeds=1"]
    assert main([*SWEEP, *sample, "--out=x.csv"]) == 0
    frame = pd.read_csv("x.csv")
    assert sorted(frame["users"]) == [1, 2, 3, 4]
    assert sorted(frame["sectors"] // 100) == [1, 2, 3, 4]


@pytest.mark.parametrize(("how", "draw"), [("latin", latin), ("sobol", sobol)])
def test_a_sample_is_drawn_by_its_seed(how: str, draw: Callable[..., pd.DataFrame]) -> None:
    system, ranges = find_system("max_iv"), {"think": (1.0, 9.0), "minutes": (1.0, 60.0)}
    texts = tuple(f"{name}={low:g}:{high:g}" for name, (low, high) in ranges.items())
    assert DesignOptions().points(system) is None
    for seed in (1, 7):
        asked = DesignOptions(sample=4, sample_seed=seed, **{how: texts})
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # for none is drawn twice
            assert asked.points(system) == draw(4, ranges, seed).to_dict("list")
    assert not draw(4, ranges, 1).equals(draw(4, ranges, 7))


def test_points_that_a_sample_draws_twice_are_run_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SWEEP, "--sample=4", "--latin", "users=1:2", "--seeds=1"]) == 0
    out, err = capsys.readouterr()
    assert (out.count("\n"), "\none seed; " in out) == (5, True)  # a head, two points, an empty line and the foot
    assert err == "spindle: --sample 4: 2 points of them differ, and each is run once\n"


def test_means_of_unlike_many_seeds_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    Path("points.csv").write_text("users,seed\n1,1\n1,2\n2,1\n")
    assert main([*SWEEP, "--design=points.csv"]) == 0
    assert "\nmeans of 1 to 2 seeds ± " in capsys.readouterr().out


def test_a_design_and_what_stands_for_its_column_contradict_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    Path("loads.csv").write_text("load\npcfat32\nsmalldiskmon\n")
    Path("trace.csv").write_text("offset,size\n0,4096\n")
    assert main(["sweep", "sata_ncq", "--design=loads.csv", "--trace=trace.csv"]) == 2
    assert capsys.readouterr().err == "spindle: --load and --trace exclude each other; leave out one of them\n"


@pytest.mark.parametrize(("arguments", "said"), [
    (["--design=none.csv"], "cannot read none.csv: No such file or directory"),
    (["--design=bad.csv"], "bad.csv, line 1: unknown name of a column 'usrs': did you mean users"),
    (["--design=twice.csv"], "twice.csv, line 1: there are 2 columns called users"),
    (["--design=long.csv"], "long.csv, line 2: 3 values for the 2 columns users, sectors"),
    (["--design=inf.csv"], "inf.csv, line 2: compare must be a finite number, not 'inf'"),
    (["--design=huge.csv"], "huge.csv, line 2: field larger than field limit (131072)"),
    (["--sample=2", "--latin", "schedule=1:2"], "unknown name to set 'schedule': there are "),
    (["--design=short.csv"], "short.csv, line 3: 1 values for the 2 columns users, sectors"),
    (["--design=word.csv"], "word.csv, line 2: users must be a whole number, not 'two'"),
    (["--design=seed.csv"], "seed.csv, line 2: seed must be a whole number, not 'x'"),
    (["--design=nan.csv"], "nan.csv, line 2: compare must be a finite number, not 'nan'"),
    (["--design=empty.csv"], "empty.csv, line 3: sectors has no value"),
    (["--design=again.csv"], "again.csv, line 4: the values of line 2 again, and the same runs would count as several"),
    (["--design=part.csv"], "part.csv, line 2: unknown scheduler 'lok': did you mean look or c-look?"),
    (["--design=header.csv"], "header.csv has no points: a line of names to set, and a line of values"),
    (["--design=nothing.csv"], "nothing.csv has no points: a line of names to set, and a line of values"),
    (["--design=seeds.csv", "--seeds=2"], "the design has a column of seeds; leave out --seeds"),
    (["--design=good.csv", "--set=users=3"], "users is a column of the design, and is given beside it"),
    (["--design=good.csv", "--sample=2", "--latin", "users=1:2"], "--design and --latin exclude each other"),
    (["--sample=2"], "--sample is for ranges; --latin NAME=LOW:HIGH or --sobol gives them"),
    (["--latin", "users=1:2"], "--latin is for points; --sample says how many"),
    (["--sample=2", "--latin", "users=4:1"], "the range of users must go from a number to a greater one, not from 4"),
    (["--sample=2", "--latin", "users=1:nan"], "users must be a whole number, not 'nan'"),
    (["--sample=2", "--latin", "users=1"], "--latin takes NAME=LOW:HIGH, not 'users=1'"),
    *((["--sample=2", "--latin", text], f"--latin takes NAME=LOW:HIGH, not '{text}'")
      for text in ("1:2", "=1:2", "users", "users=:2", "users=1:", "users=")),
    (["--sample=2", "--sobol", "users=1"], "--sobol takes NAME=LOW:HIGH, not 'users=1'"),
    (["--sample=2", "--latin", "users=sectors=1:2"], "users must be a whole number, not 'sectors=1'"),
    (["--sample=2", "--latin", "users=1:2:3"], "users must be a whole number, not '2:3'"),
    (["--sample=2", "--latin", "users=x:2"], "users must be a whole number, not 'x'"),
    (["--sample=2", "--latin", "mix=1:2"], "mix is no number, and has no range"),
    (["--sample=2", "--sobol", "users=1:2", "users=1:3"], "--sobol has two ranges of users"),
    (["--sample=2", "--latin", "user=1:2"], "unknown name to set 'user': did you mean users"),
    (["--sample=2", "--latin", "policy=1:2"], "policy is no number, and has no range"),
    (["--sample=2", "--latin", "users=1:2", "users=1:3"], "--latin has two ranges of users"),
    (["--sample=3", "--sobol", "users=1:4"], "a Sobol sequence has a power of 2 of points, such as 2 or 4, not 3"),
    (["--sample=0", "--latin", "users=1:4"], "--sample must be a whole number from 1 to 1000000, not 0"),
])  # fmt: skip
def test_mistakes_are_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "seed": "users,seed\n1,x\n",
        "bad": "usrs\n1\n", "twice": "users,users\n1,2\n", "short": "users,sectors\n1,64\n2\n", "word": "users\ntwo\n",
        "long": "users,sectors\n1,64,2\n", "inf": "compare\ninf\n", "huge": f"users\n{'1' * 131073}\n",
        "nan": "compare\nnan\n", "empty": "users,sectors\n1,64\n2,\n", "part": "scheduler\nlok\n",
        "again": "users,sectors\n1,64\n1,65\n1,64\n",
        "header": "users\n", "nothing": "\n", "seeds": "users,seed\n1,1\n", "good": "users\n1\n",
    }  # fmt: skip
    for name, text in texts.items():
        Path(f"{name}.csv").write_text(text)
    assert main([*SWEEP, *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"spindle: {said}")


def test_names_of_points_may_be_written_as_their_options_are() -> None:
    Path("points.csv").write_text("\ufeffhash-entries,users\n16,1\n")
    max_iv = find_system("max_iv")
    assert DesignOptions(design="points.csv").points(max_iv) == {"hash_entries": [16], "users": [1]}
    drawn = DesignOptions(sample=2, latin=("hash-entries=8:16",)).points(max_iv)
    assert drawn == DesignOptions(sample=2, latin=("hash_entries=8:16",)).points(max_iv)
    assert list(drawn or {}) == ["hash_entries"]


def test_a_seed_of_points_that_nobody_draws_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SWEEP, "--users=1,2", "--sample-seed=2"]) == 2
    assert "--sample-seed is for points that are drawn; --sample says how many" in capsys.readouterr().err
