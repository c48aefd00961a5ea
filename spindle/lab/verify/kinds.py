"""Lists the kinds of layers that can be verified, by name: how each predicts a case, and its quantities."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from spindle.lab.verify import drives, loader, pagecache, serving
from spindle.lab.verify.point import EvidencePoint


class Predict(Protocol):
    """A function that predicts one *case* of the folder *data*; *settings* are defined by the kind."""

    def __call__(self, data: Path, case: str, settings: Mapping[str, Any]) -> Iterable[EvidencePoint]: ...


@dataclass(frozen=True)
class LayerKind:
    """A kind of layer: the function that predicts a case, and the names of all *quantities* of its points."""

    predict: Predict
    quantities: tuple[str, ...]


LAYER_KINDS: Mapping[str, LayerKind] = {
    "fio": LayerKind(drives.predict_drives, drives.QUANTITIES_OF_DRIVES),
    "loader": LayerKind(loader.predict_loaders, loader.QUANTITIES_OF_LOADERS),
    "pagecache": LayerKind(pagecache.predict_pipelines, pagecache.QUANTITIES_OF_PIPELINES),
    "serving": LayerKind(serving.predict_serving, serving.QUANTITIES_OF_SERVING),
}
