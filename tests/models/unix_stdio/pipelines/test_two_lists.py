"""Tests the two lists of Linux's page cache: pieces used twice stay, dirty pieces are not evicted."""

from spindle.models.unix_stdio.pipelines.two_lists import FilePiece, TwoLists

A, B, C = (FilePiece(name, 0) for name in "abc")


def test_the_oldest_that_was_used_once_leaves_first() -> None:
    cache = TwoLists(1.0)
    for piece in (A, B, C, A):
        cache.use(piece)
    assert cache.evict()
    assert [piece in cache for piece in (A, B, C)] == [True, False, True]


def test_what_is_dirty_stays() -> None:
    cache = TwoLists(1.0)
    cache.use(A)
    cache.use(B)
    cache.dirty[A] = 0.0
    assert cache.evict()
    assert A in cache
    assert not cache.evict()
    del cache.dirty[A]
    assert cache.evict()
    assert cache.size == 0.0


def test_an_active_piece_leaves_where_nothing_else_can() -> None:
    cache = TwoLists(1.0)
    cache.use(A)
    cache.use(A)
    assert cache.evict()
    assert A not in cache


def test_an_active_piece_leaves_beside_an_inactive_one_that_is_dirty() -> None:
    """One of each: the active list is not the longer, and nothing of it grows old."""
    cache = TwoLists(1.0)
    for piece in (A, A, B):
        cache.use(piece)
    cache.dirty[B] = 0.0
    assert cache.evict()
    assert [piece in cache for piece in (A, B)] == [False, True]


def test_a_long_active_list_grows_old_before_a_short_inactive_one_is_emptied() -> None:
    # 100 GB: the active list may be 31 times the inactive one, and is 98 times.
    cache = TwoLists(1e9)
    for number in range(99):
        cache.use(FilePiece("active", number))
        cache.use(FilePiece("active", number))
    for _ in range(2):
        cache.use(FilePiece("new", 0)) if FilePiece("new", 0) not in cache else None
        assert cache.evict()
    assert FilePiece("active", 0) not in cache
