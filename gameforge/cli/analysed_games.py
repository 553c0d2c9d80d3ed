"""Analysed games: judged moves as lines for the terminal and as comments in files, and a plot of the evaluation.

The plot needs matplotlib, which is imported only when something is plotted.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import attrs
import typer

from gameforge.cli.figures import difference_text, score_text
from gameforge.coaching.accuracy import accuracy
from gameforge.interfaces.evaluator import WON, Unit
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.oracle import Value
from gameforge.play.analysis import GameAnalysis, Judged, mark
from gameforge.play.display import counted, figure_file
from gameforge.play.game import Position
from gameforge.storage.files import write_atomically

Mistake = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Mark moves that lose at least this much, in the unit of the scores (men, discs, %). Default: 5 % of the "
        "points, or half of a piece.",
    ),
]
"""The option --mistake."""
_ENDING: dict[Value, str] = {"win": "a win", "draw": "a draw", "loss": "a loss"}


def numbered(start: Position, i: int) -> str:
    """Format the number of move i of a game: `12.` for the first mover, `12...` for the second."""
    pair, second = divmod(i + start.turn, 2)
    return f"{pair + 1}{'...' if second else '.'}"


def remark(analysis: GameAnalysis, i: int, mistake: float, unit: Unit) -> str:
    """Comment on move i: the score after it for the first mover, its loss, and the better line for a mistake.

    Both scores are shown in the pieces of the position before the move, so that they can be compared.
    """
    judged = analysis.moves[i]
    state = judged.move.position.state
    parts = [score_text(analysis.scores[i + 1], unit, state), *filter(None, [loss_text(judged, unit)])]
    if mark(judged, mistake):
        score = score_text(judged.before, unit, state)
        parts.append(f"better {' '.join(map(str, judged.line[:6]))}: {score} for the mover")
    return "; ".join(parts)


def loss_text(judged: Judged, unit: Unit) -> str:
    """Return what a move lost: `loses 1.02 men`, `gives up a win`, `a draw instead of a win by chinook`, or "".

    Only differences that are visible with the decimals of the unit are losses.
    """
    if judged.dropped is not None:
        before, after = (_ENDING[value] for value in judged.dropped)
        assert judged.known_after is not None
        return f"{after} instead of {before} by {judged.known_after.oracle}"
    if judged.heuristic_loss is None:
        return "loses the game" if judged.after <= -WON < judged.before else "gives up a win" if judged.loss else ""
    visible = judged.heuristic_loss / unit.worth >= 0.5 * 10**-unit.decimals
    return f"loses {difference_text(judged.heuristic_loss, unit)}" if visible else ""


def lesson(analysis: GameAnalysis, i: int, unit: Unit) -> str:
    """Say in one sentence what move i gave up; all of it is seen from the side that made the move."""
    judged = analysis.moves[i]
    position = judged.move.position
    best, side = " ".join(map(str, judged.line[:6])), position.game.rules.sides[position.turn]
    if judged.dropped is not None:
        assert judged.known_after is not None
        before, after = (_ENDING[value] for value in judged.dropped)
        return f"{side} had {before} with {best}; {judged.move} leaves {after} by {judged.known_after.oracle}"
    before, after = (score_text(score, unit, position.state) for score in (judged.before, judged.after))
    return f"{side} had {before} with {best}; {judged.move} leaves {after}"


def annotated(game: GameRecord, analysis: GameAnalysis, mistake: float, unit: Unit) -> GameRecord:
    """Return the game with a comment on every move, after its existing comments, and marks on mistakes."""
    comments = dict(game.annotations.comments)
    marks = dict(game.annotations.marks)
    for i, judged in enumerate(analysis.moves):
        text = remark(analysis, i, mistake, unit)
        comments[i + 1] = f"{comments[i + 1]}; {text}" if i + 1 in comments else text
        marks[i] = marks.get(i) or mark(judged, mistake)
    marks = {i: text for i, text in marks.items() if text}
    return attrs.evolve(game, annotations=attrs.evolve(game.annotations, comments=comments, marks=marks))


def report(analysis: GameAnalysis, mistake: float, unit: Unit) -> Iterator[str]:
    """Yield a line for each move, then each side's losses and accuracy, and where a win was lost."""
    sides = analysis.start.game.rules.sides
    for i, judged in enumerate(analysis.moves):
        number = numbered(analysis.start, i)
        yield f"{number:>7} {judged.move!s:<14}{mark(judged, mistake):<3}{remark(analysis, i, mistake, unit)}"
    for turn, side in enumerate(sides):
        own = [judged for judged in analysis.moves if judged.move.position.turn == turn]
        marked = sum(bool(mark(judged, mistake)) for judged in own)
        losses = [judged.heuristic_loss for judged in own if judged.heuristic_loss is not None]
        mean = difference_text(sum(losses) / max(1, len(losses)), unit)
        share = accuracy(analysis, turn, unit)
        kept = "" if share is None else f", accuracy {share:.0f} %"
        yield f"{side}: {counted(len(own), 'move')}, mean loss {mean}, {marked} marked{kept}"
    covered = sum(known is not None for known in analysis.known)
    for i in analysis.lost_wins:
        judged = analysis.moves[i]
        assert judged.known_after is not None
        yield (
            f"the win was lost with {numbered(analysis.start, i)} {judged.move} by {sides[judged.move.position.turn]}: "
            f"{_ENDING[judged.known_after.verdict.value]} by {judged.known_after.oracle}"
        )
    if covered and not analysis.lost_wins:
        yield f"no win was lost in {counted(covered, 'position')} that an oracle knows"


