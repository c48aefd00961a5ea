"""The HP3000: its page and options, its studies and claims, for commands and the report."""

from spindle.models.hp3000.ensemble import ENSEMBLE
from spindle.models.hp3000.image import FAMILIES
from spindle.models.hp3000.load import catalogue, scripts
from spindle.models.hp3000.play import PLAYABLE
from spindle.playable import shipped_system
from spindle.studies.system import PaperCase, Scripting

SAYS = {
    "terminals": "clerks who enter orders; with --script users of its first section",
    "development": "programmers beside them",
    "caching": "of all discs",
    "minutes": "measured",
    "warm_up": "before them",
    "log": "OPT's pages, one a minute, into FILE.txt, or tables into FILE.csv and beside it; default none",
    "shift": "what the operator types, and when; default nothing",
    "report": "the TEPE monitor's, by terminal and by transaction, below the page",
}

MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "hp3000", MODEL, PLAYABLE,
    scripting=Scripting(scripts, catalogue, {name: family.count for name, family in FAMILIES.items()}),
    examples=(
        "--terminals 63 --no-caching",
        "--terminals 63 --development 38 --seed 3 --json",
        "--drive hp7925 --scheduler c-look --policy lru --set memory=6291456",
        "--minutes 5 --precision 0.05",
        "--minutes 2 --timeline results/quick/hp3000.pftrace",
        "--minutes 5 --log opt.txt",
        "--terminals 21 --minutes 5 --report",
        "--minutes 8 --warm-up 2 --shift examples/operator_shift.txt",
    ),
    ensemble=ENSEMBLE,
    says=SAYS,
    users={"terminals": 63, "development": 38},
    cases=(
        PaperCase({"response_mean": "B34", "hit_ratio": "B22", "reads_a_write": "B35r"}),
        PaperCase({"response_mean": "B33", "cpu_busy": "B10", "disc_rate": "B14", "impede_rate": "B15"},
                  {"caching": False}),
    ),
)
