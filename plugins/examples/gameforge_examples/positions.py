"""Positions with values: read from folders of examples for learners, and made by games of any player against itself.

The games are played over workers, and can be resumed. A position is kept with the result of its game, the search's
score and the ply. By default it must be quiet: none of its moves is noisy, before which a static score means little
(gameforge.interfaces.rules.RulesFunctions.noisy). Each game has the random words of its number: positions depend on the
player and the plan alone, unless the search looks at a clock.
"""

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Contender, Game, GameforgeError, Parts, Pipeline, Player, Registry, default_registry
from gameforge.interfaces import DRAW, WIN, DrawRules, Rules, Site, Spec, State, kinds
from gameforge.kernel import U1, FloatArray, assembly, bits, gameplay, interruptible, slots, stream
from gameforge.storage import files
from gameforge_examples import recording
from gameforge_examples.folder import ExampleFolder, Rows, open_batch, row_type
from gameforge_examples.making import InOrder, Progress, Recorded, weights_digest
from gameforge_examples.recording import EXACT, POSITION_WORDS, PositionGames, judge_positions, play_positions


@attrs.frozen(eq=False, kw_only=True)
class Positions:
    """Positions, and what is known of each for the side to move."""

    states: NDArray[np.uint64]
    """[N, words]."""
    results: FloatArray
    """[N]: how the game ended, 1 won, 1/2 drawn, 0 lost; a mean where equal states are merged."""
    scores: FloatArray
    """[N]: the search's score as (score + 1) / 2; the result that an oracle knows, where it does."""
    exact: NDArray[np.bool_]
    """[N]: where an oracle knew."""
    weights: FloatArray
    """[N]: how many positions each stands for."""
    games: NDArray[np.int64]
    """[N]: the game that it comes from; numbers of several folders follow one another."""
    sources: NDArray[np.int64]
    """[N]: number of the batch, or of the generation, that it comes from."""

    def __len__(self) -> int:
        return len(self.states)

    def chosen(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Positions":
        """Return the positions at some indices, or where a mask is set."""
        return Positions(**{name: getattr(self, name)[which] for name in _COLUMNS})

    def merged(self) -> "Positions":
        """Return each state once, in the order in which they first occur, with the mean of what is known of it.

        It belongs to the game in which it first occurs. If an oracle knew it, search scores do not count.
        """
        if not len(self):
            return self
        _, first, which = np.unique(self.states, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        weights = np.bincount(which, self.weights)
        exact = np.bincount(which, self.exact) > 0
        found = self.chosen(first)
        trusted = np.where(exact[which] & ~self.exact, 0, self.weights)
        scores = np.bincount(which, trusted * self.scores.astype(np.float64)) / np.bincount(which, trusted)
        found = attrs.evolve(
            found,
            results=(np.bincount(which, self.weights * self.results.astype(np.float64)) / weights).astype(np.float32),
            scores=scores.astype(np.float32),
            exact=exact,
            weights=weights.astype(np.float32),
        )
        return found.chosen(np.argsort(first))

    def with_images(self, game: Game) -> "Positions":
        """Return these positions, then their images under each symmetry; GameforgeError if the game names none."""
        symmetries = game.symmetries
        if symmetries is None:
            raise GameforgeError(f"examples: {game.rules.name} names no symmetries; leave images out")
        states = [tuple(state) for state in self.states.tolist()]
        images = [
            np.array([symmetries.state_image(state, i) for state in states], np.uint64).reshape(self.states.shape)
            for i in range(1, symmetries.count)
        ]
        copies = symmetries.count
        columns = {name: np.concatenate([getattr(self, name)] * copies) for name in _COLUMNS if name != "states"}
        return Positions(states=np.concatenate([self.states, *images]), **columns)


_COLUMNS = tuple(field.name for field in attrs.fields(Positions))
_BESIDE = 29
"""Bytes of a position beside its state."""


def positions_of(rows: Rows, source: int = 0, before: int = 0) -> Positions:
    """Convert stored rows, whose values are for the side that has just moved; omit moves that no simulation tried.

    source: their batch or generation. before: what is added to the games' numbers.
    """
    rows = rows[rows["visits"] > 0]
    n = len(rows)
    return Positions(
        states=np.ascontiguousarray(rows["state"]),
        results=((1 - rows["result"]) / 2).astype(np.float32),
        scores=((1 - rows["utility"]) / 2).astype(np.float32),
        exact=np.array(rows["exact"]) if "exact" in (rows.dtype.names or ()) else np.zeros(n, np.bool_),
        weights=np.ones(n, np.float32),
        games=rows["match"].astype(np.int64) + before,
        sources=np.full(n, source, np.int64),
    )


def all_of(parts: Sequence[Positions]) -> Positions:
    """Join several sets of positions."""
    return Positions(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS})


def read_positions(paths: Sequence[Path], game: Game, *, merged: bool = True, images: bool = False) -> Positions:
    """Read all positions of folders of examples.

    merged: equal states become one. images: with those under the game's symmetries, before they are merged. Raises
    GameforgeError for folders that are none, hold examples of another game or other rules, are damaged or empty, and
    for a folder that is named twice.
    """
    _require_different(paths)
    folders = [ExampleFolder.read(path, game) for path in paths]
    _require_room(folders, game, images)
    parts: list[Positions] = []
    games = source = 0
    for path, folder in zip(paths, folders, strict=True):
        if not folder.examples:
            raise GameforgeError(f"{path} holds no examples yet")
        shards = folder.shards()
        begin = len(parts)
        for batch in folder.batches:
            parts += [positions_of(next(shards), source, games) for _ in batch.shards]
            source += 1
        games = 1 + max((int(part.games.max()) for part in parts[begin:] if len(part)), default=games - 1)
    found = all_of(parts)
    if images:
        found = found.with_images(game)
    return found.merged() if merged else found


def _require_room(folders: Sequence[ExampleFolder], game: Game, images: bool) -> None:
    """Raise GameforgeError if the positions do not fit into memory, once as they are read and once joined."""
    copies = game.symmetries.count if images and game.symmetries is not None else 1
    n = copies * sum(folder.examples for folder in folders)
    files.require_memory(2 * n * (8 * game.functions.words + _BESIDE), f"examples: a set of {n:,} positions")


def _require_different(paths: Sequence[Path]) -> None:
    """Raise GameforgeError for a folder that is named twice, whose copies would count as different games."""
    named: dict[Path, Path] = {}
    for path in paths:
        if (place := path.resolve()) in named:
            raise GameforgeError(f"examples: {named[place]} and {path} are the same folder; name it once")
        named[place] = path


GAMES_A_JOB = 32
_ROOM = 4096
"""Rows that are taken out of the kernel at once, if a game needs no more."""
_MOST = 1 << 31
_least_0 = kinds.count(0, _MOST)


@attrs.frozen(kw_only=True)
class GameSettings:
    """How games of self-play go."""

    openings: str = ""
    """Set of openings of the game with which the games begin in turn, such as 3move; empty: at the initial position."""
    random_plies: int = attrs.field(default=8, validator=_least_0)
    """Random moves at the beginning of each game, or after its opening."""
    further_plies: int = attrs.field(default=0, validator=_least_0)
    """At most this number of further random moves, drawn for each game: games that begin later reach positions of the
    middle game that others do not."""
    even: float = attrs.field(default=1.0, validator=kinds.positive(1))
    """The random moves are drawn again until the player's score after them is at most this far from 0."""
    random_moves: float = attrs.field(default=0.0, validator=kinds.share)
    """Share of the later moves that are drawn at random. Positions before them are not kept."""
    greedy_moves: float = attrs.field(default=0.0, validator=kinds.share)
    """Share of the searched positions in which the move with the best static score is played, not the one that the
    search found. The evaluator thus meets the positions that it overrates."""
    quiet: bool = True
    """Keep only positions without noisy moves. In a game where a static score should know what such moves are worth, as
    a corner in Othello, keep all positions."""
    margin: float = attrs.field(default=1.0, validator=kinds.positive(1))
    """Keep only positions whose score is at most this far from 0. Where most games are decided early, a small margin
    leaves the positions in which a good evaluation matters."""
    balanced_by: Spec | None = None
    """Evaluator without weights to train; keep only positions that it scores 0, such as those with equal numbers of
    pieces (material:king=1). None: keep the others, too."""
    kept: float = attrs.field(default=1.0, validator=kinds.positive(1))
    """Share of these positions that are kept, drawn at random: neighbouring ones teach nearly the same."""
    judge: Spec | None = None
    """Searcher, with the player's evaluator and oracles, whose scores replace those of the games: a fast player leads
    to more positions, and a deep search judges those that are kept. None: the scores are the player's."""
    leads: Spec | None = None
    """Oracle that knows the lead at the end, such as solver:empty=12. A position that it knows scores what the
    oracle takes its lead to be worth."""
    outcome: float = attrs.field(default=0.0, validator=kinds.share)
    """Share of the first lead that `leads` knows in the scores of the game's earlier positions."""
    adjudicate: bool = True
    """End a game where an oracle of the player knows the result."""
    repetition: int | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(kinds.whole("0, or a whole number from 2 to 2^31", 2, _MOST, off=True)),
    )
    """Draw when a position occurs for the n-th time, 2 or more; None: as the rules say, 0: never."""
    no_progress: int | None = attrs.field(default=None, validator=attrs.validators.optional(_least_0))
    """Draw after n plies without an irreversible move; None: as the rules say, 0: never."""

    def with_random_moves(self, least: float) -> "GameSettings":
        """The same with this share of random moves or more."""
        return attrs.evolve(self, random_moves=max(self.random_moves, least))

    def draws(self, rules: DrawRules) -> DrawRules:
        """The rules' draws, with what is set otherwise here."""
        repetition = rules.repetition if self.repetition is None else self.repetition
        no_progress = rules.no_progress if self.no_progress is None else self.no_progress
        return attrs.evolve(rules, repetition=repetition, no_progress=no_progress)


