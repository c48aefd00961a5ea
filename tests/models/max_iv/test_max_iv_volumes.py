"""Tests the discs of a Max-IV system by hand: what is on them when it begins, and the homes of its users."""

from random import Random
from typing import Any

import pytest

from spindle.models.max_iv.files import FileDirectory, FileSystem, StoredFile
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.space import (
    AtTheEdge,
    FreeSpace,
    InTheMiddle,
    Placing,
    Scattered,
    reuse_at_once,
    reuse_in_turn,
)
from spindle.models.max_iv.volumes import AccountVolume, SystemVolume, exponential_sectors, in_any_order, used_first
from spindle.sim.error import UserError
from spindle.sim.parameter import change

USUAL = ["cat", "ed", "fc", "find", "format", "ls", "print", "ratfor", "sort", "translit", "uniq", "who"]
VALUES = change(
    MaxIvParameters(), accounts=2, tools=13, local_tools=2, more_directories=2, toc_bytes=600, shell_words=300,
    own_commands=2, own_sectors=3, working_files=2, account_files=3,
)  # fmt: skip
TRACK = 10
FIRST = 175 * TRACK
"""The first sector of data: of 400 tracks, 100 in the middle of the first half are management space."""


def disc() -> FileSystem:
    return FileSystem(InTheMiddle().label(400, TRACK, 100, Random(1)), TRACK, 8, 1)


def at(files: FileSystem, *path: str) -> FileDirectory:
    found = files.walk(path)[0]
    assert isinstance(found, FileDirectory)
    return found


def sizes(directory: FileDirectory) -> dict[str, int]:
    """The sectors of each file in *directory*."""
    return {name: node.sectors for name, node in directory.nodes.items() if isinstance(node, StoredFile)}


def test_the_disc_of_the_tools_has_images_first_and_then_the_tools() -> None:
    """An image of two sectors is a track; a tool of 600 bytes has a sector and three of its image."""
    given: list[Any] = []

    def backwards(used: list[str], others: list[str], random: Random) -> list[str]:
        given.append((used, others, random))
        return [*reversed(used), *others]

    files, random = disc(), Random(1)
    system = SystemVolume(files, VALUES, backwards, random)
    assert given == [(USUAL, ["tool12"], random)]
    assert (system.files, list(files.root.nodes)) == (files, ["tools"])
    assert list(at(files, "tools").nodes) == ["bin", "local", "more0", "more1"]
    assert list(sizes(at(files, "tools", "bin")).items()) == [(name, 4) for name in [*reversed(USUAL), "tool12"]]
    assert sizes(at(files, "tools", "local")) == {"local0": 4, "local1": 4}
    for number in (0, 1):
        assert sizes(at(files, "tools", f"more{number}")) == {"tool0": 1, "tool1": 1}
    assert system.more == (("tools", "more0"), ("tools", "more1"))
    before = files.open(("tools", "bin", "ls"))[0]
    system.install(("tools", "bin", "ls"))
    assert files.open(("tools", "bin", "ls"))[0] is before, "it is there already"
    tracks = 2 + 13 + 2 + 4
    assert [system.image() for _ in range(4)] == [FIRST + TRACK * place for place in (1, 0, tracks, tracks + 1)]


def test_an_account_has_directories_and_files_of_its_own() -> None:
    files = disc()
    system = SystemVolume(disc(), VALUES, used_first, Random(1))
    volume = AccountVolume(3, files, system, VALUES, Random(2))
    assert (volume.unit, volume.files, volume.residents()) == (3, files, [])
    assert list(files.root.nodes) == ["users"]
    for name in ("user0", "user1"):
        home = at(files, "users", name)
        assert [each for each, node in home.nodes.items() if isinstance(node, FileDirectory)] == ["bin", "src", "doc"]
        assert sizes(home) == {":AR": 3, ":VA": 3, "path": 1}
        assert sizes(at(files, "users", name, "bin")) == {"own0": 1, "own1": 1}
    assert list(at(files, "users").nodes) == ["user0", "user1"]
    homes = [volume.home() for _ in range(3)]
    assert [home.directory for home in homes] == [("users", f"user{number}") for number in range(3)]
    assert [home.image for home in homes[:2]] == [FIRST + TRACK, FIRST], "the third is behind all tools"
    assert volume.residents() == homes
    assert [volume.home().directory, len(volume.residents())] == [("users", "user3"), 4]


