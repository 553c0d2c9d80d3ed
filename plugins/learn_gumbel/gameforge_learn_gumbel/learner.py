"""The learner `gumbel`, which trains a policy and a value by self-play with tree search.

`Gumbel` is the component with its parameters. `Training` runs the generations: games (self_play.py), then a fit to them
(fitting.py). `TrainingState` is what changes from one generation to the next.
"""

import contextlib
import time
from collections.abc import Mapping
from typing import Literal

import attrs
import numpy as np

import gameforge as gf
from gameforge.interfaces import LearnerState, Progress, Spec, Trained, TrainingTask, Work, kinds
from gameforge.kernel import FloatArray, IntegerArray, WordArray, derived, stream
from gameforge.storage import checkpoint, files
from gameforge_learn_gumbel.fitting import ENTROPY, POLICY, VALUE, Weights, fit_of
from gameforge_learn_gumbel.self_play import Examples, SelfPlay, meet, play

Search = Literal["gumbel", "puct"]
SEARCHER = Spec("puct", {"simulations": 32, "reuse": False})
"""The searcher of self-play: few simulations, and no visits of earlier searches in the policy that is fitted."""
_OF_SEARCH: Mapping[Search, Mapping[str, str | float]] = {
    "gumbel": {"select": "gumbel", "noise": 1.0},
    "puct": {"select": "puct", "noise": 0.25, "choice_temperature": 1.0},
}
"""Settings of `puct` in self-play, where nothing else is said. Without noise all games would be alike."""
_WHO = "learner gumbel"
_INITIAL, _PLAY, _FIT, _GATE = range(4)
"""Purposes of random numbers."""
_GAMES_A_JOB = 32
"""Games of a piece of work."""
_VECTORS = 7
"""Vectors of weights in memory at once: those of TrainingState, and the gradient."""
_LAST_RATE = 0.1
"""The last generation's learning rate, as a share of the first one's."""


