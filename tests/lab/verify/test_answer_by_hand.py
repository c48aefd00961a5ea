"""Layers held to made-up data: every line of the page, every column of the tables, every mistake of a form."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spindle.lab.verify.answer import HEADING, Verified, errors_table, page, points_frame, verify
from spindle.lab.verify.data import DataRow, read_table, table_if_there
from spindle.lab.verify.form import EvidenceLayer, Goal, layer_in, shared_folder, shipped_layers
from spindle.lab.verify.kinds import LAYER_KINDS, LayerKind
from spindle.lab.verify.picture import COLOURS_OF_GROUPS, MAX_DOTS, picture
from spindle.lab.verify.point import EvidencePoint, errors_of
from spindle.output.origin import commit
from spindle.sim.error import UserError

GOALS = (Goal("q", must=17.5, anchor=4.5, by="somebody"), Goal("r", must=27.0, worst=True), Goal("s", anchor=3.0))
POINTS = {"a": [("q", 11.0, 10.0), ("q", 15.0, 20.0), ("r", 12.0, 10.0), ("r", 13.0, 10.0), ("s", 1.0, None)],
          "b": [("q", 10.0, 10.0), ("s", 7.0, 7.0)]}  # fmt: skip


def predict(data: Path, case: str, settings: Mapping[str, Any]) -> Iterator[EvidencePoint]:
    for quantity, predicted, measured in POINTS[case]:
        yield EvidencePoint(case, quantity, predicted * settings.get("factor", 1.0), measured)


@pytest.fixture
def layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EvidenceLayer:
    monkeypatch.setitem(dict_of_kinds(), "made", LayerKind(predict, ("q", "r", "s")))
    return EvidenceLayer("mine", "made", "a book", tmp_path, fit=("a",), predict=("b",), goals=GOALS)


def dict_of_kinds() -> dict[str, LayerKind]:
    assert isinstance(LAYER_KINDS, dict)
    return LAYER_KINDS


def test_each_group_has_its_goals_that_have_points_in_their_order(layer: EvidenceLayer) -> None:
    found = [(group, goal.quantity, len(points)) for group, goal, points in verify(layer).rows()]
    assert found == [("fitted", "q", 2), ("fitted", "r", 2), ("fitted", "s", 1), ("left out", "q", 1),
                     ("left out", "s", 1)]  # fmt: skip


def test_settings_and_data_go_to_the_kind(layer: EvidenceLayer) -> None:
    points = verify(replace(layer, settings={"factor": 2.0})).points["left out"]
    assert [point.predicted for point in points] == [20.0, 14.0]


def test_the_page_line_by_line(layer: EvidenceLayer) -> None:
    assert HEADING.split() == ["quantity", "points", "median", "mean", "worst", "<=10%", "<=20%"]
    assert page([verify(layer)]) == [
        f"errors in percent of what was measured; commit {commit()}", "", "mine", "  fitted: nothing", "  fitted",
        f"    {HEADING}",
        "    q                                     2    17.5    17.5    25.0    50%    50%"
        "  holds  must be 17.5  somebody: 4.5",
        "    r                                     2    25.0    25.0    30.0     0%    50%  fails  must be 27",
        "    s                                     1 predicted; what was measured is not here",
        "  left out",
        f"    {HEADING}",
        "    q                                     1     0.0     0.0     0.0   100%   100%"
        "  holds  must be 17.5  somebody: 4.5",
        "    s                                     1     0.0     0.0     0.0   100%   100%  : 3",
    ]  # fmt: skip


def test_rules_are_named_and_missing_data_too(layer: EvidenceLayer) -> None:
    assert page([verify(replace(layer, rules="one slope"))])[3] == "  fitted: one slope"
    gone = replace(layer, data=layer.data / "gone")
    assert verify(gone).points == {}
    assert page([verify(gone)])[2:] == [
        "mine", f"  no data at {gone.data}: a book; SPINDLE_SHARED names another folder"]  # fmt: skip


def test_rows_for_json(layer: EvidenceLayer) -> None:
    first, _, third, *_ = errors_table([verify(layer)])
    summed = first.pop("summed")
    assert summed == pytest.approx(20.0)
    assert first == {"layer": "mine", "group": "fitted", "quantity": "q", "predicted": 2, "must": 17.5, "anchor": 4.5,
                     "by": "somebody", "number": 2, "median": 17.5, "mean": 17.5, "worst": 25.0, "within_10": 0.5,
                     "within_20": 0.5}  # fmt: skip
    assert third == {"layer": "mine", "group": "fitted", "quantity": "s", "predicted": 1, "must": None, "anchor": 3.0,
                     "by": ""}  # fmt: skip


def test_a_row_for_each_point(layer: EvidenceLayer) -> None:
    frame = points_frame([verify(layer)])
    assert list(frame.columns) == ["layer", "group", "case", "quantity", "predicted", "measured", "error_percent"]
    assert list(frame.iloc[1]) == ["mine", "fitted", "a", "q", 15.0, 20.0, 25.0]
    assert len(frame) == 7


def test_a_kind_and_a_quantity_that_nobody_knows(layer: EvidenceLayer) -> None:
    with pytest.raises(UserError, match="unknown kind of layer 'maed': did you mean made"):
        verify(replace(layer, kind="maed"))
    with pytest.raises(UserError, match="unknown quantity of made 'z': there are q, r, s"):
        verify(replace(layer, goals=(Goal("z"),)))


def test_the_picture_has_a_row_for_each_quantity_a_dot_for_each_error_and_a_line_at_each_anchor(
    layer: EvidenceLayer
) -> None:
    axes = picture([verify(layer)])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["mine: s", "mine: r", "mine: q"]
    drawn = [(line.get_label(), list(line.get_xdata()), set(line.get_ydata())) for line in axes.lines]
    anchor = "published, or a base line"
    assert drawn == [
        ("fitted", [], set()), (anchor, [3.0, 3.0], {-0.35, 0.35}), ("left out", [0.1], {0}),
        (anchor, [3.0, 3.0], {-0.35, 0.35}), ("fitted", [20.0, 30.0], {1}),
        ("fitted", pytest.approx([10.0, 25.0]), {2}), (anchor, [4.5, 4.5], {1.65, 2.35}), ("left out", [0.1], {2}),
        (anchor, [4.5, 4.5], {1.65, 2.35}),
    ]  # fmt: skip
    assert [axes.lines[place].get_color() for place in (0, 2)] == [
        COLOURS_OF_GROUPS["fitted"], COLOURS_OF_GROUPS["left out"]]  # fmt: skip
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "error, % of what was measured")


def test_of_many_errors_the_best_and_the_worst_are_drawn(layer: EvidenceLayer) -> None:
    many = [EvidencePoint("a", "q", 100.0 + number, 100.0) for number in range(1, 500)]
    dots = list(picture([Verified(layer, {"seen": many})]).lines[0].get_xdata())
    assert (len(dots), dots[0], dots[-1]) == (MAX_DOTS, 1.0, 499.0)


# Errors.

@pytest.mark.parametrize(("pairs", "within"), [
    ([(110.0, 100.0)], (1.0, 1.0)), ([(120.0, 100.0)], (0.0, 1.0)), ([(120.5, 100.0)], (0.0, 0.0)),
    ([(-110.0, -100.0), (80.0, 100.0)], (0.5, 1.0)),
])  # fmt: skip
def test_shares_within_ten_and_twenty_percent(pairs: list[tuple[float, float]], within: tuple[float, float]) -> None:
    errors = errors_of([EvidencePoint("a", "q", *pair) for pair in pairs])
    assert errors is not None
    assert (errors.within_10, errors.within_20) == within


def test_the_sum_of_distances_is_in_percent_of_the_sum_of_what_was_measured() -> None:
    errors = errors_of([EvidencePoint("a", "q", 2.0, -1.0), EvidencePoint("a", "q", 5.0, 9.0)])
    assert errors is not None
    assert errors.summed == pytest.approx(70.0)
    assert errors.median == pytest.approx((300 + 400 / 9) / 2)
    assert errors.worst == 300.0
    nought = errors_of([EvidencePoint("a", "q", 2.0, 0.0, whole=100.0)])
    assert nought is not None
    assert (nought.summed, nought.mean) == (0.0, 2.0)


# Tables.

def test_a_table_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1,"x, y"\n,z\n')
    first, second = read_table(path)
    assert (first.place, second.place) == (f"{path}:2", f"{path}:3")
    assert (first.number("a"), second.number("a", 7.0), first.text("b")) == (1.0, 7.0, "x, y")
    for act, says in ((lambda: second.number("a"), f"{path}:3: a must be a number, not ''"),
                      (lambda: second.number("b", 1.0), f"{path}:3: b must be a number, not 'z'"),
                      (lambda: first.text("c"), f"{path}:2: unknown column 'c': there are a, b")):
        with pytest.raises(UserError) as error:
            act()
        assert str(error.value) == says


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "NaN", ""])
def test_what_is_no_finite_number_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=f"^p: a must be a number, not '{text}'$"):
        DataRow("p", {"a": text}).number("a")


def test_numbers_above_nought_and_whole_ones() -> None:
    row = DataRow("p", {"zero": "0", "half": "0.5", "two": "2.0", "most": "1e7", "more": "10000001", "none": ""})
    assert (row.positive("half"), row.whole("two"), row.whole("most"), row.whole("zero", low=0)) == (0.5, 2, 10**7, 0)
    assert (row.whole("none", 3), row.whole("none", 0, low=0)) == (3, 0)
    whole = "must be a whole number from 1 to 10,000,000, not"
    for act, says in ((lambda: row.positive("zero"), "p: zero must be above 0, not '0'"),
                      (lambda: row.whole("zero"), f"p: zero {whole} '0'"),
                      (lambda: row.whole("half"), f"p: half {whole} '0.5'"),
                      (lambda: row.whole("more"), f"p: more {whole} '10000001'"),
                      (lambda: row.whole("none"), "p: none must be a number, not ''")):
        with pytest.raises(UserError) as error:
            act()
        assert str(error.value) == says


def test_an_empty_table_has_no_rows_and_one_that_is_not_there_neither(tmp_path: Path) -> None:
    empty = tmp_path / "x.csv"
    empty.touch()
    assert read_table(empty) == table_if_there(empty) == table_if_there(tmp_path / "y.csv") == []
    empty.write_text("a,b\n1,2\n1,2,3\n")
    with pytest.raises(UserError, match=r"x.csv:3: 3 cells, and the heading has 2"):
        read_table(empty)
    assert DataRow("p", {"a": "1"}).number("a") == 1.0


# Forms.

FORM = 'name = "mine"\nkind = "loader"\nsource = "a book"\n'


def formed(folder: Path, text: str) -> EvidenceLayer:
    (folder / "verify.toml").write_text(text)
    return layer_in(folder)


def test_a_form_in_full(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    text = (f'{FORM}data = "in"\nfit = ["a"]\nseen = ["b", "c"]\npredict = ["d"]\nrules = "none"\n'
            '[settings]\nx = 1\n[[goals]]\nquantity = "q"\nmust = 1\nworst = true\n[[goals]]\nquantity = "r"\n'
            'anchor = 2.5\nby = "them"\n')  # fmt: skip
    found = formed(tmp_path, text)
    assert found == EvidenceLayer("mine", "loader", "a book", tmp_path / "in", ("a",), ("b", "c"), ("d",), "none",
                                  (Goal("q", 1, worst=True), Goal("r", anchor=2.5, by="them")), {"x": 1})  # fmt: skip
    assert list(found.cases()) == [("fitted", "a"), ("seen", "b"), ("seen", "c"), ("left out", "d")]


def test_a_short_form(tmp_path: Path) -> None:
    found = formed(tmp_path, FORM)
    assert (found.data, found.goals, dict(found.settings), list(found.cases())) == (tmp_path, (), {}, [])


@pytest.mark.parametrize(("text", "says"), [
    (FORM + "fit = 1", "fit must be a list of text, not 1"), (FORM + 'fit = ["a", 2]', "fit must be a list of text"),
    (FORM + "rules = 1", "rules must be text, not 1"), (FORM + "data = 1", "data must be text, not 1"),
    (FORM + "settings = 1", "settings must be a table, not 1"),
    (FORM + "goals = 1", r"goals must be tables, as \[\[goals\]\], not 1"),
    (FORM + "goals = [1]", r"goals must be tables, as \[\[goals\]\]$"),
    (FORM + '[[goals]]\nquantity = "q"\nmust = true', "must must be a number, not True"),
    (FORM + '[[goals]]\nquantity = "q"\nworst = 1', "worst must be true or false, not 1"),
    (FORM + 'fit = ["a", "b"]\npredict = ["b"]', "'b' is named twice; a case is in one of fit, seen, predict"),
    (FORM + '[[goals]]\nmust = 1', "quantity is missing"), ('kind = "x"\nsource = "y"', "name is missing"),
    (FORM + "kind = ", "Cannot overwrite a value|Invalid value|Expected"), (FORM + 'data = "no"', "is not there"),
])  # fmt: skip
def test_a_mistake_in_a_form_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as error:
        formed(tmp_path, text)
    assert str(error.value).startswith(str(tmp_path / "verify.toml"))


def test_shipped_layers_lie_in_the_shared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_SHARED", str(tmp_path))
    assert shared_folder() == tmp_path
    layers = shipped_layers()
    assert [layer.name for layer in layers] == ["loaders", "nvme", "page cache", "sata", "serving"]
    assert all(layer.data.is_relative_to(tmp_path) for layer in layers)
    assert {layer.kind for layer in layers} == {*LAYER_KINDS}
    for layer in layers:
        assert {goal.quantity for goal in layer.goals} <= {*LAYER_KINDS[layer.kind].quantities}
    monkeypatch.delenv("SPINDLE_SHARED")
    assert shared_folder().name == "shared"
