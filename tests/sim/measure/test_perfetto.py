"""Tests Perfetto's encoding: bytes worked out by hand, and numbers read back by protobuf's rule."""

from io import BytesIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spindle.sim.measure.tracing.perfetto import PerfettoTrace, chunk, number, text, varint


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, "00"),
        (1, "01"),
        (127, "7f"),
        (128, "8001"),
        (300, "ac02"),
        ((1 << 28) - 1, "ffffff7f"),
        (1 << 28, "8080808001"),
        (-1, "ffffffffffffffffff01"),
        ((1 << 64) - 1, "ffffffffffffffffff01"),
    ],
)
def test_numbers_by_hand(value: int, encoded: str) -> None:
    assert varint(value).hex() == encoded


@given(st.integers(0, (1 << 64) - 1))
@example((1 << 42) - 1)
@example(1 << 42)
def test_numbers_are_read_back_and_none_is_longer_than_it_must_be(value: int) -> None:
    encoded = varint(value)
    assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(encoded)) == value
    assert [byte >> 7 for byte in encoded] == [1] * (len(encoded) - 1) + [0]
    assert len(encoded) == max(1, -(-value.bit_length() // 7))


def test_fields_by_hand() -> None:
    """A field is its number times eight and its wire type: 0 a number, 2 a length and bytes of that length."""
    assert number(1, 150).hex() == "089601"
    assert text(2, "testing").hex() == "12" + "07" + b"testing".hex()
    assert chunk(60, b"").hex() == "e203" + "00"
    assert text(2, "ä").hex() == "12" + "02" + "c3a4"


def test_a_trace_by_hand() -> None:
    file = BytesIO()
    trace = PerfettoTrace(file)
    group = trace.track("a")
    trace.counter("b", "bytes", group)
    trace.track("d", group)
    trace.counter("e", "requests")
    trace.begin(group, "c", 5, (("n", 1),))
    trace.end(group, 300)
    trace.value(2, 7, 200)
    assert file.getvalue().hex(" ") == " ".join([
        # packet, descriptor: uuid 1, name "a", children in explicit order
        "0a 0a e2 03 07 08 01 12 01 61 58 03",
        # packet, descriptor: uuid 2, name "b", a counter of unit 3, parent 1, rank 2
        "0a 12 e2 03 0f 08 02 12 01 62 42 02 18 03 28 01 60 02 58 03",
        # packet, descriptor: uuid 3, name "d", parent 1, rank 3
        "0a 0e e2 03 0b 08 03 12 01 64 28 01 60 03 58 03",
        # packet, descriptor: uuid 4, name "e", a counter of unit "requests", and no parent
        "0a 16 e2 03 13 08 04 12 01 65 42 0a 32 08 72 65 71 75 65 73 74 73 58 03",
        # packet, timestamp 5, sequence 1, event: type 1, track 1, name "c", annotation of name "n" and int 1
        "0a 15 40 05 50 01 5a 0f 48 01 58 01 ba 01 01 63 22 05 52 01 6e 20 01",
        # packet, timestamp 300, sequence 1, event: type 2, track 1
        "0a 0b 40 ac 02 50 01 5a 04 48 02 58 01",
        # packet, timestamp 7, sequence 1, event: type 4, track 2, value 200
        "0a 0e 40 07 50 01 5a 08 48 04 58 02 f0 01 c8 01",
    ])  # fmt: skip
