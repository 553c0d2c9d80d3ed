"""The stages of the experiment: their order, their work and their cost, and the matches that they play.

A match is between the players of the nets, or against an opponent; tallies tell games with and without the first move
apart.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import attrs
from gameforge_examples.conversion import Filter, filter_examples
from gameforge_examples.folder import ExampleFolder
from gameforge_examples.making import Plan, make_examples

from gameforge import GameforgeError, MatchResult, Pipeline, Player
from gameforge import game as find_game
from gameforge import player as make_player
from gameforge.experiments import Matches, Numbers, Tally, Trial
from gameforge.interfaces import Spec
from gameforge_uct_ccnn.settings import MATCH_SIMULATIONS, UctCcnnSettings

NETS = {"shorter": 1, "longer": 3}
"""The two nets, and the budgets of their examples as multiples of the shorter one."""
START_MATCHES, STATES, MATCHES, GAMES = 30, 300, 5, 100
"""Of the paper ([Rezende2017], sections 3.1 and 4.1)."""
CLEAR_GAMES = 1000
"""Games of comparisons that need small error bars."""
LEAST_CLEAR, LEAST_START, LEAST_NEURONS = 300, 10, 10
NETS_GAMES = 5
"""Factor for the match between the two nets."""
FANN_STEP = 0.0001
"""Least step size of FANN's training, which goes with its errors of the candidates."""
PRINTED = {name: f"{name} winner's" for name in NETS}
"""The nets trained on the winners' examples alone, which the paper's filter keeps; the others have both sides'."""
BY_EXAMPLES = {"winner's": PRINTED, "both sides'": {name: name for name in NETS}}
"""The nets of both budgets, by the examples that they learnt from."""
PRINTED_PRIOR = "prior, winner's"
"""UCT that uses the net of the winners' examples as its prior."""
TUNING = {"iterations": 10, "samples": 64, "games": 64}
PLAIN: Mapping[str, object] = {
    "use": "alphabeta",
    "memory": 1,
    "quiescence": False,
    "ties": "random",
    "selective": False,
}
"""Alpha-beta as in the paper: no quiescence, ties broken at random."""
OPPONENT_DEPTH = 3
Cost = Callable[[UctCcnnSettings, float], float]
"""Seconds of one core, at a scale."""


@attrs.frozen
class Stage:
    """A stage of the experiment: a condition with its work and its cost."""

    after: tuple[str, ...]
    seconds: Cost
    run: Callable[[UctCcnnSettings, Trial], Numbers]


def net_games(scale: float) -> int:
    """Games of a comparison that needs a small error bar; even."""
    return max(LEAST_CLEAR, 2 * round(scale * CLEAR_GAMES / 2))


def plan(trial: Trial) -> Plan:
    """The matches that make the examples ([Rezende2017], section 3.1)."""
    return Plan(
        start_matches=max(LEAST_START, trial.scaled(START_MATCHES)),
        states=trial.scaled(STATES),
        matches=MATCHES,
        seed=trial.seed,
    )


