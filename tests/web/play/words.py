"""Reads the words behind # of the page's address in Python, as request.js does."""

from typing import Any
from urllib.parse import parse_qsl


def read(words: str) -> dict[str, Any]:
    """The request that *words* mean."""
    system, _, query = words.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    vary, values = given.pop("vary", ""), given.pop("values", "")
    return {"system": system, "given": given, "vary": vary, "values": values.split(",") if vary else []}
