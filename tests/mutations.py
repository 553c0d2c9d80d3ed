"""Mutations of files and of what they hold: bytes, text, JSON values, NumPy arrays. All are drawn from a seed."""

import io
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np

_NUMBERS = (0, 1, -1, 2, 3, 7, 255, 2**15, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**30)
_FLOATS = (0.5, -0.0, 1e-320, 1e39, -1e308, float("inf"), float("-inf"), float("nan"))
_TEXTS = (
    "",
    " ",
    "x",
    "0",
    "None",
    "../../x",
    "/etc/passwd",
    "a\x00b",
    "\x1b[31mred",
    "\u202eabc",
    "é" * 50,
    "9" * 5000,
)
_VALUES: tuple[Any, ...] = (None, True, False, *_NUMBERS, *_FLOATS, *_TEXTS, [], {}, [[]], [None], {"x": 1}, [1, 2])
_DIGITS = ("9" * 5000, "\u00b2", "\u0663", "1-" * 40)
"""Too many for Python, others that Python takes for digits, and what takes an age where a pattern is ambiguous."""
_DTYPES = ("?", "i1", "<i2", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "S3", "U3", "M8[s]", ">f4")
_TOKENS = b"0123456789-+*?!.,:;/\\|=#()[]{}<>\"' \t\r\nxXaWBKFen\x00\x1b\x80\xff"


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change, insert, remove, repeat or exchange some bytes, one to four times."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(_BYTES)(data, rng)
    return data


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 8, 30, 300)))


def _flipped(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[start:end]) + data[end:]


def _replaced(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + bytes(rng.choice(_TOKENS) for _ in range(end - start)) + data[end:]


def _inserted(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    new = rng.choice((rng.randbytes(end - start), bytes(rng.choice(_TOKENS) for _ in range(end - start))))
    return data[:start] + new + data[start:]


def _with_number(data: bytes, rng: random.Random) -> bytes:
    start, _ = _span(data, rng)
    end = start
    while end < len(data) and chr(data[end]).isalnum():
        end += 1
    return data[:start] + str(rng.choice((*_NUMBERS, *_FLOATS, *_DIGITS))).encode() + data[end:]


def _removed(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _repeated(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[start:end] * rng.choice((2, 3, 50)) + data[end:]


def _exchanged(data: bytes, rng: random.Random) -> bytes:
    (a, b), (c, d) = sorted((_span(data, rng), _span(data, rng)))
    return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _without_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flipped, _replaced, _inserted, _with_number, _removed, _repeated, _exchanged, _truncated, _without_line,
)  # fmt: skip


def mutated_value(value: Any, rng: random.Random) -> Any:
    """Replace, remove or repeat one entry somewhere in a JSON value."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        what = rng.random()
        if what < 0.1:
            return {name: entry for name, entry in value.items() if name != key}
        if what < 0.15:
            return {**value, rng.choice(_TEXTS): rng.choice(_VALUES)}
        return {**value, key: mutated_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        i = rng.randrange(len(value))
        what = rng.random()
        if what < 0.1:
            return value[:i] + value[i + 1 :]
        if what < 0.2:
            return [*value[:i], value[i], *value[i:]]
        return [*value[:i], mutated_value(value[i], rng), *value[i + 1 :]]
    if isinstance(value, int) and rng.random() < 0.4:
        return value + rng.choice((-1, 1, -7, 100))
    return rng.choice(_VALUES)


def mutated_json(data: bytes, rng: random.Random) -> bytes:
    """Mutate one entry of a JSON file, or of one line of a log; damaged JSON is mutated as bytes."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    for first, end in ((0, len(lines)), (i, i + 1)):
        try:
            value = json.loads(b"\n".join(lines[first:end]))
        except (ValueError, RecursionError):
            continue
        return b"\n".join([*lines[:first], json.dumps(mutated_value(value, rng)).encode(), *lines[end:]])
    return mutated_bytes(data, rng)


def mutated_array(array: Any, rng: random.Random) -> Any:
    """Change values, type or shape of an array."""
    what = rng.randrange(5)
    if what == 0:
        if array.dtype.kind == "U":  # few texts are numbers
            return np.array(rng.choice(_TEXTS))
        return array.astype(rng.choice(_DTYPES)) if array.dtype.names is None else array.view(np.uint8)
    if what == 1:
        return (
            array.reshape(rng.choice(((-1,), (1, -1), (-1, 1))))
            if rng.random() < 0.5
            else array.ravel()[:1].reshape(())
        )
    if what == 2:
        return array[: rng.randrange(len(array))] if array.ndim and len(array) else np.zeros(3, array.dtype)
    if what == 3:
        return np.concatenate([array, array]) if array.ndim else array
    flat = np.frombuffer(bytearray(array.tobytes()), np.uint8).copy()
    if flat.size == 0:
        return array
    if array.dtype.kind == "f" and rng.random() < 0.5:
        flat = flat.view(array.dtype)
        with np.errstate(over="ignore"):
            flat[rng.randrange(len(flat))] = rng.choice(_FLOATS)
        return flat.reshape(array.shape)
    for _ in range(rng.choice((1, 8))):
        flat[rng.randrange(len(flat))] = rng.choice((0, 1, 127, 128, 255))
    return flat.view(array.dtype).reshape(array.shape)


def mutated_arrays(arrays: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Mutate, remove or add one of the arrays of an .npz file."""
    if not arrays or rng.random() < 0.05:
        return {**arrays, rng.choice(("x", "weights", "generation 9")): np.zeros(2)}
    name = rng.choice(list(arrays))
    if rng.random() < 0.1:
        return {other: array for other, array in arrays.items() if other != name}
    if rng.random() < 0.1:
        return {**arrays, name: arrays[rng.choice(list(arrays))]}
    return {**arrays, name: mutated_array(arrays[name], rng)}


def mutated_npz(data: bytes, rng: random.Random) -> bytes:
    """Mutate one of the arrays of an .npz file; damaged files are mutated as bytes."""
    try:
        arrays = dict(np.load(io.BytesIO(data)).items())
    except Exception:
        return mutated_bytes(data, rng)
    buffer = io.BytesIO()
    np.savez(buffer, **mutated_arrays(arrays, rng))
    return buffer.getvalue()


def mutated_npy(data: bytes, rng: random.Random) -> bytes:
    """Mutate the array of an .npy file; damaged files are mutated as bytes."""
    try:
        array = np.load(io.BytesIO(data))
    except Exception:
        return mutated_bytes(data, rng)
    buffer = io.BytesIO()
    np.save(buffer, mutated_array(array, rng))
    return buffer.getvalue()


_KINDS = {".json": mutated_json, ".jsonl": mutated_json, ".npz": mutated_npz, ".npy": mutated_npy}


def mutated_file(name: str, data: bytes, rng: random.Random) -> bytes:
    """Mutate the content of a file: by its format, if its name says which it has, or as bytes."""
    by_format = next((kind for suffix, kind in _KINDS.items() if name.endswith(suffix)), mutated_bytes)
    return (by_format if rng.random() < 0.6 else mutated_bytes)(data, rng)
