"""Workspaces, in which one thread plays games, and threads that play games, each in its own workspace.

A Workspace plays single games between any two of its players, with clocks, and returns their records. A GameSeries
plays thousands of games between the same two players and returns only results and lengths. GameThreads play the games
of a match; those with a batch evaluator are played at once, more of them than there are workers, so that they share its
calls.
"""

import contextlib
import logging
import queue
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Literal, TypeVar

import attrs

from gameforge.arena.played import repeats_text
from gameforge.config import kinds
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.rules import DISPUTED_REASON, DRAW, FORFEIT_REASONS, WIN, Outcome, State
from gameforge.kernel import slots
from gameforge.kernel.parallel import Threads, words_of_game
from gameforge.memory import require_memory
from gameforge.play.gathering import Gathering
from gameforge.play.player import Player

if TYPE_CHECKING:
    from gameforge.kernel.context import CompiledPlayer
    from gameforge.kernel.gameplay import GameWorkspace
    from gameforge.kernel.types import IntegerArray


_LOG = logging.getLogger("gameforge.match")
_CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")
_SECOND = 1_000_000_000
"""Nanoseconds."""
MOST_SECONDS = 1e6
"""The longest time of a side or of a move."""
_seconds = kinds.number("from 0 to 1,000,000 seconds", 0, MOST_SECONDS)


