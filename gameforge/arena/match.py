"""Matches between two players, in which each opening is played twice with colours swapped.

The pairs of games are played by several threads.
"""

import collections
import contextlib
import functools
import itertools
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from numbers import Integral

import attrs

from gameforge.arena.elo import Sprt
from gameforge.arena.openings import OPENING_PLIES, Openings, match_openings
from gameforge.arena.played import PlayedGames, UnnamedGames
from gameforge.arena.result import MatchResult
from gameforge.arena.workspace import Crashes, GameThreads, OnError, TimeControl, Workspace
from gameforge.config.outside import require_number
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.kernel.parallel import wait_for_one
from gameforge.play.game import Game, rules_text, same_rules
from gameforge.play.player import Player


def match(
    first: Player,
    second: Player,
    games: int = 20,
    *,
    openings: Openings = OPENING_PLIES,
    seed: int = 0,
    workers: int = 1,
    sprt: Sprt | None = None,
    clock: TimeControl | None = None,
    on_error: OnError | None = None,
    count_forfeits: bool = False,
    played: Sequence[GameRecord] = (),
    game_finished: Callable[[GameRecord], None] = lambda game: None,
    playing: Callable[[GameRecord], None] = lambda game: None,
    check: Callable[[], None] = lambda: None,
) -> MatchResult:
    """Play a match; the result does not depend on `workers`, unless a player uses a clock or several threads.

    * `games`: an even number, since each opening is played twice with colours swapped.
    * `openings`: a number of random plies, drawn from the seed; `random:PLIES`, `balanced:PLIES`, the name of a set of
      the game, or a file; or positions, used in turn.
    * `sprt`: ends the match after the first pair at which the test accepts a hypothesis; repeated games count for
      nothing.
    * `clock`: time of both players, which replaces their own limits (Player), and the time limits of their searchers.
    * `on_error`: "raise" raises what a player raises; "forfeit" lets it lose the game, and logs the reason; None lets
      external engines lose the game, and raises what any other player raises.
    * `count_forfeits`: let an external engine lose a game that it ends by other rules, such as by answering a running
      game with "none" after a draw rule of its own; otherwise such a game is drawn.
    * `played`: the first games of this match, in whole pairs, from an earlier call; they are not played again. Further
      games are added to a PlayedGames, which has been checked, and keeps them.
    * `game_finished`: called after each game, in order.
    * `playing`: called several times a second with the moves so far of a game that is being played.
    * `check`: called several times a second; if it raises, the match ends at once.

    A player that exceeds its time or answers with an illegal move loses that game. Raises GameforgeError if the players
    play different games, if an opening is illegal or ends the game, and if an engine cannot be set up for a game; and
    ComponentError if a player raises anything else, with the exception as its cause.
    """
    check_match(first, second, games, workers, seed)
    crashes = Crashes(on_error, count_forfeits)
    if len(played) % 2 or len(played) > games:
        raise GameforgeError(f"match: got {len(played)} played games; must be an even number, {games} or less")
    pairs = games // 2
    lines = match_openings(first.game, openings, pairs, seed)
    names = (first.name, second.name)
    if not isinstance(played, PlayedGames):
        check_played(played, names, lines)
        played = UnnamedGames(first.game, played)
    result = MatchResult(names, played, sprt)
    if result.accepted is None:
        done = len(played) // 2
        with contextlib.closing(
            play_pairs(first, second, lines, done, seed, workers, clock, crashes, playing, check)
        ) as found:
            for pair in found:
                for record in pair:
                    played.add(record)
                    game_finished(record)
                if result.accepted is not None:
                    break
    return result


def check_match(first: Player, second: Player, games: int, workers: int = 1, seed: int = 0) -> None:
    """Raise GameforgeError unless two players can play a match of this many games with these workers and seed."""
    for name, value in {"games": games, "workers": workers, "seed": seed}.items():
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise GameforgeError(f"{name} = {value!r}: must be a whole number")
    require_number(int(games), "games =")
    if games < 2 or games % 2:
        raise GameforgeError(f"games = {games}: must be even and 2 or more, since each opening is played twice")
    if workers < 1:
        raise GameforgeError(f"workers = {workers}: must be 1 or more")
    if seed < 0:
        raise GameforgeError(f"seed = {seed}: must be 0 or more")
    rules, others = first.game.rules, second.game.rules
    if not same_rules(rules, others):
        raise GameforgeError(
            f"match: {first.name} plays {rules_text(rules)}, but {second.name} plays {rules_text(others)}; "
            "both must play the same game by the same rules",
            advice="choose the parameters of the rules" if rules.name == others.name else "",
            parameter="game",
        )


