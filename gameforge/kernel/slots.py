"""Indices into the blocks that the kernel shares with components: `control[slots.NODES]`, `out[slots.OUT_MOVE]`.

`Context` (context.py) and `GameWorkspace` (game.py) hold these blocks. An index "for each side" is that of the side
that moves at even plies; the entry of the other side follows it.
"""

STOP, NODES, DEPTH, ASKED, PROBES, HITS, BUDGET, LIMIT, ELSEWHERE = range(9)
"""Indices in `control`. STOP: any thread sets it to end the search. NODES: nodes of all searches so far. DEPTH: depth
that the last search completed, in plies. ASKED: time from which the next search measures its own (compile/clock.py), 0
for its start. PROBES, HITS: number of states on which oracles were consulted, and of those that they knew. BUDGET:
nanoseconds that a search may take, whatever its own time limit is; 0: its own limit applies. LIMIT: which limit ended
the last search, one of the values below. ELSEWHERE: nanoseconds of processor time that other threads and programs have
spent on the search."""
CONTROLS = 9
"""Length of `control`."""

BY_NONE, BY_DEPTH, BY_NODES, BY_SIMULATIONS, BY_TIME = range(5)
"""Values of control[LIMIT]. BY_NONE: the search was stopped, or it ended because the result is known."""

DRAW_REPETITION, DRAW_NO_PROGRESS, DRAW_MAX_PLIES, DRAW_SHUFFLE = range(4)
"""Indices in `draws`, the DrawRules."""

PLIES, SHUFFLES, START = 0, 1, 3
"""Indices in `counters`. PLIES: plies of the game so far. SHUFFLES, for each side: number of its consecutive moves that
took back its previous move. START: key of the position in which the game began."""
COUNTERS = 4
"""Length of `counters`."""

HISTORY_LENGTH = 0
"""Index in `history` of the number of keys, which follow."""

SEARCH_TIME, SEARCHES, PROCESSOR_TIME, TIME_LEFT, BASE_TIME, INCREMENT, MOVE_TIME, MEASURED = 0, 2, 4, 6, 8, 9, 10, 11
"""Indices in `clocks`, whose times are in nanoseconds. For each side: SEARCH_TIME and SEARCHES, the time of its
searches and their number; PROCESSOR_TIME, of the processor for its searches; TIME_LEFT, on its clock. For all games of
the workspace, the time control: BASE_TIME, on each clock at the start of a game, 0: there are no clocks; INCREMENT,
added after each search; MOVE_TIME, for each move, 0: not fixed. MEASURED: whether PROCESSOR_TIME is measured, which
costs two system calls for each search."""
CLOCKS = 12
"""Length of `clocks`."""

DEPTH_LIMIT = 0
"""Index in a searcher's `limits`; the other entries are up to the searcher."""

OUT_MOVE, OUT_NODES, OUT_LINE_LENGTH, OUT_LINE = range(4)
"""Indices in the `out` of a search; the moves of the line begin at OUT_LINE. Statistics follow (answer.py)."""
MAX_LINE = 125
"""Maximum length of a line that a search reports, in plies."""
STATISTICS = OUT_LINE + MAX_LINE
"""Index in `out` of the number of root moves with statistics. The statistics follow (answer.py): the move, its
visits, and its mean result (-1 to 1, for the side to move at the root)."""

PROBE_DISTANCE, PROBE_CONVERSION = range(2)
"""Indices in the `out` of a probe (abi.py)."""
PROBE_SCRATCH = 4
"""Index in the `out` of a probe at which the oracle's workspace begins."""
