"""Kinds of layers, by the name in a folder's form: what a kind must do, and the one list of all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from spindle.lab.verify import drives, loader, pagecache, serving
from spindle.lab.verify.point import EvidencePoint


class Predict(Protocol):
    """A prediction of one *case* of the *data*, by *settings* that a kind knows."""

    def __call__(self, data: Path, case: str, settings: Mapping[str, Any]) -> Iterable[EvidencePoint]: ...


@dataclass(frozen=True)
class LayerKind:
    """A kind of layer: how it predicts, and the names of all *quantities* of its points."""

    predict: Predict
    quantities: tuple[str, ...]


KINDS: Mapping[str, LayerKind] = {
    "fio": LayerKind(drives.predict_drives, drives.QUANTITIES_OF_DRIVES),
    "loader": LayerKind(loader.predict_loaders, loader.QUANTITIES_OF_LOADERS),
    "pagecache": LayerKind(pagecache.predict_pipelines, pagecache.QUANTITIES_OF_PIPELINES),
    "serving": LayerKind(serving.predict_serving, serving.QUANTITIES_OF_SERVING),
}
