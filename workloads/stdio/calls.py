"""The words of a program of buffered I/O: the call that it makes over and over, and how it opens its file."""

from enum import Enum, StrEnum

from sim.request import READ, WRITE, Op


class Layer(Enum):
    """Whom a program calls for each block."""

    CALLS = "system calls"
    STDIO = "stdio"


class StdioCall(StrEnum):
    """What a program calls for each block. With a stride it also calls lseek, or fseek, before each."""

    READ = "read"
    WRITE = "write"
    FREAD = "fread"
    FWRITE = "fwrite"

    @property
    def operation(self) -> Op:
        return READ if self in (StdioCall.READ, StdioCall.FREAD) else WRITE

    @property
    def layer(self) -> Layer:
        return Layer.STDIO if self in (StdioCall.FREAD, StdioCall.FWRITE) else Layer.CALLS


class Flag(StrEnum):
    """Of open(2), beside those of the access mode."""

    SYNC = "O_SYNC"
    DSYNC = "O_DSYNC"
    DIRECT = "O_DIRECT"


class Advice(StrEnum):
    """The advice to posix_fadvise on the whole file, right after it was opened."""

    NORMAL = "POSIX_FADV_NORMAL"
    SEQUENTIAL = "POSIX_FADV_SEQUENTIAL"
    RANDOM = "POSIX_FADV_RANDOM"
