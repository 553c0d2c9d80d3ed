"""Games that are played at once, whose calls of a batch evaluator become one call.

Each game has a thread. A game that needs scores waits until every other game waits, too. Then the evaluator scores the
states of all of them, and the games go on. So what an evaluator is given depends on the games alone, and not on how
fast their threads are.
"""

import contextlib
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from gameforge.kernel.parallel import Stopped, Threads, results_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.kernel.types import ScoreArray

Result = TypeVar("Result")
MOST_STATES = 64
"""Number of states up to which games share a call; a processor gains little from larger batches."""


class _Seat:
    """A game that is played: where its thread waits, for what scores, and the answer."""

    def __init__(self, gathering: "Gathering", number: int) -> None:
        self.gathering, self.number = gathering, number
        self.turn = threading.Lock()
        self.turn.acquire()
        self.evaluator: object = None
        self.score: Callable[[NDArray[np.uint64]], ScoreArray]
        self.states: NDArray[np.uint64]
        self.scores: ScoreArray | None = None
        self.failure: BaseException | None = None

    def let_go_on(self) -> None:
        """End the wait of the thread."""
        if self.turn.locked():
            self.turn.release()

    def take(self) -> "ScoreArray":
        """Return the scores, or raise what the evaluator raised."""
        scores, failure = self.scores, self.failure
        self.scores = self.failure = None
        if failure is not None:
            raise failure
        assert scores is not None, "a game goes on when its states are scored"
        return scores


_here: "contextvars.ContextVar[_Seat | None]" = contextvars.ContextVar("seat", default=None)
"""The seat of the game that this thread plays; a thread that runs a kernel for it has the same context."""


def gathered(
    evaluator: object, score: "Callable[[NDArray[np.uint64]], ScoreArray]", states: "NDArray[np.uint64]"
) -> "ScoreArray":
    """Return score(states); if this thread plays a game of a Gathering, in a call for states of several games.

    evaluator: the games that give the same object here share calls.
    """
    seat = _here.get()
    if seat is None:
        return score(states)
    seat.evaluator, seat.score, seat.states = evaluator, score, states
    return seat.gathering.scores(seat)


def at_once(games: Sequence[Callable[[], Result]], check: Callable[[], None]) -> list[Result]:
    """Call functions, each of which plays games, at once, so that they share calls; return their results in order.

    check: called regularly; if it raises, the games end. Raises what a function raises.
    """
    number = min(len(games), MOST_STATES)
    gathering, pool = Gathering(len(games), number, 1), Threads(number, "game")

    def seated(i: int) -> Result:
        with gathering.game(i):
            return games[i]()

    try:
        playing = [pool.submit(seated, i) for i in range(len(games))]
        return results_of(playing, check)
    finally:
        gathering.close()
        pool.abandon()


class Gathering:
    """Games that are played at once. At most `workers` of their threads run at a time; the others wait."""

    def __init__(self, games: int, at_once: int, workers: int) -> None:
        """games: number of all games; each but the first `at_once` begins when another one has ended."""
        self._lock = threading.Lock()
        self._present = min(games, at_once)
        self._coming = games - self._present
        self._idle = workers
        self._seats: set[_Seat] = set()
        self._ready: deque[_Seat] = deque()
        self._asking: list[_Seat] = []
        self._closed = False

    @contextlib.contextmanager
    def game(self, number: int) -> Iterator[None]:
        """Let this thread play a game in the block. The states of a call are in the order of the games' numbers."""
        seat = _Seat(self, number)
        with self._lock:
            self._seats.add(seat)
            self._ready.append(seat)
            self._go_on()
        try:
            self._wait(seat)
            _here.set(seat)
            yield
        finally:
            _here.set(None)
            with self._lock:
                self._seats.remove(seat)
                if self._coming:
                    self._coming -= 1
                else:
                    self._present -= 1
                self._idle += 1
                asking = self._go_on()
            self._answer(asking)

    def scores(self, seat: _Seat) -> "ScoreArray":
        """Return the scores for which a game asks, once all games ask for some."""
        with self._lock:
            self._asking.append(seat)
            self._idle += 1
            asking = self._go_on()
        self._answer(asking)
        self._wait(seat)
        return seat.take()

    def close(self) -> None:
        """Let no game wait any longer: `game` and `gathered` raise Stopped from now on."""
        with self._lock:
            self._closed = True
            for seat in self._seats:
                seat.let_go_on()

    def _wait(self, seat: _Seat) -> None:
        if not self._closed:
            seat.turn.acquire()
        if self._closed:
            raise Stopped

    def _go_on(self) -> list[_Seat]:
        """Let games go on for which there are workers; return those that ask for scores if all do, in order."""
        while self._idle and self._ready:
            self._idle -= 1
            self._ready.popleft().let_go_on()
        if len(self._asking) < self._present:
            return []
        asking, self._asking = sorted(self._asking, key=lambda seat: seat.number), []
        return asking

    def _answer(self, asking: Sequence[_Seat]) -> None:
        """Score the states of these games, and let them go on."""
        if not asking:
            return
        here = _here.set(None)  # an evaluator that calls another one does not wait for other games
        try:
            for seats in _calls(asking):
                _score(seats)
        finally:
            _here.reset(here)
            with self._lock:
                self._ready.extend(asking)
                self._go_on()


def _calls(asking: Sequence[_Seat]) -> Iterator[list[_Seat]]:
    """Divide games among calls of one evaluator each; a game with more than MOST_STATES has one of its own."""
    evaluators = {id(seat.evaluator): seat.evaluator for seat in asking}
    for evaluator in evaluators.values():
        some: list[_Seat] = []
        states = 0
        for seat in asking:
            if seat.evaluator is evaluator:
                if some and states + len(seat.states) > MOST_STATES:
                    yield some
                    some, states = [], 0
                some.append(seat)
                states += len(seat.states)
        yield some


def _score(seats: Sequence[_Seat]) -> None:
    """Score the states of these games in one call. If that fails, each has its own, and fails only if that does."""
    import numpy as np

    try:
        scores = seats[0].score(np.concatenate([seat.states for seat in seats]))
    except BaseException as error:
        for seat in seats:
            if len(seats) > 1 and isinstance(error, Exception):
                _score([seat])
            else:
                seat.failure = error
        return
    ends = np.cumsum([len(seat.states) for seat in seats])
    for seat, found in zip(seats, np.split(scores, ends[:-1]), strict=True):
        seat.scores = found
