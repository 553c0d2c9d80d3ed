"""Components that fit any game: the feature map `bits` and the books `as-played` and `book`.

`bits` knows nothing about the game: it has one input for each bit of a state. `as-played` is another book, whose moves
are drawn as often as recorded games play them: [KimCho2007], section 3.3, names the games of an archive as a second
source of the probabilities of openings. `book` takes its lines from a database of games.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np

from gameforge import Game, GameforgeError, Registry, games_db, load_games
from gameforge.interfaces import Book, BookLines, FeatureFunctions, GameRecord, Opening, Rules, Spec, kinds
from gameforge.kernel import U1, Floats, Words

_BITS = 64


def features(fd: Words, s: Words, x: Floats) -> None:
    """Write every bit of the state as 0 or 1; fd[0] is the number of words."""
    for word in range(fd[0]):
        for bit in range(_BITS):
            x[_BITS * word + bit] = np.float32((s[word] >> np.uint64(bit)) & U1)


class Bits:
    """An input for each bit of each word of the state, counters included."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        words = rules.functions().words
        return FeatureFunctions(
            inputs=_BITS * words,
            viewpoint="to move",
            features=features,
            data=np.array([words], np.uint64),
            names=tuple(f"word {word} bit {bit}" for word in range(words) for bit in range(_BITS)),
        )


Moves = tuple[int, ...]


def _given(instance: object, attribute: "attrs.Attribute[tuple[Path, ...]]", value: tuple[Path, ...]) -> None:
    if not value:
        raise GameforgeError(f"'{attribute.name}' must name one or more files of games")


@attrs.frozen(kw_only=True)
class AsPlayed:
    """The component. A line is drawn in proportion to the number of games that it is the longest line of.

    Lines that nobody played are left out. If the game has symmetries, those of the initial position are applied to the
    games, so that all images of a line are equally likely.
    """

    games: tuple[Path, ...] = attrs.field(validator=_given)
    """Files of games: in a format of the game, the games.jsonl of a match, or databases of games."""
    book: Spec = attrs.field(factory=lambda: Spec("book"), metadata={"component": "book"})
    """The book whose lines are drawn."""

    def composed(self, registry: Registry, rules: Rules) -> "Played":
        return Played(registry.composed(registry.create("book", self.book, rules.name), rules), self.games)


@attrs.frozen
class Played:
    """A book and the games that weigh its lines."""

    book: Book
    games: tuple[Path, ...]

    def opening_lines(self, rules: Rules) -> BookLines:
        """The lines, each as often as it was played. Raises GameforgeError if no game begins like any of them."""
        game = Game(rules)
        lines = {line.moves: line for line in self.book.opening_lines(rules).lines}
        longest = max(map(len, lines), default=0)
        played = Counter(
            line
            for record in _records(self.games, game)
            for moves in _images(record.codes[:longest], game)
            if (line := _longest(moves, lines))
        )
        if not played:
            raise GameforgeError("book as-played: none of the games begins with a line of the book")
        drawn: list[Opening] = [lines[moves] for moves, times in played.items() for _ in range(times)]
        return BookLines(lines=tuple(drawn), by_lines=True)


def _records(files: Sequence[Path], game: Game) -> Iterator[GameRecord]:
    """The games that begin at the initial position."""
    start = game.rules.initial()
    for path in files:
        yield from (record for record in load_games(path, game, tolerant=True) if record.start == start)


def _images(moves: Moves, game: Game) -> Sequence[Moves]:
    """The images of a game under the symmetries of the initial position, each once."""
    symmetries, start = game.symmetries, game.rules.initial()
    if symmetries is None:
        return [moves]
    states = [start]
    for move in moves:
        states.append(game.play(states[-1], move))
    kept = [i for i in range(symmetries.count) if symmetries.state_image(start, i) == start]
    pairs = list(zip(states, moves, strict=False))
    return list(dict.fromkeys(tuple(symmetries.move_image(state, move, i) for state, move in pairs) for i in kept))


def _longest(moves: Moves, lines: Container[Moves]) -> Moves:
    """The longest line that the moves begin with; empty if there is none."""
    return next((moves[:n] for n in range(len(moves), 0, -1) if moves[:n] in lines), ())


@attrs.frozen(kw_only=True)
class DatabaseBook:
    """The book `book`: the first moves of the games of a database, each drawn in proportion to its games.

    A line ends where too few games agree. The games of the database that begin elsewhere are left out.
    """

    db: Path
    """Database of games (`gameforge games import`)."""
    plies: int = attrs.field(default=16, validator=kinds.count(1, 200))
    """Most moves of a line, of both sides."""
    games: int = attrs.field(default=2, validator=kinds.at_least(1))
    """Fewest games that begin with a line."""

    def opening_lines(self, rules: Rules) -> BookLines:
        """The lines, each as often as it was played. Raises GameforgeError if there are none."""
        with games_db(self.db, Game(rules), must_exist=True) as database:
            return BookLines(lines=tuple(database.book(self.plies, self.games)), by_lines=True)