def _tuned(settings: UctCcnnSettings, trial: Trial) -> Numbers:
    """Tune Cp by the cross-entropy method, unless it is given; find the opponent."""
    evaluator = opponents_evaluator(settings, trial)
    opponent(settings, trial)  # an unknown evaluator is an error now, not after the nets
    if settings.cp is not None:
        return {"cp": settings.cp, "opponent": evaluator}
    learner = {
        "iterations": max(4, round(TUNING["iterations"] * trial.scale**0.5)),
        "samples": max(8, trial.scaled(TUNING["samples"])),
        "games": 2 * max(3, trial.scaled(TUNING["games"] // 2)),
    }
    changes = {"game": settings.game, "searcher": {"simulations": settings.match_simulations}, "learner": learner}
    run = trial.run(trial.pipeline("uct-ccnn-cem", changes), "cp")
    return {
        "cp": run.summary["searcher.cp"],
        "opponent": evaluator,
        **learner,
        "simulations": settings.match_simulations,
    }


def wanted(settings: UctCcnnSettings) -> tuple[str, ...]:
    """The stages that the settings ask for, in order."""
    return tuple(name for name in STAGES if settings.tables or name not in TABLES)


def _examples(name: str, settings: UctCcnnSettings, trial: Trial) -> Numbers:
    """Make examples by UCT against itself, and filter them."""
    simulations = NETS[name] * settings.simulations
    made = games_of_uct(settings, trial, trial.folder / f"{name}-made", simulations, trial.earlier["cp"]["cp"])
    kept = trial.folder / f"{name}-examples"
    filter_examples(made.path, kept, Filter(sides="both", draws="both", seed=trial.seed))
    numbers = ExampleFolder.read(kept).batches[0].numbers
    whole = made.batches[0].numbers
    return {
        "simulations": simulations,
        "matches": made.matches,
        "mean_plies": whole["mean_plies"],
        "all_simulations": whole["simulations"],
        **numbers,
    }


def games_of_uct(settings: UctCcnnSettings, trial: Trial, folder: Path, simulations: int, cp: float) -> ExampleFolder:
    """Make the examples of UCT against itself in a folder, without a filter."""
    uct = {"use": "uct", "simulations": simulations, "cp": cp, "reuse": settings.reuse}
    player = make_player(
        settings.game, searcher=uct, evaluator="none", oracle="none", registry=trial.registry, name="uct"
    )
    return make_examples(
        folder,
        player,
        plan(trial),
        registry=trial.registry,
        workers=trial.workers,
        executor=trial.executor,
        check=trial.check,
    )


def keep_printed(made: Path, kept: Path, seed: int) -> None:
    """Keep those examples that the filter of [Rezende2017], section 3.2, keeps, which does not mention draws."""
    filter_examples(made, kept, Filter(sides="winner", draws="drop", seed=seed))


def _printed_net(name: str, settings: UctCcnnSettings, trial: Trial) -> Numbers:
    """Train a net on the examples of the winners."""
    keep_printed(trial.folder / f"{name}-made", trial.folder / f"{PRINTED[name]}-examples", trial.seed)
    return _net(PRINTED[name], settings, trial)


def _net(name: str, settings: UctCcnnSettings, trial: Trial) -> Numbers:
    return trained_net(settings, trial, trial.folder / f"{name}-examples", f"{name}-net")


def trained_net(settings: UctCcnnSettings, trial: Trial, examples: Path, name: str) -> Numbers:
    """Train a net by Cascade-2 with at most one unit per input, as in the paper. name: that of the run."""
    setting = settings.setting
    game = {
        "game": settings.game,
        "searcher": {**PLAIN, "depth": OPPONENT_DEPTH},
        "evaluator": {"use": "cascade", "features": setting.features},
        "oracle": "none",
        "seed": trial.seed,
        "learner": {
            "use": "cascade",
            "examples": str(examples),
            "candidate_error": settings.candidate_error,
            "rule": settings.rule,
            "least_step": FANN_STEP if settings.candidate_error == "output" else 0.0,
        },
    }
    net, _ = Pipeline.from_settings(game, trial.registry).parts().trainable()
    neurons = max(LEAST_NEURONS, trial.scaled(net.features.inputs))
    game["evaluator"] = {"use": "cascade", "features": setting.features, "neurons": neurons}
    trained = trial.run(Pipeline.from_settings(game, trial.registry), name)
    keys = ("neurons", "train_mse", "test_mse")
    curves = {f"{key} by neuron": [session[key] for session in trained.sessions] for key in keys}
    return {**curves, **trained.summary, "most": neurons}


def _heights(name: str, settings: UctCcnnSettings, trial: Trial) -> Numbers:
    """Play the matches of the paper's tables from the initial position, and the same from random openings."""
    setting, found = settings.setting, {}
    games = 2 * trial.scaled(GAMES)  # those of a row of the paper's tables
    for opened, openings in (("start", "random:0"), ("random", f"random:{setting.plies}")):
        for height in setting.heights:
            players = neural(trial, name, height), opponent(settings, trial)
            folder = f"{name}-{opened}-{height}"
            found[f"{opened} {height}"] = match_numbers(trial.match(*players, games, folder, openings=openings))
    return found


def _equal_depth(settings: UctCcnnSettings, trial: Trial) -> Numbers:
    """Play matches of both nets at the opponent's depth, and against each other."""
    games, openings = net_games(trial.scale), f"random:{settings.setting.plies}"
    nets = {name: neural(trial, name, OPPONENT_DEPTH) for name in (*NETS, *PRINTED.values())}
    other = opponent(settings, trial)
    pairs = {f"{name}, opponent": (net, other) for name, net in nets.items()}
    budgets, printed = "longer, shorter", f"{PRINTED['longer']}, {PRINTED['shorter']}"
    pairs[budgets] = nets["longer"], nets["shorter"]
    pairs[printed] = nets[PRINTED["longer"]], nets[PRINTED["shorter"]]
    pairs[f"longer, {PRINTED['longer']}"] = nets["longer"], nets[PRINTED["longer"]]
    more = {budgets: NETS_GAMES, printed: NETS_GAMES}  # their difference is smaller
    return {
        name: match_numbers(
            trial.match(*players, more.get(name, 1) * games, name.replace(", ", "-"), openings=openings)
        )
        for name, players in pairs.items()
    }


def _uct(settings: UctCcnnSettings, trial: Trial) -> Numbers:
    """Play UCT with the longer budget's nets, in each of the ways, against UCT without, with equal simulations."""
    simulations, cp = settings.match_simulations, trial.earlier["cp"]["cp"]
    games, openings = net_games(trial.scale), f"random:{settings.setting.plies}"
    plain = {"use": "uct", "simulations": simulations, "cp": cp}
    net, printed = trial.player("longer-net"), trial.player(f"{PRINTED['longer']}-net")
    without = with_searcher(trial, net, plain, "uct")
    found = {way: (net, changes) for way, changes in ways(settings).items()}
    found[PRINTED_PRIOR] = printed, ways(settings)["prior"]
    return {
        way: match_numbers(
            trial.match(
                with_searcher(trial, player, {**plain, **changes}, f"uct with {way}"),
                without,
                games,
                f"uct-{way}",
                openings=openings,
            ),
            simulations,
        )
        for way, (player, changes) in found.items()
    }


def ways(settings: UctCcnnSettings) -> Mapping[str, Mapping[str, object]]:
    """The ways to use the net in UCT, as settings of the searcher."""
    return {"prior": {"prior": settings.prior}, "expand": {"expand": "evaluator"}, "leaf": {"leaf": "evaluator"}}


def _matches(scale: float) -> float:
    """Number of matches that make the examples, by `plan`."""
    return max(LEAST_START, START_MATCHES * scale) + STATES * MATCHES * scale


def making(budget: int) -> Cost:
    """Cost of examples: UCT plays about 40 moves per match and 150,000 simulations per second."""
    return lambda settings, scale: _matches(scale) * 40 * budget * settings.simulations / 150_000


def training(seconds: float) -> Cost:
    """Cost of a net in proportion to its examples and to its hidden units, LEAST_NEURONS below a scale of about 0.1."""
    return lambda settings, scale: seconds * _matches(scale) / _matches(1) * max(scale, 0.1)


def _comparing(seconds: float) -> Cost:
    """Cost of comparisons in proportion to their games; `seconds` at scale 1."""
    return lambda settings, scale: seconds * net_games(scale) / net_games(1)


def _about(seconds: float, power: float, least: float) -> Cost:
    """Cost in proportion to a power of the scale; `seconds` at scale 1, constant below scale `least`."""
    return lambda settings, scale: seconds * max(scale, least) ** power


def _by_simulations(cost: Cost) -> Cost:
    """Cost in proportion to the simulations of the matches; `cost` is that of their default number."""
    return lambda settings, scale: cost(settings, scale) * settings.match_simulations / MATCH_SIMULATIONS


def _stages() -> Mapping[str, Stage]:
    tuning = _by_simulations(_about(4000, 2.5, 0.1))
    found = {"cp": Stage((), lambda settings, scale: tuning(settings, scale) if settings.cp is None else 0.1, _tuned)}
    for name, budget in NETS.items():
        found[f"{name} examples"] = Stage(("cp",), making(budget), partial(_examples, name))
        found[f"{name} net"] = Stage((f"{name} examples",), training(3000), partial(_net, name))
        found[f"{name} at heights"] = Stage((f"{name} net",), _about(3000, 1, 0), partial(_heights, name))
        printed = PRINTED[name]
        found[f"{printed} net"] = Stage((f"{name} examples",), training(2000), partial(_printed_net, name))
        found[f"{printed} at heights"] = Stage((f"{printed} net",), _about(3000, 1, 0), partial(_heights, printed))
    nets = tuple(f"{name} net" for name in (*NETS, *PRINTED.values()))
    found["equal depth"] = Stage(nets, _comparing(600), _equal_depth)
    found["uct"] = Stage(("cp", "longer net", f"{PRINTED['longer']} net"), _by_simulations(_comparing(1800)), _uct)
    return found


STAGES = _stages()
TABLES = tuple(name for name in STAGES if name.endswith(" at heights"))
"""The stages of tables 2 to 5; no other stage needs them."""


def neural(trial: Trial, name: str, height: int) -> Player:
    """NeuralMinimax with the net of this name."""
    return with_searcher(trial, trial.player(f"{name}-net"), {**PLAIN, "depth": height}, f"{name} net, {height} plies")


def with_searcher(trial: Trial, player: Player, settings: Numbers, name: str) -> Player:
    """The same net with another searcher."""
    parameters = {key: value for key, value in settings.items() if key != "use"}
    searcher = trial.registry.create("searcher", Spec(settings["use"], parameters), player.game.rules.name)
    spec = {**player.spec, "searcher": dict(settings)}
    return Player(player.parts.with_searcher(searcher), player.weights, name, spec)


def opponents_evaluator(settings: UctCcnnSettings, trial: Trial) -> str:
    """The opponent's evaluator; "" if none is named, neither by the settings nor by the game as its yardstick."""
    return settings.setting.opponent or find_game(settings.game, registry=trial.registry).defaults.yardstick


def opponent(settings: UctCcnnSettings, trial: Trial) -> Player:
    """Alpha-beta with the opponent's evaluator, or `uct` if there is none.

    Raises GameforgeError if the evaluator is unknown, or needs more than its name.
    """
    evaluator = opponents_evaluator(settings, trial)
    searcher = {**PLAIN, "depth": OPPONENT_DEPTH}
    name = f"{evaluator}, {OPPONENT_DEPTH} plies"
    if not evaluator:
        searcher = {"use": "uct", "simulations": settings.match_simulations}
        name = f"uct, {settings.match_simulations} simulations"
    try:
        return make_player(
            settings.game,
            searcher=searcher,
            evaluator=evaluator or "none",
            oracle="none",
            registry=trial.registry,
            name=name,
        )
    except GameforgeError as error:
        if not error.advice:
            raise
        raise GameforgeError(f"{error.message}; name another one, as in uct-ccnn:opponent=EVALUATOR") from error


def match_numbers(result: MatchResult, simulations: int = 0) -> dict[str, object]:
    """Figures of the player named first; `simulations`: per move of either side, 0 without UCT.

    begins, follows: its wins, draws and losses in the games with and without the first move.
    """
    sides: dict[str, list[int]] = {}
    for name, second in (("begins", 0), ("follows", 1)):
        points = [game.outcome.points(second) for game in result.games[second::2]]
        sides[name] = [points.count(worth) for worth in (2, 1, 0)]
    return {**sides, **_tally_numbers(Tally.of(result), simulations)}


def tally(numbers: Numbers) -> Tally:
    """The tally over both sides."""
    wins, draws, losses = (
        begun + followed for begun, followed in zip(numbers["begins"], numbers["follows"], strict=True)
    )
    distinct = {key: numbers[key] for key in ("distinct", "distinct_pairs")}
    return Tally(wins=wins, draws=draws, losses=losses, pairs=tuple(numbers["pairs"]), **distinct)


def together(matches: Sequence[Numbers]) -> dict[str, object]:
    """The sum of the same match over several seeds, with the interval over them if they are enough for a verdict.

    win_shares: by side, the share of games that each seed won.
    """
    found = Matches(map(tally, matches))
    sides = {
        key: [sum(column) for column in zip(*(one[key] for one in matches), strict=True)]
        for key in ("begins", "follows")
    }
    numbers = _tally_numbers(found.total, matches[0]["simulations"])
    shares = {key: [one[key][0] / sum(one[key]) for one in matches] for key in sides}
    return {**sides, **numbers, "interval": list(found.interval), "win_shares": shares}


def _tally_numbers(found: Tally, simulations: int) -> dict[str, object]:
    return {
        "games": found.games,
        "distinct": found.distinct,
        "distinct_pairs": found.distinct_pairs,
        "pairs": list(found.pairs),
        "simulations": simulations,
        "score": found.score,
        "interval": list(found.interval),
    }
