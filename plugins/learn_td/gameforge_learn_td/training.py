"""The course of a training: sessions, tests, copies, the final tournament."""

import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import HasMaterial
from gameforge.interfaces.learner import Progress, Trained, TrainingTask
from gameforge_learn_td.figures import Figures
from gameforge_learn_td.games import Games
from gameforge_learn_td.learner import TD
from gameforge_learn_td.standing import Candidate, Standing
from gameforge_learn_td.starts import starts
from gameforge_learn_td.tournament import best_of


class Training:
    """One training, begun or taken up again."""

    def __init__(self, settings: TD, task: TrainingTask) -> None:
        self.settings, self.task = settings, task
        parts = task.parts
        self.rules = parts.game.rules
        self.starts = starts(settings.all_boards, parts.game)
        net, _ = parts.trainable()
        if settings.adjudicate and not parts.oracles.size:
            raise GameforgeError("learner td: adjudicate needs an oracle that knows results; none is named")
        if task.saved is None:
            initial = parts.initial_weights(np.random.default_rng(task.seed))
            self.at = Standing(initial, initial.copy(), initial.copy())
        else:
            self.at = Standing.of(task.saved, net.weights)
        self.games = Games(parts, self.at.net, self.at.opponent, task.seed, adjudicate=settings.adjudicate)
        straight = settings.regime == "straight"
        self.tds = settings.td_parameters(net), settings.td_parameters(net) if straight else None
        self.names = ("net", "opponent" if straight else "clone")

    def run(self) -> Trained:
        settings, at = self.settings, self.at
        while at.session <= settings.sessions:
            self._train()
            self._close_session()
        if settings.regime == "straight":
            at.generations = [("opponent", at.opponent)]
        weights, numbers = at.opponent if settings.result == "clone" else at.net, {}
        if settings.result == "tournament":
            candidates = [*at.generations, ("net", at.net)]
            winner = self._tournament(candidates)
            weights, numbers = candidates[winner][1], {"best": winner + 1, "of": len(candidates)}
        clones = 0 if settings.regime == "straight" else len(at.generations)
        return Trained(
            weights=weights.copy(),
            initial_weights=at.initial,
            summary={"games": at.played, **at.totals, "clones": clones, **numbers},
            generations=tuple(at.generations),
        )

    def _train(self) -> None:
        """The rest of the session's training games."""
        at, games = self.at, self.settings.games
        while at.board < len(self.starts):
            sides = np.arange(at.done, games, dtype=np.int64) % 2
            start = self.starts[at.board]
            for batch in self.games.train(start, sides, at.played + 1, self.names, at.session, self.tds):
                at.figures.probes += batch.probes
                at.figures.hits += batch.hits
                for game in batch.games:
                    record = game.record
                    assert record.learner is not None
                    at.figures.add(record.outcome, record.learner, len(record.moves), game.material)
                    at.figures.seconds += game.seconds
                    self.task.game_finished(record)
                at.done += len(batch.games)
                at.played += len(batch.games)
                self.task.checkpoint(at.state)
            at.board, at.done = at.board + 1, 0

    def _close_session(self) -> None:
        """Test and copy the net as the regime wants it; tell what the session came to."""
        at, settings = self.at, self.settings
        if not (np.isfinite(at.net).all() and np.isfinite(at.opponent).all()):
            raise GameforgeError(
                f"learner td: the weights diverged in session {at.session}; lower rate1, rate2 or momentum"
            )
        points: list[int] = []
        if settings.regime == "cloning":
            points = self._test()
            cloned = all(n >= start.clone_points for n, start in zip(points, self.starts, strict=True))
        else:
            cloned = settings.regime == "block" and at.figures.wins >= settings.clone_share * at.figures.games
        if cloned:
            at.opponent[:] = at.net
            at.generations.append((f"clone {len(at.generations) + 1}", at.net.copy()))
        figures = at.figures
        numbers: dict[str, float | int | bool] = {
            **figures.counts(),
            **({"test_points": sum(points)} if points else {}),
            "cloned": cloned,
            "mean_plies": figures.plies / figures.games,
            **({"balance": figures.balance / figures.games} if isinstance(self.rules, HasMaterial) else {}),
            "games_per_second": figures.games / max(figures.seconds, 1e-9),
        }
        at.totals = {name: at.totals.get(name, 0) + n for name, n in figures.counts().items()}
        session = at.session
        at.session, at.board, at.figures = session + 1, 0, Figures()
        self.task.session_finished(
            Progress(
                session=session,
                sessions=settings.sessions,
                games=at.played,
                total=settings.training_games,
                weights=at.net,
                numbers=numbers,
            )
        )
        self.task.checkpoint(at.state)

    def _test(self) -> list[int]:
        """Points of the net in two games on each board, one with each colour; nobody learns."""
        points = []
        number = 2 * len(self.starts) * (self.at.session - 1)
        for start in self.starts:
            both = 0
            for side in (0, 1):
                number += 1
                record = self.games.test(start, side, number, self.names, self.at.session)
                both += record.outcome.points(side)
                self.task.game_finished(record)
            points.append(both)
        return points

    def _tournament(self, candidates: list[Candidate]) -> int:
        """Index of the winner; games that were played before a checkpoint are not played again."""
        winners = self.at.tournament
        known = winners[::-1]

        def play(first: Candidate, second: Candidate) -> int | None:
            if known:
                return known.pop()
            names = (first[0], second[0])
            record = self.games.tournament(first[1], second[1], len(winners) + 1, names)
            winners.append(record.outcome.winner)
            self.task.game_finished(record)
            self.task.checkpoint(self.at.state)
            return record.outcome.winner

        return best_of(candidates, play)
