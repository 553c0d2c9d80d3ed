"""Make examples by matches of a player against itself ([Rezende2017], section 3.1); parallel and resumable.

1. Play matches from the initial position; J is their mean number of plies. 2. Collect random states near the start from
random games, whose number follows from J. 3. Play matches from each of these states. A match is seeded by its number,
so the examples do not depend on workers, executor or interruptions, unless the searcher has a time limit.

`InOrder` writes matches that are played in any order into a folder in the order of their numbers.
"""

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError, Pipeline, Player, Registry, default_registry
from gameforge.interfaces import Outcome, Site, State, Work, kinds
from gameforge.kernel import assembly, derived, gameplay, interruptible, slots
from gameforge.storage import files
from gameforge_examples.folder import SHARD_ROWS, ExampleFolder, Rows, joined, open_batch, row_type
from gameforge_examples.recording import FULL, MOVE_WORDS, Recording, begin_at, play_recording

FLUSH_SECONDS = 5.0
"""Maximum time between two writes. A kill loses the matches finished since the last one, and unfinished matches."""

Progress = Callable[[int, int, ExampleFolder], None]
"""Called with the number of finished matches, the number of all matches, and the current folder."""


@attrs.frozen(eq=False)
class Recorded:
    """The result of a piece of work: the examples of whole matches."""

    rows: Rows
    counts: Mapping[str, int]
    """Figures to be summed up over all matches, as their plies."""
    matches: int = 1


def weights_digest(weights: "NDArray[np.float32] | None") -> str | None:
    """Checksum of a player's weights, for a manifest."""
    return None if weights is None else hashlib.sha256(weights.tobytes()).hexdigest()


class InOrder:
    """Writes the last batch of a folder."""

    def __init__(self, folder: ExampleFolder, work: Work, total: int, progress: Progress) -> None:
        self.folder = folder
        self._work, self._total, self._progress = work, total, progress
        self._waiting: list[Recorded] = []
        self._began = self._flushed = time.perf_counter()

    def play(self, function: Callable[..., Recorded], jobs: Sequence[tuple[object, ...]]) -> None:
        """Run pieces of work; the matches of each follow those of the piece before it.

        Raises GameforgeError if the disk has no room for the rest of the batch; what is finished is kept.
        """
        results = self._work.in_order(function, jobs)
        try:
            for recorded in results:
                self._waiting.append(recorded)
                rows = sum(len(one.rows) for one in self._waiting)
                if rows >= SHARD_ROWS or time.perf_counter() - self._flushed > FLUSH_SECONDS:
                    self._require_room(rows)
                    self._flush()
        finally:
            results.close()
            self._flush()

    def finish(self) -> ExampleFolder:
        """Mark the batch as finished."""
        return self.folder.finish(self.folder.batches[-1].numbers)

    def note(self, numbers: Mapping[str, float]) -> None:
        """Add figures to the batch."""
        known = {**self.folder.batches[-1].numbers, **numbers}
        self.folder = self.folder.append(joined((), self.folder.words, exact=self.folder.exact), 0, known)

    def _require_room(self, rows: int) -> None:
        """Raise GameforgeError unless the disk has room for these rows and for as many a match in the matches left."""
        batch = self.folder.batches[-1]
        done = batch.matches + sum(one.matches for one in self._waiting)
        if done:
            mean = (rows + sum(shard.examples for shard in batch.shards)) / done
            left = rows + mean * (self._total - done)
            size = row_type(self.folder.words, exact=self.folder.exact).itemsize
            files.require_disk(self.folder.path, round(left * size), f"the rest of {self._total:,} matches")

    def _flush(self) -> None:
        """Write the waiting matches; all earlier ones have been written."""
        if not self._waiting:
            return
        known = dict(self.folder.batches[-1].numbers)
        now = time.perf_counter()
        for recorded in self._waiting:
            for name, n in recorded.counts.items():
                known[name] = known.get(name, 0) + n
        known["seconds"] = round(known.pop("seconds", 0.0) + now - self._began, 3)
        rows = joined((one.rows for one in self._waiting), self.folder.words, exact=self.folder.exact)
        self.folder = self.folder.append(rows, sum(one.matches for one in self._waiting), known)
        self._waiting = []
        self._began = self._flushed = now
        self._progress(self.folder.batches[-1].matches, self._total, self.folder)


