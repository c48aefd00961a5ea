"""One section of a drive sheet: the values of its keys, or a UserError with the key and its rule."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches

from sim.disc.sheet_file.plain_yaml import Value, shown
from sim.error import UserError, unknown


class SheetSection:
    """The keys and values at *where*, a file and the way to the section in it."""

    def __init__(self, where: str, values: Mapping[str, Value]) -> None:
        self.where = where
        self.values = values
        self._known: tuple[str, ...] = ()

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def wrong(self, key: str, rule: str) -> UserError:
        return UserError(f"{self._at(key)}: {rule}, not {shown(self.values.get(key))}")

    def _at(self, key: str) -> str:
        return f"{self.where}.{key if key.isprintable() and len(key) < 60 else shown(key)}"

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Prefix a UserError raised inside with the place of this section, unless it has it."""
        try:
            yield
        except UserError as error:
            text = str(error)
            raise UserError(text if text.startswith(self.where) else f"{self.where}: {text}") from None

    def check_keys(self, *keys: str) -> None:
        """UserError where a key looks like a misspelling of one of *keys* that is missing; other keys are ignored."""
        self._known = keys
        missing = [key for key in keys if key not in self.values]
        for key in self.values:
            if key not in keys and (near := get_close_matches(key.lower(), missing, 1, 0.8)):
                raise UserError(f"{self.where}: {unknown('key', key, near)}")

    def check_needed(self, *keys: str, template: str = "--template") -> None:
        """UserError with all of *keys* that are missing, if they are several; one is named where it is read."""
        missing = [key for key in keys if key not in self.values]
        if len(missing) > 1:
            raise UserError(f"{self.where}: there is no {', '.join(missing)}; spindle drive {template} explains them")

    def _at_key(self, key: str) -> Value:
        if key not in self.values:
            strange = [name.lower() for name in self.values if name not in self._known]
            near = get_close_matches(key, strange, 1, 0.6)
            raise UserError(f"{self.where}: there is no {key}" + (f"; is {near[0]!r} meant for it?" if near else ""))
        return self.values[key]

    def whole(self, key: str, low: int, high: int) -> int:
        return self._whole(key, self._at_key(key), low, high)

    def _whole(self, key: str, value: Value, low: int, high: int) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UserError(f"{self._at(key)}: must be a whole number from {low} to {high}, not {shown(value)}")
        return value

    def number(self, key: str, low: float, high: float, missing: float | None = None) -> float:
        """The number at *key*; *missing* where there is no such key, or nothing at it, and that may be."""
        if missing is not None and key not in self:
            return missing
        return self._number(key, self._at_key(key), low, high)

    def _number(self, key: str, value: Value, low: float, high: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise UserError(f"{self._at(key)}: must be a number from {low:g} to {high:g}, not {shown(value)}")
        return value

    def flag(self, key: str) -> bool:
        value = self._at_key(key)
        if not isinstance(value, bool):
            raise self.wrong(key, "must be true or false")
        return value

    def text(self, key: str) -> str:
        value = self._at_key(key)
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.wrong(key, "must be one line of text")
        return value

    def _list(self, key: str) -> list[Value]:
        value = self._at_key(key)
        if not isinstance(value, list):
            raise self.wrong(key, "must be a list")
        return value

    def wholes(self, key: str, low: int, high: int) -> tuple[int, ...]:
        return tuple(self._whole(f"{key}[{at}]", value, low, high) for at, value in enumerate(self._list(key)))

    def numbers(self, key: str, low: float, high: float) -> tuple[float, ...]:
        return tuple(self._number(f"{key}[{at}]", value, low, high) for at, value in enumerate(self._list(key)))

    def points(self, key: str, low: float, high: float) -> Iterator[tuple[int, float]]:
        """Pairs of a whole number and a number."""
        for at, value in enumerate(self._list(key)):
            if not isinstance(value, list) or len(value) != 2:
                raise UserError(f"{self.where}.{key}[{at}]: must be a pair of numbers, not {shown(value)}")
            name = f"{key}[{at}]"
            yield self._whole(name, value[0], 0, 1 << 31), self._number(name, value[1], low, high)

    def section(self, key: str) -> "SheetSection":
        value = self._at_key(key)
        if not isinstance(value, dict):
            raise self.wrong(key, "must have keys and values of its own")
        return SheetSection(f"{self.where}.{key}", value)

    def sections(self, key: str) -> Iterator["SheetSection"]:
        for at, value in enumerate(self._list(key)):
            if not isinstance(value, dict):
                raise UserError(f"{self.where}.{key}[{at}]: must have keys and values of its own, not {shown(value)}")
            yield SheetSection(f"{self.where}.{key}[{at}]", value)
