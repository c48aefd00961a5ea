"""The bytes of all commands under way: who wants more of them than there are left waits."""

import asyncio
from collections import deque


class PayloadRoom:
    """*capacity* bytes, given in the order of the requests, none of which is for more than all."""

    def __init__(self, capacity: int) -> None:
        self.free = capacity
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, length: int) -> None:
        if not length or (not self._waiting and length <= self.free):
            self.free -= length
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((length, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(length)
            raise

    def give_back(self, length: int) -> None:
        self.free += length
        while self._waiting and (self._waiting[0][1].done() or self._waiting[0][0] <= self.free):
            wanted, turn = self._waiting.popleft()
            if not turn.done():
                self.free -= wanted
                turn.set_result(None)
