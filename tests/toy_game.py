"""A plugin in one file for tests of the core: a small game, and one component of each kind for it.

Shuttle: each side has a runner on cells 0..4 of a lane of its own, and there is a pile of stones.
A turn is a step to the left (0) or right (1), or taking one stone (2) or two (3). Who takes the
last stone wins; when both runners stand on cell 4 the game is drawn. Runners can go to and fro for
ever, a stone taken never comes back, and the state counts plies in a word that is no part of the
position: all that matters to draws that depend on the history of the game.
"""

from functools import partial

import attrs
import numpy as np

from gameforge import Component, hookimpl
from gameforge.arena import Workspace
from gameforge.config import Spec
from gameforge.interfaces.evaluator import NetFunctions, WeightGroup
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.games import Opening
from gameforge.interfaces.learner import LearnerState, Progress, Trained
from gameforge.interfaces.rules import DRAW, LOSS, RUNNING, DrawRules, RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at
from gameforge.kernel.evaluate import static_score
from gameforge.play.player import Player

LEFT, RIGHT, TAKE_ONE, TAKE_TWO = range(4)
OWN, OPPONENT, STONES, SIDE, PLIES = range(5)
LAST_CELL = 4
_0 = np.uint64(0)


def gen(rules, s, moves):
    n = 0
    if s[OWN] > 0:
        moves[n] = LEFT
        n += 1
    if s[OWN] < LAST_CELL:
        moves[n] = RIGHT
        n += 1
    for stones in range(1, 3):
        if stones <= s[STONES]:
            moves[n] = TAKE_ONE + stones - 1
            n += 1
    return n


def play(rules, s, m, child):
    cell, stones = s[OWN], s[STONES]
    if m == LEFT:
        cell -= np.uint64(1)
    elif m == RIGHT:
        cell += np.uint64(1)
    else:
        stones -= np.uint64(m) - np.uint64(1)
    child[OWN] = s[OPPONENT]
    child[OPPONENT] = cell
    child[STONES] = stones
    child[SIDE] = np.uint64(1) - s[SIDE]
    child[PLIES] = s[PLIES] + np.uint64(1)


def outcome(rules, s, n_moves):
    """A finished game still has steps to generate: they must not be counted."""
    if s[STONES] == 0:
        return LOSS + 4 * 0
    return DRAW + 4 * 1 if s[OWN] == LAST_CELL and s[OPPONENT] == LAST_CELL else RUNNING


def key(rules, s):
    return s[OWN] | s[OPPONENT] << np.uint64(8) | s[STONES] << np.uint64(16) | s[SIDE] << np.uint64(40)


def irreversible(rules, s, m):
    return np.uint64(1 if m >= TAKE_ONE else 0)


def retracts(rules, before, m):
    return np.uint64(1 if before < TAKE_ONE and m < TAKE_ONE and before != m else 0)


@attrs.frozen(kw_only=True)
class Shuttle:
    """The rules; the settings are those of DrawRules."""

    stones: int = attrs.field(default=3, validator=[attrs.validators.ge(1), attrs.validators.le(100)])
    repetition: int = 0
    no_progress: int = 0
    max_plies: int = 60
    shuffle: int = 0

    name = "shuttle"
    sides = ("North", "South")
    reasons = ("last stone taken", "both home")

    @property
    def draws(self):
        return DrawRules(
            repetition=self.repetition,
            no_progress=self.no_progress,
            max_plies=self.max_plies,
            shuffle=self.shuffle,
            loops=("repetition", "shuffle"),
        )

    def functions(self):
        return RulesFunctions(
            words=5,
            max_moves=4,
            gen=gen,
            play=play,
            outcome=outcome,
            key=key,
            irreversible=irreversible,
            retracts=retracts,
        )

    def initial(self):
        return 2, 2, self.stones, 0, 0

    def side_to_move(self, state):
        return state[SIDE]


def lane(fd, s, x):
    x[0] = s[OWN]
    x[1] = s[OPPONENT]
    x[2] = s[STONES]


