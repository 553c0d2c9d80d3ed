"""The experiment's matches: the nets' players, their opponents, and tallies with and without the first move."""

from collections.abc import Mapping, Sequence

from gameforge import GameforgeError, MatchResult, Player
from gameforge import game as find_game
from gameforge import player as make_player
from gameforge.experiments import Matches, Numbers, Tally, Trial
from gameforge.interfaces import Spec
from gameforge_uct_ccnn.settings import UctCcnnSettings

PLAIN: Mapping[str, object] = {
    "use": "alphabeta",
    "memory": 1,
    "quiescence": False,
    "ties": "random",
    "selective": False,
}
"""Alpha-beta as in the paper: no quiescence, ties broken at random."""
OPPONENT_DEPTH = 3


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
