"""Components that violate their contract in one point each, for tests of the contract kit.

`TOYS` maps kind and check to a component that fails exactly this check.
"""

from typing import Any

import attrs
import numpy as np
from broken_rules import HIGHEST, RULES
from player_toys import PLAYERS

from gameforge.interfaces.evaluator import EvaluatorFunctions, WeightVector
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.oracle import BookLines, OracleFunctions
from gameforge.interfaces.rules import LOSS, WIN, Outcome
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.answer import write_move
from gameforge.kernel.compile.clock import nanoseconds
from gameforge.testing import toy


def one_short(fd: Any, s: Any, x: Any) -> None:
    for i in range(3):
        x[i] = s[0] % (i + 2)


def one_more(fd: Any, s: Any, x: Any) -> None:
    for i in range(5):
        x[i] = s[0] % (i + 2)


def stones_gone(fd: Any, s: Any, x: Any) -> None:
    for i in range(4):
        x[i] = s[0] % (i + 2)
    s[0] = 0


def not_a_number(fd: Any, s: Any, x: Any) -> None:
    for i in range(4):
        x[i] = s[0] % (i + 2)
    x[0] = float("nan")


def all_alike(fd: Any, s: Any, x: Any) -> None:
    for i in range(4):
        x[i] = 1.0


def sign_of_a_word(fd: Any, s: Any, x: Any) -> None:
    for i in range(4):
        x[i] = s[0]
    x[0] = (fd[0] | 1) >> 63


@attrs.frozen
class Map:
    function: Any
    inputs: int = 4
    compiled: bool = False

    def functions(self, rules: Any) -> Any:
        return FeatureFunctions(
            inputs=self.inputs,
            viewpoint="to move",
            features=self.function,
            data=np.array([HIGHEST], np.uint64),
            compiled=self.compiled,
        )


FEATURES = {
    "interface": Map(all_alike, 0),
    "every input is written": Map(one_short),
    "nothing else is written": Map(one_more),
    "the state is not changed": Map(stones_gone),
    "inputs are finite": Map(not_a_number),
    "positions have different inputs": Map(all_alike),
    "compiled and plain functions agree": Map(sign_of_a_word, compiled=True),
}


