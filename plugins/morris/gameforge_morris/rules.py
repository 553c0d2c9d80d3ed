"""Rules of Nine Men's Morris as a component, with the usual variations as named settings."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np

from gameforge.config.validation import whole
from gameforge.interfaces.games import StoredGame
from gameforge.interfaces.rules import DrawRules, RulesFunctions, State
from gameforge_morris import movegen
from gameforge_morris.board import LEAST_MEN, SIDES, STATE_WORDS, WHITE, state_of, to_move
from gameforge_morris.drawing import svg
from gameforge_morris.files import SUFFIX, read_text, stored_text
from gameforge_morris.notation import move_text, parse_move
from gameforge_morris.picture import diagram
from gameforge_morris.positions import parse_position, position_text
from gameforge_morris.symmetries import SYMMETRIES, move_image, state_image

_MOST_PLIES = 1023


@attrs.frozen(kw_only=True)
class Morris:
    """Nine Men's Morris: men are placed, then moved along lines; a mill removes one of the opponent's men.

    A man outside mills is removed before one in a mill, and two mills at once remove one man. A side with
    fewer than three men, those in hand counted, has lost, and so has one that cannot move.

    * `men`: men of each side.
    * `flying`: a side with three men, none of them in hand, may move any of them to any free point.
    * `repetition`: a position with the same side to move occurs for the n-th time: a draw, and a loop.
    * `max_plies`: the longest game; a draw.
    """

    men: int = attrs.field(
        default=9, validator=whole(f"a whole number from 3 to {movegen.MOST_MEN}", LEAST_MEN, movegen.MOST_MEN)
    )
    flying: bool = attrs.field(default=True, validator=attrs.validators.instance_of(bool))
    repetition: int = attrs.field(default=2, validator=whole("0 (off) or a whole number from 2 on", 2, off=True))
    max_plies: int = attrs.field(
        default=200, validator=whole(f"a whole number from 1 to {_MOST_PLIES}", 1, _MOST_PLIES)
    )

    name = "morris"
    sides = SIDES
    reasons = ("fewer than three men", "no legal move")
    preset = "morris"
    symmetries = SYMMETRIES
    game_suffix = SUFFIX
    default_player = "alphabeta:depth=8 + weighted + endings:men=3"

    @property
    def draws(self) -> DrawRules:
        return DrawRules(repetition=self.repetition, max_plies=self.max_plies, loops=("repetition",))

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
            data=np.array([self.flying], np.uint64),
        )

    def initial(self) -> State:
        return state_of(0, 0, 2 * self.men, WHITE)

    def side_to_move(self, state: State) -> int:
        return to_move(state)

    def parse_position(self, text: str) -> State:
        return parse_position(text, self.men)

    def position_text(self, state: State) -> str:
        return position_text(state)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return move_text(move)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return parse_move(state, text, legal)

    def diagram(self, state: State) -> str:
        return diagram(state)

    def svg(self, state: State) -> str:
        return svg(state)

    def state_image(self, state: State, i: int) -> State:
        return state_image(state, i)

    def move_image(self, state: State, move: int, i: int) -> int:
        return move_image(move, i)

    def game_text(
        self, tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str
    ) -> str:
        return stored_text(self, StoredGame(tags=tags, start=start, moves=tuple(moves), winner=winner, reason=reason))

    def stored_text(self, game: StoredGame) -> str:
        return stored_text(self, game)

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[StoredGame]:
        return read_text(self, path, tolerant, encoding, notice)