@attrs.frozen(kw_only=True)
class SelfplayPlan:
    """Which games to play."""

    games: int = attrs.field(default=1000, validator=kinds.count(1, _MOST))
    settings: GameSettings = GameSettings()
    seed: int = attrs.field(default=0, validator=_least_0)


def make_positions(
    out: Path,
    player: Player,
    plan: SelfplayPlan,
    *,
    registry: Registry | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    append: bool = False,
    check: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, total, folder: None,
) -> ExampleFolder:
    """Keep positions of self-play in the folder `out`, or resume there; does nothing if they are there already.

    executor, append, check: as of make_examples. Raises GameforgeError if `out` holds anything else, or positions
    that were made otherwise and `append` is not set.
    """
    settings = {"learner": "none", "oracle": "none"} | dict(player.spec)
    pipeline = Pipeline.from_settings(settings, registry or default_registry())
    made = {
        "by": "selfplay",
        "games": plan.games,
        **attrs.asdict(plan.settings),
        "seed": plan.seed,
        "player": dict(player.spec),
        "weights": weights_digest(player.weights),
    }
    with open_batch(ExampleFolder.new(out, player.game, exact=True), made, append) as folder:
        batch = folder.batches[-1]
        if batch.finished:
            return folder
        begin, before = stream(np.random.SeedSequence(plan.seed)), folder.matches - batch.matches
        jobs = [
            (None, player.weights, plan.settings, begin, number, min(GAMES_A_JOB, plan.games - number), before)
            for number in range(batch.matches, plan.games, GAMES_A_JOB)
        ]
        with pipeline.work(player.parts, executor, workers, check) as work:
            writer = InOrder(folder, work, plan.games, progress)
            writer.play(play_games, jobs)
            return writer.finish()


