"""Response Probe before its trial: its master process reads the scripts, a few bytes at a time."""

from models.windows_nt.cache.cache_manager import CacheManager
from models.windows_nt.cache.cached_file import CachedFile
from models.windows_nt.caller import Caller
from models.windows_nt.parameters import NtParameters
from models.windows_nt.volume import NtVolume
from sim.clock import Wait, pause

SCRIPTS = 3
"""A .SCR, a .SCP and a .SCT file, which the C library's scanner reads piece by piece."""


def read_scripts(cache: CacheManager, volume: NtVolume, caller: Caller, parameters: NtParameters) -> Wait:
    """Open each of the scripts and read it to its end."""
    yield pause(cache.env, parameters.probe_starts * parameters.lead)
    size, piece = parameters.script_bytes, parameters.script_piece
    for number in range(SCRIPTS):
        section = volume.create(f"script {number + 1}", size)
        yield from cache.map_data(volume.metadata, 0, 512, caller)
        file = CachedFile(section)
        for first in range(0, size, piece):
            length = min(piece, size - first)
            seconds = cache.read_now(file, first, length)
            if seconds is None:
                seconds = yield from cache.read(file, first, length, caller)
            yield caller.burst(parameters.read_call + seconds)
