"""The mechanisms that Jacobson names, switched off one by one: the cache, its parts, drives, file system, shell."""

from typing import Any

from spindle.models.max_iv.studies.trials import minutes
from spindle.models.max_iv.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, Ablation, ablation

MACHINE = AblatedSystem(SYSTEM)
CROWD = "--users 6"
LOST = "lost_characters"
MECHANISMS = (
    Ablation("the cache", "--sectors 0", CROWD),
    Ablation("a hash table instead of one list", "--hash-entries 1", CROWD),
    Ablation("track numbers out of the low bits of the hash", "--order track-low", CROWD),
    Ablation("the mapped copy of 320 us", "--copy 900us", CROWD),
    Ablation("the least recently used sector goes", "--policy fifo", CROWD),
    Ablation("single sectors, not tracks", "--code tracks", CROWD),
    Ablation("single sectors, not cylinders", "--code cylinders", CROWD),
    Ablation("writes go through to the disc", "--code write-back", CROWD),
    Ablation("what is written stays in the cache", "--rules reads-alone", CROWD),
    Ablation("core images pass by", "--code images", CROWD),
    Ablation("end-of-file marks pass by", "--rules marks-cached", CROWD),
    Ablation("no look at the place in the file", "--rules fpi-filter", CROWD),
    Ablation("a task goes on after a hit", "--cpu taking-turns", CROWD),
    Ablation("the track buffer, without the cache", "--drive modcomp4138-unbuffered", f"{CROWD} --sectors 0"),
    Ablation("the track buffer, with it", "--drive modcomp4138-unbuffered", CROWD),
    Ablation("management space at one end of the disc", "--placing in-the-middle", f"{CROWD} --sectors 0"),
    Ablation("tools on a disc of their own", "--discs 1", CROWD),
    Ablation("one buffer, no quick mode", "--buffers 2", CROWD),
    Ablation("the shell's image out and in", "--shell-words 0", CROWD),
    Ablation("the fast copy, for lines on the cache's level", "--copy 900us", "--lines 4", LOST, "of 1000 lock-outs"),
    Ablation("lines above the cache's level", "--line-level 13", "--lines 4 --copy 900us --line-level 12", LOST,
              "of 1000 lock-outs"),
)  # fmt: skip


def run_with_options(options: str, seed: object, minutes: float, warm_up: float, **parameters: Any) -> dict[str, float]:
    return MACHINE.summary(options, ("response_mean", LOST), seed=seed, minutes=minutes, warm_up=warm_up, **parameters)


STUDIES = (ablation("max_iv", run_with_options, minutes(6.0, warm_up=3.0, shorter=1.5), MECHANISMS),)
