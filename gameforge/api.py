"""The functions of the public Python API that make components, play and experiment; `gameforge` offers them."""

import functools
import itertools
import os.path
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from gameforge.arena import MatchResult, Openings, Sprt
from gameforge.arena import match as play_match
from gameforge.arena.openings import OPENING_PLIES
from gameforge.arena.tournament import TournamentResult
from gameforge.arena.workspace import OnError, TimeControl
from gameforge.config import Spec
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.oracle import Announce, Oracle, silent
from gameforge.interfaces.rules import Rules
from gameforge.play.game import Game
from gameforge.play.knowledge import OracleHandle
from gameforge.play.pipeline import (
    EvaluatorChoice,
    FeaturesChoice,
    OraclesChoice,
    Parameter,
    RulesChoice,
    SearcherChoice,
)
from gameforge.play.player import Player

if TYPE_CHECKING:
    from gameforge.experiments.report import Report
    from gameforge.training.run import Run

__all__ = ["game", "match", "oracle", "player", "reproduce", "tournament"]


def game(rules: str | Rules, *, registry: Registry | None = None, **params: Parameter) -> Game:
    """Make a game.

    * `rules`: the name of the game, or your own rules object.
    * `registry`: the plugins to choose from; by default, all installed plugins.
    * `params`: parameters of the named rules, as in `game("mygame", repetition=0)`.

    Raises GameforgeError for an unknown name or parameter.
    """
    if isinstance(rules, str):
        return Game((registry or default_registry()).create("rules", _spec(rules, params)))
    return Game(rules)


def oracle(
    oracle: str | Oracle,
    /,
    *,
    announce: Announce = silent,
    workers: int = 1,
    registry: Registry | None = None,
    **params: Parameter,
) -> OracleHandle:
    """Make an oracle that can be probed for positions; it is opened on the first probe.

    * `oracle`: the name of the oracle, or your own oracle object.
    * `announce`: receives the progress of what the oracle computes when it is opened.
    * `workers`: number of threads for that.
    * `registry`: the plugins to choose from; by default, all installed plugins.
    * `params`: parameters of the named oracle, as in `oracle("chinook", pieces=4)`.

    Raises GameforgeError for an unknown name or parameter.
    """
    if not isinstance(oracle, str):
        return OracleHandle(oracle, Spec(type(oracle).__name__), announce, workers, registry)
    spec = _spec(oracle, params)
    registry = registry or default_registry()
    registry.agree(spec)
    return OracleHandle(registry.create("oracle", spec), spec, announce, workers, registry)


def player(
    game: "RulesChoice | Path | Run",
    trained: str | None = None,
    *,
    level: int | None = None,
    searcher: SearcherChoice | None = None,
    evaluator: EvaluatorChoice | None = None,
    features: FeaturesChoice | None = None,
    oracle: OraclesChoice | None = None,
    seed: int = 0,
    name: str = "player",
    registry: Registry | None = None,
    allow_engines: bool = False,
) -> Player:
    """Make a player, load one from a folder, or load one that a plugin brings, as in `player("mygame", "strong")`.

    * `game`: the game to play; or a finished run, or the folder of a run or of a saved player.
    * `trained`: name of a player that a plugin brings for this game, also with its level: `"strong:level=3"`. Only the
      searcher and the oracles of a trained or saved player can be replaced.
    * `level`: one of its levels, from 1, the weakest.
    * `searcher`, `evaluator`, `features`: components, by name or as objects; those left out come from the preset of the
      game. An object with `choose(position)` is a searcher; a function of a Position that returns a score is an
      evaluator.
    * `oracle`: one oracle or several, consulted in this order; "none": no oracles. If it is left out, a saved player
      has its own, and a new one has none.
    * `seed`: for the initial weights of an evaluator that has weights, such as a net.
    * `name`: the player's name in matches.
    * `registry`: the plugins to choose from; by default, all installed plugins.
    * `allow_engines`: start programs that a folder or file names; otherwise only those that this call names.

    Raises GameforgeError for an unknown component or level, for a folder that holds no player, for an evaluator
    combined with a trained or saved player, and if the searcher needs an evaluator but only the preset names one, which
    is not trained.
    """
    from gameforge.play.player_plan import PlayerPlan, read_trained, require_no_level, trained_and_level, without_levels
    from gameforge.play.saved_players import read_saved
    from gameforge.play.workshop import Workshop
    from gameforge.training.run import Run

    registry = (registry or default_registry()).allowing(allow_engines)
    registry.agree(game, searcher, evaluator, features, oracle)
    if isinstance(game, Run):
        game = game.folder
    if isinstance(game, str) and game not in registry.names("rules") and os.path.isdir(game):
        game = Path(game)
    if isinstance(game, str) and "/" in game and not registry.has("rules", game.partition(":")[0]):
        raise GameforgeError(f"player {game!r}: there is no such folder, nor a game of this name")
    if trained is not None and not isinstance(trained, str):
        raise GameforgeError(
            f"trained = {trained!r}: must be a name; objects are given as searcher=... or evaluator=..."
        )
    if trained is not None and os.path.isdir(trained) and not registry.has("player", trained.partition(":")[0]):
        raise GameforgeError(f"player: {trained} is a folder, which names its game itself; give it alone")
    if isinstance(game, Path) and trained is not None:
        raise GameforgeError(f"player: {game} is a folder; {trained!r} can be given only with the name of a game")
    if (isinstance(game, Path) or trained is not None) and (evaluator is not None or features is not None):
        who = trained or f"{game} holds a player that"
        raise GameforgeError(f"player: {who} has its own evaluator; evaluator and features cannot be given as well")
    if isinstance(game, Path):
        plan = PlayerPlan(saved=read_saved(game), level=level, searcher=searcher, oracle=oracle)
    elif trained is not None:
        name, named = trained_and_level(trained)
        if level is not None:
            require_no_level(trained, named, level)
        saved, game = read_trained(name, game, registry)
        chosen = level if named is None else named
        plan = PlayerPlan(game=game, saved=saved, level=chosen, searcher=searcher, oracle=oracle, name=trained)
    elif level is not None:
        raise without_levels("a player made of components", registry)
    else:
        plan = PlayerPlan(
            game=game, searcher=searcher, evaluator=evaluator, features=features, oracle=oracle, seed=seed, name=name
        )
    return Workshop(registry).build(plan)


