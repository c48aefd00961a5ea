"""What of a disc is taken: runs with room between them. Files that touch are one run, so that a full disc has few."""

from bisect import bisect_right


class Room:
    """A disc of *size* bytes, the first *reserved* of which are taken."""

    def __init__(self, size: int, reserved: int) -> None:
        self._size = size
        self._starts = [0]
        self._ends = [reserved]

    def take(self, wanted: int, length: int) -> int | None:
        """Take the first place of *length* bytes from *wanted* on, or failing that from the beginning of the disc."""
        index = bisect_right(self._starts, wanted)
        last = len(self._starts)
        for least, runs in ((wanted, range(index, last + 1)), (0, range(1, index + 1))):
            for behind in runs:
                first = max(self._ends[behind - 1], least)
                if first + length <= (self._starts[behind] if behind < last else self._size):
                    self._enter(behind, first, first + length)
                    return first
        return None

    def _enter(self, index: int, first: int, end: int) -> None:
        """Bytes *first* to *end* lie before run *index*, which they may touch, as they may the one before."""
        starts, ends = self._starts, self._ends
        touches_next = index < len(starts) and starts[index] == end
        if ends[index - 1] == first:
            ends[index - 1] = ends.pop(index) if touches_next else end
            del starts[index : index + touches_next]
        elif touches_next:
            starts[index] = first
        else:
            starts.insert(index, first)
            ends.insert(index, end)
