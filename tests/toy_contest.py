"""A plugin for tests of learners: a contest whose best features and best settings are known, and its players.

Each side names a number from 0 to 255, and the worthier one wins. There are two such games:

- Auction: a number is worth the bits in which it agrees with BEST_FEATURES. `oneply` with `sum` sets the bits of its
  features and no others, so a player is worth what its choice of features has in common with the best.
- Target: the smallest number, the nearest throw, is worth most. A `thrower` misses by its faults, which are how far
  its settings are from BEST_SETTINGS, and by chance.
"""

import time
from collections.abc import Collection
from typing import Any

import attrs
import numpy as np

from gameforge import Component, hookimpl
from gameforge.config import Spec
from gameforge.interfaces import DRAW, LOSS, RUNNING, WIN
from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions, WeightGroup
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import Progress, Trained, TrainingTask
from gameforge.interfaces.rules import DrawRules, Outcome, Rules, RulesFunctions, State
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at, below
from gameforge.kernel.evaluate import static_score

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)
NAMES = tuple("abcdefgh")
BEST_FEATURES = ("b", "d", "e", "h")
BEST_SETTINGS = {"searcher.aim": 0.7, "searcher.power": 12}
_BEST = sum(1 << NAMES.index(name) for name in BEST_FEATURES)
_NUMBERS = 1 << len(NAMES)


def gen(rules: Any, s: Any, moves: Any) -> Any:
    """s: the number of the first side, of the second, numbers named."""
    if s[2] == _2:
        return _0
    for i in range(_NUMBERS):
        moves[i] = np.uint64(i)
    return np.uint64(_NUMBERS)


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[0], s[1]
    child[np.int64(s[2])] = m
    child[2] = s[2] + _1


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    """rules: the worth of each number."""
    if s[2] < _2:
        return RUNNING
    first, second = rules[s[0]], rules[s[1]]
    return DRAW if first == second else WIN if first > second else LOSS


class Auction:
    name = "auction"
    sides = ("First", "Second")
    reasons = ("compared",)
    draws = DrawRules(max_plies=3)

    def worth(self, number: int) -> int:
        """How many bits agree with the best number."""
        return len(NAMES) - (number ^ _BEST).bit_count()

    def functions(self) -> RulesFunctions:
        worths = np.array([self.worth(number) for number in range(_NUMBERS)], np.uint64)
        return RulesFunctions(words=3, max_moves=_NUMBERS, gen=gen, play=play, outcome=outcome, data=worths)

    def initial(self) -> State:
        return (0, 0, 0)

    def side_to_move(self, state: State) -> int:
        return state[2] % 2


class Target(Auction):
    name = "target"

    def worth(self, number: int) -> int:
        return _NUMBERS - number