def play_games(
    site: Site,
    parts: Parts | None,
    weights: "NDArray[np.float32] | None",
    settings: GameSettings,
    begin: int,
    number: int,
    games: int,
    before: int = 0,
) -> Recorded:
    """Play games number `number`, number + 1, ... of a stream of random words; a piece of work.

    parts: None for those of the site. before: what is added to the numbers in the rows. Raises GameforgeError for a
    searcher that answers an illegal move, and if random plies end every game.
    """
    parts = parts or site.parts
    if settings.greedy_moves and parts.evaluator is None:
        raise GameforgeError("examples: greedy moves need an evaluator, which this player does not have")
    judge = None if settings.judge is None else parts.with_searcher(site.create("searcher", settings.judge))
    rules = parts.game.rules
    game = assembly.game_workspace(parts.game.compiled, settings.draws(rules.draws))
    first, second = parts.compiled_player(game, weights), parts.compiled_player(game, weights)
    second = second._replace(context=second.context._replace(control=first.context.control))
    fresh = first.context.memory.copy(), second.context.memory.copy()
    starts = openings_of(parts, settings)
    beginners = np.array([rules.side_to_move(start) for start in starts])
    words = parts.game.functions.words
    block = np.zeros(max(_ROOM, rules.draws.max_plies) * (words + POSITION_WORDS), np.uint64)
    found: list[Rows] = []
    done = plies = 0
    while done < games:
        room = PositionGames(
            starts=np.array(starts, np.uint64).reshape(-1),
            fresh=fresh,
            stream=np.uint64(begin),
            first=number + done,
            rng=np.zeros(1, np.uint64),
            random_plies=np.uint64(settings.random_plies),
            further_plies=np.uint64(settings.further_plies),
            even=settings.even,
            random=bits.threshold(settings.random_moves),
            greedy=bits.threshold(settings.greedy_moves),
            quiet=np.uint64(settings.quiet),
            margin=settings.margin,
            left_out=bits.threshold(1 - settings.kept),
            adjudicate=np.uint64(settings.adjudicate),
            codes=np.zeros(games - done, np.int64),
            plies=np.zeros(games - done, np.int64),
            ends=np.zeros(games - done, np.int64),
            rows=block,
            filled=np.zeros(1, np.int64),
        )
        control = first.context.control
        n = int(interruptible(control, play_positions, game, first, second, room, check=site.check))
        codes = room.codes[:n]
        _require_legal(codes, parts, settings)
        results = _results(codes, room.plies[:n])
        numbers = number + done + np.arange(n)
        sizes = np.diff(room.ends[:n], prepend=0)
        rows = _rows(block.reshape(-1, words + POSITION_WORDS)[: int(sizes.sum())], words)
        rows["match"] = np.repeat(before + numbers, sizes)
        rows["mover"] = (np.repeat(beginners[numbers % len(beginners)], sizes) + rows["ply"]) % 2
        rows["result"] = np.repeat(results, sizes) * np.where(rows["ply"] % 2 == 0, 1, -1)
        found.append(rows)
        done, plies = done + n, plies + int(room.plies[:n].sum())
    counts = {"plies": plies, "nodes": int(first.context.control[slots.NODES])}
    rows = np.concatenate(found)
    if settings.balanced_by is not None:
        rows = rows[_balanced(site, settings.balanced_by, rows)]
    if judge is not None:
        counts["nodes"] += _judge(site, judge, weights, rows)
    if settings.leads is not None:
        _score_by_leads(parts.game.rules, site.create("oracle", settings.leads), settings.outcome, rows)
    return Recorded(rows, counts, matches=games)


