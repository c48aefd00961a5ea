"""The machines that the programs may run on, each with its numbers: the lecture's, and a virtual one of 2026."""

from collections.abc import Mapping

from spindle.models.unix_stdio.parameters import NS, UnixParameters
from spindle.sim.parameter import ParameterSource, changed
from spindle.sim.units import GIB, MIB, US

LECTURE = UnixParameters()

VIRTUAL_2026 = changed(
    LECTURE,
    library_call=16.43 * NS, write_call=0.5579 * US, read_call=0.3501 * US, seek_call=0.1136 * US,
    copy=0.03318 * NS, new_page=0.8276 * US, new_folio=1.203 * US,
    write_request=39.66 * US, write_byte=0.324 * NS, flush=78.5 * US, write_out=17.5 * US, allocate=20.4 * US,
    read_request=52.5 * US, read_byte=0.666 * NS,
    memory=22 * GIB, read_ahead=8 * MIB, request=4 * MIB,
)  # fmt: skip
"""Linux 6.18 on two virtual AMD EPYC, ext4 on a virtio disc with a write-back cache of its host."""

_ = "on the machine itself, median of the quiet runs"
SOURCES: Mapping[str, ParameterSource] = {
    "library_call": ParameterSource("fitted", f"fwrite of 1 byte, {_}"),
    "write_call": ParameterSource("fitted", f"write of 1 byte, {_}"),
    "read_call": ParameterSource("fitted", f"read of 1 byte, warm, {_}"),
    "seek_call": ParameterSource("fitted", f"lseek alone, {_}"),
    "copy": ParameterSource("fitted", f"read of 64 KiB, warm, {_}"),
    "new_page": ParameterSource("fitted", f"write of 64 KiB to a new file, one folio of 16 pages, {_}"),
    "new_folio": ParameterSource("fitted", f"fwrite of 4096 bytes, a folio of one page each, {_}"),
    "write_request": ParameterSource("fitted", f"O_DIRECT, 512 bytes, {_}"),
    "write_byte": ParameterSource("fitted", f"O_DIRECT, 64 KiB, {_}"),
    "allocate": ParameterSource("fitted", f"O_DIRECT, 4096 bytes: each adds a block, of eight of 512 bytes one, {_}"),
    "flush": ParameterSource("fitted", f"O_SYNC and O_DIRECT, 4096 bytes, {_}"),
    "write_out": ParameterSource("fitted", f"O_SYNC, 1 byte, {_}"),
    "read_request": ParameterSource("fitted", f"O_DIRECT, 512 bytes here and there, {_}"),
    "read_byte": ParameterSource("fitted", f"O_DIRECT, 64 KiB here and there, {_}"),
    "memory": ParameterSource("cited", "of 24.7 GB, what is not the system's own"),
    "read_ahead": ParameterSource("cited", "read_ahead_kb as found"),
    "request": ParameterSource("cited", "max_sectors_kb as found"),
}
"""What differs from the lecture's machine, and where each number is from; the rest is the kernel's own."""

MACHINES: Mapping[str, UnixParameters] = {"lecture": LECTURE, "virtual-2026": VIRTUAL_2026}