def first_best(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """The first of the moves whose position scores worst for the other side."""
    rules, words = ctx.rules, ctx.rules.words
    data, child, moves = at(rules.data, _0), at(ctx.stack, _0), at(ctx.stack, words)
    n = rules.gen(data, s, moves)
    best, chosen = -4.0, moves[0]
    for i in range(n):
        rules.play(data, s, moves[i], child)
        score = -static_score(ctx.evaluator, child)
        if score > best:
            best, chosen = score, moves[i]
    write_move(out, chosen, n)
    return best


class OnePly:
    """A searcher for any game."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(search=first_best, limits=(1,), stack=rules.words + rules.max_moves, scores=1)


def throw(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """limits: -, fault, chance."""
    off = np.uint64(limits[1]) + below(at(ctx.rng, _0), np.uint64(limits[2]))
    write_move(out, off, _1)
    return 0.0


@attrs.frozen(kw_only=True)
class Thrower:
    """A searcher with settings of all types; the numbers aim and power matter."""

    aim: float = attrs.field(default=0.2, validator=[attrs.validators.ge(0), attrs.validators.le(1)])
    power: int = attrs.field(default=3, validator=[attrs.validators.ge(0), attrs.validators.le(20)])
    chance: int = 8
    hand: str = "left"
    calm: bool = True
    pause: float = 0.0
    """Seconds that it takes to take it in hand."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        time.sleep(self.pause)
        aim, power = BEST_SETTINGS.values()
        fault = 100 * abs(self.aim - aim) + 4 * abs(self.power - power)
        return SearcherFunctions(search=throw, limits=(1, round(fault), self.chance), stack=1, scores=0)


def digits(fd: Any, s: Any, x: Any) -> None:
    """The chosen bits (fd[0]) of the number that was just named."""
    n = 0
    for i in range(len(NAMES)):
        if (fd[0] >> np.uint64(i)) & _1:
            x[n] = np.float32(np.int64((s[np.int64(s[2]) - 1] >> np.uint64(i)) & _1))
            n += 1


@attrs.frozen(kw_only=True)
class Digits:
    """A feature map."""

    names: tuple[str, ...] = NAMES

    @property
    def selectable(self) -> tuple[str, ...]:
        return self.names

    def selected(self, names: Collection[str]) -> "Digits":
        return Digits(names=tuple(names))

    def functions(self, rules: Rules) -> FeatureFunctions:
        flags = np.array([sum(1 << NAMES.index(name) for name in self.names)], np.uint64)
        return FeatureFunctions(inputs=len(self.names), viewpoint="just moved", features=digits, data=flags)


@attrs.frozen(kw_only=True)
class Fixed(Digits):
    """The same without a choice."""

    selectable = None  # type: ignore[assignment]
    selected = None  # type: ignore[assignment]


def forward(nd: Any, w: Any, x: Any) -> Any:
    total = 0.0
    for i in range(nd[0]):
        total += np.float64(w[i]) * np.float64(x[i])
    return total / 16


def backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    for i in range(nd[0]):
        trace[i] += x[i] / np.float32(16)


@attrs.frozen(kw_only=True)
class Sum:
    """A net that begins with zeros."""

    features: Spec | None = None

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        assert features is not None
        return NetFunctions(
            forward=forward,
            backward=backward,
            features=features,
            groups=(WeightGroup(0, features.inputs, "inputs", features.inputs),),
            scratch=0,
            data=np.array([features.inputs], np.uint64),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> Any:
        return np.zeros(net.weights, np.float32)


@attrs.frozen(kw_only=True)
class Brain(Sum):
    """The same with weights drawn from -scale to scale."""

    scale: float = 1.0

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> Any:
        return rng.uniform(-self.scale, self.scale, net.weights).astype(np.float32)


def evaluate(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return 0.0


@attrs.frozen(kw_only=True)
class Eye:
    """An evaluator with a numeric parameter that has no effect."""

    sharpness: float = 0.5

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=evaluate)


@attrs.frozen(kw_only=True)
class Ready:
    """A learner that has all weights about 1 after two short games and, if wanted, a pause of random length."""

    pause: float = 0.0
    fails: bool = False
    training_games = 2

    def train(self, task: TrainingTask) -> Trained:
        rng = np.random.default_rng(task.seed)
        net, _ = task.parts.trainable()
        weights = rng.uniform(0.9, 1.1, net.weights).astype(np.float32)
        time.sleep(self.pause * rng.random())
        if self.fails:
            raise ValueError("not ready")
        over = Outcome.of(task.parts.game.rules, DRAW, 0)
        assert over is not None
        for i in range(1, self.training_games + 1):
            task.game_finished(
                GameRecord(phase="training", number=i, players=("a", "b"), start=(0, 0, 0), moves=(), outcome=over)
            )
        task.session_finished(Progress(session=1, sessions=1, games=2, total=2, weights=weights, numbers={}))
        lookups = {"probes": 4, "hits": 3}
        return Trained(weights=weights, initial_weights=np.zeros_like(weights), summary=lookups)


@hookimpl
def gameforge_components() -> list[Component]:
    offered = {
        "rules": (Auction, Target),
        "searcher": (OnePly, Thrower),
        "features": (Digits, Fixed),
        "evaluator": (Sum, Brain, Eye),
        "learner": (Ready,),
    }
    return [
        Component(kind, cls.__name__.lower(), f"{__name__}:{cls.__name__}", "a toy")
        for kind, classes in offered.items()
        for cls in classes
    ]