@attrs.frozen(kw_only=True)
class TimeControl:
    """How much time the players have; a player that exceeds it loses the game. Results depend on the machine."""

    base: float = attrs.field(default=0.0, validator=_seconds)
    """Seconds on each clock at the start of a game; 0: there are no clocks."""
    increment: float = attrs.field(default=0.0, validator=_seconds)
    """Seconds added to a clock after each move."""
    per_move: float = attrs.field(default=0.0, validator=_seconds)
    """Seconds for each move, instead of clocks; 0: not fixed. A tenth of a second more is tolerated."""

    def __attrs_post_init__(self) -> None:
        if bool(self.base) == bool(self.per_move):
            raise GameforgeError("clock: expected the seconds of a clock or those of a move, more than 0, and not both")

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Parse a clock: `60` or `60+0.6`, seconds and increment."""
        found = _CLOCK.fullmatch(text.strip())
        if found is None or not float(found[1]):
            raise GameforgeError(
                f"clock {text!r}: expected SECONDS or SECONDS+INCREMENT, such as 60+0.6, with more than 0 seconds"
            )
        return cls(base=float(found[1]), increment=float(found[2] or 0))

    @property
    def nanoseconds(self) -> tuple[int, int, int]:
        """Base, increment and time per move."""
        return round(self.base * _SECOND), round(self.increment * _SECOND), round(self.per_move * _SECOND)


OnError = Literal["raise", "forfeit"]
"""What follows if a player raises an exception in a game: it is raised, or the player loses the game."""


@attrs.frozen(eq=False)
class Crashes:
    """What follows if a player raises an exception. The workspaces of one match share it."""

    on_error: OnError | None = None
    """None: an external engine loses the game, and what any other player raises is raised."""
    count_forfeits: bool = False
    """Whether an external engine also loses a game that it ends by other rules; otherwise it is a draw."""
    _logged: set[str] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        if self.on_error not in ("raise", "forfeit", None):
            raise GameforgeError(f"on_error = {self.on_error!r}: must be 'raise' or 'forfeit'")

    def note(self, player: Player, failure: Exception) -> str:
        """Return why the player loses the game; log each reason once, with its traceback. Or raise the failure."""
        search = player.parts.search
        if self.on_error == "raise" or (self.on_error is None and not search.external):
            raise failure
        if isinstance(failure, search.unusable):
            raise failure
        raised = failure.__cause__ if isinstance(failure, ComponentError) else failure
        note = f"{type(raised).__name__}: {raised}".rstrip(": ")
        if not search.external and note not in self._logged:
            self._logged.add(note)
            _LOG.warning("%s raised an exception and lost a game", player.name, exc_info=raised)
        return note

    def outcome(self, player: Player, failure: Exception, side: int) -> Outcome:
        """Return how a game ends in which the player, of this side, failed so that it is over."""
        if not isinstance(failure, player.parts.search.disputes):
            return Outcome(1 - side, FORFEIT_REASONS[0])
        return Outcome(1 - side if self.count_forfeits else None, DISPUTED_REASON)


class Workspace:
    """Workspace of one thread for games between any two of its players.

    Every game begins with fresh memory of both searchers, so it does not depend on the games before it.
    """

    def __init__(self, *players: Player, clock: TimeControl | None = None, crashes: Crashes | None = None) -> None:
        from gameforge.kernel.assembly import game_workspace

        game = players[0].game
        self.rules = game.rules
        self._side_to_move = game.side_to_move
        self.game: GameWorkspace = game_workspace(game.compiled, game.rules.draws)
        if clock is not None:
            self.game.clocks[slots.BASE_TIME : slots.MEASURED] = clock.nanoseconds
        self.game.clocks[slots.MEASURED] = 1
        parts = [one.parts if clock is None else one.timed_parts for one in players]
        self.players: tuple[CompiledPlayer, ...] = tuple(
            each.compiled_player(self.game, one.weights, plays_only=True)
            for each, one in zip(parts, players, strict=True)
        )
        self._seated = players
        self._crashes = crashes or Crashes()
        self._stopped = False
        self._playing: tuple[Opening, bool] | None = None

    def stop(self) -> None:
        """End the game that another thread is playing in this workspace, at once and without a result."""
        self._stopped = True
        for player in self.players:
            player.context.control[slots.STOP] = 1

    def unfinished(self) -> tuple[GameRecord, bool] | None:
        """Return the moves so far of the game that another thread plays here, and whether sides are swapped.

        The record names neither the phase nor the players. None between games.
        """
        playing = self._playing
        if playing is None:
            return None
        opening, swapped = playing
        moves = tuple(self.game.played[: self.game.counters[slots.PLIES]].tolist())
        if self._playing is not playing:  # they may be moves of the next game
            return None
        plies = len(opening.moves)
        record = GameRecord(
            start=opening.start, moves=moves, outcome=Outcome.UNFINISHED, opening=opening.name, opening_plies=plies
        )
        return record, swapped

    def play(
        self, opening: Opening, swapped: bool = False, seeds: Sequence[int] = (0, 0), pair: tuple[int, int] = (0, 1)
    ) -> GameRecord:
        """Play one game from an opening.

        swapped: whether the second player has the first side. seeds: of the two searchers. pair: indices of the two
        players. The record names neither the phase nor the players; its outcome is unfinished if the game was stopped.
        Raises what the rules raise, players' KeyboardInterrupt and the like, and what a player raises unless it loses
        the game for it (`Crashes`); under NUMBA_DISABLE_JIT, which is for debugging, always what a player raises.
        """
        import numpy as np

        from gameforge.kernel.compile.functions import stopped_by_failures
        from gameforge.kernel.compile.launch import entry
        from gameforge.kernel.gameplay import play_game

        players = [self.players[place] for place in pair]
        for player, seed in zip(players, seeds, strict=True):
            player.context.memory.fill(0)
            player.context.rng[0] = seed
        game = self.game
        second_begins = swapped != bool(self._side_to_move(opening.start))
        movers = players[::-1] if second_begins else players
        controls = [player.context.control for player in players]
        forced = np.array(opening.moves, np.uint64)
        game.counters[slots.PLIES] = 0
        self._playing = opening, swapped
        try:
            with stopped_by_failures(*controls):
                code = int(entry(play_game)(game, *movers, np.array(opening.start, np.uint64), forced))
        finally:
            self._playing = None
        moves = tuple(game.played[: game.counters[slots.PLIES]].tolist())
        to_move = (self._side_to_move(opening.start) + len(moves)) % 2
        outcome, note = self._outcome_and_note(code, pair, to_move)
        seconds, processor, searches = self._clocks(opening.start)
        return GameRecord(
            start=opening.start,
            moves=moves,
            outcome=outcome or Outcome.UNFINISHED,
            opening=opening.name,
            opening_plies=len(opening.moves),
            seconds=seconds,
            processor=processor,
            searches=searches,
            note=note,
        )

    def _outcome_and_note(self, code: int, pair: tuple[int, int], to_move: int) -> tuple[Outcome | None, str]:
        """Return how a game ended, and what a player raised if that ended it; no outcome if it was stopped.

        Raises what the rules raised, and what a player raised that does not end the game.
        """
        from gameforge.kernel.assembly import take_failure

        rules_failure = take_failure(self.game.rules)
        failures = [(self._seated[place], take_failure(self.players[place])) for place in pair]
        if rules_failure is not None:
            raise rules_failure
        player, failure = next(((one, failure) for one, failure in failures if failure is not None), (None, None))
        if player is None or failure is None:
            return Outcome.of(self.rules, code, to_move), ""
        if not isinstance(failure, Exception):
            raise failure
        for place in pair:  # the failure has stopped them
            self.players[place].context.control[slots.STOP] = int(self._stopped)
        return self._crashes.outcome(player, failure, to_move), self._crashes.note(player, failure)

    def _clocks(self, start: State) -> tuple[tuple[float, float], tuple[float, float], tuple[int, int]]:
        """Return seconds, seconds of processor time, and searches of the first and the second side.

        The kernel counts them by even and odd plies.
        """
        from gameforge.kernel.compile.clock import SECOND

        even = self._side_to_move(start)
        clocks = self.game.clocks.tolist()
        odd = 1 - even
        time = clocks[slots.SEARCH_TIME : slots.SEARCHES]
        searches = clocks[slots.SEARCHES : slots.PROCESSOR_TIME]
        processor = clocks[slots.PROCESSOR_TIME : slots.TIME_LEFT]
        return (
            (time[even] / SECOND, time[odd] / SECOND),
            (processor[even] / SECOND, processor[odd] / SECOND),
            (searches[even], searches[odd]),
        )


_BATCH_SECONDS = 0.2
"""The kernel returns with finished games about this often; results do not depend on it."""


@attrs.frozen(eq=False)
class SeriesResult:
    """Results of a series as arrays, in the order of the games."""

    winners: "IntegerArray"
    """0: the first player won, 1: the second, -1: a draw."""
    plies: "IntegerArray"
    """Number of plies of each game."""
    distinct: int
    """Number of different games (who began, and the moves)."""

    def repeats_text(self, players: tuple[str, str]) -> str:
        """A sentence that warns of repeated games; empty if half of the games or more are distinct."""
        return repeats_text(players, self.distinct, len(self.winners))


class GameSeries:
    """Workspace of one thread for games between two players, all from the initial position.

    Every game begins with fresh searcher memory and with random numbers of its own, so it depends only on the players,
    the stream and its number. A searcher that answers with an illegal move loses.
    """

    def __init__(self, first: Player, second: Player, random_moves: float = 0.0) -> None:
        """Prepare the games; a move of either player is random with the probability `random_moves`."""
        import numpy as np

        from gameforge.kernel.assembly import game_workspace
        from gameforge.kernel.bits import threshold

        rules = first.game.rules
        self._game = game_workspace(first.game.compiled, rules.draws)
        self._control = np.zeros(slots.CONTROLS, np.int64)
        self._players = self._seated(first), self._seated(second)
        self._fresh = self._players[0].context.memory.copy(), self._players[1].context.memory.copy()
        self._start = np.array(rules.initial(), np.uint64)
        self._second_begins = first.game.side_to_move(rules.initial())
        self._random = threshold(random_moves)

    def _seated(self, player: Player) -> "CompiledPlayer":
        """Compile a player for these games; both players share one STOP flag."""
        compiled = player.parts.compiled_player(self._game, player.weights)
        return compiled._replace(context=compiled.context._replace(control=self._control))

    def play(
        self, swapped: Sequence[bool], stream: int, number: int = 0, check: Callable[[], None] = lambda: None
    ) -> SeriesResult:
        """Play one game for each entry of `swapped`, which says whether the second player has the first side.

        stream: first random word (kernel.seeds). number: number of games of the stream that precede these. check:
        called regularly; if it raises, the games end. Raises what a player or the rules raise.
        """
        import numpy as np

        from gameforge.kernel.compile.launch import interruptible
        from gameforge.kernel.gameplay import Series, play_series

        parities = np.array(swapped, np.int64) ^ self._second_begins
        codes, plies = np.zeros(len(parities), np.int64), np.zeros(len(parities), np.int64)
        keys = np.zeros(len(parities), np.uint64)
        done, batch = 0, 1
        while done < len(parities):
            here = slice(done, done + batch)
            series = Series(
                start=self._start,
                parities=parities[here],
                fresh=self._fresh,
                stream=np.uint64(words_of_game(stream, number + done)[0]),
                random=self._random,
                codes=codes[here],
                plies=plies[here],
                keys=keys[here],
            )
            began = time.perf_counter()
            interruptible(self._control, play_series, self._game, *self._players, series, check=check)
            done += batch
            seconds = (time.perf_counter() - began) / batch
            batch = max(1, min(len(parities) - done, round(_BATCH_SECONDS / max(seconds, 1e-9))))
        result, to_move = codes & 3, plies % 2 ^ parities
        winners = np.where(result == DRAW, -1, np.where(result == WIN, to_move, 1 - to_move))
        return SeriesResult(winners, plies, len(np.unique(keys)))


Played = TypeVar("Played")
AT_ONCE = 32
"""Number of games that are played at once if they share the calls of a batch evaluator."""
_MEMORY = 1 << 30
"""Bytes that the memories of their searchers may take together; fewer games are played at once instead."""
_WORD = 8


def shares_calls(players: Sequence[Player]) -> bool:
    """Whether games between some of these players are better played at once: a player has a batch evaluator.

    But not if a player may move otherwise then, because it uses a clock or remembers its last game.
    """
    return any(player.parts.scores_batches for player in players) and all(player.parts.repeatable for player in players)


class GameThreads:
    """Threads that play games between some of several players; close it to end the games."""

    def __init__(
        self,
        players: Sequence[Player],
        games: int,
        workers: int = 1,
        *,
        clock: TimeControl | None = None,
        crashes: Crashes | None = None,
    ) -> None:
        """games: number of calls of `submit` that will follow. workers: number of threads that run at a time."""
        at_once, gathers = workers, clock is None and shares_calls(players)
        size = _WORD * sum(player.parts.search.memory for player in players)
        if gathers:
            at_once = max(workers, min(AT_ONCE, _MEMORY // max(1, size)))
        self.number = at_once = max(1, min(at_once, games))
        """Number of threads."""
        require_memory(size * at_once, f"playing games, {at_once} at a time,")
        self._workspaces = [Workspace(*players, clock=clock, crashes=crashes) for _ in range(at_once)]
        self._gathering = Gathering(games, at_once, workers) if gathers and at_once > 1 else None
        self._free: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
        for workspace in self._workspaces:
            self._free.put(workspace)
        self._at_work: dict[int, Workspace] = {}
        self._pool = Threads(at_once, "game")

    def submit(self, i: int, play: Callable[[Workspace], Played]) -> "Future[Played]":
        """Let a thread play game i, or some games one after the other, in a workspace."""
        return self._pool.submit(self._play, i, play)

    def unfinished(self, i: int) -> tuple[GameRecord, bool] | None:
        """Return the game that is being played for number i, as `Workspace.unfinished` does."""
        workspace = self._at_work.get(i)
        return None if workspace is None else workspace.unfinished()

    def close(self) -> None:
        """End all games, also those that have not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for workspace in self._workspaces:
            workspace.stop()
        if self._gathering is not None:
            self._gathering.close()
        self._pool.abandon()

    def _play(self, i: int, play: Callable[[Workspace], Played]) -> Played:
        with contextlib.nullcontext() if self._gathering is None else self._gathering.game(i):
            workspace = self._at_work[i] = self._free.get()
            try:
                return play(workspace)
            finally:
                del self._at_work[i]
                self._free.put(workspace)
