"""Openings of matches: random plies, balanced ones, sets of the game, files, databases, or given positions."""

import contextlib
import os.path
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from gameforge.arena.balanced import BALANCED, Balance, BalancedLines
from gameforge.config.outside import MOST_BYTES, read_file
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.games import Opening
from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Position
from gameforge.records.game_records import reads_file
from gameforge.records.tables import is_games_db
from gameforge.records.trace_files import game_files
from gameforge.storage.database import explained

if TYPE_CHECKING:
    import numpy as np

OPENING_PLIES = 4
"""Plies of `random` without a number."""
RANDOM = "random"
"""The name of random openings, such as `random:6`."""
_ATTEMPTS = 1000
"""Largest number of random games that are tried for one opening."""

Openings = int | str | Sequence[State | Position | Opening]
"""A number of random plies; `random:PLIES`, `balanced:PLIES`, a set of the game, a file, or `DATABASE:PLIES`; or
positions or openings, used in turn."""


def match_openings(game: Game, openings: Openings, pairs: int, seed: int) -> Sequence[Opening]:
    """Return one opening for each pair of games; a larger `pairs` only adds to them.

    Random and balanced openings are drawn when they are used; the latter are kept in the cache folder (balanced.py).
    Sets and files are shuffled by the seed and repeated when all openings are used. Raises GameforgeError for openings
    of another game, for unknown sets, and for lines that are illegal or end the game.
    """
    import numpy as np

    if isinstance(openings, _Lines) and len(openings) == pairs:
        return openings
    if isinstance(openings, str) and openings.partition(":")[0] == BALANCED:
        balance = Balance.parse(openings)

        def draw(rng: "np.random.Generator") -> Opening:
            return random_opening(game, balance.plies, rng)

        return _Lines(pairs, BalancedLines(game, balance, seed, draw).line)
    if isinstance(openings, str):
        found = _named(game, openings)
    elif isinstance(openings, int) and not isinstance(openings, bool):
        found = openings
    else:
        found = _given(game, openings)
    if isinstance(found, int):
        if found < 0:
            raise GameforgeError(f"openings = {found}: must be a number of random plies, 0 or more, or positions")
        plies = found

        def drawn(i: int) -> Opening:
            return random_opening(game, plies, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,))))

        drawn(0)  # raises if random games are too short
        return _Lines(pairs, drawn)
    order = np.random.default_rng(seed).permutation(len(found)) if isinstance(openings, str) else range(len(found))
    chosen = [found[int(i)] for i in order[:pairs]]
    for opening in chosen:
        _check(game, opening)
    return _Lines(pairs, lambda i: chosen[i % len(chosen)])


class _Lines(Sequence[Opening]):
    """Openings that are made when they are used: a match may be planned for more games than any memory holds."""

    def __init__(self, number: int, line: Callable[[int], Opening]) -> None:
        self._number, self._line = number, line

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, i: int) -> Opening: ...

    @overload
    def __getitem__(self, i: slice) -> Sequence[Opening]: ...

    def __getitem__(self, i: int | slice) -> Opening | Sequence[Opening]:
        if isinstance(i, slice):
            return [self._line(j) for j in range(*i.indices(self._number))]
        if not -self._number <= i < self._number:
            raise IndexError(i)
        return self._line(i % self._number)


def random_opening(game: Game, plies: int, rng: "np.random.Generator") -> Opening:
    """Play random moves from the initial position, such that the game is not over after them.

    Raises GameforgeError if random games do not last that long.
    """
    for _ in range(_ATTEMPTS):
        for moves, _ in game.random_game(rng):
            if len(moves) == plies:
                return Opening(f"{plies} random plies" if plies else "", game.rules.initial(), tuple(moves))
    raise GameforgeError(
        f"openings = {plies}: {_ATTEMPTS} random games of {game.rules.name} ended earlier; choose fewer plies"
    )


def usual_plies(game: Game) -> int:
    """Return OPENING_PLIES, or 0 if random games are too short for such openings."""
    try:
        match_openings(game, OPENING_PLIES, 1, 0)
    except GameforgeError:
        return 0
    return OPENING_PLIES


_PLIES = re.compile("[0-9]{1,9}")


def _named(game: Game, text: str) -> int | list[Opening]:
    """Resolve openings given as text: a number of random plies, or the openings of a set or file."""
    name, _, plies = text.partition(":")
    if name == RANDOM:
        if plies and not _PLIES.fullmatch(plies):
            raise GameforgeError(f"openings {text!r}: must be {RANDOM}:PLIES, for example {RANDOM}:{OPENING_PLIES}")
        return int(plies) if plies else OPENING_PLIES
    sets = () if game.openings is None else game.openings.names
    if game.openings is not None and text in sets:
        return list(game.openings.get(text))
    path = Path(text)
    if (found := _of_database(game, text)) is not None:
        return found
    if os.path.isfile(text):
        return list(_of_file(game, path))
    known = f"sets of {game.rules.name}: {', '.join(sets)}" if sets else f"{game.rules.name} has no sets"
    raise GameforgeError(
        f"openings {text!r}: no such set or file{near(text, [*sets, RANDOM, BALANCED])}; "
        f"must be {RANDOM}:PLIES, {BALANCED}:PLIES, a file, DATABASE:PLIES or a set ({known})"
    )


