"""Rules of English draughts (WCDF), with draws and loops as settings."""

import attrs

from gameforge.interfaces import Defaults, DrawRules, PieceOdds, RulesFunctions, State, kinds
from gameforge_draughts import movegen, notation
from gameforge_draughts.cells import CELLS, SYMMETRIES
from gameforge_draughts.drawing import BOARD_VIEW, DRAWING
from gameforge_draughts.english_pdn import EnglishPdn
from gameforge_draughts.files import DraughtsFiles
from gameforge_draughts.movegen import SIDES, START, STATE_WORDS, to_move
from gameforge_draughts.openings import DraughtsOpenings

_MOST_PLIES = 1023
_MAN = PieceOdds(one="man", many="men", log_odds=0.94)
"""Measured: README, "Scores in men"."""


@attrs.frozen(kw_only=True)
class Draughts:
    """English draughts: a side that cannot move loses. The settings determine when a game is drawn.

    * `repetition`: a position with the same side to move occurs for the n-th time (WCDF: 3).
    * `no_progress`: n plies pass without a capture or a move of a man. The 40-move rule of the WCDF counts 40 moves of
      each side, which are 80 plies.
    * `max_plies`: the game has n plies.
    * `shuffle`: each side has taken back its own previous move n times in a row. A public descendant of LS-Draughts'
      program counts loops in this way, from 3 on.

    0 switches a rule off, except `max_plies`, so that every game ends. Draws for the reasons `repetition` and `shuffle`
    are loop draws, the others are not.
    """

    repetition: int = attrs.field(default=3, validator=kinds.count_or_off(2))
    no_progress: int = attrs.field(default=80, validator=kinds.count_or_off())
    max_plies: int = attrs.field(default=300, validator=kinds.count(1, _MOST_PLIES))
    shuffle: int = attrs.field(default=3, validator=kinds.count_or_off())

    name = "draughts"
    sides = SIDES
    reasons = ("no legal move",)
    defaults = Defaults(player="strong", preset="draughts", yardstick="material")
    notation = notation
    positions = notation
    drawing = DRAWING
    symmetries = SYMMETRIES
    cells = CELLS
    moves = movegen.MOVES
    board = BOARD_VIEW
    dialects = notation

    @property
    def pdn(self) -> EnglishPdn:
        """How PDN files hold these games."""
        return EnglishPdn(self)

    @property
    def files(self) -> DraughtsFiles:
        return DraughtsFiles(self.pdn)

    @property
    def openings(self) -> DraughtsOpenings:
        return DraughtsOpenings(self)

    @property
    def draws(self) -> DrawRules:
        return DrawRules(
            repetition=self.repetition,
            no_progress=self.no_progress,
            max_plies=self.max_plies,
            shuffle=self.shuffle,
            loops=("repetition", "shuffle"),
        )

    def functions(self) -> RulesFunctions:
        return RulesFunctions(
            words=STATE_WORDS,
            max_moves=movegen.MAX_MOVES,
            gen=movegen.gen,
            play=movegen.play,
            outcome=movegen.outcome,
            irreversible=movegen.irreversible,
            retracts=movegen.retracts,
            noisy=movegen.noisy,
            ended=movegen.ended,
        )

    def initial(self) -> State:
        return START

    def side_to_move(self, state: State) -> int:
        return to_move(state)

    def piece_odds(self, state: State) -> PieceOdds:
        """Return the odds of a man, which are the same in all positions."""
        return _MAN

    def material(self, state: State) -> tuple[float, float]:
        """Return the material of Black and of White: 2 points per man, 3 per king ([Lynch1997], section 7)."""
        own, opp, kings = state
        worth = [2.0 * side.bit_count() + (side & kings).bit_count() for side in (own, opp)]
        return (worth[1], worth[0]) if to_move(state) else (worth[0], worth[1])