def _balanced(site: Site, evaluator: Spec, rows: Rows) -> NDArray[np.bool_]:
    """Which positions the evaluator scores 0; GameforgeError if it has weights to train."""
    try:
        parts = Contender(evaluator=evaluator).parts(site)
    except GameforgeError as error:
        raise GameforgeError(f"examples: balanced_by: {error.message}") from error
    return parts.values(np.ascontiguousarray(rows["state"], np.uint64), None) == 0


def _judge(site: Site, parts: Parts, weights: "NDArray[np.float32] | None", rows: Rows) -> int:
    """Replace the scores of positions that no oracle knows by those of a new search of each; return its nodes.

    Every search begins with an empty memory, so that a score depends on the position alone.
    """
    game = assembly.game_workspace(parts.game.compiled, parts.game.rules.draws)
    judge = parts.compiled_player(game, weights)
    chosen = np.flatnonzero(~rows["exact"])
    states = np.ascontiguousarray(rows["state"][chosen], np.uint64).reshape(-1)
    scores = np.zeros(len(chosen))
    fresh, control = judge.context.memory.copy(), judge.context.control
    interruptible(control, judge_positions, game, judge, fresh, states, scores, check=site.check)
    rows["utility"][chosen] = -np.clip(scores, -1, 1)
    return int(control[slots.NODES])


