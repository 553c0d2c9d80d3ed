"""The workspace of a thread that plays games: memory for a game and for its players."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gameforge.errors import ComponentError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.outcome import UNFINISHED, outcome_of
from gameforge.interfaces.rules import State
from gameforge.play.arena.time_control import TimeControl
from gameforge.play.player import Player

if TYPE_CHECKING:
    from gameforge.kernel.context import CompiledPlayer
    from gameforge.kernel.game import GameWorkspace


class Workspace:
    """Workspace of one thread for games between any two of its players.

    Every game begins with fresh memory of both searchers, so it does not depend on the games before it.
    """

    def __init__(self, *players: Player, clock: TimeControl | None = None) -> None:
        from gameforge.kernel.assembly import game_workspace
        from gameforge.kernel.game import BASE_TIME, CLOCKS

        game = players[0].game
        self.rules = game.rules
        self._side_to_move = game.side_to_move
        self.game: GameWorkspace = game_workspace(game.compiled, game.rules.draws)
        if clock is not None:
            self.game.clocks[BASE_TIME:CLOCKS] = clock.nanoseconds
        self.players: tuple[CompiledPlayer, ...] = tuple(
            one.parts.compiled_player(self.game, one.weights) for one in players
        )
        self._stopped = False
        self._playing: tuple[Opening, bool] | None = None

    def stop(self) -> None:
        """End the game that another thread is playing in this workspace, at once and without a result."""
        from gameforge.kernel.context import STOP

        self._stopped = True
        for player in self.players:
            player.context.control[STOP] = 1

    def unfinished(self) -> tuple[GameRecord, bool] | None:
        """Return the moves so far of the game that another thread plays here, and whether sides are swapped.

        The record names neither the phase nor the players. None between games.
        """
        from gameforge.kernel.context import PLIES

        playing = self._playing
        if playing is None:
            return None
        opening, swapped = playing
        moves = tuple(self.game.played[: self.game.counters[PLIES]].tolist())
        if self._playing is not playing:  # they may be moves of the next game
            return None
        plies = len(opening.moves)
        record = GameRecord(
            start=opening.start, moves=moves, outcome=UNFINISHED, opening=opening.name, opening_plies=plies
        )
        return record, swapped

    def play(
        self, opening: Opening, swapped: bool = False, seeds: Sequence[int] = (0, 0), pair: tuple[int, int] = (0, 1)
    ) -> GameRecord:
        """Play one game from an opening; a player that crashes loses it.

        swapped: whether the second player has the first side. seeds: of the two searchers. pair: indices of the two
        players. The record names neither the phase nor the players; its outcome is UNFINISHED if the game was stopped.
        Raises what the rules raise, and players' KeyboardInterrupt and the like; under NUMBA_DISABLE_JIT,
        which is for debugging, also what a player raises.
        """
        import numpy as np

        from gameforge.kernel.compile.failures import stopped_by_failures
        from gameforge.kernel.compile.launch import entry
        from gameforge.kernel.context import PLIES
        from gameforge.kernel.game import play_opening

        players = [self.players[place] for place in pair]
        for player, seed in zip(players, seeds, strict=True):
            player.context.memory.fill(0)
            player.context.rng[0] = seed
        game = self.game
        second_begins = swapped != bool(self._side_to_move(opening.start))
        movers = players[::-1] if second_begins else players
        controls = [player.context.control for player in players]
        forced = np.array(opening.moves, np.uint64)
        game.counters[PLIES] = 0
        self._playing = opening, swapped
        try:
            with stopped_by_failures(*controls):
                code = int(entry(play_opening)(game, *movers, np.array(opening.start, np.uint64), forced))
        finally:
            self._playing = None
        code, note = self._code_and_note(code, players)
        seconds, searches = self._clocks(opening.start)
        moves = tuple(game.played[: game.counters[PLIES]].tolist())
        outcome = outcome_of(self.rules, code, (self._side_to_move(opening.start) + len(moves)) % 2)
        return GameRecord(
            start=opening.start,
            moves=moves,
            outcome=outcome or UNFINISHED,
            opening=opening.name,
            opening_plies=len(opening.moves),
            seconds=seconds,
            searches=searches,
            note=note,
        )

    def _code_and_note(self, code: int, players: "Sequence[CompiledPlayer]") -> tuple[int, str]:
        """Return the final code of a game, which is CRASH if a player raised an Exception, and what it raised.

        Raises what the rules raised, and what a player raised that is not an Exception.
        """
        from gameforge.kernel.assembly import take_failure
        from gameforge.kernel.context import STOP
        from gameforge.kernel.game import CRASH

        rules_failure, failure = take_failure(self.game.rules), take_failure(*players)
        if rules_failure is not None:
            raise rules_failure
        if failure is None:
            return code, ""
        if not isinstance(failure, Exception):
            raise failure
        for player in players:  # the failure has stopped them
            player.context.control[STOP] = int(self._stopped)
        raised = failure.__cause__ if isinstance(failure, ComponentError) else failure
        return CRASH, f"{type(raised).__name__}: {raised}".rstrip(": ")

    def _clocks(self, start: State) -> tuple[tuple[float, float], tuple[int, int]]:
        """Return seconds and searches of the first and the second side; the kernel counts by even and odd plies."""
        from gameforge.kernel.compile.clock import SECOND
        from gameforge.kernel.game import SEARCH_TIME, SEARCHES, TIME_LEFT

        even = self._side_to_move(start)
        clocks = self.game.clocks.tolist()
        time, searches = clocks[SEARCH_TIME:SEARCHES], clocks[SEARCHES:TIME_LEFT]
        return (time[even] / SECOND, time[1 - even] / SECOND), (searches[even], searches[1 - even])
