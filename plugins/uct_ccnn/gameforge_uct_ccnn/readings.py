"""The experiment `uct-ccnn-readings`: what two readings of [Rezende2017] are worth to its nets.

A net that is trained as printed, on examples of searches that begin with their root alone and by iRprop-, meets a net
on examples of reused trees, and one that iRprop+ trained (docs/readings.md, "Trees of the examples" and "iRprop").
"""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from gameforge import Player
from gameforge.experiments import Matches, Numbers, Report, Sample, Tally, Trial
from gameforge.interfaces import kinds
from gameforge_uct_ccnn import stages
from gameforge_uct_ccnn.settings import UctCcnnSettings

DEFAULT, REUSED, IRPROP_PLUS = "as printed", "reused trees", "iRprop+"
"""The conditions; the first has searches that begin with their root alone, and iRprop-."""
PLIES, PRIOR = "alpha-beta", "prior of UCT"


@attrs.frozen(kw_only=True)
class UctCcnnReadings:
    """Nets of one budget, trained on the examples of the winners under each reading."""

    game: str = "othello"
    """Any game; othello and morris are the paper's."""
    simulations: int = attrs.field(default=1000, validator=kinds.count(1, 1_000_000))
    """Simulations per move in the games of the examples."""
    match_simulations: int = attrs.field(default=300, validator=kinds.count(1, 1_000_000))
    """Simulations per move in the matches of UCT with the nets."""
    cp: float = attrs.field(default=0.4, validator=kinds.positive(100))
    """Cp of UCT; the cross-entropy method found 0.41 in othello and 0.35 in morris."""
    games: int = attrs.field(default=300, validator=[kinds.count(2), kinds.even])
    """Games of each match."""

    title = "Readings of UCT-CCNN: the trees of the examples, and iRprop"
    source = "Rezende and Chaimowicz, SBGames 2017, sections 2.1 and 2.2"
    seeds = 5
    least_scale = 0.01
    after = {REUSED: (DEFAULT,), IRPROP_PLUS: (DEFAULT,)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return {condition: self.seconds(condition, 1.0) for condition in (DEFAULT, REUSED, IRPROP_PLUS)}

    def seconds(self, condition: str, scale: float) -> float:
        settings = self._settings(condition)
        made = 0.0 if condition == IRPROP_PLUS else stages.making(1)(settings, scale)
        played = 0.0 if condition == DEFAULT else self.games * (0.05 + self.match_simulations / 3000)
        return made + stages.training(2000)(settings, scale) + played

    def _settings(self, condition: str) -> UctCcnnSettings:
        """The experiment's settings under a reading."""
        return UctCcnnSettings(
            game=self.game,
            simulations=self.simulations,
            reuse=condition == REUSED,
            rule="irprop+" if condition == IRPROP_PLUS else "irprop-",
        )

    def run(self, trial: Trial) -> Numbers:
        """Make examples, train the net of a reading, and let it meet that of the default."""
        name, settings = trial.condition, self._settings(trial.condition)
        examples = REUSED if settings.reuse else DEFAULT
        made, kept = (trial.folder / f"{examples}, {part}" for part in ("made", "kept"))
        if name == examples:
            stages.games_of_uct(settings, trial, made, self.simulations, self.cp)
            stages.keep_printed(made, kept, trial.seed)
        net = stages.trained_net(settings, trial, kept, name)
        found = {key: net[key] for key in ("train_mse by neuron", "test_mse by neuron")}
        return found if name == DEFAULT else found | {"matches": self._matches(trial, settings)}

    def _matches(self, trial: Trial, settings: UctCcnnSettings) -> dict[str, Numbers]:
        """The net of a reading against that of the default, in alpha-beta and in UCT."""
        uct = {"use": "uct", "simulations": self.match_simulations, "cp": self.cp, "prior": settings.prior}
        uses = {PLIES: {**stages.PLAIN, "depth": stages.OPPONENT_DEPTH}, PRIOR: uct}

        def player(name: str, use: str) -> Player:
            return stages.with_searcher(trial, trial.player(name), uses[use], name)

        return {
            use: Tally.of(
                trial.match(
                    player(trial.condition, use),
                    player(DEFAULT, use),
                    self.games,
                    f"{trial.condition}, {use}",
                    openings=f"random:{settings.setting.plies}",
                )
            ).numbers
            for use in uses
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        seeds = len(results[DEFAULT])
        errors = {
            name: Sample((min(one["test_mse by neuron"]) for one in trials), digits=4)
            for name, trials in results.items()
        }
        met = {name: _met(trials) for name, trials in results.items() if name != DEFAULT}
        return Report.of(
            f"Game: {self.game}; {seeds} seed{'s' if seeds > 1 else ''}. Each seed has examples of its own, of "
            f"{self.simulations:,} simulations a move, and nets of the winners' examples. In the matches each net "
            f"meets that of `{DEFAULT}`, from random openings: both in alpha-beta of {stages.OPPONENT_DEPTH} plies, "
            f"and both as priors of UCT with {self.match_simulations:,} simulations a move. Intervals are those of the "
            f"means of the seeds from {Report.FEWEST_SEEDS} seeds on, and else from the pairs of games.\n",
            list(_rows(results, errors, met)),
            scale=scale,
            numbers={
                name: {"least test error": list(error), "scores": {use: list(one.scores) for use, one in uses.items()}}
                for name, error in errors.items()
                for uses in (met.get(name, {}),)
            },
        )


def _met(trials: Sequence[Numbers]) -> Mapping[str, Matches]:
    """The matches of a reading, by the use of the net."""
    return {use: Matches.read(one["matches"][use] for one in trials) for use in (PLIES, PRIOR)}


def _rows(
    results: Mapping[str, Sequence[Numbers]],
    errors: Mapping[str, Sample],
    met: Mapping[str, Mapping[str, Matches]],
) -> Iterator[Mapping[str, object]]:
    for name, trials in results.items():
        tests = [one["test_mse by neuron"] for one in trials]
        matches = met.get(name, {})
        distinct = Tally.total(one.total for one in matches.values()).distinct_text if matches else ""
        yield {
            "net": name,
            "hidden units with the least test error": Sample((test.index(min(test)) for test in tests), digits=1),
            "least test error": errors[name],
            "minus the default's": (errors[name] - errors[DEFAULT]).signed if matches else "",
            "score in alpha-beta": matches.get(PLIES, ""),
            "as prior of UCT": matches.get(PRIOR, ""),
            "distinct games": distinct,
        }
