"""Readers of the files and texts of games: PDN, transcripts, WTHOR, positions, moves, boards, nets, problems."""

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

from fuzzing import Reader
from gameforge_draughts.files import board_openings, is_board_file, training_game, training_text
from gameforge_neurodraughts.network import read_network
from gameforge_neurodraughts.settings_files import is_creation_file, read_creation, read_features
from gameforge_othello.solver import read_problems
from neurodraughts_examples import BOARDS, CREATION, network_of
from test_othello_files import GGF, SGF, SHORTEST, wthor
from test_trace_files import PLAYTHROUGH, TRACES

import gameforge as gf
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.play.game import Game
from gameforge.records.game_records import finished_games, game_writer, read_games
from gameforge.records.trace_files import TraceFiles

_PDN = """[Event "one"]
[GameType "21"]
[Result "1-0"]

1. 11-15 {a comment} 23-19 2. 8-11 $1 (2. 9-14 22-17 {no}) 22-17 3. 9-13! ; to the end of the line
17-14 4. 10x17 21x14 1-0

[FEN "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29"]

1. 22-26 15-19 *
"""
_KINDS = """[Event "pool"]
[GameType "23"]
[Result "0-0"]

1. 11\u201315 22-18 2. 15x22 25x18 {so} (25x 18 3. 8-11) {and so} 1+ - 1-

[GameType "97"]
[FEN "W:W46,47,48,49,50:B1,2,3,4,5:H0:F1:+0+0"]
1. 47-41 4-
9 2. ... 1/2

[Event "no type"]
1. 32-28 18-23 2. 38-32 12-18 3. 31-27 07-12 \u00bd

[GameType "25"]
1. C3-B4 B6-A5 2. B4-C5 D6:B4 3. A3:C5 C7-B6 *

[GameType "21"]
[FEN "B:W9,10,17,18,21:B5,6,11"]
1. 6x22 17-14 * 1-0

Words of the editor, 1-2-1999
(and more)
\ufeff[White-Elo "the "best""]
1. 11-15* 23-19 (a good one) 2. 8-11 10-0 (time) {x}
1. 9-13; 22-18
22-18* 0 : 12
"""
_TURNS = """[White "A"]
[Result "1-0"]

 1.    d6    f4 $2 (1... b4 {or} 2. f4
(2. f6!)) {so}
 2. b4 {a
b}   a1
 3.    d2    g7  0-0

[Site "PlayOK"]
[SetUp "1"]
[FEN "W:W+9:B+9"]
1. 1 4 2. 2 5
3. 3x4 24 *
"""
_BOARDS = (
    "..." * 9
    + "OX"
    + "-" * 6
    + "XO"
    + "-" * 27
    + " X f5d6 {a} c3 $1 (c4 {or} d3); G8:+18;\n% a remark\n"
    + "--------\n" * 3
    + "---OX---\n---XO---\n"
    + "--------\n" * 3
    + "Black\n1. f5 d6\n2. c3 d3 *\n"
)
_PROBLEM = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X; G8:+18; A1:-4;\n% a remark\n"


def _played(game: Game, rng: random.Random, plies: int) -> GameRecord:
    state, moves = game.rules.initial(), []
    start = state
    for _ in range(plies):
        legal = game.legal(state)
        if game.code(state, len(legal)):
            break
        moves.append(rng.choice(legal))
        state = game.play(state, moves[-1])
    comments = {after: text for after, text in {0: "a", 2: "b {x"}.items() if after <= len(moves)}
    marks = {1: "?!"} if len(moves) > 1 else {}
    notes = Annotations(tags={"Event": "some", "Date": "1990"}, comments=comments, marks=marks)
    return GameRecord(start=start, moves=tuple(moves), outcome=Outcome.UNFINISHED, annotations=notes)