_LEAST_RANGE = 0.05
_COLOURS = {"first": "#2f5d8a", "draw": "#b8b8a8", "second": "#c9772f"}
_MARKED = "#b3202a"


def plot(analysis: GameAnalysis, path: Path, mistake: float, title: str, unit: Unit) -> None:
    """Write a PNG: the score of each position for the first mover, marked moves, and the oracles' verdicts."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    scores = analysis.scores
    top = 1.2 * max([_LEAST_RANGE, *(abs(score) for score in scores if abs(score) < WON)])
    shown = [max(-top, min(top, score)) for score in scores]
    first, second = analysis.start.game.rules.sides
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[12, 1])
    plies = range(len(shown))
    above.axhline(0, color="#888888", linewidth=0.8)
    above.plot(plies, shown, color="#222222", linewidth=1.4)
    for side, ahead in (("first", [y >= 0 for y in shown]), ("second", [y <= 0 for y in shown])):
        above.fill_between(plies, shown, 0, where=ahead, interpolate=True, color=_COLOURS[side], alpha=0.35)
    for i, judged in enumerate(analysis.moves):
        text = mark(judged, mistake)
        if text:
            above.plot(i + 1, shown[i + 1], "o", color=_MARKED, markersize=5)
            above.annotate(
                f"{numbered(analysis.start, i)} {judged.move}{text}",
                (i + 1, shown[i + 1]),
                xytext=(0, -6 if shown[i + 1] < 0 else 6),  # away from the curve
                textcoords="offset points",
                ha="center",
                va="top" if shown[i + 1] < 0 else "bottom",
                rotation=90,
                fontsize=7,
                color=_MARKED,
            )
    above.set_ylim(-top * 1.7, top * 1.7)
    above.set_xlim(0, max(1, len(shown) - 1))
    above.set_ylabel(f"score for {first}{f', in {unit.many}' if unit.many else ''}")
    above.yaxis.set_major_formatter(lambda score, _: f"{unit.amount(score):g}")
    above.set_title(title, fontsize=10)
    for i, known in enumerate(analysis.known):
        if known is not None:
            value, turn = known.verdict.value, (i + analysis.start.turn) % 2
            winner = "draw" if value == "draw" else "first" if (value == "win") == (turn == 0) else "second"
            below.axvspan(i - 0.5, i + 0.5, color=_COLOURS[winner], linewidth=0)
    below.set_yticks([])
    below.xaxis.get_major_locator().set_params(integer=True)
    below.set_ylabel("oracle", rotation=0, ha="right", va="center", fontsize=8)
    below.set_xlabel("ply")
    meanings = {f"{first} wins": "first", "draw": "draw", f"{second} wins": "second"}
    handles = [Patch(color=_COLOURS[key], label=label) for label, key in meanings.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    write_atomically(path, figure_file(figure, ".png", 110))
