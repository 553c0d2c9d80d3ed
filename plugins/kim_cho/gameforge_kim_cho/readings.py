"""The experiment `kim-cho-readings`: what two readings of [KimCho2007] are worth to players that evolve by crowding.

The paper moves the king's value of every child, and its gate judges the choices of the player by the scores that a
search found for them. By default our mutation draws that value like any other weight, and our gate judges the leaves
(docs/readings.md, "King's value of a child" and "Gate of the endgame database"). Here the readings meet the defaults,
so that a few games show what they change.
"""

from collections.abc import Mapping, Sequence

import attrs

from gameforge import Pipeline, Player
from gameforge.experiments import Numbers, Report, Sample, Trial
from gameforge.interfaces import kinds
from gameforge_kim_cho import evolved_players as evolved
from gameforge_kim_cho.checkers import GENERATIONS, SPECIATED_PRESET

DRAWN, ALWAYS, GATE = "king drawn", "king always moved", "gate"
LEAVES, ROOT, SEARCHED, WITHOUT = "gate at the leaves", "gate at the root", "gate on searched scores", "no database"
_AT = {LEAVES: "leaves", ROOT: "root", SEARCHED: "searched"}
_MATCHES = (ROOT, LEAVES), (ROOT, WITHOUT), (LEAVES, WITHOUT), (SEARCHED, LEAVES), (SEARCHED, ROOT), (SEARCHED, WITHOUT)
_EVOLVING = 8.0
"""Seconds of an evolution for each of its nets, at scale 1."""
_GAME = 0.1
"""Seconds of a game."""


@attrs.frozen(kw_only=True)
class KimChoReadings:
    """Two evolutions by crowding without knowledge; and the first one's champion with a database that is gated."""

    games: int = attrs.field(default=200, validator=evolved.PAIRED)
    """Games of each match."""
    pieces: int = attrs.field(default=4, validator=kinds.within(2, 6))
    """Pieces of the database."""
    population: int = attrs.field(default=100, validator=evolved.PAIRED)
    """Nets of an evolution."""
    piece_diff: bool = False
    """Whether the nets have a link from the sum of the inputs to the output, as in Anaconda."""

    title = "Readings of Kim and Cho: the mutation of the king's value, and the place of the gate"
    source = "Kim and Cho 2007, sections 3.1 and 3.2"
    seeds = 5
    least_scale = 0.04
    """Two generations."""
    after = {ALWAYS: (DRAWN,), GATE: (DRAWN,)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition: self.seconds(condition, 1.0) for condition in (DRAWN, ALWAYS, GATE)}

    def seconds(self, condition: str, scale: float) -> float:
        """Only the evolutions depend on the scale."""
        matches = {DRAWN: 0, ALWAYS: 1, GATE: len(_MATCHES)}[condition] * self.games * _GAME
        whole = 0.0 if condition == GATE else self.population * _EVOLVING
        return evolved.seconds(whole, GENERATIONS, scale, matches)

    def run(self, trial: Trial) -> Numbers:
        if trial.condition == GATE:
            return {"matches": self._gates(trial)}
        pipeline = self._evolution(trial, {"stepped": "always" if trial.condition == ALWAYS else "drawn"})
        run = trial.run(pipeline, trial.condition)
        found = {"games": run.summary["games"], "generations": len(run.sessions), "king": _kings_value(run.player)}
        if trial.condition == DRAWN:
            return found
        drawn = {DRAWN: trial.player(DRAWN)}
        return found | {"matches": evolved.played(trial, run.player, ALWAYS, drawn, self.games)}

    def _evolution(self, trial: Trial, learner: Mapping[str, object], *changes: Mapping[str, object]) -> Pipeline:
        evolving = {"learner": {"population": self.population, "species": 0, **learner}}
        return evolved.evolution(
            trial, SPECIATED_PRESET, evolving, {"evaluator": {"piece_diff": self.piece_diff}}, *changes
        )

    def _gates(self, trial: Trial) -> dict[str, Numbers]:
        """Matches of one net: with the database behind each gate, and without it."""
        weights, database = trial.player(DRAWN).weights, {"use": "chinook", "pieces": self.pieces}
        oracles = {name: [{"use": "gated", "at": at, "oracle": database}] for name, at in _AT.items()} | {WITHOUT: []}
        players = {
            name: Player(self._evolution(trial, {}, {"oracle": oracle}).parts(), weights, name)
            for name, oracle in oracles.items()
        }
        return {
            f"{one} - {other}": evolved.played(trial, players[one], one, {other: players[other]}, self.games)[other]
            for one, other in _MATCHES
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        begun, seeds = results[DRAWN][0], len(results[DRAWN])
        kings = {name: Sample((one["king"] for one in results[name]), digits=2) for name in (DRAWN, ALWAYS)}
        return Report.of(
            f"{seeds} seed{'s' if seeds > 1 else ''}; each evolution has {begun['generations']} generations "
            f"({begun['games']:,} games) of {self.population} nets, the published ones have {GENERATIONS} of 100. "
            f"Scores are points a game; their intervals come from the pairs of games, from {Report.FEWEST_SEEDS} seeds "
            "on from the means of the seeds.\n",
            "The champion of the evolution that moves the king's value in every child:\n",
            evolved.match_rows(results[ALWAYS], "matches"),
            "The king's value of both champions; all begin with 2:\n",
            [{"": name, "king's value": king, "seeds from, to": king.range_text} for name, king in kings.items()],
            "One net, the champion of the other evolution, with and without the database. The first player of each row "
            "against the second:\n",
            evolved.match_rows(results[GATE], "matches"),
            scale=scale,
            numbers={
                "kings": {name: list(king) for name, king in kings.items()},
                "matches": evolved.pooled(results[ALWAYS], "matches") | evolved.pooled(results[GATE], "matches"),
            },
        )


def _kings_value(player: Player) -> float:
    """The king's value among the weights of a player."""
    assert player.weights is not None
    assert player.parts.vector is not None
    (king,) = player.parts.vector.stepped
    return float(player.weights[king.place])
