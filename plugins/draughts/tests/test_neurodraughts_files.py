"""NeuroDraughts' board files and training data."""

import json
from pathlib import Path

import pytest
from draughts_positions import positions
from gameforge_draughts.files import (
    codes_of_state,
    read_boards,
    read_training_games,
    state_of_codes,
    swapped,
    training_game,
    training_text,
)
from gameforge_draughts.movegen import START, STATE_WORDS
from gameforge_draughts.notation import parse_position
from gameforge_draughts.rules import Draughts
from hypothesis import given
from hypothesis import strategies as st

from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameBoards
from gameforge.interfaces.rules import State
from gameforge.play.game import Game

START_CODES = "1" * 12 + "0" * 8 + "2" * 12
SPACED = " ".join(START_CODES)
THESIS = f"2\n{SPACED} -0.1 +0.1 4\n0004{'0' * 20}3{'0' * 7} -0.5 +0.5 3\n"
"""The example of [Lynch1997], section 9.1; its second board is garbled, so here it has a black king."""


def test_codes_of_the_initial_position() -> None:
    assert codes_of_state(START) == START_CODES
    assert state_of_codes(START_CODES, 0) == START
    assert swapped(START_CODES) == START_CODES
    assert state_of_codes("0" * 9 + "1" + "0" * 20 + "34", 1) == parse_position("W:WK32:B10,K31")


@given(positions())
def test_codes_and_state_are_the_same_position(state: State) -> None:
    codes = codes_of_state(state)
    assert state_of_codes(codes, state[2] >> 63) == state
    assert swapped(swapped(codes)) == codes


class TestBoardFiles:
    def test_the_example_of_the_thesis(self, tmp_path: Path) -> None:
        file = tmp_path / "boards.txt"
        file.write_text(THESIS)
        first, second = read_boards(file)
        assert (first.state, first.draw_black, first.draw_red, first.points_to_clone) == (START, -0.1, 0.1, 4)
        assert second.state == parse_position("B:WK4:BK25")
        assert (second.draw_black, second.draw_red, second.points_to_clone) == (-0.5, 0.5, 3)

    def test_a_match_begins_from_each_board_with_both_colours(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "boards.txt"
        file.write_text(THESIS)
        player = "minimax:depth=1 + material"
        asked = ["--game", "draughts", "--games", "4", "--openings", str(file), "--out", str(tmp_path / "m"), "--json"]
        assert run(["match", player, player, *asked]) == 0
        assert json.loads(capsys.readouterr().out)["games"] == 4
        games = (tmp_path / "m" / "games.pdn").read_text()
        assert games.count('[FEN "B:WK4:BK25"]') == 2
        assert games.count('"board 2"') == 2

    def test_other_files_of_openings_are_still_lines(self, tmp_path: Path) -> None:
        file = tmp_path / "lines.txt"
        file.write_text("9-13 22-18\n")
        assert Draughts().files.read_openings(file) is None

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("", "must begin with the number of its boards, not with ''"),
            ("0\n", "must begin with the number of its boards, not with '0'"),
            (f"2 {SPACED} 0 0 3", "board 2 of 2: the file ends after 0 of its 32 squares"),
            (f"1 {SPACED} 0 0 3 {SPACED} 0 0 3", "'1' follows the last of its boards, which number 1"),
            (f"1 {SPACED[:-2]} 0 0 3", "the reward of a draw with red = '3': must be"),
            (f"1 {'5' + SPACED[1:]} 0 0 3", "'5' is not the code of square 1, which must be a digit from 0 to 4"),
            (f"1 {START_CODES}0 0 0 3", "is not the code of square 1"),
            (f"1 {SPACED} -1.5 0 3", "the reward of a draw with black = '-1.5': must be a number from -1 to 1"),
            (f"1 {SPACED} 0 x 3", "the reward of a draw with red = 'x'"),
            (f"1 {SPACED} 0 nan 3", "the reward of a draw with red = 'nan'"),
            (f"1 {SPACED} 0 0 5", "the points to clone = '5': must be a number from 0 to 4"),
            (f"1 {SPACED} 0 0 2.5", "the points to clone = 2.5: must be an integer"),
            (f"1 {SPACED} 0 0", "the file ends before the points to clone"),
            (f"1 {'1' * 13 + '0' * 19} 0 0 3", "Black has 13 pieces; a side has at most 12"),
            (f"1 {'2' + '0' * 31} 0 0 3", "White has a man on the far row"),
        ],
    )
    def test_damage(self, text: str, sentence: str, tmp_path: Path) -> None:
        file = tmp_path / "boards.txt"
        file.write_text(text)
        with pytest.raises(GameforgeError) as error:
            read_boards(file)
        assert sentence in str(error.value)
        assert str(error.value).startswith(f"board file {file}")


PDN = """[Event "short"]
1. 9-14 22-18 2. 5-9 1-0

[Event "drawn"]
1. 11-15 23-19 1/2-1/2

[Event "set up"]
[FEN "W:W18,27:B9,K1"]
1. 18-14 9x18 0-1
"""


