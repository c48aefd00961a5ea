"""Kinds of layers, by the name in a folder's form: what a kind must do, and the one list of all."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from spindle.lab.verify.point import EvidencePoint
from spindle.lab.verify.serving import serving


class Kind(Protocol):
    """A kind of layer: it predicts one *case* of the *data* by *settings* of its own."""

    def __call__(self, data: Path, case: str, settings: Mapping[str, Any]) -> Iterable[EvidencePoint]: ...


KINDS: Mapping[str, Kind] = {"serving": serving}
