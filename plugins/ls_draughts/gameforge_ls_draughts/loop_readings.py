"""The experiment `loop-readings`: loop draws in 2,000 training games under each reading of [Neto2009], section 7.

The readings differ in how ties are broken and in what a database does. The paper prints `v > besteval`, which keeps the
first of equal moves, in a procedure whose bookkeeping is garbled. It consults the database in the search, says that a
lookup "respects the capture constraints" (section 5.4.2), and that the database improves "the adjustment of the Neural
Network weights" (section 5). The report shows each reading, the effect of each change, and a verdict.
"""

import itertools
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from gameforge import experiments, oracle, player
from gameforge.experiments import Matches, Numbers, Report, Sample, Trial, Verdict, number
from gameforge_ls_draughts.counts import Count, match_numbers, matches
from gameforge_ls_draughts.published import EXTENDED, LOOP_GAMES, LOOPS, NEURODRAUGHTS, ORIGINAL, PLAYERS
from gameforge_ls_draughts.settings import require_databases, require_further

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Ties = Literal["first", "random"]


@attrs.frozen(kw_only=True)
class Reading:
    """A pipeline whose loops are counted."""

    player: str
    """Whose training it reads: NeuroDraughts' 12 features, or all 15 of LS-Draughts, without or with a database."""
    ties: Ties
    pieces: int = 0
    """Number of pieces of the database; 0: none."""
    further: tuple[str, ...] = ()
    """Folders or files of databases that are consulted after it."""
    target: Literal["net", "oracle"] = "net"
    """Whether the database's values are targets of the training."""
    quiet: bool = False
    """Whether only positions without a possible capture are looked up."""

    @property
    def name(self) -> str:
        ties = f"{self.ties} ties"
        if not self.pieces:
            return f"{self.player}, {ties}"
        lookups = "quiet lookups" if self.quiet else "all lookups"
        target = ", as target" if self.target == "oracle" else ""
        return f"{ties}, {self.database}, {lookups}{target}"

    @property
    def database(self) -> str:
        """Name of the database, such as `6 pieces and db7`."""
        return " and ".join((f"{self.pieces} pieces", *(Path(path).name for path in self.further)))

    @property
    def settings(self) -> dict[str, Any]:
        """Changes to the preset `neurodraughts-2009`."""
        database = {"use": "chinook", "quiet": self.quiet}
        known: list[Mapping[str, object]] = [{**database, "pieces": self.pieces}] if self.pieces else []
        known += [{**database, "path": path} for path in self.further]
        features = {} if self.player == NEURODRAUGHTS else {"evaluator": {"features": {"set": "ls"}}}
        return {
            "searcher": {"ties": self.ties},
            "learner": {"target": self.target},
            "oracle": known or "none",
            **features,
        }


def readings(numbers: Sequence[int], further: tuple[str, ...] = ()) -> Iterator[Reading]:
    """All readings with databases of these numbers of pieces; and with the largest and `further` ones, if any."""
    for ties in _TIES:
        yield Reading(player=NEURODRAUGHTS, ties=ties)
        yield Reading(player=ORIGINAL, ties=ties)
    databases: list[tuple[int, tuple[str, ...]]] = [(pieces, ()) for pieces in numbers]
    if further:
        databases.append((max(numbers), further))
    for (pieces, others), ties, target, quiet in itertools.product(databases, _TIES, _TARGETS, (False, True)):
        yield Reading(player=EXTENDED, ties=ties, pieces=pieces, further=others, target=target, quiet=quiet)


_TIES: tuple[Ties, ...] = ("first", "random")
_TARGETS: tuple[Literal["net", "oracle"], ...] = ("net", "oracle")

PRESET = "neurodraughts-2009"
GAMES = 200
"""Training games of a session at scale 1; there are 10 sessions."""
OPPONENT = "minimax:depth=5"
"""Searcher of the opponent, which counts material."""
OPENINGS, PAIRS = "3move", 156
LEAST_PAIRS = 5
_SECONDS = 20.0