def test_the_files_of_a_user_are_made_when_he_comes() -> None:
    """Of an exponential of 5 sectors, quarters are at 2 and 7; of 12, sixths at 3, 8 and 21."""
    files = disc()
    system = SystemVolume(disc(), VALUES, used_first, Random(1))
    volume = AccountVolume(3, files, system, VALUES, Random(2))
    home = volume.home()
    assert (home.unit, home.files, home.more) == (3, files, system.more)
    assert home.working == [("users", "user0", "work0"), ("users", "user0", "work1")]
    assert home.shelf == [("users", "user0", folder, f"file{number}")
                          for number, folder in enumerate(("doc", "src", "doc"))]  # fmt: skip
    drawn, working, shelf = Random(2), [2, 7], [3, 8, 21]
    drawn.shuffle(working)
    drawn.shuffle(shelf)
    assert [files.open(path)[0].sectors for path in home.working] == working
    assert [files.open(path)[0].sectors for path in home.shelf] == shelf
    assert sizes(at(files, "users", "user1")) == {":AR": 3, ":VA": 3, "path": 1}, "nobody reads those of others"
    assert home.search_path == ((3, ("users", "user0", "bin")), (0, ("tools", "local")), (0, ("tools", "more0")),
                                (0, ("tools", "more1")), (0, ("tools", "bin")))  # fmt: skip
    assert [home.new_name() for _ in range(2)] == [("users", "user0", "pipe1"), ("users", "user0", "pipe2")]


@pytest.mark.parametrize(("mean", "share", "sectors"), [
    (0.5, 0.9, 1), (1.0, 0.99, 1), (1.5, 0.63, 1), (1.5, 0.64, 2), (5.0, 0.0, 1), (5.0, 0.5, 4), (5.0, 0.9, 11),
])  # fmt: skip
def test_sizes_are_quantiles_of_an_exponential(mean: float, share: float, sectors: int) -> None:
    assert exponential_sectors(mean, share) == sectors


def test_any_order_is_drawn_of_all() -> None:
    drawn, names = Random(3), ["a", "b", "c", "d"]
    drawn.shuffle(names)
    assert in_any_order(["a", "b"], ["c", "d"], Random(3)) == names
    assert used_first(["b", "a"], ["d", "c"], Random(3)) == ["b", "a", "d", "c"]


# Free space, and its labels.

@pytest.mark.parametrize(("placing", "spaces", "reuse"), [
    (AtTheEdge(), (0, 420, 10, 90, 0), reuse_at_once), (AtTheEdge(reuse_in_turn), (0, 420, 10, 90, 0), reuse_in_turn),
    (InTheMiddle(), (22 * 42, 420, 32, 68, 22), reuse_at_once),
], ids=["at the edge", "in turn", "in the middle"])  # fmt: skip
def test_a_label_sets_space_aside(placing: Placing, spaces: tuple[int, ...], reuse: object) -> None:
    """A hundred tracks of 42 sectors, ten of them management space."""
    region = placing.label(100, 42, 10, Random(1))
    space, tracks = region.space, region.tracks
    assert (space.first, space._size, tracks.first, tracks._size, region.first) == spaces
    assert (region.management, tracks._reuse, space._reuse) == (10, reuse, reuse_at_once)
    assert (space._name, tracks._name) == ("management space", "data space")
    assert [region.is_management(spaces[-1] + track) for track in (-1, 0, 9, 10)] == [False, True, True, False]


def test_scattered_places_are_drawn_of_all_of_the_disc() -> None:
    drawn, again = Random(5), Random(5)
    region = AtTheEdge().label(100, 42, 10, drawn)
    looked = [region.space.take(), region.tracks.take(), region.tracks.take(2)]
    searched = Scattered(again)
    assert looked == [searched.look(420), 10 + searched.look(90), 10 + searched.look(89)]


def test_a_place_is_looked_for_where_all_of_its_neighbours_fit() -> None:
    asked: list[int] = []

    class Told:
        def look(self, size: int) -> int:
            asked.append(size)
            return (4, 3, 0, 1, 2)[len(asked) % 5 - 1]

    space = FreeSpace("data space", 10, 15, Told())
    assert (space.take(2), asked) == (13, [4, 4]), "15 is outside"
    assert (space.take(2), asked) == (10, [4] * 3)
    with pytest.raises(UserError, match=r"^data space: 2 neighbours are not free any more among 5, 4 of them taken; "):
        space.take(2)
    assert asked == [4] * (3 + 10_000)
    with pytest.raises(UserError, match="6 neighbours"):
        space.take(6)
    assert set(asked[-10_000:]) == {1}, "they fit nowhere"
