"""Values as text, and few of many values, by hand."""

from spindle.output.text import thin_out


def test_of_many_values_some_are_taken_evenly_with_both_ends() -> None:
    assert thin_out(range(10), 4) == [0, 3, 6, 9]
    assert thin_out("abcdefg", 3) == ["a", "d", "g"]
    assert [thin_out("abc", most) for most in (2, 3, 9)] == [["a", "c"], ["a", "b", "c"], ["a", "b", "c"]]
