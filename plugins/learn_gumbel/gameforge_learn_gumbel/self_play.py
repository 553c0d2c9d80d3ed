"""Self-play: whole games in a kernel, and of each search a policy to fit and the value of the position.

By `puct` these are the shares of the visits and their mean [Silver2018]; a move that wins for certain has all of them.

The improved policy is the softmax of logit + weight * completed value [Danihelka2022, equations 10 and 11]. The
completed value of a move is the mean of its visits. A move without visits has the value of the position: the
evaluator's, mixed with the means of the visited moves (appendix D of the paper). The weight is (50 + the most visits of
a move) * scale, for values from 0 to 1.
"""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

import gameforge as gf
from gameforge.interfaces import DRAW, RUNNING, WIN, WON, Site, Spec
from gameforge.kernel import (
    U0,
    U1,
    CompiledPlayer,
    FloatArray,
    GameWorkspace,
    IntegerArray,
    Score,
    Whole,
    Word,
    WordArray,
    Words,
    answer,
    assembly,
    at,
    bare_kernel,
    below,
    gameplay,
    inline,
    interruptible,
    slots,
    static_score,
)

VISITS_OFFSET = 50.0
"""c_visit of [Danihelka2022]."""
FULL = -2
"""Code of a game for whose positions there is no room; unlike STOPPED and all codes of results."""
_STATISTICS = np.uint64(slots.STATISTICS)
_TO_COME = 2
"""Random words that a game begins with: one for the player, one for its random moves."""


class Games(NamedTuple):
    """The games to play, and room for their positions."""

    start: WordArray
    """The state in which they begin."""
    fresh: WordArray
    """The searcher's memory at the beginning of a game."""
    stream: np.uint64
    """The random words of game number 0 begin here."""
    first: int
    """Number of the first of these games."""
    rng: WordArray
    """State of the generator of random moves."""
    random_plies: np.uint64
    """A game begins with 0 to this number of random moves."""
    by_visits: bool
    """Whether shares of visits are kept instead of the improved policy."""
    scale: float
    """Weight of values in the improved policy."""
    codes: IntegerArray
    """Final code of each game."""
    plies: IntegerArray
    ends: IntegerArray
    """Number of positions after each game."""
    states: WordArray
    """[positions * words]"""
    plies_before: IntegerArray
    """[positions]: plies of the game before each."""
    values: NDArray[np.float64]
    """[positions]: values of the searches, for the side to move."""
    counts: IntegerArray
    """[positions]: numbers of legal moves."""
    moves: WordArray
    """The legal moves of all positions, one after the other."""
    shares: NDArray[np.float64]
    """The policy to fit, in the same way."""
    filled: IntegerArray
    """Positions and moves so far."""


@inline
def _visits(out: WordArray, i: Whole) -> Word:
    """Visits of the move of this number, by the statistics of a search."""
    return out[answer.statistics_of(np.uint64(i)) + U1]


@inline
def _mean(out: WordArray, i: Whole, otherwise: Score) -> Score:
    """Mean of its visits; `otherwise` without visits."""
    bits = np.uint64(out[answer.statistics_of(np.uint64(i)) + U1 + U1])
    return bits.view(np.float64) if _visits(out, i) != U0 else otherwise


