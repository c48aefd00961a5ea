"""Plain words: README and pages stay short, constants say of what, docstrings begin with a statement."""

import ast
import re
from pathlib import Path

import pytest

from tests.test_house import LIBRARY_FILES, ROOT, outline, place

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NO_PROSE = re.compile(r"^(?: {4}|\||#|!\[).*$", re.MULTILINE)
QUESTION = re.compile(r"(What|How|Whether|Where|Who|Which|When)\b")
BARE = {"MOST", "LEAST", "FEW", "FEWEST", "SOME", "MANY", "FAR", "NEAR", "APART", "LARGEST", "SMALLEST"}
MAX_QUESTIONS = 8
"""Docstrings that begin as a question; none is to be added, and one less lowers the number."""
PARTICIPLE = re.compile(
    r"_?(?!need$|seed$|speed$|feed$|reply$|apply$|tally$)([a-z]+(ed|ly)|told|held|kept|done|written|given|taken|known|seen|shown|drawn|found|"
    r"built|lost|made|met|beside|apart|away|alone|together|again|once|of|at|within|against|until|around|before|after)"
)
MAX_PARTICIPLES = 6
"""Functions named by a bare participle, adverb or preposition: ``cited``, ``assumed`` and ``fitted``, of two kinds."""
PAGES = sorted((ROOT / "docs" / "explanation").glob("*.md"))


def words(text: str) -> list[str]:
    """The words that a reader of the page *text* sees, tables and code too."""
    return COMMENT.sub("", text).split()


def sentences(text: str) -> list[str]:
    """The sentences of its prose."""
    prose = NO_PROSE.sub("", BLOCK.sub("", COMMENT.sub("", text)))
    return [each for each in re.split(r"(?<=[.!?])\**\s+|\n\n|\n- ", prose) if each.split()]


def words_a_sentence(text: str) -> float:
    each = [len(sentence.split()) for sentence in sentences(text)]
    return sum(each) / len(each)


def test_the_readme_is_a_page() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(words(text)) <= 600
    assert words_a_sentence(text) <= 18


def test_the_design_is_a_page() -> None:
    assert len(words((ROOT / "DESIGN.md").read_text("utf-8"))) <= 600


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_an_explanation_is_read_in_three_minutes(page: Path) -> None:
    text = page.read_text("utf-8")
    assert len(words(text)) <= 700
    assert words_a_sentence(text) <= 18


def test_constants_say_of_what() -> None:
    bare = re.compile(rf"\b({'|'.join(BARE)})\b")
    texts = {path: path.read_text("utf-8") for path in LIBRARY_FILES}
    trees = {path: ast.parse(text) for path, text in texts.items() if bare.search(text)}
    assert [f"{place(path)}: {node.id}" for path, tree in trees.items() for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in BARE] == []  # fmt: skip


def test_functions_are_named_by_verbs_or_nouns() -> None:
    named = [f"{place(path)}: {name}" for path in LIBRARY_FILES for name, _ in outline(path).functions
             if PARTICIPLE.fullmatch(name)]  # fmt: skip
    assert len(named) <= MAX_PARTICIPLES, "\n".join(named)


def test_docstrings_begin_with_a_statement() -> None:
    asked = [each for path in LIBRARY_FILES for each in outline(path).docstrings if QUESTION.match(each)]
    assert len(asked) <= MAX_QUESTIONS
