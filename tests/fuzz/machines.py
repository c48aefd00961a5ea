"""Machines drawn from all parts, as the scripts that build them; Hypothesis draws, and shrinks what fails."""

from typing import Any

from hypothesis import strategies as st

from spindle.sim.disc.sheets import SHEETS

SECTOR = 256
Draw = st.DrawFn


def one(draw: Draw, *choices: Any) -> Any:
    """One of *choices*; what fails is shrunk towards the first."""
    return choices[draw(st.integers(0, len(choices) - 1))]


def seconds(draw: Draw, most: float = 0.05) -> float:
    """Often a round number, so that much happens at one instant."""
    drawn: float | None = one(draw, 0.0, most / 50, most / 10, most / 2, most, None)
    return draw(st.floats(0.0, most)) if drawn is None else drawn


# Drives ------------------------------------------------------------------------------------------------


def seek(draw: Draw, cylinders: int) -> str:
    low, more = seconds(draw, 0.005), seconds(draw, 0.02)
    return str(one(
        draw, f"LinearSeek({low}, {low + more}, {cylinders})",
        f"PowerSeek({low}, {low + more}, {one(draw, 0.5, 1.0, 2.0)}, {cylinders})",
        f"TableSeek(((0, 0.0), (1, {low}), (3, {more}), (9, {low + more})))",
        f"TwoPartSeek(({low},), 4, ({low}, {more / 10}), ({more}, {more / 20}))",
    ))  # fmt: skip


def layout(draw: Draw) -> tuple[str, int, int]:
    """A layout, its cylinders and its bytes."""
    cylinders, heads, sectors = one(draw, 10, 2, 40), one(draw, 2, 1, 5), one(draw, 10, 4, 33)
    skews = one(draw, 0, 1, 1.5), one(draw, 0, 2, 3.5)
    if not draw(st.booleans()):
        return f"uniform({cylinders}, {heads}, {sectors}, {SECTOR}, {skews[0]}, {skews[1]})", cylinders, \
            cylinders * heads * sectors * SECTOR
    outer, half = sectors + one(draw, 1, 7), cylinders // 2
    zones = f"(Zone(0, {outer}, {skews[0]}, {skews[1]}), Zone({half}, {sectors}, 0, 0, {skews[0]}))"
    blocks = heads * (half * outer + (cylinders - half) * sectors)
    return f"Layout({cylinders}, {heads}, {SECTOR}, {zones})", cylinders, blocks * SECTOR


def after(draw: Draw) -> str:
    return f"After({seconds(draw, 0.001)}, {seconds(draw, 0.001)})"


def buffer(draw: Draw) -> str:
    """A drive's own buffer, with anything on or off."""
    segments = one(draw, 2, 0, 1, 4)
    overheads = "Overheads()"
    if draw(st.booleans()):
        fields = ", ".join(f"{name}={after(draw)}" for name in ("read_hit", "read_miss", "write", "report"))
        overheads = f"Overheads({fields}, preparation={seconds(draw, 0.001)}, reselect={seconds(draw, 0.001)}, " \
            f"read_done={seconds(draw, 0.001)}, to_medium={seconds(draw, 0.001)})"
    ahead = "Nothing()" if not segments else one(draw, "Nothing()", "TrackEnd()", "CylinderEnd()", "BlocksAhead(8)",
                                                 "BlocksAhead(100)", "TrackByTrack()")  # fmt: skip
    flags = ["keeps_requested", "keeps_passing", "goes_on", "starts_anywhere", "reads_written"]
    flags += ["own_write_segment"] if segments > 1 else []
    said = [f"{flag}=True" for flag in flags if draw(st.booleans())]
    reports = one(draw, "None", "ImmediateReporting()", "ImmediateReporting(True)")
    return f"Buffer({segments}, {one(draw, 8, 1, 30)}, {overheads}, HostLink({seconds(draw, 0.001)}, " + ", ".join(
        [f"{seconds(draw, 0.001)})", ahead, reports, str(one(draw, 1, 2, 3)), *said,
         f"high_water={one(draw, 0.0, 0.5, 1.0)}", f"holds={one(draw, 1, 4, 16)}"])  + ")"  # fmt: skip


def disc(draw: Draw, plain: bool = False) -> tuple[str, int]:
    """A real sheet, or one made up, with or without a buffer, and its bytes."""
    if one(draw, False, False, False, True):
        number = one(draw, *(n for n, sheet in enumerate(SHEETS) if not plain or sheet.buffer is None))
        return f"SHEETS[{number}]", SHEETS[number].layout.capacity
    place, cylinders, capacity = layout(draw)
    own = "None" if plain or draw(st.booleans()) else buffer(draw)
    settle = one(draw, 0.0, 0.001, -0.0005)
    return f'DiscType("made up", {place}, {one(draw, 6000, 3600, 7199.5)}, {seek(draw, cylinders)}, ' \
        f"{seconds(draw, 0.002)}, {settle}, {seconds(draw, 0.002)}, {own})", capacity