class Lanes:
    """Three inputs: both runners' cells and the pile."""

    def functions(self, rules):
        return FeatureFunctions(inputs=3, viewpoint="to move", features=lane, names=("own", "opponent", "stones"))


def forward(nd, w, x):
    return np.float64((w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) / np.float32(100))


def backward(nd, w, x, trace):
    for i in range(3):
        trace[i] += x[i] / np.float32(100)


@attrs.frozen(kw_only=True)
class Linear:
    """A net of three weights."""

    scale: float = 1.0
    features: Spec | None = None

    def functions(self, rules, features):
        groups = (WeightGroup(0, 3, "inputs", 3),)
        return NetFunctions(forward=forward, backward=backward, features=features, groups=groups, scratch=0)

    def initial_weights(self, net, rng):
        return rng.uniform(-self.scale, self.scale, net.weights).astype(np.float32)


def best_child(ctx, s, limits, out):
    rules, data = ctx.rules, at(ctx.rules.data, _0)
    n = rules.gen(data, s, at(ctx.stack, rules.words))
    best, chosen = -4.0, ctx.stack[rules.words]
    for i in range(n):
        move = ctx.stack[rules.words + np.uint64(i)]
        rules.play(data, s, move, at(ctx.stack, _0))
        score = -static_score(ctx.evaluator, at(ctx.stack, _0))
        if score > best and ctx.control[slots.STOP] == 0:
            best, chosen = score, move
    write_move(out, chosen, n)
    return best


class Greedy:
    """Plays the move with the best static score; the first one on ties."""

    def functions(self, rules):
        return SearcherFunctions(search=best_child, limits=(1,), stack=rules.words + rules.max_moves, scores=1)


def scripted(ctx, s, limits, out):
    write_move(out, limits[1 + np.int64(s[PLIES])], 0)
    return 0.0


@attrs.frozen(kw_only=True)
class Script:
    """Plays the moves of a list, by the ply that the state counts."""

    moves: list[int]

    def functions(self, rules):
        return SearcherFunctions(search=scripted, limits=(1, *self.moves), stack=1, scores=1)


@attrs.frozen(kw_only=True)
class Drift:
    """A learner that learns nothing: its weights drift while it plays itself once a round."""

    rounds: int = attrs.field(default=3, validator=attrs.validators.le(10_000))

    def train(self, task):
        start = Opening("", task.parts.game.rules.initial())
        rng = np.random.default_rng(task.seed)
        initial = task.parts.initial_weights(rng)
        weights, done = initial.copy(), 0
        if task.saved:
            weights[:] = task.saved.arrays["weights"]
            done, rng.bit_generator.state = task.saved.values["done"], task.saved.values["rng"]
        for number in range(done + 1, self.rounds + 1):
            weights += rng.uniform(-0.1, 0.1, 3).astype(np.float32)
            player = Player(task.parts, weights)
            game = Workspace(player, player).play(start)
            task.game_finished(
                attrs.evolve(game, phase="training", number=number, players=("one", "other"), session=number, learner=0)
            )
            numbers = {"drift": float(np.abs(weights - initial).sum())}
            task.session_finished(
                Progress(
                    session=number,
                    sessions=self.rounds,
                    games=number,
                    total=self.rounds,
                    weights=weights,
                    numbers=numbers,
                )
            )
            values = {"done": number, "rng": rng.bit_generator.state}
            task.checkpoint(partial(LearnerState, arrays={"weights": weights}, values=values))
        generations = [("halfway", weights / 2)]
        return Trained(
            weights=weights, initial_weights=initial, summary={"games": self.rounds}, generations=generations
        )


@hookimpl
def gameforge_components():
    def of(kind, name, cls):
        return Component(kind, name, f"{__name__}:{cls}", "for tests", game="" if kind == "rules" else "shuttle")

    return [
        of("rules", "shuttle", "Shuttle"),
        of("features", "lanes", "Lanes"),
        of("evaluator", "linear", "Linear"),
        of("searcher", "greedy", "Greedy"),
        of("searcher", "script", "Script"),
        of("learner", "drift", "Drift"),
    ]
