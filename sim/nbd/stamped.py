"""A stream that knows when its last bytes came, which is some time before the program gets to look at them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import SupportsIndex


class StampedReader(asyncio.StreamReader):
    """*stamp* is by the clock of the loop; 0 before anything came."""

    stamp = 0.0

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        self.stamp = asyncio.get_running_loop().time()
        super().feed_data(data)


Attend = Callable[[StampedReader, asyncio.StreamWriter], Awaitable[None]]
"""Converses with one client."""


def protocol_for(attend: Attend) -> Callable[[], asyncio.Protocol]:
    """What a loop's create_server wants: asyncio.start_server would give its own readers."""

    def make() -> asyncio.Protocol:
        reader = StampedReader()
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: attend(reader, writer))

    return make
