"""The writer of PDN: games are read back as they were."""

import io
from pathlib import Path

import attrs
import pytest
from gameforge_draughts.board import START
from gameforge_draughts.pdn.draft import plain_comment
from gameforge_draughts.pdn.games import Line, Note, annotations_of, notes_of, outcome_of_result, pdn_text
from gameforge_draughts.pdn.reader import Archive
from gameforge_draughts.pdn.tokens import open_pdn
from hypothesis import given
from hypothesis import strategies as st
from pdn_texts import KIND, RULES, one, one_noted

from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome, State
from gameforge.play.game import Game

GAME = Game(RULES)

_comments = st.lists(st.text('ab {}()[]%;"\\\n*1-0é', max_size=30), max_size=2).map(tuple)
_tags = st.dictionaries(
    st.sampled_from(["Event", "Black", "White", "Note"]), st.text('ab  "\\[]{};%é', max_size=12), max_size=3
)


@st.composite
def lines(draw: st.DrawFn, state: State = START, depth: int = 2) -> Line:
    """Legal moves with notes and variations."""
    moves: list[int] = []
    notes: dict[int, Note] = {}
    for i in range(draw(st.integers(1 if depth < 2 else 0, 12))):
        legal = GAME.legal(state)
        if not legal:
            break
        if draw(st.integers(0, 3)) == 0:
            notes[i] = Note(
                before=tuple(map(plain_comment, draw(_comments))) if i == 0 else (),
                marks=draw(st.sampled_from(["", "!", "?!"])),
                nags=tuple(draw(st.lists(st.integers(0, 255), max_size=2))),
                comments=tuple(map(plain_comment, draw(_comments))),
                variations=tuple(draw(st.lists(lines(state, depth - 1), max_size=1))) if depth else (),
            )
        moves.append(draw(st.sampled_from(legal)))
        state = GAME.play(state, moves[-1])
    return Line(tuple(moves), {i: note for i, note in notes.items() if note != Note()})


@given(lines(), _tags, st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
def test_what_is_written_is_read_back(line: Line, tags: dict[str, str], result: str) -> None:
    game = GameRecord(
        number=1,
        players=(tags.get("Black", ""), tags.get("White", "")),
        start=START,
        moves=line.moves,
        outcome=outcome_of_result(result),
        annotations=annotations_of(tags, line.notes),
    )
    text = pdn_text(game, line.notes, tags, KIND)
    assert one_noted(text) == (game, line.notes)
    again, notes = one_noted(text)
    assert pdn_text(again, notes, again.annotations.tags, KIND) == text


def test_notes_as_text() -> None:
    written = (
        '[Event "?"]\n[Result "*"]\n[GameType "21,B,8,8,N1,0"]\n\n'
        "{a} 1. 11-15! $1 {b} 1... 23-19 (1... 22-18 2. 15x22) 2. 8-11 22-17 *\n"
    )
    game, notes = one_noted(written)
    assert pdn_text(game, notes, game.annotations.tags, KIND) == written


def test_game_records_keep_their_variations() -> None:
    written = (
        '[Event "?"]\n[Black "?"]\n[White "?"]\n[Result "*"]\n[GameType "21,B,8,8,N1,0"]\n\n'
        "1. 11-15! 23-19 {b} (1... 22-17 2. 15-19? {c} (2. 9-13)) 2. 8-11 22-17 *\n"
    )
    assert RULES.files.game_text(one(written)) == written


def test_game_records_keep_their_annotations() -> None:
    moves = tuple(one("1. 11-15 23-19 2. 8-11 *").moves)
    said = Annotations(tags={"Event": "x"}, comments={0: "a", 1: "b"}, marks={0: "?", 2: "!"})
    game = GameRecord(start=START, moves=moves, outcome=Outcome(1, ""), annotations=said)
    assert annotations_of(said.tags, notes_of(game)) == said
    tags = {"Event": "x", "Black": "?", "White": "?"}
    assert one(RULES.files.game_text(game)) == attrs.evolve(
        game, number=1, players=("?", "?"), annotations=attrs.evolve(said, tags=tags)
    )


@pytest.mark.parametrize(
    "name",
    ["acf_4000", "pdn_corpus/OCA_2.0", "pdn_corpus/Principles of Strategy", "pdn_corpus/bridges", "pdn_corpus/gem"],
)
def test_real_files_read_written_and_read_again_are_the_same(shared: Path, name: str) -> None:
    def left_out(notice: str) -> None:
        """One game of bridges.pdn has no position."""

    with open_pdn(shared / "data" / "games" / f"{name}.pdn") as stream:
        games = [
            game for game, _ in zip(Archive(KIND, stream, name, left_out, tolerant=True), range(300), strict=False)
        ]
    text = "\n".join(pdn_text(game, notes, game.annotations.tags, KIND) for game, notes in games)
    again = list(Archive(KIND, io.StringIO(text), name, print))
    assert again == [(attrs.evolve(game, number=i), notes) for i, (game, notes) in enumerate(games, 1)]
