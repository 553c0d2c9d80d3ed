"""Find games of a database: by their headers, by a position, or by a pattern of cells."""

import re
from collections.abc import Iterator, Sequence

import attrs
import numpy as np

from gameforge.errors import GameforgeError, near
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import State
from gameforge.play.game import Game
from gameforge.records.index import Sighting
from gameforge.records.replays import CellPattern, cell_pattern
from gameforge.records.store import BATCH, Store, StoredGame
from gameforge.records.tables import DRAWN, NOT_FINISHED

_FIRST = 50
"""Number of games that are looked at first, so that the first ones found come at once."""
_DATE = re.compile(r"[0-9]{4}([.](0[1-9]|1[0-2])([.](0[1-9]|[12][0-9]|3[01]))?)?")
"""A date of a query: those of games are compared with it as texts."""


@attrs.frozen(kw_only=True)
class Query:
    """What games must have; a game must have all that is given."""

    player: str = ""
    """Part of the name of either player; upper and lower case are alike."""
    result: str = ""
    """A side that won, such as `white`; `draw` or `unfinished`; or `win` or `loss` of the player."""
    opening: str = ""
    """The moves with which the game begins, the name of an opening of the game's sets, or part of its tag Opening."""
    position: State | None = None
    """A position that occurs."""
    pattern: str = ""
    """Cells that occur at once, seen from the side to move, such as `own man: c3 e3, empty: d4`."""
    since: str = ""
    """The earliest date, such as `1998` or `1998.05.12`; a game without a date is left out."""
    until: str = ""
    """The latest date, such as `1998`, which includes that whole year; a game without a date is left out."""
    event: str = ""
    """Part of the event; upper and lower case are alike."""
    after: int = 0
    """Games up to this number are left out."""
    symmetries: bool = False
    """Whether the images of the position under the game's symmetries count as well."""


@attrs.frozen(kw_only=True)
class Found:
    """A game of a database."""

    record: GameRecord
    """The game; its number is that in the database."""
    ply: int | None = None
    """Number of moves before the position or pattern first occurs; None if neither was looked for."""


@attrs.frozen
class Image:
    """A symmetry of the game, and the key of the position's image under it."""

    symmetry: int
    state: State
    key: int


def images(store: Store, state: State, symmetries: bool) -> list[Image]:
    """Return the different images of a position, itself first; only itself without `symmetries`."""
    offered = store.game.symmetries
    states = [state]
    if symmetries and offered is not None:
        states += [offered.state_image(state, i) for i in range(1, offered.count)]
    found: dict[int, Image] = {}
    for i, one in enumerate(states):
        key = store.replayer.key(one)
        found.setdefault(key, Image(i, one, key))
    return list(found.values())


def find(store: Store, query: Query) -> Iterator[Found]:
    """Yield the games that a query describes, in the order of their numbers.

    Raises GameforgeError for a result, a pattern or a date that is not allowed.
    """
    for games, plies in _looked_through(store, query):
        chosen = [one for one, ply in zip(games, plies, strict=True) if ply != -1]
        records = iter(store.records(chosen))
        yield from (Found(record=next(records), ply=ply) for ply in plies if ply != -1)


def count(store: Store, query: Query) -> int:
    """Return the number of games that a query describes; raises as `find` does."""
    if query.position is None and not query.pattern:
        where, parameters = _condition(store, query)
        return int(store.connection.execute(f"SELECT count(*) FROM games WHERE {where}", parameters).fetchone()[0])
    return sum(ply != -1 for _, plies in _looked_through(store, query) for ply in plies)


def _looked_through(store: Store, query: Query) -> Iterator[tuple[list[StoredGame], Sequence[int | None]]]:
    """Yield the games that may be meant, in batches, with the result of `_plies`."""
    where, parameters = _condition(store, query)
    pattern = cell_pattern(store.game, query.pattern) if query.pattern else None
    keys: list[int] = []
    batches = store.selected(where, parameters)
    if query.position is not None:
        keys = [image.key for image in images(store, query.position, query.symmetries)]
        batches = _of_positions(store, keys, where, parameters)
    for games in batches:
        yield games, _plies(store, games, keys, pattern)


def _of_positions(
    store: Store, keys: Sequence[int], where: str, parameters: Sequence[object]
) -> Iterator[list[StoredGame]]:
    """Yield the games that may have a position with one of these keys, in batches, the first of which is small."""
    store.require_index()
    segments: dict[int, list[Sighting]] = {}
    for sighting in (sighting for key in keys for sighting in store.index.sightings(key)):
        segments.setdefault(sighting.segment.first, []).append(sighting)
    size = _FIRST
    for _, sightings in sorted(segments.items()):
        numbers = np.unique(np.concatenate([one.games() for one in sightings])).tolist()
        while numbers:
            these, numbers = numbers[:size], numbers[size:]
            if games := store.select(f"id IN ({','.join('?' * len(these))}) AND ({where})", [*these, *parameters]):
                yield games
            size = BATCH


