"""Claims files: what they say, the bounds that follow from how a number is written, and what is refused."""

from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.studies.claims.claims import OWN_PREDICTION, Claim, ClaimPart, Role, read_claims

FIELDS = {
    "id": '"B33"', "paper": '"McBride 1983, p. 5"', "says": '"mean response at 101 terminals"', "role": '"predicted"',
    "unit": '"s"', "published": "0.92", "study": '"hybrid"', "measure": '"uncached"',
}  # fmt: skip


def written(folder: Path, **changes: str | None) -> Path:
    """A file with one claim, FIELDS with *changes*; None leaves a field out."""
    path = folder / "hp3000" / "claims.toml"
    path.parent.mkdir(exist_ok=True)
    lines = [f"{key} = {value}" for key, value in {**FIELDS, **changes}.items() if value is not None]
    path.write_text("\n".join(["[[claim]]", *lines]))
    return path


def test_one_claim_word_for_word(tmp_path: Path) -> None:
    (claim,) = read_claims(written(tmp_path, low="0.9", high="1.0", note='"the paper gives a range"'))
    assert claim == Claim(
        "hp3000", "B33", "McBride 1983, p. 5", "mean response at 101 terminals", Role.PREDICTED, "s", 0.92, 0.9, 1.0,
        "hybrid", "uncached", "the paper gives a range",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("published", "low", "high"),
    [
        ("0.92", 0.828, 1.012),
        ("0.9", 0.72, 1.08),
        ("0.90", 0.81, 0.99),
        ("4", 3.2, 4.8),
        ("40", 36.0, 44.0),
        ("4.0", 3.6, 4.4),
        ("0.05", 0.04, 0.06),
        ("-20", -22.0, -18.0),
        ("0", 0.0, 0.0),
    ],
)
def test_bounds_follow_from_the_digits_of_the_paper(tmp_path: Path, published: str, low: float, high: float) -> None:
    (claim,) = read_claims(written(tmp_path, published=published))
    assert (claim.published, claim.low, claim.high) == (float(published), low, high)


def test_a_shape_holds_or_does_not(tmp_path: Path) -> None:
    (claim,) = read_claims(written(tmp_path, role='"shape"', published=None, unit=None))
    assert (claim.published, claim.low, claim.high, claim.unit) == (1.0, 1.0, 1.0, "1")
    (claim,) = read_claims(written(tmp_path, role='"seen"', published=None, unit=None))
    assert (claim.published, claim.low, claim.high) == (1.0, 1.0, 1.0)
    (claim,) = read_claims(written(tmp_path, role='"shape"', published="0.9"))
    assert (claim.published, claim.low, claim.high) == (0.9, 0.9, 0.9)
    (tmp_path / "empty.toml").write_text("# no claim")
    assert read_claims(tmp_path / "empty.toml") == []


def test_a_contradiction_needs_no_study(tmp_path: Path) -> None:
    path = written(tmp_path, role='"contradictory"', study=None, measure=None, note='"40 ms / 400 ns is 100000"')
    assert read_claims(path)[0].study == ""


def test_a_claim_that_is_not_asked_needs_neither_number_nor_study(tmp_path: Path) -> None:
    path = written(tmp_path, role='"unasked"', published=None, unit=None, study=None, measure=None, note='"may"')
    assert (read_claims(path)[0].study, read_claims(path)[0].published) == ("", 1.0)


@pytest.mark.parametrize(("paper", "source", "section"), [
    ("McBride & Boles 1983, 3:1 Improvement", "McBride & Boles 1983", "3:1 Improvement"),
    ("Kim 2014, 2, figure 1(a)", "Kim 2014", "2, figure 1(a)"), ("the lecture", "the lecture", ""),
])  # fmt: skip
def test_the_place_in_a_paper(tmp_path: Path, paper: str, source: str, section: str) -> None:
    (claim,) = read_claims(written(tmp_path, paper=f'"{paper}"', page='"39"'))
    assert (claim.source, claim.section, claim.page, claim.part) == (source, section, "39", ClaimPart.PAPER)


def test_a_part_is_named_or_follows_from_the_paper(tmp_path: Path) -> None:
    assert read_claims(written(tmp_path, part='"rest"'))[0].part is ClaimPart.REST
    assert read_claims(written(tmp_path, paper=f'"{OWN_PREDICTION}"'))[0].part is ClaimPart.OWN


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rolle": '"x"'}, "claim B33: unknown key 'rolle': did you mean role?"),
        ({"measure": None}, "claim B33: measure is missing"),
        ({"role": None}, "claim B33: role is missing"),
        ({"published": None}, "claim B33: published is missing"),
        ({"unit": None}, "claim B33: unit is missing"),
        ({"id": None}, "claim number 1: id is missing"),
        ({"role": '"predict"'}, "claim B33: unknown role 'predict': did you mean predicted or contradictory?"),
        ({"says": '" "'}, "claim B33: says must be text, not ' '"),
        ({"unit": "1"}, "claim B33: unit must be text, not 1"),
        ({"published": "nan"}, "claim B33: published must be a finite number, not NaN"),
        ({"published": "inf"}, "claim B33: published must be a finite number, not Infinity"),
        ({"published": '"0.9"'}, "claim B33: published must be a finite number, not 0.9"),
        ({"published": "true"}, "claim B33: published must be a finite number, not True"),
        ({"low": "1.0"}, "claim B33: note must argue for bounds that are not the usual ones, 0.828 and 1.012"),
        ({"high": "1.2"}, "claim B33: note must argue for bounds that are not the usual ones, 0.828 and 1.012"),
        ({"low": "1.0", "note": '"x"'}, "claim B33: low and high must lie around published: 1, 0.92, 1.012"),
        ({"role": '"calibrated"'}, "claim B33: note must name the parameter that was fitted"),
        ({"role": '"contradictory"'}, "claim B33: note must say how the paper contradicts itself"),
        ({"role": '"unasked"'}, "claim B33: note must say why it is not asked"),
        ({"part": '"text"'}, "claim B33: unknown part 'text': did you mean rest?"),
        ({"resolution": "0", "note": '"x"'}, "claim B33: resolution must be positive, not 0"),
        ({"resolution": "0.1"}, "claim B33: note must say why values are not told apart within a resolution"),
        (
            {"role": '"contradictory"', "note": '"x"', "measure": None},
            "claim B33: study and measure need each other",
        ),
    ],
)
def test_a_mistake_names_file_claim_and_key(tmp_path: Path, changes: dict[str, str | None], message: str) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(UserError) as raised:
        read_claims(path)
    assert str(raised.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[[claim]\n", "claims.toml: "),
        (b"claim = 3\n", "claims are written as [[claim]], with two brackets"),
        (b"claim = [3]\n", "claim number 1: a claim is a table, not 3"),
        (b"[claims]\n", "unknown key 'claims': did you mean claim?"),
        (b"\xff\xfe\n", "is not text: byte 0 is not UTF-8"),
    ],
)
def test_what_is_no_claims_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "claims.toml"
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        read_claims(path)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_file_and_an_id_used_twice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read .*absent\.toml: No such file"):
        read_claims(tmp_path / "absent.toml")
    path = written(tmp_path)
    path.write_text(path.read_text() + "\n" + path.read_text())
    with pytest.raises(UserError, match="claim B33: id is used twice"):
        read_claims(path)
