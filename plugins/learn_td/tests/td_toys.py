"""A game, a searcher, feature maps and a net: what these tests need of other plugins, made here."""

from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.evaluator import EvaluatorFunctions, NetFunctions, WeightGroup
from gameforge.interfaces.features import FeatureFunctions, Viewpoint
from gameforge.interfaces.rules import DrawRules, Rules, RulesFunctions, State
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel.abi import DRAW, LOSS, RUNNING
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import at
from gameforge.kernel.compile.jit import inline
from gameforge.kernel.evaluate import static_score
from gameforge.play.game import Game
from gameforge.play.parts import Parts

_0, _1 = np.uint64(0), np.uint64(1)
LINES = tuple(np.uint64(line) for line in (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124))
CELLS = 9
INPUTS = 2 * CELLS


@inline
def _has_line(cells: Any) -> Any:
    found = False
    for line in LINES:
        found |= cells & line == line
    return found


def gen(rules: Any, s: Any, moves: Any) -> Any:
    """Noughts and crosses: a move is the bit of a cell. s[0], s[1]: cells of the mover, of the other."""
    n = _0
    if not _has_line(s[1]):
        for i in range(CELLS):
            cell = _1 << np.uint64(i)
            if (s[0] | s[1]) & cell == _0:
                moves[n] = cell
                n += _1
    return n


def play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[1], s[0] | m


def outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    """Reasons: 0 three in a row, 1 board full."""
    if _has_line(s[1]):
        return LOSS
    return DRAW + 4 if n_moves == 0 else RUNNING


class Noughts:
    name = "noughts"
    sides = ("Crosses", "Noughts")
    reasons = ("three in a row", "board full")
    draws = DrawRules(max_plies=CELLS)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=2, max_moves=CELLS, gen=gen, play=play, outcome=outcome)

    def initial(self) -> State:
        return (0, 0)

    def side_to_move(self, state: State) -> int:
        return (state[0] | state[1]).bit_count() % 2


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
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
    """A searcher."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(search=search, limits=(1,), stack=rules.words + rules.max_moves, scores=1)


def features(fd: Any, s: Any, x: Any) -> None:
    """Cells of the side that has just moved, then cells of the other."""
    for i in range(CELLS):
        x[i] = np.float32(np.int64((s[1] >> np.uint64(i)) & _1))
        x[CELLS + i] = np.float32(np.int64((s[0] >> np.uint64(i)) & _1))


@attrs.frozen(kw_only=True)
class Cells:
    """A feature map; `viewpoint` only says how the value is read, the inputs stay the same."""

    viewpoint: Viewpoint = "just moved"
    function: Any = features
    compiled: bool = True

    def functions(self, rules: Rules) -> FeatureFunctions:
        return FeatureFunctions(inputs=INPUTS, viewpoint=self.viewpoint, features=self.function, compiled=self.compiled)


def forward(nd: Any, w: Any, x: Any) -> Any:
    """w . x + bias, through tanh unless nd[0] is 0; kept after the inputs."""
    value = np.float64(w[INPUTS])
    for i in range(INPUTS):
        value += np.float64(w[i]) * np.float64(x[i])
    if nd[0]:
        value = np.tanh(value)
    x[INPUTS] = np.float32(value)
    return value


def backward(nd: Any, w: Any, x: Any, trace: Any) -> None:
    slope = np.float32(1) - x[INPUTS] * x[INPUTS] if nd[0] else np.float32(1)
    for i in range(INPUTS):
        trace[i] += slope * x[i]
    trace[INPUTS] += slope


@attrs.frozen(kw_only=True)
class Perceptron:
    """A net without hidden layer; its bias counts as if it came from two hidden units."""

    squashed: bool = True
    reach: float = 0.2
    sign: float = 1.0
    """Multiplies the initial weights."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        assert features is not None
        return NetFunctions(
            forward=forward,
            backward=backward,
            features=features,
            groups=(WeightGroup(0, INPUTS, "inputs", INPUTS), WeightGroup(INPUTS, INPUTS + 1, "hidden", 2)),
            scratch=1,
            data=np.array([self.squashed], np.uint64),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> Any:
        return (self.sign * rng.uniform(-self.reach, self.reach, net.weights)).astype(np.float32)

    def value(self, w: Any, x: Any) -> float:
        """The formula in float64."""
        total = float(w[:-1] @ x + w[-1])
        return float(np.tanh(total)) if self.squashed else total

    def gradient(self, w: Any, x: Any) -> Any:
        """d value / d weight in float64."""
        slope = 1 - self.value(w, x) ** 2 if self.squashed else 1.0
        return slope * np.append(x, 1.0)


def even(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return 0.0


class Even:
    """An evaluator without weights."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=even)


GAME = Game(Noughts())


def parts(net: Any = None, cells: Cells | None = None) -> Parts:
    """A whole pipeline's parts from the toys."""
    return Parts(GAME, OnePly(), net or Perceptron(), cells or Cells())
