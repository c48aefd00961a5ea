"""The pyramid of memories as the model has it: what it takes to find one byte on each level."""

from typing import NamedTuple

from models.unix_stdio.parameters import PAGE, UnixParameters


class Level(NamedTuple):
    """*seconds* to get one byte that lies on the level *name*, and whether it survives a failure of the power."""

    name: str
    seconds: float
    survives: bool


def levels(parameters: UnixParameters) -> list[Level]:
    """From the fastest to the slowest; each is a cache of the next."""
    call = parameters.read_call + parameters.copy
    fill = parameters.read_call + PAGE * parameters.copy
    disc = parameters.read_request + PAGE * parameters.read_byte
    safe = parameters.write_request + PAGE * parameters.write_byte + parameters.flush
    return [
        Level("buffer of stdio", parameters.library_call, False),
        Level("page cache, by a system call", call, False),
        Level("page cache, by a buffer filled for it", parameters.library_call + fill, False),
        Level("disc", disc + call, True),
        Level("disc, a byte to be written there", safe + parameters.write_call, True),
    ]
