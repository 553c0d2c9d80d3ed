"""Rules of English draughts (WCDF), with draws and loops as named settings."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from gameforge.config.validation import whole
from gameforge.interfaces.games import Opening, StoredGame, TrainingGame
from gameforge.interfaces.rules import DrawRules, RulesFunctions, State
from gameforge_draughts import movegen
from gameforge_draughts.board import SIDES, START, STATE_WORDS, to_move
from gameforge_draughts.diagram import diagram
from gameforge_draughts.drawing import svg
from gameforge_draughts.notation import move_text, parse_move
from gameforge_draughts.pdn.writer import stored_text
from gameforge_draughts.positions import fen, parse_fen
from gameforge_draughts.symmetries import SYMMETRIES, move_image, state_image

_MOST_PLIES = 1023


@attrs.frozen(kw_only=True)
class Draughts:
    """English draughts: a side that cannot move has lost; how a game is drawn is set here.

    * `repetition`: a position with the same side to move occurs for the n-th time (WCDF: 3).
    * `no_progress`: n plies without a capture or a move of a man. The 40-move rule of the WCDF
      counts 40 moves of each side, so 80 plies.
    * `max_plies`: the longest game.
    * `shuffle`: each side has taken back its own previous move n times running. A public
      descendant of LS-Draughts' program counts loops in this way, from 3 on.

    0 switches a rule off, except `max_plies`: every game ends. Draws for the reasons
    `repetition` and `shuffle` are loop draws, the others are not.
    """

    repetition: int = attrs.field(default=3, validator=whole("0 (off) or a whole number from 2 on", 2, off=True))
    no_progress: int = attrs.field(default=80, validator=whole("0 (off) or a whole number of plies", 1, off=True))
    max_plies: int = attrs.field(
        default=300, validator=whole(f"a whole number from 1 to {_MOST_PLIES}", 1, _MOST_PLIES)
    )
    shuffle: int = attrs.field(default=3, validator=whole("0 (off) or a whole number", 1, off=True))

    name = "draughts"
    sides = SIDES
    reasons = ("no legal move",)
    preset = "draughts"
    game_suffix = ".pdn"
    default_player = "alphabeta:depth=13 + material + chinook:pieces=4 + book"
    symmetries = SYMMETRIES

    opening_sets = ("3move", "2move", "11man", "named", "kim-cho")

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
        )

    def initial(self) -> State:
        return START

    def side_to_move(self, state: State) -> int:
        return to_move(state)

    def parse_position(self, text: str) -> State:
        return parse_fen(text)

    def position_text(self, state: State) -> str:
        return fen(state)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return move_text(move, legal)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return parse_move(state, text, legal)

    def state_image(self, state: State, i: int) -> State:
        return state_image(state, i)

    def move_image(self, state: State, move: int, i: int) -> int:
        return move_image(move, i)

    def diagram(self, state: State) -> str:
        return diagram(state)

    def svg(self, state: State) -> str:
        return svg(state)

    def game_text(
        self, tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str
    ) -> str:
        game = StoredGame(tags=tags, start=start, moves=tuple(moves), winner=winner, reason=reason)
        return stored_text(game)

    def stored_text(self, game: StoredGame) -> str:
        return stored_text(game)

    def material(self, state: State) -> tuple[float, float]:
        """Material of Black and of White: 2 points a man, 3 a king ([Lynch1997], section 7)."""
        own, opp, kings = state
        worth = [2.0 * side.bit_count() + (side & kings).bit_count() for side in (own, opp)]
        return (worth[1], worth[0]) if to_move(state) else (worth[0], worth[1])

    def openings(self, name: str) -> Sequence[Opening]:
        from gameforge_draughts.openings import openings

        return openings(self, name)

    def opening_file(self, path: Path) -> Sequence[Opening] | None:
        from gameforge_draughts.neurodraughts.board_file import board_openings, is_board_file

        return board_openings(path) if is_board_file(path) else None

    def training_games(self, path: Path) -> Iterator[TrainingGame]:
        from gameforge_draughts.neurodraughts.training_file import read_training_games

        return read_training_games(path)

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[StoredGame]:
        from gameforge_draughts.pdn.files import open_pdn
        from gameforge_draughts.pdn.notes import to_stored
        from gameforge_draughts.pdn.reader import Reader

        with open_pdn(path, encoding) as stream:
            yield from map(to_stored, Reader(self, stream, str(path), notice, tolerant))