def _plies(
    store: Store, games: Sequence[StoredGame], keys: Sequence[int], pattern: CellPattern | None
) -> Sequence[int | None]:
    """Return where each game has the position and the pattern: a ply, or -1; None if neither is looked for."""
    if not keys and pattern is None:
        return [None] * len(games)
    ranked = store.ranked(games)
    found = np.full(len(games), -1)
    for key in keys:
        plies = store.replayer.first_plies(ranked, key)
        found = np.where((found < 0) | ((plies >= 0) & (plies < found)), plies, found)
    if pattern is not None:
        plies = store.replayer.plies_of_cells(ranked, pattern)
        found = plies if not keys else np.where(plies < 0, plies, found)
    plies_of: list[int | None] = found.tolist()
    return plies_of


def _condition(store: Store, query: Query) -> tuple[str, list[object]]:
    """Return the conditions on headers and first moves in SQL, with their parameters."""
    parts: list[tuple[str, list[object]]] = []
    named = "IN (SELECT id FROM names WHERE casefold(text) LIKE ? ESCAPE '\\')"
    if query.player:
        parts.append((f"(first {named} OR second {named})", [_folded(query.player)] * 2))
    if query.result:
        parts.append(_of_result(store.game, query.result, query.player, named))
    if query.event:
        parts.append((f"event {named}", [_folded(query.event)]))
    dated = "replace(replace(date, '-', '.'), '/', '.')"
    for name, date, compared in (
        ("since", query.since, f"{dated} >= ?"),
        ("until", query.until, f"substr({dated}, 1, length(?)) <= ?"),
    ):
        if date:
            plain = date.replace("-", ".").replace("/", ".")
            if not _DATE.fullmatch(plain):
                raise GameforgeError(f"{name} {date!r}: must be a date such as 1998 or 1998.05.12")
            given: list[object] = [plain] * compared.count("?")
            parts.append((f"date GLOB '[0-9][0-9][0-9][0-9]*' AND {compared}", given))
    if query.opening:
        parts.append(_of_opening(store, query.opening))
    if query.after:
        parts.append(("id > ?", [query.after]))
    where = " AND ".join(f"({condition})" for condition, _ in parts) or "1"
    return where, [value for _, values in parts for value in values]


def _folded(name: str) -> str:
    """Return a part of a name as the pattern of a name that was folded by `casefold`."""
    return _like(name.casefold())


def _like(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"


def _of_result(game: Game, result: str, player: str, named: str) -> tuple[str, list[object]]:
    sides = [side.lower() for side in game.rules.sides]
    text = result.lower()
    if text in sides:
        return "result = ?", [1 + sides.index(text)]
    if text in ("draw", "unfinished"):
        return "result = ?", [DRAWN if text == "draw" else NOT_FINISHED]
    if text in ("win", "loss") and player:
        first, second = (1, 2) if text == "win" else (2, 1)
        return f"first {named} AND result = {first} OR second {named} AND result = {second}", [_folded(player)] * 2
    allowed = [*sides, "draw", "unfinished", "win", "loss"]
    if text in ("win", "loss"):
        raise GameforgeError(f"result {result!r}: whose? Name the player as well")
    raise GameforgeError(f"result {result!r}{near(text, allowed)}: must be one of {', '.join(allowed)}")


def _of_opening(store: Store, text: str) -> tuple[str, list[object]]:
    moves = _line(store.game, text)
    if moves is None:
        return "tags LIKE ? ESCAPE '\\' OR about LIKE ? ESCAPE '\\'", [_like(text)] * 2
    ranks = b""
    state = store.game.rules.initial()
    for move in moves:
        rank = sorted(store.game.legal(state)).index(move)
        ranks += rank.to_bytes(store.replayer.width.itemsize, "little")
        state = store.game.play(state, move)
    return "start IS NULL AND substr(moves, 1, ?) = ?", [len(ranks), ranks]


def _line(game: Game, text: str) -> Sequence[int] | None:
    """Return the moves of a line or of a named opening; None if the text is neither.

    Raises GameforgeError for a line that begins with a legal move and goes on with one that is not legal.
    """
    if game.openings is not None:
        for name in game.openings.names:
            for opening in game.openings.get(name):
                if opening.name.lower() == text.lower() and opening.start == game.rules.initial():
                    return opening.moves
    state, moves = game.rules.initial(), []
    for word in text.split():
        if word.endswith(".") and word.rstrip(".").isdecimal():  # a move number
            continue
        legal = game.legal(state)
        try:
            moves.append(game.parse_move(state, word, legal))
        except GameforgeError as error:
            texts = [game.move_text(state, move, legal).lower() for move in legal]
            of_a_name = not any(letter.isdigit() for letter in word)
            half_typed = any(one.startswith(word.lower()) for one in texts)
            if moves and not of_a_name and not half_typed:
                raise GameforgeError(f"opening {text!r}, move {len(moves) + 1}: {error}") from None
            return None
        state = game.play(state, moves[-1])
    return moves
