"""`gameforge pdn`: check, count and rewrite files of games.

The statistics of a file's games need constant memory.
"""

import contextlib
import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import attrs
import typer

from gameforge import Game, GameforgeError, default_registry
from gameforge.cli import compilation_notice, counted, options
from gameforge.interfaces import Annotations, GameRecord, Spec
from gameforge_draughts.english_pdn import GAME_TYPE
from gameforge_draughts.files import Archive, training_game, training_text
from gameforge_draughts.pdn import PdnGame, installed_kinds, pdn_text
from gameforge_draughts.pdn_parsing import open_pdn
from gameforge_draughts.rules import Draughts

app = typer.Typer(help="Check, count and rewrite PDN files.", add_completion=False)

_Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="PDN files.")]
_Tolerant = Annotated[bool, typer.Option("--tolerant", help="Report bad games and skip them.")]
_Encoding = Annotated[str, typer.Option(help="Encoding of the files: utf-8, latin-1, utf-16, ...")]
ENGLISH = GAME_TYPE.partition(",")[0]
_Game = Annotated[str, typer.Option("--game", metavar="NAME", help="Game of those without a tag GameType.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per file, for programs.")]


def _print_error(message: str) -> None:
    print(message, file=sys.stderr)


@contextlib.contextmanager
def _reader(path: Path, encoding: str, tolerant: bool, game: str) -> Iterator[Archive]:
    own = getattr(default_registry().create("rules", Spec.parse(game)), "pdn", None)
    if not isinstance(own, PdnGame):
        known = ", ".join(dict.fromkeys(kind.rules.name for kind in installed_kinds()))
        raise GameforgeError(f"--game {game}: not a kind of draughts; those installed are {known}")
    with compilation_notice(), open_pdn(path, encoding) as stream:
        yield Archive(own, stream, str(path), _print_error, tolerant, installed_kinds())


@app.command()
def check(
    files: _Files,
    game: _Game = "draughts",
    tolerant: _Tolerant = False,
    encoding: _Encoding = "utf-8",
    as_json: _Json = False,
) -> None:
    """Replay every game, including variations.

    The first error ends the check. With --tolerant all games are checked. The exit code is 1 if games were left out:
    bad ones, or ones without a tag GameType whose kind is not clear. The tag GameType chooses the rules. A game without
    it is one of English draughts, or of the game of --game; if that does not fit, and one other kind does, it is read
    as one of that kind.
    """
    bad = 0
    for path in files:
        games = moves = 0
        with _reader(path, encoding, tolerant, game) as reader:
            for record in reader:
                games += 1
                moves += len(record.codes)
        bad += reader.bad + reader.doubtful
        if as_json:
            numbers = {"games": games, "moves": moves, "skipped": reader.skipped, "bad": reader.bad}
            print(json.dumps({"file": str(path), **numbers}))
        else:
            verdict = ", all legal" if games and not reader.bad else ""
            print(f"{path}: {counted(games, 'game')}, {counted(moves, 'move')}{verdict}{_left_out(reader)}")
    if bad:
        raise typer.Exit(1)


@app.command()
def stats(
    files: _Files,
    game: _Game = "draughts",
    tolerant: _Tolerant = False,
    encoding: _Encoding = "utf-8",
    as_json: _Json = False,
) -> None:
    """Count games, results, lengths and first moves."""
    for path in files:
        found = Statistics()
        with _reader(path, encoding, tolerant, game) as reader:
            for record in reader:
                found.add(record, reader.kind)
        if as_json:
            print(json.dumps({"file": str(path), **found.numbers(), "skipped": reader.skipped, "bad": reader.bad}))
        else:
            print(f"{path}: {found.text()}{_left_out(reader)}")


_UNFINISHED = "without a result", "has no result, which training data need", "such"
_OTHER = "of other games", "training data hold English draughts only", "other"
"""What is left out of training data, why, and which games --tolerant therefore skips."""


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(help="The PDN file to read.")],
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    to: Annotated[Literal["pdn", "training"], typer.Option(help="PDN, or NeuroDraughts' training data.")] = "pdn",
    drop_draws: Annotated[bool, typer.Option("--drop-draws", help="Leave out drawn games.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Leave out comments, marks, glyphs and variations.")] = False,
    force: options.Force = False,
    game: _Game = "draughts",
    tolerant: _Tolerant = False,
    encoding: _Encoding = "utf-8",
) -> None:
    """Rewrite a file as PDN 3.0 (UTF-8, shortest captures, tag GameType), or as NeuroDraughts' training data.

    Training data contain the boards after each side's moves and the winner, so games must have a result.
    """
    options.require_new(target, force)
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    games = draws = 0
    unfit: Counter[str] = Counter()
    try:
        with _reader(source, encoding, tolerant, game) as reader, part.open("x", encoding="utf-8") as written:
            for record in reader:
                if drop_draws and record.finished and record.outcome.winner is None:
                    draws += 1
                elif to == "training" and (reader.kind.number != ENGLISH or not record.finished):
                    what, why, such = _OTHER if reader.kind.number != ENGLISH else _UNFINISHED
                    reason = f"{source}, game {record.number}: {why}"
                    if not tolerant:
                        raise GameforgeError(f"{reason}; --tolerant skips {such} games")
                    _print_error(reason)
                    unfit[what] += 1
                else:
                    written.write(_training(record) if to == "training" else _pdn(reader.kind, record, plain))
                    games += 1
        os.replace(part, target)
    except OSError as error:
        raise GameforgeError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    more = ((draws, "drawn and dropped"), *((unfit[what], what) for what, _, _ in (_UNFINISHED, _OTHER)))
    print(f"{target}: {counted(games, 'game')}{_left_out(reader, *more)}")


