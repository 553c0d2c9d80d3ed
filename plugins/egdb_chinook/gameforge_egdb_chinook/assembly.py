"""From finished slices to files under their final names: data, index, and last the manifest."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gameforge.storage.atomic import write_atomically
from gameforge_egdb_chinook import manifest
from gameforge_egdb_chinook.encoder import index_record
from gameforge_egdb_chinook.layout import Place
from gameforge_egdb_chinook.target import Target

Records = list[dict[str, Any]]


def write_chinook(
    target: Target, places: Iterable[Place], records: Mapping[str, dict[str, Any]], codes_path: Path
) -> tuple[Records, Records]:
    """Data and index file; returns the manifest's records of the slices and of the files."""
    index = []
    found = []
    data = hashlib.sha256()
    end = 0
    temporary = codes_path.with_name("data")
    with codes_path.open("rb") as codes_file, temporary.open("wb") as file:
        for place in places:
            record = records.get(place.name)
            if record is None:  # no position has so many men on so few squares
                index.append(index_record(place.name, place.default, None, end))
                continue
            codes = _codes(codes_file, record["codes"])
            index.append(
                index_record(
                    place.name, record["default"], None if codes is None else np.frombuffer(codes, np.uint8), end
                )
            )
            codes = codes or b""
            file.write(codes)
            data.update(codes)
            shown = {key: value for key, value in record.items() if key not in ("codes", "size", "default")}
            checksum = hashlib.sha256(codes).hexdigest()
            found.append({**shown, "bytes": [end, end + len(codes)], "sha256": checksum})
            end += len(codes)
    lines = "".join(index).encode("ascii")
    write_atomically(target.index_path, lines)
    temporary.replace(target.data_path)
    return found, [
        {"name": target.data_path.name, "bytes": end, "sha256": data.hexdigest()},
        {"name": target.index_path.name, "bytes": len(lines), "sha256": hashlib.sha256(lines).hexdigest()},
    ]


def _codes(file: BinaryIO, span: list[int] | None) -> bytes | None:
    if span is None:
        return None
    file.seek(span[0])
    return file.read(span[1] - span[0])


def write_manifest(target: Target, positions: int, origin: str, files: Records, slices: Records) -> None:
    """The manifest (FORMAT.md): from here on the database is complete."""
    for file in files:  # what the manifest vouches for is on the disk
        with (target.folder / file["name"]).open("rb") as written:
            os.fsync(written.fileno())
    head = {
        "format": manifest.FORMAT,
        "version": manifest.VERSION,
        "game": "draughts",
        "metric": target.metric,
        "pieces": target.pieces,
        "positions": positions,
        "origin": origin,
        "files": files,
    }
    kept = [{key: value for key, value in record.items() if key not in ("codes", "size")} for record in slices]
    lines = [json.dumps(head, indent=1)[:-2] + ',\n "slices": [']
    lines.append(",\n".join("  " + json.dumps(record) for record in kept))
    write_atomically(target.manifest_path, "\n".join([*lines, " ]\n}\n"]).encode())
