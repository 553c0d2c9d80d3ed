"""The reference for `uct`: a recursion over plain Python objects that uses a game's public API.

It draws the same random numbers in the same order, so visits and values have to agree to the last bit. It shares no
code with the plugin.
"""

import math
from collections.abc import Callable, Generator, Sequence
from typing import Any

import attrs

from gameforge.interfaces.rules import DrawRules, State
from gameforge.play.game import Game

_MASK = (1 << 64) - 1
_UNIT = 1 << 30
_VALUE = {1: 1.0, 2: -1.0, 3: 0.0}
"""Scores of the codes WIN, LOSS and DRAW."""


class Random:
    """The random number generator splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, n: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
        return ((z >> 32) * n) >> 32


@attrs.define(eq=False)
class Edge:
    """A move; `total` is the sum of utilities (0 lost, 2 won) for the side that makes it, in units of 2^-30."""

    move: int
    visits: int = 0
    total: int = 0
    edges: "list[Edge]" = attrs.field(factory=list)
    """Moves of the position after the move, once it is in the tree."""
    known: float | None = None
    """Certain score of that position, for the side that makes the move."""
    guess: float = 0.0
    """The evaluator's score of that position, for the same side."""
    played: int = 0
    """Number of simulations in which its side made the move here or later, and the sum of their utilities."""
    played_total: int = 0

    @property
    def value(self) -> float:
        return self.total / _UNIT / self.visits - 1.0 if self.visits else 0.0


@attrs.define
class Line:
    """The game up to a position: all positions since the last irreversible move, and the plies up to the ply cap."""

    state: State
    since: list[State]
    plies_left: int


Simulation = Generator[None, None, int]
"""A simulation, which waits once if the evaluator scores its leaf."""


def finish(waiting: list[Simulation]) -> None:
    """Run the simulations that wait to their ends."""
    for simulation in waiting:
        assert next(simulation, True)
    waiting.clear()