def check_played(
    played: Sequence[GameRecord], names: tuple[str, str], lines: Sequence[Opening], before: int = 0
) -> None:
    """Raise GameforgeError unless these can be games of a match between these players.

    lines: the opening of each pair. before: number of games before these, for messages.
    """
    for i, record in enumerate(played):
        line = lines[i // 2]
        number = before + i + 1
        if record.players != (names[::-1] if i % 2 else names):
            raise GameforgeError(
                f"match: game {number} was played by {' and '.join(record.players)}, not by {' and '.join(names)}"
            )
        if (record.start, record.codes[: record.opening_plies]) != (line.start, line.moves):
            raise GameforgeError(f"match: game {number} was played from another opening; give the same openings again")


Pair = tuple[GameRecord, GameRecord]
"""Two games with the same opening and exchanged sides."""
_AHEAD = 64
"""Pairs for each thread that are planned ahead, so that a long game leaves no thread without work."""


def play_pairs(
    first: Player,
    second: Player,
    lines: Sequence[Opening],
    done: int,
    seed: int,
    workers: int,
    clock: TimeControl | None,
    crashes: Crashes,
    playing: Callable[[GameRecord], None],
    check: Callable[[], None],
) -> Generator[Pair, None, None]:
    """Play the pairs from number `done` on with at most `workers` threads; yield them in order.

    lines: the opening of each pair. The other parameters are those of `match`. Closing the generator ends the games.
    """
    import numpy as np

    def submitted(i: int) -> "tuple[int, Future[list[GameRecord]]]":
        seeds = np.random.SeedSequence(seed, spawn_key=(i, 0)).generate_state(4, np.uint64).tolist()
        return i, threads.submit(i, functools.partial(_play_pair, lines, i, seeds))

    def named(record: GameRecord, i: int, swapped: bool) -> GameRecord:
        return game_of_pair(first.game, record, (first.name, second.name), i, swapped)

    left, coming = len(lines) - done, iter(range(done, len(lines)))
    with contextlib.closing(GameThreads((first, second), left, workers, clock=clock, crashes=crashes)) as threads:
        ahead = _AHEAD * threads.number
        pairs = collections.deque(map(submitted, itertools.islice(coming, ahead)))
        while pairs:
            i, pair = pairs[0]
            while not pair.done():
                check()
                wait_for_one([pair])
                # A long game must not leave the other threads, which may wait for each other's games, without work.
                unplayed = sum(not other.done() for _, other in pairs)
                pairs.extend(map(submitted, itertools.islice(coming, max(0, ahead - unplayed))))
                unfinished = threads.unfinished(i)
                if unfinished is not None:
                    record, swapped = unfinished
                    playing(named(record, i, swapped))
            pairs.popleft()
            pairs.extend(map(submitted, itertools.islice(coming, 1)))
            one, two = pair.result()
            yield named(one, i, False), named(two, i, True)


def _play_pair(lines: Sequence[Opening], i: int, seeds: Sequence[int], workspace: Workspace) -> list[GameRecord]:
    """Play pair i; seeds: of the two searchers in the first game, then in the second."""
    opening = lines[i]  # it may have to be found
    return [workspace.play(opening, swapped, seeds[2 * swapped : 2 * swapped + 2]) for swapped in (False, True)]


def game_of_pair(game: Game, record: GameRecord, names: tuple[str, str], i: int, swapped: bool) -> GameRecord:
    """Return the record of a game of pair i with its phase, its number in the match and its players."""
    players = names[::-1] if swapped else names
    return attrs.evolve(record, phase="match", number=2 * i + 1 + swapped, players=players, game=game)
