"""Files of games."""

import random
import tempfile
from pathlib import Path

import attrs
import pytest
from gameforge_morris.notation import whole_text
from gameforge_morris.rules import Morris
from hypothesis import given
from hypothesis import strategies as st

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome

RULES = Morris()
GAME = gf.game("morris")
LOST = "W:Wa7,d7,g4:Bb2,d2,f4"
"""White closes a mill and wins."""


def games_of(text: str, path: Path, **options: object) -> list[GameRecord]:
    path.write_text(text, encoding="utf-8")
    return list(RULES.files.read_games(path, **options))  # type: ignore[arg-type]


def texts(game: GameRecord) -> list[str]:
    return [whole_text(move) for move in game.codes]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.mor"


def test_a_line_is_a_game(file: Path) -> None:
    first, second = games_of("# two games\nd6 f4 d2\n\n1. d6 f4 2. b6 b4 f6xf4 *\n", file)
    assert (texts(first), first.finished) == (["d6", "f4", "d2"], False)
    assert texts(second) == ["d6", "f4", "b6", "b4", "f6xf4"]


def test_a_game_of_several_lines_has_numbers(file: Path) -> None:
    turns = '[White "A"]\n[Result "1-0"]\n\n 1.    d6    f4\n 2.    b4    a1\n 3.    d2    g7  *\n'
    wrapped = '[White "B"]\n1. D6 f4 2. b4\na1 3. d2 {so\nfar}\n1/2-1/2\n'
    games = games_of(turns + wrapped + "1. d6 2. f4 3. b4\nd6 f4\n", file)
    assert [len(game.codes) for game in games] == [6, 5, 3, 2]
    assert [game.outcome.winner for game in games if game.finished] == [0, None]
    assert games[1].annotations.comments == {5: "so far"}


def test_a_file_of_playok_has_numbers_of_points(file: Path) -> None:
    tags = '[Site "PlayOK"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
    [game] = games_of(f"{tags}1. 1 4 2. 2 5 3. 3x4 24\n4. 10 23 5. 22x23 4 1-0\n", file)
    assert " ".join(texts(game)) == "a7 b6 d7 d6 g7xb6 g1 a4 d1 a1xd1 b6"
    assert (game.players, game.outcome.winner) == (("A", "B"), 0)
    for tags in (f'[Position "{LOST}"]', f'[SetUp "1"]\n[FEN "{LOST}"]'):
        [moved] = games_of(f"{tags}\n1. 15-3x19 1-0", file)
        assert (texts(moved), moved.annotations.tags) == (["g4-g7xb2"], {})
    for wrong in ("1. 25 4", "1. 1 4 2. 0", "1. 1 4 2. 2x"):
        with pytest.raises(GameforgeError, match="is not a move, comment or result"):
            games_of(wrong, file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. d6 f4 3. b4 a1", "line 1: move 3: its number 3. is wrong; 2. must come here"),
        ("1. d6 f4\n3. b4 a1", "line 1: move 3: its number 3. is wrong; 2. must come here"),
        ("1. d6 f4 2. b4 3. a1 d2", "move 3: 2 moves before it have the number 1.|move 4: 1 moves before it"),
        ("[Position d6]\nd6 f4", r"line 1: '\[Position d6\]' is not a tag"),
        ('[SetUp "1"]\nd6 f4', "the tag SetUp announces a position, but there is no tag FEN"),
        ('[FEN "O*@*****/********/******** w p p 8 0 8 0"]\nd6 f4', "must begin with the side to move"),
        (f'[FEN "{LOST}"]\n[Position "W:Wa7+8:Bd7+8"]\ng4-g7xb2', "the tags Position and FEN set up two positions"),
    ],
)
def test_wrong_numbers_and_lost_tags_cost_the_game(text: str, message: str, file: Path) -> None:
    with pytest.raises(GameforgeError, match=message):
        games_of(text, file)
    assert games_of(text, file, tolerant=True, notice=lambda text: None) == []


@pytest.mark.parametrize("text", ["g4-g7xb2", "G4-g7xb2", "g4 - g7 x b2", "g4\u2013g7\u00d7b2", "g4g7xb2", "g4-g7:b2"])
def test_every_spelling_of_a_move(text: str, file: Path) -> None:
    [game] = games_of(f'[Position "{LOST}"]\n1. {text} 1-0', file)
    assert texts(game) == ["g4-g7xb2"]


def test_tags_comments_marks_and_results(file: Path) -> None:
    text = '[White "Ann \\"A\\""]\n[Reason "time"]\n{before} d6! {good} f4?! {a}{b} d2 0-1\n'
    (game,) = games_of(text, file)
    assert dict(game.annotations.tags) == {"White": 'Ann "A"'}
    assert dict(game.annotations.comments) == {0: "before", 1: "good", 2: "a b"}
    assert dict(game.annotations.marks) == {0: "!", 1: "?!"}
    assert game.outcome == Outcome(1, "time")


