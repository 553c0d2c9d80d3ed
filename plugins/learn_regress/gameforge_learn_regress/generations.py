"""The learner `selfplay` at work: play, fit, gate, measure, and again from the best player so far.

`SelfplayState` is what changes in the course of a training, and what checkpoints hold of it.
"""

import contextlib
import itertools
import time
from collections.abc import Generator

import attrs
import numpy as np
from gameforge_examples.folder import Rows, row_type
from gameforge_examples.making import Recorded
from gameforge_examples.positions import GAMES_A_JOB, GameSettings, all_of, play_games, positions_of

import gameforge as gf
from gameforge import Pairs
from gameforge.interfaces import LearnerState, Progress, Site, Spec, Trained, TrainingTask, Work
from gameforge.kernel import FloatArray, derived, stream
from gameforge.storage import checkpoint, files
from gameforge_learn_regress.data import require_room, require_slopes
from gameforge_learn_regress.fitting import Fit, FitState
from gameforge_learn_regress.settings import MOST_WINDOWS, SelfplaySettings, Stage, require_openings

_INITIAL, _PLAY, _FIT, _GATE, _YARDSTICK = range(5)
"""Purposes of random numbers: each has a stream of its own in each generation."""
_BLIND = 0.5
"""Share of random moves while an untrained evaluator plays."""
_WHO = "learner selfplay"


