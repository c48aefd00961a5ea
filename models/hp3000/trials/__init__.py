"""The replications that the HP3000's claims are judged by."""

from collections.abc import Mapping

from models.hp3000.trials.given import given
from models.hp3000.trials.holes import misfits, read_once
from models.hp3000.trials.loads import built_in, fetch_trade_off, good_fit, hybrid_101, transactions, zero_think
from models.hp3000.trials.parts import hit_time, ported_work, unit_tests
from sim.study.system import Trial

TRIALS: Mapping[str, Trial] = {
    "hybrid_101": hybrid_101,
    "transactions": transactions,
    "fetch_trade_off": fetch_trade_off,
    "hit_time": hit_time,
    "built_in": built_in,
    "good_fit": good_fit,
    "misfits": misfits,
    "read_once": read_once,
    "unit_tests": unit_tests,
    "ported_work": ported_work,
    "zero_think": zero_think,
    "given": given,
}
