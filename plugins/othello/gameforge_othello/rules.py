"""Rules of Othello as a component."""

import attrs

from gameforge.interfaces import Defaults, DrawRules, PieceOdds, RulesFunctions, State, kinds
from gameforge_othello import drawing, movegen, notation
from gameforge_othello.cells import CELLS, SYMMETRIES
from gameforge_othello.drawing import BOARD_VIEW
from gameforge_othello.files import OthelloFiles
from gameforge_othello.movegen import SIDES, SQUARES, START, STATE_WORDS, to_move
from gameforge_othello.notation import OthelloPositions
from gameforge_othello.openings import OthelloOpenings

_DISCS, _GROWTH = 0.089, 1.4
"""Discs of the expected final lead for one unit of the log-odds of winning with one empty square, and the power of the
number of empty squares by which they grow. Measured: README, "Scores in discs"."""


@attrs.frozen(kw_only=True)
class Othello:
    """Othello: a side that cannot place a disc passes. If neither side can, the one with more discs wins.

    komi: number of discs added to White's at the end; may be negative. 0 is the standard game. With an odd komi there
    are no draws, so that wins and losses yield the exact score (`solver.solve`). Empty squares go to the winner before
    the komi is added.
    """

    komi: int = attrs.field(default=0, validator=kinds.within(-SQUARES, SQUARES))
    """Discs that are added to White's at the end."""

    name = "othello"
    sides = SIDES
    reasons = ("no moves left",)
    defaults = Defaults(player="strong", preset="othello", yardstick="wpc")
    notation = notation
    drawing = drawing
    symmetries = SYMMETRIES
    cells = CELLS
    moves = movegen.MOVES
    board = BOARD_VIEW
    dialects = notation

    @property
    def positions(self) -> OthelloPositions:
        return OthelloPositions(self)

    @property
    def files(self) -> OthelloFiles:
        return OthelloFiles(self, self.komi)

    @property
    def openings(self) -> OthelloOpenings:
        return OthelloOpenings(self)

    @property
    def draws(self) -> DrawRules:
        """No draws by repetition or the like: no position occurs twice, and every game ends by the rules."""
        return DrawRules(max_plies=movegen.MAX_PLIES)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(
            words=STATE_WORDS,
            max_moves=movegen.MAX_MOVES,
            gen=movegen.gen,
            play=movegen.play,
            outcome=movegen.outcome,
            irreversible=movegen.irreversible,
            noisy=movegen.noisy,
            data=movegen.rules_block(self.komi),
        )

    def piece_odds(self, state: State) -> PieceOdds:
        """Return the odds of a disc of the final lead, komi included: the fuller the board, the more a disc decides."""
        empty = SQUARES - (state[0] | state[1]).bit_count()
        discs = _DISCS * max(1, empty) ** _GROWTH
        return PieceOdds(one="disc", many="discs", log_odds=1 / discs, most=SQUARES, decimals=0)

    def initial(self) -> State:
        return START

    def side_to_move(self, state: State) -> int:
        return to_move(state)