def _score_by_leads(rules: Rules, oracle: object, outcome: float, rows: Rows) -> None:
    """Score the positions of which the oracle knows the lead by it, and those before them by their game's in part."""
    utilities_of = getattr(oracle, "lead_utilities", None)
    if utilities_of is None:
        raise GameforgeError("examples: leads: this oracle does not know by how many pieces a game ends")
    utilities = utilities_of(rules, np.ascontiguousarray(rows["state"], np.uint64))
    known = np.flatnonzero(~np.isnan(utilities))
    rows["utility"][known] = -utilities[known]
    rows["exact"][known] = True
    first = known[np.unique(rows["match"][known], return_index=True)[1]]
    place = np.searchsorted(rows["match"][first], rows["match"])
    place[place == len(first)] = 0
    if outcome and len(first):
        ends = first[place]
        before = (rows["match"][ends] == rows["match"]) & (rows["ply"] < rows["ply"][ends])
        sides = np.where(rows["mover"] == rows["mover"][ends], 1, -1)
        blended = (1 - outcome) * rows["utility"] + outcome * sides * rows["utility"][ends]
        rows["utility"][before] = blended[before]


def _require_legal(codes: NDArray[np.int64], parts: Parts, settings: GameSettings) -> None:
    if np.any(codes == gameplay.ILLEGAL):
        raise GameforgeError("examples: the searcher returned an illegal move")
    if np.any(codes == recording.NO_OPENING):
        raise GameforgeError(
            f"examples: {settings.random_plies + settings.further_plies} random plies end every game of "
            f"{parts.game.rules.name}, or none of their positions is even; take fewer"
        )


def _results(codes: NDArray[np.int64], plies: NDArray[np.int64]) -> NDArray[np.int64]:
    """1 where the side won that moves at even plies, -1 where it lost, 0 for a draw."""
    to_move = np.where(codes & 3 == DRAW, 0, np.where(codes & 3 == WIN, 1, -1))
    return np.where(plies % 2 == 0, to_move, -to_move)


def openings_of(parts: Parts, settings: GameSettings) -> list[State]:
    """The states in which the games begin, in turn; GameforgeError if the game has no such set of openings."""
    game = parts.game
    if not settings.openings:
        return [game.rules.initial()]
    if game.openings is None:
        raise GameforgeError(f"openings = {settings.openings!r}: {game.rules.name} has no sets of openings")
    return [
        functools.reduce(game.play, opening.moves, opening.start) for opening in game.openings.get(settings.openings)
    ]


def _rows(block: NDArray[np.uint64], words: int) -> Rows:
    """The kernel's rows as they are stored, from the side that just moved, but for what is known of their games."""
    rows = np.zeros(len(block), row_type(words, exact=True))
    rows["state"] = block[:, :words]
    rows["utility"] = -np.clip(np.ascontiguousarray(block[:, words]).view(np.float64), -1, 1)
    rows["visits"] = 1
    rows["ply"] = (block[:, words + 1] & (EXACT - np.uint64(1))) - U1
    rows["exact"] = block[:, words + 1] & EXACT != 0
    return rows
