"""Rules of Othello as a component."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge.interfaces.games import Opening, StoredGame
from gameforge.interfaces.rules import DrawRules, RulesFunctions, State
from gameforge_othello import movegen
from gameforge_othello.board import SIDES, SQUARES, START, STATE_WORDS, to_move
from gameforge_othello.drawing import svg
from gameforge_othello.files import read_text, stored_text
from gameforge_othello.notation import move_text, parse_move
from gameforge_othello.openings import SET_NAMES, openings
from gameforge_othello.picture import diagram
from gameforge_othello.positions import parse_position, position_text
from gameforge_othello.symmetries import SYMMETRIES, move_image, state_image
from gameforge_othello.wthor import SUFFIX, read_wthor


@attrs.frozen(kw_only=True)
class Othello:
    """Othello: a side that can place no disc passes; if neither can, the game is over and more discs win.

    `komi`: discs that are added to White's at the end (taken away if negative). 0 is the game. An odd
    number leaves no draws, which is how an exact score is found from wins and losses (`solve`).
    Empty squares count for the winner before the komi is added.
    """

    komi: int = attrs.field(default=0, validator=[attrs.validators.ge(-SQUARES), attrs.validators.le(SQUARES)])

    name = "othello"
    sides = SIDES
    reasons = ("no moves left",)
    preset = "othello"
    game_suffix = ".oth"
    opening_sets = SET_NAMES
    symmetries = SYMMETRIES
    default_player = "alphabeta:depth=8 + wpc + book"

    @property
    def draws(self) -> DrawRules:
        """No position occurs twice, and every game ends by itself."""
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

    def initial(self) -> State:
        return START

    def side_to_move(self, state: State) -> int:
        return to_move(state)

    def parse_position(self, text: str) -> State:
        return parse_position(text)

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

    def openings(self, name: str) -> Sequence[Opening]:
        return openings(name)

    def game_text(
        self, tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str
    ) -> str:
        return stored_text(self, StoredGame(tags=tags, start=start, moves=tuple(moves), winner=winner, reason=reason))

    def stored_text(self, game: StoredGame) -> str:
        return stored_text(self, game)

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[StoredGame]:
        """Games of a text file (game_files.py), or of the WTHOR archive where the name ends with .wtb."""
        if path.suffix.lower() == SUFFIX:
            return read_wthor(self, path, tolerant, notice)
        return read_text(self, path, tolerant, encoding, notice)
