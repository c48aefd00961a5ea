"""The HP3000 on the page of ``spindle play``."""

from models.hp3000.parameters import MpeParameters
from models.hp3000.parts import PARTS, choose
from models.hp3000.run import run
from models.play.playable import Offered, Playable
from models.play.scripts import TepeScripts

TERMINALS = ("21", "42", "63", "84", "101")

PLAYABLE = Playable(
    run=run,
    parameters=MpeParameters(),
    parts=PARTS,
    choose=choose,
    offered={
        "terminals": Offered("clerks who enter and look up orders", [str(each) for each in range(1, 128)]),
        "development": Offered("programmers who edit, compile and test beside them",
                               [str(each) for each in range(64)]),
        "caching": Offered("whether idle memory is a disc cache"),
        "minutes": Offered("how long is measured", [f"{each}min" for each in (1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 60)]),
        "warm_up": Offered("how long the machine runs before", [f"{each}min" for each in (0, 1, 2, 3, 5, 10)]),
    },
    begin={"minutes": "3min", "warm_up": "1min"},
    vary=("terminals", TERMINALS),
    curves=("response_mean", "hit_ratio"),
    window="60s:10s",
    scripts=TepeScripts(),
    users={"terminals": "63", "development": "0"},
)
