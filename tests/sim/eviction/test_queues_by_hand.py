"""Tests SLRU, 2Q, LIRS, S3-FIFO and SIEVE on short strings, worked out on paper."""

from collections.abc import Hashable, Iterable

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.sim.eviction.sieve import Sieve
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.two_q import TwoQ


class Played:
    """A cache of *capacity* entries under *policy*, and who has *gone*."""

    def __init__(self, policy: EvictionPolicy, capacity: int) -> None:
        self.policy = policy
        self.capacity = capacity
        self.resident: set[object] = set()
        self.gone = ""

    def use(self, keys: Iterable[Hashable]) -> str:
        """Who goes while *keys* are used."""
        before = len(self.gone)
        for key in keys:
            if key in self.resident:
                self.policy.touch(key)
                continue
            if len(self.resident) == self.capacity:
                victim = self.policy.choose(key)
                self.policy.remove(victim, evicted=True)
                self.resident.remove(victim)
                self.gone += str(victim)
            self.policy.insert(key)
            self.resident.add(key)
        return self.gone[before:]


def test_slru_lets_the_once_used_go_first() -> None:
    # Two of four are protected. a and b are; then c, protected too, brings a back to probation, newer than d.
    cache = Played(Slru(4, share=0.5), 4)
    assert cache.use("abcd" "ab" "c") == ""
    # Probation d a, protected b c: d goes, then a, then who came in between.
    assert cache.use("efg") == "dae"
    # f is used again: protected c f, and b is the newest on probation, after g.
    assert cache.use("f" "hi") == "gb"


def test_slru_protects_nobody_where_its_share_is_no_entry() -> None:
    """Then a hit moves within probation, which is LRU."""
    assert Played(Slru(2, share=0.4), 2).use("aba" "cdef") == "bacd"


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_slru_needs_room_for_newcomers(share: float) -> None:
    with pytest.raises(UserError, match="policy Slru protects a share of its entries from 0 up to 1"):
        Slru(4, share)


def test_two_q_keeps_who_is_asked_for_after_it_has_left() -> None:
    """Four entries: one for newcomers, two ghosts.

    key      A1in  Am    A1out
    a b c d  abcd
    a        abcd               a hit among the newcomers changes nothing
    e        bcde        a
    a        cde   a     b      a was remembered: now it is kept
    f g      efg   a     cd     newcomers are more than one: the first of them goes
    c        fg    ac    de
    d        g     acd   ef     e, asked for again, finds newcomers within their share, so a goes without a ghost
    e        g     cde   f      and f is still remembered
    """
    cache = Played(TwoQ(4), 4)
    assert cache.use("abcd" "a" "e") == "a"
    assert cache.use("a") == "b"
    assert cache.use("fg") == "cd"
    assert cache.use("c") == "e"
    assert cache.use("d") == "f"
    assert cache.use("e") == "a"
    # a left no ghost: it comes back as a newcomer, two are too many, and g goes at the next miss.
    assert cache.use("a") == "c"
    assert cache.use("x") == "g"


def test_two_q_keeps_as_many_ghosts_as_it_is_told() -> None:
    # When a comes back, the one ghost is that of b, or those of both: it goes in its turn, or stays in the main queue.
    for k_out, gone in ((1, "defa"), (2, "defw")):
        cache = Played(TwoQ(4, k_out=k_out), 4)
        assert cache.use("abcdef" "a") == "abc"
        assert cache.use("wxyz") == gone


def test_two_q_drops_the_oldest_ghost_even_where_it_is_on_its_way_back() -> None:
    cache = Played(TwoQ(2, k_in=1, k_out=1), 2)
    # Newcomers b c, ghost a. a is asked for: b's ghost takes the place of a's, but a was found before.
    assert cache.use("abc" "a") == "ab"
    # Am a, A1in c: newcomers within their share, so a, the only one kept, goes. b's ghost was kept: b enters Am.
    assert cache.use("b") == "a"
    assert cache.use("x") == "b"


def lirs_of_the_papers_figure_1() -> Played:
    """LIR are A and B, resident HIR is E; used last, in this order, were B, D (gone), A and E."""
    cache = Played(Lirs(3), 3)
    assert cache.use("ABDA" "E") == "D"
    return cache


def test_lirs_makes_lir_of_who_comes_back_sooner_than_the_least_recent_lir() -> None:
    cache = lirs_of_the_papers_figure_1()
    assert cache.use("D") == "E"
    # D took the place of B, which is HIR now; then X passes through the one place for HIR.
    assert cache.use("XY") == "BX"
    assert cache.resident == set("ADY")


