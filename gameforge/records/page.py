"""Annotated games as one HTML page, which opens in any browser without a server and loads nothing.

Names, tags and comments come from files, so they are escaped. Besides, the page's policy allows no script but its own,
which is named by its hash.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape

from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.play.game import Game, Position
from gameforge.records.game_records import player_names

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 68rem; margin: 0 auto; padding: 1rem; }
.game { margin-bottom: 3rem; }
.table { display: grid; grid-template-columns: minmax(0, 30rem) minmax(16rem, 1fr); gap: 1.5rem; }
.boards svg { width: 100%; height: auto; display: block; }
.boards > * { display: none; }
.boards > .now { display: block; }
.moves { max-height: 34rem; overflow-y: auto; position: relative; font-variant-numeric: tabular-nums; }
.moves button { font: inherit; color: inherit; border: 0; background: none; padding: .1rem .3rem; cursor: pointer; }
.moves button[aria-current] { background: #2f6b50; color: #fff; }
.comment, .aside { display: block; opacity: .8; font-size: .92em; }
.aside { padding-left: .8rem; border-left: 2px solid #8888; }
.tags { opacity: .8; }
.steps button { font: inherit; padding: .2rem .9rem; }
@media (max-width: 700px) { .table { grid-template-columns: minmax(0, 1fr); } }
"""
_SCRIPT = """
let chosen = null;
for (const game of document.querySelectorAll(".game")) {
  const boards = [...game.querySelector(".boards").children];
  const moves = [...game.querySelectorAll("[data-ply]")];
  let now = 0;
  const go = (ply) => {
    now = Math.max(0, Math.min(boards.length - 1, ply));
    boards.forEach((board, i) => board.classList.toggle("now", i === now));
    for (const move of moves) {
      if (Number(move.dataset.ply) === now) {
        move.setAttribute("aria-current", "true");
        const list = move.closest(".moves");
        list.scrollTop = move.offsetTop - list.clientHeight / 2;
      } else move.removeAttribute("aria-current");
    }
  };
  const step = (by) => go(now + by);
  chosen ??= step;
  game.addEventListener("click", (event) => {
    chosen = step;
    const { ply, by } = event.target.dataset;
    if (ply !== undefined) go(Number(ply));
    if (by !== undefined) step(Number(by));
  });
}
addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by && chosen) chosen(by);
});
"""


def game_page(game: Game, records: Sequence[GameRecord]) -> str:
    """Return an HTML page of games: a board for each position, the moves with marks, comments and variations."""
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    title = _title(game, records[0]) if len(records) == 1 else f"{len(records)} games"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style>"
    )
    games = "\n".join(_section(game, record) for record in records)
    body = f"<body>\n{games}\n<script>{_SCRIPT}</script></body>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'


def _title(game: Game, record: GameRecord) -> str:
    return " - ".join(player_names(record, game.rules.sides))


def _section(game: Game, record: GameRecord) -> str:
    here = Position(game, record.start)
    boards = [_board(here)]
    for code in record.codes:
        here = here.after(code)
        boards.append(_board(here))
    boards[0] = boards[0].replace("<div>", '<div class="now">', 1)
    tags = record.tags(game.rules.sides)
    about = ", ".join(f"{name}: {text}" for name, text in tags.items() if name not in game.rules.sides)
    line = "".join(_line(Position(game, record.start), record.codes, record.annotations, main=True))
    return (
        f'<section class="game"><h1>{escape(_title(game, record))}</h1><p class="tags">{escape(about)}</p>'
        f'<div class="table"><div><div class="boards">{"".join(boards)}</div><p class="steps">'
        '<button type="button" data-by="-1">Back</button> <button type="button" data-by="1">Forward</button></p></div>'
        f'<div class="moves">{line}<p>{escape(_result(game, record))}</p></div></div></section>'
    )


def _board(position: Position) -> str:
    svg = position.game.svg(position.state)
    return f"<div>{svg}</div>" if svg is not None else f"<div><pre>{escape(str(position))}</pre></div>"


def _line(start: Position, moves: Sequence[int], notes: Annotations, *, main: bool) -> Iterator[str]:
    """Yield the moves of a line as HTML; those of the main line are buttons."""
    here = start
    if notes.comments.get(0):
        yield _comment(notes.comments[0])
    first = len(start.moves_played) + start.start.turn
    for i, code in enumerate(moves):
        ply = first + i
        number = f"{ply // 2 + 1}{'…' if ply % 2 else '.'} " if ply % 2 == 0 or i == 0 else ""
        text = escape(f"{here.game.move_text(here.state, code, here.codes)}{notes.marks.get(i, '')}")
        yield f'{number}<button type="button" data-ply="{i + 1}">{text}</button> ' if main else f"{number}{text} "
        if notes.comments.get(i + 1):
            yield _comment(notes.comments[i + 1])
        for variation in notes.variations.get(i, ()):
            yield '<span class="aside">'
            yield from _line(here, variation.moves, variation.annotations, main=False)
            yield f"{_comment(variation.after) if variation.after else ''}</span>"
        here = here.after(code)


def _comment(text: str) -> str:
    return f'<span class="comment">{escape(text)}</span> '


def _result(game: Game, record: GameRecord) -> str:
    if not record.finished:
        return "not finished"
    winner = record.outcome.winner
    result = "draw" if winner is None else f"{game.rules.sides[winner]} wins"
    return f"{result}: {record.reason}" if record.reason else result