class TestTrainingData:
    def test_text(self) -> None:
        position = Game(Draughts()).position()
        after = [position := position.play(move) for move in ("9-14", "22-18", "5-9")]
        game = training_game((here.state for here in after), 0)
        assert game == GameBoards(((after[0].state, after[2].state), (after[1].state,)), 0)
        assert training_text(game) == (
            "NeuroDraughts Training Board!\nWho_Won? 1\nNumber_of_Black_Boards: 2\nNumber_of_Red_Boards: 1\n"
            "1 1 1 1 1 1 1 1 0 1 1 1 0 1 0 0 0 0 0 0 2 2 2 2 2 2 2 2 2 2 2 2\n"
            "1 1 1 1 0 1 1 1 1 1 1 1 0 1 0 0 0 2 0 0 2 0 2 2 2 2 2 2 2 2 2 2\n"
            # 22-18 is 11-15 turned; Black's man on 14 is a red one on 19
            "1 1 1 1 1 1 1 1 1 1 0 1 0 0 1 0 0 0 2 0 2 2 2 0 2 2 2 2 2 2 2 2\n"
        )

    @given(
        st.lists(
            st.tuples(st.lists(positions(), max_size=5), st.sampled_from([0, 1, None])),
            min_size=1,
            max_size=3,
        )
    )
    def test_what_is_written_is_read(
        self, tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[list[State], int | None]]
    ) -> None:
        games = [training_game(states, winner) for states, winner in drawn]
        file = tmp_path_factory.mktemp("data") / "games.txt"
        file.write_text("".join(map(training_text, games)))
        assert list(Draughts().files.read_boards(file)) == games

    def test_digits_may_be_joined_or_on_several_lines(self, tmp_path: Path) -> None:
        file = tmp_path / "games.txt"
        head = "NeuroDraughts Training Board!\nWho_Won? 3\nNumber_of_Black_Boards: 1\nNumber_of_Red_Boards: 1\n\n"
        file.write_text(head + START_CODES + "\n" + START_CODES[:16] + "\n" + START_CODES[16:] + "\n")
        (game,) = read_training_games(file)
        white_to_move = START[1], START[0], 1 << 63
        assert game == GameBoards(((white_to_move,), (START,)), None)
        assert all(len(state) == STATE_WORDS for side in game.boards for state in side)

    def test_convert(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        source, target = tmp_path / "games.pdn", tmp_path / "games.txt"
        source.write_text(PDN)
        assert run(["pdn", "convert", str(source), str(target), "--to", "training"]) == 0
        assert capsys.readouterr().out == f"{target}: 3 games\n"
        games = list(read_training_games(target))
        assert [(game.winner, *map(len, game.boards)) for game in games] == [(0, 2, 1), (None, 1, 1), (1, 1, 1)]
        assert games[2].boards[1] == (parse_position("B:W14,27:B9,K1"),)
        assert run(["pdn", "convert", str(source), str(target), "--to", "training", "--drop-draws", "--force"]) == 0
        assert capsys.readouterr().out == f"{target}: 2 games; 1 drawn and dropped\n"
        assert [game.winner for game in read_training_games(target)] == [0, 1]

    def test_a_game_without_a_result_is_not_training_data(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source, target = tmp_path / "games.pdn", tmp_path / "games.txt"
        source.write_text(PDN.replace("1/2-1/2", "*"))
        assert run(["pdn", "convert", str(source), str(target), "--to", "training"]) == 2
        assert f"error: {source}, game 2: has no result, which training data need" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == [source]
        assert run(["pdn", "convert", str(source), str(target), "--to", "training", "--tolerant"]) == 0
        assert capsys.readouterr().out == f"{target}: 2 games; 1 without a result\n"

    @pytest.mark.parametrize(
        ("old", "new", "sentence"),
        [
            ("NeuroDraughts Training Board!", "[Event]", "line 1: '[Event]' does not begin a game; must be"),
            ("Who_Won? 3", "Who_Won? 4", "line 2: 'Who_Won? 4': must be 'Who_Won?' and an integer from 1 to 3"),
            ("Who_Won? 3", "Who_Won?", "line 2: 'Who_Won?': must be"),
            ("Black_Boards: 1", "Black_Boards: 2", "the file ends before square 1 of a board"),
            ("Red_Boards: 1", "Red_Boards: 0", "line 6: '1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 ' does not begin"),
            ("2 2\n", "2 5\n", "is not a board; must be 32 digits from 0 to 4"),
            ("2 2\n", "2\n", "is not a board; must be 32 digits from 0 to 4"),
            ("0 0 0", "0 1 0", "line 5: Black has 14 pieces; a side has at most 12"),
        ],
    )
    def test_damage(self, old: str, new: str, sentence: str, tmp_path: Path) -> None:
        head = "NeuroDraughts Training Board!\nWho_Won? 3\nNumber_of_Black_Boards: 1\nNumber_of_Red_Boards: 1\n"
        file = tmp_path / "games.txt"
        file.write_text((head + f"{SPACED}\n" * 2).replace(old, new))
        with pytest.raises(GameforgeError) as error:
            list(read_training_games(file))
        assert str(error.value).startswith(f"training data {file}")
        assert sentence in str(error.value)

    def test_an_empty_file(self, tmp_path: Path) -> None:
        file = tmp_path / "games.txt"
        file.write_text("\n")
        with pytest.raises(GameforgeError, match="the file ends before a game"):
            list(read_training_games(file))

    def test_master_games(self, shared: Path, tmp_path: Path) -> None:
        """Every position of the archive's first games is in the file, as the reader of PDN finds it."""
        source = tmp_path / "some.pdn"
        archive = (shared / "data" / "games" / "acf_4000.pdn").read_text(encoding="latin-1")
        source.write_text("[Event ".join(archive.split("[Event ")[:51]))
        target = tmp_path / "games.txt"
        assert run(["pdn", "convert", str(source), str(target), "--to", "training"]) == 0
        rules = Draughts()
        play = Game(rules).play
        stored = list(rules.files.read_games(source))
        assert len(stored) == 50
        for pdn, game in zip(stored, rules.files.read_boards(target), strict=True):
            states = [state := pdn.start] + [state := play(state, move) for move in pdn.codes]
            assert game == training_game(states[1:], pdn.outcome.winner)
