"""The Modcomp on the page of ``spindle play``."""

from models.max_iv.parameters import MaxIvParameters
from models.max_iv.parts import PARTS, choose
from models.max_iv.run import run
from models.play.playable import Offered, Playable

SECTORS = (0, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024)

PLAYABLE = Playable(
    run=run,
    parameters=MaxIvParameters(),
    parts=PARTS,
    choose=choose,
    offered={
        "users": Offered("users of Software Tools", [str(each) for each in range(1, 41)]),
        "sectors": Offered("sectors of memory that the cache has; 0 is no cache", [str(each) for each in SECTORS]),
        "minutes": Offered("how long is measured", [f"{each}min" for each in (1, 2, 5, 10, 15, 20, 30, 60)]),
        "warm_up": Offered("how long the machine runs before", [f"{each}min" for each in (0, 1, 2, 5, 10, 15)]),
    },
    begin={"minutes": "10min", "warm_up": "5min"},
    vary=("sectors", ("0", "64", "128", "256", "512")),
    curves=("response_mean", "hit_ratio"),
    window="90s:20s",
)
