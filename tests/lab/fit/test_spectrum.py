"""The spectrum of pairs by hand: every pair of skews is asked for, and tracks may be long."""

import time

import numpy as np
import pytest

from spindle.lab.fit.rotation import zone_spectrum

HEADS = 3


def test_each_height_is_the_mean_over_pairs() -> None:
    random = np.random.default_rng(1)
    ordinals, cylinders, phases = random.integers(-2, 3, 5), random.integers(-40, 40, 5), random.random(5)
    heights = zone_spectrum(7, HEADS, ordinals, cylinders, phases).heights()
    tracks = cylinders * (HEADS - 1) + ordinals
    for track in range(7):
        for cylinder in range(7):
            turns = phases - (track * tracks + cylinder * cylinders) / 7
            assert heights[track, cylinder] == pytest.approx(np.cos(2 * np.pi * turns).mean())


def test_parts_of_a_revolution_hold_the_highest_of_their_skews() -> None:
    random = np.random.default_rng(2)
    spectrum = zone_spectrum(8, HEADS, random.integers(-2, 3, 9), random.integers(-40, 40, 9), random.random(9))
    every = spectrum.heights()
    at = np.rint(np.arange(16) / 2).astype(int) % 8
    assert spectrum.coarse(16) == pytest.approx(every[np.ix_(at, at)])
    assert spectrum.coarse(4) == pytest.approx(np.maximum(every[::2, ::2], every[::2, 1::2]))


def test_a_track_of_thousands_of_sectors_takes_no_square_of_them() -> None:
    random = np.random.default_rng(3)
    ordinals, cylinders = random.integers(-2, 3, 300), random.integers(-400, 400, 300)
    phases = (250 * (cylinders * (HEADS - 1) + ordinals) + 401 * cylinders) / 4000
    begin = time.process_time()
    spectrum = zone_spectrum(4000, HEADS, ordinals, cylinders, phases)
    for _ in range(5):
        coarse = spectrum.coarse(360)
    assert time.process_time() - begin < 5.0
    assert divmod(int(np.argmax(coarse)), 360) == (pytest.approx(22.5, abs=2), pytest.approx(36, abs=2))
    assert spectrum.heights(np.array([250]))[0].argmax() == 401
