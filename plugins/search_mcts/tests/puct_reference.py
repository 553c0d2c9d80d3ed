"""The reference for `puct`: a recursion over plain Python objects that uses a game's public API.

It draws the same random numbers in the same order, so visits have to agree exactly. Of the plugin it shares no code.
"""

import math
from collections.abc import Callable
from typing import Any

import attrs
from uct_reference import Line, Random, _words

from gameforge.interfaces.rules import DrawRules, RulesFunctions, State
from gameforge.play.game import Game

_UNIT = 1 << 30
_VALUE = {1: 1.0, 2: -1.0, 3: 0.0}


@attrs.define(eq=False)
class Edge:
    """A move; `total` is the sum of utilities (0 lost, 2 won) for the side that makes it, in units of 2^-30."""

    move: int
    guess: int
    """Utility of the move by the evaluator, or by what it says of the moves behind it (implicit minimax)."""
    logit: float
    visits: int = 0
    total: int = 0
    here: int = 0
    """Visits at the root by the present search."""
    edges: "list[Edge]" = attrs.field(factory=list)
    known: float | None = None
    """Certain value for the side that makes the move."""

    @property
    def position(self) -> float:
        """Value of the position that the move leads to, for its side to move, by an evaluator with a policy."""
        return (2 * _UNIT - self.guess) / _UNIT - 1.0

    @property
    def exact(self) -> int:
        """Its certain utility, or else the guess."""
        return self.guess if self.known is None else int((self.known + 1.0) * _UNIT)


