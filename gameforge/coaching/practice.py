"""What a person practises: exercises in boxes, from which the better known ones come back more rarely [Leitner1972].

A new exercise is due at once. One that is solved moves to the next box, one that is not, back to the first. The first
box comes back after a day, and each further one after twice as long.
"""

import contextlib
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from gameforge.coaching.exercises import Exercise
from gameforge.errors import GameforgeError
from gameforge.storage.files import write_json
from gameforge.storage.folder import locked
from gameforge.storage.stored import parse_json, read_as, read_file

BOXES = 5
"""Number of boxes."""
DAY = 86_400
"""Seconds of a day."""
MOST = 5_000
"""Most exercises that are kept."""
_VERSION = 1
_MOST_BYTES = 16 << 20


@attrs.frozen(kw_only=True)
class Card:
    """An exercise with the person's results."""

    exercise: Exercise
    """The exercise."""
    box: int = attrs.field(default=0, validator=[attrs.validators.ge(0), attrs.validators.le(BOXES)])
    """The box, from 1 to BOXES; 0: the exercise is new."""
    due: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    """When it comes back, in seconds since 1970."""
    tried: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    """How often the person has tried it."""
    solved: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    """How often without a mistake."""

    def after(self, success: bool, now: int) -> "Card":
        """Return the card after another try. success: without a mistake. now: in seconds since 1970."""
        box = min(self.box + 1, BOXES) if success else 1
        due = now + DAY * 2 ** (box - 1)
        return attrs.evolve(self, box=box, due=due, tried=self.tried + 1, solved=self.solved + success)


@attrs.frozen(kw_only=True)
class _Stored:
    """The content of the file."""

    version: int = attrs.field(validator=attrs.validators.in_((_VERSION,)))
    cards: list[Card]


class Practice:
    """The exercises of a person, in a file; threads and processes can share it. path: None keeps them in memory only.

    Each method raises GameforgeError, with one sentence, if the file is damaged or cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._cards: list[Card] = []
        self._lock = threading.Lock()

    def cards(self, game: str) -> list[Card]:
        """Return the exercises of a game, those first that have been due for longest; new ones as they were added."""
        return sorted((card for card in self._read() if card.exercise.game == game), key=lambda card: card.due)

    def due(self, game: str, now: int) -> list[Card]:
        """Return the exercises of a game that are due. now: in seconds since 1970."""
        return [card for card in self.cards(game) if card.due <= now]

    def add(self, exercises: Iterable[Exercise]) -> int:
        """Add exercises that are not there yet; return their number. Raises GameforgeError beyond `MOST` of them."""
        with self._changing() as cards:
            known = {_key(card.exercise) for card in cards}
            new = {_key(each): each for each in exercises if _key(each) not in known}
            if len(cards) + len(new) > MOST:
                raise GameforgeError(f"at most {MOST:,} exercises are kept; there are {len(cards):,} already")
            cards += [Card(exercise=each) for each in new.values()]
        return len(new)

    def record(self, exercise: Exercise, success: bool, now: int) -> Card:
        """Record a try of an exercise, which is added if it is not there yet; return its card."""
        self.add([exercise])
        with self._changing() as cards:
            i = next(i for i, card in enumerate(cards) if _key(card.exercise) == _key(exercise))
            cards[i] = cards[i].after(success, now)
            return cards[i]

    def _read(self) -> list[Card]:
        if self._path is None:
            return self._cards
        try:
            return read_as(_Stored, parse_json(read_file(self._path, _MOST_BYTES))).cards
        except FileNotFoundError:
            return []
        except (OSError, ValueError, GameforgeError) as error:
            raise GameforgeError(f"{self._path} is damaged: {' '.join(str(error).split())}") from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[list[Card]]:
        """Yield the cards, and write them when the block ends without an exception."""
        with self._lock:
            if self._path is None:
                yield self._cards
                return
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self._path.parent, wait=True):
                cards = self._read()
                yield cards
                write_json(self._path, attrs.asdict(_Stored(version=_VERSION, cards=cards)))


def _key(exercise: Exercise) -> tuple[str, str, str]:
    return exercise.game, exercise.start, exercise.goal
