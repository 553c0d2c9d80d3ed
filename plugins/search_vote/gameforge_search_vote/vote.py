"""The searcher `vote`: several players choose a move by majority ([KimCho2007], section 3.1).

The members' searches run one after the other, each a kernel with its own evaluator, oracles and workspace. Between
them the search returns to Python, which counts the votes: some 0.1 ms a member and move.
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.evaluator import PROVEN_WIN
from gameforge.interfaces.rules import Rules, RulesFunctions
from gameforge.interfaces.searcher import MAX_LINE, STATISTICS, SearcherFunctions
from gameforge.kernel.abi import DRAW, RUNNING, WIN
from gameforge.kernel.assembly import check
from gameforge.kernel.bits import at
from gameforge.kernel.compile.launch import entry
from gameforge.kernel.context import DEPTH, STOP, CompiledPlayer
from gameforge.kernel.game import GameWorkspace, think
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry
from gameforge_search_vote.ballots import Ballot, elected, most_votes
from gameforge_search_vote.members import Folders, given, members

_0, _1 = np.uint64(0), np.uint64(1)
_STATISTICS = np.uint64(STATISTICS)


@attrs.frozen(kw_only=True)
class Vote:
    """Each member is a whole player: it searches with its own searcher, evaluator and oracles, but for books."""

    players: Folders = attrs.field(validator=given)
    """A run (what it has in `generations`), a saved player, a folder of saved players, or a list of these."""

    def composed(self, registry: Registry, rules: Rules) -> "Voters":
        return Voters(members(self.players, registry, rules))


class Voters:
    """The searcher behind `vote`."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = players

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(
            search=search,
            limits=(0,),
            stack=rules.words + rules.max_moves,
            scores=1,
            memory=np.zeros(1, np.uint64),
            statistics=True,
            crew=self.crew,
        )

    def crew(self, player: CompiledPlayer, game: GameWorkspace) -> Callable[[int], int]:
        """The election, in the thread whose game this is; members share its random numbers and its STOP flag.

        The first election of a game, which finds the block `memory` fresh, begins with fresh memories of the members.
        """
        control, rng = player.context.control, player.context.rng
        tables = []
        for member in self.players:
            table = member.parts.compiled_player(game, member.weights)
            tables.append(table._replace(context=table.context._replace(control=control, rng=rng)))
        fresh = [member.parts.search.memory for member in self.players]

        def crew(command: int) -> int:
            state = player.context.stack[: int(game.rules.words)].copy()
            if player.context.memory[0] == 0:
                for table, memory in zip(tables, fresh, strict=True):
                    if memory is not None:
                        table.context.memory[:] = memory
                player.context.memory[0] = 1
            ballots = []
            for table in tables:
                ballots.append(_ballot(table, state))
                if player.context.control[STOP]:
                    break
            _announce(ballots, player)
            return sum(ballot.nodes for ballot in ballots)

        return crew


def search(ctx: Any, s: Any, limits: Any, out: Any) -> Any:
    """Hands the state to the election, which writes `out` but for the nodes, and the score into ctx.scores."""
    rules = ctx.rules
    for i in range(rules.words):
        ctx.stack[i] = s[i]
    n = rules.gen(at(rules.data, _0), s, at(ctx.stack, rules.words))
    code = rules.outcome(at(rules.data, _0), s, n)
    out[0], out[1], out[2], out[_STATISTICS] = _0, _0, _0, _0
    if code != RUNNING:
        return 0.0 if code & 3 == DRAW else PROVEN_WIN if code & 3 == WIN else -PROVEN_WIN
    out[0] = ctx.stack[rules.words]
    ctx.scores[_0] = 0.0
    out[1] = np.uint64(ctx.crew(1))
    return ctx.scores[_0]


def _ballot(table: CompiledPlayer, state: Any) -> Ballot:
    """What a member would play."""
    score = float(entry(think)(table, state))
    check(table)
    length = int(table.out[2])
    return Ballot(
        move=int(table.out[0]),
        score=score,
        nodes=int(table.out[1]),
        line=tuple(table.out[3 : 3 + length].tolist()),
        depth=int(table.context.control[DEPTH]),
    )


def _announce(ballots: Sequence[Ballot], player: CompiledPlayer) -> None:
    """Write the result where a search has it: move and line of the elected, votes as visits."""
    counted = most_votes(ballots)
    best = elected(counted[0], ballots)
    out = player.out
    line = np.array(best.line[:MAX_LINE], np.uint64)
    out[0], out[2] = best.move, len(line)
    out[3 : 3 + len(line)] = line
    player.context.scores[0] = counted[0].score
    player.context.control[DEPTH] = best.depth
    out[STATISTICS] = len(counted)
    for i, choice in enumerate(counted):
        place = STATISTICS + 1 + 3 * i
        value = np.float64(max(-1.0, min(1.0, choice.score)))
        out[place], out[place + 1], out[place + 2] = choice.move, choice.votes, value.view(np.uint64)