def match(
    first: Player | str,
    second: Player | str,
    games: int = 20,
    *,
    game: str | Game | None = None,
    out: str | Path | None = None,
    openings: Openings = OPENING_PLIES,
    seed: int = 0,
    workers: int = 1,
    sprt: str | Sprt | None = None,
    clock: str | TimeControl | None = None,
    on_error: OnError | None = None,
    count_forfeits: bool = False,
    game_finished: Callable[[GameRecord], None] = lambda game: None,
    playing: Callable[[GameRecord], None] = lambda game: None,
    check: Callable[[], None] = lambda: None,
    progress: bool = True,
    registry: Registry | None = None,
    allow_engines: bool = False,
) -> MatchResult:
    """Play a match.

    * `first`, `second`: the players, or their descriptions as on the command line: the name of a trained player, such
      as `"strong:level=3"`, the folder of a run or saved player, a TOML file, or parts such as
      `"alphabeta:depth=4 + material"`.
    * `games`: number of games, even: each opening is played twice with colours swapped.
    * `game`: the game of players that are described by parts; by default that of the other player.
    * `out`: output folder; an interrupted match in it is resumed.
    * `openings`: a number of random plies; `random:PLIES`; `balanced:PLIES`, random lines that the game's default
      player judges to be about even; the name of one of the game's sets, or a file; or positions, used in turn.
    * `seed`: for openings, books and searches.
    * `workers`: number of threads; the result does not depend on it unless a player uses the clock or searches with
      several threads. Games with a batch evaluator are played at once, 32 pairs, and share its calls; only this many
      of their threads run at a time.
    * `sprt`: a test that can end the match early, or its text, such as `"0,10"` (gameforge.arena.elo).
    * `clock`: time of both players, a TimeControl or text such as `"60+0.6"`. It replaces all limits that trained and
      saved players bring, and the time limits of other searchers; limits that you have chosen hold as well.
    * `on_error`: what follows if a player raises an exception: "raise" raises it; "forfeit" lets the player lose the
      game, and logs the reason; None lets external engines lose the game, and raises what any other player raises.
    * `count_forfeits`: let an external engine lose a game that it ends by other rules, such as by its own draw rule;
      otherwise such a game is drawn. Either way the result reports how many there were.
    * `game_finished`: called with each game, in order.
    * `playing`: called several times a second with the moves so far of a game that is being played.
    * `check`: called several times a second; an exception that it raises ends the match.
    * `progress`: show a progress bar if standard error is a terminal or a notebook, else log a line a minute.
    * `registry`: the plugins from which described players are made; by default, all installed plugins.
    * `allow_engines`: start programs that folders and files of players name; otherwise only those that this call names.

    A player that exceeds its time or answers with an illegal move loses the game.
    Raises ComponentError, with the exception as its cause, if a player raises one that does not lose it the game; and
    GameforgeError for players of different games, for a description that is not understood, and for openings
    that belong to another game or end the game.
    """
    from gameforge.arena.match_folder import match_in_folder
    from gameforge.play.display import match_bar
    from gameforge.play.workshop import Workshop

    registry = (registry or default_registry()).allowing(allow_engines)
    registry.agree(first, second)
    one, other = Workshop(registry).players([first, second], game)
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    control = TimeControl.parse(clock) if isinstance(clock, str) else clock
    with match_bar(one.name, games, progress, game_finished) as finished:
        play = play_match if out is None else functools.partial(match_in_folder, Path(out))
        return play(
            *(one, other, games),
            openings=openings,
            seed=seed,
            workers=workers,
            sprt=test,
            clock=control,
            on_error=on_error,
            count_forfeits=count_forfeits,
            game_finished=finished,
            playing=playing,
            check=check,
        )