def _of_database(game: Game, text: str) -> list[Opening] | None:
    """Return the first moves of the games of a database, DATABASE or DATABASE:PLIES; None if the text names none."""
    name, _, plies = text.rpartition(":")
    path, length = (Path(name), int(plies)) if name and _PLIES.fullmatch(plies) else (Path(text), None)
    if not is_games_db(path):
        return None
    from gameforge.records.openings import OPENING_LENGTH, common_openings
    from gameforge.records.store import Store

    with contextlib.closing(Store.open(path, game)) as store, explained(path):
        return common_openings(store, OPENING_LENGTH if length is None else length)


def _of_file(game: Game, path: Path) -> Iterator[Opening]:
    """Read openings from a file of games or openings in the game's own format, or from a text file.

    A text file has one opening per line, as a position or as moves; `#` begins a comment.
    """
    files = game_files(game)
    if reads_file(game, path):
        for number, record in enumerate(files.read_games(path, notice=_refuse), 1):
            yield Opening(record.annotations.tags.get("Event") or f"{path.name} {number}", record.start, record.codes)
        return
    own = files.read_openings(path)
    if own is not None:
        yield from own
        return
    try:
        lines = read_file(path, MOST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise GameforgeError(f"openings {path}: cannot be read as text: {error}") from error
    found = 0
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text:
            found += 1
            yield _of_line(game, text, f"{path}, line {number}")
    if not found:
        raise GameforgeError(f"openings {path}: the file has no openings")


def _refuse(notice: str) -> None:
    raise GameforgeError(f"openings {notice}")


def _of_line(game: Game, text: str, where: str) -> Opening:
    """Read an opening of a file as `parse_opening` does; where: its place in the file, for errors."""
    try:
        return parse_opening(game, text)
    except GameforgeError as error:
        raise GameforgeError(f"openings {where}: {error}") from error


def parse_opening(game: Game, text: str) -> Opening:
    """Read an opening: moves from the initial position, one word each or all in one word, or a position.

    A text that is both is a line of moves, since a position has lost how it was reached, which some players must know.
    Raises GameforgeError if the text is neither.
    """
    moves, no_move = _moves_in(game, text)
    if no_move is None:
        return Opening(text, game.rules.initial(), tuple(moves))
    together = _moves_in_one_word(game, text)
    if together:
        return Opening(text, game.rules.initial(), tuple(together))
    try:
        return Opening(text, game.parse_position(text))
    except GameforgeError as no_position:
        because = str(no_move) if moves else f"{no_position}; {no_move}"
        raise GameforgeError(because) from no_move


_PASS = "pass"
"""The text of a move that lines may leave out if it is the only one."""


def _moves_in(game: Game, text: str) -> tuple[list[int], GameforgeError | None]:
    """Return the moves at the beginning of a text, and what is wrong with the first word that is not one."""
    state = game.rules.initial()
    moves: list[int] = []
    for word in text.split():
        if word.endswith(".") and word.rstrip(".").isdecimal():  # a move number
            continue
        if word.lower() != _PASS:
            state = _after_pass(game, state, moves)
        try:
            moves.append(game.parse_move(state, word, game.legal(state)))
        except GameforgeError as error:
            return moves, error
        state = game.play(state, moves[-1])
    return moves, None


def _moves_in_one_word(game: Game, text: str) -> list[int]:
    """Return the moves of a text such as `f5d6c3`; none if it is anything else."""
    state, rest = game.rules.initial(), text.lower()
    moves: list[int] = []
    while rest:
        if not rest.startswith(_PASS):
            state = _after_pass(game, state, moves)
        legal = game.legal(state)
        texts = {game.move_text(state, move, legal).lower(): move for move in legal}
        word = max((word for word in texts if rest.startswith(word)), key=len, default="")
        if not word:
            return []
        moves.append(texts[word])
        state, rest = game.play(state, texts[word]), rest[len(word) :]
    return moves


def _after_pass(game: Game, state: State, moves: list[int]) -> State:
    """Play the pass if it is the only move, and add it to the moves; otherwise return the state as it is."""
    legal = game.legal(state)
    if len(legal) != 1 or game.move_text(state, legal[0], legal) != _PASS:
        return state
    moves.append(legal[0])
    return game.play(state, legal[0])


def _given(game: Game, openings: object) -> list[Opening]:
    """Check and wrap openings that are given as objects."""
    entries = list(openings) if isinstance(openings, Sequence) else []
    found = [
        entry if isinstance(entry, Opening) else Opening("", entry.state if isinstance(entry, Position) else entry)
        for entry in entries
    ]
    if not found or not all(_fits(game, opening.start) for opening in found):
        raise GameforgeError(
            f"openings = {openings!r}: must be a number of random plies, or one or more positions of {game.rules.name}"
        )
    return found


def _fits(game: Game, state: object) -> bool:
    return (
        isinstance(state, tuple) and len(state) == game.functions.words and all(isinstance(word, int) for word in state)
    )


def _check(game: Game, opening: Opening) -> None:
    """Raise GameforgeError unless the line is legal and the game is not over after it."""
    name = f" {opening.name!r}" if opening.name else ""
    if len(opening.moves) >= game.rules.draws.max_plies:
        raise GameforgeError(
            f"openings: the line{name} has {len(opening.moves)} plies; "
            f"must have fewer than {game.rules.draws.max_plies}, after which a game is drawn"
        )
    state = opening.start
    for ply, move in enumerate(opening.moves, 1):
        if move not in game.legal(state):
            raise GameforgeError(f"openings: ply {ply} of the line{name} is not legal in {game.position_text(state)}")
        state = game.play(state, move)
    if game.code_after(opening.start, opening.moves):
        after = f" after the line{name}" if opening.moves else ""
        raise GameforgeError(f"openings: the game is over in {game.position_text(state)}{after}")