@attrs.frozen(kw_only=True)
class Gumbel:
    """AlphaZero [Silver2018], with its own search or with Gumbel search [Danihelka2022], in generations.

    A generation: the evaluator plays games against itself, guided by tree search; its policy is then fitted to what
    the searches preferred, and its score to the results of the games and the values of the searches. The result is the
    evaluator after the last generation, or the last that passed the gate.
    """

    generations: int = attrs.field(default=60, validator=kinds.count(1, 100_000))
    """Number of generations."""
    games: int = attrs.field(default=1000, validator=kinds.count(1, 10_000_000))
    """Games of self-play in a generation."""
    search: Search = attrs.field(default="gumbel", validator=attrs.validators.in_(("gumbel", "puct")))
    """What the policy is fitted to, and how `puct` searches in self-play if `searcher` does not say it.

    gumbel: the improved policies of Gumbel search. puct: the shares of visits; PUCT with Dirichlet noise of a share of
    0.25, and a temperature of 1 for the first plies of a game, as in AlphaZero.
    """
    searcher: Spec = SEARCHER
    """Searcher of self-play; one that counts visits."""
    scale: float = attrs.field(default=1.0, validator=kinds.positive(100))
    """Weight of values beside the logits in the improved policy, c_scale of [Danihelka2022], as in `puct`."""
    random_plies: int = attrs.field(default=8, validator=kinds.count(0, 1000))
    """A game begins with up to this number of random moves; each number from 0 on is equally likely. Where they end
    the game, it begins with fewer."""
    blend: float = attrs.field(default=0.5, validator=kinds.share)
    """What a position should score: blend * the result of its game + (1 - blend) * the value of its search."""
    window: int = attrs.field(default=10, validator=kinds.count(1, 1000))
    """Number of generations whose positions are fitted: the present one and those before it."""
    passes: float = attrs.field(default=4.0, validator=kinds.positive(1000))
    """Positions drawn for the fit of a generation, for each new position."""
    batch: int = attrs.field(default=256, validator=kinds.count(1, 1 << 20))
    """Positions of a step."""
    rate: float = attrs.field(default=0.002, validator=kinds.positive(100))
    """Learning rate of AdamW in the first generation; it falls evenly to a tenth of this in the last."""
    weight_decay: float = attrs.field(default=0.01, validator=kinds.not_negative)
    """Share of each weight, times the learning rate, that a step takes away."""
    average: float = attrs.field(default=0.0, validator=kinds.share)
    """The trained player is the mean of the nets of the last generations, of this share of all [Izmailov2018]; 0: it is
    the last net. Self-play goes on with the last net either way."""
    gate: float = attrs.field(default=0.0, validator=kinds.share)
    """Share of the points that a fitted net must score against self-play's to replace it; 0: there is no match."""
    gate_games: int = attrs.field(default=100, validator=kinds.count(2, 1_000_000))
    """Games of this match. Both nets choose their moves as in self-play."""

    @property
    def self_play_searcher(self) -> Spec:
        """The searcher of self-play with what `search` adds."""
        if self.searcher.use != "puct":
            return self.searcher
        return Spec("puct", {**_OF_SEARCH[self.search], **self.searcher.params})

    @property
    def averaged_generations(self) -> int:
        """Number of the last generations whose nets the trained player is the mean of; at least 1."""
        return max(1, round(self.average * self.generations))

    @property
    def training_games(self) -> int:
        """Number of games of a whole training."""
        return self.generations * self.games

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError for an evaluator without a policy to train, for a searcher that counts no visits, and
        if the loss is not a number."""
        return Training(self, task).run()


@attrs.frozen(kw_only=True)
class _Saved:
    """A training as a checkpoint holds it, between two generations."""

    initial: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    weights: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    playing: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    averaged: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    mean: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    square: FloatArray = attrs.field(metadata=checkpoint.kept("weights"))
    steps: int
    generation: int
    states: dict[int, WordArray] = attrs.field(metadata=checkpoint.kept(None, "words"))
    values: dict[int, FloatArray]
    results: dict[int, FloatArray]
    counts: dict[int, IntegerArray]
    moves: dict[int, WordArray]
    shares: dict[int, FloatArray]


@attrs.define(eq=False)
class TrainingState:
    """All that changes in the course of a training."""

    initial: FloatArray
    weights: FloatArray
    """Those that the fit changes."""
    playing: FloatArray
    """Those of self-play."""
    averaged: FloatArray
    """The mean of those of self-play over the generations that count for the trained player; 0 before the first."""
    mean: FloatArray
    """Adam's means of the gradients."""
    square: FloatArray
    """Adam's means of their squares."""
    steps: int = 0
    """Adam's steps so far."""
    generation: int = 0
    """Number of generations that are over."""
    window: list[Examples] = attrs.field(factory=list)
    """Positions of the last generations."""

    @classmethod
    def begin(cls, initial: FloatArray) -> "TrainingState":
        zeros = np.zeros_like(initial)
        return cls(initial, initial.copy(), initial.copy(), zeros, zeros.copy(), zeros.copy())

    def snapshot(self) -> LearnerState:
        """A copy, for a checkpoint."""
        names = [field.name for field in attrs.fields(Examples)]
        return checkpoint.pack(
            _Saved(
                initial=self.initial,
                weights=self.weights,
                playing=self.playing,
                averaged=self.averaged,
                mean=self.mean,
                square=self.square,
                steps=self.steps,
                generation=self.generation,
                **{name: {i: getattr(part, name) for i, part in enumerate(self.window)} for name in names},
            )
        )

    @classmethod
    def restored(cls, state: LearnerState, weights: int, words: int) -> "TrainingState":
        """The state of a snapshot; GameforgeError if it does not match this evaluator and game."""
        mismatch = f"{_WHO}: the checkpoint does not match this training"
        found = checkpoint.unpack(_Saved, state, mismatch, weights=weights, words=words)
        with checkpoint.matching(mismatch):
            columns = [getattr(found, field.name) for field in attrs.fields(Examples)]
            if any(sorted(column) != list(range(len(found.states))) for column in columns):
                raise ValueError("its window is not complete")
            window = [Examples(*(column[i] for column in columns)) for i in range(len(found.states))]
            for part in window:
                sizes = {len(part.values), len(part.results), len(part.counts), len(part)}
                if len(sizes) != 1 or {len(part.moves), len(part.shares)} != {int(part.counts.sum())}:
                    raise ValueError("the arrays of its window have different lengths")
        kept = {field.name: getattr(found, field.name) for field in attrs.fields(cls) if field.name != "window"}
        return cls(**kept, window=window)