def test_lirs_leaves_who_comes_back_later() -> None:
    cache = lirs_of_the_papers_figure_1()
    assert cache.use("C") == "E"
    assert cache.use("XY") == "CX"
    assert cache.resident == set("ABY")


def test_lirs_forgets_who_lies_below_the_least_recent_lir() -> None:
    # D's ghost lies above B. When B is used, A is the bottom, above D: D comes back as a stranger.
    cache = lirs_of_the_papers_figure_1()
    cache.use("B")
    assert cache.use("D") == "E"
    assert cache.use("X") == "D"


def test_lirs_forgets_who_is_invalidated() -> None:
    cache = lirs_of_the_papers_figure_1()
    assert isinstance(cache.policy, Lirs)
    cache.policy.remove("E", evicted=False)
    assert [*cache.policy._stack] == [*"BDA"]
    cache.policy.remove("B", evicted=False)  # and who lay above it
    assert [*cache.policy._stack] == ["A"]


def test_lirs_keeps_its_queue_by_the_last_use() -> None:
    # a b are LIR, c d are not; when a and b are used, c and d are in the stack no more. Then c is used.
    policy = Lirs(4, hir=2)
    assert Played(policy, 4).use("abcd" "abc") == ""
    assert policy.choose() == "d"
    # Where neither may go, the least recent LIR entry does; keys whose order in a set is another.
    policy = Lirs(4)
    for key in (3, 2, 1, 0):
        policy.insert(key)
    assert policy.choose("x", lambda key: key != 0) == 3


def test_lirs_with_a_bound_forgets_its_oldest_ghosts() -> None:
    for ghosts, next_gone in ((None, "B"), (1, "D")):
        cache = Played(Lirs(3, ghosts=ghosts), 3)
        # The ghosts of D, E and F lie above B; only with a bound of one is D's forgotten when F comes in.
        assert cache.use("ABDA" "EFG") == "DEF"
        cache.use("D")
        assert cache.use("X") == next_gone


def test_lirs_with_a_bound_counts_no_ghost_that_has_come_back() -> None:
    # F comes back, and G's is the only ghost, which makes it LIR in the place of A. So does X in that of F.
    cache = Played(Lirs(3, ghosts=1), 3)
    assert cache.use("ABDA" "EFG") == "DEF"
    assert cache.use("FG") == "GB"
    assert cache.use("X") == "A"
    assert cache.use("YXZ") == "XYF"


def test_lirs_lets_a_lir_entry_go_where_no_other_may_and_gives_its_place_away() -> None:
    policy = Lirs(3)
    for key in "abc":
        policy.insert(key)
    assert policy.choose("x", lambda key: key != "c") == "a"
    policy.remove("a", evicted=True)
    policy.insert("d")
    assert policy.choose() == "c"
    policy.remove("c", evicted=True)
    policy.insert("e")
    # d is LIR in a's place: of b, d and e it is e that may be lost.
    assert policy.choose() == "e"


def test_lirs_of_one_entry_holds_the_last() -> None:
    assert Played(Lirs(1), 1).use("aabacb") == "abac"


def test_sieve_leaves_the_used_where_they_are() -> None:
    """From the oldest on, the used in capitals, the hand as a bar."""
    cache = Played(Sieve(), 3)
    # |aBC: a goes. |BCd: the hand clears b and c and takes d, where CLOCK would take b.
    assert cache.use("abc" "bc" "d") == "a"
    assert cache.use("e") == "d"
    # There was nothing behind d but the newcomer, so the hand is back at the oldest, |bce: b goes, then, |Cef, e.
    assert cache.use("f") == "b"
    assert cache.use("c" "gh") == "ef"


def test_sieve_goes_on_from_where_it_was() -> None:
    cache = Played(Sieve(), 4)
    # |AbcD: a is cleared, b goes. a|cD: c goes. a|Def: d is cleared, e goes. ad|fg: f.
    assert cache.use("abcd" "ad" "efgh") == "bcef"


def test_sieve_passes_over_what_may_not_go_and_clears_it() -> None:
    policy = Sieve()
    for key in "abc":
        policy.insert(key)
    policy.touch("a")
    assert policy.choose(None, lambda key: key == "c") == "c"
    assert policy.choose() == "c"
    policy.remove("c", evicted=False)
    assert policy.choose() == "a"