_STATES, _MATCH = range(2)
_MOST = 1 << 31
_least_0 = kinds.count(0, _MOST)
_least_1 = kinds.count(1, _MOST)


@attrs.frozen(kw_only=True)
class Plan:
    """Which matches to play; the defaults are those of [Rezende2017]."""

    start_matches: int = attrs.field(default=30, validator=_least_1)
    """Number of matches from the initial position."""
    states: int = attrs.field(default=300, validator=_least_0)
    """Number of random states near the start."""
    matches: int = attrs.field(default=5, validator=_least_1)
    """Number of matches from each of these states."""
    seed: int = attrs.field(default=0, validator=_least_0)

    @property
    def total(self) -> int:
        """Total number of matches."""
        return self.start_matches + self.states * self.matches


def make_examples(
    out: Path,
    player: Player,
    plan: Plan,
    *,
    registry: Registry | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    append: bool = False,
    check: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, total, folder: None,
) -> ExampleFolder:
    """Make examples in the folder `out`, or resume an interrupted batch; do nothing if it is finished.

    executor: plays the matches instead of `workers` threads. append: add to a folder of examples that were made with
    other settings. check: called regularly; an exception that it raises ends the work. Raises GameforgeError if the
    player's searcher does not count visits, if `out` holds anything else, or if it holds examples made with other
    settings and `append` is not set.
    """
    if not player.parts.search.statistics:
        raise GameforgeError(
            f"examples: the searcher of {player.name} does not count visits of moves",
            advice="use a Monte Carlo tree search, or make examples of whole games",
            parameter="games",
        )
    pipeline = Pipeline.from_settings(
        {"learner": "none", "oracle": "none"} | dict(player.spec), registry or default_registry()
    )
    with open_batch(ExampleFolder.new(out, player.game), _made(player, plan), append) as folder:
        if folder.batches[-1].finished:
            return folder
        with pipeline.work(player.parts, executor, workers, check) as work:
            return _play_all(player, plan, InOrder(folder, work, plan.total, progress))


def _made(player: Player, plan: Plan) -> dict[str, object]:
    """The settings that identify the batch."""
    settings = {"by": "matches", **attrs.asdict(plan), "player": dict(player.spec)}
    return settings | {"weights": weights_digest(player.weights)}


def _play_all(player: Player, plan: Plan, writer: InOrder) -> ExampleFolder:
    """Play and write all matches that have not been stored."""
    game, seed = player.game, np.random.SeedSequence(plan.seed)
    before = writer.folder.matches - writer.folder.batches[-1].matches

    def play(starts: list[State], first: int) -> None:
        """Play one match from each of these states, numbered from `first`, except those that have been stored."""
        done = max(0, writer.folder.batches[-1].matches - first)
        jobs = [
            (player.weights, start, derived(seed, _MATCH, first + i), before + first + i)
            for i, start in list(enumerate(starts))[done:]
        ]
        writer.play(play_match, jobs)

    play([game.rules.initial()] * plan.start_matches, 0)
    numbers = writer.folder.batches[-1].numbers
    if "mean_plies" not in numbers:
        writer.note({"mean_plies": numbers["plies"] / plan.start_matches})
    if plan.states:
        rng = np.random.default_rng(derived(seed, _STATES))
        states = random_states(game, plan.states, writer.folder.batches[-1].numbers["mean_plies"], rng)
        play([state for state in states for _ in range(plan.matches)], plan.start_matches)
    return writer.finish()


_IN_VAIN = 20_000
"""Number of consecutive known states after which `random_states` gives up."""