def _pdn(kind: PdnGame, game: GameRecord, plain: bool) -> str:
    if plain:
        game = attrs.evolve(game, annotations=Annotations(tags=game.annotations.tags))
    return pdn_text(game, kind) + "\n"


def _training(game: GameRecord) -> str:
    play = Game(Draughts()).play
    states = itertools.accumulate(game.codes, play, initial=game.start)
    return training_text(training_game(itertools.islice(states, 1, None), game.outcome.winner))


def _left_out(reader: Archive, *more: tuple[int, str]) -> str:
    """Return the numbers of games that were left out, as text to append."""
    counts = ((reader.skipped, "skipped"), (reader.bad, "bad"), *more)
    return "".join(f"; {n:,} {what}" for n, what in counts if n)


FIRST_MOVES = {
    "9-13": "Edinburgh",
    "9-14": "Double Corner",
    "10-14": "Denny",
    "10-15": "Kelso",
    "11-15": "Old Faithful",
    "11-16": "Bristol",
    "12-16": "Dundee",
}
"""Names of the seven first moves of English draughts, from the table of openings in [KimCho2007]."""


@attrs.define
class Statistics:
    """Counts over games."""

    results: Counter[str] = attrs.field(factory=Counter)
    """Numbers of games by the name of the winner, `drawn` or `unknown`."""
    kinds: Counter[str] = attrs.field(factory=Counter)
    """Numbers of games by the name of the game."""
    first_moves: Counter[str] = attrs.field(factory=Counter)
    """First moves of the games that begin at the initial position."""
    plies: int = 0
    """Plies of the main lines."""
    fewest: int | None = None
    most: int = 0
    set_up: int = 0
    """Number of games that begin at another position."""
    comments: int = 0
    variations: int = 0

    def add(self, game: GameRecord, kind: PdnGame) -> None:
        moves, winner = game.codes, game.outcome.winner
        result = "unknown" if not game.finished else "drawn" if winner is None else kind.sides[winner]
        self.results[result] += 1
        self.kinds[kind.rules.name] += 1
        self.plies += len(moves)
        self.fewest = len(moves) if self.fewest is None else min(self.fewest, len(moves))
        self.most = max(self.most, len(moves))
        if game.start != kind.start:
            self.set_up += 1
        elif moves:
            self.first_moves[kind.line_texts(game.start, moves[:1])[0]] += 1
        self._count_notes(game.annotations)

    def _count_notes(self, notes: Annotations) -> None:
        self.comments += len(notes.comments)
        for lines in notes.variations.values():
            self.variations += len(lines)
            for line in lines:
                self.comments += bool(line.after)
                self._count_notes(line.annotations)

    @property
    def games(self) -> int:
        return self.results.total()

    def numbers(self) -> dict[str, int | dict[str, int] | None]:
        """Return all counts, for programs."""
        results = {name.lower(): self.results[name] for name in ("Black", "drawn", "White", "unknown")}
        figures = attrs.asdict(self, filter=lambda field, value: not isinstance(value, Counter))
        return {"games": self.games, **results, **figures, "first_moves": dict(self.first_moves.most_common())}

    def text(self) -> str:
        """Return all counts as text."""
        n = self.numbers()
        lines = [
            counted(self.games, "game"),
            f"  won by Black {n['black']:,}, by White {n['white']:,}, drawn {n['drawn']:,}, unknown {n['unknown']:,}",
            f"  plies {self.plies:,}: {self.plies / max(1, self.games):.1f} a game, "
            f"fewest {self.fewest or 0}, most {self.most}",
            f"  set up from a FEN {self.set_up:,}, comments {self.comments:,}, variations {self.variations:,}",
        ]
        if len(self.kinds) > 1:
            lines.append("  " + ", ".join(f"{name} {count:,}" for name, count in self.kinds.most_common()))
        for move, count in self.first_moves.most_common():
            name = FIRST_MOVES.get(move, "") if set(self.kinds) == {"draughts"} else ""
            lines.append(f"  {move:>6} {name:14}{count:9,} {100 * count / self.games:5.1f} %")
        return "\n".join(lines)
