"""The buffers of stdio as in the GNU C library: which system calls a call of the library becomes."""


class OutputBuffer:
    """What fwrite holds back. Large pieces go past the buffer, in whole multiples of it; the rest waits in it."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._putting = False
        self.held = 0

    def put(self, length: int) -> list[int]:
        """fwrite of *length* bytes: the bytes of each write(2) that it takes, in order.

        What fits goes into the buffer. If anything is left, the buffer is written, then whole buffers of the rest
        are, straight from the caller's memory. So one that is exactly full is written by the next call only.
        """
        room = self._capacity - self.held if self._putting else 0
        part = min(room, length)
        self.held += part
        length -= part
        if not length:
            return []
        writes = self.flush()
        self._putting = True
        past = length - length % self._capacity
        self.held = length - past
        return [*writes, past] if past else writes

    def silent(self, length: int) -> int:
        """How many more calls of *length* bytes need no system call."""
        return (self._capacity - self.held) // length if self._putting else 0

    def flush(self) -> list[int]:
        """fflush, and the first half of fseek and fclose."""
        writes = [self.held] if self.held else []
        self.held = 0
        return writes

    def seek(self) -> list[int]:
        """fseek: what is held is written, and the next call begins as the first did."""
        self._putting = False
        return self.flush()


class InputBuffer:
    """What fread has ahead of a file of *size* bytes: those from *start* to *end*, of which *position* is the next."""

    def __init__(self, capacity: int, size: int) -> None:
        self._capacity = capacity
        self._size = size
        self.start = self.end = self.position = 0

    def get(self, length: int) -> list[tuple[int, int]]:
        """fread of *length* bytes: the first byte and the bytes of each read(2) that it takes, in order.

        As much as a buffer or more is read past it, in whole multiples; less fills it.
        """
        reads: list[tuple[int, int]] = []
        goal = min(self.position + length, self._size)
        while True:
            self.position = max(self.position, min(goal, self.end))
            wanted = goal - self.position
            if not wanted:
                return reads
            past = wanted - wanted % self._capacity
            first = self.position
            many = min(past or self._capacity, self._size - first)
            reads.append((first, many))
            if past:
                self.position = self.start = self.end = first + many
            else:
                self.start, self.end = first, first + many

    def silent(self, length: int) -> int:
        """How many more calls of *length* bytes need no system call."""
        return (self.end - self.position) // length

    def seek(self, offset: int) -> list[tuple[int, int]]:
        """fseek to *offset*: the reads it takes, beside its lseek.

        Within the buffer it moves the pointer. Else it goes to the boundary before, and fills the buffer at once
        unless that is the offset itself.
        """
        if self.start <= offset < self.end:
            self.position = offset
            return []
        first = offset - offset % self._capacity
        self.start = self.end = self.position = offset
        if first == offset:
            return []
        self.start, self.end = first, min(first + self._capacity, self._size)
        return [(first, self.end - first)]
