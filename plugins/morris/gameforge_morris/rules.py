"""Rules of Nine Men's Morris as a component, with the usual variants as settings."""

import attrs

from gameforge.interfaces import Board, Defaults, DrawRules, MoveIndices, PieceOdds, RulesFunctions, State, kinds
from gameforge.kernel import WordArray
from gameforge_morris import movegen, notation
from gameforge_morris.cells import CELLS, SYMMETRIES
from gameforge_morris.drawing import MorrisDrawing, board_view
from gameforge_morris.movegen import LEAST_MEN, SIDES, STATE_WORDS, WHITE, state_of, to_move
from gameforge_morris.notation import MorrisFiles, MorrisPositions

_MOST_PLIES = 1023
_MOST_MEN = 12
_MAN = PieceOdds(one="man", many="men", log_odds=0.65)
"""Measured with nine men and flying: README, "Scores in men"."""


@attrs.frozen(kw_only=True)
class Morris:
    """Nine Men's Morris: men are placed, then moved along lines; a mill removes one of the opponent's men.

    A man outside mills is removed before one in a mill, and two mills at once remove one man. A side with
    fewer than three men, those in hand counted, has lost, and so has one that cannot move. A game in which twelve men a
    side fill the board is drawn.

    * `men`: number of men of each side.
    * `diagonals`: whether four diagonals join the corners of the rings, as in twelve-men Morris and Morabaraba.
    * `lasker`: whether men may move while there are men in hand, as in Lasker Morris, which is played with ten men.
    * `flying`: whether a side with three men, none of them in hand, may move any of them to any free point.
    * `repetition`: a draw when a position with the same side to move occurs for the n-th time; counts as a loop.
    * `max_plies`: a draw after this many plies.
    """

    men: int = attrs.field(default=9, validator=kinds.count(LEAST_MEN, _MOST_MEN))
    diagonals: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    lasker: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    flying: bool = attrs.field(default=True, validator=attrs.validators.instance_of(bool))
    repetition: int = attrs.field(default=2, validator=kinds.count_or_off(2))
    max_plies: int = attrs.field(default=200, validator=kinds.count(1, _MOST_PLIES))

    name = "morris"
    sides = SIDES
    defaults = Defaults(player="strong", preset="morris", yardstick="weighted")
    notation = notation
    symmetries = SYMMETRIES
    cells = CELLS

    @property
    def reasons(self) -> tuple[str, ...]:
        full = ("full board",) if self.men == _MOST_MEN else ()
        return ("fewer than three men", "no legal move", *full)

    @property
    def drawing(self) -> MorrisDrawing:
        return MorrisDrawing(self.diagonals)

    @property
    def board(self) -> Board:
        return board_view(self.diagonals)

    @property
    def moves(self) -> MoveIndices:
        return movegen.move_indices(self._data)

    @property
    def _data(self) -> WordArray:
        return movegen.rules_data(self.flying, self.diagonals, self.lasker)

    @property
    def positions(self) -> MorrisPositions:
        return MorrisPositions(self.men, alternating=not self.lasker)

    @property
    def files(self) -> MorrisFiles:
        return MorrisFiles(self)

    @property
    def draws(self) -> DrawRules:
        return DrawRules(repetition=self.repetition, max_plies=self.max_plies, loops=("repetition",))

    def piece_odds(self, state: State) -> PieceOdds | None:
        """Return the odds of a man, the same in all positions; None unless the game is that of the measurement."""
        return _MAN if self == attrs.evolve(Morris(), repetition=self.repetition, max_plies=self.max_plies) else None

    def functions(self) -> RulesFunctions:
        return RulesFunctions(
            words=STATE_WORDS,
            max_moves=movegen.most_moves(self.men, self.diagonals, self.lasker),
            gen=movegen.gen,
            play=movegen.play,
            outcome=movegen.outcome,
            irreversible=movegen.irreversible,
            retracts=movegen.retracts,
            noisy=movegen.noisy,
            data=self._data,
        )

    def initial(self) -> State:
        return state_of(0, 0, 2 * self.men, WHITE)

    def side_to_move(self, state: State) -> int:
        return to_move(state)
