"""Folders of examples from arrays."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gameforge_examples.folder import ExampleFolder, Examples, open_batch, row_type

from gameforge.play.game import Game


def write_examples(path: Path, game: Game, examples: Examples) -> ExampleFolder:
    """Write examples of any origin into a folder, without the matches that they come from.

    Does nothing if the folder holds them already. Raises GameforgeError if it holds anything else.
    """
    rows = np.zeros(len(examples), row_type(game.functions.words))
    columns: Sequence[tuple[str, Any]] = (
        ("state", examples.states),
        ("utility", examples.utilities),
        ("visits", examples.visits),
        ("test", examples.test),
    )
    for name, values in columns:
        rows[name] = values
    made = {"by": "arrays", "sha256": hashlib.sha256(rows.tobytes()).hexdigest()}
    with open_batch(ExampleFolder.new(path, game), made) as folder:
        return folder if folder.batches[-1].finished else folder.fill(rows, {})