def _games_of(name: str) -> list[Reader]:
    """Readers of everything that the rules of a game read: files of games, positions, moves."""
    game = gf.game(name)
    assert game.files is not None
    suffix = game.files.suffix

    def make_games(folder: Path) -> None:
        rng = random.Random(1)
        text = game_writer(game)
        extra = {"draughts": _PDN, "othello": f"{SHORTEST}\n"}.get(name, "")
        (folder / f"some{suffix}").write_text(extra + "\n".join(text(_played(game, rng, n)) for n in (0, 9, 200)))

    def read_all(folder: Path) -> None:
        assert game.files is not None
        path = folder / f"some{suffix}"
        notices: list[str] = []
        tolerated = list(game.files.read_games(path, tolerant=True, notice=notices.append))
        write = game_writer(game)
        for record in tolerated:
            write(record)
        with contextlib.suppress(gf.GameforgeError):
            list(finished_games(path, game))
        list(game.files.read_games(path, notice=notices.append))

    def make_positions(folder: Path) -> None:
        rng = random.Random(2)
        lines = []
        for plies in (0, 3, 20, 60):
            record = _played(game, rng, plies)
            state = record.start
            for move in record.codes:
                state = game.play(state, move)
            legal = game.legal(state)
            moves = [game.move_text(state, move, legal) for move in legal[:2]]
            lines.append("\t".join([game.position_text(state), *moves]))
        (folder / "positions.txt").write_text("\n".join(lines) + "\n")

    def read_positions(folder: Path) -> None:
        lines = (folder / "positions.txt").read_bytes().decode(errors="replace").split("\n")
        for line in lines:
            text, *moves = line.split("\t")
            with contextlib.suppress(gf.GameforgeError):
                position = game.position(text)
                str(position), position.outcome, position.legal_moves
                if game.drawing is not None:
                    game.drawing.svg(position.state)
                for move in moves:
                    with contextlib.suppress(gf.GameforgeError):
                        position.play(move)

    return [
        Reader(name=f"{name} games", make=make_games, read=read_all),
        Reader(name=f"{name} positions", make=make_positions, read=read_positions),
    ]


def _text(name: str, text: str, read: Callable[[Path], object]) -> Reader:
    """A reader of one text file."""

    def make(folder: Path) -> None:
        (folder / "some.txt").write_text(text)

    return Reader(name=name, make=make, read=lambda folder: read(folder / "some.txt"), share=0.5)


def _games(name: str, suffix: str, text: str) -> Reader:
    """A reader of one file of games, whichever its format: all games that the file holds, then those of this game."""

    def make(folder: Path) -> None:
        (folder / f"some{suffix}").write_text(text, encoding="utf-8")

    def read(folder: Path) -> None:
        path, game = folder / f"some{suffix}", gf.game(name)
        for mine in (None, game):
            for found, record in read_games(path, mine, tolerant=True, notice=lambda _: None):
                game_writer(found)(record)
        list(read_games(path, notice=lambda _: None))

    return Reader(name=f"{name} {suffix}", make=make, read=read, share=0.5)


def _make_wthor(folder: Path) -> None:
    (folder / "some.wtb").write_bytes(wthor((SHORTEST, 64), ("f5d6c3", 20)))
    for suffix, size in ((".jou", 20), (".trn", 26)):
        (folder / f"some{suffix}").write_bytes(wthor() + b"".join(f"{n}".encode().ljust(size, b"\0") for n in range(9)))


def _read_wthor(folder: Path) -> None:
    files = gf.game("othello").files
    assert files is not None
    list(files.read_games(folder / "some.wtb", tolerant=True, notice=lambda text: None))
    list(files.read_games(folder / "some.wtb"))


def _traces(path: Path) -> None:
    files = TraceFiles(gf.game("othello").rules)
    list(files.read_games(path, tolerant=True, notice=lambda text: None))
    list(files.read_games(path))


def _board_file(path: Path) -> None:
    if is_board_file(path):
        board_openings(path)


def _creation_file(path: Path) -> None:
    is_creation_file(path)
    read_creation(path)


def _training_text() -> str:
    game = gf.game("draughts")
    record = _played(game, random.Random(3), 30)
    states, state = [], record.start
    for move in record.codes:
        state = game.play(state, move)
        states.append(state)
    return training_text(training_game(states, 1)) * 2


def _training_file(path: Path) -> None:
    list(finished_games(path, gf.game("draughts")))


FORMATS = [
    *(_games_of(name)[0] for name in ("draughts", "othello", "morris")),
    _games("draughts", ".pdn", _KINDS),
    _games("othello", ".ggf", GGF * 2),
    _games("othello", ".sgf", SGF),
    _games("othello", ".pos", _BOARDS),
    _games("morris", ".mor", _TURNS),
    Reader(name="WTHOR", make=_make_wthor, read=_read_wthor),
]
"""Every format of games."""
READERS = [
    *FORMATS,
    *(_games_of(name)[1] for name in ("draughts", "othello", "morris")),
    _text("problems of Othello", _PROBLEM, lambda path: list(read_problems(path))),
    _text("network file", network_of(6, 3), read_network),
    _text("creation file", CREATION, _creation_file),
    _text("feature file", "PieceAdvantage 4\nPieceDisadvantage 4\nPieceThreat 0\n", read_features),
    _text("board file", BOARDS, _board_file),
    _text("training file", _training_text(), _training_file),
    _text("trace file", PLAYTHROUGH + TRACES, _traces),
]