@attrs.define
class Uct:
    """One search."""

    game: Game
    rng: Random
    cp: float = 0.35
    prior: int = 0
    evaluate: Callable[[State], float] | None = None
    share: float = 0.0
    """The evaluator's share in a leaf's value; 1: no simulation is played."""
    in_order: bool = False
    urgency: float = math.inf
    """Bound of edges that were never visited."""
    rave: float = 0.0
    """Equivalence constant of RAVE."""
    bias: float = 0.0
    """Weight of the progressive bias."""
    batch: int = 1
    """Number of simulations that may wait for the evaluator."""
    moves: list[int] = attrs.field(factory=list)
    """The moves of the current simulation."""
    probe: Callable[[State], int] = lambda state: 0
    expected: dict[bool, int] = attrs.field(factory=dict)
    """The oracle's answers that agree with its answer at the root: with the root's side to move (True), or the other
    side (False)."""

    def run(self, state: State, earlier: Sequence[State], plies: int, simulations: int) -> Edge:
        """Search and return the root; `earlier` are the positions before it since the last irreversible move."""
        root = Edge(0)
        draws = self.draws
        said = self.probe(state)
        self.expected = {True: said, False: {1: 2, 2: 1}.get(said, said)}
        root.edges = self.edges(state)
        waiting: list[Simulation] = []
        for _ in range(simulations):
            line = Line(state, [*earlier, state], max(draws.max_plies - plies, 1))
            self.moves = []
            simulation = self.simulate(root, line, True, self.moves)
            if next(simulation, True) is None:
                waiting.append(simulation)
            if len(waiting) == self.batch:
                finish(waiting)
        finish(waiting)
        return root

    @property
    def draws(self) -> DrawRules:
        return self.game.rules.draws

    def edges(self, state: State) -> list[Edge]:
        """The edges of a new node: its moves shuffled or sorted, with the visits of the prior."""
        moves = self.game.legal(state)
        for i in range(len(moves)):
            other = i + self.rng.below(len(moves) - i)
            moves[i], moves[other] = moves[other], moves[i]
        found = [Edge(move) for move in moves]
        if self.in_order:  # a stable sort: equal moves stay shuffled
            assert self.evaluate is not None
            found.sort(key=lambda edge: self.evaluate(self.game.play(state, edge.move)))
        if self.bias:
            assert self.evaluate is not None
            for edge in found:
                edge.guess = int((1.0 - self.evaluate(self.game.play(state, edge.move))) * _UNIT) / _UNIT - 1.0
        if self.prior:
            assert self.evaluate is not None
            for edge in found:
                score = -self.evaluate(self.game.play(state, edge.move))
                edge.visits, edge.total = self.prior, self.prior * int((score + 1.0) * _UNIT)
        return found

    def simulate(self, edge: Edge, line: Line, ours: bool, moves: list[int]) -> Simulation:
        """Run one simulation; returns its utility for the side that moved along the edge.

        Yields once if it needs the evaluator's score of its leaf. Its edges then have a visit more, which counts as
        lost.
        """
        if edge.known is not None:
            gained = int((edge.known + 1.0) * _UNIT)
            edge.visits += 1
        elif not edge.edges and edge.visits == self.prior:
            score, known = self.leaf(line, ours)
            gained = int((-score + 1.0) * _UNIT)
            if known:
                edge.known = -score
                edge.total = edge.visits * gained
            edge.visits += 1
            if self.share and not known:
                yield
                assert self.evaluate is not None
                guess = int((-self.evaluate(line.state) + 1.0) * _UNIT)
                gained = guess if self.share == 1 else int((1.0 - self.share) * gained + self.share * guess)
        else:
            if not edge.edges:
                edge.edges = self.edges(line.state)
            below = self.select(edge)
            edge.visits += 1
            ply = len(moves)
            moves.append(below.move)
            value = yield from self.simulate(below, self.after(line, below.move), not ours, moves)
            for other in edge.edges:
                if other.move in moves[ply::2]:
                    other.played += 1
                    other.played_total += value
            gained = 2 * _UNIT - value
        edge.total += gained
        return gained

    def select(self, node: Edge) -> Edge:
        untried = next((edge for edge in node.edges if edge.visits == 0), None)
        tried = [edge for edge in node.edges if edge.visits]
        if untried is not None and (not tried or self.urgency == math.inf):
            return untried
        n = node.visits + self.prior * len(node.edges)

        share = math.sqrt(self.rave / (3 * n + self.rave)) if self.rave else 0.0

        def bound(edge: Edge) -> float:
            elsewhere = edge.played_total / _UNIT / edge.played - 1.0 if edge.played else edge.value
            value = (1 - share) * edge.value + share * elsewhere + self.bias * edge.guess / (1 + edge.visits)
            return value + 2 * self.cp * math.sqrt(2 * math.log(n) / edge.visits)

        best = max(tried, key=bound)
        return untried if untried is not None and bound(best) < self.urgency else best

    def after(self, line: Line, move: int) -> Line:
        irreversible = self.game.functions.irreversible
        stays = irreversible is None or not irreversible(None, _words(line.state), _words((move,))[0])
        state = self.game.play(line.state, move)
        return Line(state, [*line.since, state] if stays else [state], line.plies_left - 1)

    def leaf(self, line: Line, ours: bool) -> tuple[float, bool]:
        """Value a leaf; returns (score for the side to move, whether the position itself is decided)."""
        times = self.draws.repetition
        if times and sum(state == line.state for state in line.since[::-2]) >= times:
            return 0.0, True
        sign, plies = 1.0, 0
        while True:
            moves = self.game.legal(line.state)
            code = self.game.code(line.state, len(moves))
            if code:
                return sign * _VALUE[code & 3], plies == 0
            if line.plies_left <= 0 or 0 < self.draws.no_progress < len(line.since):
                return 0.0, plies == 0
            if plies == 0 or not self.expected[True]:
                known = self.probe(line.state)
                if known and (not self.expected[True] or known != self.expected[ours]):
                    return sign * _VALUE[known], plies == 0
            if self.share == 1:
                return 0.0, False
            move = moves[self.rng.below(len(moves))]
            self.moves.append(move)
            line = self.after(line, move)
            sign, plies = -sign, plies + 1


def _words(numbers: Sequence[int]) -> Any:
    import numpy as np

    return np.array(numbers, np.uint64)
