"""States of learners as attrs classes: packed for a checkpoint, and unpacked from one with every type checked.

A field whose type is an array is saved as an array, a dict from integers to arrays as one array for each key, such as
`generation 3`, and every other field as JSON, which may hold lists, dicts and attrs classes. A field that may be None
is not saved while it is.
"""

import contextlib
import copy
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union, get_args, get_origin

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.config import strictly
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState, finite_floats

if TYPE_CHECKING:
    Field: TypeAlias = attrs.Attribute[Any]

T = TypeVar("T")
Array: TypeAlias = NDArray[Any]
"""An array of any type and shape."""
Size: TypeAlias = str | int | None
"""A dimension of an array: a number, the name of one that `unpack` is given, or any."""
_NAME, _SHAPE = "saved as", "shape"
_ALIKE = {"i": "iu", "u": "iu"}
"""Kinds of numbers that an array of each kind may hold."""


def kept(*shape: Size, name: str | None = None) -> Mapping[str, Any]:
    """Return the metadata of a field: the shape of its array or arrays, and its name in the checkpoint.

    Without a shape, an array has one dimension of any length.
    """
    return {_SHAPE: shape or (None,)} | ({} if name is None else {_NAME: name})


def pack(state: "attrs.AttrsInstance") -> LearnerState:
    """Return a copy of the state, for a checkpoint."""
    arrays: dict[str, Array] = {}
    values: dict[str, Any] = {}
    for field in _fields(type(state)):
        name, value = _name(field), getattr(state, field.name)
        if value is None:
            continue
        kind = _kind(field)
        if _is_array(kind):
            arrays[name] = np.array(value)
        elif _holds_arrays(kind):
            arrays |= {f"{name} {key}": np.array(array) for key, array in value.items()}
        else:
            values[name] = attrs.asdict(value) if attrs.has(type(value)) else copy.deepcopy(value)
    return LearnerState(arrays=arrays, values=values)


def unpack(cls: type[T], state: LearnerState, mismatch: str, **sizes: int) -> T:
    """Restore an instance of the class that `pack` saved.

    sizes: what the named dimensions of the arrays must be. Every integer is a count, 0 or more; floats are finite.
    Raises GameforgeError, which begins with `mismatch`, if anything is missing or is not of its type or shape.
    """
    with matching(mismatch):
        return cls(**{field.alias or field.name: _value(field, state, sizes) for field in _fields(cls)})


@contextlib.contextmanager
def matching(mismatch: str) -> Iterator[None]:
    """Let a ValueError of the block be a GameforgeError that begins with this sentence."""
    try:
        yield
    except ValueError as error:
        raise GameforgeError(f"{mismatch}: {error}") from error


def _value(field: "Field", state: LearnerState, sizes: Mapping[str, int]) -> Any:
    """The value of a field; ValueError if it is missing or of another type or shape."""
    name, kind, there = _name(field), _kind(field), state.values
    if _holds_arrays(kind):
        numbers = {key: key.removeprefix(f"{name} ") for key in state.arrays if key.startswith(f"{name} ")}
        if not all(number.isdecimal() for number in numbers.values()):
            raise ValueError(f"the arrays {name!r} are not numbered")
        own = get_args(kind)[1]
        return {int(number): _array(state, key, own, field, sizes) for key, number in numbers.items()}
    if _is_array(kind):
        there = state.arrays
    if name not in there:
        if kind is not field.type:  # it may be None
            return None
        raise ValueError(f"the {'array' if _is_array(kind) else 'value'} {name!r} is missing")
    if _is_array(kind):
        return _array(state, name, kind, field, sizes)
    value = strictly(there[name], kind, name)
    if kind is int and value < 0:
        raise ValueError(f"{name} = {value}: must be 0 or more")
    return value


def _array(state: LearnerState, name: str, kind: Any, field: "Field", sizes: Mapping[str, int]) -> Array:
    """A copy of an array; ValueError unless its numbers and its shape are those of the field."""
    array = state.arrays[name]
    shape = tuple(sizes[size] if isinstance(size, str) else size for size in field.metadata.get(_SHAPE, (None,)))
    if len(shape) != array.ndim or any(
        size not in (None, found) for size, found in zip(shape, array.shape, strict=True)
    ):
        expected = ", ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"the array {name!r}: expected the shape ({expected}), got {array.shape}")
    (wanted,) = get_args(get_args(kind)[1])
    if wanted is np.float32:
        try:
            return finite_floats(array, array.shape)
        except ValueError as error:
            raise ValueError(f"the array {name!r}: {error}") from error
    if wanted is not Any and array.dtype.kind not in _ALIKE.get(np.dtype(wanted).kind, np.dtype(wanted).kind):
        raise ValueError(f"the array {name!r}: expected values of type {np.dtype(wanted)}, got {array.dtype}")
    return array.copy()


def _fields(cls: type) -> "tuple[Field, ...]":
    """The fields, with their types resolved."""
    fields: tuple[Field, ...] = attrs.fields(attrs.resolve_types(cls))
    return fields


def _name(field: "Field") -> str:
    name: str = field.metadata.get(_NAME, field.name)
    return name


def _kind(field: "Field") -> Any:
    """The type of a field that is not None."""
    kind: Any = field.type
    if get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind):
        (kind,) = (option for option in get_args(kind) if option is not NoneType)
    return kind


def _is_array(kind: object) -> bool:
    return get_origin(kind) is np.ndarray


def _holds_arrays(kind: object) -> bool:
    return get_origin(kind) is dict and _is_array(get_args(kind)[1])
