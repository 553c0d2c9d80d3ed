"""The searcher `vote`: several players choose a move by majority ([KimCho2007], section 3.1).

The members' searches run one after the other, each in a kernel with its own evaluator, oracles and workspace. Between
them control returns to Python, which also counts the votes; this takes some 0.1 ms per member and move.
"""

from collections.abc import Callable, Sequence

import attrs
import numpy as np
from gameforge_eval_mixed.evaluators import Folders, given

from gameforge import Player, Registry, Workshop
from gameforge.interfaces import Rules, RulesFunctions, SearcherFunctions
from gameforge.kernel import CompiledPlayer, GameWorkspace, answer, assembly, entry, gameplay, slots


@attrs.frozen(kw_only=True)
class Ballot:
    """The answer of one member: its move and what it found."""

    move: int
    score: float
    """For the side to move."""
    nodes: int = 0
    line: tuple[int, ...] = ()
    depth: int = 0


@attrs.frozen
class Choice:
    """A move with at least one vote."""

    move: int
    votes: int
    score: float
    """Mean score of its voters, for the side to move."""


def most_votes(ballots: Sequence[Ballot]) -> list[Choice]:
    """The moves with votes, most votes first; ties go to the higher mean score, then to the earlier member's move."""
    scores: dict[int, list[float]] = {}
    for ballot in ballots:
        scores.setdefault(ballot.move, []).append(ballot.score)
    choices = [Choice(move, len(found), sum(found) / len(found)) for move, found in scores.items()]
    return sorted(choices, key=lambda choice: (-choice.votes, -choice.score))


def elected(choice: Choice, ballots: Sequence[Ballot]) -> Ballot:
    """The ballot of the first member that voted for a choice."""
    return next(ballot for ballot in ballots if ballot.move == choice.move)


@attrs.frozen(kw_only=True)
class Vote:
    """The component: each member searches with its own searcher, evaluator and oracles; books are ignored."""

    players: Folders = attrs.field(validator=given)
    """The members: a run (its `generations`), a saved player, a folder of saved players, the name of a trained player,
    as `strong` or `strong:level=3`, or a list of these."""

    def composed(self, registry: Registry, rules: Rules) -> "Voters":
        return Voters(Workshop(registry).members(self.players, rules))


class Voters:
    """The searcher that `vote` composes from its members."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = players

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(memory=1, statistics=True, crew=self.crew)

    def crew(self, player: CompiledPlayer, game: GameWorkspace) -> Callable[[int], int]:
        """The function that holds an election for the thread of this game; returns the number of nodes searched.

        The members share the thread's random numbers and STOP flag. The first election of a game finds the block
        `memory` fresh, and then resets the memories of the members.
        """
        control, rng = player.context.control, player.context.rng
        voters = []
        for member in self.players:
            voter = member.parts.compiled_player(game, member.weights)
            voters.append(voter._replace(context=voter.context._replace(control=control, rng=rng)))

        def crew(command: int) -> int:
            # Members search on stacks of their own, so they get a copy of the state.
            state = player.context.stack[: int(game.rules.words)].copy()
            if player.context.memory[0] == 0:
                for voter in voters:
                    voter.context.memory.fill(0)
                player.context.memory[0] = 1
            ballots = []
            for voter in voters:
                score = float(entry(gameplay.think)(voter, state))
                assembly.check(voter)
                move, nodes, line = answer.read_answer(voter.out)
                depth = int(voter.context.control[slots.DEPTH])
                ballots.append(Ballot(move=move, score=score, nodes=nodes, line=tuple(line), depth=depth))
                if player.context.control[slots.STOP]:  # those who have voted decide
                    break
            _write_result(ballots, player)
            return sum(ballot.nodes for ballot in ballots)

        return crew


def _write_result(ballots: Sequence[Ballot], player: CompiledPlayer) -> None:
    """Write the result as the answer of a search: move and line of the elected ballot, votes as visits."""
    counted = most_votes(ballots)
    best = elected(counted[0], ballots)
    out = player.out
    line = np.array(best.line[: slots.MAX_LINE], np.uint64)
    out[slots.OUT_MOVE], out[slots.OUT_LINE_LENGTH] = best.move, len(line)
    out[slots.OUT_LINE : slots.OUT_LINE + len(line)] = line
    player.context.scores[0] = counted[0].score
    player.context.control[slots.DEPTH] = best.depth
    out[slots.STATISTICS] = len(counted)
    for row, choice in zip(out[slots.STATISTICS + 1 :][: 3 * len(counted)].reshape(-1, 3), counted, strict=True):
        value = np.float64(max(-1.0, min(1.0, choice.score)))
        row[:] = choice.move, choice.votes, value.view(np.uint64)