@attrs.define
class Puct:
    """One search."""

    game: Game
    rng: Random
    evaluate: Callable[[State], float]
    exploration: float = 0.6
    temperature: float = 0.2
    gumbel: bool = False
    considered: int = 16
    scale: float = 1.0
    minimax: float = 0.0
    policy_temperature: float = 1.0
    probe: Callable[[State], int] = lambda state: 0
    policy: Callable[[State, int], float] | None = None
    """A logit for a move in a state; None: the scores after the moves make the policy."""

    def run(self, state: State, earlier: list[State], plies: int, simulations: int) -> Edge:
        """Search and return the root; `earlier` are the positions before it since the last irreversible move."""
        said = self.probe(state)
        expected = {True: said, False: {1: 2, 2: 1}.get(said, said)}
        edges = self.expand(state)
        root = Edge(0, 2 * _UNIT - edges[0].guess, 0.0, edges=edges)
        schedule = self.schedule(len(root.edges), simulations)
        for number in range(simulations):
            line = Line(state, [*earlier, state], max(self.game.rules.draws.max_plies - plies, 1))
            chosen = None
            if self.gumbel:
                self.complete(root)
                weight = self.weight(root)
                due = [edge for edge in root.edges if edge.here == schedule[number]]
                chosen = max(due, key=lambda edge: edge.logit + weight * self.value(edge))
            self.simulate(root, line, expected, True, chosen)
            values = [edge.known for edge in root.edges]
            if 1.0 in values or None not in values:
                break
        return root

    def value(self, edge: Edge) -> float:
        """Value of a move for the side that makes it, -1 to 1."""
        guess = edge.guess / _UNIT - 1.0
        if not edge.visits:
            return guess
        mean = edge.total / edge.visits / _UNIT - 1.0
        return mean if edge.known is not None else mean + self.minimax * (guess - mean)

    def schedule(self, moves: int, simulations: int) -> list[int]:
        """For each simulation the number of visits that the move it chooses at the root has already."""
        considered = min(self.considered, moves)
        rounds, level, found = max(1, math.ceil(math.log2(considered))), 0, []
        while len(found) < simulations:
            for _ in range(max(1, simulations // (rounds * considered))):
                found += [level] * considered
                level += 1
            considered = max(min(considered, 2), considered // 2)
        return found

    def expand(self, state: State) -> list[Edge]:
        moves = self.game.legal(state)
        for i in range(len(moves)):
            other = i + self.rng.below(len(moves) - i)
            moves[i], moves[other] = moves[other], moves[i]
        if self.policy is not None:
            logits = [self.policy(state, move) / self.policy_temperature for move in moves]
            logits = [logit - max(logits) for logit in logits]
            total = math.log(sum(math.exp(logit) for logit in logits))
            guesses = [int((self.evaluate(state) + 1.0) * _UNIT)] * len(moves)
            if self.minimax:
                guesses = [int((self.score(self.game.play(state, move)) + 1.0) * _UNIT) for move in moves]
            return [Edge(move, guess, logit - total) for move, guess, logit in zip(moves, guesses, logits, strict=True)]
        scores = [self.score(self.game.play(state, move)) for move in moves]
        total = sum(math.exp((score - max(scores)) / self.temperature) for score in scores)
        logits = [(score - max(scores)) / self.temperature - math.log(total) for score in scores]
        return [
            Edge(move, int((score + 1.0) * _UNIT), logit)
            for move, score, logit in zip(moves, scores, logits, strict=True)
        ]

    def score(self, state: State) -> float:
        """Score of a position for the side that moved to it; with minimax, the result if the game is over."""
        code = self.game.code(state, len(self.game.legal(state))) if self.minimax else 0
        return -_VALUE[code & 3] if code else -self.evaluate(state)

    def simulate(self, edge: Edge, line: Line, expected: dict[bool, int], ours: bool, chosen: Edge | None) -> int:
        """Run one simulation; returns its utility for the side that moved along the edge."""
        is_new, at_once = edge.known is None and not edge.edges, self.policy or self.minimax
        if is_new:
            edge.known = self.decide(line, expected[ours])
            if edge.known is not None:
                edge.total = edge.visits * int((edge.known + 1.0) * _UNIT)
            elif at_once or edge.visits or len(self.game.legal(line.state)) == 1:
                edge.edges = self.expand(line.state)
                edge.guess = 2 * _UNIT - max(each.guess for each in edge.edges) if at_once else edge.guess
        if edge.known is not None:
            gained = int((edge.known + 1.0) * _UNIT)
        elif not edge.edges or (is_new and at_once and len(edge.edges) > 1):
            gained = edge.guess
        else:
            below = chosen or self.select(edge)
            below.here += 1
            gained = 2 * _UNIT - self.simulate(below, self.after(line, below.move), expected, not ours, None)
            values = [each.known for each in edge.edges]
            if chosen is None and below.known is not None and line.since and edge.move and self.proves(values):
                edge.known = -max(value for value in values if value is not None)
                gained = int((edge.known + 1.0) * _UNIT)
                edge.total = edge.visits * gained
            if self.minimax:
                edge.guess = 2 * _UNIT - max(each.exact for each in edge.edges)
        edge.visits += 1
        edge.total += gained
        return gained

    def complete(self, node: Edge) -> None:
        """Let the value of a policy's position, mixed with those of visited moves, stand for moves without visits."""
        visited = [edge for edge in node.edges if edge.visits]
        if self.policy and visited and not self.minimax:
            times, share = sum(edge.visits for edge in visited), sum(math.exp(edge.logit) for edge in visited)
            mean = sum(math.exp(edge.logit) * self.value(edge) for edge in visited) / share
            guess = int(((node.position + times * mean) / (1 + times) + 1.0) * _UNIT)
            for edge in node.edges:
                edge.guess = edge.guess if edge.visits else guess

    @staticmethod
    def proves(values: list[float | None]) -> bool:
        return 1.0 in values or None not in values

    def select(self, node: Edge) -> Edge:
        open_moves = [edge for edge in node.edges if edge.known != -1.0]
        if not self.gumbel:
            width = self.exploration * math.sqrt(node.visits)
            return max(
                open_moves, key=lambda edge: self.value(edge) + width * math.exp(edge.logit) / (1.0 + edge.visits)
            )
        self.complete(node)
        weight = self.weight(node)
        wanted = {id(edge): edge.logit + weight * self.value(edge) for edge in open_moves}
        greatest = max(wanted.values())
        total = sum(math.exp(each - greatest) for each in wanted.values())
        return max(
            open_moves,
            key=lambda edge: math.exp(wanted[id(edge)] - greatest) / total - edge.visits / (1.0 + node.visits),
        )

    def weight(self, node: Edge) -> float:
        return (50.0 + max(edge.visits for edge in node.edges)) * self.scale * 0.5

    def decide(self, line: Line, expected: int) -> float | None:
        """The certain value of a position for the side that moved to it."""
        draws = self.game.rules.draws
        if draws.repetition and sum(state == line.state for state in line.since[::-2]) >= draws.repetition:
            return 0.0
        code = self.game.code(line.state, len(self.game.legal(line.state)))
        if code:
            return -_VALUE[code & 3]
        if line.plies_left <= 0 or 0 < draws.no_progress < len(line.since):
            return 0.0
        known = self.probe(line.state)
        return -_VALUE[known] if known and known != expected else None

    def after(self, line: Line, move: int) -> Line:
        irreversible: Any = self.game.functions.irreversible
        stays = irreversible is None or not irreversible(None, _words(line.state), _words((move,))[0])
        state = self.game.play(line.state, move)
        return Line(state, [*line.since, state] if stays else [state], line.plies_left - 1)


def wide_gen(rules: Any, s: Any, moves: Any) -> Any:
    """Eight moves in every position."""
    for i in range(8):
        moves[i] = i + 1
    return 8


def wide_play(rules: Any, s: Any, m: Any, child: Any) -> None:
    child[0], child[1] = s[0] * 9 + m, 1 - s[1]


def wide_outcome(rules: Any, s: Any, n_moves: Any) -> Any:
    return 0


class Wide:
    """A game that ends after 30 plies, with eight moves in every position."""

    name = "wide"
    sides = ("First", "Second")
    reasons = ()
    draws = DrawRules(max_plies=30)

    def functions(self) -> RulesFunctions:
        return RulesFunctions(words=2, max_moves=8, gen=wide_gen, play=wide_play, outcome=wide_outcome)

    def initial(self) -> State:
        return (1, 0)

    def side_to_move(self, state: State) -> int:
        return state[1]
