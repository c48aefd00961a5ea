"""What a paper prints stands in every picture that can carry it; what is in none says why."""

from collections.abc import Iterator

import pytest

from spindle.studies.claims.claims import OWN_PREDICTION, Claim, Role, read_claims
from spindle.studies.plots.claim_points import PREDICTED, WithPoints
from spindle.system import System
from spindle.systems import systems

SYSTEMS = [each for each in systems(None) if each.claims is not None]

SHARE_OF_TIME = "a share, a rate or a count of a run, where the picture has seconds by phase"
OTHER_RUN = "of another run of the study than those in the picture"
RATIO = "a ratio of two of the picture's quantities, neither of which is printed"
PUT_IN = "what was put in, which no axis of the picture has"
TIME_UNKNOWN = "the paper does not say where on the other axis"
NOT_IN_IT: dict[str, dict[str, str]] = {
    "hp3000": {
        **dict.fromkeys(("B19d", "B35r"), SHARE_OF_TIME),
        "B09": RATIO, "B27": RATIO,
        **dict.fromkeys(("B05a", "B05b", "B14u"), "shaded: a range, at a count of drives that is not printed"),
    },
    "max_iv": {
        **dict.fromkeys(("J04", "J05", "J21", "J39", "J41", "J41b", "J41c", "J43", "J38b"), SHARE_OF_TIME),
        **dict.fromkeys(("J01", "J01b"), "how busy CPU and disc are, where the picture has responses"),
        **dict.fromkeys(("J13", "J13b"), "sizes of a cache, without what these hit"),
        "J41e": "where sectors stand on their tracks, where the picture has whose they are",
        "J42": "how long a search takes, where the picture has lengths of lists",
        **dict.fromkeys(("J07c", "J46", "J46b", "J15", "J44e"), RATIO), "J44c": SHARE_OF_TIME,
    },
    "sata_ncq": {
        **dict.fromkeys(("S4-18m", "S4-19m", "S4-20m", "S4-21m"), "the most over all sizes; the claim names no size"),
    },
    "ml_loader": {},
    "buffer_pool": {
        **dict.fromkeys(("BP-R1", "BP-R2", "BP-R3", "BP-R6"), "a difference of two points of the picture"),
        **dict.fromkeys(("BP-R4", "BP-R5"), RATIO),
    },
    "kv_cache": {
        **dict.fromkeys(("KV-M-T", "KV-M-L", "KV-X2", "KV-X3", "KV-Q1"), RATIO),
        "KV-X1": "where two lines of the picture cross",
        **dict.fromkeys(("KV-P1", "KV-P2", "KV-P3", "KV-P4"), "a difference of two points of the picture"),
        **dict.fromkeys(("KV-Q2", "KV-Q4"), "beside the utilisation that the picture has"),
    },
    "unix_stdio": {
        **dict.fromkeys(("S2-10", "S2-13", "S2-13n", "S2-19", "S2-25", "S2-07", "S2-21", "M2-19"), PUT_IN),
        **dict.fromkeys(("S2-17", "M2-18"), RATIO),
        **dict.fromkeys(("S2-02m", "S2-03m", "S2-04m", "S2-05m"), "the number of S2-02 to S2-05 again"),
        "M2-11": "a share of all rows of the picture, which has each by itself",
    },
    "windows_nt": {
        **dict.fromkeys(("S3-11a", "S3-11b", "S3-11c", "S3-11d", "N-M1f", "D-10b"), RATIO),
        **dict.fromkeys(("S3-15", "N-S7d"), TIME_UNKNOWN), "N-S7e": "a count of what the picture shows one by one",
        **dict.fromkeys(
            ("N-S1a", "N-S2a", "N-S2b", "N-S2c", "N-S3a", "N-S3b", "N-S4", "N-S5a", "N-S6a", "N-S7b", "N-R3d", "N-R3g",
             "N-S5c", "N-S6c", "N-R3j"),
            "a mean of the trial of a counter that is no line of the picture",
        ),
        **dict.fromkeys(("N-R3h", "N-R3i"), "the number of N-R3a and N-R3b again"),
        **dict.fromkeys(("D-01", "D-02", "D-03", "D-04", "D-05", "D-09", "D-10"), OTHER_RUN),
        **dict.fromkeys(
            ("D-01w", "D-02w", "D-03w", "D-04w", "D-09w", "D-10w"), "of another drive than that of the picture",
        ),
        "D-06a": "where the curve must step, with no height",
        "D-11": "drawn as a line, for the memory of its machine is not printed",
        **dict.fromkeys(("D-12", "D-13"), "another quantity than that of the picture"),
    },
}  # fmt: skip


class Asked(dict[str, float]):
    """The numbers of a paper, and which of them were ``asked`` for."""

    def __init__(self, numbers: dict[str, float]) -> None:
        super().__init__(numbers)
        self.asked: set[str] = set()

    def __getitem__(self, claim: str) -> float:
        self.asked.add(claim)
        return super().__getitem__(claim)


def marked(system: System) -> Iterator[tuple[str, WithPoints]]:
    for study in system.studies:
        if study.figure is not None and isinstance(study.figure.picture, WithPoints):
            yield study.name, study.figure.picture


def drawn(system: System) -> set[str]:
    """The claims whose numbers are points of a picture."""
    claims: set[str] = set()
    for _, picture in marked(system):
        numbers = Asked(dict(picture.numbers()))
        picture.points(numbers)
        claims |= numbers.asked
    return claims


def could(system: System) -> set[str]:
    """The claims with a printed number whose study has a picture."""
    pictured = {study.name for study in system.studies if study.figure is not None}
    return {
        claim.id for claim in read_claims(system.claims) if claim.study in pictured and not _is_inequality(claim)
        and claim.role is not Role.CONTRADICTORY
    }  # fmt: skip


def _is_inequality(claim: Claim) -> bool:
    return claim.published == claim.low == claim.high == 1.0


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_printed_number_is_in_a_picture_or_has_a_reason(system: System) -> None:
    reasons = NOT_IN_IT.get(system.name, {})
    assert sorted(could(system) - drawn(system) - set(reasons)) == [], (
        "draw these claims: WithPoints around the picture of their study; or give a reason in NOT_IN_IT of this file")
    assert sorted(set(reasons) & drawn(system)) == [], "these are drawn: take them out of NOT_IN_IT"
    assert sorted(set(reasons) - could(system)) == [], "no picture could have these: take them out of NOT_IN_IT"


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_prediction_by_hand_is_drawn_as_one(system: System) -> None:
    by_hand = {claim.id for claim in read_claims(system.claims) if claim.paper == OWN_PREDICTION}
    for name, picture in marked(system):
        numbers = Asked(dict(picture.numbers()))
        picture.points(numbers)
        assert numbers.asked <= by_hand if picture.kind is PREDICTED else not numbers.asked & by_hand, name
