"""`gameforge othello`: check files of games and solve endings."""

import json
import os.path
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from gameforge.cli import compilation_notice, counted
from gameforge_othello.movegen import SQUARES, to_move
from gameforge_othello.notation import SYMBOLS, square_text
from gameforge_othello.rules import Othello
from gameforge_othello.solver import Problem, read_problems, solve

app = typer.Typer(help="Check files of Othello games and solve endings.", add_completion=False)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Transcripts, or WTHOR files (.wtb).")],
    tolerant: Annotated[bool, typer.Option("--tolerant", help="Report bad games and skip them.")] = False,
    encoding: Annotated[str, typer.Option(help="Encoding of transcripts: utf-8, latin-1, utf-16, ...")] = "utf-8",
    as_json: _Json = False,
) -> None:
    """Replay every game to its stored score.

    The first error ends the check. With --tolerant all games are checked, and the exit code is 1 if any is bad.
    """
    left_out = 0
    for path in files:
        bad: list[str] = []
        games = moves = 0
        with compilation_notice():
            for game in Othello().files.read_games(path, tolerant=tolerant, encoding=encoding, notice=bad.append):
                games += 1
                moves += len(game.codes)
        for message in bad:
            print(message, file=sys.stderr)
        left_out += len(bad)
        if as_json:
            print(json.dumps({"file": str(path), "games": games, "moves": moves, "bad": len(bad)}))
        else:
            verdict = f"; {len(bad):,} left out" if bad else ", all legal" if games else ""
            print(f"{path}: {counted(games, 'game')}, {counted(moves, 'move')}{verdict}")
    if left_out:
        raise typer.Exit(1)


@app.command("solve")
def solve_command(
    what: Annotated[str, typer.Argument(metavar="FILE|POSITION", help="File of problems (OBF), or a position.")],
    searcher: Annotated[
        str | None, typer.Option(help="Searcher to use instead of the plugin's own solver; it must prove wins.")
    ] = None,
    evaluator: Annotated[str, typer.Option(help="Evaluator for --searcher.")] = "wpc",
    memory: Annotated[int, typer.Option(min=0, max=1 << 16, help="Transposition table, in megabytes.")] = 64,
    as_json: _Json = False,
) -> None:
    """Find the lead in discs of the side to move with best play.

    The exit code is 1 if a lead stated in the file is wrong.
    """
    wrong = 0
    with compilation_notice():
        for number, problem in enumerate(_problems(what), 1):
            began = time.perf_counter()
            found = solve(problem.state, searcher=searcher, evaluator=evaluator, memory=memory)
            seconds = time.perf_counter() - began
            known = max(problem.leads.values(), default=found.lead)
            right = known == found.lead and problem.leads.get(found.move or 0, known) == known
            wrong += not right
            empty = SQUARES - (problem.state[0] | problem.state[1]).bit_count()
            move = "none" if found.move is None else square_text(found.move)
            if as_json:
                facts = {"number": number, "empty": empty, "move": move, "lead": found.lead, "nodes": found.nodes}
                print(json.dumps({**facts, "seconds": seconds, "right": right}), flush=True)
            else:
                doubt = "" if right else f", but the file says {known:+}"
                print(
                    f"{number:3} {SYMBOLS[to_move(problem.state)]}, {empty} empty: {move} {found.lead:+}{doubt}"
                    f"   {found.nodes:,} nodes, {seconds:.2f} s",
                    flush=True,
                )
    if wrong:
        raise typer.Exit(1)


def _problems(what: str) -> Iterable[Problem]:
    path = Path(what)
    # what exists is a file, and so is what only files can be called
    if os.path.lexists(path) or path.suffix[1:].isalnum() or len(path.parts) > 1:
        return read_problems(path)
    return [Problem(Othello().positions.parse_position(what), {})]
