"""The experiment `training-regimes`: feature maps, regimes and look-ahead of [Lynch1997], sections 3.3, 5 and 6."""

import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from gameforge import player
from gameforge.experiments import Claim, Matches, Numbers, Report, Sample, Tally, Trial, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEATURES, BINARY, DIRECT, MODULES = "features", "binary map", "direct map", "features, three modules"
STRAIGHT, BLOCK, CLONING = "straight", "block", "cloning"
NONE, LOOK_AHEAD = "no look-ahead", "one move"


@attrs.frozen(kw_only=True)
class Setting:
    """A way to train NeuroDraughts."""

    map: str
    regime: str
    ahead: str

    @property
    def name(self) -> str:
        return f"{self.map}, {self.regime}, {self.ahead}"


BEST = Setting(map=FEATURES, regime=CLONING, ahead=LOOK_AHEAD)
"""What the thesis arrives at."""
NO_TEST, NO_LINKS, BALANCE, KINGS = (
    attrs.evolve(BEST, map=f"{FEATURES}, {change}")
    for change in ("momentum in every step", "no direct links", "three modules by balance", "kings counted")
)
"""Settings that differ from it in the rule, the net, the modules or the features."""
Pairs = Sequence[tuple[Setting, Setting]]


def _everywhere(better: Mapping[str, str], other: Mapping[str, str]) -> Pairs:
    """All pairs of settings that differ in these fields only; with the features if these are not in question."""
    fields = {"map": (FEATURES,), "regime": (STRAIGHT, BLOCK, CLONING), "ahead": (NONE, LOOK_AHEAD)}
    rest = {name: values for name, values in fields.items() if name not in better}
    bases = [dict(zip(rest, values, strict=True)) for values in itertools.product(*rest.values())]
    return [(Setting(**base, **better), Setting(**base, **other)) for base in bases]


CLAIMS: Sequence[tuple[str, Pairs]] = [
    ("features are better than the binary map", [(BEST, attrs.evolve(BEST, map=BINARY))]),
    ("the same, mean of all regimes and look-aheads", _everywhere({"map": FEATURES}, {"map": BINARY})),
    ("features are better than the direct map", _everywhere({"map": FEATURES}, {"map": DIRECT})),
    ("cloning after tests is better than straight play", [(BEST, attrs.evolve(BEST, regime=STRAIGHT))]),
    ("the same, mean of both look-aheads", _everywhere({"regime": CLONING}, {"regime": STRAIGHT})),
    ("cloning after tests is better than after a block", [(BEST, attrs.evolve(BEST, regime=BLOCK))]),
    ("the same, mean of both look-aheads", _everywhere({"regime": CLONING}, {"regime": BLOCK})),
    ("training with look-ahead is better than without", [(BEST, attrs.evolve(BEST, ahead=NONE))]),
    ("the same, mean of all regimes", _everywhere({"ahead": LOOK_AHEAD}, {"ahead": NONE})),
    ("momentum is better with the test of signs", [(BEST, NO_TEST)]),
    ("direct links are better than none", [(BEST, NO_LINKS)]),
]
"""Each claim, and pairs of a setting that it calls better and another one; the first claims of a kind are those of the
setting that the thesis arrives at."""
PRESET = "neurodraughts"
GAMES = 1000
"""Training games at scale 1, those of the preset."""


def _modules(by: str, *bounds: int) -> Mapping[str, object]:
    """Three nets like the preset's."""
    features = {"use": "netfeaturemap", "set": "neurodraughts"}
    module = {"hidden": 12, "direct": True, "features": features}
    return {"evaluator": {"use": "modular-mlp", "by": by, "bounds": list(bounds), **module}}


MAPS: Mapping[str, Mapping[str, object]] = {
    FEATURES: {},
    BINARY: {"evaluator": {"features": {"use": "binarymap"}}},
    DIRECT: {"evaluator": {"features": {"use": "directmap"}}},
    MODULES: _modules("pieces", 9, 17),
}
"""The modules are nets like the preset's, for up to 8, up to 16, and more pieces."""
CHANGED: Mapping[Setting, Mapping[str, object]] = {
    NO_TEST: {"learner": {"sign_test": False}},
    NO_LINKS: {"evaluator": {"direct": False}},
    BALANCE: _modules("balance", 0, 1),
    KINGS: {"evaluator": {"features": {"kings": True}}},
}
"""What the settings change that are not one of all combinations. By balance there is a module for defence, for even
positions and for attack ([Lynch1997], section 5.3)."""
BETWEEN_CLONES = {STRAIGHT: 10, BLOCK: 50, CLONING: 10}
"""Training games of a session by regime: the thesis takes 50 for a block, and 10 before each test."""
DEPTHS = {NONE: 1, LOOK_AHEAD: 3}
SEARCHER = "minimax:depth=3"
"""How all trained nets play, whatever they were trained with."""
OPPONENTS = (1, 3)
"""Depths of the opponents, which count material."""
OPENINGS, MATCH_GAMES = "2move", 98
_SECONDS = 1.5