def _built(instance: "LoopReadings", attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
    if not value or len(set(value)) < len(value) or not all(2 <= pieces <= 6 for pieces in value):
        raise ValueError("must be different numbers from 2 to 6: databases of up to 6 pieces are built on first use")


@attrs.frozen(kw_only=True)
class LoopReadings:
    """Loops of trainings that differ in how ties are broken and in what the database does."""

    pieces: tuple[int, ...] = attrs.field(default=(5, 6), validator=_built)
    """Numbers of pieces of the databases; the paper had 6, and 7 and 8 in part."""
    further: tuple[str, ...] = attrs.field(default=(), validator=attrs.validators.max_len(2))
    """Folders or files of databases, such as 4 against 3 pieces, that are consulted after the one with the most
    pieces; the readings with both come in addition."""

    title = "Loop draws in 2,000 training games under the readings of LS-Draughts"
    source = "Neto, Julia and Caixeta 2009, sections 5, 5.4.2 and 7"
    seeds = 10
    least_scale = 0.01
    """Two training games a session; a verdict needs all 200."""

    def __attrs_post_init__(self) -> None:
        require_databases(self.further, "loop-readings: further")
        require_further(self.further, "loop-readings: further", max(self.pieces))

    @property
    def readings(self) -> Mapping[str, Reading]:
        return {one.name: one for one in readings(self.pieces, self.further)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return dict.fromkeys(self.readings, _SECONDS)

    def run(self, trial: Trial) -> Numbers:
        """Train, count loops, and measure the strength of the trained player against material at the same depth."""
        reading = self.readings[trial.condition]
        shorter = {"learner": {"games": trial.scaled(GAMES)}}
        pipeline = trial.pipeline(PRESET, reading.settings, shorter)
        known = oracle("chinook", pieces=max(self.pieces), workers=trial.workers, registry=trial.registry)
        count = Count(pipeline.game, known)
        training = trial.train(pipeline, count.add)
        summary = training.trained.summary
        trained = training.player(training.trained.weights, "trained")
        opponent = player(
            pipeline.game, searcher=OPPONENT, evaluator="material", oracle="none", registry=trial.registry
        )
        games = 2 * max(LEAST_PAIRS, trial.scaled(PAIRS))
        match = trial.match(trained, opponent, games, trial.condition, openings=OPENINGS)
        return {
            **count.numbers(len(training.sessions)),
            **{key: summary[key] for key in ("wins", "losses", "clones")},
            **{key: summary.get(key, 0) for key in ("probes", "hits")},
            "match": match_numbers(match),
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        figures = {one: _counted(one, results[one.name]) for one in self.readings.values()}
        seeds = len(next(iter(figures.values())).loops)
        return Report.of(
            _verdict(figures, seeds, scale >= 1),
            f"Means of {seeds} seeds with 95 % intervals (Student's t) where there are several. Lost games are those "
            "that the net in training lost to its copy. Won endings are loop draws in endings that the largest "
            "database calls won. Points are those of the trained player against `minimax:depth=5 + material`, in "
            "percent, from as many openings as there are, with both colours. The last columns are the shares of "
            "training games and of games against material that are distinct:\n",
            _rows(figures),
            "What each change does, seed by seed, as the mean over all pairs of readings that differ in nothing "
            "else (p: sign flips, exact):\n",
            _effects(figures),
            numbers={
                one.name: {
                    "loops": [*found.loops],
                    "losses": [*found.losses],
                    "spoilt": [*found.spoilt],
                    "clones": found.clones,
                    "distinct": found.distinct,
                    "points": [*found.scores],
                }
                for one, found in figures.items()
            },
            figures={"loop-readings": lambda figure: _draw(figure, figures)},
        )


@attrs.frozen
class Counted:
    """The figures of one reading, seed by seed; counts are those of LOOP_GAMES training games."""

    reading: Reading
    loops: Sample
    losses: Sample
    spoilt: Sample
    clones: float
    distinct: float
    """Share of different training games, mean of the seeds."""
    matches: Matches
    """Matches of the trained player against material at the same depth."""

    @property
    def scores(self) -> Sample:
        """Percentage of the points in each match."""
        return Sample((100 * score for score in self.matches.scores), (0, 100), 1)

    @property
    def is_expected(self) -> bool:
        """Whether the published count lies where one more training would be expected."""
        low, high = self.loops.prediction
        return low <= LOOPS[self.reading.player] <= high


Figures = Mapping[Reading, Counted]


@attrs.frozen
class Effect:
    """The effect of one change: pairs of readings that differ in nothing else."""

    says: str
    pairs: Sequence[tuple[Reading, Reading]]

    def differences(self, figures: Figures, values: Callable[[Counted], Sample]) -> Sample:
        """The mean difference of the pairs for each seed."""
        return Sample.average([values(figures[after]) - values(figures[before]) for before, after in self.pairs])


def _counted(reading: Reading, trials: Sequence[Numbers]) -> Counted:
    def scaled(key: str) -> Sample:
        return Sample((trial[key] * LOOP_GAMES / trial["games"] for trial in trials), (0, LOOP_GAMES))

    return Counted(
        reading=reading,
        loops=scaled("loops"),
        losses=scaled("losses"),
        spoilt=scaled("spoilt"),
        clones=statistics.fmean(trial["clones"] for trial in trials),
        distinct=statistics.fmean(trial["distinct"] / trial["games"] for trial in trials),
        matches=matches(trial["match"] for trial in trials),
    )


def _plain(figures: Figures, player: str, ties: Ties) -> Counted:
    """A player without a database."""
    return figures[Reading(player=player, ties=ties)]


def _in_order(figures: Figures, reading: Reading) -> bool:
    """Whether NeuroDraughts has more loops than the 15 features, and these more than the reading, beyond chance."""
    counts = [_plain(figures, NEURODRAUGHTS, reading.ties), _plain(figures, ORIGINAL, reading.ties), figures[reading]]
    steps = (more.loops - fewer.loops for more, fewer in itertools.pairwise(counts))
    return all(step.above() is Verdict.HOLDS for step in steps)


def _is_weaker(figures: Figures, reading: Reading) -> bool:
    """Whether the trained player is weaker than the one without a database, beyond chance."""
    difference = figures[reading].scores - _plain(figures, ORIGINAL, reading.ties).scores
    return difference.above() is Verdict.FAILS


def _verdict(figures: Figures, seeds: int, whole: bool) -> str:
    """The verdict about the published counts; whole: whether the trainings have the published length."""
    published = ", ".join(f"{name} {number(LOOPS[name])}" for name in PLAYERS)
    claim = f"**The claim** ([Neto2009], section 7): loop draws in {LOOP_GAMES:,} training games: {published}."
    if seeds < Report.FEWEST_SEEDS:
        return (
            f"{claim} **Verdict**: none, because a verdict needs {Report.FEWEST_SEEDS} seeds and there are {seeds}.\n"
        )
    if not whole:
        return f"{claim} **Verdict**: none, because the trainings are shorter than published.\n"
    with_database = [one for one in figures if one.player == EXTENDED]
    ordered = [one for one in with_database if _in_order(figures, one)]
    expected = [one for one in with_database if figures[one].is_expected]
    shown = [one for one in ordered if one in expected]
    weaker = [one for one in shown if _is_weaker(figures, one)]
    if shown and len(weaker) < len(shown):
        verdict = "reproduced, but only under some readings"
    elif shown:
        verdict = "the counts can be reproduced, but only by readings under which the trained player is weaker"
    elif ordered:
        verdict = "the order is reproduced under some readings, the size of the effect under none"
    else:
        verdict = "not reproduced under any of these readings"
    plain = [one for one, counted in figures.items() if one.player != EXTENDED and counted.is_expected]
    return (
        f"{claim} **Verdict**: **{verdict}**.\n\n"
        f"* In the published order, each step beyond chance: {_names(ordered)}.\n"
        f"* With the published {LOOPS[EXTENDED]} where one more training would be expected: {_names(expected)}.\n"
        f"* Both: {_names(shown)}; of these, weaker than the player without a database: {_names(weaker)}.\n"
        f"* Without a database, the published count lies where one more training would be expected: {_names(plain)}.\n"
    )


def _names(readings: Iterable[Reading]) -> str:
    return "; ".join(one.name for one in readings) or "none"


def _rows(figures: Figures) -> Iterator[Mapping[str, object]]:
    for one, counted in figures.items():
        loops, base = counted.loops, _plain(figures, NEURODRAUGHTS, one.ties).loops
        played = counted.matches.total
        yield {
            "reading": one.name,
            "published": number(LOOPS[one.player]),
            "loops (95 %)": loops,
            "seeds from, to": loops.range_text if len(loops) > 1 else "",
            "by NeuroDraughts": f"{loops.mean / max(base.mean, 1e-9):.0%}",
            "lost games": counted.losses.mean_text,
            "won endings": counted.spoilt.mean_text,
            "clones": number(counted.clones, 1),
            "points (95 %)": counted.scores,
            "distinct games": f"{counted.distinct:.1%}",
            "against material": f"{played.distinct / played.games:.1%}",
        }


def _effects(figures: Figures) -> Iterator[Mapping[str, object]]:
    for effect in effects(list(figures)):
        loops = effect.differences(figures, lambda one: one.loops)
        p = loops.in_units(1 / len(effect.pairs)).p
        yield {
            "change": effect.says,
            "loops (95 %)": loops,
            "p": experiments.probability(p) if len(loops) > 1 else "",
            "lost games (95 %)": effect.differences(figures, lambda one: one.losses),
            "points (95 %)": effect.differences(figures, lambda one: one.scores),
        }


def effects(readings: Sequence[Reading]) -> Iterator[Effect]:
    """The changes whose effects are reported."""
    for kind, has_database in (("without a database", False), ("with a database", True)):
        chosen = [one for one in readings if bool(one.pieces) is has_database and one.ties == "first"]
        pairs = [(one, attrs.evolve(one, ties="random")) for one in chosen]
        yield Effect(f"random ties instead of the first, {kind}", pairs)
    for ties in _TIES:
        chosen = [one for one in readings if one.player == EXTENDED and one.ties == ties]
        nets = [one for one in chosen if one.target == "net"]
        fixed, plain = (Reading(player=player, ties=ties) for player in (NEURODRAUGHTS, ORIGINAL))
        changes = {
            "15 features instead of 12": [(fixed, plain)],
            "a database in the search": [(plain, one) for one in nets if not one.quiet],
            "its values as targets": [(one, attrs.evolve(one, target="oracle")) for one in nets],
            "quiet lookups only": [(one, attrs.evolve(one, quiet=True)) for one in chosen if not one.quiet],
        }
        for change, pairs in changes.items():
            yield Effect(f"{change}, {ties} ties", pairs)
    databases = sorted({(one.pieces, one.further) for one in readings if one.pieces})
    for (pieces, further), (more, others) in itertools.pairwise(databases):
        chosen = [one for one in readings if (one.pieces, one.further) == (pieces, further)]
        larger = [(one, attrs.evolve(one, pieces=more, further=others)) for one in chosen]
        yield Effect(f"{larger[0][1].database} instead of {pieces}", larger)


def _draw(figure: "Figure", figures: Figures) -> None:
    """Draw the seeds of each reading, and a line for the published count."""
    axes = figure.subplots()
    for i, (one, counted) in enumerate(figures.items()):
        counted.loops.draw(axes, i)
        axes.plot([LOOPS[one.player]] * 2, [i - 0.4, i + 0.4], color="tab:red")
    axes.set_yticks(range(len(figures)), [one.name for one in figures], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("loop draws in 2,000 training games:\nseeds, mean, its 95 % interval, published count (red)")