def flash(draw: Draw) -> tuple[str, int]:
    """Little flash, so that it must be cleaned soon, and its bytes."""
    channels, ways, planes = one(draw, 2, 1, 3), one(draw, 1, 2), one(draw, 1, 2)
    blocks, pages, unit, spare = one(draw, 8, 6, 16), one(draw, 2, 1, 4), one(draw, 1024, 512, 2048), one(draw, 4, 5)
    low = 1e-6  # nothing takes no time
    times = ", ".join(f"{low + seconds(draw, most)}" for most in (0.001, 0.005, 0.01))
    nand = f"Nand({channels}, {ways}, {planes}, {blocks}, {pages}, 2048, {times}, {one(draw, 1e6, 1e8)})"
    command, rate = seconds(draw, 0.001), one(draw, 1e6, 1e8)
    front = f'Front("made up", {one(draw, 4, 1, 32)}, {one(draw, 1, 2)}, {command}, {rate}, {command}, {rate})'
    capacity = channels * ways * planes * (blocks - spare) * pages * 2048
    return f'FlashType("made up", {nand}, {front}, {capacity}, {unit}, 256, {unit * one(draw, 4, 1, 16)}, ' \
        f"{one(draw, None, 1, 2)}, {one(draw, 'Greedy()', 'CostBenefit()', 'Choices(2)')}, 2, " \
        f"{draw(st.booleans())})", capacity


def scheduler(draw: Draw) -> str:
    plain = ("Fcfs()", "Sstf()", "Look()", "CLook()", "Scan()", "CScan()", "Sptf()", "ReadsFirst()", "Sptf(ageing=0.5)")
    if one(draw, False, False, True):
        return f"TaggedQueue({one(draw, *plain)}, {one(draw, *plain)}, {one(draw, 2, 1, 4, 32)})"
    return str(one(draw, *plain))


def drive(draw: Draw, number: int, channel: str | None) -> tuple[str, int]:
    name = f'{scheduler(draw)}, "drive{number}")'
    if channel is not None and draw(st.booleans()):
        attachment = f'SpeedMatching({channel}, Link("bus", {seconds(draw, 0.002)}, {seconds(draw, 0.002)}, 1e6))'
        sheet, capacity = disc(draw, plain=True)
        return f"SharingDrive(env, {sheet}, {attachment}, {name}", capacity
    if draw(st.booleans()):
        sheet, capacity = disc(draw)
        return f"Drive(env, {sheet}, {name}", capacity
    if draw(st.booleans()):
        sheet, capacity = flash(draw)
        return f"FlashDrive(env, {sheet}, {name}", capacity
    capacity = 50_000
    return f"Drive(env, FixedService({seconds(draw)}, {one(draw, 0.0, 1e-6)}, {capacity}), {name}", capacity


# Caches ------------------------------------------------------------------------------------------------


def policy(draw: Draw, entries: int) -> str:
    free = ("Lru()", "Fifo()", "Mglru()", "Clock()", "Lfu()", "Sieve()", "GreedyDual()", "Atca()", "Fac()", "Gdsf()",
            "LruK()", "Hyperbolic(2)")  # fmt: skip
    kinds = ("Slru", "TwoQ", "Arc", "Lirs", "S3Fifo", "S4Fifo", "Car", "Lhd", "Cacheus", "WTinyLfu", "LeCar")
    fixed = tuple(f"{kind}({entries})" for kind in kinds)
    return str(one(draw, *free, *fixed))


def writing(draw: Draw, block: int) -> str:
    limit = block * one(draw, 2, 0, 1, 10)
    back = f"CacheWriteBack({one(draw, 0.02, 0.01, 0.5)}, {one(draw, 0.05, 0.0, 1.0)}, {limit // 2}, {limit})"
    return str(one(draw, "WriteThrough()", back, back))


Rooms = list[tuple[str, int]]
"""Memories and the blocks that they are for."""


def cache(draw: Draw, number: int, below: str, others: Rooms, rooms: Rooms, lines: list[str]) -> str:
    """A cache above *below*, in a memory of its own, one of *rooms* then, or in that of a cache of *others*."""
    if others and one(draw, False, False, True):
        room, block = one(draw, *others)
    else:
        room, block, blocks = f"memory{number}", one(draw, 512, 256, 1024, 100, 600), one(draw, 4, 1, 2, 3, 16)
        bytes_, uniformly = block * blocks + one(draw, 0, 50), one(draw, "None", str(block))
        kept = policy(draw, blocks)
        lines.append(f"{room} = SharedMemory(env, {bytes_}, {kept}, {block if kept[-2] != '(' else uniformly})")
        rooms.append((room, block))
    ahead = one(draw, "None", "FetchSize(1024, 4096)", "Sequential(1024)", "Sequential(5000, 0)")
    cost = "None"
    if draw(st.booleans()):
        cost = f"CpuOverhead(cpu, {seconds(draw, 0.002)}, {one(draw, 0.0, 1e-6)}, {one(draw, 1, 0, 2, 3)})"
    name, policies = f"cache{number}", f"{ahead}, {writing(draw, block)}, {cost}"
    lines.append(f'{name} = BlockCache(env, {below}, {block}, {room}, {policies}, "{name}")')
    return name


