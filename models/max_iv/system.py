"""Max-IV: its page and options, its studies and claims, for commands and the report."""

from spindle.models.max_iv.play import PLAYABLE
from spindle.models.max_iv.run import BUSY_USERS
from spindle.playable import shipped_system
from spindle.studies.system import PaperCase

PRINTED = {
    "hit_ratio": "J36", "data_sectors_per_open": "J04", "accesses_per_open": "J05",
    "miss_reads": "J37", "miss_writes": "J37b", "miss_weofs": "J37c", "management_share": "J40",
    "chain_mean": "J41", "chain_at_most_3": "J41b", "chain_max": "J41c",
}  # fmt: skip

MODEL = 3
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "max_iv", MODEL, PLAYABLE,
    says={"users": "of Software Tools", "sectors": "of 256 bytes in the cache; 0 is none", "minutes": "measured",
          "warm_up": "before them"},
    cases=(PaperCase(PRINTED), PaperCase({"op_rate": "J48"}, {"users": BUSY_USERS})),
    examples=(
        "--users 6 --sectors 256",
        "--code write-back --rules marks-cached --placing in-the-middle",
        "--habit path-loop --set cold=0.7",
        "--copy 900us --lines 4",
    ),
)