@attrs.frozen(kw_only=True)
class TrainingRegimes:
    """Trains every combination of a feature map, a regime and a look-ahead; all play the same opponents."""

    title = "Feature maps, training regimes and look-ahead of NeuroDraughts"
    source = "Lynch 1997, sections 3.3 to 6: features are necessary, cloning after tests and with look-ahead is best"
    seeds = 10
    least_scale = 0.1
    """Two blocks of games."""

    result: Literal["net", "clone"] = attrs.field(default="net", validator=attrs.validators.in_(("net", "clone")))
    """Which net of a training plays: the last one, or the last clone, which [Lynch1997] compares. Straight play has no
    clones, so its last net always plays."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The combinations by condition, and the changed ones."""
        combinations = itertools.product(MAPS, BETWEEN_CLONES, DEPTHS)
        found = [Setting(map=one, regime=regime, ahead=ahead) for one, regime, ahead in combinations]
        return {setting.name: setting for setting in (*found, *CHANGED)}

    @property
    def conditions(self) -> Mapping[str, float]:
        return dict.fromkeys(self.settings, _SECONDS)

    def run(self, trial: Trial) -> Numbers:
        """Train, and play 98 games against each opponent with the last net or clone."""
        setting = self.settings[trial.condition]
        games = BETWEEN_CLONES[setting.regime]
        learner = {
            "regime": setting.regime,
            "games": games,
            "sessions": max(1, trial.scaled(GAMES) // games),
            "result": "net" if setting.regime == STRAIGHT else self.result,
        }
        searcher = {"depth": DEPTHS[setting.ahead]}
        changes = CHANGED.get(setting) or MAPS[setting.map]
        pipeline = trial.pipeline(PRESET, changes, {"learner": learner, "searcher": searcher})
        training = trial.train(pipeline)
        assert training.trained.weights is not None
        playing = trial.pipeline(PRESET, changes, {"searcher": SEARCHER})
        trained = attrs.evolve(training, pipeline=playing, parts=playing.parts())
        one, matches = trained.player(training.trained.weights, "trained"), []
        for depth in OPPONENTS:
            minimax = f"minimax:depth={depth}"
            other = player(playing.game, searcher=minimax, evaluator="material", oracle="none", registry=trial.registry)
            matches.append(trial.match(one, other, MATCH_GAMES, f"{trial.condition}, {depth}", openings=OPENINGS))
        return {
            "games": games * len(training.sessions),
            "clones": sum(bool(session.get("cloned")) for session in training.sessions),
            "matches": [Tally.of(match).numbers for match in matches],
        }

    def report(self, results: Mapping[str, Sequence[Numbers]], scale: float) -> Report:
        matches = {name: Matches(map(_tally, trials)) for name, trials in results.items()}

        def difference(pairs: Pairs) -> Sample:
            """Mean of the better settings minus that of the others, seed by seed."""
            sides = zip(*pairs, strict=True)
            better, other = (Sample.average([matches[one.name].scores for one in side]) for side in sides)
            return better - other

        def row(setting: Setting) -> Mapping[str, object]:
            """One map and regime, with and without look-ahead."""
            both = {ahead: matches[attrs.evolve(setting, ahead=ahead).name] for ahead in (NONE, LOOK_AHEAD)}
            clones = statistics.fmean(trial["clones"] for trial in results[setting.name])
            return {
                "": setting.map,
                "regime": setting.regime,
                **{ahead: found.scores for ahead, found in both.items()},
                "clones (with look-ahead)": number(clones, 1),
                "distinct games of both": Tally.total(one.total for one in both.values()).distinct_text,
            }

        others = {
            "three modules by phase against one net": attrs.evolve(BEST, map=MODULES),
            "three modules by balance against one net": BALANCE,
            "kings counted in Advancement and CentreControl against men only": KINGS,
        }
        judged = [(claim, difference(pairs)) for claim, pairs in CLAIMS]
        return Report.of(
            "Points a game against two players that count material, at 1 and at 3 plies, 98 games each from the "
            f"two-move openings. All nets play at 3 plies and are the last {self.result}s of their trainings"
            f"{' (straight play has none: its last nets)' if self.result == 'clone' else ''}. Intervals (95 %) are "
            "over seeds; those of claims are of differences seed by seed.\n",
            [
                *(Claim(claim, "better", found.signed, found.above()) for claim, found in judged),
                *(Claim(what, "", difference([(one, BEST)]).signed) for what, one in others.items()),
            ],
            [row(one) for one in self.settings.values() if one.ahead == LOOK_AHEAD and one not in CHANGED],
            "Changes of what the thesis arrives at, its features with cloning and one move of look-ahead:\n",
            [_changed(setting, matches, results) for setting in (BEST, *CHANGED)],
            scale=scale,
            numbers={"scores": {name: list(one.scores) for name, one in matches.items()}},
            figures={"regimes": lambda figure: _draw(figure, matches)},
        )


def _changed(
    setting: Setting, matches: Mapping[str, Matches], results: Mapping[str, Sequence[Numbers]]
) -> Mapping[str, object]:
    clones = statistics.fmean(trial["clones"] for trial in results[setting.name])
    found = matches[setting.name]
    return {"": setting.map, "score": found.scores, "clones": number(clones, 1), "distinct": found.total.distinct_text}


def _tally(trial: Numbers) -> Tally:
    """All games of a trial."""
    return Tally.total(map(Tally.read, trial["matches"]))


def _draw(figure: "Figure", matches: Mapping[str, Matches]) -> None:
    axes = figure.subplots()
    for place, one in enumerate(matches.values()):
        one.scores.draw(axes, place, upright=True)
    axes.set_xticks(range(len(matches)), list(matches), rotation=60, ha="right", fontsize=7)
    axes.set_title("seeds, mean, its 95 % interval", fontsize=8)
    axes.set(ylabel="points a game", ylim=(0, 1))