class Generations:
    """One training, new or resumed from a checkpoint."""

    def __init__(self, settings: SelfplaySettings, task: TrainingTask) -> None:
        require_slopes(task.parts)
        if task.work is None:
            raise gf.GameforgeError(f"{_WHO}: it needs workers to play its games, but has none")
        self.settings, self.task = settings, task
        self.work: Work = task.work
        named = self.work.site.default_evaluator()
        self.teacher, self.yardstick = settings.teacher or named, settings.yardstick or named
        self._match_searcher = gf.Pairs.searcher(self.work.site, settings.match_searcher)
        for evaluator in (self.teacher, self.yardstick):
            self._check(self._match_searcher, evaluator)
        kinds = [kind for stage in settings.stages for kind in stage.kinds]
        for kind in kinds:
            for searcher in (kind.searcher, kind.play.judge):
                if searcher is not None:
                    self._check(searcher, None)
            self._check(self._match_searcher, kind.play.balanced_by)
        require_openings(settings, task.parts)
        vector, _ = task.parts.tunable()
        require_room(_WHO, vector)
        if task.saved is None:
            self.state = SelfplayState(task.parts.initial_weights(np.random.default_rng(derived(task.seed, _INITIAL))))
        else:
            self.state = SelfplayState.restored(task.saved, vector.length, task.parts.game.functions.words)
        if self.yardstick is None and settings.yardstick_games and task.saved is None:
            task.notice(
                "generations are not measured: there is no yardstick, and the game names no player without weights"
            )
        specs = {str(kind.oracle): kind.oracle for kind in kinds if kind.oracle is not None}
        self._oracles = {name: self._opened(spec) for name, spec in specs.items()}

    def _check(self, searcher: Spec | None, evaluator: Spec | None) -> None:
        """Raise GameforgeError for players that cannot be built."""
        try:
            gf.Contender(searcher=searcher, evaluator=evaluator).parts(self.work.site)
        except gf.GameforgeError as error:
            raise gf.GameforgeError(f"{_WHO}: {error}") from error

    def _opened(self, spec: Spec) -> gf.OracleHandle:
        """Open an oracle of further games, before any game is played; it may have to build a database."""

        def announce(what: str, done: int, total: int) -> None:
            if total:
                self._advanced_to(done, total, what)

        try:
            handle = gf.OracleHandle(self.work.site.create("oracle", spec), spec, announce, self.work.workers)
            self.task.parts.with_oracles([handle])
        except gf.GameforgeError as error:
            raise gf.GameforgeError(f"{_WHO}: further: {error}") from error
        return handle

    def run(self) -> Trained:
        state, settings = self.state, self.settings
        while state.generation < settings.total_generations:
            self._play()
            self._fit()
            self._gate()
            self._measure()
            self._close()
        weights = state.best
        if weights is None:
            self.task.notice("no generation beat the teacher; the result is the last candidate")
            weights = state.candidate
        if weights is None:  # as a damaged checkpoint may have it
            raise gf.GameforgeError(f"{_WHO}: the checkpoint is that of a finished training, but has no weights")
        return Trained(
            weights=weights.copy(),
            initial_weights=state.initial,
            generations=[(f"generation {generation}", weights) for generation, weights in state.accepted],
            summary={
                "games": settings.games_before(state.generation),
                "accepted": len(state.accepted),
                "best": state.accepted[-1][0] if state.accepted else 0,
                **self._yardstick_figures(),
                "calibration": state.calibration,
            },
        )

    def _play(self) -> None:
        """The rest of the generation's games of self-play."""
        state, player = self.state, self._player()
        begin = stream(derived(self.task.seed, _PLAY, state.generation))
        least = _BLIND if state.best is None and player.evaluator is None else 0.0
        jobs = [
            (
                attrs.evolve(player, searcher=kind.searcher),
                None if kind.oracle is None else self._oracles[str(kind.oracle)],
                kind.play.with_random_moves(least),
                begin,
                number,
                min(GAMES_A_JOB, kind.end - number),
            )
            for kind in self._stage.kinds
            for number in range(max(kind.first, state.played), kind.end, GAMES_A_JOB)
        ]
        began, before = time.perf_counter(), state.played
        self._advanced_to(state.played, self._stage.games_of_generation, "games of self-play")
        with contextlib.closing(self.work.in_order(played_by, jobs)) as pieces:
            for recorded in pieces:
                if state.played == before:
                    self._require_room(recorded.rows.nbytes / recorded.matches)
                state.windows[-1].append(recorded.rows)
                state.played += recorded.matches
                self._advanced_to(state.played, self._stage.games_of_generation, "games of self-play")
                self.task.checkpoint(state.snapshot)
        if state.played > before:
            state.figures["games_per_second"] = (state.played - before) / (time.perf_counter() - began)

    def _require_room(self, size: float) -> None:
        """Raise GameforgeError if the window will not fit into memory; size: bytes of a game of self-play.

        A fit takes the rows apart, and has at least as much memory for that as they have.
        """
        stage = self._stage
        generations = stage.window if stage.earlier else min(stage.window, stage.generations)
        window = int(2 * size * stage.games_of_generation * generations)
        kept = sum(rows.nbytes for pieces in self.state.windows for rows in pieces)
        what = f"{_WHO}: a window of {generations:,} generations of {stage.games_of_generation:,} games"
        files.require_memory(window - kept, what)

    def _advanced_to(self, done: int, total: int, units: str) -> None:
        """Report how far a step of this generation is."""
        state = self.state
        games = self.settings.games_before(state.generation) + state.played
        self.task.advance(session=state.generation + 1, units=units, done=done, total=total, games=games)

    @property
    def _stage(self) -> Stage:
        return self.settings.stage(self.state.generation)

    def _player(self) -> gf.Contender:
        """Who plays against itself, and whom a candidate has to beat."""
        if self.state.best is not None:
            return gf.Contender(weights=self.state.best)
        if self.teacher is not None:
            return gf.Contender(evaluator=self.teacher)
        return gf.Contender(weights=self.state.initial)

    def _fit(self) -> None:
        """Fit the generation's candidate to the positions of the last generations."""
        state = self.state
        if state.candidate is not None:
            return
        parts, sources, games = [], itertools.count(), 0
        for generation, pieces in enumerate(state.windows, state.generation + 1 - len(state.windows)):
            rows, stage = np.concatenate(pieces), self.settings.stage(generation)
            for kind in stage.kinds:
                chosen = (rows["match"] >= kind.first) & (rows["match"] < kind.end)
                parts.append(positions_of(rows[chosen], next(sources), games))
            games += stage.games_of_generation
        positions = all_of(parts).merged()
        seed = derived(self.task.seed, _FIT, state.generation)
        where = f"{_WHO}, generation {state.generation + 1}"
        begin = state.initial if state.best is None or not self._stage.tune else state.best
        fit = Fit(self._stage.fit, self.task.parts, positions, seed, where, begin if self._stage.tune else None)
        epochs = self._stage.fit.epochs
        self._advanced_to(0, epochs, "epochs of the fit")
        fitted = fit.run(
            FitState.begin(begin),
            self.work.workers,
            lambda fit, train, test: self._advanced_to(fit.epoch, epochs, "epochs of the fit"),
        )
        state.candidate, state.calibration = fitted.weights, dict(fitted.calibration)
        state.figures |= {
            "positions": len(positions),
            "train_loss": fitted.train_loss,
            "test_loss": fitted.test_loss,
        }
        self.task.checkpoint(state.snapshot)

    def _gate(self) -> None:
        """Play the candidate against the best player or the teacher; it takes its place if the test accepts it."""
        state, gate = self.state, self._stage.gate
        if state.decided:
            return
        assert state.candidate is not None
        other = attrs.evolve(self._player(), searcher=self._match_searcher)
        players = gf.Contender(weights=state.candidate, searcher=self._match_searcher), other
        names = f"generation {state.generation + 1}", self._name()
        test = gate.sprt
        # Unlike that of a match, this test counts repeated games too: shipped trainings stay repeatable, bit for bit.
        verdict = test.accepted(state.gate.counts)
        if verdict is None:
            with self._match(_GATE, state.gate, players, names, gate.pairs, len(state.gate)) as played:
                for _ in played:
                    self._advanced_to(2 * len(state.gate), gate.games, "games of the gate")
                    self.task.checkpoint(state.snapshot)
                    verdict = test.accepted(state.gate.counts)
                    if verdict is not None:
                        break
        if verdict is None:
            self.task.notice(
                f"generation {state.generation + 1}: {gate.games} games did not decide the gate; it is rejected"
            )
        self._warn_of_repeats(state.gate, names)
        gated = state.gate.elo_figures("gate")
        # Numbers of games are less important than the losses.
        games = {"gate_games": 2 * len(state.gate), "gate_distinct": state.gate.distinct.games}
        state.figures = {"accepted": verdict == "H1", **gated, **state.figures, **games}
        if verdict == "H1":
            state.best = state.candidate
            state.accepted.append((state.generation + 1, state.candidate))
            state.yardstick = gf.Pairs()
        state.decided = True
        self.task.checkpoint(state.snapshot)

    def _name(self) -> str:
        return f"generation {self.state.accepted[-1][0]}" if self.state.accepted else "teacher"

    def _measure(self) -> None:
        """Play the best player against the yardstick; games of the same player in several generations add up."""
        state, pairs = self.state, self.settings.yardstick_games // 2
        if self.yardstick is None or state.best is None:
            return
        players = (
            gf.Contender(weights=state.best, searcher=self._match_searcher),
            gf.Contender(evaluator=self.yardstick, searcher=self._match_searcher),
        )
        names = self._name(), "yardstick"
        with self._match(_YARDSTICK, state.yardstick, players, names, pairs, state.measured) as played:
            for _ in played:
                state.measured += 1
                self._advanced_to(2 * state.measured, self.settings.yardstick_games, "games against the yardstick")
                self.task.checkpoint(state.snapshot)
        self._warn_of_repeats(state.yardstick, names)
        state.figures |= self._yardstick_figures()

    def _yardstick_figures(self) -> dict[str, float]:
        """Elo and number of distinct games; empty without games."""
        found = self.state.yardstick
        return {**found.elo_figures("yardstick"), "yardstick_distinct": found.distinct.games} if len(found) else {}

    def _warn_of_repeats(self, pairs: gf.Pairs, players: tuple[str, str]) -> None:
        """Notify the user if fewer than half of the games are distinct."""
        repeats = pairs.repeats_text(players)
        if repeats:
            self.task.notice(f"{repeats}; more opening_plies would vary them")

    def _match(
        self,
        purpose: int,
        pairs: gf.Pairs,
        players: tuple[gf.Contender, gf.Contender],
        names: tuple[str, str],
        most: int,
        done: int,
    ) -> "contextlib.closing[Generator[None, None, None]]":
        """The rest of a match of `most` pairs, from number `done` on, pair by pair; closed, it ends the games."""
        seed = derived(self.task.seed, purpose, self.state.generation)
        played = pairs.play(
            *(self.work, players, names),
            pairs=range(done, most),
            plies=self.settings.opening_plies,
            seed=seed,
            game_finished=self.task.game_finished,
        )
        return contextlib.closing(played)

    def _close(self) -> None:
        """Report the generation, and begin the next one."""
        state, settings = self.state, self.settings
        state.generation += 1
        self.task.session_finished(
            Progress(
                session=state.generation,
                sessions=settings.total_generations,
                games=settings.games_before(state.generation),
                total=settings.training_games,
                weights=state.candidate if state.best is None else state.best,
                numbers=dict(state.figures),
                kept=f"generation {state.generation}" if state.figures["accepted"] else "",
            )
        )
        if state.generation < settings.total_generations:
            state.candidate = None
            own = settings.begins_stage(state.generation) and not self._stage.earlier
            state.windows = [*([] if own else state.windows), []][-self._stage.window :]
        state.played, state.gate, state.decided, state.measured, state.figures = 0, gf.Pairs(), False, 0, {}
        self.task.checkpoint(state.snapshot)


