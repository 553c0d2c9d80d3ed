"""A toy game, and a minimal component of each kind for it. Components that fit any game are checked with it.

Pile: players take 1, 2 or 3 stones in turn, and the player who takes the last one wins. The side to move loses if and
only if the number of stones is a multiple of 4.
"""

import attrs
import numpy as np

from gameforge.config import kinds
from gameforge.interfaces.board import MOST_CELLS, Cells, MoveIndices
from gameforge.interfaces.evaluator import PROVEN_WIN, EvaluatorFunctions, NetFunctions, WeightGroup
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.games import Opening
from gameforge.interfaces.learner import Progress, Trained, TrainingTask
from gameforge.interfaces.oracle import Announce, BookLines, OracleFunctions, silent
from gameforge.interfaces.rules import LOSS, RUNNING, WIN, DrawRules, Rules, RulesFunctions, State
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.answer import write_move
from gameforge.kernel.bits import U0, U1, at
from gameforge.kernel.context import Context
from gameforge.kernel.evaluate import static_score
from gameforge.kernel.types import FloatArray, Floats, Limits, Score, Word, Words

MOST = 3
_WON = PROVEN_WIN - 0.001


def gen(rules: Words, s: Words, moves: Words) -> int:
    n = 0
    for stones in range(1, MOST + 1):
        if stones <= s[0]:
            moves[n] = stones
            n += 1
    return n


def play(rules: Words, s: Words, m: Word, child: Words) -> None:
    child[0] = s[0] - m
    child[1] = 1 - s[1]


def outcome(rules: Words, s: Words, n_moves: Word) -> int:
    return RUNNING if n_moves else LOSS


def cells(data: Words, s: Words, planes: Words) -> None:
    planes[0] = U0
    for stone in range(min(int(s[0]), MOST_CELLS)):
        planes[0] |= np.uint64(1) << np.uint64(stone)


def index(data: Words, s: Words, m: Word) -> Word:
    return m - U1


@attrs.frozen(kw_only=True)
class Pile:
    """Rules: a pile of `stones` stones."""

    stones: int = attrs.field(default=12, validator=kinds.at_least(1))
    """Stones at the start."""

    name = "pile"
    """Its name."""
    sides = ("first", "second")
    """Names of the sides."""
    reasons = ("no stone left",)
    """Why a game can end."""
    draws = DrawRules()
    """No draws."""
    moves = MoveIndices(size=MOST, index=index)
    """The number of stones that a move takes, minus 1."""

    @property
    def cells(self) -> Cells:
        """One cell for each stone, in a row."""
        places = tuple((0, stone) for stone in range(min(self.stones, MOST_CELLS)))
        return Cells(cells=cells, places=places, names=tuple(str(n + 1) for _, n in places), codes=("stone",))

    def functions(self) -> RulesFunctions:
        """Return the rules as functions."""
        return RulesFunctions(words=2, max_moves=MOST, gen=gen, play=play, outcome=outcome)

    def initial(self) -> State:
        """Return the state at the start."""
        return self.stones, 0

    def side_to_move(self, state: State) -> int:
        """Return the side to move."""
        return state[1]


def remainders(fd: Words, s: Words, x: Floats) -> None:
    for i in range(4):
        x[i] = 1.0 if s[0] % 4 == i else 0.0


class Remainders:
    """A feature map with one input for each remainder of the number of stones modulo 4."""

    def functions(self, rules: Rules) -> FeatureFunctions:
        return FeatureFunctions(inputs=4, viewpoint="to move", features=remainders)


def evaluate(ed: Words, w: Floats, s: Words, x: Floats) -> Score:
    return -0.5 if s[0] % 4 == 0 else 0.5


class Theory:
    """An evaluator that knows the winner."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        """Return the evaluator as functions."""
        return EvaluatorFunctions(evaluate=evaluate)


def forward(nd: Words, w: Floats, x: Floats) -> Score:
    value = 0.0
    for i in range(nd[0]):
        value += w[i] * x[i]
    return value


def backward(nd: Words, w: Floats, x: Floats, trace: Floats) -> None:
    for i in range(nd[0]):
        trace[i] += x[i]


class Linear:
    """A net with one weight per input, for any feature map."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        assert features is not None
        n = features.inputs
        groups = (WeightGroup(0, n, "inputs", n),)
        data = np.array([n], np.uint64)
        return NetFunctions(forward=forward, backward=backward, features=features, groups=groups, scratch=0, data=data)

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> FloatArray:
        return rng.uniform(-0.1, 0.1, net.weights).astype(np.float32)


def search(ctx: Context, s: Words, limits: Limits, out: Words) -> Score:
    rules = ctx.rules
    data, child, moves = at(rules.data, U0), at(ctx.stack, U0), at(ctx.stack, rules.words)
    n = rules.gen(data, s, moves)
    best, chosen = -2 * PROVEN_WIN, moves[0]
    for i in range(n):
        m = moves[i]
        rules.play(data, s, m, child)
        code = rules.outcome(data, child, rules.gen(data, child, at(ctx.stack, rules.words + np.uint64(n))))
        if code == RUNNING:
            score = -static_score(ctx.evaluator, child)
        elif code & 3 == LOSS:
            score = _WON
        else:
            score = -_WON if code & 3 == WIN else 0.0
        if score > best:
            best, chosen = score, m
    write_move(out, chosen, n)
    return best


class Greedy:
    """A searcher that looks one ply ahead, for any game."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        """Return the search as a function."""
        return SearcherFunctions(search=search, limits=(1,), stack=rules.words + 2 * rules.max_moves, scores=0)


def probe(od: Words, s: Words, out: Words) -> int:
    out[slots.PROBE_DISTANCE] = 0
    if s[0] > od[0]:
        return 0
    return LOSS if s[0] % 4 == 0 else WIN


class Solved:
    """An oracle that knows piles of up to 8 stones."""

    def open(self, rules: Rules, announce: Announce = silent, workers: int = 1) -> OracleFunctions:
        return OracleFunctions(
            probe=probe,
            data=np.array([8], np.uint64),
            covers="piles of up to 8 stones",
            why_not=lambda state: "there are more than 8 stones",
        )


class FirstMoves:
    """A book with one line for each first move."""

    def opening_lines(self, rules: Rules) -> BookLines:
        start = rules.initial()
        moves = range(1, min(MOST, start[0]) + 1)
        return BookLines(lines=tuple(Opening(str(stones), start, (stones,)) for stones in moves))


class Drift:
    """A learner that adds random noise to the weights."""

    def train(self, task: TrainingTask) -> Trained:
        rng = np.random.default_rng(task.seed)
        initial = task.parts.initial_weights(rng)
        weights = (initial + rng.uniform(-0.1, 0.1, len(initial))).astype(np.float32)
        task.session_finished(Progress(session=1, sessions=1, games=0, total=0, weights=weights, numbers={}))
        return Trained(weights=weights, initial_weights=initial, summary={"games": 0})