def test_variations_and_glyphs_are_read_and_written(file: Path) -> None:
    text = "1. d6 f4 $2 (1... b4 {closer} 2. f4\n(2. f6! c5)) {back} 2. b6 {:-(\nso} b4 0-0\nd6 f4\n"
    game, other = games_of(text, file)
    assert (texts(game), texts(other)) == (["d6", "f4", "b6", "b4"], ["d6", "f4"])
    notes = game.annotations
    assert (notes.tags, notes.comments, notes.glyphs) == ({"Result": "0-0"}, {3: ":-( so"}, {1: (2,)})
    [line] = notes.variations[1]
    assert ([whole_text(move) for move in line.moves], line.annotations.comments) == (["b4", "f4"], {1: "closer"})
    assert line.after == "back"
    [inner] = line.annotations.variations[1]
    assert [whole_text(move) for move in inner.moves] == ["f6", "c5"]
    assert games_of(RULES.files.game_text(game), file) == [game]


@pytest.mark.parametrize("result", ["1-0", "*", ""])
def test_a_game_that_the_rules_end(result: str, file: Path) -> None:
    (game,) = games_of(f'[Position "{LOST}"]\ng4-g7xb2 {result}', file)
    assert game.outcome == Outcome(0, "fewer than three men")


def test_a_draw_by_repetition_ends_a_game_without_result(file: Path) -> None:
    position = '[Position "W:Wa7,d1,g4,c5:Bb4,d2,f4,c3"]\n'
    drawn, going_on = games_of(f"{position}{'a7-d7 b4-b6 d7-a7 b6-b4'}\n{position}a7-d7 b4-b6 d7-a7 b6-b4 *", file)
    assert (drawn.outcome.winner, drawn.outcome.reason) == (None, "repetition")
    assert not going_on.finished


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d6 d6", "line 1: move 2: 'd6' is not legal in"),
        ("d6 d4", "line 1: move 2: 'd4': d4 is not a point of the board"),
        ("d6 hello", "line 1: move 2: 'hello' is not a move, comment or result"),
        ("d6 1-0 f4", "'f4' follows the result; each game must be on its own line"),
        (f'[Position "{LOST}"]\ng4-g7xb2 d2-b2', "line 2: move 2: 'd2-b2' cannot be played in .* the game is over"),
        (f'[Position "{LOST}"]\ng4-g7xb2 0-1', "the result is 0-1, but White has won"),
        (f'[Position "{LOST}"]\ng4-g7', "may mean g4-g7xf4, g4-g7xd2, g4-g7xb2"),
        ('[Position "nonsense"]\nd6', "must begin with the side to move"),
        ("d6 (f4", "line 1: the variation after move 1 is never closed"),
        ("d6 f4) b6", "line 1: move 3: there is no variation to close"),
        ("(d6) f4", "line 1: '\\(' does not follow a move"),
        ("$1 d6", "line 1: '\\$1' does not follow a move"),
        ("d6 f4 (d6)", "line 1: move 2: 'd6' is not legal in"),
        ("d6 (f4 1-0", "'1-0' stands in a variation that is never closed"),
        ("[White Ann]\nd6", "line 1: '\\[White Ann\\]' is not a tag"),
    ],
)
def test_games_that_are_refused(text: str, message: str, file: Path) -> None:
    with pytest.raises(GameforgeError, match=message) as error:
        games_of(text, file)
    assert str(error.value).startswith(str(file))
    assert "\n" not in str(error.value)


def test_a_tolerant_reader_skips_bad_games(file: Path) -> None:
    notices: list[str] = []
    (game,) = games_of("d6 d6\nd6 f4\n", file, tolerant=True, notice=notices.append)
    assert texts(game) == ["d6", "f4"]
    assert [notice.startswith(f"left out: {file}, line 1: move 2") for notice in notices] == [True]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [(b"\xff", {}, "is not utf-8 text"), (b"d6", {"encoding": "klingon"}, "unknown encoding 'klingon'")],
)
def test_files_that_cannot_be_read(content: bytes, options: dict[str, str], message: str, file: Path) -> None:
    file.write_bytes(content)
    with pytest.raises(GameforgeError, match=message):
        list(RULES.files.read_games(file, **options))  # type: ignore[arg-type]
    with pytest.raises(GameforgeError, match="cannot read"):
        list(RULES.files.read_games(file.with_name("missing.mor")))


@given(st.integers(0, 2**32), st.text(max_size=30), st.booleans())
def test_what_is_written_is_read_back(seed: int, name: str, finished: bool) -> None:
    rng = random.Random(seed)
    state, moves = RULES.initial(), []
    for _ in range(rng.randrange(40)):
        legal = GAME.legal(state)
        if not legal:
            break
        moves.append(rng.choice(legal))
        state = GAME.play(state, moves[-1])
    finished = finished and bool(GAME.legal(state))
    white = " ".join(name.split())
    game = GameRecord(
        players=(white, ""),
        start=RULES.initial(),
        moves=tuple(moves),
        outcome=Outcome(None, "agreed") if finished else Outcome.UNFINISHED,
        annotations=Annotations(tags={"White": white}, comments={0: "a"}),
    )
    with tempfile.TemporaryDirectory() as folder:
        (again,) = games_of(RULES.files.game_text(game), Path(folder) / "games.mor")
    if not GAME.legal(state):
        game = attrs.evolve(game, outcome=again.outcome)
    assert again == game


def test_a_file_is_analysed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("d6 f4 b6 b4 d2 *\n")
    assert run(["analyze", str(file), "--player", "alphabeta:depth=2 + material", "--oracle", "none"]) == 0
    assert "b4" in capsys.readouterr().out
