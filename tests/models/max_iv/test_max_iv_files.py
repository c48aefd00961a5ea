"""Tests Max-IV's file system on a small disc: how many accesses it takes to find, open, create and delete a file."""

from collections.abc import Iterator, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.models.max_iv.file_work import FileWork
from spindle.models.max_iv.files import FileDirectory, FileSystem
from spindle.models.max_iv.habits import LibraryLoop, PathLoop, PrivateLoops
from spindle.models.max_iv.machine import MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.sampler import Sampler
from spindle.models.max_iv.space import AtTheEdge, FreeSpace, InTheMiddle, Packed, Scattered, reuse_in_turn
from spindle.models.max_iv.volumes import Home, SystemVolume, in_any_order, used_first
from spindle.sim.error import UserError
from spindle.sim.parameter import change


def disc(names_a_sector: int = 8, lists: int = 1) -> FileSystem:
    """100 tracks of 42 sectors, ten of them management space."""
    return FileSystem(AtTheEdge().label(100, 42, 10, Random("disc")), 42, names_a_sector, lists)


def tree() -> FileSystem:
    files = disc()
    files.make_directory(("users",))
    files.make_directory(("users", "van"))
    files.make_directory(("users", "van", "src"))
    files.create(("users", "van", ":AR"), 1)
    files.create(("users", "van", "src", "fhl"), 12)
    return files


def test_a_simple_name_takes_two_accesses() -> None:
    node, reads = tree().walk(("users",))
    assert isinstance(node, FileDirectory)
    assert len(reads) == 2


def test_an_open_takes_two_a_name_and_two_for_the_file() -> None:
    files = tree()
    assert len(files.open(("users", "van", ":AR"))[1]) == 8
    assert len(files.open(("users", "van", "src", "fhl"))[1]) == 10


def test_an_open_begins_at_the_root_and_ends_at_the_map() -> None:
    files = tree()
    file, reads = files.open(("users", "van", ":AR"))
    assert reads[0] == files.root.head
    assert reads[-2:] == [file.descriptor, file.map]
    assert len(set(reads)) == 8


def test_a_long_list_takes_more() -> None:
    files = disc(names_a_sector=2)
    for number in range(5):
        files.create((f"file{number}",), 1)
    assert [len(files.find(files.root, f"file{number}")[1]) for number in range(5)] == [2, 2, 3, 3, 4]
    assert len(files.find(files.root, "absent")[1]) == 4


def test_names_are_spread_over_lists() -> None:
    files = disc(lists=4)
    for number in range(40):
        files.create((f"file{number}",), 1)
    assert sum(len(files.find(files.root, f"file{number}")[1]) for number in range(40)) < 40 * 3


def test_an_absent_directory_ends_the_walk() -> None:
    node, reads = tree().walk(("users", "nobody", "src"))
    assert node is None
    assert len(reads) == 4


def test_files_begin_at_tracks_of_their_own_and_structures_lie_apart() -> None:
    files = tree()
    found = [files.open(path)[0] for path in (("users", "van", ":AR"), ("users", "van", "src", "fhl"))]
    assert [file.first % 42 for file in found] == [0, 0]
    assert found[0].track != found[1].track
    assert all(file.first >= 420 for file in found)
    assert all(file.descriptor < 420 and file.map < 420 for file in found)


def test_a_large_file_is_contiguous() -> None:
    file, _, _ = disc().create(("tool",), 161)
    assert file.tracks == 4


def test_creating_writes_the_name_the_descriptor_and_the_map() -> None:
    files = tree()
    file, reads, writes = files.create(("users", "van", "pipe1"), 5)
    assert len(reads) == 6
    assert writes[1:] == [file.descriptor, file.map]


def test_a_deleted_file_is_gone_and_its_space_is_used_next() -> None:
    files = tree()
    before, _, _ = files.create(("users", "van", "pipe1"), 5)
    reads, writes = files.delete(("users", "van", "pipe1"))
    assert (len(reads), len(writes)) == (8, 2)
    with pytest.raises(KeyError, match="users/van/pipe1"):
        files.open(("users", "van", "pipe1"))
    after, _, _ = files.create(("users", "van", "pipe2"), 5)
    assert (after.track, after.descriptor, after.map) == (before.track, before.descriptor, before.map)


def test_all_tracks_of_a_deleted_file_are_used_again() -> None:
    """Found by drawn runs: pipes of 40 sectors on a drive whose tracks have fewer."""
    files = tree()
    before, _, _ = files.create(("users", "van", "pipe1"), 3 * 42)
    assert before.tracks == 3
    files.delete(("users", "van", "pipe1"))
    after = [files.create(("users", "van", f"pipe{number}"), 42)[0].track for number in range(3)]
    assert sorted(after) == [before.track + number for number in range(3)]