# What is asked -----------------------------------------------------------------------------------------


def deed(draw: Draw, files: int) -> str:
    verb = one(draw, "read", "write", "compute", "read", "write", "write_durably", "start", "write_later", "flush",
               "discard", "sleep", "lock", "reply")  # fmt: skip
    if verb in ("compute", "sleep"):
        return f'Deed("{verb}", seconds={seconds(draw)}, level={one(draw, 2, 0, 1, 3)})'
    if verb == "reply":
        return f'Deed("reply", length={one(draw, 1, 40)})'
    place = f"{one(draw, *range(files))}, {one(draw, 0, -1, 256, 1000, 5120)}, {one(draw, 256, 1, 600, 1024, 3000)}"
    return f'Deed("{verb}", {place}{f", {seconds(draw)}, {one(draw, 2, 0, 1)}" if verb == "start" else ""})'


def script(draw: Draw, number: int, files: int) -> str:
    program = ", ".join(deed(draw, files) for _ in range(one(draw, 1, 2, 3, 5)))
    think = one(draw, "Constant(0.1)", "Constant(0.0)", "Exponential(0.05)", "Uniform(0.0, 0.2)")
    steps = f'Think({think}), Call(({program},), "call")'
    if draw(st.booleans()):
        steps = f'{steps}, Choose((1.0, 2.0), ((Think(Constant(0.01)),), (Call(({deed(draw, files)},), "other"),)))'
    return f'Script("user{number}", (Loop(({steps},), {one(draw, 2, 1, 8)}),), {one(draw, 1, 2, 5)}, ' \
        f"{one(draw, 1e9, 9600.0)}, stagger={one(draw, 0.0, 0.013)})"


@st.composite
def machines(draw: Draw) -> str:
    """A script that builds ``machine``, ``load`` and ``window``."""
    lines = ["env = Environment()",
             "cpu = " + one(draw, "FcfsCpu(env)", "PreemptiveCpu(env)", "PreemptiveCpu(env, {1: 0.01, 2: 0.003})")]
    channel = "channel" if draw(st.booleans()) else None
    if channel:
        lines.append("channel = Channel(env)")
    rooms: Rooms = []
    parts, tops, number = [], [], 0
    for index in range(one(draw, 1, 2, 3)):
        built, capacity = drive(draw, index, channel)
        top = f"drive{index}"
        lines.append(f"{top} = {built}")
        parts.append(top)
        others = rooms[:]
        for _ in range(one(draw, 1, 0, 2, 3)):
            top = cache(draw, number, top, others, rooms, lines)
            parts.append(top)
            number += 1
        tops.append((top, capacity))
    files = [file(draw, index, *one(draw, *tops)) for index in range(one(draw, 1, 2))]
    calls = f"SystemCalls({seconds(draw, 0.002)}, {seconds(draw, 0.002)})"
    named = ", ".join(f'"{part}": {part}' for part in parts)
    hints = ", ".join(f"Hint.{one(draw, 'NONE', 'SEQUENTIAL', 'RANDOM')}" for _ in files)
    scripts = ", ".join(script(draw, index, len(files)) for index in range(one(draw, 1, 2)))
    window = one(draw, "Window()", "Window(0.0, 0.5)", "Window(0.1, 0.7, 0.2)", "Window(0.0, 0.3, tail=0.2)")
    return "\n".join([
        *lines, f"machine = Machine(env, {{{named}}}, cpu, {calls})",
        f"software = DrawnSoftware(machine, [{', '.join(files)}], [{hints}])",
        f"load = Terminals([{scripts}], software.perform, {one(draw, 0.0, 3e-5, 0.001)})", f"window = {window}",
    ])  # fmt: skip


def file(draw: Draw, number: int, top: str, capacity: int) -> str:
    length = min(one(draw, 5120, 1000, 12_800), capacity // 2)
    first = one(draw, 0, 256, capacity // 2 - capacity // 2 % 256, capacity - length)
    extents = [(min(first, capacity - length), length)]
    if draw(st.booleans()):
        extents.append((one(draw, 0, capacity - 1000), 1000))
    return f'File("file{number}", {top}, [{", ".join(f"Span({first}, {length})" for first, length in extents)}])'
