"""Self-play training: sessions, tests, copies of the net, and the final tournament ([Neto2009], section 5.3).

`SelfPlay` is one training. `TrainingState` holds everything that a checkpoint keeps of it between two games, among it
the `Figures` of the session.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs
import numpy as np

from gameforge import GameforgeError, Parts
from gameforge.interfaces import LearnerState, Outcome, Progress, Trained, TrainingTask
from gameforge.kernel import FloatArray
from gameforge.storage import checkpoint
from gameforge_learn_td.settings import TDSettings
from gameforge_learn_td.trainee import slopes_of
from gameforge_learn_td.training_games import Games, starts

Candidate = tuple[str, FloatArray]
"""A net with its name."""


def require_searcher(settings: TDSettings, parts: Parts) -> None:
    """Raise GameforgeError unless the searcher hands out what the rule learns from."""
    name = type(parts.searcher).__name__
    if settings.rule != "td" and settings.target == "oracle":
        raise GameforgeError(
            f'learner td: target = "oracle" needs rule = "td"; with rule = "{settings.rule}" the search consults the '
            "oracles"
        )
    if settings.rule == "tdleaf" and not parts.search.leaf:
        raise GameforgeError(
            f'learner td: rule = "tdleaf" needs a searcher whose line leads to the position that it scored, such as '
            f"minimax or alphabeta; {name} does not say so"
        )
    if settings.rule == "treestrap" and parts.search.recording is None:
        raise GameforgeError(
            f'learner td: rule = "treestrap" needs a searcher that hands out its nodes, such as minimax, or alphabeta '
            f"with one worker and selective = false; {name} does not, with these settings"
        )


class SelfPlay:
    """One training, new or resumed from a checkpoint."""

    def __init__(self, settings: TDSettings, task: TrainingTask) -> None:
        self.settings, self.task = settings, task
        parts = task.parts
        self.game = parts.game
        self.starts = starts(settings.all_boards, parts.game)
        _, layout = slopes_of(parts)
        require_searcher(settings, parts)
        needs_oracle = {"adjudicate = true": settings.adjudicate, 'target = "oracle"': settings.target == "oracle"}
        for setting, is_set in needs_oracle.items():
            if is_set and not parts.oracles.size:
                raise GameforgeError(
                    f"learner td: {setting} needs an oracle that knows results, but the pipeline has none"
                )
        if task.saved is None:
            initial = parts.initial_weights(np.random.default_rng(task.seed))
            self.state = TrainingState(initial=initial, net=initial.copy(), opponent=initial.copy())
            if settings.coherence != "none":
                self.state.changes = {i: np.zeros_like(initial) for i in range(4)}
        else:
            self.state = TrainingState.restored(task.saved, layout.length)
        changes = [self.state.changes[i] for i in sorted(self.state.changes)]
        self.rounded = layout.rounded
        self.games = Games(parts, settings, self.state.net, self.state.opponent, changes, task.seed)
        self.names = ("net", "opponent" if settings.regime == "straight" else "clone")

    def run(self) -> Trained:
        settings, state = self.settings, self.state
        while state.session <= settings.sessions:
            self._train()
            self._close_session()
        if settings.regime == "straight":
            state.names, state.copies = ["opponent"], {0: state.opponent}
        weights, numbers = state.opponent if settings.result == "clone" else state.net, {}
        if settings.result == "tournament":
            candidates = [*state.generations, ("net", state.net)]
            winner = self._tournament(candidates)
            weights, numbers = candidates[winner][1], {"best": winner + 1, "of": len(candidates)}
        clones = 0 if settings.regime == "straight" else len(state.generations)
        return Trained(
            weights=self.rounded(weights.copy()),
            initial_weights=state.initial,
            summary={"games": state.played, **state.totals, "clones": clones, **numbers},
            generations=tuple((name, self.rounded(kept)) for name, kept in state.generations),
        )

    def _train(self) -> None:
        """Play the remaining training games of the session."""
        state, games = self.state, self.settings.games
        while state.board < len(self.starts):
            sides = np.arange(state.done, games, dtype=np.int64) % 2
            start = self.starts[state.board]
            for batch in self.games.train(start, sides, state.played + 1, self.names, state.session):
                state.figures.probes += batch.probes
                state.figures.hits += batch.hits
                state.figures.seconds += batch.seconds
                for record, material in zip(batch.games, batch.material, strict=True):
                    assert record.learner is not None
                    state.figures.add(record.outcome, record.learner, len(record.codes), material)
                    self.task.game_finished(record)
                state.done += len(batch.games)
                state.played += len(batch.games)
                self.task.checkpoint(lambda: checkpoint.pack(state))
            state.board, state.done = state.board + 1, 0

    def _close_session(self) -> None:
        """Test and copy the net as the regime requires, and report the figures of the session."""
        state, settings = self.state, self.settings
        if not (np.isfinite(state.net).all() and np.isfinite(state.opponent).all()):
            rates = "rate1, rate2 or momentum" if settings.is_neurodraughts else "rate, rate1 or rate2"
            raise GameforgeError(f"learner td: the weights diverged in session {state.session}; lower {rates}")
        points: list[int] = []
        if settings.regime == "cloning":
            points = self._test()
            cloned = all(n >= start.clone_points for n, start in zip(points, self.starts, strict=True))
        else:
            cloned = settings.regime == "block" and state.figures.wins >= settings.clone_share * state.figures.games
        if cloned:
            state.opponent[:] = state.net
            self.games.opponent_changed()
            state.keep(f"clone {len(state.names) + 1}", state.net)
        figures = state.figures
        numbers: dict[str, float | int | bool] = {
            **figures.counts(),
            **({"test_points": sum(points)} if points else {}),
            "cloned": cloned,
            "mean_plies": figures.plies / figures.games,
            **({"balance": figures.balance / figures.games} if self.game.material else {}),
            "games_per_second": figures.games / max(figures.seconds, 1e-9),
        }
        state.totals = {name: state.totals.get(name, 0) + n for name, n in figures.counts().items()}
        session = state.session
        state.session, state.board, state.figures = session + 1, 0, Figures()
        self.task.session_finished(
            Progress(
                session=session,
                sessions=settings.sessions,
                games=state.played,
                total=settings.training_games,
                weights=state.net,
                numbers=numbers,
            )
        )
        self.task.checkpoint(lambda: checkpoint.pack(state))

    def _test(self) -> list[int]:
        """Points of the net in two games on each board, one with each colour, without learning."""
        points = []
        number = 2 * len(self.starts) * (self.state.session - 1)
        for start in self.starts:
            both = 0
            for side in (0, 1):
                number += 1
                record = self.games.test(start, side, number, self.names, self.state.session)
                both += record.outcome.points(side)
                self.task.game_finished(record)
            points.append(both)
        return points

    def _tournament(self, candidates: list[Candidate]) -> int:
        """Index of the winner. Games whose results are in the checkpoint are not played again."""
        winners = self.state.tournament
        known = winners[::-1]
        games = len(candidates) * (len(candidates) - 1)
        if len(known) < games:
            done = f", {len(known)} of them done" if known else ""
            self.task.notice(f"tournament of {len(candidates)} nets: {games} games{done}")

        def play(first: Candidate, second: Candidate) -> int | None:
            if known:
                return known.pop()
            names = (first[0], second[0])
            record = self.games.tournament(first[1], second[1], len(winners) + 1, names)
            winners.append(record.outcome.winner)
            self.task.game_finished(record)
            self.task.checkpoint(lambda: checkpoint.pack(self.state))
            return record.outcome.winner

        return best_of(candidates, play)


Entrant = TypeVar("Entrant")


def best_of(candidates: Sequence[Entrant], play: Callable[[Entrant, Entrant], int | None]) -> int:
    """Index of the candidate with the most wins after every ordered pair has played once; the latest on ties.

    `play(first, second)` returns the winner, 0 or 1, or None for a draw.
    """
    wins = [0] * len(candidates)
    for i, j in itertools.permutations(range(len(candidates)), 2):
        winner = play(candidates[i], candidates[j])
        if winner is not None:
            wins[(i, j)[winner]] += 1
    return max(range(len(candidates)), key=lambda i: (wins[i], i))


@attrs.define
class Figures:
    """Sums over training games, from the net's point of view."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    loops: int = 0
    """Loop draws, which are also counted as draws."""
    plies: int = 0
    balance: float = 0.0
    """The net's material minus its opponent's at the end of each game."""
    probes: int = 0
    """Positions that were looked up in the players' oracles."""
    hits: int = 0
    """Lookups that found a result."""
    seconds: float = 0.0

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws

    def add(self, outcome: Outcome, side: int, plies: int, material: tuple[float, float]) -> None:
        """Add a game."""
        points = outcome.points(side)
        self.wins += points == 2
        self.draws += points == 1
        self.losses += points == 0
        self.loops += outcome.loop
        self.plies += plies
        self.balance += material[side] - material[1 - side]

    def counts(self) -> dict[str, int]:
        """Counts that are added up over sessions; oracle lookups only if there were any."""
        games = {"wins": self.wins, "losses": self.losses, "draws": self.draws, "loops": self.loops}
        return games | ({"probes": self.probes, "hits": self.hits} if self.probes else {})


