"""Write the files of a finished build under their final names: data, index and, last, the manifest."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gameforge.retrograde.manifest import FORMAT, VERSION
from gameforge.storage.atomic import write_atomically
from gameforge_egdb_chinook.encoder import index_record
from gameforge_egdb_chinook.layout import Place
from gameforge_egdb_chinook.solved import SolvedSlice
from gameforge_egdb_chinook.target import Target

Records = list[dict[str, Any]]


def write_chinook(
    target: Target, places: Iterable[Place], solved: Mapping[str, SolvedSlice], codes_path: Path
) -> tuple[Records, Records]:
    """Write the data and index files. Returns the manifest's records of the slices and of the files.

    solved: the slices by name; their codes are in the file at `codes_path`.
    """
    index = []
    found = []
    data = hashlib.sha256()
    end = 0
    temporary = codes_path.with_name("data")
    with codes_path.open("rb") as codes_file, temporary.open("wb") as file:
        for place in places:
            one = solved.get(place.name)
            if one is None:  # an empty slice: its men do not fit on their rows
                index.append(index_record(place.name, place.default, None, end))
                continue
            assert one.default is not None, "Chinook's format has one for each slice"
            codes = _codes(codes_file, one.codes)
            words = None if codes is None else np.frombuffer(codes, np.uint8)
            index.append(index_record(place.name, one.default, words, end))
            codes = codes or b""
            file.write(codes)
            data.update(codes)
            checksum = hashlib.sha256(codes).hexdigest()
            found.append({**one.record(), "bytes": [end, end + len(codes)], "sha256": checksum})
            end += len(codes)
    lines = "".join(index).encode("ascii")
    write_atomically(target.index_path, lines)
    temporary.replace(target.data_path)
    return found, [
        {"name": target.data_path.name, "bytes": end, "sha256": data.hexdigest()},
        {"name": target.index_path.name, "bytes": len(lines), "sha256": hashlib.sha256(lines).hexdigest()},
    ]


def _codes(file: BinaryIO, span: tuple[int, int] | None) -> bytes | None:
    if span is None:
        return None
    file.seek(span[0])
    return file.read(span[1] - span[0])


def write_manifest(target: Target, positions: int, origin: str, files: Records, slices: Records) -> None:
    """Write the manifest (FORMAT.md), which marks the database as complete."""
    for file in files:  # the data must be on disk before a manifest vouches for it
        with (target.folder / file["name"]).open("rb") as written:
            os.fsync(written.fileno())
    head = {
        "format": FORMAT,
        "version": VERSION,
        "game": "draughts",
        "metric": target.metric,
        "pieces": target.pieces,
        "positions": positions,
        "origin": origin,
        "files": files,
    }
    lines = [json.dumps(head, indent=1)[:-2] + ',\n "slices": [']
    lines.append(",\n".join("  " + json.dumps(record) for record in slices))
    write_atomically(target.manifest_path, "\n".join([*lines, " ]\n}\n"]).encode())