@inline
def _improve(player: CompiledPlayer, state: Words, n: Word, games: Games, first: Word) -> Score:
    """Turn the logits of a search's n moves in games.shares[first:] into the improved policy; return its value."""
    evaluator, out = player.context.evaluator, player.out
    shares = at(games.shares, first)
    value = static_score(evaluator, state)
    data, weights, x = at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0)
    evaluator.policy(data, weights, state, at(games.moves, first), n, x, shares)
    # 1. The value of moves without visits.
    greatest = -np.inf
    for i in range(n):
        greatest = max(greatest, shares[i])
    visits, most, probable, mean = U0, U0, 0.0, 0.0
    for i in range(n):
        if _visits(out, i) != U0:
            visits, most = visits + _visits(out, i), max(most, _visits(out, i))
            prior = math.exp(shares[i] - greatest)
            probable += prior
            mean += prior * _mean(out, i, 0.0)
    if probable > 0.0:
        value = (value + np.float64(visits) * (mean / probable)) / (1.0 + np.float64(visits))
    # 2. The improved policy and its value.
    weight, greatest = (VISITS_OFFSET + np.float64(most)) * games.scale * 0.5, -np.inf
    for i in range(n):
        shares[i] += weight * _mean(out, i, value)
        greatest = max(greatest, shares[i])
    total, improved = 0.0, 0.0
    for i in range(n):
        shares[i] = math.exp(shares[i] - greatest)
        total += shares[i]
        improved += shares[i] * _mean(out, i, value)
    for i in range(n):
        shares[i] /= total
    return min(max(improved / total, -1.0), 1.0)


@inline
def _count_visits(out: WordArray, n: Word, score: Score, games: Games, first: Word) -> Score:
    """Write the shares of the visits of n moves to games.shares[first:]; return the mean value of the visits.

    score: that of the search. If it is a win for certain, the move that wins has all visits.
    """
    visits, value = U0, 0.0
    for i in range(n):
        visits += _visits(out, i)
    for i in range(n):
        share = np.float64(_visits(out, i)) / np.float64(visits)
        value += share * _mean(out, i, 0.0)
        is_chosen = games.moves[first + i] == out[slots.OUT_MOVE]
        games.shares[first + i] = share if score < WON else 1.0 if is_chosen else 0.0
    return min(max(score if score >= WON else value, -1.0), 1.0)


@inline
def _search_and_keep(game: GameWorkspace, player: CompiledPlayer, games: Games) -> Word:
    """Find a move by a search, and keep the position with what the search found; there must be room for it."""
    row, first, words, out = np.uint64(games.filled[0]), np.uint64(games.filled[1]), game.rules.words, player.out
    state = at(game.states, U0)
    score: Score = player.search(player.context, state, at(player.limits, U0), at(out, U0))
    n = out[_STATISTICS]
    for i in range(n):
        games.moves[first + i] = out[answer.statistics_of(i)]
    for i in range(words):
        games.states[row * words + i] = state[i]
    if games.by_visits:
        games.values[row] = _count_visits(out, n, score, games, first)
    else:
        games.values[row] = _improve(player, state, n, games, first)
    games.counts[row], games.plies_before[row] = np.int64(n), game.counters[slots.PLIES]
    games.filled[0] += 1
    games.filled[1] += np.int64(n)
    return out[slots.OUT_MOVE]


@bare_kernel
def play_games(game: GameWorkspace, player: CompiledPlayer, games: Games) -> int:
    """Let a player play against itself. Each game depends on its number and the evaluator alone.

    Returns the number of finished games: fewer than asked for if there is no room for the positions of the next one, if
    the STOP flag was set, or after a game with the code ILLEGAL.
    """
    games.filled[:] = 0
    rng = at(games.rng, U0)
    for g in range(len(games.codes)):
        before = games.filled[0], games.filled[1]
        gameplay.seat(player, games.fresh, gameplay.first_word(games.stream, _TO_COME * (games.first + g)))
        games.rng[0] = gameplay.first_word(games.stream, _TO_COME * (games.first + g) + 1)
        random = below(rng, games.random_plies + U1)
        gameplay.begin(game, at(games.start, U0))
        while True:
            n, code = gameplay.legal(game)
            plies = np.uint64(game.counters[slots.PLIES])
            if code != RUNNING and U0 < plies <= random:  # random moves must not end the game: begin anew with fewer
                random = below(rng, plies)
                gameplay.begin(game, at(games.start, U0))
                continue
            if code != RUNNING:
                break
            if plies < random:
                m = gameplay.random_move(game, n, rng)
            elif n == U1:
                m = game.moves[0]
            elif games.filled[0] == len(games.counts) or np.uint64(games.filled[1]) + n > np.uint64(len(games.moves)):
                code = FULL
                break
            else:
                m = _search_and_keep(game, player, games)
            if player.context.control[slots.STOP] != 0:
                code = gameplay.STOPPED
                break
            if not gameplay.is_legal(game, n, m):
                code = gameplay.ILLEGAL
                break
            gameplay.advance(game, m)
        if code in (FULL, gameplay.STOPPED):
            games.filled[0], games.filled[1] = before
            return g
        games.codes[g], games.plies[g], games.ends[g] = code, game.counters[slots.PLIES], games.filled[0]
        if code == gameplay.ILLEGAL:
            return g + 1
    return len(games.codes)


