"""Numbers have one origin: what documents quote is what the tables in results/ say."""

import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from spindle.output.kept_tables import keep_table
from tests.quotes import DOCUMENTS, QUOTE, ROOT, TABLE, refreshed

CLAIMS = """id,system,part,says,role,unit,published,low,high,simulated,ci_low,ci_high,verdict
A1,toy,paper,it takes 2 s,predicted,s,2,1.8,2.2,2.04567,2.01,2.1,holds
A2,toy,paper,it grows,shape,1,1,1,1,0,0,0,fails
A3,other,rest,it is,shape,1,1,1,1,1,1,1,holds
"""
LOAD = "users,cached,mean\n10,True,0.31449\n10,False,12345.6\n"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    keep_table(pd.read_csv(StringIO(LOAD)), tmp_path / "toy" / "load.csv", {"study": "load"})
    keep_table(pd.read_csv(StringIO(CLAIMS)), tmp_path / "claims.csv", {})
    return tmp_path


@pytest.mark.parametrize(("written", "column", "new"), [
    ("0.1", "mean where cached=True", "0.3"), ("0.123", "mean where users=10, cached=True", "0.314"),
    ("12,000", "mean where cached=False", "12,346"), ("7 %", "mean where cached=True", "31 %"),
])  # fmt: skip
def test_a_quote_keeps_its_digits(written: str, column: str, new: str, results: Path) -> None:
    quote = f"<!-- toy/load.csv: {column} -->"
    assert refreshed(f"It is {written}{quote} and 5.", results) == f"It is {new}{quote} and 5."


def test_a_quote_means_one_row(results: Path) -> None:
    with pytest.raises(ValueError, match="2 rows are so"):
        refreshed("1<!-- toy/load.csv: mean where users=10 -->", results)


def test_a_table_of_claims(results: Path) -> None:
    lines = refreshed("<!-- claims of toy -->\nold\n<!-- end -->", results).splitlines()
    assert lines[1].startswith("1 of 2 independent predictions hold")
    assert lines[5:-1] == [
        "| A1 | it takes 2 s | predicted | 2 s | 2.05 s (2.01 to 2.1) | holds |",
        "| A2 | it grows | shape | yes | no | **fails** |",
    ]


def test_the_score_part_by_part(results: Path) -> None:
    text = refreshed("<!-- score of papers -->\nold\n<!-- end -->", results)
    said = "Independent predictions that hold: 1 of 2 in the five papers, 1 of 1 in the rest of the NT book."
    assert text.splitlines()[1] == said


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_say_what_results_say(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert text == refreshed(text, ROOT / "results"), "make numbers writes them anew"


def test_headlines_are_quoted() -> None:
    """Every machine's table of claims, and the README's numbers."""
    for name in DOCUMENTS:
        text = (ROOT / name).read_text("utf-8")
        if name.startswith("models/"):
            assert TABLE.search(text), name
    assert QUOTE.search((ROOT / "README.md").read_text("utf-8"))


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name.startswith("models/")])
def test_a_readme_names_files_that_there_are(name: str) -> None:
    """Paths in backquotes, and the first words of the map of the folder."""
    text, folder = (ROOT / name).read_text("utf-8"), (ROOT / name).parent
    named = {*re.findall(r"`([\w/]+\.py)`", text), *re.findall(r"^([a-z_]+(?:\.py|/))  ", text, re.MULTILINE)}
    assert {path for path in named if not (folder / path).exists() and not (ROOT / path).exists()} == set()
