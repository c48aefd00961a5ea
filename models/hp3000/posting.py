"""What a logical write waits for: nothing (MPE's default), or its own post (CACHECONTROL BLOCKONWRITE)."""

from collections.abc import Callable
from typing import Protocol

from sim.account import Account
from sim.cache.posts import Posts
from sim.clock import Wait
from sim.request import Access, BlockDevice


class Posting(Protocol):
    def post(self, drive: BlockDevice, access: Access, done: Callable[[], None]) -> Wait:
        """Send the bytes of *access* to *drive*; *done* is called when they are on the medium."""
        ...


class PostBehind:
    """The process goes on after the copy; *posts* sends the writes in any order, or serially (Serial Write Queue)."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts
        self._account = Account("posts")

    def post(self, drive: BlockDevice, access: Access, done: Callable[[], None]) -> Wait:
        self._posts.post(drive, access._replace(account=self._account), done)
        return
        yield


class BlockOnWrite:
    """The process waits until its bytes are on the medium (McBride & Boles 1983, "Very Good Becomes Better")."""

    def post(self, drive: BlockDevice, access: Access, done: Callable[[], None]) -> Wait:
        yield from drive.write(access)
        done()
