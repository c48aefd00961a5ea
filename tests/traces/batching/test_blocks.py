"""Tests the blocks of memory for keys and values: their users, which become free first, which prefixes are found."""

from spindle.traces.batching.blocks import KvBlocks


def test_a_named_block_is_found_till_it_is_taken_again() -> None:
    blocks = KvBlocks(2, prefixes=True)
    first = blocks.take(1)
    blocks.name(first[0], "a")
    blocks.release(first)
    assert blocks.prefix(["a", "b"]) == first
    other = blocks.take(1)
    assert other != first, "the block that has been free for longest goes first"
    assert blocks.prefix(["a"]) == first
    blocks.take(1)
    assert blocks.prefix(["a"]) == []


def test_the_end_of_a_prompt_is_forgotten_before_its_beginning() -> None:
    blocks = KvBlocks(2, prefixes=True)
    held = blocks.take(2)
    for block, name in zip(held, "ab", strict=True):
        blocks.name(block, name)
    blocks.release(held)
    blocks.take(1)
    assert blocks.prefix(["a", "b"]) == held[:1]


def test_a_shared_block_is_free_when_both_have_let_it_go() -> None:
    blocks = KvBlocks(1, prefixes=True)
    held = blocks.take(1)
    blocks.share(held)
    blocks.release(held)
    assert blocks.free == 0
    blocks.release(held)
    assert blocks.free == 1


def test_shared_blocks_that_are_free_count_as_room_once() -> None:
    blocks = KvBlocks(2, prefixes=True)
    held = blocks.take(1)
    blocks.release(held)
    assert blocks.can_take(held, 1)
    assert not blocks.can_take(held, 2)


def test_nothing_is_found_where_prefixes_are_not_shared() -> None:
    blocks = KvBlocks(2, prefixes=False)
    held = blocks.take(1)
    blocks.name(held[0], "a")
    assert blocks.prefix(["a"]) == []
