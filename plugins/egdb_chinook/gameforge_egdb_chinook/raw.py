"""Look up the stored value of a position in Chinook's files, without any search."""

import numpy as np
from gameforge_draughts.positions import position_text

from gameforge.errors import NotCovered
from gameforge.interfaces.oracle import OracleFunctions, Verdict
from gameforge.kernel.abi import DRAW, LOSS, UNKNOWN, WIN
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.play.game import Position
from gameforge_egdb_chinook.captures import mover_can_capture, other_could_capture
from gameforge_egdb_chinook.probe import probe_raw

_VERDICTS = {WIN: Verdict("win"), LOSS: Verdict("loss"), DRAW: Verdict("draw")}


def raw_verdict(files: OracleFunctions, position: Position) -> Verdict:
    """The stored value of a position; `files` is an opened oracle that reads Chinook's files (path=DIR).

    Raises NotCovered, with the reason, if either side could capture (the files hold a filler there) or the files do
    not cover the position.
    """
    state = np.array(position.state, np.uint64)
    value = int(call(compiled_function("probe", probe_raw), files.data, state, np.zeros(4, np.uint64)))
    if value != UNKNOWN:
        return _VERDICTS[value]
    text = position_text(position.state)
    if mover_can_capture(state):
        raise NotCovered(f"{text}: the files hold no value because the side to move can capture; probe resolves it")
    if other_could_capture(state):
        raise NotCovered(
            f"{text}: the files hold no value because the other side threatens to capture; probe resolves it"
        )
    raise NotCovered(f"{text}: {files.why_not(position.state)}")
