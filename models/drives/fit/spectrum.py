"""How well pairs of reads of a zone agree on each track and cylinder skew: a Fourier transform in two dimensions."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Heights = npt.NDArray[np.float64]
Places = npt.NDArray[np.int_]


@dataclass(frozen=True)
class ZoneSpectrum:
    """The mean over *pairs* of exp(2 pi i (time - angle)), in a zone whose tracks have *size* sectors.

    A cylinder more is a cylinder skew and a track skew for each of its *heads* but one, in sum the step of a cylinder;
    what is left between two reads is fewer tracks than there are heads. So *sums*, a row for each number of these and a
    column for each step of whole sectors, hold all that the pairs say: a table as long as a track, and no more.
    """

    size: int
    heads: int
    pairs: int
    sums: npt.NDArray[np.complex128]

    def heights(self, tracks: Places | None = None) -> Heights:
        """A row for each track skew, of all or of *tracks*, and a column for each cylinder skew, in whole sectors."""
        every = np.arange(self.size)
        rows = every if tracks is None else tracks
        turns = np.exp(-2j * np.pi / self.size * np.outer(rows, np.arange(1 - self.heads, self.heads)))
        agreed = turns.real @ self.sums.real - turns.imag @ self.sums.imag
        steps = (rows[:, None] * (self.heads - 1) + every) % self.size
        return np.asarray(np.take_along_axis(agreed, steps, axis=1))

    def coarse(self, parts: int) -> Heights:
        """The same for so many *parts* of a revolution; of the cylinder skews in a part the highest."""
        at = np.rint(np.arange(parts) * self.size / parts).astype(int) % self.size
        tracks, back = np.unique(at, return_inverse=True)
        highest = np.maximum.reduceat(self.heights(tracks), tracks, axis=1)
        return np.asarray(highest[np.ix_(back, back)])


def zone_spectrum(size: int, heads: int, tracks: Places, cylinders: Places, phases: Heights) -> ZoneSpectrum:
    """Of pairs so many *tracks* of a cylinder and so many *cylinders* apart, and *phases* revolutions."""
    grid = np.zeros((2 * heads - 1, size), complex)
    np.add.at(grid, (tracks + heads - 1, cylinders % size), np.exp(2j * np.pi * phases))
    sums = np.asarray(np.fft.fft(grid, axis=1) / len(phases), np.complex128)  # NumPy's own types differ by its version
    return ZoneSpectrum(size, heads, len(phases), sums)