def too_high(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return 3 * toy.evaluate(ed, w, s, x)


def of_the_scratch(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return toy.evaluate(ed, w, s, x) + x[0] / 100


def taking(ed: Any, w: Any, s: Any, x: Any) -> Any:
    score = toy.evaluate(ed, w, s, x)
    s[0] = 0
    return score


def wrong_side(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return -toy.evaluate(ed, w, s, x)


def downhill(nd: Any, w: Any, x: Any, trace: Any) -> None:
    for i in range(nd[0]):
        trace[i] -= x[i]


@attrs.frozen
class Score:
    function: Any

    def functions(self, rules: Any, features: Any) -> Any:
        return EvaluatorFunctions(evaluate=self.function, scratch=1, compiled=False)


class Ranks:
    """Scores that depend on what else is in the batch."""

    def values(self, states: Any) -> Any:
        stones = states[:, 0].astype(float) / 100
        return stones - stones.mean()


class Chance(toy.Linear):
    def initial_weights(self, net: Any, rng: Any) -> Any:
        return np.random.default_rng().uniform(-0.1, 0.1, net.weights).astype(np.float32)


class Downhill(toy.Linear):
    def functions(self, rules: Any, features: Any) -> Any:
        return attrs.evolve(super().functions(rules, features), backward=downhill)


def weight_of_the_pile(ed: Any, w: Any, s: Any, x: Any) -> Any:
    return w[s[0] % 4]


def half_of_it(ed: Any, s: Any, places: Any, factors: Any) -> Any:
    places[0], factors[0] = s[0] % 4, 1
    return 1


class Halved:
    """An evaluator whose score is not the squashed sum of its terms."""

    def functions(self, rules: Any, features: Any) -> Any:
        return EvaluatorFunctions(
            evaluate=weight_of_the_pile, terms=half_of_it, max_terms=1, vector=WeightVector(4), compiled=False
        )

    def initial_weights(self, net: Any, rng: Any) -> Any:
        return np.zeros(4, np.float32)


def one_everywhere(ed: Any, w: Any, s: Any, x: Any, trace: Any) -> None:
    for i in range(4):
        trace[i] += 1


class Level(Halved):
    """An evaluator whose gradient is not that of its score."""

    def functions(self, rules: Any, features: Any) -> Any:
        return EvaluatorFunctions(
            evaluate=weight_of_the_pile, gradient=one_everywhere, vector=WeightVector(4), compiled=False
        )


def one_too_far(ud: Any, w: Any, vector: Any, place: Any) -> None:
    w[(place + 1) % 4] = vector[place]


class Misplaced(Halved):
    """An evaluator that writes a weight into another place of its block, if it writes a single one."""

    def functions(self, rules: Any, features: Any) -> Any:
        vector = WeightVector(4, unpack=lambda weights: weights.copy(), unpack_one=one_too_far)
        return EvaluatorFunctions(evaluate=weight_of_the_pile, vector=vector, compiled=False)


def endless_logits(ed: Any, w: Any, s: Any, moves: Any, n: Any, x: Any, logits: Any) -> None:
    for i in range(n):
        logits[i] = np.inf


class Sure:
    """An evaluator whose policy has no finite logits."""

    def functions(self, rules: Any, features: Any) -> Any:
        return EvaluatorFunctions(evaluate=toy.evaluate, policy=endless_logits, compiled=False)


def weights_of_moves(ed: Any, w: Any, s: Any, moves: Any, n: Any, x: Any, logits: Any) -> None:
    for i in range(n):
        logits[i] = w[moves[i]]


def ones(ed: Any, w: Any, s: Any, moves: Any, n: Any, x: Any, slopes: Any, trace: Any) -> None:
    for i in range(4):
        trace[i] += 1


class Tilted(Halved):
    """An evaluator whose slope is not the gradient of its score and its policy."""

    def functions(self, rules: Any, features: Any) -> Any:
        return EvaluatorFunctions(
            evaluate=weight_of_the_pile,
            policy=weights_of_moves,
            slope=ones,
            vector=WeightVector(4),
            compiled=False,
        )


def remember(ed: Any, w: Any, s: Any, acc: Any) -> None:
    acc[0] = s[0]


def remember_the_last(ed: Any, w: Any, acc: Any, s: Any, m: Any, child_acc: Any) -> None:
    child_acc[0] = acc[0]


def remembered(ed: Any, w: Any, acc: Any, x: Any) -> Any:
    return toy.evaluate(ed, w, acc, x)


class Stale:
    """An evaluator whose accumulator is not updated."""

    def functions(self, rules: Any, features: Any) -> Any:
        return EvaluatorFunctions(
            evaluate=toy.evaluate, refresh=remember, update=remember_the_last, accumulated=remembered, accumulator=1,
            compiled=False,
        )  # fmt: skip


class Nothing:
    def functions(self, *_: Any) -> Any:
        return None


EVALUATORS = {
    "interface": Nothing(),
    "scores are within one": Score(too_high),
    "scores depend only on the state": Score(of_the_scratch),
    "nothing else is written": Score(taking),
    "scores are for the side to move": Score(wrong_side),
    "batches are scored like single states": Ranks(),
    "update is refresh to the bit": Stale(),
    "the same seed gives the same weights": Chance(),
    "backward is the slope of forward": Downhill(),
    "gradient is the slope of evaluate": Level(),
    "logits are finite and depend only on the state": Sure(),
    "slope is that of score and logits": Tilted(),
    "terms make the score": Halved(),
    "one weight is unpacked as all are": Misplaced(),
}

ILLEGAL_MOVE, ILLEGAL_LINE, SCORE, SIGN, CLOCK, STATE, COUNTS = range(7)


def flawed(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """The kit's searcher, with the flaw that limits[1] selects."""
    flaw, n = limits[1], s[0]
    score = 2.9 if n <= 3 else -0.5 if n % 4 == 0 else 0.5
    write_move(out, n % 4 if n % 4 else np.uint64(1), 1)
    if flaw == ILLEGAL_MOVE:
        out[slots.OUT_MOVE], out[slots.OUT_LINE_LENGTH] = 9, 0
    elif flaw == ILLEGAL_LINE:
        out[slots.OUT_LINE_LENGTH], out[slots.OUT_LINE + 1] = 2, 9
    elif flaw == SCORE:
        score = 4.0
    elif flaw == SIGN:
        score = -score
    elif flaw == CLOCK:
        out[slots.OUT_NODES] = nanoseconds()
    elif flaw == STATE:
        s[0] = 0
    elif flaw == COUNTS:
        out[slots.STATISTICS], out[slots.STATISTICS + 1] = 1, 9
    return score


@attrs.frozen
class Flawed:
    flaw: int
    limits: tuple[int, ...] = (1,)

    def functions(self, rules: Any) -> Any:
        limits = (*self.limits, self.flaw) if self.limits else ()
        return SearcherFunctions(search=flawed, limits=limits, stack=1, scores=0, statistics=self.flaw == COUNTS)


SEARCHERS = {
    "interface": Flawed(COUNTS, ()),
    "moves are legal": Flawed(ILLEGAL_MOVE),
    "lines are legal": Flawed(ILLEGAL_LINE),
    "scores are within the bands": Flawed(SCORE),
    "a win in one scores above zero": Flawed(SIGN),
    "the same position gives the same answer": Flawed(CLOCK),
    "nothing else is written": Flawed(STATE),
    "statistics are for legal moves": Flawed(COUNTS),
}


@attrs.frozen
class Untrue:
    """The kit's learner, with a changed task or result."""

    returned: Any = None
    """Trained -> Trained."""
    task: Any = None
    """TrainingTask -> TrainingTask."""

    def train(self, task: Any) -> Any:
        trained = toy.Drift().train(self.task(task) if self.task else task)
        return self.returned(trained) if self.returned else trained


class Sloppy:
    """A learner that also accepts evaluators without weights."""

    def train(self, task: Any) -> Any:
        weights = np.zeros(4, np.float32)
        net = getattr(task.parts.net, "groups", None)
        return toy.Drift().train(task) if net else toy.Trained(weights=weights, initial_weights=weights, summary={})


def without_sessions(task: Any) -> Any:
    return attrs.evolve(task, session_finished=lambda progress: None)


def with_an_illegal_move(task: Any) -> Any:
    task.game_finished(
        GameRecord(
            phase="training",
            number=1,
            players=("one", "other"),
            start=(12, 0),
            moves=(4,),
            outcome=Outcome(0, "no stone left"),
        )
    )
    return task


LEARNERS = {
    "interface": Nothing(),
    "the result fits the net": Untrue(lambda trained: attrs.evolve(trained, weights=trained.weights[:2])),
    "sessions are reported in order": Untrue(task=without_sessions),
    "games are reported as they were played": Untrue(task=with_an_illegal_move),
    "the same seed gives the same weights": Untrue(task=lambda task: attrs.evolve(task, seed=np.random.SeedSequence())),
    "initial weights are kept": Untrue(lambda trained: attrs.evolve(trained, initial_weights=trained.weights)),
    "an evaluator without weights is rejected": Sloppy(),
}


def spilling(od: Any, s: Any, out: Any) -> Any:
    out[slots.PROBE_SCRATCH] = 1
    return toy.probe(od, s, out)


def emptying(od: Any, s: Any, out: Any) -> Any:
    known = toy.probe(od, s, out)
    s[0] = 0
    return known


def forgetting(od: Any, s: Any, out: Any) -> Any:
    od[1] += 1
    return 0 if od[1] % 3 == 0 else toy.probe(od, s, out)


def guessing(od: Any, s: Any, out: Any) -> Any:
    out[slots.PROBE_DISTANCE] = 0
    return WIN if s[0] <= od[0] else 0


def hurrying(od: Any, s: Any, out: Any) -> Any:
    known = toy.probe(od, s, out)
    out[slots.PROBE_DISTANCE] = 1 + (2 if known == LOSS else 5) if known else 0
    return known


@attrs.frozen
class Oracle:
    probe: Any = toy.probe
    covers: str = "small piles"
    why: str = "the pile is larger"

    def open(self, rules: Any, announce: Any = None, workers: int = 1) -> Any:
        return OracleFunctions(
            probe=self.probe,
            data=np.array([8, 0], np.uint64),
            covers=self.covers,
            why_not=lambda state: self.why,
            compiled=False,
        )


ORACLES = {
    "interface": Oracle(covers=""),
    "answers are codes": Oracle(spilling),
    "the state is not changed": Oracle(emptying),
    "answers stay the same": Oracle(forgetting),
    "answers agree with the next positions": Oracle(guessing),
    "distances agree with the next positions": Oracle(hurrying),
    "unknown states are explained": Oracle(why=""),
}


@attrs.frozen
class Book:
    lines: tuple[Opening, ...] = ()

    def opening_lines(self, rules: Any) -> Any:
        return BookLines(lines=self.lines)


BOOKS = {
    "interface": Book(),
    "lines begin at the initial position": Book((Opening("3", (11, 1), (3,)),)),
    "lines are legal": Book((Opening("4", (12, 0), (4,)),)),
}

TOYS = {
    (kind, name): component
    for kind, toys in (
        ("rules", RULES),
        ("features", FEATURES),
        ("evaluator", EVALUATORS),
        ("searcher", SEARCHERS),
        ("learner", LEARNERS),
        ("oracle", ORACLES),
        ("book", BOOKS),
        ("player", PLAYERS),
    )
    for name, component in toys.items()
}
