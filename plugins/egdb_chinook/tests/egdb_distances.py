"""Compute plies to the end by plain iteration, and write files of distances as FORMAT.md describes them."""

import hashlib
import json
import struct
from pathlib import Path

import numpy as np
from gameforge_draughts import movegen
from gameforge_draughts.movegen import BOARD, STATE_WORDS
from gameforge_egdb_chinook.indexing import set_up, state_index
from gameforge_egdb_chinook.slices import positions, slices, tables
from gameforge_retrograde.indexer import ByteArray

from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline, kernel
from gameforge.kernel.types import Word, WordArray

_0, _1 = np.uint64(0), np.uint64(1)
_WORDS, _MOVES = np.uint64(STATE_WORDS), np.uint64(2 * STATE_WORDS)
_gen, _play = inline(movegen.gen), inline(movegen.play)


@kernel
def _ending_after(plies: int, t: WordArray, number: Word, first: Word, end: Word, found: ByteArray) -> int:
    """Write 1 + plies for each position first..end-1 that ends after exactly `plies`; returns their number.

    All positions that end earlier must have been written.
    """
    od = at(t, _0)
    space = np.empty(2 * STATE_WORDS + movegen.MAX_MOVES, np.uint64)
    s, child, moves = at(space, _0), at(space, _WORDS), at(space, _MOVES)
    count = 0
    index = first
    while index < end:
        if found[index] == 0:
            set_up(od, number, index, s)
            won, lost = False, True
            for i in range(_gen(s, s, moves)):
                _play(s, s, moves[i], child)
                byte = 1
                if child[0] != _0:
                    byte = np.int64(found[state_index(od, child[0], child[1], child[2] & BOARD, _1)])
                won |= byte == plies
                lost &= byte != 0 and byte <= plies and byte % 2 == 0
            if won if plies % 2 else lost:
                found[index] = plies + 1
                count += 1
        index += _1
    return count


def plies_to_the_end(pieces: int) -> ByteArray:
    """1 + plies to the end with best play from both sides, 0 for a draw, for every position, Black to move."""
    found = np.zeros(positions(pieces), np.uint8)
    t = tables(pieces)
    plies, quiet = 0, 0
    while quiet < 2:
        spans = [(np.uint64(n), np.uint64(s.start), np.uint64(s.start + s.size)) for n, s in enumerate(slices(pieces))]
        quiet = 0 if sum(_ending_after(plies, t, *span, found) for span in spans) else quiet + 1
        plies += 1
    return found


def write_distances(folder: Path, pieces: int, found: ByteArray, metric: str = "dtw") -> Path:
    """Write a data file and its manifest; returns the path of the manifest."""
    content = struct.pack("<8sIIQ8s16s", b"GFEGDIST", 1, pieces, len(found), metric.encode(), b"draughts")
    content = content.ljust(4096, b"\0") + found.tobytes() + bytes(-len(found) % 8)
    (folder / f"{metric}{pieces}.egdb").write_bytes(content)
    kept = {"name": f"{metric}{pieces}.egdb", "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest = {
        "format": "gameforge egdb",
        "version": 1,
        "game": "draughts",
        "metric": metric,
        "pieces": pieces,
        "positions": len(found),
        "origin": "a test",
        "files": [kept],
        "slices": [],
    }
    path = folder / f"{metric}{pieces}.json"
    path.write_text(json.dumps(manifest))
    return path