def test_space_that_is_used_up_is_a_mistake() -> None:
    space = FreeSpace("data space", 10, 13, Scattered(Random("space")))
    assert sorted(space.take() for _ in range(3)) == [10, 11, 12]
    with pytest.raises(UserError, match="data space: 1 neighbours are not free any more among 3"):
        space.take()


def test_a_packed_space_is_filled_from_its_beginning() -> None:
    space = FreeSpace("data space", 10, 20, Packed())
    assert [space.take(), space.take(3), space.take()] == [10, 11, 14]
    space.give_back(10)
    assert space.take(2) == 15, "one that was given back is not two"
    assert space.take() == 10


def test_a_place_that_is_given_back_is_used_at_once_or_in_its_turn() -> None:
    """Ten places of which three are taken: the second, given back, is next; or when all others have been used."""
    at_once, in_turn = FreeSpace("data", 10, 20, Packed()), FreeSpace("data", 10, 20, Packed(), reuse_in_turn)
    for space in (at_once, in_turn):
        for _ in range(3):
            space.take()
        space.give_back(11)
    assert [at_once.take() for _ in range(3)] == [11, 13, 14]
    assert [in_turn.take() for _ in range(8)] == [13, 14, 15, 16, 17, 18, 19, 11]


class Reading:
    """Reads nothing, and says how many sectors it should have read."""

    def __init__(self) -> None:
        self.sectors: list[int] = []

    def read(self, unit: int, sectors: Sequence[int], account: object, step: int = 0) -> Iterator[Any]:
        self.sectors.append(len(sectors))
        return iter(())


@pytest.mark.parametrize(("share", "reads"), [(0.3, False), (0.31, True), (1.0, True)])
def test_a_share_of_the_tools_loops_over_many_sectors(share: float, reads: bool) -> None:
    """Twenty names, eight a sector, behind the directory's first; thirty sectors of data and their mark."""
    files = tree()
    files.make_directory(("tools",))
    home = Home(0, files, ("users", "van"), 0)
    session: Any = SimpleNamespace(random=SimpleNamespace(random=lambda: 0.3), account=None)
    for habit in (PathLoop(2, 20, share), LibraryLoop(30, share), PrivateLoops(30, share)):
        habit.prepare(files, home)
        habit.prepare(files, home)  # they are there already
        work = FileWork(Reading(), [files])  # type: ignore[arg-type]
        list(habit.sweep(work, home, session))
        read = work.io.sectors  # type: ignore[attr-defined]
        assert (read == []) is not reads
        if reads:
            assert read == [1 + 3, 1 + 3] if isinstance(habit, PathLoop) else read[-1] == 30 + 1
    assert {files.open(("tools", f"wide{at}", f"name{name}"))[0].sectors for at in (0, 1) for name in (0, 19)} == {1}


def test_the_sampler_adds_up_what_it_sees_every_ten_seconds(env: simpy.Environment) -> None:
    """Lists of 3, 4 and no entries: 6 + 10 probes to look for each of them."""

    class Lists:
        counted = 2

        def lengths(self) -> list[int]:
            return [3, 4, 0]

        def __len__(self) -> int:
            return 7

    sampler = Sampler(env, Lists())  # type: ignore[arg-type]
    env.run(25.0)
    assert sampler.reading() == {
        "samples": 2.0, "queues": 6.0, "short_queues": 4.0, "longest": 8.0, "resident": 14.0, "management": 4.0,
        "neighbours": 24.0, "squares": 50.0, "probes": 32.0}  # fmt: skip


def test_tools_are_entered_as_they_are_used_or_in_any_order() -> None:
    """All of them either way; in any order, which is usual, those that are used do not stand first."""
    assert MaxIvOptions().tools_order is in_any_order
    entered = {}
    for order in (used_first, in_any_order):
        files = FileSystem(AtTheEdge().label(2000, 42, 100, Random("disc")), 42, 8, 1)
        SystemVolume(files, change(MaxIvParameters(), accounts=1), order, Random("tools"))
        directory, _ = files.walk(("tools", "bin"))
        assert isinstance(directory, FileDirectory)
        entered[order] = [name for links in directory.lists for link in links for name in link.names]
    used = [name for name in entered[used_first] if not name.startswith("tool")]
    assert entered[used_first][: len(used)] == used
    assert entered[in_any_order][: len(used)] != used
    assert sorted(entered[in_any_order]) == sorted(entered[used_first])
    assert len(used) > 10


def test_the_better_layout_has_management_space_amid_the_files() -> None:
    region = InTheMiddle().label(100, 42, 10, Random("disc"))
    assert [track for track in range(100) if region.is_management(track)] == list(range(22, 32))
    files = FileSystem(region, 42, 8, 1)
    file, _, _ = files.create(("one",), 5)
    assert (file.track, files.root.head) == (32, 22 * 42)