class Training:
    """One training, new or resumed from a checkpoint."""

    def __init__(self, settings: Gumbel, task: TrainingTask) -> None:
        """Raises GameforgeError for an evaluator or a searcher with which it cannot train, and for a lack of memory."""
        if task.work is None:
            raise gf.GameforgeError(f"{_WHO}: it needs workers to play its games, but has none")
        self.settings, self.task, self._searcher = settings, task, settings.self_play_searcher
        self.work: Work = task.work
        vector, _ = task.parts.tunable()
        files.require_memory(_VECTORS * 4 * vector.length, f"{_WHO}: a net of {vector.length:,} weights")
        if task.saved is None:
            initial = task.parts.initial_weights(np.random.default_rng(derived(task.seed, _INITIAL)))
            self.state = TrainingState.begin(initial)
        else:
            words = task.parts.game.functions.words
            self.state = TrainingState.restored(task.saved, vector.length, words)
        state = self.state
        self._fitting = fit_of(task.parts, Weights(state.weights, state.mean, state.square))
        try:
            search = gf.Contender(searcher=self._searcher).parts(self.work.site).search
        except gf.GameforgeError as error:
            raise gf.GameforgeError(f"{_WHO}: {error}") from error
        if not search.statistics:
            raise gf.GameforgeError(f"{_WHO}: searcher {settings.searcher} counts no visits; choose puct or uct")
        self._fitting.require_room(settings.batch)

    def run(self) -> Trained:
        state, settings = self.state, self.settings
        while state.generation < settings.generations:
            figures = self._play()
            figures |= self._fit()
            figures |= self._gate()
            self._close(figures)
        return Trained(
            weights=state.averaged.copy(),
            initial_weights=state.initial,
            summary={"games": settings.games * state.generation, "steps": state.steps},
        )

    def _play(self) -> dict[str, float]:
        """The generation's games of self-play, which join the window."""
        state, settings = self.state, self.settings
        begin = stream(derived(self.task.seed, _PLAY, state.generation))
        how = SelfPlay(
            searcher=self._searcher,
            weights=state.playing.copy(),
            by_visits=settings.search == "puct",
            scale=settings.scale,
            random_plies=settings.random_plies,
            begin=begin,
        )
        numbers = range(0, settings.games, _GAMES_A_JOB)
        jobs = [(how, number, min(_GAMES_A_JOB, settings.games - number)) for number in numbers]
        began, parts, games, plies = time.perf_counter(), [], 0, 0
        self._advance("games of self-play", 0, settings.games, 0)
        with contextlib.closing(self.work.in_order(play, jobs)) as pieces:
            for played in pieces:
                parts.append(played.examples)
                if not games:
                    self._require_room(played.examples.bytes / played.games)
                games, plies = games + played.games, plies + played.plies
                self._advance("games of self-play", games, settings.games, games)
        examples = Examples.joined(parts)
        if not len(examples):
            raise gf.GameforgeError(f"{_WHO}: no position of {settings.games} games offered a choice of moves")
        state.window = [*state.window, examples][-settings.window :]
        seconds = time.perf_counter() - began
        return {"positions": len(examples), "plies": plies / games, "games_per_second": games / seconds}

    def _require_room(self, size: float) -> None:
        """Raise GameforgeError if the window will not fit into memory; size: bytes of a game of self-play.

        A fit joins the window's positions, which then are in memory twice.
        """
        state, settings = self.state, self.settings
        generations = min(settings.window, settings.generations)
        window = int(2 * size * settings.games * generations)
        kept = sum(part.bytes for part in state.window)
        what = f"{_WHO}: a window of {generations:,} generations of {settings.games:,} games"
        files.require_memory(window - kept, what)

    def _fit(self) -> dict[str, float]:
        """The generation's steps of the fit, on positions drawn from the window."""
        state, settings = self.state, self.settings
        positions = self._fitting.read(state.window, settings.blend)
        steps = max(1, round(settings.passes * len(state.window[-1]) / settings.batch))
        rng = np.random.default_rng(derived(self.task.seed, _FIT, state.generation))
        through = state.generation / max(1, settings.generations - 1)
        rate = settings.rate * (1 - (1 - _LAST_RATE) * through)
        losses = np.zeros(3)
        for number in range(steps):
            if number % 100 == 0:
                self._advance("steps of the fit", number, steps, settings.games)
            chosen = rng.integers(positions, size=settings.batch)
            state.steps += 1
            losses += self._fitting.step(chosen, state.steps, rate, settings.weight_decay)
        losses /= steps * settings.batch
        if not np.isfinite(losses).all() or not np.isfinite(state.weights).all():
            raise gf.GameforgeError(
                f"{_WHO}: the loss is not a number in generation {state.generation + 1}; lower the rate, and resume "
                "from, or play with, the last finished generation"
            )
        names = ("policy_loss", POLICY), ("value_loss", VALUE), ("entropy", ENTROPY)
        return {name: float(losses[i]) for name, i in names}

    def _gate(self) -> dict[str, float]:
        """Let the fitted net play from now on, if it passes the gate."""
        state, settings = self.state, self.settings
        if settings.gate == 0:
            state.playing = state.weights.copy()
            return {}
        begin = stream(derived(self.task.seed, _GATE, state.generation))
        new, old = state.weights.copy(), state.playing
        points, total = 0.0, settings.gate_games
        jobs = [
            (self._searcher, new, old, begin, number, min(_GAMES_A_JOB, total - number))
            for number in range(0, total, _GAMES_A_JOB)
        ]
        self._advance("games of the gate", 0, total, settings.games)
        with contextlib.closing(self.work.in_order(meet, jobs)) as pieces:
            for (*_, number, games), found in zip(jobs, pieces, strict=True):
                points += found
                self._advance("games of the gate", number + games, total, settings.games)
        if points >= settings.gate * total:
            state.playing = new
        return {"gate_score": points / total}

    def _advance(self, units: str, done: int, total: int, games: int) -> None:
        """Report how far a step of this generation is, after this number of its games."""
        state = self.state
        before = self.settings.games * state.generation
        self.task.advance(session=state.generation + 1, units=units, done=done, total=total, games=before + games)

    def _close(self, figures: dict[str, float]) -> None:
        """Let the generation's net join the mean, and report the generation."""
        state, settings = self.state, self.settings
        state.generation += 1
        counted = state.generation - (settings.generations - settings.averaged_generations)
        if counted > 0:
            state.averaged = state.averaged + (state.playing - state.averaged) / np.float32(counted)
        self.task.session_finished(
            Progress(
                session=state.generation,
                sessions=settings.generations,
                games=settings.games * state.generation,
                total=settings.training_games,
                weights=state.playing,
                numbers=figures,
                kept=f"generation {state.generation}",
            )
        )
        self.task.checkpoint(state.snapshot)
