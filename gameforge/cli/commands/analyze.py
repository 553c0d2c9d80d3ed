"""`gameforge analyze`: analyse a position, or games move by move."""

import functools
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli import options
from gameforge.cli.analysed_games import Mistake, annotated, report
from gameforge.cli.analysed_games import plot as draw
from gameforge.cli.commands.replay import games_file
from gameforge.cli.console import Console
from gameforge.cli.figures import score_numbers, score_text, unit_names
from gameforge.cli.players import plan_for, require_limits, with_limits
from gameforge.cli.terminal import compilation_notice
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import Unit
from gameforge.interfaces.games import GameRecord
from gameforge.play.analysis import Candidate, GameAnalysis, Judged, Known, candidates, judge, least_loss, mark
from gameforge.play.display import counted, require_matplotlib
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import LIMITS, Player, score_unit
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import game_writer, read_games
from gameforge.records.page import game_page


def analyze(
    ctx: typer.Context,
    what: Annotated[
        str | None, typer.Argument(help="Position or file of games; default: the initial position.")
    ] = None,
    game: Annotated[str | None, typer.Option(help=options.game_help("player", "position", "file"))] = None,
    player: Annotated[
        str | None,
        typer.Option(help=f"Player that analyses. {options.PLAYER_HELP} Default: the default player of the game."),
    ] = None,
    level: options.Level = None,
    depth: options.Depth = None,
    nodes: options.Nodes = None,
    simulations: options.Simulations = None,
    time: options.Time = None,
    oracle: options.Oracles = None,
    number: Annotated[
        int | None, typer.Option(min=1, help="Analyse only the game with this number, counted from 1.")
    ] = None,
    tolerant: Annotated[bool, typer.Option("--tolerant", help="Skip games that cannot be read.")] = False,
    encoding: options.Encoding = "utf-8",
    mistake: Mistake = None,
    out: Annotated[
        Path | None, typer.Option(help="New file for the games with comments and marks; .html: a page with boards.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="New PNG file for a plot of the game's evaluation.")] = None,
    force: options.Force = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per move of the position, or per game.")
    ] = False,
) -> None:
    """Rank the moves of a position, or judge each move of recorded games and report where a win was given away."""
    registry = ctx.obj.registry
    limits = {"depth": depth, "nodes": nodes, "simulations": simulations, "time": time}
    require_limits(**limits)
    file = _file(what)
    if plot is not None:
        options.require_suffix("--plot", plot, "a PNG file", [".png"])
        require_matplotlib("--plot")
    if file is None and (out is not None or plot is not None or number is not None):
        raise GameforgeError("--out, --plot and --number can be used only with a file of games, not with a position")
    options.require_different(out=out, plot=plot)
    for path in filter(None, (out, plot)):
        if not path.parent.is_dir():
            raise GameforgeError(f"cannot write {path}: the folder {path.parent} does not exist")
        options.require_new(path, force)
    console = Console(highlight=False, stderr=True)
    workshop = Workshop(registry, at_once=True)
    plan = plan_for(
        workshop, player, game, position=what if file is None else None, file=file, level=level, oracles=oracle or ()
    )
    found = workshop.game(plan)
    notice = functools.partial(console.print, soft_wrap=True)

    with compilation_notice(console), console.preparation() as preparation:
        games: Iterator[tuple[int, GameRecord]] = iter(())
        if file is None:
            found.position(what).require_running()  # before oracles are prepared
        else:
            read = read_games(file, found, tolerant=tolerant, encoding=encoding, notice=notice)
            games = _chosen((record for _, record in read), number, plot is not None, file)
            games = itertools.chain([next(games)], games)  # a wrong file is reported before oracles are prepared
        workshop = workshop.announcing(preparation)
        judging = with_limits(workshop.build(plan), registry, **limits)
        oracles = workshop.verdict_oracles(plan, judging, oracle or ())
        unit = score_unit(judging)
        least = least_loss(unit) if mistake is None else mistake * unit.worth
        if file is None:
            position = judging.game.position(what)
            if not as_json:
                print(position)
            ranked = candidates(judging, position, oracles)
            _show_candidates(ranked, unit, as_json)
            ended = [name for name in LIMITS if any(candidate.limit == name for candidate in ranked)]
            if ended:
                notice(f"limit that ended the searches: {', '.join(ended)}")
            return
        _analyse_games(games, judging, oracles, console, least, unit, out, plot, as_json)


def _file(what: str | None) -> Path | None:
    """Return the file of games that the argument names, also by the folder of a run or match; None for a position.

    A name with a suffix is never a position. Raises GameforgeError if the file is missing.
    """
    if what is None:
        return None
    path = Path(what)
    try:
        if path.exists():
            return games_file(path)
    except OSError:  # the text is too long for the name of a file
        return None
    if path.suffix[1:].isalpha() and ":" not in what:
        raise GameforgeError(f"there is no file {what}")
    return None


def _chosen(
    games: Iterator[GameRecord], number: int | None, single: bool, file: Path
) -> Iterator[tuple[int, GameRecord]]:
    """Yield (number, game) for the games to analyse.

    single: only one game can be analysed. Raises GameforgeError if there is no such game, or if there are several.
    """
    done = 0
    for done, game in enumerate(games, start=1):
        if number is None and single and next(games, None) is not None:
            raise GameforgeError(f"{file} has several games; choose the one to plot with --number")
        if number is None or number == done:
            yield done, game
        if done == number:
            return
    if done == 0:
        raise GameforgeError(f"{file} has no games that can be analysed")
    if number is not None:
        raise GameforgeError(f"--number {number}: {file} has only {counted(done, 'game')}")


def _analyse_games(
    games: Iterator[tuple[int, GameRecord]],
    player: Player,
    oracles: Sequence[OracleHandle],
    console: Console,
    mistake: float,
    unit: Unit,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Analyse game by game, and append each to the file `out` when it is finished."""
    text_of = game_writer(player.game)
    page: list[GameRecord] | None = [] if out is not None and out.suffix == ".html" else None
    mode = "w"  # the first game overwrites the file; later ones are appended
    for number, game in games:
        with console.status(f"game {number}: {counted(len(game.codes) + 1, 'position')}"):
            analysis = judge(player, game, oracles)
        names = " - ".join(name or "?" for name in game.players)
        if as_json:
            print(json.dumps(_game_numbers(number, game, analysis, mistake, unit)), flush=True)
        else:
            print(f"game {number}: {names}")
            for line in report(analysis, mistake, unit):
                print(line)
            print(flush=True)
        if page is not None:
            page.append(annotated(game, analysis, mistake, unit))
        elif out is not None:
            _write(out, text_of(annotated(game, analysis, mistake, unit)), mode)
            mode = "a"
        if plot is not None:
            draw(analysis, plot, mistake, f"game {number}: {names}, by {player.name}", unit)
    if page is not None and out is not None:
        _write(out, game_page(player.game, page), "w")


def _write(path: Path, text: str, mode: str) -> None:
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(f"\n{text}" if file.tell() else text)
    except OSError as error:
        raise GameforgeError(f"cannot write {path}: {error.strerror}") from error


def _show_candidates(found: Sequence[Candidate], unit: Unit, as_json: bool) -> None:
    if as_json:
        for candidate in found:
            print(json.dumps(_candidate_numbers(candidate, unit)))
        return
    share = f"{'policy':>9}" if any(candidate.policy is not None for candidate in found) else ""
    print(f"{'move':<14}{'score':>20}{share}{'depth':>7}{'nodes':>12}  {'oracle':<18}line")
    for candidate in found:
        depth = candidate.depth or "-"
        verdict = "-" if candidate.known is None else str(candidate.known.verdict)
        line = " ".join(map(str, candidate.line))
        score = score_text(candidate.score, unit, candidate.move.position.state)
        share = "" if candidate.policy is None else f"{100 * candidate.policy:>7.1f} %"
        numbers = f"{score:>20}{share}{depth:>7}{candidate.nodes:>12,}"
        print(f"{candidate.move!s:<14}{numbers}  {verdict:<18}{line}")


def _candidate_numbers(candidate: Candidate, unit: Unit) -> dict[str, object]:
    state = candidate.move.position.state
    return {
        "move": str(candidate.move),
        "score": candidate.score,
        "depth": candidate.depth,
        "nodes": candidate.nodes,
        "limit": candidate.limit or None,
        "policy": candidate.policy,
        "line": [str(move) for move in candidate.line],
        **_known_numbers("", candidate.known),
        **unit_names(unit, state),
        **score_numbers(candidate.score, unit, state),
    }


def _known_numbers(suffix: str, known: Known | None) -> dict[str, object]:
    if known is None:
        return {f"verdict{suffix}": None}
    return {
        f"verdict{suffix}": known.verdict.value,
        f"distance{suffix}": known.verdict.distance,
        f"oracle{suffix}": known.oracle,
    }


def _game_numbers(
    number: int, game: GameRecord, analysis: GameAnalysis, mistake: float, unit: Unit
) -> dict[str, object]:
    """The analysis of a game for JSON; scores are for the side that makes the move."""
    return {
        "game": number,
        "tags": dict(game.annotations.tags),
        **unit_names(unit, analysis.start.state),
        "moves": [_move_numbers(judged, mistake, unit) for judged in analysis.moves],
        "lost_wins": analysis.lost_wins,
    }


def _move_numbers(judged: Judged, mistake: float, unit: Unit) -> dict[str, object]:
    state = judged.move.position.state  # both scores in its pieces, so that they can be compared
    before, after = (score_numbers(score, unit, state) for score in (judged.before, judged.after))
    loss = judged.heuristic_loss
    return {
        "move": str(judged.move),
        "best": str(judged.best),
        "line": [str(move) for move in judged.line],
        "before": judged.before,
        "after": judged.after,
        "loss": judged.loss,
        "depth": judged.depth,
        "mark": mark(judged, mistake),
        **_known_numbers("_before", judged.known_before),
        **_known_numbers("_after", judged.known_after),
        **{f"{key}_before": value for key, value in before.items()},
        **{f"{key}_after": value for key, value in after.items()},
        "amount_loss": None if loss is None else loss / unit.worth,
    }
