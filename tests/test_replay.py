"""The command `gameforge replay`: stepping through games of files, runs and matches."""

from pathlib import Path

import pytest

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.cli.commands.replay import Stepping, games_file
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome

PDN = '[Black "A"]\n[White "B"]\n[Result "1-0"]\n[GameType "21"]\n1. 11-15 {solid} 22-18 2. 15x22! 25x18 1-0\n'


def stepping(said: list[str]) -> Stepping:
    game = gf.game("draughts")
    position = game.position()
    for move in ("11-15", "22-18", "15x22"):
        position = position.play(move)
    annotations = Annotations(comments={1: "solid"}, marks={2: "!"})
    record = GameRecord(
        start=position.start.state,
        moves=tuple(position.moves_played),
        outcome=Outcome(0, "resignation"),
        annotations=annotations,
    )
    return Stepping(game, record, say=said.append)


class TestStepping:
    def test_next_back_to_a_ply_and_to_the_ends(self) -> None:
        said: list[str] = []
        steps = stepping(said)
        for line, ply in (("", 1), ("n", 2), ("back", 1), ("3", 3), ("first", 0), ("l", 3)):
            steps.take(line)
            assert steps.ply == ply
        assert steps.prompt == "3 of 3> "

    def test_moves_comments_marks_and_the_result(self) -> None:
        said: list[str] = []
        steps = stepping(said)
        steps.take("next")
        assert said[-2:] == ["1. 11-15", "solid"]
        steps.take("last")
        assert said[-2:] == ["2. 15x22!", "Black wins: resignation"]
        steps.take("moves")
        assert said[-1] == "1. 11-15 22-18 2. 15x22!"

    def test_the_board_from_the_other_side(self) -> None:
        said: list[str] = []
        steps = stepping(said)
        steps.take("flip")
        assert "○32" in said[-1].splitlines()[0]

    @pytest.mark.parametrize(
        ("line", "message"),
        [("back", "this is the start"), ("4", "the game ends after 3 plies"), ("nxt", "did you mean 'next'")],
    )
    def test_errors_change_nothing(self, line: str, message: str) -> None:
        steps = stepping([])
        with pytest.raises(GameforgeError, match=message):
            steps.take(line)
        assert steps.ply == 0

    def test_quit(self) -> None:
        steps = stepping([])
        steps.take("q")
        assert steps.over


def replayed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    lines = iter(["last", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    assert cli.run(["replay", *arguments]) == 0
    return str(capsys.readouterr().out)


class TestCommand:
    def test_a_pdn_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "games.pdn").write_text(PDN + "\n" + PDN.replace('"A"', '"C"'))
        shown = replayed(monkeypatch, capsys, str(tmp_path / "games.pdn"), "--number", "2", "--ply", "1")
        assert "C - B" in shown
        assert "1. 11-15\nsolid" in shown
        assert "Black wins" in shown

    @pytest.mark.parametrize("game", ["draughts", "othello", "morris"])
    def test_a_match_folder_of_each_game(
        self, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        player = gf.player(game, searcher="random")
        gf.match(player, player, games=2, out=tmp_path / "match", progress=False)
        assert games_file(tmp_path / "match").suffix != ".jsonl"
        assert "player - player" in replayed(monkeypatch, capsys, str(tmp_path / "match"))
        games_file(tmp_path / "match").unlink()
        assert games_file(tmp_path / "match").suffix == ".jsonl"
        assert "player - player" in replayed(monkeypatch, capsys, str(tmp_path / "match"), "--number", "2")

    @pytest.mark.parametrize("game", ["turkish", "draughts-variant:board=8x8,kings=short"])
    def test_a_folder_names_its_game(
        self, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The suffix of its file fits several kinds of draughts."""
        learner = "td:sessions=1,games=2"
        player = gf.player(game, searcher="random")
        gf.match(player, player, games=2, out=tmp_path / "match", progress=False)
        pipeline = gf.Pipeline(game=game, searcher="alphabeta:depth=1", evaluator="mlp:hidden=2", features="bits",
                               learner=learner, oracle="none")  # fmt: skip
        pipeline.run(tmp_path / "run", progress=False)
        for folder in ("match", "run"):
            assert " - " in replayed(monkeypatch, capsys, str(tmp_path / folder))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["missing.pdn"], "there is no file missing.pdn"),
            (["."], ". has no file of games that can be read"),
            (["games.pdn", "--number", "9"], "--number 9: games.pdn has only 1 game"),
            (["games.pdn", "--ply", "9"], "--ply 9: the game ends after 4 plies"),
            (["games.xyz"], "cannot infer the game for games.xyz; give --game NAME"),
        ],
    )
    def test_bad_input(
        self,
        arguments: list[str],
        message: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        if arguments != ["."]:
            (tmp_path / "games.pdn").write_text(PDN)
            (tmp_path / "games.xyz").write_text(PDN)
        monkeypatch.chdir(tmp_path)
        assert cli.run(["replay", *arguments]) == 2
        out, error = capsys.readouterr()
        assert error.startswith(f"error: {message}")
        assert out == ""
