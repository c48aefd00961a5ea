"""What the compiler is told about classes, written into a copy of the source."""

import ast

OPEN = "allow_interpreted_subclasses=True"
CLOSED = {"Enum", "IntEnum", "NamedTuple", "Protocol", "TypedDict"}
"""Bases of classes that the compiler leaves to Python."""


def opened(source: str) -> str:
    """*source* with every line where it was; its classes open to subclasses, or left to Python if described."""
    lines, body = source.splitlines(), ast.parse(source).body
    classes = [node for node in body if isinstance(node, ast.ClassDef)
               and not CLOSED & {each.id for each in node.bases if isinstance(each, ast.Name)}]  # fmt: skip
    for node in classes:
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        _fill(lines, first - 1, f"@mypyc_attr({'native_class=False' if _is_described(node) else OPEN})")
    if classes:
        _fill(lines, (body[0].end_lineno or 0) + 1, "from mypy_extensions import mypyc_attr")
    return "\n".join(lines) + "\n"


def _is_described(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(each) for each in node.decorator_list)


def _fill(lines: list[str], number: int, text: str) -> None:
    """Write *text* into line *number*, which is empty."""
    assert lines[number - 1] == "", f"line {number} is not empty: {lines[number - 1]}"
    lines[number - 1] = text