@attrs.frozen(eq=False)
class Examples:
    """Positions with what their searches found and how their games ended, all for the side to move."""

    states: WordArray
    """[N, words]"""
    values: FloatArray
    """[N]: the values of the searches."""
    results: FloatArray
    """[N]: 1 for a won game, 0 for a drawn one, -1 for a lost one."""
    counts: IntegerArray
    """[N]: numbers of legal moves."""
    moves: WordArray
    """The legal moves of all positions, one after the other."""
    shares: FloatArray
    """The policy to fit, in the same way."""

    def __len__(self) -> int:
        return len(self.states)

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        return sum(getattr(self, field.name).nbytes for field in attrs.fields(type(self)))

    def targets(self, blend: float) -> FloatArray:
        """[N]: what the positions should score; blend: the share of results in that."""
        return np.float32(blend) * self.results + np.float32(1 - blend) * self.values

    @classmethod
    def joined(cls, parts: "Sequence[Examples]") -> "Examples":
        """All positions of one or more parts."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in attrs.fields(cls)))


@attrs.frozen
class Played:
    """What a piece of work returns."""

    examples: Examples
    games: int
    plies: int
    simulations: int


_ROOM = 4096
"""Positions for which a kernel has room at first."""


@attrs.frozen(eq=False)
class SelfPlay:
    """How the games of a generation are played."""

    searcher: Spec
    weights: FloatArray
    by_visits: bool
    """Whether the policy to fit is the shares of the visits; if not, the improved policy."""
    scale: float
    """Weight of values beside the logits."""
    random_plies: int
    """Most random moves at the beginning of a game."""
    begin: int
    """Where the stream of random words of the games begins."""


def play(site: Site, how: SelfPlay, number: int, games: int) -> Played:
    """Play games number `number`, number + 1, ... of a stream of random words; a function for `Work.each`.

    Each position is kept as its image under a symmetry of the game, drawn anew for each. Games with a net in Python are
    played at once and share its calls. Raises GameforgeError for a searcher that answers an illegal move.
    """
    if site.parts.scores_batches:
        each = site.at_once([functools.partial(_play, site, how, number + i, 1) for i in range(games)])
    else:
        each = [_play(site, how, number, games)]
    examples = Examples.joined([part for found, _, _ in each for part in found])
    turn(examples, site.parts.game, np.random.default_rng((how.begin, number)))
    return Played(examples, games, sum(plies for _, plies, _ in each), sum(simulations for _, _, simulations in each))


def _play(site: Site, how: SelfPlay, number: int, games: int) -> tuple[list[Examples], int, int]:
    """Play these games one after the other; return their positions as they are, and the plies and simulations."""
    parts = gf.Contender(searcher=how.searcher).parts(site)
    rules, of_game = parts.game.rules, parts.game.functions
    game = assembly.game_workspace(parts.game.compiled, rules.draws)
    player = parts.compiled_player(game, how.weights)
    fresh = player.context.memory.copy()
    start = np.array(rules.initial(), np.uint64)
    found: list[Examples] = []
    done, plies, room = 0, 0, _ROOM
    while done < games:
        moves = max(room * min(of_game.max_moves, 16), of_game.max_moves)
        task = Games(
            start=start,
            fresh=fresh,
            stream=np.uint64(how.begin),
            first=number + done,
            rng=np.zeros(1, np.uint64),
            random_plies=np.uint64(how.random_plies),
            by_visits=how.by_visits,
            scale=how.scale,
            codes=np.zeros(games - done, np.int64),
            plies=np.zeros(games - done, np.int64),
            ends=np.zeros(games - done, np.int64),
            states=np.zeros(room * of_game.words, np.uint64),
            plies_before=np.zeros(room, np.int64),
            values=np.zeros(room),
            counts=np.zeros(room, np.int64),
            moves=np.zeros(moves, np.uint64),
            shares=np.zeros(moves),
            filled=np.zeros(2, np.int64),
        )
        n = int(interruptible(player.context.control, play_games, game, player, task, check=site.check))
        if np.any(task.codes[:n] == gameplay.ILLEGAL):
            raise gf.GameforgeError("learner gumbel: the searcher answered with an illegal move")
        found.append(_examples(task, n, of_game.words))
        done, plies = done + n, plies + int(task.plies[:n].sum())
        if n == 0:
            room *= 2
    return found, plies, int(player.context.control[slots.NODES])


def meet(site: Site, searcher: Spec, new: FloatArray, old: FloatArray, begin: int, number: int, games: int) -> float:
    """Play games number `number`, number + 1, ... of a match between two nets; a function for `Work.each`.

    Each begins every other game. Returns the points of `new`: 1 for a won game, 1/2 for a drawn one.
    """
    parts = gf.Contender(searcher=searcher).parts(site)

    def points(*numbers: int) -> float:
        series = gf.GameSeries(gf.Player(parts, new), gf.Player(parts, old))
        winners = series.play([i % 2 == 1 for i in numbers], begin, numbers[0], check=site.check).winners
        return float((winners == 0).sum()) + float((winners == -1).sum()) / 2

    numbers = range(number, number + games)
    if site.parts.scores_batches:
        return sum(site.at_once([functools.partial(points, i) for i in numbers]))
    return points(*numbers)


def _examples(task: Games, games: int, words: int) -> Examples:
    """The positions of the finished games."""
    rows, moves = task.filled.tolist()
    to_move = np.where(task.codes & 3 == DRAW, 0, np.where(task.codes & 3 == WIN, 1, -1))[:games]
    first = np.where(task.plies[:games] % 2 == 0, to_move, -to_move)  # for the side that moves at even plies
    sizes = np.diff(task.ends[:games], prepend=0)
    parity = np.where(task.plies_before[:rows] % 2 == 0, 1, -1)
    return Examples(
        states=task.states[: rows * words].reshape(rows, words).copy(),
        values=task.values[:rows].astype(np.float32),
        results=(np.repeat(first, sizes) * parity).astype(np.float32),
        counts=task.counts[:rows].copy(),
        moves=task.moves[:moves].copy(),
        shares=task.shares[:moves].astype(np.float32),
    )


def turn(examples: Examples, game: gf.Game, rng: np.random.Generator) -> None:
    """Replace each position and its moves by their images under a symmetry of the game that is drawn for it."""
    symmetries = game.symmetries
    if symmetries is None:
        return
    images = rng.integers(symmetries.count, size=len(examples)).tolist()
    ends = np.cumsum(examples.counts).tolist()
    for i, (image, end) in enumerate(zip(images, ends, strict=True)):
        if image:
            state, moves = tuple(examples.states[i].tolist()), slice(end - int(examples.counts[i]), end)
            examples.states[i] = symmetries.state_image(state, image)
            examples.moves[moves] = [symmetries.move_image(state, m, image) for m in examples.moves[moves].tolist()]
