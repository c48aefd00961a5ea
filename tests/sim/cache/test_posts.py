"""Posts that nobody waits for: all at once, or strictly one after the other across all drives."""

import pytest
import simpy

from spindle.sim.account import Account
from spindle.sim.cache.write_policy import FreePosts, SerialPosts
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import Op, access


@pytest.mark.parametrize(
    ("kind", "expected", "pending_seconds"),
    [
        (FreePosts, [(3, "slow 1"), (1, "fast 1"), (2, "fast 2"), (6, "slow 2")], 3 + 1 + 2 + 6),
        (SerialPosts, [(3, "slow 1"), (4, "fast 1"), (5, "fast 2"), (8, "slow 2")], 3 + 4 + 5 + 8),
    ],
)
def test_order(
    env: simpy.Environment, log: list[object], kind: type[FreePosts], expected: list[object], pending_seconds: float
) -> None:
    slow, fast = Drive(env, FixedService(3.0)), Drive(env, FixedService(1.0))
    posts = kind(env)
    for drive, what in ((slow, "slow 1"), (fast, "fast 1"), (fast, "fast 2"), (slow, "slow 2")):
        posts.post(drive, access(Op.WRITE, 0, 1, Account("")), lambda what=what: log.append((env.now, what)))
    env.run()
    assert sorted(log) == sorted(expected)  # type: ignore[type-var]
    assert posts.reading() == {"posted": 4, "pending_seconds": pending_seconds}


def test_a_serial_post_after_a_rest(env: simpy.Environment, log: list[object]) -> None:
    drive, posts = Drive(env, FixedService(1.0)), SerialPosts(env)
    for at in (0, 0, 5):
        env.timeout(at).callbacks.append(
            lambda _: posts.post(drive, access(Op.WRITE, 0, 1, Account("")), lambda: log.append(env.now))
        )
    env.run()
    assert log == [1, 2, 6]
    assert posts.pending.now == 0