def test_s3_fifo_promotes_who_was_used_twice() -> None:
    """Ten entries, one for the small queue. While it fills, what finds the small queue taken goes into the main one."""
    cache = Played(S3Fifo(10), 10)
    assert cache.use("abcdefghij") == ""
    # Small a, main b ... j, full: a, used once beyond its coming, goes and is remembered.
    assert cache.use("a" "k") == "a"
    # Small k. Used twice, k moves into the main queue, whose oldest unused goes, and l has the small queue.
    assert cache.use("kk" "l") == "b"
    # Main c ... j k is full again; l is used once only.
    assert cache.use("l" "m") == "l"
    # a was remembered: it enters the main queue, for which m goes; then the main queue is over its share.
    assert cache.use("a") == "m"
    assert cache.use("n") == "c"


def test_s3_fifo_keeps_the_used_of_the_main_queue_one_turn_for_each_use_up_to_three() -> None:
    """Three entries, two of them main. Ghosts come back into the main queue until b, used five times, has to go.

    key   small  main   why
    d     d      b c    a went
    a            b c a  a was remembered; d went
    d            a b d  the main queue is over its share: b is passed, c goes
    c     c      b d    over its share: a goes
    a     a      b d    c went
    c            b d c  c was remembered; a went
    x     x      c b    over its share: b is passed the second time, d goes
    a            c b a  a was remembered; x went
    y     y      b a    over its share: c goes
    x            b a x  x was remembered; y went
    z     z      x b    over its share: b is passed the third time, a goes
    y            x b y  y was remembered; z went
    w     w      b y    over its share: x goes
    z            b y z  z was remembered; w went
    v     v      y z    over its share: b goes
    """
    cache = Played(S3Fifo(3), 3)
    assert cache.use("abc" "bbbbb" "d") == "a"
    assert cache.use("adcacxayxzywzv") == "dcacadxcyazxwb"


def test_s3_fifo_keeps_as_many_ghosts_as_the_main_queue_has_room_for() -> None:
    policy = S3Fifo(3)
    for key in "abc":
        policy.insert(key)
        policy.remove(key, evicted=True)
    policy.insert("x")
    policy.insert("a")  # a's ghost was the oldest of three: a stranger
    policy.insert("b")
    # Small x a, main b: x goes first, then a, although the main queue has room.
    assert policy.choose() == "x"
    policy.remove("x", evicted=False)
    assert policy.choose() == "a"


def test_s3_fifo_asked_again_says_the_same_after_it_has_filled_the_main_queue() -> None:
    cache = Played(S3Fifo(4), 4)
    cache.use("abcd" "aa")
    # a moves into the main queue, which is then over its share, and gives: b, however often it is asked.
    assert [cache.policy.choose("x") for _ in range(3)] == ["b", "b", "b"]


def test_s3_fifo_fills_the_main_queue_no_more_once_one_was_driven_out() -> None:
    policy = S3Fifo(10)
    for key in range(10):
        policy.insert(key)
    for key, evicted in ((0, True), (1, False)):
        policy.remove(key, evicted)
    for key in (10, 11):
        policy.insert(key)
    # Both are in the small queue, though that is full with 10.
    assert policy.choose() == 10
    policy.remove(10, evicted=True)
    assert policy.choose() == 11


def test_s3_fifo_finds_anew_who_gives_when_one_has_come() -> None:
    # Small a b, main c d. a goes; then it comes back, into the main queue, which has too many.
    policy = S3Fifo(4, small=0.5)
    assert Played(policy, 4).use("abcd") == ""
    policy.remove("a", evicted=True)
    assert policy.choose("a") == "b"
    policy.insert("a")
    assert policy.choose("x") == "c"
    # Used three times, c goes round three times, where no other may go.
    for _ in range(3):
        policy.touch("c")
    assert policy.choose("x", lambda key: key == "c") == "c"


def test_s3_fifo_finds_anew_who_gives_when_one_has_gone() -> None:
    policy = S3Fifo(30)
    for key in range(30):
        policy.insert(key)
    policy.touch(0)
    policy.touch(0)
    # Small 0 1 2, main 3 ... 29. 0 moves into the main queue and 1 goes; for a second one the main queue, over its
    # share now, gives.
    assert policy.choose("x") == 1
    policy.remove(1, evicted=True)
    assert policy.choose("x") == 3


def test_lirs_keeps_no_ghost_that_the_stack_has_lost() -> None:
    cache = Played(Lirs(3), 3)
    for _ in range(5):
        cache.use("ABDAEBCAFB")
        assert isinstance(cache.policy, Lirs)
        assert set(cache.policy._ghosts) <= set(cache.policy._stack)
    assert cache.gone