def random_states(game: Game, wanted: int, moves: float, rng: np.random.Generator) -> list[State]:
    """Find `wanted` distinct unfinished states by random games, those nearest to the start first.

    Plays ceil(wanted / moves) + 1 games at once, where `moves` is the mean length of a game, and takes one state of
    each in turn; repeats this until there are enough. Raises GameforgeError if the game has too few states.
    """
    found: dict[State, None] = {}
    games = math.ceil(wanted / max(moves, 1.0)) + 1
    in_vain = 0
    while len(found) < wanted and in_vain < _IN_VAIN:
        states = [game.rules.initial()] * games
        plies = 0
        while states and plies < game.rules.draws.max_plies - 1 and len(found) < wanted and in_vain < _IN_VAIN:
            plies += 1
            states = [after for state in states if (after := _random_move(game, state, rng)) is not None]
            for state in states:
                in_vain = in_vain + 1 if state in found else 0
                if len(found) < wanted:
                    found[state] = None
        in_vain += 1  # games that end at once yield no states at all
    if len(found) < wanted:
        raise GameforgeError(
            f"examples: random games of {game.rules.name} reach only {len(found)} different states, not {wanted}; "
            "choose a smaller number of states"
        )
    return list(found)


def _random_move(game: Game, state: State, rng: np.random.Generator) -> State | None:
    """The state after a random move; None if the move ends the game."""
    legal = game.legal(state)
    after = game.play(state, legal[int(rng.integers(len(legal)))])
    return None if game.code(after, len(game.legal(after))) else after


_ROWS = 4096
"""Minimum number of rows that the kernel's block has room for."""
_MOST_VISITS = (1 << 32) - 1


def play_match(
    site: Site, weights: "NDArray[np.float32] | None", start: State, seed: np.random.SeedSequence, number: int
) -> Recorded:
    """Play match `number` of the pipeline's player against itself; the sides share no search memory.

    Raises GameforgeError if the search is stopped.
    """
    parts = site.parts
    rules = parts.game.rules
    game = assembly.game_workspace(parts.game.compiled, rules.draws)
    first = parts.compiled_player(game, weights)
    second = parts.compiled_player(game, weights)
    # One stop flag serves both sides.
    second = second._replace(context=second.context._replace(control=first.context.control))
    first.context.rng[0], second.context.rng[0] = seed.generate_state(2, np.uint64)
    begin_at(game, np.array(start, np.uint64))
    assembly.check(game.rules)
    beginner = rules.side_to_move(start)
    found = []
    words, most = parts.game.functions.words, max(_ROWS, 2 * parts.game.functions.max_moves)
    recording = Recording(np.zeros(most * (words + MOVE_WORDS), np.uint64), np.zeros(1, np.int64))
    control, code = first.context.control, FULL
    while code == FULL:
        code = int(interruptible(control, play_recording, game, first, second, recording, check=site.check))
        filled = recording.rows.reshape(-1, words + MOVE_WORDS)[: recording.filled[0]]
        found.append(_rows(filled, words, beginner, number))
    if code == gameplay.STOPPED:
        raise GameforgeError(f"examples: the search of match {number + 1} was stopped")
    if code == gameplay.ILLEGAL:
        raise GameforgeError("examples: the searcher returned an illegal move")
    plies = int(game.counters[slots.PLIES])
    outcome = Outcome.of(rules, code, (beginner + plies) % 2)
    assert outcome is not None
    rows = joined(found, words)
    rows["result"] = 0 if outcome.winner is None else np.where(rows["mover"] == outcome.winner, 1, -1)
    return Recorded(rows, {"plies": plies, "simulations": int(first.context.control[slots.NODES])})


def _rows(found: NDArray[np.uint64], words: int, beginner: int, match: int) -> Rows:
    rows = np.zeros(len(found), row_type(words))
    visits, values, plies = (np.ascontiguousarray(found[:, words + i]) for i in range(MOVE_WORDS))
    rows["state"] = found[:, :words]
    rows["visits"] = np.minimum(visits, _MOST_VISITS)
    rows["utility"] = values.view(np.float64)
    rows["ply"], rows["match"] = plies, match
    rows["mover"] = (plies + np.uint64(beginner)) % np.uint64(2)
    return rows
