"""The experiment `loop-rate`: loop draws in 2,000 training games ([Neto2009], section 7 and figure 5).

Each condition changes the preset `neurodraughts-2009` in one way. The paper gives the features, random weights, "depth
4" and 10 sessions of 200 games. It does not say what a loop is, how values become bits, which gamma and momentum were
used, or which mistakes of the surviving programs the program had.
"""

import hashlib
import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from gameforge import GameforgeError, Pipeline
from gameforge.experiments import Numbers, Report, Sample, Trial, number, probability
from gameforge.interfaces import GameRecord

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEURODRAUGHTS = 1045
"""Loop draws in 2,000 games that the paper reports for NeuroDraughts."""


@attrs.frozen
class Condition:
    """A pipeline whose loops are counted."""

    name: str
    says: str
    """What the condition changes, and its source."""
    changes: Mapping[str, object] = attrs.field(factory=dict)
    source: str = "neurodraughts-2009"
    """The preset, file or folder that the condition changes."""
    published: int | None = NEURODRAUGHTS
    """Published number of loops in 2,000 games, for comparison."""
    counted: Literal["loops", "draws"] = "loops"
    seconds: float = 17.0
    """Approximate seconds of one core for 2,000 games."""


_LEGACY_CODER = {"features": {"coder": "legacy"}}
_LEGACY_TRACE = {"legacy_trace": True}

VARIANTS = (
    Condition("base", "loops by repetition or shuffle, clean bits, true gradient, momentum 0.9, 5 plies"),
    Condition("repetition", "a loop is only a position that occurs for the third time", {"game": {"shuffle": 0}}),
    Condition(
        "shuffle 3",
        "a loop is each side taking back its own move 3 times in a row (a descendant's training)",
        {"game": {"repetition": 0}},
    ),
    Condition("shuffle 5", "the same, 5 times (a descendant's matches)", {"game": {"repetition": 0, "shuffle": 5}}),
    Condition(
        "51 moves",
        "no loops; games undecided after 51 moves are drawn (the thesis), and all draws are counted",
        {"game": {"repetition": 0, "shuffle": 0, "no_progress": 0, "max_plies": 102}},
        counted="draws",
    ),
    Condition("legacy coder", "values become bits as in the descendant", {"evaluator": _LEGACY_CODER}),
    Condition(
        "legacy trace", "the hidden layer's trace with W1 for W2, as in the descendants", {"evaluator": _LEGACY_TRACE}
    ),
    Condition("legacy both", "legacy coder and legacy trace", {"evaluator": {**_LEGACY_CODER, **_LEGACY_TRACE}}),
    Condition("momentum 0", "no momentum", {"learner": {"momentum": 0.0}}),
    Condition(
        "equation 2",
        "no momentum, gamma 1: the paper's equation to the letter",
        {"learner": {"momentum": 0.0, "gamma": 1.0}},
    ),
    Condition(
        "4 plies",
        '"depth 4" read as 4 plies: the board after the opponent\'s move is evaluated',
        {"searcher": {"depth": 4}},
        seconds=6.0,
    ),
    Condition(
        "own net", "12 hidden units and direct links, as in the thesis", {"evaluator": {"hidden": 12, "direct": True}}
    ),
    Condition(
        "clone at 4", "both test games must be won, as in the thesis' board file", {"learner": {"clone_points": 4}}
    ),
)
"""The first is the preset itself."""