@attrs.define(kw_only=True)
class TrainingState:
    """Everything that changes during a training."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    net: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    """Changed in place by the training games."""
    opponent: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    names: list[str] = attrs.field(factory=list, metadata=checkpoint.kept(name="generations"))
    """Names of the copies of the net."""
    copies: dict[int, FloatArray] = attrs.field(factory=dict, metadata=checkpoint.kept("weights", name="generation"))
    """Copies of the net, by the place of their names."""
    changes: dict[int, FloatArray] = attrs.field(factory=dict, metadata=checkpoint.kept("weights"))
    """With coherence: the sums of the net's changes and of their absolute values, then those of the opponent."""
    session: int = 1
    board: int = 0
    done: int = 0
    """Training games that the session has played on this board."""
    played: int = 0
    """Training games of all sessions."""
    figures: Figures = attrs.field(factory=Figures)
    """Figures of the current session."""
    totals: dict[str, int] = attrs.field(factory=dict)
    """Totals of the finished sessions."""
    tournament: list[int | None] = attrs.field(factory=list)
    """Winners of the final tournament's games so far: 0, 1, None for a draw."""

    @property
    def generations(self) -> list[Candidate]:
        """The copies of the net, with their names."""
        return [(name, self.copies[i]) for i, name in enumerate(self.names)]

    def keep(self, name: str, weights: FloatArray) -> None:
        """Add a copy of a net to the generations."""
        self.copies[len(self.names)] = weights.copy()
        self.names.append(name)

    @classmethod
    def restored(cls, state: LearnerState, weights: int) -> "TrainingState":
        """Restore the state of a checkpoint; GameforgeError if the net has another number of weights."""
        mismatch = "learner td: the checkpoint does not match this network"
        found = checkpoint.unpack(cls, state, mismatch, weights=weights)
        if sorted(found.copies) != list(range(len(found.names))):
            raise GameforgeError(f"{mismatch}: expected {len(found.names)} generations, got {len(found.copies)}")
        return found
