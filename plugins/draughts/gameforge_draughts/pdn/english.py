"""English draughts in PDN files: moves are found and played in a kernel."""

import re
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules, State
from gameforge.kernel.context import Words
from gameforge_draughts import line, movegen
from gameforge_draughts.board import SQUARES, START, STATE_WORDS
from gameforge_draughts.notation import parse_move
from gameforge_draughts.pdn.draft import Doubtful, GameDraft, LineDraft, Wrong
from gameforge_draughts.pdn.games import PdnGame
from gameforge_draughts.pdn.resolve import resolve, written_move
from gameforge_draughts.positions import parse_position, position_text

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts: Black begins, 8x8, numbers, square 1 at the first mover's bottom right."""


class EnglishPdn(PdnGame):
    """English draughts."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, GAME_TYPE)
        self._states = np.zeros(2 * STATE_WORDS, np.uint64)
        self._moves = np.zeros(movegen.MAX_MOVES, np.uint64)

    def position_text(self, state: State) -> str:
        return position_text(state)

    def line_texts(self, start: State, moves: Sequence[int]) -> list[str]:
        return line.line_texts(start, moves)

    def line_end(self, start: State, moves: Sequence[int]) -> State:
        return line.line_end(start, moves)

    def position_of(self, draft: GameDraft, text: str, place: int) -> State:
        if not draft.is_ours and any(int(square) > SQUARES for square in re.findall("[0-9]{1,9}", text)):
            raise Doubtful(f"looks like another game: its FEN {text!r} has squares above {SQUARES}")
        try:
            return parse_position(text)
        except GameforgeError as error:
            raise Wrong(str(error), place) from None

    def moves_of(self, game: GameDraft, draft: LineDraft, start: State) -> tuple[int, ...]:
        texts = draft.texts
        written = [written_move(text) for text in texts]
        if 0 in written:
            self._refuse_squares(game, draft, written.index(0), start)
        words = np.array(written, np.uint64)
        played = np.empty(len(words), np.uint64)
        self._states[:STATE_WORDS] = start
        done = int(resolve(self._states, words, self._moves, played))
        while done < len(words):
            self._explain(game, draft, done, played)
            done += 1
            done += int(resolve(self._states, words[done:], self._moves, played[done:]))
        return tuple(played.tolist())

    def _refuse_squares(self, game: GameDraft, draft: LineDraft, i: int, start: State) -> NoReturn:
        """Report a move that names a square which the board does not have; a legal move before it proves the game."""
        begins = [written_move(text) for text in draft.texts[:i][:1]]
        self._states[:STATE_WORDS] = start
        is_ours = game.is_ours or draft is not game.lines[0]
        if is_ours or resolve(self._states, np.array(begins, np.uint64), self._moves, np.empty(1, np.uint64)):
            raise Wrong(f"{draft.texts[i]!r} names a square that is not one of 1 to {SQUARES}", draft.places[i])
        raise Doubtful(f"looks like another game: {draft.texts[i]!r} names a square that is not one of 1 to {SQUARES}")

    def _explain(self, game: GameDraft, draft: LineDraft, i: int, played: Words) -> None:
        """Play a move that the kernel did not understand, or raise what is wrong with it."""
        state: State = tuple(self._states[:STATE_WORDS].tolist())
        try:
            played[i] = parse_move(state, draft.texts[i], self.game.legal(state))
        except GameforgeError as error:
            self.refuse(game, draft, i, state, error)
        self._states[:STATE_WORDS] = self.game.play(state, int(played[i]))

    @property
    def start(self) -> State:
        return START
