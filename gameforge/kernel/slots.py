"""Indices into the blocks that the kernel shares with components: `control[slots.NODES]`, `out[slots.OUT_MOVE]`.

`Context` (context.py) and `GameWorkspace` (game.py) say what each entry holds.
"""

STOP, NODES, DEPTH, ASKED, PROBES, HITS, BUDGET = range(7)
"""Indices in `control`."""
CONTROLS = 7
"""Length of `control`."""

DRAW_REPETITION, DRAW_NO_PROGRESS, DRAW_MAX_PLIES, DRAW_SHUFFLE = range(4)
"""Indices in `draws`."""

PLIES, SHUFFLES, START = 0, 1, 3
"""Indices in `counters`. SHUFFLES has an entry for each side."""
COUNTERS = 4
"""Length of `counters`."""

HISTORY_LENGTH = 0
"""Index in `history`; the keys follow."""

SEARCH_TIME, SEARCHES, TIME_LEFT, BASE_TIME, INCREMENT, MOVE_TIME = 0, 2, 4, 6, 7, 8
"""Indices in `clocks`. The first three have an entry for each side."""
CLOCKS = 9
"""Length of `clocks`."""

DEPTH_LIMIT = 0
"""Index in a searcher's `limits`; the other entries are up to the searcher."""

OUT_MOVE, OUT_NODES, OUT_LINE_LENGTH, OUT_LINE = range(4)
"""Indices in the `out` of a search; the moves of the line begin at OUT_LINE. Statistics follow (answer.py)."""

PROBE_DISTANCE, PROBE_CONVERSION = range(2)
"""Indices in the `out` of a probe (abi.py)."""
PROBE_SCRATCH = 4
"""Index in the `out` of a probe at which the oracle's workspace begins."""