def tournament(
    players: Sequence[Player | str],
    games: int = 20,
    *,
    game: str | Game | None = None,
    out: str | Path | None = None,
    gauntlet: bool = False,
    openings: Openings = OPENING_PLIES,
    seed: int = 0,
    workers: int = 1,
    clock: str | TimeControl | None = None,
    on_error: OnError | None = None,
    count_forfeits: bool = False,
    game_finished: Callable[[GameRecord], None] = lambda game: None,
    playing: Callable[[GameRecord], None] = lambda game: None,
    match_finished: Callable[[MatchResult], None] = lambda match: None,
    check: Callable[[], None] = lambda: None,
    progress: bool = True,
    registry: Registry | None = None,
    allow_engines: bool = False,
) -> TournamentResult:
    """Play a tournament in which each player meets each other in a match, and rate the players.

    * `players`: two or more players with different names, or their descriptions, as for `match`.
    * `games`: number of games of each match, even. All matches have the same openings.
    * `game`: the game of players that are described by parts; by default that of the other players.
    * `out`: output folder, with a folder for each match; an interrupted tournament in it is resumed.
    * `gauntlet`: let the first player meet all others, who do not meet each other.
    * `match_finished`: called with the result of each match, in order.

    The other parameters and errors are those of `match`. Raises GameforgeError also for fewer than two players and for
    two with the same name.
    """
    from gameforge.arena.tournament import folder_of_match, schedule
    from gameforge.arena.tournament import tournament as play_tournament
    from gameforge.play.display import progress_bar
    from gameforge.play.workshop import Workshop

    if isinstance(players, str):
        raise GameforgeError(f"players = {players!r}: must be a list of players")
    registry = (registry or default_registry()).allowing(allow_engines)
    registry.agree(players)
    entrants = Workshop(registry).players(players, game)
    folder, finished = None if out is None else Path(out), itertools.count(1)
    with progress_bar("tournament", games * len(schedule(len(entrants), gauntlet)), progress) as report:

        def play(first: Player, second: Player, number: int) -> MatchResult:
            def count(record: GameRecord) -> None:
                report(next(finished), f"{first.name} - {second.name}")
                game_finished(record)

            return match(
                *(first, second, games),
                out=folder_of_match(folder, number),
                openings=openings,
                seed=seed,
                workers=workers,
                clock=clock,
                on_error=on_error,
                count_forfeits=count_forfeits,
                game_finished=count,
                playing=playing,
                check=check,
                progress=False,
            )

        return play_tournament(entrants, play, gauntlet=gauntlet, match_finished=match_finished)


def reproduce(
    name: str,
    out: str | Path,
    *,
    seeds: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    scale: float = 1.0,
    plots: Sequence[str] = (".png",),
    archive: str | Path | None = None,
    progress: bool = True,
    registry: Registry | None = None,
    **params: Parameter,
) -> "Report":
    """Repeat a published experiment with several seeds; return its report, which `out` keeps as well.

    * `name`: the name of the experiment, as `gameforge reproduce` lists it.
    * `out`: output folder; an interrupted experiment in it is resumed.
    * `seeds`: number of seeds, counted from 1; by default that of the experiment.
    * `workers`: number of trials at once; the figures do not depend on it.
    * `executor`: does the learners' independent work in place of `workers` threads.
    * `scale`: length of the trials; 1 is that of the published experiment.
    * `plots`: endings of the files of each plot: `.png`, `.svg` or `.pdf`.
    * `archive`: a file `NAME.jsonl.xz` of finished trials of this experiment, which are not run again.
    * `progress`: show a progress bar if standard error is a terminal or a notebook.
    * `registry`: the plugins to choose from; by default, all installed plugins.
    * `params`: parameters of the experiment, as in `reproduce("experiment", "out", pieces=6)`.

    Raises GameforgeError for an unknown experiment or parameter, for a scale that is too small, and for a folder that
    holds something else. Needs scipy.
    """
    from gameforge.experiments.reproduction import create_experiment
    from gameforge.experiments.reproduction import reproduce as run
    from gameforge.experiments.schedule import resources_with_bar

    spec, registry = _spec(name, params), registry or default_registry()
    experiment = create_experiment(registry, spec)
    trials = len(experiment.conditions) * (experiment.seeds if seeds is None else seeds)
    with resources_with_bar(spec.use, trials, workers, executor, progress) as resources:
        known = None if archive is None else Path(archive)
        return run(Path(out), spec, registry, resources, seeds=seeds, scale=scale, plots=plots, archive=known)


def _spec(name: str, params: Mapping[str, Parameter]) -> Spec:
    spec = Spec.parse(name)
    return Spec(spec.use, {**spec.params, **params})