def played_by(
    site: Site,
    player: gf.Contender,
    oracle: gf.OracleHandle | None,
    play: GameSettings,
    begin: int,
    number: int,
    games: int,
) -> Recorded:
    """Play games of a contender against itself, numbered from `number` on; a function for `Work.each`.

    oracle: replaces those of the pipeline; None: these.
    """
    parts = player.parts(site)
    if oracle is not None:
        parts = parts.with_oracles([oracle])
    return play_games(site, parts, player.weights, play, begin, number, games)


@attrs.frozen(kw_only=True)
class _Saved:
    """A training as a checkpoint holds it."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    best: FloatArray | None = attrs.field(metadata=checkpoint.kept("weights"))
    candidate: FloatArray | None = attrs.field(metadata=checkpoint.kept("weights"))
    accepted: list[int]
    players: dict[int, FloatArray] = attrs.field(metadata=checkpoint.kept("weights", name="accepted"))
    """Weights of the accepted players, by their generations."""
    windows: int
    rows: dict[int, Rows] = attrs.field(metadata=checkpoint.kept(name="window"))
    """Positions of the windows that have some."""
    generation: int
    played: int
    decided: bool
    measured: int
    figures: dict[str, bool | int | float]
    calibration: dict[str, list[int | float]]
    gate: list[int]
    gate_keys: list[int] | None
    yardstick: list[int]
    yardstick_keys: list[int] | None


@attrs.define(eq=False)
class SelfplayState:
    """All that changes in the course of a training."""

    initial: FloatArray
    best: FloatArray | None = None
    """The last accepted weights; None: the teacher still plays."""
    candidate: FloatArray | None = None
    """Weights that the present generation has fitted; None before its fit."""
    accepted: list[tuple[int, FloatArray]] = attrs.field(factory=list)
    """Generation and weights of all accepted players."""
    windows: list[list[Rows]] = attrs.field(factory=lambda: [[]])
    """Positions of the last generations in pieces, the present one's last."""
    generation: int = 0
    """Number of generations that are over."""
    played: int = 0
    """Number of games of self-play in the present generation."""
    gate: Pairs = attrs.field(factory=Pairs)
    """The gate's games; the candidate is the first player."""
    decided: bool = False
    """Whether the gate is over."""
    yardstick: Pairs = attrs.field(factory=Pairs)
    """The games of the best player, the first one, against the yardstick."""
    measured: int = 0
    """Number of these pairs that the present generation has played."""
    figures: dict[str, bool | int | float] = attrs.field(factory=dict)
    """Figures of the present generation, as Progress.numbers has them."""
    calibration: dict[str, list[int | float]] = attrs.field(factory=dict)
    """Calibration of the last fit (fitting.py)."""

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        for pieces in self.windows:
            if pieces:
                pieces[:] = [np.concatenate(pieces)]
        return checkpoint.pack(
            _Saved(
                initial=self.initial,
                best=self.best,
                candidate=self.candidate,
                accepted=[generation for generation, _ in self.accepted],
                players=dict(self.accepted),
                windows=len(self.windows),
                rows={i: pieces[0] for i, pieces in enumerate(self.windows) if pieces},
                generation=self.generation,
                played=self.played,
                decided=self.decided,
                measured=self.measured,
                figures=self.figures,
                calibration=self.calibration,
                gate=self.gate.points,
                gate_keys=self.gate.keys,
                yardstick=self.yardstick.points,
                yardstick_keys=self.yardstick.keys,
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, weights: int, words: int) -> "SelfplayState":
        """The state of a snapshot; GameforgeError if it does not match this evaluator and game."""
        mismatch = "learner selfplay: the checkpoint does not match this training"
        found = checkpoint.unpack(_Saved, state, mismatch, weights=weights)
        with checkpoint.matching(mismatch):
            if sorted(found.accepted) != sorted(found.players):
                raise ValueError("the accepted generations are not those whose weights it holds")
            if found.decided and "accepted" not in found.figures:
                raise ValueError("the gate is decided, but its figures do not say how")
            return cls(
                found.initial,
                found.best,
                found.candidate,
                accepted=[(generation, found.players[generation]) for generation in found.accepted],
                windows=_windows(found, words),
                generation=found.generation,
                played=found.played,
                gate=_pairs("gate", found.gate, found.gate_keys),
                decided=found.decided,
                yardstick=_pairs("yardstick", found.yardstick, found.yardstick_keys),
                measured=found.measured,
                figures=found.figures,
                calibration=found.calibration,
            )


def _pairs(name: str, points: list[int], keys: list[int] | None) -> Pairs:
    """The pairs of a match; ValueError if there are not two games to each, or if they have no such points."""
    if not set(points) <= set(range(5)):
        raise ValueError(f"{name}: the points of a pair of games are from 0 to 4")
    if keys is None:  # an earlier version kept only the points; its games count as distinct
        keys = list(range(2 * len(points)))
    if len(keys) != 2 * len(points):
        raise ValueError(f"{name}_keys: got {len(keys)} for {len(points)} pairs of games")
    return Pairs(list(points), keys)


def _windows(found: _Saved, words: int) -> list[list[Rows]]:
    """The positions of the generations; ValueError if they are not those of a game with states of this size."""
    if not 0 < found.windows <= MOST_WINDOWS or any(not 0 <= i < found.windows for i in found.rows):
        raise ValueError(f"windows = {found.windows}: does not match the arrays 'window ...' in the checkpoint")
    for rows in found.rows.values():
        if rows.dtype != row_type(words, exact=True) or not np.isfinite(rows["utility"]).all():
            raise ValueError("its positions are not those of this game")
    return [[found.rows[i]] if i in found.rows else [] for i in range(found.windows)]
