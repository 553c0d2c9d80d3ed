"""Games as lines of moves: our own lines, and playthroughs and match traces as OpenSpiel's programs write them."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from toy_site import TOY, registry, shuttle

import gameforge as gf
from gameforge.arena.match_folder import read_match
from gameforge.cli import main as cli
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome, State
from gameforge.records.game_records import game_of_file
from gameforge.records.trace_files import TraceFiles

OTHELLO = gf.game("othello")
FILES = TraceFiles(OTHELLO.rules, lambda name: name == "othello")
SHORTEST = "e6 f4 e3 f6 g5 d6 e7 f5 c5"
"""Black takes all discs with the ninth move."""
PLAYTHROUGH = "\n".join(
    [
        "game: othello",
        "",
        'GameType.long_name = "Othello"',
        "# State 0",
        "IsTerminal() = False",
        "Returns() = [0, 0]",
        *(f'# Apply action "{word}"\naction: 1' for word in SHORTEST.split()),
        "IsTerminal() = True",
        "Returns() = [1, -1]",
    ]
)

TRACES = f"""
Returns: 1.0 -1.0 , Game actions: {SHORTEST}
[2026-11-22 10:00:00.000] Game 7: Returns: 1.0 -1.0; Actions: {SHORTEST}
match 1: a - b; start {OTHELLO.position().fen}; {SHORTEST}; Black wins (no moves left)
"""


def read(tmp_path: Path, text: str, files: TraceFiles = FILES) -> list[GameRecord]:
    path = tmp_path / "games.txt"
    path.write_text(f"{text}\n")
    return list(files.read_games(path))


@pytest.mark.parametrize(
    "text",
    [PLAYTHROUGH, *TRACES.strip().splitlines()],
)
def test_a_game(text: str, tmp_path: Path) -> None:
    (game,) = read(tmp_path, text)
    assert len(game.codes) == 9
    assert game.outcome == Outcome(0, "no moves left")


def test_a_log_with_several_games_and_other_lines(tmp_path: Path) -> None:
    line = f"Returns: 1.0 -1.0 , Game actions: {SHORTEST}"
    games = read(tmp_path, f"Players: mcts random\n{line}\n{PLAYTHROUGH}\n{PLAYTHROUGH}\n{line}\nOverall wins [2, 0]")
    assert [len(game.codes) for game in games] == [9] * 4


def test_a_playthrough_that_was_cut_off_is_unfinished(tmp_path: Path) -> None:
    (game,) = read(tmp_path, "\n".join(PLAYTHROUGH.splitlines()[:10]))
    assert game.outcome == Outcome.UNFINISHED
    assert len(game.codes) == 2


def test_a_result_that_the_rules_do_not_know_is_kept(tmp_path: Path) -> None:
    """A player may have given up."""
    (game,) = read(tmp_path, "Game 1: Returns: -1.0 1.0; Actions: f5 d6")
    assert game.outcome.winner == 1


def test_openspiel_may_number_the_second_mover_0(tmp_path: Path) -> None:
    (game,) = read(tmp_path, "Game 1: Returns: -1.0 1.0; Actions: f5 d6", TraceFiles(OTHELLO.rules, movers=(1, 0)))
    assert game.outcome.winner == 0


def test_a_forced_pass_may_be_left_out(tmp_path: Path) -> None:
    rng = random.Random(1)
    position, words = OTHELLO.position(), list[str]()
    while str(position.legal_moves[0]) != "pass":
        words.append(str(rng.choice(position.legal_moves)))
        position = position.play(words[-1])
        if position.outcome is not None:
            position, words = OTHELLO.position(), []
    after = position.play("pass").legal_moves[0]
    (game,) = read(tmp_path, f"Game 1: Returns: 0 0; Actions: {' '.join(words)} {after}")
    assert len(game.codes) == len(words) + 2
    assert game.codes[-2:] == (position.codes[0], after.code)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    position = OTHELLO.position().play("f5")
    for outcome in (Outcome(1, "time"), Outcome(None, "agreed"), Outcome.UNFINISHED):
        moves = (position.legal_moves[0].code,)
        record = GameRecord(start=position.state, moves=moves, outcome=outcome, players=("a - b; c", "d: e"))
        (again,) = read(tmp_path, FILES.game_text(record).rstrip())
        assert (again.start, again.codes, again.outcome, again.players) == (
            record.start, record.codes, record.outcome, record.players,
        )  # fmt: skip


class Spaced(type(OTHELLO.rules)):  # type: ignore[misc]
    """Othello whose moves are written as file and rank, `f 5`."""

    notation: ClassVar = property(lambda self: self)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return " ".join(OTHELLO.move_text(state, move, legal))

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        return OTHELLO.parse_move(state, text.replace(" ", ""), legal)


def test_moves_may_have_spaces(tmp_path: Path) -> None:
    files = TraceFiles(Spaced())
    (game,) = read(tmp_path, TRACES.splitlines()[-1])
    text = files.game_text(game)
    assert "; f_5 d_6 " in text or "; e_6 f_4 " in text
    (again,) = read(tmp_path, text, files)
    assert again.codes == game.codes


class TestOfGamesWithoutAFormatOfTheirOwn:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A match of a game that has no files."""
        player = gf.player("shuttle", registry=registry(), searcher="greedy", evaluator="linear", features="lanes")
        gf.match(player, player, games=6, openings=3, out=tmp_path / "m", progress=False)
        return tmp_path / "m"

    def test_they_are_read_back(self, folder: Path) -> None:
        played = read_match(folder).games
        again = gf.load_games(folder / "games.trace", shuttle())
        assert [(one.start, one.codes, one.outcome.winner) for one in again] == [
            (one.start, one.codes, one.outcome.winner) for one in played
        ]

    def test_they_are_replayed(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("builtins.input", lambda prompt="": "quit")
        assert cli.run(["--plugin", str(TOY), "replay", str(folder), "--number", "2", "--ply", "1"]) == 0
        assert "player - player\n" in capsys.readouterr().out

    def test_no_game_is_inferred_from_their_suffix(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="cannot infer the game for"):
            game_of_file(Path("games.trace"), registry())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no games"),
        ("nothing of the kind", "has no games"),
        ("game: chess", "line 1: a playthrough of chess, which is another game"),
        ("\nReturns: 1 -1 , Game actions: f5 a1", "line 2: move 2: 'a1' is not legal; legal: "),
        (f"Returns: 1 -1 , Game actions: {SHORTEST} a1", "'a1' follows move 9, which ended the game: no moves left"),
        (f"Returns: 0 0 , Game actions: {SHORTEST}", "the result is a draw, but by the rules a win of Black"),
        (f"m: a - b; start {OTHELLO.position().fen}; f5; red wins", "'red wins' is not a result"),
        ("m: a - b; start nowhere; f5; draw", "diagram 'nowhere'"),
    ],
)
def test_a_file_that_is_none_is_explained(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(GameforgeError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)
    assert str(tmp_path / "games.txt") in str(caught.value)


def test_a_bad_game_may_be_left_out(tmp_path: Path) -> None:
    path, notices = tmp_path / "games.txt", list[str]()
    path.write_text(f"Returns: 1 -1 , Game actions: a1\nReturns: 1 -1 , Game actions: {SHORTEST}\n")
    assert len(list(FILES.read_games(path, tolerant=True, notice=notices.append))) == 1
    assert len(notices) == 1


@pytest.mark.parametrize("part", [": ", " - ", "; start ", "; ", "; a wins ("])
def test_lines_that_repeat_themselves_are_refused_in_time(part: str, tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match="has no games"):
        read(tmp_path, f"a: b - c{part * 5_000}; x")
