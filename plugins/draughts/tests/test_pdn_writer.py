"""The writer of PDN: games are read back as they were."""

import itertools
from pathlib import Path

import attrs
import pytest
from gameforge_draughts.files import Archive
from gameforge_draughts.movegen import START
from gameforge_draughts.pdn import outcome_of_result, pdn_text
from gameforge_draughts.pdn_drafts import plain_comment
from gameforge_draughts.pdn_parsing import open_pdn
from hypothesis import given
from hypothesis import strategies as st
from pdn_texts import KIND, RULES, one, read

from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome, State
from gameforge.play.game import Game

GAME = Game(RULES)

_comments = st.text('ab {}()[]%;"\\\n*1-0é', max_size=30).map(plain_comment)
_tags = st.dictionaries(
    st.sampled_from(["Event", "Black", "White", "Note"]), st.text('ab  "\\[]{};%é', max_size=12), max_size=3
)


@st.composite
def lines(draw: st.DrawFn, state: State = START, depth: int = 2) -> Variation:
    """Legal moves with annotations and variations."""
    moves: list[int] = []
    comments: dict[int, str] = {}
    marks: dict[int, str] = {}
    glyphs: dict[int, tuple[int, ...]] = {}
    variations: dict[int, tuple[Variation, ...]] = {}
    for i in range(draw(st.integers(1 if depth < 2 else 0, 12))):
        legal = GAME.legal(state)
        if not legal:
            break
        if draw(st.integers(0, 3)) == 0:
            comments |= {0: draw(_comments)} if i == 0 else {}
            comments[i + 1] = draw(_comments)
            marks[i] = draw(st.sampled_from(["", "!", "?!"]))
            glyphs[i] = tuple(draw(st.lists(st.integers(0, 255), max_size=2)))
            variations[i] = tuple(draw(st.lists(lines(state, depth - 1), max_size=2))) if depth else ()
        moves.append(draw(st.sampled_from(legal)))
        state = GAME.play(state, moves[-1])
    kept = Annotations(
        comments={i: text for i, text in comments.items() if text},
        marks={i: text for i, text in marks.items() if text},
        glyphs={i: numbers for i, numbers in glyphs.items() if numbers},
        variations={i: found for i, found in variations.items() if found},
    )
    return Variation(moves=tuple(moves), annotations=kept, after="" if depth == 2 else draw(_comments))


@given(lines(), _tags, st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "0-0", "adjourned"]))
def test_what_is_written_is_read_back(line: Variation, tags: dict[str, str], result: str) -> None:
    kept = {"Result": result} if result in ("0-0", "adjourned") else {}
    game = GameRecord(
        number=1,
        players=(tags.get("Black", ""), tags.get("White", "")),
        start=START,
        moves=line.moves,
        outcome=outcome_of_result(result),
        annotations=attrs.evolve(line.annotations, tags=tags | kept),
    )
    text = pdn_text(game, KIND)
    assert one(text) == game
    assert pdn_text(one(text), KIND) == text


def test_notes_as_text() -> None:
    written = (
        '[Event "?"]\n[Result "*"]\n[GameType "21,B,8,8,N1,0"]\n\n'
        "{a} 1. 11-15! $1 {b} 1... 23-19 (1... 22-18 2. 15x22) {c} 2. 8-11 22-17 *\n"
    )
    assert pdn_text(one(written), KIND) == written


def test_game_records_keep_their_variations() -> None:
    written = (
        '[Event "?"]\n[Black "?"]\n[White "?"]\n[Result "*"]\n[GameType "21,B,8,8,N1,0"]\n\n'
        "1. 11-15! 23-19 {b} (1... 22-17 2. 15-19? {c} (2. 9-13)) 2. 8-11 22-17 *\n"
    )
    assert RULES.files.game_text(one(written)) == written


def test_game_records_keep_their_annotations() -> None:
    moves = tuple(one("1. 11-15 23-19 2. 8-11 *").codes)
    said = Annotations(tags={"Event": "x"}, comments={0: "a", 1: "b"}, marks={0: "?", 2: "!"})
    game = GameRecord(start=START, moves=moves, outcome=Outcome(1, ""), annotations=said)
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
        games = list(itertools.islice(Archive(KIND, stream, name, left_out, tolerant=True), 300))
    again, notices = read("\n".join(pdn_text(game, KIND) for game in games))
    assert again == [attrs.evolve(game, number=i) for i, game in enumerate(games, 1)]
    assert notices == []
