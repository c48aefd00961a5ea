"""Paired differences: by hand, at each combination, narrower than apart, and refused where there are no pairs."""

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.confidence import confidence, paired_interval
from spindle.studies.statistics import differences

FRAME = pd.DataFrame(
    [(users, caching, seed, base + seed - 4 * caching * users + 0.1 * caching * seed, 0.5)
     for users, base in ((1, 10.0), (2, 20.0)) for caching in (False, True) for seed in (1, 2, 3)],
    columns=["users", "caching", "seed", "response", "busy"],
)  # fmt: skip


def test_by_hand() -> None:
    found = differences(FRAME, "caching", False, ["response", "busy"], ["users"])
    assert found["users"].tolist() == [1, 2]
    assert found["caching"].tolist() == [True, True]
    assert found["response"].tolist() == pytest.approx([-4 + 0.2, -8 + 0.2])
    # 0.1, 0.2 and 0.3 more: standard error 0.1 / sqrt(3); t for 2 degrees is 4.302653.
    assert found["response_high"].tolist() == pytest.approx([-3.8 + 0.2484137, -7.8 + 0.2484137])
    assert found[["busy", "busy_low", "busy_high"]].to_numpy().tolist() == [[0.0] * 3] * 2
    assert found["replications"].tolist() == [3, 3]


def test_pairs_are_of_the_same_seed_whatever_the_order_of_the_rows() -> None:
    one = FRAME[FRAME["users"] == 1]
    found = differences(one.iloc[[3, 1, 5, 2, 4, 0]], "caching", False, ["response"])
    assert found.equals(differences(one, "caching", False, ["response"]))
    sides = [one[one["caching"] == caching]["response"].tolist() for caching in (True, False)]
    together, apart = paired_interval(*sides), [confidence(side) for side in sides]
    assert found.loc[0, "response_low"] == together.low
    assert together.high - together.low < 0.2 * min(each.high - each.low for each in apart)


def test_every_other_value_against_one() -> None:
    found = differences(FRAME[~FRAME["caching"]], "users", 2, ["response"])
    assert found["users"].tolist() == [1]
    assert found["response"].tolist() == [-10.0]


def test_mistakes() -> None:
    with pytest.raises(UserError, match="unknown column 'respons': did you mean response"):
        differences(FRAME, "caching", False, ["respons"])
    with pytest.raises(UserError, match="a seed stands more than once at caching=False: what else differs"):
        differences(FRAME, "caching", False, ["response"])
    with pytest.raises(UserError, match="nothing to compare with at users=1, caching=none"):
        differences(FRAME, "caching", "none", ["response"], ["users"])
    with pytest.raises(UserError, match="same seeds on both sides: users=2, caching=True has others"):
        differences(FRAME.drop(index=11), "caching", False, ["response"], ["users"])
    with pytest.raises(UserError, match="same seeds on both sides: users=2, caching=True has others"):
        differences(FRAME.drop(index=8), "caching", False, ["response"], ["users"])