@attrs.frozen(kw_only=True)
class LoopRate:
    """Number of training games that end as loop draws, over several seeds, compared with the published number.

    * `pipelines`: presets, TOML files or run folders to train instead of NeuroDraughts and its variants.
    * `published`: the published number for each of these, in 2,000 games; optional.
    """

    pipelines: tuple[str, ...] = attrs.field(default=())
    published: tuple[int, ...] = attrs.field(default=())

    title = "Loop draws in 2,000 training games"
    source = "Neto, Julia and Caixeta 2009, section 7: NeuroDraughts 1,045, LS-Draughts 759, with databases 172"
    seeds = 10
    least_scale = 0.01
    """Two training games a session; a comparison with the published count needs all 200."""

    @pipelines.validator
    def _different(self, attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]) -> None:
        twice = [name for i, name in enumerate(value) if name in value[:i]]
        if twice:
            raise GameforgeError(f"pipelines has {twice[0]!r} twice")

    @published.validator
    def _one_each(self, attribute: "attrs.Attribute[tuple[int, ...]]", value: tuple[int, ...]) -> None:
        if value and len(value) != len(self.pipelines):
            raise GameforgeError(f"published has {len(value)} numbers for {len(self.pipelines)} pipelines")

    @property
    def chosen(self) -> tuple[Condition, ...]:
        if not self.pipelines:
            return VARIANTS
        figures = self.published or (None,) * len(self.pipelines)
        return tuple(
            Condition(name=source, says="", source=source, published=figure)
            for source, figure in zip(self.pipelines, figures, strict=True)
        )

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition.name: condition.seconds for condition in self.chosen}

    def run(self, trial: Trial) -> Numbers:
        """Results of the training games, the reasons of draws, and how many games are distinct."""
        condition = next(one for one in self.chosen if one.name == trial.condition)
        pipeline = trial.pipeline(condition.source, condition.changes)
        of_a_session = getattr(pipeline.learner, "games", None)
        if isinstance(of_a_session, int):
            shorter = {"learner": {"games": trial.scaled(of_a_session)}}
            pipeline = trial.pipeline(condition.source, condition.changes, shorter)
        games = _Games()
        training = trial.train(pipeline, games.add)
        if not games.number:
            raise GameforgeError(f"loop-rate: the learner of {condition.source} plays no training games")
        return {
            "pipeline": _digest(pipeline),
            "games": games.number,
            "draws": sum(games.draws.values()),
            "loops": sum(games.loops.values()),
            "draws_by_reason": dict(sorted(games.draws.items())),
            "loops_by_session": list(games.loops.values()),
            "mean_plies": games.plies / games.number,
            "distinct": len(games.seen),
            "clones": sum(bool(session.get("cloned")) for session in training.sessions),
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        """Compare variants with their first condition, and other pipelines with their published numbers.

        Raises GameforgeError if a pipeline was changed between the trials.
        """
        counted = [_counted(one, results[one.name]) for one in self.chosen]
        base, *others = counted
        parts: list[str | Iterable[Mapping[str, object]]] = [_against_published(one) for one in counted]
        if base.condition is VARIANTS[0]:
            parts[1:] = ["One change at a time, with the same seeds:\n", _variants(base, others)]
            parts += [_conclusion(base, others), _compatible(counted)]
        return Report.of(
            *parts,
            "Draws in 2,000 games by reason, lengths of games, and share of distinct games:\n",
            _reasons(counted),
            numbers={"conditions": {one.condition.name: _numbers(one, base) for one in counted}},
            figures={"loops": lambda figure: _draw(figure, counted)},
        )


def _digest(pipeline: Pipeline) -> str:
    """Digest of a pipeline without its seed."""
    text = json.dumps({**pipeline.settings, "seed": None}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Games:
    """Counts of the training games of one trial."""

    def __init__(self) -> None:
        self.number, self.plies = 0, 0
        self.loops: dict[int, int] = {}
        """By session."""
        self.draws: Counter[str] = Counter()
        """By reason."""
        self.seen: set[int] = set()
        """Hashes of start and moves."""

    def add(self, game: GameRecord) -> None:
        if game.phase != "training":
            return
        self.number += 1
        self.plies += len(game.codes)
        self.seen.add(hash((game.start, game.codes)))
        self.loops[game.session] = self.loops.get(game.session, 0) + game.outcome.loop
        if game.outcome.winner is None:
            self.draws[game.outcome.reason] += 1


GAMES = 2000
"""Number of training games to which all counts are scaled."""
SIGNIFICANT = 0.05


@attrs.frozen
class Counted:
    """Counts of one condition in GAMES games, seed by seed."""

    condition: Condition
    loops: Sample
    """Loop draws, or all draws, as the condition counts them."""
    draws: Sample
    reasons: Mapping[str, float]
    """Draws by reason, mean over the seeds."""
    plies: float
    clones: float
    games: int
    """Fewest training games of a seed."""
    distinct: float
    """Share of different games, mean over the seeds."""

    @property
    def agrees(self) -> bool | None:
        """Whether the published count lies where one more run would be expected.

        None without a published count, or without enough seeds of whole trainings to compare it with.
        """
        if self.condition.published is None or not self.loops.enough or self.games < GAMES:
            return None
        low, high = self.loops.prediction
        return low <= self.condition.published <= high

    def p(self, base: "Counted") -> float:
        """Probability of a difference at least as large if the change has no effect."""
        return (self.loops - base.loops).in_units(1).p


def _counted(condition: Condition, trials: Sequence[Numbers]) -> Counted:
    if len({trial["pipeline"] for trial in trials}) > 1:
        raise GameforgeError(
            f"loop-rate: {condition.source} has changed between two trials", advice="use a new folder", parameter="out"
        )

    def scaled(counts: Iterable[int]) -> Sample:
        shares = (count * GAMES / int(trial["games"]) for count, trial in zip(counts, trials, strict=True))
        return Sample(shares, (0, GAMES))

    reasons = sorted({reason for trial in trials for reason in trial["draws_by_reason"]})
    return Counted(
        condition=condition,
        loops=scaled(trial[condition.counted] for trial in trials),
        draws=scaled(trial["draws"] for trial in trials),
        reasons={
            reason: scaled(trial["draws_by_reason"].get(reason, 0) for trial in trials).mean for reason in reasons
        },
        plies=statistics.fmean(trial["mean_plies"] for trial in trials),
        clones=statistics.fmean(trial["clones"] for trial in trials),
        games=min(int(trial["games"]) for trial in trials),
        distinct=statistics.fmean(trial["distinct"] / trial["games"] for trial in trials),
    )


def _against_published(one: Counted) -> str:
    """Compare one condition with the published count."""
    loops, published = one.loops, one.condition.published
    text = f"**{one.condition.name}**: {loops.mean_text} loop draws in 2,000 games"
    if published is not None:
        text += f" (published: {number(published)})"
    if len(loops) == 1:
        return text + "; one seed does not show the spread.\n"
    text += (
        f", the mean of {len(loops)} seeds (95 % interval: {loops.interval_text}); single seeds "
        f"{loops.range_text}; one more would lie within {loops.between(*loops.prediction)} (normal)"
    )
    if published is None:
        return text + ".\n"
    if one.agrees is None:
        return f"{text}; no verdict, which needs {Report.FEWEST_SEEDS} seeds of {number(GAMES)} games.\n"
    return f"{text}: the published run {'agrees' if one.agrees else 'does not agree'} with ours.\n"


def _variants(base: Counted, others: Sequence[Counted]) -> Iterator[Mapping[str, object]]:
    for one in (base, *others):
        loops, published = one.loops, one.condition.published
        yield {
            "condition": one.condition.name,
            "loops": loops.mean_text,
            "95 %": loops.interval_text,
            "seeds from, to": loops.range_text,
            "of 1,045": f"{loops.mean / published:.0%}" if published else "",
            "difference (95 %)": "" if one is base else (loops - base.loops).signed,
            "p": "" if one is base else probability(one.p(base)),
            "what is changed": one.condition.says,
        }


def _conclusion(base: Counted, others: Sequence[Counted]) -> str:
    """The changes that significantly affect the count."""
    least, level = 2 / 2 ** len(base.loops), SIGNIFICANT / len(others)
    if least < level:
        said = f"Changes with p below {SIGNIFICANT} / {len(others)} (Bonferroni)"
    else:  # no p can be so small
        said = f"Changes with p below {SIGNIFICANT}, each judged alone (so few seeds cannot give a p below {least:.2g})"
        level = SIGNIFICANT
    sure = {one.condition.name: (one.loops - base.loops).mean for one in others if one.p(base) < level}
    return f"{said}: {', '.join(f'{name} ({mean:+,.0f})' for name, mean in sure.items()) or 'none'}.\n"


def _compatible(counted: Sequence[Counted]) -> str:
    """The conditions under which the published count lies where one more run would be expected; "" without verdict."""
    inside, outside = (
        ", ".join(one.condition.name for one in counted if one.agrees is agrees) for agrees in (True, False)
    )
    if not (inside or outside):
        return ""
    return (
        "The published run lies where one more run would be expected (95 %, normal distribution) under: "
        f"{inside or 'none'}; it lies outside under: {outside or 'none'}.\n"
    )


def _reasons(counted: Sequence[Counted]) -> Iterator[Mapping[str, object]]:
    reasons = sorted({reason for one in counted for reason in one.reasons})
    for one in counted:
        yield {
            "condition": one.condition.name,
            **{reason: number(one.reasons.get(reason, 0.0)) for reason in reasons},
            "all draws": one.draws.mean_text,
            "plies a game": number(one.plies, 1),
            "clones": number(one.clones, 1),
            "distinct games": f"{one.distinct:.1%}",
        }


def _numbers(one: Counted, base: Counted) -> Numbers:
    loops, several = one.loops, len(one.loops) > 1
    numbers: dict[str, object] = {
        "loops": [*loops],
        "mean": loops.mean,
        "interval": loops.interval if several else None,
        "published": one.condition.published,
        "draws": [*one.draws],
        "distinct": one.distinct,
        **({"prediction_interval": loops.prediction} if several else {}),
    }
    if one is not base and one.condition in VARIANTS:
        found = loops - base.loops
        numbers |= {"difference": found.mean, "difference_interval": found.interval if several else None}
        numbers["p_difference"] = one.p(base)
    return numbers


def _draw(figure: "Figure", counted: Sequence[Counted]) -> None:
    """Draw the seeds of each condition, and a line for the published count."""
    axes = figure.subplots()
    for i, one in enumerate(counted):
        one.loops.draw(axes, i)
        if one.condition.published is not None:
            axes.plot([one.condition.published] * 2, [i - 0.4, i + 0.4], color="tab:red")
    axes.set_yticks(range(len(counted)), [one.condition.name for one in counted])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("loop draws in 2,000 training games: seeds, mean, its 95 % interval, published count (red)")
