"""What files hold, read strictly: JSON as attrs classes, NumPy arrays, names of files beside a manifest.

A checksum proves that a file is as it was written, not that its content makes sense; both are checked.
"""

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from gameforge.config import structure
from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")
_SHOWN = 40
"""Characters of a name that a message shows."""


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; ValueError for anything else, also for values nested too deeply to read."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None


def read_as(kind: type[T], content: Any) -> T:
    """Read parsed JSON as an attrs class, whose types and validators are strict; further keys are ignored.

    Raises GameforgeError that names the key, its value and what is allowed.
    """
    if not isinstance(content, Mapping):
        raise GameforgeError(f"expected an object with keys, got {type(content).__name__}")
    fields = attrs.fields(kind)  # type: ignore[arg-type]
    names = {field.alias for field in fields}
    return structure(kind, {key: value for key, value in content.items() if key in names})


def file_name(instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    """Validator: the plain name of a file in the folder of the manifest that names it."""
    if value in ("", ".", "..") or any(character in value for character in "/\\:\0") or not value.isprintable():
        raise ValueError(f"'{attribute.name}' must be the name of a file in this folder: {value[:_SHOWN]!r}")


def read_arrays(data: bytes) -> "dict[str, NDArray[Any]]":
    """Read the arrays of an .npz file; ValueError for anything else, pickled objects included."""
    import numpy as np

    if not data.startswith(b"PK"):
        raise ValueError("it is not an .npz file")
    return _loaded(lambda: dict(np.load(io.BytesIO(data), allow_pickle=False).items()))


def packed_arrays(arrays: "Mapping[str, NDArray[Any]]") -> bytes:
    """Return the content of an .npz file with these arrays, by name."""
    import numpy as np

    packed = io.BytesIO()
    try:
        np.savez(packed, **arrays)  # type: ignore[arg-type]  # the stub takes the arrays for allow_pickle
    except ValueError as error:
        # Ctrl-C may leave a member of the archive open; zipfile then raises this in place of the KeyboardInterrupt.
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    return packed.getvalue()


def read_array(path: Path, rows: int) -> "NDArray[Any]":
    """Map the array of an .npy file into memory, or read an empty one; ValueError for anything else.

    Raises OSError if the file cannot be read.
    """
    import numpy as np

    with path.open("rb") as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
            raise ValueError("it is not an .npy file")
    return _loaded(lambda: np.load(path, mmap_mode="r" if rows else None, allow_pickle=False))


def _loaded(load: Callable[[], T]) -> T:
    """Call a reader of numpy's; raises ValueError whatever it raises."""
    try:
        return load()
    except Exception as error:  # numpy and zipfile fail in many ways, from zlib.error to MemoryError
        raise ValueError(f"{type(error).__name__}: {error}") from error
