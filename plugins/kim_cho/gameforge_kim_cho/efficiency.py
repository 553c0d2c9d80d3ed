"""The experiment `evolved-or-trained`: strength by number of training games, with evolution and with TD learning."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from gameforge import Pipeline, Player, experiments
from gameforge.experiments import Claim, Matches, Numbers, Report, Sample, Tally, Trial, Verdict, number
from gameforge.interfaces import kinds
from gameforge_kim_cho.evolved_players import PAIRED, TD_SESSIONS, Trials, played, rungs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TD, SAME_NET = "TD", "evolved, the same net"
LINEAR_TD, LINEAR_EVOLVED = "TD, linear net", "evolved, linear net"
DARWEN = (
    ("TD learning is better than evolution for a net with hidden units", TD, SAME_NET),
    ("evolution is better than TD learning for a linear net", LINEAR_EVOLVED, LINEAR_TD),
)
"""Each claim of [Darwen2001] for backgammon, the way of learning that it calls better, and the other one."""
_OTHERS = (
    ", including those that evolved with more. Anaconda's net knows the piece difference from the beginning, through "
    "its link to the output.\n"
)
"""Of evolutions with another net or search."""

PRESET = "anaconda"
GAMES_A_GENERATION = 150
GENERATIONS = (2, 8, 32, 128)
"""Generations at scale 1, for 300, 1,200, 4,800 and 19,200 games."""
ANACONDA, SEEING = "evolved, Anaconda's net", "evolved, with alphabeta"
DEEPER = "evolved, alphabeta and database"
CONDITIONS = {
    TD: 130.0,
    SAME_NET: 190.0,
    LINEAR_TD: 130.0,
    LINEAR_EVOLVED: 190.0,
    ANACONDA: 190.0,
    SEEING: 440.0,
    DEEPER: 440.0,
}
QUESTIONS = {
    "all": tuple(CONDITIONS),
    "darwen": (TD, SAME_NET, LINEAR_TD, LINEAR_EVOLVED),
    "neto": (TD, SAME_NET, ANACONDA, SEEING, DEEPER),
}
"""Conditions that answer the question of each paper."""
LINEAR = {"hidden": 0, "direct": True}
SEARCHER = {"use": "minimax", "depth": 4}
SEEING_SEARCHER = {"use": "alphabeta", "depth": 4, "memory": 1, "selective": False, "convert": False}
"""Searchers: the one of all nets in training and play, and the one of the last two evolutions in training."""


@attrs.frozen(kw_only=True)
class EvolvedOrTrained:
    """Ways to learn from the same numbers of games; all nets then play with the same search, without knowledge.

    * `games`: games against each rung of the ladder. * `pieces`: pieces of the database of the last evolution.
    * `question`: "darwen" (evolution and TD learning of one net, linear and with hidden units), "neto" (evolution of
    Anaconda's net as well, but no linear nets), or "all".
    """

    games: int = attrs.field(default=100, validator=PAIRED)
    pieces: int = attrs.field(default=5, validator=kinds.within(2, 6))
    question: str = attrs.field(default="all", validator=attrs.validators.in_(tuple(QUESTIONS)))

    title = "Evolved or trained: strength by the number of training games"
    source = (
        "Neto and others 2009, section 4, ask which is more efficient; Darwen 2001 answers for backgammon, for "
        "linear nets and others"
    )
    seeds = 5
    least_scale = 0.02
    """Two numbers of games: those of one and of three generations."""

    @property
    def conditions(self) -> Mapping[str, float]:
        """Seconds of each condition that the question needs, at scale 1."""
        return {name: CONDITIONS[name] for name in QUESTIONS[self.question]}

    def run(self, trial: Trial) -> Numbers:
        """Points on the ladder of untrained nets, and after each number of games."""
        points = {0: self._ladder(trial, self._untrained(trial), "untrained")}
        for generations in GENERATIONS:
            shorter = max(1, round(generations * trial.scale))
            games = GAMES_A_GENERATION * shorter
            if games not in points:
                run = trial.run(self._pipeline(trial, shorter), f"{trial.condition}, {games} games")
                points[games] = self._ladder(trial, self._playing(trial, run.player), f"{games}")
        return {"points": [{"games": games, "ladder": ladder} for games, ladder in points.items()]}

    def _pipeline(self, trial: Trial, generations: int) -> Pipeline:
        """The pipeline of a training of this length. All use Anaconda's rules."""
        length = {"generations": generations}
        if trial.condition in (SEEING, DEEPER):
            oracles = [{"use": "chinook", "pieces": self.pieces}] if trial.condition == DEEPER else []
            return trial.pipeline(PRESET, {"searcher": SEEING_SEARCHER, "oracle": oracles, "learner": length})
        if trial.condition == ANACONDA:
            return trial.pipeline(PRESET, {"searcher": SEARCHER, "learner": length})
        settings = trial.pipeline(PRESET).settings
        games = GAMES_A_GENERATION * generations // TD_SESSIONS
        learner: Mapping[str, object] = {"sessions": TD_SESSIONS, "games": games, "result": "clone"}
        if trial.condition in (SAME_NET, LINEAR_EVOLVED):
            learner = {**settings["learner"], **length}
        net = LINEAR if trial.condition in (LINEAR_TD, LINEAR_EVOLVED) else {}
        changes = {"game": settings["game"], "searcher": SEARCHER, "evaluator": net, "learner": learner}
        return trial.pipeline("neurodraughts", changes)

    def _playing(self, trial: Trial, trained: Player) -> Player:
        """The trained net with the common search and without oracles."""
        if trial.condition not in (SEEING, DEEPER):
            return trained
        return Player(trial.pipeline(PRESET, {"searcher": SEARCHER}).parts(), trained.weights, trained.name)

    def _untrained(self, trial: Trial) -> Player:
        parts = self._pipeline(trial, 1).parts()
        player = Player(parts, parts.initial_weights(np.random.default_rng(trial.seed)), "untrained")
        return self._playing(trial, player)

    def _ladder(self, trial: Trial, player: Player, name: str) -> dict[str, Numbers]:
        steps = rungs(trial, trial.pipeline(PRESET))
        return played(trial, player, f"{trial.condition}, {name}", steps, self.games)

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        lines = {name: points(trials) for name, trials in results.items()}
        longest = {name: line[-1] for name, line in lines.items()}
        best = max(longest, key=lambda name: longest[name].scores.mean)
        beaten = [name for name in lines if longest[best].is_ahead(longest[name])]
        ahead = f", in the differences seed by seed beyond the error above: {', '.join(beaten)}" if beaten else ""
        games = number(longest[best].games)
        asked = [(claim, better, other) for claim, better, other in DARWEN if {better, other} <= {*lines}]
        found = [(claim, longest[better].scores - longest[other].scores) for claim, better, other in asked]
        return Report.of(
            "Score (points a game, mean and 95 % interval over seeds) against material players that search 2, 4 and 6 "
            "plies with alphabeta, all rungs together. All nets play with minimax of 4 plies and no database"
            + (_OTHERS if {*lines} - {TD, SAME_NET, LINEAR_TD, LINEAR_EVOLVED} else ".\n"),
            _rows(lines),
            f"After {games} games **{best}** has the highest score{ahead}.\n",
            _same_net(lines[TD], lines[SAME_NET]),
            "Score of TD learning minus that of evolution with the same net, seed by seed (95 %):\n",
            _differences(lines),
            _needed(lines, best),
            f"Darwen's question with {games} games each, as differences of the scores seed by seed (95 %):\n",
            [Claim(claim, "yes, in backgammon", one.signed, one.above()) for claim, one in found],
            scale=scale,
            numbers={
                name: [{"games": one.games, "seeds": one.scores.values, **one.matches.total.numbers} for one in line]
                for name, line in lines.items()
            },
            figures={"efficiency": lambda figure: _draw(figure, lines)},
        )


@attrs.frozen(kw_only=True)
class Point:
    """Results of all seeds after one number of training games, over all rungs of the ladder."""

    games: int
    """Training games of each seed."""
    matches: Matches

    @property
    def scores(self) -> Sample:
        """Score of each seed, in points a game."""
        return self.matches.scores

    def is_ahead(self, other: "Point") -> bool:
        """Whether it is better beyond chance, seed by seed; never with fewer seeds than a verdict needs."""
        return (self.scores - other.scores).above() is Verdict.HOLDS


Lines = Mapping[str, Sequence[Point]]
"""Results of each way of learning by number of training games."""


def points(trials: Trials) -> list[Point]:
    """Results by number of training games."""
    return [
        Point(
            games=step[0]["games"],
            matches=Matches(Tally.total(map(Tally.read, one["ladder"].values())) for one in step),
        )
        for step in zip(*(trial["points"] for trial in trials), strict=True)
    ]


def _rows(lines: Lines) -> Iterator[Mapping[str, object]]:
    for name, line in lines.items():
        for one in line:
            yield {
                "": name,
                "training games": number(one.games),
                "score (95 %)": one.scores,
                "seeds from, to": one.scores.range_text,
                "distinct games": one.matches.total.distinct_text,
            }


def _same_net(td: Sequence[Point], evolved: Sequence[Point]) -> str:
    """Which way of learning is ahead with the same net."""
    if not td[0].scores.enough:
        fewest = experiments.Report.FEWEST_SEEDS
        return f"With fewer than {fewest} seeds there is no verdict about TD learning and evolution.\n"
    pairs = list(zip(td[1:], evolved[1:], strict=True))
    ahead = sum(one.is_ahead(other) for one, other in pairs)
    trailing = sum(other.is_ahead(one) for one, other in pairs)
    return (
        f"With the same net and features, TD learning is ahead beyond the error at {ahead} of {len(pairs)} numbers of "
        f"games, evolution at {trailing}.\n"
    )


def _differences(lines: Lines) -> Iterator[Mapping[str, object]]:
    """By how much TD learning is ahead with the same net, after each number of games."""
    pairs = {"with hidden units": (TD, SAME_NET), "linear net": (LINEAR_TD, LINEAR_EVOLVED)}
    met = {net: [lines[name] for name in names] for net, names in pairs.items() if {*names} <= {*lines}}
    for i, one in enumerate(lines[TD]):
        ahead = {net: (td[i].scores - evolved[i].scores).signed for net, (td, evolved) in met.items()}
        yield {"training games": number(one.games), **ahead}


def _needed(lines: Lines, best: str) -> str:
    """How many games the best way of learning needs to reach the final score of each other way."""
    reached = []
    for name, line in lines.items():
        if name != best:
            last = line[-1]
            enough = next(own.games for own in lines[best] if own.scores.mean >= last.scores.mean)
            reached.append(f"{name} after {number(last.games)} games is reached after {number(enough)}")
    return f"By {best}, the mean score of {'; of '.join(reached)} games.\n" if reached else ""


def _draw(figure: "Figure", lines: Lines) -> None:
    """Draw a line for each way of learning, a band for the interval over seeds, and a dot for each seed."""
    axes = figure.subplots()
    for name, line in lines.items():
        games = [one.games for one in line]
        (drawn,) = axes.plot(games, [one.scores.mean for one in line], label=name)
        if len(line[0].matches.seeds) > 1:
            low, high = zip(*(one.scores.interval for one in line), strict=True)
            axes.fill_between(games, low, high, alpha=0.2, color=drawn.get_color())
        for one in line:
            scores = one.scores.values
            axes.plot([one.games] * len(scores), scores, "o", markersize=3, alpha=0.5, color=drawn.get_color())
    numbers = sorted({one.games for line in lines.values() for one in line})
    axes.set_xscale("symlog", linthresh=numbers[1])
    axes.set_xticks(numbers, [number(games) for games in numbers])
    axes.minorticks_off()
    axes.axhline(0.5, color="gray", linewidth=0.8)
    axes.set(xlabel="training games", ylabel="points a game on the ladder", ylim=(0, 1))
    axes.legend(fontsize=8)
